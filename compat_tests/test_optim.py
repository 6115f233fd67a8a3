"""Optimisers beside torch: parameters and state after several steps, groups, checkpoints, hooks, errors; quick form and
slow form."""

import copy
import importlib

import numpy as np
import pytest
import torch
from both import BOTH, agree, both, same, same_outcome

import lucid

CONFIGS = {
    "SGD": [
        {},
        dict(lr=0.1),
        dict(lr=0.1, momentum=0.9),
        dict(lr=0.1, momentum=0.9, nesterov=True),
        dict(lr=0.1, weight_decay=0.1),
        dict(lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.2, maximize=True),
        dict(momentum=0.5, foreach=True),
        dict(fused=True),
    ],
    "Adam": [
        {},
        dict(lr=0.1, weight_decay=0.1),
        dict(lr=0.1, amsgrad=True),
        dict(betas=(0.5, 0.6), eps=0.1),
        dict(lr=0.1, weight_decay=0.1, maximize=True, amsgrad=True),
        dict(weight_decay=0.1, decoupled_weight_decay=True),
    ],
    "AdamW": [{}, dict(lr=0.1, weight_decay=0.1, amsgrad=True, maximize=True)],
    "RMSprop": [
        {},
        dict(momentum=0.9),
        dict(centered=True),
        dict(alpha=0.5, eps=0.1, weight_decay=0.1),
        dict(momentum=0.9, centered=True, weight_decay=0.1, maximize=True),
    ],
    "Adagrad": [{}, dict(lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.1, maximize=True)],
    "Adadelta": [{}, dict(weight_decay=0.1, maximize=True, rho=0.5)],
    "Adamax": [{}, dict(weight_decay=0.1, maximize=True)],
    "NAdam": [{}, dict(weight_decay=0.1, maximize=True), dict(weight_decay=0.1, decoupled_weight_decay=True)],
    "RAdam": [
        {},
        dict(weight_decay=0.1, maximize=True),
        dict(weight_decay=0.1, decoupled_weight_decay=True, betas=(0.5, 0.6)),
    ],
    "ASGD": [{}, dict(weight_decay=0.1, maximize=True), dict(t0=2)],
    "Rprop": [{}, dict(maximize=True, step_sizes=(1e-3, 0.02))],
    "Adafactor": [{}, dict(weight_decay=0.1, maximize=True, lr=0.1, d=2.0)],
}
CASES = [(name, i) for name, configs in CONFIGS.items() for i in range(len(configs))]
TOLERANCE = {"float32": 2e-6, "float64": 1e-13, "complex64": 2e-6, "bfloat16": 4e-2, "float16": 4e-3}


def parameters(m, dtype, rng):
    values = [
        np.asarray(rng.randn(*s) + (1j * rng.randn(*s) if dtype.startswith("c") else 0))
        for s in ((3, 4), (5,), (), (7, 1))
    ]
    return [m.tensor(v, dtype=getattr(m, dtype)).requires_grad_() for v in values]


def give_gradients(m, params, rng, step):
    for j, p in enumerate(params):
        g = np.asarray(rng.randn(*p.shape) + (1j * rng.randn(*p.shape) if p.is_complex() else 0))
        p.grad = m.tensor(g, dtype=p.dtype) if (step + j) % 5 else None


def train(m, name, config, dtype, slow=False, steps=7):
    rng = np.random.RandomState(0)
    params = parameters(m, dtype, rng)
    optimizer = getattr(m.optim, name)(params, **config)
    if slow:  # lucid's; torch's does not look at it
        optimizer._fast = lambda group: None
    for step in range(steps):
        give_gradients(m, params, rng, step)
        optimizer.step()
    # torch's Rprop and Adafactor, and what is fused, write otherwise often
    counted = name not in ("Rprop", "Adafactor") and not config.get("fused") and not slow
    return params, optimizer.state_dict()["state"], repr(optimizer), counted and [p._version for p in params]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name,i", CASES)
def test_steps(name, i, dtype):
    config = CONFIGS[name][i]
    if dtype == "complex64" and name in ("Rprop", "Adafactor") or config.get("fused") and dtype == "complex64":
        pytest.skip("torch cannot")
    # E[g**2] - E[g]**2 cancels, and torch's own halves depend on where in a vector an element lies
    scale = 4 if config.get("centered") and dtype in ("float16", "bfloat16") else 1
    near = {"rtol": TOLERANCE[dtype], "atol": scale * TOLERANCE[dtype]}
    same(train, name, config, dtype, **near)
    same(train, name, config, dtype, True, **near)


def test_large_parameters_go_in_pieces():
    def program(m):
        p = m.from_numpy(np.linspace(-1, 1, 700_000, dtype=np.float32)).requires_grad_()
        o = m.optim.Adam([p], lr=0.1)
        for _ in range(2):
            p.grad = (p * 3).detach().sin()
            o.step()
        return p

    same(program, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("layout", ["transposed", "channels_last"])
def test_other_layouts(layout):
    def program(m):
        if layout == "transposed":
            p = m.arange(12.0).reshape(3, 4).t().detach().requires_grad_()
        else:
            p = m.arange(120.0).reshape(2, 3, 4, 5).contiguous(memory_format=m.channels_last).requires_grad_()
        o = m.optim.Adam([p], lr=0.1)
        for _ in range(3):
            p.grad = m.ones(p.shape) + p.detach() * 0.1
            o.step()
        return p, o.state[p]["exp_avg"]

    same(program, rtol=1e-6)


def test_step_marks_saved_values_stale():
    def program(m):
        p = m.ones(3, requires_grad=True)
        loss = (p * p).sum()
        p.grad = m.ones(3)
        m.optim.SGD([p], lr=0.1).step()
        loss.backward()

    same_outcome(program)


@pytest.mark.parametrize(
    "options",
    [
        {},
        dict(lr=0.1),
        dict(line_search_fn="strong_wolfe"),
        dict(max_iter=4, history_size=3, lr=0.3),
        dict(line_search_fn="strong_wolfe", max_iter=5, history_size=2, tolerance_change=1e-12),
    ],
)
def test_lbfgs(options):
    def program(m):
        rng = np.random.RandomState(0)
        a, b, w, c = (m.tensor(rng.randn(*s)) for s in ((8, 5), (8, 3), (5, 3), (3,)))
        w.requires_grad_(), c.requires_grad_()
        o, calls, losses = m.optim.LBFGS([w, c], **options), [0], []

        def closure():
            calls[0] += 1
            o.zero_grad()
            e = a.matmul(w) + c - b
            loss = (e * e * e * e).sum() + (w * w).sum()
            loss.backward()
            return loss

        for _ in range(6):
            losses.append(o.step(closure).item())
        state = o.state_dict()["state"][0]
        return losses, w.detach(), (calls, state["func_evals"], state["n_iter"], sorted(state))

    wanted, got = both(program)
    agree(got[0], wanted[0], "losses", rtol=1e-8)
    agree(got[1], wanted[1], "weights", rtol=1e-8, atol=1e-8)
    assert got[2] == wanted[2]


def test_lbfgs_wants_one_group():
    same_outcome(lambda m: m.optim.LBFGS([{"params": [m.ones(1)]}, {"params": [m.ones(1)]}]))


def test_muon():
    def program(m):
        p = (m.arange(12.0).reshape(3, 4) / 7).requires_grad_()
        o = m.optim.Muon([p], lr=0.1)
        for i in range(3):
            p.grad = m.arange(12.0).reshape(3, 4).sin() + i
            o.step()
        return p

    same(program, rtol=1e-3, atol=1e-3)
    same_outcome(lambda m: m.optim.Muon([m.ones(3)]))


def make(m, name="Adam", **options):
    m.manual_seed(0)
    params = [m.ones(2, 2, requires_grad=True), m.zeros(3, requires_grad=True)]
    return getattr(m.optim, name)([{"params": params[:1], "lr": 0.5}, {"params": params[1:]}], **options), params


def base(m):
    return importlib.import_module(m.__name__ + ".optim.optimizer")


def step(m, optimizer, params, n=1):
    for i in range(n):
        for p in params:
            p.grad = m.full(p.shape, 0.5 + i)
        optimizer.step()


PROGRAMS = {
    "repr": lambda m: repr(make(m)[0]),
    "state keys": lambda m: sorted(make(m)[0].state_dict()),
    "groups": lambda m: make(m, weight_decay=0.1)[0].state_dict()["param_groups"],
    "named": lambda m: m.optim.SGD(
        [("a", m.ones(2, requires_grad=True)), ("b", m.ones(1, requires_grad=True))]
    ).state_dict(),
    "named partly": lambda m: m.optim.SGD([("a", m.ones(2)), m.ones(1)]),
    "named groups": lambda m: m.optim.SGD([{"params": [("a", m.ones(1))]}, {"params": [m.ones(1)]}]),
    "tensor": lambda m: m.optim.SGD(m.ones(2)),
    "empty": lambda m: m.optim.SGD([]),
    "non-leaf": lambda m: m.optim.SGD([m.ones(2, requires_grad=True) * 2]),
    "number": lambda m: m.optim.SGD([3]),
    "set": lambda m: m.optim.SGD([{"params": {m.ones(2)}}]),
    "not a dict": lambda m: make(m)[0].add_param_group([1]),
    "twice": lambda m: [o.add_param_group({"params": p[0]}) for o, p in [make(m)]],
    "no params": lambda m: m.optim.SGD([{"lr": 1}]),
    "add group": lambda m: [
        (o.add_param_group({"params": m.ones(1), "lr": 3.0}), o.state_dict()["param_groups"][2]) for o, _ in [make(m)]
    ],
    "lr": lambda m: m.optim.Adam([m.ones(1)], lr=-1),
    "lr tensor": lambda m: m.optim.SGD([m.ones(1)], lr=m.ones(2)),
    "eps": lambda m: m.optim.Adam([m.ones(1)], eps=-1),
    "betas": lambda m: m.optim.Adam([m.ones(1)], betas=(1.0, 0.5)),
    "betas 2": lambda m: m.optim.AdamW([m.ones(1)], betas=(0.5, 1.5)),
    "mixed betas": lambda m: m.optim.Adam([m.ones(1)], betas=(0.5, m.tensor(0.5))),
    "decay": lambda m: m.optim.Adagrad([m.ones(1)], weight_decay=-1),
    "momentum": lambda m: m.optim.RMSprop([m.ones(1)], momentum=-1),
    "nesterov": lambda m: m.optim.SGD([m.ones(1)], nesterov=True),
    "rho": lambda m: m.optim.Adadelta([m.ones(1)], rho=1.1),
    "etas": lambda m: m.optim.Rprop([m.ones(1)], etas=(1.0, 0.5)),
    "fused and foreach": lambda m: m.optim.Adam([m.ones(1)], fused=True, foreach=True),
    "fused differentiable": lambda m: m.optim.Adam([m.ones(1)], fused=True, differentiable=True),
    "momentum_decay": lambda m: m.optim.NAdam([m.ones(1)], momentum_decay=-0.2),
    "base": lambda m: m.optim.Optimizer([m.ones(1)], {}).step(),
    "required": lambda m: m.optim.Optimizer([m.ones(1)], {"lr": base(m).required}),
    "sparse": lambda m: m.optim.SparseAdam([m.ones(1)], lr=0),
    "adafactor": lambda m: m.optim.Adafactor([m.ones(1)], d=0.5),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    if name == "base":
        with pytest.raises(NotImplementedError):
            PROGRAMS[name](lucid)
        return
    same_outcome(PROGRAMS[name], name=name)


def test_duplicates_warn():
    for m in BOTH:
        p = m.ones(1)
        with pytest.warns(UserWarning, match="duplicate parameters"):
            m.optim.SGD([p, p])


def test_zero_grad():
    def program(m):
        o, params = make(m)
        step(m, o, params)
        params[0].grad = (params[0] * 2).detach().requires_grad_() * 1
        o.zero_grad(set_to_none=False)
        first = [p.grad for p in params]
        o.zero_grad()
        return first, [p.grad for p in params]

    same(program)


@pytest.mark.parametrize("name", ["SGD", "Adam", "Adagrad", "ASGD", "NAdam"])
def test_checkpoint(name):
    def program(m):
        options = {"momentum": 0.9} if name == "SGD" else {}
        first, params = make(m, name, **options)
        step(m, first, params, 3)
        saved = copy.deepcopy(first.state_dict())
        second, others = make(m, name, **options)
        with m.no_grad():
            for ours, theirs in zip(others, params):
                ours.copy_(theirs)
        second.load_state_dict(saved)
        step(m, first, params, 2)
        step(m, second, others, 2)
        assert all((a == b).all() for a, b in zip(params, others))
        return [
            [sorted(entry) for entry in second.state_dict()["state"].values()],
            second.state_dict()["param_groups"],
            repr(second),
        ]

    same(program)


@pytest.mark.parametrize("change", ["fewer groups", "fewer params"])
def test_checkpoint_that_does_not_fit(change):
    def program(m):
        o, params = make(m)
        saved = copy.deepcopy(o.state_dict())
        if change == "fewer groups":
            saved["param_groups"].pop()
        else:
            saved["param_groups"][0]["params"] = []
        o.load_state_dict(saved)

    same_outcome(program)


def test_checkpoint_casts_to_the_parameter():
    def program(m):
        o, params = make(m)
        step(m, o, params)
        saved = o.state_dict()
        wide = m.optim.Adam([{"params": [m.ones(2, 2, dtype=m.float64)]}, {"params": [m.ones(3, dtype=m.float64)]}])
        wide.load_state_dict(saved)
        return [
            {k: (v.dtype, v.shape == saved["state"][i][k].shape) for k, v in entry.items()}
            for i, entry in wide.state_dict()["state"].items()
        ]

    same(program)


def test_checkpoint_of_torch():
    """A state_dict that torch made, its tensors turned into ours."""
    theirs, params = make(torch)
    step(torch, theirs, params, 3)
    saved = theirs.state_dict()
    state = {i: {k: lucid.tensor(v.numpy()) for k, v in entry.items()} for i, entry in saved["state"].items()}
    ours, others = make(lucid)
    with lucid.no_grad():
        for a, b in zip(others, params):
            a.copy_(lucid.tensor(b.detach().numpy()))
    ours.load_state_dict({"state": state, "param_groups": saved["param_groups"]})
    step(torch, theirs, params, 2)
    step(lucid, ours, others, 2)
    for a, b in zip(others, params):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), 1e-6)


def test_hooks():
    def program(m):
        o, params = make(m)
        seen = []
        o.register_step_pre_hook(lambda opt, args, kwargs: seen.append(("pre", len(args), kwargs)))
        handle = o.register_step_post_hook(lambda opt, args, kwargs: seen.append("post"))
        everywhere = [
            base(m).register_optimizer_step_pre_hook(lambda *a: seen.append("global pre")),
            base(m).register_optimizer_step_post_hook(lambda *a: seen.append("global post")),
        ]
        o.register_state_dict_pre_hook(lambda opt: seen.append("saving"))
        o.register_state_dict_post_hook(lambda opt, state: {**state, "more": 1})
        o.register_load_state_dict_pre_hook(lambda opt, state: seen.append(sorted(state)))
        o.register_load_state_dict_post_hook(lambda opt: seen.append("loaded"))
        o.register_load_state_dict_post_hook(lambda opt: seen.append("loaded first"), prepend=True)
        step(m, o, params)
        handle.remove()
        step(m, o, params)
        o.load_state_dict(o.state_dict())
        for h in everywhere:
            h.remove()
        return seen

    same(program)


def test_bad_hook():
    def program(m):
        o, params = make(m)
        o.register_step_pre_hook(lambda opt, args, kwargs: 3)
        try:
            o.step()
        except RuntimeError as error:
            return str(error).partition("must return")[2]

    same(program)


def test_closure():
    def program(m):
        o, params = make(m)

        def closure():
            o.zero_grad()
            loss = ((params[0] - 3) ** 2).sum() + (params[1] + 1).pow(2).sum()
            loss.backward()
            return loss

        with m.no_grad():
            losses = [o.step(closure).item() for _ in range(3)]
        return [round(x, 4) for x in losses]

    same(program)


def test_pickle_and_copy():
    import pickle

    o, params = make(lucid)
    step(lucid, o, params)
    again = pickle.loads(pickle.dumps(o))
    assert repr(again) == repr(o) and len(again.state) == 2
    twin = copy.deepcopy(o)
    assert twin.param_groups[0]["params"][0] is not params[0] and twin.param_groups[0]["params"][0] in twin.state


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "Adadelta", "NAdam", "RAdam", "ASGD"])
def test_differentiable(name):
    """Gradients through steps, to the first parameters."""

    def program(m):
        start = m.tensor([1.0, 2.0], dtype=m.float64, requires_grad=True)
        p = start.clone()
        o = getattr(m.optim, name)([p], lr=0.1, differentiable=True)
        for i in range(3):
            p.grad = start * (i + 1.5) if name != "ASGD" else start.detach() * (i + 1.5)
            o.step()
        return p.detach(), m.autograd.grad(p.sum(), start)[0]

    same(program, rtol=1e-10)


def test_learning_rate_tensor():
    def program(m):
        o, params = make(m, "SGD")
        o.param_groups[1]["lr"] = m.tensor(0.25)
        step(m, o, params)
        return params

    same(program)


def test_subclass_with_a_step_of_its_own():
    def program(m):
        class Half(m.optim.SGD):
            def step(self, closure=None):
                for group in self.param_groups:
                    for p in group["params"]:
                        p.grad = p.grad / 2
                return super().step(closure)

        p = m.ones(2, requires_grad=True)
        o = Half([p], lr=1.0)
        p.grad = m.ones(2)
        o.step()
        return p, type(o).step.hooked, o._zero_grad_profile_name

    same(program)


def test_functions_over_lists():
    def program(m):
        p, g, buffers = [m.ones(3)], [m.arange(3.0)], [None]
        m.optim.sgd.sgd(
            p, g, buffers, weight_decay=0, momentum=0.9, lr=0.1, dampening=0, nesterov=False, maximize=False
        )
        q, means, squares, steps = [m.ones(3)], [m.zeros(3)], [m.zeros(3)], [m.tensor(0.0)]
        m.optim.adam.adam(
            q,
            g,
            means,
            squares,
            [],
            steps,
            amsgrad=False,
            beta1=0.9,
            beta2=0.999,
            lr=0.1,
            weight_decay=0,
            eps=1e-8,
            maximize=False,
        )
        return p, buffers, steps, [round(x, 5) for x in q[0].tolist()]

    import torch.optim._functional

    torch.optim.sgd, torch.optim.adam = (__import__("sys").modules[f"torch.optim.{n}"] for n in ("sgd", "adam"))
    same(program, quiet=True)
