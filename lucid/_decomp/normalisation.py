"""Softmax, and normalisation over batches, layers and groups, with the formulas of their gradients."""

from .registry import decomposes
from .words import cast, count, dims_but, full, get_computation_dtype, ops, tt, wide, widened


@decomposes("_softmax", core=False)
@wide(of="self")
def _softmax(self, dim, half_to_float):
    self = self.contiguous()
    parts = tt.exp(self - tt.amax(self, dim, True) if self.numel() else self)
    return (parts / parts.sum(dim, True)).contiguous()


@decomposes("_log_softmax", core=False)
@wide(of="self")
def _log_softmax(self, dim, half_to_float):
    self = self.contiguous()
    below = self - tt.amax(self, dim, True) if self.numel() else self
    return (below - tt.log(tt.exp(below).sum(dim, True))).contiguous()


@decomposes("_safe_softmax")
def _safe_softmax(self, dim, dtype=None):
    out = tt.softmax(self, dim, dtype=dtype)
    hidden = tt.logical_not(tt.any(tt.logical_not(self == float("-inf")), dim, True))
    return tt.where(hidden, tt.zeros_like(out), out)


@decomposes("_softmax_backward_data", in_place=False)
@wide(of="grad_output output")
def _softmax_backward_data(grad_output, output, dim, input_dtype):
    both = grad_output * output
    return _typed(both - output * both.sum(dim, True), grad_output, input_dtype)


@decomposes("_log_softmax_backward_data")
@wide(of="grad_output output")
def _log_softmax_backward_data(grad_output, output, dim, input_dtype):
    return _typed(grad_output - tt.exp(output) * grad_output.sum(dim, True), grad_output, input_dtype)


def _typed(grad, computed, dtype):
    # Halves are rounded once, by the caller; only a gradient that was wider than its input is left to do here.
    return cast(grad, dtype).contiguous() if computed.dtype == grad.dtype and dtype.itemsize >= 4 else grad.contiguous()


def _moments(x, dims, eps):
    """(x normalised over dims, mean, reciprocal deviation)"""
    var, mean = tt.var_mean(x, dim=dims, correction=0, keepdim=True)
    rstd = tt.rsqrt(var + eps)
    return (x - mean) * rstd, mean, rstd, var


@decomposes("native_layer_norm", core=False)
def native_layer_norm(input, normalized_shape, weight, bias, eps):
    n = len(normalized_shape)
    (x,) = widened(input)
    if not n:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional")
    out, mean, rstd, _ = _moments(x, list(range(input.ndim - n, input.ndim)), eps)
    out = out if weight is None else out * weight
    out = out if bias is None else out + bias
    return tuple([cast(t, input.dtype) for t in (out, mean, rstd)])


def _wide_contiguous(*tensors):
    """The tensors (or Nones), halves as dense float32."""

    def one(x):
        wide = None if x is None else get_computation_dtype(x.dtype)
        if x is None or x.dtype == wide:
            return x
        return ops._to_copy.default(x, dtype=wide, memory_format=tt.contiguous_format)

    return [one(x) for x in tensors]


@decomposes("native_layer_norm_backward")
def native_layer_norm_backward(grad_out, input, normalized_shape, mean, rstd, weight, bias, output_mask):
    grad, x, w, _ = _wide_contiguous(grad_out, input, weight, bias)
    first = input.ndim - len(normalized_shape)
    inner, outer = list(range(first, input.ndim)), list(range(first))
    n, m = count(input.shape[first:]), count(input.shape[:first])
    if n == 0 or m == 0:
        shapes = input.shape, input.shape[first:], input.shape[first:]
        return tuple([full(s, 0, input) if wanted else None for s, wanted in zip(shapes, output_mask)])
    mean, rstd = (_with_dims(t, input.ndim) for t in (mean, rstd))
    hat = (x - mean) * rstd
    scaled = grad if w is None else grad * w
    to_input = to_weight = to_bias = None
    if output_mask[0]:
        a = scaled * n
        b = scaled.sum(inner, True)
        c = hat * (scaled * hat).sum(inner, True)
        inside = a - b - c
        to_input = (rstd / n) * inside
    if output_mask[1] and w is not None:
        to_weight = (grad * hat).sum(outer, False) if outer else grad * hat
    if output_mask[2] and bias is not None:
        to_bias = grad.sum(outer, False) if outer else grad.clone()
    types = input.dtype, *[input.dtype if p is None else p.dtype for p in (weight, bias)]
    return tuple([None if g is None else cast(g, t) for g, t in zip((to_input, to_weight, to_bias), types)])


def _with_dims(x, ndim):
    while x.ndim < ndim:
        x = x.unsqueeze(-1)
    return x


@decomposes("_fused_rms_norm", out=False)
def _fused_rms_norm(input, normalized_shape, weight, eps):
    dims = list(range(input.ndim - len(normalized_shape), input.ndim))
    (x,) = widened(input)
    if eps is None:
        eps = tt.finfo(x.dtype).eps
    rstd = tt.rsqrt(ops.add_.Scalar(tt.pow(x, 2).mean(dims, True), eps))
    out = x * rstd
    out = out if weight is None else out * weight
    return cast(out, input.dtype), rstd


@decomposes("_fused_rms_norm_backward", out=False)
def _fused_rms_norm_backward(grad_out, input, normalized_shape, rstd, weight, output_mask):
    grad, x, w = _wide_contiguous(grad_out, input, weight)
    first = input.ndim - len(normalized_shape)
    inner, outer = list(range(first, input.ndim)), list(range(first))
    n, m = count(input.shape[first:]), count(input.shape[:first])
    if n == 0 or m == 0:
        shapes = input.shape, input.shape[first:]
        return tuple([full(s, 0, input) if wanted else None for s, wanted in zip(shapes, output_mask)])
    rstd = _with_dims(rstd, input.ndim)
    to_input = to_weight = None
    scaled = grad if w is None else grad * w
    hat = x * rstd
    if output_mask[0]:
        total = (hat * scaled).sum(inner, True)
        to_input = (scaled - (hat / n) * total) * rstd
    if output_mask[1] and w is not None:
        to_weight = (grad * hat).sum(outer, False) if outer else grad * hat
    return (
        None if to_input is None else cast(to_input, input.dtype),
        None if to_weight is None else cast(to_weight, input.dtype),
    )


@decomposes("native_group_norm", core=False)
def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    (x,) = widened(input)
    apart = x.contiguous().reshape([N, group, C // group, HxW])
    var, mean = tt.var_mean(apart, dim=[2, 3], correction=0, keepdim=True)
    rstd = tt.rsqrt(var + eps)
    per_group = [1, group, C // group, 1]
    # One factor and one summand for each channel of each sample.
    factor = rstd.expand([N, *per_group[1:]]) if weight is None else rstd * weight.reshape(per_group)
    summand = -mean * factor
    summand = summand if bias is None else summand + bias.reshape(per_group)
    spread = [N, C, *[1] * (input.ndim - 2)]
    out = x * factor.reshape(spread) + summand.reshape(spread)
    return tuple([cast(t, input.dtype) for t in (out, mean.squeeze((2, 3)), rstd.squeeze((2, 3)))])


@decomposes("native_group_norm_backward")
@wide(of="grad_output input mean rstd gamma")
def native_group_norm_backward(grad_output, input, mean, rstd, gamma, N, C, HxW, group, output_mask):
    per = C // group
    both = (grad_output * input).view([N, C, HxW]).sum(2)
    total = grad_output.view([N, C, HxW]).sum(2)
    to_input = to_gamma = to_bias = None
    if output_mask[0]:
        s = 1.0 / (HxW * per)
        if gamma is None:
            both_g, total_g = (t.reshape([N, group, per]).sum(2) for t in (both, total))
            c1 = (rstd.unsqueeze(-1)).expand([N, group, per])
        else:
            both_g = tt.mul(both, gamma.unsqueeze(0)).reshape([N, group, per]).sum(2)
            total_g = tt.mul(total, gamma.unsqueeze(0)).reshape([N, group, per]).sum(2)
            c1 = rstd.unsqueeze(-1) * gamma.reshape([1, group, per])
        c2 = (total_g * mean - both_g) * rstd * rstd * rstd * s
        c3 = -c2 * mean - total_g * rstd * s
        c1, c2, c3 = c1.unsqueeze(-1), c2.unsqueeze(-1).unsqueeze(-1), c3.unsqueeze(-1).unsqueeze(-1)
        shape = [N, group, per, HxW]
        to_input = (grad_output.reshape(shape) * c1 + input.reshape(shape) * c2 + c3).reshape(input.shape)
    if output_mask[1]:
        shape = [N, group, per]
        apart = both.view(shape) - total.view(shape) * mean.unsqueeze(-1)
        to_gamma = (apart * rstd.unsqueeze(-1)).sum([0]).reshape([C])
    if output_mask[2]:
        to_bias = total.sum([0])
    return to_input, to_gamma, to_bias


def _channels(x, ndim):
    """x, one number for each channel, against a batch of ndim dimensions."""
    while x.ndim < ndim - 1:
        x = x.unsqueeze(-1)
    return x


def _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, write=False):
    """(output, saved mean, saved reciprocal deviation, new running mean, new running variance); write: the running
    tensors get the new numbers."""
    dims = dims_but(input.ndim, 1)
    new_mean, new_var = running_mean, running_var
    if training:
        (x,) = widened(input)
        out, mean, rstd, var = _moments(x, dims, eps)
        saved_mean, saved_rstd = mean.squeeze(dims), rstd.squeeze(dims)
        if running_mean is not None:
            new_mean = momentum * saved_mean + (1 - momentum) * running_mean
            if write:
                running_mean.copy_(new_mean)
        if running_var is not None:
            n = input.numel() / input.shape[1]
            # The variance that is kept is the unbiased one; a batch of one would divide by zero.
            unbiased = var.squeeze(dims) * (n / (n - 1) if n > 1 else float("inf"))
            new_var = momentum * unbiased + (1 - momentum) * running_var
            if write:
                running_var.copy_(new_var)
    else:
        x, wide = input, get_computation_dtype(input.dtype)
        mean = running_mean.to(wide, copy=True)
        rstd = 1 / tt.sqrt(running_var.to(wide, copy=True) + eps)
        saved_mean, saved_rstd = (full((0,), 0, input) for _ in range(2))
        mean, rstd = _channels(mean, x.ndim), _channels(rstd, x.ndim)
        out = (x - mean) * rstd
    out = out if weight is None else out * _channels(weight.flatten(), x.ndim)
    out = out if bias is None else out + _channels(bias.flatten(), x.ndim)
    # What is saved has the parameters' type, as the kernel's.
    kept = next((p.dtype for p in (weight, running_mean) if p is not None), input.dtype)
    new_mean = new_mean if running_mean is None else cast(new_mean, running_mean.dtype)
    new_var = new_var if running_var is None else cast(new_var, running_var.dtype)
    return cast(out, input.dtype), *[cast(s, kept) for s in (saved_mean, saved_rstd)], new_mean, new_var


@decomposes("native_batch_norm", core=False, out=False)
def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, write=True)[:3]


@decomposes("_native_batch_norm_legit", core=False, out=False)
def _native_batch_norm_legit(input, weight, bias, running_mean, running_var, training, momentum, eps):
    return native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


@decomposes("_native_batch_norm_legit.no_stats", core=False, out=False)
def _native_batch_norm_legit_no_stats(input, weight, bias, training, momentum, eps):
    return _batch_norm(input, weight, bias, None, None, training, momentum, eps)[:3]


@decomposes("_native_batch_norm_legit_no_training", core=False, out=False)
def _native_batch_norm_legit_no_training(input, weight, bias, running_mean, running_var, momentum, eps):
    call = ops._native_batch_norm_legit.default
    return call(input, weight, bias, running_mean, running_var, False, momentum, eps)


@decomposes("_native_batch_norm_legit_functional", core=False, out=False)
def _native_batch_norm_legit_functional(input, weight, bias, running_mean, running_var, training, momentum, eps):
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


def _reserve(input):
    """The bytes that cuDNN would keep: none."""
    return tt.empty((0,), dtype=tt.uint8, device=input.device)


@decomposes("_batch_norm_with_update", core=False, out=False)
def _batch_norm_with_update(input, weight, bias, running_mean, running_var, momentum, eps):
    found = _batch_norm(input, weight, bias, running_mean, running_var, True, momentum, eps, write=True)
    return *found[:3], _reserve(input)


@decomposes("_batch_norm_with_update_functional", core=False, out=False)
def _batch_norm_with_update_functional(input, weight, bias, running_mean, running_var, momentum, eps):
    found = _batch_norm(input, weight, bias, running_mean, running_var, True, momentum, eps)
    return *found[:3], _reserve(input), *found[3:]


@decomposes("_batch_norm_no_update", core=False, out=False)
def _batch_norm_no_update(input, weight, bias, running_mean, running_var, momentum, eps):
    return *_batch_norm(input, weight, bias, running_mean, running_var, False, momentum, eps)[:3], _reserve(input)


@decomposes("native_batch_norm_backward")
def native_batch_norm_backward(
    grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps, output_mask
):
    grad, x, w, mean, var, saved, rstd = widened(
        grad_out, input, weight, running_mean, running_var, save_mean, save_invstd
    )
    if train:
        mean = saved
    else:
        rstd = tt.rsqrt(var + eps)
    dims = dims_but(input.ndim, 1)
    share = 1.0 / (input.numel() / input.shape[1])

    def spread(t):
        for d in dims:
            t = t.unsqueeze(d)
        return t

    mean = spread(mean)
    total = grad.sum(dims)
    both = (grad * (x - mean)).sum(dims)
    grad_mean = spread(total * share)
    slope = spread(tt.mul(both * share, rstd * rstd))
    scale = spread(rstd) * 1.0 if w is None else spread(rstd * w)
    to_input = (grad - (x - mean) * slope - grad_mean) * scale if train else grad * scale
    to_weight = both * rstd if output_mask[1] else None
    to_bias = total if output_mask[2] else None
    like = input if weight is None else weight
    types = input.dtype, like.dtype, like.dtype
    return tuple([None if g is None else cast(g, t) for g, t in zip((to_input, to_weight, to_bias), types)])


@decomposes("batch_norm_backward", core=False)
def batch_norm_backward(
    grad_out, input, weight, running_mean, running_var, save_mean, save_var, update, eps, output_mask, reserve
):
    return native_batch_norm_backward(
        grad_out, input, weight, running_mean, running_var, save_mean, save_var, update, eps, output_mask
    )


@decomposes("cudnn_batch_norm_backward", out=True)
def cudnn_batch_norm_backward(
    input, grad_output, weight, running_mean, running_var, save_mean, save_var, epsilon, reserveSpace
):
    return ops.native_batch_norm_backward.default(
        grad_output, input, weight, running_mean, running_var, save_mean, save_var, True, epsilon, [True] * 3
    )


@decomposes("miopen_batch_norm_backward")
def miopen_batch_norm_backward(input, grad_output, weight, running_mean, running_var, save_mean, save_var, epsilon):
    return ops.native_batch_norm_backward.default(
        grad_output, input, weight, running_mean, running_var, save_mean, save_var, True, epsilon, [True] * 3
    )


@decomposes("cudnn_batch_norm")
def cudnn_batch_norm(input, weight, bias, running_mean, running_var, training, exponential_average_factor, epsilon):
    out, mean, rstd = ops.native_batch_norm.default(
        input, weight, bias, running_mean, running_var, training, exponential_average_factor, epsilon
    )
    reserve = full((0,), 0, input, tt.uint8)
    if training:
        return out, mean, rstd, reserve
    return out, full((0,), 0, weight), full((0,), 0, weight), reserve


@decomposes("_weight_norm_interface")
def _weight_norm_interface(v, g, dim=0):
    norm = ops.linalg_vector_norm.default(v, 2, dims_but(v.ndim, dim % max(v.ndim, 1)), True)
    return v * (g / cast(norm, g.dtype)), norm


@decomposes("renorm")
def renorm(self, p, dim, maxnorm):
    dim = dim + self.ndim if dim < 0 else dim
    norm = ops.linalg_vector_norm.default(widened(self)[0], p, dims_but(self.ndim, dim), True)
    factor = tt.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1.0)
    return (self * cast(factor, self.dtype)).contiguous()
