"""Anomaly mode: backward errors and NaNs are reported with the forward call they come from. Slow; for debugging."""

import warnings

from .._base.state import enter_unusual, leave_unusual, local


class set_detect_anomaly:
    """Turn anomaly mode on or off at once; as a context manager, until its end."""

    def __init__(self, mode, check_nan=True):
        self.prev, self.prev_check = local.anomaly, local.check_nan
        _switch(mode, check_nan)

    def __enter__(self):
        return None

    def __exit__(self, *args):
        _switch(self.prev, self.prev_check)


class detect_anomaly(set_detect_anomaly):
    """A context in which anomaly mode is on (and says so once)."""

    def __init__(self, check_nan=True):
        self.mode = (True, check_nan)
        self.prev, self.prev_check = local.anomaly, local.check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )

    def __enter__(self):
        self.prev, self.prev_check = local.anomaly, local.check_nan
        _switch(*self.mode)


def _switch(mode, check_nan):
    if not isinstance(mode, bool):
        raise TypeError(
            f"set_anomaly_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}"
        )
    if mode != local.anomaly:
        enter_unusual() if mode else leave_unusual()
    local.anomaly, local.check_nan = mode, check_nan


def is_anomaly_enabled():
    """is_anomaly_enabled() -> bool: is anomaly mode on?"""
    return local.anomaly


def is_anomaly_check_nan_enabled():
    """is_anomaly_check_nan_enabled() -> bool: does anomaly mode look for NaN?"""
    return local.check_nan
