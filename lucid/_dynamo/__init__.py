"""torch._dynamo: marks and settings of torch's compiler; lucid runs code as it is, so they change nothing."""

import contextlib
import types

from .._tensor.tensor import Tensor


class _Config(types.SimpleNamespace):
    """Settings that may be set and read; none has an effect."""

    suppress_errors = verbose = capture_scalar_outputs = capture_dynamic_output_shape_ops = False
    cache_size_limit, accumulated_cache_size_limit, optimize_ddp = 8, 256, True

    @contextlib.contextmanager
    def patch(self, *args, **changes):
        """with patch(name=value): the settings hold inside the block."""
        if args and isinstance(args[0], dict):
            changes = args[0]
        elif args:
            changes = {args[0]: args[1]}
        before = dict(vars(self))
        vars(self).update(changes)
        try:
            yield
        finally:
            vars(self).clear()
            vars(self).update(before)


config = _Config()


class OptimizedModule:
    """The class of what torch.compile(module) gives in torch; nothing here is one."""


def is_compiling():
    """is_compiling() -> False"""
    return False


def reset():
    """reset(): nothing to forget."""


def _identity(fn=None, *args, **kwargs):
    return (lambda f: f) if fn is None else fn


disable = allow_in_graph = assume_constant_result = disallow_in_graph = forbid_in_graph = run = _identity


def graph_break(msg=""):
    """graph_break(): there is no graph to break."""


def mark_dynamic(t, index, **kwargs):
    """mark_dynamic(tensor, dim): every size is."""


mark_static = maybe_mark_dynamic = mark_dynamic


def mark_static_address(t, guard=False):
    """mark_static_address(tensor): noted on the tensor; TypeError for anything else."""
    if not isinstance(t, Tensor):
        raise TypeError(f"mark_static_address expects a tensor but received {type(t)}")
    t._dynamo_static_input_type = "guarded" if guard else "unguarded"


def list_backends(exclude_tags=("debug", "experimental")):
    """list_backends() -> ["eager"]"""
    return ["eager"]


def optimize(backend="inductor", **kwargs):
    """optimize(backend) -> decorator that gives back its function."""
    return _identity()


def explain(f, *args, **kwargs):
    """explain(f): NotImplementedError, there is no compiler yet."""
    raise NotImplementedError("torch._dynamo.explain: lucid has no compiler yet; code runs as it is written")


export = explain
