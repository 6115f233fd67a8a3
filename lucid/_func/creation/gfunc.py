"""Generators (gfunc), tensors out of nothing: zeros, ones, empty, full, arange, linspace, eye, tril_indices."""

import builtins
import math
import numbers

from ..._array.lookup import table
from ..._array.sparse.table import table as sparse_table
from ..._backend.dispatch import Speller
from ..._backend.families import not_implemented_error
from ..._backend.out_argument import take_shape
from ..._backend.overrides import PLAIN, ask_overrides
from ..._backend.promotion import is_number, plain_number
from ..._backend.registry import public
from ..._base import dtype as dtypes
from ..._base.errors import BadArgument
from ..._base.shape import preserved_strides
from ..._base.state import DISPATCH, UNUSUAL, defaults, local
from ..._base.symbolic import SymInt
from ..._base.warn import warn
from ..._tensor.tensor import CHANNELS_LAST, Tensor, contiguous_format, preserve_format, strided
from ..pointwise.operands import need_tensors
from .factory import _filled, factory, fill_undefined, finish, format_strides, keyword_size, size_of, table_for
from .from_data import tensor
from .from_python import number_dtype


@factory
@keyword_size
def zeros(*size, out=None, dtype=None, layout=strided, device=None, requires_grad=False, pin_memory=False, names=None):
    """zeros(*size) -> Tensor of that shape filled with 0."""
    if not size:
        raise TypeError('zeros() missing 1 required positional arguments: "size"')
    size = size_of(size, refusal="zeros: Dimension size must be non-negative.")
    return _filled("zeros", lambda k, s: k.zeros(s), size, dtype, device, requires_grad, out, layout)


@factory
@keyword_size
def ones(*size, out=None, dtype=None, layout=strided, device=None, requires_grad=False, pin_memory=False, names=None):
    """ones(*size) -> Tensor of that shape filled with 1."""
    return _filled("ones", lambda k, s: k.ones(s), size_of(size), dtype, device, requires_grad, out, layout)


@factory
@keyword_size
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

    made = _filled("empty", make, size, dtype, device, requires_grad, out, layout)
    return made if out is not None else fill_undefined(made)


@factory
def empty_strided(size, stride, *, dtype=None, layout=strided, device=None, requires_grad=False, pin_memory=False):
    """empty_strided(size, stride) -> Tensor with these strides, its values undefined."""
    k = table(dtype or defaults.dtype, device)
    return fill_undefined(finish(k.empty_strided(tuple(size), tuple(stride)), k, requires_grad))


@factory
def empty_permuted(
    size, physical_layout, *, dtype=None, layout=strided, device=None, requires_grad=False, pin_memory=False
):
    """empty_permuted(size, physical_layout) -> Tensor, its values undefined, whose dimensions lie in memory in the
    order of physical_layout, from the outermost."""
    size, order = tuple(size), tuple(physical_layout)
    if len(order) != len(size):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(size)} is not equal to len(physical_layout) = {len(order)}"
        )
    for i, d in enumerate(order):
        if not 0 <= d < len(size):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {d} at index {i}).  "
                "NB: negative dims not currently supported; file an issue if you want it."
            )
        if d in order[:i]:
            raise RuntimeError("Duplicate dim not allowed")
    if builtins.any(n < 0 for n in size):
        wrong = next(n for n in size if n < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {wrong}: {[size[d] for d in order]}")
    stride, step = [0] * len(size), 1
    for d in reversed(order):
        stride[d] = step
        step *= builtins.max(size[d], 1)
    k = table(dtype or defaults.dtype, device)
    return fill_undefined(finish(k.empty_strided(size, tuple(stride)), k, requires_grad))


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
        dtype, fill_value = dtype or (fill_value.dtype if out is None else None), fill_value.item()
    if isinstance(size, int):
        raise BadArgument("size", "tuple of ints", size)
    if not is_number(fill_value):
        raise BadArgument("fill_value", "Number", fill_value)
    if dtype is None and out is None:
        dtype = number_dtype(fill_value)
    size = size_of((size,))
    fitted = dtypes.fitted_as_element if math.prod(size) == 1 else dtypes.fitted  # of a lone element torch asks less
    return _filled(
        "full",
        lambda k, s: k.full(s, fitted(fill_value, k.dtype)),
        size,
        dtype,
        device,
        requires_grad,
        out,
        layout,
    )


def _like(input, fill, dtype, device, requires_grad, memory_format, layout=None):
    if input._table.is_sparse or layout is not None and layout is not strided:
        return _sparse_like(input, fill, dtype, requires_grad, layout)
    if input._table.is_transform and device is None and memory_format is preserve_format:
        k = input._table.sibling(dtype or input.dtype)
        return finish(_each_like(input._table, input._array, k.dtype, fill), k, requires_grad)
    k = input._table if dtype is None and device is None else table(dtype or input.dtype, device or input.device)
    shape = input._array.shape
    order = CHANNELS_LAST.get(memory_format)
    if order is not None:
        d = k.empty_strided(shape, format_strides(shape, order))
    elif memory_format is contiguous_format:
        d = k.empty(shape)
    else:
        d = k.empty_strided(shape, preserved_strides(shape, input._table.strides(input._array)))
    made = finish(_holding(k, d, fill), k, requires_grad)
    return fill_undefined(made) if fill is None else made


def _sparse_like(input, fill, dtype, requires_grad, layout):
    """The same where it is of a sparse tensor, or is to be one."""
    k = sparse_table(dtype or input.dtype)
    have = input._table.layout_of(input._array)
    wanted = have if layout is None else layout.name
    if wanted == "strided":
        return finish(_holding(k.dense, k.dense.empty(input._array.shape), fill), k.dense, requires_grad)
    same = wanted == have
    compressed = wanted != "sparse_coo"
    if compressed and same and fill != 0:  # torch fills the places that there are
        values = k.dense.full(input._array.values.shape, fill or 0)
        return finish(input._array.with_values(values), k, requires_grad)
    if fill not in (0, None):
        raise NotImplementedError(
            f"Could not run 'aten::fill_.Scalar' with arguments from the 'SparseCPU' backend: {wanted} has no place "
            "for elements that are not named"
        )
    if same:
        return finish(k.cast(k.zeros_like(input._array), k.dtype), k, requires_grad)
    return finish(k.empty_of(input._array.shape, wanted), k, requires_grad)


def _each_like(k, x, dtype, fill):
    """An array like x, one of transform k, filled; each member of a batch has memory of its own."""
    if k.trace is not None and k.frame is k.trace:
        return k.sibling(dtype).full(x.shape, dtypes.fitted(fill or 0, dtype))
    if k.is_transform:
        return k.detached(k.through(x, lambda inner: _each_like(k.inner, inner, dtype, fill)))
    wanted = k.sibling(dtype)
    return _holding(wanted, wanted.empty_strided(x.shape, preserved_strides(x.shape, k.strides(x))), fill)


def _holding(k, d, fill):
    """The new array d with fill (None: anything) in it."""
    if fill is None:
        return d
    fill = dtypes.fitted(fill, k.dtype)
    if not k.aliases:
        return k.full(d.shape, fill)
    k.write(d, k.scalar(fill))
    return d


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
            layout,
        )

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{name}(input) -> Tensor of input's shape, type, device and memory order."
    return public(name)(f)


def _overridable(f, input, how, fill, layout=None):
    if type(input) not in PLAIN or UNUSUAL:
        need_tensors(f.__name__, input=input)
        handled, result = ask_overrides(
            f, (input,), (input,), {k: v for k, v in how.items() if v not in (None, False, preserve_format)}
        )
        if handled:
            return result
        if DISPATCH:
            taken, result = Speller.current.leaf(f, (input,), how)
            if taken:
                return result
    return _like(input, fill, **how, layout=layout)


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
    if DISPATCH:
        how = {"dtype": dtype, "device": device, "requires_grad": requires_grad, "memory_format": memory_format}
        taken, result = Speller.current.leaf(full_like, (input, fill_value), how)
        if taken:
            return result
    return _like(
        input,
        fill_value.item() if isinstance(fill_value, Tensor) else fill_value,
        dtype,
        device,
        requires_grad,
        memory_format,
        layout,
    )


# ---- new_*: like self in type and device


def _new_method(name, make):
    def f(self, *size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False, **more):
        if "size" in more:
            size = (more.pop("size"),)
        if self._table.is_sparse and name in ("new_zeros", "new_empty"):
            more["layout"] = self.layout if layout is None else layout
        made = make(*size, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad, **more)
        return (
            self._table.adopt(made, self)
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
    start, end, step = (
        x.item() if isinstance(x, Tensor) and not x._array.ndim else plain_number(x) for x in (start, end, step)
    )
    if any(isinstance(x, complex) for x in (start, end, step)):
        raise RuntimeError("value cannot be converted to type double without overflow")
    for name, value in (("start", start), ("end", end), ("step", step)):
        if not is_number(value):
            raise BadArgument(name, "Number", value)
    if dtype is None and out is None:
        floats = any(not isinstance(x, numbers.Integral) for x in (start, end, step))
        dtype = defaults.dtype if floats else dtypes.int64
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if any(isinstance(x, float) and not math.isfinite(x) for x in (start, end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if (dtype or out.dtype) is dtypes.int64:
        start, end, step = (x if isinstance(x, SymInt) else int(x) for x in (start, end, step))
        if not step:
            raise ValueError("step must be nonzero")
        count = max(0, -((start - end) // step))
    else:
        count = math.ceil((float(end) - float(start)) / float(step))
    k = table_for(out, dtype, device)
    if k.dtype.category in (dtypes.BOOL, dtypes.COMPLEX) or k.only_ops is not None and count:
        raise not_implemented_error("arange_cpu", k.dtype)
    return finish(k.ramp(start, step, count), k, requires_grad, out, "arange", flat=True)


@public()
def range(start=0, end=None, step=1, *, out=None, dtype=None, layout=strided, device=None, requires_grad=False):
    """range(start=0, end, step=1) -> like arange, with the end included (deprecated in torch)."""
    warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
    )
    if end is None:
        start, end = 0, start
    k = table_for(out, dtype, device)
    return finish(k.ramp(start, step, math.floor((end - start) / step) + 1), k, requires_grad, out, "range", flat=True)


@factory
def linspace(
    start, end, steps, *, out=None, dtype=None, layout=strided, device=None, requires_grad=False, pin_memory=False
):
    """linspace(start, end, steps) -> 1-D Tensor of `steps` values from start to end, both included."""
    if any(isinstance(x, Tensor) and x._table.is_transform for x in (start, end)):
        return _steps_between(start, end, int(steps), dtype or defaults.dtype)
    _check_steps("linspace", start, end, steps)
    if any(isinstance(x, Tensor) and x._array.ndim for x in (start, end)):
        raise RuntimeError(
            "linspace only supports 0-dimensional start and end tensors, but got start with "
            f"{getattr(start, 'ndim', 0)} dimension(s) and end with {getattr(end, 'ndim', 0)} dimension(s)."
        )
    start, end = (x.item() if isinstance(x, Tensor) else x for x in (start, end))
    if dtype is None and out is None and (isinstance(start, complex) or isinstance(end, complex)):
        dtype = dtypes.default_complex()
    k = table_for(out, dtype, device)
    if k.has_data:
        _refuse_bool("linspace", k, steps, out)
        start, end = dtypes.fitted(start, k.dtype), dtypes.fitted(end, k.dtype)
    return finish(k.linspace(start, end, int(steps)), k, requires_grad, out, "linspace", flat=True)


def _refuse_bool(name, k, steps, out):
    if k.dtype is dtypes.bool_:
        if out is not None and out._array.size != steps:
            take_shape(out, (int(steps),))  # torch does so before it looks at the type
        raise not_implemented_error(f"{name}_cpu", k.dtype)


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
    if any(isinstance(x, Tensor) and x._table.is_transform for x in (start, end)):
        return (base ** _steps_between(start, end, int(steps), dtypes.float64)).to(dtype or defaults.dtype)
    _check_steps("logspace", start, end, steps)
    if any(isinstance(x, Tensor) and x._array.ndim for x in (start, end)):
        raise RuntimeError(
            "logspace only supports 0-dimensional start and end tensors, but got start with "
            f"{getattr(start, 'ndim', 0)} dimension(s) and end with {getattr(end, 'ndim', 0)} dimension(s)."
        )
    k = table_for(out, dtype, device)
    if k.has_data:
        _refuse_bool("logspace", k, steps, out)
    wide = k.sibling(dtypes.float64)
    start, end = (x.item() if isinstance(x, Tensor) else x for x in (start, end))
    if steps != 1 and not k.is_complex:
        start, end = (table(k.dtype, "cpu").scalar(x).item() if k.has_data else x for x in (start, end))
    powers = wide.pow(wide.scalar(base), wide.linspace(start, end, int(steps)))
    return finish(k.cast(powers, k.dtype), k, requires_grad, out, "logspace", flat=True)


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
    k = table_for(out, dtype, device)
    return finish(k.eye(int(n), int(m)), k, requires_grad, out, "eye")


@public()
def tril_indices(
    row, col, offset=0, *, dtype=dtypes.int64, device=None, layout=strided, requires_grad=False, pin_memory=False
):
    """tril_indices(row, col, offset=0) -> (2, n) Tensor: where a lower triangle is."""
    return _triangle_indices(row, col, offset, dtype, device, requires_grad, lower=True)


@public()
def triu_indices(
    row, col, offset=0, *, dtype=dtypes.int64, device=None, layout=strided, requires_grad=False, pin_memory=False
):
    """triu_indices(row, col, offset=0) -> (2, n) Tensor: where an upper triangle is."""
    return _triangle_indices(row, col, offset, dtype, device, requires_grad, lower=False)


def _triangle_indices(row, col, offset, dtype, device, requires_grad, lower):
    if requires_grad:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    for name, n in (("row", row), ("col", col)):
        if n < 0:
            raise RuntimeError(f"{name} must be non-negative, got{n}")
    pairs = [
        (i, j)
        for i in builtins.range(row)
        for j in builtins.range(col)
        if (j - i <= offset if lower else j - i >= offset)
    ]
    if not pairs:
        return zeros(2, 0, dtype=dtype, device=device)
    return tensor([[p[0] for p in pairs], [p[1] for p in pairs]], dtype=dtype, device=device)
