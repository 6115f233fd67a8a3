"""Fake tensors: shapes, types, strides and devices of results without their numbers, beside the real ones."""

import opdb
import pytest
import torch
from both import same
from gaps import expect

import lucid
from lucid._base.tree import tree_map
from lucid._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
)

BEYOND = {"as_strided|partial_views"}
OPS = {op.name + (f"|{op.variant_test_name}" if op.variant_test_name else ""): op for op in opdb.delivered()}
OPS = {name: op for name, op in OPS.items() if name not in BEYOND}
# Where lucid lays LAPACK's results out row by row (known_gaps.txt), the fake says what torch does, column by column.
LAPACK = """qr geqrf svd triangular_solve cholesky_inverse cholesky_solve linalg.eig linalg.eigh linalg.qr linalg.svd
linalg.cholesky_ex linalg.lu_factor linalg.lu_factor_ex linalg.solve_triangular linalg.householder_product
linalg.cholesky linalg.inv linalg.inv_ex linalg.solve linalg.solve_ex lu lu_solve linalg.lu linalg.lu_solve cholesky
linalg.tensorsolve linalg.tensorinv linalg.lstsq matrix_exp linalg.matrix_power linalg.svdvals""".split()


def facts(t, strides):
    return tuple(t.shape), t.dtype, str(t.device), t.requires_grad, t.stride() if strides else None


@pytest.mark.parametrize("name", OPS)
def test_op_db(name):
    """The fake result looks as the real one does, or the op says that it needs the numbers."""
    f = opdb.counterpart(OPS[name])

    def run():
        for sample in opdb.samples(OPS[name], 4):
            try:
                real, twin = (opdb.carried(sample, "cpu", {}) for _ in range(2))
                want = f(real[0], *real[1], **real[2])
            except Exception:
                continue
            mode = FakeTensorMode()
            arg, args, kwargs = tree_map(lambda t: mode.from_tensor(t) if isinstance(t, lucid.Tensor) else t, twin)
            try:
                with mode:
                    got = f(arg, *args, **kwargs)
            except (DataDependentOutputException, DynamicOutputShapeException):
                continue
            wanted, found = opdb.leaves(want, lucid.Tensor), opdb.leaves(got, lucid.Tensor)
            assert len(wanted) == len(found)
            for w, g in zip(wanted, found):
                assert isinstance(g, FakeTensor)
                assert facts(g, name not in LAPACK) == facts(w, name not in LAPACK)

    expect("fake", name, run)


def fakes(m):
    if m is torch:
        import torch._subclasses.fake_tensor as module
    else:
        import lucid._subclasses.fake_tensor as module
    return module


def shown(value):
    return repr(value) if not isinstance(value, Exception) else value


LINES = """
y; y + 1; y.sum(); f + y; torch.nn.Linear(3, 2)(y); torch.tensor([1.0, 2.0]); y.to('meta'); f.device; f.is_meta
isinstance(f, torch.Tensor); type(f).__name__; f.fake_mode is mode; f.stride(); f.t().shape; torch.zeros(2, dtype=torch.int64)
(y > 0).dtype; torch.cat([y, f]).shape; mode.from_tensor(x) is f; y.view(-1).shape; y.detach(); y.clone().add_(1)
torch.arange(3).shape; y[0, 1:]; f.requires_grad; torch.randn(2, 2); y.expand(4, 2, 3).stride(); y.data
torch.nn.functional.softmax(y, -1).shape; torch.nn.Parameter(y).requires_grad; y.numel(); y.to(torch.float64).dtype
"""
LINES = [line.strip() for part in LINES.strip().splitlines() for line in part.split("; ")]
REFUSED = """
y.item(); bool(y.sum() > 0); y.nonzero(); y[y > 0]; torch.unique(y); y.tolist(); int(y.sum()); y + x; x.sum()
y.sum().item(); torch.equal(y, y); torch.allclose(y, y); y.masked_select(y > 0); torch.bincount(torch.tensor([1, 2]))
"""
REFUSED = [line.strip() for part in REFUSED.strip().splitlines() for line in part.split("; ")]


def evaluated(m, line):
    mode = fakes(m).FakeTensorMode()
    x = m.randn(2, 3)
    f = mode.from_tensor(x)
    with mode:
        names = {"y": m.ones(2, 3), "x": x, "f": f, "torch": m, "mode": mode}
        return repr(eval(line, names)).replace("lucid.", "torch.")


@pytest.mark.parametrize("line", LINES)
def test_line(line):
    assert evaluated(lucid, line) == evaluated(torch, line)


@pytest.mark.parametrize("line", REFUSED)
def test_refused(line):
    def outcome(m):
        try:
            return evaluated(m, line)
        except Exception as trouble:
            return type(trouble).__name__, str(trouble)

    assert outcome(lucid) == outcome(torch)


def test_gradients_are_fake_too():
    def run(m):
        mode = fakes(m).FakeTensorMode()
        layer = m.nn.Sequential(m.nn.Linear(3, 4), m.nn.ReLU(), m.nn.Linear(4, 2))
        with mode:
            layer = m.nn.Sequential(m.nn.Linear(3, 4), m.nn.ReLU(), m.nn.Linear(4, 2))
            loss = layer(m.ones(5, 3)).pow(2).mean()
            loss.backward()
            return [(type(p).__name__, type(p.grad).__name__, tuple(p.grad.shape)) for p in layer.parameters()]

    same(run)


def test_non_fake_inputs_where_allowed():
    def run(m):
        with fakes(m).FakeTensorMode(allow_non_fake_inputs=True):
            return repr(m.ones(2) + run_outside)

    run_outside = {}
    for m in (torch, lucid):
        run_outside = m.ones(2)
        assert run(m) == "FakeTensor(..., size=(2,))"
