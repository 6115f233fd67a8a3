"""What other torch-like libraries got wrong in single ops, layers and optimisers: small programs run with both libraries."""

import numpy as np
import pytest
from both import same
from programs import grads, leaf, ramp

TRAPS = []


def trap(program):
    """A program of a library T; what it returns has to be the same for both."""
    TRAPS.append(program)
    return program


# ---- ops


@trap
def a_row_taken_twice(T):
    x = ramp(T, 3, 2).requires_grad_()
    x[[0, 0, 2]].backward(ramp(T, 3, 2))
    found = [x.grad]
    for f in (
        lambda x: x[T.tensor([1, 1])],
        lambda x: x.index_select(0, T.tensor([2, 2])),
        lambda x: x[:, [0, 0, 1]],
        lambda x: x.gather(0, T.tensor([[0, 0], [0, 1]])),
        lambda x: T.nn.functional.embedding(T.tensor([1, 1, 1]), x),
        lambda x: x.take(T.tensor([5, 5])),
        lambda x: x.repeat(2, 2),
        lambda x: x.repeat_interleave(2, 0),
    ):
        x = ramp(T, 3, 2).requires_grad_()
        found += grads(f(x) * 3, x)
    return found


@trap
def gradient_of_a_transpose(T):
    found = []
    for f in (lambda x: x.T, lambda x: x.t(), lambda x: x.mT, lambda x: x.permute(1, 0), lambda x: x.swapaxes(0, 1)):
        x = ramp(T, 2, 3).requires_grad_()
        f(x).backward(ramp(T, 3, 2))
        found.append(x.grad)
    return found


@trap
def gradient_of_stack_and_cat(T):
    found = []
    for join in (T.stack, T.cat):
        for dim in (0, 1, -1):
            a, b = ramp(T, 2, 3).requires_grad_(), ramp(T, 2, 3).requires_grad_()
            y = join([a, b], dim)
            y.backward(ramp(T, *y.shape))
            found += [a.grad, b.grad]
    return found


@trap
def mixed_types(T):
    i = T.tensor([1, 2, 3])
    return (
        i + 1.5,
        i / 2,
        i / i,
        i // 2,
        T.tensor(7.5) // 2,
        T.tensor([7.5, -7.5]) // 2,
        i * True,
        i + T.tensor(0.5),
        i**2,
        i**-1.0,
        2**i,
        i % 2,
        -i % 3,
        i == 2,
        ~i,
        i ^ 1,
        i & 1,
        i << 2,
        T.tensor([1.0]) + T.tensor([1]),
        i.float() + T.tensor(1.0, dtype=T.float64),
        T.tensor([True]) + T.tensor([True]),
        T.tensor([True]) * 2,
        T.tensor([True]) + 1.5,
        T.tensor(2, dtype=T.uint8) - 3,
    )


@trap
def items_keep_their_kind(T):
    values = (
        T.tensor(2.0).item(),
        T.tensor(2).item(),
        T.tensor(True).item(),
        T.tensor([3.0]).item(),
        T.tensor(1j).item(),
        T.tensor(2.0, dtype=T.bfloat16).item(),
        T.tensor([1.0, 2.0]).tolist(),
    )
    return [(type(v).__name__, str(v)) for v in values]


@trap
def conversion_makes_a_new_tensor(T):
    x = T.tensor([1, 2])
    f = x.float(), x.to(T.float64), x.double(), x.to(T.int64), x.type(T.int8), x.bool(), x.half(), x.long()
    return x, f, f[3] is x, f[7] is x


@trap
def who_shares_memory(T):
    a = np.ones(3, np.float32)
    copied, shared, as_t = T.tensor(a), T.from_numpy(a), T.as_tensor(a)
    a[0] = 5
    x = T.zeros(3)
    x.numpy()[1] = 7
    d = T.zeros(2, requires_grad=True)
    d.detach()[0] = 3
    d.data[1] = 4
    return copied, shared, as_t, x, d, x.detach().data_ptr() == x.data_ptr(), np.shares_memory(x.numpy(), x.numpy())


@trap
def max_pool_padding(T):
    F = T.nn.functional
    x = -ramp(T, 1, 1, 4, 4)
    return (
        F.max_pool2d(x, 3, 2, 1),
        T.nn.MaxPool2d(2)(x),
        T.nn.MaxPool2d(2).stride,
        F.max_pool1d(x[0], 2, padding=1),
        F.max_pool2d(x, 2, return_indices=True),
        F.avg_pool2d(x, 3, 2, 1),
        F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        F.max_pool2d(x, 3, 2, ceil_mode=True),
    )


@trap
def same_padding(T):
    w, x = ramp(T, 1, 1, 3, 2), ramp(T, 1, 1, 5, 6).requires_grad_()
    y = T.nn.functional.conv2d(x, w, padding="same", dilation=(2, 1))
    return y, grads(y * y, x)


@trap
def transposed_convolution(T):
    found = []
    for options in (
        {},
        {"stride": 2},
        {"stride": 2, "padding": 1, "output_padding": 1},
        {"dilation": 2},
        {"groups": 2},
    ):
        x, w = ramp(T, 2, 2, 3, 3).sin().requires_grad_(), ramp(T, 2, 2, 3, 2).cos().requires_grad_()
        b = T.ones(2 * options.get("groups", 1), dtype=T.float64, requires_grad=True)
        y = T.nn.functional.conv_transpose2d(x, w, b, **options)
        y.backward(ramp(T, *y.shape).sin())
        found += [y, x.grad, w.grad, b.grad]
    return found


@trap
def interpolation(T):
    x = ramp(T, 1, 2, 3, 4)
    found = []
    for mode in ("nearest", "bilinear", "bicubic", "area", "nearest-exact"):
        for corners in (None, False, True):
            if corners is not None and mode in ("nearest", "area", "nearest-exact"):
                continue
            x = ramp(T, 1, 2, 3, 4).requires_grad_()
            y = T.nn.functional.interpolate(x, size=(5, 2), mode=mode, align_corners=corners)
            y.backward(ramp(T, *y.shape))
            found += [y, x.grad, T.nn.functional.interpolate(x, scale_factor=1.5, mode=mode, align_corners=corners)]
    return found


@trap
def cross_entropy(T):
    F, found = T.nn.functional, []
    target = T.tensor([0, 2, -100, 1])
    for reduction in ("mean", "sum", "none"):
        for weight in (None, T.tensor([1.0, 2.0, 5.0], dtype=T.float64)):
            for smoothing in (0.0, 0.1):
                x = ramp(T, 4, 3).sin().requires_grad_()
                y = F.cross_entropy(x, target, weight, reduction=reduction, label_smoothing=smoothing)
                found += [y, grads(y, x)]
    found.append(F.cross_entropy(x, T.tensor([0, 1, 1, 1]), ignore_index=1))
    found.append(F.cross_entropy(x, T.full((4,), -100)))
    found.append(F.cross_entropy(x, F.softmax(x.detach(), 1)))
    return found


@trap
def bce_with_logits(T):
    F = T.nn.functional
    x = leaf(T, [-2.0, 0.0, 3.0, 200.0, -200.0])
    t = T.tensor([0.0, 1.0, 0.5, 0.0, 1.0], dtype=T.float64)
    y = F.binary_cross_entropy_with_logits(x, t, reduction="none", pos_weight=T.tensor(2.0, dtype=T.float64))
    return (
        F.binary_cross_entropy_with_logits(T.tensor(-2.0), T.tensor(0.0)),
        y,
        grads(y, x),
        F.binary_cross_entropy(T.tensor([0.0, 1.0]), T.tensor([1.0, 1.0])),
    )


@trap
def batch_norm_variance(T):
    m = T.nn.BatchNorm1d(2).double()
    x = ramp(T, 4, 2) ** 2
    y = m(x)
    once = T.nn.BatchNorm2d(1, momentum=None)
    once(T.arange(8.0).reshape(2, 1, 2, 2))
    once(T.arange(8.0, 16.0).reshape(2, 1, 2, 2))
    return y, dict(m.state_dict()), m.eval()(x), dict(once.state_dict())


@trap
def initial_weights(T):
    found = []
    for make in (
        lambda: T.nn.Linear(30, 20),
        lambda: T.nn.Conv2d(3, 4, 3),
        lambda: T.nn.Embedding(5, 3),
        lambda: T.nn.LSTM(3, 4),
        lambda: T.nn.MultiheadAttention(4, 2),
        lambda: T.nn.Bilinear(2, 3, 4),
        lambda: T.nn.ConvTranspose1d(2, 3, 2),
    ):
        T.manual_seed(0)
        found.append(dict(make().state_dict()))
    return found


@trap
def gelu_forms(T):
    F = T.nn.functional
    x = T.linspace(-4, 4, 9, dtype=T.float64)
    return F.gelu(x), F.gelu(x, approximate="tanh"), T.nn.GELU()(x), repr(T.nn.GELU())


@trap
def edges_of_activations(T):
    F, found = T.nn.functional, []
    for f in (
        F.elu,
        F.selu,
        F.celu,
        F.softplus,
        F.silu,
        F.mish,
        T.sigmoid,
        T.tanh,
        F.logsigmoid,
        F.gelu,
        F.relu6,
        F.hardswish,
        F.relu,
        F.leaky_relu,
        F.hardtanh,
        F.softsign,
        F.hardsigmoid,
    ):
        x = leaf(T, [800.0, -800.0, 0.0, -0.0, 3.0, -3.0, 6.0, 1.0, -1.0], dtype=T.float32)
        y = f(x)
        found += [y, grads(y, x)]
    return found


@trap
def gradients_at_corners(T):
    found = []
    for f in (
        T.abs,
        T.sign,
        T.relu,
        lambda x: x**0,
        lambda x: x**1,
        lambda x: x**2,
        lambda x: x.clamp(0, 1),
        lambda x: x.clamp(min=1),
        lambda x: T.maximum(x, x.detach().clone()),
        lambda x: x.max(),
        lambda x: x.amax(),
        lambda x: x.min(0).values,
        T.sqrt,
        lambda x: x**0.5,
        lambda x: T.pow(x, T.tensor([0.0, 0.0, 2.0, 0.0], dtype=T.float64)),
        lambda x: x.norm(),
        lambda x: x.norm(1),
        lambda x: x.prod(),
        lambda x: x.cumprod(0),
        lambda x: T.nn.functional.hardtanh(x, 0, 1),
        lambda x: T.where(x > 0, x, x * 0),
        lambda x: x.median(),
        lambda x: x.std(),
        lambda x: T.fmod(x, 1.0),
        lambda x: T.remainder(x, 1.0),
    ):
        x = leaf(T, [0.0, 0.0, 1.0, 1.0])
        found += grads(f(x), x)
    zero = leaf(T, 0.0)
    return found, grads(zero ** T.tensor(0.0, dtype=T.float64), zero)


@trap
def maximum_at_a_tie(T):
    found = []
    for f in (T.maximum, T.minimum, T.fmax, T.fmin, T.max, T.min):
        x, y = leaf(T, [1.0, 2.0, 3.0]), leaf(T, [1.0, 3.0, 2.0])
        found += grads(f(x, y), x, y)
    return found


@trap
def smooth_losses(T):
    F, found = T.nn.functional, []
    for f in (
        lambda x, y: F.smooth_l1_loss(x, y, beta=0.5),
        lambda x, y: F.huber_loss(x, y, delta=0.5),
        F.l1_loss,
        F.mse_loss,
        lambda x, y: F.smooth_l1_loss(x, y, beta=0.0),
        lambda x, y: F.soft_margin_loss(x, y.sign()),
    ):
        x = leaf(T, [0.0, 0.25, 3.0, -3.0, 0.5])
        y = f(x, T.zeros(5, dtype=T.float64))
        found += [y, grads(y, x)]
    return found


@trap
def products_of_every_rank(T):
    found = []
    for a, b in (
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 2)),
        ((2, 3), (3, 2)),
        ((4, 2, 3), (3,)),
        ((3,), (4, 3, 2)),
        ((4, 2, 3), (3, 2)),
        ((2, 3), (4, 3, 2)),
        ((4, 2, 3), (4, 3, 2)),
        ((4, 1, 2, 3), (5, 3, 2)),
        ((1, 2, 3), (4, 3, 2)),
    ):
        x, y = ramp(T, *a).sin().requires_grad_(), ramp(T, *b).cos().requires_grad_()
        z = x @ y
        (z * z).sum().backward()
        found += [z, x.grad, y.grad]
    return found


@trap
def operators(T):
    x, y = leaf(T, [1.5, 2.0, 4.0]), leaf(T, [2.0, -1.0, 0.5])
    found = [
        x**y,
        2**y,
        x**2,
        x % 1.5,
        (5.0 % x).detach(),  # torch cannot differentiate it, lucid can
        y // 2,
        -y,
        abs(y),
        x @ y,
        1 / x,
        1 - x,
        divmod(7, 2),
        x.log_softmax(0),
        x < y,
        x != 2,
        T.tensor([6, 3]) ^ T.tensor([2, 1]),
        T.tensor([True, False]) ^ True,
        x.round(),
        x.__rpow__(3),
        T.tensor([5, 7]) >> 1,
    ]
    return found, grads((x**y) + 2**y + (x % 1.5) + x.log_softmax(0), x, y)


@trap
def attention_keeps_tokens_apart(T):
    T.manual_seed(1)
    m = T.nn.MultiheadAttention(4, 2, batch_first=True).double()
    x = ramp(T, 1, 3, 4).sin()
    causal = T.ones(3, 3, dtype=T.bool).triu(1)
    y, p = m(x, x, x, attn_mask=causal, average_attn_weights=False)
    changed = x.clone()
    changed[0, 2] = 9
    z, _ = m(changed, changed, changed, attn_mask=causal)
    padded = m(x, x, x, key_padding_mask=T.tensor([[False, False, True]]))
    return y, p, (y[0, :2] == z[0, :2]).all(), padded


OPTIMIZERS = [
    ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    ("SGD", {"lr": 0.1, "maximize": True}),
    ("Adam", {"lr": 0.1}),
    ("Adam", {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1, "eps": 0.1}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.5}),
    ("AdamW", {"lr": 0.1, "amsgrad": True}),
    ("NAdam", {"lr": 0.1}),
    ("NAdam", {"lr": 0.1, "decoupled_weight_decay": True, "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.1}),
    ("Rprop", {"lr": 0.1}),
    ("RMSprop", {"lr": 0.1, "eps": 0.1}),
    ("RMSprop", {"lr": 0.1, "centered": True, "momentum": 0.9}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.5}),
    ("Adadelta", {"rho": 0.8}),
    ("Adamax", {"lr": 0.1}),
    ("ASGD", {"lr": 0.1, "t0": 2, "lambd": 0.1}),
]


@pytest.mark.parametrize("name, options", OPTIMIZERS, ids=[f"{n}-{'-'.join(o)}" for n, o in OPTIMIZERS])
def test_optimisers(name, options):
    def program(T):
        p = T.tensor([1.0, -2.0, 3.0], requires_grad=True)
        o = getattr(T.optim, name)([p], **options)
        for i in range(8):  # RAdam changes its rule at step 6
            o.zero_grad()
            ((p - 0.5) ** 2 * T.tensor([1.0, 10.0, 0.1]) * (-1) ** (i // 3)).sum().backward()
            o.step()
            yield p

    same(program, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("program", TRAPS, ids=lambda f: f.__name__)
def test_trap(program):
    same(program, rtol=2e-5, atol=1e-6, quiet=True)
