"""torch.fft: discrete Fourier transforms. Three ops do the work; every function prepares their input.

A transform over n points gives sum_j x[j] exp(-2 pi i j k / n), the inverse one the same with +. `normalization` is
torch's number: 0 as it stands, 1 divided by the root of the number of points, 2 divided by their number.
"""

from ..._backend.core import unary_func_op
from ..._backend.families import Own
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._base import dtype as dtypes
from ..._base.shape import wrap_dim, wrap_dims
from ..creation.gfunc import arange
from ..nn.padding import constant_pad_nd
from ..pointwise.complex import conj, conj_physical
from ..shape.flip import roll
from ..shape.slicing import slice_of

# ---- the ops


class Transform(Own):
    """What the three ops have in common."""

    promote, linear, method, namespace = "keep", True, False, None

    def prepare(input, dim, *options):
        return wrap_dims(dim, input.ndim), *options


class fft_c2c(Transform):
    """fft_c2c(input, dim, normalization, forward) -> Tensor: complex numbers to complex numbers, over dim."""

    node_name = "FftC2CBackward0"

    @unary_func_op()
    def forward(xp, input, dim, normalization, forward):
        return xp.fft_c2c(input, dim, normalization, forward)

    def grad_input(xp, g, dim, normalization, forward):
        return xp.fft_c2c(g, dim, normalization, not forward)


class fft_r2c(Transform):
    """fft_r2c(input, dim, normalization, onesided) -> Tensor: real numbers to complex ones, over dim.

    onesided: only the first n // 2 + 1 along the last of dim, since the others are their conjugates.
    """

    node_name = "FftR2CBackward0"
    result = "of"

    @unary_func_op()
    def forward(xp, input, dim, normalization, onesided):
        return xp.fft_r2c(input, dim, normalization, onesided)

    def grad_input(xp, g, dim, normalization, onesided, shape):
        last = dim[-1]
        absent = shape[last] - g.shape[last]
        if absent:
            g = xp.of(g).pad(g, [(0, absent if d == last else 0) for d in range(g.ndim)], 0)
        return xp.of(g).real(xp.of(g).fft_c2c(g, dim, normalization, False))


class fft_c2r(Transform):
    """fft_c2r(input, dim, normalization, last_dim_size) -> Tensor: the inverse of a one-sided fft_r2c."""

    node_name = "FftC2RBackward0"
    result = "of"

    @unary_func_op()
    def forward(xp, input, dim, normalization, last_dim_size):
        return xp.fft_c2r(input, dim, normalization, last_dim_size)

    def grad_input(xp, g, dim, normalization):
        last = dim[-1]
        half = xp.of(g).fft_r2c(g, dim, normalization, True)
        twice = g.shape[last] - half.shape[last]  # those that stand for their conjugates, too
        if not twice:
            return half
        xp = xp.of(half)
        middle = xp.slice(half, last, 1, 1 + twice, 1)
        return half + xp.slice_backward(middle, half.shape, last, 1, 1 + twice, 1)


for _op in (fft_c2c, fft_r2c, fft_c2r):
    _op.public_function = public(f"_{_op.__name__}", word=False)(_op.fn)

# ---- what all functions ask of their input


BY_NOTHING, BY_ROOT, BY_COUNT = 0, 1, 2
MODES = {  # by name: of the transform, of its inverse
    None: (BY_NOTHING, BY_COUNT),
    "backward": (BY_NOTHING, BY_COUNT),
    "forward": (BY_COUNT, BY_NOTHING),
    "ortho": (BY_ROOT, BY_ROOT),
}


def _mode(norm, forward):
    """The number of a normalization by name, for the transform or its inverse."""
    if norm not in MODES:
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return MODES[norm][0 if forward else 1]


def _floating(input, to_complex=False):
    """input as numbers that have a transform: integers become the default type's, on demand complex."""
    dtype = input.dtype
    if not dtype.is_floating_point and not dtype.is_complex:
        dtype = dtypes.get_default_dtype()
    if dtype.name == "complex32":
        raise RuntimeError("MKL FFT doesn't support tensors of type: Half")
    if dtype.itemsize < 4:
        raise RuntimeError(f"Unsupported dtype {dtypes.SCALAR_NAMES[dtype]}")
    if to_complex and not dtype.is_complex:
        dtype = dtype.to_complex()
    return input if dtype is input.dtype else input.to(dtype)


def _real(name, input):
    if input.is_complex():
        raise RuntimeError(f"{name} expects a real input tensor, but got {dtypes.SCALAR_NAMES[input.dtype]}")
    return _floating(input)


def _points(n):
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    return n


def _resized(input, dims, counts):
    """input cut off or filled with zeros to so many points along dims; -1 leaves a dimension as it is."""
    widths, shape = [0] * (2 * input.ndim), input.shape
    for d, n in zip(dims, counts):
        if n == -1:
            continue
        if shape[d] > _points(n):
            input = slice_of.fn(input, d, 0, n, 1)
        elif shape[d] < n:
            widths[2 * (input.ndim - 1 - d) + 1] = n - shape[d]
    return constant_pad_nd.fn(input, tuple(widths)) if any(widths) else input


def _dimension(input, dim):
    if not input.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, input.ndim)


def _one(input, n, dim, half=False):
    """(input with n points along dim, dim from the front, n); half: n counts the result, of which input has a half."""
    dim = _dimension(input, dim)
    if n is not None:
        return _resized(input, (dim,), (_points(n) // 2 + 1 if half else n,)), (dim,), n
    n = 2 * (input.shape[dim] - 1) if half else input.shape[dim]
    return input, (dim,), _points(n)


def _many(input, s, dim):
    """(dims from the front, so many points along each)"""
    if dim is not None:
        dim = (dim,) if isinstance(dim, int) else tuple(dim)
        dims = tuple([_dimension(input, d) for d in dim])
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
    s = (s,) if isinstance(s, int) else s
    if s is None:
        dims = dims if dim is not None else tuple(range(input.ndim))
        return dims, [input.shape[d] for d in dims]
    if dim is not None and len(dims) != len(s):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    if len(s) > input.ndim:
        raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {input.ndim} dimensions.")
    if dim is None:
        dims = tuple(range(input.ndim - len(s), input.ndim))
    return dims, [_points(input.shape[d] if n == -1 else n) for d, n in zip(dims, s)]


def _some(name, input, s, dim):
    """_many, of which there must be one."""
    dims, counts = _many(input, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    return dims, counts


def _into(name, result, out):
    if out is None:
        return result
    if result.is_complex() and not out.is_complex():
        raise RuntimeError(f"{name} expects a complex output tensor, but got {dtypes.SCALAR_NAMES[out.dtype]}")
    if not result.is_complex() and not out.is_floating_point():
        raise RuntimeError(f"{name} expects a floating point output tensor, but got {dtypes.SCALAR_NAMES[out.dtype]}")
    if not result.is_conj():  # torch resizes out before it knows the layout, where the transform is the last step
        result = result.contiguous()
    return store_out(f"fft_{name}", result, out, "castable", resized=True)


# ---- one dimension


def _transform(name, input, n, dim, norm, forward, out):
    input = _floating(input)
    input, dims, n = _one(input, n, dim)
    mode = _mode(norm, forward)
    if input.is_complex():
        result = fft_c2c.fn(input, dims, mode, forward)
    else:
        result = fft_r2c.fn(input, dims, mode, False)
        result = result if forward else conj(result)
    return _into(name, result, out)


@public(namespace="fft")
def fft(input, n=None, dim=-1, norm=None, *, out=None):
    """fft(input, n=None, dim=-1, norm=None) -> complex Tensor: the Fourier transform over n points along dim."""
    return _transform("fft", input, n, dim, norm, True, out)


@public(namespace="fft")
def ifft(input, n=None, dim=-1, norm=None, *, out=None):
    """ifft(input, n=None, dim=-1, norm=None) -> complex Tensor: the inverse of fft."""
    return _transform("ifft", input, n, dim, norm, False, out)


@public(namespace="fft")
def rfft(input, n=None, dim=-1, norm=None, *, out=None):
    """rfft(input, n=None, dim=-1, norm=None) -> complex Tensor: the first n // 2 + 1 of a real input's transform."""
    input, dims, _ = _one(_real("rfft", input), n, dim)
    return _into("rfft", fft_r2c.fn(input, dims, _mode(norm, True), True), out)


@public(namespace="fft")
def irfft(input, n=None, dim=-1, norm=None, *, out=None):
    """irfft(input, n=None, dim=-1, norm=None) -> real Tensor: the inverse of rfft, with n points (2 * (size - 1))."""
    input, dims, n = _one(_floating(input, True), n, dim, half=True)
    return _into("irfft", fft_c2r.fn(input, dims, _mode(norm, False), n), out)


@public(namespace="fft")
def hfft(input, n=None, dim=-1, norm=None, *, out=None):
    """hfft(input, n=None, dim=-1, norm=None) -> real Tensor: the transform of a Hermitian signal, given by its half."""
    input, dims, n = _one(_floating(input, True), n, dim, half=True)
    return _into("hfft", fft_c2r.fn(conj(input), dims, _mode(norm, True), n), out)


@public(namespace="fft")
def ihfft(input, n=None, dim=-1, norm=None, *, out=None):
    """ihfft(input, n=None, dim=-1, norm=None) -> complex Tensor: the inverse of hfft: half of a Hermitian signal."""
    input, dims, _ = _one(_real("ihfft", input), n, dim)
    return _into("ihfft", conj(fft_r2c.fn(input, dims, _mode(norm, False), True)), out)


# ---- several dimensions


def _transform_many(name, input, s, dim, norm, forward, out):
    dims, counts = _many(input, s, dim)
    input = _resized(_floating(input, True), dims, counts)
    return _into(name, fft_c2c.fn(input, dims, _mode(norm, forward), forward), out)


@public(namespace="fft")
def fftn(input, s=None, dim=None, norm=None, *, out=None):
    """fftn(input, s=None, dim=None, norm=None) -> complex Tensor: the transform over dim (all), s points along each."""
    return _transform_many("fftn", input, s, dim, norm, True, out)


@public(namespace="fft")
def ifftn(input, s=None, dim=None, norm=None, *, out=None):
    """ifftn(input, s=None, dim=None, norm=None) -> complex Tensor: the inverse of fftn."""
    return _transform_many("ifftn", input, s, dim, norm, False, out)


@public(namespace="fft")
def rfftn(input, s=None, dim=None, norm=None, *, out=None):
    """rfftn(input, s=None, dim=None, norm=None) -> complex Tensor: fftn of a real input, half of the last dimension."""
    input = _real("rfftn", input)
    dims, counts = _some("rfftn", input, s, dim)
    return _into("rfftn", fft_r2c.fn(_resized(input, dims, counts), dims, _mode(norm, True), True), out)


def _half(name, input, s, dim):
    """(complex input with the points that the result of so many needs, dims, size of the result's last dimension)"""
    dims, counts = _some(name, input, s, dim)
    if s is None or (s if isinstance(s, int) else s[-1]) == -1:
        counts[-1] = _points(2 * (input.shape[dims[-1]] - 1))
    halved = [*counts[:-1], counts[-1] // 2 + 1]
    return _resized(_floating(input, True), dims, halved), dims, counts[-1]


@public(namespace="fft")
def irfftn(input, s=None, dim=None, norm=None, *, out=None):
    """irfftn(input, s=None, dim=None, norm=None) -> real Tensor: the inverse of rfftn."""
    input, dims, last = _half("irfftn", input, s, dim)
    return _into("irfftn", fft_c2r.fn(input, dims, _mode(norm, False), last), out)


@public(namespace="fft")
def hfftn(input, s=None, dim=None, norm=None, *, out=None):
    """hfftn(input, s=None, dim=None, norm=None) -> real Tensor: the transform of a Hermitian signal over dim (all)."""
    input, dims, last = _half("hfftn", input, s, dim)
    mode = _mode(norm, True)
    if dims[:-1]:
        input = fft_c2c.fn(input, dims[:-1], mode, True)
    return _into("hfftn", fft_c2r.fn(conj(input), dims[-1:], mode, last), out)


@public(namespace="fft")
def ihfftn(input, s=None, dim=None, norm=None, *, out=None):
    """ihfftn(input, s=None, dim=None, norm=None) -> complex Tensor: the inverse of hfftn."""
    input = _real("ihfftn", input)
    dims, counts = _some("ihfftn", input, s, dim)
    mode = _mode(norm, False)
    half = fft_r2c.fn(_resized(input, dims, counts), dims[-1:], mode, True)
    if not dims[:-1]:
        return _into("ihfftn", conj(half), out)
    return _into("ihfftn", fft_c2c.fn(conj_physical(half), dims[:-1], mode, False), out)


def _of_matrices(of):
    """The function of several dimensions with torch's default for two: the last ones."""

    def function(input, s=None, dim=(-2, -1), norm=None, *, out=None):
        return of(input, s, dim, norm, out=out)

    function.__name__ = function.__qualname__ = of.__name__[:-1] + "2"
    function.__doc__ = (
        f"{function.__name__}(input, s=None, dim=(-2, -1), norm=None) -> Tensor: {of.__name__} of the last two dims."
    )
    return public(namespace="fft")(function)


fft2, ifft2, rfft2, irfft2, hfft2, ihfft2 = map(_of_matrices, (fftn, ifftn, rfftn, irfftn, hfftn, ihfftn))

# ---- frequencies


@public(namespace="fft")
def fftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """fftfreq(n, d=1.0) -> Tensor of n: the frequencies of fft's results, in cycles per unit of the spacing d."""
    result = arange(n, dtype=dtype or dtypes.get_default_dtype(), device=device)
    result[(n + 1) // 2 :] -= n
    return _frequencies("fftfreq", result, n, d, requires_grad, out)


@public(namespace="fft")
def rfftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """rfftfreq(n, d=1.0) -> Tensor of n // 2 + 1: the frequencies of rfft's results."""
    result = arange(n // 2 + 1, dtype=dtype or dtypes.get_default_dtype(), device=device)
    return _frequencies("rfftfreq", result, n, d, requires_grad, out)


def _frequencies(name, counts, n, d, requires_grad, out):
    counts.mul_(1.0 / (n * d) if n * d else float("inf"))
    return _into(name, counts.requires_grad_(requires_grad), out)


def _shifted(name, input, dim, turn):
    dims = range(input.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    dims = tuple([wrap_dim(d, input.ndim) for d in dims])
    return roll.fn(input, tuple([turn(input.shape[d]) for d in dims]), dims)


@public(namespace="fft")
def fftshift(input, dim=None):
    """fftshift(input, dim=None) -> Tensor: frequency 0 moved to the middle of dim (all)."""
    return _shifted("fftshift", input, dim, lambda n: n // 2)


@public(namespace="fft")
def ifftshift(input, dim=None):
    """ifftshift(input, dim=None) -> Tensor: the inverse of fftshift."""
    return _shifted("ifftshift", input, dim, lambda n: (n + 1) // 2)
