"""Records of TensorBoard (protocol buffers): one function for each kind."""

import importlib.util
import io
import json
import math
import wave

from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData
from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData

from ..._base.dtype import DTYPES
from ..._tensor.tensor import Tensor
from .arrays import as_bytes, convert_to_HWC, curve, histogram_counts, make_np, sound, stack

__all__ = [
    "tensor_proto",
    "hparams",
    "scalar",
    "histogram_raw",
    "histogram",
    "make_histogram",
    "image",
    "image_boxes",
    "make_image",
    "video",
    "audio",
    "custom_scalars",
    "text",
    "pr_curve_raw",
    "pr_curve",
    "compute_curve",
    "mesh",
]
_FIELDS = {
    "float32": ("DT_FLOAT", "float_val"),
    "float64": ("DT_DOUBLE", "double_val"),
    "int32": ("DT_INT32", "int_val"),
    "int64": ("DT_INT64", "int64_val"),
    "int16": ("DT_INT16", "int_val"),
    "int8": ("DT_INT8", "int_val"),
    "uint8": ("DT_UINT8", "int_val"),
    "bool": ("DT_BOOL", "bool_val"),
}
compute_curve = curve


def _shape(sizes):
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=n) for n in sizes])


def _metadata(plugin, content=b""):
    return SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=plugin, content=content))


def _one(**value):
    return Summary(value=[Summary.Value(**value)])


def tensor_proto(tag, tensor):
    """tensor_proto(tag, tensor) -> Summary"""
    found = next((f for name, f in _FIELDS.items() if tensor.dtype == DTYPES[name]), None)
    if found is None:
        raise ValueError(f"{tag} has unsupported tensor dtype {tensor.dtype}")
    proto = TensorProto(dtype=found[0], tensor_shape=_shape(tensor.shape), **{found[1]: tensor.flatten().tolist()})
    return _one(tag=tag, metadata=_metadata("tensor"), tensor=proto)


def scalar(name, tensor, collections=None, new_style=False, double_precision=False):
    """scalar(name, number) -> Summary"""
    array = make_np(tensor).squeeze()
    if array.ndim != 0:
        raise AssertionError(
            f"Tensor should contain one element (0 dimensions). "
            f"Was given size: {array.size} and {array.ndim} dimensions."
        )
    value = float(array)
    if not new_style:
        return _one(tag=name, simple_value=value)
    proto = TensorProto(float_val=[value], dtype="DT_FLOAT")
    if double_precision:
        proto = TensorProto(double_val=[value], dtype="DT_DOUBLE")
    return _one(tag=name, tensor=proto, metadata=_metadata("scalars"))


def histogram_raw(name, min, max, num, sum, sum_squares, bucket_limits, bucket_counts):
    """histogram_raw(name, min, max, num, sum, sum_squares, limits, counts) -> Summary"""
    histo = HistogramProto(
        min=min, max=max, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=bucket_limits, bucket=bucket_counts
    )
    return _one(tag=name, histo=histo)


def make_histogram(values, bins, max_bins=None):
    """make_histogram(array, bins) -> HistogramProto"""
    values = values.reshape(-1)
    counts, limits = histogram_counts(values, bins, max_bins)
    return HistogramProto(
        min=values.min(),
        max=values.max(),
        num=len(values),
        sum=values.sum(),
        sum_squares=values.dot(values),
        bucket_limit=limits.tolist(),
        bucket=counts.tolist(),
    )


def histogram(name, values, bins, max_bins=None):
    """histogram(name, values, bins) -> Summary"""
    return _one(tag=name, histo=make_histogram(make_np(values).astype(float), bins, max_bins))


def _png(picture):
    file = io.BytesIO()
    picture.save(file, format="PNG")
    return file.getvalue()


def make_image(tensor, rescale=1, rois=None, labels=None):
    """make_image(bytes HWC) -> Summary.Image"""
    from PIL import Image

    height, width, channel = tensor.shape
    picture = Image.fromarray(tensor)
    if rois is not None:
        _draw_boxes(picture, rois, labels)
    picture = picture.resize((int(width * rescale), int(height * rescale)), Image.Resampling.LANCZOS)
    return Summary.Image(height=height, width=width, colorspace=channel, encoded_image_string=_png(picture))


def _draw_boxes(picture, boxes, labels=None):
    from PIL import ImageDraw, ImageFont

    draw, font = ImageDraw.Draw(picture), ImageFont.load_default()
    for i, (left, top, right, bottom) in enumerate(boxes[:, :4].tolist()):
        corners = [(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
        draw.line(corners, width=2, fill="Red")
        if labels is not None:
            x0, y0, x1, y1 = font.getbbox(labels[i])
            margin = math.ceil(0.05 * (y1 - y0))
            draw.rectangle([(left, bottom - (y1 - y0) - 2 * margin), (left + x1 - x0, bottom)], fill="Red")
            draw.text((left + margin, bottom - (y1 - y0) - margin), labels[i], fill="black", font=font)


def image(tag, tensor, rescale=1, dataformats="NCHW"):
    """image(tag, tensor, dataformats="NCHW") -> Summary"""
    return _one(tag=tag, image=make_image(as_bytes(convert_to_HWC(make_np(tensor), dataformats)), rescale))


def image_boxes(tag, tensor_image, tensor_boxes, rescale=1, dataformats="CHW", labels=None):
    """image_boxes(tag, image, boxes) -> Summary"""
    picture = as_bytes(convert_to_HWC(make_np(tensor_image), dataformats))
    return _one(tag=tag, image=make_image(picture, rescale, make_np(tensor_boxes), labels))


def _video_grid(films):
    """Films (N, T, C, H, W) side by side in rows: (T, H, W, C)."""
    n, t, c, h, w = films.shape
    whole = 1 << max(n - 1, 0).bit_length()
    if whole > n:
        films = stack([*films, *[films[0] * 0] * (whole - n)])
    rows = 1 << ((whole.bit_length() - 1) // 2)
    films = films.reshape(rows, whole // rows, t, c, h, w).transpose(2, 0, 4, 1, 5, 3)
    return films.reshape(t, rows * h, whole // rows * w, c)


def video(tag, tensor, fps=4):
    """video(tag, tensor (N, T, C, H, W), fps=4) -> Summary: a moving GIF; as in torch an empty one without moviepy."""
    if importlib.util.find_spec("moviepy") is None:
        print("add_video needs package moviepy")
        return _one(tag=tag)
    from PIL import Image

    frames = as_bytes(_video_grid(make_np(tensor)))
    _, height, width, channel = frames.shape
    pictures = [Image.fromarray(f[..., 0] if channel == 1 else f) for f in frames]
    file = io.BytesIO()
    pictures[0].save(file, "GIF", save_all=True, append_images=pictures[1:], duration=round(1000 / fps), loop=0)
    made = Summary.Image(height=height, width=width, colorspace=channel, encoded_image_string=file.getvalue())
    return _one(tag=tag, image=made)


def audio(tag, tensor, sample_rate=44100):
    """audio(tag, wave, sample_rate=44100) -> Summary"""
    samples, file = sound(make_np(tensor)), io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(sample_rate)
        out.writeframes(samples.data)
    made = Summary.Audio(
        sample_rate=sample_rate,
        num_channels=1,
        length_frames=samples.shape[-1],
        encoded_audio_string=file.getvalue(),
        content_type="audio/wav",
    )
    return _one(tag=tag, audio=made)


def custom_scalars(layout):
    """custom_scalars({category: {title: ["Multiline" or "Margin", tags]}}) -> Summary"""

    def chart(title, kind, tags):
        if kind != "Margin":
            return layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags))
        if len(tags) != 3:
            raise AssertionError("len(tags) != 3")
        series = layout_pb2.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
        return layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series]))

    categories = [
        layout_pb2.Category(title=name, chart=[chart(title, *what) for title, what in charts.items()])
        for name, charts in layout.items()
    ]
    text = layout_pb2.Layout(category=categories).SerializeToString()
    proto = TensorProto(dtype="DT_STRING", string_val=[text], tensor_shape=TensorShapeProto())
    return _one(tag="custom_scalars__config__", tensor=proto, metadata=_metadata("custom_scalars"))


def text(tag, text):
    """text(tag, text) -> Summary"""
    proto = TensorProto(dtype="DT_STRING", string_val=[text.encode("utf_8")], tensor_shape=_shape([1]))
    metadata = _metadata("text", TextPluginData(version=0).SerializeToString())
    return _one(tag=tag + "/text_summary", metadata=metadata, tensor=proto)


def _curve(tag, data, num_thresholds):
    content = PrCurvePluginData(version=0, num_thresholds=num_thresholds).SerializeToString()
    proto = TensorProto(dtype="DT_FLOAT", float_val=data.reshape(-1).tolist(), tensor_shape=_shape(data.shape))
    return _one(tag=tag, metadata=_metadata("pr_curves", content), tensor=proto)


def pr_curve_raw(tag, tp, fp, tn, fn, precision, recall, num_thresholds=127, weights=None):
    """pr_curve_raw(tag, tp, fp, tn, fn, precision, recall) -> Summary"""
    return _curve(tag, stack((tp, fp, tn, fn, precision, recall)), min(num_thresholds, 127))


def pr_curve(tag, labels, predictions, num_thresholds=127, weights=None):
    """pr_curve(tag, labels, predictions) -> Summary"""
    count = min(num_thresholds, 127)
    return _curve(tag, curve(labels, predictions, count, weights), count)


def mesh(tag, vertices, colors, faces, config_dict, display_name=None, description=None):
    """mesh(tag, vertices, colors, faces, config) -> Summary"""
    from tensorboard.plugins.mesh import metadata
    from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData

    config = "{}" if config_dict is None else json.dumps(config_dict, sort_keys=True)
    kinds = ((vertices, MeshPluginData.VERTEX), (faces, MeshPluginData.FACE), (colors, MeshPluginData.COLOR))
    kinds = [(make_np(t), kind) for t, kind in kinds if t is not None]
    components = metadata.get_components_bitmask([kind for _, kind in kinds])
    values = []
    for array, kind in kinds:
        about = metadata.create_summary_metadata(
            tag, display_name, kind, components, array.shape, description, json_config=config
        )
        proto = TensorProto(
            dtype="DT_FLOAT", float_val=array.reshape(-1).tolist(), tensor_shape=_shape(array.shape[:3])
        )
        values.append(Summary.Value(tag=metadata.get_instance_name(tag, kind), tensor=proto, metadata=about))
    return Summary(value=values)


def hparams(hparam_dict=None, metric_dict=None, hparam_domain_discrete=None):
    """hparams(hparams, metrics) -> (experiment, session's begin, session's end): Summaries"""
    from tensorboard.plugins.hparams import api_pb2
    from tensorboard.plugins.hparams.metadata import (
        EXPERIMENT_TAG,
        PLUGIN_DATA_VERSION,
        PLUGIN_NAME,
        SESSION_END_INFO_TAG,
        SESSION_START_INFO_TAG,
    )
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionEndInfo, SessionStartInfo

    for name, thing in (("hparam_dict", hparam_dict), ("metric_dict", metric_dict)):
        if not isinstance(thing, dict):
            raise TypeError(f"parameter: {name} should be a dictionary, nothing logged.")
    domains = hparam_domain_discrete or {}
    begin = SessionStartInfo()
    infos = []
    for key, value in hparam_dict.items():
        if value is None:
            continue
        kind, field, value = _hparam(value)
        setattr(begin.hparams[key], field, value)
        info = api_pb2.HParamInfo(name=key, type=getattr(api_pb2, kind))
        if key in domains:
            info.domain_discrete.extend(domains[key])
        infos.append(info)
    metrics = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag=key)) for key in metric_dict]

    def record(tag, **data):
        content = HParamsPluginData(version=PLUGIN_DATA_VERSION, **data).SerializeToString()
        return _one(tag=tag, metadata=_metadata(PLUGIN_NAME, content))

    return (
        record(EXPERIMENT_TAG, experiment=api_pb2.Experiment(hparam_infos=infos, metric_infos=metrics)),
        record(SESSION_START_INFO_TAG, session_start_info=begin),
        record(SESSION_END_INFO_TAG, session_end_info=SessionEndInfo(status=api_pb2.STATUS_SUCCESS)),
    )


def _hparam(value):
    if isinstance(value, (int, float)):
        return "DATA_TYPE_FLOAT64", "number_value", value
    if isinstance(value, str):
        return "DATA_TYPE_STRING", "string_value", value
    if isinstance(value, Tensor):
        return "DATA_TYPE_FLOAT64", "number_value", float(make_np(value).item())
    raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
