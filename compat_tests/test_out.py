"""out= of every function that has it: types, layouts, views, overlaps, sizes and gradients, on a sample of op_db's.

Both libraries get the same sample and an out= made in the same way; the class of the error must agree or, where there is
none, the values, strides and versions of what was written.
"""

import json
import os
import warnings

import opdb
import pytest
import torch
from both import attempt, close, numbers, same
from gaps import expect

import lucid

torch.set_num_threads(1)
DTYPES = ("float64", "int64", "complex64", "float16")
KEEP_SHAPE = {"cumsum", "cumprod", "mean", "native_batch_norm"}  # known_gaps.txt: out= keeps its shape when refused
CRASHES = {"nn.functional.avg_pool3d", "narrow_copy"}  # torch writes past the end of an out= that is too small


def situations(m):
    """{name: make(result) -> out=}"""
    made = {f"as {name}": lambda r, name=name: m.empty(tuple(r.shape), dtype=getattr(m, name)) for name in DTYPES}
    made["of another layout"] = lambda r: m.zeros(tuple(r.shape)[::-1], dtype=r.dtype).permute(
        *range(r.dim() - 1, -1, -1)
    )
    made["a view"] = lambda r: m.zeros((*r.shape, 2), dtype=r.dtype)[..., 1]
    made["expanded"] = lambda r: m.zeros((1,) * r.dim(), dtype=r.dtype).expand(tuple(r.shape))
    made["empty"] = lambda r: m.zeros(0, dtype=r.dtype)
    for name in (*DTYPES, "bool"):
        made[f"of another shape, {name}"] = lambda r, name=name: m.zeros(7, 3, dtype=getattr(m, name))
    made["with a gradient"] = lambda r: m.zeros(tuple(r.shape), dtype=r.dtype).requires_grad_(r.is_floating_point())
    return made


def written(m, f, sample, make):
    """The error's class and the shapes that out= has then, or what is to be compared of out=."""
    input, args, kwargs = sample
    m.default_generator.manual_seed(0)
    result = f(input, *args, **kwargs)
    single = isinstance(result, m.Tensor)
    out = tuple([make(r.detach()) for r in ((result,) if single else result)])
    m.default_generator.manual_seed(0)
    got = attempt(f, input, *args, **kwargs, out=out[0] if single else out)
    if isinstance(got, Exception):
        return type(got).__name__, [tuple(o.shape) for o in out]
    return [(o.detach(), [s for s, n in zip(o.stride(), o.shape) if n > 1], o._version) for o in out]


def plain(value):
    """A sample's value without gradients."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)([plain(v) for v in value])
    return {k: plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def first_sample(op):
    """A sample whose results are tensors of several elements."""
    for sample in opdb.samples(op, 12):
        sample = plain(sample)
        result = attempt(op.op, sample[0], *sample[1], **sample[2])
        results = result if isinstance(result, (list, tuple)) else [result]
        if results and all(isinstance(r, torch.Tensor) and r.numel() > 1 for r in results):
            if torch.Tensor in map(type, opdb.leaves(sample, torch.Tensor)):
                return sample
    return None


def key(op):
    return f"{op.name}{'.' + op.variant_test_name if op.variant_test_name else ''}"


OPS = {key(op): op for op in opdb.delivered() if op.supports_out and op.name not in CRASHES}


@pytest.mark.parametrize("name", OPS)
@pytest.mark.filterwarnings("ignore")
def test_out(name):
    op = OPS[name]
    sample = first_sample(op)
    if sample is None:
        return

    def compare():
        wrong = []
        for situation, make in situations(torch).items():
            if situation == "with a gradient" and not op.supports_autograd:
                continue  # lucid has a gradient where torch has none
            here = opdb.carried(sample, "cpu", {})
            wanted = written(torch, op.op, plain(sample), make)
            got = written(lucid, opdb.counterpart(op), here, situations(lucid)[situation])
            if isinstance(wanted, tuple) or isinstance(got, tuple):
                wanted, got = (end if isinstance(end, tuple) else ("written", None) for end in (wanted, got))
                shapes = "another shape" in situation and name not in KEEP_SHAPE
                if wanted != got if shapes else wanted[0] != got[0]:
                    wrong.append(f"{situation}: {got}, torch {wanted}")
                continue
            for (a, *facts), (b, *others) in zip(got, wanted):
                if facts != others and "another shape" not in situation:
                    wrong.append(f"{situation}: strides and version {facts}, torch {others}")
                if situation == "expanded":
                    continue  # which of the values stays is not defined
                try:
                    close(a, b, rtol=1e-3, atol=1e-4)
                except AssertionError:
                    wrong.append(f"{situation}: {numbers(a)}, torch {numbers(b)}")
        assert not wrong, "\n".join(wrong)

    expect("out", name, compare)


# One line, one call: out= that is an operand, that a type or a shape does not suit.
REFUSED = """
m.gt(m.ones(4), t, out=t)
m.add(m.ones(3, 3), t, out=t)
m.add(m.ones(1), t, out=t)
m.addcmul(m.ones(3, 3), t, t, out=t)
m.where(m.ones(2, 1) > 2, t, t, out=t)
m.lerp(m.ones(3, 3), m.ones(3, 3), t, out=t)
m.pow(m.ones(3, 3), t, out=t)
m.atan2(t, m.ones(3, 3), out=t)
m.clamp(m.ones(3, 3), t, t, out=t)
m.mean(m.ones(2, 2).long(), 0, out=t)
m.mean(m.ones(2, 2).bool(), out=t)
m.mean(m.ones(2, 2), 0, out=t.long())
m.mean(m.ones(2, 2).long(), 0, dtype=m.float64, out=t.double())
m.mean(m.ones(2, 2).long(), 0, dtype=m.float64, out=t)
m.mean(m.ones(2, 2) * 1j, 0, out=t)
m.amax(m.ones(0, 2), 0, out=t.double())
m.amax(m.ones(0, 2), 0, out=t)
m.amin(m.ones(2, 2), 5, out=t.double())
m.amin(m.ones(2, 2), 1, out=t)
m.linspace(0, 1, 5, out=b)
m.logspace(0, 1, 5, out=b)
m.linspace(0, 1, 8, out=b)
m.linspace(0, 1, 3, out=w[:1])
m.logspace(0, 1, 3, out=w.unbind(0)[0])
m.arange(0, 3, out=w[0])
m.zeros(3, out=w[0])
m.full((3,), 2.0, out=w)
m.eye(2, out=w[:, :2])
m.linspace(0, 1, 3, out=(w * 1).unbind(0)[0])
m.nonzero(m.ones(2), as_tuple=True, out=t.long())
m.gt(m.ones(3) * 1j, m.ones(2))
m.gt(m.ones(3) * 1j, m.ones(3))
m.atan2(m.ones(3) * 1j, m.ones(2))
m.bitwise_and(m.ones(3), m.ones(2))
m.maximum(m.ones(3) * 1j, m.ones(2))
m.fmod(m.ones(3) * 1j, m.ones(2))
m.hypot(m.ones(3) * 1j, m.ones(2))
(m.ones(3) * 1j).argmax()
(m.ones(3) * 1j).argmin()
""".strip().splitlines()


@pytest.mark.parametrize("text", REFUSED)
def test_what_out_is_refused(text):
    def program(m):
        scope = {"m": m, "t": m.ones(1, 3), "b": m.ones(2, 4).bool(), "w": m.ones(2, 3).requires_grad_()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            failed = attempt(eval, text, scope)
        return failed if not isinstance(failed, Exception) else (type(failed), str(failed)), scope["t"], scope["b"]

    same(program)


# ---- an out= that grows over an operand

OVERRUN = {"masked_select", "index_select"}  # torch writes past the end, and crashes


def beside(m, value, at, size, made):
    """A sample whose tensor number `at` has sixteen free bytes before it, which become the list `made`."""
    if isinstance(value, m.Tensor):
        made.append(None)
        if len(made) - 1 == at:
            n = value.numel() * value.element_size()
            made[at] = memory = m.zeros(16 + n + size + 64, dtype=m.uint8)
            value = memory[16 : 16 + n].view(value.dtype).view(tuple(value.shape)).copy_(value)
        return value
    if isinstance(value, (list, tuple)) and not isinstance(value, (torch.Size, lucid.Size)):
        return type(value)([beside(m, v, at, size, made) for v in value])
    return {k: beside(m, v, at, size, made) for k, v in value.items()} if isinstance(value, dict) else value


def grown(m, f, sample, at):
    """The class of the error where out= lies before an operand and is too small; None where it is written."""
    result = f(sample[0], *sample[1], **sample[2])
    results, made = [result] if isinstance(result, m.Tensor) else list(result), []
    input, args, kwargs = beside(m, sample, at, sum(r.numel() * r.element_size() for r in results), made)
    out = [made[at][16 - r.element_size() : 16].view(r.dtype) for r in results[:1]]
    out += [m.zeros(0, dtype=r.dtype) for r in results[1:]]
    got = attempt(f, input, *args, **kwargs, out=out[0] if isinstance(result, m.Tensor) else tuple(out))
    return type(got).__name__ if isinstance(got, Exception) else None


def apart(f):
    """f() in a process of its own: torch may write where it should not."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(write, json.dumps(f()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as file:
        said = file.read()
    os.waitpid(child, 0)
    return json.loads(said)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="torch runs in a process of its own")
@pytest.mark.parametrize("name", sorted(OPS.keys() - OVERRUN))
@pytest.mark.filterwarnings("ignore")
def test_out_grows_over_an_operand(name):
    op = OPS[name]
    sample = first_sample(op)
    if sample is None:
        return

    def compare():
        for at in range(len(opdb.leaves(sample, torch.Tensor))):
            wanted = apart(lambda at=at: grown(torch, op.op, plain(sample), at))
            got = grown(lucid, opdb.counterpart(op), opdb.carried(sample, "cpu", {}), at)
            assert got == wanted, f"operand {at}: {got}, torch {wanted}"

    expect("grown", name, compare)
