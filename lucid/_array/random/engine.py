"""Fill numpy arrays with the very numbers torch's CPU generator would give, and leave the generator in torch's state.

An `Engine` is the generator (a Mersenne twister, its seed, its cached normal); `fill_*(engine, out, ...)` are torch's
in-place samplers. `normal.py` holds the normal ones, `rejection.py` those that draw classes or redraw
(multinomial, poisson, gamma). Arrays may have any layout: draws are handed out in torch's order, which is the order
of memory. dtypes: float16, bfloat16 (ml_dtypes), float32, float64, complex64, complex128, integers, bool, each where
torch allows it. Checks of arguments that need no array values and no generator are the caller's work.
"""

import functools
import math
import os
import threading

import numpy as np

from ..._base.shape import memory_order
from .exact import FLOAT32, FLOAT64, fma32, fma64, libm

DEFAULT_SEED = 67280421310721  # what torch.Generator() starts from
STATE_BYTES = 5056
CHUNK = 16384  # elements per step of a large fill: temporaries stay in cache, page faults are few
MASK64, INT64_MIN, INT64_MAX = (1 << 64) - 1, -(1 << 63), (1 << 63) - 1
ULP53 = 2.0**-53
UINT32, UINT64 = np.dtype(np.uint32), np.dtype(np.uint64)
# 0-d arrays: in arithmetic with small arrays they are twice as quick as python or numpy scalars
MASK24, MASK53 = np.array((1 << 24) - 1, UINT32), np.array((1 << 53) - 1, UINT64)
ULP24 = np.array(2.0**-24, FLOAT32)


# ---------------------------------------------------------------------------------------------------- the generator
class Engine:
    """torch's CPU generator: 32-bit MT19937 words, the 64-bit seed and the normal kept from the last pair.

    Making or seeding one costs about a microsecond; numpy.random, a heavy import, is loaded by the first draw.
    `lock` must be held while drawing (the `fill_*` functions do so), since numpy releases the GIL.
    """

    def __init__(self, seed=DEFAULT_SEED):
        self.lock = threading.RLock()
        self.manual_seed(seed)

    @functools.cached_property
    def _bits(self):
        bits = np.random.MT19937(0)
        np.random.RandomState(bits).seed(self._seed & 0xFFFFFFFF)
        return bits

    @functools.cached_property
    def _reseed(self):
        return np.random.RandomState(self._bits).seed  # numpy's legacy seeding is torch's

    @functools.cached_property
    def _integers(self):
        return np.random.Generator(self._bits).integers

    # seeding
    def manual_seed(self, seed):
        """Seed with int(seed) in [-2**63, 2**64); only the low 32 bits reach the numbers. Returns self."""
        seed = int(seed)
        if not INT64_MIN <= seed <= MASK64:
            raise ValueError("Overflow when unpacking long long")
        with self.lock:
            self._seed = seed & MASK64
            self._fresh = True  # nothing drawn yet: torch's state bytes show it
            self.cached_normal = self.cached_float_normal = None
            if "_bits" in self.__dict__:
                self._reseed(self._seed & 0xFFFFFFFF)
        return self

    def initial_seed(self):
        """The seed as an unsigned 64-bit int."""
        return self._seed

    def seed(self):
        """Seed from 64 bits of the system's entropy; returns them."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    # draws
    def words32(self, n):
        """n uint32 words."""
        if n:
            self._fresh = False
        if n < 512:  # numpy's bulk call costs 10 us before its first word
            return self._bits.random_raw(n).astype(UINT32)
        return self._integers(0, 1 << 32, size=n, dtype=UINT32)

    def words64(self, n):
        """n uint64, each of two words, the first one high."""
        if n:
            self._fresh = False
        if n < 256:
            words = self._bits.random_raw(2 * n)
            return (words[0::2] << 32) | words[1::2]
        return self._integers(0, 1 << 64, size=n, dtype=UINT64)

    def bits24(self, n):
        """n int32 of 24 random bits; one word each."""
        words = self.words32(n)
        words &= MASK24
        return words.view(np.int32)  # converting from a signed integer is the quicker way

    def bits53(self, n):
        """n int64 of 53 random bits; two words each."""
        words = self.words64(n)
        words &= MASK53
        return words.view(np.int64)

    def uniform(self, n):
        """n float64 in [0, 1), multiples of 2**-53; two words each."""
        values = self.bits53(n).astype(FLOAT64)
        values *= ULP53
        return values

    def uniform_list(self, n):
        """The same n numbers as a list of floats, quicker for a few."""
        self._fresh = False
        words = iter(self._bits.random_raw(2 * n).tolist())
        return [((high & 0x1FFFFF) << 32 | low) * ULP53 for high, low in zip(words, words)]

    def skip(self, words):
        """Drop some words."""
        if words:
            self._fresh = False
            self._bits.random_raw(words, output=False)

    def mark(self):
        """A place to `rewind` to."""
        return self._bits.state, self._fresh

    def rewind(self, mark, words):
        """Go back to a mark, then forward by some words; the cached normal stays."""
        self._bits.state, self._fresh = mark
        self.skip(words)

    # state
    def _fields(self, state):
        """Views of the used bytes of a state: seed, left, seeded, next, words, normal, has, float normal, has."""
        layout = (
            (0, "u8", 1),
            (8, "i4", 1),
            (12, "i4", 1),
            (16, "u8", 1),
            (24, "u8", 624),
            (5024, "f8", 1),
            (5040, "i4", 1),
            (5048, "f4", 1),
            (5052, "u1", 1),
        )
        return [np.frombuffer(state, "<" + kind, count, offset) for offset, kind, count in layout]

    def get_state(self):
        """The state as torch lays it out: uint8 of shape (5056,)."""
        state = bytearray(STATE_BYTES)
        seed, left, seeded, following, words, normal, has_normal, float_normal, has_float = self._fields(state)
        with self.lock:
            twister = self._bits.state["state"]
            position = int(twister["pos"])
            untwisted = self._fresh and position == 624
            seed[0], seeded[0], words[:] = self._seed, 1, twister["key"]
            left[0], following[0] = (1, 0) if untwisted else (625 - position, position)
            if self.cached_normal is not None:
                normal[0], has_normal[0] = self.cached_normal, 1
            if self.cached_float_normal is not None:
                float_normal[0], has_float[0] = self.cached_float_normal, 1
        return np.frombuffer(state, np.uint8)

    def set_state(self, state):
        """Take over a state given by get_state (here or by torch): uint8, 5056 elements. Returns self."""
        if getattr(state, "dtype", None) != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if state.size != STATE_BYTES:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE_BYTES} but found the input RNG state "
                f"size to be {state.size}"
            )
        fields = self._fields(state.tobytes())
        seed, left, seeded, following, words, normal, has_normal, float_normal, has_float = fields
        left, following = int(left[0]), int(following[0])
        if not seeded[0] or not 0 < left <= 624 or following > 624:
            raise RuntimeError("Invalid mt19937 state")
        with self.lock:
            position = 624 if left == 1 else following  # left == 1: twist before the next word
            self._seed = int(seed[0])
            self._bits.state = {"bit_generator": "MT19937", "state": {"key": words.astype(UINT32), "pos": position}}
            self._fresh = left == 1 and following == 0
            self.cached_normal = float(normal[0]) if has_normal[0] else None
            self.cached_float_normal = float(float_normal[0]) if has_float[0] else None
        return self

    def clone_state(self):
        """A new, independent engine in the same state."""
        return Engine(self._seed).set_state(self.get_state())


def draws(sampler):
    """Hold the engine's lock and keep numpy's floating-point warnings quiet while a sampler runs."""
    quiet = np.errstate(all="ignore")(sampler)

    @functools.wraps(sampler)
    def locked(engine, *args, **kwargs):
        with engine.lock:
            return quiet(engine, *args, **kwargs)

    return locked


# ------------------------------------------------------------------------------------------------- order of elements
def walk(out, fill):
    """Call fill(part) on one-dimensional parts of `out` until all of it is written, in torch's order."""
    ordered = out if out.flags.c_contiguous else out.transpose(memory_order(out.shape, out.strides))
    dense = ordered.flags.c_contiguous
    flat = ordered.reshape(-1) if dense else np.empty(out.size, out.dtype)
    for start in range(0, flat.size, CHUNK):
        fill(flat[start : start + CHUNK])
    if not dense:
        ordered[...] = flat.reshape(ordered.shape)
    return out


def real_view(out):
    """A complex array as a real one with a last dimension of 2; others as they are."""
    if out.dtype.names:  # complex32: pairs of float16
        return out[..., np.newaxis].view(np.float16)
    return out[..., np.newaxis].view(out.real.dtype) if out.dtype.kind == "c" else out


def is_half(dtype):
    return dtype.itemsize == 2 and dtype.kind in "fV"  # float16, or ml_dtypes' bfloat16 (kind V)


def store(part, values):
    """Write float64 or integer values; to a half they go through float32, as in torch."""
    part[...] = values.astype(FLOAT32) if is_half(part.dtype) else values


# ------------------------------------------------------------------------------------------------------------- uniform
def _uniform32(engine, part, low, high):
    """part (float32) = fused u * (high - low) + low."""
    bits = engine.bits24(part.size)
    if low == -high and high > 1e-30:  # b * (2u - 1), and 2u - 1 is exact: initial weights
        bits <<= 1
        bits -= 1 << 24
        part[...] = bits
        part *= high * ULP24
        return
    part[...] = bits
    part *= ULP24
    if low != 0 or high != 1:
        fma32(part, high - low, low, out=part)
        part[part == high] = low


def _uniform64(engine, part, low, high):
    """The same in float64."""
    bits = engine.bits53(part.size)
    if low == -high and high > 1e-280:
        bits <<= 1
        bits -= 1 << 53
        part[...] = bits
        part *= high * ULP53
        return
    part[...] = bits
    part *= ULP53
    if low != 0 or high != 1:
        part[...] = fma64(part, high - low, low)
        part[part == high] = low


def _uniform_half(engine, part, low, high):
    """float16 or bfloat16: float32 numbers rounded, and the upper bound, once reached by rounding, made the lower."""
    wide = np.empty(part.size, FLOAT32)
    _uniform32(engine, wide, low, high)
    low, high = np.array([low, high], FLOAT32).astype(part.dtype)
    part[...] = wide
    part[part == high] = low


@draws
def fill_uniform(engine, out, low=0.0, high=1.0):
    """out.uniform_(low, high). Draws one word an element, two in float64, twice that for complex."""
    out_real = real_view(out)
    if out_real.dtype == FLOAT64:
        low, high, fill = float(low), float(high), _uniform64
    else:
        low, high, fill = np.float32(low), np.float32(high), _uniform_half if is_half(out_real.dtype) else _uniform32
    walk(out_real, lambda part: fill(engine, part, low, high))
    return out


# ------------------------------------------------------------------------------------------------------------ integers
def _digits(dtype):
    """Binary digits of a floating dtype's mantissa, 0 for others."""
    if dtype.kind == "V":
        return 8
    return {2: 11, 4: 24, 8: 53}[dtype.itemsize] if dtype.kind == "f" else 0


def _rounded(dtype, value):
    """int -> dtype -> int, as C casts from and to int64 do."""
    exact = np.array([value], np.int64)
    if dtype.itemsize == 2:
        exact = exact.astype(FLOAT32)
    return int(exact.astype(dtype).astype(FLOAT64).astype(np.int64)[0])


def _float_bounds(dtype, low, high):
    """The bounds moved inwards where a number at one of them would round out of [low, high)."""
    digits = _digits(dtype)
    after_low = _rounded(dtype, low + 1)
    if after_low < low:
        low = after_low + (1 << (abs(low + 1).bit_length() - digits))
    if high is not None:
        before_high = _rounded(dtype, high - 1)
        if before_high >= high:
            high = before_high - (1 << (abs(high - 1).bit_length() - digits))
    return low, high


def _random_range(dtype, low, high):
    """(low, span, wide): a number is low + word % span; a span of 0 means 2**64, wide that the word has 64 bits."""
    digits = _digits(dtype)
    largest = 1 << digits if digits else 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)
    if low is None and high is None:
        return 0, (largest + 1) & MASK64, dtype.itemsize == 8
    low = 0 if low is None else int(low)
    if high is None and low == INT64_MIN:
        return 0, 0, True  # the words as they are
    high = high if high is None else int(high)
    if high is not None and low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if digits:
        low, high = _float_bounds(dtype, low, high)
        if high is not None and low >= high:
            raise RuntimeError(
                "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
                f"from={low} >= to={high}"
            )
    span = ((largest + 1 if high is None else high) - low) & MASK64
    return low, span, span >= 1 << 28


def _remainder(words, span):
    """words % span for unsigned words and a python int."""
    if span & (span - 1) == 0:
        words &= (span - 1) & int(np.iinfo(words.dtype).max)  # a span of 0 keeps all bits
        return words
    if words.dtype == UINT64:
        return words % UINT64.type(span)
    quotient = words // UINT32.type(span)  # a multiply and a shift, five times quicker than %
    quotient *= UINT32.type(span)
    words -= quotient
    return words


@draws
def fill_random(engine, out, low=None, high=None):
    """out.random_(): integers in [low, high), to the dtype's last one without `high`, from 0 without `low`.

    Draws one word an element for ranges below 2**28, else two; without bounds two for int64 and float64, else one.
    """
    low, span, wide = _random_range(out.dtype, low, high)
    direct = low == 0 and not wide and not is_half(out.dtype)

    def fill(part):
        words = _remainder(engine.words64(part.size) if wide else engine.words32(part.size), span)
        if direct:
            part[...] = words
            return
        numbers = words.view(np.int64) if wide else words.astype(np.int64)
        numbers += low  # wraps, as in C
        store(part, numbers)

    return walk(out, fill)


# --------------------------------------------------------------------------------------------------------- permutation
RANDPERM_BIG = 0xFFFFFFFF // 20


def swap_forward(targets):
    """arange(n) after `for i in range(n): swap(r[i], r[targets[i]])`, targets[i] >= i (int64), without the loop.

    Just before step i, position i holds what the steps that aimed at it left: follow "the last earlier step aiming at
    i" to its root. Step i then receives the root of the last earlier step with its own target, or its target if it is
    the first to aim there. Sorting (target, step) makes both "last" look-ups neighbours.
    """
    n = targets.size
    shift, kind = (16, UINT32) if n <= 1 << 16 else (32, UINT64)
    root = np.arange(n)
    keys = targets.astype(kind) << shift
    keys |= root.astype(kind)
    keys.sort()
    order, targets = (keys & ((1 << shift) - 1)).astype(np.int64), (keys >> shift).astype(np.int64)
    previous = np.empty_like(order)
    previous[0], previous[1:] = 0, order[:-1]
    same = np.empty(n, bool)
    same[0] = False
    np.equal(targets[1:], targets[:-1], out=same[1:])
    parent = order.copy()  # a step that aims at itself is not its own parent
    np.copyto(parent, previous, where=same & (order == targets))
    root[targets] = parent  # the last of each group stays
    further = np.empty_like(root)
    while not np.array_equal(root.take(root, out=further, mode="clip"), root):
        root, further = further, root  # pointer doubling: five or six rounds for a million
    np.copyto(targets, root.take(previous, out=further, mode="clip"), where=same)
    root[order] = targets
    return root


def swap_backward(targets):
    """arange(n) after `for i in range(n): swap(r[i], r[targets[i]])`, targets[i] <= i: the other one mirrored."""
    last = targets.size - 1
    mirrored = swap_forward(last - targets[::-1])
    result = np.empty_like(mirrored)
    result[last - mirrored] = last - np.arange(targets.size)
    return result


@draws
def randperm(engine, n):
    """torch.randperm(n), int64 of shape (n,): Fisher and Yates' shuffle. Draws n - 1 words (2n from 2**32 / 20 on)."""
    if n >= RANDPERM_BIG:
        return swap_backward((engine.words64(n) % np.arange(1, n + 1, dtype=UINT64)).view(np.int64))
    if n <= 1:
        return np.arange(n)
    offsets = engine.words32(n - 1)
    offsets %= np.arange(n, 1, -1, dtype=UINT32)
    if n >= 400:
        targets = np.arange(n)
        targets[:-1] += offsets
        return swap_forward(targets)
    result = list(range(n))
    for i, offset in enumerate(offsets.tolist()):
        result[i], result[i + offset] = result[i + offset], result[i]
    return np.array(result, np.int64)


# ---------------------------------------------------------------------------------------- bernoulli and the transforms
@draws
def fill_bernoulli(engine, out, p=0.5):
    """out.bernoulli_(p): p a float, or an array of a floating dtype that broadcasts to out.

    Draws two words an element for a float or float64 probabilities, one for narrower probabilities.
    """
    if not isinstance(p, np.ndarray):
        threshold = math.ceil(float(p) * 2.0**53)  # k * 2**-53 < p is k < ceil(p * 2**53): scaling is exact

        def fill(part):
            part[...] = engine.bits53(part.size) < threshold

        return walk(out, fill)

    order = range(out.ndim) if out.flags.c_contiguous else memory_order(out.shape, out.strides)
    remaining = np.broadcast_to(p, out.shape).transpose(order).reshape(-1)
    if is_half(p.dtype):
        remaining = remaining.astype(FLOAT32)

    def fill_from_array(part):
        nonlocal remaining
        here, remaining = remaining[: part.size], remaining[part.size :]
        if p.dtype == FLOAT64:
            uniform = engine.uniform(part.size)
        else:
            uniform = engine.bits24(part.size).astype(FLOAT32)
            uniform *= ULP24
        part[...] = uniform < here

    return walk(out, fill_from_array)


@draws
def fill_exponential(engine, out, lambd=1.0):
    """out.exponential_(lambd): -log1p(-u) / lambd. Two words an element, as for the next two."""
    scale = -1.0 / lambd
    return walk(out, lambda part: store(part, scale * libm("log1p", -engine.uniform(part.size))))


@draws
def fill_cauchy(engine, out, median=0.0, sigma=1.0):
    """out.cauchy_(median, sigma): sigma * tan(pi (u - 1/2)) + median."""
    median, sigma = float(median), float(sigma)

    def fill(part):
        tangent = libm("tan", math.pi * (engine.uniform(part.size) - 0.5))
        store(part, fma64(tangent, sigma, median))

    return walk(out, fill)


@draws
def fill_geometric(engine, out, p):
    """out.geometric_(p): trials up to the first success, ceil(log(u) / log(1 - p)); floating and integer dtypes."""
    log_failure = math.log1p(-p)
    whole = out.dtype.kind in "iu"

    def fill(part):
        trials = np.ceil(libm("log", engine.uniform(part.size)) / log_failure)
        store(part, trials.astype(np.int64) if whole else trials)

    return walk(out, fill)
