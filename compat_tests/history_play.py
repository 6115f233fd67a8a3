"""Histories (histories.py) played on a library and compared.

`play(m, lines)` runs a history on a library and tells what there is to compare after every line; a line that raises
changes nothing. `difference` finds where two plays part, `shortened` the lines that matter for it.
"""

import re

import numpy as np
from both import graph, numbers, words

NEAR = {"float16": 5e-3, "bfloat16": 4e-2, "float32": 2e-4, "complex64": 2e-4, "int": 1e-6, "bool": 1e-6, " > ": 1e-6}
# (functions of integers, bools among them, are computed in float32 and may go into a float64 `out=`)


def library(m):
    """The names that a history's lines may use."""

    def made(shape, dtype, wants=False):
        count = int(np.prod(shape))
        values = np.linspace(0.5, 1.5, count) if count != 1 else np.array([0.75])
        if dtype in ("int64", "int32"):
            values = np.arange(count) % 5 + 1
        elif dtype == "bool":
            values = np.arange(count) % 3 != 1
        # cloned, since torch does not resize the memory of `tensor`
        return m.tensor(values.reshape(shape).tolist(), dtype=getattr(m, dtype)).clone().requires_grad_(wants)

    def index(*places):
        return m.tensor(places, dtype=m.int64)

    def mask(shape, seed):
        return m.tensor(np.random.default_rng(seed).random(shape) < 0.5)

    def hook(t, seen):
        if t._is_view() and t.is_leaf:  # torch crashes over a hook on a view whose base began to want a gradient later
            raise RuntimeError
        t.register_hook(lambda g: seen.append(tuple(g.shape)))

    return {"T": m, "F": m.nn.functional, "made": made, "index": index, "mask": mask, "hook": hook, "seen": []}


# ---- playing


def facts(m, scope, names, with_graph, uncounted=()):
    """What is to be compared of every tensor."""
    ids = {id(scope[n]): n for n in names}
    lines = {}
    for n in names:
        t = scope[n]
        told = {
            "dtype": str(t.dtype).rpartition(".")[2],
            "shape": tuple(t.shape),
            "stride": [s for s, n in zip(t.stride(), t.shape) if n > 1] if t.numel() else None,
            "offset": t.storage_offset() if t.numel() else 0,
            "wants": t.requires_grad,
            "leaf": asked(lambda t: t.is_leaf, t),
            "view": t._is_view(),
            "base": ids.get(id(t._base), "another") if t._base is not None else None,
            "inference": t.is_inference(),
            "values": numbers(
                t.detach().clone()
            ),  # of a copy, since torch never again resizes memory that numpy has seen
        }
        if not told["inference"] and n not in uncounted:
            told["version"] = t._version
        if with_graph:
            told["node"] = name_of(t)
            told["nr"] = t.output_nr if isinstance(told["node"], str) else None
        lines[n] = told
    return lines


def asked(question, t):
    """What a tensor says, or its refusal: a view that torch forbids to use refuses even to say whether it is a leaf."""
    try:
        return question(t)
    except RuntimeError as refused:
        return words(refused, text=0)


def name_of(t):
    return asked(lambda t: type(t.grad_fn).__name__, t)


def is_quirk(t):
    """Does an integer tensor require a gradient, as torch lets one that was written through a mask? Or is it of
    complex32, which numpy lacks?"""
    return str(t.dtype) == "torch.complex32" or t.requires_grad and not (t.is_floating_point() or t.is_complex())


def is_dense(t):
    """Has a tensor every element of a part of its memory, once?"""
    steps = sorted((s, n) for s, n in zip(t.stride(), t.shape) if n > 1)
    step = 1
    for s, n in steps:
        if s != step:
            return False
        step *= n
    return True


def overlaps(t):
    """Do elements share a place, in a way that torch does not see?"""
    steps = [(s, n) for s, n in zip(t.stride(), t.shape) if n > 1]
    return all(s for s, _ in steps) and t.numel() > 1 + sum((n - 1) * s for s, n in steps)


def is_wanting_leaf(t):
    return t.requires_grad and asked(lambda t: t.is_leaf, t) is True


def play(m, lines):
    """[what there is to compare after each line, and of gradients at the end]"""
    scope, told, uncounted = library(m), [], set()
    with_graph = len(lines) % 2 == 0  # torch reads views anew when it is asked for their nodes: so half of them are not
    for line in lines:
        m.default_generator.manual_seed(0)
        problem = None
        try:
            exec(line, scope)
        except Exception as caught:
            problem = told_of(caught)
        names = [n for n, v in scope.items() if isinstance(v, m.Tensor) and n != "_"]
        uncounted |= of_inference(m, scope, line, uncounted)
        told.append((line, problem, facts(m, scope, names, with_graph, uncounted)))
    names = [n for n, v in scope.items() if isinstance(v, m.Tensor) and n != "_"]
    told.append(("nodes", None, {n: {"node": name_of(scope[n])} for n in names}))
    told.extend(gradients(m, scope, names))
    told.append(("seen", None, {"seen": {"values": repr(scope["seen"])}}))
    return told


def of_inference(m, scope, line, uncounted):
    """Names that a line gives to what it makes of inference tensors in normal mode.

    What version torch says such a tensor has depends on how often a kernel wrote it."""
    made = re.search(r"(t\d+), \*_, (t\d+) = |(t\d+) = ", line)
    read = re.findall(r"\bt\d+\b", line.partition(" = ")[2])
    of_one = any(n in uncounted or n in scope and scope[n].is_inference() for n in read)
    return {n for n in made.groups() if n} if made and of_one else set()


def told_of(error):
    """An error's class, and its message where that says which of the saved tensors was overwritten."""
    return words(error, text=None if "modified by an inplace" in str(error) else 0)


def gradients(m, scope, names):
    leaves = [n for n in names if is_wanting_leaf(scope[n])]
    yield "grads", None, {n: {"values": numbers(scope[n].grad)} for n in leaves if scope[n].grad is not None}
    if not leaves:
        return
    for n in names:
        t = scope[n]
        if not t.requires_grad or is_wanting_leaf(t) or t.is_inference():
            continue
        yield from walked(m, t, [scope[x] for x in leaves], n, scope["seen"])


def walked(m, t, leaves, label, seen):
    """First and second gradients of one tensor for all leaves, and the graph's names."""
    try:
        shape = graph(t.grad_fn)
        total = (t * t.detach().clone()).sum()
        total = total.real if total.is_complex() else total
        grads = m.autograd.grad(total, leaves, allow_unused=True, retain_graph=True, create_graph=True)
    except Exception as caught:
        yield f"gradients of {label}", told_of(caught), {}
        return
    yield f"gradients of {label}", None, {
        "graph": {"values": shape},
        **{str(i): {"dtype": str(g.dtype).rpartition(".")[2], "values": numbers(g), "stride": [s for s, n in zip(g.stride(), g.shape) if n > 1]}
           for i, g in enumerate(grads) if g is not None},
    }  # fmt: skip
    before = len(seen)
    try:
        total = sum([(g * g).abs().sum() for g in grads if g is not None and g.requires_grad])
        again = [None] * len(leaves)
        if not isinstance(total, int):
            again = m.autograd.grad(total, leaves, allow_unused=True, retain_graph=True)
        again = [m.zeros_like(x) if g is None else g for g, x in zip(again, leaves)]  # torch has a graph of some zeros
        yield (
            f"second of {label}",
            None,
            {str(i): {"dtype": str(g.dtype).rpartition(".")[2], "values": numbers(g)} for i, g in enumerate(again)},
        )
    except Exception as caught:
        yield f"second of {label}", told_of(caught), {}
    del seen[before:]  # hooks see the gradients that torch knows to be zero, too


# ---- comparing


def difference(wanted, got):
    """The first thing in which two plays differ, as text; None where they agree."""
    text = " ".join(line for line, *_ in wanted)
    rough = max([near for word, near in NEAR.items() if word in text], default=1e-9)  # they are cast to each other
    rounded = rough > 1e-5
    for (line, problem, tensors), (line_2, problem_2, tensors_2) in zip(wanted, got):
        size = 1e-5  # of what may be the rounding of sums that cancel
        if rounded and line.startswith(("second", "gradients")):
            size = 2.0 if line.startswith("second") else 0.1
        if line != line_2:
            return f"after: {line!r} and {line_2!r}"
        if problem != problem_2:
            return f"{line}: raised {problem_2}, torch {problem}"
        if list(tensors) != list(tensors_2):
            return f"{line}: {list(tensors_2)}, torch {list(tensors)}"
        for name, told in tensors.items():
            for fact, value in told.items():
                given = tensors_2[name].get(fact)
                if fact == "values" and ".view(T." in text and of_near_bits(value, given):
                    continue
                if not alike(value, given, told.get("dtype", ""), rough, size):
                    return f"{line}: {fact} of {name} {given}, torch {value}"
    return None if len(wanted) == len(got) else f"{len(got)} parts, torch {len(wanted)}"


def of_near_bits(a, b):
    """Are two arrays of integers the bits of floats that agree but for rounding? (view() as another type shows them.)"""
    if not isinstance(a, np.ndarray) or a.dtype.kind != "i" or not isinstance(b, np.ndarray) or not a.size:
        return False
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    for kind, near in (("f4", 1e-5), ("f8", 1e-9)):
        if a.nbytes % int(kind[1]) == 0:
            x, y = (np.ascontiguousarray(v).reshape(-1).view(kind) for v in (a, b))
            if np.allclose(x, y, near, near, equal_nan=True) and np.abs(x).max() > 1e-20:
                return True
    return False


def alike(a, b, dtype, rough=0.0, size=1e-5):
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return a == b
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not a.size:
        return True
    if a.dtype.kind not in "fc":
        return bool((a == b).all())
    rough = max(rough, NEAR.get(dtype, 1e-9))
    finite = np.abs(a[np.isfinite(a)])
    return bool(np.allclose(b, a, rough, rough * max(size, float(finite.max(initial=0))), equal_nan=True))


def shortened(lines, differ):
    """A shorter history that differs as well: lines that make no difference are left out."""
    size = max(len(lines) // 2, 1)
    while True:
        at = 0
        while at < len(lines):
            fewer = lines[:at] + lines[at + size :]
            if differ(fewer):
                lines = fewer
            else:
                at += size
        if size == 1:
            return lines
        size = max(size // 2, 1)
