"""A result may be written over before backward where torch allows it: what a gradient does not need is not kept.

`batch_norm(x).relu_()`, `max_pool2d(x).mul_(2)` and the like are in every network, so each op is asked here.
"""

import opdb
import pytest
import torch
from both import close
from torch.testing._internal.common_methods_invocations import op_db

import lucid

NAMES = """cummax cummin frexp kthvalue max median min mode msort nanmedian native_batch_norm native_layer_norm
    nn.functional.adaptive_max_pool1d nn.functional.adaptive_max_pool2d nn.functional.batch_norm
    nn.functional.group_norm nn.functional.instance_norm nn.functional.layer_norm nn.functional.max_pool1d
    nn.functional.max_pool2d nn.functional.max_pool3d nn.functional.conv2d nn.functional.linear nn.functional.relu
    exp sigmoid tanh sqrt softmax log_softmax sort topk linalg.lstsq linalg.slogdet amax logsumexp cumsum matmul
    mul div add nn.functional.gelu nn.functional.silu nn.functional.hardswish nn.functional.leaky_relu gather
    index_select clamp""".split()


def given(value, t):
    """A sample's arguments as new tensors of library t."""
    if isinstance(value, torch.Tensor):
        made = value.detach().clone() if t is torch else lucid.from_numpy(value.detach().numpy().copy())
        return made.requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return [given(v, t) for v in value]
    if isinstance(value, dict):
        return {k: given(v, t) for k, v in value.items()}
    return getattr(t, str(value)[6:]) if isinstance(value, torch.dtype) else value


def function(name, t):
    for part in name.split("."):
        t = getattr(t, part)
    return t


def gradient(t, op, sample, which, written=True):
    """What the gradient of the input is once result number `which` was added to, or a word for what is raised."""
    x, args, kwargs = given(sample.input, t), given(sample.args, t), given(sample.kwargs, t)
    f = op.op if t is torch else function(op.name, t)
    out = f(x if isinstance(x, list) else x.clone(), *args, **kwargs)
    results = [out] if isinstance(out, t.Tensor) else [r for r in out if isinstance(r, t.Tensor)]
    if which >= len(results) or not results[which].is_floating_point():
        return None
    try:
        if written:
            results[which].add_(1)
        sum((r.sum() for r in results if r.requires_grad), t.zeros(())).backward()
    except RuntimeError as error:
        return "modified" if "modified by an inplace operation" in str(error) else "refused"
    return None if isinstance(x, list) else x.grad


def cases():
    for op in op_db:
        if op.name in NAMES and not op.variant_test_name.startswith("with_dtype"):
            yield pytest.param(op, id=f"{op.name}{op.variant_test_name and '.' + op.variant_test_name}")


@pytest.mark.parametrize("op", list(cases()))
@pytest.mark.filterwarnings("ignore")
def test_written_result(op):
    samples = list(opdb.sample_inputs(op, requires_grad=True))
    done = 0
    for sample in samples[:: max(1, len(samples) // 4)]:
        for which in (0, 1):
            wanted, got = gradient(torch, op, sample, which), gradient(lucid, op, sample, which)
            if isinstance(wanted, str) and not isinstance(got, str):  # lucid may keep less than torch and allow more
                wanted = gradient(torch, op, sample, which, written=False)
            done += wanted is not None
            if isinstance(wanted, str) or isinstance(got, str):
                assert got == wanted, (which, str(sample.input.shape), sample.args, sample.kwargs)
            elif wanted is not None:
                close(got, wanted, rtol=1e-4, atol=1e-5)
    assert done
