"""What torch's functions take: every argument of every public signature with objects of every class, on both."""

import warnings

import argument_calls
import numpy as np
import pytest
import torch
from both import same_outcome

import lucid
from lucid._backend import signatures

SAMPLE = 400  # calls per run; --all makes every one


@pytest.fixture
def count(request):
    return None if request.config.getoption("--all", default=False) else SAMPLE


def outcome(f):
    """ "fits", or torch's TypeError; other errors come after the arguments were taken."""
    try:
        f()
    except TypeError as e:
        return str(e).splitlines()[0].partition(" - got")[0]  # what follows is in the order of a hash
    except Exception:
        return "fits"
    return "fits"


# What torch refuses after it has taken the arguments, or in Python, in words of its own.
OWN_WORDS = set("as_tensor asarray new_tensor type new map_ numpy".split())


def test_signatures_say_what_torch_takes(count):
    """bind() refuses the calls that torch refuses, in torch's words."""
    faults, made = [], 0
    for call in argument_calls.sample(count, seed=0):
        if call.place == "F" or call.name in OWN_WORDS:
            continue
        made += 1
        wanted = outcome(lambda: call.of(torch))
        args, kwargs = call.given(lucid)
        got = outcome(lambda: signatures.bind(signatures.signatures(call.place, call.name), args, kwargs))
        if got != wanted:
            faults.append(f"{call}: torch: {wanted}; lucid: {got}")
    assert made > 250 and len(faults) <= made // 1000, "\n".join(faults)


def same_class(call):
    """None, or what differs: whether a call is refused, and of a refusal by TypeError its class."""
    kinds = []
    for m in (torch, lucid):
        try:
            call.of(m)
            kinds.append("fits")
        except Exception as e:
            kinds.append(type(e).__name__)
    wanted, got = kinds
    if "NotImplementedError" in kinds and "fits" not in kinds or call.in_python() and "fits" not in kinds:
        return None  # what lucid lacks; functions in Python fail over wrong objects in ways of their own
    return None if wanted == got or "TypeError" not in kinds else f"{call}: torch: {wanted}; lucid: {got}"


# Functions some of whose calls torch refuses, or takes, after its signature has taken them: for reasons of its own, or by
# another error class.
OWN_WAYS = set(
    """adaptive_max_pool1d_with_indices asarray convolution elu_ embedding_bag gru logspace lstm new_tensor normalize
    rnn_relu rnn_tanh softmin to""".split()
)


def test_functions_refuse_what_torch_refuses(count):
    """lucid's functions raise TypeError for the calls for which torch's do, and take the others."""
    chosen = [call for call in argument_calls.sample(count, seed=1) if call.name not in OWN_WAYS]
    faults = [fault for fault in map(same_class, chosen) if fault]
    assert len(chosen) > 250 and len(faults) <= max(1, len(chosen) // 200), "\n".join(faults)


# numpy's names for parameters, old orders of arguments, numbers of numpy's
EXPRESSIONS = """
m.add(x1=x, x2=x)
m.exp(x=x)
m.exp(a=x)
m.mul(a=x, other=x)
m.sum(x, axis=0, keepdims=True)
m.argmax(x, axis=np.int64(1))
x.std(axis=0, keepdims=True)
x.softmax(axis=0)
m.cat([x, x], axis=1)
m.squeeze(x=x)
m.addcdiv(x, 2, x + 1, x + 1)
m.addcmul(x, 2, x, x)
m.addmm(0.5, m.ones(2, 2), 2, x, x.T)
m.add(x, 2, x)
x.clamp(1, m.tensor(2.0))
m.clamp(x, m.tensor(1), 2)
x.tensor_split(indices=[1])
x.tensor_split(sections=2)
m.hsplit(x, sections=3)
m.vsplit(x, indices=[1])
x.reshape(np.int64(3), m.tensor(2))
x.permute(np.int32(1), 0)
x.sum(m.tensor(1))
x.narrow(1, np.int64(1), 1)
x + np.ones(3)
np.ones(3) + x
np.ones(3) / x
x.__iadd__(np.ones(3))
x < np.ones(3)
x == np.ones(3)
np.reshape(x, (3, 2))
m.add(x, np.ones(3))
m.finfo(x)
m.iinfo("a")
m.Size(m.ones(3))
m.frombuffer(3, dtype=m.int8)
m.asarray("1")
x.flip()
m.exp(x, x)
m.exp()
x.sum("1")
x.sum(True)
x.softmax(1.0)
m.squeeze(x, None)
m.unique(x, 0)
m.unique(x, True, None)
m.unique(x, True, True, 1, dim=0)
m.unique(x, np.bool_(True))
m.unique(x, dim=1.0)
m.unique(x, dim=True)
m.unique(x, dim=m.tensor(0))
m.unique(3, dim=0)
m.unique_consecutive(x, 1)
m.unique_consecutive(x, dim=1.0)
m.unique_consecutive(3)
x.unique_consecutive(0)
m.permute_copy(x, 1, 0)
m.permute(x, 1, 0)
m.view_copy(x, 3, 2)
m.expand_copy(x, 2)
m.expand_copy(x, (2, 2, 3))
m.flip(x, 0)
m.flip(x, [0])
x.flip(0, 1)
m.nonzero(x, True)
m.nonzero(x, as_tuple=1)
m.nonzero([], as_tuple=False)
m.randint(1, [1], requires_grad=None)
m.randint(1, [1], layout=None)
m.randint(1, [1], pin_memory=1).shape
m.normal(m.tensor(1.0, requires_grad=True), 0.5, [1])
x.to(m.float64, 1.0)
x.to("cpu", 1.0)
x.to("cpu", m.float64, m.float32)
x.to(m.float64, "cpu")
x.to(m.float64, True, True)
x.to(m.float64, True, True, True)
x.to(m.ones(1).long(), m.float32)
x.to("cpu", None, False, True)
x.to(None, float)
x.to("cpu", m.channels_last)
x.clamp(1j)
x.clamp_(max=1j)
x.long().clamp(1j)
x.clamp_min(1j)
x.clamp_max_(1j)
(x * 1j).clamp_max(1)
x.bool().clamp(True)
x.bool().clamp_max(True)
x.bool().clamp_(False, True)
x.bool().clamp_min(m.tensor(True))
x.bool().clamp_max(1)
x.logsumexp(())
m.special.logsumexp(x, [])
x.logsumexp((), keepdim=True)
m.ones(0, 2).logsumexp(())
""".strip().splitlines()


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expression(text):
    def program(m):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that an order is old: once in a process, for whatever function
            return eval(text, {"m": m, "np": np, "x": m.arange(6.0).reshape(2, 3)})

    same_outcome(program, rtol=1e-6)


@pytest.mark.parametrize("name", "lstsq matrix_rank solve eig symeig".split())
def test_removed_functions_say_so(name):
    for m in (torch, lucid):
        with pytest.raises(RuntimeError, match="deprecated since version 1.9 and is now removed"):
            getattr(m, name)(m.ones(2, 2), m.ones(2, 2))
