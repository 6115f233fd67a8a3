"""torch.library: ops of one's own, by annotated functions (`custom_op`) or by schemas (`define`, `Library`); they are
called as functions, or as `torch.ops.namespace.name`."""

import contextlib

from .._aten.overloads import OWN
from .._modes.autocast import is_autocast_available
from . import schema as schemas
from .custom_op import OPS, CustomOpDef, OwnOverload, _kinds
from .opcheck import get_ctx, opcheck

__all__ = [
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "get_ctx",
    "impl",
    "impl_abstract",
    "infer_schema",
    "opcheck",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
    "triton_op",
    "wrap_triton",
]


def infer_schema(prototype_function, /, *, mutates_args, op_name=None):
    """infer_schema(fn, mutates_args=()) -> str: the schema that fn's annotations say. ValueError where they do not."""
    return (op_name or "") + schemas.of_function(prototype_function, mutates_args).text()


def custom_op(name, fn=None, /, *, mutates_args=(), device_types=None, schema=None, tags=None):
    """custom_op("namespace::name", mutates_args=()) as a decorator -> CustomOpDef, callable as the function was.

    The function's annotations are its schema, unless one is given. mutates_args: names of what it changes in place.
    """

    def define_op(f):
        if schema is None:
            made = schemas.of_function(f, mutates_args, name)
        else:
            made = schemas.parsed(schema)
            made.name = name
        if "::" not in name:
            raise ValueError(f"Expected `{name}` to be of the form `namespace::name`")
        return CustomOpDef(made, f, device_types, tags)

    return define_op if fn is None else define_op(fn)


def _found(op):
    """The OpOverload of a CustomOpDef, an op of torch.ops, or a name."""
    if isinstance(op, CustomOpDef):
        return op._opoverload
    if isinstance(op, str):
        if op not in OPS:
            raise RuntimeError(f"operator {op} does not exist")
        return OPS[op]
    return getattr(op, "default", op)


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    """register_fake(op) as a decorator: what results look like, for tensors on `meta`."""

    def put(f):
        _found(op).fake = f
        return f

    return put if func is None else put(func)


impl_abstract = register_fake


def register_kernel(op, device_types, func=None, /, *, lib=None):
    """register_kernel(op, "cpu") as a decorator: the function for a kind of device."""

    def put(f):
        for kind in _kinds(device_types):
            _found(op).kernels[kind] = f
        return f

    return put if func is None else put(func)


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """register_autograd(op, backward, setup_context=None): backward(ctx, *grads) gives one gradient per argument."""
    if isinstance(op, CustomOpDef):
        return op.register_autograd(backward, setup_context=setup_context)
    found = _found(op)
    if found.shown is not None:
        return found.shown.register_autograd(backward, setup_context=setup_context)
    found.backward, found.setup_context = backward, setup_context


def register_vmap(op, func=None, /, *, lib=None):
    """register_vmap(op) as a decorator: fn(info, in_dims, *args) -> (result, out_dims)."""

    def put(f):
        _found(op).vmap = f
        return f

    return put if func is None else put(func)


def register_autocast(op, device_type, cast_inputs, /, *, lib=None):
    """register_autocast(op, device_type, dtype): under autocast the op takes its tensors in that type, and runs with
    autocast off."""
    if not is_autocast_available(device_type):
        raise ValueError(f"Device type '{device_type}' does not support autocast.")
    if isinstance(op, CustomOpDef):
        return op.register_autocast(device_type, cast_inputs)
    found = _found(op)
    if found.shown is not None:
        return found.shown.register_autocast(device_type, cast_inputs)
    found.casts[device_type] = cast_inputs


def define(qualname, schema, *, lib=None, tags=()):
    """define("namespace::name", "(Tensor x) -> Tensor"): an op without kernels yet."""
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    if "::" not in qualname:
        raise ValueError(f"Expected `{qualname}` to be of the form `namespace::name`")
    made = schemas.parsed(schema)
    made.name = qualname
    OwnOverload(made, None, tags)


def impl(qualname, types, func=None, *, lib=None):
    """impl("namespace::name", "cpu") as a decorator: the function for a kind of device, "default" for any."""

    def put(f):
        for kind in _kinds(types):
            _put_kernel(OPS[qualname], kind, f)
        return f

    return put if func is None else put(func)


def _put_kernel(op, key, f):
    """Let f be what op does under a dispatch key of torch's, or on a kind of device."""
    key = key.lower()
    if key == "compositeimplicitautograd":
        op.composite = f
    elif key.startswith("autograd"):
        op.autograd_kernel = f
    elif key.startswith("autocast"):
        op.autocast_kernels[key.removeprefix("autocast")] = f
    elif key in ("", "default", "compositeexplicitautograd"):
        op.kernels[None] = f
    else:
        op.kernels[key] = f


class Library:
    """Library(namespace, kind, dispatch_key=""): defines ops by schemas and gives them kernels.

    kind: "DEF", "IMPL" or "FRAGMENT"; dispatch_key: of the kernels whose `impl` names none.
    """

    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("DEF", "IMPL", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        self.ns, self.kind, self.dispatch_key, self._defined = ns, kind, dispatch_key, []

    def define(self, schema, alias_analysis="", *, tags=()):
        """define("name(Tensor x) -> Tensor") -> str: the op's name."""
        made = schemas.parsed(schema, self.ns)
        self._defined.append(OwnOverload(made, None, tags)._name)
        return self._defined[-1].partition("::")[2]

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        """impl(name, fn, dispatch_key=""): what the op does, such as under "CPU" or "CompositeImplicitAutograd"."""
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        name = op_name if isinstance(op_name, str) else op_name.name()
        name = name if "::" in name else f"{self.ns}::{name}"
        if name not in OPS:
            if self.ns in ("aten", "prims"):
                raise NotImplementedError(f"{name}: lucid's own ops take no other kernels")
            raise RuntimeError(f"Tried to register an impl for {name}, which has no schema: define it first")
        _put_kernel(OPS[name], dispatch_key or self.dispatch_key, fn)

    def fallback(self, fn, dispatch_key="", *, with_keyset=False):
        """fallback(fn): NotImplementedError, lucid has no dispatcher."""
        _unsupported("Library.fallback")()

    def _register_fake(self, op_name, fn, _stacklevel=1, *, allow_override=False):
        """_register_fake(name, fn): what results look like."""
        register_fake(op_name if "::" in op_name else f"{self.ns}::{op_name}", fn)

    def _destroy(self):
        for name in self._defined:
            op = OPS.pop(name, None)
            if op is not None:
                OWN.get(op.namespace, {}).pop(op._opname, None)


@contextlib.contextmanager
def _scoped_library(*args, **kwargs):
    library = Library(*args, **kwargs)
    try:
        yield library
    finally:
        library._destroy()


def _unsupported(name):
    def f(*args, **kwargs):
        raise NotImplementedError(
            f"torch.library.{name}: lucid has no dispatcher to register with; use "
            "torch.library.custom_op or torch.autograd.Function"
        )

    f.__name__, f.__doc__ = name, f"{name}(...): NotImplementedError, lucid has no dispatcher."
    return f


fallthrough_kernel, wrap_triton = map(_unsupported, ("fallthrough_kernel", "wrap_triton"))


def triton_op(name, fn=None, /, *, mutates_args, schema=None):
    """triton_op(name, mutates_args=()): NotImplementedError when it is made, lucid runs no Triton kernels."""
    raise NotImplementedError(
        f"torch.library.triton_op({name!r}): lucid runs no Triton kernels; use torch.library.custom_op"
    )


def register_torch_dispatch(op, torch_dispatch_class, func=None, /, *, lib=None):
    """register_torch_dispatch(op, cls) as a decorator: fn(mode or cls, func, types, args, kwargs), which stands in
    for the __torch_dispatch__ of a mode, or of a class of tensors, for this op."""

    def put(f):
        found = _found(op)
        found.rules = {**(found.rules or {}), torch_dispatch_class: f}
        return f

    return put if func is None else put(func)


def get_kernel(op, dispatch_key):
    """get_kernel(op, key): the function registered for a kind of device."""
    return _found(op).kernels.get(str(dispatch_key).lower())
