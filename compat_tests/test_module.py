"""nn.Module against torch's: the same small programs run on both, and all that they show must be equal."""

import copy
import pickle

import pytest
from both import DRAWN, same, shown
from programs import linear, make

SCENARIOS = []


def scenario(f):
    SCENARIOS.append(f)
    return f


@scenario
def attributes(torch, show):
    nn = torch.nn
    m = nn.Module()
    m.a, m.p, m.child = 3, nn.Parameter(torch.ones(2)), nn.Linear(1, 1, bias=False)
    m.buf = nn.Buffer(torch.zeros(2), persistent=False)
    show(m.a, m.p, m.buf, sorted(m._buffers), sorted(m._non_persistent_buffers_set), list(vars(m)))
    for name, value in (
        ("p", torch.ones(2)),
        ("p", 3),
        ("child", 3),
        ("child", torch.ones(1)),
        ("buf", 3),
        ("p", None),
        ("child", None),
        ("buf", None),
    ):
        show.tried(setattr, m, name, value)
    show.tried(getattr, m, "nothing")
    show.tried(delattr, m, "nothing")
    m.p = nn.Parameter(torch.zeros(1))
    m.p2 = m.p
    m.x = 1
    m.x = nn.Parameter(torch.ones(1))
    show("x" in vars(m), list(m._parameters))
    m.x = nn.Linear(1, 1) if False else None
    show(list(m._parameters), m.x)
    del m.p2
    m.buf = torch.ones(1)
    show([n for n, _ in m.named_buffers()], list(m.state_dict()))
    m.y = nn.Identity()
    m.y = nn.Parameter(torch.ones(1))
    show(list(m._modules), list(m._parameters), [n for n in dir(m) if n in ("p", "y", "buf", "child", "a")])
    m.plain = torch.ones(1)
    show("plain" in vars(m), list(m.state_dict()))


@scenario
def before_init(torch, show):
    nn = torch.nn

    class Early(nn.Module):
        def __init__(self, what):
            self.count = 1
            if what == 0:
                self.p = nn.Parameter(torch.ones(1))
            if what == 1:
                self.m = nn.Linear(1, 1)
            if what == 2:
                self.register_buffer("b", torch.ones(1))
            if what == 3:
                self.register_parameter("b", None)
            if what == 4:
                self.b = nn.Buffer(torch.ones(1))

    for what in range(6):
        show.tried(lambda what: Early(what).count, what)
    show.tried(Early(5), 3)
    show.tried(nn.Module, 1, 2)
    show.tried(nn.Module, a=1)
    show.tried(nn.Module(), 1)
    show.tried(nn.Linear, 3)

    class Mixin:
        def __init__(self, *args, **kwargs):
            self.given = (args, kwargs)

    class Both(nn.Module, Mixin):
        call_super_init = True

    show(Both(1, a=2).given)


@scenario
def registering(torch, show):
    nn = torch.nn
    m = nn.Linear(1, 1)
    t = torch.ones(1)
    for name, value in (
        ("a.b", t),
        ("", t),
        ("weight", t),
        ("in_features", t),
        (3, t),
        ("ok", 3),
        ("ok", t),
        ("ok", None),
        ("ok2", [1]),
    ):
        show.tried(m.register_buffer, name, value)
    p = nn.Parameter(t)
    for name, value in (
        ("a.b", p),
        ("", p),
        ("forward", p),
        (3, p),
        ("q", 3),
        ("q", t),
        ("q", p * 2),
        ("q", p),
        ("q", None),
        ("ok", p),
    ):
        show.tried(m.register_parameter, name, value)
    for name, value in (
        ("a.b", m),
        ("", m),
        ("weight", m),
        (3, m),
        ("n", 3),
        ("n", t),
        ("n", None),
        ("in_features", m),
    ):
        show.tried(m.add_module, name, value)
        show.tried(m.register_module, name, value)
    show(list(m._buffers), list(m._parameters), list(m._modules))


@scenario
def finding(torch, show):
    net = make(torch)
    for name in ("seq.1", "", "heads.a", "seq.7", "seq.1.weight", "nope.a", "scale"):
        show.tried(lambda name: type(net.get_submodule(name)).__name__, name)
    for name in ("seq.1.weight", "scale", "late", "seq.1.nope", "gone"):
        show.tried(net.get_parameter, name)
    for name in ("seq.0.running_mean", "late", "scale", "nope", "seq.nope"):
        show.tried(net.get_buffer, name)
    for name, value in (
        ("seq.1", torch.nn.Identity()),
        ("seq.9", torch.nn.Identity()),
        ("", torch.nn.Identity()),
        ("seq", 3),
        ("scale", torch.nn.Identity()),
        ("a.b", torch.nn.Identity()),
        ("new", torch.nn.Identity()),
    ):
        show.tried(net.set_submodule, name, value, strict=name != "new")
    show.tried(net.set_submodule, "new2", torch.nn.Identity(), strict=True)
    show([n for n, _ in net.named_modules()])


@scenario
def walking(torch, show):
    net = make(torch)
    for duplicates in (True, False):
        show([n for n, _ in net.named_parameters(remove_duplicate=duplicates)])
        show([n for n, _ in net.named_buffers(prefix="x", remove_duplicate=duplicates)])
        show([n for n, _ in net.named_modules(prefix="m", remove_duplicate=duplicates)])
    show([n for n, _ in net.named_parameters("pre", recurse=False)], len(list(net.parameters(recurse=False))))
    shared = torch.nn.Linear(1, 1)
    twice = torch.nn.ModuleList([shared, shared, None] if False else [shared, shared])
    show(
        [n for n, _ in twice.named_children()],
        len(list(twice.modules())),
        len(list(twice.modules(remove_duplicate=False))),
    )
    names = []
    net.apply(lambda m: names.append(type(m).__name__))
    show(names)
    show.tried(net.train, 1)
    show(net.eval() is net, [m.training for m in net.modules()], net.train().training)
    net.requires_grad_(False)
    show([p.requires_grad for p in net.parameters()])


@scenario
def representations(torch, show):
    nn = torch.nn

    class Lines(nn.Module):
        def extra_repr(self):
            return "one\ntwo"

    class Nested(nn.Module):
        def __init__(self):
            super().__init__()
            self.lines, self.list, self.empty = (
                Lines(),
                nn.ModuleList([nn.Linear(1, 2) for _ in range(3)]),
                nn.ModuleList(),
            )
            self.maybe = nn.ModuleDict({"k": None} if False else {"k": nn.Sequential(nn.ReLU(), Lines())})
            self.params = nn.ParameterList([torch.ones(2, 3), nn.Parameter(torch.ones(())), 5, "x"])
            self.table = nn.ParameterDict({"w": torch.ones(2), "i": 4})
            self.register_module("none", None)

        def extra_repr(self):
            return "mode=fast"

    for m in (
        nn.Module(),
        Lines(),
        Nested(),
        nn.Sequential(),
        nn.ParameterList(),
        nn.ParameterDict(),
        nn.Sequential(Lines()),
        nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh(), nn.ReLU()]),
        nn.Parameter(torch.ones(2)),
        nn.Parameter(),
    ):
        show(m)
    show(nn.ModuleList([Nested(), Nested()]))


@scenario
def saving(torch, show):
    net = make(torch)
    sd = net.state_dict()
    show(list(sd), type(sd).__name__, sd._metadata, sd["scale"].requires_grad)
    show(net.state_dict(keep_vars=True)["scale"] is net.scale, sd["scale"].data_ptr() == net.scale.data_ptr())
    given = {}
    show(net.state_dict(destination=given, prefix="p.") is given, list(given))
    show.tried(lambda: list(net.state_dict({}, "q.", True)))

    class Extra(torch.nn.Linear):
        seen = None

        def get_extra_state(self):
            return {"n": 3}

        def set_extra_state(self, state):
            self.seen = state

    m = torch.nn.Sequential(Extra(1, 1))
    sd = m.state_dict()
    show(list(sd), sd["0._extra_state"])
    show(m.load_state_dict(sd), m[0].seen)
    del sd["0._extra_state"]
    show.tried(m.load_state_dict, sd)
    show.tried(torch.nn.Sequential(torch.nn.Linear(1, 1)).load_state_dict, m.state_dict())
    show.tried(torch.nn.Linear(1, 1).get_extra_state)


@scenario
def loading(torch, show):
    net = make(torch)
    sd = copy.deepcopy(net.state_dict())
    del sd["late"]
    sd["extra"], sd["fc2.bias"], sd["seq.5.x"], sd["scale"] = torch.ones(1), torch.ones(3), torch.ones(1), torch.ones(1)
    sd["heads.a.weight"] = 3
    for strict in (True, False):
        show.tried(net.load_state_dict, sd, strict=strict)
    sd["fc2.bias"], sd["heads.a.weight"] = torch.full((2,), 9.0), torch.ones(1, 2)
    show.tried(net.load_state_dict, sd, strict=False)
    show(net.fc2.bias, net.scale, net.seq[1].weight is net.fc2.weight)
    show.tried(net.load_state_dict, [1])
    good = {k: torch.ones_like(v) for k, v in net.state_dict().items()}
    show(net.load_state_dict(good), repr(net.load_state_dict(good)), net.load_state_dict(good).missing_keys)
    other = {k: torch.zeros_like(v) for k, v in net.state_dict().items()}
    show(net.load_state_dict(other, assign=True), net.scale, net.seq[0].running_var is other["seq.0.running_var"])
    show(net.seq[0].num_batches_tracked)
    bn = torch.nn.BatchNorm1d(2)
    old = {k: v for k, v in bn.state_dict().items() if k != "num_batches_tracked"}
    show.tried(bn.load_state_dict, old)
    inorm = torch.nn.InstanceNorm1d(2)
    show.tried(inorm.load_state_dict, {"running_mean": torch.ones(2)})
    meta = torch.nn.Linear(2, 2, device="meta")
    show.tried(meta.load_state_dict, torch.nn.Linear(2, 2).state_dict())
    show.tried(meta.load_state_dict, {"weight": torch.ones(2, 2), "bias": torch.ones(2)}, assign=True)
    show(meta.weight, meta.bias)


@scenario
@scenario
@scenario
@scenario
@scenario
@scenario
@scenario
def converting(torch, show):
    net = make(torch)
    net.scale.grad = torch.ones(())
    before = net.scale
    show(net.double() is net, net.scale is before, net.scale, net.scale.grad, net.seq[0].num_batches_tracked)
    show(net.half().fc2.weight.dtype, net.bfloat16().late.dtype, net.float().scale.dtype)
    show(
        net.to(torch.float64).scale.dtype,
        net.to("cpu", torch.float32).scale.dtype,
        net.to(torch.ones(1).double()).late.dtype,
    )
    show(net.to(dtype=torch.float32, device="cpu", non_blocking=True).scale.dtype, net.type(torch.float64).scale.dtype)
    show.tried(net.to, torch.int64)
    show.tried(lambda: net.to(torch.complex64).scale.dtype)
    net = make(torch)
    show.tried(lambda: net.to("nowhere"))
    conv = torch.nn.Conv2d(2, 3, 2).to(memory_format=torch.channels_last)
    show(conv.weight.stride(), conv.bias.stride())
    meta = torch.nn.Linear(2, 1).to("meta")
    show(meta.weight.is_meta, type(meta.weight).__name__, meta.weight.requires_grad)
    show.tried(meta.to, "cpu")
    show(meta.to_empty(device="cpu").weight.shape, meta.weight.requires_grad)
    show([p.requires_grad for p in net.float().requires_grad_(False).parameters()])


@scenario
def gradients(torch, show):
    net = make(torch)
    net(torch.ones(1, 2)).sum().backward()
    g = net.scale.grad
    net.zero_grad(set_to_none=False)
    show(net.scale.grad is g, net.scale.grad)
    net.zero_grad()
    show(net.scale.grad)


def len_hook(module, args, out):
    return None


@scenario
def copies(torch, show):
    net = make(torch)
    net.register_forward_hook(len_hook)
    c = copy.deepcopy(net)
    show(
        c.seq[1].weight is c.fc2.weight,
        c.fc2.weight is net.fc2.weight,
        torch.equal(c.fc2.weight, net.fc2.weight),
        len(c._forward_hooks),
        c.heads["a"] is not net.heads["a"],
        type(c.scale).__name__,
        c.scale.requires_grad,
    )
    s = copy.copy(net)
    show(s.scale is net.scale, s._modules is net._modules)
    p = pickle.loads(
        pickle.dumps(torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.BatchNorm1d(1), torch.nn.LSTM(1, 2)))
    )
    show(
        p, [n for n, _ in p.named_parameters()], p[0].weight.requires_grad, isinstance(p[0].weight, torch.nn.Parameter)
    )
    q = pickle.loads(pickle.dumps(torch.nn.Parameter(torch.ones(2), requires_grad=False)))
    show(q)


@scenario
def parameters(torch, show):
    nn = torch.nn
    t = torch.ones(2)
    p = nn.Parameter(t)
    show(
        p,
        p.data_ptr() == t.data_ptr(),
        p.is_leaf,
        isinstance(t, nn.Parameter),
        isinstance(p, torch.Tensor),
        type(p * 2).__name__,
    )
    show(nn.Parameter(p) is p, nn.Parameter(torch.ones(1, dtype=torch.int64), requires_grad=False), nn.Parameter())
    show.tried(nn.Parameter, torch.ones(1, dtype=torch.int64))
    with torch.no_grad():
        show(nn.Parameter(t).requires_grad)
    show.tried(nn.Parameter, 3)
    q = copy.deepcopy(p)
    q.note = "kept"
    show(q is p, pickle.loads(pickle.dumps(q)).note)
    b = nn.Buffer(t, persistent=False)
    show(type(b).__name__, isinstance(b, nn.Buffer), isinstance(t, nn.Buffer), b.persistent, b)
    u = nn.UninitializedParameter()
    show(repr(u), nn.parameter.is_lazy(u), nn.parameter.is_lazy(p))
    show.tried(lambda: u.shape)
    u.materialize((2, 3))
    show(type(u).__name__, u.shape, u.requires_grad)


@scenario
def lazy(torch, show):
    nn = torch.nn
    torch.manual_seed(0)
    m = nn.Sequential(nn.LazyLinear(3), nn.ReLU(), nn.LazyLinear(2, bias=False))
    show(m, [repr(p) for p in m.parameters()], m[0].has_uninitialized_params())
    show.tried(lambda: m[0].weight.shape)
    with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter in"):
        m[0].weight + 1
    other = nn.Sequential(nn.LazyLinear(3), nn.ReLU(), nn.LazyLinear(2, bias=False))
    out = m(torch.ones(1, 4))
    show(m, out, m[0].weight, type(m[0]).__name__, hasattr(m[0], "_load_hook"))
    show(other.load_state_dict(m.state_dict()), other[0].weight, type(other[0]).__name__)
    show(other(torch.ones(1, 4)), other)
    for layer, shape in (
        (nn.LazyConv2d(2, 1), (1, 3, 4, 4)),
        (nn.LazyConvTranspose1d(2, 1), (1, 3, 4)),
        (nn.LazyBatchNorm1d(), (2, 3)),
        (nn.LazyInstanceNorm1d(affine=True), (2, 3, 4)),
    ):
        show(layer)
        layer(torch.ones(shape))
        show(layer, [tuple(p.shape) for p in layer.parameters()])
    show.tried(nn.LazyConv2d(2, 1), torch.ones(2))


@scenario
def stateless(torch, show):
    nn, func = torch.nn, __import__(torch.__name__ + ".nn.utils.stateless", fromlist=["x"])._functional_call
    lin = linear(torch)
    w = torch.full((1, 2), 2.0, requires_grad=True)
    out = func(lin, {"weight": w}, torch.ones(1, 2))
    out.sum().backward()
    show(out, w.grad, lin.weight, lin.weight.grad)
    net = make(torch)
    show.tried(func, net, {"fc2.weight": torch.ones(2, 2), "seq.1.weight": torch.zeros(2, 2)}, torch.ones(1, 2))
    show.tried(func, net, {"zz": w}, torch.ones(1, 2), strict=True)
    show.tried(func, net, {"zz.a": w}, torch.ones(1, 2))
    show(func(net, {"fc2.weight": torch.ones(2, 2)}, (torch.ones(1, 2),)).shape, net.fc2.weight is net.seq[1].weight)
    bn = nn.BatchNorm1d(2)
    buffers = {k: v.clone() for k, v in bn.named_buffers()}
    func(bn, buffers, torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    show(buffers, bn.running_mean)


@pytest.mark.parametrize("run", SCENARIOS, ids=[f.__name__ for f in SCENARIOS])
def test_same_as_torch(run):
    same(shown, run, rtol=DRAWN)
