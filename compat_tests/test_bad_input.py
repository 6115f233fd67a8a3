"""Common mistakes: the exception class and the message are torch's, and what a refused call was to change is unchanged.

The mistakes are in data/mistakes.txt, one a line.
"""

import copy
import io
import pathlib
import pickle
import re
import warnings

import numpy as np
import pytest
import torch
from both import BOTH, error, of_cpu_build, same, words

import lucid

MISTAKES = pathlib.Path(__file__).parent / "data" / "mistakes.txt"

# Only the class has to agree here: mistake -> what torch's text shows instead of what is wrong
CLASS_ONLY = {
    'nn.Conv2d(3, 8, 3, padding_mode="x")': "a set, in any order",
    "F.threshold(a)": "a private name",
    "a.tolist(1)": "its C method's own words",
    "torch.meshgrid(a, a)": "the tensor as C++ prints it",
    'torch.load(io.BytesIO(b""))': "nothing",
    "torch.add(a, a, 1, 2, 3)": "all signatures",
    **dict.fromkeys(
        ("torch.exp(a, a)", 'torch.nonzero(a, "x")'),
        "how many arguments: a method of the class that stands for torch._C counts that class",
    ),
}


def names(T):
    """What a mistake may name, for the library T."""
    made = {
        "torch": T,
        "np": np,
        "copy": copy,
        "io": io,
        "pickle": pickle,
        "nn": T.nn,
        "F": T.nn.functional,
        "optim": T.optim,
        "data": T.utils.data,
        "a": T.ones(2, 3),
        "i": T.tensor([1, 2]),
        "b": T.tensor([True, False]),
        "w": T.ones(2, 3, requires_grad=True),
        "m": T.nn.Linear(3, 2),
    }
    made["o"] = T.optim.SGD([made["w"]], lr=0.1)
    return made


def made(T, mistake):
    """[exception class, what its message says] of a mistake made with the library T."""
    scope = names(T)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(words(error(exec, mistake.replace("\\n", "\n"), scope), plain))


def plain(message):
    """The first line that says something, without addresses, places of arguments and the library's name."""
    line = next((part for part in message.splitlines() if part.strip()), "").strip()
    line = re.sub(r"0x[0-9a-f]+", "0x", line.replace("lucid.", "torch.").replace("'lucid'", "'torch'"))
    line = re.sub(r"^\w+\.(\w+\(\) missing)", r"\1", line)  # the class that defines a method
    line = re.sub(r" \(position \d+\)", "", line)  # a method's are others than a function's
    return re.sub(r'positional arguments?: "(\w+)"', r"positional argument: '\1'", line)  # Python's words, not torch's


def cases():
    kind = None
    for line in MISTAKES.read_text().splitlines():
        if line.startswith("[") and line.endswith("]") and line[1].isalpha():
            kind = line[1:-1]
        elif line and not line.startswith("#"):
            yield pytest.param(line, id=f"{kind}: {line}")


@pytest.mark.parametrize("mistake", list(cases()))
def test_mistake(mistake):
    of_device = re.search(r"device=.cuda|\.cuda\(|\.to\(.cuda", mistake)
    wanted = of_cpu_build(mistake, lambda: made(torch, mistake)) if of_device else made(torch, mistake)
    got = made(lucid, mistake)
    if "invalid combination of arguments" in wanted[1] or mistake in CLASS_ONLY:  # torch lists all signatures
        assert got[0] == wanted[0]
    else:
        assert got == wanted


def test_enough_and_no_stale_exceptions():
    lines = [case.values[0] for case in cases()]
    assert len(lines) > 700 and len(set(lines)) == len(lines)
    assert set(CLASS_ONLY) <= set(lines)


# ---- a refused call changes nothing

REFUSED = """
a.add_(torch.ones(4))
a.add_(torch.ones(5, 2, 3))
a.copy_(torch.ones(4))
a.mul_(torch.ones(2, 3, dtype=torch.complex64))
a.index_add_(0, torch.tensor([0, 5]), torch.ones(2, 3))
a.index_copy_(0, torch.tensor([0]), torch.ones(1, 4))
a.scatter_(0, torch.tensor([[7]]), 1.0)
a.masked_fill_(torch.ones(4) > 0, 1)
a[0] = torch.ones(4)
a[5] = 1
a[torch.tensor([0, 9])] = 1
a[:, 0] = torch.ones(3)
a.clamp_("x", 1)
a.addmm_(torch.ones(2, 2), torch.ones(2, 2))
a.uniform_(1, 0)
a.normal_(0, -1)
a.fill_("x")
a.transpose_(0, 5)
a.squeeze_(7)
a.unsqueeze_(7)
torch.add(a, torch.ones(4), out=a)
torch.exp(w, out=a)
i.add_(1.5)
i.div_(2)
i.fill_(2 ** 70)
b.add_(1)
w.add_(1)
w.zero_()
w[0] = 1
w.resize_(9)
w.requires_grad_(3)
w.grad = torch.ones(9)
w.grad = w
w.data = 3
m.load_state_dict({"weight": torch.ones(2, 4)})
m.weight = 3
m.register_buffer("weight", None)
m.register_parameter("a.b", None)
m.add_module("weight", m)
m.to("nowhere")
m.to(torch.int64)
o.add_param_group({"params": [w]})
o.add_param_group({"params": [w * 2]})
o.load_state_dict({})
o.load_state_dict({"state": {}, "param_groups": [{"params": [0, 1]}]})
optim.Adam([w], lr=-1)
nn.Sequential(m).append(3)
torch.set_default_dtype(torch.int64)
torch.set_default_device("nowhere")
torch.set_grad_enabled("x")
torch.set_num_threads(-1)
torch.manual_seed("x")
torch.set_rng_state(a)
torch.randint(5, 5, (1,))
torch.multinomial(-a, 1)
torch.randperm(-1)
"""


def state(T, scope):
    """Everything that a call could have changed, in plain values."""
    found = {
        n: (scope[n].tolist(), tuple(scope[n].shape), scope[n].requires_grad, scope[n]._version, scope[n].stride())
        for n in "aibw"
    }
    found["grad"] = None if scope["w"].grad is None else scope["w"].grad.tolist()
    found["m"] = (
        {n: t.tolist() for n, t in scope["m"].state_dict().items()},
        sorted(scope["m"]._modules),
        repr(scope["m"]),
    )
    found["o"] = repr(scope["o"].state_dict())
    found["T"] = (
        str(T.get_default_dtype()),
        str(T.get_default_device()),
        T.is_grad_enabled(),
        T.get_num_threads(),
        T.get_rng_state().sum().item(),
    )
    return found


@pytest.mark.parametrize("call", REFUSED.strip().splitlines())
def test_nothing_changed(call):
    seen = []
    for T in BOTH:
        T.manual_seed(3)
        scope = names(T)
        (scope["w"] * 2).sum().backward()
        before = state(T, scope)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(Exception) as caught:
                exec(call, scope)
        seen.append((caught.type.__name__, state(T, scope) == before))
    assert seen[0][0] == seen[1][0]
    assert seen[1][1], "lucid changed something" + (", as torch does" if not seen[0][1] else "")


def test_load_state_dict_loads_what_fits():
    """torch copies every entry that fits before it raises; so do we."""

    def program(T):
        m = T.nn.Linear(2, 2)
        return error(m.load_state_dict, {"weight": T.full((2, 2), 7.0), "bias": T.ones(3)}), m.weight

    same(program)


def test_a_step_that_fails_midway():
    """A closure that raises leaves parameters and state alone; so does a gradient of the wrong kind."""
    for T in BOTH:
        w = T.ones(3, requires_grad=True)
        o = T.optim.Adam([w], lr=0.1)
        (w * w).sum().backward()

        def closure():
            raise KeyError("no loss")

        with pytest.raises(KeyError):
            o.step(closure)
        assert w.tolist() == [1, 1, 1] and not o.state


def test_a_failed_backward_can_be_repeated():
    """A hook that raises stops the walk; with retain_graph a later walk gives the whole gradient."""

    def program(T):
        w = T.ones(3, requires_grad=True)
        middle = w * 2
        handle = middle.register_hook(lambda g: 1 / 0)
        loss = (middle * middle).sum()
        with pytest.raises(ZeroDivisionError):
            loss.backward(retain_graph=True)
        assert w.grad is None
        handle.remove()
        loss.backward()
        return w.grad

    same(program)


DEVICES = "xpu9q cpux cpu: cpu:x cpu:-1 cuda:1a cuda:01 foo:1 CPU cuda: meta9 cpu::1 cpu:99999999999 f1 foo_bar foo: 1".split()


@pytest.mark.parametrize("text", [*DEVICES, "", " cpu"])
def test_names_of_devices(text):
    told = [error(m.device, text) for m in (torch, lucid)]
    assert type(told[0]) is type(told[1]) is RuntimeError and str(told[0])[:60] == str(told[1])[:60]


@pytest.mark.parametrize("place", ["cuda", "cuda:0", "xpu", "mtia", "hpu", "meta"])
def test_generators_of_absent_devices(place):
    told = [error(m.Generator, place) for m in (torch, lucid)]
    assert type(told[0]) is type(told[1]) is RuntimeError and str(told[0])[:60] == str(told[1])[:60]
