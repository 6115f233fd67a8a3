"""How results and gradients of several operands lie in memory, and which tensors may not be written after a call."""

import itertools

import opdb
import pytest
import torch
from both import same
from gaps import expect
from torch.testing._internal.opinfo.core import BinaryUfuncInfo, UnaryUfuncInfo

TWO_LAYOUTS = """m.add(x,z) z+x x*z z*x x/z z/x x-z z**x x**z m.atan2(x,z) m.hypot(x,z) m.maximum(x,z) m.minimum(x,z)
m.fmin(x,z) m.fmax(x,z) m.where(x>1,z,z) m.where(z>1,x,z) m.where(z>1,x,0.5) m.where(z>1,0.5,x) x.masked_fill(z>1,.5)
z.masked_fill(x>1,.5) m.lerp(x,z,.2) m.lerp(z,x,.7) m.lerp(x,z,z) m.addcmul(x,z,z) m.addcmul(z,x,x) m.addcdiv(x,z,x)
x.clamp(z,z*2) z.clamp(x) x.clamp(max=z) m.copysign(x,z) x.remainder(z) x.fmod(z) m.logaddexp(z,x) m.xlogy(x,z) x>z
z>x x==z m.logical_and(x,z) m.nextafter(x,z) m.div(z,x,rounding_mode='trunc') m.float_power(x,z) m.rsub(x,z)
x.sub(z,alpha=2) m.special.xlog1py(x,z) x+z[0] x[0]+z x+z[:,:1] z[:1]*x x[:1]*z x.half()+z x+z.half() x.long()*z
x.half()*z.half() z.bfloat16()/x.bfloat16() m.maximum(x,x[0]) 2-x 2/x x**2. x.sign() x.floor() x.sgn()
x.max() x.min() x.median() x.norm() x.norm(2,1) x.prod() x.prod(1) x.amax(1) x.unbind(0)[0] x.chunk(2,0)[0]""".split()


def laid_out(m, form):
    x = m.tensor([[0.5, 0.7, 0.9], [1.1, 1.3, 1.5]], dtype=m.float64, requires_grad=True).T * 1
    z = m.tensor([[1.5, 1.3], [1.2, 0.9], [0.7, 0.5]], dtype=m.float64, requires_grad=True) * 1
    y = eval(form, {"m": m, "x": x, "z": z})
    if not y.requires_grad:
        return y
    total = (y * y.detach().clone()).sum()
    return y, m.autograd.grad(total, [x, z], create_graph=True, allow_unused=True)


@pytest.mark.parametrize("form", TWO_LAYOUTS)
def test_layout(form):
    same(laid_out, form, looks="stride", rtol=1e-6)


# of a, b and c, the index i and the mask k
SAVING = """a*b a/b a+b a.pow(b) a.hypot(b) a.atan2(b) a.copysign(b) b.copysign(a) a.gather(0,i) a.take(i) a.put(i,b[:2])
a.masked_select(k) a.lerp(b,c) a.lerp(b,0.3) m.addcdiv(a,b,c) m.addcmul(a,b,c) m.div(a,b,rounding_mode='floor')
m.complex(a,b).real m.polar(a,b).real F.prelu(a,c[:1]) F.binary_cross_entropy(a,b) F.mse_loss(a,b) m.where(k,a,b)
a.index_add(0,i,b[:2]) a.index_copy(0,i,b[:2]) a.scatter(0,i,b[:2]) a.scatter_add(0,i,b[:2]) a.index_put((i,),b[:2])
a.masked_fill(k,b[0]) m.maximum(a,b) m.logaddexp(a,b) m.dot(a,b) m.outer(a,b) a.prod() a.norm() a.exp() a.sqrt() a.tanh()
a.logcumsumexp(0) a.cumprod(0) a.softmax(0) a.max() a.sort()[0] a.clamp(0.4,0.8) a.roll(1) a.sum() a.mean() a.std()
F.nll_loss(a.reshape(2,2),i) a.round() a.abs() a.sign() a.reciprocal() a.rsqrt() a.log() a.sin() F.softplus(a)""".split()


def written_later(m, form, wanting, written):
    """What the gradients are, or why there are none, when one of the tensors was written after the call."""
    values = {"a": [0.3, 0.5, 0.6, 0.9], "b": [0.2, 0.7, 0.4, 0.8], "c": [0.9, 0.1, 0.5, 0.3]}
    leaves = {n: m.tensor(v, dtype=m.float64, requires_grad=n in wanting) for n, v in values.items()}
    scope = {n: t * 1 for n, t in leaves.items()} | {"m": m, "F": m.nn.functional}
    scope |= {"i": m.tensor([1, 0]), "k": m.tensor([True, False, True, True])}
    scope["y"] = y = eval(form, scope)
    if not y.requires_grad:
        return None
    with m.no_grad():
        scope[written].mul_(0.5)
    return m.autograd.grad(y.sum(), [leaves[n] for n in wanting], allow_unused=True)


@pytest.mark.parametrize("form", SAVING)
def test_written_after_the_call(form):
    for wanting, written in itertools.product(["abc", "a", "b", "c"], "abcy"):
        same(written_later, form, wanting, written, may_raise=True, rtol=1e-9)


# ---- the graph of what was written


def read_anew(m, view):
    x = m.ones(4, dtype=m.complex128, requires_grad=True) * 1
    part = view(m, x)
    x.mul_(2)
    found, node = [], part.grad_fn
    while node is not None:
        found.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return found


VIEWS = {
    "imag": lambda m, x: x.imag,
    "part of imag": lambda m, x: x.imag[1:],
    "part of part of imag": lambda m, x: x.imag[1:][None],
    "imag of part": lambda m, x: x[1:].imag,
    "part of imag of part of part": lambda m, x: x[1:][:2].imag[0],
    "part of view_as_real": lambda m, x: m.view_as_real(x)[1:][0],
    "turned real": lambda m, x: x.real.view(2, 2).t(),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_read_anew(name):
    same(read_anew, VIEWS[name])


FURTHER = """v.expand(2,*v.shape) v.permute(0)[None] v.view(-1) v.reshape(2,2).t() v.narrow(0,0,1) v.unfold(0,2,1)
v.reshape(2,2).diagonal() v.split(2)[0] v.chunk(2)[1] v.unbind(0)[0] v[0] v.as_strided((2,),(2,)) v[None].squeeze(0)
v.unsqueeze(-1) v.view(2,2).movedim(0,1) v.view_as(v) v.unflatten(0,(2,2)) v[:,None].expand(-1,3) v.view(2,2).mT v[...]"""


@pytest.mark.parametrize("form", FURTHER.split())
@pytest.mark.parametrize("part", ["real", "imag"])
def test_gradient_of_views_read_anew(part, form):
    def program(m):
        x = m.arange(1.0, 5.0).to(m.complex128).requires_grad_()
        v = getattr(x * 1, part)
        further = eval(form, {"v": v})
        v.add_(v)
        weights = m.arange(1.0, 1 + further.numel()).reshape(further.shape)
        return further, m.autograd.grad((further * weights).sum(), x)

    same(program, looks="graph", may_raise=True)


@pytest.mark.parametrize("write", ["y[0]=5.", "y[0].mul_(2)", "y[0].neg_()", "y.neg_()"])
def test_second_walk(write):
    def program(m):
        w = m.ones(3, requires_grad=True)
        y = w + 0
        exec(write, {"y": y})
        y.sum().backward()
        y.sum().backward()
        return w.grad

    same(program, may_raise=True)


def second_dtype(m):
    x = m.tensor([0.75], requires_grad=True)
    y = x * 1
    y.select(0, 0).pow_(m.tensor(2.0, dtype=m.float64))
    (first,) = m.autograd.grad((y * y.detach().clone()).sum(), x, create_graph=True)
    return first, m.autograd.grad((first * first).sum(), x)


def test_second_gradient_of_a_wider_write():
    same(second_dtype, looks="stride", rtol=1e-5)


def in_checkpoint(m):
    x = m.ones(2, requires_grad=True) * 1
    y = m.utils.checkpoint.checkpoint(m.sin, x, use_reentrant=False)
    x.add_(1)
    return m.autograd.grad(y.sum(), x)


REFUSALS = {
    "checkpoint": in_checkpoint,
    "bools multiplied into floats": lambda m: m.matmul(
        m.ones(2, 2, dtype=m.bool), m.ones(2, 2).bool(), out=m.ones(2, 2)
    ),
    "no bools multiplied": lambda m: m.ones(0, 3).bool() @ m.ones(3, 0).bool(),
    "out= before the sizes": lambda m: m.amax(m.ones(0, requires_grad=True), 0, out=m.ones(1)),
    "index_fill_ with a complex tensor": lambda m: m.ones(2).index_fill_(0, m.tensor([0]), m.tensor(1 + 0j)),
    "masked_fill with a real complex tensor": lambda m: m.ones(2).masked_fill(
        m.tensor([True, False]), m.tensor(2 + 0j)
    ),
    "index_copy_ of a scalar": lambda m: m.ones(4).index_copy_(0, m.tensor([0, 1]), m.tensor(1)),
    "set_ of a leaf": lambda m: m.ones(2, requires_grad=True).set_(m.ones(3)),
    "set_ of another type": lambda m: m.ones(2).set_(m.ones(2, dtype=m.bool)),
    "round_ of integers": lambda m: m.ones(2, dtype=m.int64).round_(),
    "diff of nothing": lambda m: m.ones(0, requires_grad=True).diff(),
    "to() with a copy": lambda m: type(m.ones(2, requires_grad=True).to(m.float32, copy=True).grad_fn).__name__,
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name):
    same(REFUSALS[name], may_raise=True)


ELEMENTWISE = {
    op.name: op
    for op in opdb.op_db
    if isinstance(op, (UnaryUfuncInfo, BinaryUfuncInfo)) and opdb.counterpart(op) is not None and "jiter" not in op.name
}
TYPES = "bool uint8 int64 bfloat16 float32 complex64".split()
LAID_OUT = [f"{name} {dtype}" for name in ELEMENTWISE for dtype in TYPES]
ORDERS = [(0, 2, 1), (2, 1, 0), (1, 2, 0)]


@pytest.mark.parametrize("case", LAID_OUT)
def test_layout_of_every_type(case):
    """What is computed element by element lies in memory as its operands do."""
    name, dtype = case.split()
    op = ELEMENTWISE[name]

    def call(m, order):
        operands = [m.ones(2, 3, 4, dtype=getattr(m, dtype)).permute(order) for _ in range(count)]
        out = (op.op if m is torch else opdb.counterpart(op))(*operands)
        return [(t.stride(), str(t.dtype)) for t in (out if isinstance(out, (tuple, list)) else [out])]

    count = 1 if isinstance(op, UnaryUfuncInfo) else 2
    for order in ORDERS:
        expect("layout", case, lambda: same(call, order, may_raise=True, text=0, quiet=True))
