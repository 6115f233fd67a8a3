"""Products of matrices and vectors, and what is made of them."""

from .._base.shape import broadcast_shapes
from .registry import decomposes
from .words import tt, wide


def _sum(out, product, beta, alpha):
    """beta * self + alpha * product; a beta of zero drops self, whatever is in it."""
    product = product * alpha
    return product if beta == 0 else product + out * beta


@decomposes("mv", in_place=False)
@wide()
def mv(self, vec):
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"matrix @ vector expected, got {self.ndim}, {vec.ndim}")
    if self.shape[1] != vec.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({self.shape[0]}x{self.shape[1]}), vec ({vec.shape[0]})")
    return (self * vec).sum([1])


@decomposes("dot")
@wide()
def dot(self, tensor):
    return (self * tensor).sum()


@decomposes("vdot")
@wide()
def vdot(self, other):
    return (tt.conj_physical(self) * other if self.is_complex() else self * other).sum()


@decomposes("addmm", core=False)
@wide(of="self mat1 mat2")
def addmm(self, mat1, mat2, *, beta=1, alpha=1):
    return _sum(self, tt.mm(mat1, mat2), *_numbers(self, beta, alpha))


@decomposes("addmv", core=False)
@wide(of="self mat vec")
def addmv(self, mat, vec, *, beta=1, alpha=1):
    return _sum(self, tt.mv(mat, vec), *_numbers(self, beta, alpha))


def _numbers(self, *numbers):
    if self.is_floating_point() or self.is_complex():
        return numbers
    return tuple([int(x) for x in numbers])


@decomposes("baddbmm")
@wide(of="self batch1 batch2")
def baddbmm(self, batch1, batch2, *, beta=1, alpha=1):
    beta, alpha = _numbers(self, beta, alpha)
    product = tt.bmm(batch1, batch2)
    if alpha != 1:
        product = product * alpha
    if beta == 0:
        return product
    return (self if beta == 1 else self * beta) + product


@decomposes("addr")
def addr(self, vec1, vec2, *, beta=1, alpha=1):
    if vec1.ndim != 1 or vec2.ndim != 1:
        raise RuntimeError(f"addr: Expected 1-D argument vec1, vec2, but got {vec1.ndim}-D, {vec2.ndim}-D")
    self = self.expand([vec1.shape[0], vec2.shape[0]])
    if self.dtype == tt.bool:
        outer = vec1.view([vec1.shape[0], 1])
        both = tt.logical_and(outer, vec2) if alpha else tt.full_like(self, False)
        return tt.logical_or(self, both) if beta else both
    kept = None if beta == 0 else self * beta
    outer = vec1.view([vec1.shape[0], 1]) * vec2 * alpha
    return outer if kept is None else kept + outer


@decomposes("linalg_cross")
def linalg_cross(self, other, *, dim=-1):
    if self.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if self.shape[dim] != 3 or other.shape[dim] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dim {dim} must have length 3, got {self.shape[dim]} and {other.shape[dim]}"
        )
    shape = broadcast_shapes(self.shape, other.shape)
    a, b = (x if x.shape == shape else x.expand(shape) for x in (self, other))
    places = tt.arange(3, device=self.device)
    d = dim + a.ndim if dim < 0 else dim

    def turned(x, by):
        return x.index_select(d, (places + by) % 3)

    return turned(a, 1) * turned(b, 2) - turned(a, 2) * turned(b, 1)


@decomposes("_euclidean_dist", in_place=False)
def _euclidean_dist(x1, x2):
    # |a|² - 2ab + |b|², as one product of matrices.
    first = x1.pow(2).sum(-1, True)
    ones1 = tt.ones_like(first, memory_format=tt.contiguous_format)
    second = x2.pow(2).sum(-1, True)
    ones2 = tt.ones_like(second, memory_format=tt.contiguous_format)
    a, b = tt.cat([x1.mul(-2), first, ones1], -1), tt.cat([x2, ones2, second], -1)
    return a.matmul(b.mT).clamp_min(0).sqrt()
