"""Tensors and figures as numpy arrays of the layouts that TensorBoard wants."""

import math

import numpy as np

from ..._base.dtype import DTYPES
from ..._tensor.tensor import Tensor

__all__ = ["make_np", "make_grid", "convert_to_HWC", "figure_to_image"]


def make_np(x):
    """make_np(tensor, array or number) -> array"""
    if isinstance(x, np.ndarray):
        return x
    if np.isscalar(x):
        return np.array([x])
    if isinstance(x, Tensor):
        if x.device.type == "meta":
            return np.random.randn(1)
        x = x.to(DTYPES["float16"]) if x.dtype == DTYPES["bfloat16"] else x
        return x.detach().cpu().numpy()
    raise NotImplementedError(f"Got {type(x)}, but numpy array or torch tensor are expected.")


def make_grid(images, ncols=8):
    """make_grid(images NCHW, ncols=8) -> one image CHW"""
    if not isinstance(images, np.ndarray):
        raise AssertionError("plugin error, should pass numpy array here")
    if images.shape[1] == 1:
        images = np.concatenate([images, images, images], 1)
    if images.ndim != 4 or images.shape[1] != 3:
        raise AssertionError("Input should be a 4D numpy array with 3 channels")
    count, _, height, width = images.shape
    ncols = min(count, ncols)
    canvas = np.zeros((3, height * math.ceil(count / ncols), width * ncols), dtype=images.dtype)
    for i, image in enumerate(images):
        y, x = divmod(i, ncols)
        canvas[:, y * height : (y + 1) * height, x * width : (x + 1) * width] = image
    return canvas


def convert_to_HWC(array, input_format):
    """convert_to_HWC(array, "CHW" ...) -> array HWC, of three channels; several images in a grid"""
    if len(set(input_format)) != len(input_format):
        raise AssertionError(f"You can not use the same dimension shorthand twice. input_format: {input_format}")
    if len(array.shape) != len(input_format):
        raise AssertionError(
            "size of input tensor and input format are different. "
            f"tensor shape: {array.shape}, input_format: {input_format}"
        )
    input_format = input_format.upper()
    if len(input_format) == 4:
        return make_grid(array.transpose([input_format.find(c) for c in "NCHW"])).transpose(1, 2, 0)
    if len(input_format) == 3:
        array = array.transpose([input_format.find(c) for c in "HWC"])
        return np.concatenate([array] * 3, 2) if array.shape[2] == 1 else array
    array = array.transpose([input_format.find(c) for c in "HW"])
    return np.stack([array] * 3, 2)


def as_bytes(array):
    """The array as bytes from 0 to 255: floating-point numbers count from 0 to 1."""
    scale = 1 if array.dtype == np.uint8 else 255
    return (array.astype(np.float32) * scale).clip(0, 255).astype(np.uint8)


def figure_to_image(figures, close=True):
    """figure_to_image(figure or list) -> array CHW, or NCHW of a list"""
    import matplotlib.backends.backend_agg as agg
    import matplotlib.pyplot as plt

    def drawn(figure):
        canvas = agg.FigureCanvasAgg(figure)
        canvas.draw()
        width, height = figure.canvas.get_width_height()
        pixels = np.frombuffer(canvas.buffer_rgba(), dtype=np.uint8).reshape([height, width, 4])[:, :, :3]
        if close:
            plt.close(figure)
        return np.moveaxis(pixels, 2, 0)

    return np.stack([drawn(f) for f in figures]) if isinstance(figures, list) else drawn(figures)


def histogram_counts(values, bins, max_bins=None):
    """Counts and upper limits of a histogram, without the empty bins at its ends."""
    if values.size == 0:
        raise ValueError("The input has no element.")
    counts, limits = np.histogram(values.reshape(-1), bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        step = len(counts) // max_bins
        rest = len(counts) % step
        if rest:
            counts = np.pad(counts, pad_width=[[0, step - rest]], mode="constant", constant_values=0)
        counts = counts.reshape(-1, step).sum(axis=-1)
        limits = np.append(limits[:-1:step], limits[-1])
    filled = np.cumsum(np.greater(counts, 0))
    start, end = np.searchsorted(filled, [0, filled[-1] - 1], side="right")
    start, end = int(start), int(end) + 1
    counts = counts[start - 1 : end] if start > 0 else np.concatenate([[0], counts[:end]])
    limits = limits[start : end + 1]
    if counts.size == 0 or limits.size == 0:
        raise ValueError("The histogram is empty, please file a bug report.")
    return counts, limits


def curve(labels, predictions, num_thresholds=None, weights=None):
    """Counts of true and false answers, precision and recall at each threshold."""
    weights = 1.0 if weights is None else weights
    buckets = np.int32(np.floor(predictions * (num_thresholds - 1)))
    true = labels.astype(np.float64)
    how = {"bins": num_thresholds, "range": (0, num_thresholds - 1)}
    positive, _ = np.histogram(buckets, weights=true * weights, **how)
    negative, _ = np.histogram(buckets, weights=(1.0 - true) * weights, **how)
    tp, fp = np.cumsum(positive[::-1])[::-1], np.cumsum(negative[::-1])[::-1]
    tn, fn = fp[0] - fp, tp[0] - tp
    return np.stack((tp, fp, tn, fn, tp / np.maximum(1e-7, tp + fp), tp / np.maximum(1e-7, tp + fn)))


def stack(parts):
    """numpy.stack, for rows of numbers"""
    return np.stack([make_np(p) if isinstance(p, Tensor) else np.asarray(p) for p in parts])


def sound(array):
    """A wave of float numbers as 16-bit ones."""
    array = array.squeeze()
    if abs(array).max() > 1:
        print("warning: audio amplitude out of range, auto clipped.")
        array = array.clip(-1, 1)
    if array.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    return (array * np.iinfo(np.int16).max).astype("<i2")


def sprite(images):
    """Images NCHW in one square picture HWC of bytes."""
    grid = make_grid(make_np(images), ncols=math.ceil(len(images) ** 0.5))
    square = np.zeros((grid.shape[2], grid.shape[2], 3))
    square[: grid.shape[1]] = grid.transpose(1, 2, 0)
    return np.uint8((square * 255).clip(0, 255))
