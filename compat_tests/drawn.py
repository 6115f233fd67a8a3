"""Programs drawn at random, the same for torch and lucid, and what comes of them, for test_drawn_*.py.

A program is a list of lines over `T` (the library), `F`, `np` and `made`; what there is to compare is called `r` in the
end: a tensor or a tuple of them, whose type, shape, strides, graph and numbers are compared, and the first and second
gradients for every tensor that `made` made to want one. Where a line raises, the class of the error is compared.
`compare(examples, invent, gaps)` runs what `invent(chance)` draws for each seed.
"""

import random
import re
import warnings

import numpy as np
import torch
from both import BOTH, Raised, Seen, agree, seen, words
from gaps import known

import lucid

LOOKS = "requires_grad stride graph view offset version"


class Chance(random.Random):
    """Draws for programs."""

    def one_of(self, *choices):
        return self.choice(choices)

    def happens(self, likelihood):
        return self.random() < likelihood


NEAR = ("bfloat16", "float16", "float32", "complex64", "float64", "complex128")
LAYOUTS = ("", "", "", "turned", "stepped", "part", "spread")


def laid_out(values, layout):
    """Numbers to make a tensor of, and the view of it that is the tensor wanted."""
    if not values.ndim:
        return values, lambda t: t
    if layout == "turned":
        back = tuple(range(values.ndim))[::-1]
        return np.ascontiguousarray(values.transpose(back)), lambda t: t.permute(back)
    if layout == "stepped":
        return np.repeat(values, 2, -1), lambda t: t[..., ::2]
    if layout == "part":
        return np.concatenate([values[:1], values]) if values.size else values, lambda t: t[len(t) - len(values) :]
    if layout == "spread" and values.shape[0]:
        return values[:1], lambda t: t.expand(values.shape)
    return values, lambda t: t


def numbers_for(shape, dtype, kind, seed):
    """Numbers that all types hold exactly, some of them twice; kind: "" or with "nan", "inf" or "zero" among them."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-12, 13, shape) / 4
    if dtype == "bool":
        return np.asarray(values > 0)
    if "int" in dtype:
        return np.abs(values * 4).astype("int64") if dtype[0] == "u" else (values * 4).astype("int64")
    if dtype.startswith("complex"):
        values = values + 1j * rng.integers(-12, 13, shape) / 4
    for name, number in (("nan", np.nan), ("inf", np.inf), ("zero", 0.0)):
        if name in kind:
            values = np.where(rng.random(shape) < 0.3, number, values)
    return np.asarray(values)


def library(m):
    leaves = []

    def made(shape, dtype, layout="", wants=False, kind="", seed=0, leaf=False):
        """A tensor; of one that wants a gradient, a result in its place unless it shall be the leaf."""
        values, view = laid_out(numbers_for(shape, dtype, kind, seed), layout)
        t = m.tensor(values.tolist(), dtype=getattr(m, dtype)).reshape(values.shape)
        if wants:
            leaves.append(t.requires_grad_())
            t = t if leaf else t * 1
        return view(t)

    return {"T": m, "F": m.nn.functional, "np": np, "made": made, "leaves": leaves}


def weights(m, t):
    values = np.arange(1, t.numel() + 1).reshape(t.shape) % 7 / 2 + 0.5
    return m.tensor(values.tolist(), dtype=t.dtype).reshape(t.shape)


def gradients(m, results, leaves, second):
    """What a weighted sum of the results gives the leaves, and what a sum of that gives them."""
    outs = [t for t in results if t.requires_grad]
    if not outs or not leaves:
        return None
    first = m.autograd.grad(outs, leaves, [weights(m, t) for t in outs], allow_unused=True, create_graph=second)
    told = [None if g is None else g.detach() for g in first]
    again = [g for g in first if g is not None and g.requires_grad]
    if not second:
        return told
    found = m.autograd.grad(again, leaves, [weights(m, g) for g in again], allow_unused=True) if again else leaves
    return told, [
        m.zeros_like(x) if g is None or not again else g for g, x in zip(found, leaves)
    ]  # torch has a graph of some zeros, and none of others


def flat(r):
    return [t for part in r for t in flat(part)] if isinstance(r, (tuple, list)) else [r]


def play(m, lines, looks, second):
    """What a program gives on a library: its results, its gradients, or the class of its error and the line."""
    scope = library(m)
    m.default_generator.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in lines:
            try:
                exec(line, scope)
            except Exception as problem:
                return f"refused in {line}", error_of(problem)
        r = scope["r"]
        results = [t for t in flat(r) if isinstance(t, m.Tensor)]
        told = seen(r if isinstance(r, m.Tensor) else list(results) or r, looks)
        try:
            return told, seen(gradients(m, results, scope["leaves"], second), "")
        except Exception as problem:
            return told, error_of(problem)


class Problem(Raised):
    """The class of an error; its message is not compared."""

    message = ""


def error_of(problem):
    kind, _ = words(problem, text=0)
    kind = "NotImplementedError" if kind == "NotDefined" else kind  # which is one
    told = Problem("INTERNAL ASSERT" if "INTERNAL ASSERT" in str(problem) else kind, "")
    told.message = " ".join(str(problem).split())[:200]
    return told


def roundings(lines):
    """How near numbers that are sums must be, by the least exact type among a program's tensors."""
    text = " ".join(lines)
    eps = max([torch.finfo(getattr(torch, t)).eps for t in NEAR if t in text], default=1e-7)
    return {"rtol": 16 * eps, "of_largest": 16 * eps, "atol": 16 * eps}


def promised(told, exact):
    """What is seen, but for the strides and offsets of views without elements, which numpy does not keep; unless exact,
    but for the strides of dimensions of size 1 too, and of all tensors without elements."""
    if isinstance(told, Seen) and "stride" in told.facts:
        facts, shape = dict(told.facts), told.facts["shape"]
        if 0 in shape and (facts.get("view") or not exact):
            facts["stride"] = facts["offset"] = None
        elif not exact:
            facts["stride"] = [s for s, n in zip(facts["stride"], shape) if n > 1]
        return Seen(facts, told.numbers)
    if isinstance(told, (list, tuple)) and not isinstance(told, (Seen, Raised)):
        return type(told)([promised(t, exact) for t in told])
    return told


def _orders(got, wanted):
    """The first and the second gradients in pairs; errors in one."""
    if isinstance(got, tuple) and isinstance(wanted, tuple) and not isinstance(got, Raised):
        return list(zip(got, wanted)) if not isinstance(wanted, Raised) else [(got, wanted)]
    if {getattr(got, "kind", ""), getattr(wanted, "kind", "")} == {"NotImplementedError", "RuntimeError"}:
        return []  # one is the other
    return [(got, wanted)]


def is_quirk(told):
    """Is it an internal error of torch's, or a tensor of integers that wants a gradient, as torch lets writes make one?"""
    if isinstance(told, Raised):
        return told.kind == "INTERNAL ASSERT"
    if isinstance(told, Seen):
        return bool(told.facts.get("requires_grad")) and not told.facts["dtype"].startswith(("float", "bfl", "complex"))
    return isinstance(told, (list, tuple)) and any(map(is_quirk, told))


def differ(lines, looks=LOOKS, second=False, near=lambda lines: {}, exact=True):
    """How the libraries' plays of a program differ, or None."""
    second = second and not re.search(r"\b(nan|inf)\b", lines[0])  # what rules make of them in the end is no number
    wanted, got = (play(m, lines, looks, second) for m in BOTH)
    wanted, got = promised(wanted, exact), promised(got, exact)
    if is_quirk(wanted):
        return None
    refused = [str(w[0]).startswith("refused in") for w in (wanted, got)]
    if refused[0] != refused[1]:
        kind, message = (got if refused[1] else wanted)[1].kind, (got if refused[1] else wanted)[1].message
        return f"{'refused' if refused[1] else 'torch refuses'}: {kind}: {message}"
    try:
        within = near(lines)
        agree(got[0], wanted[0], "", **within)
        for wider, order in zip((1, 16), _orders(got[1], wanted[1])):  # a second gradient is a sum of sums that cancel
            agree(*order, "gradients", **{name: n * wider for name, n in within.items()})
    except AssertionError as difference:
        message = wanted[1].message if isinstance(wanted[1], Problem) else ""
        return " ".join(str(difference).split())[:400] + f" {message}"


def is_known(gaps, lines, found):
    """Is a difference of a kind that known_gaps.txt lists? gaps: {kind: its test, of the lines and of the difference}"""
    for kind, is_of_kind in gaps.items():
        if is_of_kind(lines, found):
            assert f"drawn {kind}" in known(), f"known_gaps.txt lacks 'drawn {kind}'"
            return True
    return False


def differences(invent, seeds, gaps, **how):
    """A text for each program that differs, in a way that is no known gap: its lines and how."""
    wrong = []
    for seed in seeds:
        lines = invent(Chance(seed))
        if (found := differ(lines, **how)) is not None and not is_known(gaps, lines, found):
            wrong.append(f"{seed}: " + "; ".join(lines) + f"\n    {found}")
    return wrong


def compare(examples, invent, gaps, **how):
    """Fail where a program of the seeds that are asked for differs: three hundred, or five thousand."""
    count = examples.some(300, 5000)
    wrong = differences(invent, range(examples.seed * 5000, examples.seed * 5000 + count), gaps, **how)
    assert not wrong, f"{len(wrong)} of {count}\n" + "\n".join(wrong[:40])


__all__ = ["Chance", "LAYOUTS", "compare", "differ", "lucid"]
