"""torch's private ops of optimisers, of scaled products and of attention, which programs reach as torch._fused_adam_."""

import itertools

import pytest
from both import same, same_outcome

pytestmark = pytest.mark.filterwarnings("ignore:Dropout mask", "ignore:Sparse")
SHAPES = ((3, 4), (5,), ())


def tensors(m, seed):
    m.manual_seed(seed)
    return [m.randn(shape) for shape in SHAPES]


def scaled(m, scale, found):
    return dict(grad_scale=scale and m.tensor(scale), found_inf=None if found is None else m.tensor(found))


@pytest.mark.parametrize("name", ("_fused_adam_", "_fused_adamw_"))
@pytest.mark.parametrize("amsgrad, maximize, decay", [(False, False, 0.0), (True, False, 0.1), (False, True, 0.1)])
@pytest.mark.parametrize("scale, found", [(None, None), (2.0, 0.0), (2.0, 1.0)])
def test_adam(name, amsgrad, maximize, decay, scale, found):
    def run(m):
        p, g, mean = (tensors(m, i) for i in range(3))
        square, largest = ([t.abs() for t in tensors(m, i)] for i in (3, 4))
        steps = [m.tensor(3.0) for _ in p]
        options = dict(lr=0.1, beta1=0.9, beta2=0.99, weight_decay=decay, eps=1e-8, amsgrad=amsgrad, maximize=maximize)
        for _ in range(2):
            args = p, g, mean, square, largest if amsgrad else [], steps
            assert getattr(m, name)(*args, **options, **scaled(m, scale, found)) is None
        return p, g, mean, square, largest

    same(run, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("momentum, nesterov", [(0.0, False), (0.9, False), (0.9, True)])
@pytest.mark.parametrize("decay, maximize, scale, found", [(0.0, False, None, None), (0.1, True, 4.0, 0.0)])
def test_sgd(momentum, nesterov, decay, maximize, scale, found):
    def run(m):
        p, g, moving = (tensors(m, i) for i in range(3))
        options = dict(weight_decay=decay, momentum=momentum, dampening=0.1, nesterov=nesterov, maximize=maximize)
        for first in (True, False):
            buffers = moving if momentum else []
            m._fused_sgd_(p, g, buffers, lr=0.1, is_first_step=first, **options, **scaled(m, scale, found))
        return p, g, moving

    same(run, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("decay, maximize, scale", [(0.0, False, None), (0.1, True, 4.0)])
def test_adagrad(decay, maximize, scale):
    def run(m):
        p, g = tensors(m, 0), tensors(m, 1)
        total, steps = [t.abs() for t in tensors(m, 2)], [m.tensor(2.0) for _ in p]
        options = dict(lr=0.1, lr_decay=0.2, weight_decay=decay, eps=1e-8, maximize=maximize)
        m._fused_adagrad_(p, g, total, steps, **options, **scaled(m, scale, None))
        return p, g, total

    same(run, rtol=1e-5, atol=1e-6)


def matrices(m):
    m.manual_seed(0)
    return m.randn(16, 32).to(m.float8_e4m3fn), m.randn(16, 32).to(m.float8_e4m3fn).t()


@pytest.mark.parametrize("recipe", ("TensorWise", "RowWise", "BlockWise1x32"))
@pytest.mark.parametrize("kind", ("float32", "bfloat16", "float8_e4m3fn"))
def test_scaled_mm(recipe, kind):
    def run(m):
        F = m.nn.functional
        a, b = matrices(m)
        rows = recipe == "RowWise"
        m.manual_seed(1)
        one, two = (m.rand(16, 1), m.rand(1, 16)) if rows else (m.tensor(0.5), m.tensor(0.25))
        r, out = F.ScalingType.__members__[recipe], getattr(m, kind)
        got = [F.scaled_mm(a, b, one, r, two, r, output_dtype=out), F.scaled_mm(a, b, [one], [r], [two], [r])]
        how = [int(r.value)]
        got.append(m._scaled_mm_v2(a, b, [one], how, [0], [two], how, [0], m.ones(16), out))
        return got

    same_outcome(run, text=60) if recipe.startswith("Block") else same(
        run, rtol=2e-2 if kind != "float32" else 1e-5, atol=1e-4
    )


def test_names_of_recipes():
    same(lambda m: [[(n, int(v.value)) for n, v in m.nn.functional.ScalingType.__members__.items()]])
    same(lambda m: [[(n, int(v.value)) for n, v in m.nn.functional.SwizzleType.__members__.items()]])


@pytest.mark.parametrize("gqa, causal, masked", [*itertools.product((False, True), repeat=3)])
def test_attention_math(gqa, causal, masked):
    def run(m):
        m.manual_seed(0)
        q, k, v = m.randn(2, 4, 3, 8), *(m.randn(2, 2 if gqa else 4, 3, 8) for _ in range(2))
        mask = m.ones(3, 3).tril().bool() if masked and not causal else None
        dropped = m.tensor([[1, 0, 1]] * 3).bool().expand(2, 4, 3, 3) if masked else None
        p = 0.5 if masked else 0.0
        return m._scaled_dot_product_attention_math(q, k, v, mask, p, causal, dropped, enable_gqa=gqa)

    same(run, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ("cudnn_attention", "efficient_attention", "flash_attention"))
def test_attention_of_other_devices(name):
    """torch's CPU has none of them: NotImplementedError."""

    def run(m):
        q = m.ones(1, 2, 3, 8)
        more = (None, False) if name != "flash_attention" else ()
        return getattr(m, f"_scaled_dot_product_{name}")(q, q, q, *more)

    same_outcome(run, text=0)


@pytest.mark.parametrize("reduce", ("sum", "mean", "amax", "amin"))
@pytest.mark.parametrize("sparse_too", (False, True))
def test_second_derivative_of_sparse_mm(reduce, sparse_too):
    """The first one may be recorded, under a node that refuses to go on."""

    def gradient(m):
        x = m.sparse_csr_tensor([0, 2, 3], [0, 1, 1], [1.0, 2.0, 3.0], size=(2, 2)).requires_grad_(sparse_too)
        y = m.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        z = m.sparse.mm(x, y, reduce)
        return m.autograd.grad((z * z).sum(), y, create_graph=True)[0], y

    same(lambda m: (g := gradient(m)[0], type(g.grad_fn).__name__), looks="requires_grad node")
    same_outcome(lambda m: m.autograd.grad((ends := gradient(m))[0].sum(), ends[1]))
