"""Operators that take functions (torch.cond, while_loop, map, scan, wrap): each is read into a graph of its own.

The function's graph is a submodule of the graph's module. What it uses of the tensors around it is handed to it as
further operands. A function that changes something outside ends the graph, and the operator runs as Python.
"""

from .. import fx
from .._higher_order_ops.cond import cond_op
from .._higher_order_ops.higher_order_operator import in_graph, run_checked
from .._higher_order_ops.map import map_impl
from .._higher_order_ops.scan import scan_op
from .._higher_order_ops.while_loop import while_loop_op
from .._higher_order_ops.wrap import wrap
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..nn.modules.module import Module
from .builtins import BUILTINS, read
from .exc import Break
from .recorder import Recorder, unrecorded


class Inner(Recorder):
    """The recorder of a function's graph: tensors of the graph around it become placeholders, in `lifted`'s order."""

    def __init__(self, outer, lifted):
        super().__init__()
        self.outer, self.lifted = outer, lifted  # id of a fake -> the fake
        self.symbols, self.reading, self.keep = outer.symbols, outer.reading, outer.keep
        self.numbered = outer.numbered
        self.placed = {}
        for fake in lifted.values():
            self._place(fake)

    def input(self, tensor, source):
        return self.outer.input(tensor, source)

    @property
    def inputs(self):
        return self.outer.inputs

    @inputs.setter
    def inputs(self, value):
        pass

    def constant(self, tensor):
        return self.outer.constant(tensor)

    def number(self, value, source):
        return self.outer.number(value, source)

    def number_node(self, n):
        raise Break("a symbolic number in a function of an operator")

    computes = number_node

    def used(self, fake):
        """The node of a fake; one of the graph around is lifted."""
        node = self.node_of.get(id(fake))
        if node is not None:
            return node
        self.outer.used(fake)
        self.lifted[id(fake)] = fake
        return self._place(fake)

    def _place(self, fake):
        if id(fake) in self.node_of:
            return self.node_of[id(fake)]
        last = list(self.placed.values())[-1] if self.placed else None
        place = self.graph.inserting_after(last) if last is not None else self.graph.inserting_before()
        with place:
            node = self.graph.placeholder(f"arg{len(self.placed)}_1")
        node.meta["example_value"] = fake
        self.placed[id(fake)] = self.node_of[id(fake)] = node
        return node


def _read_function(m, frame, function, args, lifted):
    """(graph, result) of a function of tensors that is read. lifted: grows by what it uses from around it."""
    outer, before = m.recorder, _changes(m)
    inner = m.recorder = Inner(outer, lifted)
    try:
        with inner:
            result = m.call(frame, function, list(args), {})
            leaves = pytree.tree_leaves(result)
            if not all(isinstance(x, Tensor) for x in leaves):
                raise Break("a function of an operator that returns no tensors")
            nodes = [inner.used(x) for x in leaves]
    finally:
        m.recorder = outer
    if _changes(m) != before:
        raise Break("a function of an operator that changes something outside")
    if any(id(x) in inner.placed for x in leaves):
        raise Break("a function of an operator that returns what it is given")
    return inner, nodes, result


def _changes(m):
    """What is to be changed outside, so far."""
    shadows = [id(s) for s in dict.fromkeys(m.shadows.values()) if not isinstance(s.original, tuple) and s.changed()]
    return len(m.overlay), len(m.cells), len(m.written_globals), len(m.contexts.open), shadows


def _module(inner, nodes, lifted):
    """The GraphModule of a function, with a placeholder for everything that is lifted."""
    for fake in lifted.values():
        inner._place(fake)
    inner.graph.output(tuple(nodes))
    return fx.GraphModule(Module(), inner.graph)


def _submodule(m, name, module):
    """The get_attr node of a submodule under a new name."""
    recorder = m.recorder
    number = recorder.numbered[name] = recorder.numbered.get(name, -1) + 1
    recorder.constants[f"{name}_{number}"] = module
    return recorder.graph.create_node("get_attr", f"{name}_{number}")


def _noted(m, op, args, result):
    """The node of the operator's call; `result`, a tuple of fakes, is what it gives."""
    recorder = m.recorder
    node = recorder.graph.create_node("call_function", op, args)
    node.meta["stack_trace"] = recorder._stack_trace()
    recorder.ops += 1
    recorder._note(result, node)
    return result


def _alike(a, b):
    with unrecorded():
        return [(x.shape, x.dtype, x.stride()) for x in a] == [(x.shape, x.dtype, x.stride()) for x in b]


def _needs_tensors(op, operands):
    if not all(isinstance(x, Tensor) for x in operands):
        raise Break(f"operands of {op} that are no tensors")


@read(cond_op)
def _cond(m, frame, pred, true_fn, false_fn, operands):
    _needs_tensors("cond", [pred, *operands])
    lifted = {id(x): x for x in operands}
    made = [_read_function(m, frame, f, operands, lifted) for f in (true_fn, false_fn)]
    (_, _, one), (_, _, other) = made
    if not _alike(pytree.tree_leaves(one), pytree.tree_leaves(other)):
        raise Break("branches of cond with results that differ in kind")
    modules = [_module(inner, nodes, lifted) for inner, nodes, _ in made]
    parts = [_submodule(m, name, x) for name, x in zip(("cond_true", "cond_false"), modules)]
    given = tuple([m.recorder.used(x) for x in lifted.values()])
    _noted(m, cond_op, (m.recorder.used(pred), *parts, given), tuple(pytree.tree_leaves(one)))
    return one


@read(while_loop_op)
def _while_loop(m, frame, cond_fn, body_fn, carried_inputs, additional_inputs):
    _needs_tensors("while_loop", carried_inputs)
    operands, lifted = [*carried_inputs, *additional_inputs], {}
    lifted |= {id(x): x for x in operands}
    if len(lifted) != len(operands):
        raise Break("one tensor twice among the operands of while_loop")
    test = _read_function(m, frame, cond_fn, operands, lifted)
    body = _read_function(m, frame, body_fn, operands, lifted)
    results = tuple(pytree.tree_leaves(body[2]))
    if not _alike(results, carried_inputs):
        raise Break("a body of while_loop whose results differ in kind from its operands")
    modules = [_module(test[0], test[1], lifted), _module(body[0], body[1], lifted)]
    modules[0].graph.output_node().args = (test[1][0],)
    modules[0].recompile()
    parts = [_submodule(m, name, x) for name, x in zip(("cond_fn", "body_fn"), modules)]
    carried, further = _given(m, lifted, len(carried_inputs))
    return _noted(m, while_loop_op, (*parts, carried, further), results)


def _given(m, lifted, count):
    nodes = [m.recorder.used(x) for x in lifted.values()]
    return tuple(nodes[:count]), tuple(nodes[count:])


def _slices(xs):
    with unrecorded():
        return [x.select(0, 0) for x in xs]


def _stacked(xs, count):
    with unrecorded():
        return [x.unsqueeze(0).repeat_interleave(count, 0) for x in xs]


def _with_operands(m, lifted, operands):
    """Nodes of what a function is given: operands in the place of its slices, then what it uses from around it."""
    return [m.recorder.used(operands.get(key, fake)) for key, fake in lifted.items()]


@read(map_impl)
def _map(m, frame, f, xs, pos_args):
    _needs_tensors("map", [*xs, *pos_args])
    parts = _slices(xs)
    lifted = {id(x): x for x in [*parts, *pos_args]}
    inner, nodes, result = _read_function(m, frame, f, [*parts, *pos_args], lifted)
    module = _submodule(m, "map_body", _module(inner, nodes, lifted))
    given = _with_operands(m, lifted, {id(p): x for p, x in zip(parts, xs)})
    leaves, spec = pytree.tree_flatten(result)
    stacked = _stacked(leaves, xs[0].shape[0])
    _noted(m, map_impl, (module, given[: len(xs)], given[len(xs) :]), tuple(stacked))
    return pytree.tree_unflatten(stacked, spec)


@read(scan_op)
def _scan(m, frame, combine_fn, init, xs, additional_inputs=()):
    _needs_tensors("scan", [*init, *xs])
    parts = _slices(xs)
    lifted = {id(x): x for x in [*init, *parts, *additional_inputs]}
    if len(lifted) != len(init) + len(parts) + len(additional_inputs):
        raise Break("one tensor twice among the operands of scan")
    inner, nodes, result = _read_function(m, frame, combine_fn, [*init, *parts, *additional_inputs], lifted)
    leaves, count, n = pytree.tree_leaves(result), len(init), len(init) + len(xs)
    if not _alike(leaves[:count], init):
        raise Break("a carry of scan that changes its kind")
    module = _submodule(m, "scan_combine_fn", _module(inner, nodes, lifted))
    given = _with_operands(m, lifted, {id(p): x for p, x in zip(parts, xs)})
    results = (*leaves[:count], *_stacked(leaves[count:], xs[0].shape[0]))
    return list(_noted(m, scan_op, (module, given[:count], given[count:n], given[n:]), results))


@read(wrap)
def _wrap(m, frame, func, *args, **kwargs):
    if kwargs:
        raise Break("wrap with keywords")
    _needs_tensors("wrap", args)
    lifted = {id(x): x for x in args}
    inner, nodes, result = _read_function(m, frame, func, args, lifted)
    module = _submodule(m, "wrap_body", _module(inner, nodes, lifted))
    given = [m.recorder.used(x) for x in lifted.values()]
    leaves, spec = pytree.tree_flatten(result)
    _noted(m, wrap, (module, *given), tuple(leaves))
    return pytree.tree_unflatten(leaves, spec)


@read(run_checked)
def _run_checked(m, frame, op, function, inputs):
    return m.call(frame, function, list(inputs), {})  # what is checked of it is checked where the graph runs


@read(in_graph)
def _in_graph(m, frame, function, result):
    return result  # the steps of the graph itself are recorded


# ---- trees: taken apart and put together as they are; what is done to their leaves is read


def _as_it_is(function):
    BUILTINS[function] = lambda m, frame, *args, **kwargs: m.native(function, list(args), kwargs)


for _f in (pytree.tree_flatten, pytree.tree_unflatten, pytree.tree_leaves, pytree.tree_structure):
    _as_it_is(_f)


@read(pytree.tree_map)
def _tree_map(m, frame, func, tree, *rests, is_leaf=None):
    if is_leaf is not None:
        raise Break("tree_map with is_leaf")
    leaves, spec = pytree.tree_flatten(tree)
    others = [spec.flatten_up_to(r) for r in rests]
    found = [m.call(frame, func, list(parts), {}) for parts in zip(leaves, *others)]
    return pytree.tree_unflatten(found, spec)
