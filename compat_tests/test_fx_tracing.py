"""What torch.fx makes of 280 programs: graph, code, names, targets, errors, to the character; and what they compute."""

import linecache
import re
import sys
import types

import pytest
from both import attempt, same
from fx_cases import PRELUDE, cases
from gaps import expect

CASES = cases()


def _module(m, name, text):
    """The program as a module in which `torch` is the library m."""
    lines = PRELUDE.replace("import torch\n", "").replace("from torch", f"from {m.__name__}")
    lines = lines.replace("import torch.", f"import {m.__name__}.")
    made, file = types.ModuleType("program"), f"<program {name}>"
    made.torch = m
    source = lines + text.replace("from torch.utils", f"from {m.__name__}.utils")
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    sys.modules["program"] = made
    try:
        exec(compile(source, file, "exec"), made.__dict__)
    finally:
        del sys.modules["program"]
    return made


def _target(node):
    return node.target if isinstance(node.target, str) else node._pretty_print_target(node.target)


def _text(m, name):
    """Everything that a traced program says of itself."""
    m.manual_seed(0)
    program = attempt(_module, m, name, CASES[name])
    if isinstance(program, Exception):
        return program
    root, tracer = program.root, getattr(program, "tracer", None)
    if tracer is None:
        traced = attempt(m.fx.symbolic_trace, root, **getattr(program, "how", {}))
    else:
        graph = attempt(tracer.trace, root)
        traced = graph if isinstance(graph, Exception) else attempt(m.fx.GraphModule, tracer.root, graph)
    if isinstance(traced, Exception):
        return traced
    nodes = [(n.op, n.name, _target(n), str(n.args), str(n.kwargs), sorted(n.meta)) for n in traced.graph.nodes]
    stacks = [
        [(k, v[0], v[1].__name__) for k, v in n.meta.get("nn_module_stack", {}).items()] for n in traced.graph.nodes
    ]
    types_of = [getattr(n.type, "__name__", str(n.type)) for n in traced.graph.nodes]
    shown = attempt(traced.print_readable, print_output=False)
    return [str(traced.graph), traced.code, nodes, stacks, types_of, str(traced), shown, attempt(traced.graph.lint)]


@pytest.mark.parametrize("name", CASES)
def test_programs(name):
    expect("fx", name, lambda: same(_text, name, quiet=True, may_raise=True, reword=_plain))


def _plain(text):
    """A message without addresses and counts."""
    return re.sub(r"0x[0-9a-f]+|(?<=eval_with_key>.)\d+", "_", text).replace("lucid", "torch")
