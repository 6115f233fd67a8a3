"""Shows that torchvision's own wheel works on lucid: its ops with gradients, autocast and shapes on meta, pictures,
classification models in torch.fx, features, detection. Programs run under the launcher, as a user's would."""

import os
import pathlib
import subprocess
import sys
import textwrap

REPO = pathlib.Path(__file__).resolve().parent.parent

OPS = """
import torch, torchvision
from torchvision import ops
assert torchvision.extension._has_ops()
torch.manual_seed(0)
boxes = torch.tensor([[0, 0, 0, 5, 4.], [1, 1, 2, 6, 7]]).double()
x = torch.randn(2, 8, 8, 9, dtype=torch.double, requires_grad=True)
for f in (
    lambda x: ops.roi_align(x, boxes, (2, 2), 0.7, 2, True),
    lambda x: ops.roi_align(x, boxes, (2, 2), 0.7, -1, False),
    lambda x: ops.roi_pool(x, boxes, (2, 2), 0.7),
    lambda x: ops.ps_roi_align(x, boxes, (2, 2), 0.7, 2),
):
    assert torch.autograd.gradcheck(f, (x,), fast_mode=True)
y = torch.randn(1, 4, 5, 5, dtype=torch.double, requires_grad=True)
w = torch.randn(2, 2, 3, 3, dtype=torch.double, requires_grad=True)
offset = torch.randn(1, 36, 3, 3, dtype=torch.double, requires_grad=True)
mask = torch.rand(1, 18, 3, 3, dtype=torch.double, requires_grad=True)
bias = torch.randn(2, dtype=torch.double, requires_grad=True)
f = lambda y, offset, w, bias, mask: ops.deform_conv2d(y, offset, w, bias, mask=mask)
assert torch.autograd.gradcheck(f, (y, offset, w, bias, mask), fast_mode=True)
layer = ops.DeformConv2d(4, 2, 3)
layer(torch.randn(1, 4, 5, 5), torch.zeros(1, 18, 3, 3)).sum().backward()
assert layer.weight.grad is not None
try:
    (g,) = torch.autograd.grad(f(y, offset, w, bias, mask).sum(), y, create_graph=True)
    g.sum().backward()
except RuntimeError as error:
    assert "double backwards on deform_conv2d not supported" in str(error)
print(ops.nms(torch.tensor([[0, 0, 2, 2], [0, 0, 2, 2.1], [5, 5, 6, 6]]), torch.tensor([0.9, 0.8, 0.7]), 0.5).tolist())
print(ops.batched_nms(boxes[:, 1:], torch.rand(2).double(), torch.tensor([0, 1]), 0.5).shape)
print(ops.box_iou(torch.tensor([[0.0, 0, 4, 2, 30]]), torch.tensor([[0.0, 0, 4, 2, 30]]), fmt="cxcywhr"))
with torch.autocast("cpu", torch.bfloat16):
    half = ops.roi_align(torch.rand(1, 2, 6, 6).bfloat16(), [torch.tensor([[0, 0, 4, 4.0]])], 2)
print(half.dtype, ops.roi_align(torch.rand(1, 2, 6, 6, device="meta"), torch.rand(3, 5, device="meta"), 4).shape)
print(torch.compile(lambda b, s: ops.nms(b, s, 0.5), backend="eager")(boxes[:, 1:], torch.tensor([0.1, 0.2]).double()))
"""

PICTURES = """
import pathlib, tempfile, torch
from torchvision import io, utils
x = (torch.arange(3 * 8 * 9).reshape(3, 8, 9) % 256).byte()
folder = pathlib.Path(tempfile.mkdtemp())
io.write_png(x, str(folder / "x.png")); io.write_jpeg(x, str(folder / "x.jpg"), 95)
print(io.read_image(str(folder / "x.png")).equal(x), io.decode_image(str(folder / "x.jpg"), mode="GRAY").shape)
print(io.read_image(str(folder / "x.png"), io.ImageReadMode.RGB_ALPHA).shape, io.encode_png(x).dtype)
utils.save_image(x / 255, folder / "y.png")
print((io.read_image(str(folder / "y.png")).int() - x.int()).abs().max().item())
"""

FX = """
import sys, torch, torch.fx, warnings; warnings.filterwarnings("ignore")
from torchvision import models
for name in sys.argv[1:] or models.list_models(module=models):
    options = {}
    if name in ("googlenet", "inception_v3"): options = dict(init_weights=False, aux_logits=False)
    if name.startswith("vit"): options = dict(image_size=56 if "14" in name else 64)
    size = options.get("image_size", {"inception_v3": 96, "maxvit_t": 224}.get(name, 64))
    torch.manual_seed(0)
    model, x = models.get_model(name, weights=None, num_classes=3, **options).eval(), torch.randn(1, 3, size, size)
    with torch.no_grad():
        want, graph = model(x), torch.fx.symbolic_trace(model)
        same = graph(x).equal(want) and torch.fx.Interpreter(graph).run(x).equal(want)
    print(name, "ok" if same else "differs", flush=True)
"""

FEATURES = """
import torch
from torchvision.models import feature_extraction, resnet18, detection, get_weight, quantization
torch.manual_seed(0)
net = resnet18()
nodes = feature_extraction.get_graph_node_names(net)
print(nodes[1][:3], len(nodes[0]))
found = feature_extraction.create_feature_extractor(net, {"layer1": "a", "avgpool": "b"})(torch.rand(2, 3, 32, 32))
print({k: v.shape for k, v in found.items()})
net.eval(); torch.save(net.state_dict(), "/dev/null")
model = detection.fasterrcnn_mobilenet_v3_large_320_fpn(
    weights=None, weights_backbone=None, num_classes=4, min_size=64, max_size=96)
targets = [{"boxes": torch.tensor([[5.0, 6, 40, 50]]), "labels": torch.tensor([1])}]
losses = model([torch.rand(3, 60, 80)], targets)
sum(losses.values()).backward()
print(sorted(losses), next(p for p in model.parameters() if p.requires_grad).grad is not None)
model.eval()
with torch.no_grad():
    print(sorted(model([torch.rand(3, 60, 80)])[0]))
print(quantization.resnet18(weights=None, quantize=False).eval()(torch.rand(1, 3, 32, 32)).shape)
print(get_weight("ResNet18_Weights.IMAGENET1K_V1").meta["num_params"])
"""


def run(program, *arguments, folder):
    (folder / "program.py").write_text(textwrap.dedent(program))
    path = os.pathsep.join([str(REPO), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("LUCID_WITHOUT_TORCHVISION_OPS", None)
    done = subprocess.run(
        [sys.executable, "-m", "lucid", "program.py", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def test_ops(tmp_path):
    assert run(OPS, folder=tmp_path) == [
        "[0, 2]",
        "torch.Size([2])",
        "tensor([[1.]])",
        "torch.bfloat16 torch.Size([3, 2, 4, 4])",
        "tensor([1, 0])",
    ]


def test_pictures(tmp_path):
    assert run(PICTURES, folder=tmp_path) == [
        "True torch.Size([1, 8, 9])",
        "torch.Size([4, 8, 9]) torch.uint8",
        "0",
    ]


QUICK = """alexnet convnext_tiny efficientnet_b0 googlenet mnasnet0_5 mobilenet_v2 mobilenet_v3_small regnet_y_400mf resnet18
    shufflenet_v2_x0_5 squeezenet1_1 swin_t vit_b_32""".split()


def test_classification_models_in_fx(tmp_path, examples):
    """Traced and run again they give their eager values; `--all` takes all eighty and more."""
    names = [] if examples.all else QUICK
    lines = run(FX, *names, folder=tmp_path)
    assert len(lines) >= (80 if examples.all else len(QUICK)), lines
    assert [line for line in lines if not line.endswith(" ok")] == []


def test_features_and_detection(tmp_path):
    lines = run(FEATURES, folder=tmp_path)
    assert lines[1] == "{'a': torch.Size([2, 64, 8, 8]), 'b': torch.Size([2, 512, 1, 1])}"
    assert lines[2:] == [
        "['loss_box_reg', 'loss_classifier', 'loss_objectness', 'loss_rpn_box_reg'] True",
        "['boxes', 'labels', 'scores']",
        "torch.Size([1, 1000])",
        "11689512",
    ]


def test_without_the_ops_it_says_so(tmp_path):
    (tmp_path / "program.py").write_text(
        "import torchvision, torch\nassert not torchvision.extension._has_ops()\n"
        "torchvision.ops.nms(torch.zeros(1, 4), torch.zeros(1), 0.5)\n"
    )
    path = os.pathsep.join([str(REPO), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "LUCID_WITHOUT_TORCHVISION_OPS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "lucid", "program.py"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1 and "Couldn't load custom C++ ops" in done.stderr
