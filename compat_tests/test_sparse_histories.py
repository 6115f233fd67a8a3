"""Random histories of sparse tensors: construction, coalesce, arithmetic, transposes, products, sums, dense forms, writes,
and gradients through all of it, on torch and on lucid.

A hundred and fifty run here, five thousand with `--all`; LUCID_SPARSE_HISTORIES=20000 runs that many. Two of torch's own faults are left out: the
gradient of softmax along a negative dimension, and that of sparse_mask by a mask that names a place twice.
"""

import os
import warnings

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sparse_cases import agree, dense, kind_of, layout_of

import lucid

WANTED = int(os.environ.get("LUCID_SPARSE_HISTORIES", "150"))

# name of a program -> (its text, of `x` and perhaps `y`, `n`, `w`; the layout it is for)
STEPS = {
    "coo": """x.coalesce() | x * n | x / n | -x | x ** 2 | x.t() | x.transpose(0, 1) | x.permute(1, 0) | x.permute(1, 2, 0)
        x.to_dense() | x.coalesce().values() | x.clone() | x.detach() | x.double() | x.abs() | x.relu() | x.sign()
        x.sin() | x.log1p() | x.sum() | m.sparse.sum(x) | m.sparse.sum(x, 0) | m.sparse.sum(x, -1) | x.sum(0)
        m.sparse.sum(x, (0, 1)) | m.sparse.softmax(x, 0) | m.sparse.softmax(x, 1) | m.sparse.log_softmax(x, 0)
        x.to_sparse_csr() | x.to_sparse_csc() | x.unsqueeze(0) | x[0] | x.select(-1, 0) | x @ w | m.sparse.mm(x, w)
        x.mv(w[:, 0]) | m.addmm(w[:1], x, w, beta=n) | m.sparse.addmm(w[:1], x, w, alpha=n) | x.to_dense() @ w
        x.index_select(0, m.tensor([0, 0])) | x.index_select(-1, m.tensor([0])) | m.stack([x, x]) | m.cat([x, x], 0)
        m.cat([x, x * n], -1) | x.coalesce().indices() | x.narrow_copy(0, 0, 1) | x.any() | x.norm() | x.is_coalesced()
        x.detach().clone().mul_(n) | x.detach().clone().neg_() | x.detach().clone().zero_() | x.sparse_mask(x.detach().coalesce())
        x * x.to_dense() | x.to_dense().sparse_mask(x.detach().coalesce()) | m.zeros_like(x) | x.to_dense().to_sparse()""",
    "csr": """x * n | -x | x.t() | x.to_dense() | x.to_sparse() | x.values() | x.clone() | x.detach() | x.double() | x.abs()
        x.sin() | x.sum() | x.sum(0, keepdim=True) | x.sum(1, keepdim=True) | x @ w | m.sparse.mm(x, w)
        m.sparse.mm(x, w, "mean") | m.sparse.mm(x, w, "sum") | m.sparse.addmm(w[:1], x, w, alpha=n) | x.mv(w[:, 0])
        x * x.to_dense() | m.zeros_like(x) | x.col_indices() | x[0] | m.sparse.sampled_addmm(x, w[:1].expand(x.shape[0], 2), w.t())""",
    "dense": """x.to_sparse() | x.to_sparse(1) | x.to_sparse_csr() | x * n | x.sum(0) | x.t() | x + n | x.relu()""",
}
PAIRS = {
    "coo": """x + y | x - y | x * y | x @ y.t() | m.sparse.mm(x, y.t()) | m.add(x, y, alpha=n) | y.to_dense() + x
        x.detach().clone().add_(y.detach()) | y.to_dense() * x | m.cat([x, y]) | m.stack([x, y]) | x.sparse_mask(y.detach().coalesce())
        y.to_dense().add_(x)""",
    "csr": "x + y | x * y | y.to_dense() + x | (x @ y.t().to_sparse_csr()).to_dense() | y.to_dense() * x",
    "dense": "x + y | x * y | m.embedding(x, m.tensor([0, 0]), sparse=True)",
}


def programs(text):
    return [p.strip() for line in text.splitlines() for p in line.split("|") if p.strip()]


STEPS = {kind: programs(text) for kind, text in STEPS.items()}
PAIRS = {kind: programs(text) for kind, text in PAIRS.items()}


@st.composite
def starts(draw):
    """The text of a new tensor: (text, does it want a gradient?)."""
    kind, rows, columns = draw(st.sampled_from("ccccrd")), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    numbers = st.integers(-4, 4).map(lambda n: n / 2)
    if kind == "d":
        values = [[draw(numbers) for _ in range(columns)] for _ in range(rows)]
        return f"m.tensor({values}, dtype=m.float64)", draw(st.booleans())
    tail = draw(st.sampled_from([(), (), (), (2,)])) if kind == "c" else ()
    count = draw(st.integers(0, 5))
    places = [[draw(st.integers(0, size - 1)) for _ in range(count)] for size in (rows, columns)]
    values = [[draw(numbers) for _ in range(2)] if tail else draw(numbers) for _ in range(count)]
    shape = (rows, columns, *tail)
    text = (
        f"m.sparse_coo_tensor(m.tensor({places}, dtype=m.int64).reshape(2, {count}), "
        f"m.tensor({values}, dtype=m.float64).reshape({(count, *tail)}), {shape})"
    )
    if kind == "r" or draw(st.booleans()):
        text += ".coalesce()"
    return text + (".to_sparse_csr()" if kind == "r" else ""), draw(st.booleans())


@st.composite
def histories(draw):
    made = draw(st.lists(starts(), min_size=2, max_size=3))
    choices = st.tuples(
        st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from([2, 0.5, -1])
    )
    return made, draw(st.lists(choices, min_size=1, max_size=8))


class Play:
    """One library's side of a history."""

    def __init__(self, m):
        self.m, self.tensors, self.leaves = m, [], []

    def start(self, text, need):
        t = eval(text, {"m": self.m})
        self.tensors.append(t)
        if need:
            self.leaves.append(t.requires_grad_())

    def step(self, text, i, j, n):
        x, y = self.tensors[i], self.tensors[j]
        w = self.m.arange(2.0 * x.shape[-1], dtype=self.m.float64).reshape(-1, 2) / 4 if x.dim() else None
        return eval(text, {"m": self.m, "x": x, "y": y, "n": n, "w": w})

    def gradients(self):
        """Of a number that depends on all that was made."""
        total = 0
        for t in self.tensors:
            if t.requires_grad and not any(t is leaf for leaf in self.leaves):
                flat = t.to_dense() if layout_of(t) != "strided" else t
                weights = self.m.arange(1.0, flat.numel() + 1, dtype=flat.dtype).reshape(flat.shape)
                total = total + (flat * weights).sum()
        if not isinstance(total, int):
            total.backward()
        return [leaf.grad for leaf in self.leaves]


def kind(t):
    return {"sparse_coo": "coo", "sparse_csr": "csr", "strided": "dense"}.get(layout_of(t))


def tried(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f()
        except Exception as error:
            return error


def run(made, choices):
    there, here, lines = Play(torch), Play(lucid), []
    for text, need in made:
        lines.append(f"t{len(there.tensors)} = {text}" + (".requires_grad_()" if need else ""))
        tried(lambda: there.start(text, need))
        here.start(text, need)
    for a, b, c, n in choices:
        i = a % len(there.tensors)
        x = there.tensors[i]
        if kind(x) is None:
            continue
        alike = [j for j, y in enumerate(there.tensors) if y.shape == x.shape and kind(y) == kind(x)]
        j = alike[b % len(alike)]
        known = STEPS[kind(x)] + 2 * PAIRS[kind(x)]
        text = known[c % len(known)]
        lines.append(f"t{len(there.tensors)} = {text}  # x = t{i}, y = t{j}, n = {n}")
        wanted, got = (tried(lambda p=p: p.step(text, i, j, n)) for p in (there, here))
        story = "\n".join(lines)
        if isinstance(wanted, Exception):
            lines[-1] = "# refused: " + lines[-1]
            if isinstance(got, Exception):
                assert kind_of(got) in (kind_of(wanted), "RuntimeError", "NotImplementedError", "IndexError"), (
                    f"{story}\n{wanted!r}\n{got!r}"
                )
            continue
        if isinstance(got, Exception):
            raise AssertionError(f"{story}\n{got!r}") from got
        agree(got, wanted, story)
        if isinstance(wanted, torch.Tensor):
            there.tensors.append(wanted)
            here.tensors.append(got)
    compare_gradients(there, here, "\n".join(lines))


def compare_gradients(there, here, story):
    wanted, got = tried(there.gradients), tried(here.gradients)
    if isinstance(wanted, Exception):
        return
    if isinstance(got, Exception):
        raise AssertionError(f"{story}\nbackward: {got!r}") from got
    for a, b in zip(got, wanted):
        assert (a is None) == (b is None), story
        if a is not None:
            assert layout_of(a) == layout_of(b), f"{story}\nthe gradient is {a.layout}, torch's {b.layout}"
            agree(a, b, f"{story}\n{dense(a)}\n{dense(b)}", flag=False, order=False)


@pytest.mark.filterwarnings("ignore:Sparse:UserWarning")
def test_sparse_histories(examples):
    @settings(
        max_examples=examples.some(WANTED, max(WANTED, 5000)),
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(histories())
    def play(history):
        run(*history)

    play()
