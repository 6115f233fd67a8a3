"""OpOverload and OpOverloadPacket: torch's ops under their own names, `torch.ops.aten.add.Tensor`, callable."""

import types

from .._backend import dispatch
from .._base.enumeration import enumeration
from .._base.state import DISPATCH, grad_enabled
from .._base.tree import flatten
from .._tensor.tensor import Tensor
from . import table

# Ops that take Python numbers for tensors.
_NUMBERS = [
    f"{n}{end}"
    for n in "add div divide mul multiply sub subtract true_divide floor_divide".split()
    for end in ("", "_")
]
NUMBERS_FOR_TENSORS = frozenset([*_NUMBERS, "_to_copy", "copy_", "copy", "to"])


def _module_of(namespace):
    """Where ops of a namespace say they are, in the library by the name that it has just now."""
    return f"{Tensor.__module__}._ops.{namespace}"


class OperatorBase:
    """What all ops have in common."""


class HigherOrderOperator(OperatorBase):
    """HigherOrderOperator(name): an op whose arguments are functions; a subclass says what a call does."""

    def __init__(self, name, *, cacheable=False):
        self._name, self.__name__, self.namespace = name, name, "higher_order"

    def name(self):
        """name() -> str"""
        return self._name

    def __str__(self):
        return self._name

    def __call__(self, /, *args, **kwargs):
        raise NotImplementedError(f"{self._name}: no call was defined for this higher-order operator")


class OpOverload(OperatorBase):
    """One overload of an op. `default` names the one without an overload name."""

    __module__ = "lucid._ops"

    def __init__(self, overloadpacket, schema, tags=()):
        self._schema, self._overloadpacket = schema, overloadpacket
        self._overloadname = schema.overload_name or "default"
        self.namespace, _, self._opname = schema.name.partition("::")
        self._tags = tags
        self._name = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
        self.__name__ = f"{self._opname}.{self._overloadname}"
        self.__qualname__ = self._name
        self.__module__ = _module_of(self.namespace)
        self.takes_numbers = self._opname in NUMBERS_FOR_TENSORS
        self._found_kernel = None

    @property
    def overloadpacket(self):
        return self._overloadpacket

    @property
    def op(self):
        return self

    _op = op

    def name(self):
        """name() -> "aten::add.Tensor" """
        return self._name

    def __str__(self):
        return f"{self.namespace}.{self._opname}.{self._overloadname}"

    def __repr__(self):
        return f"<OpOverload(op='{self.namespace}.{self._opname}', overload='{self._overloadname}')>"

    def __deepcopy__(self, memo=None):
        return self

    def __copy__(self):
        return self

    def __reduce__(self):
        return _found, (self.namespace, self._opname, self._overloadname)

    @property
    def tags(self):
        return [Tag.__members__[name] for name in self._tags]

    @property
    def is_view(self):
        """Is the result the memory of an argument, unwritten?"""
        return any(r.alias_info is not None and not r.alias_info.is_write for r in self._schema.returns)

    def has_kernel_for_dispatch_key(self, key):
        """has_kernel_for_dispatch_key(key) -> bool"""
        key = str(key).rpartition(".")[2]
        return key == "CompositeImplicitAutograd" if self.is_composite else key in ("CPU", "Meta", "Autograd")

    is_composite = False
    rules = None  # what modes and classes do with it, where register_torch_dispatch says so

    def decompose(self, *args, **kwargs):
        """decompose(*args) -> result of the ops that a composite is made of; NotImplemented for what is none."""
        return self.compute(*args, **kwargs) if self.is_composite else NotImplemented

    def redispatch(self, keyset, *args, **kwargs):
        """redispatch(keyset, *args): what it computes."""
        return self.compute(*args, **kwargs)

    def __call__(self, /, *args, **kwargs):
        if DISPATCH and not self.is_composite:
            tensors = dispatch.tensors_of(args, kwargs)
            if dispatch.asked(tensors) and not (grad_enabled() and any([t.requires_grad for t in tensors])):
                return dispatch.tell(self, tensors, *_short(self._schema, args, kwargs))
        return self.compute(*args, **kwargs)

    def compute(self, /, *args, **kwargs):
        """compute(*args): the call itself, which nobody is told."""
        try:
            values = self._schema.bound(args, kwargs, self.takes_numbers)
        except RuntimeError:
            answer = _who_answers(args, kwargs)  # a proxy of torch.fx, or a thing like it
            if answer is None:
                raise
            return answer.__torch_function__(self, (type(answer),), args, kwargs)
        if self._found_kernel is None:
            self._found_kernel = find_kernel(self)
        return self._found_kernel(values)


def _who_answers(args, kwargs):
    """The first argument that is no tensor and has a __torch_function__, or None."""
    for thing in flatten((args, kwargs))[0]:
        if not isinstance(thing, Tensor) and hasattr(type(thing), "__torch_function__"):
            return thing
    return None


def _short(schema, args, kwargs):
    """(args, kwargs) without defaults at the end."""
    arguments = schema.arguments
    args, kwargs = list(args), dict(kwargs)
    n = len(args)
    while n < len(arguments) and not arguments[n].kwarg_only and arguments[n].name in kwargs:
        args.append(kwargs.pop(arguments[n].name))
        n += 1
    while args and not kwargs_after(arguments, len(args), kwargs) and arguments[len(args) - 1].has_default_value():
        if not same_value(args[-1], arguments[len(args) - 1].default):
            break
        args.pop()
    return tuple(args), {k: v for k, v in kwargs.items() if not _is_default(arguments, k, v)}


def kwargs_after(arguments, n, kwargs):
    return any(a.name in kwargs for a in arguments[n:] if not a.kwarg_only)


def _is_default(arguments, name, value):
    a = next(a for a in arguments if a.name == name)
    return a.kwarg_only and a.has_default_value() and same_value(value, a.default)


def same_value(value, default):
    """Is value the default of its argument?"""
    if isinstance(value, Tensor) or isinstance(default, Tensor):
        return False
    return type(value) is type(default) and value == default


def find_kernel(overload):
    """What computes an overload: found by lucid/_aten/kernels.py."""
    from .kernels import kernel_of

    return kernel_of(overload)


Tag = enumeration(
    "Tag",
    "lucid",
    """core cudagraph_unsafe data_dependent_output dynamic_output_shape flexible_layout generated inplace inplace_view
    maybe_aliasing_or_mutating needs_contiguous_strides needs_exact_strides needs_fixed_stride_order
    nondeterministic_bitwise nondeterministic_seeded out out_variant pointwise pt2_compliant_tag reduction view_copy""",
    "torch.Tag: a fact about an op.",
)


class OpOverloadPacket:
    """All overloads of an op; a call takes the first whose schema fits."""

    __module__ = "lucid._ops"

    def __init__(self, qualified_op_name, op_name, rows):
        self._qualified_op_name, self.__name__, self._rows = qualified_op_name, op_name, rows
        self.__module__ = _module_of(qualified_op_name.partition("::")[0])
        self._overload_names = list(rows)

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self._qualified_op_name.replace('::', '.')}')>"

    def __str__(self):
        return self._qualified_op_name.replace("::", ".")

    def __hash__(self):
        return hash(self._qualified_op_name)

    def __deepcopy__(self, memo=None):
        return self

    def __reduce__(self):
        return _found, (*self._qualified_op_name.split("::"), None)

    @property
    def op(self):
        return self

    _op = op

    def overloads(self):
        """overloads() -> list of their names"""
        return list(self._overload_names)

    def __iter__(self):
        return iter(self._overload_names)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"'{self!s}' can't have an overload name beginning with '__' and the underlying op "
                f"{self!s} has no attribute {name} either.")  # fmt: skip
        row = self.__dict__.get("_rows", {}).get(name)
        if row is None:
            raise AttributeError(f"The underlying op of '{self!s}' has no overload name '{name}'")
        made = self._made(row)
        setattr(self, name, made)
        return made

    def _made(self, row):
        made = OpOverload(self, row.schema, row.tags)
        made.is_composite = row.is_composite
        return made

    def __call__(self, /, *args, **kwargs):
        try:
            found = self.resolved(args, kwargs)
        except RuntimeError:
            answer = _who_answers(args, kwargs)
            if answer is None:
                raise
            return answer.__torch_function__(self, (type(answer),), args, kwargs)
        return found(*args, **kwargs)

    def resolved(self, args, kwargs):
        """The overload that a call means; RuntimeError where none takes it."""
        troubles, alone = [], len(self._overload_names) == 1
        for name in self._overload_names:
            overload = getattr(self, name)
            try:
                overload._schema.bound(args, kwargs, overload.takes_numbers, coerce=False)
            except RuntimeError as trouble:
                if alone:
                    raise
                troubles.append(str(trouble))
                continue
            return overload
        listed = "\n\n".join(troubles)
        raise RuntimeError(f"Overloaded torch operator invoked from Python failed to match any schema:\n{listed}\n")


class OpNamespace(types.ModuleType):
    """The ops of one namespace."""

    def __init__(self, name):
        super().__init__(f"torch.ops.{name}")
        self.name = name

    def __repr__(self):
        return f"<module 'torch.ops.{self.name}' from 'torch.ops'>"

    def __getattr__(self, op_name):
        found = None if op_name.startswith("__") and op_name not in table.names() else packet(self.name, op_name)
        if found is None:
            raise AttributeError(
                f"'_OpNamespace' '{self.name}' object has no attribute '{op_name}'", name=op_name, obj=self
            )
        return found

    def __iter__(self):
        return iter(self.__dir__())

    def __dir__(self):
        return sorted(table.names()) if self.name == "aten" else sorted(OWN.get(self.name, ()))


_PACKETS: dict = {}
OWN: dict = {}  # namespace -> {op name: packet} of what programs defined by torch.library


def packet(namespace, name):
    """The packet of an op, or None."""
    own = OWN.get(namespace, {}).get(name)
    if own is not None:
        return own
    if namespace != "aten":
        return None
    found = _PACKETS.get(name)
    if found is None and (rows := table.overloads(name)):
        found = _PACKETS[name] = OpOverloadPacket(f"aten::{name}", name, rows)
    return found


def _found(namespace, name, overload):
    """What a pickle names."""
    found = packet(namespace, name)
    return found if overload is None else getattr(found, overload)


def aten(name):
    """The overload `add.Tensor` (`relu.default`, or `relu`) of the namespace aten."""
    base, _, which = name.partition(".")
    return getattr(packet("aten", base), which or "default")


__all__ = ["HigherOrderOperator", "OpNamespace", "OpOverload", "OpOverloadPacket", "Tag", "aten", "flatten", "packet"]
