"""What other torch-like libraries got wrong in their engines and towards programs: small programs run with both libraries."""

import copy
import io
import pickle
import re

import numpy as np
import pytest
from both import error, same
from programs import grads, leaf, ramp

import lucid

TRAPS = []


def trap(program):
    """A program of a library T; what it returns has to be the same for both."""
    TRAPS.append(program)
    return program


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
    for f in (
        lambda x: (lambda y: y * y)(x * 2),
        lambda x: (lambda y: y + y)(x + x),
        lambda x: (lambda y: y * y * y)(x.exp()),
    ):
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
    return (
        error(y.backward),
        error((x * 2).backward),
        error(T.ones(1).sum().backward),
        error(len, T.tensor(1.0)),
        error(T.nn.Linear(2, 3).load_state_dict, T.nn.Linear(2, 4).state_dict()),
        error(list, T.tensor(1.0)),
    )


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


# ---- programs


@trap
def factories_take_requires_grad(T):
    made = [
        T.randn(2, requires_grad=True),
        T.rand(2, requires_grad=True),
        T.zeros(2, requires_grad=True),
        T.ones(2, requires_grad=True),
        T.full((2,), 1.0, requires_grad=True),
        T.arange(2.0, requires_grad=True),
        T.linspace(0, 1, 2, requires_grad=True),
        T.eye(2, requires_grad=True),
        T.tensor([1.0], requires_grad=True),
        T.empty(0, requires_grad=True),
        T.randn_like(T.ones(2), requires_grad=True),
        T.zeros_like(T.ones(2), requires_grad=True),
        T.normal(0.0, 1.0, (2,), requires_grad=True),
    ]
    return [(t.requires_grad, t.is_leaf, t) for t in made]


@trap
def versions_compare(T):
    v = T.__version__
    return (
        v >= (2, 0),
        v >= "1.13",
        v < (3,),
        v == T.version.__version__ or True,
        v.split(".")[0],
        re.match(r"2\.13", v) is not None,
        tuple(map(int, v.split("+")[0].split(".")[:2])),
        v > "2.9",
        isinstance(v, str),
    )


@trap
def names_that_old_imports_want(T):
    places = [
        "hub",
        "version",
        "storage",
        "_utils",
        "serialization",
        "FloatStorage",
        "LongStorage",
        "HalfStorage",
        "UntypedStorage",
        "storage.TypedStorage",
        "storage.UntypedStorage",
        "_utils._rebuild_tensor_v2",
        "_utils._rebuild_parameter",
        "Tensor.storage",
        "autograd.Variable",
        "nn.Module",
        "nn.parameter.Parameter",
        "utils.data.dataloader.default_collate",
        "jit.script",
        "backends.cudnn",
        "cuda.is_available",
        "nn.modules.utils._pair",
        "nn.modules.conv._ConvNd",
        "nn.modules.batchnorm._BatchNorm",
        "optim.Optimizer",
        "optim.lr_scheduler.LRScheduler",
        "optim.lr_scheduler._LRScheduler",
        "nn.functional.relu",
        "utils.checkpoint.checkpoint",
        "nn.utils.clip_grad_norm_",
        "FloatTensor",
        "LongTensor",
        "ByteTensor",
        "multiprocessing",
        "distributed.is_available",
        "onnx",
        "_C._get_tracing_state",
        "overrides.has_torch_function",
        "library.Library",
        "compiler.is_compiling",
        "finfo",
        "Generator",
        "Size",
    ]
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
    for base in (
        T.nn.Module,
        T.nn.Linear,
        T.nn.modules.conv._ConvNd,
        T.nn.modules.batchnorm._BatchNorm,
        T.optim.Optimizer,
        T.utils.data.Dataset,
        T.autograd.Function,
        T.optim.lr_scheduler.LRScheduler,
        T.nn.Parameter,
        T.Tensor,
        T.utils.data.Sampler,
        T.nn.ModuleList,
        T.nn.Sequential,
    ):
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
    return (
        x,
        x.grad,
        tuple(t.shape),
        t.dtype,
        T.LongTensor([1, 2]),
        T.FloatTensor([1, 2]),
        T.ByteTensor([1]),
        T.Tensor([1, 2]),
        T.ones(2).type("torch.IntTensor"),
        T.ones(2).type("torch.FloatTensor"),
        T.ones(2).type(),
        T.ones(2, 3).sum(axis=0),
        T.ones(2, 3).mean(axis=1, keepdims=True),
        T.ones(2, 3).max(axis=1)[0],
        T.cat([T.ones(1), T.ones(1)], axis=0),
        T.ones(2, 3).argmax(axis=1),
        T.ones(2).new(3).shape == (3,),
        T.ones(2).new_zeros(2),
        T.ones(2).new_tensor([1, 2]),
        isinstance(T.ones(2), T.FloatTensor),
        T.is_tensor(x),
        T.ones(2, 3).expand_as(T.ones(2, 3)),
        T.ones(2).cpu(),
        T.ones(2).is_cuda,
        T.std(ramp(T, 4), unbiased=False),
        T.nn.functional.sigmoid(T.zeros(1)),
        T.nn.functional.tanh(T.zeros(1)),
        T.ger(T.ones(2), T.ones(2)),
    )


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


@pytest.mark.parametrize("program", TRAPS, ids=lambda f: f.__name__)
def test_trap(program):
    same(program, rtol=2e-5, atol=1e-6, quiet=True)
