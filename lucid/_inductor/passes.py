"""What a program's settings do to graphs before they are lowered: passes of its own, and how a joint graph is cut."""

from . import config, debug


def _applied(passes, graph):
    """Run one pass, a list of them or none over a graph."""
    passes = passes if isinstance(passes, (list, tuple)) else [passes]
    passes = [p for p in passes if p is not None]
    for change in passes:
        change(graph)
    return bool(passes)


def before_autograd(module):
    """The graph module of torch functions, after pre_grad_custom_pass."""
    if config.use_pre_grad_passes and _applied(config.pre_grad_custom_pass, module.graph):
        module.recompile()
    return module


def _joint(module):
    """A graph below autograd before it is cut, after the joint passes."""
    if config.use_joint_graph_passes:
        before = _applied(config.joint_custom_pre_pass, module.graph)
        if _applied(config.joint_custom_post_pass, module.graph) or before:
            module.recompile()
    return module


def partitioning(cut, name):
    """A partition function: joint passes, then custom_partitioner_fn or `cut`; `cut` itself where there are none.

    name: what folders call the joint graph.
    """
    own, traced = config.custom_partitioner_fn, config.trace.enabled
    if not (own or config.joint_custom_pre_pass or config.joint_custom_post_pass or traced):
        return cut
    changes = _changes()

    def partition(joint_module, inputs, **how):
        with config.patch(changes):
            _joint(joint_module)
            if traced:
                debug.write_graph(f"torchinductor/{name}_joint", joint_module)
        if own is None:
            return cut(joint_module, inputs, **how)
        return own(joint_module, inputs, num_fwd_outputs=how["num_fwd_outputs"])

    return partition


def after_autograd(module, renew):
    """The graph of ATen calls, after the passes on it. renew(module): notes what new nodes give."""
    if not config.use_post_grad_passes:
        return module
    before = _applied(config.post_grad_custom_pre_pass, module.graph)
    if _applied(config.post_grad_custom_post_pass, module.graph) or before:
        module.graph.eliminate_dead_code()
        module.recompile()
        if any(n.op == "call_function" and "val" not in n.meta for n in module.graph.nodes):
            renew(module)
    return module


def _changes():
    return {
        n: v for n, v in config.get_config_copy().items() if n.endswith(("_pass", "_passes")) or n.startswith("trace.")
    }


def remembering(compiler, name):
    """A compiler of graphs for later, with the settings as they are now. name: of which half of a program."""
    now = config.get_config_copy()

    def compile(module, inputs):
        with config.patch(now), debug.half(name):
            return compiler(module, inputs)

    compile.by_layout = getattr(compiler, "by_layout", False)
    return compile


def inferring(compiler):
    """A compiler of graphs without gradients: joint passes see those, too."""
    changes = _changes()

    def compile(module, inputs):
        with config.patch(changes):
            module = _joint(module)
        return compiler(module, inputs)

    return compile
