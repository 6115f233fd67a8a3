"""Compiled graphs as programs: the graph of ATen calls, and the text that it became. Both run by themselves."""

import types

from .._array.table import Table
from .._codegen.loops import Call
from .._tensor.tensor import Tensor
from .wrapper import Kept

_HEAD = """\
from math import inf, nan

import lucid as torch
from lucid import device
from lucid._array.lookup import table
from lucid._aten.kernels import kernel_of
from lucid._codegen.extension import load
from lucid._dynamo.testing import rand_strided
"""


def example_lines(values, name="args"):
    """Lines that make inputs like these."""
    return [f"{name} = [", *[f"    {_example(x)}," for x in values], "]"]


def _example(x):
    if not isinstance(x, Tensor):
        return repr(int(x) if type(x) is not bool and isinstance(x, int) else x)
    shape, strides = tuple(map(int, x.shape)), tuple(map(int, x.stride()))
    whole = not x.dtype.is_floating_point and not x.dtype.is_complex
    text = f"rand_strided({shape}, {strides}, {x.dtype}, {str(x.device)!r})"
    return text + ".zero_()" * whole  # whole numbers may be indices


def runnable(module, values):
    """A graph module of ATen calls as a program that compiles and calls it."""
    from_module = module.print_readable(print_output=False).replace("class GraphModule(", "class Repro(", 1)
    held = [n.target for n in module.graph.nodes if n.op == "get_attr"]
    lines = [_HEAD, "from lucid._inductor.compile_fx import compile_fx_inner",
             "from lucid.fx.experimental.proxy_tensor import make_fx", "", "", from_module, "", "",
             *example_lines(values), "mod = Repro()"]  # fmt: skip
    for name in dict.fromkeys(held):
        value = module
        for part in name.split("."):
            value = getattr(value, part)
        if isinstance(value, Tensor):
            lines.append(f"mod.{name} = {_example(value)}")
    lines += [
        "",
        'if __name__ == "__main__":',
        '    graph = make_fx(mod, tracing_mode="fake")(*args)',
        "    for result in compile_fx_inner(graph, args)(list(args)):",
        "        print(result)",
    ]
    return "\n".join(lines) + "\n"


def output_code(wrapper, values):
    """The text that runs in the place of a graph, as a program."""
    lines = [_HEAD, *_meanings(wrapper), ""]
    if wrapper.kernel_list:
        lines += [f'kernels = load(r"""\n{wrapper.kernels}""", {wrapper.kernel_list})']
        lines += [f"{name} = kernels.{name}" for name, *_ in wrapper.kernel_list]
    lines += ["", "", wrapper.source, "", *example_lines(values)]
    lines += ["", 'if __name__ == "__main__":', "    for result in call(list(args)):", "        print(result)"]
    return "\n".join(lines) + "\n"


def _meanings(wrapper):
    """Lines that say what the names in a wrapper's text mean."""
    ops = {str(s.function).replace(".", "_"): s.function for s in wrapper.schedule.steps if isinstance(s, Call)}
    constants = {f"constant{i}": t for i, t in enumerate(wrapper.lowered.constants)}
    lines = []
    for name, value in wrapper.scope().items():
        if isinstance(value, Table):
            lines.append(f"{name} = {_table(value)}")
        elif isinstance(value, Kept):
            slots = [f"({_table(k)}, {shape}, {strides})" for k, shape, strides in value.slots]
            lines += ["from lucid._inductor.wrapper import Kept", f"{name} = Kept([{', '.join(slots)}])"]
        elif name in wrapper.functions and name in ops:
            lines.append(f"{name} = kernel_of(torch.ops.{ops[name]})")
        elif isinstance(value, type) and value.__module__ == "builtins":
            continue
        elif isinstance(value, (types.FunctionType, type)):
            lines.append(f"from {value.__module__} import {value.__qualname__}" + f" as {name}" * (
                value.__qualname__ != name))  # fmt: skip
        elif name in constants:
            lines.append(f"{name} = {_example(constants[name])}._array  # numbers of the same kind")
        else:
            lines.append(_assignment(name, value))
    return lines


def _assignment(name, value):
    """A line that says what a name means; a comment where no text would make the value."""
    text = repr(value)
    try:
        compile(text, name, "eval")
    except SyntaxError:
        return f"# {name} is {' '.join(text.split())}"
    return f"{name} = {text}"


def _table(k):
    return f"table(torch.{k.dtype.name}, 'cpu')"
