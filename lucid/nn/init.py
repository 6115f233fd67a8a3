"""torch.nn.init: fill a tensor in place, outside the graph, with values suited to begin training from."""

import math
import warnings

from .._backend.overrides import PLAIN, ask_overrides
from .._base.state import UNUSUAL
from ._ops import no_recording, ops

__all__ = [
    "calculate_gain",
    "uniform_",
    "normal_",
    "trunc_normal_",
    "constant_",
    "ones_",
    "zeros_",
    "eye_",
    "dirac_",
    "xavier_uniform_",
    "xavier_normal_",
    "kaiming_uniform_",
    "kaiming_normal_",
    "orthogonal_",
    "sparse_",
    "uniform",
    "normal",
    "constant",
    "eye",
    "dirac",
    "xavier_uniform",
    "xavier_normal",
    "kaiming_uniform",
    "kaiming_normal",
    "orthogonal",
    "sparse",
]

_LINEAR = (
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "sigmoid",
)


def calculate_gain(nonlinearity, param=None):
    """calculate_gain("relu") -> float: the gain recommended before this function (param: leaky_relu's negative
    slope)."""
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "selu":
        return 3.0 / 4
    if nonlinearity != "leaky_relu":
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    slope = 0.01 if param is None else param
    if isinstance(slope, bool) or not isinstance(slope, (int, float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    return math.sqrt(2.0 / (1 + slope**2))


def _taken_over(f, tensor, **arguments):
    """(True, result) when a mode or the tensor's own type answers the call."""
    if UNUSUAL or type(tensor) not in PLAIN:
        return ask_overrides(f, (tensor,), (), {"tensor": tensor, **arguments})
    return False, None


def _fill(tensor, low, high, generator=None):
    with no_recording():
        return tensor.uniform_(low, high, generator=generator)


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Values spread evenly over [a, b)."""
    taken, result = _taken_over(uniform_, tensor, a=a, b=b, generator=generator)
    return result if taken else _fill(tensor, a, b, generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Normal values of that mean and standard deviation."""
    taken, result = _taken_over(normal_, tensor, mean=mean, std=std, generator=generator)
    if taken:
        return result
    with no_recording():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor, val):
    """Everywhere val."""
    taken, result = _taken_over(constant_, tensor, val=val)
    if taken:
        return result
    with no_recording():
        return tensor.fill_(val)


def ones_(tensor):
    """Everywhere 1."""
    with no_recording():
        return tensor.fill_(1.0)


def zeros_(tensor):
    """Everywhere 0."""
    with no_recording():
        return tensor.zero_()


def _phi(x):
    """The normal distribution function."""
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Normal values, those outside [a, b] drawn again.

    Where [a, b] holds more than 0.3 of the distribution, from the normal itself; else from the uniform distribution on
    [a, b], each kept with probability density(x) / max density.
    """
    if tensor.is_meta:
        return tensor
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
            stacklevel=2,
        )
    with no_recording():
        if _phi((b - mean) / std) - _phi((a - mean) / std) > 0.3:
            return _redraw_normal(tensor, mean, std, a, b, generator)
        return _reject_uniform(tensor, mean, std, a, b, generator)


def _redraw_normal(tensor, mean, std, a, b, generator):
    low, high = (tensor.new_tensor(x, device="cpu").item() for x in (a, b))  # as the tensor's type rounds them
    values = tensor.normal_(mean, std, generator=generator)
    while (outside := (values < low) | (values > high)).any():
        again = ops.empty_like(values).normal_(mean, std, generator=generator)
        values = ops.where(outside, again, values)
    if values is not tensor:
        tensor.copy_(values)
    return tensor


def _reject_uniform(tensor, mean, std, a, b, generator):
    log_peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    chance = ops.empty_like(tensor)

    def refused(x):
        log_density = x.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(log_peak)
        return chance.uniform_(generator=generator).log_().gt(log_density)

    values = tensor.uniform_(a, b, generator=generator)
    pending = refused(values)
    while pending.any():
        drawn = ops.empty_like(tensor).uniform_(a, b, generator=generator)
        values = ops.where(pending, drawn, values)
        pending = ops.where(pending, refused(drawn), pending)
    if values is not tensor:
        tensor.copy_(values)
    return tensor


def eye_(tensor):
    """The identity, for a 2-D tensor."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_recording():
        tensor.copy_(ops.eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))
    return tensor


def dirac_(tensor, groups=1):
    """The convolution weight (3, 4 or 5 dimensions) that leaves as many channels as possible, in each group, as they
    are."""
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    sizes = tensor.size()
    if sizes[0] % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    if tensor.is_meta:
        return tensor
    per_group = sizes[0] // groups
    centre = tuple([n // 2 for n in sizes[2:]])
    with no_recording():
        tensor.zero_()
        for first in range(0, sizes[0], per_group):
            for d in range(min(per_group, sizes[1])):
                tensor[(first + d, d, *centre)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor):
    """(inputs, outputs) of one unit: channels times the size of the kernel."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    shape = tensor.shape
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


def _calculate_correct_fan(tensor, mode):
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def _xavier_std(tensor, gain):
    return gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Uniform on +-gain * sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010)."""
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return _fill(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Normal with standard deviation gain * sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio 2010)."""
    std = _xavier_std(tensor, gain)
    with no_recording():
        return tensor.normal_(0.0, std, generator=generator)


def _kaiming_std(tensor, a, mode, nonlinearity):
    """gain / sqrt(fan); None (and a warning) for a tensor without elements."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Uniform on +-gain * sqrt(3 / fan) (He et al. 2015); a: the negative slope of leaky_relu."""
    taken, result = _taken_over(
        kaiming_uniform_, tensor, a=a, mode=mode, nonlinearity=nonlinearity, generator=generator
    )
    if taken:
        return result
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    if std is None:
        return tensor
    bound = math.sqrt(3.0) * std
    return _fill(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Normal with standard deviation gain / sqrt(fan) (He et al. 2015); a: the negative slope of leaky_relu."""
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    if std is None:
        return tensor
    with no_recording():
        return tensor.normal_(0, std, generator=generator)


def orthogonal_(tensor, gain=1, generator=None):
    """gain times a (semi-)orthogonal matrix: the first dimension by all others (Saxe et al. 2013)."""
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0 or tensor.is_meta:
        return tensor
    rows = tensor.size(0)
    with no_recording():
        drawn = tensor.new_empty((rows, tensor.numel() // rows)).normal_(0, 1, generator=generator)
        wide = rows < drawn.size(1)
        q, r = ops.linalg_qr(drawn.t() if wide else drawn)
        q = q * ops.diag(r, 0).sign()  # makes the result uniform over orthogonal matrices
        q = q.t() if wide else q
        tensor.view_as(q).copy_(q)
        tensor.mul_(gain)
    return tensor


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Normal values for a 2-D tensor, a share `sparsity` of each column set to 0 (Martens 2010)."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    if tensor.is_meta:
        return tensor
    rows, cols = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_recording():
        tensor.normal_(0, std, generator=generator)
        for col in range(cols):
            tensor[ops.randperm(rows)[:zeros], col] = 0
    return tensor


def _old_name(f):
    name = f.__name__[:-1]

    def deprecated_init(*args, **kwargs):
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{f.__name__}`.", FutureWarning, stacklevel=2
        )
        return f(*args, **kwargs)

    deprecated_init.__name__, deprecated_init.__doc__ = name, f"The old name of {f.__name__}."
    return deprecated_init


uniform, normal, constant, eye, dirac = map(_old_name, (uniform_, normal_, constant_, eye_, dirac_))
xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal, orthogonal, sparse = map(
    _old_name, (xavier_uniform_, xavier_normal_, kaiming_uniform_, kaiming_normal_, orthogonal_, sparse_)
)

# torch's inner functions, which some libraries call
_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_
