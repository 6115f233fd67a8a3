"""ATen's composites whose arguments are not those of the function that computes them."""

from .._backend.registry import FUNCTIONS, NAMESPACES
from .._tensor.tensor import Tensor
from .calls import REDUCTIONS
from .kernel_table import kernel

F = NAMESPACES["nn.functional"]


@kernel("cross_entropy_loss")
def cross_entropy_loss(x, target, weight, reduction, ignore_index, label_smoothing):
    return F["cross_entropy"](
        x,
        target,
        weight,
        ignore_index=ignore_index,
        reduction=REDUCTIONS[reduction],
        label_smoothing=label_smoothing,
    )


@kernel("nll_loss_nd", "nll_loss", "nll_loss2d")
def nll_loss_nd(x, target, weight, reduction, ignore_index):
    return F["nll_loss"](x, target, weight, ignore_index=ignore_index, reduction=REDUCTIONS[reduction])


@kernel("l1_loss")
def l1_loss(x, target, reduction):
    return F["l1_loss"](x, target, reduction=REDUCTIONS[reduction])


@kernel("cartesian_prod")
def cartesian_prod(tensors):
    return FUNCTIONS["cartesian_prod"](*tensors)


@kernel("block_diag")
def block_diag(tensors):
    return FUNCTIONS["block_diag"](*tensors)


@kernel("broadcast_tensors")
def broadcast_tensors(tensors):
    return FUNCTIONS["broadcast_tensors"](*tensors)


@kernel("rrelu")
def rrelu(x, lower, upper, training, generator):
    return F["rrelu"](x, lower, upper, training)


@kernel("log_sigmoid")
def log_sigmoid(x):
    return F["logsigmoid"](x)


@kernel("mT")
def transposed(x):
    return x.mT


@kernel("mH")
def conjugate_transposed(x):
    return x.mH


@kernel("matrix_H")
def matrix_conjugate_transposed(x):
    return x.H


@kernel("numpy_T")
def reversed_dimensions(x):
    return x.T


@kernel("relu6_")
def relu6_(x):
    return F["relu6"](x, inplace=True)


def _dropout(name, function):
    def dropped(x, p, train):
        return function(x, p, train)

    def dropped_in_place(x, p, train):
        return function(x, p, train, True)

    kernel(name)(dropped), kernel(f"{name}_")(dropped_in_place)


for _name in "dropout alpha_dropout feature_alpha_dropout".split():
    _dropout(_name, F[_name])


@kernel("feature_dropout")
def feature_dropout(x, p, train):
    return F["dropout2d"](x, p, train)


@kernel("feature_dropout_")
def feature_dropout_(x, p, train):
    return F["dropout2d"](x, p, train, True)


@kernel("upsample_nearest1d.vec", "upsample_nearest2d.vec", "upsample_nearest3d.vec")
def upsample_nearest(x, size, scales):
    return F["interpolate"](x, _listed(size), _listed(scales), "nearest")


@kernel("_upsample_nearest_exact1d.vec", "_upsample_nearest_exact2d.vec", "_upsample_nearest_exact3d.vec")
def upsample_nearest_exact(x, size, scales):
    return F["interpolate"](x, _listed(size), _listed(scales), "nearest-exact")


def _upsample(mode, n):
    @kernel(f"upsample_{mode}{n}d.vec")
    def upsampled(x, size, align_corners, scales):
        return F["interpolate"](x, _listed(size), _listed(scales), mode, align_corners)


_upsample("linear", 1), _upsample("bilinear", 2), _upsample("bicubic", 2), _upsample("trilinear", 3)


def _listed(value):
    return None if value is None else tuple(value)


@kernel("pad")
def pad(x, size, mode, value):
    return F["pad"](x, tuple(size), mode, value)


@kernel("to.dtype_layout")
def to_dtype_layout(x, dtype, layout, device, pin_memory, non_blocking, copy, memory_format):
    return _converted(x, device, dtype, copy, memory_format)


@kernel("to.dtype")
def to_dtype(x, dtype, non_blocking, copy, memory_format):
    return _converted(x, None, dtype, copy, memory_format)


@kernel("to.device")
def to_device(x, device, dtype, non_blocking, copy, memory_format):
    return _converted(x, device, dtype, copy, memory_format)


@kernel("to.other")
def to_other(x, other, non_blocking, copy, memory_format):
    return _converted(x, other.device, other.dtype, copy, memory_format)


def _converted(x, device, dtype, copy, memory_format):
    more = {} if memory_format is None else {"memory_format": memory_format}
    return x.to(device=device, dtype=dtype, copy=copy, **more)


@kernel("einsum")
def einsum(equation, tensors, path):
    return FUNCTIONS["einsum"](equation, *tensors)


@kernel("_assert_tensor_metadata")
def assert_tensor_metadata(x, size, stride, dtype, device, layout):
    """RuntimeError where a tensor is not what the graph was made for."""
    for name, wanted, found in (
        ("sizes", size, list(x.shape)),
        ("strides", stride, list(x.stride())),
        ("dtype", dtype, x.dtype),
        ("device", device, x.device),
        ("layout", layout, x.layout),
    ):
        if wanted is not None and wanted != found:
            raise RuntimeError(f"Tensor {name} mismatch! Expected: {wanted}, Got: {found}")


@kernel("type_as")
def type_as(x, other):
    return Tensor.type_as(x, other)


@kernel("embedding_bag")
def embedding_bag(weight, indices, offsets, scale, mode, sparse, per_sample_weights, last, padding_idx=None):
    return NAMESPACES["torch"]["embedding_bag"](
        weight, indices, offsets, scale, mode, sparse, per_sample_weights, last, padding_idx
    )


@kernel("_embedding_bag", "_embedding_bag_forward_only")
def embedding_bag_parts(weight, indices, offsets, scale, mode, sparse, per_sample_weights, last, padding_idx):
    padding = None if padding_idx < 0 else padding_idx
    return embedding_bag(weight, indices, offsets, scale, mode, sparse, per_sample_weights, last, padding)
