"""How torch goes back through matrix products: with its own transposes, so that gradients lie in memory as torch's."""

from .backward_calls import at, backward_of, need_real


def _times(x, number):
    return x if number == 1 else at.mul(x, number)


def _by_columns(x):
    return x.dim() == 2 and x.stride() == (1, x.shape[0])


def _first(g, first, second, alpha=1):
    """The gradient of `first` in first @ second, laid out as `first` is."""
    if _by_columns(first):
        return _times(at.t(at.mm(second, at.t(g))), alpha)
    return _times(at.mm(g, at.t(second)), alpha)


def _second(g, first, second, alpha=1):
    """The gradient of `second`, laid out as `second` is."""
    if _by_columns(second):
        return _times(at.t(at.mm(at.t(g), first)), alpha)
    return _times(at.mm(at.t(first), g), alpha)


@backward_of("mm")
def _mm(v, g, needs):
    a, b = v.self, v.mat2
    need_real(a, b)
    to_b = _second(g, a, b) if needs[1] else None  # torch's order is that of the names, mat2 before self
    return [_first(g, a, b) if needs[0] else None, to_b]


@backward_of("addmm")
def _addmm(v, g, needs):
    a, b = v.mat1, v.mat2
    need_real(v.self, a, b)
    to_a = _first(g, a, b, v.alpha) if needs[1] else None
    to_b = _second(g, a, b, v.alpha) if needs[2] else None
    return [_times(g, v.beta) if needs[0] else None, to_a, to_b]


def _batched(g, a, b, needs, alpha=1):
    to_a = _times(at.bmm(g, at.transpose(b, 1, 2)), alpha) if needs[0] else None
    return to_a, _times(at.bmm(at.transpose(a, 1, 2), g), alpha) if needs[1] else None


@backward_of("bmm")
def _bmm(v, g, needs):
    a, b = v.self, v.mat2
    need_real(a, b)
    to_b = _batched(g, a, b, (False, needs[1]))[1]
    return [_batched(g, a, b, (needs[0], False))[0], to_b]


@backward_of("baddbmm")
def _baddbmm(v, g, needs):
    a, b = v.batch1, v.batch2
    need_real(v.self, a, b)
    to_a, to_b = _batched(g, a, b, needs[1:], v.alpha)
    return [_times(g, v.beta) if needs[0] else None, to_a, to_b]


@backward_of("addbmm")
def _addbmm(v, g, needs):
    a, b = v.batch1, v.batch2
    need_real(v.self, a, b)
    sizes = [a.shape[0], a.shape[1], b.shape[2]]
    spread = lambda: at.expand(at.unsqueeze(g, 0), sizes)  # noqa: E731 - torch makes it anew for each
    to_a = _times(at.bmm(spread(), at.transpose(b, 1, 2)), v.alpha) if needs[1] else None
    to_b = _times(at.bmm(at.transpose(a, 1, 2), spread()), v.alpha) if needs[2] else None
    return [_times(g, v.beta) if needs[0] else None, to_a, to_b]


def _outer(a, b):
    return at.mul(at.view(a, [a.shape[0], 1]), b)


@backward_of("mv")
def _mv(v, g, needs):
    need_real(v.self, v.vec)
    to_matrix = _outer(g, v.vec) if needs[0] else None
    return [to_matrix, at.mv(at.t(v.self), g) if needs[1] else None]


@backward_of("addmv")
def _addmv(v, g, needs):
    need_real(v.self, v.mat, v.vec)
    to_matrix = _times(_outer(g, v.vec), v.alpha) if needs[1] else None
    to_self = _times(g, v.beta) if needs[0] else None
    return [to_self, to_matrix, _times(at.mv(at.t(v.mat), g), v.alpha) if needs[2] else None]


@backward_of("addr")
def _addr(v, g, needs):
    need_real(v.self, v.vec1, v.vec2)
    to_first = _times(at.mv(g, v.vec2), v.alpha) if needs[1] else None
    to_second = _times(at.mv(at.t(g), v.vec1), v.alpha) if needs[2] else None
    return [_times(g, v.beta) if needs[0] else None, to_first, to_second]
