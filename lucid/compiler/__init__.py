"""torch.compile and torch.compiler: lucid runs code as it is written, which gives the right answer; marks change
nothing."""

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


def compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False):
    """compile(model) -> model itself, or compile(...) as a decorator: lucid has no compiler yet and runs the code
    eagerly.

    mode and options may not be given together, as in torch (RuntimeError).
    """
    if model is None:
        return lambda f: compile(f, mode=mode, options=options)
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    return model


def is_compiling():
    """is_compiling() -> False"""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def _identity(fn=None):
    return (lambda f: f) if fn is None else fn


allow_in_graph = assume_constant_result = wrap_numpy = nested_compile_region = _identity


def disable(fn=None, recursive=True, *, reason=None):
    """disable(fn) -> fn, or disable(recursive=...) as a decorator: nothing is compiled anyway."""
    return _identity(fn)


def substitute_in_graph(
    original_fn, *, can_constant_fold_through=False, skip_signature_check=False, is_embedded_type=False
):
    """substitute_in_graph(original) -> decorator that gives back its function."""
    return _identity()


def reset():
    """reset(): nothing to forget."""


def list_backends(exclude_tags=("debug", "experimental")):
    """list_backends() -> ["eager"]"""
    return ["eager"]


def cudagraph_mark_step_begin():
    """cudagraph_mark_step_begin(): there are no CUDA graphs."""


class set_stance:
    """set_stance(stance): a context or decorator that changes nothing."""

    def __init__(self, stance="default", *, skip_guard_eval_unsafe=False, force_backend=None):
        self.stance = stance

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def __call__(self, fn):
        return fn
