"""A module's call as a graph of ATen ops as torch has them before autograd takes composites apart.

Two modes watch the call. One is told each function of torch's: what is one composite op in torch (`aten.linear`,
`aten.reshape`) becomes one node, and what torch has in Python goes in torch's steps (_torch_steps.py). All other calls
are seen below, op by op, by make_fx's mode.
"""

import contextlib
import linecache
import sys

from .._aten.overloads import aten, packet
from .._backend.autocast import UNSET
from .._backend.dispatch import tensors_of
from .._base.device import device as device_type
from .._base.dtype import bfloat16, bool_, float16, float32, float64, int8, int16, int32, int64, uint8
from .._base.state import grad_enabled, local
from .._higher_order_ops.higher_order_operator import HigherOrderOperator
from .._modes.torch_function import TorchFunctionMode
from .._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
)
from .._tensor.tensor import Tensor
from ..autograd.grad_mode import _set_grad_enabled
from ..fx.experimental.proxy_tensor import ProxyTorchDispatchMode, PythonKeyTracer, _track
from ..fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode
from ..fx.graph import Graph
from ..nn.modules.module import Module
from ._branches import capture_cond

_HOME = __name__.partition(".")[0]
_KEPT = f"{_HOME}.nn.modules"
DATA = (
    "Could not guard on data-dependent expression: {} asks for a number of a tensor, which an exported program has "
    "only when it runs.  lucid has no unbacked symbols (u0) in exported programs yet; use torch.cond for a choice, or "
    "compute with the tensor itself."
)


def stack_trace():
    """Where the program is, as text: the innermost frame that is no inner part of the library."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if (
            name.startswith(_KEPT)
            and frame.f_code.co_name == "forward"
            or not name.startswith(_HOME + ".")
            and not _written(frame)
        ):
            code = frame.f_code
            line = linecache.getline(code.co_filename, frame.f_lineno).strip()
            return f'  File "{code.co_filename}", line {frame.f_lineno}, in {code.co_name}\n    {line}\n'
        frame = frame.f_back
    return None


def _written(frame):
    """Is it a function that the library wrote itself (entries, graphs)?"""
    return frame.f_code.co_filename.startswith(("/<lucid>", "<"))


class Capturing(PythonKeyTracer):
    """The tracer of an export: its nodes know where they come from. outer: of the graph which this is a part of."""

    def __init__(self, outer=None):
        super().__init__()
        self.outer, self.branch, self.told = outer, None, ""
        self.root, self.tensor_attrs = Module(), {}
        self.graph = Graph(tracer_cls=PythonKeyTracer)
        self.modules = {} if outer is None else outer.modules  # modules whose call is on: name -> (name, class)
        self.grad, self.noted_grad = grad_enabled(), grad_enabled()

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        node = super().create_node(kind, target, args, kwargs, name, type_expr)
        if kind == "call_function":
            node.meta["stack_trace"] = stack_trace()
            node.meta["nn_module_stack"] = dict(self.modules)
        return node

    def create_arg(self, a):
        """a as an argument of a node; in a part of a graph, what is from outside as a placeholder."""
        if self.outer is not None and isinstance(a, Tensor) and self.proxy_of(a) is None:
            return self.branch.hole(self.outer.create_arg(a), a)
        return super().create_arg(a)

    def note_grad(self):
        """Let the graph switch gradients on or off where the program did."""
        if self.grad is not self.noted_grad:
            self.noted_grad = self.grad
            self.create_node("call_function", _set_grad_enabled, (self.grad,), {})


class Leaves(ProxyTorchDispatchMode):
    """The mode below: each ATen call that no composite hides is a node."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func._opname == "detach" and local.keeping:
            return self._saved(func, args)
        self.tracer.grad = local.told_grad
        self.tracer.note_grad()
        if func._opname == "lift_fresh" and self.tracer.told == "tensor" and not isinstance(args[0], FakeTensor):
            return self._constant(func, args)
        if "data_dependent_output" in func._tags:
            raise GuardOnDataDependentSymNode(DATA.format(func))
        try:
            return super().__torch_dispatch__(func, types, args, kwargs)
        except (DataDependentOutputException, DynamicOutputShapeException) as e:
            raise GuardOnDataDependentSymNode(
                f"the shape of {e.func}'s result depends on the numbers of a tensor: lucid has no unbacked symbols "
                "(u0) in exported programs yet"
            ) from None

    def _saved(self, func, args):
        """What a node of autograd keeps: no step of the program's."""
        out, proxy = func(*args), self.tracer.proxy_of(args[0])
        if proxy is not None:
            self.tracer.track(out, proxy)
        return out

    def _constant(self, func, args):
        """torch.tensor of Python data."""
        out = super().__torch_dispatch__(func, (), args, {})
        detached = self.tracer.create_proxy(
            "call_function", aten("detach_"), (self.tracer.proxy_of(out),), {}, name="detach_"
        )
        _track(self.tracer, out, detached)
        return out


class Composites(TorchFunctionMode):
    """The mode above: functions that are one composite op in torch, and those that torch has in Python."""

    def __init__(self, tracer, leaves, steps):
        super().__init__()
        self.tracer, self.leaves, self.steps = tracer, leaves, steps

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if self.leaves not in local.dispatch_modes:  # inside a call that is a node already
            return func(*args, **kwargs)
        self.tracer.grad, self.tracer.told = grad_enabled(), getattr(func, "__name__", "")
        if isinstance(func, HigherOrderOperator):
            return self._operator(func, args, kwargs)
        if local.transforms or local.autocast is not UNSET:  # seen below, with the casts
            return func(*args, **kwargs)
        steps = self.steps.get(func)
        if steps is not None:
            with self:
                got = steps(*args, **kwargs)
            if got is not NotImplemented:
                return got
        found = composite_call(func, args, kwargs)
        if found is None:
            return func(*args, **kwargs)
        return self.note(*found)

    @contextlib.contextmanager
    def tracing(self, tracer):
        """with mode.tracing(tracer): calls are nodes of its graph."""
        before = self.tracer
        self.tracer = self.leaves.tracer = tracer
        try:
            with self:
                yield
        finally:
            self.tracer = self.leaves.tracer = before

    def _operator(self, func, args, kwargs):
        """An operator that takes functions."""
        if func.name() == "cond":
            return capture_cond(self, *args, **kwargs)
        if func.name() in ("wrap", "tag_activation_checkpoint"):
            with self:
                return args[0](*args[1:], **{k: v for k, v in kwargs.items() if func.name() == "wrap"})
        raise NotImplementedError(f"torch.export: {func.name()} cannot be exported by lucid yet")

    def note(self, overload, args, kwargs):
        """A composite's call as one node."""
        tracer = self.tracer
        tracer.grad = grad_enabled()
        tracer.note_grad()
        if overload._opname == "to":
            self._assert_kind(args[0])
        name = tracer.graph._target_to_str(overload._opname)
        proxy = tracer.create_proxy("call_function", overload, args, kwargs, name=name)
        modes = local.dispatch_modes
        local.dispatch_modes = tuple([m for m in modes if m is not self.leaves])
        try:
            out = overload.compute(*args, **kwargs)
        except (DataDependentOutputException, DynamicOutputShapeException) as e:
            raise GuardOnDataDependentSymNode(DATA.format(e.func)) from None
        finally:
            local.dispatch_modes = modes
        _track(tracer, out, proxy)
        return out

    def _assert_kind(self, x):
        """A node that refuses a tensor of another type: what a conversion does depends on it."""
        kwargs = {"dtype": x.dtype, "device": x.device, "layout": x.layout}
        self.tracer.create_proxy(
            "call_function",
            aten("_assert_tensor_metadata"),
            (x,),
            kwargs,
            name="_assert_tensor_metadata_default",
        )


# ---- which op a function is


_PROPERTIES = {"T": "numpy_T", "mT": "mT", "H": "matrix_H", "mH": "mH"}
_PROPERTIES = {getattr(Tensor, name).__get__: op for name, op in _PROPERTIES.items()}
_TYPES = dict(float=float32, double=float64, half=float16, bfloat16=bfloat16, long=int64, int=int32, short=int16)
_TYPES |= dict(byte=uint8, char=int8, bool=bool_)


_NOT_ONE = frozenset(  # Python in torch, or no tensors
    """split norm unique unique_consecutive stft istft lu __getitem__ __setitem__ is_floating_point is_complex size
    stride item data_ptr""".split()
)
_LISTED = frozenset(  # methods whose sizes may be given one by one, and what ATen calls them
    "reshape view permute expand repeat tile flip movedim unflatten view_copy rot90 roll squeeze".split()
)


def composite_call(func, args, kwargs):
    """(overload, args, kwargs) of a function that is a composite op in torch's C++; None for others."""
    if func in _PROPERTIES:
        return aten(_PROPERTIES[func]), args, {}
    if func.__name__ in _TYPES and _is_method(func) and not kwargs:
        return aten("to.dtype"), (args[0], _TYPES[func.__name__]), {}
    if not _in_cpp(func) or func.__name__ in _NOT_ONE or kwargs.get("out") is not None:
        return None
    if not tensors_of(args, kwargs):
        return None
    found = packet("aten", func.__name__)
    if found is None or not any([row.is_composite for row in found._rows.values()]):
        return None
    if func.__name__ == "to":
        args, kwargs = _conversion(args, kwargs)
    return chosen(found, args, kwargs)


def _is_method(func):
    return getattr(func, "__qualname__", "") == f"Tensor.{func.__name__}"


def _in_cpp(func):
    """Is it a function of torch's C++ half?"""
    place = getattr(func, "__module__", None) or ""
    return place == _HOME or place.startswith(f"{_HOME}._C") or place == "torch" or place.startswith("torch._C")


def _conversion(args, kwargs):
    """x.to(...) as ATen has it: None for what is not said, devices as such."""
    rest = [device_type(a) if isinstance(a, str) else a for a in args[1:]]
    kwargs = {k: device_type(v) if isinstance(v, str) else v for k, v in kwargs.items() if v is not None}
    if rest and isinstance(rest[0], device_type) and len(rest) < 2 and "dtype" not in kwargs:
        kwargs = {"dtype": None, "layout": None, "device": rest[0], **kwargs}
        rest = []
        kwargs = {k: v for k, v in kwargs.items() if v is not None}
    return (args[0], *rest), kwargs


def chosen(found, args, kwargs):
    """The overload of a packet that a call means, if that is a composite, with its arguments as ATen writes them."""
    args, kwargs = _as_aten(found, args, kwargs)
    for name in _ordered(found, args, kwargs):
        row = found._rows[name]
        if row.is_script_only or "out" in row.facts:
            continue
        overload = getattr(found, name)
        fitted = _fitted(overload._schema, args, kwargs)
        if fitted is not None:
            of_tensors = all([r.type.text.startswith("Tensor") for r in row.schema.returns])
            told = row.is_composite or name == "correction"
            return (overload, *fitted) if told and of_tensors else None
    return None


def _ordered(found, args, kwargs):
    """The names of a packet's overloads in the order in which Python's calls are read."""
    names = found.overloads()
    if "correction" in names and len(args) == 1 and not kwargs:
        return ["correction"]  # std() and var()
    return names


def _as_aten(found, args, kwargs):
    """Tuples as lists; sizes that were given one by one as a list; `input` as `self`."""
    args = [list(a) if isinstance(a, tuple) else a for a in args]
    kwargs = {k: list(v) if isinstance(v, tuple) else v for k, v in kwargs.items() if v is not None}
    ints = len(args) > 1 and all([isinstance(a, int) and not isinstance(a, bool) for a in args[1:]])
    if ints and found.__name__ in _LISTED and not _takes(found, len(args)):
        args = [args[0], args[1:]]
    return args, kwargs


def _takes(found, n):
    """Has an overload so many arguments by place, the second of them a number?"""
    for row in found._rows.values():
        plain = [a for a in row.schema.arguments if not a.kwarg_only]
        if not row.is_script_only and len(plain) >= n and plain[1].type.text in ("int", "SymInt", "Scalar"):
            return True
    return False


def _fitted(schema, args, kwargs):
    """(args, kwargs) of a call as torch shows it, without defaults at the end; None where the schema takes it not."""
    places = [a for a in schema.arguments if not a.kwarg_only]
    if len(args) > len(places):
        return None
    given = dict(zip([a.name for a in places], args))
    for name, value in kwargs.items():
        own = "self" if name == "input" and any([a.name == "self" for a in places]) else name
        if own in given or not any([a.name == own for a in schema.arguments]):
            return None
        given[own] = value
    shown, named, used = [], {}, False
    for a in schema.arguments:
        if a.name not in given and not a.has_default_value():
            return None
        value = given.get(a.name, a.default)
        if value is not a.default and not a.accepts(value) and not _stands(a, value):
            return None
        value = a.type.full(value) if type(value) is int and a.name in given else value
        is_default = a.has_default_value() and type(value) is type(a.default) and value == a.default
        if isinstance(value, Tensor) or not is_default:
            used = True
        if a.kwarg_only:
            if not is_default:
                named[a.name] = value
        else:
            shown.append((value, is_default))
    while shown and shown[-1][1]:
        shown.pop()
    return tuple([v for v, _ in shown]), named if used else {}


def _stands(a, value):
    """Does a value only stand for one of the type, as bools do for numbers?"""
    return isinstance(value, bool) and a.type.text.removesuffix("?") in ("int", "SymInt", "float")


# ---- the run


@contextlib.contextmanager
def noting_modules(mod, tracer):
    """with noting_modules(mod, tracer): nodes are told which modules' calls they belong to."""
    handles = []
    for name, module in mod.named_modules():
        key, entry = (
            f"L['self'].{name}" if name else "L['self']",
            (name, f"{type(module).__module__}.{type(module).__qualname__}"),
        )

        def enter(module, args, key=key, entry=entry):
            tracer.modules[key] = entry

        def leave(module, args, out, key=key):
            tracer.modules.pop(key, None)

        handles += [module.register_forward_pre_hook(enter), module.register_forward_hook(leave)]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


class Fakes(FakeTensorMode):
    """Fake tensors of an export, some of whose sizes are symbolic."""

    def __init__(self):
        super().__init__(allow_non_fake_inputs=True, export=True)
        self.shapes = {}  # id of a real tensor -> its sizes

    def _fake_like(self, tensor):
        made = super()._fake_like(tensor)
        shape = self.shapes.get(id(tensor))
        if shape is not None:
            from .._modes.fake import fake_of

            found = fake_of(tensor.detach() if tensor.requires_grad else tensor, shape)
            made._array = found._array
        return made

    def fresh(self, tensor):
        """A fake of a tensor that already has one."""
        return self._fake_like(tensor)


__all__ = ["DATA", "Capturing", "Composites", "Fakes", "Leaves", "chosen", "noting_modules"]
