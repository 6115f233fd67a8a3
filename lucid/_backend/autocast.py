"""What autocast does to a call on the CPU: its operands in a half, in float32, or in the widest type among them.

torch wraps some of its functions so, by name; a function that is made of others is wrapped once, where it is called,
and nothing inside of it. The long way asks here: of ops slow_path.py, of what is made of ops entries.py and the few
bodies that others call. What is switched on is `local.autocast`; what the calls of this thread are cast to,
`local.cast_to`.
"""

from typing import NamedTuple

from .._base.dtype import FLOATING, bfloat16, float16, float32, float64
from .._base.state import UNUSUAL, enter_unusual, grad_enabled, leave_unusual, local, set_grad_enabled
from .._tensor.tensor import Tensor, wrap
from .dispatch import Speller

_HALF, _FLOAT, _WIDEST = "half", "float32", "widest"

POLICIES = dict.fromkeys(
    """addbmm addmm baddbmm bmm mm matmul linear linalg_vecdot linalg_matmul
    conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d _convolution _addmm_activation
    prelu scaled_dot_product_attention mkldnn_rnn_layer""".split(),
    _HALF,
)
POLICIES |= dict.fromkeys(
    """_lu_with_info adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d binary_cross_entropy
    binary_cross_entropy_with_logits cdist cholesky cholesky_inverse cholesky_solve cosine_embedding_loss
    cross_entropy ctc_loss fake_quantize_per_tensor_affine fft_fft fft_fft2 fft_fftn fft_hfft fft_ifft fft_ifft2
    fft_ifftn fft_ihfft fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn fractional_max_pool2d
    fractional_max_pool3d geqrf grid_sample grid_sampler grid_sampler_2d grid_sampler_3d hinge_embedding_loss
    huber_loss inverse kl_div l1_loss linalg_cholesky linalg_cholesky_ex linalg_cond linalg_eig linalg_eigh
    linalg_eigvals linalg_eigvalsh linalg_householder_product linalg_inv linalg_inv_ex linalg_lstsq
    linalg_matrix_rank linalg_qr linalg_solve linalg_svd linalg_svdvals linalg_tensorinv linalg_tensorsolve
    lu_solve margin_ranking_loss max_pool3d max_unpool2d max_unpool2d_op max_unpool3d mse_loss multi_margin_loss
    multilabel_margin_loss nanquantile nll_loss orgqr ormqr pinverse poisson_nll_loss polar prod qr quantile
    reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d replication_pad3d smooth_l1_loss
    soft_margin_loss stft svd trace triangular_solve triplet_margin_loss view_as_complex""".split(),
    _FLOAT,
)
POLICIES |= dict.fromkeys(("cat", "concat", "concatenate", "index_copy", "stack"), _WIDEST)

_PREFIXED = ("linalg", "fft")  # places whose names torch's own names begin with


class State(NamedTuple):
    """What a thread's autocast is set to."""

    enabled: frozenset = frozenset()  # device types
    dtypes: tuple = ()  # pairs (device type, dtype) that were set
    cache: bool = True
    nesting: int = 0


DEFAULTS = {"cpu": bfloat16, "xla": bfloat16, "hpu": bfloat16}

UNSET = type(local).autocast = State()  # every thread begins with it


def dtype_of(device_type):
    """What autocast casts to on a type of devices."""
    return dict(local.autocast.dtypes).get(device_type, DEFAULTS.get(device_type, float16))


def set_state(state):
    """Make state this thread's."""
    was, local.autocast = local.autocast.enabled, UNSET if state == UNSET else state
    if was and not state.enabled:
        leave_unusual()
    elif state.enabled and not was:
        enter_unusual()
    local.cast_to = dtype_of("cpu") if "cpu" in state.enabled else None


def otherwise_unusual():
    """Is anything unusual besides autocast?"""
    return len(UNUSUAL) > (1 if local.autocast.enabled else 0)


class Hooks:
    """`to`: to(tensor, dtype), a conversion that is part of the graph and no mode of functions is told of."""

    to = None


_casts: dict = {}  # id of a leaf -> (the leaf, which so stays what it is; itself in the half)


def clear_cache():
    """Forget the leaves that were cast, in all threads, as torch does."""
    _casts.clear()


# ---- a call


def policy_of(place, name, args=(), kwargs=None):
    """How a call of a function that users know under a name is wrapped; None: it is not."""
    if name == "max_pool3d" and (kwargs and kwargs.get("return_indices") or len(args) > 6 and args[6]):
        return None  # another function of torch's
    if place in _PREFIXED and not name.startswith(place + "_"):
        name = f"{place}_{name}"
    return POLICIES.get(name)


def wrapped(policy, body, args, kwargs, name, is_op=False):
    """The call body(*args, **kwargs) with tensors cast as the policy says, and nothing inside of it."""
    if local.frames and _is_taken_apart(name, args):
        whole = is_op or name == "scaled_dot_product_attention"
        return uncast(body, *args, **kwargs) if whole else body(*args, **kwargs)
    args, kwargs = cast_all(policy, args, kwargs)
    return uncast(body, *args, **kwargs)


def _is_taken_apart(name, args):
    """Does torch's vmap take a function apart before autocast sees it? Then what is inside of it may be cast."""
    if name in ("matmul", "linear") or not any([t._table.is_batched for t in _tensors(args)]):
        return False
    return name in ("trace", "cross_entropy", "nll_loss") or Speller.current.is_composite(name)


def uncast(body, *args, **kwargs):
    """body(...), inside of which nothing is cast: what in torch is one kernel, and here functions."""
    before, local.cast_to = local.cast_to, None
    try:
        return body(*args, **kwargs)
    finally:
        local.cast_to = before


def as_called(body, *args, **kwargs):
    """body(...), where not the user calls it but another function, which autocast does not know."""
    if local.cast_to is None or (policy := POLICIES.get(body.__name__)) is None:
        return body(*args, **kwargs)
    return wrapped(policy, body, args, kwargs, body.__name__)


def cast_all(policy, args, kwargs):
    """Arguments as a policy wants them; torch's compiler has the last one cast first."""
    half = local.cast_to
    if policy is _HALF:
        dtype = half
    elif policy is _FLOAT:
        dtype = float32
    else:
        dtype = half
        for t in _tensors((*args, *kwargs.values())):
            dtype = _wider(dtype, t, half)
    named = {n: _cast(v, dtype, half) for n, v in reversed(kwargs.items())}
    return [_cast(v, dtype, half) for v in reversed(args)][::-1], named


def _tensors(values):
    for v in values:
        if isinstance(v, Tensor):
            yield v
        elif isinstance(v, (list, tuple)):
            yield from _tensors(v)


def _wider(dtype, t, half):
    """The wider one of a type and a tensor's, as torch finds it."""
    if dtype is float64 or not _is_floating(t):
        return dtype
    own = t._table.dtype
    if own is float64 or own is float32 or dtype is float32:
        return float64 if own is float64 else float32
    if own is half is dtype:
        return dtype
    raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")


def _is_floating(t):
    k = t._table
    return k.dtype.category == FLOATING and k.device.type == "cpu"


def _cast(value, dtype, half):
    if isinstance(value, Tensor):
        return cached_cast(value, dtype, half)
    if isinstance(value, (list, tuple)) and any([isinstance(v, Tensor) for v in value]):
        return [_cast(v, dtype, half) for v in value]
    return value


def cached_cast(t, dtype, half):
    """t in another type; a leaf that wants a gradient is cast to the half once."""
    own = t._table.dtype
    if own is dtype or own is float64 or not _is_floating(t):
        return t
    if dtype is not half or own is not float32 or not local.autocast.cache or local.inference:
        return Hooks.to(t, dtype)
    if t._node is None or not t.is_leaf or t._is_view():
        return Hooks.to(t, dtype)
    found = _casts.get(id(t))
    if found is None:
        found = _casts[id(t)] = t, _recorded(t, dtype)
    return found[1]


def _recorded(t, dtype):
    """t in another type, as part of the graph even where gradients are off just now: later calls may want it."""
    before = grad_enabled()
    set_grad_enabled(True)
    try:
        return Hooks.to(t, dtype)
    finally:
        set_grad_enabled(before)


# ---- backward: inside of autocast, products in gradients are cast, too

_PRODUCTS = {"addbmm", "addmm", "baddbmm", "bmm", "mm"}


def rules_run(node, g, edges, on_tensors):
    """The gradients of a node by its rules."""
    if local.cast_to is None:
        return node.on_tensors(g, edges) if on_tensors else node.on_arrays(g, edges)
    if on_tensors:  # a leaf's gradient comes in its own type
        return [_as_edge(e, x) for e, x in zip(edges, node.on_tensors(g, edges))]
    k, op = node.k, getattr(node, "op", None)
    if op is None or op.name not in _PRODUCTS or k.dtype is not float32 or k.device.type != "cpu":
        return node.on_arrays(g, edges)
    return [None if x is None else k.cast(x._array, k.dtype) for x in node.on_tensors(wrap(g, k), edges)]


def _as_edge(e, x):
    half = e is not None and x is not None and x._table.dtype is local.cast_to
    return Hooks.to(x, float32) if half and e.k is not None and e.k.dtype is float32 else x
