"""Hooks of nn.Module against torch's: the same small programs run on both, and all that they show must be equal."""

import pytest
from both import same, shown
from programs import linear, make

SCENARIOS = []


def scenario(f):
    SCENARIOS.append(f)
    return f


def state_hooks(torch, show):
    net = make(torch)
    seq = net.seq
    seq.register_state_dict_pre_hook(lambda m, prefix, keep: show("pre", type(m).__name__, prefix, keep))
    h = seq.register_state_dict_post_hook(lambda m, sd, prefix, meta: show("post", len(sd), prefix, meta))
    seq._register_state_dict_hook(lambda m, sd, prefix, meta: (sd.pop(prefix + "1.weight"), None)[1])
    seq.register_load_state_dict_pre_hook(lambda m, sd, *rest: show("load pre", type(m).__name__, sorted(sd), *rest))
    seq._register_load_state_dict_pre_hook(lambda *a: show("old pre", len(a)))
    net.register_load_state_dict_post_hook(lambda m, keys: (show("load post", keys), keys.missing_keys.clear())[1])
    sd = net.state_dict()
    show(list(sd))
    show.tried(net.load_state_dict, sd)
    h.remove()
    bad = seq.register_state_dict_post_hook(lambda *a: 3)
    show.tried(net.state_dict)
    bad.remove()
    net.register_load_state_dict_post_hook(lambda m, keys: 3)
    show.tried(net.load_state_dict, sd)

    def public(*args):
        pass

    seq.register_state_dict_post_hook(public)
    show.tried(seq._register_state_dict_hook, public)


def forward_hooks(torch, show):
    nn = torch.nn

    class Two(nn.Module):
        def forward(self, x, *, by=1.0):
            if by == 0:
                raise ValueError("by is 0")
            return x * by

    m, x = Two(), torch.ones(1)
    handles = [
        m.register_forward_pre_hook(lambda m, args: (show("pre", args), args[0] + 1)[1]),
        m.register_forward_pre_hook(
            lambda m, args, kwargs: (args, {**kwargs, "by": kwargs.get("by", 1) * 2}), with_kwargs=True
        ),
        m.register_forward_pre_hook(lambda m, args: show("first", args), prepend=True),
        m.register_forward_hook(lambda m, args, out: (show("after", args, out), out + 1)[1]),
        m.register_forward_hook(lambda m, args, kwargs, out: show("kw", kwargs, out), with_kwargs=True, prepend=True),
        m.register_forward_hook(lambda m, args, out: show("always", out), always_call=True),
    ]
    show(m(x), m(x, by=3.0))
    show.tried(m, x, by=0)
    bad = m.register_forward_hook(lambda *a: 1 / 0, always_call=True)
    show.tried(m, x, by=0)
    bad.remove()
    for h in handles[:3]:
        h.remove()
    show(m(x), len(m._forward_hooks), len(m._forward_pre_hooks), len(m._forward_pre_hooks_with_kwargs))
    with m.register_forward_pre_hook(lambda m, a, k: 3, with_kwargs=True):
        show.tried(m, x)
    show(m(x))


def global_hooks(torch, show):
    from_module = __import__(torch.__name__ + ".nn.modules.module", fromlist=["x"])
    m, x = torch.nn.Sequential(torch.nn.ReLU()), torch.ones(1)
    name = lambda m: type(m).__name__  # noqa: E731
    handles = [
        from_module.register_module_forward_pre_hook(lambda m, a: show("pre", name(m))),
        from_module.register_module_forward_hook(lambda m, a, o: show("after", name(m))),
        from_module.register_module_forward_hook(lambda m, a, k, o: show("kw", name(m), k), with_kwargs=True),
        from_module.register_module_forward_hook(lambda m, a, o: show("always", name(m), o), always_call=True),
        from_module.register_module_parameter_registration_hook(lambda m, n, p: show("param", n)),
        from_module.register_module_buffer_registration_hook(lambda m, n, p: show("buffer", n)),
        from_module.register_module_module_registration_hook(lambda m, n, p: show("module", n, name(p))),
    ]
    m(x)
    torch.nn.BatchNorm1d(2)
    holder = torch.nn.ModuleList([torch.nn.ReLU()])
    holder.more = torch.nn.Tanh()
    for h in handles:
        h.remove()
    m(x)


def backward_hooks(torch, show):
    lin = linear(torch)
    lin.register_full_backward_pre_hook(lambda m, go: show("bpre", go))
    lin.register_full_backward_hook(lambda m, gi, go: show("bwd", gi, go))
    lin.register_full_backward_hook(lambda m, gi, go: (gi[0] * 2,), prepend=True)
    lin.register_full_backward_pre_hook(lambda m, go: (go[0] * 3,), prepend=True)
    x = torch.ones(1, 2, requires_grad=True)
    out = lin(x)
    show(type(out.grad_fn).__name__, [type(n).__name__ for n, _ in out.grad_fn.next_functions])
    out.sum().backward()
    show(x.grad, lin.weight.grad)
    show.tried(lambda: lin(torch.ones(1, 2)).sum().backward())
    with torch.no_grad():
        show(lin(x))
    show.tried(lin.register_backward_hook, lambda *a: None)
    bad = lin.register_full_backward_hook(lambda m, gi, go: (1, 2))
    show.tried(lambda: lin(x).sum().backward())
    bad.remove()
    lin.register_full_backward_pre_hook(lambda m, go: ())
    show.tried(lambda: lin(x).sum().backward())


def backward_hooks_of_tuples(torch, show):
    class Pair(torch.nn.Module):
        def forward(self, x, flag, y):
            return x * 2, "text", y * 3

    m = Pair()
    m.register_full_backward_hook(lambda m, gi, go: show("bwd", gi, go))
    x, y = torch.ones(1, requires_grad=True), torch.ones(1)
    a, text, b = m(x, True, y)
    show(a, text, b, a.requires_grad, b.requires_grad)
    (a + b).sum().backward()
    show(x.grad)

    class Holder(torch.nn.Module):
        def forward(self, x):
            return {"out": x * 2}

    h = Holder()
    h.register_full_backward_hook(lambda m, gi, go: show("never"))
    show.tried(lambda: h(x)["out"])


def old_backward_hooks(torch, show):
    x = torch.ones(1, 2, requires_grad=True)
    for inner in (torch.nn.Sigmoid(), torch.nn.Sequential(torch.nn.Sigmoid(), torch.nn.Tanh())):
        inner.register_backward_hook(lambda m, gi, go: show("old", gi, go))
        show.tried(lambda m: m(x).sum().backward(), inner)
        show.tried(inner.register_full_backward_hook, lambda *a: None)

    class Dict(torch.nn.Module):
        def forward(self, x):
            return {"a": x * 2}

    d = Dict()
    d.register_backward_hook(lambda m, gi, go: show("dict", len(gi)))
    show.tried(lambda: d(x)["a"].sum().backward())


@pytest.mark.parametrize("run", SCENARIOS, ids=[f.__name__ for f in SCENARIOS])
def test_same_as_torch(run):
    same(shown, run)
