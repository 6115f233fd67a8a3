"""torch.func, autograd.functional and forward_ad beside torch: values, structure, and how transforms compose."""

import pytest
import torch
from both import error, same

import lucid


def given(api):
    api.manual_seed(0)
    return api.rand(4, 3) + 0.5, api.rand(3, 3)


def loss(api, row, w):
    return api.tanh(w @ row).pow(2).sum()


def autograd_of(api, x, w):
    """v -> the gradients of a vector function in two variables, whose graph was recorded outside."""
    x, w = x.clone().requires_grad_(), w.clone().requires_grad_()
    y = api.tanh(w @ x[0]).cumsum(0)
    return lambda v, **how: api.autograd.grad(y, (x, w), v, retain_graph=True, **how)


def batched_gradients(api, x, w, create_graph):
    got = autograd_of(api, x, w)(api.eye(3), is_grads_batched=True, create_graph=create_graph)
    if create_graph:
        got[1].pow(2).sum().backward()
    return got


def ensemble(api, x):
    """Several modules at once, their states stacked."""
    models = [api.nn.Sequential(api.nn.Linear(3, 4), api.nn.Tanh(), api.nn.Linear(4, 2)) for _ in range(3)]
    params, buffers = api.func.stack_module_state(models)
    call = api.func.functional_call
    return api.vmap(lambda p, b: call(models[0], (p, b), (x,)))(params, buffers)


PROGRAMS = {
    "grad": lambda t, x, w: t.func.grad(lambda x: loss(t, x[0], w))(x),
    "grad argnums": lambda t, x, w: t.func.grad(lambda a, b: loss(t, a, b), argnums=(0, 1))(x[0], w),
    "grad aux": lambda t, x, w: t.func.grad(lambda a: (loss(t, a, w), a * 2), has_aux=True)(x[0]),
    "grad and value": lambda t, x, w: t.func.grad_and_value(lambda a: loss(t, a, w))(x[0]),
    "grad of grad": lambda t, x, w: t.func.grad(lambda a: t.func.grad(lambda b: loss(t, b, w))(a).sum())(x[0]),
    "vmap": lambda t, x, w: t.func.vmap(lambda r: t.tanh(w @ r))(x),
    "vmap dims": lambda t, x, w: t.func.vmap(lambda r: r.softmax(0), in_dims=1, out_dims=1)(x),
    "vmap none": lambda t, x, w: t.func.vmap(lambda r, m: m @ r, in_dims=(0, None))(x, w),
    "vmap twice": lambda t, x, w: t.func.vmap(
        t.func.vmap(lambda a, b: a * b + 1, in_dims=(None, 0)), in_dims=(0, None)
    )(x, w[0]),
    "vmap nested arguments": lambda t, x, w: t.func.vmap(lambda d: d["a"] + d["b"], in_dims=({"a": 0, "b": None},))(
        {"a": x, "b": w[0]}
    ),
    "vmap several results": lambda t, x, w: t.func.vmap(lambda r: (r.sum(), r * 2))(x),
    "vmap chunks": lambda t, x, w: t.func.vmap(lambda r: (w @ r).exp(), chunk_size=3)(x),
    "vmap index": lambda t, x, w: t.func.vmap(lambda r, i: r[i], in_dims=(None, 0))(x, t.tensor([0, 2, 1])),
    "vmap advanced index": lambda t, x, w: t.func.vmap(lambda r: r[[0, 0, 2]])(x),
    "vmap in place": lambda t, x, w: t.func.vmap(lambda r: r.clone().add_(1).mul_(r))(x),
    "vmap of new": lambda t, x, w: t.func.vmap(lambda r: t.cat([r, r.new_zeros(2)]))(x),
    "vmap of grad": lambda t, x, w: t.func.vmap(t.func.grad(lambda r: loss(t, r, w)))(x),
    "per-sample gradients": lambda t, x, w: t.func.vmap(t.func.grad(lambda m, r: loss(t, r, m)), in_dims=(None, 0))(
        w, x
    ),
    "vmap of cross entropy": lambda t, x, w: t.func.vmap(
        t.func.grad(lambda r: t.nn.functional.cross_entropy(r[None], t.tensor([1])))
    )(x),
    "grad of vmap": lambda t, x, w: t.func.grad(lambda m: t.func.vmap(lambda r: loss(t, r, m))(x).sum())(w),
    "jvp": lambda t, x, w: t.func.jvp(lambda a: (a @ w).exp().sum(1), (x,), (x * x,)),
    "jvp of two": lambda t, x, w: t.func.jvp(lambda a, b: a @ b, (x, w), (x * x, w)),
    "jvp of softmax": lambda t, x, w: t.func.jvp(lambda a: a.softmax(1), (x,), (x * x,)),
    "jvp of views": lambda t, x, w: t.func.jvp(lambda a: a.t()[1:].reshape(-1).flip(0), (x,), (x * x,)),
    "jvp of amax": lambda t, x, w: t.func.jvp(lambda a: a.amax(1), (x,), (x * x,)),
    "jvp in place": lambda t, x, w: t.func.jvp(
        lambda a: a.clone().mul_(a).index_fill_(0, t.tensor([1]), 3.0), (x,), (x,)
    ),
    "jvp of grad": lambda t, x, w: t.func.jvp(t.func.grad(lambda a: loss(t, a, w)), (x[0],), (x[1],)),
    "grad of jvp": lambda t, x, w: t.func.grad(lambda a: t.func.jvp(lambda b: (b @ w).sin(), (a,), (x,))[1].sum())(x),
    "jvp of jvp": lambda t, x, w: t.func.jvp(lambda a: t.func.jvp(lambda b: (b @ w).sin(), (a,), (x,))[1], (x,), (x,)),
    "vjp": lambda t, x, w: t.func.vjp(lambda a: a @ w, x)[1](x @ w),
    "vjp of two": lambda t, x, w: t.func.vjp(lambda a, b: a @ b, x, w)[1](x @ w),
    "jacrev": lambda t, x, w: t.func.jacrev(lambda a: t.tanh(a @ w))(x),
    "jacfwd": lambda t, x, w: t.func.jacfwd(lambda a: t.tanh(a @ w))(x),
    "jacrev of two": lambda t, x, w: t.func.jacrev(lambda a, b: t.tanh(a @ b), argnums=(0, 1))(x, w),
    "jacfwd of two": lambda t, x, w: t.func.jacfwd(lambda a, b: t.tanh(a @ b), argnums=(0, 1))(x, w),
    "hessian": lambda t, x, w: t.func.hessian(lambda r: t.tanh(w @ r).prod())(x[0]),
    "jacfwd of jacrev": lambda t, x, w: t.func.jacfwd(t.func.jacrev(lambda r: t.tanh(w @ r)))(x[0]),
    "jacrev of jacfwd": lambda t, x, w: t.func.jacrev(t.func.jacfwd(lambda r: t.tanh(w @ r)))(x[0]),
    "detach in jvp": lambda t, x, w: t.func.jvp(lambda a: a.detach() * a + a.data, (x,), (w[0].expand(4, 3),)),
    "jvp in place of new": lambda t, x, w: t.func.jvp(lambda a: t.zeros(4, 3).add_(a), (x,), (x * x,)),
    "vmap in place of new": lambda t, x, w: t.func.vmap(lambda a: a.new_zeros(3).add_(a))(x),
    "batched gradients": lambda t, x, w: batched_gradients(t, x, w, False),
    "batched gradients of gradients": lambda t, x, w: batched_gradients(t, x, w, True),
    "vmap of autograd.grad": lambda t, x, w: t.func.vmap(autograd_of(t, x, w))(t.eye(3)),
    "ensemble": lambda t, x, w: ensemble(t, x),
    "linearize": lambda t, x, w: t.func.linearize(lambda a: t.tanh(a @ w), x)[1](x),
    "functional.jacobian": lambda t, x, w: t.autograd.functional.jacobian(lambda a: t.tanh(a @ w), x),
    "functional.jacobian of two": lambda t, x, w: t.autograd.functional.jacobian(lambda a, b: (a @ b, a.sum()), (x, w)),
    "functional.jacobian forward": lambda t, x, w: t.autograd.functional.jacobian(
        lambda a: t.tanh(a @ w), x, vectorize=True, strategy="forward-mode"
    ),
    "functional.jacobian vectorized": lambda t, x, w: t.autograd.functional.jacobian(
        lambda a, b: (a @ b, a.sum()), (x, w), vectorize=True
    ),
    "functional.hessian vectorized": lambda t, x, w: t.autograd.functional.hessian(
        lambda a: loss(t, a, w), x[0], vectorize=True
    ),
    "functional.hessian": lambda t, x, w: t.autograd.functional.hessian(lambda a: loss(t, a, w), x[0]),
    "functional.hessian of two": lambda t, x, w: t.autograd.functional.hessian(lambda a, b: loss(t, a, b), (x[0], w)),
    "functional.vjp": lambda t, x, w: t.autograd.functional.vjp(lambda a: a @ w, x, x @ w),
    "functional.jvp": lambda t, x, w: t.autograd.functional.jvp(lambda a: t.exp(a @ w), x, x),
    "functional.hvp": lambda t, x, w: t.autograd.functional.hvp(lambda a: loss(t, a, w), x[0], x[1]),
    "functional.vhp": lambda t, x, w: t.autograd.functional.vhp(lambda a: loss(t, a, w), x[0], x[1]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    # there torch's result requires a gradient that nobody asked for
    looks = "" if name == "jacrev of jacfwd" else "requires_grad"
    same(lambda t: PROGRAMS[name](t, *given(t)), looks=looks, rtol=1e-4, atol=1e-6, quiet=torch)


def test_forward_ad():
    def program(api):
        x, w = given(api)
        fwd = api.autograd.forward_ad
        with fwd.dual_level():
            out = api.tanh(fwd.make_dual(x, x * x) @ w)
            primal, tangent = fwd.unpack_dual(out)
            assert fwd.unpack_dual(w).tangent is None
        return primal, tangent

    same(program, looks="requires_grad", rtol=1.3e-6, atol=1e-5)
    with pytest.raises(RuntimeError, match="no level exists"):
        lucid.autograd.forward_ad.make_dual(lucid.ones(1), lucid.ones(1))


def refusals(api):
    x = api.ones(3, 2)
    return [
        lambda: api.func.vmap(lambda a: a)(),
        lambda: api.func.vmap(lambda a: a, in_dims=2)(x),
        lambda: api.func.vmap(lambda a: 1)(x),
        lambda: api.func.vmap(lambda a: a.sum().item())(x),
        lambda: api.func.vmap(lambda a, b: a + b)(x, api.ones(2)),
        lambda: api.func.grad(lambda a: a * 2)(x),
        lambda: api.func.vmap(lambda a: a if a.sum() > 0 else -a)(x),
    ]


@pytest.mark.parametrize("i", range(7))
def test_refusals(i):
    same(lambda api: type(error(refusals(api)[i])).__name__)
