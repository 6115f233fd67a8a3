"""SummaryWriter: a directory of event files, which TensorBoard shows."""

import datetime
import io
import os
import socket
import time

from tensorboard.compat.proto import event_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from . import summary as make
from .arrays import figure_to_image, make_np, sprite
from .model_graph import graph_of

__all__ = ["FileWriter", "SummaryWriter"]


class FileWriter:
    """FileWriter(log_dir, max_queue=10, flush_secs=120, filename_suffix=""): one event file"""

    def __init__(self, log_dir, max_queue=10, flush_secs=120, filename_suffix=""):
        self.event_writer = EventFileWriter(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self):
        """get_logdir() -> str"""
        return self.event_writer.get_logdir()

    def add_event(self, event, step=None, walltime=None):
        """add_event(event, step=None)"""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary, global_step=None, walltime=None):
        """add_summary(summary, global_step=None)"""
        self.add_event(event_pb2.Event(summary=summary), global_step, walltime)

    def add_graph(self, graph_profile, walltime=None):
        """add_graph((graph, run metadata))"""
        self.add_event(event_pb2.Event(graph_def=graph_profile[0].SerializeToString()), None, walltime)

    def flush(self):
        """flush()"""
        self.event_writer.flush()

    def close(self):
        """close()"""
        self.event_writer.close()

    def reopen(self):
        """reopen()"""
        self.event_writer.reopen()


class SummaryWriter:
    """SummaryWriter(log_dir=None, comment=""): add_scalar and its kin write events below log_dir."""

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""):
        if not log_dir:
            now = datetime.datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", now + "_" + socket.gethostname() + comment)
        self.log_dir, self.purge_step = log_dir, purge_step
        self.max_queue, self.flush_secs, self.filename_suffix = max_queue, flush_secs, filename_suffix
        self.file_writer = self.all_writers = None
        self._get_file_writer()
        limits, limit = [], 1e-12
        while limit < 1e20:
            limits.append(limit)
            limit *= 1.1
        self.default_bins = [-x for x in reversed(limits)] + [0] + limits

    def _open(self, where):
        return FileWriter(where, self.max_queue, self.flush_secs, self.filename_suffix)

    def _get_file_writer(self):
        if self.all_writers is None or self.file_writer is None:
            self.file_writer = self._open(self.log_dir)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                step, self.purge_step = self.purge_step, None
                self.file_writer.add_event(event_pb2.Event(step=step, file_version="brain.Event:2"))
                began = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
                self.file_writer.add_event(event_pb2.Event(step=step, session_log=began))
        return self.file_writer

    def _add(self, summary, global_step=None, walltime=None):
        self._get_file_writer().add_summary(summary, global_step, walltime)

    def get_logdir(self):
        """get_logdir() -> str"""
        return self.log_dir

    def add_hparams(self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, global_step=None):
        """add_hparams(hparams, metrics)"""
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        records = make.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        where = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(log_dir=where) as writer:
            for record in records:
                writer.file_writer.add_summary(record, global_step)
            for key, value in metric_dict.items():
                writer.add_scalar(key, value, global_step)

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False):
        """add_scalar(tag, number, global_step=None)"""
        self._add(make.scalar(tag, scalar_value, None, new_style, double_precision), global_step, walltime)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        """add_scalars(tag, {name: number}, global_step=None): a file for each name"""
        walltime = time.time() if walltime is None else walltime
        start = f"{self._get_file_writer().get_logdir()}/{main_tag.replace('/', '_')}_"
        for tag, value in tag_scalar_dict.items():
            if start + tag not in self.all_writers:
                self.all_writers[start + tag] = self._open(start + tag)
            self.all_writers[start + tag].add_summary(make.scalar(main_tag, value), global_step, walltime)

    def add_tensor(self, tag, tensor, global_step=None, walltime=None):
        """add_tensor(tag, tensor, global_step=None)"""
        self._add(make.tensor_proto(tag, tensor), global_step, walltime)

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, max_bins=None):
        """add_histogram(tag, values, global_step=None, bins="tensorflow")"""
        bins = self.default_bins if isinstance(bins, str) and bins == "tensorflow" else bins
        self._add(make.histogram(tag, values, bins, max_bins=max_bins), global_step, walltime)

    def add_histogram_raw(
        self, tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts, global_step=None, walltime=None
    ):
        """add_histogram_raw(tag, min, max, num, sum, sum_squares, limits, counts, global_step=None)"""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        made = make.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._add(made, global_step, walltime)

    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        """add_image(tag, image, global_step=None, dataformats="CHW")"""
        self._add(make.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        """add_images(tag, images, global_step=None, dataformats="NCHW")"""
        self._add(make.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_image_with_boxes(
        self,
        tag,
        img_tensor,
        box_tensor,
        global_step=None,
        walltime=None,
        rescale=1,
        dataformats="CHW",
        labels=None,
    ):
        """add_image_with_boxes(tag, image, boxes, global_step=None, labels=None)"""
        labels = [labels] if isinstance(labels, str) else labels
        if labels is not None and len(labels) != box_tensor.shape[0]:
            labels = None
        self._add(make.image_boxes(tag, img_tensor, box_tensor, rescale, dataformats, labels), global_step, walltime)

    def add_figure(self, tag, figure, global_step=None, close=True, walltime=None):
        """add_figure(tag, matplotlib's figure or a list, global_step=None)"""
        form = "NCHW" if isinstance(figure, list) else "CHW"
        self.add_image(tag, figure_to_image(figure, close), global_step, walltime, dataformats=form)

    def add_video(self, tag, vid_tensor, global_step=None, fps=4, walltime=None):
        """add_video(tag, films (N, T, C, H, W), global_step=None, fps=4)"""
        self._add(make.video(tag, vid_tensor, fps), global_step, walltime)

    def add_audio(self, tag, snd_tensor, global_step=None, sample_rate=44100, walltime=None):
        """add_audio(tag, wave, global_step=None, sample_rate=44100)"""
        self._add(make.audio(tag, snd_tensor, sample_rate=sample_rate), global_step, walltime)

    def add_text(self, tag, text_string, global_step=None, walltime=None):
        """add_text(tag, text, global_step=None)"""
        self._add(make.text(tag, text_string), global_step, walltime)

    def add_onnx_graph(self, prototxt):
        """add_onnx_graph(...): NotImplementedError, lucid has no ONNX."""
        raise NotImplementedError("SummaryWriter.add_onnx_graph: lucid has no ONNX")

    def add_graph(self, model, input_to_model=None, verbose=False, use_strict_trace=True):
        """add_graph(module): its graph as torch.fx traces it, a node for each call"""
        self._get_file_writer().add_graph(graph_of(model, verbose))

    @staticmethod
    def _encode(rawstr):
        for mark in "%/\\":
            rawstr = rawstr.replace(mark, f"%{ord(mark):02x}")
        return rawstr

    def add_embedding(self, mat, metadata=None, label_img=None, global_step=None, tag="default", metadata_header=None):
        """add_embedding(rows, metadata=None, label_img=None, global_step=None): rows for the projector"""
        rows = make_np(mat)
        for name, things in (("labels", metadata), ("images", label_img)):
            if things is not None and rows.shape[0] != len(things):
                raise AssertionError(f"#{name} should equal with #data points")
        if rows.ndim != 2:
            raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
        subdir = f"{str(global_step or 0).zfill(5)}/{self._encode(tag)}"
        where = os.path.join(self._get_file_writer().get_logdir(), subdir)
        if os.path.isfile(where):
            raise NotADirectoryError(f"Path: `{where}` exists, but is a file. Cannot proceed.")
        os.makedirs(where, exist_ok=True)
        info = [f'tensor_name: "{tag}:{str(global_step or 0).zfill(5)}"']
        _lines(where, "tensors.tsv", ["\t".join(str(x.item()) for x in row) for row in rows])
        if metadata is not None:
            lines = [str(x) for x in metadata]
            if metadata_header:
                lines = ["\t".join(str(e) for e in line) for line in [metadata_header, *metadata]]
            _lines(where, "metadata.tsv", lines)
            info.append(f'metadata_path: "{subdir}/metadata.tsv"')
        if label_img is not None:
            _sprite(where, label_img)
            sizes = "".join(f"    single_image_dim: {label_img.shape[d]}\n" for d in (3, 2))
            info.append(f'sprite {{\n    image_path: "{subdir}/sprite.png"\n{sizes}  }}')
        info.append(f'tensor_path: "{subdir}/tensors.tsv"')
        config = "embeddings {\n" + "".join(f"  {line}\n" for line in info) + "}\n"
        self._projector_config = getattr(self, "_projector_config", "") + config
        with open(os.path.join(self._get_file_writer().get_logdir(), "projector_config.pbtxt"), "w") as file:
            file.write(self._projector_config)

    def add_pr_curve(self, tag, labels, predictions, global_step=None, num_thresholds=127, weights=None, walltime=None):
        """add_pr_curve(tag, labels, predictions, global_step=None)"""
        made = make.pr_curve(tag, make_np(labels), make_np(predictions), num_thresholds, weights)
        self._add(made, global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag,
        true_positive_counts,
        false_positive_counts,
        true_negative_counts,
        false_negative_counts,
        precision,
        recall,
        global_step=None,
        num_thresholds=127,
        weights=None,
        walltime=None,
    ):
        """add_pr_curve_raw(tag, tp, fp, tn, fn, precision, recall, global_step=None)"""
        counts = true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts
        made = make.pr_curve_raw(tag, *counts, precision, recall, num_thresholds, weights)
        self._add(made, global_step, walltime)

    def add_custom_scalars_multilinechart(self, tags, category="default", title="untitled"):
        """add_custom_scalars_multilinechart(tags)"""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags, category="default", title="untitled"):
        """add_custom_scalars_marginchart(three tags)"""
        if len(tags) != 3:
            raise AssertionError(f"Expected 3 tags, got {len(tags)}.")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_custom_scalars(self, layout):
        """add_custom_scalars({category: {title: [kind, tags]}})"""
        self._add(make.custom_scalars(layout))

    def add_mesh(self, tag, vertices, colors=None, faces=None, config_dict=None, global_step=None, walltime=None):
        """add_mesh(tag, vertices, colors=None, faces=None, global_step=None)"""
        self._add(make.mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    def flush(self):
        """flush()"""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self):
        """close()"""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def _lines(where, name, lines):
    with open(os.path.join(where, name), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def _sprite(where, images):
    from PIL import Image

    data = io.BytesIO()
    Image.fromarray(sprite(images)).save(data, format="PNG")
    with open(os.path.join(where, "sprite.png"), "wb") as file:
        file.write(data.getvalue())
