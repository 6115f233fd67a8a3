"""Numbers out of nested sequences, arrays and tensors: what `lucid.tensor(data)` makes of its data."""

import numbers

from ..._array.lookup import table
from ..._array.numpy.table import TABLES
from ..._array.numpy.table import table as cpu_table
from ..._backend.argument_kinds import typename
from ..._base import dtype as dtypes
from ..._base.promotion import promote_types
from ..._base.state import defaults
from ..._tensor.tensor import Tensor


def number_dtype(value):
    """The type torch infers for a Python number."""
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return dtypes.bool_
    if isinstance(value, numbers.Integral):
        return dtypes.int64
    return dtypes.default_complex() if isinstance(value, complex) else defaults.dtype


def _leaf_types(data, found, depth=0, dtype=None):
    """Collect what kinds of numbers nested data holds; TypeError for what holds no numbers (of type dtype)."""
    if isinstance(data, (list, tuple)) or (
        hasattr(data, "__len__")
        and hasattr(data, "__getitem__")
        and not isinstance(data, (str, bytes, dict, Tensor))
        and not hasattr(data, "dtype")
    ):
        for x in _items(data):
            _leaf_types(x, found, depth + 1, dtype)
    elif isinstance(data, Tensor):
        found.append(data.dtype)
    elif isinstance(data, (bool, numbers.Number)) and not hasattr(data, "dtype"):
        found.append(number_dtype(data))
    elif hasattr(type(data), "__torch_function__"):
        len(data)  # torch asks, and a proxy of torch.fx says why there is no answer
        raise TypeError(f"must be real number, not {type(data).__name__}")
    elif hasattr(data, "dtype"):
        found.append(TABLES[data.dtype].dtype)
    elif data is None and dtype is None:
        raise RuntimeError("Could not infer dtype of NoneType")
    elif isinstance(data, (str, bytes)):
        kind = type(data).__name__
        if depth and dtype is not None:
            raise TypeError(
                f"'{kind}' object cannot be interpreted as an integer"
                if dtype.category < dtypes.FLOATING
                else f"must be real number, not {kind}"
            )
        raise TypeError(f"new(): invalid data type '{kind}'")
    elif dtype is not None:
        kind = typename(data)
        raise TypeError(
            f"'{kind}' object cannot be interpreted as an integer"
            if dtype.category < dtypes.FLOATING
            else f"must be real number, not {kind}"
        )
    else:
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")


def _refuse_text(data):
    """torch's error for a string where the dimensions are counted: it is a sequence of strings without end."""
    first = data
    while isinstance(first, (list, tuple)) and first:
        first = first[0]
    if isinstance(first, str) and first and first is not data:
        raise ValueError("too many dimensions 'str'")


def _refuse_rows(data, kind):
    """torch's error for nested lists that are no array: rows of unequal lengths, or lists beside numbers."""
    shape, first = [], data
    while isinstance(first, list):
        shape.append(len(first))
        if not first:
            break
        first = first[0]

    def look(row, depth):
        if depth == len(shape):
            if isinstance(row, list):
                raise TypeError(
                    "'list' object cannot be interpreted as an integer"
                    if kind.category < dtypes.FLOATING
                    else "must be real number, not list"
                )
            return
        if not isinstance(row, list):
            raise TypeError("not a sequence")
        if len(row) != shape[depth]:
            raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(row)})")
        for x in row:
            look(x, depth + 1)

    look(data, 0)


def _wrapped_round(rows, kind):
    """Numbers of which some are no values of `kind`: torch takes -n for an unsigned type that holds n, no others."""
    wide = cpu_table(dtypes.int64)
    numbers, stack = [], [rows]
    while stack:
        row = stack.pop()
        stack.extend(row) if isinstance(row, list) else numbers.append(row)
    if all(isinstance(n, int) for n in numbers):
        if not all(-1 << 63 <= n < 1 << 63 + (kind is dtypes.uint64) for n in numbers):
            raise ValueError("Overflow when unpacking long long")
        if kind is dtypes.uint64:
            raise OverflowError("can't convert negative int to unsigned")
        if not kind.is_signed and max(map(abs, numbers)) < 1 << 8 * kind.itemsize:
            return wide.cast(wide.from_python(rows), kind)
    raise RuntimeError(f"value cannot be converted to type {kind.name} without overflow")


def _items(data):
    """The items of a sequence; torch's error for one that cannot be read."""
    if isinstance(data, (list, tuple)):
        return data
    try:
        return [data[i] for i in range(len(data))]
    except Exception:
        raise ValueError(f"could not determine the shape of object type '{type(data).__name__}'") from None


def _sequence(data):
    return (
        hasattr(data, "__len__")
        and hasattr(data, "__getitem__")
        and not isinstance(data, (str, bytes, dict, Tensor))
        and not hasattr(data, "dtype")
    )


def _unwrapped(data):
    """Nested data with tensors (of one element each) replaced by numbers."""
    if isinstance(data, Tensor):
        if data.numel() != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return data.item()
    if isinstance(data, (list, tuple)) or _sequence(data):
        return [_unwrapped(x) for x in _items(data)]
    return data.tolist() if hasattr(data, "dtype") else data


def _infer(data):
    found = []
    _refuse_text(data)
    _leaf_types(data, found)
    if not found:
        return defaults.dtype
    kinds = set(found)
    if len(kinds) == 1:
        return found[0]
    best = found[0]
    for d in kinds:
        best = promote_types(best, d)
    return best


def array_from(data, dtype, device):
    """(array, table) for whatever `torch.tensor` accepts; always a copy."""
    if hasattr(data, "_as_tensor") and hasattr(data, "dtype"):  # a typed storage
        data = data._as_tensor()
    if isinstance(data, Tensor):
        k = table(dtype or data.dtype, device or data.device)
        d = data._array if data._table.device == k.device else k.import_from(data._array, data._table)
        return k.copy(k.cast(d, k.dtype)), k
    if hasattr(type(data), "__torch_function__"):
        raise TypeError("`__cuda_array_interface__` must be a dict")
    if hasattr(data, "__array_interface__") or hasattr(data, "__array__") and hasattr(data, "dtype"):
        import_k = TABLES[data.dtype] if data.dtype.isnative else TABLES[data.dtype.newbyteorder("=")]
        k = table(dtype or import_k.dtype, device)
        d = import_k.cast(import_k.asarray(data), k.dtype)
        d = d.copy() if d.dtype.isnative else d.astype(d.dtype.newbyteorder("="))
        return k.import_from(d, import_k) if not k.aliases or k.device.type != "cpu" else cpu_table(k.dtype).contiguous(
            d
        ), k
    kind = dtype or _infer(data)
    k = table(kind, device)
    if dtype is not None:
        _refuse_text(data)
        _leaf_types(data, [], 0, dtype)
    cpu_k, rows = cpu_table(kind), _unwrapped(data)
    try:
        d = cpu_k.from_python(rows)
    except (TypeError, ValueError):
        _refuse_rows(rows, kind)
        if kind.category == dtypes.FLOATING:
            raise TypeError("must be real number, not complex") from None
        if _infer(data).is_complex:
            raise TypeError("'complex' object cannot be interpreted as an integer") from None
        if kind.category == dtypes.INTEGRAL:
            raise RuntimeError(f"value cannot be converted to type {kind.name} without overflow") from None
        raise
    except OverflowError:
        d = _wrapped_round(rows, kind)
    if d.shape == () and isinstance(data, (list, tuple)):
        d = d.reshape(0)
    return (d if k is cpu_k else k.import_from(d, cpu_k)), k
