"""Products of matrices whose elements are scaled: scaled_mm, and scaled_grouped_mm, which no CPU has."""

from .._aten.overloads import aten
from .._base.dtype import bfloat16
from .._base.entering import at_home
from .._base.enumeration import enumeration
from .._base.refused import refused_function

ScalingType = enumeration(
    "_ScalingType",
    "lucid.nn.functional",
    "TensorWise RowWise BlockWise1x16 BlockWise1x32 BlockWise1x128 BlockWise128x128",
)
SwizzleType = enumeration("_SwizzleType", "lucid.nn.functional", "NO_SWIZZLE SWIZZLE_32_4_4")
scaled_grouped_mm = refused_function("torch.nn.functional", "scaled_grouped_mm", "grouped product of scaled matrices")


def _listed(value):
    return [] if value is None else value if isinstance(value, list) else [value]


def scaled_mm(
    mat_a, mat_b, scale_a, scale_recipe_a, scale_b, scale_recipe_b, swizzle_a=None, swizzle_b=None, bias=None,
    output_dtype=bfloat16, contraction_dim=(), use_fast_accum=False,
):  # fmt: skip
    """scaled_mm(mat_a, mat_b, scale_a, scale_recipe_a, scale_b, scale_recipe_b, ...) -> Tensor: the product of two
    8-bit floating matrices, each times its scale: one number (TensorWise) or one for each row of the result (RowWise).

    ValueError for other recipes and for swizzled scales, which the CPU has not.
    """
    if any(s.value for s in (*_listed(swizzle_a), *_listed(swizzle_b))):
        raise ValueError("CPU does not support swizzle.")
    (scale_a, *_), (scale_b, *_) = _listed(scale_a), _listed(scale_b)
    recipes = {*_listed(scale_recipe_a), *_listed(scale_recipe_b)}
    if recipes == {ScalingType.TensorWise}:
        for name, scale in (("scale_a", scale_a), ("scale_b", scale_b)):
            if scale.numel() != 1:
                raise ValueError(f"{name} must have 1 Float element")
    both_small = mat_a.dtype.itemsize == mat_b.dtype.itemsize == 1
    if not both_small or recipes not in ({ScalingType.TensorWise}, {ScalingType.RowWise}):
        raise ValueError(
            "Invalid scaling configuration.\n- For TensorWise scaling, a and b should be float8, scales should be "
            "float and singletons.\n- For RowWise scaling, a and b should be float8, scales should be float, scale_a "
            f"should be ({mat_a.shape[0]}, 1) and scale_b should be (1, {mat_b.shape[1]}), and both should be "
            "contiguous."
        )
    return aten("_scaled_mm")(mat_a, mat_b, scale_a, scale_b, bias, None, output_dtype, use_fast_accum)


scaled_mm.__module__ = at_home("lucid.nn.functional")
