"""Adaptive pooling, windows that share the input out evenly: adaptive_avg_pool1d to 3d, adaptive_max_pool1d to 3d."""

from ..._array import resampling as sampling
from ..._backend.core import func_op, unary_func_op
from ..._backend.families import Layer, not_implemented_error
from ..._backend.registry import public
from ..._backend.rules import in_one_step
from ..._base.dtype import FLOATING
from ..._base.shape import has_channels_last
from .channels_last import formatted, in_format
from .pool import pick, place, two_or_three
from .resampling import _resampled, _resampled_backward


def _adaptive_op(n):
    def forward(xp, input, output_size):
        if n == 3 and xp.is_half:
            return xp.area_mean(input, _areas(input.shape, output_size))
        return in_one_step(xp, _resampled, input, _areas(input.shape, output_size))

    def grad_input(xp, g, output_size, shape):
        if 0 in output_size:
            raise RuntimeError(
                f"adaptive_avg_pool{n}d_backward(): Expected grad_output to have non-zero size for non-batch "
                f"dimensions, but grad_output has sizes {list(g.shape)} with dimension "
                f"{len(g.shape) - n + output_size.index(0)} being empty"
            )
        if xp.is_half:
            return xp.area_spread(g, _areas(shape, output_size))
        return _resampled_backward(xp, g, _areas(shape, output_size))

    return type(
        f"_adaptive_avg_pool{n}d",
        (Layer,),
        {
            "namespace": None,
            "linear": True,
            "stepwise": True,
            "gradient_kernel": False,
            "node_name": f"AdaptiveAvgPool{n}DBackward0",
            "forward": unary_func_op()(forward),
            "numpy": formatted(forward) if n == 2 else None,
            "grad_input": grad_input,
            "__module__": __name__,
            "__doc__": f"_adaptive_avg_pool{n}d(input, output_size) -> Tensor: adaptive average pooling.",
        },
    )


def _areas(shape, output_size):
    return [None if n == m else sampling.area(n, m) for n, m in zip(shape[-len(output_size) :], output_size)]


_MEANS = {n: _adaptive_op(n) for n in (2, 3)}


def adaptive_size(input, size, n):
    """The wanted size, None standing for the input's own."""
    if hasattr(size, "__index__") or size is None:
        size = (size,) * n
    elif len(input.shape) <= len(size):
        raise ValueError(f"Input dimension should be at least {len(size) + 1}")
    return tuple([m if s is None else int(s) for s, m in zip(size, input.shape[-len(size) :])])


def check_adaptive(name, input, size, n, colon=""):
    shape = list(input.shape)
    if len(shape) not in (n + 1, n + 2):
        raise RuntimeError(f"{name}(): Expected {n + 1}D or {n + 2}D tensor, but got{colon} {shape}")
    for d in range(len(shape) - n, len(shape)):
        if shape[d] == 0:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input "
                f"has sizes {shape} with dimension {d} being empty"
            )


def _adaptive_mean(n, input, output_size):
    name = f"adaptive_avg_pool{n}d"
    size = adaptive_size(input, output_size, n)
    if input.dim() not in (n + 1, n + 2):
        check_adaptive(name, input, size, n)
    if len(size) != n:
        raise RuntimeError(f"{name}: output_size must be {n}")
    if min(size) < 0:
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received "
            f"{{{', '.join(map(str, size))}}}"
        )
    if set(size) == {1} and input.dim() in (n + 1, n + 2):
        mean = input.mean(tuple(range(-1, -n - 1, -1)), True)
        if has_channels_last(input.shape, input.stride()) and not input.is_contiguous():
            return mean.as_strided(mean.shape, (mean.shape[1], 1, *[mean.shape[1]] * n))
        return mean
    check_adaptive(name, input, size, n)
    if input._table.dtype.category != FLOATING:
        raise not_implemented_error(name, input._table.dtype)
    return _MEANS[n].fn(input, size)


@public(namespace="nn.functional")
def adaptive_avg_pool2d(input, output_size):
    """adaptive_avg_pool2d(input, output_size) -> Tensor: (N, C, H, W) or (C, H, W) averaged down to output_size.

    output_size is an int or two, None for the input's own size.
    """
    return _adaptive_mean(2, input, output_size)


@public(namespace="nn.functional")
def adaptive_avg_pool3d(input, output_size):
    """adaptive_avg_pool3d(input, output_size) -> Tensor: (N, C, D, H, W) or (C, D, H, W) averaged to output_size."""
    return _adaptive_mean(3, input, output_size)


@public(namespace=("torch", "nn.functional"))
def adaptive_avg_pool1d(input, output_size):
    """adaptive_avg_pool1d(input, output_size) -> Tensor: (N, C, L) or (C, L) averaged down to output_size."""
    size = one_size("adaptive_avg_pool1d", input, output_size)
    return _adaptive_mean(2, input.unsqueeze(-2), (1, size)).squeeze(-2)


def one_size(name, input, output_size):
    two_or_three(name, input)
    if hasattr(output_size, "__index__"):
        return int(output_size)
    if len(output_size) != 1:
        raise RuntimeError(f"{name}() argument 'output_size' should contain one int (got {len(output_size)})")
    return int(output_size[0])


def _adaptive_max_op(n):
    def forward(xp, input, output_size):
        index = xp.adaptive_max_indices(input, output_size)
        return pick(xp, input, index, n), index

    def numpy(xp, input, output_size):
        return tuple([in_format(xp, out, input) for out in forward(xp, input, output_size)])

    def grad_input(xp, g, out1, output_size, shape):
        if 0 in output_size:
            raise RuntimeError(
                f"adaptive_max_pool{n}d_backward(): Expected grad_output to have non-zero size for non-batch "
                f"dimensions, but grad_output has sizes {list(g.shape)} with dimension "
                f"{len(g.shape) - n + output_size.index(0)} being empty"
            )
        return place(xp, g, out1, shape, n)

    return type(
        f"adaptive_max_pool{n}d_op",
        (Layer,),
        {
            "namespace": None,
            "node_name": f"AdaptiveMaxPool{n}DBackward0",
            "differentiable": (0,),
            "forward": func_op(1, 2)(forward),
            "numpy": numpy if n == 2 else None,
            "grad_input": grad_input,
            "__module__": __name__,
            "__doc__": f"adaptive_max_pool{n}d_op(input, output_size) -> (maxima, where they lie)",
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
        raise not_implemented_error(name, input._table.dtype)
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


@public(namespace="nn.functional", word=False)  # torch.adaptive_max_pool1d always gives the indices
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
    public(_g.__name__, namespace="nn.functional", word=False)(_g)
