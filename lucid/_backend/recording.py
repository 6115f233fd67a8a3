"""Results as Tensors, and the node that records a call."""

import functools

from .._base.state import INFERENCE, local
from .._tensor.storage import link_views
from .._tensor.tensor import Tensor, wrap
from .graph import OUTPUTS, BackwardOperation, Output, pack, record, verify
from .rules import joint_on_arrays, loop_on_arrays, raw


def table_of_result(op, k, d, options):
    """The table of a result whose array is d."""
    if op.result == "elsewhere":
        return op.table(k, *options)
    return k if op.result == "same" and not k.is_sparse else k.bool if op.result == "bool" else k.of(d)


def wrap_one(op, k, d, arrays, edges, options, casts=None, node_class=None):
    """A result Tensor, with its node when edges is not None."""
    if d.__class__ is not k.array_type and op.result != "elsewhere":
        d = k.asarray(d)
    t = wrap(d, table_of_result(op, k, d, options))
    if edges is not None and t._table.inexact:
        if t._table.is_complex and not op.complex_gradient:
            refuse_complex(op)
        t._node = record_call(op, k, d, arrays, edges, options, casts, node_class)
    return t


def wrap_many(op, k, d, tensors, arrays, edges, options, casts=None):
    """Several results as a tuple (or the op's namedtuple), sharing one node."""
    node, results = None, []
    if edges is not None:
        if INFERENCE:
            refuse_inference_saved(op, tensors, edges)
        if k.is_complex and not op.complex_gradient:
            refuse_complex(op)
        node = record_call(op, k, d, arrays, edges, options, casts, op.Node)
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
        if op.differentiable is not None and i not in op.differentiable and k.is_transform:
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


def refuse_forbidden(edges):
    """RuntimeError where an operand is a view that torch forbids to use."""
    for e in edges:
        if e is not None and e.refusal is not None:
            raise RuntimeError(e.refusal)


def canonical(op, arrays, options):
    """The options, checked and in one form."""
    return options if op.prepare is None else op.prepare(*arrays, *options)


def refuse_inference_saved(op, tensors, edges):
    """RuntimeError where a call that is about to be recorded would save an inference tensor."""
    wanted = set(op.joint.wants) if op.joint is not None else set()
    for rule, edge in zip(op.rules, edges):
        if rule is not None and edge is not None:
            wanted.update(rule.wants)
    for name, t in zip(op.inputs, tensors):
        if name in wanted and isinstance(t, Tensor) and t._extra is not None and t._extra.inference:
            refuse_saved()


def refuse_complex(op):
    """What torch says where complex numbers are not to be recorded."""
    name = op.name.removesuffix("_op").removeprefix("_")
    raise RuntimeError(f"{name} does not support automatic differentiation for outputs with complex dtype.")


def refuse_saved():
    """What torch says of an inference tensor that a node would save."""
    raise RuntimeError(
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
        "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it "
        "in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
    )


def record_call(op, k, d, arrays, edges, options, casts=None, node_class=None):
    """The graph node of one call, with what its rules asked to be saved."""
    cls = node_class or op.Node
    node = record(packing(cls) if local.saved_hooks else cls, k, edges)
    if casts is not None:
        node.casts = casts
    for i, rule in [*enumerate(op.rules), (None, op.joint)]:
        if rule is not None:
            _save(node, op, rule, i is None or op.poly or edges[i] is not None, arrays, options, d)
    if op.broadcasts and any(e is not None and a.shape != d.shape for a, e in zip(arrays, edges)):
        node.shapes = tuple([None if a is None else a.shape for a in arrays])
    return node


def note_promoted(node, op, tensors, arrays, written=None):
    """Operands that were cast before they were saved: what they were cast from may not be overwritten, either.

    written: the array that a result of another type was written into; torch keeps that, not what was computed.
    """
    found = [
        (name, t._array)
        for name, t, a in zip(op.inputs, tensors, arrays)
        if isinstance(t, Tensor) and a is not t._array and getattr(node, name, None) is a and name in node.saved_names
    ]
    if written is not None and "out" in node.saved_names:
        found.append(("out", written))
    if found:
        node.promoted = tuple(found)


def _save(node, op, rule, runs, arrays, options, d):
    """Fill the slots that one rule reads; the arrays among them only if it will run."""
    for name in rule.wants:
        if name == "shape" or name == "shapes":
            _save_shapes(node, op, arrays)
        elif name in op.options:
            setattr(node, name, options[op.options.index(name)])
        elif runs or name in OUTPUTS:  # torch keeps results whichever gradients are wanted
            setattr(node, name, _saved_value(node, op, name, arrays, d))
        elif not hasattr(node, name):
            setattr(node, name, None)


def _save_shapes(node, op, arrays):
    if op.poly:
        node.shape_0 = [a.shape for a in arrays[0]]
        return
    for i, a in enumerate(arrays):
        setattr(node, f"shape_{i}", None if a is None else a.shape)


def _saved_value(node, op, name, arrays, d):
    """An input or a result, packed away where saved_tensors_hooks ask for it."""
    if name in OUTPUTS:
        value, edge = d if OUTPUTS[name] is None else d[OUTPUTS[name]], None
    else:
        at = op.inputs.index(name)
        value, edge = arrays[at], None if op.poly else node.edges[at]
    if not local.saved_hooks or value is None or isinstance(value, (tuple, list)):
        return value
    return pack(value, node.k, edge)


class Flat(BackwardOperation):
    """The node of a call whose result does not depend smoothly on its inputs: their gradients are zero."""

    __slots__ = ("likes",)

    def on_arrays(self, g, edges):
        return tuple([None if e is None else k.zeros(shape) for e, (k, shape) in zip(edges, self.likes)])

    def on_tensors(self, g, edges):
        return tuple([None if e is None else wrap(k.zeros(shape), k) for e, (k, shape) in zip(edges, self.likes)])


def record_flat(node_class, inputs):
    """The node of such a call with these tensors; node_class: a subclass of Flat, or what torch calls the node."""
    likes = tuple([(t._table, t._array.shape) for t in inputs])
    cls = _flat_node(node_class) if isinstance(node_class, str) else node_class
    return record(cls, inputs[0]._table, tuple([t._node for t in inputs]), likes=likes)


@functools.cache
def _flat_node(name):
    return type(name, (Flat,), {"__slots__": (), "__module__": "torch.autograd.graph"})


_PACKING: dict = {}


def packing(cls):
    """The same node class, with saved values behind unpack hooks."""
    made = _PACKING.get(cls)
    if made is None:

        def on_arrays(self, g, edges):
            opened = {n: v for n in self.saved_names if (v := getattr(self, n, None)) is not None}
            seq = self.seq
            if seq == -1:
                verify(self)
            for n, v in opened.items():
                setattr(self, n, raw(v))
            self.seq = 1 << 62  # what a hook made of a value may be younger than the node: there is no version to check
            try:
                return (joint_on_arrays if self.op.joint is not None else loop_on_arrays)(self, g, edges)
            finally:
                self.seq = seq
                for n, v in opened.items():
                    setattr(self, n, v)

        made = _PACKING[cls] = type(
            cls.__name__, (cls,), {"__slots__": (), "on_arrays": on_arrays, "__module__": cls.__module__}
        )
    return made
