"""Sequential, ModuleList, ModuleDict, ParameterList and ParameterDict against torch's; see test_module."""

import collections

import pytest
from both import same, shown

SCENARIOS = []


def scenario(f):
    SCENARIOS.append(f)
    return f


@scenario
def sequential(torch, show):
    nn = torch.nn
    s = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
    show(s[1:], s[-1], len(s), [type(m).__name__ for m in s])
    for i in (3, -4, "a"):
        show.tried(s.__getitem__, i)
    s[1] = nn.ELU()
    del s[0]
    show(
        s,
        s.append(nn.Identity()) is s,
        s.insert(1, nn.GELU()),
        s.insert(-1, nn.SiLU()),
        s.extend([nn.ReLU()]),
        s.pop(0),
        s,
    )
    show.tried(s.insert, 20, nn.ReLU())
    show.tried(s.insert, 0, 3)
    show.tried(s.append, 3)
    show(s + nn.Sequential(nn.ReLU()), nn.Sequential(nn.ReLU()) * 2, 2 * nn.Sequential(nn.ReLU()))
    s += nn.Sequential(nn.Tanh())
    s *= 2
    show(s)
    show.tried(lambda: s * 0)
    show.tried(lambda: s * "a")
    show.tried(lambda: s + [nn.ReLU()])
    del s[1:4]
    show(s, [n for n in dir(s) if n.isdigit()])
    show(nn.Sequential(collections.OrderedDict([("x", nn.ReLU()), ("y", nn.Tanh())])).x)
    show.tried(nn.Sequential, [nn.ReLU()])


@scenario
def module_list(torch, show):
    nn = torch.nn
    m = nn.ModuleList([nn.ReLU(), nn.Tanh()])
    m.append(nn.ELU()).extend([nn.GELU()])
    m.insert(1, nn.SiLU())
    m[0] = nn.Sigmoid()
    show(m, m[1:3], m[-1], len(m), m + [nn.ReLU()], m.pop(1), m)
    del m[0]
    m += [nn.Tanh()]
    show(m, list(m._modules))
    for f in (lambda: m[9], lambda: m.extend(3), lambda: m.append(3), lambda: m(1)):
        show.tried(f)


@scenario
def module_dict(torch, show):
    nn = torch.nn
    d = nn.ModuleDict([["b", nn.ReLU()], ["a", nn.Tanh()]])
    d.update({"c": nn.ELU(), "a": nn.GELU()})
    show(
        d,
        list(d),
        list(d.keys()),
        [k for k, _ in d.items()],
        len(list(d.values())),
        "a" in d,
        d.pop("b"),
        len(d),
        d["c"],
    )
    del d["c"]
    for f in (
        lambda: d["zz"],
        lambda: d.pop("zz"),
        lambda: d.update(3),
        lambda: d.update([3]),
        lambda: d.update([[1, 2, 3]]),
        lambda: d.__setitem__("x.y", nn.ReLU()),
        lambda: d.__setitem__("forward", nn.ReLU()),
        lambda: d.__setitem__("k", 3),
    ):
        show.tried(f)
    d.clear()
    show(d)


@scenario
def parameter_list(torch, show):
    nn = torch.nn
    p = nn.ParameterList([torch.ones(1), 3])
    p.append(torch.zeros(2)).extend([nn.Parameter(torch.ones(()))])
    p += [torch.ones(1)]
    p[0] = torch.full((1,), 7.0)
    show(p, len(p), p[0], p[1], p[1:3], list(p), [n for n, _ in p.named_parameters()])
    for f in (lambda: p[9], lambda: p.extend(3), lambda: p.extend(torch.ones(2)), lambda: p(1)):
        show.tried(f)


@scenario
def parameter_dict(torch, show):
    nn = torch.nn
    p = nn.ParameterDict({"b": torch.ones(1), "a": torch.zeros(2), "n": 3})
    p["c"] = torch.ones(1)
    show(
        p,
        list(p),
        len(p),
        p["n"],
        "a" in p,
        list(reversed(p)),
        p.get("zz"),
        p.get("n"),
        p.setdefault("d", 4),
        p.popitem(),
    )
    show(p.pop("a"), list(p.keys()), [k for k, _ in p.items()], list(p.values()), p.copy(), p.fromkeys(["x"], 1))
    show(p | nn.ParameterDict({"z": 1}), list(nn.ParameterDict(collections.OrderedDict(b=1, a=2))))
    p |= nn.ParameterDict({"y": 2})
    del p["b"]
    show(list(p), [n for n, _ in p.named_parameters()])
    for f in (
        lambda: p["zz"],
        lambda: p[3],
        lambda: p.update(3),
        lambda: p.update([1]),
        lambda: p.update([[1]]),
        lambda: p(1),
        lambda: p.pop("zz"),
    ):
        show.tried(f)
    p.clear()
    show(p)
    show.tried(p.popitem)


@pytest.mark.parametrize("run", SCENARIOS, ids=[f.__name__ for f in SCENARIOS])
def test_same_as_torch(run):
    same(shown, run)
