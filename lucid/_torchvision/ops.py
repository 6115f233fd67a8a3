"""Defines torch.ops.torchvision: schemas as in torchvision's library, and kernels."""

from ..library.custom_op import OPS, OwnOverload
from ..library.schema import parsed
from . import boxes, deform, roi_align, roi_pool

_POOLED = "float spatial_scale, SymInt pooled_height, SymInt pooled_width"
_SIZES = "SymInt batch_size, SymInt channels, SymInt height, SymInt width"
_CONV = """SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w,
    SymInt groups, SymInt offset_groups, bool use_mask"""
_QUANTIZED = "float input_scale, int input_zero_point, float rois_scale, int rois_zero_point"


def _no_quantized(*args):
    raise NotImplementedError("torch.ops.torchvision.qnms, qroi_align: lucid has no quantized tensors")


SCHEMAS = {
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor": boxes.nms,
    "box_iou_rotated(Tensor boxes1, Tensor boxes2) -> Tensor": boxes.box_iou_rotated,
    f"roi_align(Tensor input, Tensor rois, {_POOLED}, int sampling_ratio, bool aligned) -> Tensor": roi_align.roi_align,
    f"_roi_align_backward(Tensor grad, Tensor rois, {_POOLED}, {_SIZES}, int sampling_ratio, bool aligned) -> Tensor": (
        roi_align.roi_align_backward
    ),
    f"ps_roi_align(Tensor input, Tensor rois, {_POOLED}, int sampling_ratio) -> (Tensor, Tensor)": (
        roi_align.ps_roi_align
    ),
    f"_ps_roi_align_backward(Tensor grad, Tensor rois, Tensor channel_mapping, {_POOLED}, int sampling_ratio, {_SIZES})"
    " -> Tensor": roi_align.ps_roi_align_backward,
    f"roi_pool(Tensor input, Tensor rois, {_POOLED}) -> (Tensor, Tensor)": roi_pool.roi_pool,
    f"_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, {_POOLED}, {_SIZES}) -> Tensor": (
        roi_pool.roi_pool_backward
    ),
    f"ps_roi_pool(Tensor input, Tensor rois, {_POOLED}) -> (Tensor, Tensor)": roi_pool.ps_roi_pool,
    f"_ps_roi_pool_backward(Tensor grad, Tensor rois, Tensor channel_mapping, {_POOLED}, {_SIZES}) -> Tensor": (
        roi_pool.ps_roi_pool_backward
    ),
    f"deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, {_CONV}) -> Tensor": (
        deform.deform_conv2d
    ),
    "_deform_conv2d_backward(Tensor grad, Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, "
    f"{_CONV}) -> (Tensor, Tensor, Tensor, Tensor, Tensor)": deform.deform_conv2d_backward,
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor": _no_quantized,
    f"qroi_align(Tensor input, Tensor rois, {_QUANTIZED}, {_POOLED}, int sampling_ratio, bool aligned) -> Tensor": (
        _no_quantized
    ),
    "_cuda_version() -> int": lambda: -1,  # as in a library that was built for the CPU
}


def define(namespace, schemas):
    """Define the ops that are not there yet."""
    for text, kernel in schemas.items():
        schema = parsed(" ".join(text.split()), namespace)
        if schema.name not in OPS:
            OwnOverload(schema).kernels["cpu"] = kernel


define("torchvision", SCHEMAS)
