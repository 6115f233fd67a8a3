"""complex32, pairs of float16: what torch computes of it, and what its kernels say that they do not."""

import copy
import io
import pickle
import warnings

import numpy as np
import opdb
import pytest
import torch
from both import same
from gaps import expect

import lucid

COMPLEX = {
    op.name + (f"|{op.variant_test_name}" if op.variant_test_name else ""): op
    for op in opdb.delivered()
    if torch.complex64 in op.dtypes
}
# draw numbers, or leave them as they find them
pytestmark = pytest.mark.filterwarnings("ignore:ComplexHalf", "ignore:Casting complex")
UNDEFINED = set("empty empty_like empty_permuted empty_strided new_empty new_empty_strided normal uniform".split())
UNDEFINED |= {name for name in COMPLEX if "rand" in name or "dropout" in name or name.startswith(("normal", "resize"))}


def halved(value):
    """A sample of complex64 in complex32."""
    if isinstance(value, torch.Tensor):
        return value.detach().to(torch.complex32) if value.dtype == torch.complex64 else value
    if value is torch.complex64:
        return torch.complex32
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)([halved(v) for v in value])
    return {k: halved(v) for k, v in value.items()} if isinstance(value, dict) else value


def outcome(f, sample):
    """(results, None), or (None, (class, first line of the message))."""
    arg, args, kwargs = sample
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f(arg, *args, **kwargs), None
        except Exception as error:
            return None, (type(error).__name__, str(error).split("\n")[0])


def numbers(t):
    wide = t.detach().resolve_conj().resolve_neg()
    wide = wide.to(wide.new_zeros(0).real.double().dtype) if wide.is_floating_point() else wide
    return np.array(wide.tolist(), complex)


def compare(name, f, op):
    for i, sample in enumerate(opdb.samples(op, 5, torch.complex64)):
        sample = halved(sample)
        try:
            mine = opdb.carried(sample, "cpu", {})
        except opdb.Unsupported:
            continue
        (want, refusal), (got, refused) = outcome(op.op, sample), outcome(f, mine)
        assert refused == refusal, f"sample {i}: {refused} for torch's {refusal}"
        if refusal is not None:
            continue
        wanted, found = opdb.leaves(want, torch.Tensor), opdb.leaves(got, lucid.Tensor)
        assert len(wanted) == len(found)
        for w, g in zip(wanted, found):
            assert str(w.dtype) == str(g.dtype) and tuple(w.shape) == tuple(g.shape) and w.stride() == g.stride()
            if name not in UNDEFINED:
                # torch multiplies by complex filters in float16, part by part
                room = 4e-3 if "conv" not in name else 2e-2 * max(1.0, float(np.abs(numbers(w)).max(initial=0)))
                np.testing.assert_allclose(numbers(g), numbers(w), rtol=4e-3, atol=room, equal_nan=True)


@pytest.mark.parametrize("name", COMPLEX)
def test_op_db(name):
    """What torch's ops make of complex32: results, or the same refusal."""
    op = COMPLEX[name]
    expect("complex32", name, lambda: compare(name, opdb.counterpart(op), op))


PROGRAMS = """
[m.promote_types(c,t) for t in T]
[m.result_type(y(),m.ones(1,dtype=t)) for t in T]
[m.can_cast(c,t) for t in T]
[m.can_cast(t,c) for t in T]
[y().to(t).tolist() for t in T]
[m.tensor([0,3,1],dtype=t).to(c).tolist() for t in T]
[m.tensor([0,3,1],dtype=t).add(y()[0]).dtype for t in T]
m.finfo(c)
(m.save(x,b),b.seek(0),m.load(b))[-1]
copy.deepcopy(x)
x.view(m.float16)
x.view(m.int32)
m.zeros(2,dtype=m.float32).view(c)
x.item()
x[0].item()
complex(x[0])
x.tolist()
x.conj()
x.conj().resolve_conj()
x.isnan()
x.isfinite()
x.abs()
x.angle()
x.sgn()
x.sqrt()
x.mean()
x.prod()
x==1
x!=1
x.norm()
x.dist(x)
m.allclose(x,x)
m.equal(x,x.clone())
m.isclose(x,x)
x.type(m.complex64)
x.type()
x.cfloat()
x.cdouble()
x.to('meta')
x.nonzero()
x.bool()
x.any()
x.all()
x.cumsum(0)
x**2
x+1.5
x-1j
2*x
x/2
x+m.ones(2)
x+m.ones(2).half()
x.addcmul(x,x)
x.lerp(x,0.5)
m.dot(x,x)
m.mm(x[None],x[:,None])
x.softmax(0)
m.stack([x,x])
m.cat([x,x])
x.index_add(0,m.tensor([0]),x[:1])
x.clamp(0)
x.reciprocal()
-x
x.sum()
x.sum(dtype=m.complex64)
m.polar(m.ones(2).half(),m.ones(2).half())
m.complex(m.ones(2).half(),m.ones(2).half())
m.view_as_complex(m.ones(2,2).half())
m.view_as_real(x)
x.square()
x.add_(1)
x.mul_(1j)
x.fill_(2j)
x.zero_()
m.manual_seed(0) and x.normal_()
m.manual_seed(0) and m.randn(7,3,dtype=c)
m.manual_seed(0) and x.uniform_()
m.manual_seed(0) and m.rand(7,3,dtype=c)
m.manual_seed(0) and m.rand_like(x)
m.eye(2,dtype=c)
m.arange(3,dtype=c)
m.linspace(0,1,3,dtype=c)
m.ones(2,dtype=c)
m.full((2,),3,dtype=c)
m.ones_like(x)
m.full_like(x,2j)
x.new_tensor([1,2])
x.new_full((2,),5)
m.complex(m.ones(2).bfloat16(),m.ones(2).bfloat16())
m.set_default_dtype(c)
x.roll(1)
x.gather(0,m.tensor([0]))
x.scatter(0,m.tensor([0]),x)
x[m.tensor([1])]
x[x==x]
x.masked_fill(x==1,3)
x.numpy()
x.numpy(force=True)
m.fft.fft(x)
m.iinfo(c)
x.logical_not()
x.sin()
x.real.dtype
x.imag
x.real.fill_(9), x
x.log_softmax(0)
m.add(x,x,alpha=2)
m.sub(x,x,alpha=2j)
x.expm1()
m.where(x==1,x,x)
m.where(x==1,x,2)
x.cumprod(0)
x.unique()
x.repeat(2)
x.var()
x.std(0)
x.exp()
x@x
x.half()
x.chalf() is x
m.ones(2).chalf()
x.element_size(), x.is_complex(), x.itemsize, x.nbytes
m.float16.to_complex(), c.to_real(), m.bfloat16.to_complex(), c.is_complex
x.requires_grad_().mul(x).real.backward(m.ones(2).half())
m.zeros(3,4,dtype=c).t()
m.nn.functional.pad(x,(1,1),value=2)
x.unsqueeze(0).expand(3,2).contiguous()
x.tril()
m.tensor(1j,dtype=c)
m.ones(2).half()*1j
m.scalar_tensor(3,dtype=c)
m.empty_strided((2,3),(1,2),dtype=c).stride()
x.copy_(m.tensor([1,2]))
m.zeros(2).copy_(x)
m.zeros(2,dtype=m.cdouble).copy_(x)
m.zeros(2).half().copy_(x)
x.pow(2)
x.rsqrt()
x.logical_and(x)
x.put_(m.tensor([0]),x[:1])
x.matmul(x)
x.bfloat16()
x.diff()
m.outer(x,x)
m.kron(x,x)
m.linalg.vector_norm(x)
x.std()
m.var_mean(x,0)
x.count_nonzero()
m.nn.functional.l1_loss(x,x+1)
m.empty(0,dtype=c)
m.chalf is c
x.isreal()
x.is_floating_point()
[x.__setitem__(0,5j), x][1]
[x.__setitem__(slice(None),m.ones(2)), x][1]
x.index_put((m.tensor([0,0]),),m.tensor(1j,dtype=c),accumulate=True)
m.tensor([float("inf"),1e5,65519.9,65520],dtype=c)
m.tensor([1e-5+1j],dtype=c)
""".strip().splitlines()
MADE = "bool uint8 int64 float16 bfloat16 float32 float64 complex32 complex64 complex128".split()


def shown(m, program):
    """What a program prints, or its refusal."""
    c = m.complex32
    x = m.tensor([1 + 2j, 0.1], dtype=c)
    scope = dict(m=m, c=c, x=x, y=lambda: x.clone(), T=[getattr(m, n) for n in MADE], b=io.BytesIO(), copy=copy)
    try:
        return repr(eval(program, scope)).replace("lucid.", "torch.")
    except Exception as error:
        return type(error).__name__, str(error).split("\n")[0]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program):
    """Making, converting, printing, saving; what is refused is refused in torch's words."""
    assert shown(lucid, program) == shown(torch, program)


@pytest.mark.parametrize(
    "program", ["(z * z).abs()", "z.cfloat().mul(2j).abs()", "z.real + z.imag", "(z + z * 3).imag"]
)
def test_gradients(program):
    """A gradient of complex32 is complex32."""

    def run(m):
        z = m.tensor([1 + 2j, 0.5 - 1j], dtype=m.complex32).requires_grad_()
        out = eval(program, {"z": z})
        out.backward(m.ones(2, dtype=out.dtype))
        return repr(z.grad)

    assert run(lucid) == run(torch)


def test_files_and_memory():
    """torch reads what lucid saves, and conversely; pickles, storages and DLPack hold pairs of float16."""
    values = [1 + 2j, 0.25 - 3j]
    for giver, taker in ((lucid, torch), (torch, lucid)):
        file = io.BytesIO()
        giver.save(giver.tensor(values, dtype=giver.complex32), file)
        file.seek(0)
        got = taker.load(file)
        assert got.dtype is taker.complex32 and got.tolist() == values
    x = lucid.tensor(values, dtype=lucid.complex32)
    assert pickle.loads(pickle.dumps(x)).tolist() == copy.deepcopy(x).tolist() == values
    assert x.untyped_storage().tolist() == torch.tensor(values, dtype=torch.complex32).untyped_storage().tolist()
    assert torch.from_dlpack(x).tolist() == lucid.from_dlpack(torch.from_dlpack(x)).tolist() == values


def test_views_of_pairs():
    """real, imag and view_as_real read the memory of the pairs, and writes reach it."""

    def run(m):
        x = m.zeros(2, 3, dtype=m.complex32)
        x.real.fill_(2)
        x[:, 1].imag.add_(5)
        m.view_as_real(x)[0, 0] = 7
        x.t()[2] = 1j
        return m.view_as_real(x), x.real, x.t().imag

    same(run)
