"""autograd.Function inside vmap and jvp: by the vmap and jvp rules of its class."""

from typing import NamedTuple

from .._backend.backward import frames_of
from .._base.state import local
from .._base.tree import broadcast_prefix, flatten
from .._tensor.tensor import Tensor, wrap
from . import jvp_frames as dual
from . import vmap_table as batched
from .levels import level

PAGE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
RETURNS = (
    "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible with "
    "the output. Got "
)


class VmapInfo(NamedTuple):
    """What a vmap rule is told of the batch."""

    batch_size: int
    randomness: str


def apply_in_transforms(cls, args, with_setup, call):
    """cls.apply(*args) where transforms run, or met their tensors.

    call(cls, args, with_setup, below=None) gives (ctx, output) of one call, recorded.
    """
    tables = [a._table for a in args if isinstance(a, Tensor) and level(a._table)]
    frame = max(tables, key=level).frame if tables else (*local.frames, *local.transforms)[-1]
    if not with_setup and not isinstance(frame, dual.OpenFrame):
        refuse_without_setup()
    grads = [f for f in local.transforms if f.words is None and (not tables or f.level > frame.level)]
    if tables and grads and any(isinstance(a, Tensor) and a._node is not None for a in args):

        def below(*inner):
            with _outside(grads[0]):
                return apply_in_transforms(cls, inner, with_setup, call)

        return call(cls, args, with_setup, below)[1]
    if isinstance(frame, dual.DualFrame):
        return _push(cls, args, with_setup, call, frame) if tables else call(cls, args, with_setup)[1]
    if not isinstance(frame, batched.BatchFrame):
        return call(cls, args, with_setup)[1]
    _check_rule(cls)
    if tables and not cls.generate_vmap_rule:
        return _by_rule(cls, args, frame)
    below = [f for k in tables for f in frames_of(k) if isinstance(f, dual.DualFrame)]
    if below:  # of which it says itself how tangents go through
        return _push(cls, args, with_setup, call, max(below, key=lambda f: f.level), without_only)
    return call(cls, args, with_setup)[1]


def refuse_without_setup():
    """RuntimeError: a forward that gets its ctx cannot run inside a transform."""
    raise RuntimeError(
        "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
        f"override the setup_context staticmethod. {PAGE}"
    )


def _check_rule(cls):
    own = cls.vmap is not cls.__mro__[-3].vmap  # Function's, which stands before FunctionCtx and object
    if cls.generate_vmap_rule and own:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden vmap "
            "staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid "
            f"ambiguity. {PAGE}"
        )
    if not cls.generate_vmap_rule and not own:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement "
            f"the vmap staticmethod or set generate_vmap_rule=True. {PAGE}"
        )


class _outside:
    """A context without `frame` and the transforms inside it."""

    def __init__(self, frame):
        self.frame = frame

    def stays(self, other):
        return other.level < self.frame.level

    def __enter__(self):
        self.before = local.frames, local.transforms
        local.frames, local.transforms = [tuple([f for f in fs if self.stays(f)]) for fs in self.before]

    def __exit__(self, *exc):
        local.frames, local.transforms = self.before


class without_only(_outside):
    """A context without `frame` alone."""

    def stays(self, other):
        return other is not self.frame


def _by_rule(cls, args, frame):
    opened, dims = [], []
    for a in args:
        member = isinstance(a, Tensor) and a._table.frame is frame
        if member and not a._array.has_batch and a._node is None:
            a, member = wrap(a._array.value, a._table.inner), False
        opened.append(batched.leave(a, 0, frame) if member else a)
        dims.append(0 if member else None)
    with _outside(frame):
        if not any(d is not None for d in dims):
            return cls.apply(*opened)
        result = cls.vmap(VmapInfo(frame.size, frame.randomness), tuple(dims), *opened)
    if not isinstance(result, tuple):
        raise RuntimeError(f"{RETURNS}a {type(result)} instead")
    if len(result) != 2:
        raise RuntimeError(f"{RETURNS}{len(result)} returns instead")
    output, out_dims = result
    outs, rebuild = flatten(output)
    places = broadcast_prefix(out_dims, output)
    if places is None:
        raise RuntimeError(f"{RETURNS}out_dims={out_dims} instead")
    return rebuild([o if d is None else batched.enter(o, d % o.ndim, frame) for o, d in zip(outs, places)])


def _wants_zeros(p, ctx):
    """Does jvp get zeros for the tangent of an argument without one?"""
    return ctx.materialize_grads and isinstance(p, Tensor) and p._table.inexact


def _push(cls, args, with_setup, call, frame, outside=_outside):
    """The results with the tangents that the class's jvp gives."""
    parts = [dual.leave(a, frame) if isinstance(a, Tensor) else (a, None) for a in args]
    with outside(frame):
        primals = tuple([p for p, _ in parts])
        if with_setup:  # (there may be a batch below, with a rule of its own)
            ctx = cls._context_cls()
            if any(isinstance(p, Tensor) and level(p._table) for p in primals):
                output = cls.apply(*primals)
            else:
                output = call(cls, primals, True, cls.forward)[1]
            ctx.needs_input_grad = tuple([isinstance(p, Tensor) and p._node is not None for p in primals])
            cls.setup_context(ctx, primals, output)
        else:
            ctx, output = call(cls, primals, False)
        constant = ctx.non_differentiable
        tangents = [t if t is not None or not _wants_zeros(p, ctx) else p.detach() * 0 for p, t in parts]
        pushed = cls.jvp(ctx.for_jvp(), *tangents)
    single = not isinstance(output, tuple)
    outs, pushed = (output,) if single else output, pushed if isinstance(pushed, (tuple, list)) else (pushed,)
    if len(pushed) != len(outs):
        raise RuntimeError(
            f"function {cls.__name__}Backward returned an incorrect number of forward gradients (expected {len(outs)} "
            f"got {len(pushed)})"
        )
    results = tuple(
        [
            dual.enter(o, None if any(o is c for c in constant) else t, frame) if isinstance(o, Tensor) else o
            for o, t in zip(outs, pushed)
        ]
    )
    return results[0] if single else results
