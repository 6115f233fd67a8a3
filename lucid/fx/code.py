"""The Python text of a graph."""

import dataclasses
import enum
import inspect
import os
import re
from typing import Any, NamedTuple

from .._base import dtype as dtypes
from .._tensor import pytree
from .._tensor.tensor import Tensor
from .names import Globals, library
from .node import Node, _get_qualified_name

reflectable_magic_methods = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "floordiv": "{} // {}",
    "truediv": "{} / {}",
    "div": "{} / {}",
    "mod": "{} % {}",
    "pow": "{} ** {}",
    "lshift": "{} << {}",
    "rshift": "{} >> {}",
    "and_": "{} & {}",
    "or_": "{} | {}",
    "xor": "{} ^ {}",
    "getitem": "{}[{}]",
    "matmul": "{} @ {}",
}
magic_methods = {
    "eq": "{} == {}",
    "ne": "{} != {}",
    "lt": "{} < {}",
    "gt": "{} > {}",
    "le": "{} <= {}",
    "ge": "{} >= {}",
    "pos": "+{}",
    "neg": "-{}",
    "invert": "~{}",
    **reflectable_magic_methods,
}
inplace_methods = {
    "iadd": "{} += {}",
    "iand": "{} &= {}",
    "ifloordiv": "{} //= {}",
    "ilshift": "{} <<= {}",
    "imod": "{} %= {}",
    "imul": "{} *= {}",
    "imatmul": "{} @= {}",
    "ior": "{} |= {}",
    "ipow": "{} **= {}",
    "irshift": "{} >>= {}",
    "isub": "{} -= {}",
    "itruediv": "{} /= {}",
    "ixor": "{} ^= {}",
    "setitem": "{}[{}] = {}",
}
_COLORS = {"red": "\x1b[31m", "blue": "\x1b[34m", "dim": "\x1b[2m", "dim_blue": "\x1b[2m\x1b[34m"}
_COLORS["dim_green"] = "\x1b[2m\x1b[32m"
_counter = re.compile(r"# COUNTER: (\d+)")
_frame_line = re.compile(r'^File "(.+)", line (\d+), in (.+)$')


@dataclasses.dataclass
class PythonCode:
    """A graph as Python: the source of its function, the globals that it needs, and which line is which node's."""

    src: str
    globals: dict
    _lineno_map: dict
    _prologue_start: int = 0


def _format_target(base, target):
    """`base.a.b`, with getattr where a part of the path is no identifier (the `0` of a Sequential)."""
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


@dataclasses.dataclass(frozen=True)
class _ParsedStackTrace:
    """The innermost frame of a stack trace."""

    file: str
    lineno: str
    name: str
    code: str

    def get_summary_str(self):
        return f"File: {self.file}:{self.lineno} in {self.name}, code: {self.code}"


def _parse_stack_trace(stack_trace, filter_fn=None):
    """The innermost frame that filter_fn(file, name, code) lets through; None if there is none."""
    lines = [line.strip() for line in (stack_trace or "").strip().split("\n")]
    for line, code in zip(lines[-2::-1], lines[:0:-1]):
        if found := _frame_line.match(line):
            file, lineno, name = found.groups()
            if filter_fn is None or filter_fn(file, name, code):
                return _ParsedStackTrace(file, lineno, name, code)
    return None


def _shape_text(shape):
    return f"[{', '.join(str(getattr(n, 'expression', n)) for n in shape)}]"


class CodeGen:
    """Writes the function of a graph; subclasses change its head, its result, or what goes in and out."""

    _sym_repr = staticmethod(lambda n: repr(getattr(n, "expression", n)))

    def __init__(self):
        self._body_transformer = None
        self._func_name = "forward"

    # ---- what subclasses change

    def gen_fn_def(self, free_vars, maybe_return_annotation, *, expanded_def=False):
        """The head of the function; expanded_def: one parameter a line."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        if not expanded_def:
            return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"
        lines = "".join(_argument_line(*v.partition("#")) for v in free_vars)
        return f"def {self._func_name}(\n{lines}){maybe_return_annotation}:"

    def generate_output(self, output_args, *, descs=None, repr_fn=repr):
        """The return statement."""
        if descs is not None and isinstance(output_args, (list, tuple)):
            return f"return {_container_lines(output_args, descs, repr_fn)}"
        return f"return {repr_fn(output_args)}"

    def process_inputs(self, *args):
        """What the function is given, as the graph's placeholders take it."""
        return args

    def process_outputs(self, outputs):
        """What the graph's output node holds, as the function returns it."""
        return outputs

    def additional_globals(self):
        """[(name, object)] that the text uses besides."""
        return []

    def _gen_python_code(self, nodes, root_module, namespace, **how):
        return _Writer(self, nodes, root_module, namespace, **how).write()


def _argument_line(argument, mark, comment):
    return f"    {argument.rstrip()},  # {comment.lstrip()}\n" if mark else f"    {argument},\n"


def _container_lines(items, descs, repr_fn):
    left, right = "()" if isinstance(items, tuple) else "[]"
    trails = [f"  # {d}" for d in descs] if descs is not None else [""] * len(items)
    return f"{left}\n" + "".join(f"    {repr_fn(x)},{trail}\n" for x, trail in zip(items, trails)) + right


class _Writer:
    """One writing of a graph."""

    def __init__(
        self,
        codegen,
        nodes,
        root_module,
        namespace,
        *,
        verbose=False,
        include_stride=False,
        include_device=False,
        colored=False,
        expanded_def=False,
        record_func=False,
        additional_meta=None,
    ):
        self.codegen, self.nodes, self.root_module, self.globals = codegen, nodes, root_module, Globals(namespace)
        self.verbose, self.expanded_def, self.additional_meta = verbose, expanded_def, additional_meta or ()
        self.include_stride = include_stride or os.environ.get("FX_GRAPH_SHOW_STRIDE", "0") == "1"
        self.include_device = include_device or os.environ.get("FX_GRAPH_SHOW_DEVICE", "0") == "1"
        self.color = (lambda name, text: f"{_COLORS[name]}{text}\x1b[0m") if colored else (lambda name, text: text)
        self.parameters, self.body, self.wrapped, self.returns = [], [], {}, ""
        self.summary = None

    def write(self):
        last_used_by = self._last_uses()
        for i, node in enumerate(self.nodes):
            if self.verbose:
                self._where(node)
            self.body.append(f"# COUNTER: {i}\n")
            self._statement(node)
            self._forget(node, last_used_by.get(node, []))
        return self._assembled()

    def _last_uses(self):
        """{node: [values that nobody uses after it]}"""
        seen, last = set(), {}
        for node in reversed(self.nodes):
            for used in node._input_nodes:
                if used not in seen:
                    seen.add(used)
                    last.setdefault(node, []).append(used)
        return last

    def _forget(self, node, values):
        if node.op == "placeholder":
            return
        if node.op != "output" and not node.users:
            values = [*values, node]
        if node.op == "output" or not values:
            self.body.append("\n")
        else:
            self.body.append(f";  {self.color('dim', ' = '.join([*map(repr, values), 'None']))}\n")

    def _assembled(self):
        body = self.body or ["pass\n"]
        wraps = ""
        if self.wrapped:
            name = self.globals.name_of("wrap", library().fx.wrap)
            wraps = "\n".join(f'{name}("{f}")' for f in self.wrapped)
        if self.codegen._body_transformer:
            body = self.codegen._body_transformer(body)
        for name, value in self.codegen.additional_globals():
            self.globals.name_of(name, value)
        head = _call_with_known(self.codegen.gen_fn_def, self.parameters, self.returns, expanded_def=self.expanded_def)
        lines, owners, current = [], {}, None
        for line in "".join(body).split("\n"):
            if found := _counter.search(line):
                current = int(found.group(1))
            else:
                owners[len(lines) + head.count("\n") + 1] = current
                lines.append(line)
        code = "\n".join("    " + line for line in "\n".join(lines).lstrip("\n").split("\n"))
        return PythonCode(f"\n{wraps}\n\n{head}\n{code}", self.globals.found, owners, wraps.count("\n") + 4)

    # ---- one node

    def _statement(self, node):
        op, target = node.op, node.target
        if op == "placeholder":
            return self._placeholder(node)
        if op == "output":
            if node.type is not None:
                self.returns = f" -> {self.globals.type_name(node.type)}"
            descs = node.meta.get("desc") if self.expanded_def else None
            text = _call_with_known(self.codegen.generate_output, node.args[0], descs=descs, repr_fn=self._argument)
            return self.body.append(text)
        if op == "call_function":
            return self.body.append(self._call(node))
        if op == "get_attr":
            value = _format_target(self.root_module, target)
        elif op == "call_method":
            value = (
                f"{_format_target(self._argument(node.args[0]), target)}({self._arguments(node.args[1:], node.kwargs)})"
            )
        elif op == "call_module":
            value = f"{_format_target(self.root_module, target)}({self._arguments(node.args, node.kwargs)})"
        else:
            raise NotImplementedError(f"node: {op} {target}")
        self.body.append(f"{node!r}{self._annotation(node)} = {value}")

    def _placeholder(self, node):
        default = f" = {self._argument(node.args[0])}" if node.args else ""
        desc = node.meta.get("desc") if self.expanded_def else None
        comment = "" if desc is None else f"  # {desc}"
        self.parameters.append(f"{node.target}{self._annotation(node)}{default}{comment}")
        name = node.target.replace("*", "")
        if name != repr(node):
            self.body.append(f"{node!r} = {name}\n")

    def _call(self, node):
        target, left = node.target, f"{node!r}{self._annotation(node)} = "
        if getattr(target, "__module__", "") == "_operator":
            given = [self._argument(a) for a in node.args]
            if target.__name__ in magic_methods:
                return left + magic_methods[target.__name__].format(*given)
            if target.__name__ in inplace_methods:
                return f"{inplace_methods[target.__name__].format(*given)};  {left}{given[0]}"
        name = self.globals.name_of(_get_qualified_name(target), target)
        args = node.args
        if name == "getattr" and len(args) == 2 and isinstance(args[1], str) and args[1].isidentifier():
            return left + _format_target(self._argument(args[0]), args[1])
        if node.meta.get("is_wrapped", False):
            self.wrapped.setdefault(name)
        return f"{left}{name}({self._arguments(args, node.kwargs)})"

    def _arguments(self, args, kwargs):
        return ", ".join([*map(self._argument, args), *[f"{k} = {self._argument(v)}" for k, v in kwargs.items()]])

    def _argument(self, arg):
        if isinstance(arg, Node):
            return repr(arg)
        if isinstance(arg, tuple) and hasattr(arg, "_fields"):
            kind = type(arg)
            return f"{self.globals.name_of(_get_qualified_name(kind), kind)}{tuple(arg)!r}"
        if isinstance(arg, tuple):
            return f"({self._argument(arg[0])},)" if len(arg) == 1 else f"({', '.join(map(self._argument, arg))})"
        if isinstance(arg, list):
            return f"[{', '.join(map(self._argument, arg))}]"
        if isinstance(arg, slice):
            return f"slice({self._argument(arg.start)}, {self._argument(arg.stop)}, {self._argument(arg.step)})"
        if isinstance(arg, enum.Enum):
            return f"{self.globals.name_of(type(arg).__name__, type(arg))}.{arg.name}"
        if isinstance(arg, Tensor):
            return f"torch.Tensor(size={list(arg.shape)}, dtype={str(arg.dtype).rpartition('.')[2]})"
        if getattr(arg, "_is_operator_", False):  # an OpOverload or a higher-order operator
            return self.globals.name_of(_get_qualified_name(arg), arg)
        return self.color("blue", repr(arg))

    # ---- what is known of values, for readers

    def _annotation(self, node):
        plain = "" if node.type is None else f" : {self.globals.type_name(node.type)}"
        found = node._example() if self.verbose else None
        if isinstance(found, Tensor):
            shown = self._tensor_text(found)
            return (
                f': "{shown}"' if type(found) is Tensor or _is_fake(found) else f': "{type(found).__name__}({shown})"'
            )
        if getattr(found, "_is_symbolic_", False):
            return f': "Sym({CodeGen._sym_repr(found)})"'
        if type(found).__name__ == "TensorMetadata":
            return f': "{dtypes.SHORT_NAMES[found.dtype]}{_shape_text(found.shape)}"'
        return plain

    def _tensor_text(self, t):
        stride = _shape_text(t.stride()) if self.include_stride else ""
        place = f"{t.device}" if self.include_device else ""
        color = self.color
        return (
            f"{color('red', dtypes.SHORT_NAMES[t.dtype])}{color('blue', _shape_text(t.shape))}"
            f"{color('dim_blue', stride)}{color('dim_green', place)}"
        )

    def _where(self, node):
        """A comment that tells the line of the traced program, before the first node of it."""
        if node.op in ("placeholder", "output"):
            return
        meta = ", ".join(f"{key}: {node.meta[key]}" for key in self.additional_meta if key in node.meta)
        notes = {
            k: text[:40] + "..." if len(text := str(v)) > 40 else v for k, v in node.meta.get("custom", {}).items()
        }
        frame = _parse_stack_trace(node.stack_trace)
        place = "No stacktrace found for following nodes" if node.stack_trace is None or frame is None else frame
        place = place if isinstance(place, str) else place.get_summary_str()
        text = f"{f'# {meta} ' if meta else ''}#{f' Annotation: {notes}' if notes else ''} {place}"
        summary = f"\n{self.color('dim', text)}\n"
        if summary != self.summary:
            self.summary = summary
            self.body.append(summary)


def _is_fake(t):
    return type(t).__name__ == "FakeTensor"


def _call_with_known(method, *args, **kwargs):
    """Call with the keywords that the method, which may be a user's, has parameters for."""
    known = inspect.signature(method).parameters
    return method(*args, **{k: v for k, v in kwargs.items() if k in known})


# ---- inputs and outputs that are trees


class _PyTreeInfo(NamedTuple):
    """The parameters as the function had them, and how arguments and result are nested."""

    orig_args: list
    in_spec: Any
    out_spec: Any


class _PyTreeCodeGen(CodeGen):
    """The function takes and returns nested containers; the graph sees their leaves."""

    def __init__(self, pytree_info):
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *inputs):
        return pytree.arg_tree_leaves(*inputs)

    def process_outputs(self, out):
        if self.pytree_info is None or self.pytree_info.out_spec is None:
            return out
        return pytree.tree_unflatten(out if isinstance(out, (list, tuple)) else [out], self.pytree_info.out_spec)

    def gen_fn_def(self, free_vars, maybe_return_annotation, *, expanded_def=False):
        if self.pytree_info is None:
            return super().gen_fn_def(free_vars, maybe_return_annotation, expanded_def=expanded_def)
        args = self.pytree_info.orig_args
        if args and args[0] == "self":
            free_vars.insert(0, "self")
        head = super().gen_fn_def(args[:], maybe_return_annotation, expanded_def=expanded_def)
        return head + self.gen_var_bindings(args, free_vars, expanded_def) if free_vars else head

    def gen_var_bindings(self, fn_args, free_vars, expanded_def):
        """The lines that take the arguments apart."""
        spec = self.pytree_info.in_spec
        given = f"[{', '.join(fn_args)}], self._in_spec"
        two = spec.type is tuple and spec.num_children == 2
        if two and spec.child(0).type is tuple and spec.child(1).type is dict:  # (args, kwargs)
            n = spec.child(0).num_children
            args, names = self.pytree_info.orig_args[:n], self.pytree_info.orig_args[n:]
            keywords = ", ".join(f"'{k}':{v}" for k, v in zip(spec.child(1).context, names))
            given = f"([{', '.join(args)}], {{{keywords}}}), self._in_spec"
        typed = [v for v in free_vars if ":" in v]
        lines = ""
        if typed:
            lines = "\n    " + ("\n    ".join(typed) if expanded_def else "".join(v + "; " for v in typed) + "\n")
        plain = ", ".join(v.split(":")[0].split("#")[0] for v in free_vars)
        return f"{lines}\n    {plain}, = fx_pytree.tree_flatten_spec({given})"

    def generate_output(self, output_args, *, descs=None, repr_fn=repr):
        if not (self.pytree_info and self.pytree_info.out_spec):
            return super().generate_output(output_args, descs=descs, repr_fn=repr_fn)
        if descs is not None and isinstance(output_args, (list, tuple)):
            return f"return pytree.tree_unflatten({_container_lines(output_args, descs, repr_fn)}, self._out_spec)"
        return f"return pytree.tree_unflatten({repr_fn(output_args)}, self._out_spec)"


class _BoxedCodeGen(CodeGen):
    """The function takes one list of all arguments and empties it, so that each can be freed after its last use."""

    def gen_fn_def(self, free_vars, maybe_return_annotation, *, expanded_def=False):
        head = f"def {self._func_name}(self, args_list){maybe_return_annotation}:"
        names = [v.split(":")[0].split("=")[0].strip() for v in free_vars if v != "self"]
        if not names:
            return head
        takes = "".join(f"\n    {name} = next(args_iter)" for name in names)
        return f"{head}\n    args_iter = iter(args_list){takes}\n    args_list.clear()"
