"""Sobol sequences: direction numbers (S. Joe, F. Y. Kuo, SIAM J. Sci. Comput. 30, 2008), points, scrambling."""

import importlib.resources

import numpy as np

BITS = 30


def direction_numbers(dimension):
    """(dimension, BITS) int64: what is exclusively added to a point for each bit of its number."""
    table = importlib.resources.files("scipy.stats").joinpath("_sobol_direction_numbers.npz")
    with table.open("rb") as file:
        data = np.load(file)
        polynomials, first = data["poly"][:dimension], data["vinit"][:dimension]
    V = np.zeros((dimension, BITS), np.int64)
    V[0] = 1
    for d in range(1, dimension):
        p = int(polynomials[d])
        degree = p.bit_length() - 1
        row = [int(v) for v in first[d, : min(degree, BITS)]]
        for i in range(degree, BITS):
            v = row[i - degree]
            for k in range(degree):
                if p >> (degree - 1 - k) & 1:
                    v ^= row[i - k - 1] << (k + 1)
            row.append(v)
        V[d] = row
    return V << np.arange(BITS - 1, -1, -1, dtype=np.int64)


def points(last, V, n, number):
    """The n points that follow `last`, which is point `number`, as integers of BITS bits: (n, dimension)."""
    steps = np.arange(number, number + n, dtype=np.int64)
    flipped = ~steps & (steps + 1)  # the lowest bit that is 0
    place = np.zeros(n, np.int64)
    for bit in range(1, 63):
        place[flipped >= 1 << bit] = bit
    found = np.concatenate([last[None], V[:, np.minimum(place, BITS - 1)].T])
    return np.bitwise_xor.accumulate(found, 0)[1:]


def scrambled(V, matrices):
    """V with each dimension's bits multiplied by a lower triangular matrix of bits with a diagonal of ones."""
    bits = np.arange(BITS - 1, -1, -1, dtype=np.int64)
    L = matrices.copy()
    L[:, np.arange(BITS), np.arange(BITS)] = 1
    of_V = V[:, None, :] >> bits[None, :, None] & 1  # (dimension, bit from the highest, number)
    return ((L @ of_V & 1) << bits[None, :, None]).sum(1)
