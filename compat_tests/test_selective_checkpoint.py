"""Selective checkpointing: what runs again in backward, and its errors, compared with torch."""

import functools

import pytest
from both import same, same_outcome


def tools(m):
    if m.__name__ == "torch":
        import torch.utils.checkpoint as checkpoint
        from torch.utils._python_dispatch import TorchDispatchMode
    else:
        import lucid.utils.checkpoint as checkpoint
        from lucid.utils._python_dispatch import TorchDispatchMode
    return checkpoint, TorchDispatchMode


def counted(m, part, context_fn, times=1):
    """The gradients of a checkpointed part, and the matrix products that ran forward and backward."""
    checkpoint, base = tools(m)

    class Count(base):
        products = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            Count.products += func is m.ops.aten.mm.default
            return func(*args, **(kwargs or {}))

    x = m.arange(9.0).view(3, 3).sin().requires_grad_()
    w = m.arange(9.0).view(3, 3).cos().requires_grad_()
    with Count():
        out = checkpoint.checkpoint(part, x, w, use_reentrant=False, context_fn=context_fn)
        yield out.detach(), Count.products
        for _ in range(times):
            yield m.autograd.grad(out.sum(), (x, w), retain_graph=True), Count.products


def part(x, w):
    return ((x @ w) @ w).sigmoid() * w


def policies(m):
    policy = tools(m)[0].CheckpointPolicy
    mm = m.ops.aten.mm.default
    return {
        "a list": [mm],
        "nothing": [],
        "a policy": lambda ctx, op, *args, **kwargs: policy.MUST_SAVE if op is mm else policy.PREFER_RECOMPUTE,
        "bools": lambda ctx, op, *args, **kwargs: op is mm and not ctx.is_recompute,
        "everything": lambda ctx, op, *args, **kwargs: policy.PREFER_SAVE,
    }


@pytest.mark.parametrize("which", ["a list", "nothing", "a policy", "bools", "everything"])
def test_what_runs_again(which):
    def run(m):
        make = tools(m)[0].create_selective_checkpoint_contexts
        return counted(m, part, functools.partial(make, policies(m)[which]))

    same(run, looks="stride", rtol=1e-5)


def test_twice():
    def run(m):
        make = tools(m)[0].create_selective_checkpoint_contexts
        return list(counted(m, part, functools.partial(make, policies(m)["a list"]), times=2))

    same_outcome(run)


def test_a_kept_result_that_is_written():
    def written(x, w):
        y = x @ w
        return (y.relu_() @ w).exp()

    for allowed in (False, True):

        def run(m):
            make = tools(m)[0].create_selective_checkpoint_contexts
            make = functools.partial(make, policies(m)["a list"], allow_cache_entry_mutation=allowed)
            x = m.arange(9.0).view(3, 3).sin().requires_grad_()
            out = tools(m)[0].checkpoint(written, x, x.detach(), use_reentrant=False, context_fn=make)
            return type(m.autograd.grad(out.sum(), x)).__name__

        same_outcome(run)


def test_what_is_no_policy():
    make = "create_selective_checkpoint_contexts"
    same_outcome(lambda m: getattr(tools(m)[0], make)([m.ops.aten.mm]), text=False)
    same_outcome(lambda m: getattr(tools(m)[0], make)(3))
