"""torch.compile is right for whatever comes next: floats that change, and objects from outside that are what is in them."""

import collections
import datetime
import decimal
import fractions
import math

import numpy as np
import pytest

import lucid

NAMES = {"torch": lucid, "math": math, "fractions": fractions, "np": np}


@pytest.fixture(autouse=True)
def fresh():
    lucid._dynamo.reset()


# Where the reader must notice that a number was looked at, by Python or by a function in C, to whatever depth.
LOOKS = """x * s if isinstance(s, float) else x|x if s else x + 1|x, 1 / s if s else 0|x + 1, [s, 1.5] == [1.5, 1.5]
x + 1, sorted([s, 1.0])|x + 1, {s: 1}[s]|x + 1, s in (1.5, 2.5)|x + 1, math.floor(s)|torch.arange(0, s + 1)
x + 1, s * 1j|x + 1, len({s, 1.5})|x + 1, (s, 2) < (1.5, 3)|x if s * 2 + 1 > 3 else x + 1|x * max(s, 2)
x + 1, min([s, 1.0], key=lambda v: -v)|x + 1, s // 1, s ** 2|torch.linspace(0, s, 3)|x + 1, math.copysign(2, s)
x + 1, {"a": [(s,)]} == {"a": [(1.5,)]}|x + 1, s.is_integer(), int(s * 2), hash(s) == hash(1.5)|x + 1, s + fractions.Fraction(1, 2)
x + 1, [1, 2, 3][: int(s)]|x + 1, str(s), f"{s:.1f}"|x + 1, divmod(s, 0.5)|x + 1, complex(s, 1)|x + 1, s is None, not s""".replace(
    "\n", "|"
).split("|")


@pytest.mark.parametrize("text", LOOKS)
def test_looks_at_floats(text):
    """What a compiled function gives is right for every float, whichever came before."""
    f = eval(f"lambda x, s: ({text})", NAMES)
    compiled = lucid.compile(f, backend="eager")
    with lucid._dynamo.config.patch(recompile_limit=100):
        for s in (0.5, 1.5, 2.5, 3.25, 1.0, -1.0, 0.0, -0.0, 1.5, 7.5):
            wanted, got = f(lucid.ones(3), s), compiled(lucid.ones(3), s)
            assert repr(got) == repr(wanted), s


@pytest.mark.parametrize("text", ["x * s + 1", "x + 1, s * 2 - 1, -s", "torch.add(x, x, alpha=s)", "x * max(s, 1.0)"])
def test_floats_that_nobody_looks_at_are_read_once(text):
    read = []
    f = eval(f"lambda x, s: ({text})", NAMES)
    compiled = lucid.compile(f, backend=lambda gm, inputs: read.append(gm) or gm.forward)
    for s in (0.5, 1.5, *range(100)):
        assert repr(compiled(lucid.ones(3), s + 0.25)) == repr(f(lucid.ones(3), s + 0.25))
    assert len(read) == 2
    caches = lucid._dynamo.compiled.CACHES.values()
    told = [s for cache in caches for found in cache.by_place.values() for s in found if s.draft.module in read]
    assert told and not any("key" in s.text for s in told)


class L(list):
    pass


class D(dict):
    pass


class I(int):  # noqa: E742
    pass


class F(float):
    pass


class S(str):
    pass


class T(tuple):
    pass


class ST(set):
    pass


class E:
    """Equal by what is in it, with no __ne__ of its own."""

    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return self.v == getattr(other, "v", other)

    __hash__ = None


# Two objects of each kind: what was read with the one must not be taken for the other.
PAIRS = [
    (np.bool_(False), np.bool_(True)), (np.float32(1), np.float32(2)), (np.int64(1), np.int64(2)),
    (np.zeros(2), np.ones(3)), (decimal.Decimal(1), decimal.Decimal(2)), (I(1), I(2)), (F(1), F(2)),
    (datetime.timedelta(1), datetime.timedelta(2)), (fractions.Fraction(1), fractions.Fraction(2)),
    (L([1]), L([2, 3])), (D(a=1), D(b=2)), (S("a"), S("bc")), (T((1,)), T((2, 3))), (ST([1]), ST([2, 3])),
    (bytearray(b"a"), bytearray(b"bc")), (collections.Counter("a"), collections.Counter("ab")), (E(1), E(2)),
    (datetime.date(2020, 1, 1), datetime.date(2021, 1, 2)), (1 + 2j, 2 + 1j),
]  # fmt: skip
# What programs do with such an object `b`.
USES = """
x if b else -x|x, b == 1, b != 1|x, b == "a", b == [1], b == {"a": 1}|x, b < 2|x * len(b)|x, b in [1, 2.0, "bc"]|x, 1 in b
x, {1: "a", 2: "b", "a": 3}.get(b)|x, {1: "a", 2: "b", "bc": 4}[b]|x * b[0]|x, b + b|x * b|x, str(b)|x, f"{b}"|x * int(b)
x * float(b)|x, list(b)|x, sorted(b)|x * sum(b)|x, max(b, b)|x, max(b)|x, -b|x, abs(b)|x, not b|x, b and 3|x, [7, 8, 9][b]
x * len(range(b))|x, [1, 2].index(b)|x, [1, 2].count(b)|x, {b}|x, [v for v in b]|x, b["a"]|x, isinstance(b, (int, float))
x, (b, 1) == (1, 1)|x, [b] == [1]|x, {b: 2} == {1: 2}|x, [*b]|x.view(b)|x, any(b)|x, "-".join(b)|x, min(b, 1)|x, round(b)
x, hash(b)|x, list(zip(b, b))|x, bool(b)|x, divmod(b, b)|x, pow(b, b)|x, "%s" % (b,)|x, b.upper()|x, b.real|x, b[:1]
x, list(b.items())|x, [1, 2, 3][:b]|x, b.shape|torch.full((2,), b)|x, all([b, 1])|x, b"""


@pytest.mark.parametrize("text", USES.strip().replace("\n", "|").split("|"))
@pytest.mark.filterwarnings("ignore")
def test_values_from_outside(text):
    f = eval(f"lambda x, b: ({text})", NAMES)

    def given(function, b):
        try:
            return repr(function(lucid.ones(1), b))
        except Exception as error:
            return type(error).__name__

    for pair in PAIRS:
        lucid._dynamo.reset()
        compiled = lucid.compile(f, backend="eager")
        for b in (*pair, pair[0]):
            assert given(compiled, b) == given(f, b), (text, b)


ARRAYS = """
torch.from_numpy(np.sin(x.numpy()) * 2 + x.numpy())|np.sum(x.numpy()), x.numpy().mean(), x.numpy().shape, x.numpy().dtype
(x.numpy() * 2).sum() + 1|x + float(np.max(x.numpy()))|isinstance(x.numpy(), np.ndarray), len(x.numpy()), type(x.numpy())
x.numpy()|[x.numpy(), np.exp(x.numpy())]|x.numpy()[0] + x|(x.numpy() == x.numpy()).all(), bool((x.numpy() > 1).all())
x * x.numpy().sum()|x.numpy().sum(axis=0), np.mean(x.numpy(), keepdims=True)|np.divide(x.numpy(), 0)|x.numpy().tolist()
x.long().numpy() / 2, np.sqrt(x.long().numpy()), x.long().numpy().sum(), (x > 1).numpy().sum()|x.numpy() in [1]|str(x.numpy())
np.add(x.numpy(), x.numpy(), out=x.numpy()), x|x.numpy().var(axis=0, ddof=1)|x.numpy() ** 2, x.numpy() @ x.numpy()
torch.as_tensor(x.numpy()) + torch.tensor(x.numpy() * 2)|2 - x.numpy(), -x.numpy(), abs(x.numpy())|[v for v in x.numpy()]
{"a": x.numpy()}, x.numpy().sum() > 1|(x + 1).sum().numpy()|x.half().numpy() + 1|x.bfloat16().float().numpy()|x.numpy().T
np.maximum(x.numpy(), 2), np.power(x.numpy(), 2), np.std(x.numpy())|(x.numpy(), x.add_(1))[0]|x[::2].numpy().sum(), x[0].numpy()"""


@pytest.mark.parametrize("text", ARRAYS.strip().replace("\n", "|").split("|"))
@pytest.mark.filterwarnings("ignore")
def test_numpy_in_graphs(text):
    """Types and values are numpy's own."""
    f = eval(f"lambda x: ({text})", NAMES)

    def given(function, x):
        try:
            found = function(x)
            return type(found), repr(found), repr(x)
        except Exception as error:
            return type(error), str(error)

    compiled = lucid.compile(f, backend="eager")
    for n in (3, 3, 5, 4, 1):
        assert given(compiled, lucid.arange(1.0, n + 1)) == given(f, lucid.arange(1.0, n + 1))


@pytest.mark.parametrize("keep", [True, False])
def test_numpy_array_shares_memory(keep):
    def f(x):
        n = x.numpy()
        return (n, x) if keep else (n * 1, x)

    x = lucid.ones(3)
    n, _ = lucid.compile(f, backend="eager")(x)
    n[0] = 5
    assert (x[0].item() == 5) is keep


class _Named(dict):
    """A dictionary that keeps its values under the text of their keys."""

    def get(self, key):
        return super().get(str(key)) or 7

    def keys(self):
        return super().keys()


def test_a_method_behind_super_after_a_break():
    table = _Named({"1": 2})

    def f(x):
        lucid._dynamo.graph_break()
        return x * table.get(1) + table.get(3), list(table.keys())

    found, keys = lucid.compile(f, backend="eager")(lucid.ones(2))
    assert found.tolist() == [9, 9] and keys == ["1"]
