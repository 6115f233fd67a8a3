"""Every op of torch's table as a program: torch.export's module has eager's values and gradients, also where all sizes of
its first tensor are left open. The graphs call ATen's overloads directly, with gradients, as no other test does.
"""

import warnings

import opdb
import pytest
import torch
from gaps import expect
from test_aot_op_db import NUMBERS, OPS, ran
from test_export import check_same

import lucid

ERROR = lucid.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode
# Samples whose results have a size or value that only a run knows, besides those of test_aot_op_db.
NUMBERS = NUMBERS | {"cov", "masked_select"}


def program(f, dynamic):
    """f, exported for its arguments and run; what is no tensor is part of the program."""

    def call(*args, **kwargs):
        found, structure = lucid.utils._pytree.tree_flatten((args, kwargs))
        places = [i for i, x in enumerate(found) if isinstance(x, lucid.Tensor)]

        class M(lucid.nn.Module):
            def forward(self, *tensors):
                given = list(found)
                for i, t in zip(places, tensors):
                    given[i] = t
                a, k = lucid.utils._pytree.tree_unflatten(given, structure)
                return f(*a, **k)

        tensors = tuple([found[i] for i in places])
        open_sizes = {i: lucid.export.Dim.AUTO for i in range(tensors[0].dim())} if tensors else {}
        shapes = ((open_sizes, *[None] * (len(tensors) - 1)),) if dynamic and tensors else None
        made = lucid.export.export(M(), tensors, dynamic_shapes=shapes)
        lucid.manual_seed(0)
        return made.module()(*tensors)

    return call


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPS)
def test_values_and_gradients(name):
    op = OPS[name]
    f = opdb.counterpart(op)
    dtype = (
        torch.float32 if torch.float32 in op.dtypes else torch.int64 if torch.int64 in op.dtypes else torch.complex64
    )

    def run():
        for number, sample in enumerate(opdb.samples(op, 2, dtype)):
            try:
                opdb.carried(sample, "cpu", {})
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    want = ran(f, sample)
            except (opdb.Unsupported, RuntimeError, NotImplementedError, ValueError, TypeError, IndexError):
                continue
            try:
                got = ran(program(f, number == 1), sample)
            except ERROR:
                assert name in NUMBERS
                continue
            assert got[0] == want[0]
            check_same(
                [_filled(x, y) for x, y in zip(got[1:], want[1:])], [_filled(y, x) for x, y in zip(got[1:], want[1:])]
            )

    expect("export_op", name, run)


def _filled(found, other):
    """Gradients with zeros for None where the other has numbers."""
    return [o * 0 if f is None and o is not None else f for f, o in zip(found, other)]
