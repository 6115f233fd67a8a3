"""Lets a program written for torch run on lucid unchanged: `torch` and all its submodules become lucid's own modules.

    python -m lucid script.py args      python -m lucid -m module args      python -m lucid -c code args

`install()` does the renaming alone, for a process that something else started. Under either, a module of lucid has
one object and two names, `torch.nn` and `lucid.nn`; it calls itself by the torch one, so reprs, pickles and warnings
read as torch's. Nothing is ever taken from a real torch, installed or not.
"""

import importlib
import io
import os
import sys
import types
from importlib.machinery import BuiltinImporter, ModuleSpec, PathFinder, SourceFileLoader, SourcelessFileLoader

USAGE = """\
usage: python -m lucid [-c code | -m module | script.py | directory | -] [args ...]
The program's `import torch` means lucid; everything else is python's own behaviour.
       python -m lucid check script.py ...   which names of torch it uses that lucid lacks, without running it
       python -m lucid doctor                versions, devices, compiler, threads: what a report of a fault needs
       python -m lucid selftest              compares results with torch's, without torch, in seconds
       python -m lucid cache [clear]         shows what was compiled on this machine, or removes it"""
# Words that are commands, not programs, unless a program of that name is there to run.
COMMANDS = ("cache", "check", "doctor", "selftest")


def _twin(name):
    """The other name of a module: `torch.nn` for `lucid.nn` and back; None for a module that is not ours."""
    root, dot, rest = name.partition(".")
    if root == "torch":
        return "lucid" + dot + rest
    if root == "lucid":
        return "torch" + dot + rest
    return None


class _Alias:
    """Loads a module that exists, or can be imported, under its other name: the same object, as it was."""

    def __init__(self, target):
        self.target = target

    def create_module(self, spec):
        module = importlib.import_module(self.target)
        # importlib is about to put the alias's spec on the module; exec_module puts the module's own spec back.
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        spec = module.__spec__
        if spec.loader is self:
            module.__spec__ = spec.loader_state


class TorchFinder:
    """The first finder of `sys.meta_path`: answers for `torch` and `lucid`, and for the metadata of torch."""

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname in _PATCHES:
            return _watched(PathFinder.find_spec(fullname, path), _PATCHES[fullname])
        if fullname.partition(".")[0] == "functorch":  # torch's wheel has it at the top
            return ModuleSpec(fullname, _Alias("torch._functorch.face" + fullname[9:]), is_package=True)
        twin = _twin(fullname)
        if twin is None:
            return None
        if target is not None:  # importlib.reload
            return target.__spec__
        if twin in sys.modules:
            return ModuleSpec(fullname, _Alias(twin), is_package=hasattr(sys.modules[twin], "__path__"))
        if fullname.startswith("torch."):
            # Loaded under the torch name from the start, so that every class in it says torch of itself.
            return _both_names(PathFinder.find_spec(fullname, path), twin) or cls._missing(fullname, path)
        found = PathFinder.find_spec(fullname, path)
        if found is None:
            return None
        return ModuleSpec(fullname, _Alias(twin), is_package=found.submodule_search_locations is not None)

    @classmethod
    def _missing(cls, fullname, path):
        """None, so that python raises its own error; unless a later finder would bring in the real torch's module."""
        for finder in sys.meta_path:
            if finder in (cls, PathFinder) or not hasattr(finder, "find_spec"):
                continue
            if finder.find_spec(fullname, path) is not None:
                raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None

    @staticmethod
    def find_distributions(context=None):
        """`importlib.metadata.version("torch")` is the version of torch whose behaviour lucid has."""
        from importlib import metadata

        class TorchDistribution(metadata.Distribution):
            def read_text(self, filename):
                if filename != "METADATA":
                    return None
                return f"Metadata-Version: 2.1\nName: torch\nVersion: {sys.modules['lucid'].__version__}\n"

            def locate_file(self, path):
                return os.path.join(_root(), path)

        name = getattr(context, "name", None)
        if name is None or name.lower() == "torch":
            yield TorchDistribution()


def _both_names(spec, twin):
    """The spec of a module of ours, which will be known by its other name, too, as soon as it exists."""
    if spec is None or spec.loader is None:
        return spec
    load = spec.loader.exec_module

    def exec_module(module):
        sys.modules[twin] = module
        try:
            load(module)
        except BaseException:
            sys.modules.pop(twin, None)
            raise

    spec.loader.exec_module = exec_module
    return spec


def _root():
    """The directory that holds the package lucid."""
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _claim(thing, seen):
    """Make a class or function that calls itself lucid's call itself torch's, with all it contains."""
    if isinstance(thing, property):
        for part in (thing.fget, thing.fset, thing.fdel):
            _claim(part, seen)
        return
    thing = getattr(thing, "__func__", thing)  # classmethod and staticmethod
    if not isinstance(thing, (type, types.FunctionType)) or id(thing) in seen:
        return
    home = vars(thing).get("__module__") if isinstance(thing, type) else thing.__module__
    if not isinstance(home, str) or home.partition(".")[0] not in ("lucid", "torch"):
        return
    seen.add(id(thing))
    name = "torch" + home[len("lucid") :]
    if isinstance(thing, type):
        type.__setattr__(thing, "__module__", name)
        for value in tuple(vars(thing).values()):
            _claim(value, seen)
    else:
        thing.__module__ = name


def _rename(module, name, seen):
    """Give a module that was imported as lucid's its torch name, wherever python keeps the name."""
    module.__name__ = name
    if isinstance(getattr(module, "__package__", None), str):
        module.__package__ = _twin(module.__package__) if module.__package__.startswith("lucid") else module.__package__
    spec = getattr(module, "__spec__", None)
    if spec is not None:
        # The loader checks the name it is asked for, and relative imports check spec.parent: all three move together.
        spec.name = name
        if isinstance(getattr(spec.loader, "name", None), str):
            spec.loader.name = name
    for value in tuple(vars(module).values()):
        _claim(value, seen)


def install():
    """From here on `torch` means lucid in this process, and in the processes that multiprocessing starts from it."""
    if TorchFinder in sys.meta_path:
        return
    importlib.import_module("lucid")
    for name in [n for n in sys.modules if n.partition(".")[0] in ("torch", "functorch")]:
        del sys.modules[name]
    seen = set()
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "lucid" and isinstance(module, types.ModuleType):
            sys.modules[_twin(name)] = module
            if module.__name__ == name:
                _rename(module, _twin(name), seen)
    sys.meta_path.insert(0, TorchFinder)
    for name, patch in _PATCHES.items():
        if name in sys.modules:
            patch(sys.modules[name])


def _watched(spec, patch):
    """Patch a module of multiprocessing once it is imported: importing it for every program would cost 20 ms."""
    load = spec.loader.exec_module

    def exec_module(module):
        load(module)
        patch(module)

    spec.loader.exec_module = exec_module
    return spec


class _InstallInChild:
    """An item of the data a spawned child reads before it imports the main script; reading it installs lucid there."""

    def __reduce__(self):
        code = (
            f"import sys; sys.path.insert(0, {_root()!r}); import lucid._launcher; sys.path.pop(0); "
            "lucid._launcher.install()"
        )
        return exec, (code, {})


def _patch_spawn(spawn):
    prepare = spawn.get_preparation_data

    def get_preparation_data(name):
        return {**prepare(name), "lucid": _InstallInChild()}

    spawn.get_preparation_data = get_preparation_data


def _patch_reduction(reduction):
    """Let the pickles of multiprocessing share the memory of tensors, as torch does from its import on; what it takes
    is imported with the first tensor."""

    def reduce(thing):
        importlib.import_module("lucid.multiprocessing.reductions").init_reductions()
        return reduction.ForkingPickler._extra_reducers[type(thing)](thing)

    for where in _SHARING:
        module, _, name = where.rpartition(".")
        if f"lucid.{module}" in sys.modules:
            reduction.register(getattr(sys.modules[f"lucid.{module}"], name), reduce)


_SHARING = (
    "_tensor.tensor.Tensor",
    "nn.parameter.Parameter",
    "_serial.untyped.UntypedStorage",
    "_serial.typed.TypedStorage",
)
_PATCHES = {"multiprocessing.spawn": _patch_spawn, "multiprocessing.reduction": _patch_reduction}


# --- running a program as python itself would ---------------------------------------------------------------------


def _fresh_main(**attributes):
    """A new `__main__`, holding exactly what python's own holds when it starts a program."""
    ours = vars(sys.modules["__main__"])
    module = types.ModuleType("__main__")
    if "__annotations__" in ours:  # python 3.13 and earlier
        module.__annotations__ = {}
    if "__file__" in attributes and "__cached__" in ours:  # python 3.14 and earlier
        module.__cached__ = None
    module.__builtins__ = sys.modules["builtins"]
    vars(module).update(attributes)
    sys.modules["__main__"] = module
    return vars(module)


def _set_path0(entry):
    if not sys.flags.safe_path:
        sys.path[0] = entry


def _warn_of_namesake():
    """Say so when `lucid` on the program's path is another package: its `import lucid` still gets this one."""
    try:
        spec = PathFinder.find_spec("lucid")
    except (ImportError, ValueError):
        return
    if spec is None or spec.origin is None:  # a mere directory named lucid holds no package
        return
    ours = sys.modules["lucid"].__file__
    if os.path.realpath(spec.origin) != os.path.realpath(ours):
        print(
            f"lucid: {spec.origin} is an unrelated module that is also named lucid and comes first on the path; "
            f"in this program `import lucid` and `import torch` mean {os.path.dirname(ours)}",
            file=sys.stderr,
        )


def _read_code(path):
    """The code of a script, compiled or source, or python's own message and exit code 2 when it cannot be read."""
    import pkgutil

    try:
        with io.open_code(path) as file:
            code = pkgutil.read_code(file)
        if code is not None:
            return code, SourcelessFileLoader("__main__", path)
        with io.open_code(path) as file:
            source = file.read()
    except OSError as error:
        print(f"{sys.executable}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}", file=sys.stderr)
        raise SystemExit(2) from None
    return compile(source, path, "exec", dont_inherit=True), SourceFileLoader("__main__", path)


def _run_script(script):
    import pkgutil

    path = script
    if not os.path.isabs(path):  # as python does it: ./ and .. stay
        path = os.path.join(os.getcwd(), path)
    if pkgutil.get_importer(path) is not None:  # a directory or an archive with a __main__.py
        _set_path0(path)
        if sys.flags.safe_path:
            sys.path.insert(0, path)
        _warn_of_namesake()
        return _run_module("__main__", alter_argv=False)
    code, loader = _read_code(path)
    _set_path0(os.path.dirname(os.path.realpath(path)))
    _warn_of_namesake()
    exec(code, _fresh_main(__loader__=loader, __file__=path))


def _run_module(name, alter_argv=True):
    import runpy

    _fresh_main(__loader__=BuiltinImporter)
    # What `python -m` calls; it has no public name, and run_module differs in argv, in __main__ and in its errors.
    runpy._run_module_as_main(name, alter_argv)


def _run_string(source, filename="<string>"):
    _set_path0("")
    _warn_of_namesake()
    code = compile(source, filename, "exec", dont_inherit=True)
    attributes = {} if filename == "<string>" else {"__file__": filename}
    exec(code, _fresh_main(__loader__=BuiltinImporter, **attributes))


def _run_stdin():
    _run_string(sys.stdin.buffer.read(), "<stdin>")


def _program(first, rest):
    """What the command line asks for, as (sys.argv, function, its arguments), or None when it asks for nothing."""
    if first[:2] in ("-c", "-m"):
        flag, what = first[:2], first[2:]
        if not what:
            if not rest:
                print(f"Argument expected for the {flag} option\n{USAGE}", file=sys.stderr)
                raise SystemExit(2)
            what, *rest = rest
        # python, too, ends the code of -c with a newline.
        return ([flag, *rest], _run_module, (what,)) if flag == "-m" else ([flag, *rest], _run_string, (what + "\n",))
    if first == "-":
        return [first, *rest], _run_stdin, ()
    if not first.startswith("-"):
        return [first, *rest], _run_script, (first,)
    if first not in ("-h", "--help", "-V", "--version"):
        print(f"unknown option {first}\n{USAGE}", file=sys.stderr)
        raise SystemExit(2)
    return None


def _without_us(traceback):
    """The part of a traceback that belongs to the program: all after the last frame of the launcher's start."""
    mine = {_run_script.__code__, _run_module.__code__, _run_string.__code__, _run_stdin.__code__, _read_code.__code__}
    inner, entry = traceback, traceback
    while entry is not None:
        if entry.tb_frame.f_code in mine:
            inner = entry.tb_next
        entry = entry.tb_next
    return inner


def _checkable():
    """What `check` would be told to look at this program: its file, as it was called."""
    return sys.argv[0] if sys.argv and os.path.isfile(sys.argv[0]) else "script.py"


def _add_hint(error):
    """Below an uncaught error about a missing torch name, say that lucid is what lacks it."""
    missing = None
    if isinstance(error, ImportError) and error.name:
        missing = error.name
    elif isinstance(error, AttributeError):
        missing = error.obj.__name__ if isinstance(error.obj, types.ModuleType) else type(error.obj).__module__
    if missing is not None and missing.partition(".")[0] in ("torch", "lucid"):
        error.add_note(
            "(torch is lucid in this program, and lucid does not have this; "
            f"`python -m lucid check {_checkable()}` lists all that is missing, docs/supported.md what it has.)"
        )


def _clean_excepthook(program_hook):
    """A `sys.excepthook` for one call, which hands the program's own hook what python itself would have."""

    def excepthook(kind, error, traceback):
        sys.excepthook = program_hook
        error.__traceback__ = sys.last_traceback = _without_us(traceback)
        _add_hint(error)
        program_hook(kind, error, error.__traceback__)

    return excepthook


def _about():
    from importlib import metadata, util

    def version(name):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            return None

    lucid = importlib.import_module("lucid")
    print(f"lucid {version('lucid-torch') or '(not installed)'}, torch {lucid.__version__} in Python, at {_root()}")
    print(f"  cpu   numpy {version('numpy')}")
    mlx = version("mlx") if util.find_spec("mlx") else None
    print(f"  mlx   mlx {mlx}" if mlx else "  mlx   not installed (pip install 'lucid-torch[mlx]')")
    print(USAGE)


def _command():
    """The function behind a word of COMMANDS, when `sys.argv` names one and no program of that name."""
    word = sys.argv[1] if len(sys.argv) > 1 else None
    if word not in COMMANDS or os.path.isfile(word) or os.path.isfile(os.path.join(word, "__main__.py")):
        return None
    return importlib.import_module(f"{__package__}._commands.{word}").main


def main():
    """Run what `sys.argv` asks for; a program's exit code, output and traceback are those it has under python."""
    command = _command()
    if command is not None:
        sys.exit(command(sys.argv[2:]))
    program = _program(sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else None
    if program is None:
        return _about()
    sys.argv, run, arguments = program
    install()
    if run is _run_module:
        _warn_of_namesake()
    launcher = sys.modules["__main__"]  # kept while the program runs: a module that is let go loses its names
    try:
        run(*arguments)
    except SystemExit:
        raise
    except BaseException:
        # Let it pass, so that python ends the process as it always does, and only clean what it is about to print.
        sys.excepthook = _clean_excepthook(sys.excepthook)
        raise
    finally:
        del launcher
