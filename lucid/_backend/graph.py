"""The graph: nodes, edges, what they save, and the hooks on them.

An edge is one of: None (no gradient wanted), a node (its output 0), or an `Output` (a node's later output). A leaf that
requires a gradient holds an AccumulateGrad. Saved values are raw arrays; a node remembers the tick of its making, so
one comparison tells whether anything was written in place since.
"""

import collections
import traceback
import weakref

from .._base.dtype import SCALAR_NAMES
from .._base.state import UNUSUAL, local, tick
from .._tensor import storage as memory
from .._tensor.storage import write_storage
from .._tensor.tensor import Tensor, new_object, wrap

SECOND_BACKWARD = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


class RemovableHandle:
    """What register_*hook returns: `remove()` takes the hook away; also a context manager."""

    next_id = 0

    def __init__(self, hooks, *, extra_dict=None):
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        self._hooks = weakref.ref(hooks)
        others = extra_dict if isinstance(extra_dict, list) else [] if extra_dict is None else [extra_dict]
        self._others = [weakref.ref(d) for d in others]

    def remove(self):
        """Take the hook away; a second time does nothing."""
        for ref in (self._hooks, *self._others):
            hooks = ref()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()

    def __getstate__(self):
        return (self._hooks(), self.id, tuple([ref() for ref in self._others]))

    def __setstate__(self, state):
        hooks, self.id, *others = state
        self._hooks = weakref.ref(collections.OrderedDict() if hooks is None else hooks)
        self._others = [weakref.ref({} if d is None else d) for d in (others[0] if others else ())]
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)


RemovableHandle.__module__ = "lucid.utils.hooks"


class Hooks(collections.OrderedDict):
    """Hooks by handle id, weakly referable."""

    def attach(self, hook):
        handle = RemovableHandle(self)
        self[handle.id] = hook
        return handle


class Output:
    """An edge to a node's later output."""

    __slots__ = ("node", "nr")
    refusal = None
    is_leaf_end = False

    def __init__(self, node, nr):
        self.node, self.nr = node, nr


# Marks of node classes: free() has something to forget; a fusion pattern may end here. None has the last.
HOLDS, ENDS_PAIR, NEVER = 1, 2, 4


class BackwardOperation:
    """A node: one call of an op, kept to run its gradient rules. It is the result's `grad_fn`.

    Slots: `edges` one per tensor input, `seq` the tick of its making (-1 once freed), `k` the kernel table of its
    inputs. Subclasses, one per op, add a slot per saved value. Rare things live in the instance's __dict__.
    """

    __slots__ = ("edges", "seq", "k", "__dict__", "__weakref__")

    op = None  # the Operation
    n_out = 1  # how many outputs can receive a gradient
    shapes = None  # input shapes, when a broadcast has to be undone
    casts = None  # input tables, when inputs were promoted
    hooks = None  # after the node ran: f(grad_inputs, grad_outputs)
    prehooks = None  # before: f(grad_outputs)
    tensor_hooks = None  # {output nr: Hooks} of the output tensors
    retained = None  # {output nr: weakref of the tensor that retains its gradient}
    forward_trace = None  # anomaly mode: where it was made
    needs_care = False  # has hooks, or runs user code: a walk takes the careful way
    runs_without = False  # runs although no gradient came: a user's backward
    marks = HOLDS  # what a walk has to know of a class in one look
    saved_names = ()  # slots that hold raw arrays
    own_write = 0  # the tick of the write that the call itself made, where it overwrote an operand that it had saved
    promoted = ()  # (slot, array) of operands whose type was raised before they were saved: what they were made from
    is_leaf_end = False  # does it stand for a leaf, which has no grad_fn?
    turned_in_place = False  # did it give a tensor itself another shape?
    copy_slices = None  # a weak reference to the CopySlices that runs this node, for a write through a view
    view_after = None  # a weak reference to the node of the view that it wrote
    refusal = None  # why torch forbids to use the view that this node stands for
    shown_in = ""  # the module that torch prints before the name of a node
    fuses_from = None  # where it ENDS_PAIR: elements of the gradient from which a fusion pattern may end here
    override_grad_func = None  # set by fusion: replaces the rules for one walk
    override_tensor_refs = None

    @classmethod
    def ends_pair_from(cls, elements):
        """From so many elements on, a walk looks whether a fusion pattern ends at nodes of this class."""
        cls.fuses_from, cls.marks = elements, cls.marks | ENDS_PAIR

    # ---- what torch shows

    def name(self):
        """name() -> str: the node's type, as torch names it."""
        name = type(self).__name__
        return "torch::autograd::" + name if name == "NotImplemented" else name

    @property
    def next_functions(self):
        """((node, output_nr), ...) in the order of the inputs; (None, 0) where no gradient is wanted."""
        edges = self.edges
        if self.op is not None and self.op.index_inputs:
            edges = [e for e, name in zip(edges, self.op.inputs) if name not in self.op.index_inputs]
        return tuple(
            [
                (None, 0)
                if e is None or e.__class__ is NoGradView
                else (e.node, e.nr)
                if e.__class__ is Output
                else (e, 0)
                for e in edges
            ]
        )

    @property
    def metadata(self):
        """A dict for the user's own notes on this node."""
        return self.__dict__.setdefault("_metadata", {})

    def _sequence_nr(self):
        return self.seq

    def __repr__(self):
        return f"<{self.shown_in}{type(self).__name__} object at {id(self):#x}>"

    def register_hook(self, fn):
        """Call fn(grad_inputs, grad_outputs) after this node ran; what it returns replaces grad_inputs."""
        self.needs_care = True
        if self.hooks is None:
            self.hooks = Hooks()
        return self.hooks.attach(fn)

    def register_prehook(self, fn):
        """Call fn(grad_outputs) before this node runs; what it returns replaces grad_outputs."""
        self.needs_care = True
        if self.prehooks is None:
            self.prehooks = Hooks()
        return self.prehooks.attach(fn)

    def _register_hook_dict(self, hooks):
        self.needs_care, self.hooks = True, hooks

    def __call__(self, *grads):
        with_edges = tuple(self.edges)
        got = self.on_tensors(grads if self.n_out > 1 else grads[0], with_edges)
        return got[0] if len(got) == 1 else tuple(got)

    # ---- what a walk asks of it

    def on_arrays(self, g, edges):
        """Raw gradients for the inputs, None where an edge is None. Generated for each op."""
        raise NotImplementedError

    def on_tensors(self, g, edges):
        """The same with Tensors, recorded if gradients are on."""
        raise NotImplementedError

    def free(self):
        """Forget the saved values."""
        if self.saved_names:
            for name in self.saved_names:
                setattr(self, name, None)
            self.seq = -1


class AccumulateGrad(BackwardOperation):
    """The end of the graph at a leaf: adds into `variable.grad`."""

    __slots__ = ("_variable", "_last")
    is_leaf_end = True
    post_hooks = None  # register_post_accumulate_grad_hook

    def __init__(self, variable):
        self.edges, self.seq, self.k = (), 1 << 62, variable._table
        self._variable, self._last = weakref.ref(variable), None

    @property
    def variable(self):
        """The leaf tensor."""
        found = self._variable()
        if found is None:
            found = self._last() if self._last is not None else None
        if found is None:  # the user dropped it while the graph lived on
            raise ReferenceError("the leaf of this AccumulateGrad is gone")
        return found

    def target(self):
        return self._variable()

    def name(self):
        return "torch::autograd::AccumulateGrad"


class NoGradView(BackwardOperation):
    """The end of the graph at a view that was made in no_grad mode of a tensor that requires a gradient.

    It says that it requires one too, and its uses are recorded, but no gradient goes on from here.
    """

    __slots__ = ()
    is_leaf_end, marks = True, 0

    def __init__(self):
        self.edges, self.seq, self.k = (), 0, None

    def on_arrays(self, g, edges):
        return ()

    on_tensors = on_arrays


memory.untracked = NoGradView


def leaf(t):
    """Make t a leaf that requires a gradient; one that did before has the node that graphs made then lead to."""
    m = t._extra
    node = None if m is None else m.frozen
    if node is None or node.target() is not t or node.k is not t._table:
        node = AccumulateGrad(t)
    t._node = node
    return t


def freeze(t):
    """t, a leaf, requires no gradient any more; graphs that lead to it give it none."""
    memory.extra(t).frozen, t._node = t._node, None


def record(node_class, k, edges, **saved):
    """A node for a call that was just made: k the table of its inputs, one edge for each, and its slots by name.

    The way every node comes about but for those that generated functions write out (generate.py), which do the same.
    Calls that are made a million times set the slots themselves, which is quicker than by name.
    """
    node = new_object(node_class)
    node.k, node.edges, node.seq = k, edges, tick()
    if saved:
        for name, value in saved.items():
            setattr(node, name, value)
    if UNUSUAL and local.anomaly:
        node.forward_trace = traceback.extract_stack()[:-2]
    return node


# ---- saved values


# What a rule calls the results: the only one, all of several, or one of several. A result that no rule names may be
# written over, as in `batch_norm(x).relu_()`.
OUTPUTS = {"out": None, "outs": None, "out0": 0, "out1": 1, "out2": 2, "out3": 3}


def verify(node, only=None):
    """Called when something was written in place after the node was made (or the node was freed).

    only: the one saved value that is asked for; else all.
    """
    if node.seq == -1:
        raise RuntimeError(SECOND_BACKWARD)
    first = node.op.inputs[:1] if node.op is not None else ()
    order = sorted(node.saved_names, key=lambda name: (name in OUTPUTS, "self" if name in first else name))
    promoted = dict(node.promoted)
    for name, array in [
        (name, found)
        for name in order  # as torch looks at them
        for found in (promoted.get(name), getattr(node, name, None))
    ]:
        if only is not None and name != only or name not in OUTPUTS and _for_nobody(node, name):
            continue
        since = max(node.seq, node.own_write) if name in OUTPUTS else node.seq
        for one in array if isinstance(array, (tuple, list)) else (array,):
            storage = None if one is None else write_storage(one)
            if storage is None:
                continue
            if (
                storage.detached
                and name not in OUTPUTS
                and any([t > max(since, storage.last_write) and d is one for t, d in storage.detached])
            ):  # and not written since
                raise RuntimeError(
                    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
                    "supported, please use out-of-place `.detach()` instead"
                )
            if storage.last_write > since:
                if name in OUTPUTS and node.op.recompute_saved is not None:
                    node.op.recompute_saved(node, name)
                    continue
                raise RuntimeError(modified(node, name, one, storage))


MANY_VIEWS = (
    " This view is the output of a function that returns multiple views. Such functions do not allow the output views "
    "to be modified inplace. You should replace the inplace operation by an out-of-place one."
)


def _of_many(node):
    """torch's refusal of a view of one of several views; None where this is none."""
    while node.op is not None and node.op.view and node.edges and node.edges[0] is not None:
        edge = node.edges[0]
        node = _origin(edge)
        if edge.__class__ is Output and node.op is not None and node.op.view:
            return (
                f"Output {edge.nr} of {node.name().rpartition('Backward')[0]} is a view and its base or another view "
                "of its base has been modified inplace." + MANY_VIEWS
            )
    return None


def _for_nobody(node, name):
    """Was an operand saved only for gradients of views made in no_grad mode, for which torch saves nothing?"""
    op = node.op
    if op is None or op.joint is not None or op.poly or NoGradView not in map(type, node.edges):
        return False
    users = [i for i, rule in enumerate(op.rules) if rule is not None and name in rule.wants]
    return bool(users) and all([node.edges[i] is None or type(node.edges[i]) is NoGradView for i in users])


def modified(node, name, array, storage):
    """Why a saved array cannot be used: it was written since."""
    k = node.k.of(array)
    edge_node, reread, shape = _saved_from(node, name, array, storage)
    which = ""
    if edge_node is not None and not edge_node.is_leaf_end:
        origin = edge_node.node if edge_node.__class__ is Output else edge_node
        if origin.refusal is not None:  # a view that torch forbids to use at all
            return origin.refusal
        after = origin.view_after and origin.view_after()
        if after is not None:
            which = _output_of(after)
        elif reread and origin.op is not None and origin.op.view:
            if (refusal := _of_many(origin)) is not None:
                return refusal
            which = ", which is output 0 of AsStrided,"
        else:
            which = _output_of(edge_node)
    return _written(k, shape, which, storage.version, storage.version_at(node.seq))


def written_error(t, now, then):
    """The error for a saved tensor whose version was another when it was saved."""
    edge = t._node
    which = "" if edge is None or edge.is_leaf_end else _output_of(edge)
    return RuntimeError(_written(t._table, t._array.shape, which, now, then))


def _written(k, shape, which, now, then):
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{_type_name(k)} {list(shape)}]{which} is at version {now}; expected version {then} instead. Hint: enable "
        "anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )


def _output_of(edge):
    node, nr = (edge.node, edge.nr) if edge.__class__ is Output else (edge, 0)
    return f", which is output {nr} of {_bare(node.name())},"


_OLD_TYPES = {"Byte", "Char", "Double", "Float", "Int", "Long", "Short", "Half"}  # which torch names in its old way


def _type_name(k):
    name, device = SCALAR_NAMES[k.dtype], k.device.type
    if name in _OLD_TYPES:
        return f"torch.{name}Tensor" if device == "cpu" else f"torch.{device}.{name}Tensor"
    return f"{device.upper()}{name}Type"


def _bare(name):
    head, _, tail = name.rpartition("Backward")
    return head + tail.removeprefix("0") if head and (not tail or tail.isdigit()) else name


def _saved_from(node, name, array, storage):
    """(the node that torch names: an operand's present one, was it a view that is gone, which torch would read anew?,
    the shape that the operand has now)
    """
    if name.startswith("out"):
        return node, False, array.shape
    inputs = node.op.inputs if node.op is not None else ()
    edge = node.edges[0 if node.op.poly else inputs.index(name)] if name in inputs else None
    found = [t for t in storage.tensors() if t._array is array]
    made = [at for at in (node, node.view_after and node.view_after()) if at is not None]
    if edge is None and node.edges and (wrote := [t for t in storage.tensors() if _was_at(t._node, made, True)]):
        # the call wrote that memory: was it a tensor without a gradient that it wrote, or another one that it read?
        return (wrote[0]._node if node.edges[0] is None else None), False, array.shape
    if edge is not None or all([t._node is not None for t in found]):
        found = [t for t in found if t._node is not None]
    else:  # a tensor that wanted no gradient, and that wants none now, was saved
        return None, False, array.shape
    origin = _origin(edge)
    was_view = origin is not None and not origin.turned_in_place
    if was_view:
        named = origin.op.view if origin.op else origin.name().startswith("AsStrided")
        was_view = named or origin.__class__ is NoGradView
    places = [edge]
    if edge is None or edge is node.edges[0]:  # it may be what the call itself wrote
        places += [node, node.view_after and node.view_after()]
    places = [at for at in map(_origin, places) if at is not None]
    # several tensors may have one array: what detach() gives, and views that leave all as it is
    found.sort(key=lambda t: (not _was_at(t._node, places, True), was_view != (t._extra.base is not None)))
    if found and (edge is None or was_view == (found[0]._extra.base is not None)):
        return found[0]._node, False, array.shape
    for t in storage.tensors():
        if _was_at(t._node, places) or was_view and _is_turned_reading(t._node):
            return t._node, False, t._array.shape
    return (found[0]._node, False, array.shape) if found else (edge, True, array.shape)


def _is_turned_reading(edge):
    """The place of a view that was read anew from its base and then given another shape in place?"""
    at = _origin(edge)
    if at is None or not at.turned_in_place:
        return False
    while at is not None and at.turned_in_place:
        at = _origin(at.edges[0])
    return at is not None and at.op is None and hasattr(at, "region") and not hasattr(at, "fn")


def _was_at(edge, places, turned=False):
    """Was a tensor whose place is `edge` at one of those places before it was turned (and written) in place?"""
    at, first = _origin(edge), min([place.seq for place in places], default=0)
    while at is not None and at.seq >= first:
        if turned and at in places:
            return True
        turned = turned or at.turned_in_place
        if not at.edges or at.op is not None and at.op.view and not at.turned_in_place:
            return False
        at = _origin(at.edges[0])
    return False


def _origin(edge):
    """The node of an edge."""
    return edge.node if edge.__class__ is Output else edge


def alias_in_graph(d, k, edge):
    """A Tensor around a raw array, at the place in the graph that `edge` names."""
    t = new_object(Tensor)
    t._array, t._table, t._node, t._extra = d, k, edge, None
    return t


# Of a call that a mode sees: id of an array -> another tensor of it, which the mode knows.
type(local).told_tensors = {}


class Packed:
    """A saved value that saved_tensors_hooks packed away."""

    __slots__ = ("value", "unpack_hook")

    def __init__(self, value, unpack_hook):
        self.value, self.unpack_hook = value, unpack_hook

    def unpack(self, edge=None):
        t = self.unpack_hook(self.value)
        if edge is not None and t._node is None:
            t._node = edge
        return t


def pack(array, k, edge):
    """A value to be saved, as the innermost saved_tensors_hooks packs it."""

    pack_hook, unpack_hook = local.saved_hooks[-1]
    t = local.told_tensors.get(id(array))
    t = wrap(array, k.of(array)) if t is None else t
    if edge is not None and t._table.inexact:
        t._node = edge
    hooks, local.saved_hooks = local.saved_hooks, ()
    try:
        packed = pack_hook(t)
    finally:
        local.saved_hooks = hooks
    return Packed(packed, unpack_hook)
