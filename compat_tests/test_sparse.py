"""Sparse COO and CSR tensors: one-line programs on torch and on lucid, gradients and their layouts, op_db's samples."""

import unittest

import pytest
import sparse_programs as programs
import torch
from gaps import expect
from sparse_cases import agree, carried, dense, kind_of, layout_of, leaves, outcome, scope
from torch.testing._internal.common_methods_invocations import op_db

import lucid

# of torch: CSR is in beta, invariants are not checked
pytestmark = pytest.mark.filterwarnings("ignore:Sparse:UserWarning")

TOPICS = ("CONSTRUCTION", "PARTS", "ARITHMETIC", "REDUCTIONS", "SHAPES")
# lucid answers, rightly, where torch has no kernel
MORE_THAN_TORCH = {
    "F.linear(W.t(), S, m.ones(2))",
    "S.pow_(2)",
    '__import__("copy").deepcopy(R)',
}


def compare(text, topic):
    wanted, got = (outcome(lambda m=m: eval(text, scope(m))) for m in (torch, lucid))
    if isinstance(wanted, Exception):
        if text in MORE_THAN_TORCH:
            return
        assert isinstance(got, Exception), f"{text}: torch raises {wanted!r}, lucid gives {got}"
        kinds = {kind_of(wanted), kind_of(got)}
        assert len(kinds) == 1 or kinds == {"RuntimeError", "NotImplementedError"}, f"{text}: {wanted!r} {got!r}"
        return
    if isinstance(got, Exception):
        raise AssertionError(f"{text}: {got!r}") from got
    agree(got, wanted, text)


@pytest.mark.parametrize(
    "topic, text", [(topic, text) for topic in TOPICS for text in programs.lines(getattr(programs, topic))]
)
def test_program(topic, text):
    compare(text, topic)


@pytest.mark.parametrize("start", ["S", "N", "I", "H", "R", "K", "Z"])
@pytest.mark.parametrize("name", programs.UNARY)
def test_function_of_one(name, start):
    compare(f"{start}.{name}()", "unary")


@pytest.mark.parametrize("operands", ["S, C", "S, D", "D, S", "S, 2", "2, S", "R, Q", "R, D", "D, R", "R, 2", "S, R"])
@pytest.mark.parametrize("name", programs.BINARY)
def test_function_of_two(name, operands):
    compare(f"m.{name}({operands})", "binary")


def total(m, y):
    """A number that depends on every element of y."""
    if layout_of(y) != "strided":
        y = y.to_dense()
    return (y * m.arange(1.0, y.numel() + 1).reshape(y.shape)).sum()


def gradients(m, names, text):
    given = leaves(m, names)
    y = eval(text, given)
    total(m, y).backward()
    return y.detach(), [given[n].grad for n in names]


@pytest.mark.parametrize("line", programs.lines(programs.GRADIENTS))
def test_gradient(line):
    names, _, text = line.partition(" | ")
    wanted = outcome(lambda: gradients(torch, names.split(), text))
    got = outcome(lambda: gradients(lucid, names.split(), text))
    if isinstance(wanted, Exception):
        return  # torch cannot; lucid may
    if isinstance(got, Exception):
        raise AssertionError(f"{line}: {got!r}") from got
    agree(got[0], wanted[0], line, flag=False)
    for a, b in zip(got[1], wanted[1]):
        assert (a is None) == (b is None), line
        if a is not None:
            assert layout_of(a) == layout_of(b), f"{line}: the gradient is {a.layout}, torch's {b.layout}"
            agree(a, b, line, flag=False, order=False)


# ---- op_db


def sparse_samples(op, layout, dtype):
    """op_db's own sparse samples, or its strided ones made sparse."""
    try:
        found = list(op.sample_inputs_sparse(layout, "cpu", dtype, requires_grad=False))
    except (NotImplementedError, unittest.SkipTest):
        found = []
    if found:
        return [(x.input, x.args, x.kwargs) for x in found]
    made = []
    for x in op.sample_inputs("cpu", dtype):
        t = x.input
        if isinstance(t, torch.Tensor) and (t.ndim >= 1 if layout is torch.sparse_coo else t.ndim == 2):
            t = torch.where(torch.arange(t.numel()).reshape(t.shape) % 3 == 0, t.detach(), torch.zeros_like(t))
            made.append((t.to_sparse(layout=layout), x.args, x.kwargs))
    return made


DTYPES = (torch.float64, torch.int64, torch.complex128)
OPS = [
    (op, layout)
    for op in op_db
    for layout, has in ((torch.sparse_coo, op.supports_sparse), (torch.sparse_csr, op.supports_sparse_csr))
    if has and not op.name.startswith("randn")
]


@pytest.mark.parametrize("op, layout", OPS, ids=lambda x: getattr(x, "name", str(x).rpartition(".")[2]))
def test_op_db(op, layout):
    expect("sparse", f"{op.name} {str(layout).rpartition('.')[2]}", lambda: compare_samples(op, layout))


def compare_samples(op, layout):
    f, compared = lucid, 0
    for part in ("Tensor.to_sparse" if op.name == "to_sparse" else op.name).split("."):
        f = getattr(f, part)
    for dtype in DTYPES:
        if dtype not in op.dtypes:
            continue
        for x, args, kwargs in sparse_samples(op, layout, dtype):
            wanted = outcome(lambda: op(x.clone(), *args, **kwargs))
            got = outcome(lambda: f(carried(x), *carried(args), **carried(kwargs)))
            text = f"{op.name} {dtype} {x} {args} {kwargs}"
            if isinstance(wanted, Exception):
                assert isinstance(got, Exception), text
                continue
            if isinstance(got, Exception):
                raise AssertionError(text) from got
            agree(got, wanted, text, flag=False, order=False)
            compared += 1
    assert compared, op.name


# ---- training


def embedding_run(m, optimizer, bag):
    """Losses and weights of a small model whose embedding has sparse gradients."""
    m.manual_seed(0)
    layer = m.nn.EmbeddingBag(10, 3, sparse=True, mode="sum") if bag else m.nn.Embedding(10, 3, sparse=True)
    layer.weight.data.copy_(m.arange(30.0).reshape(10, 3) / 30)
    opt = optimizer(m, layer.parameters())
    losses = []
    for step in range(4):
        opt.zero_grad()
        words = m.tensor([[1, 2, 1], [step, 4, 4]])
        loss = (layer(words).sum() - 1) ** 2
        loss.backward()
        assert layer.weight.grad.is_sparse
        opt.step()
        losses.append(loss.detach())
    return [m.stack(losses), layer.weight.detach()]


OPTIMIZERS = {
    "SparseAdam": lambda m, p: m.optim.SparseAdam(list(p), lr=0.1),
    "SGD": lambda m, p: m.optim.SGD(p, lr=0.1),
    "SGD momentum": lambda m, p: m.optim.SGD(p, lr=0.1, momentum=0.9),
    "Adagrad": lambda m, p: m.optim.Adagrad(p, lr=0.1),
    "Adam": lambda m, p: m.optim.Adam(p, lr=0.1),
    "RMSprop": lambda m, p: m.optim.RMSprop(p, lr=0.1),
    "maximize": lambda m, p: m.optim.SparseAdam(list(p), lr=0.1, maximize=True),
    "SGD decay": lambda m, p: m.optim.SGD(p, lr=0.1, weight_decay=0.1),
}


@pytest.mark.parametrize("bag", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizer(name, bag):
    wanted, got = (outcome(lambda m=m: embedding_run(m, OPTIMIZERS[name], bag)) for m in (torch, lucid))
    if isinstance(wanted, Exception):
        assert isinstance(got, Exception) and str(got) == str(wanted), f"{wanted!r} {got!r}"
        return
    if isinstance(got, Exception):
        raise AssertionError(name) from got
    agree(got, wanted, name)


def gcn(m, layout):
    """Two layers of a graph network with a normalised adjacency of an edge list, trained a little."""
    edges = m.tensor([[0, 1, 1, 2, 3, 4, 4, 0], [1, 0, 2, 1, 4, 3, 0, 4]])
    degree = m.zeros(5).index_add_(0, edges[0], m.ones(8))
    weight = degree[edges[0]].rsqrt() * degree[edges[1]].rsqrt()
    adjacency = m.sparse_coo_tensor(edges, weight, (5, 5)).coalesce()
    if layout == "csr":
        adjacency = adjacency.to_sparse_csr()
    x = m.arange(15.0).reshape(5, 3) / 15
    first = (m.arange(12.0).reshape(3, 4) / 12 - 0.5).requires_grad_()
    second = (m.arange(8.0).reshape(4, 2) / 8 - 0.5).requires_grad_()
    opt, losses = m.optim.Adam([first, second], lr=0.05), []
    for _ in range(5):
        opt.zero_grad()
        hidden = m.relu(m.sparse.mm(adjacency, x @ first))
        logits = m.spmm(adjacency, hidden @ second) if layout == "coo" else adjacency @ (hidden @ second)
        loss = m.nn.functional.cross_entropy(logits, m.tensor([0, 1, 0, 1, 1]))
        loss.backward()
        opt.step()
        losses.append(loss.detach())
    return [m.stack(losses), first.detach(), second.detach()]


@pytest.mark.parametrize("layout", ["coo", "csr"])
def test_graph_network(layout):
    agree(gcn(lucid, layout), gcn(torch, layout), layout)


# ---- files, and what is left


def test_files(tmp_path):
    for name in ("S", "C", "H", "R", "K"):
        torch.save(scope(torch)[name], tmp_path / "t")
        agree(lucid.load(tmp_path / "t"), scope(torch)[name], name)
        lucid.save(scope(lucid)[name], tmp_path / "l")
        agree(scope(lucid)[name], torch.load(tmp_path / "l"), name)


def test_state_dict(tmp_path):
    class Held(lucid.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("a", scope(lucid)["S"])

    one, two = Held(), Held()
    one.a = one.a * 2
    lucid.save(one.state_dict(), tmp_path / "x")
    two.load_state_dict(lucid.load(tmp_path / "x"))
    assert (dense(two.a) == dense(one.a)).all()


WRITES = (
    "mul_(2) neg_() zero_() add_(other) sub_(other) mul_(other) div_(2) copy_(other) sin_() relu_() floor_divide_(2)"
)


@pytest.mark.parametrize("how", ["detach()", "data"])
@pytest.mark.parametrize("name", ["S", "C", "R"])
@pytest.mark.parametrize("write", WRITES.split())
def test_writes_to_what_is_detached(write, name, how):
    """Some in-place forms write into the values, others give the tensor new ones."""

    def run(m):
        x = scope(m)[name]
        y = eval(f"x.{how}", {"x": x})
        eval(f"y.{write}", {"y": y, "other": x * 3})
        return [x.to_dense(), y.to_dense()]

    wanted, got = (outcome(lambda m=m: run(m)) for m in (torch, lucid))
    if isinstance(wanted, Exception):
        assert isinstance(got, Exception), got
        return
    agree(got, wanted, write)


class Sparse(lucid.utils.data.Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, i):
        return scope(lucid)["R" if i else "S"] * i


@pytest.mark.parametrize("workers", [0, 1])
def test_loader(workers):
    found = list(lucid.utils.data.DataLoader(Sparse(), batch_size=None, num_workers=workers))
    for i, t in enumerate(found):
        agree(t, scope(torch)["R" if i else "S"] * i)


class SpecialSpmm:
    """The function that pyGAT and its like declare: a sparse product with a gradient of their own."""

    def __init__(self, m):
        class F(m.autograd.Function):
            @staticmethod
            def forward(ctx, indices, values, shape, b):
                a = m.sparse_coo_tensor(indices, values, shape)
                ctx.save_for_backward(a, b)
                ctx.N = shape[0]
                return m.matmul(a, b)

            @staticmethod
            def backward(ctx, g):
                a, b = ctx.saved_tensors
                dense = g.matmul(b.t())
                edge = a._indices()[0, :] * ctx.N + a._indices()[1, :]
                return None, dense.view(-1)[edge], None, a.t().matmul(g)

        self.f, self.m = F, m

    def gradients(self):
        m = self.m
        values, b = m.arange(1.0, 4).requires_grad_(), m.ones(3, 2, requires_grad=True)
        y = self.f.apply(m.tensor([[0, 1, 1], [2, 0, 2]]), values, m.Size([3, 3]), b)
        total(m, y).backward()
        return [y.detach(), values.grad, b.grad]


def test_function_with_a_sparse_tensor():
    agree(SpecialSpmm(lucid).gradients(), SpecialSpmm(torch).gradients())


@pytest.mark.parametrize("name", ["sparse_bsr_tensor", "sparse_bsc_tensor"])
def test_blocks_say_who_they_are(name):
    with pytest.raises(NotImplementedError, match=name[:10]):
        getattr(lucid, name)([0, 1], [0], lucid.ones(1, 2, 2))
    with pytest.raises(NotImplementedError, match=name[:10]):
        getattr(lucid.ones(2, 2), "to_" + name[:10])((1, 1))
    with pytest.raises(NotImplementedError, match="semi-structured"):
        lucid.sparse.to_sparse_semi_structured(lucid.ones(4, 4))


def test_check_sparse_tensor_invariants():
    check = lucid.sparse.check_sparse_tensor_invariants
    assert not check.is_enabled()
    with check():
        assert check.is_enabled()
        with pytest.raises(RuntimeError, match="found index 5"):
            lucid.sparse_coo_tensor([[5]], [1.0], (2,))
        with check(False):
            lucid.sparse_coo_tensor([[5]], [1.0], (2,))
    assert not check.is_enabled()


@pytest.mark.parametrize("masked", [False, True])
def test_gradcheck(masked):
    gradcheck = lucid.sparse.as_sparse_gradcheck(lucid.autograd.gradcheck)
    given = scope(lucid)
    coo, csr = (given[n].double().requires_grad_() for n in ("C", "R"))
    w = given["W"].double().requires_grad_()
    assert gradcheck(lambda x: x.to_dense(masked_grad=masked), coo, masked=masked)
    assert gradcheck(lambda x: (x * 2).to_dense(masked_grad=masked), csr, masked=masked)
    if masked:
        assert gradcheck(lucid.sparse.mm, (coo, w), masked=True)
        assert gradcheck(lambda x: lucid.sparse.softmax(x, 1), coo, masked=True)
        assert gradcheck(lambda x: lucid.sparse.sum(x, 0), coo, masked=True)
        assert lucid.autograd.gradgradcheck(
            lambda v, w: lucid.sparse.mm(lucid.sparse_coo_tensor(coo.indices(), v, (2, 3)), w),
            (coo.detach().values().requires_grad_(), w),
        )
