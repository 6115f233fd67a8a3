"""The in-place form of every op: x becomes op(x, ...), after every check that could refuse it."""

from .._base.dtype import SCALAR_NAMES
from .._base.promotion import can_cast
from .._base.shape import overlaps_itself
from .._base.state import UNUSUAL, local, tick
from .._tensor.storage import write
from .._tensor.tensor import Tensor
from .out_argument import type_from_out
from .overrides import PLAIN, ask_overrides, call_arguments
from .promotion import ready
from .recording import note_promoted, record_call, record_flat
from .registry import FUNCTIONS
from .slow_path import all_plain, broadcast_all, canonical, rebound, refuse_forbidden, refuse_numbers, run
from .view_history import before_write, check_overlap, read_its_own, rebase, reread_views


def inplace(op, x, others, options, told=None):
    """x becomes op(x, ...): checks first, so that a refusal leaves x as it was; told: what the user called."""
    if UNUSUAL or type(x) not in PLAIN or not all_plain(op, others):
        handled, result = _overridden(op, x, others, options, told)
        if handled:
            return result
    if op.broadcasts:
        refuse_numbers(op, (x, *others))
    if op.computes_in_type_of_out:
        options = type_from_out(op, options, x)
    k, arrays, edges, casts, options = ready(op, (x, *others), options)
    _check_result(op, x, k, arrays)
    recording = (
        local.grad
        and any(e is not None for e in edges)
        and (op.has_gradient or op.flat_inplace_name is not None)
        and x._table.inexact
    )
    before_write(x, recording, op.writes_expanded)
    if recording:
        refuse_forbidden(edges)
    if op.overlap is not None and (op.overlap == "any" or x._extra is not None and x._extra.storage is not None):
        for name, t in zip(op.inputs[1:], others):
            if isinstance(t, Tensor) and name not in op.may_overlap:
                check_overlap(x, t, partly=op.overlap == "partly")
    options = canonical(op, arrays, options)
    began = tick()
    if recording and arrays[0] is x._array and _saves_first(op):
        arrays[0] = k.copy(x._array)
    d = run(op, k, arrays, options)
    if d.shape != x._array.shape:
        raise RuntimeError(_other_shape(x, d.shape))
    _write_result(op, x, k, d)
    if not recording:
        reread_views(x)
    elif op.has_gradient:
        result = x._array if k is x._table else d
        node = record_call(op, k, result, arrays, edges, options, casts, op.InplaceNode)
        if op.promote not in (None, "keep"):
            note_promoted(node, op, (None, *others), arrays)
        if read_its_own(op, x, others):
            node.own_write, node.seq = node.seq, began  # what it saved was already overwritten when it ended
        rebase(x, node)
    else:
        tensors = [t for t in (x, *others) if isinstance(t, Tensor)]
        rebase(x, record_flat(f"{op.flat_inplace_name}{len(tensors) - 1}", tensors))
    return x


def rebind_inplace(op, told, given):
    """The same for a call with anything out of the ordinary among its arguments."""
    (x, *others), options, _ = rebound(op, told.form, given)
    return inplace(op, x, tuple(others), options, told)


def _write_result(op, x, k, d):
    """x becomes d. Where elements share a place, those that the op changed decide, not the others."""
    if op.writes_expanded and k.host and overlaps_itself(x._array.shape, x._array.strides):
        changed = d != x._array
        write(x, d)
        x._array[changed] = d[changed]
    else:
        write(x, k.settled(d, x) if k.is_transform else d)


def _overridden(op, x, others, options, told):
    """(True, result) when a mode or a subclass took the call."""
    name = op.name + "_"
    if not isinstance(x, Tensor) and (told is None or told.__qualname__.startswith("Tensor.")):
        raise TypeError(
            f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a '{type(x).__name__}' object"
        )
    args, kwargs = call_arguments(op, (x, *others), options, None)
    return ask_overrides(told or getattr(Tensor, name, None) or FUNCTIONS[name], (x, *others), args, kwargs)


def _check_result(op, x, k, arrays):
    """RuntimeError where x cannot hold the result: its type, or its shape."""
    mine = x._table.dtype
    if op.promote is None and not op.broadcasts and k.dtype is not mine:
        raise RuntimeError(f"expected scalar type {SCALAR_NAMES[mine]} but found {SCALAR_NAMES[k.dtype]}")
    if op.result != "bool" and not can_cast(k.dtype, mine):
        raise RuntimeError(
            f"result type {SCALAR_NAMES[k.dtype]} can't be cast to the desired output type {SCALAR_NAMES[mine]}"
        )
    if op.broadcasts and len(arrays) > 1:
        shape = broadcast_all(arrays)
        if shape != x._array.shape:
            raise RuntimeError(_other_shape(x, shape))


def _other_shape(x, shape):
    return f"output with shape {list(x._array.shape)} doesn't match the broadcast shape {list(shape)}"


def _saves_first(op):
    """Does a rule want the value that is about to be overwritten?"""
    return op.has_gradient and any(rule is not None and op.inputs[0] in rule.wants for rule in [*op.rules, op.joint])
