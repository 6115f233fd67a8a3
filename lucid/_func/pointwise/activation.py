"""Activation functions: relu, gelu, silu, elu, selu, sigmoid, prelu and others; softmax is in reduction/."""

import math

from ..._backend.core import binary_func_op, unary_func_op
from ..._backend.families import Pointwise, not_implemented_error
from ..._backend.inplace import inplace as run_inplace
from ..._backend.registry import public
from ..._backend.rules import in_one_step
from ..._backend.written import run_text
from ..._base.dtype import FLOATING, INTEGRAL, SCALAR_NAMES, bool_, finfo, fitted, float16, int64, uint8
from .operands import need_tensors
from .ufunc import tanh


class Activation(Pointwise):
    """Of a floating point operand; published by hand below, as torch's two faces differ."""

    namespace, method, inplace, has_out = None, False, False, False
    gradient_kernel = True
    overwrite = None  # the op that runs in place, where that saves its result instead of its input


class Overwriting(Activation):
    """The in-place form of an activation whose slope its result tells, for slopes that leave signs as they are."""

    def check_slope(name, slope):
        """RuntimeError, in backward, as torch."""
        if slope < 0:
            raise RuntimeError(
                f"In-place {name} backward calculation is triggered with a negative slope which is not supported. This "
                "is caused by calling in-place forward function with a negative slope, please call out-of-place "
                "version instead."
            )


def floats_only(xp, name):
    if not xp.inexact:
        raise not_implemented_error(name, xp.dtype)


# ---- relu and its kin


class relu(Pointwise):
    """relu(input) -> Tensor: max(input, 0); NaN stays NaN. Its gradient at 0 is 0."""

    has_out, refuses_complex = False, True

    @unary_func_op()
    def forward(xp, input):
        return xp.relu(input)

    @classmethod
    def refusal(cls, k):
        if k.is_complex:
            return NotImplementedError("clamp is not supported for complex types")
        return RuntimeError("Boolean inputs not supported for relu")

    def grad_input(xp, g, out):
        return xp.where(xp.ne(out, 0), g, xp.scalar(0))  # out is 0, more, or NaN


class hardtanh(Activation):
    """hardtanh(input, min_val=-1.0, max_val=1.0) -> Tensor: limited to [min_val, max_val]; no gradient at bounds."""

    fits_type = ("min_val", "max_val")

    def check(tensors, options):
        hardtanh.check_limits(tensors[0].dtype, *options)

    @unary_func_op()
    def forward(xp, input, min_val=-1.0, max_val=1.0):
        if xp.dtype is bool_ or min_val > max_val or not xp.inexact and min_val < 0 and not xp.dtype.is_signed:
            hardtanh.check_limits(xp.dtype, min_val, max_val)
        return xp.minimum(xp.maximum(input, xp.scalar(min_val)), xp.scalar(max_val))

    def grad_input(xp, g, input, min_val, max_val):
        outside = xp.logical_or(xp.le(input, xp.scalar(min_val)), xp.ge(input, xp.scalar(max_val)))
        return xp.where(outside, xp.scalar(0), g)


def _limits_of_hardtanh(dtype, low, high):
    """Refuses limits that cross, and those that a type cannot have."""
    if low > high:
        raise ValueError("min_val cannot be greater than max_val")
    if dtype is bool_:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if dtype.category == INTEGRAL:
        low, high = fitted(low, int64), fitted(high, int64)
        if dtype is uint8 and min(low, high) < 0:
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")


hardtanh.check_limits = staticmethod(_limits_of_hardtanh)


class leaky_relu(Activation):
    """leaky_relu(input, negative_slope=0.01) -> Tensor: input above 0, negative_slope * input below."""

    inplace_node_name = "LeakyReluBackward1"
    fits_in = (FLOATING,)
    fits_float = ("negative_slope",)

    @unary_func_op()
    def forward(xp, input, negative_slope=0.01):
        floats_only(xp, "leaky_relu_cpu")
        return xp.where(xp.gt(input, 0), input, input * negative_slope)

    def grad_input(xp, g, input, negative_slope):
        return xp.where(xp.gt(input, 0), g, g * negative_slope)


class leaky_relu_overwrite(Overwriting):
    """leaky_relu in place."""

    name, inplace_node_name = "leaky_relu", "LeakyReluBackward1"
    fits_in = (FLOATING,)
    fits_float = ("negative_slope",)

    @unary_func_op()
    def forward(xp, input, negative_slope=0.01):
        return leaky_relu.forward(xp, input, negative_slope)

    def grad_input(xp, g, out, negative_slope):
        Overwriting.check_slope("leakyReLu", negative_slope)
        return xp.where(xp.gt(out, 0), g, g * negative_slope)


leaky_relu.overwrite = leaky_relu_overwrite


class prelu_kernel(Activation):
    """prelu with a weight that broadcasts with the input."""

    node_name = "PreluKernelBackward0"

    @binary_func_op()
    def forward(xp, input, weight):
        return xp.where(xp.gt(input, 0), input, weight * input)

    def grad_input(xp, g, input, weight):
        return xp.where(xp.gt(input, 0), g, weight * g)

    def grad_weight(xp, g, input, weight):  # which torch keeps for both gradients
        return xp.where(xp.gt(input, 0), xp.scalar(0), input * g)


class threshold(Activation):
    """threshold(input, threshold, value) -> Tensor: input where it is above threshold, else value."""

    name, inplace_node_name = "threshold", "ThresholdBackward1"
    writes_expanded = True
    fits_type = ("threshold", "value")

    @unary_func_op()
    def forward(xp, input, threshold, value):
        if xp.dtype is bool_:
            raise not_implemented_error("threshold_cpu", bool_)
        return xp.where(xp.le(input, xp.scalar(threshold)), xp.scalar(value), input)

    def grad_input(xp, g, input, threshold):
        return xp.where(xp.le(input, xp.scalar(threshold)), xp.scalar(0), g)


# ---- exponential


class elu(Activation):
    """elu(input, alpha=1.0, scale=1, input_scale=1) -> Tensor:
    scale * input above 0, else scale * alpha * (exp(input_scale * input) - 1).

    alpha and scale as in "Self-Normalizing Neural Networks" (2017) give selu.
    """

    inplace_node_name = "EluBackward1"
    fits_in = (FLOATING,)
    fits_float = ("alpha", "scale", "input_scale")

    @unary_func_op()
    def forward(xp, input, alpha=1.0, scale=1, input_scale=1):
        floats_only(xp, "elu_cpu")
        below = xp.expm1(xp.minimum(input, xp.scalar(0)) * input_scale) * (alpha * scale)
        return xp.where(xp.gt(input, 0), input if scale == 1 else input * scale, below)

    def grad_input(xp, g, input, alpha, scale, input_scale):
        slope = xp.exp(xp.minimum(input, xp.scalar(0)) * input_scale) * (alpha * scale * input_scale)
        return g * xp.where(xp.le(input, 0), slope, xp.scalar(scale))


class celu(Activation):
    """celu(input, alpha=1.0) -> Tensor: input above 0, else alpha * (exp(input / alpha) - 1)."""

    inplace_node_name = "CeluBackward1"
    fits_in = (FLOATING,)
    fits_float = ("alpha",)

    @unary_func_op()
    def forward(xp, input, alpha=1.0):
        if alpha == 0:
            raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
        floats_only(xp, "elu_cpu")
        return xp.where(xp.gt(input, 0), input, xp.expm1(xp.minimum(input, xp.scalar(0)) / alpha) * alpha)

    def grad_input(xp, g, input, alpha):
        return g * xp.where(xp.le(input, 0), xp.exp(xp.minimum(input, xp.scalar(0)) / alpha), xp.scalar(1))


class elu_overwrite(Overwriting):
    """elu in place."""

    name, inplace_node_name = "elu", "EluBackward1"
    fits_in = (FLOATING,)
    fits_float = ("alpha", "scale", "input_scale")

    @unary_func_op()
    def forward(xp, input, alpha=1.0, scale=1, input_scale=1):
        return elu.forward(xp, input, alpha, scale, input_scale)

    def grad_input(xp, g, out, alpha, scale, input_scale):
        Overwriting.check_slope("elu", alpha)
        return g * xp.where(xp.le(out, 0), (out + alpha * scale) * input_scale, xp.scalar(scale))


class celu_overwrite(Overwriting):
    """celu in place."""

    name, inplace_node_name = "celu", "CeluBackward1"
    fits_in = (FLOATING,)
    fits_float = ("alpha",)

    @unary_func_op()
    def forward(xp, input, alpha=1.0):
        return celu.forward(xp, input, alpha)

    def grad_input(xp, g, out, alpha):
        Overwriting.check_slope("elu", alpha)
        return g * xp.where(xp.le(out, 0), (out + alpha) / alpha, xp.scalar(1))


elu.overwrite, celu.overwrite = elu_overwrite, celu_overwrite

_SELU = (1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


class softplus(Activation):
    """softplus(input, beta=1, threshold=20) -> Tensor:
    log(1 + exp(beta * input)) / beta; input itself where beta * input is above threshold.
    """

    out_takes = "same"
    namespace = "nn.functional"
    has_out = True
    fits_in = (FLOATING,)
    fits_float = ("beta", "threshold")

    @unary_func_op()
    def forward(xp, input, beta=1, threshold=20):
        floats_only(xp, "softplus_cpu")
        scaled = input if beta == 1 else input * beta
        curve = xp.log1p(xp.exp(xp.minimum(scaled, xp.scalar(threshold))))
        return xp.where(xp.gt(scaled, xp.scalar(threshold)), input, curve if beta == 1 else curve / beta)

    def grad_input(xp, g, input, beta, threshold):
        scaled = input if beta == 1 else input * beta
        return g * xp.where(xp.gt(scaled, xp.scalar(threshold)), xp.scalar(1), xp.sigmoid(scaled))


# ---- sigmoid and its kin


class sigmoid(Pointwise):
    """sigmoid(input) -> Tensor: 1 / (1 + exp(-input))."""

    promote, namespace = "int_to_float", ("torch", "nn.functional")

    @unary_func_op()
    def forward(xp, input):
        return xp.sigmoid(input)

    def grad_input(xp, g, out):
        if xp.dtype is float16 and xp.is_half:  # whose kernel rounds each step
            return g * (1 - out) * out
        return in_one_step(xp, _through_sigmoid, g, out)


def _through_sigmoid(xp, g, out):
    return g * xp.conj((1 - out) * out)


class logsigmoid(Activation):
    """logsigmoid(input) -> Tensor: log(sigmoid(input)), exact for very negative input."""

    node_name, namespace, has_out, out_takes = "LogSigmoidBackward0", "nn.functional", True, "same"
    out_resized, gradient_kernel = True, False

    @unary_func_op()
    def forward(xp, input):
        floats_only(xp, "log_sigmoid_cpu")
        return xp.minimum(input, xp.scalar(0)) - xp.log1p(xp.exp(-xp.abs(input)))

    def numpy(k, input):
        return k.contiguous(logsigmoid.forward(k, input))  # row by row, as torch's

    def grad_input(xp, g, input):
        if xp.is_half:  # what torch keeps of the forward has been rounded
            return in_one_step(xp, _through_logsigmoid, g, input, xp.exp(-xp.abs(input)))
        return g * xp.sigmoid(-input)


def _through_logsigmoid(xp, g, x, kept):
    slope = kept / (1 + kept)
    return g * xp.where(xp.lt(x, 0), 1 - slope, slope)


class silu(Activation):
    """silu(input) -> Tensor: input * sigmoid(input) (also called swish)."""

    complex_gradient = False

    @unary_func_op()
    def forward(xp, input):
        floats_only(xp, "silu_cpu")
        return input * xp.sigmoid(input)

    def numpy(xp, input):
        floats_only(xp, "silu_cpu")
        y = xp.sigmoid(input)
        return xp.mul(y, input, y) if input.ndim else y * input

    def grad_input(xp, g, input):
        s = xp.sigmoid(input)
        return g * xp.conj(s * (input * (1 - s) + 1))


class mish(Activation):
    """mish(input) -> Tensor: input * tanh(log(1 + exp(input)))."""

    @unary_func_op()
    def forward(xp, input):
        floats_only(xp, "mish_cpu")
        if xp.is_complex:
            raise not_implemented_error("mish_cpu", xp.dtype)
        return input * xp.tanh(xp.log1p(xp.exp(input)))

    def grad_input(xp, g, input):
        s = xp.sigmoid(input)
        t = xp.tanh(_softplus(xp, input))
        return g * (t + input * s * (1 - t * t))


def _softplus(xp, x):
    """log(1 + exp(x)) that does not overflow, nor do its derivatives."""
    return xp.maximum(x, xp.scalar(0)) + xp.log1p(xp.exp(-xp.abs(x)))


class hardsigmoid(Activation):
    """hardsigmoid(input) -> Tensor: input / 6 + 1/2, limited to [0, 1]."""

    @unary_func_op()
    def forward(xp, input):
        floats_only(xp, "hardsigmoid_cpu")
        return xp.minimum(xp.maximum(input + 3, xp.scalar(0)), xp.scalar(6)) / 6

    def grad_input(xp, g, input):
        inside = xp.logical_and(xp.gt(input, -3), xp.lt(input, 3))
        return xp.where(inside, g / 6, xp.scalar(0))


class hardswish(Activation):
    """hardswish(input) -> Tensor: input * hardsigmoid(input)."""

    @unary_func_op()
    def forward(xp, input):
        floats_only(xp, "hardswish_cpu")
        return input * xp.minimum(xp.maximum(input + 3, xp.scalar(0)), xp.scalar(6)) / 6

    def grad_input(xp, g, input):
        above = xp.where(xp.lt(input, 3), g * (input / 3 + 0.5), g)
        return xp.where(xp.le(input, -3), xp.scalar(0), above)


class gelu(Activation):
    """gelu(input, *, approximate="none") -> Tensor: input times the normal distribution function of input.

    approximate="tanh" is the formula of "Gaussian Error Linear Units" (2016) with tanh. RuntimeError for another word.
    """

    out_takes = "same"
    namespace = "nn.functional"
    has_out = True

    @unary_func_op()
    def forward(xp, input, *, approximate="none"):
        floats_only(xp, "GeluKernelImpl")
        if approximate == "tanh":
            return input * 0.5 * (xp.tanh((input * input * input * 0.044715 + input) * _ROOT_2_OVER_PI) + 1)
        if approximate != "none":
            raise RuntimeError("approximate argument must be either none or tanh.")
        return input * 0.5 * (xp.erf(input * _ROOT_HALF) + 1)

    def numpy(xp, input, *, approximate="none"):
        if not input.ndim or not xp.inexact or approximate not in ("none", "tanh"):
            return gelu.forward(xp, input, approximate)
        if approximate == "tanh":
            y = xp.square(input)
            xp.mul(y, xp.scalar(0.044715 * _ROOT_2_OVER_PI), y)
            xp.add(y, xp.scalar(_ROOT_2_OVER_PI), y)
            xp.mul(y, input, y)
            y = xp.tanh(y)
        else:
            y = xp.erf(xp.mul(input, xp.scalar(_ROOT_HALF)))
        xp.add(y, xp.scalar(1), y)
        xp.mul(y, xp.scalar(0.5), y)
        return xp.mul(y, input, y)

    def grad_input(xp, g, input, approximate):
        square = input * input
        if approximate == "tanh":
            t = xp.tanh((input * square * 0.044715 + input) * _ROOT_2_OVER_PI)
            inner = (square * (3 * 0.044715) + 1) * _ROOT_2_OVER_PI
            return g * ((t + 1) * 0.5 + input * (1 - t * t) * inner * 0.5)
        area = (xp.erf(input * _ROOT_HALF) + 1) * 0.5
        return g * (area + input * xp.exp(square * -0.5) * _NORMAL_TOP)


_ROOT_HALF, _ROOT_2_OVER_PI, _NORMAL_TOP = math.sqrt(0.5), math.sqrt(2 / math.pi), 1 / math.sqrt(2 * math.pi)


# ---- shrinking


class hardshrink(Pointwise):
    """hardshrink(input, lambd=0.5) -> Tensor: 0 within [-lambd, lambd], input outside."""

    out_takes = "same"
    namespace, inplace = ("torch", "nn.functional"), False
    compute_in_float32 = False  # lambd is rounded to the type, so that input may be lambd
    fits_in = (FLOATING,)
    fits_type = ("lambd",)

    @unary_func_op()
    def forward(xp, input, lambd=0.5):
        floats_only(xp, "hardshrink_cpu")
        return xp.where(_within(xp, input, lambd), xp.scalar(0), input)

    def grad_input(xp, g, input, lambd):
        return xp.where(_within(xp, input, lambd), xp.scalar(0), g)


class softshrink(Activation):
    """softshrink(input, lambd=0.5) -> Tensor: input moved towards 0 by lambd. RuntimeError for negative lambd."""

    namespace, has_out, out_takes = "nn.functional", True, "same"
    fits_in = (FLOATING,)
    fits_type = ("lambd",)

    @unary_func_op()
    def forward(xp, input, lambd=0.5):
        floats_only(xp, "softshrink_check")
        if lambd < 0:
            raise RuntimeError(
                f"lambda must be in range [0, {finfo(xp.dtype).max:g}] for input dtype {SCALAR_NAMES[xp.dtype]}, but "
                f"found {lambd:g}"
            )
        zero, shift = xp.scalar(0), xp.scalar(lambd)
        return xp.where(
            xp.gt(input, shift), input - shift, xp.where(xp.lt(input, -shift), input + shift, xp.abs(input * zero))
        )

    def grad_input(xp, g, input, lambd):
        return xp.where(_within(xp, input, lambd), xp.scalar(0), g)


def _within(xp, x, lambd):
    return xp.logical_and(xp.ge(x, xp.scalar(-lambd)), xp.le(x, xp.scalar(lambd)))


# ---- torch.nn.functional's face


def _functional(op, *parameters):
    """Publish F.name(input, options..., inplace=False) and F.name_(input, options...) of an op."""
    spelled = "".join(f"{p}={op.defaults[p]!r}, " if p in op.defaults else f"{p}, " for p in parameters)
    passed = "".join(f"{p}, " for p in parameters)
    rest = "".join(f"{op.defaults[o]!r}, " for o in op.options if o not in parameters)
    source = (
        f"def {op.name}(input, {spelled}inplace=False):\n"
        f"    return run_inplace(OVER, input, (), ({passed}{rest})) if inplace else OP.fn(input, {passed})\n"
        f"def {op.name}_(input, {spelled}):\n    return run_inplace(OVER, input, (), ({passed}{rest}))\n"
    )
    scope = {"OP": op, "OVER": getattr(op, "overwrite", None) or op, "run_inplace": run_inplace}
    run_text(f"nn.functional.{op.name}.forms", source, scope)
    for name in (op.name, op.name + "_"):
        f = scope[name]
        f.__doc__ = op.__doc__ if name == op.name else f"In-place form of {op.name}."
        f.__module__ = "torch.nn.functional"
        public(name, namespace="nn.functional")(f)
    return scope[op.name], scope[op.name + "_"]


_functional(relu)
for _op in (silu, mish, hardsigmoid, hardswish):
    _functional(_op)
for _op in (elu, celu):
    _functional(_op, "alpha")
_functional(leaky_relu, "negative_slope")
_functional(hardtanh, "min_val", "max_val")
functional_threshold, functional_threshold_ = _functional(threshold, "threshold", "value")


@public(namespace="nn.functional")
def relu6(input, inplace=False):
    """relu6(input) -> Tensor: input limited to [0, 6]."""
    return run_inplace(hardtanh, input, (), (0.0, 6.0)) if inplace else hardtanh.fn(input, 0.0, 6.0)


@public("selu", namespace="nn.functional")
def functional_selu(input, inplace=False):
    """selu(input) -> Tensor: elu with the constants of self-normalizing networks."""
    return selu_(input) if inplace else selu(input)


functional_selu.__name__ = functional_selu.__qualname__ = "selu"


@public()
def selu(input):
    """selu(input) -> Tensor: elu with the constants of self-normalizing networks."""
    return elu.fn(input, *_SELU)


@public(namespace=("torch", "nn.functional"))
def selu_(input):
    """In-place form of selu."""
    return run_inplace(elu_overwrite, input, (), (*_SELU, 1))


@public("celu")
def torch_celu(input, alpha=1.0):
    """celu(input, alpha=1.0) -> Tensor: input above 0, else alpha * (exp(input / alpha) - 1)."""
    return celu.fn(input, alpha)


@public("celu_")
def torch_celu_(input, alpha=1.0):
    """In-place form of celu."""
    return run_inplace(celu_overwrite, input, (), (alpha,))


public("threshold")(functional_threshold)
public("threshold_")(functional_threshold_)
public("_threshold", namespace="nn.functional")(functional_threshold)  # its name inside torch


@public(namespace=("torch", "nn.functional"), method=True)
def prelu(input, weight):
    """prelu(input, weight) -> Tensor: input above 0, weight * input below; one weight or one a channel (dim 1)."""
    need_tensors("prelu", input=input, weight=weight)
    if input.dtype is not weight.dtype:
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {SCALAR_NAMES[input.dtype]} and {SCALAR_NAMES[weight.dtype]}"
        )
    if weight.numel() != 1:
        if not input.ndim:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.shape[1] if input.ndim > 1 else 1
        if channels != weight.numel():
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight.numel()} and channel size = {channels}."
            )
    if weight.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}")
    if weight.ndim != input.ndim:
        along = 1 if input.ndim > 1 else 0
        weight = weight.reshape([weight.numel() if i == along else 1 for i in range(input.ndim)])
    return prelu_kernel.fn(input, weight)


@public(namespace="nn.functional")
def tanhshrink(input):
    """tanhshrink(input) -> Tensor: input - tanh(input)."""
    return input - tanh.fn(input)


@public(namespace="nn.functional")
def softsign(input):
    """softsign(input) -> Tensor: input / (1 + |input|)."""
    return input / (input.abs() + 1)
