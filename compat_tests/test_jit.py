"""torch.jit: script runs as Python, trace is a graph that gives the program's numbers, saves and loads."""

import copy
import io
import warnings

import pytest
import torch
from both import same

import lucid

pytestmark = pytest.mark.filterwarnings("ignore:.*(jit|Tracer|trace).*", "ignore::DeprecationWarning")


def net(m, branch):
    class Net(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.l = m.nn.Linear(3, 4)
            self.bn = m.nn.BatchNorm1d(4)
            self.e = m.nn.Sequential(m.nn.Linear(4, 4), m.nn.GELU())

        def forward(self, x):
            y = self.bn(self.l(x))
            if branch:
                y = y * 2 if y.sum() > 1e9 else y * 3
            return self.e(y).view(x.size(0), -1)

    return Net()


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("branch", [False, True])
def test_trace(branch, training):
    def program(m):
        model = net(m, branch).train(training)
        x = m.randn(2, 3)
        traced = m.jit.trace(model, x, check_trace=False)
        yield [traced(x), model(x), list(traced.state_dict()), [n for n, _ in traced.named_parameters()]]
        yield [isinstance(traced, m.jit.ScriptModule), isinstance(traced, type(model)), traced.original_name]
        traced(x).sum().backward()
        yield [model.l.weight.grad, traced.bn.running_mean]
        if not branch:
            yield traced(m.randn(5, 3)).shape

    same(program, rtol=1e-4, atol=1e-5, looks="", quiet=True)


def test_trace_of_functions():
    def program(m):
        f = m.jit.trace(lambda x: (x + 1, x * 2), (m.ones(2),))
        g = m.jit.trace(lambda a, b: a + b, example_kwarg_inputs={"a": m.ones(1), "b": m.ones(1)})
        yield [
            f(m.zeros(3)),
            g(a=m.ones(2), b=m.ones(2)),
            m.jit.trace(m.nn.functional.relu, m.ones(2))(m.tensor([-1.0, 1])),
        ]

    same(program, looks="", quiet=True)


@pytest.mark.parametrize("branch", [False, True])
def test_save_and_load(branch, tmp_path):
    model = net(lucid, branch).eval()
    x = lucid.randn(2, 3)
    traced = lucid.jit.trace(model, x)
    file = io.BytesIO()
    lucid.jit.save(traced, file, _extra_files={"note": "n"})
    file.seek(0)
    extra = {"note": ""}
    loaded = lucid.jit.load(file, _extra_files=extra)
    assert loaded(x).equal(model(x)) and extra == {"note": "n"} and isinstance(loaded, lucid.jit.ScriptModule)
    assert list(loaded.state_dict()) == list(model.state_dict())
    traced.save(tmp_path / "m.pt")
    assert lucid.jit.load(tmp_path / "m.pt")(x).equal(model(x))
    assert copy.deepcopy(traced)(x).equal(model(x))


def test_torchs_own_files_are_refused(tmp_path):
    torch.jit.save(torch.jit.trace(torch.nn.ReLU(), torch.ones(1)), str(tmp_path / "m.pt"))
    with pytest.raises(NotImplementedError, match="TorchScript"):
        lucid.jit.load(str(tmp_path / "m.pt"))


def test_script():
    def program(m):
        model = net(m, True).eval()
        scripted = m.jit.script(model) if m is lucid else m.jit.trace(model, m.ones(2, 3))
        x = m.randn(2, 3)
        yield [
            scripted(x),
            list(scripted.state_dict()),
            isinstance(scripted, m.jit.ScriptModule),
            scripted.original_name,
        ]

    same(program, rtol=1e-4, atol=1e-5, looks="", quiet=True)
    scripted = lucid.jit.script(net(lucid, False))
    assert scripted.eval()._original.training is False
    assert copy.deepcopy(scripted)(lucid.ones(2, 3)).shape == (2, 4)


def test_a_warning_says_so_once():
    lucid.jit._script._told.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lucid.jit.script(lambda x: x)
        lucid.jit.script(lambda x: x)
    assert [str(w.message)[:9] for w in caught] == ["torch.jit"]


def test_names():
    def program(m):
        yield [m.jit.is_scripting(), m.jit.is_tracing(), m.jit.annotate(int, 3), m.jit.ignore(test_names) is test_names]
        f = m.jit.fork(lambda x: x + 1, m.ones(1))
        yield [m.jit.wait(f), m.jit.unused(test_names) is test_names, m.jit.export(test_names) is test_names]
        from importlib import import_module

        names = import_module(f"{m.__name__}.jit.annotations")
        yield [str(getattr(names, f"BroadcastingList{i}")[int]) for i in (1, 2, 3)]

    same(program, quiet=True)
