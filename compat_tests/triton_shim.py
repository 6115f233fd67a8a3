"""Triton texts run by Triton's interpreter, on torch's tensors; libdevice, which it does not have, is numpy's here.

The environment must say TRITON_INTERPRET=1 before triton is imported.
"""

import functools

import numpy as np
import torch
import triton.language as tl
from triton.runtime.interpreter import TensorHandle
from triton_stand_in import libdevice

from lucid._codegen.numpy_words import flat
from lucid._codegen.triton import triton_kernels


class Libdevice:
    """Every function of libdevice by numpy."""

    def __getattr__(self, name):
        return functools.partial(_call, name)


def _call(name, *operands):
    first = next(x for x in operands if isinstance(x, tl.tensor))
    kind, scalar = first.handle.data.dtype, first.dtype.scalar
    found = libdevice(name, *[x.handle.data if isinstance(x, tl.tensor) else np.array([x], kind) for x in operands])
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
