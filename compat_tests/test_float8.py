"""8-bit floats: what torch's CPU computes of them, and what its kernels say that they do not."""

import numpy as np
import opdb
import pytest
import torch
from both import same_outcome
from gaps import expect
from test_complex_half import UNDEFINED, outcome

import lucid

OPS = {op.name + (f"|{op.variant_test_name}" if op.variant_test_name else ""): op for op in opdb.delivered()}
DRAWN = UNDEFINED | {name for name in OPS if "rand" in name or "dropout" in name or name.startswith("resize")}
KINDS = ("float8_e4m3fn", "float8_e5m2")


def in_8_bits(value, kind):
    """A sample of float32 in 8 bits."""
    if isinstance(value, torch.Tensor):
        return value.detach().to(kind) if value.dtype == torch.float32 else value
    if value is torch.float32:
        return kind
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)([in_8_bits(v, kind) for v in value])
    return {k: in_8_bits(v, kind) for k, v in value.items()} if isinstance(value, dict) else value


def carried(value, kind):
    if isinstance(value, torch.Tensor) and value.dtype == kind:
        return opdb.tensor(value.float(), "cpu").to(getattr(lucid, str(kind)[6:]))
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)([carried(v, kind) for v in value])
    if isinstance(value, dict):
        return {k: carried(v, kind) for k, v in value.items()}
    return opdb.carried(value, "cpu", {})


def compare(name, kind):
    """The same numbers, or errors of one class."""
    op = OPS[name]
    for i, sample in enumerate(opdb.samples(op, 4)):
        sample = in_8_bits(sample, kind)
        try:
            mine = carried(sample, kind)
        except opdb.Unsupported:
            continue
        (want, refusal), (got, refused) = outcome(op.op, sample), outcome(opdb.counterpart(op), mine)
        tensors = opdb.leaves((want, sample), torch.Tensor)
        if refused and refused[0] == "NotImplementedError" and any(not t.numel() or not t.dim() for t in tensors):
            continue  # where torch need not come to the kernel that lucid names
        assert (refused and refused[0]) == (refusal and refusal[0]), f"sample {i}: {refused} for torch's {refusal}"
        wanted, found = opdb.leaves(want, torch.Tensor), opdb.leaves(got, lucid.Tensor)
        assert len(wanted) == len(found)
        for w, g in zip(wanted, found):
            assert str(w.dtype) == str(g.dtype) and tuple(w.shape) == tuple(g.shape)
            if name not in DRAWN:
                w, g = (np.array(t.detach().resolve_conj().tolist(), complex) for t in (w, g))
                np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("name", OPS)
def test_op_db(name):
    expect("float8", name, lambda: [compare(name, getattr(torch, kind)) for kind in KINDS])


PROGRAMS = """
x + x
x - 1
-x
x * 2.0
x / x
x < x
x.isfinite()
x.isinf()
x.sum()
x.mean()
x.prod()
x.max()
x.exp()
x.sqrt()
x.round()
x.dot(x)
x.nonzero()
x.masked_fill(x == 1, 1)
x.cumsum(0)
x.sort()
x.flip(0)
x.tril()
x[None].tril()
x.softmax(0)
x.norm()
x.sigmoid()
x.pow(2)
x.lerp(x, x)
m.maximum(x, x)
m.arange(3, dtype=x.dtype)
m.rand(3, dtype=x.dtype)
m.randn(3, dtype=x.dtype)
m.nn.functional.relu(x)
m.nn.functional.gelu(x)
m.nn.functional.layer_norm(x, (3,))
m.fmod(x, x)
m.addcmul(x, x, x)
""".strip().splitlines()


@pytest.mark.parametrize("kind", [*KINDS, "float8_e4m3fnuz"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_words_of_refusals(program, kind):
    """The commonest are refused in torch's words, too."""

    def run(m):
        x = m.tensor([1.0, 2.0, 0.5]).to(getattr(m, kind))
        return outcome(lambda *_: eval(program, {"m": m, "x": x}), (None, (), {}))[1]

    assert run(lucid) == run(torch)


@pytest.mark.parametrize("kind", ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "complex32"])
@pytest.mark.parametrize("name", "neg abs floor exp argmax norm add mul cumsum sum amax eq sort".split())
def test_results_given_of_another_type(name, kind):
    """It is taken or refused as torch does, by an error of its class."""

    def program(m):
        x, out = m.ones(3, 4), m.empty(3, 4, dtype=getattr(m, kind))
        more = {"add": (x,), "mul": (x,), "eq": (x,), "norm": (2, 1), "argmax": (1,), "cumsum": (1,), "sum": (1,)}
        given = (out, m.empty(3, 4, dtype=m.int64)) if name == "sort" else out
        return getattr(m, name)(x, *more.get(name, ()), out=given)

    same_outcome(program, looks="", text=0, quiet=True)
