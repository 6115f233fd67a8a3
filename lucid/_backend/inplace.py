"""The in-place form of every op: x becomes op(x, ...), after every check that could refuse it."""

from .._base.dtype import SCALAR_NAMES
from .._base.promotion import can_cast
from .._base.shape import overlaps_itself
from .._base.state import DISPATCH, INFERENCE, PROFILE, UNUSUAL, local, tick
from .._tensor.storage import bump, is_plain_owner, stand_alone, write
from .._tensor.tensor import Tensor
from . import native
from .dispatch import Overwritten, Speller, asked, tell
from .dispatched import hold, known_to_hooks, seen, stand_ins
from .out_argument import type_from_out
from .overrides import PLAIN, ask_overrides, call_arguments
from .promotion import ready
from .recording import (
    canonical,
    note_promoted,
    record_call,
    record_flat,
    refuse_forbidden,
    refuse_inference_saved,
)
from .registry import FUNCTIONS
from .slow_path import all_plain, broadcast_all, rebound, refuse_numbers, run
from .view_history import before_write, check_overlap, read_its_own, rebase, reread_views


def inplace(op, x, others, options, told=None):
    """x becomes op(x, ...): checks first, so that a refusal leaves x as it was; told: what the user called."""
    if not UNUSUAL and type(x) is Tensor and x._node is None and _nothing_to_check(op, x, others, options):
        k = x._table
        number = k.wide_scalar if op.keeps_numbers else k.scalar
        arrays = [x._array, *[t._array if type(t) is Tensor else number(t) for t in others]]
        if native.big(x._array) and k.aliases and native.written_into_first(op, k, arrays, options):
            bump(x)
        else:
            write(x, run(op, k, arrays, options))
        if len(x._extra.storage._tensors) > 1:
            reread_views(x)
        return x
    if UNUSUAL or type(x) not in PLAIN or not all_plain(op, others):
        handled, result = _overridden(op, x, others, options, told)
        if handled:
            return result
    if PROFILE:
        return PROFILE[-1].op(_written, op, (x, *others), options, "_")
    return _written(op, (x, *others), options)


def _written(op, operands, options, form="_"):
    """The in-place call once nobody else answers for it."""
    x, others = operands[0], operands[1:]
    if op.broadcasts and not (type(others[0]) is Tensor if len(others) == 1 else not others):
        refuse_numbers(op, operands)
    if op.computes_in_type_of_out:
        options = type_from_out(op, x, options, x)
    call, operands = None, (x, *others)
    if DISPATCH and asked(operands) and (call := Speller.current.spell(op, operands, options, None, "_")) is not None:
        if call.instead is not None:
            return call.instead()
        operands = stand_ins(operands)
    k, arrays, edges, casts, options = ready(op, operands, options)
    recording = (
        local.grad
        and any(e is not None for e in edges)
        and (op.has_gradient or op.flat_inplace_name is not None)
        and x._table.inexact
    )
    _check_result(op, x, k, arrays, recording)
    before_write(x, recording, op.writes_expanded, op.writes_leaves)
    if recording:
        refuse_forbidden(edges)
        if INFERENCE:
            refuse_inference_saved(op, (x, *others), edges)
    _refuse_overlap(op, x, others)
    options = canonical(op, arrays, options)
    began = tick()
    first = None
    if recording and arrays[0] is x._array and _saves_first(op):
        first = None if call is None else Speller.current.clone(x)
        arrays[0] = k.copy(x._array) if first is None else first._array
    d = _computed(op, x, others, k, arrays, options, call)
    if not recording:
        reread_views(x)
    elif op.has_gradient:
        node_class = op.InplaceNode if call is None else seen(op.InplaceNode)
        if casts is None and k is not x._table:  # the gradient comes in x's type
            casts = tuple([t._table if isinstance(t, Tensor) else None for t in (x, *others)])
        with known_to_hooks((first, *others)):
            node = record_call(op, k, x._array if k is x._table else d, arrays, edges, options, casts, node_class)
        if op.promote not in (None, "keep"):
            note_promoted(node, op, (None, *others), arrays, None if k is x._table else x._array)
        if call is not None:
            hold(node, op, (Overwritten(x) if first is None else first, *others), [x], options, call)
        if read_its_own(op, x, others):
            node.own_write, node.seq = node.seq, began  # what it saved was already overwritten when it ended
        rebase(x, node)
    else:
        tensors = [t for t in (x, *others) if isinstance(t, Tensor)]
        rebase(x, record_flat(f"{op.flat_inplace_name}{len(tensors) - 1}", tensors))
    return x


def _computed(op, x, others, k, arrays, options, call):
    """The result, written into x: by the kernel, or by whoever sees the call."""
    if call is not None:
        tell(call.func, [t for t in (x, *others) if isinstance(t, Tensor)], call.args, call.kwargs)
        return x._array
    d = run(op, k, arrays, options)
    if k.is_sparse:
        d = k.to_store(op.name, arrays, d, x._array)
        if k.replaces(op.name, x._array):
            stand_alone(x)
    if d.shape != x._array.shape:
        raise RuntimeError(_other_shape(x, d.shape))
    _write_result(op, x, k, d)
    return d


def _refuse_overlap(op, x, others):
    """torch's error where x shares memory with an operand in a way that the op cannot bear."""
    if op.overlap is not None and (op.overlap == "any" or x._extra is not None and x._extra.storage is not None):
        for name, t in zip(op.inputs[1:], others):
            if isinstance(t, Tensor) and name not in op.may_overlap:
                check_overlap(x, t, partly=op.overlap == "partly")


def _nothing_to_check(op, x, others, options):
    """Is it a write of a whole tensor without a graph, from plain ones in memory of their own? Then the long way
    finds nothing to refuse, to promote or to record.
    """
    k, shape, m = x._table, x._array.shape, x._extra
    if not is_plain_owner(x):
        return False
    if not k.inexact or k.is_sparse or k.is_transform or k.is_half or op.prepare is not None or op.result != "same":
        return False
    for t in others:
        if (type(t) is float or type(t) is int) and op.broadcasts and op.scalar_operands != "none":
            continue
        if type(t) is not Tensor or t._table is not k or t._node is not None or t._array.shape != shape:
            return False
        if m is not None and t._extra is not None and not _apart(m.storage, t._extra.storage):
            return False
    if op.index_inputs or "dtype" in op.options:
        return False
    if op.check is not None:
        if any(type(t) is not Tensor for t in others):
            return False
        op.check((x, *others), options)
    numbers = (*op.scalar_options, *op.fits_type, *op.fits_float)
    return not numbers or all(
        [v is op.defaults.get(n) or _fits(k, v) for n, v in zip(op.options, options) if n in numbers]
    )


def _fits(k, v):
    return (v.__class__ is float or v.__class__ is int) and k.low <= v <= k.high


def _apart(a, b):
    """Have two storages no memory in common for sure? (What came from outside may.)"""
    return a is None or b is None or a is not b and a.owner is b.owner is None


def rebind_inplace(op, told, given):
    """The same for a call with anything out of the ordinary among its arguments."""
    (x, *others), options, _ = rebound(op, told.form, given)
    return inplace(op, x, tuple(others), options, told)


def _write_result(op, x, k, d):
    """x becomes d. Where elements share a place, those that the op changed decide, not the others."""
    if op.writes_expanded and k.host and 0 in x._array.strides and overlaps_itself(x._array.shape, x._array.strides):
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


def _check_result(op, x, k, arrays, recording):
    """The error where x cannot hold the result: its type, or its shape."""
    if k.is_sparse:
        k.check_inplace(op.name, x._array)
    mine = x._table.dtype
    if mine.is_complex and op.refuses_complex:
        before_write(x, recording, True)
        raise op.refusal(x._table)
    if mine.is_complex and not op.inplace_complex:
        raise RuntimeError(f"In-place {op.name} is not supported for complex tensors.")
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
