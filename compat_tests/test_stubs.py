"""Stubs: they are current and complete, agree with real calls, and by them mypy and jedi know lucid."""

import ast
import inspect
import itertools
import json
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys
import warnings

import jedi
import opdb
import pytest
import stub_reader
import torch

import lucid

ROOT = pathlib.Path(__file__).resolve().parent.parent
STUBS, REDIRECTIONS = (
    sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.pyi"))
    for folder in ("lucid", "lucid-stubs")
)
# Modules whose names a type checker must know, beside those of every stub: torch's and lucid's common ones are asked for.
PLACES = """torch Tensor amp autograd autograd.forward_ad autograd.functional autograd.graph backends cuda distributed func
    hub jit linalg multiprocessing nn nn.functional nn.init nn.parallel nn.parameter nn.utils nn.utils.parametrize
    nn.utils.prune nn.utils.rnn optim optim.lr_scheduler optim.swa_utils overrides profiler random return_types
    serialization special storage testing types utils utils.checkpoint utils.data""".split()

GOOD = """
import lucid
import lucid.nn.functional as F
from lucid import Tensor, nn, optim
from lucid.utils.data import DataLoader, TensorDataset

x = lucid.randn(3, 4, requires_grad=True)
w = lucid.zeros((4, 5), dtype=lucid.float32, device="cpu")
reveal_type(lucid.exp(x))  # Tensor
reveal_type(x.exp())  # Tensor
reveal_type(x @ w)  # Tensor
reveal_type(1 - x * 2)  # Tensor
reveal_type(x > 0)  # Tensor
reveal_type(x == w)  # Tensor
reveal_type(x[0, ..., None])  # Tensor
reveal_type([row for row in x])  # list[Tensor]
reveal_type(x.shape[0])  # int
reveal_type(x.shape[1:])  # Size
reveal_type(x.size())  # Size
reveal_type(x.size(0))  # int
reveal_type(x.max())  # Tensor
reveal_type(x.max(0).indices)  # Tensor
values, indices = lucid.max(x, dim=1, keepdim=True)
reveal_type(values)  # Tensor
reveal_type(lucid.sort(x))  # tuple[Tensor, Tensor, fallback=sort]
reveal_type(lucid.linalg.svd(x).Vh)  # Tensor
reveal_type(x.sum(dim=(0, 1), keepdim=True))  # Tensor
reveal_type(lucid.where(x > 0, x, 0.0))  # Tensor
reveal_type(lucid.where(x > 0))  # tuple[Tensor, ...]
reveal_type(x.split([1, 2]))  # tuple[Tensor, ...]
reveal_type(lucid.unique(x, return_counts=True))  # tuple[Tensor, Tensor]
reveal_type(F.max_pool2d(x, 2, return_indices=True))  # tuple[Tensor, Tensor]
reveal_type(F.gelu(x, approximate="tanh"))  # Tensor
reveal_type(F.cross_entropy(x, lucid.arange(3), reduction="sum"))  # Tensor
reveal_type(lucid.special.erf(x))  # Tensor
reveal_type(lucid.cat((x, x), dim=1).view(-1).permute(0).reshape((3, 8)))  # Tensor
reveal_type(x.float)  # def (memory_format: memory_format =) -> Tensor
reveal_type(lucid.float64)  # dtype
reveal_type(x.item())  # int | float
reveal_type(x.grad)  # Tensor | None
reveal_type(x.grad_fn)  # Node | None
reveal_type(x.add_(1))  # Tensor
reveal_type(lucid.is_grad_enabled())  # bool
reveal_type(lucid.autograd.grad(x.sum(), [x]))  # tuple[Tensor, ...]
x.backward(lucid.ones_like(x), retain_graph=True)
x += 1
x[0] = 3
x.requires_grad = True
lucid.ENABLE_FUSION = True


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Dropout(0.1))
        self.scale = nn.Parameter(lucid.ones(5))

    def forward(self, input: Tensor) -> Tensor:
        out: Tensor = self.layers(input)
        return out * self.scale


class Square(lucid.autograd.Function):
    @staticmethod
    def forward(ctx, x):  # type: ignore[no-untyped-def]
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):  # type: ignore[no-untyped-def]
        return 2 * g * ctx.saved_tensors[0]


@lucid.no_grad()
def evaluate(net: Net) -> float:
    return 0.0


net = Net()
reveal_type(net.scale)  # Parameter
reveal_type(nn.Linear(4, 5))  # Linear
reveal_type(evaluate(net))  # float
optimizer = optim.Adam(net.parameters(), lr=1e-3)
reveal_type(optimizer)  # Adam
loader = DataLoader(TensorDataset(x, x), batch_size=2, shuffle=True)
for batch, target in loader:
    optimizer.zero_grad()
    loss = F.mse_loss(Square.apply(net(batch)), target)
    loss.backward()
    optimizer.step()
    reveal_type(loss)  # Tensor
with lucid.no_grad(), lucid.device("cpu"), lucid.random.fork_rng():
    lucid.manual_seed(0)
"""

# A wrong line, and what mypy says of it.
BAD = {
    "lucid.no_such_name": 'Module has no attribute "no_such_name"',
    "x.no_such_method()": '"Tensor" has no attribute "no_such_method"',
    "F.no_such_loss": 'Module has no attribute "no_such_loss"',
    "lucid.exp('a')": 'Argument 1 to "exp" has incompatible type "str"; expected "Tensor"',
    "x.sum(dim='a')": 'Argument "dim" to "sum" of "Tensor" has incompatible type "str"',
    "x.sum(dims=0)": 'Unexpected keyword argument "dims" for "sum" of "Tensor"',
    "F.gelu(3)": 'Argument 1 to "gelu" has incompatible type "int"; expected "Tensor"',
    "lucid.zeros('a')": 'Argument 1 to "zeros" has incompatible type "str"',
    "x @ 3": 'Unsupported operand types for @ ("Tensor" and "int")',
    "x + 'a'": 'Unsupported operand types for + ("Tensor" and "str")',
    "x[1.5]": 'Invalid index type "float" for "Tensor"',
    "x.backward(retain_graph=3)": 'Argument "retain_graph" to "backward" of "Tensor" has incompatible type "int"',
    "x.shape[0].exp()": '"int" has no attribute "exp"',
    "x.max(0).sum()": 'has no attribute "sum"',
    "x.shape = 3": 'Property "shape" defined in "Tensor" is read-only',
    "lucid.softmax(x)": 'Missing positional argument "dim" in call to "softmax"',
}


def script(*args):
    """What a script of the repository prints, from an interpreter of its own: tests add ops to this one."""
    return subprocess.run([sys.executable, *args], cwd=ROOT, capture_output=True, text=True, check=False)


def mypy(folder, files, paths, *options):
    """{(file name, line): messages} of mypy over some files, with `paths` in the environment."""
    command = ["-m", "mypy", "--no-error-summary", "--cache-dir", str(folder / "cache"), *options, *map(str, files)]
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=os.environ | paths, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = {}
    for line in done.stdout.splitlines():
        if said := re.match(r"(.+?):(\d+): (error|note): (.*)", line):
            found.setdefault((pathlib.Path(said[1]).name, int(said[2])), []).append(said[4])
    return found


def revealed(found, name, text):
    """Check that a program has no errors, and the types that its comments say."""
    for number, line in enumerate(text.splitlines(), 1):
        said, wanted = found.get((name, number), []), re.match(r" *reveal_type\(.*\)  # (.*)", line)
        said = [re.sub(r"\b[a-z_0-9]+\.(?=\w)", "", message) for message in said]
        assert said == ([f'Revealed type is "{wanted[1]}"'] if wanted else []), f"{line}: {said}"


def test_stubs_are_current():
    done = script("scripts/stubs.py", "--check")
    assert done.stdout == "stubs are current\n", done.stdout + done.stderr


def test_every_public_function_is_in_a_stub_with_types():
    program = (
        "import json, lucid, types\n"
        "from lucid._backend.core import NAMESPACES\n"
        "found = {'' if place == 'torch' else place: list(names) for place, names in NAMESPACES.items()}\n"
        "found['Tensor'] = [n for n, f in vars(lucid.Tensor).items() if isinstance(f, types.FunctionType)]\n"
        "print(json.dumps(found))\n"
    )
    names = json.loads(script("-c", program).stdout)
    missing, untyped = [], []
    for place, found in names.items():
        for name in found:
            name = name.removeprefix("linalg_") if place == "linalg" else name
            if name.startswith("_"):
                continue
            overloads = stub_reader.functions(place).get(name)
            if not overloads:
                missing.append(f"{place} {name}")
            for node in overloads or ():
                kinds = [p.annotation for p in stub_reader.parameters(node) if p.name not in ("self", "cls")]
                if None in kinds or node.returns is None:
                    untyped.append(f"{place} {name}")
                anything = [p for p in stub_reader.parameters(node) if "Any" == ast.unparse(p.annotation or node)]
                if anything and ast.unparse(node.returns) != "NoReturn" and name not in ANYTHING:
                    untyped.append(f"{place} {name}: {', '.join(p.name for p in anything)}: Any")
    assert sum(map(len, names.values())) > 1000 and not missing and not untyped, (missing, untyped)


# Functions that take any object.
ANYTHING = set(
    "tensor as_tensor asarray from_dlpack frombuffer is_tensor new_tensor module_load record_stream sym_ite".split()
)


def test_stubs_agree_with_calls():
    """torch's sample inputs: each call is one that the stub allows, and its result is what the stub says."""
    faults, calls = [], 0
    for op in opdb.delivered():
        place, _, name = opdb.names()[id(op.op)].rpartition(".")
        if name.startswith("_") or place == "masked":  # neither is in a stub
            continue
        overloads, f = stub_reader.functions(place)[name], opdb.counterpart(op)
        for sample in itertools.islice(opdb.sample_inputs(op), 5):
            try:
                arg, args, kwargs = opdb.carried((sample.input, sample.args, sample.kwargs), "cpu", {})
            except opdb.Unsupported:
                continue
            refusals = [stub_reader.mismatch(node, (arg, *args), kwargs) for node in overloads]
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    got = f(arg, *args, **kwargs)
            except Exception:
                continue  # test_op_db says whether it should
            calls += 1
            if None not in refusals:
                faults.append(f"{place} {name}: {'; '.join(refusals)}")
            elif not stub_reader.fits(kind := overloads[refusals.index(None)].returns, got):
                faults.append(f"{place} {name}: {type(got).__name__} is not {ast.unparse(kind)}")
    assert calls > 1500 and not faults, "\n".join(dict.fromkeys(faults))


def common_names():
    """`lucid.nn.Linear` and so on: every public name of torch's that lucid has in PLACES."""
    supported = runpy.run_path(str(ROOT / "scripts" / "supported.py"))
    for path in PLACES:
        theirs, ours = (supported["place_of"](library, path) for library in (torch, lucid))
        for name in getattr(theirs, "__all__", None) or supported["public_names"](theirs, "torch"):
            if supported["has"](ours, name):
                yield f"lucid.{name}" if path == "torch" else f"lucid.{path}.{name}"


def test_mypy(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that torch deprecates
        names = list(common_names())
    imports = [f"import lucid.{path}" for path in PLACES if path.startswith(("nn.", "optim.", "autograd.", "utils."))]
    texts = {
        "good.py": GOOD,
        "bad.py": "import lucid\nimport lucid.nn.functional as F\nx = lucid.ones(2)\n" + "\n".join(BAD),
        "names.py": "\n".join([*imports, *names]),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    files = [*texts, *(ROOT / stub for stub in STUBS)]
    options = ("--strict", "--allow-untyped-calls", "--follow-imports=silent")
    found = mypy(tmp_path, files, {"MYPYPATH": str(ROOT)}, *options)
    revealed(found, "good.py", GOOD)
    for number, (line, wanted) in enumerate(BAD.items(), 4):
        assert any(wanted in message for message in found.get(("bad.py", number), [])), (
            line,
            found.get(("bad.py", number)),
        )
    rest = {where: said for where, said in found.items() if where[0] not in ("good.py", "bad.py")}
    assert len(names) > 500 and not rest, rest


def completions(text):
    """What jedi offers at the end of a program."""
    lines = text.splitlines()
    project = jedi.Project(ROOT, sys_path=[str(ROOT), *sys.path])
    return {c.name for c in jedi.Script(text, project=project).complete(len(lines), len(lines[-1]))}


@pytest.mark.parametrize(
    "text, wanted",
    {
        "import lucid\nlucid.": "exp sum zeros Tensor float32 nn no_grad manual_seed save",
        "import lucid.nn.functional as F\nF.": "gelu relu cross_entropy conv2d max_pool2d softmax",
        "import lucid\nx = lucid.zeros(3)\nx.": "exp sum backward shape to requires_grad_ T",
        "import lucid\nx = lucid.zeros(3)\n(x.exp() @ x + 1)[0].": "exp sum backward",
        "import lucid\nvalues, indices = lucid.zeros(3).max(0)\nindices.": "exp sum backward",
        "import lucid\nlucid.zeros(3).sort().": "values indices",
        "import lucid\nlucid.linalg.": "svd inv norm",
        "import lucid\nlucid.special.": "erf expit",
        "from lucid import nn\nnn.": "Linear Module Conv2d Parameter functional init",
        "from lucid import nn\nlayer = nn.Linear(2, 3)\nlayer.": "forward parameters in_features state_dict",
        "from lucid import optim\noptimizer = optim.Adam([])\noptimizer.": "step zero_grad",
    }.items(),
)
def test_jedi_completes(text, wanted):
    assert set(wanted.split()) <= completions(text)


def test_jedi_goes_to_definitions():
    """With the docstring, so that an editor shows it."""
    for text, name, place, doc in (
        ("import lucid\nlucid.exp", "lucid.exp", "lucid/__init__.pyi", "e to the power of each element"),
        (
            "import lucid\nlucid.zeros(3).exp",
            "lucid._tensor.tensor.Tensor.exp",
            "lucid/_tensor/tensor.pyi",
            "e to the power",
        ),
        (
            "from lucid.nn import functional as F\nF.gelu",
            "lucid.nn.functional.gelu",
            "lucid/nn/functional.pyi",
            "normal",
        ),
        (
            "from lucid import nn\nnn.Linear",
            "lucid.nn.modules.linear.Linear",
            "lucid/nn/modules/linear.py",
            "x W^T + b",
        ),
    ):
        lines = text.splitlines()
        script = jedi.Script(text, project=jedi.Project(ROOT, sys_path=[str(ROOT), *sys.path]))
        (found,) = script.infer(len(lines), len(lines[-1]))
        assert (found.full_name, found.module_path) == (name, ROOT / place) and doc in found.docstring()


@pytest.mark.slow
def test_an_installed_lucid_has_its_stubs(tmp_path):
    """`pip install .`, and mypy with nothing but what was installed: without py.typed it would not look at it.

    Modules of lucid/_probes can be imported by torch's names, too: lucid-stubs says where they are.
    """
    source, target = tmp_path / "source", tmp_path / "site"
    for folder in ("lucid", "lucid-stubs"):
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    done = script("-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(source))
    assert done.returncode == 0, done.stderr
    wanted = [*STUBS, *REDIRECTIONS, "lucid/py.typed", "lucid-stubs/py.typed"]
    assert len(REDIRECTIONS) > 30 and [file for file in wanted if not (target / file).exists()] == []
    imports = [f"import lucid.{path}" for path in PLACES if path not in ("torch", "Tensor")]
    imports += [f"import {file[:-4].replace('-stubs', '').replace('/', '.')}" for file in REDIRECTIONS]
    imports = [line.removesuffix(".__init__") for line in imports]
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "imports.py").write_text("\n".join([*imports, "from lucid.backends.cudnn import is_available"]))
    found = mypy(tmp_path, ["good.py", "imports.py"], {"PYTHONPATH": str(target), "MYPYPATH": ""})
    revealed(found, "good.py", GOOD)
    assert {where: said for where, said in found.items() if where[0] == "imports.py"} == {}


def test_every_function_shows_its_source():
    missing = []
    for home in (lucid, lucid.nn.functional, lucid.linalg, lucid.special, lucid.Tensor):
        for name, f in inspect.getmembers(home, lambda f: inspect.isfunction(f) or inspect.ismethod(f)):
            try:
                inspect.getsource(f)
            except OSError:
                missing.append(name)
    assert not missing
