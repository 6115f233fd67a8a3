"""The graph: nodes, edges, what they save, and the hooks on them.

An edge is one of: None (no gradient wanted), a node (its output 0), or an `Output` (a node's later output). A leaf that
requires a gradient holds an AccumulateGrad. Saved values are raw arrays; a node remembers the tick of its making, so one
comparison tells whether anything was written in place since.
"""

import collections
import weakref

from .._base.dtype import C_NAMES, FLOATING, SCALAR_NAMES
from .._base.state import local
from .._tensor.storage import extra, write_storage
from .._tensor.tensor import Tensor, new_object

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

    def __init__(self, node, nr):
        self.node, self.nr = node, nr


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
    frees = True  # is there anything for free() to forget?
    saved_names = ()  # slots that hold raw arrays
    copy_slices = None  # a weak reference to the CopySlices that runs this node, for a write through a view
    refusal = None  # why torch forbids to use the view that this node stands for
    shown_in = ""  # the module that torch prints before the name of a node
    override_grad_func = None  # set by fusion: replaces the rules for one walk
    override_tensor_refs = None

    # ---- what torch shows

    def name(self):
        """name() -> str: the node's type, as torch names it."""
        return type(self).__name__

    @property
    def next_functions(self):
        """((node, output_nr), ...) in the order of the inputs; (None, 0) where no gradient is wanted."""
        edges = self.edges
        if self.op is not None and self.op.index_inputs:
            edges = [e for e, name in zip(edges, self.op.inputs) if name not in self.op.index_inputs]
        return tuple([(None, 0) if e is None else (e.node, e.nr) if e.__class__ is Output else (e, 0) for e in edges])

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


def leaf(t):
    """Make t a leaf that requires a gradient."""
    t._node = AccumulateGrad(t)
    return t


# ---- saved values

# What a rule calls the results: the only one, all of several, or one of several. A result that no rule names may be
# written over, as in `batch_norm(x).relu_()`.
OUTPUTS = {"out": None, "outs": None, "out0": 0, "out1": 1, "out2": 2, "out3": 3}


def verify(node):
    """Called when something was written in place after the node was made (or the node was freed)."""
    if node.seq == -1:
        raise RuntimeError(SECOND_BACKWARD)
    for name in node.saved_names:
        array = getattr(node, name, None)
        for one in array if isinstance(array, (tuple, list)) else (array,):
            storage = None if one is None else write_storage(one)
            if storage is not None and storage.last_write > node.seq:
                if name in OUTPUTS and node.op.recompute_saved is not None:
                    node.op.recompute_saved(node, name)
                    continue
                raise RuntimeError(_modified(node, name, one, storage))


def _modified(node, name, array, storage):
    k = node.k.of(array)
    edge_node = _saved_from(node, name, array, storage)
    which = ""
    if edge_node is not None:
        nr = edge_node.nr if edge_node.__class__ is Output else 0
        origin = edge_node.node if edge_node.__class__ is Output else edge_node
        if origin.__class__ is not AccumulateGrad:
            which = f", which is output {nr} of {_bare(origin.name())},"
    prefix = "torch." if k.device.type == "cpu" else f"torch.{k.device.type}."
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{prefix}{SCALAR_NAMES[k.dtype]}Tensor {list(array.shape)}]{which} is at version {storage.version}; expected "
        f"version {storage.version_at(node.seq)} instead. Hint: enable anomaly detection to find the operation that "
        "failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )


def _bare(name):
    if name == "CopySlices":
        return "torch::autograd::CopySlices"
    head, _, tail = name.rpartition("Backward")
    return head if head and (not tail or tail.isdigit()) else name


def _saved_from(node, name, array, storage):
    """The edge that the saved value came from: the node itself for a saved result."""
    if name.startswith("out"):
        return node
    for t in storage.tensors():
        if t._array is array and t._node is not None:
            return t._node
    inputs = node.op.inputs if node.op is not None else ()
    return node.edges[inputs.index(name)] if name in inputs else None


# ---- the graph's side of a Tensor


def _need_float(t, verb):
    if t._table.dtype.category < FLOATING:
        raise RuntimeError(
            "only Tensors of floating point dtype can require gradients"
            if verb == "require"
            else "only Tensors of floating point and complex dtype can require gradients"
        )


def _get_requires_grad(self):
    if self._node is None:  # a view made in no_grad mode says what its base says
        m = self._extra
        return m is not None and m.base is not None and m.base._node is not None
    return True


def _set_requires_grad(self, on):
    if self._node is not None and not isinstance(self._node, AccumulateGrad):
        if not on:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed "
                "variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
            )
        return
    if on:
        if self._table.dtype.category < FLOATING:
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        if self._extra is not None and self._extra.inference and not local.inference:
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        if self._node is None:
            leaf(self)
    else:
        self._node = None


def _requires_grad_(self, requires_grad=True):
    """requires_grad_(requires_grad=True) -> self: start (or stop) recording what is done with this leaf."""
    if not isinstance(requires_grad, bool):
        raise TypeError(
            f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {type(requires_grad).__name__}"
        )
    if requires_grad:
        _need_float(self, "require")
    self.requires_grad = requires_grad
    return self


def _grad_fn(self):
    n = self._node
    if n is None or n.__class__ is AccumulateGrad:
        return None
    if n.refusal is not None:
        raise RuntimeError(n.refusal)
    return n.node if n.__class__ is Output else n


def _get_grad(self):
    return None if self._extra is None else self._extra.grad


def _set_grad(self, g):
    if g is None:
        if self._extra is not None:
            self._extra.grad = None
        return
    if not isinstance(g, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(g).__name__}")
    if g is self:
        raise RuntimeError("can't assign Variable as its own grad")
    if g._array.shape != self._array.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(g._array.shape)}' to a tensor of size "
            f"'{list(self._array.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
    if g._table is not self._table:
        if g._table.device != self._table.device:
            raise RuntimeError("assigned grad has data located on a different device")
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{C_NAMES.get(g._table.dtype, g._table.dtype)}' to a "
            f"tensor with grad_dtype '{SCALAR_NAMES[self._table.dtype]}'. The gradient must match the tensor's "
            "grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with "
            "a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes "
            "of a tensor and its gradient may break downstream systems that assume they match."
        )
    extra(self).grad = g


def _output_nr(self):
    return self._node.nr if self._node.__class__ is Output else 0


def _register_hook(self, hook):
    """register_hook(hook) -> handle: call hook(grad) when this tensor's gradient is known; its result replaces it."""
    if self._node is None:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    node = self._node.node if self._node.__class__ is Output else self._node
    node.needs_care = True
    if node.tensor_hooks is None:
        node.tensor_hooks = {}
    hooks = node.tensor_hooks.setdefault(_output_nr(self), Hooks())
    return hooks.attach(hook)


def _register_post_accumulate_grad_hook(self, hook):
    """register_post_accumulate_grad_hook(hook) -> handle: call hook(self) after a walk has added to self.grad."""
    if self._node is None:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self._node.__class__ is not AccumulateGrad:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    self._node.needs_care = True
    if self._node.post_hooks is None:
        self._node.post_hooks = Hooks()
    return self._node.post_hooks.attach(hook)


def _retain_grad(self):
    """retain_grad(): keep this non-leaf tensor's gradient in `.grad`."""
    if self._node is None:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    node = _grad_fn(self)
    if node is not None:
        node.needs_care = True
        if node.retained is None:
            node.retained = {}
        node.retained[_output_nr(self)] = weakref.ref(self)


def _retains_grad(self):
    node = _grad_fn(self)
    kept = node.retained.get(_output_nr(self)) if node is not None and node.retained else None
    return kept is not None and kept() is self


Tensor.requires_grad = property(_get_requires_grad, _set_requires_grad, doc="Is its gradient wanted?")
Tensor.requires_grad_ = _requires_grad_
Tensor.grad_fn = property(_grad_fn, doc="The node that made it; None for a leaf.")
Tensor.grad = _grad = property(_get_grad, _set_grad, _set_grad, doc="The gradient accumulated so far.")
Tensor._grad = _grad
Tensor.is_leaf = property(lambda self: self._node is None or self._node.__class__ is AccumulateGrad)
Tensor.output_nr = property(_output_nr)
Tensor.register_hook = _register_hook
Tensor.register_post_accumulate_grad_hook = _register_post_accumulate_grad_hook
Tensor.retain_grad = _retain_grad
Tensor.retains_grad = property(_retains_grad)


def alias_in_graph(d, k, edge):
    """A Tensor around a raw array, at the place in the graph that `edge` names."""
    t = new_object(Tensor)
    t._array, t._table, t._node, t._extra = d, k, edge, None
    return t
