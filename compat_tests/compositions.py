"""Transforms and their compositions of one op, for either library: what test_compositions.py compares.

A case is an op, a composition and a pattern, which says of each tensor that goes in whether it is batched, and where the
batch lies. torch's own composition is the reference; where torch cannot batch an op, torch's for one member at a time.
Where a formula is free (in the part of a matrix that is not read, in statistics beside a result), forward mode and the
transpose of the gradient differ in torch, and either will do.
"""

import opdb
import torch
from test_transforms import Sample, direction

import lucid

SIZE = 2


def library(tensors):
    return (
        lucid if any(isinstance(t, lucid.Tensor) for t in opdb.leaves(tensors, (torch.Tensor, lucid.Tensor))) else torch
    )


class Subject:
    """One sample of an op as a function of its differentiable tensors (`live`); with `whole`, of all tensors."""

    def __init__(self, op, sample, whole=False):
        self.op, self.sample = op, Sample(sample)
        self.tensors = [t.detach() for t in self.sample.tensors]
        inexact = [t.is_floating_point() or t.is_complex() for t in self.tensors]
        wanted = [t.requires_grad for t in self.sample.tensors]
        self.live = [i for i in range(len(self.tensors)) if whole or wanted[i] and inexact[i]]
        self.primals = [self.tensors[i] for i in self.live]
        self.functions = {torch: op.op, lucid: opdb.counterpart(op)}
        self.twins = None

    def __call__(self, *xs):
        """The results (with a derivative, if not `whole`) as a tuple."""
        m = library(xs)
        if m is lucid and self.twins is None:
            self.twins = [opdb.tensor(t, "cpu") for t in self.tensors]
        full = list(self.tensors if m is torch else self.twins)
        for i, x in zip(self.live, xs):
            full[i] = x
        return tuple(opdb.leaves(self.sample.call(self.functions[m], full), m.Tensor))

    def differentiable(self):
        """The same with only those results that have a derivative."""
        leaves = [p.clone().requires_grad_() for p in self.primals]
        self.keep = [i for i, o in enumerate(self(*leaves)) if o.requires_grad]
        self.likes = [o.detach() for i, o in enumerate(self(*self.primals)) if i in self.keep]
        return lambda *xs: tuple(o for i, o in enumerate(self(*xs)) if i in self.keep)


class Ways:
    """A library's transforms; by_reverse: forward mode as the transpose of the gradient."""

    def __init__(self, m, by_reverse=False):
        self.m, self.vjp, self.jacrev = m, m.func.vjp, m.func.jacrev
        self.jvp, self.jacfwd = (_transposed, self.jacrev) if by_reverse else (m.func.jvp, m.func.jacfwd)


def _transposed(f, primals, pushed):
    """jvp(f, primals, pushed) of torch's by two reverse passes."""
    value, pull = torch.func.vjp(f, *primals)
    flat = opdb.leaves(value, torch.Tensor)

    def back(*seeds):
        it = iter(seeds)
        return pull(torch.utils._pytree.tree_map(lambda _: next(it), value))

    tangents = torch.func.vjp(back, *[torch.zeros_like(o) for o in flat])[1](tuple(pushed))
    it = iter(tangents)
    return value, torch.utils._pytree.tree_map(lambda _: next(it), value)


def _vmap(ways, s, f):
    return s.primals, f


def _jvp(ways, s, f):
    n = len(s.primals)
    return [*s.primals, *tangents(s.primals)], lambda *a: ways.jvp(f, a[:n], a[n:])


def _vjp(ways, s, f):
    n = len(s.primals)
    return [*s.primals, *tangents(s.likes, 50)], lambda *a: ways.vjp(f, *a[:n])[1](a[n:])


def _jvp_vjp(ways, s, f):
    n, k = len(s.primals), len(s.likes)

    def run(*a):
        primals, seeds, pushed = a[:n], a[n : n + k], a[n + k :]
        return ways.jvp(lambda *p: ways.vjp(f, *p)[1](seeds), primals, pushed)

    return [*s.primals, *tangents(s.likes, 50), *tangents(s.primals)], run


def _jvp_vjp_of_seeds(ways, s, f):
    """With a tangent for the cotangents, too."""
    n, k = len(s.primals), len(s.likes)

    def run(*a):
        return ways.jvp(lambda *p: ways.vjp(f, *p[:n])[1](p[n:]), a[: n + k], a[n + k :])

    both = [*s.primals, *tangents(s.likes, 50)]
    return [*both, *tangents(both, 90)], run


def _vjp_jvp(ways, s, f):
    n, k = len(s.primals), len(s.likes)

    def run(*a):
        primals, pushed, seeds = a[:n], a[n : 2 * n], a[2 * n :]
        return ways.vjp(lambda *p: ways.jvp(f, p, pushed), *primals)[1]((seeds[:k], seeds[k:]))

    return [*s.primals, *tangents(s.primals), *tangents(s.likes, 50), *tangents(s.likes, 70)], run


def _vjp_vjp(ways, s, f):
    n, k = len(s.primals), len(s.likes)

    def run(*a):
        primals, seeds, again = a[:n], a[n : n + k], a[n + k :]
        return ways.vjp(lambda *p: ways.vjp(f, *p)[1](seeds), *primals)[1](again)

    return [*s.primals, *tangents(s.likes, 50), *tangents(s.primals, 70)], run


def _jacfwd_jacrev(ways, s, f):
    every = tuple(range(len(s.primals)))
    return s.primals, ways.jacfwd(ways.jacrev(lambda *p: tuple(o.sum() for o in f(*p)), every), every)


def _jacfwd(ways, s, f):
    every = tuple(range(len(s.primals)))
    return s.primals, ways.jacfwd(lambda *p: tuple(o.sum() for o in f(*p)), every)


BODIES = {
    "vmap": _vmap,
    "jvp": _jvp,
    "vjp": _vjp,
    "jvp(vjp)": _jvp_vjp,
    "jvp(vjp) of both": _jvp_vjp_of_seeds,
    "vjp(jvp)": _vjp_jvp,
    "vjp(vjp)": _vjp_vjp,
    "jacfwd(jacrev)": _jacfwd_jacrev,
    "jacfwd": _jacfwd,
}
COMPOSITIONS = ["vmap", *[name for name in BODIES if name != "vmap"]]
COMPOSITIONS += [f"vmap({name})" for name in BODIES if name not in ("vmap", "jacfwd")]
COMPOSITIONS += ["vmap(vmap)", "in place", "vmap(in place)", "jvp(in place)"]


def tangents(likes, seed=0):
    return [direction(t, seed + i) for i, t in enumerate(likes)]


# ---- batches


def pattern(rng, n):
    """The batch dimension of each of n tensors: 0, -1, or None where it is the same for all members; not always None."""
    while True:
        dims = [rng.choice((0, 0, -1, None)) for _ in range(n)]
        if any(d is not None for d in dims):
            return dims


def batched(tensors, dims, size=SIZE):
    """The tensors with members along the batch dimension: themselves, and others of the same numbers."""
    made = []
    for t, d in zip(tensors, dims):
        if d is None:
            made.append(t)
            continue
        other = t.flip(-1) if t.ndim and (t.is_floating_point() or t.is_complex()) else t
        made.append(torch.stack([t, other][:size], d))
    return made


def members(args, dims):
    for i in range(SIZE):
        yield [a if d is None else a.select(d, i) for a, d in zip(args, dims)]


def stacked(results):
    """Results of each member as those of the batch."""
    flat = [opdb.leaves(r, torch.Tensor) for r in results]
    return [torch.stack(column) for column in zip(*flat)]


def carried(tensors):
    return [opdb.tensor(t, "cpu") for t in tensors]


# ---- one case


class Refused(Exception):
    """torch cannot do the case."""


def run(name, op, sample, rng):
    """(lucid's tensors, torch's, what gives torch's in another way) of a case; Refused where torch does not do it."""
    if "in place" in name:
        return run_in_place(name, op, sample, rng)
    if name in ("vmap", "vmap(vmap)"):
        subject = Subject(op, sample, whole=True)
        f = subject
        if not subject.primals:
            raise Refused
    else:
        subject = Subject(op, sample)
        if not subject.primals:
            raise Refused
        f = subject.differentiable()
        if not subject.likes or any(not t.numel() for t in subject.likes):
            raise Refused
    inner = name[5:-1] if name.startswith("vmap(") else name
    if "jac" in inner and sum(p.numel() for p in subject.primals) > 12:
        raise Refused
    body = BODIES[inner if inner in BODIES else "vmap"]
    args, of_torch = body(Ways(torch), subject, f)
    by_reverse = body(Ways(torch, True), subject, f)[1]
    of_lucid = body(Ways(lucid), subject, f)[1]
    if not name.startswith("vmap"):
        want = attempt(of_torch, args)
        got = opdb.leaves(of_lucid(*carried(args)), lucid.Tensor)
        return got, want, lambda: attempt(by_reverse, args)
    dims = pattern(rng, len(args))
    args = batched(args, dims)
    if name == "vmap(vmap)":
        return nested(of_torch, of_lucid, args, dims, rng)
    how = dict(in_dims=tuple(dims))

    def torchs(f):
        try:
            return attempt(torch.func.vmap(f, **how), args), None
        except Refused as trouble:
            return stacked([attempt(f, one) for one in members(args, dims)]), trouble.__cause__

    want, refusal = torchs(of_torch)
    try:
        got = opdb.leaves(lucid.func.vmap(of_lucid, **how)(*carried(args)), lucid.Tensor)
    except Exception as trouble:
        if type(trouble) is type(refusal):
            raise Refused from trouble
        raise
    return got, want, lambda: torchs(by_reverse)[0]


def attempt(f, args):
    try:
        return opdb.leaves(f(*args), torch.Tensor)
    except Exception as trouble:
        raise Refused from trouble


def nested(of_torch, of_lucid, args, dims, rng):
    """A batch of batches; the outer one has another pattern."""
    outer = pattern(rng, len(args))
    args = batched(args, outer)

    def program(m, f, args):
        return m.func.vmap(m.func.vmap(f, in_dims=tuple(dims)), in_dims=tuple(outer))(*args)

    want = attempt(lambda *a: program(torch, of_torch, a), args)
    return opdb.leaves(program(lucid, of_lucid, carried(args)), lucid.Tensor), want, None


def run_in_place(name, op, sample, rng):
    """The op's in-place form; the results are what it gives, and what was written."""
    method = op.inplace_variant
    ours = getattr(lucid.Tensor, getattr(method, "__name__", ""), None)
    subject = Subject(op, sample, whole=True)
    if method is None or ours is None or not isinstance(sample[0], torch.Tensor) or not subject.primals:
        raise Refused

    def f(*xs):
        full = list(xs)
        return subject.sample.call(method if library(xs) is torch else ours, full)

    if name == "jvp(in place)":
        live = [i for i, t in enumerate(subject.tensors) if t.is_floating_point() or t.is_complex()]
        if not live or 0 not in live:
            raise Refused

        def body(m):
            rest = subject.tensors if m is torch else carried(subject.tensors)

            def run(*a):
                def g(*xs):
                    full = list(rest)
                    for i, x in zip(live, xs):
                        full[i] = x
                    return f(*full)

                n = len(live)
                return m.func.jvp(g, tuple(a[:n]), tuple(a[n:])), a

            return run

        args = [subject.tensors[i] for i in live]
        args = [*args, *tangents(args)]
    else:

        def body(m):
            return lambda *a: (f(*a), a[0])

        args = subject.tensors
    if name != "vmap(in place)":
        given = [a.clone() for a in args]
        want = attempt(body(torch), [a.clone() for a in args])
        return opdb.leaves(body(lucid)(*carried(given)), lucid.Tensor), want, None
    dims = [0 if rng.random() < 0.5 else -1, *pattern(rng, len(args))[1:]]
    args = batched(args, dims)

    def mapped(m, a):
        return m.func.vmap(f, in_dims=tuple(dims))(*a), a[0]

    given = [a.clone() for a in args]
    want = attempt(lambda *a: mapped(torch, a), [a.clone() for a in args])
    return opdb.leaves(mapped(lucid, carried(given)), lucid.Tensor), want, None
