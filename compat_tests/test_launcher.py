"""Shows that `python -m lucid` runs a program exactly as python does, with every name of torch meaning lucid.

Most tests put the launcher into a small stand-in for the package, so they say nothing about the engine and start
fast; the last ones use lucid itself.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import textwrap

import pytest

REPO = pathlib.Path(__file__).resolve().parent.parent

STAND_IN = {
    "__init__.py": """
        import lucid.nn as nn
        __version__ = "2.13.0"
        class Tensor:
            class Inner: pass
            def f(self): pass
            @property
            def p(self): pass
            @classmethod
            def c(cls): pass
        Tensor.__module__ = "lucid"
        def __getattr__(name):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        """,
    "nn/__init__.py": """
        from . import functional
        from .functional import Linear
        """,
    "nn/functional.py": """
        class Linear: pass
        def relu(): pass
        """,
    "late/__init__.py": """
        import lucid.late.deep
        from lucid.late.deep import Deep
        from ..nn import Linear
        """,
    "late/deep.py": """
        import lucid.late
        class Deep: pass
        """,
    "broken.py": "import no_such_dependency",
}


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory):
    """A directory for PYTHONPATH that holds a package lucid of a few lines with the real launcher in it."""
    root = tmp_path_factory.mktemp("stand_in")
    write(root / "lucid", STAND_IN)
    for name in ("__main__.py", "_launcher.py"):
        shutil.copy(REPO / "lucid" / name, root / "lucid" / name)
    return root


def run(words, cwd, path, stdin=None, flags=(), **extra):
    env = {**os.environ, "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", **extra}
    command = [sys.executable, *flags, *words]
    return subprocess.run(command, cwd=cwd, env=env, input=stdin, capture_output=True, text=True, timeout=120)


def output(code, cwd, path, **kwargs):
    """What a program prints under the launcher; it must end well and print nothing to stderr."""
    (cwd / "program.py").write_text(textwrap.dedent(code))
    done = run(["-m", "lucid", "program.py"], cwd, path, **kwargs)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.splitlines()


# --- as python's own -----------------------------------------------------------------------------------------------

SHOW = """
import sys
print(__name__, sys.argv, sys.path[:2], sys.modules["__main__"].__dict__ is globals())
print(sorted((k, type(v).__name__ if k in ("__loader__", "__spec__") else str(v)) for k, v in globals().items()))
"""

PROGRAMS = {
    "show.py": SHOW,
    "pkg/__init__.py": "",
    "pkg/__main__.py": SHOW,
    "pkg/mod.py": SHOW,
    "app/__main__.py": SHOW + "import beside\n",
    "app/beside.py": "print(__name__, __file__)\n",
    "empty/nothing.txt": "",
    "docstring.py": '"""A docstring."""\nprint(__doc__, __builtins__)\n',
    "fails.py": "def f(n):\n    return f(n - 1) if n else 1 / n\n\nf(3)\n",
    "chained.py": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('bad') from e\n",
    "syntax.py": "x = 1\nif x\n    pass\n",
    "exit_code.py": "import sys\nsys.exit(7)\n",
    "exit_text.py": "import sys\nsys.exit('a reason')\n",
    "exit_none.py": "raise SystemExit\n",
    "interrupted.py": "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nimport time; time.sleep(5)\n",
    "at_exit.py": "import atexit, threading\natexit.register(print, 'last')\n"
    "threading.Thread(target=print, args=('thread',)).start()\n1 / 0\n",
    "own_hook.py": "import sys, traceback\n"
    "sys.excepthook = lambda k, e, t: print(k, e, traceback.extract_tb(t), sys.last_value is e)\n1 / 0\n",
    "group.py": "raise ExceptionGroup('two', [ValueError(1), TypeError(2)])\n",
    "pickled.py": "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A, A)\n",
    "missing_import.py": "import no_such_package.inner\n",
    "reads.py": "print(input() + '!')\n",
    "globals_last.py": "class Late:\n    def __del__(self): print('gone', __name__)\nkept = Late()\n",
    "warns.py": "import warnings\nwarnings.warn('careful')\n",
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    write(folder, PROGRAMS)
    (folder / "linked").mkdir()
    (folder / "linked" / "link.py").symlink_to(folder / "show.py")
    shutil.make_archive(str(folder / "archive"), "zip", folder / "app")
    return folder


COMMANDS = [
    *([name] for name in PROGRAMS if "/" not in name),
    ["show.py", "a", "-c", "--flag=1"],
    ["./show.py"],
    ["../" + "{name}" + "/show.py", "x"],
    ["{folder}/show.py"],
    ["linked/link.py"],
    ["app", "a"],
    ["archive.zip", "a"],
    ["empty"],
    ["no_such_file.py"],
    ["-m", "show", "a", "-b"],
    ["-mshow", "a"],
    ["-m", "pkg"],
    ["-m", "pkg.mod"],
    ["-m", "no_such_module"],
    ["-m", "pkg.no_such"],
    ["-m", "fails"],
    ["-m", "interrupted"],
    ["-c", SHOW, "a", "-m"],
    ["-cprint(1)"],
    ["-c", "if 1:\n  print(2)"],
    ["-c", "1 +"],
    ["-", "a", "-b"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: " ".join(c).replace(SHOW, "SHOW"))
def test_same_as_python(command, programs, stand_in):
    command = [word.format(name=programs.name, folder=programs) if "{" in word else word for word in command]
    stdin = SHOW if command[0] == "-" else "typed\n"
    expected = run(command, programs, stand_in, stdin)
    got = run(["-m", "lucid", *command], programs, stand_in, stdin)
    assert got.stdout == expected.stdout
    assert got.stderr == expected.stderr
    assert got.returncode == expected.returncode


def test_interrupt_ends_the_process_as_a_shell_expects(programs, stand_in):
    got = run(["-m", "lucid", "interrupted.py"], programs, stand_in)
    assert got.returncode == -signal.SIGINT  # a shell shows 130


def test_safe_path_is_respected(programs, stand_in):
    expected = run(["show.py"], programs, stand_in, flags=["-P"])
    got = run(["-m", "lucid", "show.py"], programs, stand_in, flags=["-P"])
    assert (got.stdout, got.stderr) == (expected.stdout, expected.stderr)


def test_warnings_as_errors(programs, stand_in):
    got = run(["-m", "lucid", "-c", "import torch.late, lucid.late.deep"], programs, stand_in, flags=["-W", "error"])
    assert (got.returncode, got.stderr) == (0, "")


# --- torch is lucid --------------------------------------------------------------------------------------------------


def test_one_module_two_names(tmp_path, stand_in):
    code = """
        import sys, importlib
        import torch, torch.nn as nn, torch.nn.functional as F
        import lucid
        print(torch is lucid, nn is lucid.nn, sys.modules["torch.nn.functional"] is sys.modules["lucid.nn.functional"])
        import torch.late.deep, lucid.late.deep as d
        print(d is torch.late.deep, sys.modules["torch.late"] is sys.modules["lucid.late"], lucid.late is torch.late)
        print(importlib.import_module("lucid.late.deep") is d, torch.late.Linear is nn.Linear)
        print(importlib.reload(torch.late) is lucid.late, torch.late.Deep is d.Deep, torch.late.__path__ != [])
        """
    assert output(code, tmp_path, stand_in) == ["True True True", "True True True", "True True", "True True True"]


def test_modules_call_themselves_torch(tmp_path, stand_in):
    code = """
        import torch, lucid.late, inspect, pickle
        T = torch.Tensor
        print(torch.__name__, torch.__spec__.name, torch.nn.__package__, torch.nn.functional.__package__)
        print(T, T.Inner, T.f.__module__, T.p.fget.__module__, T.c.__func__.__module__)
        print(torch.nn.Linear, torch.nn.functional.relu.__module__, lucid.late.Deep, lucid.late.__spec__.name)
        print(inspect.getsource(torch.nn.functional.relu), end="")
        print(b"torch.nn.functional" in pickle.dumps(torch.nn.Linear()))
        print(pickle.loads(b"ctorch.nn.functional\\nLinear\\n.") is torch.nn.Linear)
        print(pickle.loads(b"clucid.nn.functional\\nLinear\\n.") is torch.nn.Linear)
        """
    assert output(code, tmp_path, stand_in) == [
        "torch torch torch.nn torch.nn",
        "<class 'torch.Tensor'> <class 'torch.Tensor.Inner'> torch torch torch",
        "<class 'torch.nn.functional.Linear'> torch.nn.functional <class 'torch.late.deep.Deep'> torch.late",
        "def relu(): pass",
        "True",
        "True",
        "True",
    ]


def test_probes(tmp_path, stand_in):
    code = """
        import importlib.metadata, importlib.util, pkgutil
        find = importlib.util.find_spec
        print(find("torch").name, find("torch.late").name, find("torch.nothing"), find("lucid.nothing"))
        import sys; print("torch.late" in sys.modules)
        print(importlib.metadata.version("torch"), importlib.metadata.version("Torch"))
        print(importlib.metadata.version("numpy") == importlib.metadata.distribution("numpy").version)
        import torch
        print(sorted(m.name for m in pkgutil.walk_packages(torch.nn.__path__, "torch.nn.")), hasattr(torch, "__file__"))
        del sys.modules["torch"]
        import torch as again; print(again is torch)
        """
    assert output(code, tmp_path, stand_in) == [
        "torch torch.late None None",
        "False",
        "2.13.0 2.13.0",
        "True",
        "['torch.nn.functional'] True",
        "True",
    ]


def test_what_is_missing_is_named(tmp_path, stand_in):
    code = """
        def attempt(text):
            try:
                exec(text, {})
            except Exception as error:
                print(type(error).__name__, error)
        attempt("import torch.nothing")
        attempt("from torch import nothing")
        attempt("import torch; torch.nothing")
        attempt("import torch.nn.nothing.deeper")
        attempt("import torch.broken")
        """
    lines = output(code, tmp_path, stand_in)
    lines[1] = lines[1].partition(" (")[0]
    assert lines == [
        "ModuleNotFoundError No module named 'torch.nothing'",
        "ImportError cannot import name 'nothing' from 'torch'",
        "AttributeError module 'torch' has no attribute 'nothing'",
        "ModuleNotFoundError No module named 'torch.nn.nothing'",
        "ModuleNotFoundError No module named 'no_such_dependency'",
    ]


@pytest.mark.parametrize("code", ["import torch.nothing", "from torch import nothing", "import torch; torch.nothing"])
def test_an_uncaught_miss_says_that_it_is_lucids(code, tmp_path, stand_in):
    done = run(["-m", "lucid", "-c", code], tmp_path, stand_in)
    assert done.returncode == 1 and "_launcher" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("(torch is lucid in this program, and lucid does not have this")
    other = run(["-m", "lucid", "-c", "import no_such"], tmp_path, stand_in)
    assert other.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'no_such'"


def test_no_way_back_to_a_real_torch(tmp_path, stand_in):
    """Neither a torch on the path nor a finder that maps torch.* to files, as editable installs have, is reached."""
    write(tmp_path, {"torch/__init__.py": "real = True", "torch/only_real.py": "", "torch/nn/__init__.py": ""})
    code = """
        import sys, importlib.machinery as m
        class Editable:
            @staticmethod
            def find_spec(name, path=None, target=None):
                if name.startswith("torch."):
                    return m.ModuleSpec(name, m.BuiltinImporter)
        sys.meta_path.append(Editable)
        import torch, torch.nn
        print(hasattr(torch, "real"), torch.nn.Linear.__name__)
        try:
            import torch.only_real
        except ModuleNotFoundError as error:
            print(error)
        """
    assert output(code, tmp_path, stand_in) == ["False Linear", "No module named 'torch.only_real'"]


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_multiprocessing_children(method, tmp_path, stand_in):
    code = f"""
        import multiprocessing as mp, sys
        import torch
        def work(n):
            import torch.late, lucid
            return n, torch is lucid, torch.late.Deep.__module__, sys.path[0] == {str(tmp_path)!r}
        if __name__ == "__main__":
            with mp.get_context({method!r}).Pool(1) as pool:
                print(pool.map(work, [1]))
        """
    assert output(code, tmp_path, stand_in) == ["[(1, True, 'torch.late.deep', True)]"]


def test_install_alone(tmp_path, stand_in):
    code = "from lucid._launcher import install as f; f(); f(); import torch, lucid; "
    code += "print(torch.Tensor, torch is lucid)"
    done = run(["-c", code], tmp_path, stand_in)
    assert (done.stdout, done.stderr) == ("<class 'torch.Tensor'> True\n", "")


# --- the command line and the other packages named lucid -------------------------------------------------------------


@pytest.mark.parametrize("words", [[], ["--version"], ["-h"]])
def test_alone_it_introduces_itself(words, tmp_path, stand_in):
    done = run(["-m", "lucid", *words], tmp_path, stand_in)
    assert done.returncode == 0 and done.stderr == ""
    assert "torch 2.13.0" in done.stdout and "numpy" in done.stdout and "usage: python -m lucid" in done.stdout


@pytest.mark.parametrize("words", [["-m"], ["-c"], ["--no-such-option", "x.py"]])
def test_bad_usage(words, tmp_path, stand_in):
    done = run(["-m", "lucid", *words], tmp_path, stand_in)
    assert done.returncode == 2 and "usage: python -m lucid" in done.stderr


@pytest.mark.parametrize("name", ["lucid.py", "lucid/__init__.py"])
def test_namesake_beside_the_script(name, tmp_path, stand_in):
    write(tmp_path, {f"scripts/{name}": "1 / 0", "scripts/go.py": "import lucid, torch; print(torch is lucid)"})
    done = run(["-m", "lucid", "scripts/go.py"], tmp_path, stand_in)
    assert done.stdout == "True\n"
    assert f"{tmp_path}/scripts/{name} is an unrelated module that is also named lucid" in done.stderr
    assert done.stderr.count("\n") == 1


def test_namesake_installed_over_ours(tmp_path, stand_in):
    """`pip install lucid` after lucid-torch replaces `__init__.py` and leaves `__main__.py`."""
    shutil.copytree(stand_in / "lucid", tmp_path / "lucid")
    (tmp_path / "lucid" / "__init__.py").write_text("theirs = True\n")
    done = run(["-m", "lucid", "x.py"], tmp_path, tmp_path)
    assert done.returncode == 1 and "is not lucid-torch but an unrelated one of the same name" in done.stderr


# --- lucid itself ----------------------------------------------------------------------------------------------------


def test_real_package(tmp_path):
    code = """
        import importlib, importlib.metadata, importlib.util, pickle, sys
        import torch, torch.nn as nn, torch.nn.functional as F
        from torch.utils.data import DataLoader
        import lucid
        print(torch is lucid, nn is lucid.nn, sys.modules["torch.nn.functional"] is F)
        print(torch.__name__, torch.__spec__.name, torch.Tensor.__module__, nn.Linear.__module__)
        print(importlib.metadata.version("torch") == torch.__version__, importlib.util.find_spec("torch") is not None)
        print(type(pickle.loads(pickle.dumps(nn.Linear(2, 2)))) is nn.Linear)
        print([m for m in sys.modules if m.partition(".")[0] == "torch" and "lucid" + m[5:] not in sys.modules])
        """
    assert output(code, tmp_path, REPO) == [
        "True True True",
        "torch torch torch torch.nn.modules.linear",
        "True True",
        "True",
        "[]",
    ]


TOLD = """
    import torch, torch.fx
    class Layer(torch.nn.Module):
        def __init__(self, f):
            super().__init__()
            self.f = f
        def forward(self, x):
            return self.f(x)
    calls = [lambda x: torch.split(x, 1, -1), lambda x: torch.functional.cdist(x, x, 1.0), lambda x: torch.norm(x, 2, 1),
        lambda x: torch.tensordot(x, x, 1), lambda x: torch.stft(x, 4, 2), lambda x: torch.unique(x, True),
        lambda x: torch.nn.functional.gelu(x), lambda x: torch.nn.functional.dropout(x, 0.1),
        lambda x: torch.nn.functional.pad(x, (1, 1), "constant", 2), lambda x: torch.nn.functional.relu(x, True)]
    for f in calls:
        print(torch.fx.symbolic_trace(Layer(f)).code)
"""


def test_handlers_are_told_the_same(tmp_path):
    """What knows the library by name knows it by torch's, too."""
    (tmp_path / "plain.py").write_text(textwrap.dedent(TOLD))
    done = run(["plain.py"], tmp_path, tmp_path)
    assert done.returncode == 0, done.stderr
    assert output(TOLD, tmp_path, REPO) == done.stdout.splitlines()


def test_own_classes_cost_nothing(tmp_path):
    code = """
        import torch, torch._subclasses.fake_tensor, torch._dynamo.attributes
        from torch._base.state import DISPATCH
        print(DISPATCH, "torch" in torch._dynamo.attributes._FIXED)
    """
    assert output(code, tmp_path, REPO) == ["[] True"]


def test_star_import(tmp_path):
    """`from torch import *` gives what torch's gives: also what lucid loads late, and no modules."""
    code = """
        from torch import *
        names = "save load tensor float32 Tensor compile cond Stream Event nn optim DTYPES".split()
        print([n in globals() for n in names])
    """
    (tmp_path / "plain.py").write_text(textwrap.dedent(code))
    done = run(["plain.py"], tmp_path, tmp_path)
    assert output(code, tmp_path, REPO) == done.stdout.splitlines() != []
