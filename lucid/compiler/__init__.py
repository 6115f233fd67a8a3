"""torch.compile and torch.compiler: graphs from Python code (torch._dynamo), and a backend that runs them."""

from .._base.refused import refused_function
from .._base.state import is_compiling, is_exporting
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


def compile(
    model=None, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, name=None, disable=False,
    recompile_limit=None, isolate_recompiles=False, shapes_spec=None,
):  # fmt: skip
    """compile(model, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, disable=False, ...).

    model, a function or module, compiled when it is called; without it a decorator. backend: a name or f(graph module,
    example inputs) -> callable; None: get_default_backend(). recompile_limit: how many variants of one place there may
    be. isolate_recompiles: they are not shared with other calls of compile. fullgraph: torch._dynamo.exc.Unsupported
    where one graph is not enough. mode: a name for options ("max-autotune"), see torch._inductor.list_mode_options();
    options: {setting of torch._inductor.config: value}. Of both only one may be given; RuntimeError for unknown ones.
    """
    if model is None:
        options = {"backend": backend, "mode": mode, "options": options, "disable": disable, "shapes_spec": shapes_spec}
        options |= {"recompile_limit": recompile_limit, "isolate_recompiles": isolate_recompiles}
        return lambda f: compile(f, fullgraph=fullgraph, dynamic=dynamic, **options)
    if shapes_spec is not None:
        raise NotImplementedError("torch.compile: lucid has no shapes_spec; use torch._dynamo.mark_dynamic")
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    backend = _DEFAULT[0] if backend is None else backend
    options = {name: value for name, value in (options or {}).items() if name != "guard_filter_fn"}
    if options.pop("use_aoti", False):
        raise NotImplementedError("torch.compile: lucid compiles no programs ahead of time (use_aoti)")
    from .._dynamo.eval_frame import optimize

    if backend == "inductor":
        from .._dynamo.backends.inductor import Inductor

        backend, mode, options = Inductor(mode, options), None, None
    return optimize(
        backend,
        nopython=fullgraph,
        dynamic=dynamic,
        disable=disable,
        mode=mode,
        options=options,
        recompile_limit=recompile_limit,
        isolate_recompiles=isolate_recompiles,
    )(model)


COMPILE.append(compile)


def is_dynamo_compiling():
    """is_dynamo_compiling() -> bool: is the program's bytecode being read?"""
    return is_compiling() and not is_exporting()


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


_DEFAULT = ["inductor"]


def set_default_backend(backend):
    """set_default_backend(backend or None): what torch.compile uses where none is given; None: "inductor"."""
    _DEFAULT[0] = "inductor" if backend is None else backend


def get_default_backend():
    """get_default_backend() -> name or function"""
    return _DEFAULT[0]


def set_enable_guard_collectives(enabled):
    """set_enable_guard_collectives(on) -> bool: was it on? Kept; there is one process."""
    before, _COLLECTIVES[0] = _COLLECTIVES[0], bool(enabled)
    return before


_COLLECTIVES = [False]


def keep_portable_guards_unsafe(guard_entries):
    """keep_portable_guards_unsafe(guards) -> [bool]: those that do not depend on Python's objects"""
    kinds = ("GLOBAL_STATE", "SHAPE_ENV")
    return [g.guard_type in kinds or g.guard_type == "TENSOR_MATCH" and not g.is_global for g in guard_entries]


def keep_tensor_guards_unsafe(guard_entries, keep_parameters=False):
    """keep_tensor_guards_unsafe(guards, keep_parameters=False) -> [bool]: those of tensors"""
    kept = []
    for g in guard_entries:
        is_parameter = not g.is_global and type(getattr(g, "value", None)).__name__ == "Parameter"
        kept.append(g.guard_type == "TENSOR_MATCH" and (keep_parameters or not is_parameter))
    return kept


def skip_guard_on_globals_unsafe(guard_entries):
    """skip_guard_on_globals_unsafe(guards) -> [bool]: those of no global"""
    return [not g.is_global for g in guard_entries]


def skip_all_guards_unsafe(guard_entries):
    """skip_all_guards_unsafe(guards) -> [False, ...]"""
    return [False for _ in guard_entries]


def skip_guard_on_inbuilt_nn_modules_unsafe(guard_entries):
    """skip_guard_on_inbuilt_nn_modules_unsafe(guards) -> [bool]: those of no module of torch's own"""
    return [not getattr(g.orig_guard.source, "is_unspecialized_builtin_nn_module", bool)() for g in guard_entries]


def skip_guard_on_all_nn_modules_unsafe(guard_entries):
    """skip_guard_on_all_nn_modules_unsafe(guards) -> [bool]: those of no module"""
    return [not getattr(g.orig_guard.source, "is_unspecialized_nn_module", bool)() for g in guard_entries]


def save_cache_artifacts():
    """save_cache_artifacts() -> None: nothing that was compiled is kept in files"""


def load_cache_artifacts(serialized_artifacts):
    """load_cache_artifacts(bytes) -> None: nothing that was compiled is kept in files"""


load_compiled_function = refused_function("torch.compiler", "load_compiled_function", "compiled functions in files")


def __getattr__(name):
    if name == "config":  # loaded when asked for
        import importlib

        return importlib.import_module(f"{__name__}.config")
    raise AttributeError(f"module 'torch.compiler' has no attribute {name!r}")
