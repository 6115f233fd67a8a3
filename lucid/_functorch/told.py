"""Who is told what the compiler makes: logs (TORCH_LOGS), folders (TORCH_COMPILE_DEBUG), pages (lucid.viz).

listen(kinds, f)       f(kind, text) for the kinds in a set that may change: whoever writes logs
WATCHERS.append(f)     f(stage, thing) for all: "graph", "joint", "forward", "backward" (graph modules),
                           "compiled" (debug.Stages of Inductor's)
"""

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
