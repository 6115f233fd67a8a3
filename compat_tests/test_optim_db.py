"""Every optimiser of torch's optim_db, each of its option sets: five steps on a small problem, parameters, rates and state."""

import warnings

import opdb
import pytest
import torch
from gaps import expect
from torch.testing._internal.common_optimizers import optim_db

import lucid

INFOS = {info.optim_cls.__name__: info for info in optim_db}


# Line searches and divisions by small differences make the last bits of float32 grow: 1e-7 in gives as much out in torch alone.
SENSITIVE = {"LBFGS"}


def problem(api, dtype):
    api.manual_seed(7)
    w, v = api.randn(4, 3).to(dtype).requires_grad_(), api.randn(3, 4).to(dtype).requires_grad_()
    return w, v, api.randn(5, 4).to(dtype), api.randn(5, 4).to(dtype)


def trained(api, cls, options, steps=5):
    w, v, x, y = problem(api, api.float64 if cls.__name__ in SENSITIVE else api.float32)
    optimizer = cls([w, v], **options)

    def closure():
        optimizer.zero_grad()
        loss = ((x @ w @ v - y) ** 2).mean()
        loss.backward()
        return loss

    losses = [float(optimizer.step(closure).item()) for _ in range(steps)]
    return losses, [w, v], optimizer.state_dict()


def plain(value):
    """State in terms that compare."""
    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, lucid.Tensor):
        return torch.from_numpy(value.detach().numpy().copy())
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


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
            assert got_losses == pytest.approx(losses, rel=2e-5, abs=1e-6), f"{case.desc}: losses"
            torch.testing.assert_close(
                [plain(p) for p in got_params],
                [plain(p) for p in params],
                rtol=2e-5,
                atol=1e-6,
                msg=lambda m: f"{case.desc}: parameters: {m}",
            )
            a, b = plain(state), plain(got_state)
            assert list(a["state"]) == list(b["state"]) and [list(s) for s in a["state"].values()] == [
                list(s) for s in b["state"].values()
            ], f"{case.desc}: state keys"
            assert [list(g) for g in a["param_groups"]] == [list(g) for g in b["param_groups"]], (
                f"{case.desc}: group keys"
            )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expect("optimizer", name, run)
