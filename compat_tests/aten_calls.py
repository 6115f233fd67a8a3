"""The ATen calls that dispatch modes see, on torch and on lucid, for torch's sample inputs.

    python compat_tests/aten_calls.py       rewrites data/aten_calls.txt: the ops of op_db whose calls differ, and where

A line is `forward NAME: calls of torch's from the first difference on | calls of lucid's`, a few of each.
"""

import pathlib
import warnings

import opdb
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import lucid
from lucid.utils._python_dispatch import TorchDispatchMode as LucidMode

TABLE = pathlib.Path(__file__).with_name("data") / "aten_calls.txt"
BEYOND = {"as_strided|partial_views"}  # reads memory that a sample carried over does not have
LIMIT = 6
HEAD = """# Ops of op_db whose ATen calls are not torch's, in the forward or in the backward pass, and where they part:
# torch's calls from there on | lucid's. Written by `python compat_tests/aten_calls.py`; it may only shrink.
"""


def recorder(base):
    """A mode of one library's that writes down the calls."""

    class Recorder(base):
        def __init__(self):
            super().__init__()
            self.calls = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.calls.append(str(func).removeprefix("aten.").removesuffix(".default"))
            return func(*args, **(kwargs or {}))

    return Recorder()


def label(op):
    return op.name + (f"|{op.variant_test_name}" if op.variant_test_name else "")


def ops():
    """{name: OpInfo} of what lucid delivers."""
    return {label(op): op for op in opdb.delivered() if label(op) not in BEYOND}


def run(m, base, f, sample):
    """(calls of f, calls of its backward or None, results, gradients) of one sample."""
    m.manual_seed(0)
    forward, backward = recorder(base), recorder(base)
    arg, args, kwargs = sample
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with forward:
            out = f(arg, *args, **kwargs)
        live = [t for t in opdb.leaves(out, m.Tensor) if t.requires_grad]
        leaves = [t for t in opdb.leaves(sample, m.Tensor) if t.requires_grad]
        if not live or not leaves:
            return forward.calls, None, out, None
        with backward:
            grads = m.autograd.grad(live, leaves, [m.ones_like(t) for t in live], allow_unused=True)
    return forward.calls, backward.calls, out, grads


def both(op):
    """((torch's), (lucid's)) of an op's samples, as `run` gives them."""
    f = opdb.counterpart(op)
    for sample in opdb.samples(op, LIMIT):
        try:
            twin = opdb.carried(sample, "cpu", {})
        except opdb.Unsupported:
            continue
        try:
            want = run(torch, TorchDispatchMode, op.op, sample)
        except Exception:
            continue  # torch itself refuses
        yield want, run(lucid, LucidMode, f, twin)


def parted(want, got):
    """Where two lists of calls part, in a few words; None where they are the same."""
    if want == got:
        return None
    at = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
    return f"{' '.join(want[at : at + 4])} | {' '.join(got[at : at + 4])}"


def differences(op):
    """{"forward": where, "backward": where} of the first sample that differs in each."""
    found = {}
    for want, got in both(op):
        for which, a, b in (("forward", want[0], got[0]), ("backward", want[1], got[1])):
            if a is not None and which not in found and (where := parted(a, b or [])) is not None:
                found[which] = where
    return found


def table():
    """{(which, name)} of the ops whose calls are known to differ."""
    lines = [line for line in TABLE.read_text().splitlines() if line and not line.startswith("#")]
    return {tuple(line.partition(": ")[0].split(" ", 1)) for line in lines}


def main():
    """Write the table, and say what share is the same."""
    lines, counts = [], {"forward": [0, 0], "backward": [0, 0]}
    for name, op in ops().items():
        found = differences(op)
        has_backward = any(want[1] is not None for want, _ in both(op))
        for which in ("forward", "backward")[: 1 + has_backward]:
            counts[which][1] += 1
            counts[which][0] += which not in found
        lines += [f"{which} {name}: {where}" for which, where in found.items()]
    TABLE.write_text(HEAD + "\n".join(sorted(lines)) + "\n")
    for which, (same, total) in counts.items():
        print(f"{which}: {same} of {total} ({same / total:.1%})")


if __name__ == "__main__":
    main()
