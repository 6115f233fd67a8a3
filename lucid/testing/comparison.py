"""assert_close: compares tensors, numbers, arrays and containers of them, and tells in detail where they differ."""

import collections.abc
import math
import numbers
import warnings

from .._backend.registry import FUNCTIONS
from .._base import dtype as dtypes
from .._base.promotion import promote_types
from .._tensor.tensor import Tensor

# (rtol, atol) by type; 0 for what is not listed.
PRECISIONS = {
    dtypes.float16: (0.001, 1e-5),
    dtypes.bfloat16: (0.016, 1e-5),
    dtypes.float32: (1.3e-6, 1e-5),
    dtypes.float64: (1e-7, 1e-7),
    dtypes.complex64: (1.3e-6, 1e-5),
    dtypes.complex128: (1e-7, 1e-7),
}
NUMBERS = {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.float64, complex: dtypes.complex128}


class Mismatch(AssertionError):
    """A difference, and where in the containers it is."""

    def __init__(self, message, place=(), kind=AssertionError):
        super().__init__(message)
        self.message, self.place, self.kind = message, place, kind

    def error(self, msg):
        """The error to raise, with the user's message (text, or function of the generated one)."""
        text = self.message
        if self.place:
            text += f"\n\nThe failure occurred for item {''.join(f'[{p!r}]' for p in self.place)}"
        if self.kind is AssertionError and msg is not None:
            text = msg(text) if callable(msg) else msg
        return self.kind(text)


class Options:
    """How to compare."""

    def __init__(self, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride, allow_subclasses):
        if (rtol is None) != (atol is None):
            raise ValueError(
                "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
                f"{'atol' if atol is None else 'rtol'}."
            )
        self.rtol, self.atol, self.equal_nan = rtol, atol, equal_nan
        self.check_device, self.check_dtype = check_device, check_dtype
        self.check_layout, self.check_stride = check_layout, check_stride
        self.allow_subclasses = allow_subclasses

    def tolerances(self, *kinds):
        """(rtol, atol): those given, or the loosest of the types'."""
        if self.rtol is not None:
            return self.rtol, self.atol
        found = [PRECISIONS.get(d, (0.0, 0.0)) for d in kinds]
        return max(r for r, _ in found), max(a for _, a in found)


def assert_close(
    actual,
    expected,
    *,
    allow_subclasses=True,
    rtol=None,
    atol=None,
    equal_nan=False,
    check_device=True,
    check_dtype=True,
    check_layout=True,
    check_stride=False,
    msg=None,
):
    """assert_close(actual, expected, rtol=None, atol=None, equal_nan=False, ...): AssertionError unless they are close.

    Close: |actual - expected| <= atol + rtol * |expected|, with tolerances by type unless both are given. Shapes,
    types, devices and layouts must agree. Containers are compared item by item. msg: text, or function of the generated
    text.
    """
    options = Options(rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride, allow_subclasses)
    try:
        for a, e, place in _pairs(actual, expected, ()):
            _compare(a, e, place, options)
    except Mismatch as found:
        raise found.error(msg) from None


def _is_sequence(x):
    return isinstance(x, collections.abc.Sequence) and not isinstance(x, str)


def _pairs(actual, expected, place):
    """The things to compare, in order, with their places."""
    if _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            raise Mismatch(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", place)
        for i, (a, e) in enumerate(zip(actual, expected)):
            yield from _pairs(a, e, (*place, i))
    elif isinstance(actual, collections.abc.Mapping) and isinstance(expected, collections.abc.Mapping):
        missing, extra = expected.keys() - actual.keys(), actual.keys() - expected.keys()
        if missing or extra:
            raise Mismatch(
                "The keys of the mappings do not match:\nMissing keys in the actual mapping: "
                f"{_sorted(missing)}\nAdditional keys in the actual mapping: {_sorted(extra)}",
                place,
            )
        for k in _sorted(actual):
            yield from _pairs(actual[k], expected[k], (*place, k))
    else:
        yield actual, expected, place


def _sorted(keys):
    try:
        return sorted(keys)
    except TypeError:
        return list(keys)


def _is_array(x):
    return type(x).__module__ == "numpy" and hasattr(x, "__array_interface__") and hasattr(x, "dtype")


def _compare(a, e, place, options):
    if a is None or e is None:
        if a is not e:
            raise Mismatch(f"None mismatch: {a} is not {e}", place)
    elif isinstance(a, bool) and isinstance(e, bool):
        if a is not e:
            raise Mismatch(f"Booleans mismatch: {a} is not {e}", place)
    elif isinstance(a, numbers.Number) and isinstance(e, numbers.Number) and not isinstance(a, Tensor):
        _compare_numbers(a, e, place, options)
    elif isinstance(a, Tensor) and isinstance(e, Tensor) and (options.allow_subclasses or type(a) is type(e)):
        _compare_tensors(a, e, place, options)
    elif _is_array(a) and _is_array(e):
        _compare_tensors(FUNCTIONS["as_tensor"](a), FUNCTIONS["as_tensor"](e), place, options)
    else:
        raise Mismatch(
            f"No comparison pair was able to handle inputs of type {type(a)} and {type(e)}.", place, TypeError
        )


def _compare_numbers(a, e, place, options):
    if options.check_dtype and type(a) is not type(e):
        raise Mismatch(f"The (d)types do not match: {type(a)} != {type(e)}.", place)
    rtol, atol = options.tolerances(*[NUMBERS.get(type(x), dtypes.float64) for x in (a, e)])
    if not _close(a, e, rtol, atol, options.equal_nan):
        raise Mismatch(_about_numbers(a, e, rtol, atol), place)


def _close(a, e, rtol, atol, equal_nan):
    if a == e:
        return True
    if equal_nan and a != a and e != e:
        return True
    return abs(a - e) <= atol + rtol * abs(e) and abs(e) != math.inf and abs(a) != math.inf


def _about_numbers(a, e, rtol, atol):
    exact = rtol == 0 and atol == 0
    difference = abs(a - e)
    relative = math.inf if e == 0 else difference / abs(e)
    lines = [
        "Scalars are not equal!" if exact else "Scalars are not close!",
        "",
        f"Expected {e} but got {a}.",
        f"Absolute difference: {difference}" + ("" if exact else f" (up to {atol} allowed)"),
        f"Relative difference: {relative}" + ("" if exact else f" (up to {rtol} allowed)"),
    ]
    return "\n".join(lines)


def _compare_tensors(a, e, place, options):
    def must_agree(name, x, y):
        if x != y:
            raise Mismatch(f"The values for attribute '{name}' do not match: {x} != {y}.", place)

    must_agree("shape", a.shape, e.shape)
    if options.check_layout:
        must_agree("layout", a.layout, e.layout)
    if options.check_device:
        must_agree("device", a.device, e.device)
    if options.check_dtype:
        must_agree("dtype", a.dtype, e.dtype)
    if options.check_stride:
        must_agree("stride()", a.stride(), e.stride())
    if a._table.is_sparse or e._table.is_sparse:
        a, e = a.detach(), e.detach()
        if a.layout is e.layout:
            _compare_sparse(a, e, place, options)
            return
        a, e = a.to_dense(), e.to_dense()
    rtol, atol = options.tolerances(a.dtype, e.dtype)
    if a.is_meta or e.is_meta:
        if not (a.is_meta and e.is_meta):
            raise NotImplementedError("Comparing meta tensors is currently not supported")
        return
    a, e = a.detach(), e.detach()
    if a.device != e.device:
        a, e = a.cpu(), e.cpu()
    if a.dtype is not e.dtype:
        common = promote_types(a.dtype, e.dtype)
        a, e = a.to(common), e.to(common)
    if a.ndim == 0:
        x, y = a.item(), e.item()
        if isinstance(x, bool):
            x, y = int(x), int(y)
        if not _close(x, y, rtol, atol, options.equal_nan):
            raise Mismatch(_about_numbers(x, y, rtol, atol), place)
        return
    matches = FUNCTIONS["isclose"](a, e, rtol=rtol, atol=atol, equal_nan=options.equal_nan)
    if not bool(matches.all()):
        raise Mismatch(_about_tensors(a, e, matches, rtol, atol), place)


_PARTS = {"sparse_csr": ("crow_indices", "col_indices"), "sparse_csc": ("ccol_indices", "row_indices")}


def _compare_sparse(a, e, place, options):
    """Two sparse tensors of one layout, part by part."""
    name = a.layout.name
    kind = {"sparse_coo": "Sparse COO", "sparse_csr": "Sparse CSR", "sparse_csc": "Sparse CSC"}[name]
    if a._nnz() != e._nnz():
        raise Mismatch(
            f"The number of specified values in {kind[0].lower()}{kind[1:]} tensors does not match: "
            f"{a._nnz()} != {e._nnz()}",
            place,
        )
    if name == "sparse_coo":
        parts = [("indices", a._indices(), e._indices()), ("values", a._values(), e._values())]
    else:
        parts = [(part, getattr(a, part)(), getattr(e, part)()) for part in (*_PARTS[name], "values")]
    for part, x, y in parts:
        try:
            _compare_tensors(x, y, place, options)
        except Mismatch as found:
            raise Mismatch(str(found).replace("Tensor-likes", f"{kind} {part}"), place) from None


def _about_tensors(a, e, matches, rtol, atol):
    if a.dtype.category < dtypes.FLOATING:  # differences of small types would overflow
        a, e = a.to(dtypes.int64), e.to(dtypes.int64)
    wrong = matches.logical_not()
    number, total = int(wrong.sum()), matches.numel()
    difference = (a - e).abs()
    relative = difference / e.abs()
    exact = rtol == 0 and atol == 0

    def greatest(name, values, bound):
        values = FUNCTIONS["where"](matches, FUNCTIONS["zeros_like"](values), values).flatten()
        at = int(values.argmax())
        index, rest = [], at
        for n in reversed(matches.shape):
            index.append(rest % n)
            rest //= n
        allowed = "" if exact else f" (up to {bound} allowed)"
        return f"Greatest {name} difference: {values[at].item()} at index {tuple(reversed(index))}{allowed}"

    return "\n".join(
        [
            "Tensor-likes are not equal!" if exact else "Tensor-likes are not close!",
            "",
            f"Mismatched elements: {number} / {total} ({number / total:.1%})",
            greatest("absolute", difference, atol),
            greatest("relative", relative, rtol),
        ]
    )


_OLD_PRECISIONS = {dtypes.float16: (1e-3, 1e-3), dtypes.float32: (1e-4, 1e-5), dtypes.float64: (1e-5, 1e-8)}


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """assert_allclose(actual, expected): the older assert_close, which converts numbers and lists and compares no
    types."""
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future "
        "release. Please use `torch.testing.assert_close()` instead. You can find detailed upgrade "
        "instructions in https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
        stacklevel=2,
    )
    if not isinstance(actual, Tensor):
        actual = FUNCTIONS["tensor"](actual)
    if not isinstance(expected, Tensor):
        expected = FUNCTIONS["tensor"](expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        found = [_OLD_PRECISIONS.get(t.dtype, (0.0, 0.0)) for t in (actual, expected)]
        rtol, atol = max(r for r, _ in found), max(a for _, a in found)
    assert_close(
        actual,
        expected,
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        check_device=True,
        check_dtype=False,
        check_stride=False,
        msg=msg or None,
    )
