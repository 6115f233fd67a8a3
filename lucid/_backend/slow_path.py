"""The long way: what a call does when anything about it is unusual.

Overrides and modes first; then Python numbers, promotion and devices; then the kernel, the record, and `out=`. The in-place
form of every op is here too. Generated functions (generate.py) come here whenever their one-line test fails.
"""

import numbers
import traceback
import warnings

from .._array.lookup import table
from .._base import dtype as dtypes
from .._base.promotion import can_cast, result_dtype, scalar_dtype
from .._base.shape import broadcast_pair
from .._base.state import UNUSUAL, defaults, local, tick
from .._tensor.storage import link_view, link_views, write
from .._tensor.tensor import Tensor, new_object, wrap
from .graph import OUTPUTS, Output, verify
from .option_errors import as_dtype, misused
from .overrides import PLAIN, ask_overrides, call_arguments
from .view_history import before_write, check_overlap, read_its_own, rebase, refuse_overlap

NAMES = dtypes.SCALAR_NAMES


# ---- entry points


def interpret(op, tensors, options, out=None):
    """Run op however the arguments and the thread's modes ask for it."""
    if UNUSUAL or not _all_plain(op, tensors) or out is not None:
        handled, result = ask_overrides(
            op.public_function or op.fn, _flat(op, tensors), *call_arguments(op, tensors, options, out), out=out
        )
        if handled:
            return result
    if op.broadcasts:
        _refuse_numbers(op, tensors)
    return compute(op, tensors, options, out)


def interpret_word(op, tensors, options, out=None):
    """The same for a rule, which may give a number for any operand."""
    return compute(op, tensors, options, out)


def _refuse_numbers(op, tensors):
    """torch's error where its function wants a tensor and a Python number came."""
    if op.scalar_operands in ("all", "two"):
        return
    for i, t in enumerate(tensors[:1] if op.scalar_operands == "second" else tensors):
        if t is not None and not isinstance(t, Tensor) and is_number(t):
            raise TypeError(
                f"{op.name}(): argument '{op.inputs[i]}' (position {i + 1}) must be Tensor, not {type(t).__name__}"
            )


def interpret_operator(op, tensors, options, out=None):
    """The same for a Python operator: types it does not know are left to the other operand."""
    for t in tensors:
        if (
            not isinstance(t, Tensor)
            and not is_number(t)
            and not (hasattr(t, "__array__") and not hasattr(type(t), "__torch_function__"))
        ):
            if not hasattr(type(t), "__torch_function__"):
                return NotImplemented
    tensors = tuple([_operand(t, tensors) for t in tensors])
    if UNUSUAL or not _all_plain(op, tensors):
        return interpret(op, tensors, options, out)
    return compute(op, tensors, options)


def method_operator(name, op, tensors, options):
    """The same for an operator called as a method of Tensor by its name: self must be a tensor."""
    if not isinstance(tensors[0], Tensor):
        raise TypeError(
            f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a "
            f"'{type(tensors[0]).__name__}' object"
        )
    return interpret_operator(op, tensors, options)


def reversed_operator(op, number, tensor):
    """number `op` tensor."""
    return interpret_operator(op, (number, tensor), tuple([op.defaults[o] for o in op.options]))


def _operand(t, tensors):
    """A numpy array beside a tensor takes part as a tensor."""
    if isinstance(t, Tensor) or is_number(t) or not hasattr(t, "__array__") or getattr(t, "ndim", 0) == 0:
        return t
    return Tensor._from_numpy(t)


def is_number(x):
    """A Python number, or a numpy scalar."""
    return isinstance(x, numbers.Number) or type(x).__name__ in ("bool_", "bool") or _numpy_scalar(x)


def _numpy_scalar(x):
    return hasattr(x, "dtype") and not isinstance(x, Tensor) and getattr(x, "ndim", 1) == 0 and hasattr(x, "item")


def _flat(op, tensors):
    return [*tensors[0], *tensors[1:]] if op.poly and isinstance(tensors[0], (tuple, list)) else tensors


def _all_plain(op, tensors):
    for t in _flat(op, tensors):
        if type(t) not in PLAIN and (isinstance(t, Tensor) or hasattr(type(t), "__torch_function__")):
            return False
    return True


# ---- computing


def compute(op, tensors, options, out=None):
    """Promote, run the kernel, record, wrap."""
    flat = _flat(op, tensors)
    if op.poly and not isinstance(tensors[0], (tuple, list)):
        raise TypeError(
            f"{op.name}(): argument '{op.inputs[0]}' (position 1) must be tuple of Tensors, not "
            f"{type(tensors[0]).__name__}"
        )
    k, arrays, edges, casts, options, node_class = _ready(op, flat, options)
    if op.poly:
        arrays = (list(arrays),)
    if op.whole_node_name and options[0] is None:
        node_class = op.WholeNode
    options = canonical(op, arrays, options)
    recording = op.has_gradient and local.grad and any(e is not None for e in edges)
    if out is not None:
        _refuse_out_gradients(op, flat, out)
        recording = False
        if op.out_must_not_overlap:
            refuse_overlap(flat, out, k)
    d = run(op, k, arrays, options)
    if op.n_ret != 1:
        result = wrap_many(op, k, d, flat, arrays, edges if recording else None, options, casts)
    else:
        result = wrap_one(op, k, d, arrays, edges if recording else None, options, casts, node_class)
        if op.view:
            link_view(result, flat[0], op, options, local.grad)
    if local.inference:
        mark_inference(result)
    return result if out is None else store_out(op.name, result, out)


def canonical(op, arrays, options):
    """The options, checked and in one form."""
    if op.prepare is None:
        return options
    try:
        return op.prepare(*arrays, *options)
    except (TypeError, ValueError, AttributeError):
        misused(op, options)


def run(op, k, arrays, options):
    """The kernel, with the library's complaints in torch's words."""
    if not op.broadcasts:
        return op.kernel(k)(k, *arrays, *options)
    try:
        return op.kernel(k)(k, *arrays, *options)
    except (ValueError, TypeError) as trouble:
        explain(op, k, arrays, trouble)


# what an array library says of an operation that an element type does not have
_NOT_DEFINED = (
    "not defined for this element type",
    "not supported for the input types",
    "numpy boolean",
    "did not contain a loop",
    "must be real",
    "cannot be negated",
)


def explain(op, k, arrays, trouble):
    """Raise torch's error for what the array library refused in an elementwise op."""
    if isinstance(trouble, TypeError):
        if not any(words in str(trouble) for words in _NOT_DEFINED):
            raise trouble
        message = op.refusal(k)
        if message is not None:
            raise message from None
        raise trouble
    masks_first = sorted(zip(op.inputs, arrays), key=lambda pair: pair[0] not in op.index_inputs)
    broadcast_all([a for _, a in masks_first])
    raise trouble


def broadcast_all(arrays):
    """The shape that arrays broadcast to (None among them are left out); torch's error if they do not."""
    shape = ()
    for a in arrays:
        if a is not None:
            shape = broadcast_pair(shape, a.shape)
    return shape


def mark_inference(result):
    from .._tensor.storage import extra

    for t in result if isinstance(result, (tuple, list)) else (result,):
        extra(t).inference = True


def _ready(op, flat, options):
    """(table, arrays, edges, casts, options, node class): operands in one table, as the op's promotion asks."""
    node_class = op.Node
    found = [t for t in flat if isinstance(t, Tensor)]
    if not found and op.broadcasts and op.scalar_operands == "two" and flat and all(is_number(t) for t in flat):
        flat = [_number_tensor(flat[0]), *flat[1:]]
        found = flat[:1]
    if not found:
        _check_operands(op, flat)
        if not flat:
            raise RuntimeError(f"{op.name}(): expected a non-empty list of Tensors")
        raise TypeError(
            f"{op.name}(): argument '{op.inputs[0]}' (position 1) must be Tensor, not {type(flat[0]).__name__}"
        )
    if any(hasattr(t._table, "merged") for t in found):  # inside vmap or jvp
        top = next(t._table for t in found if hasattr(t._table, "merged")).merged([t._table for t in found])
        flat = [top.adopt(t) if isinstance(t, Tensor) else t for t in flat]
        found = [t for t in flat if isinstance(t, Tensor)]
    if op.check is not None:
        op.check(flat, options)
    k0 = found[0]._table
    if any(t._table is not k0 for t in found):
        k0 = _one_device(op, found)
    dtype = options[at := op.options.index("dtype")] if "dtype" in op.options else None
    if dtype is not None and type(dtype) is not dtypes.dtype:
        dtype = as_dtype(op, dtype)
        options = (*options[:at], dtype, *options[at + 1 :])
    promote = op.promote
    if promote == "keep":
        _check_operands(op, flat)
        arrays = [t._array if isinstance(t, Tensor) else t if t is None else k0.scalar(_plain_number(t)) for t in flat]
        if not isinstance(flat[0], Tensor):
            raise TypeError(
                f"{op.name}(): argument '{op.inputs[0]}' (position 1) must be Tensor, not {type(flat[0]).__name__}"
            )
        return (
            flat[0]._table,
            arrays,
            tuple([t._node if isinstance(t, Tensor) else None for t in flat]),
            None,
            options,
            node_class,
        )
    if len(found) != len(flat):
        _check_operands(op, flat)
        if any(not isinstance(t, Tensor) and t is not None for t in flat):
            node_class = op.NumberNode
    joined = flat
    if op.index_inputs:
        joined = [t for t, name in zip(flat, op.inputs) if name not in op.index_inputs]
        found = [t for t in joined if isinstance(t, Tensor)]
    if promote is None:
        wanted = found[0].dtype
        for t in found:
            if t.dtype is not wanted:
                raise RuntimeError(
                    op.mismatch(*[t.dtype for t in found])
                    if op.mismatch
                    else f"expected scalar type {NAMES[wanted]} but found {NAMES[t.dtype]}"
                )
    else:
        if op.scalar_options:
            options = tuple(
                [_scalar_option(op, n, v) if n in op.scalar_options else v for n, v in zip(op.options, options)]
            )
            joined = [*joined, *[v for n, v in zip(op.options, options) if n in op.scalar_options]]
        wanted = dtype if dtype is not None else _common(joined)
        if promote == "int_to_float" and wanted.category < dtypes.FLOATING:
            wanted = defaults.dtype
        elif promote == "int_to_long" and wanted.category < dtypes.FLOATING and dtype is None:
            wanted = dtypes.int64
    k = k0 if k0.dtype is wanted else k0.sibling(wanted)
    arrays, casts = [], None
    for i, t in enumerate(flat):
        if op.index_inputs and op.inputs[i] in op.index_inputs:
            arrays.append(None if t is None else t._array)
        elif isinstance(t, Tensor):
            d = (
                t._array
                if t._table is k
                else k.cast(t._array, wanted)
                if t._table.device == k.device
                else k.cast(k.import_from(t._array, t._table), wanted)
            )
            if t._table is not k and t._node is not None:
                casts = True
            arrays.append(d)
        else:
            arrays.append(None if t is None else k.scalar(_plain_number(t)))
    if casts:
        casts = tuple([t._table if isinstance(t, Tensor) else None for t in flat])
    edges = tuple(
        [
            t._node if isinstance(t, Tensor) and not (op.index_inputs and op.inputs[i] in op.index_inputs) else None
            for i, t in enumerate(flat)
        ]
    )
    return k, arrays, edges, casts, options, node_class


def _number_tensor(value):
    value = _plain_number(value)
    k = table(scalar_dtype(value))
    return wrap(k.full((), value), k)


def _scalar_option(op, name, x):
    if x is not None and not isinstance(x, Tensor) and not is_number(x):
        raise TypeError(f"{op.name}(): argument '{name}' must be Number, not {type(x).__name__}")
    return x.item() if isinstance(x, Tensor) and x._array.ndim == 0 or _numpy_scalar(x) else x


def _plain_number(x):
    return x.item() if _numpy_scalar(x) else x


def _check_operands(op, flat):
    for i, t in enumerate(flat):
        if isinstance(t, Tensor) or t is None and i < len(op.inputs) and op.inputs[i] in op.defaults:
            continue
        if op.poly:
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
        if is_number(t) and op.broadcasts:
            continue
        if is_number(t) and i and op.promote == "keep":
            continue
        raise TypeError(
            f"{op.name}(): argument '{op.inputs[min(i, len(op.inputs) - 1)]}' (position {i + 1}) must be "
            f"Tensor, not {type(t).__name__}"
        )


def _common(flat):
    with_dims, zero_dim, scalars = [], [], []
    for t in flat:
        if isinstance(t, Tensor):
            (with_dims if t._array.ndim else zero_dim).append(t._table.dtype)
        elif t is not None:
            scalars.append(scalar_dtype(_plain_number(t)))
    return result_dtype(with_dims, zero_dim, scalars)


def _one_device(op, found):
    """The table to start from when tables differ; torch's error when devices do."""
    first = next((t for t in found if t._array.ndim), found[0])
    lead = next((t for t in found if t._table.device.type != "cpu" and t._array.ndim), first)
    for t in found:
        if t._table.device != lead._table.device and not (
            t._array.ndim == 0 and t._table.device.type == "cpu" and op.promote != "keep"
        ):
            a, b = lead._table.device, t._table.device
            if b.type == "cpu":
                a, b = b, a
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but found at least two devices, {a} and {b}!"
            )
    return lead._table


def table_of_result(op, k, d, options):
    if op.result == "elsewhere":
        return op.table(k, *options)
    return k if op.result == "same" else k.bool if op.result == "bool" else k.of(d)


def wrap_one(op, k, d, arrays, edges, options, casts=None, node_class=None):
    """A result Tensor, with its node when edges is not None."""
    if d.__class__ is not k.array_type and op.result != "elsewhere":
        d = k.asarray(d)
    t = wrap(d, table_of_result(op, k, d, options))
    if edges is not None and t._table.inexact:
        t._node = record(op, k, d, arrays, edges, options, casts, node_class)
    return t


def wrap_many(op, k, d, tensors, arrays, edges, options, casts=None):
    """Several results as a tuple (or the op's namedtuple), sharing one node."""
    node, results = None, []
    if edges is not None:
        node = record(op, k, d, arrays, edges, options, casts, op.Node)
        if op.differentiable is None:
            node.n_out = len(d)
    grad_on = local.grad
    if op.view:  # parts of one memory, all of one table
        for i, one in enumerate(d):
            t = wrap(one, k)
            if node is not None:
                t._node = Output(node, i) if i else node
            results.append(t)
        link_views(results, tensors[0], Part, op, options, grad_on)
        return tuple(results)
    for i, one in enumerate(d):
        if one.__class__ is not k.array_type:
            one = k.asarray(one)
        if op.differentiable is not None and i not in op.differentiable and hasattr(k, "detached"):
            one = k.of(one).detached(one)  # forward mode has no tangent for it, either
        t = wrap(one, k.of(one))
        if node is not None and t._table.inexact and (op.differentiable is None or i in op.differentiable):
            t._node = node if i == 0 else Output(node, i)
        results.append(t)
    if op.composite_results is not None:
        return op.composite_results(*results)
    return tuple(results)


class Part:
    """One output of a view op with several: a step of a view chain."""

    __slots__ = ("op", "i")

    def __init__(self, op, i):
        self.op, self.i = op, i

    def forward(self, k, array, *options):
        return self.op.forward(k, array, *options)[self.i]

    def fn(self, t, *options):
        return self.op.fn(t, *options)[self.i]


def record(op, k, d, arrays, edges, options, casts=None, node_class=None):
    """The graph node of one call, with what its rules asked to be saved."""
    cls = node_class or op.Node
    if local.saved_hooks:
        cls = packing(cls)
    node = new_object(cls)
    node.k, node.edges, node.seq = k, edges, tick()
    if casts is not None:
        node.casts = casts
    save(node, op, arrays, edges, options, d)
    if op.broadcasts and any(e is not None and a.shape != d.shape for a, e in zip(arrays, edges)):
        node.shapes = tuple([None if a is None else a.shape for a in arrays])
    if local.anomaly:
        node.forward_trace = traceback.extract_stack()[:-3]
    return node


def save(node, op, arrays, edges, options, d):
    """Fill the node's slots."""
    pack = _pack if local.saved_hooks else None
    for i, rule in [*enumerate(op.rules), (None, op.joint)]:
        if rule is None:
            continue
        used = i is None or op.poly or edges[i] is not None
        for w in rule.wants:
            if w == "shape" or w == "shapes":
                if op.poly:
                    node.shape_0 = [a.shape for a in arrays[0]]
                else:
                    for j, a in enumerate(arrays):
                        setattr(node, f"shape_{j}", None if a is None else a.shape)
            elif w in op.options:
                setattr(node, w, options[op.options.index(w)])
            else:
                output = w in OUTPUTS
                value = arrays[op.inputs.index(w)] if not output else d if OUTPUTS[w] is None else d[OUTPUTS[w]]
                if not used:
                    if not _has(node, w):
                        setattr(node, w, None)
                else:
                    edge = None if op.poly or output else edges[op.inputs.index(w)]
                    setattr(
                        node,
                        w,
                        value
                        if pack is None or value is None or isinstance(value, (tuple, list))
                        else pack(value, node.k, edge),
                    )


def _has(node, name):
    try:
        object.__getattribute__(node, name)
    except AttributeError:
        return False
    return True


def _pack(array, k, edge):
    from .core import Packed

    pack, unpack = local.saved_hooks[-1]
    t = wrap(array, k.of(array))
    if edge is not None and t._table.inexact:
        t._node = edge
    hooks, local.saved_hooks = local.saved_hooks, ()
    try:
        packed = pack(t)
    finally:
        local.saved_hooks = hooks
    return Packed(packed, unpack)


_PACKING: dict = {}


def packing(cls):
    """The same node class, with saved values behind unpack hooks."""
    made = _PACKING.get(cls)
    if made is None:
        from .generate import _joint_on_arrays, _loop_on_arrays, _raw

        def on_arrays(self, g, edges):
            opened = {n: v for n in self.saved_names if (v := getattr(self, n, None)) is not None}
            seq = self.seq
            if seq == -1:
                verify(self)
            for n, v in opened.items():
                setattr(self, n, _raw(v))
            self.seq = 1 << 62  # what a hook made of a value may be younger than the node: there is no version to check
            try:
                return (_joint_on_arrays if self.op.joint is not None else _loop_on_arrays)(self, g, edges)
            finally:
                self.seq = seq
                for n, v in opened.items():
                    setattr(self, n, v)

        made = _PACKING[cls] = type(
            cls.__name__, (cls,), {"__slots__": (), "on_arrays": on_arrays, "__module__": cls.__module__}
        )
    return made


# ---- out=


def _refuse_out_gradients(op, flat, out):
    if not local.grad:
        return
    outs = out if isinstance(out, (tuple, list)) else (out,)
    if any(isinstance(t, Tensor) and t._node is not None for t in [*flat, *outs]):
        raise RuntimeError(
            f"{op.name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )


def store_out(name, result, out):
    """Write result(s) into the caller's tensor(s) and give those back."""
    if isinstance(result, tuple):
        if not isinstance(out, (tuple, list)) or len(out) != len(result):
            raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
        for r, o in zip(result, out):
            store_out(name, r, o)
        return type(result)(*out) if hasattr(result, "_fields") or hasattr(result, "_make") else tuple(out)
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if not can_cast(result._table.dtype, out._table.dtype):
        raise RuntimeError(
            f"result type {NAMES[result._table.dtype]} can't be cast to the desired output type "
            f"{NAMES[out._table.dtype]}"
        )
    if out._table.device != result._table.device:
        raise RuntimeError(f"Expected out tensor to be on {result._table.device}, but it is on {out._table.device}")
    if out._array.shape != result._array.shape:
        if out._array.size:
            warnings.warn(
                f"An output with one or more elements was resized since it had shape {list(out._array.shape)}, "
                f"which does not match the required output shape {list(result._array.shape)}. This behavior is "
                "deprecated, and in a future PyTorch release outputs will not be resized unless they have "
                "zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero "
                "elements with t.resize_(0).",
                UserWarning,
                stacklevel=4,
            )
        out.resize_(result._array.shape)
    write(out, result._array)
    return out


# ---- in place


def inplace(op, x, others, options):
    """x becomes op(x, ...): checks first, so that a refusal leaves x as it was."""
    fn_name = op.name + "_"
    if UNUSUAL or type(x) not in PLAIN or not _all_plain(op, others):
        if not isinstance(x, Tensor):
            raise TypeError(
                f"descriptor '{fn_name}' for 'torch._C.TensorBase' objects doesn't apply to a "
                f"'{type(x).__name__}' object"
            )
        args, kwargs = call_arguments(op, (x, *others), options, None)
        handled, result = ask_overrides(getattr(Tensor, fn_name), (x, *others), args, kwargs)
        if handled:
            return result
    k, arrays, edges, casts, options, node_class = _ready(op, (x, *others), options)
    if not op.broadcasts and op.promote != "keep" and k.dtype is not x._table.dtype and op.promote is None:
        raise RuntimeError(f"expected scalar type {NAMES[x._table.dtype]} but found {NAMES[k.dtype]}")
    given = k.bool.dtype if op.result == "bool" else k.dtype
    if not can_cast(given, x._table.dtype) and op.result != "bool":
        raise RuntimeError(
            f"result type {NAMES[given]} can't be cast to the desired output type {NAMES[x._table.dtype]}"
        )
    if op.broadcasts and len(arrays) > 1:
        shape = broadcast_all(arrays)
        if shape != x._array.shape:
            raise RuntimeError(
                f"output with shape {list(x._array.shape)} doesn't match the broadcast shape {list(shape)}"
            )
    recording = local.grad and any(e is not None for e in edges)
    before_write(x, recording)
    if x._extra is not None and x._extra.storage is not None:
        for t in others:
            if isinstance(t, Tensor):
                check_overlap(x, t)
    options = canonical(op, arrays, options)
    began = tick()
    keep_input = (
        recording
        and op.has_gradient
        and any(rule is not None and op.inputs[0] in rule.wants for rule in [*op.rules, op.joint])
    )
    if keep_input and arrays[0] is x._array:
        arrays[0] = k.copy(x._array)
    d = run(op, k, arrays, options)
    if d.shape != x._array.shape:
        raise RuntimeError(
            f"output with shape {list(x._array.shape)} doesn't match the broadcast shape {list(d.shape)}"
        )
    write(x, d)
    if recording:
        node = None
        if op.has_gradient:
            node = record(
                op, k, x._array if k is x._table else d, arrays, edges, options, casts, op.InplaceNode or node_class
            )
            if read_its_own(op, x, others):
                node.seq = began  # what it saved was already overwritten when it ended
        rebase(x, node)
    return x
