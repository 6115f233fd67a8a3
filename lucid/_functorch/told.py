"""Who is told what the compiler makes: logs (TORCH_LOGS), folders (TORCH_COMPILE_DEBUG), pages (lucid.viz).

listen(kinds, f)       f(kind, text) for the kinds in a set that may change: whoever writes logs
WATCHERS.append(f)     f(stage, thing) for all: "graph", "joint", "forward", "backward" (graph modules),
                           "compiled" (debug.Stages of Inductor's)
"""

import contextlib

wanted, tell = (), None  # kinds of text; f(kind, text)
WATCHERS: list = []


def listen(kinds, listener):
    """listen(kinds, f): from now on f(kind, text) is told what belongs to these, a set that may change."""
    global wanted, tell
    wanted, tell = kinds, listener


def show(stage, thing):
    """Something was made."""
    for watch in tuple(WATCHERS):
        watch(stage, thing)


def readable(module):
    """A graph as logs show it."""
    return module.print_readable(print_output=False, include_stride=True, include_device=True)


def _told(kind, title, module):
    if kind in wanted:
        tell(kind, f"TRACED GRAPH\n ===== {title} graph 0 =====\n {readable(module)}")


def forward_only(module):
    """The graph of a function without gradients."""
    show("forward", module)
    _told("aot_graphs", "Forward", module)


def joint(module):
    """The graph of a function and of its gradients."""
    show("joint", module)
    _told("aot_joint_graph", "Joint", module)


def halves(forward, backward):
    """What it was cut into."""
    show("forward", forward)
    show("backward", backward)
    _told("aot_graphs", "Forward", forward)
    _told("aot_graphs", "Backward", backward)


# ---- names of what is being compiled, for compilers that write files


class _Compiled:
    """How many functions and graphs were compiled, and the names of the graphs that are being compiled."""

    functions = graphs = 0
    names: tuple = ()


def next_function():
    """The number of another function."""
    _Compiled.functions += 1
    return _Compiled.functions - 1


@contextlib.contextmanager
def compiling(number, kind):
    """with compiling(number of a function, "forward"): its graph of that kind is compiled."""
    before, _Compiled.names = _Compiled.names, (f"{number}_{kind}",)
    try:
        yield
    finally:
        _Compiled.names = before
        _Compiled.graphs += 1


def get_graph_being_compiled():
    """get_graph_being_compiled() -> the name of the graph that a compiler is given, such as "model__0_forward_1"."""
    return get_aot_graph_name()


def get_aot_graph_name():
    """get_aot_graph_name() -> the same."""
    return f"model__{'_'.join(_Compiled.names)}_{_Compiled.graphs}"


def get_aot_compilation_context():
    """get_aot_compilation_context() -> (names of the graphs being compiled, the model's name, how many were)"""
    return list(_Compiled.names), "model", _Compiled.graphs
