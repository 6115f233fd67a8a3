"""An op of one's own: its schema, a kernel for each kind of device, a gradient, a vmap rule, and the call of it all."""

from .._aten.overloads import OWN, OpOverload, OpOverloadPacket
from .._backend import dispatch
from .._base.state import DISPATCH, grad_enabled, local, set_grad_enabled
from .._base.tree import flatten
from .._modes.autocast import _cast as cast_inside
from .._modes.autocast import autocast, is_autocast_available
from .._tensor.storage import bump, storage_of
from .._tensor.tensor import Tensor
from ..autograd.function import Function

OPS: dict = {}  # "namespace::name" -> OpOverload

_ALIASES = (
    "The output of this custom operator (1) must not also be an input to this custom operator and (2) may not alias "
    "any inputs to this custom operator or other returns. The most common way to trigger this error is if we have y = "
    "custom_op(x) and y and x are the same Tensor. Please instead return a clone of the offending output tensor(s) "
    "(e.g. return x.clone()) or refactor the custom operator to not return y."
)


class OwnPacket(OpOverloadPacket):
    """The overloads of an op that the program defined."""

    def __init__(self, namespace, name):
        super().__init__(f"{namespace}::{name}", name, {})

    def add(self, overload):
        """Take an overload in."""
        which = overload._overloadname
        if which not in self._overload_names:
            self._overload_names.append(which)
        self._rows[which] = overload
        self.__dict__[which] = overload

    def _made(self, row):
        return row


class OwnOverload(OpOverload):
    """`torch.ops.namespace.name.default`: the op, callable."""

    def __init__(self, schema, shown=None, tags=()):
        namespace, _, name = schema.name.partition("::")
        packets = OWN.setdefault(namespace, {})
        packet = packets.get(name) or packets.setdefault(name, OwnPacket(namespace, name))
        super().__init__(packet, schema, tuple(str(t).rpartition(".")[2] for t in _listed(tags)))
        self.kernels = {}  # kind of device, None for any -> function
        self.fake = self.backward = self.setup_context = self.vmap = self.composite = self.autograd_kernel = None
        self.casts = {}  # type of devices -> what autocast casts to there
        self.autocast_kernels = {}  # type of devices -> what is called under autocast there
        self.rules = {}  # class of a mode or of tensors -> what it does with the op
        self.shown = shown  # the CustomOpDef, for messages
        self.may_alias = shown is None
        packet.add(self)
        OPS[self._name] = self

    @property
    def is_composite(self):
        return self.composite is not None

    def compute(self, *args, **kwargs):
        """compute(*args): the call."""
        return self(*args, **kwargs)

    def of_values(self, values):
        """The call, of the values of all arguments."""
        return self(*self._positional(values), **self._by_keyword(values))

    def __call__(self, *args, **kwargs):
        if self.casts and (kind := next((d for d in self.casts if d in local.autocast.enabled), None)):
            with autocast(kind, enabled=False):
                return self(*cast_inside(args, kind, self.casts[kind]), **cast_inside(kwargs, kind, self.casts[kind]))
        values = self._schema.bound(args, kwargs)
        if self.autocast_kernels and local.autocast.enabled:
            kind = next((d for d in self.autocast_kernels if d in local.autocast.enabled), None)
            if kind is not None and kind == self._device_type(values):
                return self.autocast_kernels[kind](*self._positional(values), **self._by_keyword(values))
        tensors = [t for t in flatten(values)[0] if isinstance(t, Tensor)]
        if self.composite is not None:
            return self.composite(*self._positional(values), **self._by_keyword(values))
        transforms = local.frames or local.transforms or any(t._table.is_transform for t in tensors)
        if self.autograd_kernel is not None and not self._inside:
            return self._by_autograd_kernel(values)
        if self._schema.returns and (transforms or grad_enabled() and any(t._node is not None for t in tensors)):
            return self._recorded(values)
        return self._computed(values)

    _inside = False  # does its Autograd kernel run, which calls it again for the numbers?

    def _by_autograd_kernel(self, values):
        self._inside = True
        try:
            return self.autograd_kernel(*self._positional(values), **self._by_keyword(values))
        finally:
            self._inside = False

    # ---- the values

    def _computed(self, values):
        """The kernel's result, without a graph; what it changed in place has a new version."""
        if DISPATCH:
            tensors = dispatch.tensors_of(values, {})
            if dispatch.asked(tensors):
                return dispatch.tell(self, tensors, tuple(self._positional(values)), self._by_keyword(values))
        written = [t for a, v in zip(self._schema.arguments, values) if a.is_write for t in flatten(v)[0]]
        written = [(t, None if t.is_inference() else t._version) for t in written if isinstance(t, Tensor)]
        before = grad_enabled()
        set_grad_enabled(False)
        try:
            kernel = self._kernel(values)
            if kernel is self.fake:
                return self.faked(*self._positional(values), **self._by_keyword(values))
            result = kernel(*self._positional(values), **self._by_keyword(values))
        finally:
            set_grad_enabled(before)
        for t, version in written:
            # a custom_op counts once more than its kernel's own writes; of others the kernel's are the count
            if not t.is_inference() and (self.shown is not None or t._version == version):
                bump(t)
        return self._checked(result, values)

    def faked(self, *args, **kwargs):
        """faked(*args): what results look like, by the fake implementation, or by the kernel for any device."""
        found = self.fake or self.kernels.get("meta") or self.composite
        found = found or (None if self.shown is not None else self.kernels.get(None))
        if found is None:
            raise RuntimeError(self._no_fake())
        before, local.fake_impl = local.fake_impl, self
        try:
            return found(*args, **kwargs)
        finally:
            local.fake_impl = before

    def _no_fake(self):
        return (
            f"There was no fake impl registered for {self.shown or self}. This is necessary for torch.compile/"
            f"export/fx tracing to work. Please use `{self._opname}.register_fake` to add an fake impl."
        )

    def _positional(self, values):
        return [v for a, v in zip(self._schema.arguments, values) if not a.kwarg_only]

    def _by_keyword(self, values):
        return {a.name: v for a, v in zip(self._schema.arguments, values) if a.kwarg_only}

    def _kernel(self, values):
        kind = self._device_type(values)
        if kind == "meta" and "meta" not in self.kernels:
            if self.fake is None:
                raise RuntimeError(self._no_fake())
            return self.fake
        found = self.kernels.get(kind) or self.kernels.get(None)
        if found is None:
            raise RuntimeError(
                f"{self._opname} does not have a kernel registered for {kind}. Please use register_kernel to do so."
            )
        return found

    def _device_type(self, values):
        for t in flatten(values)[0]:
            if isinstance(t, Tensor):
                return t.device.type if t._table.has_data else "meta"  # a program that is read has no numbers
        for argument, value in zip(self._schema.arguments, values):
            if argument.type.text == "Device":
                return value.type
        return "cpu"

    def _checked(self, result, values):
        """The result; RuntimeError where it is of another kind than the schema's, or shares memory with an argument."""
        returns = self._schema.returns
        if not returns:
            return None
        many = list(result) if len(returns) > 1 else [result]
        for returned, r in zip(returns, many):
            if returned.type.text == "Tensor" and not isinstance(r, Tensor):
                raise RuntimeError(f"Unable to cast {r!r} to Tensor")
        if not self.may_alias:
            seen = {id(storage_of(t)) for t in flatten(values)[0] if isinstance(t, Tensor)}
            for r in flatten(many)[0]:
                if isinstance(r, Tensor):
                    if id(storage_of(r)) in seen:
                        raise RuntimeError(f"{self._opname} (with implementation in {__name__}): {_ALIASES}")
                    seen.add(id(storage_of(r)))
        return result

    # ---- the graph

    def _recorded(self, values):
        """The result with its place in the graph, and as the transforms that run ask for it."""
        leaves, rebuild = flatten(values)
        op, forms = self, {}

        class Recorded(Function):
            generate_vmap_rule = op.vmap is None

            @staticmethod
            def forward(*flat):
                out = op._computed(rebuild(list(flat)))
                found, forms["out"] = flatten(out)
                return tuple(found)

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.needs_each = ctx.needs_input_grad
                if op.setup_context is not None:
                    given = rebuild(list(inputs))
                    extra = {"keyword_only_inputs": op._by_keyword(given)} if op._by_keyword(given) else {}
                    op.setup_context(
                        ctx=ctx, inputs=tuple(op._positional(given)), output=forms["out"](list(output)), **extra
                    )

            @staticmethod
            def backward(ctx, *grads):
                each = forms["out"](list(grads))  # a list for a result that is one
                return op._gradients(ctx, each if len(op._schema.returns) > 1 else (each,), values)

        if op.vmap is not None:

            def by_rule(info, in_dims, *flat):
                dims, given = rebuild(list(in_dims)), rebuild(list(flat))
                out, dims = op.vmap(info, tuple(op._positional(dims)), *op._positional(given), **op._by_keyword(given))
                found, forms["out"] = flatten(out)
                dims = flatten(dims)[0] if isinstance(dims, (tuple, list)) else [dims] * len(found)
                return tuple(found), tuple(dims)

            Recorded.vmap = staticmethod(by_rule)
        node = f"GeneratedBackwardFor_{self.namespace}_{self._opname}_defaultBackward"
        Recorded.__name__ = node.removesuffix("Backward")
        Recorded._backward_cls.__name__ = Recorded._context_cls.__name__ = node
        out = Recorded.apply(*leaves)
        return forms["out"](list(out))

    def _gradients(self, ctx, grads, values):
        if self.backward is None:
            raise RuntimeError(
                f"Trying to backward through {self} but no autograd formula was registered. Please use "
                "register_autograd to add one."
            )
        got = self.backward(ctx, *grads)
        got = got if isinstance(got, tuple) else (got,)
        if len(got) != len(self._positional(values)):
            raise RuntimeError(
                f"The backward function for {self} returned an incorrect number of gradients (expected "
                f"{len(self._positional(values))}, got {len(got)})"
            )
        flat = []
        for g, value in zip(got, values):
            n = len(flatten(value)[0])
            flat += list(g) if isinstance(g, (tuple, list)) else [g] * n if g is None else [g]
        return tuple(flat + [None] * sum(len(flatten(v)[0]) for v in values[len(got) :]))


class CustomOpDef:
    """What custom_op gives: the op under the function's own name, and what may be registered for it."""

    def __init__(self, schema, fn, device_types, tags=()):
        self._namespace, _, self._name = schema.name.partition("::")
        self._qualname, self._init_fn = schema.name, fn
        self._opoverload = OwnOverload(schema, self, tags)
        for kind in _kinds(device_types):
            self._opoverload.kernels[kind] = fn

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args, **kwargs):
        return self._opoverload(*args, **kwargs)

    def register_fake(self, fn, /):
        """register_fake(fn) -> fn: what results look like, for tensors on `meta`."""
        self._opoverload.fake = fn
        return fn

    def register_kernel(self, device_types, fn=None, /):
        """register_kernel("cpu") as a decorator: the function for a kind of device."""

        def put(f):
            for kind in _kinds(device_types):
                self._opoverload.kernels[kind] = f
            return f

        return put if fn is None else put(fn)

    def register_autograd(self, backward, /, *, setup_context=None):
        """register_autograd(backward, setup_context=None): backward(ctx, *grads) gives one gradient per argument.

        setup_context(ctx, inputs, output) keeps what it needs. RuntimeError for an op that changes its arguments.
        """
        schema = self._opoverload._schema
        if schema.is_mutable:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self} with schema {schema}. "
                "Please create a functional operator and register an autograd formula for that."
            )
        self._opoverload.backward, self._opoverload.setup_context = backward, setup_context

    def register_vmap(self, func=None):
        """register_vmap(fn) as a decorator: fn(info, in_dims, *args) -> (result, out_dims)."""

        def put(f):
            self._opoverload.vmap = f
            return f

        return put if func is None else put(func)

    def register_autocast(self, device_type, cast_inputs):
        """register_autocast(device_type, dtype): under autocast the op takes its tensors in that type, and runs with
        autocast off."""
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise ValueError(f"Device type '{device_type}' does not support autocast.")
        self._opoverload.casts.setdefault(device_type, cast_inputs)  # as in torch, the first one stays

    def register_torch_dispatch(self, torch_dispatch_class, fn=None, /):
        """register_torch_dispatch(cls, fn) -> fn(mode or cls, func, types, args, kwargs): what a mode or a class of
        tensors does with the op, in place of its __torch_dispatch__."""

        def put(f):
            self._opoverload.rules[torch_dispatch_class] = f
            return f

        return put if fn is None else put(fn)


def _listed(tags):
    return tags if isinstance(tags, (tuple, list)) else () if tags is None else (tags,)


def _kinds(device_types):
    return (device_types,) if device_types is None or isinstance(device_types, str) else tuple(device_types)
