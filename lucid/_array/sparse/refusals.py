"""torch's errors for what a sparse array cannot do, named after the op that was called."""

import sys

from ..words import POINTWISE
from .arrays import Coo, SparseArray

LAYOUTS = {"sparse_coo": "Sparse", "sparse_csr": "SparseCsr", "sparse_csc": "SparseCsc"}  # in torch's messages
# ops whose name in a message is that of the ATen op which torch fails in
ATEN = {"slice_of": "as_strided", "slice": "as_strided", "split_every": "as_strided", "squeeze_all": "as_strided"}
ATEN |= {"squeeze_dim": "as_strided", "diagonal": "as_strided", "index_of": "index.Tensor", "max_whole": "max"}
ATEN |= {"softmax": "_softmax", "sparse_softmax": "_sparse_softmax", "sparse_log_softmax": "_sparse_log_softmax"}
ATEN |= {"eq": "eq.Tensor", "ne": "ne.Tensor", "lt": "lt.Tensor", "gt": "gt.Scalar", "mean": "mean.dim"}
TITLES = {"sparse_csr": "Sparse CSR", "sparse_csc": "Sparse CSC"}


def calling_op():
    """The op whose kernel or rule is running: generated functions have it as `OP`, the slow path as `op`. None outside.

    Only errors ask, and words that torch has for one op and not for another.
    """
    frame = sys._getframe(2)
    while frame is not None:
        op = frame.f_globals.get("OP")
        if op is None and frame.f_code.co_name == "run":
            op = frame.f_locals.get("op")
        if op is not None:
            return op
        frame = frame.f_back
    return None


def refused(name, x):
    """The error of a word (or of the op that says it) for the sparse array x."""
    op = calling_op()
    called = name if op is None else ATEN.get(op.name, op.name)
    if x.__class__ is not Coo and name in POINTWISE:
        return RuntimeError(f"unsupported tensor layout: {LAYOUTS[x.layout]}")
    backend = "SparseCPU" if x.__class__ is Coo else "SparseCsrCPU"
    return NotImplementedError(
        f"Could not run 'aten::{called}' with arguments from the '{backend}' backend. This could be because the "
        "operator doesn't exist for this backend, or was omitted during the selective/custom build process (if using "
        "custom build)."
    )


def first_sparse(args):
    """The first sparse array among operands (inside lists, too), or None."""
    for a in args:
        if isinstance(a, SparseArray):
            return a
        if a.__class__ is list or a.__class__ is tuple:
            for b in a:
                if isinstance(b, SparseArray):
                    return b
    return None


def needs_coo(name, x):
    """The error unless x is a COO array."""
    if x.__class__ is not Coo:
        raise refused(name, x)
    return x


def no_storage(x):
    """torch's error for an address that there is none of."""
    return RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")


__all__ = ["LAYOUTS", "TITLES", "calling_op", "first_sparse", "needs_coo", "no_storage", "refused"]
