"""A mode that computes each ATen call twice: by the op, and by its decomposition."""

import lucid
from lucid._decomp import core_aten_decompositions, decomposition_table
from lucid.utils._python_dispatch import TorchDispatchMode
from lucid.utils._pytree import tree_leaves, tree_map

# The precision of sums and of intermediate results that halves keep and decompositions round, or the other way round.
CLOSE = {
    lucid.float32: (1e-4, 1e-5), lucid.float64: (1e-9, 1e-10), lucid.complex64: (1e-4, 1e-5),
    lucid.complex128: (1e-9, 1e-10), lucid.bfloat16: (3e-2, 2e-2), lucid.float16: (5e-3, 2e-3),
}  # fmt: skip

# Ops whose numbers are drawn, or are nobody's.
RANDOM = {
    "aten.native_dropout.default", "aten.bernoulli.default", "aten.empty_like.default", "aten.new_empty.default",
    "aten._scaled_dot_product_flash_attention_for_cpu.default", "aten.empty_like.out", "aten.new_empty.out",
    "aten.native_dropout.out", "aten.bernoulli.out",
}  # fmt: skip


def table():
    """All decompositions but those of composites, which no mode sees."""
    found = {**decomposition_table, **core_aten_decompositions()}
    return {o: f for o, f in found.items() if not o.is_composite}


def same(mine, right):
    """What is different between two results, or None."""
    if type(mine) in (tuple, list) or type(right) in (tuple, list):
        if len(mine) != len(right):
            return f"{len(mine)} results, not {len(right)}"
        return next((d for d in map(same, mine, right) if d), None)
    if not isinstance(right, lucid.Tensor) or not isinstance(mine, lucid.Tensor):
        return None if mine is None or mine == right else f"{mine}, not {right}"
    for what in ("dtype", "shape"):
        if getattr(mine, what) != getattr(right, what):
            return f"{what}: {getattr(mine, what)}, not {getattr(right, what)}"
    if mine.numel() and dense_strides(mine) != dense_strides(right):
        return f"strides: {mine.stride()}, not {right.stride()}"
    rtol, atol = CLOSE.get(right.dtype, (0, 0))
    with lucid.no_grad():
        if not lucid.allclose(mine, right, rtol=rtol, atol=atol, equal_nan=True):
            wide = lucid.complex128 if right.dtype.is_complex else lucid.float64
            return f"values: {(mine.to(wide) - right.to(wide)).abs().max().item()}, {mine}, not {right}"[:300]
    return None


def dense_strides(x):
    """Strides of the dimensions that have any meaning."""
    return [s for s, n in zip(x.stride(), x.shape) if n > 1]


class Twice(TorchDispatchMode):
    """Compares; `found` has what differs, `seen` what was compared."""

    def __init__(self, table, left_out=()):
        super().__init__()
        self.table, self.left_out, self.found, self.seen, self.depth = table, left_out, [], set(), 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        own = self.table.get(func)
        if own is None or str(func) in self.left_out or self.depth > 3:
            return func(*args, **kwargs)
        copies = tree_map(lambda t: t.clone() if isinstance(t, lucid.Tensor) else t, (args, kwargs))
        copies = tree_map(as_strided_like, copies, (args, kwargs))
        right = func(*args, **kwargs)
        self.depth += 1
        try:
            with self:
                mine = own(*copies[0], **copies[1])
        except Exception as trouble:
            self.found.append((str(func), f"{type(trouble).__name__}: {str(trouble)[:200]}", describe(args, kwargs)))
            return right
        finally:
            self.depth -= 1
        self.seen.add(str(func))
        different = same(mine, right)
        if different:
            self.found.append((str(func), different, describe(args, kwargs)))
        return right


def as_strided_like(copy, t):
    """A copy with t's own strides where t has no element twice."""
    if not isinstance(t, lucid.Tensor) or copy.stride() == t.stride() or 0 in t.stride():
        return copy.expand(t.shape) if isinstance(t, lucid.Tensor) and copy.shape != t.shape else copy
    made = lucid.empty_strided(t.shape, t.stride(), dtype=t.dtype, device=t.device)
    return made.copy_(t)


def describe(args, kwargs):
    parts = [
        f"{x.dtype}{list(x.shape)}" if isinstance(x, lucid.Tensor) else repr(x)
        for x in tree_leaves((args, kwargs), is_leaf=lambda x: x is None)
    ]
    return ", ".join(parts)[:250]
