"""`python -m lucid doctor`: what a report of a fault needs to say, and what is amiss with the installation."""

import importlib
import os
import pathlib
import platform
import sys
from importlib import metadata, util

# What a program's behaviour may depend on.
VARIABLES = """OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS VECLIB_MAXIMUM_THREADS CC LUCID_CACHE PYTHONPATH
    PYTHONHASHSEED""".split()
LIBRARIES = """safetensors torchvision transformers accelerate timm peft diffusers lightning pytorch-lightning
    torchmetrics einops pyro-ppl gpytorch captum""".split()


def version(name):
    """The version of an installed distribution, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _machine():
    yield "python", f"{platform.python_version()} ({platform.python_implementation()}) at {sys.executable}"
    yield "system", f"{platform.platform()}, {platform.machine()}"
    yield "processor", platform.processor() or _linux_processor() or "?"


def _linux_processor():
    """What Linux calls the processor; Python's platform does not ask there."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), None)


def _versions(lucid, faults):
    installed = version("lucid-torch") or "not installed, run from its folder"
    where = os.path.dirname(os.path.abspath(lucid.__file__))
    yield "lucid", f"{installed}, of torch {lucid.__version__}, at {where}"
    for name, least in (("numpy", (1, 26)), ("scipy", (1, 11)), ("ml_dtypes", (0, 5))):
        found = version(name)
        yield name, found or "missing"
        if found is None or tuple(int(p) for p in found.split(".")[:2] if p.isdigit()) < least:
            faults.append(f"{name} {'.'.join(map(str, least))} or later is needed: pip install -U {name}")
    spec = util.find_spec("torch") if "torch" not in sys.modules else None
    yield "real torch", f"at {spec.origin}; `python -m lucid` never uses it" if spec else "not installed"
    if version("lucid") or version("lucid-dl"):
        faults.append("the unrelated PyPI package `lucid` is installed, too: pip uninstall lucid lucid-dl")
    found = [f"{name} {version(name)}" for name in LIBRARIES if version(name)]
    yield "libraries", ", ".join(found) or "none of those that lucid is tried with"


def _blas():
    """The library that numpy multiplies matrices with."""
    numpy = sys.modules["numpy"]
    try:
        blas = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"]
        return f"{blas.get('name')} {blas.get('version')}"
    except Exception:
        return "?"


def _backends(lucid, faults):
    try:
        x = lucid.ones(3, 3)
        works = (x @ x).sum().item() == 27.0
    except Exception as error:
        works, faults = False, faults.append(f"cpu: {type(error).__name__}: {error}") or faults
    yield "cpu", f"{'works' if works else 'does not work'}, BLAS {_blas()}"
    if util.find_spec("mlx") is None:
        yield "mlx", "not installed (pip install 'lucid-torch[mlx]')"
    else:
        try:
            yield "mlx", f"{version('mlx')}, {'works' if lucid.ones(2, device='mlx').sum().item() == 2.0 else 'fails'}"
        except Exception as error:
            yield "mlx", f"{version('mlx')}, fails: {type(error).__name__}: {error}"
            faults.append("mlx is installed and does not work")
    yield "cuda", str(lucid.cuda.is_available())


def _compiler(faults):
    """The C compiler, which optional parts use: tried, not only found."""
    build = importlib.import_module("lucid._codegen.build")
    command = build.compiler()
    if command is None:
        yield "C compiler", "none (optional: CC, gcc, clang, cc, or pip install ziglang)"
        return
    try:
        answer = build.load("int lucid_answer(void) { return 42; }").lucid_answer()
        yield "C compiler", f"{' '.join(command)}, {'works' if answer == 42 else 'does not work'}"
    except Exception as error:
        yield "C compiler", f"{' '.join(command)}, fails: {str(error).splitlines()[0]}"
        faults.append("the C compiler fails; set CC to one that works, or to none")
    yield "cache", build.cache_directory()


def _threads(lucid):
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield "threads", f"{lucid.get_num_threads()} of {available} processors, {lucid.get_num_interop_threads()} interop"
    set_here = [f"{name}={os.environ[name]}" for name in VARIABLES if name in os.environ]
    yield "environment", " ".join(set_here) or "none of " + " ".join(VARIABLES)


def main(arguments):
    """Print the report; 1 when something is amiss."""
    if arguments:
        print("usage: python -m lucid doctor")
        return 0 if arguments[0] in ("-h", "--help") else 2
    lucid = importlib.import_module("lucid")
    faults = []
    for part in (_machine(), _versions(lucid, faults), _backends(lucid, faults), _compiler(faults), _threads(lucid)):
        for name, value in part:
            print(f"{name:12} {value}")
    for fault in faults:
        print(f"amiss        {fault}")
    print("nothing amiss; `python -m lucid selftest` compares numbers with torch's" if not faults else "see above")
    return int(bool(faults))
