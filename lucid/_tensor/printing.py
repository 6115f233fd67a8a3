"""Shows a tensor as text, character for character as torch does, and holds the options that change how.

The rules: one width for all elements; integers of a floating type end in a point; scientific notation when the largest
and smallest magnitudes are 1000 times apart, or beyond 1e8, or below 1e-4; more than `threshold` elements are
summarised to the first and last `edgeitems` of each dimension, and only those decide the width.
"""

import contextlib
import math

import numpy as np

from .._array.numpy.dlpack import readable
from .._base import dtype as dtypes
from .._base.state import defaults, local
from .._base.state import printing as options
from .tensor import Tensor

_PROFILES = {"default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80), "full": (4, math.inf, 3, 80)}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Change how tensors print; what is None stays, except sci_mode, where None means "decide for each tensor".

    precision: digits after the point (4). threshold: more elements than this are summarised (1000). edgeitems: how many
    a summary shows at each end (3). linewidth: characters per line (80). profile: "default", "short" or "full".
    """
    if profile in _PROFILES:
        options.precision, options.threshold, options.edgeitems, options.linewidth = _PROFILES[profile]
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    for name, value in given.items():
        if value is not None:
            setattr(options, name, value)
    options.sci_mode = sci_mode


def get_printoptions():
    """The options in force, as keywords for set_printoptions."""
    return {n: getattr(options, n) for n in ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")}


@contextlib.contextmanager
def printoptions(**kwargs):
    """with printoptions(precision=2): the options hold inside the block."""
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


class IntegerFormat:
    """Writes integers and bools, right-aligned to the widest of `shown`."""

    def __init__(self, shown):
        self.width = max(map(len, map(str, shown.ravel().tolist())), default=1)

    def __call__(self, value):
        return str(value).rjust(self.width)


class FloatFormat:
    """Writes floating values in the one notation that suits all of `shown` (a float64 array)."""

    def __init__(self, shown):
        self.integers, self.scientific, self.width = True, False, 1
        values = shown[np.isfinite(shown) & (shown != 0)]
        if not values.size:
            return
        magnitudes = np.abs(values)
        low, high = magnitudes.min(), magnitudes.max()
        self.integers = bool((values == np.ceil(values)).all())
        self.scientific = (
            options.sci_mode if options.sci_mode is not None else bool(high / low > 1000 or high > 1e8 or low < 1e-4)
        )
        self.width = max(len(self._number(v)) for v in values.tolist())

    def _number(self, value):
        if self.scientific:
            return f"{value:.{options.precision}e}"
        if self.integers:
            return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"
        return f"{value:.{options.precision}f}"

    def __call__(self, value):
        return self._number(value).rjust(self.width)


class ComplexFormat:
    """Writes real and imaginary parts, each in its own notation."""

    def __init__(self, shown):
        self.real, self.imag = FloatFormat(shown.real), FloatFormat(shown.imag)
        self.width = self.real.width + self.imag.width + 1

    def __call__(self, value):
        imag = self.imag(value.imag).lstrip() + "j"
        return self.real(value.real) + ("" if imag[0] in "+-" else "+") + imag


def _ends(n):
    """The indices along a dimension of size n that a summary looks at."""
    edge = options.edgeitems
    return [*range(edge), *range(n - edge, n)] if n > 2 * edge else range(n)


def _shown(array, summarize):
    """The elements that decide the notation."""
    if not summarize or array.ndim == 0:
        return array
    if not options.edgeitems:  # torch then looks at everything in one dimension and at nothing in more
        return array if array.ndim == 1 else array[:0]
    for d, n in enumerate(array.shape):
        if n > 2 * options.edgeitems:
            array = np.take(array, _ends(n), d)
    return array


def _wide(array):
    """Floating elements as float64 and complex ones as complex128: exact, and fit for formatting."""
    array = readable(array) if array.dtype.names else array
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    return array if array.dtype.kind in "biu" else array.astype(np.float64)


def contents(array, indent):
    """The elements of a numpy array between brackets; later lines start `indent` spaces in."""
    if not array.size:
        return "[]"
    summarize = array.size > options.threshold
    shown = _wide(_shown(array, summarize))
    form = {"c": ComplexFormat, "f": FloatFormat}.get(shown.dtype.kind, IntegerFormat)(shown)
    return _brackets(array, indent, summarize, form)


def _brackets(array, indent, summarize, form):
    if array.ndim == 0:
        return form(_wide(array).item())
    edge = options.edgeitems
    cut = summarize and len(array) > 2 * edge
    if array.ndim == 1:
        if cut:
            parts = [_wide(array[:edge]), _wide(array[len(array) - edge :])]
            head, tail = ([form(v) for v in part.tolist()] for part in parts)
            words = [*head, " ...", *tail] if edge else ["..."]
        else:
            words = [form(v) for v in _wide(array).tolist()]
        per_line = max(1, math.floor((options.linewidth - indent) / (form.width + 2)))
        lines = [", ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    rows = [_brackets(array[i], indent + 1, summarize, form) for i in (_ends(len(array)) if cut else range(len(array)))]
    if cut:
        rows.insert(edge, "...")
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(rows) + "]"


def _with_suffixes(text, suffixes, indent):
    """`text` and the suffixes, each on a new line when it does not fit."""
    length = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if length + len(suffix) + 2 > options.linewidth:
            text += ",\n" + " " * indent + suffix
            length = indent + len(suffix)
        else:
            text += ", " + suffix
            length += len(suffix) + 2
    return text + ")"


def _is_parameter(cls):
    """Is it nn.Parameter, which prints as a plain tensor does (after a line of its own)?"""
    return cls.__name__ == "Parameter" and cls.__module__.endswith("nn.parameter")


# How a tensor prints while transforms run: `_modes.display` puts its function here.
in_transforms = None


def _graph_suffix(t):
    """What a tensor's text says of its place in the graph, in a list."""
    try:
        node = t.grad_fn
    except RuntimeError:  # a view that may not be used any more
        return ["grad_fn=<Invalid>"]
    if node is not None:
        return [f"grad_fn=<{type(node).__name__}>"]
    return ["requires_grad=True"] if t.requires_grad else []


_COMPRESSED = {"sparse_csr": ("crow_indices", "col_indices"), "sparse_csc": ("ccol_indices", "row_indices")}


def _part_text(name, array, indent, shows_type):
    """`indices=tensor(...)` of a sparse tensor's text."""
    text = contents(array, indent) if array.size else "[]"
    suffixes = []
    if not array.size:
        suffixes.append(f"size={tuple(array.shape)}")
    if shows_type:
        suffixes.append(shows_type)
    return f"{name}=tensor({', '.join([text, *suffixes])})"


def _sparse_text(t, prefix):
    """(text, suffixes) of a sparse tensor: its parts one below the other, then what it is."""
    indent, x = len(prefix), t._array
    coo = x.layout == "sparse_coo"
    names = ("indices",) if coo else _COMPRESSED[x.layout]
    arrays = (x.indices,) if coo else (x.compressed, x.plain)
    parts = [_part_text(n, a, indent + len(n) + len("=tensor("), None) for n, a in zip(names, arrays)]
    parts.append(_part_text("values", x.values, indent + len("values=tensor("), None))
    suffixes = [f"size={tuple(t.shape)}", f"nnz={x.nnz}"]
    usual_complex = dtypes.complex128 if defaults.dtype is dtypes.float64 else dtypes.complex64
    if t.dtype not in (defaults.dtype, usual_complex, dtypes.int64, dtypes.bool_):
        suffixes.append(f"dtype={t.dtype}")
    text = (",\n" + " " * indent).join(parts)
    if coo:
        text += ",\n" + " " * indent + suffixes.pop(0)
    return text, [*suffixes, f"layout=torch.{x.layout}"]


def tensor_text(t, tensor_contents=None, tangent=None):
    """What repr(t) is; tensor_contents replaces the text of the elements, tangent is shown after them."""
    cls = type(t)
    plain = cls is Tensor or cls.__qualname__ == "Tensor"  # (or a view that may not be used any more)
    prefix = "tensor(" if plain or _is_parameter(cls) else f"{cls.__name__}("
    indent, suffixes, kind, default = len(prefix), [], t.dtype, defaults.dtype
    if t.device.type != "cpu":
        suffixes.append(f"device='{t.device}'")
    if t._table.is_sparse:
        text, suffixes = _sparse_text(t, prefix)
        shows_kind = False
    elif t.is_meta:
        suffixes.append(f"size={tuple(t.shape)}")
        shows_kind, text = kind is not default, "..."
    elif not t.numel():
        if t.ndim != 1:
            suffixes.append(f"size={tuple(t.shape)}")
        shows_kind, text = kind is not default, "[]"
    else:
        if not options.edgeitems:
            suffixes.append(f"size={tuple(t.shape)}")
        usual_complex = dtypes.complex128 if default is dtypes.float64 else dtypes.complex64
        shows_kind = kind not in (default, usual_complex, dtypes.int64, dtypes.bool_)
        text = contents(t._table.to_numpy(t._array), indent) if tensor_contents is None else None
    if shows_kind:
        suffixes.append(f"dtype={kind}")
    if tensor_contents is not None:
        text = tensor_contents
    suffixes += _graph_suffix(t)
    if tangent is not None:
        suffixes.append(f"tangent={tangent!r}")
    text = _with_suffixes(prefix + text, suffixes, indent)
    is_parameter = any(map(_is_parameter, cls.__mro__)) or getattr(t, "_is_param", False)
    return f"Parameter({text})" if is_parameter and not _is_parameter(cls) else text


def _repr(self, *, tensor_contents=None):
    if local.frames or local.transforms or self._table.is_transform:
        return in_transforms(self, tensor_contents)
    return tensor_text(self, tensor_contents)


def _format(self, spec):
    """A plain 0-dim tensor formats as its number."""
    if self._array.ndim == 0 and type(self) is Tensor and not self.is_meta:
        return format(self.item(), spec)
    return object.__format__(self, spec)


_repr.__name__, _format.__name__ = "__repr__", "__format__"
Tensor.__repr__, Tensor.__format__ = _repr, _format
