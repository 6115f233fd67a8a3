"""Products of matrices of 8-bit floats, whose scales lie beside them."""

from ..._backend.registry import public
from ..._base import dtype as dtypes
from ..._base.enumeration import enumeration
from ..._tensor.tensor import Tensor

ScalingType = enumeration(
    "_ScalingType",
    "lucid.nn.functional",
    "TensorWise RowWise BlockWise1x16 BlockWise1x32 BlockWise1x128 BlockWise128x128",
    "What one scale belongs to: the whole matrix, a row, or a block of it.",
)
SwizzleType = enumeration(
    "_SwizzleType", "lucid.nn.functional", "NO_SWIZZLE SWIZZLE_32_4_4", "In which order scales lie in memory."
)


def scaled_product(a, b, scale_a, scale_b, bias=None, scale_result=None, out_dtype=None):
    """(a * scale_a) @ (b * scale_b) + bias of 8-bit floats, computed in float32 and rounded once to out_dtype.

    Scales are single float32 numbers, or one for each row of a and each column of b; ValueError for others.
    """
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"mat_a and mat_b shapes cannot be multiplied ({'x'.join(map(str, a.shape))} and "
            f"{'x'.join(map(str, b.shape))})"
        )
    rows = tuple(scale_a.shape) == (a.shape[0], 1) and tuple(scale_b.shape) == (1, b.shape[1])
    floats = {scale_a.dtype, scale_b.dtype} == {dtypes.float32}
    single = scale_a.numel() == scale_b.numel() == 1
    if a.dtype.itemsize > 1 or b.dtype.itemsize > 1 or not floats or not (single or rows):
        raise _invalid(a, b)
    wide = (a.to(dtypes.float32) * scale_a).mm(b.to(dtypes.float32) * scale_b)
    wide = wide if bias is None else wide + bias.to(dtypes.float32)
    out_dtype = out_dtype or a.dtype
    if scale_result is not None and out_dtype.itemsize == 1:
        wide = wide * scale_result
    return wide.to(out_dtype)


def _invalid(a, b):
    return ValueError(
        "Invalid scaling configuration.\n"
        "- For TensorWise scaling, a and b should be float8, scales should be float and singletons.\n"
        "- For RowWise scaling, a and b should be float8, scales should be float, "
        f"scale_a should be ({a.shape[0]}, 1) and scale_b should be (1, {b.shape[1]}), and both should be "
        "contiguous.\nGot mat_a.dtype()"
    )


def scaled_by_recipes(a, b, scale_a, recipe_a, scale_b, recipe_b, bias, out_dtype):
    """scaled_product, where lists say what the scales belong to: torch's CPU knows matrices and rows only."""
    known = ([int(ScalingType.TensorWise)], [int(ScalingType.RowWise)])
    if list(recipe_a) != list(recipe_b) or list(recipe_a) not in known or len(scale_a) != 1 or len(scale_b) != 1:
        raise _invalid(a, b)
    return scaled_product(a, b, scale_a[0], scale_b[0], bias, None, out_dtype)


def _listed(value):
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]


@public(namespace="nn.functional")
def scaled_mm(
    mat_a,
    mat_b,
    scale_a,
    scale_recipe_a,
    scale_b,
    scale_recipe_b,
    swizzle_a=None,
    swizzle_b=None,
    bias=None,
    output_dtype=dtypes.bfloat16,
    contraction_dim=(),
    use_fast_accum=False,
) -> Tensor:
    """scaled_mm(mat_a, mat_b, scale_a, scale_recipe_a, scale_b, scale_recipe_b, ...) -> Tensor.

    The product of two matrices of 8-bit floats, each times its scales: one number (ScalingType.TensorWise), or one for
    each row of mat_a and column of mat_b (RowWise). ValueError for other recipes, which torch's CPU does not have.
    """
    if any(int(s) for s in (*_listed(swizzle_a), *_listed(swizzle_b))):
        raise ValueError("CPU does not support swizzle.")
    recipes = [[int(r) for r in _listed(recipe)] for recipe in (scale_recipe_a, scale_recipe_b)]
    for name, recipe, scales in (("scale_a", recipes[0], scale_a), ("scale_b", recipes[1], scale_b)):
        if recipe == [int(ScalingType.TensorWise)] and _listed(scales)[0].numel() != 1:
            raise ValueError(f"{name} must have 1 Float element")
    return scaled_by_recipes(
        mat_a, mat_b, _listed(scale_a), recipes[0], _listed(scale_b), recipes[1], bias, output_dtype
    )
