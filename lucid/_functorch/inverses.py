"""What a tensor is once a view of it has another value: torch's inverses of its view ops."""

from .._aten.overloads import aten


class Unsupported(NotImplementedError):
    """What a function does and a graph without mutation cannot say."""


def inverse(graph, before, value, view):
    """The node of what `before` is when its `view` has this value. graph: where nodes are made (`call`)."""
    name = view.target._opname
    rule = _RULES.get("view.dtype" if view.target._overloadname == "dtype" else name)
    if rule is None:
        raise Unsupported(f"a write through {view.target}")
    target, args = rule(view, before.meta["val"], before, value)
    return value if target is None else graph.call(aten(target), args)


def _again(view, val, before, value):
    """Views that keep all elements, undone by the shape before."""
    shape = list(view.val.shape)
    return ("view" if value.meta["val"].is_contiguous() else "reshape"), (value, shape)


def _unsqueezed(view, val, before, value):
    return "squeeze.dim", (value, *view.args)


def _squeezed(view, val, before, value):
    """One dimension after the other, as torch undoes it."""
    shape = view.val.shape
    if view.target._overloadname == "dim":
        (dim,) = view.args
        return ("unsqueeze", (value, dim)) if len(shape) and shape[dim] == 1 else (None, ())
    return _again(view, val, before, value)


def _permuted(view, val, before, value):
    order = [d % len(view.val.shape) for d in view.args[0]]
    return "permute", (value, [order.index(d) for d in range(len(order))])


def _scattered(scatter):
    """A view whose scatter takes the view's own arguments."""
    return lambda view, val, before, value: (scatter, (before, value, *view.args))


def _of_items(view, val, before, value):
    """Pieces of split and unbind."""
    i, args = view.item, view.args
    if view.target._opname == "unbind":
        return "select_scatter", (before, value, args[0] if args else 0, i)
    dim = args[1] if len(args) > 1 else 0
    sizes = [part.shape[dim] for part in view.target(val, *args)]
    start = sum(sizes[:i])
    return "slice_scatter", (before, value, dim, start, start + sizes[i])


def _strided(view, val, before, value):
    """A view that no inverse is made for, by where its elements lie."""
    part = view.of(val)
    return "as_strided_scatter", (before, value, list(part.shape), list(part.stride()), part.storage_offset())


_RULES = {
    **dict.fromkeys("view _unsafe_view reshape _reshape_alias unflatten flatten".split(), _again),
    "view.dtype": lambda view, val, before, value: ("view.dtype", (value, val.dtype)),
    "squeeze": _squeezed,
    "unsqueeze": _unsqueezed,
    **dict.fromkeys("t _conj _neg_view".split(), lambda view, val, before, value: (view.target._opname, (value,))),
    "transpose": lambda view, val, before, value: ("transpose.int", (value, *view.args)),
    "permute": _permuted,
    "select": _scattered("select_scatter"),
    "slice": _scattered("slice_scatter"),
    "diagonal": _scattered("diagonal_scatter"),
    "as_strided": _scattered("as_strided_scatter"),
    **dict.fromkeys("split split_with_sizes unbind".split(), _of_items),
    **dict.fromkeys(("detach", "alias", "lift_fresh"), lambda view, val, before, value: (None, ())),
    "view_as_real": lambda view, val, before, value: ("view_as_complex", (value,)),
    "view_as_complex": lambda view, val, before, value: ("view_as_real", (value,)),
    "unfold": _strided,
}

__all__ = ["Unsupported", "inverse"]
