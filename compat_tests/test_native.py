"""The machine room of native kernels: vector mathematics, the pool of threads, extension modules."""

import os
import threading
import time

import numpy as np
import pytest
import torch
from native_processes import in_child

from lucid._codegen import build, extension, mathematics, pool

needs_compiler = pytest.mark.skipif(build.compiler() is None, reason="there is no C compiler here")
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, 2, 8, 10, 1e-45, -1e-45, 1e-39, 1.1754944e-38, 88.7]
SPECIAL += [89, -87.3, -88, -103, -104, 3e38, -3e38, 0.93, 0.55, 9.5, -18.5, 1e10, -1e10, 16777216.0, 1e-20, -1e-30]


# ---- mathematics


def kernels(dtype):
    """All functions of an element type as Python functions on arrays."""
    real, suffix = ("float", "f") if dtype == "float32" else ("double", "")
    text, names = "", []
    for name in mathematics.FLOAT32 if dtype == "float32" else mathematics.FLOAT64:
        second = (f"const {real} *restrict y, ", ", y[i]") if name == "pow" else ("", "")
        text += mathematics.text(name, dtype) + (
            f"void k_{name}(const {real} *restrict x, {second[0]}{real} *restrict o, long n)\n"
            f"{{ for (long i = 0; i < n; i++) o[i] = lucid_{name}{suffix}(x[i]{second[1]}); }}\n"
        )
        names.append((f"k_{name}", 3 if name == "pow" else 2, 1))
    return extension.load(text, names)


def by_torch(name, *arrays):
    return getattr(torch, name)(*map(torch.from_numpy, arrays)).numpy()


def exact(name, x):
    """In double precision; sigmoid by a form that has no overflow."""
    x = x.astype(np.float64)
    if name == "sigmoid":
        e = np.exp(-abs(x))
        return np.where(x < 0, e, 1) / (1 + e)
    return by_torch(name, x)


def misses(got, expected, dtype):
    """(largest distance in units of the last place, places where another kind of number came out)."""
    tiny = np.finfo(dtype).tiny
    with np.errstate(all="ignore"):
        rounded = expected.astype(dtype)
        unit = np.spacing(np.maximum(abs(rounded), tiny)).astype(np.float64)
        off = abs(got.astype(np.float64) - expected) / unit
    finite = np.isfinite(got) & np.isfinite(rounded)
    kinds = [np.isnan(got) != np.isnan(rounded), np.isinf(got) != np.isinf(rounded)]
    kinds.append(~np.isnan(got) & (np.signbit(got) != np.signbit(rounded)))
    return off[finite].max(), np.logical_or.reduce(kinds)


@needs_compiler
@pytest.mark.parametrize("name", [n for n in mathematics.FLOAT32 if n != "pow"])
def test_floats_are_right_to_two_units(name):
    """A sample of all floats by their bits, of every kind and exponent, with the special ones."""
    x = np.arange(0, 1 << 32, 20011, dtype=np.uint64).astype(np.uint32).view(np.float32)
    x = np.concatenate([x, np.array(SPECIAL, np.float32), np.linspace(-3, 3, 20000, dtype=np.float32)])
    got = np.empty_like(x)
    getattr(kernels("float32"), f"k_{name}")(x, got, x.size)
    with np.errstate(all="ignore"):
        off, wrong = misses(got, exact(name, x), np.float32)
    assert not wrong.any(), (x[wrong][:5], got[wrong][:5])
    assert off <= (4.0 if name == "erf" else 2.0)


@needs_compiler
@pytest.mark.parametrize("name", mathematics.FLOAT32)
def test_special_floats_are_torchs(name):
    """The same infinities, NaN, zeros with their signs, and denormals."""
    x = np.array(SPECIAL, np.float32)
    arrays = (x,) if name != "pow" else tuple(a.ravel() for a in np.meshgrid(x, np.append(x, [3, -3, 2.5])))
    arrays = [np.ascontiguousarray(a, np.float32) for a in arrays]
    got, theirs = np.empty_like(arrays[0]), by_torch(name, *arrays)
    getattr(kernels("float32"), f"k_{name}")(*arrays, got, got.size)
    if name in (
        "sigmoid",
        "sinh",
        "cosh",
    ):  # torch's lose what is below the smallest normal float, and above exp's range
        with np.errstate(over="ignore"):
            theirs = exact(name, arrays[0]).astype(np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(got, theirs, rtol=1e-6, atol=2e-45)
    # torch's vector functions give +0 for tan(-0) in some builds and so on: zeros are held against C99 by `misses`
    nonzero = (theirs != 0) & ~np.isnan(theirs)
    assert (np.signbit(got) == np.signbit(theirs))[nonzero].all()


@needs_compiler
@pytest.mark.parametrize("name", mathematics.FLOAT64)
def test_doubles(name):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-750, 750, 20000), rng.uniform(-7, 7, 20000), rng.uniform(-1, 1, 20000)])
    x = np.concatenate([x, np.exp(rng.uniform(-740, 0, 5000)), SPECIAL, [5e-324, 1e308, -1e308, 709.7, -745.2]])
    got, long = np.empty_like(x), np.longdouble(x)
    getattr(kernels("float64"), f"k_{name}")(x, got, x.size)
    with np.errstate(all="ignore"):
        theirs = {
            "rsqrt": lambda: 1 / np.sqrt(long),
            "sigmoid": lambda: np.where(x < 0, np.exp(-abs(long)), 1) / (1 + np.exp(-abs(long))),
            "erf": lambda: by_torch("erf", x),
        }.get(name, lambda: getattr(np, name)(long))()
        off, wrong = misses(got, np.asarray(theirs, np.float64), np.float64)
    assert not wrong.any(), (x[wrong][:5], got[wrong][:5])
    assert off <= 2.5  # the reference is rounded as well


@needs_compiler
def test_powers():
    rng = np.random.default_rng(0)
    x = np.exp(rng.uniform(-80, 80, 50000)).astype(np.float32) * rng.choice([1, -1], 50000).astype(np.float32)
    y = np.where(rng.random(50000) < 0.5, rng.integers(-9, 9, 50000), rng.uniform(-2, 2, 50000)).astype(np.float32)
    got = np.empty_like(x)
    kernels("float32").k_pow(x, y, got, x.size)
    with np.errstate(all="ignore"):
        off, wrong = misses(got, np.power(x.astype(np.float64), y), np.float32)
    assert not wrong.any()
    assert off <= 1.0


@needs_compiler
@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_halves(half):
    """Every number of 16 bits to float; floats back, with ties, neighbours of ties and everything out of range."""
    text, names = mathematics.HALVES, []
    for name, a, b in (
        (f"{half}_to_float", "unsigned short", "float"),
        (f"float_to_{half}", "float", "unsigned short"),
    ):
        text += f"void k_{name}(const {a} *restrict x, {b} *restrict o, long n)\n"
        text += f"{{ for (long i = 0; i < n; i++) o[i] = lucid_{name}(x[i]); }}\n"
        names.append((f"k_{name}", 2, 1))
    made, bits, dtype = extension.load(text, names), np.arange(65536, dtype=np.uint16), getattr(torch, half)
    wide = np.empty(65536, np.float32)
    getattr(made, f"k_{half}_to_float")(bits, wide, 65536)
    theirs = torch.from_numpy(bits.view(np.int16)).view(dtype).float().numpy()
    np.testing.assert_array_equal(wide, theirs)
    assert (np.signbit(wide) == np.signbit(theirs)).all()
    with np.errstate(all="ignore"):
        ties = np.float32((wide[:-1].astype(np.float64) + wide[1:]) / 2)
    x = np.arange(0, 1 << 32, 10007, dtype=np.uint64).astype(np.uint32).view(np.float32)
    x = np.concatenate([x, wide, ties, np.nextafter(ties, np.float32(9e38)), np.nextafter(ties, np.float32(-9e38))])
    x, back = np.ascontiguousarray(x, np.float32), np.empty(x.size, np.uint16)
    getattr(made, f"k_float_to_{half}")(x, back, x.size)
    theirs = torch.from_numpy(x).to(dtype).view(torch.int16).numpy().view(np.uint16)
    nan = np.isnan(x)
    np.testing.assert_array_equal(back[~nan], theirs[~nan])
    assert torch.from_numpy(back[nan].view(np.int16)).view(dtype).isnan().all()


@needs_compiler
def test_loops_become_vectors():
    """Each function costs a few nanoseconds at most: as scalar code all would take longer than their C functions."""
    x = np.random.default_rng(0).standard_normal(100000).astype(np.float32)
    out, made, slow = np.empty_like(x), kernels("float32"), []
    for name in ("exp", "tanh", "erf", "sigmoid", "log1p", "expm1"):
        kernel, library = getattr(made, f"k_{name}"), f"{'exp' if name == 'sigmoid' else name}f"
        scalar = extension.load(
            f"void k(const float *restrict x, float *restrict o, long n)\n"
            f"{{ for (long i = 0; i < n; i++) o[i] = __builtin_{library}(x[i]); }}\n",
            [("k", 2, 1)],
        ).k
        ours, theirs = (min(_seconds(k, x, out) for _ in range(7)) for k in (kernel, scalar))
        if ours > theirs:
            slow.append((name, ours, theirs))
    assert len(slow) <= 1, slow  # one may be disturbed by its neighbours


def _seconds(kernel, x, out):
    start = time.perf_counter()
    kernel(x, out, x.size)
    return time.perf_counter() - start


# ---- the pool

TASKS = """
struct part { const float *a; float *o; long n, size; };
static void some(void *context, long index)
{
  struct part *p = context;
  long from = index * p->size, to = from + p->size < p->n ? from + p->size : p->n;
  float sum = 0;
  for (long i = from; i < to; i++) { sum += p->a[i]; p->o[i] = sum; }
}
void sums(const float *a, float *o, long n, long size)
{
  struct part p = {a, o, n, size};
  lucid_parallel(some, &p, (n + size - 1) / size);
}
static void inner(void *context, long index) { __atomic_add_fetch((long *)context + index, 1, __ATOMIC_RELAXED); }
static void outer(void *context, long index) { lucid_parallel(inner, context, 5); }
void nested(long *counts, long n) { lucid_parallel(outer, counts, n); }
static void once(void *context, long index) { ((long *)context)[index] += 1; }
void each(long *counts, long n) { lucid_parallel(once, counts, n); }
"""


@pytest.fixture
def tasks():
    if not build.usable():
        pytest.skip("there is no working C compiler here")
    before = pool.threads()
    yield extension.load(TASKS, [("sums", 2, 2), ("nested", 1, 1), ("each", 1, 1)])
    pool.set_threads(before)


def _sums(tasks, x):
    out = np.empty_like(x)
    tasks.sums(x, out, x.size, 1000)
    return out


def test_results_do_not_depend_on_the_number_of_threads(tasks):
    x = np.random.default_rng(0).standard_normal(300_001).astype(np.float32)
    pool.set_threads(1)
    expected = _sums(tasks, x)
    for n in (2, 3, 7, 1, 2):
        pool.set_threads(n)
        assert pool.threads() == n
        for _ in range(20):
            assert (_sums(tasks, x) == expected).all()


def test_every_index_once_and_nested_calls(tasks):
    pool.set_threads(4)
    for n in (0, 1, 2, 3, 5, 64, 1000):
        counts = np.zeros(n + 1, np.int64)
        for _ in range(30):
            tasks.each(counts, n)
        assert (counts[:n] == 30).all()
        assert counts[n] == 0
    counts = np.zeros(5, np.int64)
    tasks.nested(counts, 100)
    assert (counts == 100).all()


def test_two_python_threads_at_once(tasks):
    pool.set_threads(2)
    x = np.random.default_rng(0).standard_normal(100_000).astype(np.float32)
    expected, wrong = _sums(tasks, x), []

    def many():
        for _ in range(100):
            if not (_sums(tasks, x) == expected).all():
                wrong.append(1)

    threads = [threading.Thread(target=many) for _ in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_a_pool_of_its_own(tasks):
    pool.set_threads(3)
    x = np.random.default_rng(0).standard_normal(100_000).astype(np.float32)
    expected, stop = _sums(tasks, x), threading.Event()
    busy = threading.Thread(target=lambda: [_sums(tasks, x) for _ in iter(stop.is_set, True)])
    busy.start()  # the child is made while another thread has the pool
    try:
        for _ in range(5):
            assert in_child(lambda: all((_sums(tasks, x) == expected).all() for _ in range(10))) == 0
    finally:
        stop.set()
        busy.join()
    assert (_sums(tasks, x) == expected).all()


def test_threads_follow_set_num_threads(tasks):
    import lucid

    before = lucid.get_num_threads()
    lucid.set_num_threads(3)
    assert pool.threads() == 3
    lucid.set_num_threads(before)
    assert pool.threads() == before


def _pairs():
    """Operands of large products: lying by rows and by columns, many at once, stretched, of both types."""
    rng = np.random.default_rng(0)
    made = lambda *shape: rng.standard_normal(shape).astype("f")  # noqa: E731
    heads = made(8, 128, 4, 64)
    yield from (
        (made(m, k), made(k, n)) for m, k, n in ((64, 784, 256), (1000, 900, 5), (97, 1537, 801), (3, 900, 3000))
    )
    yield made(784, 512).T, made(256, 784).T
    yield made(300, 700).astype("d"), made(700, 300).astype("d")
    yield heads.transpose(0, 2, 1, 3), heads.transpose(0, 2, 3, 1)
    yield made(3, 1, 200, 100), made(5, 100, 200)
    yield made(640, 80), made(32, 80, 1000)[:, :, ::2]


@needs_compiler
def test_products_on_any_number_of_threads():
    """The same bits, from several Python threads at once and in a child as well, and numpy's numbers."""
    import lucid
    from lucid._array.numpy import products

    before = lucid.get_num_threads()
    try:
        for a, b in _pairs():
            lucid.set_num_threads(1)
            one = products.matmul(a, b)
            assert np.allclose(one, np.matmul(a, b), 1e-4, 1e-4)
            for n in (2, 3, 5):
                lucid.set_num_threads(n)
                many = []
                callers = [threading.Thread(target=lambda: many.append(products.matmul(a, b))) for _ in range(3)]
                [t.start() for t in callers], [t.join() for t in callers]
                assert len(many) == 3 and all(np.array_equal(one, x) and x.flags.c_contiguous for x in many), (
                    n,
                    a.shape,
                )
            assert in_child(lambda: np.array_equal(one, products.matmul(a, b))) == 0
            out = np.full(one.shape, np.nan, one.dtype)
            assert products.matmul(a, b, out) is out and np.array_equal(out, one)
    finally:
        lucid.set_num_threads(before)


def test_products_where_nobody_shares(monkeypatch):
    """OpenBLAS has its threads; whoever can share is asked again when their number is set."""
    import lucid
    from lucid._array.numpy import products

    before, told = lucid.get_num_threads(), []
    a = np.random.default_rng(0).standard_normal((300, 300))
    monkeypatch.setattr(products, "set_blas_threads", told.append)
    monkeypatch.setattr(products, "sharer", lambda n: None)
    try:
        lucid.set_num_threads(2)
        assert np.array_equal(products.matmul(a, a), a @ a) and told == [1, 2] and not products.share
    finally:
        monkeypatch.undo()
        lucid.set_num_threads(before)
    assert products.share


def test_products_that_are_left_to_numpy():
    """Symmetric ones, other types, vectors, shapes that do not fit, layouts without a row or a column."""
    from lucid._array.numpy import products

    a = np.random.default_rng(0).standard_normal((900, 900))
    strided = np.random.default_rng(0).standard_normal((900, 900, 2))[..., 0]
    assert np.array_equal(products.matmul(a, a.T), a @ a.T) and np.array_equal(products.matmul(strided, a), strided @ a)
    assert (
        np.array_equal(products.matmul(a[0], a), a[0] @ a)
        and products.matmul(a.astype(int), a.astype(int)).dtype == int
    )
    with pytest.raises(ValueError):
        products.matmul(a, a[:300])


# ---- extension modules

ADD = """
void add(const float *restrict a, const float *restrict b, float *restrict o, long n)
{
  for (long i = 0; i < n; i++) o[i] = a[i] + b[i];
}
void scale(float *a, long n, double by, double more) { for (long i = 0; i < n; i++) a[i] = a[i] * by + more; }
void nothing(void) {}
"""
ADDS = [("add", 3, 1), ("scale", 1, 1, 2), ("nothing", 0, 0)]


@needs_compiler
@pytest.mark.parametrize("kind", ["extension", "ctypes", "slowest"])
def test_kernels_as_functions(kind, monkeypatch):
    if kind == "slowest":  # a Python whose arrays look different
        monkeypatch.setattr(extension, "head", lambda: None)
        extension._load.cache_clear()
    made = extension.load(ADD, ADDS) if kind != "ctypes" else extension.by_ctypes(ADD, ADDS)
    extension._load.cache_clear()
    assert made.kind == ("extension" if kind == "extension" and extension.head() else "ctypes")
    for n in (0, 7, 100_000):  # the last one lets other threads run
        a = np.arange(2 * n, dtype=np.float32)[n:]
        b, o = a + 1, np.zeros_like(a)
        assert made.add(a, b, o, np.int64(n)) is None
        assert (o == a + b).all()
        made.scale(o, n, 2, -1.0)
        np.testing.assert_array_equal(o, (a + b) * 2 - 1)
    assert made.nothing() is None

    class Mine(np.ndarray):
        pass

    made.scale(a[:3].view(Mine), 3, 0.0, 5.0)
    assert (a[:3] == 5).all()
    for wrong in ((a, b, o), (a, b, o, 1, 2), (a, [1.0], o, 1), (a, None, o, 1), (a, b, o, 1.5), (a, b, o, "1")):
        with pytest.raises(TypeError):
            made.add(*wrong)
    with pytest.raises(TypeError):
        made.scale(a, 1, "x", 0.0)


@needs_compiler
def test_a_module_that_does_not_read_arrays_rightly_is_refused(monkeypatch):
    monkeypatch.setattr(extension, "_checked", lambda module, text: False)
    extension._load.cache_clear()
    assert extension.load(ADD, ADDS).kind == "ctypes"
    extension._load.cache_clear()


@needs_compiler
def test_sources_compiled_ahead():
    texts = [f"int n{i}(void) {{ return {i}; }}\nvoid k{i}(int *a) {{ a[0] = {i}; }}\n" for i in range(4)]
    build.compile_many([extension.source(t, [(f"k{i}", 1, 0)]) for i, t in enumerate(texts)])
    for i, text in enumerate(texts):
        a = np.zeros(1, np.int32)
        getattr(extension.load(text, [(f"k{i}", 1, 0)]), f"k{i}")(a)
        assert a[0] == i


@needs_compiler
def test_many_parts(monkeypatch):
    """Texts that need several modules: each function once, in order; the first that is refused is an error."""
    monkeypatch.setattr(extension, "PART", 100)
    parts = [(f"void part{i}(int *a) {{ a[0] = {i}; }}\n", (f"part{i}", 1, 0)) for i in range(9)]
    functions, a = extension.load_parts(parts), np.zeros(1, np.int32)
    assert len({f.__self__.__name__ for f in functions if hasattr(f, "__self__")}) > 1 or extension.head() is None
    for i, f in enumerate(functions):
        f(a)
        assert a[0] == i
    assert extension.load_parts([]) == []
    with pytest.raises(build.CompileError, match="error"):
        extension.load_parts([*parts, ("void wrong( {" + " " * 100, ("wrong", 0, 0))])
