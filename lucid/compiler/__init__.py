"""torch.compile and torch.compiler: graphs from Python code (torch._dynamo), and a backend that runs them."""

from .._base.state import is_compiling
from ..nn.modules.module import COMPILE

__all__ = [
    "compile",
    "reset",
    "allow_in_graph",
    "assume_constant_result",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "cudagraph_mark_step_begin",
    "set_stance",
    "substitute_in_graph",
    "wrap_numpy",
    "nested_compile_region",
]

_MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite")


def compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False):
    """compile(model, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False).

    model, a function or module, compiled when it is called; without it a decorator. backend: a name or f(graph module,
    example inputs) -> callable. fullgraph: torch._dynamo.exc.Unsupported where one graph is not enough. mode and
    options may not be given together (RuntimeError).
    """
    if model is None:
        return lambda f: compile(
            f, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, disable=disable
        )
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    from .._dynamo.eval_frame import optimize

    return optimize(backend, nopython=fullgraph, dynamic=dynamic, disable=disable, mode=mode, options=options)(model)


COMPILE.append(compile)


is_dynamo_compiling = is_compiling


def is_exporting():
    """is_exporting() -> False"""
    return False


def allow_in_graph(fn):
    """allow_in_graph(fn) -> fn, a call of which is one node of a graph."""
    from .._dynamo import allow_in_graph as allow

    return allow(fn)


def assume_constant_result(fn):
    """assume_constant_result(fn) -> fn, whose result is a constant of the graph."""
    from .._dynamo import assume_constant_result as assume

    return assume(fn)


def wrap_numpy(fn):
    """wrap_numpy(fn) -> fn of tensors, which computes with numpy arrays and gives tensors."""
    from .._dynamo.external_utils import wrap_numpy as wrapped

    return wrapped(fn)


def nested_compile_region(fn=None, **options):
    """nested_compile_region(fn) -> fn"""
    return (lambda f: f) if fn is None else fn


def disable(fn=None, recursive=True, *, reason=None):
    """disable(fn) -> fn, which is not compiled and at a call of which a graph ends; a decorator too."""
    from .._dynamo.eval_frame import disable as off

    return off(fn, recursive, reason=reason)


def substitute_in_graph(
    original_fn, *, can_constant_fold_through=False, skip_signature_check=False, is_embedded_type=False
):
    """substitute_in_graph(original) -> decorator: where original is called, the decorated function is read."""
    from .._dynamo.builtins import substitute

    return substitute(original_fn)


def reset():
    """reset(): forget all that was compiled."""
    from .._dynamo.compiled import reset as forget

    forget()


def list_backends(exclude_tags=("debug", "experimental")):
    """list_backends(exclude_tags=("debug", "experimental")) -> names"""
    from .._dynamo.backends import list_backends as listed

    return listed(exclude_tags)


def cudagraph_mark_step_begin():
    """cudagraph_mark_step_begin(): there are no CUDA graphs."""


class set_stance:
    """set_stance(stance): "default" compiles, "force_eager" runs everything as Python, "eager_on_recompile" runs what
    is not compiled yet, "fail_on_recompile" raises there. A context manager, a decorator or a call.
    """

    def __init__(self, stance="default", *, skip_guard_eval_unsafe=False, force_backend=None):
        from .._dynamo import config

        stances = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile")
        if stance not in stances:
            raise RuntimeError(f"invalid torch.compile stance '{stance}'")
        self._config, self._before, self.stance = config, config.stance, stance
        config.stance = stance

    def __enter__(self):
        self._config.stance = self.stance
        return self

    def __exit__(self, *trouble):
        self._config.stance = self._before
        return False

    def __call__(self, fn):
        import functools

        self._config.stance = self._before

        @functools.wraps(fn)
        def inside(*args, **kwargs):
            with set_stance(self.stance):
                return fn(*args, **kwargs)

        return inside
