"""ATen's ops that programs reach as torch's private functions (`torch._int_mm`), spelled with lucid's public ones."""

from .._backend.registry import FUNCTIONS, NAMESPACES
from .._base import dtype as dtypes
from .._base.dtype import SCALAR_NAMES
from .._func.linalg.scaled import scaled_by_recipes, scaled_product
from .._func.nn.normalization import batch_norm_apart
from .kernel_table import kernel
from .tensor_kernels import index_put

F, LINALG = NAMESPACES["nn.functional"], NAMESPACES["linalg"]


# ---- pointwise


@kernel("_add_relu")
def add_relu(x, other, alpha):
    return F["relu"](FUNCTIONS["add"](x, other, alpha=alpha))


@kernel("_addmm_activation")
def addmm_activation(x, a, b, beta, alpha, use_gelu):
    found = FUNCTIONS["addmm"](x, a, b, beta=beta, alpha=alpha)
    return F["gelu"](found) if use_gelu else F["relu"](found)


def _cast(name, dtype):
    @kernel(f"_cast_{name}")
    def cast(x, non_blocking):
        return x.to(dtype)


for _name in "Byte Char Short Int Long Half Float Double".split():
    _cast(_name, next(d for d, name in SCALAR_NAMES.items() if name == _name))


@kernel("_conj_copy", "_conj_physical")
def conj_copy(x):
    return FUNCTIONS["conj_physical"](x)


@kernel("_neg_view_copy")
def neg_copy(x):
    return x.neg()


@kernel("detach_copy")
def detach_copy(x):
    return x.detach().clone()


@kernel("_lazy_clone")
def lazy_clone(x):
    return x.clone()


@kernel("_is_zerotensor")
def is_zerotensor(x):
    return False


@kernel("_reshape_alias_copy")
def reshape_alias_copy(x, size, stride):
    return x.as_strided(tuple(size), tuple(stride)).clone()


# ---- reductions and questions


@kernel("_aminmax")
def aminmax(x):
    return tuple(FUNCTIONS["aminmax"](x))


@kernel("_aminmax.dim")
def aminmax_along(x, dim, keepdim):
    return tuple(FUNCTIONS["aminmax"](x, dim=dim, keepdim=keepdim))


def _need_bool(x):
    if x.dtype is not dtypes.bool_:
        raise RuntimeError(f"expected a tensor of bools, got one of {SCALAR_NAMES[x.dtype]}")


@kernel("_is_all_true")
def is_all_true(x):
    _need_bool(x)
    return x.all()


@kernel("_is_any_true", "_test_check_tensor")
def is_any_true(x):
    _need_bool(x)
    return x.any()


@kernel("_assert_async")
def assert_async(x, message="Expected Tensor with single nonzero value, but got zero"):
    if x.numel() != 1:
        raise RuntimeError(
            f"Boolean value of Tensor with {'no values' if not x.numel() else 'more than one value'} is ambiguous"
        )
    if not x.item():
        raise RuntimeError(message)


@kernel("_assert_scalar")
def assert_scalar(x, message):
    if not x:
        raise RuntimeError(message)


@kernel("sym_constrain_range", "sym_constrain_range_for_size")
def constrain_range(size, least, most):
    low, high = 0 if least is None else least, (1 << 63) - 1 if most is None else most
    if not low <= size <= high:
        raise RuntimeError(f"Invalid value range for {size} between [{low}, {high}].")


@kernel("frobenius_norm.dim")
def frobenius_norm(x, dim, keepdim):
    return x.norm("fro", tuple(dim), keepdim)


@kernel("nuclear_norm")
def nuclear_norm(x, keepdim):
    return LINALG["linalg_matrix_norm"](x, "nuc", (-2, -1), keepdim)


@kernel("nuclear_norm.dim")
def nuclear_norm_along(x, dim, keepdim):
    return LINALG["linalg_matrix_norm"](x, "nuc", tuple(dim), keepdim)


@kernel("_euclidean_dist")
def euclidean_dist(a, b):
    return FUNCTIONS["cdist"](a, b)


@kernel("_masked_softmax")
def masked_softmax(x, mask, dim, mask_type):
    """mask is True where an element does not count; rows of nothing give 0."""
    if mask_type == 1:  # (N, S): keys to leave out, of (N, heads, L, S)
        mask = mask.view(mask.shape[0], 1, 1, mask.shape[-1])
    mask = mask.expand(x.shape)
    found = x.masked_fill(mask, float("-inf")).softmax(-1 if dim is None else dim)
    return found.masked_fill(mask, 0.0)


@kernel("_shape_as_tensor")
def shape_as_tensor(x):
    return NAMESPACES["torch"]["tensor"](list(x.shape), dtype=dtypes.int64)


@kernel("_dim_arange")
def dim_arange(like, dim):
    return FUNCTIONS["arange"](like.shape[dim], device=like.device)


@kernel("_unique")
def unique(x, sort, return_inverse):
    found = NAMESPACES["torch"]["unique"](x, sort, return_inverse)
    return found if return_inverse else (found, x.new_empty(0, dtype=dtypes.int64))


# ---- elements by index where a mask says so


def _inside(x, indices):
    """Indices brought into x: where they are out of it, the mask leaves them out."""
    return [None if i is None else i.clamp(-x.shape[d], x.shape[d] - 1) for d, i in enumerate(indices)]


def _at(indices):
    return tuple([slice(None) if i is None else i for i in indices])


@kernel("_unsafe_masked_index")
def masked_index(x, mask, indices, fill):
    if not x.numel():
        shape = x.to("meta")[_at([i if i is None else i.to("meta") for i in indices])].shape
        return FUNCTIONS["full"](shape, fill, dtype=x.dtype, device=x.device)
    return x[_at(_inside(x, indices))].masked_fill(mask.logical_not(), fill)


@kernel("_unsafe_masked_index_put_accumulate")
def masked_index_put_accumulate(x, mask, indices, values):
    if not x.numel():
        return x.clone()
    values = values.masked_fill(mask.logical_not(), 0)
    if all(i is not None for i in indices):
        return x.index_put(tuple(_inside(x, indices)), values, True)
    return index_put(x, _inside(x, indices), values, True)


# ---- products


@kernel("_int_mm")
def int_mm(a, b):
    for name, x in (("self", a), ("mat2", b)):
        if x.dim() != 2:
            raise RuntimeError(f"int_mm_out_cpu: Expected {name} to be of dimension 2 but got {x.dim()}")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"int_mm_out_cpu: self.size(1) needs to match mat2.size(0) but got {a.shape[1]} and {b.shape[0]}"
        )
    for name, x, taken in (("self", a, (dtypes.int8, dtypes.uint8)), ("mat2", b, (dtypes.int8,))):
        if x.dtype not in taken:
            kinds = " or ".join(d.name for d in taken)
            mine = dtypes.C_NAMES.get(x.dtype, x.dtype.name)
            raise RuntimeError(f"int_mm_out_cpu: Expected {name} dtype to be {kinds} but got {mine}")
    return a.to(dtypes.int32).mm(b.to(dtypes.int32))


@kernel("_scaled_mm")
def scaled_mm(a, b, scale_a, scale_b, bias, scale_result, out_dtype, use_fast_accum):
    return scaled_product(a, b, scale_a, scale_b, bias, scale_result, out_dtype)


@kernel("_scaled_mm_v2")
def scaled_mm_v2(a, b, scale_a, recipe_a, order_a, scale_b, recipe_b, order_b, bias, out_dtype, dims, fast):
    return scaled_by_recipes(a, b, scale_a, recipe_a, scale_b, recipe_b, bias, out_dtype)


@kernel("_weight_int8pack_mm")
def weight_int8pack_mm(x, weight, scales):
    return (x.to(dtypes.float32).mm(weight.to(dtypes.float32).t()) * scales.to(dtypes.float32)).to(x.dtype)


@kernel("_grouped_mm")
def grouped_mm(a, b, offs, bias, out_dtype):
    return F["grouped_mm"](a, b, offs=offs, bias=bias, out_dtype=out_dtype)


@kernel("ormqr")
def ormqr(A, tau, other, left, transpose):
    return FUNCTIONS["ormqr"](A, tau, other, left, transpose)


@kernel("_lu_with_info")
def lu_with_info(A, pivot, check_errors):
    return FUNCTIONS["lu"](A, pivot, True)


# ---- layers


@kernel("_convolution_mode")
def convolution_mode(x, weight, bias, stride, padding, dilation, groups):
    f = F[f"conv{weight.dim() - 2}d"]
    return f(x, weight, bias, tuple(stride), padding, tuple(dilation), groups)


@kernel("_fused_rms_norm")
def fused_rms_norm(x, shape, weight, eps):
    dims = tuple(range(-len(shape), 0))
    eps = dtypes.finfo(x.dtype).eps if eps is None else eps
    scale = (x.pow(2).mean(dims, keepdim=True) + eps).rsqrt()
    return F["rms_norm"](x, tuple(shape), weight, eps), scale.detach()


def _batch_norm(x, weight, bias, mean, var, training, momentum, eps):
    return FUNCTIONS["native_batch_norm"](x, weight, bias, mean, var, training, momentum, eps)


kernel("_native_batch_norm_legit")(_batch_norm)


@kernel("_native_batch_norm_legit_functional")
def batch_norm_functional(x, weight, bias, mean, var, training, momentum, eps):
    """The new statistics are results, and nothing is written."""
    if training:
        return batch_norm_apart(x, weight, bias, mean, var, momentum, eps)
    return (*_batch_norm(x, weight, bias, mean, var, False, momentum, eps), mean.clone(), var.clone())


@kernel("_native_batch_norm_legit.no_stats")
def batch_norm_without(x, weight, bias, training, momentum, eps):
    return _batch_norm(x, weight, bias, None, None, training, momentum, eps)


@kernel("_native_batch_norm_legit_no_training")
def batch_norm_no_training(x, weight, bias, mean, var, momentum, eps):
    return _batch_norm(x, weight, bias, mean, var, False, momentum, eps)


@kernel("_batch_norm_with_update_functional")
def batch_norm_with_update_functional(x, weight, bias, mean, var, momentum, eps):
    out, mu, rstd, *new = batch_norm_apart(x, weight, bias, mean, var, momentum, eps)
    return out, mu, rstd, _nothing(x), *new


@kernel("_batch_norm_with_update")
def batch_norm_with_update(x, weight, bias, mean, var, momentum, eps):
    return (*_batch_norm(x, weight, bias, mean, var, True, momentum, eps), _nothing(x))


@kernel("_batch_norm_impl_index")
def batch_norm_impl_index(x, weight, bias, mean, var, training, momentum, eps, cudnn_enabled):
    return (*_batch_norm(x, weight, bias, mean, var, training, momentum, eps), _nothing(x), 0)


def _nothing(x):
    """What torch keeps for other devices' kernels."""
    return x.new_empty(0, dtype=dtypes.uint8)


@kernel("native_dropout_backward")
def native_dropout_backward(g, mask, scale):
    return g * (mask.to(g.dtype) * scale)


@kernel("embedding_renorm_")
def embedding_renorm(weight, indices, max_norm, norm_type):
    return FUNCTIONS["embedding_renorm_"](weight, indices, max_norm, norm_type)


@kernel("_scaled_dot_product_attention_math")
def attention_math(q, k, v, mask, dropout_p, is_causal, dropout_mask, scale, enable_gqa):
    if enable_gqa:
        k, v = (x.repeat_interleave(q.shape[-3] // x.shape[-3], -3) for x in (k, v))
    scores = q.matmul(k.transpose(-2, -1)) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        future = scores.new_ones(scores.shape[-2:], dtype=dtypes.bool_).tril().logical_not()
        scores = scores.masked_fill(future, float("-inf"))
    if mask is not None:
        scores = scores + mask  # of bools, too: what calls this op has made numbers of them
    weights = scores.softmax(-1)
    if dropout_p and dropout_mask is not None:
        weights = weights.masked_fill(dropout_mask.logical_not(), 0.0)
        return weights.matmul(v / (1 - dropout_p)), weights
    kept = F["dropout"](weights, dropout_p) if dropout_p else weights
    return kept.matmul(v), kept


@kernel("_fused_sdp_choice")
def fused_sdp_choice(*args):
    return 0


# ---- gradients scaled for halves


@kernel("_amp_foreach_non_finite_check_and_unscale_")
def unscale(tensors, found_inf, inverse):
    for x in tensors:
        if not x.isfinite().all():
            found_inf.fill_(1.0)
        x.mul_(inverse.to(x.dtype))


@kernel("_amp_update_scale_")
def update_scale(scale, tracker, found_inf, growth, backoff, interval):
    if found_inf.item():
        scale.mul_(backoff)
        tracker.zero_()
        return scale
    grown = tracker.item() + 1
    if grown == interval:
        wider = scale * growth
        if wider.isfinite().all():
            scale.copy_(wider)
        grown = 0
    tracker.fill_(grown)
    return scale
