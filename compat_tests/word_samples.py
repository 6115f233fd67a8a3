"""A call of every word of the dictionary: arguments made from the parameters' names, and from a list where shapes must fit.

`arguments(k, row)` gives numpy arrays of table k's element type, and options. Values are such that nothing is near a
boundary: a word and its neighbours agree on which side of a step an element lies.
"""

import numpy as np

from lucid._array.numpy.table import paired
from lucid._array.resampling import area, nearest
from lucid._array.words import OPERANDS
from lucid._base import dtype as dtypes

OPTIONS = dict(
    hermitian=True,
    dim=1,
    keepdim=False,
    correction=1,
    p=2.0,
    descending=False,
    stable=True,
    count=2,
    largest=True,
    nth=1,
    ignore_nan=False,
    kind="hermite_h",
    accumulate=False,
    reduce="sum",
    include_self=True,
    right=False,
    upper=False,
    lower=True,
    left=True,
    unit=False,
    pivot=True,
    complete=False,
    full=False,
    bins=4,
    low=0,
    high=4,
    n=4,
    m=3,
    start=0,
    end=8,
    steps=5,
    value=1,
    dtype=dtypes.float32,
    stride=(1, 1),
    padding=(0, 0),
    dilation=(1, 1),
    groups=1,
    training=True,
    eps=1e-5,
    reduction="mean",
    ignore_index=-100,
    causal=False,
    scale=0.5,
    reverse=False,
    minlength=0,
    weights=None,
    bias=None,
)


def places(*values):
    return np.array(values, np.int64)


def _window(**more):
    return dict(x=(1, 2, 4, 4), kernel=(2, 2), stride=(2, 2), out_size=(2, 2), **more)


_NORM = dict(x=(2, 4, 3), g=(2, 4, 3), w=(4,), b=(4,), mean=(4,), var=(4,))
_ROWS = dict(x=(2, 4, 3), g=(2, 4, 3), w=(3,), b=(3,), mean=(2, 4, 1), rstd=(2, 4, 1), n=1)
_GROUPS = dict(x=(2, 4, 3), g=(2, 4, 3), w=(4,), b=(4,), mean=(2, 2), rstd=(2, 2), groups=2)
_HEADS = dict(zip("gqkv", [(1, 2, 3, 4)] * 4), probabilities=(1, 2, 3, 3))
_LSTM = dict(
    x=(2, 1, 3), w_ih=(8, 3), w_hh=(8, 2), b_ih=(8,), b_hh=(8,), h=(1, 2), c=(1, 2), out=(2, 1, 2),
    to_out=(2, 1, 2), to_h=(1, 2), to_c=(1, 2), reserve=(2, 1, 10),
)  # fmt: skip
_INTO = dict(dim=0, position=1, start=0, end=1, step=1, offset=0, dim1=0, dim2=1, shape=(2, 3))
_PART = dict(size=(2, 2), stride=(3, 1), offset=0, in_stride=(3, 1))

# word -> what differs from (2, 3) arrays and the options above; a tuple for an array is its shape
SPECIAL = {
    "reshape": dict(shape=(3, 2)),
    "permute": dict(dims=(1, 0)),
    "expand": dict(shape=(4, 2, 3)),
    "slice": dict(start=0, end=2, step=1),
    "select": dict(position=1),
    "squeeze": dict(x=(2, 1, 3), dim=(1,)),
    "diagonal": dict(offset=0, dim1=0, dim2=1),
    "unfold": dict(size=2, step=1),
    "as_strided": _PART,
    "view_dtype": dict(x=(2, 4)),
    "view_as_complex": dict(x=(3, 2)),
    "flip": dict(dims=(0,)),
    "roll": dict(shifts=(1,), dims=(0,)),
    "fft_c2c": dict(dims=(0, 1), normalization=0, forward=True),
    "fft_r2c": dict(dims=(0, 1), normalization=1, onesided=True),
    "fft_c2r": dict(dims=(0, 1), normalization=2, last_count=4),
    "tril": dict(offset=0),
    "triu": dict(offset=0),
    "pad": dict(widths=((1, 0), (0, 2))),
    "repeat": dict(times=(2, 1)),
    "matmul": dict(b=(3, 2)),
    "index": dict(indices=(places(1, 0),)),
    "index_put": dict(indices=(places(1, 0),)),
    "index_select": dict(dim=0, index=places(1, 0, 1)),
    "index_add": dict(dim=0, index=places(1, 0)),
    "gather": dict(index=places([0, 2], [1, 1])),
    "scatter": dict(index=places([0, 2], [1, 0]), src=(2, 2)),
    "scatter_add": dict(index=places([0, 2], [1, 1]), src=(2, 2)),
    "scatter_reduce": dict(index=places([0, 2], [1, 1]), src=(2, 2)),
    "scatter_in_order": dict(index=places([0, 2], [1, 1]), src=(2, 2)),
    "searchsorted": dict(sequence=(4,)),
    "index_backward": dict(shape=(4, 3), indices=(places(1, 1),)),
    "select_backward": dict(_INTO, g=(3,)),
    "slice_backward": dict(_INTO, g=(1, 3)),
    "diagonal_backward": dict(_INTO, g=(2,)),
    "unfold_backward": dict(g=(2, 2, 2), shape=(2, 3), size=2, step=1),
    "as_strided_backward": dict(_PART, g=(2, 2), shape=(2, 3)),
    "select_scatter": dict(_INTO, src=(3,)),
    "slice_scatter": dict(_INTO, src=(1, 3)),
    "diagonal_scatter": dict(_INTO, src=(2,)),
    "as_strided_scatter": dict(_PART, src=(2, 2)),
    "unique": dict(dim=None),
    "unique_runs": dict(dim=None),
    "bincount": dict(x=(4,)),
    "solution": dict(B=(3, 2)),
    "triangular_solution": dict(B=(3, 2)),
    "reflectors": dict(tau=(3,)),
    "ldl_solution": dict(pivots=np.array([1, 2, 3], np.int32), B=(3, 2)),
    "permutation": dict(pivots=np.array([2, 2, 3], np.int32), size=3),
    "zeros": dict(shape=(2, 3)),
    "ones": dict(shape=(2, 3)),
    "full": dict(shape=(2, 3)),
    "conv": dict(x=(1, 2, 4, 4), w=(3, 2, 2, 2)),
    "conv_input": dict(g=(1, 3, 3, 3), w=(3, 2, 2, 2), size=(4, 4)),
    "conv_weight": dict(g=(1, 3, 3, 3), x=(1, 2, 4, 4), kernel=(2, 2)),
    "im2col": dict(x=(1, 2, 4, 4), kernel=(2, 2)),
    "col2im": dict(columns=(1, 8, 9), kernel=(2, 2), size=(4, 4)),
    "max_pool": _window(),
    "max_pool_indices": _window(),
    "max_pool_backward": _window(g=(1, 2, 2, 2)),
    "adaptive_max_indices": _window(),
    "window_sum": _window(),
    "window_spread": _window(g=(1, 2, 2, 2), size=(4, 4)),
    "normalize_channels": _NORM,
    "normalize_channels_backward": _NORM,
    "normalize_rows": _ROWS,
    "normalize_rows_backward": _ROWS,
    "normalize_groups": _GROUPS,
    "normalize_groups_backward": _GROUPS,
    "class_gather": dict(target=places(0, 2)),
    "class_scatter": dict(g=(2,), target=places(0, 2), classes=3),
    "nll": dict(target=places(0, 2), weight=None),
    "nll_backward": dict(g=(), target=places(0, 2), weight=None, shape=(2, 3)),
    "attention": _HEADS,
    "attention_backward": _HEADS,
    "lstm_sequence": _LSTM,
    "lstm_sequence_backward": _LSTM,
    "resample": dict(taps=nearest(3, 5)),
    "resample_backward": dict(taps=nearest(5, 3)),
    "area_mean": dict(taps=(area(3, 2),)),
    "area_spread": dict(taps=(area(6, 3),)),
    "points_back": dict(taps=(nearest(5, 3),)),
}
# parts of complex numbers are made of real ones, whatever the table is
OF_REAL, OF_COMPLEX = ("complex", "polar", "view_as_complex"), ("view_as_real",)


def array(k, shape, seed):
    """Values of table k's type between 0.1 and 0.9 (integers: 1 to 6), symmetric and definite where square."""
    rng = np.random.default_rng(seed)
    kind = k.array_dtype
    if k.dtype.category < dtypes.FLOATING:
        return rng.integers(1, 7, shape).astype(kind) if k.dtype.category else rng.random(shape) < 0.5
    values = (2 * rng.integers(2, 15, shape) + 1) / 32  # few bits, so that halves hold them; no power of two
    if k.is_complex:
        values = values + 1j * (2 * rng.integers(2, 15, shape) + 1) / 32
    return paired(np.asarray(values)) if kind.names else np.asarray(values).astype(kind)


def matrix(k, seed):
    """A Hermitian and definite one."""
    half = array(k, (3, 3), seed)
    return half @ half.conj().T + np.eye(3, dtype=k.array_dtype)


def arguments(k, row, seed=0):
    """The arguments of one call of a word by table k: numpy arrays, and options."""
    special, given = SPECIAL.get(row.name, {}), []
    of = k
    if row.name in OF_REAL or row.name in OF_COMPLEX:
        of = k.sibling(k.dtype.to_real() if row.name in OF_REAL else dtypes.complex_of(k.dtype))
    for i, name in enumerate(row.parameters):
        value = special.get(name, OPTIONS.get(name))
        if name == "dim" and row.family == "reduction":
            value = (1,)
        if name == "out" and row.name.startswith("max_pool"):
            value = k.max_pool(given[-1], (2, 2), (2, 2), (0, 0), (1, 1), (2, 2))
        elif name == "order":
            value = 2
        elif name == "repeats":
            value = array(k, (3,), seed)
        elif name == "arrays":
            value = [array(of, (2, 3), seed + i), array(of, (2, 3), seed + i + 50)]
        elif name in ("condition", "mask"):
            value = np.array([[True, False, True], [False, True, True]])
        elif name == "A":
            value = matrix(of, seed + i)
        elif name == "sequence":
            value = np.sort(array(of, value or special[name], seed + i))
        elif name in OPERANDS and name not in ("bias",) and not (name in special and special[name] is None):
            value = array(of, value if isinstance(value, tuple) else (2, 3), seed + i)
        elif name == "value" and row.name in ("asarray", "masked_fill"):
            value = array(of, (2, 3) if row.name == "asarray" else (), seed + i)
        assert name in OPERANDS or name in ("condition", "mask", "repeats") or name in special or name in OPTIONS, (
            f"no sample for {name} of {row.call}"
        )
        given.append(value)
    return given
