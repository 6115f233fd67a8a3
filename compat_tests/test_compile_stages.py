"""What the compiler shows of its stages: TORCH_LOGS, torch._logging.set_logs, TORCH_COMPILE_DEBUG, listings of loops."""

import os
import pathlib
import subprocess
import sys

import pytest
from both import BOTH, same_outcome

import lucid
import lucid._inductor.config as settings
from lucid._codegen import build, cache
from lucid._codegen.scheduler import Schedule
from lucid._dynamo import logs
from lucid._functorch import told
from lucid._inductor import debug, listing
from lucid._inductor.lowering import Lowered
from lucid.fx.experimental.proxy_tensor import make_fx

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="no C compiler")


@pytest.fixture(autouse=True)
def fresh():
    for m in BOTH:
        m._dynamo.reset()
    yield
    logs.set_logs()


def f(x, w):
    return lucid.softmax(lucid.nn.functional.gelu(x @ w), -1).sort(-1)[0] + 1


def run(function=f, **how):
    """A compiled call and its gradients."""
    x, w = lucid.randn(8, 16, requires_grad=True), lucid.randn(16, 32, requires_grad=True)
    out = lucid.compile(function, **how)(x, w)
    out.sum().backward()
    return out


# ---- logs


# What each kind must hold of the program above, at least.
SAID = {
    "graph_code": ["torch.softmax(", "def forward(self, L_x_"],
    "aot_joint_graph": ["Joint graph 0", "torch.ops.aten.gelu_backward.default", "tangents_1"],
    "aot_graphs": ["Forward graph 0", "Backward graph 0", "torch.ops.aten.mm.default"],
    "post_grad_graphs": ["torch.ops.aten._softmax.default"],
    "ir_pre_fusion": ["op1: loops", "for r1 in 32:", "exp("],
    "ir_post_fusion": ["op1_op2", "works in the same loops"],
    "fusion": ["fusing op1 with op2", "cannot fuse", "kernels"],
    "schedule": ["op0: call of matmul, reads arg0, arg1, makes buf0"],
    "output_code": ["def call(args):", "void kernel0(", "#pragma omp simd"],
    "kernel_code": ["C Kernel:", "void kernel0("],
}


@pytest.mark.parametrize("kind", SAID)
def test_each_kind_of_log_tells_what_was_made(kind, capsys):
    lucid._logging.set_logs(**{kind: True})
    run()
    said = capsys.readouterr().err
    assert all(f"[__{kind}]" in line for line in said.splitlines()) and said
    for text in SAID[kind]:
        assert text in said, said[-2000:]
    logs.set_logs()
    lucid._dynamo.reset()
    run()
    assert not capsys.readouterr().err


def test_perf_hints_say_what_has_no_loops(capsys):
    logs.set_logs(perf_hints=True)
    x, i = lucid.zeros(5, 3), lucid.tensor([1, 1])
    lucid.compile(lambda x, i: x.index_put((i,), lucid.ones(2, 3), accumulate=True) + 1)(x, i)
    assert "Using FallbackKernel: aten.index_put.default" in capsys.readouterr().err


def test_autotuning_tells_forms(capsys, monkeypatch):
    from lucid._codegen.c_nest import Form
    from lucid._inductor import compile_fx

    monkeypatch.setattr(compile_fx, "best_forms", lambda wrapper: {wrapper.parts[0].text.name: Form(block=64)})
    logs.set_logs(autotuning=True)
    lucid.compile(lambda x: x.exp() + 1, mode="max-autotune")(lucid.ones(100))
    assert "kernel0: Form(columns=None, width=256, block=64, innermost=None)" in capsys.readouterr().err


@pytest.mark.parametrize(
    "how",
    [{"nope": True}, {"fusion": 3}, {"dynamo": "x"}, {"dynamo": 7}, {"aot": 10}, {"fusion": True, "inductor": None}],
    ids=str,
)
def test_set_logs_takes_and_refuses_what_torchs_does(how):
    def program(m):
        try:
            return m._logging.set_logs(**how)
        finally:
            m._logging.set_logs()

    same_outcome(program)


def test_every_name_of_torchs_set_logs_is_taken():
    import inspect

    import torch

    names = inspect.signature(torch._logging.set_logs).parameters
    for name in names:
        logs.set_logs(**{name: None if name == "modules" else True})
    assert set(logs.KINDS) - set(names) == {"segments"}


def test_logs_by_environment(tmp_path):
    script = "import lucid\nlucid.compile(lambda x: x.sin() + 1)(lucid.ones(3))\n"
    out = tmp_path / "told.txt"
    env = {**os.environ, "TORCH_LOGS": "schedule,+torch._inductor.x,-aot,cudagraphs", "TORCH_LOGS_OUT": str(out)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    assert "[__schedule] op0: kernel, reads arg0, makes buf0" in done.stderr
    assert out.read_text() == "".join([line for line in done.stderr.splitlines(True) if "[__" in line])
    done = subprocess.run(
        [sys.executable, "-c", script], env={**env, "TORCH_LOGS": "nope"}, capture_output=True, text=True
    )
    assert done.returncode and "ValueError: Invalid log settings: nope, must be a comma separated list" in done.stderr


# ---- folders


def folders(root):
    """{folder below the run: {file: text}}"""
    (run_folder,) = (pathlib.Path(root) / "torch_compile_debug").iterdir()
    found = {}
    for path in sorted(run_folder.rglob("*")):
        if path.is_file():
            name = str(path.parent.relative_to(run_folder))
            found.setdefault(name, {})[path.name] = path.read_text()
    return found


def by_kind(found, word):
    (texts,) = [texts for name, texts in found.items() if word in name]
    return texts


def test_folders_hold_every_stage(tmp_path):
    with settings.patch({"trace.enabled": True, "trace.debug_dir": str(tmp_path)}):
        run()
    found = folders(tmp_path)
    for half in ("forward", "backward"):
        texts = by_kind(found, f"_{half}_")
        assert set(texts) == set(debug.FILES)
        assert "torch.ops.aten.mm.default" in texts["fx_graph_readable.py"]
        assert "a call of the engine" in texts["ir_pre_fusion.txt"]
        assert "works in the same loops" in texts["ir_post_fusion.txt"]
        assert "def call(args):" in texts["output_code.py"] and "void kernel0(" in texts["output_code.py"]
    assert "tangents_1" in by_kind(found, "_joint")["fx_graph_readable.py"]
    dynamo = by_kind(found, "torchdynamo")
    assert "torch.softmax(" in dynamo["fx_graph_readable.py"]
    assert "def segment(L, S):" in dynamo["segment.py"] and "L['x']: Tensor" in dynamo["guards.txt"]


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_programs_in_folders_run(tmp_path, mode):
    weights = lucid.tensor([2.0, 3.0])

    def program(x, w):
        return ((x @ w).exp() @ w.t()).relu()[:, :2] * weights + lucid.full((2,), float("inf")).isinf(), x.sort(0)[1]

    with settings.patch({"trace.enabled": True, "trace.debug_dir": str(tmp_path)}):
        run(lambda x, w: program(x, w)[0], mode=mode)
    for path in sorted(tmp_path.rglob("*.py")):
        if path.name in ("output_code.py", "fx_graph_runnable.py"):
            done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
            assert not done.returncode and "tensor(" in done.stdout, (path, done.stderr)


def test_the_environment_asks_for_folders(tmp_path):
    script = "import lucid\nlucid.compile(lambda x: x.sin() + 1)(lucid.ones(3))\n"
    env = {**os.environ, "TORCH_COMPILE_DEBUG": "1"}
    done = subprocess.run([sys.executable, "-c", script], env=env, cwd=tmp_path, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    assert any("_inference_" in name for name in folders(tmp_path))
    other = tmp_path / "other"
    env["TORCH_COMPILE_DEBUG_DIR"] = str(other)
    subprocess.run([sys.executable, "-c", script], env=env, cwd=tmp_path, check=True)
    assert folders(other)


def test_a_folder_is_whole_or_not_there(tmp_path, monkeypatch):
    original, written = cache.write_file, []

    def failing(path, content):
        if len(written) == 2:
            raise OSError("no space left on device")
        written.append(path)
        original(path, content)

    monkeypatch.setattr(cache, "write_file", failing)
    with settings.patch({"trace.enabled": True, "trace.debug_dir": str(tmp_path)}):
        with pytest.warns(UserWarning, match="cannot be written: no space left"):
            found = lucid.compile(lambda x: x.sin() + 1)(lucid.zeros(3))
    assert found.tolist() == [1, 1, 1]
    assert len(written) == 2 and not [p for p in tmp_path.rglob("*") if p.is_file() or p.name.startswith(".new")]


def test_where_nothing_can_be_written_programs_run(tmp_path):
    (tmp_path / "torch_compile_debug").write_text("a file")
    with settings.patch({"trace.enabled": True, "trace.debug_dir": str(tmp_path)}):
        with pytest.warns(UserWarning, match="cannot be written"):
            assert lucid.compile(lambda x: x + 1)(lucid.zeros(1)).item() == 1


# ---- watchers


def test_watchers_see_every_stage():
    seen = []
    told.WATCHERS.append(lambda stage, thing: seen.append((stage, type(thing).__name__)))
    try:
        run()
    finally:
        told.WATCHERS.pop()
    assert [stage for stage, _ in seen] == ["graph", "joint", "forward", "backward", "compiled", "compiled"]


# ---- listings


def schedule_of(function, *inputs):
    return Schedule(Lowered(make_fx(function, tracing_mode="fake")(*inputs), list(inputs)))


LISTED = {
    "pointwise": (lambda x: x.floor() + 1, "for i0 in 3:\n  for i1 in 4:\n    t0 = load(a, 4*i0 + i1)\n"
                  "    t1 = floor(t0)\n    t2 = add(t1, 1)\n    b[4*i0 + i1] = t2"),
    "a reduction": (lambda x: x.amax(1), "for i0 in 3:\n  for r1 in 4:\n    t0 = load(a, 4*i0 + r1)\n"
                    "    b[i0] = max(t0)"),
    "an outer reduction": (lambda x: x.sum(0), "for i1 in 4:\n  for r0 in 3:\n    t0 = load(a, 4*r0 + i1)\n"
                           "    b[i1] = sum(t0)"),
}  # fmt: skip


@pytest.mark.parametrize("name", LISTED)
def test_a_nest_says_what_it_does(name):
    function, text = LISTED[name]
    (nest,) = schedule_of(function, lucid.zeros(3, 4)).steps
    assert str(nest) == text


def test_later_passes_read_what_earlier_ones_stored():
    (nest,) = schedule_of(lambda x: lucid.softmax(x, -1), lucid.zeros(3, 4)).steps
    lines = [line.strip() for line in str(nest).splitlines()]
    assert lines.count("for r1 in 4:") == 3
    assert "c[4*i0 + r1] = t3" in lines and "t4 = load(c, 4*i0 + r1)" in lines and "t5 = div(t4, d)" in lines


def test_a_schedule_says_what_it_does():
    schedule = schedule_of(lambda x: (x.t() @ x).exp().sum(1), lucid.zeros(3, 4))
    assert listing.before_fusion(schedule).count(
        "loops"
    ) == 2 and "op1_op2: 2 works in the same loops" in listing.after_fusion(schedule)
    assert "buf0 = matmul(arg0 seen as float32[4, 3], strides [1, 4] from 0, arg0)" in listing.after_fusion(schedule)
    assert listing.decisions(schedule).splitlines()[-1] == "fused 2 works into 1 kernels"


def test_reasons_for_kernels_of_their_own():
    x, y = lucid.zeros(6, 4), lucid.zeros(5)
    assert "no data in common" in listing.decisions(schedule_of(lambda x, y: (x.exp(), y.exp()), x, y))
    assert "loops of sizes [6, 4] and [3, 4]" in listing.decisions(schedule_of(lambda x: (x + 1, x[:3] + 2), x))
    turned = listing.decisions(schedule_of(lambda x: x.exp().flip(0).contiguous().sum(0), x))
    assert "kernels" in turned


INPUTS = {
    "masks": lambda x, i: lucid.nn.functional.pad(x, (1, 2)),
    "indices": lambda x, i: x[i] * 2,
    "cross entropy": lambda x, i: lucid.nn.functional.cross_entropy(x, i),
    "halves": lambda x, i: (x.bfloat16() * 2).float().sum(0),
    "norm": lambda x, i: lucid.nn.functional.layer_norm(x, (6,)),
    "arange": lambda x, i: x + lucid.arange(6),
    "a call": lambda x, i: x.sort(0)[1] + 1,
    "nothing": lambda x, i: x[:0] + 1,
}


@pytest.mark.parametrize("name", INPUTS)
def test_everything_can_be_listed(name):
    schedule = schedule_of(INPUTS[name], lucid.zeros(6, 6), lucid.zeros(6, dtype=lucid.int64))
    for text in (listing.before_fusion(schedule), listing.after_fusion(schedule), listing.decisions(schedule)):
        assert text.strip() and "object at" not in text


def test_what_no_text_makes_is_a_comment():
    from lucid._inductor.output_code import _assignment

    assert _assignment("a", (1, float("inf"))) == "a = (1, inf)"
    assert _assignment("b", object()).startswith("# b is <object object at")
