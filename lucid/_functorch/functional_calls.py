"""torch.func.functionalize where a mode watches: a function's calls without those that write, as the mode sees them.

The function is traced on fakes first; the graph without writes is then run on the real tensors, call by call.
"""

from .._aten.overloads import OpOverload, aten
from .._modes.torch_dispatch import disable_modes
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..fx.node import map_arg
from .joint import Tracing


def without_writes(function, args, kwargs, copies_views):
    """function(*args, **kwargs); what it writes to its arguments is copied to them at the end. copies_views: are
    views replaced by copies, too?"""
    leaves, structure = pytree.tree_flatten((args, kwargs))

    def flat(*given):
        args, kwargs = pytree.tree_unflatten(list(given), structure)
        return function(*args, **kwargs)

    with disable_modes():
        tracing = Tracing(leaves, None, False)
        tracing.proxies.takes_apart = False
        results, shape = pytree.tree_flatten(tracing.run(flat, *tracing.given))
        tracing.advance()
        aliases = [tracing.alias(t) if isinstance(t, Tensor) else None for t in results]
        nodes = [None if a is None else tracing.node(a) for a in aliases]
        held = [tracing.made.env[hole] for hole in tracing.holes]
        written = [(t, tracing.node(a)) for t, a in zip(leaves, held) if a.storage.version]
    values = _run(tracing, leaves, copies_views)
    for t, node in written:
        t.copy_(values[node])
    return pytree.tree_unflatten([r if n is None else values[n] for r, n in zip(results, nodes)], shape)


def _run(tracing, leaves, copies_views):
    """{node of the graph without writes: its value}, the calls made anew."""
    values, given = {}, iter(leaves)
    for node in tracing.made.new.nodes:
        if node.op == "placeholder":
            values[node] = next(given)
        elif node.op == "get_attr":
            values[node] = getattr(tracing.tracer.root, node.target)
        else:
            target = _copying(node.target) if copies_views else node.target
            args, kwargs = map_arg(node.args, values.__getitem__), map_arg(node.kwargs, values.__getitem__)
            values[node] = target(*args, **kwargs)
    return values


def _copying(target):
    """The op that copies what a view would show, where there is one; other targets as they are."""
    if not isinstance(target, OpOverload) or not target.is_view:
        return target
    try:
        return aten(f"{target._opname}_copy.{target._overloadname}")
    except (AttributeError, KeyError):
        return target
