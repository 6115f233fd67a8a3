"""torch.ops.aten: schemas and overload lists equal torch's; overloads are found, called, printed and refused as there."""

import copy
import pickle
import subprocess
import sys

import pytest
import torch
from both import same, same_outcome

import lucid
from lucid._aten import table
from lucid._aten.backward_calls import BACKWARD
from lucid._aten.spelling import op_name
from lucid._backend.registry import OPS

DELIVERED = sorted({op_name(op) for op in OPS.values()} & set(table.names()))


def facts(overload):
    """All that a schema says."""
    schema = overload._schema
    arguments = [
        (
            a.name,
            str(a.type),
            str(a.real_type),
            a.default_value,
            a.has_default_value(),
            a.kwarg_only,
            a.is_out,
            a.N,
            a.alias_info and (a.alias_info.is_write, a.alias_info.before_set, a.alias_info.after_set),
        )
        for a in schema.arguments
    ]
    returns = [(r.name, str(r.type), r.alias_info and r.alias_info.is_write) for r in schema.returns]
    return str(schema), schema.name, schema.overload_name, schema.is_mutable, arguments, returns


def test_all_names_and_overloads():
    theirs = {n[6:].partition(".")[0] for n in torch._C._dispatch_get_all_op_names() if n.startswith("aten::")}
    assert set(table.names()) == theirs
    for name in theirs:
        assert getattr(lucid.ops.aten, name).overloads() == getattr(torch.ops.aten, name).overloads(), name


def test_all_schemas():
    for name in table.names():
        ours, theirs = getattr(lucid.ops.aten, name), getattr(torch.ops.aten, name)
        for which in ours.overloads():
            mine, torchs = facts(getattr(ours, which)), facts(getattr(theirs, which))
            script_only = getattr(ours, which)._tags is None or table.overloads(name)[which].is_script_only
            parts = slice(4) if script_only or "__torch__" in torchs[0] else slice(None)
            assert mine[parts] == torchs[parts], (name, which)


def test_tags_and_views():
    for name in DELIVERED:
        ours, theirs = getattr(lucid.ops.aten, name), getattr(torch.ops.aten, name)
        for which in ours.overloads():
            mine, torchs = getattr(ours, which), getattr(theirs, which)
            assert sorted(map(str, mine.tags)) == sorted(str(t) for t in torchs.tags), (name, which)
            assert mine.is_view == torchs.is_view, (name, which)


def test_the_file_is_current():
    script = "scripts/schemas.py"
    root = table.__file__.rpartition("/lucid/")[0]
    assert subprocess.run([sys.executable, script, "--check"], cwd=root, check=False).returncode == 0


FACES = [
    lambda m: str(m.ops.aten.add.Tensor),
    lambda m: repr(m.ops.aten.add.Tensor),
    lambda m: m.ops.aten.add.Tensor.name(),
    lambda m: m.ops.aten.relu.default.name(),
    lambda m: m.ops.aten.add.Tensor.__name__,
    lambda m: m.ops.aten.add.Tensor.__qualname__,
    lambda m: m.ops.aten.add.Tensor._overloadname,
    lambda m: m.ops.aten.add.Tensor.namespace,
    lambda m: m.ops.aten.add.Tensor.__module__.rpartition(".")[2],
    lambda m: str(m.ops.aten.add),
    lambda m: repr(m.ops.aten.add),
    lambda m: m.ops.aten.add._qualified_op_name,
    lambda m: m.ops.aten.add.__name__,
    lambda m: m.ops.aten.add.Tensor.overloadpacket is m.ops.aten.add,
    lambda m: m.ops.aten.add.Tensor is m.ops.aten.add.Tensor,
    lambda m: copy.deepcopy(m.ops.aten.add.Tensor) is m.ops.aten.add.Tensor,
    lambda m: len({m.ops.aten.add.Tensor, m.ops.aten.add.Tensor, m.ops.aten.add.out}),
    lambda m: {m.ops.aten.add.Tensor: 1}[m.ops.aten.add.Tensor],
    lambda m: repr(m.ops.aten),
    lambda m: m.ops.aten.nosuch,
    lambda m: m.ops.aten.add.nosuch,
    lambda m: hasattr(m.ops.aten.add, "Tensor"),
    lambda m: list(m.ops.aten.relu),
]


@pytest.mark.parametrize("n", range(len(FACES)))
def test_face(n):
    same_outcome(FACES[n])


def test_pickle():
    for op in (lucid.ops.aten.add.Tensor, lucid.ops.aten.add):
        assert pickle.loads(pickle.dumps(op)) is op


def x(m):
    return m.arange(6.0).reshape(2, 3)


CALLS = [
    lambda m, a: a.add(x(m), x(m)),
    lambda m, a: a.add(x(m), 2),
    lambda m, a: a.add.Tensor(x(m), x(m), alpha=2),
    lambda m, a: a.add.Scalar(x(m), 2, 3),
    lambda m, a: a.add.out(x(m), x(m), out=m.empty(2, 3)),
    lambda m, a: a.add_.Tensor(x(m), x(m)),
    lambda m, a: a.sum.dim_IntList(x(m), [1], True),
    lambda m, a: a.sum(x(m), [0]),
    lambda m, a: a.sum.default(x(m), dtype=m.float64),
    lambda m, a: a._to_copy(x(m), dtype=m.int64),
    lambda m, a: a.convolution.default(m.ones(1, 2, 4), m.ones(3, 2, 2), None, [1], [0], [1], False, [0], 1),
    lambda m, a: a.convolution.default(m.ones(1, 2, 4), m.ones(2, 3, 2), m.ones(3), [2], [1], [1], True, [1], 1),
    lambda m, a: list(a.native_layer_norm(x(m), [3], m.ones(3), None, 1e-5)),
    lambda m, a: a._softmax(x(m), 1, False),
    lambda m, a: a._log_softmax.default(x(m), -1, False),
    lambda m, a: a.addmm(m.ones(2), x(m), x(m).t(), beta=2, alpha=3),
    lambda m, a: a.t(x(m)).stride(),
    lambda m, a: a.expand(m.ones(1, 3), [2, 3]).stride(),
    lambda m, a: list(a.native_batch_norm(x(m), None, None, m.zeros(3), m.ones(3), False, 0.1, 1e-5)),
    lambda m, a: list(a.native_batch_norm(x(m), m.ones(3), None, None, None, True, 0.1, 1e-5)),
    lambda m, a: list(a.native_group_norm(m.arange(8.0).reshape(1, 4, 2), None, None, 1, 4, 2, 2, 1e-5)),
    lambda m, a: a.embedding(x(m), m.tensor([1, 0])),
    lambda m, a: list(a.nll_loss_forward(x(m), m.tensor([1, 2]), None, 1, -100)),
    lambda m, a: list(a.nll_loss_forward(x(m), m.tensor([1, 2]), m.tensor([1.0, 2.0, 3.0]), 1, -100)),
    lambda m, a: a.detach(x(m)),
    lambda m, a: a.clone(x(m)),
    lambda m, a: a._unsafe_view(x(m), [6]),
    lambda m, a: a.select.int(x(m), 0, 1),
    lambda m, a: a.slice.Tensor(x(m), 1, 0, 2),
    lambda m, a: a.slice.Tensor(x(m), 1, -2, 9223372036854775807),
    lambda m, a: a.view(x(m), [3, 2]),
    lambda m, a: a.permute(x(m), [1, 0]),
    lambda m, a: a.transpose.int(x(m), 0, 1),
    lambda m, a: a.cat([x(m), x(m)], 1),
    lambda m, a: list(a.split.Tensor(x(m), 1, 1)),
    lambda m, a: list(a.max.dim(x(m), 1)),
    lambda m, a: a.max(x(m)),
    lambda m, a: list(a.topk(x(m), 2)),
    lambda m, a: list(a.sort.stable(x(m), stable=True, dim=0, descending=True)),
    lambda m, a: a.index.Tensor(x(m), [None, m.tensor([0, 2])]),
    lambda m, a: a.index_put(x(m), [m.tensor([0]), None], m.tensor(9.0)),
    lambda m, a: a.index_put_(x(m), [m.tensor([1])], m.tensor(9.0), True),
    lambda m, a: a.where.self(x(m) > 2, x(m), -x(m)),
    lambda m, a: a.gelu(x(m), approximate="tanh"),
    lambda m, a: a.gelu_backward(m.ones(2, 3), x(m)),
    lambda m, a: a.tanh_backward(m.ones(2, 3), x(m) / 10),
    lambda m, a: a.threshold_backward(m.ones(2, 3), x(m), 2),
    lambda m, a: a._softmax_backward_data(x(m), m.softmax(x(m), 1), 1, m.float32),
    lambda m, a: a.mse_loss(x(m), m.ones(2, 3), 2),
    lambda m, a: a.mse_loss_backward(m.ones(()), x(m), m.ones(2, 3), 1),
    lambda m, a: a.var.correction(x(m), [1], correction=0, keepdim=True),
    lambda m, a: a.full([2], 3.0),
    lambda m, a: a.arange.start_step(0, 6, 2),
    lambda m, a: a.zeros([2, 2], dtype=m.int64),
    lambda m, a: a.scalar_tensor(3.0),
    lambda m, a: a.upsample_nearest2d(m.arange(4.0).reshape(1, 1, 2, 2), [4, 4]),
    lambda m, a: list(a.max_pool2d_with_indices(m.arange(16.0).reshape(1, 1, 4, 4), [2, 2])),
    lambda m, a: a.avg_pool2d(m.arange(16.0).reshape(1, 1, 4, 4), [2, 2]),
    lambda m, a: list(a.linalg_inv_ex(m.eye(2) * 2)),
    lambda m, a: list(a._linalg_svd(x(m)))[1],
    lambda m, a: a.linalg_vector_norm(x(m), 2, [1]),
    lambda m, a: a.bmm(m.ones(1, 2, 3), m.ones(1, 3, 2)),
    lambda m, a: a.rsub.Scalar(x(m), 1),
    lambda m, a: a.pow.Tensor_Scalar(x(m), 2),
    lambda m, a: a.constant_pad_nd(x(m), [1, 1], 5.0),
    lambda m, a: a.linear.default(x(m), m.ones(4, 3)),
    lambda m, a: a._local_scalar_dense(m.tensor(3.0)),
    lambda m, a: a.linear.default.decompose(x(m), m.ones(4, 3)),
    lambda m, a: a.mm.default.decompose(x(m), m.ones(3, 1)) is NotImplemented,
]


MISTAKES = [
    lambda m, a: a.add.Tensor(1),
    lambda m, a: a.add.Tensor(x(m)),
    lambda m, a: a.relu.default(x(m), 3),
    lambda m, a: a.mm(x(m), x(m)),
]


@pytest.mark.parametrize("n", range(len(MISTAKES)))
def test_mistake(n):
    same_outcome(lambda m: MISTAKES[n](m, m.ops.aten))


@pytest.mark.parametrize("call", [lambda m: m.ops.aten.sum("a"), lambda m: m.ops.aten.relu.default(3)])
def test_class_of_mistake(call):
    for m in (torch, lucid):
        with pytest.raises(RuntimeError):
            call(m)


@pytest.mark.parametrize("n", range(len(CALLS)))
def test_call(n):
    same(lambda m: CALLS[n](m, m.ops.aten), rtol=1e-5)


def test_gradient_through_overloads():
    def run(m):
        a, w = m.ops.aten, x(m).requires_grad_()
        y = a.mul.Tensor(a.sin(w), w)
        y.sum().backward()
        return type(y.grad_fn).__name__, w.grad

    same(run, rtol=1e-6)


def test_import_does_not_read_the_table():
    code = "import sys, lucid; print('lucid._aten.table' in sys.modules, 'lucid._aten.schema' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "False"]


def test_backward_formulas_are_of_ops():
    """Each formula is found by the class name of an op; one under another name would never be asked."""
    assert not set(BACKWARD) - {op.label for op in OPS.values()}
