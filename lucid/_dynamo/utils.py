"""torch._dynamo.utils: counters of what the compiler did, and comparisons."""

import collections
import math

from .._base.device import device
from .._tensor.tensor import Tensor

counters = collections.defaultdict(collections.Counter)


def same(ref, res, fp64_ref=None, cos_similarity=False, tol=1e-4, equal_nan=False, exact_dtype=True):
    """same(a, b, tol=1e-4) -> bool: are these equal, numbers nearly, in whatever they are held?"""
    if isinstance(ref, Tensor):
        if not isinstance(res, Tensor) or exact_dtype and ref.dtype != res.dtype or ref.shape != res.shape:
            return False
        return ref.dtype.is_floating_point and ref.allclose(res, tol, tol, equal_nan) or ref.equal(res)
    if isinstance(ref, (list, tuple)):
        pairs = zip(ref, res)
        return len(ref) == len(res) and all(same(a, b, None, False, tol, equal_nan, exact_dtype) for a, b in pairs)
    if isinstance(ref, dict):
        keys = set(ref) == set(res)
        return keys and all(same(ref[k], res[k], None, False, tol, equal_nan, exact_dtype) for k in ref)
    if isinstance(ref, float):
        return math.isclose(ref, res, rel_tol=tol, abs_tol=tol) or equal_nan and ref != ref and res != res
    return ref == res


def clone_inputs(example_inputs):
    """clone_inputs(inputs) -> copies that require a gradient where the originals do."""
    if isinstance(example_inputs, dict):
        return dict(zip(example_inputs, clone_inputs(list(example_inputs.values()))))
    return [x.detach().clone().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x for x in example_inputs]


def is_compile_supported(device_type):
    """is_compile_supported("cpu") -> bool: can torch.compile work on a kind of device? On all but those that Triton
    would be needed for."""
    return device(device_type).type == "cpu"
