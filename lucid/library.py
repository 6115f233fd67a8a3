"""torch.library: ops of one's own. `custom_op` gives a function that runs; what only a compiler or dispatcher needs is
kept aside."""

import contextlib
import functools

__all__ = [
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "impl",
    "impl_abstract",
    "register_autograd",
    "register_fake",
    "register_kernel",
]


class CustomOpDef:
    """A function with a name "namespace::name"; gradients come from register_autograd, or from the ops it calls."""

    def __init__(self, name, fn):
        functools.update_wrapper(self, fn)
        self._qualname, self._fn, self._backward, self._setup = name, fn, None, None

    def __call__(self, *args, **kwargs):
        if self._backward is not None:
            raise NotImplementedError(
                f"{self._qualname}: register_autograd is not supported yet; write a torch.autograd.Function"
            )
        return self._fn(*args, **kwargs)

    def register_fake(self, fn):
        """register_fake(fn) -> fn: shapes alone, kept aside."""
        return fn

    impl_abstract = register_fake

    def register_kernel(self, device_types, fn=None):
        """register_kernel("cpu") as a decorator: the function for a kind of device."""

        def put(f):
            if device_types in (None, "cpu") or "cpu" in device_types:
                self._fn = f
            return f

        return put if fn is None else put(fn)

    def register_autograd(self, backward, /, *, setup_context=None):
        """register_autograd(backward, setup_context=None): calling the op raises NotImplementedError from then on."""
        self._backward, self._setup = backward, setup_context

    def register_vmap(self, func=None):
        """register_vmap(fn) -> fn, kept aside."""
        return func

    def register_torch_dispatch(self, torch_dispatch_class, fn=None):
        """register_torch_dispatch(cls, fn) -> fn, kept aside."""
        return fn


def custom_op(name, fn=None, /, *, mutates_args=(), device_types=None, schema=None, tags=None):
    """custom_op("namespace::name", mutates_args=()) as a decorator -> CustomOpDef, callable as the function was."""
    if "::" not in name:
        raise ValueError(f"expected a qualified name 'namespace::name', got '{name}'")
    return (lambda f: CustomOpDef(name, f)) if fn is None else CustomOpDef(name, fn)


triton_op = custom_op


def _apply(op, method, func, *args):
    if isinstance(op, CustomOpDef):
        return getattr(op, method)(*args) if func is None else getattr(op, method)(*args, func)
    return (lambda f: f) if func is None else func


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    """register_fake(op) as a decorator: shapes alone, kept aside."""
    return (lambda f: f) if func is None else func


impl_abstract = register_fake


def register_kernel(op, device_types, func=None, /, *, lib=None):
    """register_kernel(op, "cpu") as a decorator."""
    return _apply(op, "register_kernel", func, device_types)


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """register_autograd(op, backward, setup_context=None), see CustomOpDef."""
    if isinstance(op, CustomOpDef):
        op.register_autograd(backward, setup_context=setup_context)


def _unsupported(name):
    def f(*args, **kwargs):
        raise NotImplementedError(
            f"torch.library.{name}: lucid has no dispatcher to register with; use "
            "torch.library.custom_op or torch.autograd.Function"
        )

    f.__name__, f.__doc__ = name, f"{name}(...): NotImplementedError, lucid has no dispatcher."
    return f


define, impl, fallthrough_kernel, opcheck, get_ctx, wrap_triton, infer_schema, register_vmap = (
    _unsupported(n)
    for n in (
        "define",
        "impl",
        "fallthrough_kernel",
        "opcheck",
        "get_ctx",
        "wrap_triton",
        "infer_schema",
        "register_vmap",
    )
)


class Library:
    """Library(namespace, kind): NotImplementedError, lucid has no dispatcher."""

    def __init__(self, ns, kind, dispatch_key=""):
        _unsupported("Library")()


@contextlib.contextmanager
def _scoped_library(*args, **kwargs):
    yield Library(*args, **kwargs)
