"""A module whose forward is written from a graph."""

import contextlib
import copy
import itertools
import linecache
import pathlib
import re
import sys
import traceback
import warnings

from .._tensor.tensor import Tensor
from ..nn.modules.module import Module, _addindent
from ..nn.parameter import Parameter
from ..serialization import save
from .code import _BoxedCodeGen, _PyTreeCodeGen
from .graph import Graph
from .names import _custom_builtins, library
from .node import _torchs

__all__ = ["reduce_graph_module", "GraphModule"]

_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"


# ---- source that tracebacks can show


class _EvalCacheLoader:
    """Keeps the source of generated functions where linecache asks for it."""

    def __init__(self):
        self.eval_cache, self.next_id = {}, 0

    def cache(self, src, globals, co_fields=None):
        """The file name under which this source is from now on."""
        key = f"<eval_with_key>.{self.next_id}"
        self.next_id += 1
        where = co_fields or {}
        if "co_firstlineno" in where and "co_name" in where:
            key += f" from {where['co_filename']}:{where['co_firstlineno']} in {where['co_name']}"
        elif "co_filename" in where:
            key = where["co_filename"]
        self.eval_cache[key] = src
        linecache.lazycache(key, {**globals, "__file__": key, "__name__": key, "__loader__": self})
        return key

    def get_source(self, module_name):
        """What linecache asks for."""
        return self.eval_cache.get(module_name)


_loader = _EvalCacheLoader()


def _exec_with_source(src, globals, co_fields=None):
    key = _loader.cache(src, globals, co_fields)
    exec(compile(src, key, "exec", dont_inherit=True), globals)


def _method_from_src(method_name, src, globals, co_fields=None):
    scope = globals.copy()
    _exec_with_source(src, scope, co_fields)
    return scope.pop(method_name)


def _forward_from_src(src, globals, co_fields=None):
    return _method_from_src("forward", src, globals, co_fields)


# ---- pickles: the source, and the imports that it needs


def _import_line(name, obj):
    if name in _custom_builtins:
        return _custom_builtins[name].import_str
    return f"from {_torchs(obj.__module__)} import {obj.__qualname__} as {name}"


def _import_block(globals):
    return "\n".join(sorted({_import_line(name, obj) for name, obj in globals.items()}))


def reduce_graph_module(body, import_block):
    """What a pickled GraphModule is read with: its source runs on proxies, which gives the graph again."""
    forward = _forward_from_src(_ours(import_block) + (body.get("_code") or body["code"]), {"torch": library()})
    return _deserialize_graph_module(forward, body)


def reduce_package_graph_module(importer, body, generated_module_name):
    """What a GraphModule of a torch.package is read with: its code is a module of the package."""
    return _deserialize_graph_module(importer.import_module(generated_module_name).forward, body)


def _ours(import_block):
    """The import lines with what they take from torch taken from this library."""
    name = library().__name__
    lines = [line for line in import_block.split("\n") if line != "import torch"]
    lines = [re.sub(r"^(from|import) torch\b", rf"\1 {name}", line) for line in lines]
    return "\n".join(lines)


class _CodeOnlyModule(Module):
    """A module made of a dictionary of attributes."""

    def __init__(self, body):
        super().__init__()
        self.__dict__ = body


def _deserialize_graph_module(forward, body, graph_module_cls=None):
    _CodeOnlyModule.forward = forward
    tracer_cls = body.get("_tracer_cls") or library().fx.Tracer

    class KeepModules(tracer_cls):
        """A tracer for which every module is a leaf."""

        def is_leaf_module(self, m, module_qualified_name):
            return True

    module = _CodeOnlyModule(body)
    graph = KeepModules().trace(module, **body.get("_tracer_extras", {}))
    for node in graph.nodes:
        if (trace := body.get("_graphmodule_graph_node_meta_stack_trace", {}).get(node.name)) is not None:
            node.meta["stack_trace"] = trace
    graph._tracer_cls = tracer_cls
    made = (graph_module_cls or GraphModule)(module, graph, class_name=body.get("_graphmodule_cls_name", "GraphModule"))
    for k, v in body.items():
        if not hasattr(made, k):
            setattr(made, k, v)
    return made


# ---- members by their path


def _copy_attr(from_module, to_module, target):
    *path, name = target.split(".")
    for part in path:
        source, place = getattr(from_module, part), getattr(to_module, part, None)
        if source is place:
            return
        if place is None:
            place = Module()
            setattr(to_module, part, place)
        from_module, to_module = source, place
    _put(to_module, name, getattr(from_module, name))


def _assign_attr(from_obj, to_module, target):
    *path, name = target.split(".")
    for part in path:
        if getattr(to_module, part, None) is None:
            setattr(to_module, part, Module())
        to_module = getattr(to_module, part)
    _put(to_module, name, from_obj)


def _put(module, name, value):
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        module.register_buffer(name, value)
    else:
        setattr(module, name, value)


def _get_attr(model, attr_name):
    """The member of a module at a dotted path."""
    for part in attr_name.split(".") if attr_name else ():
        model = getattr(model, part)
    return model


def _del_attr(model, attr_name):
    where, _, name = attr_name.rpartition(".")
    delattr(_get_attr(model, where), name)


def _has_attr(model, attr_name):
    try:
        _get_attr(model, attr_name)
    except AttributeError:
        return False
    return True


# ---- calls


_HOUSE = str(pathlib.Path(__file__).parent.parent)


def _innermost(error):
    """The innermost frame of an error's traceback that torch would show: what is C there has no frames."""
    frames = traceback.extract_tb(error.__traceback__)
    last = len(frames) - 1
    while last and (frames[last].filename.startswith((_HOUSE, "/<lucid>/")) or frames[last].filename == "<string>"):
        last -= 1
    after = frames[min(last + 1, len(frames) - 1)].filename
    in_python = "/nn/" in after or "nn.functional." in after or after.startswith(f"{_HOUSE}/fx")
    return frames[-1] if in_python else frames[last]


class _WrappedCall:
    """Calls a GraphModule; an error in its code prints the line of the code with it."""

    def __init__(self, cls, cls_call):
        self.cls, self.cls_call = cls, cls_call

    @staticmethod
    def _generate_error_message(frame_summary):
        at, line = frame_summary.lineno, frame_summary.line
        lines = linecache.getlines(frame_summary.filename)
        return "\n".join(
            [
                traceback.format_exc(),
                f"Call using an FX-traced Module, line {at} of the traced Module's generated forward function:",
                "".join(lines[at - 2 : at]),
                "~" * len(line) + "~~~ <--- HERE",
                "\n".join(lines[at : at + 2]),
            ]
        )

    def __call__(self, obj, *args, **kwargs):
        try:
            if self.cls_call is not None:
                return self.cls_call(obj, *args, **kwargs)
            return super(self.cls, obj).__call__(*args, **kwargs)
        except Exception as error:
            innermost = _innermost(error)
            if "eval_with_key" not in innermost.filename:
                raise
            print(self._generate_error_message(innermost), file=sys.stderr)
            raise error.with_traceback(None) from error.__cause__


class GraphModule(Module):
    """GraphModule(root, graph, class_name="GraphModule"): a module that runs the graph.

    root: the module (or {path: member}) whose parameters, buffers and submodules the graph's nodes name; they are
    shared. After the graph was changed, `recompile()` writes `forward` anew; assigning `graph` does, too.
    """

    def __new__(cls, *args, **kwargs):
        # each has a class of its own, since forward is the class's
        base = next(c for c in cls.__mro__ if c.__qualname__.rpartition(".")[2] != "GraphModuleImpl")
        return super().__new__(type("GraphModuleImpl", (base,), {"__module__": __name__}))

    def __init__(self, root, graph, class_name="GraphModule"):
        super().__init__()
        type(self).__name__ = class_name
        wanted = [n.target for n in graph.nodes if n.op in ("get_attr", "call_module")]
        if isinstance(root, Module):
            self.training = getattr(root, "training", self.training)
            if isinstance(root, _CodeOnlyModule):
                members = (root.named_children(), root.named_buffers(), root.named_parameters())
                wanted = [*[name for found in members for name, _ in found], *wanted]
            for path in wanted:
                _copy_attr(root, self, path)
        elif isinstance(root, dict):
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module") and node.target not in root:
                    raise RuntimeError(
                        f"Node {node} referenced target {node.target} but that target was not provided in ``root``!"
                    )
            for path in sorted(wanted, key=lambda t: t.count(".")):
                _assign_attr(root[path], self, path)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self.graph = graph
        cls = graph._tracer_cls
        self._tracer_cls = cls if cls and "<locals>" not in cls.__qualname__ else None
        self._tracer_extras = graph._tracer_extras or {}
        self.meta, self.shape_env = {}, None
        self._replace_hooks, self._create_node_hooks, self._erase_node_hooks, self._deepcopy_hooks = [], [], [], []

    # ---- graph and code

    @property
    def graph(self):
        """The Graph."""
        return self._graph

    @graph.setter
    def graph(self, g):
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def _boxed_call(self):
        return isinstance(self._graph._codegen, _BoxedCodeGen)

    @property
    def code(self):
        """The source of forward."""
        if not hasattr(self, "_code"):
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self._code

    def recompile(self):
        """recompile() -> PythonCode: forward is written from the graph as it is now."""
        if isinstance(self._graph._codegen, _PyTreeCodeGen):
            self._in_spec = self._graph._codegen.pytree_info.in_spec
            self._out_spec = self._graph._codegen.pytree_info.out_spec
        written = self._graph.python_code(root_module="self")
        self._code, self._lineno_map, self._prologue_start = written.src, written._lineno_map, written._prologue_start
        cls = type(self)
        cls.forward = _forward_from_src(self._code, written.globals, self._graph._co_fields)
        if "_wrapped_call" not in vars(cls):
            cls._wrapped_call = _WrappedCall(cls, vars(cls).get("__call__"))
        for child in self.children():
            if isinstance(child, GraphModule):
                child.recompile()

        def call_wrapped(self, *args, **kwargs):
            return self._wrapped_call(self, *args, **kwargs)

        cls.__call__ = call_wrapped
        return written

    def print_readable(
        self,
        print_output=True,
        include_stride=False,
        include_device=False,
        colored=False,
        *,
        fast_sympy_print=False,
        expanded_def=False,
        additional_meta=None,
    ):
        """print_readable(print_output=True, ...) -> str: the code as a class, with what is known of each value and the
        lines of the program it comes from; submodules' follow.
        """
        how = dict(include_stride=include_stride, include_device=include_device, colored=colored)
        how["additional_meta"] = additional_meta
        text = _readable(self, self._get_name(), expanded_def, how)
        if print_output:
            print(text)
        return text

    def __str__(self):
        reminder = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([super().__str__(), self._code, reminder])

    # ---- members

    def add_submodule(self, target, m):
        """add_submodule(target, m) -> bool: puts m at a dotted path; False if something else is in the way."""
        *path, name = target.split(".")
        module = self
        for part in path:
            if getattr(module, part, None) is None:
                setattr(module, part, Module())
            module = getattr(module, part)
            if not isinstance(module, Module):
                return False
        module.add_module(name, m)
        return True

    def delete_submodule(self, target):
        """delete_submodule(target) -> bool: was there a submodule at that path? It is gone."""
        where, _, name = target.rpartition(".")
        found = _get_attr(self, target) if _has_attr(self, target) else None
        if not isinstance(found, Module):
            return False
        delattr(_get_attr(self, where), name)
        return True

    def delete_all_unused_submodules(self):
        """Take out every submodule that no node names and that is inside of none that is called."""
        used = set()
        for node in self.graph.nodes:
            if node.op not in ("call_module", "get_attr"):
                continue
            used.update(itertools.accumulate(node.target.split("."), lambda a, b: f"{a}.{b}"))
            if node.op == "call_module" and _has_attr(self, node.target):
                inside = self.get_submodule(node.target).named_modules()
                used.update(f"{node.target}.{name}" for name, _ in inside if name)
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    # ---- copies

    def __reduce__(self):
        state = {k: v for k, v in self.__dict__.items() if k != "_graph"}
        return reduce_graph_module, (state, _import_block(self.recompile().globals))

    def _deepcopy_init(self):
        return GraphModule.__init__

    def __deepcopy__(self, memo):
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        state = _CodeOnlyModule(copy.deepcopy(self.__dict__, memo))
        self._deepcopy_init()(made, state, state.__dict__["_graph"])
        for name in _KEPT:
            if name in self.__dict__:
                setattr(made, name, copy.deepcopy(self.__dict__[name], memo))
        made.meta = copy.deepcopy(getattr(self, "meta", {}), memo)
        for name, value in made.meta.get(_USER_PRESERVED_ATTRIBUTES_KEY, {}).items():
            setattr(made, name, value)
        for hook in self._deepcopy_hooks:
            hook(made)
        return made

    def __copy__(self):
        made = GraphModule(self, self.graph)
        made.meta = getattr(self, "meta", {})
        return made

    def to_folder(self, folder, module_name="FxModule"):
        """to_folder(folder, module_name="FxModule"): the module as a Python package with its parameters."""
        folder = pathlib.Path(folder)
        folder.mkdir(exist_ok=True)
        save(self.state_dict(), folder / "state_dict.pt")
        text, blobs = _package_text(self, folder, module_name)
        (folder / "module.py").write_text(text)
        (folder / "__init__.py").write_text("from .module import *")
        if blobs:
            warnings.warn(
                "Was not able to save the following children modules as reprs -saved as pickled files instead: "
                f"{blobs}",
                stacklevel=2,
            )

    # ---- hooks on changes of the graph

    @contextlib.contextmanager
    def _set_replace_hook(self, f):
        self._register_replace_node_hook(f)
        try:
            yield
        finally:
            self._unregister_replace_node_hook(f)


def _hook_methods(kind):
    name = f"_{'replace' if kind == 'replace_node' else kind}_hooks"

    def register(self, f):
        if not callable(f):
            raise AssertionError(f"{kind} hook must be a callable.")
        getattr(self, name).append(f)

    def unregister(self, f):
        getattr(self, name).remove(f)

    setattr(GraphModule, f"_register_{kind}_hook", register)
    setattr(GraphModule, f"_unregister_{kind}_hook", unregister)


for _kind in ("replace_node", "create_node", "erase_node", "deepcopy"):
    _hook_methods(_kind)

_KEPT = (
    "_state_dict_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
    "_replace_hooks",
    "_create_node_hooks",
    "_erase_node_hooks",
    "_deepcopy_hooks",
)


def _readable(module, name, expanded_def, how):
    code = module.graph.python_code(root_module="self", verbose=True, expanded_def=expanded_def, **how).src
    text = _addindent(f"class {name}(torch.nn.Module):\n{code.lstrip(chr(10))}", 4)
    inner = [_readable(m, n, False, how) for n, m in module.named_children() if isinstance(m, GraphModule)]
    return text + _addindent("\n".join(["", *inner]), 4)


_SAFE_REPRS = ("Linear", "Conv1d", "Conv2d", "Conv3d", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d")


def _package_text(module, folder, module_name):
    """(source of a package that makes the module, names of children that are saved as files)"""
    tab, blobs = " " * 8, []
    lines = ["", "import torch", *[b.import_str for b in _custom_builtins.values()], "", "from torch.nn import *"]
    lines += [f"class {module_name}(torch.nn.Module):", "    def __init__(self):", f"{tab}super().__init__()"]
    for name, child in module.named_children():
        if type(child).__name__ in _SAFE_REPRS and _torchs(type(child).__module__).startswith("torch.nn."):
            lines.append(f"{tab}setattr(self, '{name}', {child!r})")
            continue
        file = folder / f"{name}.pt"
        save(child, file)
        blobs.append(name)
        shown = repr(child).replace("\r", " ").replace("\n", " ")
        lines.append(f"{tab}setattr(self, '{name}', torch.load(r'{file}', weights_only=False)) # {shown}")
    for name, t in module._buffers.items():
        if t is not None:
            empty = f"torch.empty({list(t.shape)}, dtype={_torchs(str(t.dtype))})"
            lines.append(f"{tab}self.register_buffer('{name}', {empty})")
    for name, t in module._parameters.items():
        if t is not None:
            empty = f"torch.empty({list(t.shape)}, dtype={_torchs(str(t.dtype))})"
            lines.append(f"{tab}setattr(self, '{name}', torch.nn.Parameter({empty}))")
    lines.append(f"{tab}self.load_state_dict(torch.load(r'{folder}/state_dict.pt'))")
    return "\n".join(lines) + f"\n{_addindent(module.code, 4)}\n", blobs
