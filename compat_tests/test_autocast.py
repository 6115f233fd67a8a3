"""torch.autocast on the CPU: what torch's sample inputs give under it, cached weights, nesting, training in halves."""

import importlib
import threading
import warnings

import numpy as np
import pytest
import torch
from both import agree, attempt, both, graph, same, same_outcome, seen, shown
from gaps import expect
from opdb import Unsupported, carried, counterpart, delivered, leaves, sample_inputs

import lucid

HALVES = {"bfloat16": 2e-2, "float16": 3e-3}  # and how near values have to be
OPS = {f"{op.name}.{op.variant_test_name}".rstrip("."): op for op in delivered() if "empty" not in op.name}

# ---- torch's sample inputs


@pytest.fixture(autouse=True)
def quietly():
    """What the functions warn of is tested elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def called(m, f, sample, half, kind):
    """What a call gives, of which graph, and the gradients; half: the type under autocast, None without it."""
    m.default_generator.manual_seed(0)
    try:
        with m.autocast("cpu", getattr(m, half or "bfloat16"), enabled=half is not None):
            found = leaves(f(sample[0], *sample[1], **sample[2]), kind)
    except Exception as error:
        return type(error).__name__, None, None
    graphs = [graph(t.grad_fn) for t in found]
    inputs = [t for t in leaves(sample, kind) if t.requires_grad]
    recorded = [t for t in found if t.requires_grad]
    grads = None
    if inputs and recorded:
        total = [t.abs().sum() if t.is_complex() else t.sum() for t in recorded]
        try:
            grads = m.autograd.grad(total, inputs, allow_unused=True)
        except Exception as error:
            grads = type(error).__name__
    return seen([t.detach() for t in found], ""), graphs, grads if isinstance(grads, str) else seen(grads, "")


def compared(name, dtype, half, count):
    """Values, then graphs and gradients, of some samples; of those which agree without autocast."""
    op, near, graphs = OPS[name], {"rtol": HALVES[half], "of_largest": HALVES[half]}, []
    ours, samples = counterpart(op), list(sample_inputs(op, dtype, op.supports_autograd))
    for sample in samples[:: max(1, len(samples) // count)]:
        given = sample.input, sample.args, sample.kwargs
        try:
            carried(given, "cpu", {})
        except Unsupported:
            continue
        (wanted, got), (wanted_cast, got_cast) = (
            [
                called(torch, op.op, given, h, torch.Tensor),
                called(lucid, ours, carried(given, "cpu", {}), h, lucid.Tensor),
            ]
            for h in (None, half)
        )
        try:
            agree((got[0], got[2]), (wanted[0], wanted[2]), **near)
        except AssertionError:
            continue  # not autocast's: numbers that are drawn or left open, and gaps that are listed elsewhere
        agree(got_cast[0], wanted_cast[0], f"{name} {half}", **near)
        if got[1] == wanted[1]:
            graphs.append((got_cast[1:], wanted_cast[1:]))
    for got, wanted in graphs:
        assert got[0] == wanted[0], f"{name} {half}: the graph"
        agree(got[1], wanted[1], f"{name} {half}", rtol=4 * HALVES[half], of_largest=4 * HALVES[half])


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", OPS)
def test_samples(name, half):
    expect("autocast", name, lambda: compared(name, torch.float32, half, 6))


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("hermitian", [False, True])
def test_pinv(half, hermitian):
    """Its values; its graph is a known gap."""

    def program(m):
        a = m.linspace(-1, 1.5, 9).reshape(3, 3) + 3 * m.eye(3)
        for x in (a @ a.t() if hermitian else a, m.zeros(0, 0), m.zeros(3, 3)):
            with m.autocast("cpu", getattr(m, half)):
                yield m.linalg.pinv(x, hermitian=hermitian), m.linalg.pinv(x, rtol=m.tensor(0.1), hermitian=hermitian)

    same(program, looks="", rtol=HALVES[half], of_largest=HALVES[half])


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if torch.float64 in op.dtypes])
def test_samples_of_doubles(name):
    compared(name, torch.float64, "bfloat16", 2)


# torch looks for halves that are not autocast's inside of kernels, too, where lucid has no such step
MIXED_HALVES = {"roll", "fft.fftshift", "fft.ifftshift", "unique", "unique_consecutive", "isin", "diff"}
OF_HALVES = [n for n, op in OPS.items() if {torch.float16, torch.bfloat16} <= op.dtypes]


@pytest.mark.parametrize("dtype, half", [("bfloat16", "bfloat16"), ("float16", "bfloat16"), ("bfloat16", "float16")])
@pytest.mark.parametrize("name", OF_HALVES)
def test_samples_of_halves(name, dtype, half):
    if dtype == half or name not in MIXED_HALVES:
        expect("autocast-halves", name, lambda: compared(name, getattr(torch, dtype), half, 2))


# ---- layers


def _layers():
    """name -> (maker of a module, the shapes of its inputs)"""
    return {
        "linear": (lambda m: m.nn.Linear(4, 5), (2, 3, 4)),
        "bilinear": (lambda m: m.nn.Bilinear(4, 5, 3), (2, 4), (2, 5)),
        "conv1d": (lambda m: m.nn.Conv1d(2, 3, 3), (2, 2, 8)),
        "conv2d": (lambda m: m.nn.Conv2d(2, 3, 3, padding="same"), (2, 2, 8, 8)),
        "conv2d circular": (lambda m: m.nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular"), (2, 2, 8, 8)),
        "conv3d": (lambda m: m.nn.Conv3d(2, 3, 3), (1, 2, 5, 5, 5)),
        "conv_transpose2d": (lambda m: m.nn.ConvTranspose2d(2, 3, 3), (1, 2, 5, 5)),
        "layer_norm": (lambda m: m.nn.Sequential(m.nn.LayerNorm(4), m.nn.Linear(4, 4)), (3, 4)),
        "batch_norm": (lambda m: m.nn.Sequential(m.nn.BatchNorm2d(2), m.nn.Conv2d(2, 4, 1), m.nn.ReLU()), (2, 2, 3, 3)),
        "rnn": (lambda m: m.nn.RNN(3, 4, 2), (5, 2, 3)),
        "rnn of relu": (lambda m: m.nn.RNN(3, 4, nonlinearity="relu", bidirectional=True), (5, 2, 3)),
        "lstm": (lambda m: m.nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True), (5, 2, 3)),
        "lstm projected": (lambda m: m.nn.LSTM(3, 4, proj_size=2), (5, 2, 3)),
        "gru": (lambda m: m.nn.GRU(3, 4, 2), (5, 2, 3)),
        "lstm_cell": (lambda m: m.nn.LSTMCell(3, 4), (2, 3)),
        "gru_cell": (lambda m: m.nn.GRUCell(3, 4), (2, 3)),
        "rnn_cell": (lambda m: m.nn.RNNCell(3, 4), (2, 3)),
        "encoder": (lambda m: m.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True), (2, 3, 4)),
        "decoder": (lambda m: m.nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0), (2, 3, 4), (2, 3, 4)),
        "softmax": (lambda m: m.nn.Sequential(m.nn.Linear(4, 4), m.nn.Softmax(-1)), (2, 4)),
        "gelu": (lambda m: m.nn.Sequential(m.nn.Linear(4, 4), m.nn.GELU()), (2, 4)),
        "dropout": (lambda m: m.nn.Sequential(m.nn.Linear(4, 4), m.nn.Dropout(0.5)), (5, 4)),
        "pool": (lambda m: m.nn.Sequential(m.nn.Conv3d(1, 2, 1), m.nn.AvgPool3d(2)), (1, 1, 4, 4, 4)),
        "padding": (lambda m: m.nn.Sequential(m.nn.Conv2d(1, 2, 1), m.nn.ReflectionPad2d(1)), (1, 1, 4, 4)),
        "area": (
            lambda m: m.nn.Sequential(m.nn.Conv3d(1, 2, 1), m.nn.Upsample((2, 2, 2), mode="area")),
            (1, 1, 4, 4, 4),
        ),
        "local_response_norm": (
            lambda m: m.nn.Sequential(m.nn.Conv2d(2, 4, 1), m.nn.LocalResponseNorm(3)),
            (1, 2, 4, 4),
        ),
        "cross_entropy": (lambda m: m.nn.CrossEntropyLoss(label_smoothing=0.1), (2, 3), (2, 3)),
        "huber": (lambda m: m.nn.HuberLoss(), (2, 3), (2, 3)),
    }


LAYERS = _layers()
# torch's node takes half inputs beside float32 weights; lucid's has casts in front of it, with and without autocast
MIXED = {"encoder", "decoder"}


def trained(m, name, half, inside):
    """Results of a layer under autocast, and the gradients of its parameters and inputs; inside: of backward, too."""
    make, *shapes = LAYERS[name]
    values = np.random.RandomState(0)
    layer = make(m)
    with m.no_grad():
        for p in layer.parameters():
            p.copy_(m.tensor(values.randn(*p.shape).astype("float32") * 0.3))
    inputs = [m.tensor(values.randn(*shape).astype("float32"), requires_grad=True) for shape in shapes]
    given = [*layer.parameters(), *inputs]
    with m.autocast("cpu", getattr(m, half)):
        found = leaves(layer(*inputs), m.Tensor)
        if inside:
            grads = m.autograd.grad(sum(t.float().sum() for t in found), given)
    if not inside:
        grads = m.autograd.grad(sum(t.float().sum() for t in found), given)
    return [t.detach() for t in found], ["" if name in MIXED else graph(t.grad_fn) for t in found], grads


# torch's library for LSTMs has no float16 on most processors
IN_HALVES = [(name, half) for name in LAYERS for half in HALVES if (name, half) != ("lstm", "float16")]


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("name, half", IN_HALVES)
def test_layers(name, half, inside):
    wanted, got = both(trained, name, half, inside, looks="", quiet=True)
    agree(got[:2], wanted[:2], name, rtol=HALVES[half], of_largest=HALVES[half])
    agree(got[2], wanted[2], name, rtol=4 * HALVES[half], of_largest=4 * HALVES[half])


@pytest.mark.parametrize("name", ["mm", "bmm", "addmm", "linear", "matmul"])
def test_backward_inside(name):
    """Products in gradients are cast where backward() is called, not where the graph was made."""

    def program(m):
        f = {"linear": m.nn.functional.linear, "addmm": lambda a, b: m.addmm(a, a, b)}.get(name) or getattr(m, name)
        a, b = (m.linspace(-0.7, n, 18).reshape(2, 3, 3) for n in (0.9, 0.8))
        a, b = ((x if name == "bmm" else x[0]).clone().requires_grad_() for x in (a, b))
        out = f(a, b)
        with m.autocast("cpu"):
            yield m.autograd.grad(out.exp().sum(), [a, b], retain_graph=True)
            (first,) = m.autograd.grad(out.exp().sum(), [a], create_graph=True)
            yield first.detach(), first.requires_grad
            out.sum().backward()
            yield a.grad, b.grad

    same(program, looks="", rtol=1e-2)


# ---- the context


def _state(m):
    names = ("is_autocast_enabled", "get_autocast_dtype")
    return [m.is_autocast_enabled(), *[str(getattr(m, n)("cpu")) for n in names], m.is_autocast_cache_enabled()]


def _product(m):
    return (m.ones(2, 2) @ m.ones(2, 2)).dtype


def nesting(m, show):
    """Contexts in each other, decorators, threads, and the switches themselves."""
    show(_state(m))
    with m.autocast("cpu", m.float16, cache_enabled=False):
        show(_state(m), _product(m))
        with m.autocast("cpu", enabled=False):
            show(_state(m), _product(m))
            with m.autocast("cpu"):
                show(_state(m), _product(m))
            show(_state(m), _product(m))
        with m.amp.autocast("cpu", m.bfloat16):
            show(_state(m), _product(m))
        with m.cpu.amp.autocast():
            show(_state(m), _product(m))
        show(_state(m), _product(m))
        thread = threading.Thread(target=lambda: show("in a thread", _state(m), _product(m)))
        thread.start()
        thread.join()
    show(_state(m), _product(m))
    context = m.autocast("cpu")
    with context:
        with context:
            show(_state(m))
        show(_state(m))
    show(_state(m))
    show.tried(lambda: context.__enter__().undefined)
    context.__exit__(None, None, None)
    for enabled in (True, False):
        f = m.autocast("cpu", enabled=enabled)(lambda: (_state(m), _product(m)))
        show(f())
        with m.autocast("cpu", m.float16):
            show(f(), _product(m))
    m.set_autocast_enabled("cpu", True)
    show(_state(m), _product(m))
    with m.autocast("cpu", enabled=False):
        show(_state(m), _product(m))
    m.set_autocast_dtype("cpu", m.float16)
    show(_state(m), _product(m))
    m.set_autocast_enabled("cpu", False)
    m.set_autocast_dtype("cpu", m.bfloat16)
    m.set_autocast_cache_enabled(False)
    show(_state(m), _product(m))
    m.set_autocast_cache_enabled(True)
    show([m.autocast_increment_nesting(), m.autocast_increment_nesting()])
    show([m.autocast_decrement_nesting(), m.autocast_decrement_nesting()])


def caching(m, show):
    """Which weights are cast once."""
    w, other, x = m.nn.Parameter(m.ones(3, 3)), m.nn.Parameter(m.ones(3, 3)), m.ones(2, 3)

    def cast(y):
        return y.grad_fn.next_functions[1][0]

    for cache in (True, False, None):
        with m.autocast("cpu", cache_enabled=cache):
            a, b = x @ w, x @ w
            show("twice", cast(a) is cast(b))
            with m.autocast("cpu", dtype=m.float16):
                c, d = x @ other, x @ other
                show("another half", c, cast(c) is cast(d))
                show.tried(lambda: x @ w)
            show("after a context", cast(x @ w) is cast(a))
            with m.autocast("cpu", enabled=False):
                show(x @ w)
            m.clear_autocast_cache()
            show("cleared", cast(x @ w) is cast(a))
    with m.autocast("cpu"):
        with m.no_grad():
            show("without gradients", x @ w)
        y = x @ w
        show("with them", graph(y.grad_fn))
    with m.autocast("cpu"):
        show(x @ w)
        with m.no_grad():
            w.add_(1)
        show("stale", x @ w)
    with m.autocast("cpu"):
        with m.inference_mode():
            show("inference", x @ w)
        show("fresh", x @ w)
        for kind, v in {"view": w.view(3, 3), "computed": w * 1, "leaf": w.detach().requires_grad_()}.items():
            a, b = x @ v, x @ v
            show(kind, cast(a) is cast(b), graph(b.grad_fn))
        loss = m.nn.functional.mse_loss(w, x.sum() * w.detach())
        show("to float32", loss, graph(loss.grad_fn))
    a, b = (x.half().requires_grad_() for _ in range(2))
    with m.autocast("cpu"):
        show.tried(lambda: m.cat([a, x.bfloat16()]).dtype)
        show.tried(lambda: m.stack([x.bfloat16(), x.double()]).dtype)
        show.tried(lambda: m.mm(x, x.double().t()).dtype)
        show.tried(lambda: m.cat([x.bfloat16(), x]).dtype)
        out = m.empty(2, 3)
        show.tried(lambda: m.mm(x, w.detach(), out=out).dtype)


def functions(m, show):
    """custom_fwd and custom_bwd."""
    for given in ({}, {"cast_inputs": m.float32}, {"cast_inputs": m.float16}):

        class Product(m.autograd.Function):
            @staticmethod
            @m.amp.custom_fwd(device_type="cpu", **given)
            def forward(ctx, a, b):
                ctx.save_for_backward(a, b)
                show("forward", _state(m), a, b)
                return a @ b

            @staticmethod
            @m.amp.custom_bwd(device_type="cpu")
            def backward(ctx, g):
                a, b = ctx.saved_tensors
                show("backward", _state(m), g)
                return (g @ b.t(), a.t() @ g) if a.dtype is b.dtype else (g.float() @ b.float().t(), None)

        for enabled in (True, False):
            a, b = (m.full((2, 2), n, requires_grad=True) for n in (1.0, 2.0))
            with m.autocast("cpu", enabled=enabled):
                y = Product.apply(a, b)
                show(y, graph(y.grad_fn))
            y.sum().backward()
            show(a.grad, b.grad)


def checkpoints(m, show):
    """A part that is run again outside of the context."""
    checkpoint = importlib.import_module(m.__name__ + ".utils.checkpoint").checkpoint
    for reentrant in (True, False):
        for half in (m.bfloat16, m.float16):
            a, w = (m.full((2, 2), n, requires_grad=True) for n in (0.5, 0.25))

            def part(x, w=w):
                show(_state(m))
                return (x @ w) @ w

            with m.autocast("cpu", half, cache_enabled=not reentrant):
                y = checkpoint(part, a, use_reentrant=reentrant)
            show(y)
            y.float().sum().backward()
            show(a.grad, w.grad)
            with m.autocast("cpu", enabled=False):
                y = checkpoint(part, a, use_reentrant=reentrant)
            with m.autocast("cpu"):
                y.sum().backward()
            show(a.grad, w.grad)


@pytest.mark.parametrize("program", [nesting, caching, functions, checkpoints])
def test_programs(program):
    same(shown, program, quiet=True)


def test_custom_ops():
    def program(m):
        library, told = importlib.import_module(m.__name__ + ".library"), []

        @library.custom_op("autocast_test::double", mutates_args=())
        def double(x: m.Tensor, n: int) -> m.Tensor:
            told.append((_state(m), str(x.dtype)))
            return x * n

        double.register_fake(lambda x, n: m.empty_like(x))
        double.register_autograd(lambda ctx, g: (g * 2, None))
        x = m.ones(2, requires_grad=True)
        yield double(x, 2)
        for dtype in (m.float16, m.float32):
            library.register_autocast("autocast_test::double", "cpu", dtype)
            for given in (x, x.bfloat16(), x.double(), x.long()):
                with m.autocast("cpu"):
                    y = double(given, 2)
                yield y.detach(), y.requires_grad
                if y.requires_grad:
                    yield m.autograd.grad(y.sum(), x)
        yield attempt(double.register_autocast, 3, m.float16)
        yield attempt(double.register_autocast, "meta", m.float16)
        yield told

    same(program, looks="requires_grad")


def test_modes_see_the_casts():
    def program(m):
        seen_calls = []
        mode = importlib.import_module(m.__name__ + ".utils._python_dispatch").TorchDispatchMode

        class Told(mode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                seen_calls.append(str(func))
                return func(*args, **(kwargs or {}))

        w = m.nn.Parameter(m.ones(3, 3))
        with m.autocast("cpu"), Told():
            y = m.nn.functional.linear(m.ones(2, 3), w)
            m.nn.functional.mse_loss(y, m.ones(2, 3))
            m.cat([y, m.exp(y), m.ones(2, 3)])
            m.stack([y, y]).prod()
        return seen_calls

    same(program)


UNDER_VMAP = {
    "mm": lambda m, a: a @ a.t(),
    "linear": lambda m, a: m.nn.functional.linear(a, a),
    "l1_loss": lambda m, a: m.nn.functional.l1_loss(a.bfloat16(), a.bfloat16() * 2),
    "mse_loss": lambda m, a: m.nn.functional.mse_loss(a.bfloat16(), a.bfloat16() * 2),
    "cross_entropy": lambda m, a: m.nn.functional.cross_entropy(a.bfloat16(), m.zeros(2, dtype=m.long)),
    "conv1d": lambda m, a: m.nn.functional.conv1d(a.unsqueeze(0), a.unsqueeze(0)),
    "prod": lambda m, a: a.bfloat16().prod(),
    "trace": lambda m, a: a.bfloat16().trace(),
    "cat": lambda m, a: m.cat([a, a.bfloat16()]),
    "stack": lambda m, a: m.stack([a, a.bfloat16()]),
    "attention": lambda m, a: m.nn.functional.scaled_dot_product_attention(a, a, a),
    "prelu": lambda m, a: m.nn.functional.prelu(a, m.tensor([0.1])),
}


@pytest.mark.parametrize("name", UNDER_VMAP)
@pytest.mark.parametrize("transform", ["vmap", "grad", "jvp"])
def test_transforms(name, transform):
    """torch's vmap takes some functions apart before autocast sees them."""

    def program(m):
        x, kinds = m.linspace(-1, 1, 24).reshape(4, 2, 3), []

        def f(a):
            out = UNDER_VMAP[name](m, a)
            kinds.append(out.dtype)
            return out if transform == "vmap" else out.float().exp().sum()

        with m.autocast("cpu"):
            if transform == "jvp":
                yield m.func.jvp(f, (x[0],), (x[1],))
            else:
                yield getattr(m.func, transform)(f)(x if transform == "vmap" else x[0])
        yield kinds

    same(program, looks="", rtol=3e-2, atol=1e-2)


def test_vmap_and_grad():
    def program(m):
        x, w = m.linspace(-1, 1, 24).reshape(4, 2, 3), m.linspace(-1, 1, 9).reshape(3, 3)
        with m.autocast("cpu"):
            yield m.func.vmap(lambda a: a @ w)(x)
            yield m.func.grad(lambda a: (a @ w).float().exp().sum())(x[0])

    same(program, rtol=1e-2, looks="requires_grad")


@pytest.mark.parametrize("half", HALVES)
def test_training_with_a_scaler(half):
    """Losses near torch's, the same types everywhere, the same scale."""

    def program(m):
        net = m.nn.Sequential(m.nn.Linear(4, 8), m.nn.Tanh(), m.nn.LayerNorm(8), m.nn.Linear(8, 1))
        with m.no_grad():
            for i, p in enumerate(net.parameters()):
                p.copy_(m.linspace(-0.5, 0.5 + i / 10, p.numel()).reshape(p.shape))
        x = m.linspace(-1, 1, 40).reshape(10, 4)
        target, losses = x.sum(1, keepdim=True), []
        optimizer = m.optim.AdamW(net.parameters(), lr=0.05)
        scaler = m.amp.GradScaler("cpu", init_scale=2.0**16, growth_interval=5)
        for i in range(30):
            optimizer.zero_grad()
            with m.autocast("cpu", getattr(m, half)):
                out = net(x)
                loss = m.nn.functional.mse_loss(out, target)
            scaler.scale(loss).backward()
            if i == 7:
                net[0].weight.grad[0, 0] = float("inf")
            if i % 3 == 0:
                scaler.unscale_(optimizer)
                m.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.item())
            yield [out.dtype, loss.dtype, *[p.grad.dtype for p in net.parameters()]], scaler.state_dict()
        yield losses, [p.detach() for p in net.parameters()]

    wanted, got = both(program, looks="")
    agree(got[:-1], wanted[:-1])
    assert got[-1][0][-1] < got[-1][0][0] / 5
    agree(got[-1][0], wanted[-1][0], "losses", rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize(
    "call",
    """autocast(3)
    autocast("nothing")
    autocast("cpu", dtype=api.float32)._enabled
    autocast("cpu")(3)
    set_autocast_enabled("cpu", 1)
    set_autocast_enabled("cpu")
    set_autocast_enabled("nothing", True)
    is_autocast_enabled("nothing")
    is_autocast_enabled(3)
    get_autocast_dtype("nothing")
    set_autocast_cache_enabled(1)
    is_autocast_cpu_enabled()
    get_autocast_cpu_dtype()
    get_autocast_ipu_dtype()
    get_autocast_xla_dtype()
    set_autocast_xla_enabled(False)
    is_autocast_ipu_enabled()
    set_autocast_cpu_enabled(False)
    amp.is_autocast_available("ipu")
    amp.is_autocast_available("mtia")
    amp.custom_fwd(device_type=3)
    amp.custom_bwd(device_type=3)""".splitlines(),
)
def test_what_is_refused(call):
    same_outcome(lambda m: eval(f"api.{call.strip()}", {"api": m}), quiet=True)


def test_what_is_warned_of():
    def program(m):
        for make in (
            lambda: m.autocast("cpu", dtype=m.float32)._enabled,
            lambda: m.autocast("cuda")._enabled,
            lambda: m.cpu.amp.autocast()._enabled,
        ):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                yield attempt(make), [str(w.message) for w in caught]

    same(program)


def test_out_and_tracing():
    """With out= nothing is cast; traced graphs have the casts, the last operand's first."""

    def program(m):
        make_fx = importlib.import_module(m.__name__ + ".fx.experimental.proxy_tensor").make_fx
        fake = importlib.import_module(m.__name__ + "._subclasses").FakeTensorMode
        x, y = m.ones(3, 3), m.ones(3, 3)
        with m.autocast("cpu"):
            for f in (m.mm, m.matmul, m.linalg.vecdot):
                yield f(x, y, out=m.empty(3 if f is m.linalg.vecdot else (3, 3)))
            yield m.linalg.inv(x + m.eye(3), out=m.empty(3, 3)), m.cat([x, y], out=m.empty(6, 3))
            yield x.clone().addmm_(x, y)
            yield make_fx(lambda x, y, w: m.cat([m.nn.functional.linear(x, y, w), x @ y]).exp())(x, y, y[0]).code
            with fake():
                a = m.empty(3, 3)
                yield (a @ a).dtype, m.nn.functional.mse_loss(a.half(), a.half()).dtype
            a = m.empty(3, 3, device="meta")
            yield (a @ a).dtype

    same(program, looks="", rtol=1e-6)


def test_the_scaler_looks_at_what_it_is_given():
    def program(m):
        p = m.nn.Parameter(m.ones(3))
        optimizer = m.optim.SGD([p], lr=0.5)
        scaler = m.amp.GradScaler("cpu", init_scale=4.0, growth_interval=1)
        yield [type(attempt(f)).__name__ for f in (scaler.update, lambda: scaler.unscale_(optimizer))]
        for bad in (1.0, float("inf"), float("nan"), 1.0):
            optimizer.zero_grad()
            scaler.scale((p * bad).sum()).backward()
            scaler.unscale_(optimizer)
            yield p.grad.clone(), attempt(scaler.unscale_, optimizer)
            scaler.step(optimizer)
            yield attempt(scaler.step, optimizer), attempt(scaler.unscale_, optimizer)
            scaler.update()
            yield p.detach().clone(), scaler.state_dict()
        for scale in (3.0, m.tensor(5.0), m.tensor([5.0, 6.0]), "a", m.tensor(5.0, requires_grad=True)):
            yield attempt(scaler.update, scale), scaler.get_scale()

    same(program, looks="")
