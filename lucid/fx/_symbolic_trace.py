"""Running a function on proxies: `symbolic_trace`, and the Tracer that one can subclass."""

import builtins
import collections
import contextlib
import copy
import functools
import inspect
import math
import warnings
from types import CodeType, FunctionType

from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..nn.modules.conv import _Conv
from ..nn.modules.linear import Linear
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from .code import _PyTreeCodeGen, _PyTreeInfo
from .graph import Graph
from .graph_module import GraphModule
from .names import library
from .node import Argument, Node, Target, base_types, map_aggregate  # noqa: F401
from .proxy import ParameterProxy, Proxy, Scope, ScopeContextManager, TracerBase

HAS_VARSTUFF = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_proxyable_classes: dict = {}
_constant_attribute_types = (Tensor, pytree.TreeSpec)


_orig_module_call, _orig_module_getattr = Module.__call__, Module.__getattr__


class _Tracing:
    """Is a trace going on?"""

    depth = 0


def is_fx_tracing():
    """is_fx_tracing() -> bool: is a Tracer at work?"""
    return _Tracing.depth > 0


is_fx_symbolic_tracing = is_fx_tracing


# ---- what concrete_args may hold


class PHBase:
    """A placeholder in concrete_args: here the graph has an input."""

    def __repr__(self):
        return "PH"


PH = PHBase()


class PHWithMeta(PHBase):
    """A placeholder whose attributes the input's node gets."""

    def __init__(self, ph_key=None):
        super().__init__()
        self.ph_key = ph_key


def _transfer_attrs(fr, to):
    for name in dir(fr):
        value = getattr(fr, name)
        if not callable(value) and not name.startswith("__") and not hasattr(to, name):
            setattr(to, name, value)


class ProxyableClassMeta(type):
    """The metaclass of classes whose construction from proxies is a node."""

    def __init__(cls, name, bases, attrs):
        _proxyable_classes.setdefault(cls)
        super().__init__(name, bases, attrs)

    def __call__(cls, *args, **kwargs):
        proxy = _find_proxy(args, kwargs) if is_fx_tracing() else None
        if proxy is not None:
            return proxy.tracer.create_proxy("call_function", cls, args, kwargs)
        return super().__call__(*args, **kwargs)


# ---- the tracer


class Tracer(TracerBase):
    """Tracer(autowrap_modules=(math,), autowrap_functions=(), param_shapes_constant=False): trace(root) gives a Graph.

    autowrap: functions (of these modules) whose calls with proxies are nodes. param_shapes_constant: shapes of
    parameters are read while tracing. Override is_leaf_module, call_module, create_arg, to_bool, iter ... to change
    what is traced and how.
    """

    def __init__(self, autowrap_modules=(math,), autowrap_functions=(), param_shapes_constant=False):
        super().__init__()
        public = [
            f for m in autowrap_modules for name, f in vars(m).items() if not name.startswith("_") and callable(f)
        ]
        self._autowrap_function_ids = {id(f) for f in (*public, *autowrap_functions)}
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths, self.root_module_name = None, ""
        self.scope, self.module_stack = Scope("", None), collections.OrderedDict()
        self.num_calls, self.node_name_to_scope = {}, {}
        self._qualname_counter = collections.defaultdict(int)

    # ---- values of the program

    def get_fresh_qualname(self, prefix):
        """get_fresh_qualname(prefix) -> str: an attribute name that the root does not have yet."""
        i = self._qualname_counter[prefix] if hasattr(self.root, f"{prefix}0") else 0
        while hasattr(self.root, f"{prefix}{i}"):
            i += 1
        self._qualname_counter[prefix] = i if i == 0 else i + 1
        return f"{prefix}{i}"

    def create_arg(self, a):
        """create_arg(a): a as an argument of a node; tensors and modules become get_attr nodes of the root's."""
        if isinstance(a, Parameter):
            path = next((n for n, p in self.root.named_parameters() if p is a), None)
            if path is None:
                raise NameError("parameter is not a member of this module")
            return self.create_node("get_attr", path, (), {})
        if isinstance(a, (Tensor, Module)):
            members = self.root.named_buffers() if isinstance(a, Tensor) else self.root.named_modules()
            path = next((n for n, x in members if x is a), None)
            if path is not None:
                return self.create_node("get_attr", path, (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return self.create_node("call_function", type(a), tuple([self.create_arg(x) for x in a]), {})
        if isinstance(a, _constant_attribute_types):
            return self.create_node("get_attr", self._constant(a), (), {})
        if type(a) in _proxyable_classes:
            name = self.get_fresh_qualname(f"_{type(a).__name__}_constant_")
            setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        return super().create_arg(a)

    def _constant(self, a):
        """The attribute of the root under which a constant is kept."""
        name = self.tensor_attrs.get(a)
        if not name:
            kind = "_tensor_constant" if isinstance(a, Tensor) else "_tree_spec_constant"
            name = self.tensor_attrs[a] = self.get_fresh_qualname(kind)
            setattr(self.root, name, a)
        return name

    def getattr(self, attr, attr_val, parameter_proxy_cache):
        """What a module's attribute is while tracing: for a parameter (and, with proxy_buffer_attributes, a buffer) a
        proxy, the same at every read.
        """
        if isinstance(attr_val, Parameter):
            return self._member_proxy(attr_val, self.root.named_parameters(), parameter_proxy_cache)
        if self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            return self._member_proxy(attr_val, self.root.named_buffers(), parameter_proxy_cache)
        return attr_val

    def _member_proxy(self, value, members, cache):
        path = next((n for n, member in members if member is value), None)
        if path is None:
            return value
        if path not in cache:
            how = {}
            if "proxy_factory_fn" in inspect.signature(self.create_proxy).parameters:
                made = (lambda node: ParameterProxy(self, node, path, value)) if self.param_shapes_constant else None
                how["proxy_factory_fn"] = made
            cache[path] = self.create_proxy("get_attr", path, (), {}, **how)
        return cache[path]

    # ---- modules

    def is_leaf_module(self, m, module_qualified_name):
        """is_leaf_module(m, path) -> bool: is a call of m one node? By default for torch's layers but Sequential."""
        home = m.__module__.partition(".")
        torchs = home[0] in ("torch", __name__.partition(".")[0]) and home[2].startswith(("nn", "ao.nn"))
        return torchs and type(m).__name__ != "Sequential"

    def path_of_module(self, mod):
        """path_of_module(mod) -> str: where the root has it; NameError if nowhere."""
        paths = self.submodule_paths or {m: n for n, m in self.root.named_modules()}
        if mod not in paths:
            raise NameError("module is not installed as a submodule")
        return paths[mod]

    def call_module(self, m, forward, args, kwargs):
        """call_module(m, forward, args, kwargs): what a call of submodule m gives: a node for a leaf, else whatever
        forward does.
        """
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))) as scope:
            count = self.num_calls.get(path, 0)
            key = f"{scope.module_path}@{count}" if count else scope.module_path
            self.module_stack[key] = (path, scope.module_type)
            self.num_calls[path] = count + 1
            if self.is_leaf_module(m, path):
                result = self.create_proxy("call_module", path, args, kwargs)
            else:
                result = forward(*args, **kwargs)
            left, _ = self.module_stack.popitem(last=True)
            if left != key:
                raise AssertionError(f"Unexpected key {left}, expected {key}")
        return result

    # ---- inputs

    def create_args_for_root(self, root_fn, is_module, concrete_args=None):
        """(function, arguments) to run: a placeholder's proxy for each parameter that concrete_args does not fix."""
        inner = inspect.unwrap(root_fn)
        code, signature = inner.__code__, inspect.signature(inner)
        total = code.co_argcount + code.co_kwonlyargcount
        names, args = list(code.co_varnames), []
        if is_module:
            if total == 0:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            args.append(self.root)
        own = names[len(args) : total]
        if isinstance(concrete_args, tuple):
            if concrete_args and code.co_flags & HAS_VARSTUFF and total == 1:
                return root_fn, [*args, *self._numbered_inputs(concrete_args)]
            if len(own) != len(concrete_args):
                raise RuntimeError(
                    f"Tracing expected {len(own)} arguments but got {len(concrete_args)} concrete arguments"
                )
            concrete_args = dict(zip(own, concrete_args))
        args += [self._proxy_placeholder(name, concrete_args, signature, inner) for name in own]
        if code.co_kwonlyargcount > 0 or code.co_flags & HAS_VARSTUFF:
            rest = iter(names[total:])
            for flag, stars in ((inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**")):
                if code.co_flags & flag:
                    args.append(self._proxy_placeholder(stars + next(rest), concrete_args, signature, inner))
            root_fn = _with_plain_parameters(root_fn, len(args))
        flat, spec = pytree.tree_flatten(tuple(args))
        if all(child.is_leaf() for child in spec.children()):
            return root_fn, args
        self.graph._codegen = _PyTreeCodeGen(_PyTreeInfo(names[:total], spec, None))
        return self._on_leaves(root_fn, spec), flat

    def _numbered_inputs(self, concrete_args):
        for i, value in enumerate(concrete_args):
            proxy = self.create_proxy("placeholder", f"input_{i}", (), {})
            if isinstance(value, PHBase) and value is not PH:
                _transfer_attrs(value, proxy.node)
            yield proxy

    def _on_leaves(self, root_fn, spec):
        def run(*leaves):
            result, out_spec = pytree.tree_flatten(root_fn(*pytree.tree_unflatten(list(leaves), spec)))
            codegen = self.graph._codegen
            codegen.pytree_info = codegen.pytree_info._replace(out_spec=out_spec)
            return result

        return run

    def _proxy_placeholder(self, name, concrete_args, signature, function):
        default = ()
        if name[0] != "*" and signature.parameters[name].default is not inspect.Parameter.empty:
            default = (signature.parameters[name].default,)
        if concrete_args is None or name not in concrete_args:
            kind = function.__annotations__.get(name)
            return self.create_proxy("placeholder", name, default, {}, type_expr=kind)
        count = 0

        def fixed(x):
            nonlocal count
            count += 1
            proxy = self.create_proxy("placeholder", f"{name}_{count}", default, {})
            return self._specialized(name, x, proxy)

        return pytree.tree_map(fixed, concrete_args[name])

    def _specialized(self, name, x, proxy):
        """What the function gets for input `name` that is fixed to x: the graph checks that it is so."""
        if isinstance(x, PHBase):
            if x is not PH:
                _transfer_attrs(x, proxy.node)
            return proxy
        if type(x) is bool or type(x) in base_types and not isinstance(x, Tensor):
            message = f"{name} has been specialized to have value {x} but got another value"
            library()._assert(proxy == x, message)
        elif x is None:
            message = f"{name} has been specialized to have value None but got another value"
            self.create_proxy("call_function", _assert_is_none, (proxy, message), {})
        else:
            warnings.warn(
                f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up "
                "to the user to make sure that your inputs match the inputs you specialized the function with.",
                stacklevel=2,
            )
        return x

    # ---- tracing

    def trace(self, root, concrete_args=None):
        """trace(root, concrete_args=None) -> Graph of a module's forward or of a function.

        concrete_args: {parameter: value} (or a tuple of all) that are fixed; nests of PH say where inputs are.
        """
        _Tracing.depth += 1
        try:
            return self._trace(root, concrete_args)
        finally:
            _Tracing.depth -= 1

    def _trace(self, root, concrete_args):
        is_module = isinstance(root, Module)
        if is_module:
            self.root, self.root_module_name = root, root._get_name()
            if not hasattr(type(root), self.traced_func_name):
                raise AssertionError(f"traced_func_name={self.traced_func_name} doesn't exist in {type(root).__name__}")
            function = getattr(type(root), self.traced_func_name)
            self.submodule_paths = {m: name for name, m in root.named_modules()}
        else:
            self.root, function = Module(), root
        self.graph = Graph(tracer_cls=type(self))
        if code := getattr(function, "__code__", None):
            names = ("co_name", "co_filename", "co_firstlineno")
            self.graph._co_fields = {n: getattr(code, n) for n in names}
        self.tensor_attrs = dict(_constants_of(self.root, ""))
        if not isinstance(function, FunctionType):
            raise AssertionError(f"Expected FunctionType, got {type(function)}")
        run, args = self.create_args_for_root(function, is_module, concrete_args)
        with _Patcher() as patcher:
            self._patch_modules(patcher)
            _patch_wrapped_functions(patcher)
            for namespace in (function.__globals__, *[m.__dict__ for m in self._autowrap_search]):
                _autowrap_check(patcher, namespace, self._autowrap_function_ids)
            returns = inspect.get_annotations(inspect.unwrap(run)).get("return")
            self.create_node("output", "output", (self.create_arg(run(*args)),), {}, type_expr=returns)
        self.submodule_paths = None
        return self.graph

    def _patch_modules(self, patcher):
        """While tracing, modules' attributes and calls go through the tracer."""
        get, call, cache = Module.__getattr__, Module.__call__, {}

        @functools.wraps(get)
        def traced_getattr(mod, attr):
            return self.getattr(attr, get(mod, attr), cache)

        @functools.wraps(call)
        def traced_call(mod, *args, **kwargs):
            def forward(*args, **kwargs):
                return call(mod, *args, **kwargs)

            namespace = getattr(getattr(mod, "forward", mod), "__globals__", {})
            _autowrap_check(patcher, namespace, self._autowrap_function_ids)
            return self.call_module(mod, forward, args, kwargs)

        for cls in (Linear, _Conv):
            patcher.patch_method(cls, "forward", functools.wraps(cls.forward)(cls._traced_forward))
        patcher.patch_method(Module, "__getattr__", traced_getattr, deduplicate=False)
        patcher.patch_method(Module, "__call__", traced_call, deduplicate=False)

    def __deepcopy__(self, memo):
        made = Tracer.__new__(Tracer)
        for k, v in self.__dict__.items():
            made.__dict__[k] = copy.copy(v) if k == "_autowrap_search" else copy.deepcopy(v, memo)
        return made


def _constants_of(module, prefix):
    """(tensor or TreeSpec, path) for the plain attributes of a module and those inside it."""
    for name, value in module.__dict__.items():
        if isinstance(value, _constant_attribute_types):
            yield value, prefix + name
    for name, child in module.named_children():
        yield from _constants_of(child, f"{prefix}{name}.")


def _with_plain_parameters(function, count):
    """The function with `count` plain parameters, the first of its variables, for those with stars and keywords."""
    code = function.__code__
    flags = code.co_flags & ~HAS_VARSTUFF
    code = code.replace(co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=flags)
    assert isinstance(code, CodeType)
    return FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)


# ---- functions whose calls with proxies are nodes

_wrapped_fns_to_patch: dict = {}
_wrapped_methods_to_patch: list = []


def _find_proxy(*objects):
    found = []
    map_aggregate(objects, lambda x: found.append(x) if isinstance(x, Proxy) else None)
    return found[-1] if found else None


def _create_wrapped_func(orig_fn):
    @functools.wraps(orig_fn)
    def wrapped(*args, **kwargs):
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return orig_fn(*args, **kwargs)
        made = proxy.tracer.create_proxy("call_function", orig_fn, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

    return wrapped


def _create_wrapped_method(cls, name):
    orig_fn = getattr(cls, name)

    @functools.wraps(orig_fn)
    def wrapped(*args, **kwargs):
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return orig_fn(*args, **kwargs)
        return proxy.tracer.create_proxy("call_method", name, args, kwargs)

    return wrapped


_MISSING = object()


class _Patcher:
    """Puts functions in the place of others and, in the end, back."""

    current = None

    def __init__(self):
        self.patches_made, self.visited = [], set()  # [(put back, put in)]

    def patch(self, frame_dict, name, new_fn, deduplicate=True):
        """frame_dict[name] is new_fn until the end; a builtin's name is taken away again."""
        new_fn.__fx_already_patched = deduplicate
        old = frame_dict.get(name, _MISSING)
        if old is _MISSING:
            self._make(lambda: frame_dict.pop(name), lambda: frame_dict.__setitem__(name, new_fn))
        elif not getattr(old, "__fx_already_patched", False):
            self._make(lambda: frame_dict.__setitem__(name, old), lambda: frame_dict.__setitem__(name, new_fn))

    def patch_method(self, cls, name, new_fn, deduplicate=True):
        """cls.name is new_fn until the end."""
        new_fn.__fx_already_patched = deduplicate
        old = getattr(cls, name)
        if not getattr(old, "__fx_already_patched", False):
            self._make(lambda: setattr(cls, name, old), lambda: setattr(cls, name, new_fn))

    def _make(self, undo, do):
        do()
        self.patches_made.append((undo, do))

    def visit_once(self, thing):
        """Is it the first time that this is visited?"""
        first = id(thing) not in self.visited
        self.visited.add(id(thing))
        return first

    def revert_all_patches(self):
        """Everything as it was before."""
        for undo, _ in self.patches_made[::-1]:
            undo()
        return self.patches_made

    def reapply_all_patches(self):
        """Everything as it is while tracing."""
        for _, do in self.patches_made:
            do()
        return self.patches_made

    def __enter__(self):
        self._outer, _Patcher.current = _Patcher.current, self
        return self

    def __exit__(self, *trouble):
        _Patcher.current = self._outer
        self.revert_all_patches()
        self.patches_made.clear()
        self.visited.clear()


@contextlib.contextmanager
def _maybe_revert_all_patches():
    """Within it, nothing is patched."""
    patcher = _Patcher.current
    if patcher is not None:
        patcher.revert_all_patches()
    try:
        yield
    finally:
        if patcher is not None:
            patcher.reapply_all_patches()


def _patch_wrapped_functions(patcher):
    for (_, name), frame_dict in list(_wrapped_fns_to_patch.items()):
        orig_fn = frame_dict[name] if name in frame_dict else getattr(builtins, name)
        patcher.patch(frame_dict, name, _create_wrapped_func(orig_fn))
    for cls, name in _wrapped_methods_to_patch:
        patcher.patch_method(cls, name, _create_wrapped_method(cls, name))


def _autowrap_check(patcher, frame_dict, function_ids):
    """In a namespace, functions that are to be wrapped are."""
    if patcher.visit_once(frame_dict):
        for name, value in list(frame_dict.items()):
            if not name.startswith("_") and callable(value) and id(value) in function_ids:
                patcher.patch(frame_dict, name, _create_wrapped_func(value))


def wrap(fn_or_name):
    """wrap(function or name) -> the same: calls of that function of this module are nodes. At the top of a module."""
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = inspect.currentframe().f_back
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped_fns_to_patch[id(frame.f_globals), name] = frame.f_globals
    return fn_or_name


def symbolic_trace(root, concrete_args=None):
    """symbolic_trace(root, concrete_args=None) -> GraphModule that does what the module or function does.

    concrete_args: {parameter: value} that are fixed. TraceError where the program decides by a value.
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    return GraphModule(tracer.root, graph, type(root).__name__ if isinstance(root, Module) else root.__name__)


@wrap
def _assert_is_none(value, msg):
    if value is not None:
        raise AssertionError(msg)
