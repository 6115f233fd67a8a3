"""The parts of compressed tensors in memory of their own (crow_indices_copy ...), and older names."""

from ..._backend.registry import public
from ..shape.view_copies import _copying
from .layouts import layout_name, unsupported, values_of
from .products import sspaddmm

_values_copy = _copying(values_of, "values_copy", None).fn


def _part_copy(part, kind, rows_or_columns=None):
    def f(input, *, out=None):
        if rows_or_columns is None and input.is_sparse:
            raise unsupported(f"{part}_copy", input)
        if layout_name(input) == "strided":
            raise RuntimeError(f"{part} expected {kind} tensor layout but got Strided")
        if part == "values":
            return _values_copy(input, out=out)
        found = getattr(input, part)().clone()
        return found if out is None else out.resize_(found.shape).copy_(found)

    f.__name__ = f.__qualname__ = f"{part}_copy"
    f.__doc__ = f"{part}_copy(input) -> Tensor: what {part} gives, in memory of its own."
    return public()(f)


for _part, _kind in {
    "crow_indices": "sparse row compressed",
    "col_indices": "sparse row compressed",
    "ccol_indices": "sparse column compressed",
    "row_indices": "sparse column compressed",
}.items():
    _part_copy(_part, _kind, _kind)
values_copy = _part_copy("values", "sparse")
indices_copy = _part_copy("indices", "sparse coordinate")


@public()
def saddmm(input, mat1, mat2, *, beta=1, alpha=1, out=None):
    """saddmm(input, mat1, mat2) -> Tensor: sspaddmm under an older name."""
    return sspaddmm(input, mat1, mat2, beta=beta, alpha=alpha, out=out)
