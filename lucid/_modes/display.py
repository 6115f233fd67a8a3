"""How a tensor inside transforms prints: as torch's wrappers do, one around the other."""

import textwrap

from .._backend.graph import Output
from .._base.state import local
from .._tensor import printing
from .._tensor.tensor import Tensor, bare
from .jvp_frames import DualFrame, OpenFrame, knows, leave
from .levels import level
from .vmap_table import BatchFrame, EnterBatch


def wrappers(t):
    """[(the number of a level, is it one of vmap)] of the running transforms that know t, innermost first."""
    found = []
    for n, frame in reversed([*enumerate(local.transforms, 1)]):
        if isinstance(frame, BatchFrame):
            if _has_batch(t, frame):
                found.append((n, True))
        elif isinstance(frame, DualFrame) and knows(t._table, frame) or _depends_on(t._node, frame.variables):
            found.append((n, False))
    return found


def text(t, tensor_contents=None):
    """repr(t) while transforms run, or of a tensor that came out of one."""
    around, inner = wrappers(t), _plain(t)
    if all(batched for _, batched in around):
        inner._node = t._node.edges[0] if isinstance(t._node, EnterBatch) else t._node
    shown = printing.tensor_text(inner, tensor_contents, _tangent(t))
    for n, batched in reversed(around):
        head = f"BatchedTensor(lvl={n}, bdim=0, value=" if batched else f"GradTrackingTensor(lvl={n}, value="
        shown = f"{head}\n{textwrap.indent(shown, '    ')}\n)"
    return shown


def _plain(t):
    made = bare(t)
    if type(t) is Tensor:
        return made
    return t if not t._table.is_transform else made


def _has_batch(t, frame):
    array, k = t._array, t._table
    while level(k):
        if k.frame is frame:
            return array.has_batch
        array, k = array.under, k.inner
    return False


def _tangent(t):
    """The tangent that a level of forward_ad holds of t, or None."""
    for frame in local.frames:
        if isinstance(frame, OpenFrame) and knows(t._table, frame):
            return leave(t, frame)[1]
    return None


def _depends_on(edge, variables):
    """Does the graph behind an edge reach one of these nodes?"""
    stack, seen = [edge], set()
    while stack and variables:
        e = stack.pop()
        node = e.node if e.__class__ is Output else e
        if node is None or node in seen:
            continue
        if node in variables:
            return True
        seen.add(node)
        stack.extend(node.edges)
    return False


printing.in_transforms = text
