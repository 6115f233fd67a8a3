"""Weights of convolutions laid out in memory as their images are."""

from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def _convert(module, memory_format, kinds):
    for m in module.modules():
        if isinstance(m, kinds):
            m.weight.data = m.weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module, memory_format):
    """convert_conv2d_weight_memory_format(module, memory_format) -> module, its 2-D convolutions' weights laid out
    so."""
    return _convert(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module, memory_format):
    """convert_conv3d_weight_memory_format(module, memory_format) -> module, its 3-D convolutions' weights laid out
    so."""
    return _convert(module, memory_format, (Conv3d, ConvTranspose3d))
