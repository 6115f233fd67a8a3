"""swap_in_optimizer_params_and_state: an optimizer that works on other parameters for a while."""

import collections
import contextlib

from .._base.entering import at_home
from .._tensor.tensor import Tensor

_NAME = "swap_in_optimizer_params_and_state"


def _need(condition, message):
    if not condition:
        raise RuntimeError(message)


def _state_of(given):
    """The `state` of a state_dict, by the numbers of parameters."""
    _need(isinstance(given, dict), f"{_NAME} requires a DCP-style optimizer state_dict.")
    state = given.get("state")
    _need(
        isinstance(state, dict),
        f"{_NAME} requires swapin_optim_state['state'] to be a dict mapping packed parameter ids to per-param state "
        f"dicts, got {type(state).__name__}.",
    )
    _need(
        not any(isinstance(key, Tensor) for key in state),
        f"{_NAME} requires optimizer.state_dict()-style state keyed by packed parameter ids.",
    )
    _need(
        all(isinstance(one, dict) for key, one in state.items() if isinstance(key, int)),
        f"{_NAME} requires per-parameter optimizer state entries to be dictionaries.",
    )
    return state


def _numbers_of(i, live, group):
    """The numbers of a group's parameters."""
    _need(isinstance(group, dict), f"{_NAME} requires each optimizer param group to be a dictionary.")
    numbers = group.get("params")
    _need(
        isinstance(numbers, list) and all(isinstance(n, int) for n in numbers),
        f"{_NAME} requires optimizer.state_dict()-style param_groups[*]['params'] entries keyed by packed parameter "
        "ids.",
    )
    _need(
        len(live["params"]) == len(numbers),
        f"swapin_optim_state param group {i} has a different number of params than the live optimizer param group.",
    )
    strangers, missing = [k for k in group if k not in live], [k for k in live if k not in group]
    _need(
        not strangers and not missing,
        f"{_NAME} requires optimizer.state_dict()-style param group keys to exactly match the live optimizer group "
        f"keys for group {i}. Keys only in swap-in: {strangers}. Keys only in live: {missing}.",
    )
    return numbers


def _plan(optimizer, parameters, given):
    """(state by number, [(live group, group, its numbers, its parameters)])"""
    _need(optimizer.state, f"{_NAME} requires initialized optimizer state.")
    state, groups = _state_of(given), given.get("param_groups")
    _need(
        isinstance(groups, list),
        f"{_NAME} requires swapin_optim_state['param_groups'] to be a list of param-group dicts, got "
        f"{type(groups).__name__}.",
    )
    _need(
        len(optimizer.param_groups) == len(groups),
        "swapin_optim_state has a different number of parameter groups than the live optimizer.",
    )
    plan, left = [], list(parameters.values())
    for i, (live, group) in enumerate(zip(optimizer.param_groups, groups)):
        numbers = _numbers_of(i, live, group)
        _need(
            len(numbers) <= len(left),
            f"{_NAME} requires the explicit parameter state to match optimizer.param_groups ordering.",
        )
        plan.append((live, group, numbers, left[: len(numbers)]))
        left = left[len(numbers) :]
    extra = [key for key in state if not any(key in numbers for _, _, numbers, _ in plan)]
    _need(
        not extra,
        f"{_NAME} requires swapin_optim_state['state'] to be keyed only by packed parameter ids from "
        f"param_groups[*]['params']; got extra keys {extra!r}.",
    )
    return state, plan


@contextlib.contextmanager
def swap_in_optimizer_params_and_state(optimizer, swapin_parameters, swapin_optim_state):
    """with swap_in_optimizer_params_and_state(optimizer, {name: tensor}, state_dict): the optimizer steps these tensors
    with that state (a state_dict() of it); afterwards it has its own again.

    Tensors are written in place; what else changes in the state is forgotten. RuntimeError where the state is not of
    the optimizer's form, or the optimizer has none yet.
    """
    state, plan = _plan(optimizer, swapin_parameters, swapin_optim_state)
    before, groups = optimizer.state, [dict(group) for group in optimizer.param_groups]
    try:
        swapped = collections.defaultdict(dict)
        for live, group, numbers, parameters in plan:
            live.update(group, params=parameters)
            swapped.update((p, dict(state.get(n, {}))) for p, n in zip(parameters, numbers))
        optimizer.state = swapped
        yield
    finally:
        for live, kept in zip(optimizer.param_groups, groups):
            live.clear()
            live.update(kept)
        optimizer.state = before


swap_in_optimizer_params_and_state.__module__ = at_home("lucid.optim")
