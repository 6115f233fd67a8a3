"""torch.export.save and load: each library reads the other's .pt2 files; damaged and hostile files are refused."""

import io
import json
import os
import zipfile

import numpy as np
import pytest
import torch
from export_cases import CASES
from test_export import _quiet, exported, leaves, numbers, plain, rebuilt  # noqa: F401 - a fixture is among them

import lucid

# Programs that carry a piece of a graph, whose node has another name when it is read.
RENAMED = {"without_gradients"}


def carried(value, m, to):
    return rebuilt(value, m, lambda t: to.from_numpy(t.detach().numpy().copy()))


def saved(m, program, **more):
    file = io.BytesIO()
    m.export.save(program, file, **more)
    file.seek(0)
    return file


def outcome(m, program, args, kwargs):
    m.manual_seed(3)
    return [numbers(x, m) for x in leaves(program.module()(*args, **kwargs), m)]


@pytest.mark.parametrize("decomposed", [False, True], ids=["exported", "decomposed"])
@pytest.mark.parametrize("name", CASES)
def test_read_by_the_other(name, decomposed):
    for m, to in ((torch, lucid), (lucid, torch), (lucid, lucid)):
        if decomposed and m is not to:
            continue
        program, _, args, kwargs = exported(m, name, decomposed)
        args, kwargs = rebuilt((args, kwargs), m, lambda t: t.clone())
        given = carried((args, kwargs), m, to)
        back = to.export.load(saved(m, program))
        want, got = outcome(m, program, args, kwargs), outcome(to, back, *given)
        for a, b in zip(got, want, strict=True):
            if isinstance(b, np.ndarray):
                np.testing.assert_allclose(a, b, 1e-5, 1e-6)
            else:
                assert a == b
        if m is to and name not in RENAMED:
            assert plain(back) == plain(program)


def test_torch_reads_decomposed_programs():
    for name in ("cnn", "transformer_layer", "dynamic_sizes", "running_mean", "choice"):
        program, _, args, kwargs = exported(lucid, name, True)
        given = carried((args, kwargs), lucid, torch)
        back = torch.export.load(saved(lucid, program))
        for a, b in zip(outcome(torch, back, *given), outcome(lucid, program, args, kwargs), strict=True):
            np.testing.assert_allclose(a, b, 1e-5, 1e-6)


def test_checks_and_training_survive():
    program, _, _, _ = exported(lucid, "mlp_dynamic")
    module = lucid.export.load(saved(lucid, program)).module()
    module(lucid.ones(9, 6)).exp().mul(lucid.arange(3.0)).sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in module.parameters())
    for shape in ((65, 6), (4, 7)):
        with pytest.raises(AssertionError, match="Guard failed"):
            module(lucid.ones(*shape))
    branch = lucid.export.load(saved(torch, exported(torch, "branch_on_size")[0])).module()
    with pytest.raises(AssertionError, match="Guard failed"):
        branch(lucid.ones(3, 2))


def test_files_on_disk(tmp_path):
    program, _, args, _ = exported(lucid, "counter")
    path = tmp_path / "model.pt2"
    lucid.export.save(program, path, extra_files={"note.txt": "hello"})
    extra = {"note.txt": ""}
    again = lucid.export.load(path, extra_files=extra)
    assert extra == {"note.txt": "hello"} and os.listdir(tmp_path) == ["model.pt2"]
    assert again.example_inputs[0][0].tolist() == args[0].tolist()
    before = path.read_bytes()
    program.constants["bad"] = object()
    with pytest.raises(RuntimeError, match="Unsupported constant type"):
        lucid.export.save(program, path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["model.pt2"]
    with pytest.raises(FileNotFoundError):
        lucid.export.load(tmp_path / "none.pt2")


def test_shared_memory_survives():
    program, _, _, _ = exported(lucid, "tied_weights")
    back = lucid.export.load(saved(lucid, program))
    a, b = back.state_dict["emb.weight"], back.state_dict["out.weight"]
    with lucid.no_grad():
        a[0, 0] = 77.0
    assert b[0, 0] == 77.0


def changed(edit, record="models/model.json", name="mlp"):
    """A file whose JSON is edited."""
    source = zipfile.ZipFile(saved(lucid, exported(lucid, name)[0]))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for entry in source.namelist():
            data = source.read(entry)
            if entry.endswith(record):
                loaded = json.loads(data)
                found = edit(loaded)
                data = json.dumps(loaded if found is None else found).encode()
            made.writestr(entry, data)
    out.seek(0)
    return out


def _node(data):
    return data["graph_module"]["graph"]["nodes"][0]


def _weight(data):
    return data["config"]["0.weight"]["tensor_meta"]


HOSTILE = {
    "a function of Python's": lambda d: _node(d).update(target="os.system"),
    "a builtin": lambda d: _node(d).update(target="_operator.attrgetter"),
    "an op that is none": lambda d: _node(d).update(target="torch.ops.aten.no_such_op.default"),
    "code for a name": lambda d: _node(d)["outputs"][0]["as_tensor"].update(name="x = __import__('os')"),
    "code for an input": lambda d: d["graph_module"]["graph"]["inputs"][-1]["as_tensor"].update(name="a, b=print(1)"),
    "code for a size": lambda d: d["graph_module"]["graph"]["tensor_values"]["linear"]["sizes"].__setitem__(
        0, {"as_expr": {"expr_str": "__import__('os').system('true')"}}
    ),
    "code for a guard": lambda d: d.update(guards_code=["__import__('os').system('true')"]),
    "code for an argument's name": lambda d: d["graph_module"]["module_call_graph"][0]["signature"].update(
        forward_arg_names=["x=print(1)"]
    ),
    "a structure that is none": lambda d: d["graph_module"]["module_call_graph"][0]["signature"].update(
        in_spec='[1, {"type": "os.system", "context": "null", "children_spec": []}]'
    ),
    "an argument that no node gives": lambda d: _node(d)["inputs"][0]["arg"]["as_tensor"].update(name="nobody"),
    "another version": lambda d: d["schema_version"].update(major=99),
    "another set of ops": lambda d: d["opset_version"].update(aten=99),
    "no graph": lambda d: d["graph_module"].pop("graph"),
    "a list": lambda d: [1, 2],
    "an unknown argument": lambda d: _node(d)["inputs"][0].update(name="no_such"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_programs(what):
    with pytest.raises((RuntimeError, ValueError, NotImplementedError)):
        lucid.export.load(changed(HOSTILE[what]))


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: _weight(d).update(sizes=[{"as_int": 10**9}, {"as_int": 6}]),
        lambda d: _weight(d).update(storage_offset={"as_int": 10**6}),
        lambda d: _weight(d).update(strides=[{"as_int": -1}, {"as_int": 1}]),
        lambda d: d["config"]["0.weight"].update(path_name="../../etc/passwd"),
        lambda d: _weight(d).update(dtype=99),
        lambda d: d["config"].pop("0.weight"),
    ],
    ids=["sizes", "offset", "strides", "path", "type", "missing"],
)
def test_hostile_weights(edit):
    with pytest.raises((RuntimeError, KeyError)):
        lucid.export.load(changed(edit, "model_weights_config.json")).module()


def test_hostile_pickles():
    """A pickle in the file is read as torch.load reads it with weights_only: it runs nothing."""
    import pickle

    class Evil:
        def __reduce__(self):
            return pytest.fail, ("a pickle was run",)

    source, out = zipfile.ZipFile(saved(lucid, exported(lucid, "mlp")[0])), io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for entry in source.namelist():
            data = source.read(entry)
            made.writestr(entry, pickle.dumps(Evil()) if entry.endswith("model.pt") else data)
    out.seek(0)
    assert lucid.export.load(out).example_inputs is None


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9, 0.999])
def test_cut_files(part):
    whole = saved(lucid, exported(lucid, "mlp")[0]).getvalue()
    with pytest.raises(RuntimeError):
        lucid.export.load(io.BytesIO(whole[: int(len(whole) * part)]))


def test_an_op_of_lucids_own_is_not_written():
    class M(lucid.nn.Module):
        def forward(self, x):
            return tuple(lucid.linalg.lu(x))

    program = lucid.export.export(M(), (lucid.randn(3, 3).requires_grad_(),))
    with pytest.raises(NotImplementedError, match="which torch does not have"):
        lucid.export.save(program, io.BytesIO())
