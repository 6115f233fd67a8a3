"""Triton texts run by Triton's interpreter, on torch's tensors; libdevice, which it does not have, is numpy's here.

The environment must say TRITON_INTERPRET=1 before triton is imported.
"""

import functools

import numpy as np
import torch
import triton.language as tl
from triton.runtime.interpreter import TensorHandle

from lucid._array.numpy.table import TABLES
from lucid._codegen.numpy_words import flat
from lucid._codegen.triton import triton_kernels

# libdevice's names that numpy spells otherwise; words of the CPU's tables where numpy has no such function.
NAMES = dict(
    nearbyint="rint", pow="power", atan2="arctan2", asin="arcsin", acos="arccos", atan="arctan", asinh="arcsinh",
    acosh="arccosh", atanh="arctanh", j0="bessel_j0", j1="bessel_j1", y0="bessel_y0", y1="bessel_y1",
    cyl_bessel_i0="i0", cyl_bessel_i1="i1", normcdfinv="ndtri",
)  # fmt: skip


class Libdevice:
    """Every function of libdevice by numpy."""

    def __getattr__(self, name):
        return functools.partial(_call, NAMES.get(name, name))


def _call(name, *operands):
    first = next(x for x in operands if isinstance(x, tl.tensor))
    kind, scalar = first.handle.data.dtype, first.dtype.scalar
    arrays = [x.handle.data if isinstance(x, tl.tensor) else np.array([x], kind) for x in operands]
    shaped = np.broadcast_arrays(*arrays)
    function = getattr(np, name) if hasattr(np, name) and name != "i0" else getattr(TABLES[kind], name)
    found = np.asarray(function(*[np.ascontiguousarray(a) for a in shaped])).astype(kind)
    return tl.tensor(TensorHandle(found, scalar), tl.block_type(scalar, list(found.shape)))


def load(texts):
    """A function for each Text, called as those of other targets."""
    shapes = [(t.name, t.extra) for t in texts]
    return [
        functools.partial(_run, k) for k in triton_kernels([t.text for t in texts], shapes, {"libdevice": Libdevice()})
    ]


def _run(kernel, *given):
    kernel(*[_tensor(flat(a)) for a in given[:-1]], 1)


def _tensor(a):
    """A torch tensor in a numpy array's memory."""
    if a.dtype.name == "bfloat16":
        return torch.from_numpy(a.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(a)


__all__ = ["Libdevice", "load"]
