"""TORCH_LOGS=aot_graphs, aot_joint_graph: the graphs that AOTAutograd makes. Whoever writes logs sets `tell`."""

wanted, tell = (), None  # kinds of text; f(kind, text)


def listen(kinds, listener):
    """listen(kinds, f): from now on f(kind, text) is told what belongs to these, a set that may change."""
    global wanted, tell
    wanted, tell = kinds, listener


def _told(kind, title, module):
    if kind in wanted:
        text = module.print_readable(print_output=False, include_stride=True, include_device=True)
        tell(kind, f"TRACED GRAPH\n ===== {title} graph 0 =====\n {text}")


def forward_only(module):
    """The graph of a function without gradients."""
    _told("aot_graphs", "Forward", module)


def joint(module):
    """The graph of a function and of its gradients."""
    _told("aot_joint_graph", "Joint", module)


def halves(forward, backward):
    """What it was cut into."""
    _told("aot_graphs", "Forward", forward)
    _told("aot_graphs", "Backward", backward)
