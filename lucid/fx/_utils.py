"""Texts about graphs, for logs."""

import sys


class _Late:
    """A text that is made when it is asked for."""

    def __init__(self, make):
        self._make = make

    def __str__(self):
        return self._make()


def lazy_format_graph_code(name, gm, maybe_id=None, **kwargs):
    """lazy_format_graph_code(name, gm, maybe_id=None): gm.print_readable() under a title, made when it is printed."""
    title = name if maybe_id is None else f"{name} {maybe_id}"
    kwargs.setdefault("print_output", False)
    if kwargs.get("colored") and not getattr(sys.stdout, "isatty", lambda: True)():
        kwargs["colored"] = False
    file = gm.forward.__code__.co_filename
    return _Late(lambda: _format_graph_code(f"===== {title} =====\n", file, gm.print_readable(**kwargs)))


def _format_graph_code(name, filename, graph_str):
    return f"TRACED GRAPH\n {name} {filename} {graph_str}\n"


def first_call_function_nn_module_stack(graph):
    """The modules around the first call of a function; None if that is not known."""
    nodes = (n for n in graph.nodes if n.op == "call_function" and "nn_module_stack" in n.meta)
    return next((n.meta["nn_module_stack"] for n in nodes), None)


def get_node_context(node, num_nodes=2):
    """The last nodes up to this one, a line each."""
    lines = []
    while len(lines) < num_nodes:
        lines.append(str(node.format_node()))
        if node.op == "root":
            break
        node = node.prev
    return "\n".join(lines[::-1])
