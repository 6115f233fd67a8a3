"""Programs for torch.compile, and what is seen of one that runs: compiled and plainly, on torch and on lucid.

`@program([maker of an argument, ...], [...], ...)` enters a function torch -> f, and the calls that f gets, in order.
Each call's arguments are made anew by maker(torch). f may have attributes: `extra()`, what else is to be seen after every
call (side effects), `post(result)` or `after(result, *arguments)`, what is seen in place of a result, and `before(n)`,
which runs before call number n.
The programs themselves are in compile_*.py, by theme.
"""

import collections
import contextlib
import copy
import importlib
import io
import math
import random
import re
import warnings

from both import attempt, outcome, seen

PROGRAMS = {}

Ran = collections.namedtuple("Ran", "outcome printed graphs counts ops")


def program(*calls):
    """Enter a program with its calls."""

    def enter(maker):
        assert maker.__name__ not in PROGRAMS, maker.__name__
        PROGRAMS[maker.__name__] = (maker, calls)
        return maker

    return enter


def T(*shape):
    """A maker of the tensor 1, 2, 3 ... of a shape."""
    return lambda torch: torch.arange(1.0, 1 + math.prod(shape)).reshape(shape)


def G(*shape):
    """The same, which requires a gradient."""
    return lambda torch: T(*shape)(torch).requires_grad_()


def N(*shape):
    """Negative numbers."""
    return lambda torch: -T(*shape)(torch)


def C(value):
    """A maker of a constant."""
    return lambda torch: copy.deepcopy(value)


X = T(3)


def H(torch):
    """Other numbers, which require a gradient."""
    return (T(3)(torch) + 5).requires_grad_()


def back(result, *args):
    """The result, and what a backward from all of it leaves in the arguments."""
    parts = result if isinstance(result, (tuple, list)) else [result]
    tensors = [x for x in parts if hasattr(x, "requires_grad")]
    total = sum(x.sum() for x in tensors if x.requires_grad)
    if hasattr(total, "backward"):
        total.backward()
    return result, [(x.requires_grad, x.is_leaf) for x in tensors], [x.grad for x in args if hasattr(x, "grad")]


def _calls(function, plain, calls, torch):
    """Yields what each call gives, its arguments afterwards and `extra`. plain: the function as it was before compiling."""
    post, after, extra, before = (getattr(plain, name, None) for name in ("post", "after", "extra", "before"))
    for n, call in enumerate(calls):
        if before is not None:
            before(n)
        args = [make(torch) for make in call]
        if after is not None:
            result = attempt(lambda: after(function(*args), *args))
        else:
            result = attempt(lambda: function(*args) if post is None else post(function(*args)))
        yield nameless(seen((result, args, extra() if extra is not None else None), "requires_grad", text=200))


def nameless(found):
    """What was seen without addresses of objects."""
    if type(found) is str:
        return re.sub(r" at 0x[0-9a-f]+", "", found)
    if type(found) in (list, tuple):
        return type(found)(map(nameless, found))
    if type(found) is dict:
        return {k: nameless(v) for k, v in found.items()}
    return found


def texts(module):
    """The graph of a module, and the graphs inside of it."""
    return "\n".join(f"{name}{m.graph}" for name, m in module.named_modules() if hasattr(m, "graph"))


def run(torch, maker, calls, compiled=True, **how):
    """Ran: (what was seen, what was printed, texts of graphs, number of them after each call, ops of each)."""
    dynamo = importlib.import_module(torch.__name__ + "._dynamo")
    dynamo.reset()
    graphs, counts, ops = [], [], []

    def recording(module, inputs):
        graphs.append(texts(module))
        ops.append(sum(n.op.startswith("call_") for n in module.graph.nodes))
        return module.forward

    def calling(torch):
        found = []
        random.seed(0)
        plain = maker(torch)
        function = torch.compile(plain, backend=recording, **how) if compiled else plain
        for each in _calls(function, plain, calls, torch):
            found.append(each)
            counts.append(len(graphs))
        return found

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = outcome(calling, torch, may_raise=True)
    dynamo.reset()
    return Ran(result, printed.getvalue(), graphs, counts, ops)
