"""Compiled graphs as programs: the graph of ATen calls, and the text that it became. Both run by themselves."""

from .._tensor.tensor import Tensor

_HEAD = """\
from math import inf, nan

import lucid as torch
from lucid import device
from lucid._array.lookup import table
from lucid._aten.kernels import kernel_of
from lucid._codegen.targets import Text, target
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
    lines = [_HEAD, *_MEANINGS, *_meanings(wrapper.made(), wrapper.lowered.constants), ""]
    if texts := wrapper.texts():
        lines.append(f"{', '.join([t.name for t in texts])}, = target({wrapper.target.name!r}).load([")
        for t in texts:
            lines.append(f'    Text("{t.name}", r"""\n{t.text}""", [None] * {len(t.arrays)}, {t.checks}, frozenset()),')
        lines.append("])")
    lines += ["", "", wrapper.source, "", *example_lines(values)]
    lines += ["", 'if __name__ == "__main__":', "    for result in call(list(args)):", "        print(result)"]
    return "\n".join(lines) + "\n"


_MEANINGS = (
    "from lucid._inductor.made import Kept, fitted, refused",
    "from lucid._tensor.storage import bump_all",
    "from lucid._tensor.tensor import wrap",
)


def _meanings(made, constants):
    """Lines that say what the names in a graph's text mean."""
    lines = [f"k_{name} = {_table(name, made.device)}" for name in made.tables]
    lines += [f"{name} = kernel_of(torch.ops.{op})" for name, op in made.functions.items()]
    lines += [f"{n} = {_example(t)}._array  # numbers of the same kind" for n, t in zip(made.attributes, constants)]
    lines += [_assignment(name, value) for name, value in made.values.items()]
    if made.slots:
        slots = [f"({_table(name, made.device)}, {shape}, {strides})" for name, shape, strides in made.slots]
        lines.append(f"kept = Kept([{', '.join(slots)}])")
    return lines


def _assignment(name, value):
    """A line that says what a name means; a comment where no text would make the value."""
    text = repr(value)
    try:
        compile(text, name, "eval")
    except SyntaxError:
        return f"# {name} is {' '.join(text.split())}"
    return f"{name} = {text}"


def _table(dtype, device):
    return f"table(torch.{dtype}, torch.device({device!r}))"
