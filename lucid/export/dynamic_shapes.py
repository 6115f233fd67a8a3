"""torch.export.dynamic_shapes: which sizes of the inputs a program is exported for: Dim, ShapesCollection and more."""

import dataclasses
import enum
import inspect
import re

from .._dynamo.exc import UserError
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..nn.modules.module import Module
from ._symbols import int_oo

__all__ = ["AdditionalInputs", "Constraint", "Dim", "dims", "refine_dynamic_shapes_from_suggested_fixes"]

_VALIDATION = (
    "For more information about this error, see: "
    "https://pytorch.org/docs/main/generated/exportdb/index.html#dynamic-shapes-validation"
)
_LARGEST = 2**63 - 2
_LINEAR = "(Only increasing linear operations with integer coefficients are supported.)"


def user_error(message, validation=False):
    """The UserError of a wrong call; validation: with the page that torch points to."""
    if validation:
        message = f"{message.rstrip()}{' ' if message.rstrip().endswith('.') else chr(10)}{_VALIDATION}"
    made = UserError(message)
    made.msg = message
    return made


class _DimHintType(enum.Enum):
    """How a size is to be treated."""

    AUTO = enum.auto()
    STATIC = enum.auto()
    DYNAMIC = enum.auto()


@dataclasses.dataclass
class _DimHint:
    """What Dim.AUTO, Dim.DYNAMIC and Dim.STATIC are; called with min= and max=, one with bounds."""

    type: _DimHintType
    min: int | None = None
    max: int | None = None
    _factory: bool | None = True

    @staticmethod
    def AUTO():  # noqa: N802 - torch's name
        """AUTO() -> the hint that lets the export decide."""
        return _DimHint(_DimHintType.AUTO)

    @staticmethod
    def DYNAMIC():  # noqa: N802
        """DYNAMIC() -> the hint that a size must not be fixed."""
        return _DimHint(_DimHintType.DYNAMIC)

    @staticmethod
    def STATIC():  # noqa: N802
        """STATIC() -> the hint that a size is fixed."""
        return _DimHint(_DimHintType.STATIC)

    def __call__(self, min=None, max=None):
        if not self._factory:
            raise TypeError(f"'{type(self)}' object is not callable")
        if min is not None and min < 0:
            raise AssertionError(f"min must be non-negative, got {min}")
        if max is not None and max < 0:
            raise AssertionError(f"max must be non-negative, got {max}")
        if min is not None and max is not None and min > max:
            raise AssertionError(f"min must be <= max, got min={min}, max={max}")
        return _DimHint(self.type, min=min, max=max, _factory=False)

    def __repr__(self):
        parts = [self.type.name]
        if self.min is not None:
            parts.append(f"min={self.min}")
        if self.max is not None:
            parts.append(f"max={self.max}")
        return f"DimHint({', '.join(parts)})"


class Dim:
    """Dim(name, min=None, max=None): a size that the exported program is not specialised to; Dim.AUTO, Dim.DYNAMIC and
    Dim.STATIC are hints without a name. 2 * dim + 1 is a size that follows from another."""

    AUTO = _DimHint.AUTO()
    DYNAMIC = _DimHint.DYNAMIC()
    STATIC = _DimHint.STATIC()
    times, plus = 1, 0

    def __init__(self, name, *, min=None, max=None):
        lower, upper = 0 if min is None else min, int_oo if max is None else max
        if not upper > lower:
            raise AssertionError(f"Cannot create Dim with inconsistent min={min}, max={max}")
        if not name.isidentifier():
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        self.__name__, self.min, self.max = name, lower, upper

    @property
    def root(self):
        """The Dim that this one is made of: itself."""
        return self

    def __add__(self, other):
        if type(other) is not int:
            raise NotImplementedError(
                f"Attempted to add {other} to {self.__name__}, where an integer was expected. {_LINEAR}"
            )
        return _DerivedDim(self.root, self.times, self.plus + other)

    __radd__ = __add__

    def __sub__(self, other):
        if type(other) is not int:
            raise NotImplementedError(
                f"Attempted to subtract {other} from {self.__name__}, where an integer was expected. {_LINEAR}"
            )
        return _DerivedDim(self.root, self.times, self.plus - other)

    def __rsub__(self, other):
        raise NotImplementedError(f"Attempted to negate {self.__name__}. {_LINEAR}")

    def __mul__(self, other):
        if type(other) is not int or other <= 0:
            raise NotImplementedError(
                f"Attempted to multiply {other} with {self.__name__}, where a positive integer was expected. {_LINEAR}"
            )
        return _DerivedDim(self.root, self.times * other, self.plus * other)

    __rmul__ = __mul__

    @staticmethod
    def _readable(name, min_, max_):
        parts = [f"'{name}'"]
        if min_ is not None and min_ != 2:
            parts.append(f"min={min_}")
        if max_ is not None and max_ is not int_oo:
            parts.append(f"max={max_}")
        return f"Dim({', '.join(parts)})"

    def __repr__(self):
        return Dim._readable(self.__name__, self.min, self.max)


class _DerivedDim(Dim):
    """times * root + plus."""

    def __init__(self, root, times, plus):
        self._root, self.times, self.plus = root, times, plus
        name = root.__name__ if times == 1 else f"{times}*{root.__name__}"
        self.__name__ = name if not plus else f"{name} {'+' if plus > 0 else '-'} {abs(plus)}"

    @property
    def root(self):
        return self._root

    def fn(self, x):
        """fn(root) -> this size"""
        return x * self.times + self.plus

    @property
    def min(self):
        """The least size."""
        least = self.fn(self.root.min)
        if least < 0:
            raise AssertionError(
                f"Expected derived min value of {self.__name__} to be >= 0. Please specify an appropriate min value "
                f"for {self.root.__name__} (currently {self.root.min})."
            )
        return least

    @property
    def max(self):
        """The largest size."""
        if self.root.max is int_oo:
            return int_oo
        most = self.fn(self.root.max)
        if most > _LARGEST:
            raise AssertionError(
                f"Expected derived max value of {self.__name__} to be <= {_LARGEST}. Please specify an appropriate max "
                f"value for {self.root.__name__} (currently {self.root.max})."
            )
        return most

    def __repr__(self):
        return self.__name__


def dims(*names, min=None, max=None):
    """dims("a", "b", min=None, max=None) -> tuple of Dims"""
    return tuple([Dim(name, min=min, max=max) for name in names])


@dataclasses.dataclass
class Constraint:
    """What is asked of one dimension of an input."""

    t_id: int
    dim: int
    name: str = ""
    constraint_range: object = None


# ---- specifications


def combined_args(mod, args, kwargs=None):
    """{name of a parameter of forward: what it is given}"""
    forward = mod.forward if isinstance(mod, Module) else mod
    return dict(inspect.signature(forward).bind(*args, **kwargs or {}).arguments)


def argument_names(mod, args, kwargs):
    """The names of a call's arguments, one by one: those of *args as args_0 ..., of **kwargs as they are given."""
    signature, names = inspect.signature(mod.forward), []
    for name, value in signature.bind_partial(*args).arguments.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            names += [f"{name}_{i}" for i in range(len(value))]
        else:
            names.append(name)
    return [*names, *kwargs]


class _IntWrapper:
    """An int of the inputs that can be told from others."""

    def __init__(self, val):
        self.val, self.dynamism = val, None


class ShapesCollection:
    """ShapesCollection(): `shapes[tensor] = (Dim, ...)` says the sizes of tensors wherever they are in the inputs."""

    def __init__(self):
        self._shapes = {}

    def __setitem__(self, t, shape):
        if not isinstance(t, (Tensor, _IntWrapper)):
            raise AssertionError(f"Cannot assign shape to non-tensor or non-_IntWrapper type {type(t)}")
        known = self._shapes.setdefault(id(t), shape)
        if known is not shape and known != shape:
            raise AssertionError(f"Shapes assigned to input do not match: expected {known}, got {shape}")

    def __getitem__(self, t):
        return self._shapes.setdefault(id(t), {})

    def __len__(self):
        return len(self._shapes)

    def dynamic_shapes(self, m, args, kwargs=None):
        """dynamic_shapes(module, args, kwargs) -> the specification, nested as the inputs are."""
        found = set()

        def shape_of(t):
            if id(t) in self._shapes:
                found.add(id(t))
            return self._shapes.get(id(t))

        made = pytree.tree_map(shape_of, combined_args(m, args, kwargs))
        if len(found) != len(self._shapes):
            raise ValueError(
                "Some tensors that were assigned shapes were not found in args. Maybe such tensors were copied when "
                "passing them as args? Maybe such tensors are contained in classes that were not registered with "
                "pytree?"
            )
        return made


class AdditionalInputs:
    """AdditionalInputs(): `add(args, kwargs)` more inputs; sizes in which they differ from the others are dynamic."""

    def __init__(self):
        self._examples = []

    def add(self, args, kwargs=None):
        """add(args, kwargs=None): one more call that the program is to be good for."""
        if type(args) is not tuple:
            raise AssertionError(f"Representative args {args} must be a tuple")
        if kwargs is not None and type(kwargs) is not dict:
            raise AssertionError(f"Representative kwargs {kwargs} must be None or a dict")
        self._examples.append((args, kwargs))

    def dynamic_shapes(self, m, args, kwargs=None):
        """dynamic_shapes(module, args, kwargs) -> the specification, nested as the inputs are."""
        shaped = lambda t: tuple(t.shape) if isinstance(t, Tensor) else t  # noqa: E731
        calls = [(args, kwargs), *self._examples]
        first, *others = [pytree.tree_map(shaped, combined_args(m, a, k)) for a, k in calls]

        def mark(v, *more):
            if any([type(v) is not type(o) for o in more]):
                raise ValueError(
                    "The following inputs were found to have differing types, so they cannot be marked as dynamic: "
                    f"{(v, *more)}."
                )
            if all([o == v for o in more]):
                return None
            if isinstance(v, int) and not isinstance(v, bool):
                return Dim.DYNAMIC
            raise ValueError(
                "The following inputs were found to have differing values, but they cannot be marked as dynamic: "
                f"{(v, *more)}."
            )

        return pytree.tree_map(mark, first, *others)

    def verify(self, ep):
        """verify(ep): AssertionError where the program does not take one of the inputs."""
        module = ep.module()
        for args, kwargs in self._examples:
            module.check_inputs(args, kwargs or {})


def refine_dynamic_shapes_from_suggested_fixes(msg, dynamic_shapes):
    """refine_dynamic_shapes_from_suggested_fixes(message, dynamic_shapes) -> dynamic_shapes with the fixes that a
    UserError's message suggests."""
    _, found, text = msg.partition("Suggested fixes:")
    if not found:
        raise user_error(
            "Suggested fixes not found in error message given to refine_dynamic_shapes_from_suggested_fixes()"
        )
    named, fixes = {}, dict(re.findall(r"^\s*(\w+) = (.+?)\s*$", text.strip("\n").split("\n\n")[0], re.M))
    is_dim = lambda d: isinstance(d, (Dim, _DimHint)) or d is None or isinstance(d, int)  # noqa: E731
    for dim in pytree.tree_leaves(dynamic_shapes, is_leaf=is_dim):
        if isinstance(dim, Dim):
            named[dim.root.__name__] = dim.root
    for name, fix in fixes.items():
        bounds = {k: int(n) for k, n in re.findall(r"(min|max)=(\d+)", fix)}
        if fix.startswith("Dim("):
            named[name] = Dim(name, **bounds)
    made = {name: _fixed(fix, named) for name, fix in fixes.items()}

    def apply(dim):
        if not isinstance(dim, Dim):
            return dim
        new = made.get(dim.root.__name__, dim.root)
        return new if dim.root is dim else new * dim.times + dim.plus

    return pytree.tree_map(apply, dynamic_shapes, is_leaf=is_dim)


def _fixed(text, named):
    """What a suggested fix says: a Dim, a number, or n*dim + m."""
    if text.startswith("Dim("):
        return named[re.match(r"Dim\('(\w+)'", text)[1]]
    if re.fullmatch(r"\d+", text):
        return int(text)
    found = re.fullmatch(r"(?:(\d+)\*)?(\w+)(?: ([+-]) (\d+))?", text)
    if found is None or found[2] not in named:
        raise AssertionError(f"sympy.Expr {text} is not a supported equivalence")
    dim = named[found[2]] * int(found[1]) if found[1] else named[found[2]]
    return dim + int(found[3] + found[4]) if found[4] else dim
