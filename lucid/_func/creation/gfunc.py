"""Tensors out of nothing: tensor, zeros, arange, eye, from_numpy and the other factories."""

import builtins
import math
import numbers

from ..._array.lookup import table
from ..._array.numpy.table import TABLES
from ..._array.numpy.table import table as cpu_table
from ..._backend.graph import leaf
from ..._backend.overrides import PLAIN, ask_overrides
from ..._backend.promotion import is_number
from ..._backend.registry import public
from ..._base import dtype as dtypes
from ..._base.device import device as device_type
from ..._base.dtype import C_NAMES
from ..._base.errors import BadArgument
from ..._base.shape import Size, contiguous_strides
from ..._base.state import UNUSUAL, defaults, local
from ..._tensor.storage import Storage, extra
from ..._tensor.tensor import CHANNELS_LAST, Tensor, contiguous_format, preserve_format, strided, wrap
from .from_python import array_from, number_dtype


def factory(f):
    """A function without tensor arguments, yet visible to modes (`torch.set_default_device`, TorchFunctionMode)."""
    import functools

    @functools.wraps(f)
    def call(*args, **kwargs):
        if UNUSUAL and local.interpreters:
            handled, result = ask_overrides(call, (), args, kwargs)
            if handled:
                return result
        try:
            if (dtype := kwargs.get("dtype")) is not None and type(dtype) is not dtypes.dtype:
                kwargs["dtype"] = dtypes.as_dtype(dtype)
            if (place := kwargs.get("device")) is not None and type(place) is not device_type:
                kwargs["device"] = _as_device(place)
            return f(*args, **kwargs)
        except BadArgument as trouble:
            raise trouble.of(f.__name__) from None

    return public()(call)


def _as_device(place):
    """What device=place means: a name, or the number of an accelerator."""
    if isinstance(place, int):
        raise RuntimeError("Cannot access accelerator device when none is available.")
    if not isinstance(place, str):
        raise BadArgument("device", "torch.device", place)
    return device_type(place)


def size_of(size, name="size", refusal=None):
    """The shape in zeros(2, 3), zeros((2, 3)) or zeros(torch.Size(...)), checked (refusal: what negative sizes are told)."""
    if (
        len(size) == 1
        and not isinstance(size[0], int)
        and not (isinstance(size[0], Tensor) and size[0]._array.ndim == 0)
    ):
        if not isinstance(size[0], (tuple, list)) and not hasattr(size[0], "__iter__"):
            if hasattr(size[0], "__index__"):
                return (int(size[0]),)
            raise BadArgument(name, "tuple of ints", size[0])
        size = size[0]
        if isinstance(size, str):
            raise BadArgument(name, "tuple of ints", size)
    shape = []
    for i, n in enumerate(size):
        if not hasattr(n, "__index__"):
            kind = type(n).__name__
            raise BadArgument(
                name,
                "tuple of ints",
                n,
                f"(position 1) must be tuple of ints, but found element of type {kind} at pos 0"
                if i == 0
                else f"failed to unpack the object at pos {i + 1} with "
                f'error "type must be tuple of ints,but got {kind}"',
            )
        shape.append(int(n))
    for n in shape:
        if n < 0:
            raise RuntimeError(refusal or f"Trying to create tensor with negative dimension {n}: {shape}")
    return tuple(shape)


def finish(d, k, requires_grad=False, out=None, name="factory"):
    """Wrap a new array; mark it a leaf; or store it in out=."""
    if d.__class__ is not k.array_type:
        d = k.asarray(d)
    t = wrap(d, k)
    if out is not None:
        from ..._backend.out_argument import store_out

        return store_out(name, t, out)
    for frame in local.frames:
        if frame.takes_new:
            t = frame.receive(t)
    if local.inference:
        extra(t).inference = True
    if requires_grad:
        if requires_grad is not True:
            raise BadArgument("requires_grad", "bool", requires_grad)
        if not k.inexact:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        leaf(t)
    return t


def _filled(fill, size, dtype, device, requires_grad, out, layout):
    if layout not in (None, strided):
        raise NotImplementedError(f"layout {layout} is not supported: lucid has strided tensors only")
    k = table(
        dtype or (out.dtype if out is not None else defaults.dtype), device or (out.device if out is not None else None)
    )
    return finish(fill(k, size), k, requires_grad, out)


@factory
def zeros(*size, out=None, dtype=None, layout=strided, device=None, requires_grad=False, pin_memory=False, names=None):
    """zeros(*size) -> Tensor of that shape filled with 0."""
    if not size:
        raise TypeError('zeros() missing 1 required positional arguments: "size"')
    size = size_of(size, refusal="zeros: Dimension size must be non-negative.")
    return _filled(lambda k, s: k.zeros(s), size, dtype, device, requires_grad, out, layout)


@factory
def ones(*size, out=None, dtype=None, layout=strided, device=None, requires_grad=False, pin_memory=False, names=None):
    """ones(*size) -> Tensor of that shape filled with 1."""
    return _filled(lambda k, s: k.ones(s), size_of(size), dtype, device, requires_grad, out, layout)


@factory
def empty(
    *size,
    out=None,
    dtype=None,
    layout=strided,
    device=None,
    requires_grad=False,
    pin_memory=False,
    memory_format=contiguous_format,
    names=None,
):
    """empty(*size) -> Tensor of that shape, its values undefined."""
    size = size_of(size)

    def make(k, s):
        order = CHANNELS_LAST.get(memory_format)
        return k.empty(s) if order is None else k.empty_strided(s, format_strides(s, order))

    return _filled(make, size, dtype, device, requires_grad, out, layout)


def keyword_size(f):
    """size= by keyword, as torch allows."""
    import functools

    @functools.wraps(f)
    def call(*size, **kwargs):
        if "size" in kwargs:
            size = (kwargs.pop("size"),)
        return f(*size, **kwargs)

    return call


def format_strides(shape, order):
    """The strides of a dense tensor whose dimensions lie in memory in this order."""
    steps = contiguous_strides([shape[d] for d in order])
    strides = [0] * len(shape)
    for d, s in zip(order, steps):
        strides[d] = s
    return tuple(strides)


@factory
def empty_strided(size, stride, *, dtype=None, layout=strided, device=None, requires_grad=False, pin_memory=False):
    """empty_strided(size, stride) -> Tensor with these strides, its values undefined."""
    k = table(dtype or defaults.dtype, device)
    return finish(k.empty_strided(tuple(size), tuple(stride)), k, requires_grad)


@factory
def full(
    size,
    fill_value,
    *,
    out=None,
    dtype=None,
    layout=strided,
    device=None,
    requires_grad=False,
    pin_memory=False,
    names=None,
):
    """full(size, fill_value) -> Tensor of that shape filled with fill_value."""
    if isinstance(fill_value, Tensor):
        dtype, fill_value = dtype or fill_value.dtype, fill_value.item()
    if isinstance(size, int):
        raise BadArgument("size", "tuple of ints", size)
    if not is_number(fill_value):
        raise BadArgument("fill_value", "Number", fill_value)
    if dtype is None:
        dtype = number_dtype(fill_value)
    return _filled(
        lambda k, s: k.full(s, dtypes.fitted(fill_value, k.dtype)),
        size_of((size,)),
        dtype,
        device,
        requires_grad,
        out,
        layout,
    )


def _like(input, fill, dtype, device, requires_grad, memory_format):
    k = input._table if dtype is None and device is None else table(dtype or input.dtype, device or input.device)
    shape = input._array.shape
    order = CHANNELS_LAST.get(memory_format)
    if order is not None:
        d = k.empty_strided(shape, format_strides(shape, order))
    elif memory_format is contiguous_format or input.is_contiguous():
        d = k.empty(shape)
    else:
        from ..._base.shape import preserved_strides

        d = k.empty_strided(shape, preserved_strides(shape, input._table.strides(input._array)))
    if fill is not None:
        fill = dtypes.fitted(fill, k.dtype)
        if k.aliases:
            k.write(d, k.scalar(fill))
        else:
            d = k.full(shape, fill)
    return finish(d, k, requires_grad)


def _like_function(name, fill):
    def f(
        input,
        *,
        dtype=None,
        layout=None,
        device=None,
        requires_grad=False,
        memory_format=preserve_format,
        pin_memory=False,
    ):
        return _overridable(
            f,
            input,
            {"dtype": dtype, "device": device, "requires_grad": requires_grad, "memory_format": memory_format},
            fill,
        )

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{name}(input) -> Tensor of input's shape, type, device and memory order."
    return public(name)(f)


def _overridable(f, input, how, fill):
    if type(input) not in PLAIN or UNUSUAL:
        if not isinstance(input, Tensor):
            raise TypeError(f"{f.__name__}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        handled, result = ask_overrides(
            f, (input,), (input,), {k: v for k, v in how.items() if v not in (None, False, preserve_format)}
        )
        if handled:
            return result
    return _like(input, fill, **how)


zeros_like = _like_function("zeros_like", 0)
ones_like = _like_function("ones_like", 1)
empty_like = _like_function("empty_like", None)


@public()
def full_like(
    input,
    fill_value,
    *,
    dtype=None,
    layout=None,
    device=None,
    requires_grad=False,
    memory_format=preserve_format,
    pin_memory=False,
):
    """full_like(input, fill_value) -> Tensor of input's shape and type filled with fill_value."""
    return _like(
        input,
        fill_value.item() if isinstance(fill_value, Tensor) else fill_value,
        dtype,
        device,
        requires_grad,
        memory_format,
    )


# ---- new_*: like self in type and device


def _new_method(name, make):
    def f(self, *size, dtype=None, device=None, requires_grad=False, layout=strided, pin_memory=False, **more):
        if "size" in more:
            size = (more.pop("size"),)
        made = make(*size, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad, **more)
        return (
            self._table.adopt(made)
            if local.frames and self._table.is_transform and made.device == self.device
            else made
        )

    f.__name__, f.__doc__ = name, f"{name}(...) -> Tensor of self's type and device."
    setattr(Tensor, name, f)


_new_method("new_zeros", zeros)
_new_method("new_ones", ones)
_new_method("new_empty", empty)
_new_method("new_full", full)
_new_method("new_empty_strided", empty_strided)


# ---- sequences


@factory
def arange(
    *args,
    start=0,
    end=None,
    step=1,
    out=None,
    dtype=None,
    layout=strided,
    device=None,
    requires_grad=False,
    pin_memory=False,
):
    """arange(start=0, end, step=1) -> 1-D Tensor of the values from start up to, without, end."""
    if len(args) == 1:
        end = args[0] if end is None else end
        start = args[0] if end is not args[0] else start
    elif len(args) > 1:
        start, end, step = (*args, step)[:3]
    start, end, step = (x.item() if isinstance(x, Tensor) else x for x in (start, end, step))
    for name, value in (("start", start), ("end", end), ("step", step)):
        if not is_number(value):
            raise BadArgument(name, "Number", value)
    if dtype is None and out is not None:
        dtype = out.dtype
    if dtype is None:
        floats = any(not isinstance(x, numbers.Integral) for x in (start, end, step))
        dtype = defaults.dtype if floats else dtypes.int64
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if dtype.category == dtypes.INTEGRAL and int(step) == 0:
        raise ValueError("step must be nonzero")
    if any(isinstance(x, float) and not math.isfinite(x) for x in (start, end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = (
        math.ceil((end - start) / step)
        if not all(isinstance(x, numbers.Integral) for x in (start, end, step))
        else len(builtins.range(start, end, step))
    )
    k = table(dtype, device)
    return finish(k.ramp(start, step, count), k, requires_grad, out, "arange")


@public()
def range(start=0, end=None, step=1, *, out=None, dtype=None, layout=strided, device=None, requires_grad=False):
    """range(start=0, end, step=1) -> like arange, with the end included (deprecated in torch)."""
    if end is None:
        start, end = 0, start
    k = table(dtype or defaults.dtype, device)
    return finish(k.ramp(start, step, math.floor((end - start) / step) + 1), k, requires_grad, out)


@factory
def linspace(
    start, end, steps, *, out=None, dtype=None, layout=strided, device=None, requires_grad=False, pin_memory=False
):
    """linspace(start, end, steps) -> 1-D Tensor of `steps` values from start to end, both included."""
    if any(hasattr(getattr(x, "_table", None), "inner") for x in (start, end)):
        return _steps_between(start, end, int(steps), dtype or defaults.dtype)
    _check_steps("linspace", start, end, steps)
    if any(isinstance(x, Tensor) and x._array.ndim for x in (start, end)):
        raise RuntimeError(
            "linspace only supports 0-dimensional start and end tensors, but got start with "
            f"{getattr(start, 'ndim', 0)} dimension(s) and end with {getattr(end, 'ndim', 0)} dimension(s)."
        )
    start, end = (x.item() if isinstance(x, Tensor) else x for x in (start, end))
    if dtype is None:
        dtype = (
            out.dtype
            if out is not None
            else (
                dtypes.default_complex() if isinstance(start, complex) or isinstance(end, complex) else defaults.dtype
            )
        )
    k = table(dtype, device)
    return finish(k.linspace(start, end, int(steps)), k, requires_grad, out, "linspace")


def _check_steps(name, start, end, steps):
    if isinstance(steps, float):
        given = ", ".join("Tensor" if isinstance(x, Tensor) else type(x).__name__ for x in (start, end, steps))
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({given})")
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")


def _steps_between(start, end, steps, dtype):
    """linspace inside a transform, where its ends may differ from member to member: counted from both ends."""
    at = arange(steps, dtype=dtype)
    step = (end - start) / max(steps - 1, 1)
    return (start + step * at).where(at.lt((steps + 1) // 2), end - step * (steps - 1 - at)).to(dtype)


@factory
def logspace(
    start,
    end,
    steps,
    base=10.0,
    *,
    out=None,
    dtype=None,
    layout=strided,
    device=None,
    requires_grad=False,
    pin_memory=False,
):
    """logspace(start, end, steps, base=10.0) -> 1-D Tensor of base**x for x from start to end."""
    if any(hasattr(getattr(x, "_table", None), "inner") for x in (start, end)):
        return (base ** _steps_between(start, end, int(steps), dtypes.float64)).to(dtype or defaults.dtype)
    _check_steps("logspace", start, end, steps)
    if any(isinstance(x, Tensor) and x._array.ndim for x in (start, end)):
        raise RuntimeError(
            "logspace only supports 0-dimensional start and end tensors, but got start with "
            f"{getattr(start, 'ndim', 0)} dimension(s) and end with {getattr(end, 'ndim', 0)} dimension(s)."
        )
    k = table(dtype or defaults.dtype, device)
    wide = k.sibling(dtypes.float64)
    start, end = (x.item() if isinstance(x, Tensor) else x for x in (start, end))
    powers = wide.pow(wide.scalar(base), wide.linspace(start, end, int(steps)))
    return finish(k.cast(powers, k.dtype), k, requires_grad, out)


@factory
def eye(n, m=None, *, out=None, dtype=None, layout=strided, device=None, requires_grad=False, pin_memory=False):
    """eye(n, m=n) -> (n, m) Tensor with ones on the diagonal."""
    m = n if m is None else m
    for name, value in (("n", n), ("m", m)):
        if not hasattr(value, "__index__"):
            raise BadArgument(name, "int", value)
    if n < 0 or m < 0:
        raise RuntimeError(
            f"n must be greater or equal to 0, got {n}" if n < 0 else f"m must be greater or equal to 0, got {m}"
        )
    k = table(dtype or (out.dtype if out is not None else defaults.dtype), device)
    return finish(k.eye(int(n), int(m)), k, requires_grad, out, "eye")


@public()
def tril_indices(row, col, offset=0, *, dtype=dtypes.int64, device=None, layout=strided):
    """tril_indices(row, col, offset=0) -> (2, n) Tensor: where a lower triangle is."""
    return _triangle_indices(row, col, offset, dtype, device, lower=True)


@public()
def triu_indices(row, col, offset=0, *, dtype=dtypes.int64, device=None, layout=strided):
    """triu_indices(row, col, offset=0) -> (2, n) Tensor: where an upper triangle is."""
    return _triangle_indices(row, col, offset, dtype, device, lower=False)


def _triangle_indices(row, col, offset, dtype, device, lower):
    pairs = [
        (i, j)
        for i in builtins.range(row)
        for j in builtins.range(col)
        if (j - i <= offset if lower else j - i >= offset)
    ]
    if not pairs:
        return zeros(2, 0, dtype=dtype, device=device)
    return tensor([[p[0] for p in pairs], [p[1] for p in pairs]], dtype=dtype, device=device)


# ---- from Python data and numpy


@factory
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """tensor(data) -> Tensor: a copy of numbers, nested sequences, a numpy array or a tensor; a new leaf."""
    if isinstance(data, Tensor):
        import warnings

        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
            UserWarning,
            stacklevel=3,
        )
    d, k = array_from(data, dtype, device)
    return finish(d, k, requires_grad)


@factory
def scalar_tensor(s, *, dtype=None, layout=strided, device=None, requires_grad=False, pin_memory=False):
    """scalar_tensor(s) -> 0-dim Tensor of the default type."""
    return tensor(s, dtype=dtype or defaults.dtype, device=device, requires_grad=requires_grad)


@public()
def from_numpy(ndarray):
    """from_numpy(ndarray) -> Tensor that shares the array's memory."""
    import_from = getattr(ndarray, "__array_interface__", None)
    if import_from is None or not hasattr(ndarray, "strides"):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    if any(s < 0 for s in ndarray.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
    if not ndarray.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte "
            "orders is currently not supported."
        )
    k = TABLES[ndarray.dtype]
    d = ndarray[...] if type(ndarray) is k.array_type else k.asarray(ndarray)
    if not d.flags.writeable:
        import warnings

        warnings.warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
            "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
            "data or make it writable before converting it to a tensor. This type of warning will be suppressed for "
            "the rest of this program.",
            UserWarning,
            stacklevel=3,
        )
    t = wrap(d, k)
    storage = extra(t).storage = Storage()
    storage.owner = d
    storage.add(t)
    return t


Tensor._from_numpy = staticmethod(from_numpy)


@factory
def as_tensor(data, dtype=None, device=None):
    """as_tensor(data) -> Tensor: shares memory and graph with data where it can."""
    if isinstance(data, Tensor):
        same = (dtype is None or data.dtype is dtype) and (
            device is None or data.device == table(data.dtype, device).device
        )
        return data if same else data.to(device=device or data.device, dtype=dtype or data.dtype)
    if hasattr(data, "__array_interface__") and hasattr(data, "strides") and data.dtype.isnative and data.ndim:
        t = from_numpy(data)
        return t if dtype is None and device is None else t.to(device=device or t.device, dtype=dtype or t.dtype)
    return tensor(data, dtype=dtype, device=device)


@factory
def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """asarray(obj) -> Tensor: from a tensor, an array, a buffer or numbers; shares memory unless copy=True."""
    if isinstance(obj, Tensor):
        t = obj.to(device=device or obj.device, dtype=dtype or obj.dtype)
        if copy and t is obj:
            t = obj.clone()
        if copy is False and t is not obj:
            raise ValueError("can't alias tensor with dtype or device change and copy=False")
        return t if requires_grad or not t.requires_grad or t is not obj else t.detach()
    if hasattr(obj, "__dlpack__") and not hasattr(obj, "__array_interface__"):
        t = from_dlpack(obj)
    elif hasattr(obj, "__array_interface__") and hasattr(obj, "strides") and obj.dtype.isnative:
        t = from_numpy(obj)
    elif not isinstance(obj, (list, tuple, numbers.Number)):
        try:
            t = frombuffer(obj, dtype=dtype or defaults.dtype)
        except TypeError:
            t = tensor(obj, dtype=dtype)
    else:
        t = tensor(obj, dtype=dtype)
    if dtype is not None or device is not None:
        t = t.to(device=device or t.device, dtype=dtype or t.dtype)
    t = t.clone() if copy else t
    return t.requires_grad_() if requires_grad else t


@public()
def from_dlpack(ext_tensor, *, device=None, copy=None):
    """from_dlpack(ext_tensor) -> Tensor that shares the memory of any object with __dlpack__."""
    return from_numpy(cpu_table(dtypes.float32).from_dlpack(ext_tensor))


@public()
def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """frombuffer(buffer, dtype, count=-1, offset=0) -> 1-D Tensor that shares the buffer's memory."""
    view = memoryview(buffer)
    total, item = view.nbytes, dtype.itemsize
    if total == 0:
        raise ValueError("both buffer length (0) and count (-1) must not be 0")
    if not 0 <= offset < total:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({total} bytes) minus 1"
        )
    if count <= 0 and (total - offset) % item:
        raise ValueError(
            f"buffer length ({total - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({item})"
        )
    n = (total - offset) // item if count < 0 else count
    if offset + n * item > total:
        raise ValueError(
            f"requested buffer length ({n} * {item} bytes) after offset ({offset} bytes) must not be greater than "
            f"actual buffer length ({total} bytes)"
        )
    k = cpu_table(dtype)
    t = from_numpy(k.from_buffer(buffer, n, offset))
    return t.requires_grad_() if requires_grad else t


@public()
def is_tensor(obj):
    """is_tensor(obj) -> bool"""
    return isinstance(obj, Tensor)


_OPTIONS = (
    "TensorOptions(dtype={}, device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false "
    "(default), memory_format=(nullopt))"
)
_UNLIKE = f"expected {_OPTIONS} (got {_OPTIONS})"


def _construct(cls, *args, dtype=None, device=None, requires_grad=False):
    """Tensor(2, 3), Tensor([1., 2.]), Tensor(other): torch's old constructor."""
    if cls is not Tensor and args and isinstance(args[0], Tensor):
        t = (
            args[0].detach()
            if not args[0].requires_grad
            else args[0].alias()
            if hasattr(args[0], "alias")
            else args[0].detach()
        )
        return as_subclass(t, cls)
    k = table(dtype or defaults.dtype, device)
    if not args:
        d = k.empty((0,))
    elif len(args) == 1 and isinstance(args[0], Tensor):
        if dtype is not None and args[0].dtype is not dtype:
            raise TypeError(_UNLIKE.format(C_NAMES[dtype], C_NAMES[args[0].dtype]))
        return args[0].detach()
    elif len(args) == 1 and hasattr(args[0], "_as_tensor"):  # a storage: the same memory
        d = args[0]._tensor(k.dtype)._array
    elif all(isinstance(a, int) and not isinstance(a, bool) for a in args) or isinstance(args[0], Size):
        d = k.empty(size_of(args))
    elif len(args) > 1:
        got = ", ".join(type(a).__name__ for a in args)
        raise TypeError(
            f"new() received an invalid combination of arguments - got ({got}), but expected one of:\n"
            " * (*, torch.device device = None)\n * (Tensor other)\n * (tuple of ints size, *, torch.device "
            "device = None)\n * (object data, *, torch.device device = None)"
        )
    else:
        if not hasattr(args[0], "__len__") and not hasattr(args[0], "__array__") or args[0] is None:
            raise TypeError(f"new(): data must be a sequence (got {type(args[0]).__name__})")
        d, _ = array_from(args[0], k.dtype, k.device)
    return as_subclass(wrap(d, k), cls)


def as_subclass(t, cls):
    """t's memory and graph in an instance of cls."""
    if type(t) is cls:
        return t
    out = object.__new__(cls)
    out._array, out._table, out._node, out._extra = t._array, t._table, t._node, t._extra
    if t._extra is not None and t._extra.storage is not None:
        t._extra.storage.add(out)
    return out


Tensor._construct = classmethod(_construct)
Tensor.as_subclass = as_subclass


def _make_subclass(cls, data, require_grad=False):
    """Tensor._make_subclass(cls, data): data's memory as an instance of cls, outside the graph."""
    out = as_subclass(data.detach(), cls)
    if require_grad:
        leaf(out)
    return out


Tensor._make_subclass = staticmethod(_make_subclass)
for _f in ("zeros", "ones", "empty"):
    globals()[_f] = factory(keyword_size(globals()[_f].__wrapped__))  # so that modes see the public function
