"""Compiled graphs on disk: what another process finds, what must not be found, and what becomes of spoilt entries."""

import contextlib
import importlib
import io
import json
import os
import random
import warnings
from types import SimpleNamespace

import pytest
from both import agree, outcome
from compile_programs import PROGRAMS, _calls
from declaring import declaring
from native_processes import run

import lucid
from lucid._backend.registry import NAMESPACES, _origin
from lucid._codegen import build, cache, store
from lucid._dynamo.utils import counters
from lucid._functorch import config as functorch_config
from lucid._functorch import told
from lucid._inductor import config, graph_cache, plain

for _theme in "basics control containers tensors modules functions numbers contexts corners".split():
    importlib.import_module(f"compile_{_theme}")

needs_compiler = pytest.mark.skipif(build.compiler() is None, reason="there is no C compiler here")


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """A cache of its own for one test."""
    monkeypatch.setenv("LUCID_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_own", {})
    lucid._dynamo.reset()
    yield tmp_path / "cache"
    lucid._dynamo.reset()


def counted(kind):
    """(hits, misses, bypasses)"""
    found = counters["aot_autograd" if kind == "autograd" else "inductor"]
    return tuple(found[f"{kind}_cache_{event}"] for event in ("hit", "miss", "bypass"))


def anew(f, *args, **how):
    """What a function gives that Dynamo reads anew."""
    lucid._dynamo.reset()
    return lucid.compile(f, **how)(*args)


def near(got, wanted):
    """The same tensors, but for roundings."""
    if isinstance(wanted, tuple):
        return len(got) == len(wanted) and all(map(near, got, wanted))
    return got.dtype is wanted.dtype and lucid.allclose(got, wanted, rtol=1e-6, equal_nan=True)


# ---- another process

STEP = """
import sys
import lucid, numpy as np
from lucid._dynamo.utils import counters
lucid.manual_seed(0)
class Model(lucid.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = lucid.nn.Linear(20, 30), lucid.nn.LayerNorm(30), lucid.nn.Linear(30, 5)
        self.register_buffer("seen", lucid.zeros(()))
    def forward(self, x, y):
        self.seen += 1
        x = lucid.nn.functional.gelu(self.norm(self.first(x)))
        x = lucid.nn.functional.dropout(x, 0.25)
        return lucid.nn.functional.cross_entropy(self.last(x), y) + float("inf") * 0.0 ** 2 * 0
model, x, y = Model(), lucid.randn(16, 20), lucid.arange(16) % 5
if len(sys.argv) > 1 or MUST_HIT:
    from lucid._codegen import build
    from lucid._functorch import aot_autograd, joint
    from lucid._inductor import compile_fx
    def refuse(*args, **kwargs):
        raise AssertionError("done again")
    aot_autograd.traced = compile_fx.Lowered = build._Compilation = refuse
step = lucid.compile(model)
for _ in range(2):
    loss = step(x, y)
    loss.backward()
@lucid.compile
def update(p, g):
    p.sub_(g * 0.1)
    return p.view(-1)[:3], p.mean(dtype=lucid.float64), {"three": 3}
with lucid.no_grad():
    more = update(model.first.weight, model.first.weight.grad)
print(loss.item().hex(), model.seen.item(), *[p.grad.double().sum().item().hex() for p in model.parameters()])
print([m.tolist() if hasattr(m, "tolist") else m for m in more], model.first.weight.double().sum().item().hex())
"""


@needs_compiler
def test_another_process_compiles_nothing(fresh):
    """It neither traces below autograd nor lowers nor compiles, and gives the same bits."""
    first = run(STEP.replace("MUST_HIT", "False"))
    assert first.returncode == 0, first.stderr
    second = run(STEP.replace("MUST_HIT", "True"))
    assert second.returncode == 0, second.stderr
    assert second.stdout == first.stdout
    assert os.stat(fresh).st_mode & 0o777 == os.stat(fresh / "store").st_mode & 0o777 == 0o700


# ---- programs that share a cache


def ran(name):
    maker, calls = PROGRAMS[name]
    lucid._dynamo.reset()

    def calling(m):
        random.seed(0)
        plainly = maker(m)
        return list(_calls(m.compile(plainly), plainly, calls, m))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return outcome(calling, lucid, may_raise=True)


@needs_compiler
def test_programs_find_their_own_graphs_only(fresh, monkeypatch):
    """One cache for many programs; each twice, so that the second time all of it comes from there."""
    monkeypatch.setattr("sys.stdout", io.StringIO())
    hits = 0
    for name in list(PROGRAMS)[::5]:
        with config.patch(force_disable_caches=True):
            wanted = ran(name)
        cold = ran(name)
        before = counted("autograd")[0] + counted("fxgraph")[0]
        warm = ran(name)
        hits += counted("autograd")[0] + counted("fxgraph")[0] - before
        agree(cold, wanted, name)
        agree(warm, wanted, name)
    assert hits > 50


# ---- what names an entry


def name_of(f, *args):
    """The name under which the graph of a function is kept."""
    found = []

    def backend(module, inputs):
        found.append(graph_cache.name("test", lambda: [graph_cache.graph(module), [*map(plain.facts, inputs)]]))
        return module.forward

    anew(f, *args, backend=backend)
    return found[0]


X = lucid.arange(6.0).reshape(2, 3)
DIFFERENT = [
    (lambda x: x * 2, X),
    (lambda x: x * 2.0, X),
    (lambda x: x * True, X),
    (lambda x: x * 0.0, X),
    (lambda x: x * -0.0, X),
    (lambda x: x * float("nan"), X),
    (lambda x: x * 2j, X),
    (lambda x: x + 2, X),
    (lambda x: 2 - x, X),
    (lambda x: x - 2, X),
    (lambda x: x.mul(2), X),
    (lambda x: (x * 2, x + 1), X),
    (lambda x: x * x, X),
    (lambda x: x.sum(0), X),
    (lambda x: x.sum((0,)), X),
    (lambda x: x.sum(1), X),
    (lambda x: x.to(lucid.float64), X),
    (lambda x: x.to(lucid.int64), X),
    (lambda x: x[:, 1:], X),
    (lambda x: x[..., 1:], X),
    (lambda x: x * 2, X.double()),
    (lambda x: x * 2, X.t()),
    (lambda x: x * 2, X.reshape(3, 2)),
    (lambda x: x * 2, X[:, :2]),
    (lambda x: x * 2, X[:, 1:]),
]


def test_graphs_that_differ_have_names_of_their_own():
    names = [name_of(f, x) for f, x in DIFFERENT]
    assert None not in names
    same = [(i, j) for i, a in enumerate(names) for j, b in enumerate(names[:i]) if a == b]
    assert not same
    assert names == [name_of(f, x) for f, x in DIFFERENT]


CIRCUMSTANCES = {
    "default dtype": lambda patch: patch.setattr(graph_cache.defaults, "dtype", lucid.float64),
    "default device": lambda patch: patch.setattr(graph_cache.defaults, "device", lucid.device("meta")),
    "deterministic": lambda patch: patch.setattr(graph_cache.switches, "deterministic", True),
    "a setting": config.patch(max_autotune=True),
    "a setting of a group": config.patch({"triton.cudagraphs": True}),
    "files": lambda patch: patch.setattr(graph_cache, "_files", lambda: "others"),
    "numpy": lambda patch: patch.setattr("numpy.__version__", "9.9"),
    "Python": lambda patch: patch.setattr("sys.version", "4.0"),
    "compiler": lambda patch: patch.setattr(build, "identity", lambda: "another one"),
    "no gradients": lambda patch: patch.setattr(graph_cache.local, "grad", False),
}


@contextlib.contextmanager
def under(change):
    """A context of settings, or a function that patches."""
    if hasattr(change, "__enter__"):
        with change:
            yield
        return
    with pytest.MonkeyPatch.context() as patch:
        change(patch)
        yield


@pytest.mark.parametrize("circumstance", CIRCUMSTANCES)
def test_what_else_decides(circumstance):
    name = lambda: graph_cache.name("test", lambda: [1])  # noqa: E731
    graph_cache._machine.cache_clear()
    before = name()
    graph_cache._machine.cache_clear()
    assert name() == before
    with under(CIRCUMSTANCES[circumstance]):
        graph_cache._machine.cache_clear()
        other = name()
    graph_cache._machine.cache_clear()
    assert other is not None
    assert other != before
    assert name() == before


def test_autocast_decides():
    name = lambda: graph_cache.name("test", lambda: [1])  # noqa: E731
    before = name()
    with lucid.autocast("cpu", dtype=lucid.bfloat16):
        half = name()
        with lucid.autocast("cpu", dtype=lucid.float16):
            assert len({before, half, name()}) == 3
    assert name() == before


OFF = {
    "setting": config.patch(fx_graph_cache=False),
    "setting of all": config.patch(force_disable_caches=True),
    "debugging": config.patch({"trace.enabled": True}),
    "a page": lambda patch: patch.setattr(told, "WATCHERS", [print]),
    "logs": lambda patch: patch.setattr(told, "wanted", {"aot_graphs"}),
    "a lowering of one's own": lambda patch: patch.setitem(graph_cache.LOWERINGS, "exp", lambda x: x),
    "a pass of one's own": config.patch(post_grad_custom_pre_pass=lambda graph: None),
}


@pytest.mark.parametrize("why", OFF)
def test_when_nothing_is_kept(why):
    with under(OFF[why]):
        assert graph_cache.name("test", lambda: [1]) is None
    assert graph_cache.name("test", lambda: [1]) is not None


METHODS = [n for n in dir(lucid.Tensor) if not n.startswith("_") and callable(getattr(lucid.Tensor, n))]


def double(x):
    return x * 2


lucid.fx.wrap("double")


def own_op():
    from lucid._backend.core import unary_func_op
    from lucid._backend.families import Pointwise

    class kept_nowhere(Pointwise):
        """kept_nowhere(input) -> Tensor"""

        @unary_func_op()
        def forward(xp, input):
            return input * 3.0

        def grad_input(xp, g):
            return g * 3.0

    return lucid.kept_nowhere


class Doubled(lucid.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


def test_what_a_program_declares_is_not_kept(fresh):
    """Under the same name another process may have something else."""
    with declaring():
        _is_not_kept(fresh, own_op())


def _is_not_kept(fresh, op):
    allowed = lucid._dynamo.allow_in_graph(double)
    for f in (op, lambda x: x.kept_nowhere(), Doubled.apply, lambda x: allowed(x) + 1):
        x = X.clone().requires_grad_()
        before = counted("autograd")
        assert near(anew(lambda x, f=f: f(x) + 1, x), f(x) + 1)
        assert counted("autograd")[0] == before[0] == 0, f
    names = [name for place, _, files in os.walk(fresh) for name in files if place.endswith("store")]
    for name in names:
        assert b"kept_nowhere" not in cache.read_file(fresh / "store" / name)


def is_of_a_test(f):
    """Was it declared by some test of this process?"""
    return (_origin(f)[0] or "lucid").partition(".")[0] not in ("lucid", "torch")


def test_functions_of_the_library_have_names():
    """Those of torch's modules, and methods of Tensor."""
    modules = [lucid, lucid.nn.functional, lucid.linalg, lucid.fft, lucid.special]
    places = [(m, name) for m in modules for name in NAMESPACES[m.__name__[6:] or "torch"] if hasattr(m, name)]
    functions = {getattr(m, name): f"{m.__name__}.{name}" for m, name in places}
    functions = {f: where for f, where in functions.items() if not is_of_a_test(f)}
    names = {}
    for f, where in functions.items():
        node = SimpleNamespace(op="call_function", target=f)
        names.setdefault(plain.target_name(node), []).append(where)
    assert [found for found in names.values() if len(found) > 1] == []
    assert len(names) > 800
    for name in [n for n in METHODS if not is_of_a_test(getattr(lucid.Tensor, n))]:
        node = SimpleNamespace(op="call_method", target=name)
        assert plain.target_name(node) == name


def test_values_as_data():
    values = [
        None, True, 1, -7, 1 << 70, 0.5, -0.0, float("inf"), 1j, "text", (), (1,), [1, (2, [3.0])], {"a": (1, 2), 3: None},
        slice(1, None, (2,)), ..., lucid.float32, lucid.bool, lucid.device("cpu"), lucid.Size([2, 3]), lucid.strided,
        lucid.channels_last, lucid.preserve_format, lucid.ops.aten.add.Tensor, lucid.ops.aten.relu.default,
    ]  # fmt: skip
    for x in values:
        back = plain.value(json.loads(json.dumps(plain.plain(x))))
        assert (type(back), repr(back)) == (type(x), repr(x))
    for x in (object(), lambda: 0, lucid.Generator(), X, type):
        with pytest.raises(plain.NotPlain):
            plain.plain(x)


# ---- spoilt entries


def entries(directory):
    return sorted(os.path.join(directory, "store", name) for name in os.listdir(directory / "store"))


@needs_compiler
@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "exchanged", "no text", "other data", "removed"])
def test_spoilt_entries_are_made_again(fresh, damage):
    f = lambda x: lucid.softmax(x * 3, -1).square().sum()  # noqa: E731

    def step():
        x = X.clone().requires_grad_()
        y = anew(f, x)
        y.backward()
        return y, x.grad

    first = step()
    before = entries(fresh)
    contents = [cache.read_file(path) for path in before]
    assert len(before) == 3  # both halves, and what AOTAutograd made
    for i, path in enumerate(before):
        content = {
            "empty": b"",
            "cut": contents[i][:-20],
            "changed": contents[i].replace(b"kernel", b"colonel"),
            "exchanged": contents[i - 1],
        }.get(damage, b"")
        if damage in ("no text", "other data"):
            continue
        with open(path, "wb") as file:
            file.write(content)
        if damage == "removed":
            os.unlink(path)
    if damage in ("no text", "other data"):
        get = store.get
        store.get = lambda key: b"\xff{" if damage == "no text" else b'{"plan": 3, "halves": [{}, null]}'
        try:
            assert near(step(), first)
        finally:
            store.get = get
    else:
        assert near(step(), first)
    hits = counted("autograd")[0]
    assert near(step(), first)
    assert entries(fresh) == before
    assert [cache.read_file(path) for path in before] == contents
    assert counted("autograd")[0] == 1 - hits


@needs_compiler
def test_a_library_that_is_gone_is_compiled_again(fresh):
    first = anew(lambda x: (x * 3).exp().sum(), X)
    for name in os.listdir(fresh):
        if name.endswith((".so", ".sum")):
            os.unlink(fresh / name)
    from lucid._codegen import extension

    extension._load.cache_clear()
    assert near(anew(lambda x: (x * 3).exp().sum(), X), first)
    assert counted("autograd") == (1, 0, 0)


@needs_compiler
def test_a_store_that_others_may_write_to_is_not_read(fresh):
    f = lambda x: (x * 5).exp().sum()  # noqa: E731
    first = anew(f, X)
    (fresh / "store").chmod(0o777)
    with pytest.warns(UserWarning, match="chmod 700"):
        assert near(anew(f, X), first)
    assert counted("autograd")[0] == 0


@needs_compiler
def test_only_traced_graphs_without_their_cache(fresh):
    for _ in range(2):
        with functorch_config.patch(enable_autograd_cache=False):
            found = anew(lambda x: (x * 7).exp().sum(), X)
    assert near(found, (X * 7).exp().sum())
    assert counted("fxgraph") == (1, 0, 0)
    assert counted("autograd") == (0, 0, 1)


def test_fresh_cache():
    from lucid._inductor.utils import fresh_cache

    before, found = os.environ.get("LUCID_CACHE"), {}
    with fresh_cache(found):
        inside = os.environ["LUCID_CACHE"]
        anew(lambda x: x * 9 + 1, X)
        assert cache.cache_directory() == inside
    assert found
    assert not os.path.exists(inside)
    assert os.environ.get("LUCID_CACHE") == before


@needs_compiler
def test_decompositions_decide(fresh, monkeypatch):
    """What is taken apart otherwise is another graph; by a function of the program's own, none that is kept."""
    from lucid._inductor import compile_fx

    f, aten = (lambda x: lucid.nn.functional.silu(x) * 3), lucid.ops.aten
    assert near(anew(f, X), f(X))
    table = lucid._decomp.get_decompositions([aten.silu])
    assert table
    monkeypatch.setattr(compile_fx, "select_decomp_table", lambda: table)
    assert near(anew(f, X), f(X))
    assert counted("autograd") == (0, 1, 0)
    assert near(anew(f, X), f(X))
    assert counted("autograd") == (1, 0, 0)
    monkeypatch.setattr(compile_fx, "select_decomp_table", lambda: {aten.silu.default: lambda x: x * 0})
    assert near(anew(f, X), X * 0)
    assert counted("autograd") == (0, 0, 1)


@needs_compiler
def test_clear(fresh):
    from lucid._inductor.codecache import FxGraphCache, cache_dir

    anew(lambda x: x * 11 + 1, X)
    assert cache_dir() == str(fresh)
    assert entries(fresh)
    FxGraphCache.clear()
    assert entries(fresh) == []
    anew(lambda x: x * 11 + 1, X)
    assert counted("autograd")[:2] == (0, 1)
