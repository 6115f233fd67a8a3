"""SummaryWriter: its event files are torch's, record by record."""

import pathlib

import pytest
import torch

import lucid

pytest.importorskip("tensorboard", reason="the extra tensorboard is not installed")


def records(folder):
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
    from tensorboard.compat.proto import event_pb2

    found = []
    for path in sorted(p for p in pathlib.Path(folder).rglob("*") if p.is_file()):
        where = path.relative_to(folder).parent.as_posix()
        if "tfevents" not in path.name:
            found.append((where, path.name, path.read_bytes()))
            continue
        for raw in RawEventFileLoader(str(path)).Load():
            event = event_pb2.Event.FromString(raw)
            event.wall_time = 0
            event.source_metadata.Clear()
            found.append((where, str(event)))
    return found


CALLS = {
    "scalar": lambda m, w: [w.add_scalar("a", m.tensor(1.5), 1), w.add_scalar("b", 2, 3, new_style=True)],
    "double": lambda m, w: w.add_scalar("b", 2, 3, new_style=True, double_precision=True),
    "scalars": lambda m, w: w.add_scalars("m/n", {"x": 1, "y": m.ones(1)}, 3),
    "histogram": lambda m, w: [
        w.add_histogram("h", m.arange(100.0) % 7 - 3, 2),
        w.add_histogram("i", m.arange(9), bins="auto"),
    ],
    "histogram bins": lambda m, w: w.add_histogram("h", m.arange(100.0) % 7, 2, max_bins=20),
    "histogram_raw": lambda m, w: w.add_histogram_raw("r", 0, 1, 3, 2, 4, [1, 2], [2, 1]),
    "image": lambda m, w: w.add_image("i", m.arange(192.0).reshape(3, 8, 8) / 192),
    "gray": lambda m, w: w.add_image("i", m.arange(64).reshape(8, 8).to(m.uint8), dataformats="HW"),
    "images": lambda m, w: w.add_images("is", m.arange(80.0).reshape(5, 1, 4, 4) / 80),
    "boxes": lambda m, w: w.add_image_with_boxes("b", m.zeros(3, 20, 20), m.tensor([[2.0, 2, 10, 10]]), labels="q"),
    "text": lambda m, w: w.add_text("t", "hello"),
    "tensor": lambda m, w: w.add_tensor("t", m.arange(4.0).reshape(2, 2)),
    "audio": lambda m, w: w.add_audio("a", m.arange(100.0).sin()),
    "pr_curve": lambda m, w: w.add_pr_curve("p", m.arange(50) % 2, m.arange(50.0).sin().abs()),
    "custom": lambda m, w: [
        w.add_custom_scalars_multilinechart(["a", "b"]),
        w.add_custom_scalars_marginchart(["a", "b", "c"]),
    ],
    "mesh": lambda m, w: w.add_mesh("m", m.arange(12.0).reshape(1, 4, 3), colors=m.ones(1, 4, 3)),
    "embedding": lambda m, w: w.add_embedding(m.arange(12.0).reshape(4, 3), list("abcd"), m.zeros(4, 3, 2, 2)),
    "bfloat16": lambda m, w: w.add_scalar("a", m.tensor(1.5, dtype=m.bfloat16), 1),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_records(name, tmp_path):
    found = []
    for m in (torch, lucid):
        import importlib

        writer = importlib.import_module(f"{m.__name__}.utils.tensorboard").SummaryWriter(tmp_path / m.__name__)
        CALLS[name](m, writer)
        writer.close()
        found.append(records(tmp_path / m.__name__))
    assert found[1] == found[0]


def test_hparams_and_graph(tmp_path):
    from lucid.utils.tensorboard import SummaryWriter

    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams({"lr": 0.1, "b": True, "s": "x", "t": lucid.tensor([2.0])}, {"acc": 0.5}, run_name="r")
        writer.add_graph(lucid.nn.Sequential(lucid.nn.Linear(2, 2), lucid.nn.ReLU()))
    text = str(records(tmp_path))
    assert "session_start_info" in text and "graph_def" in text
