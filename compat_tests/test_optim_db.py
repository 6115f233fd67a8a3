"""Every optimiser of torch's optim_db, each of its option sets: five steps on a small problem, parameters, rates and state."""

import warnings

import numpy as np
import opdb
import pytest
import torch
from both import close
from gaps import expect
from torch.testing._internal.common_optimizers import optim_db

import lucid

INFOS = {info.optim_cls.__name__: info for info in optim_db}


# Line searches and divisions by small differences make the last bits of float32 grow: 1e-7 in gives as much out in torch alone.
SENSITIVE = {"LBFGS"}


def problem(api, dtype):
    """Two factors, and what their product is to be."""
    rng = np.random.default_rng(7)
    w, v, x, y = (api.tensor(rng.standard_normal(shape), dtype=dtype) for shape in ((4, 3), (3, 4), (5, 4), (5, 4)))
    return w.requires_grad_(), v.requires_grad_(), x, y


def trained(api, cls, options, steps=5):
    w, v, x, y = problem(api, api.float64 if cls.__name__ in SENSITIVE else api.float32)
    optimizer = cls([w, v], **options)

    def closure():
        optimizer.zero_grad()
        loss = ((x @ w @ v - y) ** 2).mean()
        loss.backward()
        if cls.__name__ == "SparseAdam":  # which takes no other
            for p in (w, v):
                p.grad = p.grad.to_sparse()
        return loss

    losses = [float(optimizer.step(closure).item()) for _ in range(steps)]
    return losses, [w, v], optimizer.state_dict()


def keys(state):
    """The keys of a state_dict, of each parameter's state and of each group."""
    return list(state["state"]), [list(s) for s in state["state"].values()], [list(g) for g in state["param_groups"]]


@pytest.mark.parametrize("name", INFOS)
def test_optimizer(name):
    info = INFOS[name]

    def run():
        mine = getattr(lucid.optim, name)
        for case in info.optim_inputs_func("cpu"):
            options = {k: v for k, v in case.kwargs.items()}
            losses, params, state = trained(torch, info.optim_cls, options)
            carried = {k: opdb.carried(v, "cpu", {}) for k, v in options.items()}
            got_losses, got_params, got_state = trained(lucid, mine, carried)
            close(got_losses, losses, f"{case.desc}: losses", rtol=2e-5, atol=1e-6)
            close(got_params, params, f"{case.desc}: parameters", rtol=2e-5, atol=1e-6)
            assert keys(got_state) == keys(state), f"{case.desc}: keys"

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expect("optimizer", name, run)
