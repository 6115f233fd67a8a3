"""How torch goes back through reductions, powers, bounds and copies: its steps where lucid's rules take others."""

from .._tensor.tensor import preserve_format, strided
from .backward_calls import NotThis, at, backward_of, formulas, need_real


def _like(t):
    """The options of a new tensor, as `t.options()` gives them to torch's C++ code."""
    return {"dtype": t.dtype, "layout": strided, "device": t.device}


def _dims(v):
    """The dimensions that were reduced, counted from the front; none where all were."""
    given, n = v.told["dim"], v.self.dim()
    given = () if given is None else given if isinstance(given, (tuple, list)) else (given,)
    return sorted(d % n for d in given) if n else []


def _kept(v):
    """The shape of the result with reduced dimensions of size 1."""
    dims, n = _dims(v), len(v.sizes)
    return [1 if i in dims or not dims else s for i, s in enumerate(v.sizes)] if n else []


def _unsqueezed(t, v):
    for d in () if v.keepdim else _dims(v):
        t = at.unsqueeze(t, d)
    return t


@backward_of("amax", "amin", saves=(0,))
def _extremum(v, g, needs):
    result = v.result if v.keepdim else at.view(v.result, _kept(v))
    mask = at.eq(result, v.self)
    g = g if v.keepdim else at.view(g, _kept(v))
    return [at.mul(at.div(g, at("sum.dim_IntList", mask, _dims(v) or list(range(v.self.dim())), True)), mask)]


@backward_of("logsumexp", saves=(0,))
def _logsumexp(v, g, needs):
    need_real(g)
    g = _unsqueezed(g, v)
    return [at.mul(g, at.exp(at.sub(v.self, _unsqueezed(v.result, v))))]


@backward_of("vector_norm", "norm_along", saves=(0,))
def _norm(v, g, needs):
    need_real(g, v.self)
    if v.p != 2:
        raise NotThis
    whole = len(_dims(v)) in (0, v.self.dim()) and not v.keepdim
    g, norm = (g, v.result) if whole else (_unsqueezed(g, v), _unsqueezed(v.result, v))
    part = at.div(v.self, norm)
    return [at.mul(g, at.masked_fill_(part, at.eq(norm, 0), 0))]


@backward_of("repeat")
def _repeat(v, g, needs):
    repeats, sizes = list(v.repeats), list(v.sizes)
    if 0 in repeats or not repeats:
        raise NotThis
    extra = len(repeats) - len(sizes)
    shape, lost = [], list(range(extra))
    for i, r in enumerate(repeats):
        if i < extra:
            shape.append(r)
            continue
        if r != 1:
            lost.append(len(shape))
            shape.append(r)
        shape.append(sizes[i - extra])
    g = at.view(g, shape) if shape != list(g.shape) else g
    return [at("sum.dim_IntList", g, lost) if lost else g]


@backward_of("embedding_op")
def _embedding(v, g, needs):
    if v.sparse:
        raise NotThis
    pad = -1 if v.padding_idx is None else v.padding_idx
    return [at.embedding_dense_backward(g, v.indices, v.sizes[0], pad, bool(v.scale_grad_by_freq)), None]


@backward_of("cast")
def _cast(v, g, needs):
    need_real(g, v.self)
    return [at._to_copy(g, **_like(v.self))]


# ---- numbers beside a tensor


def _power(x, exponent):
    return at("pow.Tensor_Scalar", x, float(exponent))


@backward_of("pow_scalar")
def _pow_scalar(v, g, needs):
    need_real(g)
    if isinstance(v.exponent, complex) or v.exponent == 0:
        raise NotThis
    slope = at.mul(_power(v.self, v.exponent - 1), float(v.exponent))
    return [at.mul(g, slope)]


def _zero(g):
    return at.scalar_tensor(0.0, **_like(g))


@backward_of("clamp_scalar")
def _clamp(v, g, needs):
    zero, low, high = _zero(g), v.min, v.max
    if low is None:
        inside = at.le(v.self, high)
    else:
        inside = at.ge(v.self, low)
        if high is not None:
            inside = at.logical_and_(inside, at.le(v.self, high))
    return [at.where(inside, g, zero)]


def _pow_self(v, g):
    exponent = v.exponent
    slope = at.mul(g, at.mul(exponent, at.pow(v.self, at.sub(exponent, 1))))
    zero = _zero(g)
    return at.where(at.eq(exponent, 0.0), zero, slope)


def _pow_exponent(v, g):
    below = at.ge(v.exponent, 0)
    nothing = at.logical_and(at.eq(v.self, 0), below)
    slope = at.mul(v.result, at.log(v.self))
    return at.mul(g, at.where(nothing, _zero(g), slope))


formulas("pow_tensor", saves=(0,), input=_pow_self, exponent=_pow_exponent)


# ---- three operands


def _addcdiv_first(v, g):
    filled = at.fill_(at.empty_like(v.tensor2, memory_format=preserve_format), v.value)
    return at.mul(g, at.div_(filled, v.tensor2))


def _addcdiv_second(v, g):
    square = at.mul(v.tensor2, v.tensor2)
    slope = at.div(at.mul(v.tensor1, v.value), square)
    return at.mul(at.neg(g), slope)


formulas("addcdiv", input=lambda v, g: g, tensor1=_addcdiv_first, tensor2=_addcdiv_second)
