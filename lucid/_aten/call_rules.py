"""Calls of ops whose ATen arguments have to be worked out."""

import math

from .._backend.promotion import common_type
from .._backend.registry import FUNCTIONS, OPS
from .._base.dtype import int32
from .._base.state import local
from .._tensor.tensor import Tensor, strided
from .backward_calls import at
from .calls import CALLS, REDUCTIONS, Call, call_of
from .overloads import aten


def _list(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


@call_of("convolution")
def _convolution(v, form):
    n = v["weight"].dim() - 2
    each = [_list(v[k]) * (n if len(_list(v[k])) == 1 else 1) for k in ("stride", "padding", "dilation")]
    extra = _list(v["output_padding"])
    extra = extra * (n if len(extra) == 1 else 1)
    args = (v["input"], v["weight"], v["bias"], *each, v["transposed"], extra, v["groups"])
    return Call(aten("convolution"), args)


@call_of("window")
def _window(v, form):
    return Call(aten("as_strided"), (v["input"], list(v["size"]), list(v["stride"]), _offset(v)))


@call_of("window_copy")
def _window_copy(v, form):
    return Call(aten("as_strided_copy"), (v["input"], list(v["size"]), list(v["stride"]), _offset(v)))


@call_of("window_scatter")
def _window_scatter(v, form):
    args = (v["input"], v["src"], list(v["size"]), list(v["stride"]), _offset(v))
    return Call(aten("as_strided_scatter"), args)


def _offset(v):
    return v["offset"] + v["input"].storage_offset()


def _indices(v):
    found = [v[f"i{n}"] for n in range(8)]
    while found and found[-1] is None:
        found.pop()
    return found


@call_of("index_of")
def _index(v, form):
    return Call(aten("index.Tensor"), (v["input"], _indices(v)))


@call_of("index_put_of")
def _index_put(v, form):
    more = (True,) if v["accumulate"] else ()
    return Call(aten(f"index_put{form}"), (v["input"], _indices(v), v["values"], *more))


@call_of("qr_factors")
def _qr(v, form):
    return Call(aten("linalg_qr"), (v["A"], "complete") if v["complete"] else (v["A"],))


@call_of("eigh_pairs")
def _eigh(v, form):
    return Call(aten("_linalg_eigh"), (v["A"],) if v["lower"] else (v["A"], "U"))


@call_of("cholesky_op")
def _cholesky(v, form):
    args = (v["A"], True) if v["upper"] else (v["A"],)
    return Call(aten("cholesky"), args, results=lambda got: (got, _no_info(got)))


def _no_info(got):
    return got.new_zeros(got.shape[:-2], dtype=int32)


@call_of("trilinear")
def _trilinear(v, form):
    return Call(aten("_trilinear"), (v["input1"], v["weight"], v["input2"], [1, 3], [0], [1, 2], [2, 3]))


@call_of("cdist_of")
def _cdist(v, form):
    return Call(aten("_cdist_forward"), (v["x1"], v["x2"], float(v["p"]), None))


@call_of("pdist_of")
def _pdist(v, form):
    return Call(aten("_pdist_forward"), (v["input"], float(v["p"])))


@call_of("group_norm_op")
def _group_norm(v, form):
    n, c, *rest = v["input"].shape
    args = (v["input"], v["weight"], v["bias"], n, c, math.prod(rest), v["num_groups"], v["eps"])
    return Call(aten("native_group_norm"), args)


def _max_pool(n):
    def call(v, form):
        lists = [_list([] if v[k] is None else v[k]) for k in ("kernel_size", "stride", "padding", "dilation")]
        how = [*[x * n if len(x) == 1 else x for x in lists], bool(v["ceil_mode"])]
        usual = [None, [], [0] * n, [1] * n, False]
        while how[-1] == usual[len(how) - 1]:
            how.pop()
        return Call(aten(f"max_pool{n}d_with_indices"), (v["input"], *how), quiet=True)

    def values(v, form):
        made = call(v, form)
        made.results = lambda got: got[0]
        return made

    CALLS[f"max_pool{n}d_with_indices"], CALLS[f"max_pool{n}d_values"] = call, values


_max_pool(2), _max_pool(3)


_POLYNOMIALS = {"hermite_h": "hermite_polynomial_h", "hermite_he": "hermite_polynomial_he"}
_POLYNOMIALS |= {"laguerre_l": "laguerre_polynomial_l", "legendre_p": "legendre_polynomial_p"}
_POLYNOMIALS |= {f"chebyshev_{c}": f"chebyshev_polynomial_{c}" for c in "tuvw"}
_POLYNOMIALS |= {f"shifted_chebyshev_{c}": f"shifted_chebyshev_polynomial_{c}" for c in "tuvw"}


@call_of("orthogonal_polynomial")
def _polynomial(v, form):
    base = f"special_{_POLYNOMIALS[v['kind']]}"
    return Call(aten(base), (v["input"], v["n"]))


@call_of("isfinite")
def _isfinite(v, form):
    def composed():
        x = v["input"]
        if not x._table.inexact:
            return FUNCTIONS["ones_like"](x, dtype=x.isnan().dtype)
        bounded = x.abs().ne(math.inf)
        return x.eq(x).mul(bounded)

    return Call(instead=composed)


@call_of("where_op")
def _where(v, form):
    """Numbers among the operands become tensors first."""
    a, b = v["input"], v["other"]
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return Call(aten("where.self"), (v["condition"], a, b))

    def composed():
        kind = common_type([a, b])
        x, y = (
            t
            if isinstance(t, Tensor)
            else at.scalar_tensor(t, dtype=kind, layout=strided, device=v["condition"].device)
            for t in (a, b)
        )
        return OPS["where_op"].fn(x, y, v["condition"])

    return Call(instead=composed)


def _bounded(name, bound):
    def call(v, form):
        a, b = v["input"], v["other"]
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            return Call(aten(name), (a, b))
        return Call(aten(bound), (a, b) if isinstance(a, Tensor) else (b, a))  # torch's functions take no number here

    CALLS[name] = call


_bounded("maximum", "clamp_min"), _bounded("minimum", "clamp_max")


@call_of("torchs_window_scatter")
def _torchs_window_scatter(v, form):
    return _window_scatter(v, form)


@call_of("rsub_scalar")
def _rsub(v, form):
    """number - x: in C++ a tensor filled with the number, less x; in Python rsub."""
    x, other, alpha = v["input"], v["other"], v.get("alpha", 1)
    if local.in_formula and not isinstance(other, Tensor) and alpha == 1:
        return Call(instead=lambda: at.sub_(at.fill_(at.empty_like(x), other), x))
    which = "Tensor" if isinstance(other, Tensor) else "Scalar"
    return Call(aten(f"rsub.{which}"), (x, other) if alpha == 1 else (x, other, alpha))


@call_of("flash_attention")
def _attention(v, form):
    kwargs = {k: v[k] for k in ("attn_mask", "scale") if v[k] is not None}
    args = (v["query"], v["key"], v["value"], 0.0, True) if v["is_causal"] else (v["query"], v["key"], v["value"])
    return Call(aten("_scaled_dot_product_flash_attention_for_cpu"), args, kwargs)


@call_of("pseudo_inverse")
def _pinv(v, form):
    kwargs = {k: v[k] for k in ("atol", "rtol") if v[k] is not None}
    args = (v["A"],)
    if v["hermitian"]:
        kwargs["hermitian"] = True
    return Call(aten("linalg_pinv.atol_rtol_float"), args, kwargs)


@call_of("pseudo_inverse_by")
def _pinv_by(v, form):
    kwargs = {k: v[k] for k in ("atol", "rtol") if v[k] is not None}
    if v["hermitian"]:
        kwargs["hermitian"] = True
    return Call(aten("linalg_pinv.atol_rtol_tensor"), (v["A"],), kwargs)


@call_of("embedding_bag_op")
def _embedding_bag(v, form):
    modes = {"sum": 0, "mean": 1, "max": 2}
    mode = modes.get(v["mode"], v["mode"])
    pad = -1 if v["padding_idx"] is None else v["padding_idx"]
    args = (
        v["weight"],
        v["indices"],
        v["offsets"],
        v["scale_grad_by_freq"],
        mode,
        v["sparse"],
        v["per_sample_weights"],
    )
    return Call(aten("_embedding_bag"), (*args, v["include_last_offset"], pad), results=lambda got: got[0::3][:2])


__all__ = ["OPS", "REDUCTIONS"]


@call_of("segment_reduction")
def _segment_reduce(v, form):
    kwargs = {"lengths" if v["by_lengths"] else "offsets": v["cuts"], "axis": v["axis"]}
    kwargs |= {"unsafe": True} if v["unsafe"] else {}
    kwargs |= {"initial": v["initial"]} if v["initial"] is not None else {}
    return Call(aten("segment_reduce"), (v["data"], v["reduce"]), kwargs)


@call_of("segment_gradient")
def _segment_gradient(v, form):
    kwargs = {"lengths" if v["by_lengths"] else "offsets": v["cuts"], "axis": v["axis"]}
    kwargs |= {"initial": v["initial"]} if v["initial"] is not None else {}
    return Call(aten("_segment_reduce_backward"), (v["g"], v["out"], v["data"], v["reduce"]), kwargs)
