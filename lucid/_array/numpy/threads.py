"""How many threads the array library's matrix products use."""

import os

import numpy as np

_SETTERS = (
    "scipy_openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
)


def cpus(variable=None) -> int:
    """How many this process may use: as many as the environment variable says, else as the system has."""
    said = os.environ.get(variable, "").split(",")[0] if variable else ""
    if said.isdigit() and int(said):
        return int(said)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def blas_functions(names):
    """From each BLAS library that numpy's wheel brought along and has loaded: its first function of these names."""
    import ctypes
    import pathlib

    here = pathlib.Path(np.__file__).parent
    for folder in (here.parent / "numpy.libs", here / ".dylibs"):
        for path in folder.glob("*openblas*") if folder.is_dir() else ():
            try:
                library = ctypes.CDLL(str(path))
            except OSError:
                continue
            for name in names:
                if hasattr(library, name):
                    yield getattr(library, name)
                    break


def set_blas_threads(n) -> bool:
    """Let matrix products use n threads; False when the library could not be told."""
    try:
        import threadpoolctl
    except ImportError:
        told = False
        for setter in blas_functions(_SETTERS):
            setter(n)
            told = True
        return told
    threadpoolctl.threadpool_limits(n, user_api="blas")
    return True


# what else is told of a number of threads: the pool of native kernels joins when it is loaded
listeners = []


def set_pool_threads(n):
    """Let native kernels use n threads."""
    for tell in listeners:
        tell(n)
