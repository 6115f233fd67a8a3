"""Runs a program on torch and on lucid and compares what comes out: the one place where the tests do this.

A program is a function of the library (and of more arguments) that returns or yields what there is to compare: tensors,
numbers, names, exceptions, in any containers. `same(program)` runs it on both and fails where lucid gives something
else. Comparison is to the bit, with strides, graph and the generator's state afterwards, unless a test says less:

    same(lambda m: m.arange(3.0).exp(), rtol=1e-6)              # numbers that may differ by rounding
    same(program, looks="stride")                               # of a tensor only values, type, shape and strides
    same_outcome(program)                                       # an error is an outcome: class and message must agree
    wanted, got = both(program); agree(got[0], wanted[0])       # parts that are compared in different ways
"""

import collections
import json
import pathlib
import types
import warnings

import numpy as np
import torch

import lucid

torch.set_num_threads(1)
BOTH = (torch, lucid)

OF_CPU_BUILD = json.loads((pathlib.Path(__file__).parent / "data" / "cpu_build.json").read_text())

# torch's vector kernels round once where they multiply and add, lucid as they do; its plain kernels, which a processor
# without such an instruction gets, round twice. So the last bits of numbers drawn at random depend on the processor.
DRAWN = None if torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512") else "last bits"

Raised = collections.namedtuple("Raised", "kind text")
Seen = collections.namedtuple("Seen", "facts numbers")


# ---- what is seen of a value


def graph(root):
    """The names in a graph: every node once, with the numbers of the nodes and outputs that it leads to."""
    order, lines, waiting = {None: 0, root: 1}, [], [root]
    for node in waiting:
        if node is None:
            continue
        below = () if type(node).__name__ == "AccumulateGrad" else node.next_functions
        for n, _ in below:
            if n not in order:
                order[n] = len(order)
                waiting.append(n)
        lines.append(f"{order[node]} {type(node).__name__} {[(order[n], nr) for n, nr in below]}")
    return "\n".join(lines)


def as_torch(text):
    """A text of lucid's with torch's name for the library, as under the launcher."""
    return text.replace("lucid.", "torch.")


# What can be looked at of a tensor besides its type, shape and numbers.
LOOKS = {
    "kind": lambda t: type(t).__name__,
    "requires_grad": lambda t: t.requires_grad,
    "stride": lambda t: tuple(t.stride()),
    "graph": lambda t: graph(t.grad_fn),
    "node": lambda t: type(t.grad_fn).__name__,
    "view": lambda t: t._is_view(),
    "offset": lambda t: t.storage_offset(),
    "version": lambda t: t._version,
}
USUAL = "requires_grad stride graph"


def numbers(t):
    """A copy of a tensor's elements as an array, or None on meta; bfloat16 and float8, which numpy lacks, as float32."""
    if t.device.type == "meta":
        return None
    if t.dtype.is_floating_point and str(t.dtype).rpartition(".")[2] not in ("float16", "float32", "float64"):
        t = t.float()
    elif str(t.dtype).endswith("complex32"):
        t = t.detach().cfloat()
    return np.array(t.numpy(force=True))


def words(error, reword=None, text=None):
    """Class and message of an exception, of which `text` says how many characters."""
    said = (str(error) if reword is None else reword(str(error))).strip()
    if "invalid combination of arguments" in said:  # torch goes on with all its signatures, lucid with some
        said = said.partition("\n")[0]
    return Raised(type(error).__name__, said[:text])


def seen(value, looks=USUAL, **how):
    """A value in terms that two libraries share."""
    if isinstance(value, (torch.Tensor, lucid.Tensor)):
        facts = {"dtype": str(value.dtype).rpartition(".")[2], "shape": tuple(value.shape)}
        return Seen(facts | {name: LOOKS[name](value) for name in looks.split()}, numbers(value))
    if isinstance(value, dict):
        found = {k: seen(v, looks, **how) for k, v in value.items()}
        return found if type(value) is dict else (type(value).__name__, found)
    if isinstance(value, (list, tuple)):
        found = [seen(v, looks, **how) for v in value]
        return type(value)(found) if type(value) in (list, tuple) else (type(value).__name__, found)
    if isinstance(value, types.GeneratorType):  # what it yields, seen as it was when it was yielded
        return [seen(v, looks, **how) for v in value]
    if isinstance(value, BaseException):
        return words(value, **how)
    if isinstance(value, (torch.Generator, lucid.Generator)):
        return value.get_state().numpy().tobytes()
    if isinstance(value, np.ndarray):
        return Seen({"dtype": str(value.dtype), "shape": value.shape}, value.copy())
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        return value
    return as_torch(str(value))


# ---- running


def outcome(program, m, *args, looks=USUAL, seed=0, quiet=False, may_raise=False, reword=None, text=None):
    """What program(m, *args) gives after the seed, and the state of the generator afterwards.

    quiet ignores warnings, which the tests turn into errors, or those of one library (quiet=torch); with may_raise an
    exception is an outcome, too.
    """
    m.default_generator.manual_seed(seed)  # manual_seed of torch notes its callers for every GPU there might be
    np.random.seed(seed)
    with warnings.catch_warnings():
        if quiet in (True, m):
            warnings.simplefilter("ignore")
        try:
            result = seen(program(m, *args), looks, reword=reword, text=text)
        except Exception as error:
            if not may_raise:
                raise
            return words(error, reword, text)
        return result, m.get_rng_state().numpy().tobytes()


def both(program, *args, **how):
    """What the program gives on torch and on lucid."""
    wanted, got = (outcome(program, m, *args, **how) for m in BOTH)
    if not isinstance(wanted, Raised) and not isinstance(got, Raised):
        assert got[1] == wanted[1], "the state of the generator afterwards"
        return wanted[0], got[0]
    return wanted, got


def same(program, *args, name="", rtol=None, atol=0.0, of_largest=0.0, **how):
    """Assert that both libraries give the same."""
    wanted, got = both(program, *args, **how)
    agree(got, wanted, str(name), rtol, atol, of_largest)


def same_outcome(program, *args, **how):
    """Assert that both libraries give the same, or raise the same: class and message."""
    same(program, *args, may_raise=True, **how)


def attempt(f, *args, **kwargs):
    """What a call gives, or its exception."""
    try:
        return f(*args, **kwargs)
    except Exception as caught:
        return caught


def told(f, *args, **kwargs):
    """[what a call gives or raises, and the warnings that it gives]"""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = attempt(f, *args, **kwargs)
    return [result, *[w.message for w in caught]]


class Show:
    """For programs that tell what they see as they go: show(values), show.tried(f); `same(shown, program)` compares."""

    def __init__(self):
        self.lines = []

    def __call__(self, *values):
        self.lines.append(seen(values, "kind requires_grad", reword=as_torch))

    def tried(self, f, *args, **kwargs):
        """What a call gives, its result or its error, and its warnings."""
        self(*told(f, *args, **kwargs))


def shown(m, program, *args):
    """What program(m, show, *args) shows."""
    show = Show()
    program(m, show, *args)
    return show.lines


def error(f, *args, **kwargs):
    """The exception of a call; it fails where there is none."""
    result = attempt(f, *args, **kwargs)
    assert isinstance(result, Exception), f"nothing was raised, but given {result!r}"
    return result


def of_cpu_build(name, run):
    """What run() gives where torch is built for the CPU alone, as lucid is: recorded, and there compared with the record.

    A build for CUDA, which pip installs on most machines, says other things about devices, even without one.
    """
    if torch.version.cuda is None:
        assert run() == OF_CPU_BUILD.get(name), f"data/cpu_build.json needs {json.dumps({name: run()})}"
    return OF_CPU_BUILD[name]


# ---- comparing


def agree(got, wanted, where="", rtol=None, atol=0.0, of_largest=0.0):
    """Assert that two things as `seen` are equal, floating point numbers to the bit or, with rtol, nearly.

    They may differ by rtol of each and by atol or, if more, by of_largest of the largest finite element of their tensor.
    rtol=DRAWN, for numbers drawn at random, is to the bit on most processors.
    """
    near = rtol, atol, of_largest
    if isinstance(wanted, Seen) and isinstance(got, Seen):
        for fact, value in wanted.facts.items():
            assert got.facts[fact] == value, f"{where}: {fact} {got.facts[fact]}, torch {value}"
        if rtol == "last bits":
            dtype = getattr(torch, wanted.facts["dtype"])
            eps = torch.finfo(dtype).eps if dtype.is_floating_point or dtype.is_complex else 0
            near = 16 * eps, 0, 16 * eps
        return _agree_arrays(got.numbers, wanted.numbers, where, *near)
    assert type(got) is type(wanted), f"{where}: {show(got)}, torch {show(wanted)}"
    if isinstance(wanted, Raised) or not isinstance(wanted, (list, tuple, dict, float, complex)):
        assert got == wanted, f"{where}: {show(got)}, torch {show(wanted)}"
    elif isinstance(wanted, dict):
        assert list(got) == list(wanted), f"{where}: keys {list(got)}, torch {list(wanted)}"
        for key, value in wanted.items():
            agree(got[key], value, f"{where}[{key!r}]", *near)
    elif isinstance(wanted, (list, tuple)):
        assert len(got) == len(wanted), f"{where}: {len(got)} parts {show(got)}, torch {show(wanted)}"
        for i, pair in enumerate(zip(got, wanted)):
            agree(*pair, f"{where}[{i}]", *near)
    else:
        _agree_arrays(np.asarray(got), np.asarray(wanted), where, rtol, atol, 0.0)


def _agree_arrays(got, wanted, where, rtol, atol, of_largest):
    if wanted is None or got is None:
        assert got is wanted, f"{where}: {show(got)}, torch {show(wanted)}"
    elif rtol is None or wanted.dtype.kind not in "fc":
        assert got.tobytes() == wanted.tobytes(), f"{where}: not to the bit: {show(got)}, torch {show(wanted)}"
    else:
        assert got.dtype == wanted.dtype and got.shape == wanted.shape, where
        got, wanted = (x.astype(np.complex128 if x.dtype.kind == "c" else np.float64) for x in (got, wanted))
        room = max(atol, of_largest * float(np.abs(wanted[np.isfinite(wanted)]).max(initial=0)))
        np.testing.assert_allclose(got, wanted, rtol, room, equal_nan=True, err_msg=where)


def close(got, wanted, where="", looks="", **near):
    """Assert that lucid's tensors are torch's, in any containers: type, shape and values, to the bit unless told."""
    agree(seen(got, looks), seen(wanted, looks), where, **near)


def show(value):
    """A thing as `seen`, short enough to read."""
    text = " ".join(str(value).split())
    return text if len(text) < 2000 else f"{text[:1500]} ... {text[-400:]}"
