"""Matrix products, the large ones shared out to threads.

OpenBLAS gets one thread: how it cuts long sums would depend on how many it had, and so would results. Who has threads
(`sharer`, _codegen/products.py) cuts rows, columns or batches, which no sum runs across. Where nobody can, OpenBLAS has
its threads again.
"""

import numpy as np

from ..._base.state import switches
from .threads import blas_functions, cpus, listeners, set_blas_threads

LARGE = 1 << 22  # multiplications from which a product is cut, on any number of threads
GEMM = {"f": ("scipy_cblas_sgemm64_", "cblas_sgemm64_"), "d": ("scipy_cblas_dgemm64_", "cblas_dgemm64_")}

share = []  # [f(a, b, out) -> the product, None for one that is not shared]; empty where nobody shares
sharer = None  # sharer(threads) -> such a function, None where there can be none


def matmul(a, b, out=None):
    """a @ b as numpy has it."""
    if share and a.size * b.shape[-1] >= LARGE and (found := share[0](a, b, out)) is not None:
        return found
    return a.dot(b) if out is None and a.ndim <= 2 and b.ndim <= 2 else np.matmul(a, b, out)


def set_threads(n):
    """Let products use n threads."""
    if sharer is None:
        share.clear()
        set_blas_threads(n)
    else:
        set_blas_threads(1)
        share[:] = [_first]


def _first(a, b, out):
    """The first product that is large: whoever shares is asked for now."""
    n = switches.threads or cpus("OMP_NUM_THREADS")
    found = sharer(n)
    if found is None:
        share.clear()
        set_blas_threads(n)
        return None
    share[:] = [found]
    return found(a, b, out)


def begin(who):
    """Let `who` share products from now on, where numpy's library can be asked for them."""
    global sharer
    if all(any(True for _ in blas_functions(names)) for names in GEMM.values()):
        sharer = who
        listeners.append(set_threads)
        set_threads(switches.threads or cpus("OMP_NUM_THREADS"))
