"""Calls of every function of torch that is in lucid's table of signatures, each with one argument of an odd class.

A call is said once, by names of values, and made for either library: `Call("torch", "softmax", ("2d", "bool"), {})`.
"""

import dataclasses
import inspect
import itertools
import pathlib
import random

import numpy as np
import torch

import lucid
from lucid._backend import signatures

TABLE = pathlib.Path(signatures.__file__).with_name("signatures.txt")


class Idx:
    def __index__(self):
        return 1


class Flt:
    def __float__(self):
        return 1.0


VALUES = {
    "True": lambda m: True,
    "1": lambda m: 1,
    "1.0": lambda m: 1.0,
    "1j": lambda m: 1j,
    "np.int64": lambda m: np.int64(1),
    "np.float64": lambda m: np.float64(1),
    "np.float32": lambda m: np.float32(1),
    "np.bool_": lambda m: np.bool_(True),
    "np 0-d": lambda m: np.array(1),
    "np 1-d": lambda m: np.array([1]),
    "t int": lambda m: m.tensor(1),
    "t float": lambda m: m.tensor(1.0),
    "t bool": lambda m: m.tensor(True),
    "t [1]": lambda m: m.tensor([1]),
    "t [1.]": lambda m: m.tensor([1.0]),
    "t grad": lambda m: m.tensor(1.0, requires_grad=True),
    "Idx": lambda m: Idx(),
    "Flt": lambda m: Flt(),
    "'1'": lambda m: "1",
    "None": lambda m: None,
    "[1]": lambda m: [1],
    "(1,)": lambda m: (1,),
    "[]": lambda m: [],
    "[1.0]": lambda m: [1.0],
    "['a']": lambda m: ["a"],
    "[True]": lambda m: [True],
    "[np.int64]": lambda m: [np.int64(1)],
    "[t int]": lambda m: [m.tensor(1)],
    "[t float]": lambda m: [m.tensor(1.0)],
    "[t bool]": lambda m: [m.tensor(True)],
    "[Idx]": lambda m: [Idx()],
    "[1, True]": lambda m: [1, True],
    "[1, 1.0]": lambda m: [1, 1.0],
    "[1, 'a']": lambda m: [1, "a"],
    "[1, np.int64]": lambda m: [1, np.int64(1)],
    "[1, None]": lambda m: [1, None],
    "Size": lambda m: m.Size([1]),
    "dtype": lambda m: m.float32,
    "device": lambda m: m.device("cpu"),
    "object": lambda m: object(),
    "dict": lambda m: {},
    "range": lambda m: range(1),
}
USUAL = {
    "2d": lambda m: m.ones(2, 2),
    "0": lambda m: 0,
    "0.5": lambda m: 0.5,
    "False": lambda m: False,
    "'mean'": lambda m: "mean",
    "[2d, 2d]": lambda m: [m.ones(2, 2), m.ones(2, 2)],
    "[0, 1]": lambda m: [0, 1],
    "strided": lambda m: m.strided,
    "preserve": lambda m: m.preserve_format,
}
ALL = VALUES | USUAL
# what a parameter of each kind usually gets
GOOD = {
    "Tensor": "2d", "TensorList": "[2d, 2d]", "int64_t": "0", "SymInt": "1", "IntArrayRef": "[0, 1]",
    "SymIntArrayRef": "[1]", "DoubleList": "[1.0]", "OptionalTensorList": "[2d, 2d]", "bool": "False", "double": "0.5", "Scalar": "1",
    "ScalarList": "[1.0]", "ScalarType": "dtype", "Layout": "strided", "MemoryFormat": "preserve", "Device": "device",
    "Generator": "None", "string_view": "'mean'", "Dimname": "None", "DimnameList": "None", "Storage": "None",
    "Stream": "None", "PyObject*": "None",
    "AnyTensor": "2d",
}  # fmt: skip
# functions with effects of their own, or that torch leaves undefined for such calls
LEFT_OUT = set(
    """set_ resize_ resize_as_ as_strided as_strided_ as_strided_scatter from_file record_stream share_memory_ cuda xpu
    ipu mtia map_ map2_ apply_ empty_quantized data_ptr is_pinned pin_memory sspaddmm""".split()
)


@dataclasses.dataclass(frozen=True)
class Call:
    """One call; arguments are names of ALL."""

    place: str
    name: str
    args: tuple
    kwargs: tuple

    def given(self, m):
        """(args, kwargs) in one library."""
        return [ALL[a](m) for a in self.args], {n: ALL[a](m) for n, a in self.kwargs}

    def of(self, m):
        """Make it in one library."""
        args, kwargs = self.given(m)
        if self.place == "Tensor":
            return getattr(m.ones(2, 2), self.name)(*args, **kwargs)
        return function(m, self.place, self.name)(*args, **kwargs)

    def in_python(self):
        """Is it one of torch's functions in Python?"""
        return not (inspect.isbuiltin(f := function(torch, self.place, self.name)) or inspect.ismethoddescriptor(f))

    def __str__(self):
        given = [*self.args, *[f"{n}={v}" for n, v in self.kwargs]]
        return f"{self.place}.{self.name}({', '.join(given)})"


def function(m, place, name):
    """A function of the table, in one library; None where it has none such."""
    if place == "Tensor":
        return getattr(m.Tensor, name, None)
    module = m if place == "torch" else m.nn.functional if place == "F" else getattr(m, place, None)
    return getattr(module, name.removeprefix(f"{place}_"), None)


def names():
    """(place, name) of every function in the table that lucid has."""
    found = dict.fromkeys(tuple(line.partition("(")[0].split(".")) for line in TABLE.read_text().splitlines())
    return [f for f in found if f[1] not in LEFT_OUT and not f[1].startswith("__") and function(lucid, *f) is not None]


def calls(place, name):
    """Every call of one function: each parameter of each overload with each odd value, by position and by keyword."""
    for s in signatures.signatures(place, name):
        if s.old:
            continue
        usual = [GOOD[p.kind] for p in s.parameters]
        for i, p in enumerate(s.parameters):
            if p.name in ("names", "out"):
                continue
            for value in VALUES:
                if p.keyword_only:
                    args = [u for u, q in zip(usual, s.parameters) if not q.keyword_only and not q.optional]
                    kwargs = [(p.name, value)]
                else:
                    args = [*usual[:i], value]
                    args += [u for u, q in zip(usual[i + 1 :], s.parameters[i + 1 :]) if not q.optional]
                    args = args[: s.n_positional]
                    kwargs = []
                kwargs += [
                    (q.name, u) for u, q in zip(usual, s.parameters) if q.keyword_only and not q.optional and q is not p
                ]
                yield Call(place, name, tuple(args), tuple(kwargs))


def sample(count, seed):
    """A seeded choice of calls; all with count None."""
    every = list(itertools.chain.from_iterable(calls(*f) for f in names()))
    return every if count is None else random.Random(seed).sample(every, count)
