"""Operands made ready: one device, one element type, Python numbers as arrays."""

import numbers

from .._array.lookup import table
from .._base import dtype as dtypes
from .._base.dtype import SCALAR_NAMES
from .._base.promotion import result_dtype, scalar_dtype
from .._base.state import defaults, local
from .._tensor.tensor import Tensor, wrap
from .graph import alias_in_graph
from .option_errors import as_dtype


def is_number(x):
    """A Python number, or a numpy scalar."""
    return isinstance(x, numbers.Number) or type(x).__name__ in ("bool_", "bool") or _numpy_scalar(x)


def _numpy_scalar(x):
    return type(x).__module__ in ("numpy", "ml_dtypes") and getattr(x, "ndim", 1) == 0 and hasattr(x, "item")


def ready(op, flat, options):
    """(table, arrays, edges, casts, options): operands in one table, as the op's promotion asks.

    flat: the operands, Tensors or numbers; casts: the tables they had, where a gradient has to go back to another type.
    """
    flat = _with_tensors(op, flat)
    if any(isinstance(t, Tensor) and t._table.is_transform for t in flat):  # inside vmap or jvp
        flat = _on_one_level(flat)
    if op.check is not None:
        op.check(flat, options)
    k = _common_device(op, [t for t in flat if isinstance(t, Tensor)])
    options, dtype = _dtype_option(op, options)
    fits = k.has_data and (op.fits_type or op.fits_float)
    if op.promote == "keep":
        if fits and isinstance(flat[0], Tensor):
            options = _fitting(op, options, flat[0]._table.dtype)
        return _kept(op, flat, k, options)
    _check_operands(op, flat)
    wanted, options = _promoted_type(op, flat, options, dtype, fits)
    if k.dtype is not wanted:
        k = k.sibling(wanted)
    arrays, edges, casts = _converted(op, flat, k)
    return k, arrays, edges, casts, options


def _with_tensors(op, flat):
    """The operands with at least one Tensor among them; TypeError where torch wants one."""
    if any(isinstance(t, Tensor) for t in flat):
        return flat
    if op.broadcasts and op.scalar_operands == "two" and flat and all(is_number(t) for t in flat):
        return [_number_tensor(flat[0]), *flat[1:]]
    _check_operands(op, flat)
    if not flat:
        raise RuntimeError(f"{op.name}(): expected a non-empty list of Tensors")
    raise TypeError(f"{op.name}(): argument '{op.inputs[0]}' (position 1) must be Tensor, not {type(flat[0]).__name__}")


def _on_one_level(flat):
    """The operands as tensors of the innermost transform among them."""
    found = [t for t in flat if isinstance(t, Tensor)]
    if any(t._table.is_sparse for t in found):
        raise NotImplementedError("vmap and forward mode do not take sparse tensors beside what they follow")
    top = next(t._table for t in found if t._table.is_transform).merged([t._table for t in found])
    flat = [top.adopt(t) if isinstance(t, Tensor) else t for t in flat]
    return [_without_tangents(t) if isinstance(t, Tensor) else t for t in flat] if local.forward_off else flat


def _without_tangents(t):
    """t at its place in the graph, without what forward mode was told not to carry along."""
    return alias_in_graph(t._table.detached(t._array, local.forward_off), t._table, t._node)


def _dtype_option(op, options):
    """The options with dtype= as a dtype, and that dtype (None: not given)."""
    if "dtype" not in op.options:
        return options, None
    at = op.options.index("dtype")
    dtype = options[at]
    if dtype is not None and type(dtype) is not dtypes.dtype:
        dtype = as_dtype(op, dtype)
        options = (*options[:at], dtype, *options[at + 1 :])
    return options, dtype


def _kept(op, flat, k, options):
    """promote="keep": every operand has its own type, and the first one's table is the op's."""
    _check_operands(op, flat)
    arrays = [t._array if isinstance(t, Tensor) else t if t is None else k.scalar(plain_number(t)) for t in flat]
    first = flat[0]
    if not isinstance(first, Tensor):
        raise TypeError(
            f"{op.name}(): argument '{op.inputs[0]}' (position 1) must be Tensor, not {type(first).__name__}"
        )
    edges = tuple([t._node if isinstance(t, Tensor) else None for t in flat])
    casts = None
    if any(e is not None and t._table is not first._table for t, e in zip(flat, edges)):
        casts = tuple([t._table if isinstance(t, Tensor) else None for t in flat])
    return k if k.is_sparse else first._table, arrays, edges, casts, options


def _promoted_type(op, flat, options, dtype, fits):
    """(the type to compute in, the options with number tensors among them as numbers, checked where `fits`)"""
    joined = flat
    if op.index_inputs:
        joined = [t for t, name in zip(flat, op.inputs) if name not in op.index_inputs]
    if op.promote is None:
        wanted = _agreed_type(op, [t for t in joined if isinstance(t, Tensor)])
        return wanted, _fitting(op, options, wanted) if fits else options
    if op.scalar_options:
        options = tuple(
            [_scalar_option(op, n, v) if n in op.scalar_options else v for n, v in zip(op.options, options)]
        )
        joined = [*joined, *[v for n, v in zip(op.options, options) if n in op.scalar_options]]
    wanted = dtype if dtype is not None else common_type(joined)
    if op.promote == "int_to_float" and wanted.category < dtypes.FLOATING:
        wanted = defaults.dtype
    elif op.promote == "int_to_long" and wanted.category < dtypes.FLOATING and dtype is None:
        wanted = dtypes.int64
    if fits:
        options = _fitting(op, options, wanted)
    return wanted, _rounded(op, options, wanted)


def _fitting(op, options, wanted):
    """The options, numbers among them as the type takes them; torch's error for one that has no place in it."""
    half = wanted.category == dtypes.FLOATING and wanted.itemsize < 4
    found = list(options)
    for i, (n, v) in enumerate(zip(op.options, options)):
        if v is None or v is op.defaults.get(n, v.__class__):
            continue
        if n in op.fits_type or n in op.fits_float:
            if op.fits_in is not None and wanted.category not in op.fits_in:
                dtypes.fitted(v, dtypes.complex128)
                continue
            fit = dtypes.fitted(v, dtypes.float32 if half and n in op.fits_float else wanted)
            if v.__class__ is not float and v.__class__ is not bool and n not in op.scalar_options:
                found[i] = fit
    return tuple(found)


def _rounded(op, options, wanted):
    """The options, with numbers that a kernel of halves takes in its own precision rounded to it."""
    names = op.scalar_options
    if not names or op.wide_numbers or wanted.category != dtypes.FLOATING or wanted.itemsize > 2:
        return options
    faking, local.faking = local.faking, False  # numbers are rounded where they are
    here = table(wanted, "cpu")
    local.faking = faking
    return tuple([here.scalar(v).item() if n in names and type(v) is float else v for n, v in zip(op.options, options)])


def _agreed_type(op, tensors):
    """promote=None: the one type of all tensors; torch's error where they differ."""
    wanted = tensors[0].dtype
    for t in tensors:
        if t.dtype is not wanted:
            message = op.mismatch(*[t.dtype for t in tensors]) if op.mismatch else None
            raise RuntimeError(
                message or f"expected scalar type {SCALAR_NAMES[wanted]} but found {SCALAR_NAMES[t.dtype]}"
            )
    return wanted


def _converted(op, flat, k):
    """(arrays, edges, casts) of the operands in table k; index inputs stay as they are and have no edge."""
    arrays, edges, promoted = [], [], False
    number = k.wide_scalar if op.keeps_numbers else k.scalar
    for i, t in enumerate(flat):
        tensor = isinstance(t, Tensor)
        if op.index_inputs and op.inputs[i] in op.index_inputs:
            arrays.append(None if t is None else t._array)
            edges.append(None)
            continue
        edges.append(t._node if tensor else None)
        if tensor:
            wide = i and t._array.ndim == 0 and op.wide_numbers and t._table is not k and _keeps_precision(t, k)
            arrays.append(k.wide_scalar(t.item()) if wide else _in_table(t, k))
            promoted = promoted or t._table is not k and t._node is not None
        else:
            arrays.append(None if t is None else number(plain_number(t)))
    casts = tuple([t._table if isinstance(t, Tensor) else None for t in flat]) if promoted else None
    return arrays, tuple(edges), casts


def _keeps_precision(t, k):
    """Is t, a 0-dim operand beside halves, a number to the kernel, as in torch?"""
    return k.is_half and t._table.has_data and not k.is_transform and not t._table.is_transform


def _in_table(t, k):
    """t's array in table k: brought over from another device, then cast."""
    if t._table is k:
        return t._array
    return k.cast(t._array if t._table.device == k.device else k.import_from(t._array, t._table), k.dtype)


def _number_tensor(value):
    value = plain_number(value)
    k = table(scalar_dtype(value))
    return wrap(k.full((), value), k)


def _scalar_option(op, name, x):
    if x is not None and not isinstance(x, Tensor) and not is_number(x):
        raise TypeError(f"{op.name}(): argument '{name}' must be Number, not {type(x).__name__}")
    return x.item() if isinstance(x, Tensor) and x._array.ndim == 0 else plain_number(x)


def plain_number(x):
    """A numpy scalar as a Python number: bools and narrow complex numbers as the float that torch reads from them."""
    if not _numpy_scalar(x):
        return x
    kind, value = x.dtype.kind, x.item()
    if isinstance(x, complex) or hasattr(x, "__array_finalize__") or kind not in "bc":
        return value
    return float(value.real)


def _check_operands(op, flat):
    """TypeError for an operand that is no tensor where the op wants one."""
    for i, t in enumerate(flat):
        if isinstance(t, Tensor) or t is None and i < len(op.inputs) and op.inputs[i] in op.defaults:
            continue
        if op.poly:
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
        if is_number(t) and op.broadcasts:
            continue
        if is_number(t) and i and op.promote == "keep":
            continue
        raise TypeError(
            f"{op.name}(): argument '{op.inputs[min(i, len(op.inputs) - 1)]}' (position {i + 1}) must be "
            f"Tensor, not {type(t).__name__}"
        )


def common_type(flat):
    """The type that tensors and numbers promote to."""
    with_dims, zero_dim, scalars = [], [], []
    for t in flat:
        if isinstance(t, Tensor):
            (with_dims if t._array.ndim else zero_dim).append(t._table.dtype)
        elif t is not None:
            scalars.append(scalar_dtype(plain_number(t)))
    return result_dtype(with_dims, zero_dim, scalars)


def _common_device(op, found):
    """The table to start from; torch's error when devices differ (0-dim tensors of the CPU go anywhere)."""
    if all(t._table is found[0]._table for t in found):
        return found[0]._table
    first = next((t for t in found if t._array.ndim), found[0])
    lead = next((t for t in found if t._table.device.type != "cpu" and t._array.ndim), first)
    for t in found:
        if t._table.device != lead._table.device and not (
            t._array.ndim == 0 and t._table.device.type == "cpu" and op.promote != "keep"
        ):
            a, b = lead._table.device, t._table.device
            if b.type == "cpu":
                a, b = b, a
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but found at least two devices, {a} and {b}!"
            )
    return next((t._table for t in found if t._table.is_sparse), lead._table)
