"""out=: results written into the caller's tensors, after every check that could refuse it."""

import math

from .._array.table import owner
from .._base.dtype import C_NAMES, FLOATING, SCALAR_NAMES, bool_, uint8
from .._base.promotion import can_cast
from .._base.shape import broadcast_pair, is_dense
from .._base.state import local
from .._base.warn import warn
from .._tensor.storage import moved, storage_of, write
from .._tensor.tensor import Tensor
from .option_errors import as_dtype
from .view_history import check_overlap, refuse_expanded, refuse_inference, reread_views


def refuse_gradients(op, flat, out):
    """RuntimeError where a gradient is wanted of what goes into out, or of out: before anything else is looked at."""
    outs = out if isinstance(out, (tuple, list)) else (out,)
    recorded = outs if op.differentiable is None or out is outs[0] else [outs[i] for i in op.differentiable]
    if op.has_gradient and local.grad and any(isinstance(t, Tensor) and t.requires_grad for t in [*flat, *recorded]):
        raise RuntimeError(_gradients(op.name))


def refuse_out(op, flat, out):
    """RuntimeError where results may not go into out: memory that elements share or that operands read; the errors of
    transforms, which have no rule for out=.
    """
    for t in flat:
        if isinstance(t, Tensor) and t._table.is_transform:
            t._table.refuse_out(t._array, op.name)
    for one in out if isinstance(out, (tuple, list)) else (out,):
        if not isinstance(one, Tensor) or not one._table.aliases:
            continue
        if op.writes_expanded is not True:
            refuse_expanded(one)
        if op.broadcasts and any(t is one for t in flat):
            _refuse_growth(one, flat)
        if op.overlap is not None:
            for t in flat:
                if isinstance(t, Tensor):
                    check_overlap(one, t, partly=op.overlap == "partly")


def _refuse_growth(out, flat):
    """RuntimeError where an operand that is out, too, would have to change its shape."""
    shape = ()
    try:
        for t in flat:
            shape = broadcast_pair(shape, t._array.shape) if isinstance(t, Tensor) else shape
    except RuntimeError:
        return  # the kernel says what does not fit
    if shape != out._array.shape:
        raise RuntimeError(
            f"output with shape {list(out._array.shape)} doesn't match the broadcast shape {list(shape)}"
        )


def _gradients(name):
    return (
        f"{name}(): functions with out=... arguments don't support automatic differentiation, "
        "but one of the arguments requires grad."
    )


def type_from_out(op, x, options, out):
    """The options, dtype= as out's type where it is not given: what torch's sums and means of x compute in."""
    if op.out_takes == "type of input" and isinstance(x, Tensor) and isinstance(out, Tensor) and x.dtype != out.dtype:
        raise RuntimeError(
            f"Expected the dtype for input and out to match, but got {SCALAR_NAMES[x._table.dtype]} for input's dtype "
            f"and {SCALAR_NAMES[out._table.dtype]} for out's dtype."
        )
    if op.out_takes == "truth" and isinstance(out, Tensor):
        _refuse_numbers(op.name, out)
    if not isinstance(out, Tensor) or not op.computes_in_type_of_out:
        return options
    at, mine = op.options.index("dtype"), out._table.dtype
    if op.computes_in_type_of_out == "inexact" and options[at] is None and isinstance(x, Tensor):
        if not x._table.inexact:
            return options  # the kernel refuses it
        if not out._table.inexact:
            raise RuntimeError(_no_cast(x._table.dtype, mine))
    if op.computes_in_type_of_out == "floats of floats" and options[at] is None and isinstance(x, Tensor):
        if x._table.dtype.category == FLOATING and mine.category != FLOATING:
            raise NotImplementedError(f"\"{op.name}_cpu\" not implemented for '{SCALAR_NAMES[mine]}'")
    if options[at] is not None and as_dtype(op, options[at]) is not mine:
        wanted = C_NAMES[as_dtype(op, options[at])]
        raise RuntimeError(f"Expected out tensor to have dtype {wanted}, but got {C_NAMES[mine]} instead")
    return (*options[:at], mine, *options[at + 1 :])


def _refuse_numbers(name, out):
    """RuntimeError where an out= that shall take truth values is of another type than bool or uint8."""
    if (mine := out._table.dtype) not in (bool_, uint8):
        raise RuntimeError(f"{name} only supports bool tensor for result, got: {SCALAR_NAMES[mine]}")


def store_out(name, result, out, takes="same", flat=False, expanded=False, resized=False, read=()):
    """Write result(s) into the caller's tensor(s) and give those back.

    takes, expanded, resized: which types and memory out may have and when it is refused, as Operation's `out_takes`,
    `writes_expanded` and `out_resized`. flat: does an out with as many elements keep its shape? read: operands that an
    out may not grow over.
    """
    if isinstance(result, tuple):
        if not isinstance(out, (tuple, list)) or len(out) != len(result):
            raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
        grown = [o for r, o in zip(result, out) if isinstance(o, Tensor) and o._array.shape != r._array.shape]
        for r, o in zip(result, out):  # one has its shape before the next is looked at
            _check_out(name, r, o, takes, expanded, resized)
            if resized != "last":
                _fit(o, r)
        _refuse_overgrown(grown, read)
        for r, o in zip(result, out):
            store_out(name, r, o, takes, expanded=expanded, read=read if resized == "last" else ())
        return type(result)(*out) if hasattr(result, "_fields") or hasattr(result, "_make") else tuple(out)
    grown = [out] if isinstance(out, Tensor) and out._array.shape != result._array.shape else ()
    _check_out(name, result, out, takes, expanded, resized)
    d = result._array
    if result._table.is_sparse or out._table.is_sparse:
        if result._table.layout_of(d) != out._table.layout_of(out._array):
            raise RuntimeError(f"{name}(): a {out.layout} out= for a {result.layout} result")
        write(out, d)
        return out
    if flat and out._array.size == d.size:
        d = result._table.reshape(d, out._array.shape)
    else:
        _fit(out, result)
    _refuse_overgrown(grown, read)
    write(out, d)
    reread_views(out)
    return out


def _refuse_overgrown(grown, read):
    """RuntimeError where an out= that took another shape now reaches over an operand."""
    for out in grown if read else ():
        for t in read:
            if isinstance(t, Tensor):
                check_overlap(out, t, partly=False)


def _fit(out, result):
    d = result._array
    if out._array.shape != d.shape:
        _resize(out, d.shape, result._table.strides(d))


def _check_out(name, result, out, takes, expanded, resized):
    """torch's error where out cannot take the result, which has its shape by then where it is `resized` first."""
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    refuse_inference(out)
    if not expanded and out._table.aliases:
        refuse_expanded(out)
    mine, wanted = out._table.dtype, result._table.dtype
    if resized == "castable" and not can_cast(wanted, mine):
        raise RuntimeError(_no_cast(wanted, mine))
    if resized is True or resized == "castable":
        _refuse_gradients(name, result, out, takes)
        _fit(out, result)
    if takes == "same":
        refuse_type(result._table, out)
    if takes == "scalar" and mine is not wanted:
        raise RuntimeError(
            f"Expected object of scalar type {SCALAR_NAMES[wanted]} but got scalar type {SCALAR_NAMES[mine]} for "
            "argument 'out'"
        )
    if takes == "castable" and not can_cast(wanted, mine):
        if name in ("cat", "stack"):
            raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {SCALAR_NAMES[mine]}")
        raise RuntimeError(_no_cast(wanted, mine))
    if out._table.device != result._table.device:
        raise RuntimeError(f"Expected out tensor to be on {result._table.device}, but it is on {out._table.device}")
    if resized == "typed":
        _fit(out, result)
    _refuse_gradients(name, result, out, takes)


def refuse_type(k, out):
    """RuntimeError where out has another type than results of table k."""
    if isinstance(out, Tensor) and out._table.dtype is not k.dtype:
        mine, wanted = C_NAMES[out._table.dtype], C_NAMES[k.dtype]
        raise RuntimeError(f"Expected out tensor to have dtype {wanted}, but got {mine} instead")


def _refuse_gradients(name, result, out, takes):
    if local.grad and (result.requires_grad or out.requires_grad and takes != "any"):
        raise RuntimeError(_gradients(name))


def _no_cast(wanted, mine):
    return f"result type {SCALAR_NAMES[wanted]} can't be cast to the desired output type {SCALAR_NAMES[mine]}"


def _resize(out, shape, strides):
    """out with another shape, laid out as the result is; that is no write of its own."""
    if out._array.size:
        warn(
            f"An output with one or more elements was resized since it had shape {list(out._array.shape)}, which "
            f"does not match the required output shape {list(shape)}. This behavior is deprecated, and in a future "
            "PyTorch release outputs will not be resized unless they have zero elements. You can explicitly reuse an "
            "out tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
            UserWarning,
        )
    take_shape(out, shape, strides if is_dense(shape, strides) else None)


def take_shape(x, shape, strides=None):
    """x's memory with another shape: the elements that fit stay, new ones are undefined."""
    if math.prod(shape) >= 1 << 63:
        raise RuntimeError("numel: integer multiplication overflow")
    k, old = x._table, x._array
    x._array = k.resized(x._array, tuple(shape)) if strides is None else k.resized(x._array, tuple(shape), strides)
    if not k.aliases:
        storage_of(x).root, x._extra.chain = x._array, ()
    elif k.host and owner(old) is not owner(x._array):
        moved(x, old)
