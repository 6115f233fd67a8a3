"""autograd.Function: user-defined ops, in both of torch's styles. The ctx *is* the graph node."""

import functools
import math
import warnings
import weakref

from .._backend.graph import SECOND_BACKWARD, AccumulateGrad, BackwardOperation, Output, Packed, record, written_error
from .._backend.overrides import PLAIN
from .._backend.registry import OPS
from .._backend.view_history import rebase
from .._base.refused import refused_class
from .._base.state import grad_enabled, local, set_grad_enabled, tick
from .._base.warn import warn
from .._modes.function_transforms import apply_in_transforms
from .._tensor.storage import bump, extra, link_alias, link_view
from .._tensor.tensor import Tensor, wrap


class FunctionCtx:
    """What forward and backward of a Function may do with their ctx."""

    def save_for_backward(self, *tensors):
        """Keep tensors (inputs or outputs, or None) for backward's `ctx.saved_tensors`. Call it once."""
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        """Keep tensors for jvp's `ctx.saved_tensors`."""
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save non-tensors as "
                    "attributes on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args):
        """Name the inputs that forward changed in place; each must be returned."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args):
        """Name the outputs that have no gradient."""
        self.non_differentiable = args

    def mark_shared_storage(self, *pairs):
        warnings.warn(
            "mark_shared_storage is deprecated. Tensors with shared storages are automatically tracked. Note that "
            "calls to `set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )

    def set_materialize_grads(self, value):
        """False: backward gets None for outputs without gradient, instead of zeros."""
        self.materialize_grads = value


class Context(FunctionCtx):
    """The ctx of one call: the user's own attributes, and what save_for_backward kept.

    It stands apart from the node so that no attribute a user chooses (`ctx.k`, `ctx.name`) can hide one of the
    engine's; what the ctx does not have is asked of the node, and the other way round.
    """

    to_save = dirty_tensors = non_differentiable = saved_for_forward = ()
    materialize_grads = True
    needs_input_grad = ()
    _lucid_saved = ()  # saved values; None once freed
    _lucid_node = None  # weak reference to the node

    @property
    def saved_tensors(self):
        """The tensors given to save_for_backward."""
        saved = self._lucid_saved
        if saved is None:
            raise RuntimeError(SECOND_BACKWARD)
        if saved == () and self.to_save:
            return tuple(self.to_save)
        return tuple([None if s is None else s.unpack(self._lucid_node()) for s in saved])

    @property
    def _raw_saved_tensors(self):
        return self._lucid_saved

    def for_jvp(self):
        """A ctx for jvp: its saved_tensors are those of save_for_forward, if there are any."""
        if not self.saved_for_forward:
            return self
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, to_save=self.saved_for_forward, _lucid_saved=())
        return other

    def __getattr__(self, name):
        node = None if name.startswith("__") or self._lucid_node is None else self._lucid_node()
        if node is None or not hasattr(type(node), name):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(node, name)


class FunctionNode(BackwardOperation):
    """The graph node of one call of a Function."""

    __slots__ = ("ctx", "_inputs", "_outputs")
    shown_in = "torch.autograd.function."
    needs_care = True  # a walk sets the gradient mode before user code runs
    runs_without = True

    def __getattr__(self, name):
        if name.startswith("__") or name in FunctionNode.__slots__:
            raise AttributeError(name)
        return getattr(self.ctx, name)

    def free(self):
        if self.ctx._lucid_saved:
            self.ctx._lucid_saved = None

    # ---- a walk comes by

    def on_arrays(self, g, edges):
        grads = self.on_tensors(
            [None if x is None else wrap(x, self._outputs[i][1]) for i, x in enumerate(g if self.n_out > 1 else [g])],
            edges,
            raw=True,
        )
        return [None if x is None else x._array for x in grads]

    def on_tensors(self, g, edges, raw=False):
        """The user's backward on Tensors; checks what it returned against the inputs."""
        gs = list(g) if raw or self.n_out > 1 else [g]
        if self.ctx.materialize_grads:
            gs = [wrap(o[1].zeros(o[0]), o[1]) if x is None and o is not None else x for x, o in zip(gs, self._outputs)]
        returned = _gradient_rule(self._forward_cls)(self.ctx, *gs)
        return self._checked(returned if isinstance(returned, tuple) else (returned,), edges)

    def _checked(self, returned, edges):
        name, inputs = self.name(), self._inputs
        returned = list(returned)
        if len(returned) > len(inputs) and all(r is None for r in returned[len(inputs) :]):
            del returned[len(inputs) :]
        if len(returned) != len(inputs):
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {len(inputs)}, got "
                f"{len(returned)})"
            )
        grads, at = [], 0
        for i, (r, info) in enumerate(zip(returned, inputs)):
            if info is None:
                if r is not None:
                    raise RuntimeError(
                        f"function {name} returned a gradient different than None at position {i + 1}, but the "
                        "corresponding forward input was not a Variable"
                    )
                continue
            if r is not None and not isinstance(r, Tensor):
                raise RuntimeError(f"expected Variable or None (got {_type_name(r)})")
            grads.append(r if edges[at] is None or r is None else self._fitted(r, info, at))
            at += 1
        return grads

    def _fitted(self, r, info, i):
        """A returned gradient in its input's shape and type."""
        shape, k = info
        if r._array.shape != shape:
            ndim = len(shape)
            lead = r._array.ndim - ndim
            if lead < 0 or any(n != m and n != 1 for n, m in zip(shape, r._array.shape[lead:])):
                raise RuntimeError(
                    f"Function {self.name()} returned an invalid gradient at index {i} - got {list(r._array.shape)} "
                    f"but expected shape compatible with {list(shape)}"
                )
            r = r.sum_to_size(shape)
        if r._table is not k:
            if r._table.device != k.device:
                raise RuntimeError(
                    f"Function {self.name()} returned an invalid gradient at index {i} - expected device {k.device} "
                    f"but got {r._table.device}"
                )
            if r._table.is_complex and not k.is_complex:
                raise RuntimeError(
                    "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, "
                    "but got false. (Could this error message be improved? If so, please report an enhancement request "
                    "to PyTorch.)"
                )
            if r._table.dtype is not k.dtype:
                r = OPS["cast"].fn(r, k.dtype)
        return r


class _SavedInput:
    """A saved tensor that is not an output: the tensor itself, and the version it had."""

    __slots__ = ("tensor", "version")

    def __init__(self, tensor):
        self.tensor, self.version = tensor, tensor._version

    def unpack(self, node):
        t = self.tensor
        if t._version != self.version:
            raise written_error(t, t._version, self.version)
        return t


class _SavedOutput:
    """A saved output: its array, so that node and tensor do not hold each other."""

    __slots__ = ("array", "k", "nr", "meta", "version")

    def __init__(self, tensor, nr):
        self.array, self.k, self.nr, self.meta, self.version = (
            tensor._array,
            tensor._table,
            nr,
            extra(tensor),  # made now, so that a later write is seen
            tensor._version,
        )

    def unpack(self, node):
        now = 0 if self.meta.storage is None else self.meta.storage.version + self.meta.version_offset
        t = wrap(self.array, self.k)
        if self.k.inexact:
            t._node = node if self.nr == 0 else Output(node, self.nr)
        if now != self.version:
            raise written_error(t, now, self.version)
        return t


class _SavedPacked(Packed):
    __slots__ = ()

    def unpack(self, node):
        return self.unpack_hook(self.value)


class FunctionMeta(type):
    """Gives each Function its node class, `<Name>Backward`."""

    def __init__(cls, name, bases, attrs):
        super().__init__(name, bases, attrs)
        scope = {"_forward_cls": cls, "__module__": cls.__module__}
        cls._backward_cls = type(name + "Backward", (FunctionNode,), {**scope, "__slots__": ()})
        cls._context_cls = type(name + "Backward", (Context,), dict(scope))


class Function(FunctionCtx, metaclass=FunctionMeta):
    """Subclass it to define an op with its own gradient; call it as `MyFunction.apply(...)`.

    forward(ctx, *args), or forward(*args) together with setup_context(ctx, inputs, output); backward(ctx, *grads)
    returns one gradient (or None) per argument of forward. Optional: jvp(ctx, *tangents), vmap(info, in_dims, *args).
    """

    generate_vmap_rule = False

    def __init__(self, *args, **kwargs):
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args, **kwargs):
        """The op itself."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Save what backward needs, for a forward without ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """The gradients of forward's arguments."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it "
            "with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """The tangents of forward's outputs."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info, in_dims, *args):
        """The op on batched arguments."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args, **kwargs):
        """Run the op, and record it when an argument needs a gradient."""
        with_setup = cls.setup_context is not Function.setup_context
        if with_setup:
            args = _with_defaults(cls.forward, args, kwargs)
        elif kwargs:
            args = _with_defaults(cls.forward, (None, *args), kwargs)[1:]
        if local.frames or local.transforms or any(isinstance(a, Tensor) and a._table.is_transform for a in args):
            return apply_in_transforms(cls, args, with_setup, _call)
        return _call(cls, args, with_setup)[1]


def _gradient_rule(cls):
    """The class's backward, or its vjp, which is another name for it."""
    if cls.vjp is Function.vjp:
        return cls.backward
    if cls.backward is not Function.backward:
        raise RuntimeError(
            "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement "
            "one of them."
        )
    return cls.vjp


def _type_name(x):
    """A value's type as messages name it: int, numpy.ndarray."""
    cls = type(x)
    return cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__name__}"


def _with_defaults(forward, args, kwargs):
    import inspect

    bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


def _call(cls, args, with_setup, below=None):
    """(ctx, output) of one call, recorded; below: what to run in place of its forward, of tensors outside the graph."""
    node, ctx = cls._backward_cls.__new__(cls._backward_cls), cls._context_cls.__new__(cls._context_cls)
    tensors = [a for a in args if isinstance(a, Tensor)]
    ctx.needs_input_grad = tuple([isinstance(a, Tensor) and a._node is not None for a in args])
    recording = grad_enabled() and any(ctx.needs_input_grad)
    node.ctx, ctx._lucid_node = ctx, weakref.ref(node)
    node.edges = tuple([t._node if recording else None for t in tensors])
    node._inputs = [(a._array.shape, a._table) if isinstance(a, Tensor) else None for a in args]
    node.k = tensors[0]._table if tensors else None
    before = grad_enabled()
    set_grad_enabled(False)
    try:
        if below is not None or with_setup and local.transforms:
            output = _forward_below(below or cls.forward, args)
            cls.setup_context(ctx, args, output)
        elif with_setup:
            output = cls.forward(*args)
            cls.setup_context(ctx, args, output)
        else:
            output = cls.forward(ctx, *args)
    finally:
        set_grad_enabled(before)
    node.seq = tick()
    single = not isinstance(output, tuple)
    outputs = (output,) if single else tuple(output)
    outputs = _attach(node, outputs, tensors, recording)
    if recording:
        _save(ctx, outputs)
    ctx.dirty_tensors = ctx.non_differentiable = ()
    return ctx, outputs[0] if single else outputs


def _forward_below(forward, args):
    """forward(*args) with aliases outside the graph in place of its tensors; those it returns are the tensors again."""
    below = [_alias(a) if isinstance(a, Tensor) else a for a in args]
    off, local.forward_off = local.forward_off, math.inf
    try:
        output = forward(*below)
    finally:
        local.forward_off = off
    again = {id(b): a for a, b in zip(args, below) if isinstance(a, Tensor)}
    if isinstance(output, (tuple, list)):
        return type(output)([again.get(id(o), o) for o in output])
    return again.get(id(output), output)


def _alias(t):
    """The same memory outside the graph."""
    out = wrap(t._array, t._table)
    link_alias(out, t)
    return out


def _attach(node, outputs, inputs, recording):
    """Give each output its place in the graph; inputs returned as they are become views or, if dirty, the node's."""
    dirty = list(node.ctx.dirty_tensors)
    for i, d in enumerate(dirty):
        if not isinstance(d, Tensor):
            raise RuntimeError(f"mark_dirty can only accept variables, but argument {i} is of type {_type_name(d)}")
        if not any(d is t for t in inputs):
            warn(
                "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
                "should be passed to ctx.mark_dirty()."
            )
        if not any(d is o for o in outputs):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The inputs that "
                "are modified inplace must all be outputs of the Function."
            )
    for n in node.ctx.non_differentiable:
        if not isinstance(n, Tensor):
            raise RuntimeError(f"mark_non_differentiable only accepts variable arguments, but got {_type_name(n)}")
    node.n_out = len(outputs)
    node._outputs = [(o._array.shape, o._table) if isinstance(o, Tensor) else None for o in outputs]
    if node.k is None:
        node.k = next((o._table for o in outputs if isinstance(o, Tensor)), None)
    result = []
    for i, o in enumerate(outputs):
        if not isinstance(o, Tensor):
            result.append(o)
            continue
        is_input = any(o is t for t in inputs)
        if any(o is d for d in dirty):
            _attach_dirty(node, o, i, is_input, recording)
        else:
            if is_input:
                o = _as_view(o)
            differentiable = (
                recording and o._table.inexact and not any(outputs[i] is n for n in node.ctx.non_differentiable)
            )
            if recording and not differentiable and is_input:
                o = o.detach()
            if differentiable:
                o._node = node if i == 0 else Output(node, i)
                if o._extra is not None and o._extra.base is not None:
                    e = o._extra
                    e.made_without_grad, e.from_multi_view, e.marked = "function", node.n_out > 1, True
            elif o._node is not None and is_input:
                o._node = None
        result.append(o)
    return tuple(result)


def _attach_dirty(node, o, i, is_input, recording):
    bump(o)
    if not recording:
        return
    if o._node.__class__ is AccumulateGrad:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    if o._extra.base is not None and node.n_out > 1:
        raise RuntimeError(
            "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return "
            "more than one Tensor. This is not supported by the current autograd engine. You should either make sure "
            "the input is not a view (using .clone() for example) or make your Function only return one Tensor "
            "(potentially splitting it into two Functions: one doing the inplace that returns a single Tensor and a "
            "second one that does the other operations). You can ask on the forum https://discuss.pytorch.org/ if you "
            "need help to do this change."
        )
    rebase(o, node if i == 0 else Output(node, i))


def _as_view(t):
    """An alias of t, as torch's view_as gives: a new object that is a view of t."""
    out = wrap(t._array, t._table)
    link_view(out, t, OPS["alias"], (), local.grad)
    if type(t) not in PLAIN:
        out.__class__ = type(t)
    return out


def _save(ctx, outputs):
    saved = []
    for t in ctx.to_save:
        if t is None:
            saved.append(None)
            continue
        if not isinstance(t, Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {len(saved)} is of type {type(t).__name__}"
            )
        nr = next((i for i, o in enumerate(outputs) if o is t), None)
        if local.saved_hooks:
            pack, unpack = local.saved_hooks[-1]
            hooks, local.saved_hooks = local.saved_hooks, ()
            try:
                saved.append(_SavedPacked(pack(t), unpack))
            finally:
                local.saved_hooks = hooks
        else:
            saved.append(_SavedInput(t) if nr is None else _SavedOutput(t, nr))
    ctx._lucid_saved, ctx.to_save = saved, ()


def once_differentiable(fn):
    """Mark a backward that is not itself differentiable: a second derivative through it raises."""

    @functools.wraps(fn)
    def wrapper(ctx, *args):
        recording = grad_enabled() and any(isinstance(a, Tensor) and a._node is not None for a in args)
        before = grad_enabled()
        set_grad_enabled(False)
        try:
            outputs = fn(ctx, *args)
        finally:
            set_grad_enabled(before)
        if not recording:
            return outputs
        single = not isinstance(outputs, tuple)
        error = record(DelayedError, *_table_and_edges(args))
        marked = []
        for o in (outputs,) if single else outputs:
            if isinstance(o, Tensor):
                o = o.detach()
                o._node = error
            marked.append(o)
        return marked[0] if single else tuple(marked)

    return wrapper


def _table_and_edges(args):
    """The first tensor's table, and an edge for each argument."""
    edges = tuple([a._node if isinstance(a, Tensor) else None for a in args])
    return next(a._table for a in args if isinstance(a, Tensor)), edges


class DelayedError(BackwardOperation):
    """A node that raises when a walk reaches it."""

    __slots__ = ()

    def on_arrays(self, g, edges):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")

    on_tensors = on_arrays


class InplaceFunction(Function):
    """torch's older base class for in-place Functions."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


BackwardCFunction = FunctionNode


NestedIOFunction = refused_class("torch.autograd.function", "NestedIOFunction", "functions of nested containers")
