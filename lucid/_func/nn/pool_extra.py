"""More pooling: adaptive maxima, p-norms, fractional maxima, and putting pooled maxima back (max_unpool)."""

from ..._backend.core import func_op
from ..._backend.families import Layer
from ..._backend.registry import FUNCTIONS, NAMESPACES, public
from ..._base.dtype import FLOATING, SCALAR_NAMES, int64
from .conv import in_format, numel
from .interpolate import adaptive_size, check_adaptive, one_size
from .pool import pick, place, window

# ---- adaptive maxima


def _adaptive_max_op(n):
    def forward(xp, input, output_size):
        index = xp.adaptive_max_indices(input, output_size)
        return pick(xp, input, index, n), index

    def grad_input(xp, g, out1, output_size, shape):
        return place(xp, g, out1, shape, n)

    return type(
        f"adaptive_max_pool{n}d_op",
        (Layer,),
        {
            "namespace": None,
            "node_name": f"AdaptiveMaxPool{n}DBackward0",
            "differentiable": (0,),
            "forward": func_op(1, 2)(forward),
            "grad_input": grad_input,
            "__module__": __name__,
            "__doc__": f"adaptive_max_pool{n}d_op(input, output_size) -> (Tensor, int64 Tensor): maxima, and where they "
            "lie.",
        },
    )


_MAXIMA = {n: _adaptive_max_op(n) for n in (2, 3)}


class adaptive_max_indices(Layer):
    """adaptive_max_indices(x, output_size): where the maximum of each adaptive window lies, flat."""

    namespace, result = None, "of"

    @func_op(1, has_gradient=False)
    def forward(xp, x, output_size):
        return xp.adaptive_max_indices(x, output_size)


def _adaptive_max(n, input, output_size, return_indices):
    name = f"adaptive_max_pool{n}d"
    size = adaptive_size(input, output_size, n)
    check_adaptive(name, input, size, n, colon=":")
    if len(size) != n:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {n}")
    if min(size) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(size)}: {[*input.shape[:-n], *size]}")
    if input._table.dtype.category != FLOATING:
        raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_NAMES[input._table.dtype]}'")
    got = _MAXIMA[n].fn(input, size)
    return got if return_indices else got[0]


@public(namespace="nn.functional")
def adaptive_max_pool2d(input, output_size, return_indices=False):
    """adaptive_max_pool2d(input, output_size, return_indices=False): maxima of windows that share the input out evenly.

    input (N, C, H, W) or (C, H, W); output_size an int or two, None for the input's own. With return_indices also
    where each lies, flat over H x W.
    """
    return _adaptive_max(2, input, output_size, return_indices)


@public(namespace="nn.functional")
def adaptive_max_pool3d(input, output_size, return_indices=False):
    """adaptive_max_pool3d(input, output_size, return_indices=False): the same for (N, C, D, H, W) or (C, D, H, W)."""
    return _adaptive_max(3, input, output_size, return_indices)


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """adaptive_max_pool1d(input, output_size, return_indices=False): the same for (N, C, L) or (C, L)."""
    size = one_size("adaptive_max_pool1d", input, output_size)
    values, index = _adaptive_max(2, input.unsqueeze(-2), (1, size), True)
    values = values.squeeze(-2)
    return (values, index.squeeze(-2)) if return_indices else values


@public("adaptive_max_pool1d")
def _torch_adaptive_max_pool1d(input, output_size):
    """adaptive_max_pool1d(input, output_size) -> (Tensor, Tensor): maxima, and where they lie."""
    return adaptive_max_pool1d(input, output_size, True)


NAMESPACES["nn.functional"]["adaptive_max_pool1d"] = adaptive_max_pool1d


def _with_indices(f):
    def pooling(input, output_size, return_indices=False):
        return f(input, output_size, True)

    pooling.__name__ = pooling.__qualname__ = f.__name__ + "_with_indices"
    pooling.__doc__ = (
        f"{pooling.__name__}(input, output_size) -> (Tensor, Tensor): {f.__name__} with return_indices=True."
    )
    return pooling


for _f in (adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d):
    _g = _with_indices(_f)
    NAMESPACES["nn.functional"][_g.__name__] = _g


# ---- p-norms of windows


def _lp_pool(n, input, norm_type, kernel_size, stride, ceil_mode):
    pool = NAMESPACES["nn.functional"][f"avg_pool{n}d"]
    kernel = window(f"lp_pool{n}d", "kernel_size", kernel_size, n) if n > 1 else (kernel_size,)
    out = pool(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (FUNCTIONS["sign"](out) * FUNCTIONS["relu"](out.abs())).mul(numel(kernel)).pow(1.0 / norm_type)


@public(namespace="nn.functional")
def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor: each window's p-norm."""
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


@public(namespace="nn.functional")
def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor: each window's p-norm."""
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


@public(namespace="nn.functional")
def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor: each window's p-norm."""
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)


# ---- maxima put back


def _unpool_op(n):
    def forward(xp, input, indices, output_size):
        lead = tuple(input.shape[:-n])
        count = numel(input.shape[-n:])
        flat = xp.scatter(
            xp.zeros((*lead, numel(output_size))),
            len(lead),
            xp.reshape(indices, (*lead, count)),
            xp.reshape(input, (*lead, count)),
        )
        return xp.reshape(flat, (*lead, *output_size))

    def numpy(np, input, indices, output_size):
        if indices.size and (indices.min() < 0 or indices.max() >= numel(output_size)):
            wrong = indices[(indices < 0) | (indices >= numel(output_size))][0]
            raise RuntimeError(
                f"Found an invalid max index: {wrong} (output volumes are of size {'x'.join(map(str, output_size))})"
            )
        return in_format(np, forward(np, input, indices, output_size), input)

    def grad_input(xp, g, indices):
        return pick(xp, g, indices, n)

    return type(
        f"max_unpool{n}d_op",
        (Layer,),
        {
            "namespace": None,
            "linear": True,
            "index_inputs": ("indices",),
            "node_name": f"MaxUnpool{n}DBackward0",
            "forward": func_op(2)(forward),
            "numpy": numpy,
            "grad_input": grad_input,
            "__module__": __name__,
            "__doc__": f"max_unpool{n}d_op(input, indices, output_size) -> Tensor: zeros with input at the flat indices.",
        },
    )


_UNPOOLS = {n: _unpool_op(n) for n in (2, 3)}


def _unpool_size(input, kernel, stride, padding, output_size):
    n = len(kernel)
    natural = [(m - 1) * s + k - 2 * p for m, k, s, p in zip(input.shape[-n:], kernel, stride, padding)]
    if output_size is None:
        size = natural
    else:
        size = list(output_size)[2:] if len(output_size) == n + 2 else list(output_size)
        if len(size) != n:
            raise ValueError(
                f"output_size should be a sequence containing {n} or {n + 2} elements, but it has a "
                f"length of '{len(size)}'"
            )
        for d, (wanted, m, s) in enumerate(zip(size, natural, stride)):
            if not m - s < wanted < m + s:
                raise ValueError(f'invalid output_size "{output_size}" (dim {d} must be between {m - s} and {m + s})')
    for d, m in enumerate(size):
        if m < 0:
            raise ValueError(
                f"max_unpooling: output_size must contain non-negative spatial dimensions, but got output_size[{d}]={m}"
            )
    return tuple(size)


def _unpool(n, input, indices, kernel_size, stride, padding, output_size, dims):
    name = f"max_unpool{dims}d"
    kernel = window(name, "kernel_size", kernel_size, n)
    stride = kernel if stride is None else window(name, "stride", stride, n)
    size = _unpool_size(input, kernel, stride, window(name, "padding", padding, n), output_size)
    if indices.dtype is not int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {SCALAR_NAMES[indices._table.dtype]}")
    if input.dim() not in (n + 1, n + 2):
        raise RuntimeError(
            f"Input to max_unpooling{n}d should be a {n + 1}d or {n + 2}d Tensor, but got a tensor with "
            f"{input.dim()} dimensions."
        )
    if indices.shape != input.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) "
            f"but got indices tensor with shape: {list(indices.shape)}"
        )
    return _UNPOOLS[n].fn(input, indices, size)


@public(namespace="nn.functional")
def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor.

    Zeros with the pooled maxima back where `indices` (of max_pool2d with return_indices) say.
    """
    return _unpool(2, input, indices, kernel_size, stride, padding, output_size, 2)


@public(namespace="nn.functional")
def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None): see max_unpool2d."""
    return _unpool(3, input, indices, kernel_size, stride, padding, output_size, 3)


@public(namespace="nn.functional")
def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None): see max_unpool2d."""

    def one(v):
        return int(v) if hasattr(v, "__index__") else int(v[0])

    kernel, padding = one(kernel_size), one(padding)
    stride = kernel if stride is None else one(stride)
    size = _unpool_size(input, (kernel,), (stride,), (padding,), output_size)
    out = _unpool(2, input.unsqueeze(-1), indices.unsqueeze(-1), (kernel, 1), (stride, 1), (padding, 0), (*size, 1), 1)
    return out.squeeze(-1)
