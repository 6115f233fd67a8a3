"""The linear algebra words on the `meta` device: what matrices taken apart look like, laid out as LAPACK has them."""

from ..._base import dtype as dtypes
from .strided import contiguous_strides
from .table import MetaWords, joint_shape


def columns(k, shape):
    """An array of this shape whose matrices lie column by column."""
    *lead, rows, width = shape
    strides = contiguous_strides((*lead, width, rows))
    return k.new(shape, (*strides[:-2], strides[-1], strides[-2]))


def real(k):
    return k.sibling(k.dtype.to_real())


def numbers(k, shape):
    """int32: how a routine ended, or pivots."""
    return k.sibling(dtypes.int32).new(shape)


class _Lead:
    def __init__(self, matrices):
        self.shape = matrices.shape[:-2]


def lead(A, B):
    return joint_shape([_Lead(A), _Lead(B)])


class LinalgShapes:
    """See numpy/linalg.py for what the words give."""

    def inverse(self, A):
        return columns(A.k, A.shape), numbers(A.k, A.shape[:-2])

    def solution(self, A, B):
        return columns(A.k, (*lead(A, B), *B.shape[-2:])), numbers(A.k, A.shape[:-2])

    def cholesky_factor(self, A, upper):
        return columns(A.k, A.shape), numbers(A.k, A.shape[:-2])

    def qr_factors(self, A, complete):
        *batch, m, n = A.shape
        inner = m if complete else min(m, n)
        return columns(A.k, (*batch, m, inner)), columns(A.k, (*batch, inner, n))

    def svd_factors(self, A, full):
        *batch, m, n = A.shape
        least = min(m, n)
        return (
            columns(A.k, (*batch, m, m if full else least)),
            real(A.k).new((*batch, least)),
            A.k.new((*batch, n if full else least, n)),
        )

    def singular_values(self, A):
        return real(A.k).new((*A.shape[:-2], min(A.shape[-2:])))

    def eigh_pairs(self, A, lower):
        return real(A.k).new(A.shape[:-1]), columns(A.k, A.shape)

    def eig_pairs(self, A):
        k = A.k.sibling(dtypes.complex_of(A.dtype))
        return k.new(A.shape[:-1]), k.new(A.shape)

    def triangular_solution(self, A, B, upper, left, unit):
        return columns(A.k, (*lead(A, B), *B.shape[-2:]))

    def determinant(self, A):
        return A.k.new(A.shape[:-2])

    def sign_logdet(self, A):
        return A.k.new(A.shape[:-2]), real(A.k).new(A.shape[:-2])

    def cofactor(self, A):
        return A.k.new(A.shape)

    exponential = cofactor

    def lu_factors(self, A, pivot=True):
        return columns(A.k, A.shape), numbers(A.k, (*A.shape[:-2], min(A.shape[-2:]))), numbers(A.k, A.shape[:-2])

    def ldl_factors(self, A, hermitian):
        return columns(A.k, A.shape), numbers(A.k, A.shape[:-1]), numbers(A.k, A.shape[:-2])

    def ldl_solution(self, A, pivots, B, hermitian):
        return columns(B.k, (*lead(A, B), *B.shape[-2:]))

    def permutation(self, pivots, n):
        return self.new((*pivots.shape[:-1], n, n))

    def reflectors(self, A, tau):
        return columns(A.k, A.shape)

    def qr_raw(self, A):
        return columns(A.k, A.shape), A.k.new((*A.shape[:-2], min(A.shape[-2:])))


for _name, _word in vars(LinalgShapes).items():
    if not _name.startswith("__"):
        setattr(MetaWords, _name, _word)
