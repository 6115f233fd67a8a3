"""make_fx: a function run once on tensors, as the graph of the ATen calls that it made."""

import inspect
import operator

from ..._array.lookup import MAKERS
from ..._array.meta.fake import FakeWords, known
from ..._aten.overloads import OpOverload, aten
from ..._backend.dispatch import tensors_of
from ..._base.tree import flatten
from ..._modes.torch_dispatch import TorchDispatchMode, disable_modes
from ..._modes.torch_dispatch import modes as modes_that_are_on
from ..._modes.traced import TraceFrame
from ..._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from ..._tensor import pytree
from ..._tensor.tensor import Tensor, new_object, wrap
from ...nn import Module, Parameter
from .._symbolic_trace import PH, Tracer
from ..graph_module import GraphModule
from ..proxy import Proxy

__all__ = ["PythonKeyTracer", "ProxyTorchDispatchMode", "get_proxy_mode", "make_fx"]

_ITEM = (
    "It appears that you're trying to get value out of a tracing tensor with {} - erroring out! It's likely that this "
    "is caused by data-dependent control flow or similar.  It may be possible to trace this with dynamic shapes; try "
    "setting tracing_mode='symbolic' in your make_fx call."
)


class PythonKeyTracer(Tracer):
    """A tracer of values: which proxy stands for which tensor."""

    def __init__(self):
        super().__init__(autowrap_modules=())
        self.tracked = {}  # id of a tensor -> (the tensor, its proxy)

    def call_module(self, m, forward, args, kwargs):
        """Modules are run through."""
        return forward(*args, **kwargs)

    def getattr(self, attr, attr_val, parameter_proxy_cache):
        """Attributes of modules are what they are."""
        return attr_val

    def track(self, tensor, proxy):
        """From now on proxy stands for tensor."""
        self.tracked[id(tensor)] = tensor, proxy

    def proxy_of(self, tensor):
        """The proxy of a tensor, or None."""
        found = self.tracked.get(id(tensor))
        return found[1] if found is not None and found[0] is tensor else None

    def create_arg(self, a):
        """create_arg(a): a as an argument of a node; a tensor that is not traced becomes a constant of the root's."""
        if isinstance(a, Tensor):
            proxy = self.proxy_of(a)
            if proxy is not None:
                _refuse_turned(a, proxy.node.meta.get("val"))
                return proxy.node
            return self.create_node("get_attr", self._held(a), (), {})
        if isinstance(a, OpOverload):
            return a
        return super().create_arg(a)

    def _held(self, a):
        if isinstance(a, Parameter):
            path = next((n for n, p in self.root.named_parameters() if p is a), None)
            if path is None:
                path = self.get_fresh_qualname("_param_constant")
                setattr(self.root, path, a)
            return path
        numbers = known(a._array)
        if numbers is not None:  # a fake tensor of numbers that the program names
            k = MAKERS[a.device.type](a.dtype, a.device)
            a = wrap(k.from_python(numbers), k)
        elif isinstance(a._table, FakeWords):
            raise NotImplementedError("a tensor was made by steps that are no ATen calls, and cannot be traced")
        return self._constant(a)


def _number_of(t):
    """The number that a fake tensor was made around, which the program had as a number; else the tensor."""
    if isinstance(t, FakeTensor) or t._array.shape or not isinstance(t._table, FakeWords):
        return t
    number = known(t._array)
    return t if number is None else number


def _refuse_turned(a, noted):
    """NotImplementedError where a fake tensor is not what its node is: something gave it another shape unseen."""
    if isinstance(noted, FakeTensor):
        now, then = a._array, noted._array
        if now is not then and (now.shape != then.shape or now.strides != then.strides or a._table is not noted._table):
            raise NotImplementedError("a tensor was changed by steps that are no ATen calls, and cannot be traced")


class ProxyTorchDispatchMode(TorchDispatchMode):
    """The mode that notes each ATen call as a node."""

    sees_own_ops, traces = True, TraceFrame

    def __init__(self, tracer, tracing_mode="real", decompositions=None, error_on_data_dependent_ops=True):
        super().__init__()
        self.error_on_data_dependent_ops = error_on_data_dependent_ops
        self.replaced = None
        self.tracer, self.tracing_mode, self.decompositions = tracer, tracing_mode, decompositions or {}

    @classmethod
    def is_infra_mode(cls):
        return True

    def stands_for(self, made, t):
        proxy = self.tracer.proxy_of(t)
        if proxy is not None:
            self.tracer.track(made, proxy)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        tensors = tensors_of(args, kwargs)
        if any(t._table.is_transform for t in tensors):
            raise NotImplementedError(f"make_fx: {func} inside torch.func's transforms cannot be traced by lucid yet")
        traced = [t for t in tensors if self.tracer.proxy_of(t) is not None]
        own = self.decompositions.get(func)
        if own is not None:
            before, self.replaced = self.replaced, args[0] if func._schema.is_mutable and args else None
            try:
                with self:
                    got = own(*args, **kwargs)
            finally:
                self.replaced = before
            if got is not NotImplemented:
                return got
        if "data_dependent_output" in func._tags:
            if traced and self.error_on_data_dependent_ops:
                raise RuntimeError(_ITEM.format(func))
            with disable_modes():
                return func(*args, **kwargs)
        if func.takes_numbers and len(args) > 1 and isinstance(args[1], Tensor):
            args = (args[0], _number_of(args[1]), *args[2:])
        noted = aten("lift_fresh_copy") if func._opname == "lift_fresh" else func
        proxy = self.tracer.create_proxy("call_function", noted, args, kwargs, name=self._name(noted))
        if func._opname.endswith("_") and not func._opname.startswith("__") and args and isinstance(args[0], Tensor):
            self.tracer.track(args[0], proxy)
        if self.replaced is not None and func._opname == "copy_" and args[0] is self.replaced:
            proxy.node.meta["replaces"] = True  # the end of an in-place op that was taken apart
        out = func(*args, **kwargs)
        _track(self.tracer, out, proxy)
        return out

    def _name(self, func):
        return self.tracer.graph._target_to_str(func._opname)


def _track(tracer, value, proxy):
    """Let proxy stand for a result, and its items for the parts of it."""
    if isinstance(value, Tensor):
        tracer.track(value, proxy)
        proxy.node.meta["val"] = snapshot(value)
    elif isinstance(value, (tuple, list)):
        proxy.node.meta["val"] = tuple([snapshot(v) for v in value])
        for i, part in enumerate(value):
            if part is None or isinstance(part, (Tensor, tuple, list)):
                _track(tracer, part, tracer.create_proxy("call_function", operator.getitem, (proxy, i), {}))


def snapshot(value):
    """What a node's meta keeps of a result: a fake tensor's looks, which later changes of it do not change."""
    if not isinstance(value, FakeTensor):
        return value
    made = new_object(FakeTensor)
    made._array, made._table, made._node, made._extra = value._array, value._table, None, None
    made.fake_mode = value.fake_mode
    return made


def get_proxy_mode():
    """get_proxy_mode() -> the ProxyTorchDispatchMode that is on, or None"""
    return next((m for m in reversed(modes_that_are_on()) if isinstance(m, ProxyTorchDispatchMode)), None)


def fake_signature(fn, nargs):
    """fn as a function of nargs parameters with names: arg0, arg1 ..."""
    names = ", ".join(f"arg{i}" for i in range(nargs))
    return eval(f"lambda {names}: fn({names})", {"fn": fn})


def _with_names(f, n):
    """f where its parameters have names, else a function of arg0, arg1 ..."""
    code = getattr(inspect.unwrap(f), "__code__", None)
    flags = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    if not inspect.isfunction(f) or code is None or code.co_flags & flags or code.co_argcount != n:
        return fake_signature(f, n)
    return f


def _wrapped(f, args, tracer, modes):
    """What the tracer runs: f on the real arguments, for which the proxies stand."""

    def run(*proxies):
        for value, proxy in zip(flatten(args)[0], flatten(proxies)[0]):
            if isinstance(value, Tensor) and isinstance(proxy, Proxy):
                tracer.track(value, proxy)
                proxy.node.meta["val"] = value
        for mode in modes:
            mode.__enter__()
        try:
            out = f(*args)
        finally:
            for mode in reversed(modes):
                mode.__exit__(None, None, None)

        def stood_for(t):
            proxy = tracer.proxy_of(t) if isinstance(t, Tensor) else None
            return t if proxy is None else proxy

        return pytree.tree_map(stood_for, out)

    return run


def make_fx(
    f,
    decomposition_table=None,
    tracing_mode="real",
    _allow_non_fake_inputs=False,
    *,
    pre_dispatch=False,
    record_module_stack=False,
    _allow_fake_constant=False,
    _error_on_data_dependent_ops=True,
    **more,
):
    """make_fx(f, decomposition_table=None, tracing_mode="real")(*args) -> GraphModule of the ATen calls that f makes.

    tracing_mode: "real" computes, "fake" has shapes only; "symbolic" raises NotImplementedError, lucid's shapes are
    numbers. decomposition_table: {overload: function of other ops}.
    """
    if tracing_mode == "symbolic" or pre_dispatch:
        what = "pre_dispatch=True" if pre_dispatch else "tracing_mode='symbolic'"
        raise NotImplementedError(
            f"make_fx({what}): lucid traces sizes as numbers, below autograd; use 'real' or 'fake'"
        )
    if tracing_mode not in ("real", "fake"):
        raise ValueError(f"Unexpected tracing type: {tracing_mode}")

    def traced(*args):
        tracer = PythonKeyTracer()
        mode = ProxyTorchDispatchMode(tracer, tracing_mode, decomposition_table, _error_on_data_dependent_ops)
        modes, given = [mode], args
        if tracing_mode == "fake":
            fakes = next((t.fake_mode for t in flatten(args)[0] if hasattr(t, "fake_mode")), None)
            fakes = fakes or FakeTensorMode(allow_non_fake_inputs=_allow_non_fake_inputs)
            given = pytree.tree_map(lambda t: fakes.from_tensor(t) if isinstance(t, Tensor) else t, args)
            modes = [fakes, mode]
        run = _named_run(_with_names(f, len(args)), _wrapped(f, given, tracer, modes), len(args))
        stand_ins = pytree.tree_map(lambda _: PH, given)
        graph = tracer.trace(run, concrete_args=tuple(stand_ins))
        module = GraphModule(tracer.root, graph, _class_name(f))
        module.shape_env = None
        return module

    return traced


def _class_name(f):
    return "<lambda>" if isinstance(f, Module) else getattr(f, "__name__", type(f).__name__)


def _named_run(named, run, n):
    """run under the parameter names of `named`."""
    code = inspect.unwrap(named).__code__
    names = code.co_varnames[:n]
    spelled = ", ".join(names)
    made = eval(f"lambda {spelled}: _run({spelled})", {"_run": run})
    made.__name__ = getattr(named, "__name__", "f")
    return made
