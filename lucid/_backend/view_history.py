"""In-place writes and the graph: what may be written, and how a base's and its views' history is rewritten.

torch's scheme: after a write through a view, the base's node is a CopySlices (the old base with a part replaced by what
the write's node made), and the view is read anew from the base by an AsStridedBackward0.
"""

import weakref

from .._base.shape import is_dense, overlaps_itself
from .._base.state import local
from .._tensor.mirror import UNTURNED, Mirror, memory_of, memory_steps, turned_between
from .._tensor.tensor import Tensor, new_object, wrap
from .graph import MANY_VIEWS, SECOND_BACKWARD, AccumulateGrad, BackwardOperation, NoGradView, Output, record
from .tensor_words import words_of

_AMBIGUOUS = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
    "both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) "
    "or both outside (if you want the inplace to be tracked)."
)
_OF_FUNCTION = (
    " This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic "
    "to handle view+inplace would override the custom backward associated with the custom Function, leading to "
    "incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)
_SHARED_PLACES = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)
_OVERLAP = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)


def requires_grad(x) -> bool:
    """Is x's gradient wanted? A view made without recording counts as its base does."""
    return x._node is not None or x._extra is not None and x._extra.base is not None and x._extra.base._node is not None


def before_write(x, recording, expanded=False, leaves=False) -> None:
    """Refuse what torch refuses; nothing has been changed yet. recording: does any operand want a gradient, with grad
    mode on? expanded: may several elements of x share a place, since all places that share one get the same value?
    leaves: may x be a leaf?
    """
    m = x._extra
    refuse_inference(x)
    if leaves:
        pass
    elif x._node is not None or recording or m is not None and m.base is not None:
        wanted = requires_grad(x)
        if local.grad and (recording or wanted):
            if m is not None and m.base is not None:
                _check_view(x, m, "is being modified inplace", "")
                if wanted and _is_leaf(m.base):
                    raise RuntimeError(
                        "a view of a leaf Variable that requires grad is being used in an in-place operation."
                    )
            if wanted and _is_leaf(x):
                raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    if not expanded and x._table.aliases:
        refuse_expanded(x)


def refuse_inference(x) -> None:
    """RuntimeError where x was made under inference_mode, which is over."""
    if x._extra is not None and x._extra.inference and not local.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
            "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
        )


def refuse_expanded(x) -> None:
    """RuntimeError where elements of x share a place in memory."""
    if overlaps_itself(x._array.shape, x._array.strides):
        raise RuntimeError(_SHARED_PLACES)


_ENDS = (AccumulateGrad, NoGradView)


def _is_leaf(x):
    return x._node is None or x._node.is_leaf_end


def _check_view(x, m, how, whose):
    """The errors of views that must not be written: outputs of split and the like, and views made in no_grad mode."""
    if m.from_multi_view or m.made_without_grad:
        raise RuntimeError(_forbidden(x, m, how, whose))


def _forbidden(x, m, how, whose):
    node = x._node.node if x._node.__class__ is Output else x._node
    ends = node is None or node.refusal is not None or node.__class__ in _ENDS
    if not ends and m.made_without_grad in (None, "function"):
        name = node.name().rpartition("Backward")[0] or node.name()
        text = f"Output {x.output_nr} of {name} is a view and {whose}{how}."
    elif m.made_without_grad == "inference":
        text = f"A view was created in inference mode and {whose}{how} in normal mode."
        return text + _AMBIGUOUS.replace("no_grad", "inference_mode")
    else:
        text = f"A view was created in no_grad mode and {whose}{how} with grad mode enabled."
    return text + (
        MANY_VIEWS if m.from_multi_view else _OF_FUNCTION if m.made_without_grad == "function" else _AMBIGUOUS
    )


def check_overlap(x, other, partly=True) -> None:
    """Refuse to write x from a tensor that shares memory with it: partly, all of it being allowed, or any of it.

    As torch does, nothing is said of tensors with gaps or with elements that share a place: that is too hard to tell.
    """
    k, other_k = x._table, other._table
    if not k.aliases or k.device_group is not other_k.device_group or partly and other is x:
        return
    if other is x:
        raise RuntimeError(_OVERLAP)
    a, b = memory_of(x), memory_of(other)
    if not (a.size and b.size):
        return
    stride, other_stride = k.strides(a), other_k.strides(b)
    if not k.may_overlap(a, b) or not is_dense(a.shape, stride) or not is_dense(b.shape, other_stride):
        return
    start, other_start = k.data_ptr(a), other_k.data_ptr(b)
    end, other_end = start + a.size * k.dtype.itemsize, other_start + b.size * other_k.dtype.itemsize
    if start == other_start and end == other_end:
        if partly and stride == other_stride:
            return
    elif not (start < other_end and other_start < end):
        return
    raise RuntimeError(_OVERLAP)


def read_its_own(op, x, others):
    """Did the op save, as another operand, a part of the memory that it then wrote?"""
    m = x._extra
    return any(
        isinstance(t, Tensor)
        and (t is x or t._extra is not None and m is not None and t._extra.storage is m.storage)
        and name in op.Node.saved_names
        for t, name in zip(others, op.inputs[1:])
    )


def reread_views(x) -> None:
    """x's memory was just overwritten by something that is not recorded: views of it are read anew all the same."""
    m = x._extra
    if m is not None and m.storage is not None and len(m.storage._tensors) > 1:
        for base in _bases(m.storage):
            _refresh_views(base, m)


def _bases(storage):
    """The tensors that views of this memory were taken of: more than one where some come by way of detach()."""
    return {id(b): b for t in storage.tensors() if (b := t._extra.base) is not None}.values()


def rebase(x, node) -> None:
    """x was just overwritten by the call that `node` records (None: by something without a gradient)."""
    m = x._extra
    if m is None or m.base is None:
        _move_to(x, node)
    else:
        _move_to(m.base, _record_copy(m.base, region_of(x, m.base), node))
    reread_views(x)
    if node is not None and x._node is not node and x._node is not None:
        node.view_after = weakref.ref(x._node.node if x._node.__class__ is Output else x._node)


def _record_copy(base, region, fn):
    """The node of a write of base's region that the node fn records (None: of something without a gradient)."""
    rest = fn.edges[1:] if fn is not None else ()
    node = record(CopySlices, base._table, (base._node, *rest), region=region, fn=fn)
    if fn is not None:
        fn.copy_slices = weakref.ref(node)
    return node


def _move_to(x, node):
    """x's history is node's from now on; a gradient that x retains is that of its new value."""
    old = x._node
    x._node = node
    if old is None or node is None or old is node:
        return
    nr = 0
    if old.__class__ is Output:
        old, nr = old.node, old.nr
    if old.retained and (kept := old.retained.get(nr)) is not None and kept() is x:
        del old.retained[nr]
        node.retained, node.needs_care = {0: kept}, True


def _refresh_views(base, m) -> None:
    """Every view of base is from now on a reading of the new base."""
    if m is None or m.storage is None:
        return
    for view in m.storage.tensors():
        at = view._extra
        if at.base is not base or not view._table.inexact:
            continue
        if base._node is None and (view._node is None or view._node.is_leaf_end):
            continue
        if at.from_multi_view or at.made_without_grad:
            _forbid(view, base)
        else:
            _move_to(view, reread(base, view))


def follow_base(base) -> None:
    """A base that has views began to require a gradient, or stopped: its views, which were not recorded, say the same.

    Their uses are recorded from now on. Only those whose memory was written since they were made are read anew; no
    gradient goes to the base from the others.
    """
    m = base._extra
    for view in m.storage.tensors():
        at, node = view._extra, view._node
        if at.base is not base or not view._table.inexact:
            continue
        if node is not None and node.__class__ is not NoGradView:
            if base._node is None and node.__class__ is StaleView and not at.from_multi_view:
                view._node = None
            continue
        if base._node is None:
            view._node = None
        elif m.storage.has_seen_write(view):
            if at.from_multi_view or at.made_without_grad:
                _forbid(view, base)
            else:
                view._node = reread(base, view)
        elif node is None:
            view._node = NoGradView()


def _forbid(view, base):
    """From now on view, which torch forbids to use after a write to its memory, refuses to be used."""
    if view._node.__class__ is not StaleView:
        refusal = _forbidden(view, view._extra, "modified inplace", "its base or another view of its base has been ")
        view._node = record(StaleView, base._table, (base._node,), refusal=refusal)
        if view.__class__ is Tensor:
            view.__class__ = ForbiddenView


# ---- where a view lies in its base


def region_of(view, base):
    """How to read and write the part of base that view is: by strides, or by the view's own steps when the type
    changed.
    """
    if view._table is base._table and not getattr(base._table, "level", 0):
        return Region(view, base)
    return Steps(view, base)


class Region:
    """A window: sizes, strides and an offset, all in elements of the base."""

    __slots__ = ("base_shape", "base_stride", "size", "stride", "offset", "turned")

    def __init__(self, view, base):
        k, whole, part = base._table, memory_of(base), memory_of(view)
        self.base_shape, self.base_stride = tuple(whole.shape), k.strides(whole)
        self.size, self.stride = tuple(part.shape), k.strides(part)
        self.offset = (
            0
            if 0 in self.size
            else k.storage_offset(part, whole)
            if k.host
            else (k.storage_offset(part) - k.storage_offset(whole))
        )
        self.turned = turned_between(view, base)

    def laid_out(self, xp, g):
        """A copy of g in the base's memory order."""
        return xp.with_strides(g, self.base_stride)

    def read(self, xp, g):
        """The part of g, a gradient laid out as the base is, in memory of its own."""
        return xp.with_strides(self.turned(xp, xp.as_strided(g, self.size, self.stride, self.offset)), None)

    def written(self, xp, g, value):
        """g with value in the part; an array may be written itself."""
        value = self.turned(xp, value)
        if xp.records:
            return xp.as_strided_scatter(g, value, self.size, self.stride, self.offset, self.base_stride)
        xp.write(xp.as_strided(g, self.size, self.stride, self.offset), value)
        return g

    def spread(self, xp, g):
        """The base's gradient when the view's is g."""
        return xp.as_strided_backward(
            self.turned(xp, g), self.base_shape, self.base_stride, self.size, self.stride, self.offset
        )


class Turned:
    """The whole base, conjugated or negated."""

    __slots__ = ("turned",)

    def __init__(self, turned):
        self.turned = turned

    def spread(self, xp, g):
        return self.turned(xp, g)


def _step(op, t, options):
    """op of t; some take their first option as many arguments, if there are any."""
    return op.fn(t, *options[0]) if op.varargs and options[0] else op.fn(t, *options)


class Steps:
    """The view ops that lead from the base to the view, for views as another type (view_as_real) and for levels of
    vmap.
    """

    __slots__ = ("chain", "turned", "base")

    def __init__(self, view, base):
        self.chain, self.turned = view._extra.chain[len(base._extra.chain) :], turned_between(view, base)
        self.base = wrap(base._array, base._table)

    @classmethod
    def of(cls, chain, array, k):
        """Steps of a plain array."""
        steps = new_object(cls)
        steps.chain, steps.turned, steps.base = chain, UNTURNED, wrap(array, k)
        return steps

    def laid_out(self, xp, g):
        return xp.with_strides(g, xp.strides(self.base._array)) if xp.host else g

    def read(self, xp, g):
        for op, options in self.chain:
            g = _step(op, g, options) if xp.records else op.forward(xp, g, *options)
        return g

    def written(self, xp, g, value):
        if xp.records:
            if value._table.is_transform:  # which may be of more transforms than g
                g = value._table.merged([g._table]).adopt(g)
            out = g.clone()
            self.read(xp, out).copy_(value)
            return out
        return xp.write_view(g, memory_steps(self.chain), self.turned(xp, value))

    def spread(self, xp, g):
        """Back through the gradient rules of the steps."""
        on, local.grad = local.grad, True
        try:
            t = wrap(self.base._array, self.base._table)
            t._node = AccumulateGrad(t)
            nodes = []
            for op, options in self.chain:
                t = _step(op, t, options)
                nodes.append(t._node)
        finally:
            local.grad = on
        for step in reversed(nodes):
            node, nr = (step.node, step.nr) if step.__class__ is Output else (step, 0)
            slots = [None] * node.n_out
            slots[nr] = g
            run = node.on_tensors if xp.records else node.on_arrays
            g = run(slots if node.n_out > 1 else g, node.edges)[0]
        return g


class CopySlices(BackwardOperation):
    """base with one part overwritten: the part's gradient goes to the write, the rest to the old base."""

    __slots__ = ("fn", "region")

    def result(self):
        """The place in the graph of what the write left in the view: the part of this node's output."""
        return record(AsStridedBackward0, self.k, (self,), region=self.region)

    @property
    def next_functions(self):
        """((node, output_nr), ...): the old base, and what the write read besides."""
        first, *rest = super().next_functions
        return (first, *(self.fn.next_functions[1:] if self.fn is not None else rest))

    def name(self):
        return "torch::autograd::CopySlices"

    def _inner_edges(self, edges):
        return (self if edges[0] is not None else None, *edges[1:])

    def on_arrays(self, g, edges):
        return self._run(self.k, g, edges, self.fn.on_arrays if self.fn is not None else None)

    def on_tensors(self, g, edges):
        return self._run(words_of(self.k), g, edges, self.fn.on_tensors if self.fn is not None else None)

    def _run(self, xp, g, edges, run):
        if self.seq == -1:
            raise RuntimeError(SECOND_BACKWARD)
        region = self.region
        g = region.laid_out(xp, g)
        part = region.read(xp, g)
        grads = run(part, self._inner_edges(edges)) if run is not None else (None,)
        if edges[0] is None:
            return (None, *grads[1:])
        inner = grads[0] if grads[0] is not None else xp.zeros(tuple(part.shape))
        if run is not None and region.__class__ is Region and overlaps_itself(region.size, region.stride):
            raise RuntimeError(_SHARED_PLACES)  # torch allows some writes of such a view, but none of their gradients
        return (region.written(xp, g, inner), *grads[1:])

    def free(self):
        self.seq = -1  # torch forgets the write, whatever that had saved
        if self.fn is not None:
            self.fn.free()


class AsStridedBackward0(BackwardOperation):
    """A view read anew from a base whose history was rewritten."""

    __slots__ = ("region",)

    def on_arrays(self, g, edges):
        return (self.region.spread(self.k, g),)

    def on_tensors(self, g, edges):
        return (self.region.spread(words_of(self.k), g),)


_REREAD: dict = {}  # class names of views as another type, which torch reads anew with their own op


def reread(base, view):
    """The node of a view read anew.

    torch repeats what does more than choose elements, in its order. What was chosen before it is one step, what is
    chosen after it one step each.
    """
    chain = view._extra.chain[len(base._extra.chain) :]
    level = getattr(base._table, "level", 0)
    if not level and any([_is_turn(op) for op, _ in chain]):
        return _replayed(base, chain)
    region = region_of(view, base)
    by_name = region.__class__ is Steps and _is_turn(chain[-1][0])
    label = chain[-1][0].Node.__name__ if by_name else "AsStridedBackward0"
    return record(_reading(label), base._table, (base._node,), region=region)


def _is_turn(op):
    """Does a view op do more than choose elements: conj, view_as_real and their like?"""
    return getattr(op, "mirrors", False) or getattr(op, "result", None) == "of"


def _replayed(base, chain):
    k, d, edge, chosen, turned = base._table, memory_of(base), base._node, [], False
    for op, options in (*chain, (None, ())):
        if op is not None and not _is_turn(op):
            chosen.append((op, options))
            continue
        for part in [[step] for step in chosen] if turned else [chosen] if chosen else []:
            steps = Steps.of(part, d, k)
            edge, d = record(AsStridedBackward0, k, (edge,), region=steps), steps.read(k, d)
        if op is None:
            return edge
        turned, chosen = True, []
        if getattr(op, "mirrors", False):
            turn = Turned(Mirror(None, op.name == "_conj", op.name != "_conj").turned)
            edge = record(_reading(op.Node.__name__), k, (edge,), region=turn)
        else:
            steps = Steps.of([(op, options)], d, k)
            edge = record(_reading(op.Node.__name__), k, (edge,), region=steps)
            d = steps.read(k, d)
            k = k.of(d)


def _reading(label):
    if label not in _REREAD:
        _REREAD[label] = type(label, (AsStridedBackward0,), {"__slots__": ()})
    return _REREAD[label]


_INDEXING = ("__getitem__", "__setitem__")  # which look at the places first


class ForbiddenView(Tensor):
    """The class of such a view: calls take the long way, which refuses the view where it would be recorded."""

    __slots__ = ()

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        before, local.subclass_off = local.subclass_off, True
        try:
            return func(*args, **kwargs or {})
        except (IndexError, ValueError, RuntimeError) as error:
            refusal = getattr(args[0]._node, "refusal", None) if args and isinstance(args[0], Tensor) else None
            if refusal is None or local.grad is False or getattr(func, "__name__", "") in _INDEXING:
                raise
            raise RuntimeError(refusal) from error  # torch looks at the place in the graph first
        finally:
            local.subclass_off = before


ForbiddenView.__name__, ForbiddenView.__qualname__, ForbiddenView.__module__ = "Tensor", "Tensor", "torch"


class StaleView(BackwardOperation):
    """The place of a view that torch forbids to use after its base was written: it raises when asked for, or reached
    by a gradient.
    """

    __slots__ = ("refusal",)

    def on_arrays(self, g, edges):
        raise RuntimeError(self.refusal)

    on_tensors = on_arrays
