"""What other torch-like libraries got wrong: every trap is one small program, run with torch and with lucid."""
import copy
import io
import pickle
import re
import warnings

import numpy as np
import pytest
import torch

import lucid

torch.set_num_threads(1)
TRAPS = []


def trap(program):
    """A program of a library T; what it returns has to be the same for both."""
    TRAPS.append(pytest.param(program, id=program.__name__))
    return program


def plain(x):
    """Tensors, dtypes and nodes as plain values."""
    if isinstance(x, (torch.Tensor, lucid.Tensor)):
        return ("tensor", x.detach().cpu().numpy().tolist(), str(x.dtype).split(".")[-1], tuple(x.shape), x.requires_grad)
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    if isinstance(x, (torch.dtype, lucid.dtype)):
        return str(x).split(".")[-1]
    if isinstance(x, BaseException):
        return type(x).__name__, str(x).partition("\n")[0][:60]
    return x


def close(a, b):
    """Equal, numbers to 6 digits, NaN to NaN."""
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, float):
        return isinstance(b, float) and bool(np.isclose(a, b, 2e-5, 1e-6, equal_nan=True))
    return type(a) is type(b) and a == b


def error(f, *args, **kwargs):
    """The exception of a call (an AssertionError here if there is none)."""
    try:
        f(*args, **kwargs)
    except Exception as e:
        return e
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("program", TRAPS)
def test_trap(program):
    results = []
    for T in (torch, lucid):
        T.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.append(plain(program(T)))
    assert close(*results), f"torch: {results[0]}\nlucid: {results[1]}"


def leaf(T, *values, dtype=None):
    return T.tensor(values if len(values) != 1 else values[0], dtype=dtype or T.float64, requires_grad=True)


def grads(y, *leaves):
    """The leaves' gradients of y.sum()."""
    y.sum().backward()
    return [x.grad for x in leaves]


def ramp(T, *shape, dtype=None):
    n = int(np.prod(shape))
    return T.arange(1, n + 1, dtype=dtype or T.float64).reshape(shape)


# ---- the engine

@trap
def one_gradient_for_both_parents_of_add(T):
    x, y = leaf(T, [1.0]), leaf(T, [2.0])
    return grads((x + y) + x * 2, x, y)


@trap
def a_residual(T):
    x, y = leaf(T, [1.0]), leaf(T, [2.0])
    h = x + y
    return grads(h + h * x, x, y)


@trap
def gradients_never_alias(T):
    x, y = leaf(T, [1.0, 2.0]), leaf(T, [3.0, 4.0])
    (x + y).sum().backward()
    x.grad.mul_(10)
    seed = T.ones(2, dtype=T.float64)
    z = leaf(T, [1.0, 1.0])
    (z + 0 * x.detach()).backward(seed)
    z.grad.add_(1)
    w = leaf(T, [1.0, 1.0])
    w.backward(seed)
    w.grad.add_(5)
    return x.grad, y.grad, z.grad, w.grad, seed


@trap
def accumulation_into_grad(T):
    x = leaf(T, [1.0, 2.0])
    (x * x).sum().backward()
    first = x.grad
    (x * 3).sum().backward()
    return first is x.grad, x.grad


@trap
def a_node_twice_in_the_order(T):
    found = []
    for f in (lambda x: (lambda y: y * y)(x * 2), lambda x: (lambda y: y + y)(x + x), lambda x: (lambda y: y * y * y)(x.exp())):
        x = leaf(T, [1.0, 2.0])
        found += grads(f(x), x)
    return found


@trap
def layer_norm_then_square(T):
    x = ramp(T, 2, 3).sin().requires_grad_()
    o = T.nn.functional.layer_norm(x, (3,), T.full((3,), 2.0, dtype=T.float64), T.ones(3, dtype=T.float64))
    return grads((o * o).mean(), x)


@trap
def broadcast_gradients(T):
    shapes = [(), (1,), (3,), (4,), (1, 1), (1, 4), (3, 1), (3, 4), (2, 1, 1), (2, 3, 4), (1, 3, 1), (2, 1, 4)]
    found = []
    for a in shapes:
        for b in shapes:
            try:
                out = np.broadcast_shapes(a, b)
            except ValueError:
                continue
            x, y = T.ones(a, dtype=T.float64, requires_grad=True), T.full(b, 2.0, dtype=T.float64, requires_grad=True)
            (x * y).backward(ramp(T, *out) if out else T.tensor(3.0, dtype=T.float64))
            found.append((a, b, x.grad, y.grad))
    return len(found), found


@trap
def expand_1x4_to_3x4(T):
    x = T.ones(1, 4, dtype=T.float64, requires_grad=True)
    x.expand(3, 4).backward(ramp(T, 3, 4))
    return x.grad


@trap
def bias_gradient(T):
    b = T.zeros(4, requires_grad=True)
    T.nn.functional.linear(T.ones(3, 2), T.ones(4, 2), b).backward(ramp(T, 3, 4, dtype=T.float32))
    return b.grad


@trap
def sums_over_leading_dimensions(T):
    found = []
    for dim in (0, 1, 2, (0, 1), (0, 2), (1, 2), None):
        for keepdim in (False, True):
            x = ramp(T, 2, 3, 4).requires_grad_()
            y = x.sum(dim, keepdim) if dim is not None else x.sum()
            y.backward(ramp(T, *y.shape) if y.dim() else T.tensor(2.0, dtype=T.float64))
            found.append(x.grad)
    return found


def fused(T):
    """Backward fusion on, where there is such a thing."""
    class On:
        def __enter__(self):
            if T is lucid:
                lucid.ENABLE_FUSION = True

        def __exit__(self, *exc):
            if T is lucid:
                lucid.ENABLE_FUSION = False
    return On()


@trap
def fusion_keeps_the_graph(T):
    with fused(T):
        x = T.full((60_000,), 1.0, requires_grad=True)
        e = T.exp(x)
        T.log(e).sum().backward(retain_graph=True)
        first = x.grad[:2].clone()
        x.grad = None
        (e * 2).sum().backward()
        return first, x.grad[:2]


@trap
def fusion_lets_hooks_see(T):
    with fused(T):
        x, seen = T.full((60_000,), 1.0, requires_grad=True), []
        e = T.exp(x)
        e.register_hook(lambda g: seen.append(g[:2]))
        e.retain_grad()
        T.log(e).sum().backward()
        return seen, e.grad[:2], x.grad[:2]


@trap
def fusion_where_exp_overflows(T):
    with fused(T):
        found = []
        for value in (800.0, 89.0, 88.0, -120.0, 0.0):
            x = T.full((60_000,), value, requires_grad=True)
            T.log(T.exp(x)).sum().backward()
            found.append(x.grad[:2])
        return found


@trap
def in_place_on_what_is_not_saved(T):
    x = leaf(T, [1.0])
    y = x * 1
    z = y * 3
    y.add_(1)
    return grads(y + z, x)


@trap
def in_place_on_what_is_saved(T):
    x = leaf(T, [1.0])
    y = x * 1
    z = y * y
    y.add_(1)
    return error(z.sum().backward)


@trap
def augmented_assignment_keeps_the_object(T):
    x = T.ones(3)
    before, address = x, x.data_ptr()
    x += 1
    x -= 0.5
    x *= 4
    x /= 2
    return before is x, x.data_ptr() == address, x


@trap
def writing_through_a_reshape(T):
    base = T.zeros(2, 3)
    base.reshape(6)[4] = 1
    base.view(3, 2)[0].add_(2)
    base.t()[2].mul_(5)
    base[:, 1:].sub_(1)
    return base


@trap
def integers_do_not_truncate(T):
    x = T.tensor([1, 2])
    return error(x.add_, 1.5), error(x.div_, 2), error(x.mul_, T.ones(2)), x


@trap
def what_must_raise(T):
    x = leaf(T, [1.0, 2.0])
    y = (x * x).sum()
    y.backward()
    return (error(y.backward), error((x * 2).backward), error(T.ones(1).sum().backward), error(len, T.tensor(1.0)),
            error(T.nn.Linear(2, 3).load_state_dict, T.nn.Linear(2, 4).state_dict()), error(list, T.tensor(1.0)))


@trap
def tensors_pickle(T):
    x = leaf(T, [1.0, 2.0])
    view = T.arange(6).view(2, 3).t()
    p = T.nn.Parameter(T.ones(2))
    again = [pickle.loads(pickle.dumps(t)) for t in (x, x.detach(), view, p)]
    return again, again[2].stride(), type(again[3]).__name__, copy.deepcopy(x)


@trap
def hooks_replace_gradients(T):
    x = leaf(T, [1.0, 2.0])
    y = x * 2
    y.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    (y * 3).sum().backward()
    return x.grad, isinstance(x.grad, T.Tensor)


# ---- ops

@trap
def a_row_taken_twice(T):
    x = ramp(T, 3, 2).requires_grad_()
    x[[0, 0, 2]].backward(ramp(T, 3, 2))
    found = [x.grad]
    for f in (lambda x: x[T.tensor([1, 1])], lambda x: x.index_select(0, T.tensor([2, 2])), lambda x: x[:, [0, 0, 1]],
              lambda x: x.gather(0, T.tensor([[0, 0], [0, 1]])), lambda x: T.nn.functional.embedding(T.tensor([1, 1, 1]), x),
              lambda x: x.take(T.tensor([5, 5])), lambda x: x.repeat(2, 2), lambda x: x.repeat_interleave(2, 0)):
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
    return (i + 1.5, i / 2, i / i, i // 2, T.tensor(7.5) // 2, T.tensor([7.5, -7.5]) // 2, i * True, i + T.tensor(0.5), i ** 2, i ** -1.0,
            2 ** i, i % 2, -i % 3, i == 2, ~i, i ^ 1, i & 1, i << 2, T.tensor([1.0]) + T.tensor([1]), i.float() + T.tensor(1.0, dtype=T.float64),
            T.tensor([True]) + T.tensor([True]), T.tensor([True]) * 2, T.tensor([True]) + 1.5, T.tensor(2, dtype=T.uint8) - 3)


@trap
def items_keep_their_kind(T):
    values = (T.tensor(2.0).item(), T.tensor(2).item(), T.tensor(True).item(), T.tensor([3.0]).item(), T.tensor(1j).item(),
              T.tensor(2.0, dtype=T.bfloat16).item(), T.tensor([1.0, 2.0]).tolist())
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
    return (F.max_pool2d(x, 3, 2, 1), T.nn.MaxPool2d(2)(x), T.nn.MaxPool2d(2).stride, F.max_pool1d(x[0], 2, padding=1),
            F.max_pool2d(x, 2, return_indices=True), F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
            F.max_pool2d(x, 3, 2, ceil_mode=True))


@trap
def same_padding(T):
    w, x = ramp(T, 1, 1, 3, 2), ramp(T, 1, 1, 5, 6).requires_grad_()
    y = T.nn.functional.conv2d(x, w, padding="same", dilation=(2, 1))
    return y, grads(y * y, x)


@trap
def transposed_convolution(T):
    found = []
    for options in ({}, {"stride": 2}, {"stride": 2, "padding": 1, "output_padding": 1}, {"dilation": 2}, {"groups": 2}):
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
    return (F.binary_cross_entropy_with_logits(T.tensor(-2.0), T.tensor(0.0)), y, grads(y, x),
            F.binary_cross_entropy(T.tensor([0.0, 1.0]), T.tensor([1.0, 1.0])))


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
    for make in (lambda: T.nn.Linear(30, 20), lambda: T.nn.Conv2d(3, 4, 3), lambda: T.nn.Embedding(5, 3), lambda: T.nn.LSTM(3, 4),
                 lambda: T.nn.MultiheadAttention(4, 2), lambda: T.nn.Bilinear(2, 3, 4), lambda: T.nn.ConvTranspose1d(2, 3, 2)):
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
    for f in (F.elu, F.selu, F.celu, F.softplus, F.silu, F.mish, T.sigmoid, T.tanh, F.logsigmoid, F.gelu, F.relu6, F.hardswish, F.relu,
              F.leaky_relu, F.hardtanh, F.softsign, F.hardsigmoid):
        x = leaf(T, [800.0, -800.0, 0.0, -0.0, 3.0, -3.0, 6.0, 1.0, -1.0], dtype=T.float32)
        y = f(x)
        found += [y, grads(y, x)]
    return found


@trap
def gradients_at_corners(T):
    found = []
    for f in (T.abs, T.sign, T.relu, lambda x: x ** 0, lambda x: x ** 1, lambda x: x ** 2, lambda x: x.clamp(0, 1), lambda x: x.clamp(min=1),
              lambda x: T.maximum(x, x.detach().clone()), lambda x: x.max(), lambda x: x.amax(), lambda x: x.min(0).values, T.sqrt,
              lambda x: x ** 0.5, lambda x: T.pow(x, T.tensor([0.0, 0.0, 2.0, 0.0], dtype=T.float64)), lambda x: x.norm(), lambda x: x.norm(1),
              lambda x: x.prod(), lambda x: x.cumprod(0), lambda x: T.nn.functional.hardtanh(x, 0, 1), lambda x: T.where(x > 0, x, x * 0),
              lambda x: x.median(), lambda x: x.std(), lambda x: T.fmod(x, 1.0), lambda x: T.remainder(x, 1.0)):
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
    for f in (lambda x, y: F.smooth_l1_loss(x, y, beta=0.5), lambda x, y: F.huber_loss(x, y, delta=0.5), F.l1_loss, F.mse_loss,
              lambda x, y: F.smooth_l1_loss(x, y, beta=0.0), lambda x, y: F.soft_margin_loss(x, y.sign())):
        x = leaf(T, [0.0, 0.25, 3.0, -3.0, 0.5])
        y = f(x, T.zeros(5, dtype=T.float64))
        found += [y, grads(y, x)]
    return found


@trap
def products_of_every_rank(T):
    found = []
    for a, b in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((4, 2, 3), (3,)), ((3,), (4, 3, 2)), ((4, 2, 3), (3, 2)),
                 ((2, 3), (4, 3, 2)), ((4, 2, 3), (4, 3, 2)), ((4, 1, 2, 3), (5, 3, 2)), ((1, 2, 3), (4, 3, 2))):
        x, y = ramp(T, *a).sin().requires_grad_(), ramp(T, *b).cos().requires_grad_()
        z = x @ y
        (z * z).sum().backward()
        found += [z, x.grad, y.grad]
    return found


@trap
def operators(T):
    x, y = leaf(T, [1.5, 2.0, 4.0]), leaf(T, [2.0, -1.0, 0.5])
    found = [x ** y, 2 ** y, x ** 2, x % 1.5, 5.0 % x, y // 2, -y, abs(y), x @ y, 1 / x, 1 - x, divmod(7, 2), x.log_softmax(0), x < y, x != 2,
             T.tensor([6, 3]) ^ T.tensor([2, 1]), T.tensor([True, False]) ^ True, x.round(), x.__rpow__(3), T.tensor([5, 7]) >> 1]
    return found, grads((x ** y) + 2 ** y + (x % 1.5) + x.log_softmax(0), x, y)


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
    ("SGD", {"lr": 0.1, "momentum": 0.9}), ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}), ("SGD", {"lr": 0.1, "maximize": True}), ("Adam", {"lr": 0.1}),
    ("Adam", {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1, "eps": 0.1}), ("AdamW", {"lr": 0.1, "weight_decay": 0.5}),
    ("AdamW", {"lr": 0.1, "amsgrad": True}), ("NAdam", {"lr": 0.1}), ("NAdam", {"lr": 0.1, "decoupled_weight_decay": True, "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.1}), ("Rprop", {"lr": 0.1}), ("RMSprop", {"lr": 0.1, "eps": 0.1}), ("RMSprop", {"lr": 0.1, "centered": True, "momentum": 0.9}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.5}), ("Adadelta", {"rho": 0.8}), ("Adamax", {"lr": 0.1}),
    ("ASGD", {"lr": 0.1, "t0": 2, "lambd": 0.1}),
]


@pytest.mark.parametrize("name, options", OPTIMIZERS, ids=[f"{n}-{'-'.join(o)}" for n, o in OPTIMIZERS])
def test_optimisers(name, options):
    paths = []
    for T in (torch, lucid):
        p = T.tensor([1.0, -2.0, 3.0], requires_grad=True)
        o = getattr(T.optim, name)([p], **options)
        steps = []
        for i in range(8):      # RAdam changes its rule at step 6
            o.zero_grad()
            ((p - 0.5) ** 2 * T.tensor([1.0, 10.0, 0.1]) * (-1) ** (i // 3)).sum().backward()
            o.step()
            steps.append(p.tolist())
        paths.append(steps)
    np.testing.assert_allclose(paths[1], paths[0], rtol=2e-5, atol=1e-6)


# ---- programs

@trap
def factories_take_requires_grad(T):
    made = [T.randn(2, requires_grad=True), T.rand(2, requires_grad=True), T.zeros(2, requires_grad=True), T.ones(2, requires_grad=True),
            T.full((2,), 1.0, requires_grad=True), T.arange(2.0, requires_grad=True), T.linspace(0, 1, 2, requires_grad=True),
            T.eye(2, requires_grad=True), T.tensor([1.0], requires_grad=True), T.empty(0, requires_grad=True),
            T.randn_like(T.ones(2), requires_grad=True), T.zeros_like(T.ones(2), requires_grad=True), T.normal(0.0, 1.0, (2,), requires_grad=True)]
    return [(t.requires_grad, t.is_leaf, t) for t in made]


@trap
def versions_compare(T):
    v = T.__version__
    return (v >= (2, 0), v >= "1.13", v < (3,), v == T.version.__version__ or True, v.split(".")[0], re.match(r"2\.13", v) is not None,
            tuple(map(int, v.split("+")[0].split(".")[:2])), v > "2.9", isinstance(v, str))


@trap
def names_that_old_imports_want(T):
    places = ["hub", "version", "storage", "_utils", "serialization", "FloatStorage", "LongStorage", "HalfStorage", "UntypedStorage",
              "storage.TypedStorage", "storage.UntypedStorage", "_utils._rebuild_tensor_v2", "_utils._rebuild_parameter", "Tensor.storage",
              "autograd.Variable", "nn.Module", "nn.parameter.Parameter", "utils.data.dataloader.default_collate", "jit.script", "backends.cudnn",
              "cuda.is_available", "nn.modules.utils._pair", "nn.modules.conv._ConvNd", "nn.modules.batchnorm._BatchNorm", "optim.Optimizer",
              "optim.lr_scheduler.LRScheduler", "optim.lr_scheduler._LRScheduler", "nn.functional.relu", "utils.checkpoint.checkpoint",
              "nn.utils.clip_grad_norm_", "FloatTensor", "LongTensor", "ByteTensor", "multiprocessing", "distributed.is_available", "onnx",
              "_C._get_tracing_state", "overrides.has_torch_function", "library.Library", "compiler.is_compiling", "finfo", "Generator", "Size"]
    found = []
    for place in places:
        x = T
        for part in place.split("."):
            try:
                x = getattr(x, part)
            except AttributeError:
                x = __import__("importlib").import_module(f"{T.__name__}.{place}")
                break
        found.append((place, isinstance(x, type)))
    return found


@trap
def classes_can_be_subclassed(T):
    made = []
    for base in (T.nn.Module, T.nn.Linear, T.nn.modules.conv._ConvNd, T.nn.modules.batchnorm._BatchNorm, T.optim.Optimizer, T.utils.data.Dataset,
                 T.autograd.Function, T.optim.lr_scheduler.LRScheduler, T.nn.Parameter, T.Tensor, T.utils.data.Sampler, T.nn.ModuleList, T.nn.Sequential):
        made.append(issubclass(type("Mine", (base,), {}), base))
    return made


@trap
def the_old_style(T):
    x = T.autograd.Variable(T.ones(2), requires_grad=True)
    (x * 3).sum().backward()
    x.data.add_(1)
    x.data = x.data * 2
    x.grad.data.zero_()
    t = T.Tensor(2, 3)
    return (x, x.grad, tuple(t.shape), t.dtype, T.LongTensor([1, 2]), T.FloatTensor([1, 2]), T.ByteTensor([1]), T.Tensor([1, 2]),
            T.ones(2).type("torch.IntTensor"), T.ones(2).type("torch.FloatTensor"), T.ones(2).type(), T.ones(2, 3).sum(axis=0),
            T.ones(2, 3).mean(axis=1, keepdims=True), T.ones(2, 3).max(axis=1)[0], T.cat([T.ones(1), T.ones(1)], axis=0),
            T.ones(2, 3).argmax(axis=1), T.ones(2).new(3).shape == (3,), T.ones(2).new_zeros(2), T.ones(2).new_tensor([1, 2]),
            isinstance(T.ones(2), T.FloatTensor), T.is_tensor(x), T.ones(2, 3).expand_as(T.ones(2, 3)), T.ones(2).cpu(), T.ones(2).is_cuda,
            T.std(ramp(T, 4), unbiased=False), T.nn.functional.sigmoid(T.zeros(1)), T.nn.functional.tanh(T.zeros(1)), T.ger(T.ones(2), T.ones(2)))


@trap
def old_checkpoints(T):
    buffer = io.BytesIO()
    T.save({"a": T.ones(2), "b": [T.arange(3)]}, buffer, _use_new_zipfile_serialization=False)
    buffer.seek(0)
    return T.load(buffer)


def test_nothing_is_hidden_by_a_placeholder():
    """What lucid lacks raises when touched, and the message names it."""
    with pytest.raises(AttributeError, match="no_such_name"):
        lucid.no_such_name
    with pytest.raises(ImportError, match="no_such_name"):
        exec("from lucid import no_such_name")
