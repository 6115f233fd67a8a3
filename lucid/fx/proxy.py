"""Stand-ins for values: whatever is done to one is noted as a node of a graph."""

import collections
import copy
import dataclasses
import dis
import enum
import functools
import inspect
import operator
import traceback
import types

from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..nn.parameter import Parameter
from ..overrides import is_tensor_method_or_property
from . import traceback as fx_traceback
from .code import magic_methods, reflectable_magic_methods
from .names import target_to_str
from .node import base_types, map_arg

__all__ = [
    "TracerBase",
    "GraphAppendingTracer",
    "TraceError",
    "Proxy",
    "Attribute",
    "ParameterProxy",
    "Scope",
    "ScopeContextManager",
]


class TraceError(ValueError):
    """The program did something with a Proxy that no graph can say."""


class Scope:
    """Which module a tracer is inside of: its path and its type."""

    def __init__(self, module_path, module_type):
        self.module_path, self.module_type = module_path, module_type


class ScopeContextManager:
    """Within a `with`, `scope` is `current_scope`."""

    def __init__(self, scope, current_scope):
        self._before, self._scope = copy.copy(scope), scope
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type

    def __enter__(self):
        return self._scope

    def __exit__(self, *trouble):
        self._scope.module_path, self._scope.module_type = self._before.module_path, self._before.module_type


_COPY_META_FIELDS = [
    "nn_module_stack",
    "torch_fn",
    "source_fn_stack",
    "original_aten",
    "recompute",
    "ac_graph_id",
    "has_backward_hook",
    "from_node",
    "quantization_tag",
    "_numeric_debug_handle",
    "custom",
    "partitioner_tag",
]


def _inherit(node, meta, replayed):
    """Give a new node what is known of the one that is run (fx/traceback.py)."""
    if trace := meta.get("stack_trace"):
        node.stack_trace = trace
        if fx_traceback.GRADIENT_ACC_SPECIAL_STACK in trace:
            node.meta["is_gradient_acc"] = node.meta["autograd_backward"] = True
    node.meta.update({name: copy.copy(meta[name]) for name in _COPY_META_FIELDS if name in meta})
    if "grad_fn_seq_nr" in meta or "seq_nr" in meta:
        node.meta["seq_nr"] = meta["grad_fn_seq_nr"][-1] if meta.get("in_grad_fn", 0) > 0 else meta.get("seq_nr")
    if replayed is not None:
        node.meta["is_functional_regenerated"] = True
        node.meta.update({name: replayed.meta[name] for name in ("custom", "stack_trace") if name in replayed.meta})
    if meta.get("autograd_backward", False):
        node.meta["autograd_backward"] = True


class TracerBase:
    """Makes nodes of what happens to proxies. Subclasses say what they allow."""

    record_stack_traces = _record_forward_stack_traces_only = False
    check_mutable_operations = trace_asserts = proxy_buffer_attributes = False
    traced_func_name = "forward"

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        """create_node(kind, target, args, kwargs, name=None, type_expr=None) -> Node, with what is known of its place
        in the program.
        """
        if kind == "call_function" and self.check_mutable_operations:
            from .operator_schemas import check_for_mutable_operation

            check_for_mutable_operation(target, args, kwargs)
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        self.node_name_to_scope[node.name] = (self.scope.module_path, self.scope.module_type)
        if fx_traceback.has_preserved_node_meta():
            _inherit(node, fx_traceback.get_current_meta(), fx_traceback.get_current_replay_node())
        elif self.module_stack:
            node.meta["nn_module_stack"] = copy.copy(self.module_stack)
        if self.record_stack_traces and not node.stack_trace:
            frames = self._filter_traceback_frames(traceback.extract_stack())
            if frames:
                node.stack_trace = "".join(frames.format()).strip()
        return node

    def _filter_traceback_frames(self, frames):
        """The frames of the traced program: from the first `forward` on."""
        ours = __file__.rpartition("proxy.py")[0]
        if self._record_forward_stack_traces_only:
            kept = [f for f in frames if f.name == "forward"]
        else:
            first = next((i for i, f in enumerate(frames) if f.name == "forward"), len(frames))
            kept = frames[first:]
        return traceback.StackSummary.from_list([f for f in kept if not f.filename.startswith(ours)])

    def proxy(self, node):
        """proxy(node) -> Proxy"""
        return Proxy(node, self)

    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        """create_proxy(kind, target, args, kwargs, ...) -> Proxy of a new node; proxies among the arguments are its
        inputs.
        """
        args, kwargs = self.create_arg(args), self.create_arg(kwargs)
        node = self.create_node(kind, target, args, kwargs, name, type_expr)
        return proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)

    def create_arg(self, a):
        """create_arg(a): a value as an argument of a node; NotImplementedError for what cannot be one."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, (tuple, list)):
            parts = [self.create_arg(x) for x in a]
            return parts if isinstance(a, list) else type(a)(*parts) if hasattr(a, "_fields") else type(a)(parts)
        if isinstance(a, dict):
            return {self._key(k): self.create_arg(v) for k, v in a.items()}
        if isinstance(a, (slice, range)):
            return type(a)(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if getattr(a, "_is_operator_", False):
            return a
        if dataclasses.is_dataclass(a) and not isinstance(a, type):
            fields = {f.name: self.create_arg(getattr(a, f.name)) for f in dataclasses.fields(a)}
            return self.create_node("call_function", type(a), (), fields)
        if isinstance(a, (*base_types, enum.Enum)) or a is None or a is ... or getattr(a, "_is_symbolic_", False):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, k):
        if isinstance(k, str):
            return k
        k = self.create_arg(k)
        map_arg(k, _refuse_node_as_key)
        return k

    def to_bool(self, obj):
        """What bool(proxy) is; TraceError unless a subclass knows."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj):
        """What iter(proxy) is; TraceError unless a subclass knows."""
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or "
            "**kwargs function argument. See the torch.fx docs on pytorch.org for a more detailed explanation of what "
            "types of control flow can be traced, and check out the Proxy docstring for help troubleshooting Proxy "
            "iteration errors"
        )

    def keys(self, obj):
        """What proxy.keys() is (a **proxy asks for it)."""
        return Attribute(obj, "keys")()


def _refuse_node_as_key(node):
    raise RuntimeError(f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {node}")


class GraphAppendingTracer(TracerBase):
    """Adds nodes to a graph that is there already."""

    def __init__(self, graph):
        self.graph, self.scope, self.module_stack = graph, Scope("", None), collections.OrderedDict()
        self.node_name_to_scope = {}


def assert_fn(x):
    """What a traced `assert` calls."""
    if not x:
        raise AssertionError("Assertion failed")


class Proxy:
    """Proxy(node, tracer=None): stands for the node's result; operators, attributes, methods and torch's functions
    give proxies of new nodes.
    """

    def __init__(self, node, tracer=None):
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self):
        return f"Proxy({self.node.name})"

    def __getattr__(self, k):
        return Attribute(self, k)

    def __getstate__(self):
        return self.__dict__

    def __setstate__(self, d):
        self.__dict__ = d

    def __deepcopy__(self, memo):
        made = Proxy.__new__(Proxy)
        for k, v in self.__dict__.items():
            try:
                made.__dict__[k] = copy.deepcopy(v, memo)
            except Exception:
                made.__dict__[k] = copy.copy(v)
        return made

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self):
        instruction, _ = _at_work(inspect.currentframe().f_back)
        if instruction.opname == "UNPACK_SEQUENCE":
            return (self[i] for i in range(instruction.argval))
        return self.tracer.iter(self)

    def __abs__(self):
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self):
        if self.tracer.trace_asserts:
            instruction, following = _at_work(inspect.currentframe().f_back)
            if instruction.opname in ("TO_BOOL", "COMPARE_OP"):  # which Python 3.13 has in front of a branch
                instruction, *following = [i for i in following if i.opname != "CACHE"]
            jumps = instruction.opname.startswith("POP_JUMP") and instruction.opname.endswith("IF_TRUE")
            if jumps and _raises_assertion(following):
                self.tracer.create_proxy("call_function", assert_fn, (self,), {})
                return True
        return self.tracer.to_bool(self)

    def keys(self):
        """keys() -> Proxy, unless the tracer knows the keys."""
        return self.tracer.keys(self)

    def __len__(self):
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
            "torch.fx.wrap('len') at module scope"
        )

    @classmethod
    def __torch_function__(cls, orig_method, types, args=None, kwargs=None):
        args, kwargs = args or (), kwargs or {}
        tracers = dict.fromkeys(a.tracer for a in pytree.tree_leaves((args, kwargs)) if isinstance(a, cls))
        if len(tracers) > 1:
            raise RuntimeError(
                f"Found multiple different tracers {list(tracers)} while trying to trace operations {orig_method}"
            )
        (tracer,) = tracers
        name = orig_method.__name__
        if getattr(orig_method, "namespace", None) == "higher_order":
            found = [a for a in pytree.tree_leaves((args, kwargs)) if isinstance(a, _FUNCTIONS)]
            if found:
                raise RuntimeError(
                    f"Unable to symbolically trace the HigherOrderOperator {name} because it received an arbitrary "
                    f"callable argument {found[0]}. Use make_fx or dynamo tracing instead."
                )
        if _is_method(orig_method):
            return tracer.create_proxy("call_method", name, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs, name=target_to_str(name))


_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial)


@functools.cache
def _is_method(f):
    """Is it one of Tensor's methods, or the getter of a property?"""
    method = getattr(Tensor, f.__name__, None) if getattr(f, "__qualname__", "") == f"Tensor.{f.__name__}" else f
    return is_tensor_method_or_property(f) or is_tensor_method_or_property(method)


def _at_work(frame):
    """The instruction that a frame is at, and those after it."""
    rest = [i for i in dis.get_instructions(frame.f_code) if i.offset >= frame.f_lasti]
    return rest[0], rest[1:]


def _raises_assertion(instructions):
    """Do the instructions begin as the failing branch of an assert does?"""
    first = instructions[0]
    return first.opname == "LOAD_ASSERTION_ERROR" or first.argval == "AssertionError"


class Attribute(Proxy):
    """An attribute of what a proxy stands for; a node only if it is not called at once as a method."""

    def __init__(self, root, attr):
        self.root, self.attr, self.tracer, self._node = root, attr, root.tracer, None

    @property
    def node(self):
        """The node, made now if there is none."""
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A parameter's stand-in that knows its shape."""

    def __init__(self, tracer, node, name, param):
        super().__init__(node, tracer)
        if not isinstance(param, Parameter):
            raise AssertionError(f"Expected Parameter, got {type(param)}")
        self.param, self.name = param, name

    def __repr__(self):
        return f"ParameterProxy({self.name})"

    @property
    def shape(self):
        """The parameter's shape."""
        return self.param.shape

    @property
    def ndim(self):
        """The parameter's number of dimensions."""
        return self.param.ndim

    def size(self):
        """size() -> Size"""
        return self.param.size()

    def dim(self):
        """dim() -> int"""
        return self.param.dim()

    def numel(self):
        """numel() -> int"""
        return self.param.numel()

    nelement = numel


def _operator(name):
    target = getattr(operator, name)

    def impl(*args, **kwargs):
        return args[0].tracer.create_proxy("call_function", target, args, kwargs)

    impl.__name__ = name
    return impl


def _reversed_operator(name):
    target = getattr(operator, name)

    def impl(self, rhs):
        return self.tracer.create_proxy("call_function", target, (rhs, self), {})

    impl.__name__ = impl.__qualname__ = f"__r{name.strip('_')}__"
    return impl


for _name in magic_methods:
    if hasattr(operator, _name):
        setattr(Proxy, f"__{_name.strip('_')}__", _operator(_name))
for _name in reflectable_magic_methods:
    if hasattr(operator, _name):
        setattr(Proxy, f"__r{_name.strip('_')}__", _reversed_operator(_name))


class MetaProxy(Proxy):
    """MetaProxy(node, tracer=None, fake_mode=None): a proxy whose new nodes have a fake result in meta["val"]."""

    def __init__(self, node, tracer=None, fake_mode=None):
        super().__init__(node, tracer)
        self.fake_mode = fake_mode

    def __repr__(self):
        return f"MetaProxy({self.node.name})"

    @classmethod
    def __torch_function__(cls, orig_method, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        first = next((a for a in args if isinstance(a, MetaProxy)), None)
        if first is None:
            raise AssertionError("No MetaProxy found in arguments, but one is expected.")
        proxy = super().__torch_function__(orig_method, types, args, kwargs)

        def fake(a):
            return a.node.meta["val"] if isinstance(a, MetaProxy) else a

        with first.fake_mode:
            values = [fake(a) for a in args], {k: fake(v) for k, v in kwargs.items()}
            proxy.node.meta["val"] = orig_method(*values[0], **values[1])
        return MetaProxy(proxy.node, proxy.tracer, first.fake_mode)
