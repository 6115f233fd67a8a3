"""torch.backends.python_native: kernels written in languages inside Python (Triton, CuteDSL); lucid has none. What is
switched on and off is kept to be told back."""

import contextlib

available_dsls: list = []
all_dsls = ["cutedsl", "triton"]
_off: dict = {"dsls": set(), "operations": set(), "dispatch keys": set()}


class DSLController:
    """One of the languages: is it there, is it on?"""

    available, version = False, None

    def __init__(self, name):
        self.name = name

    @property
    def enabled(self):
        """Is it on? Set it to switch."""
        return self.name not in _off["dsls"]

    @enabled.setter
    def enabled(self, on):
        (_off["dsls"].discard if on else _off["dsls"].add)(self.name)

    def enable(self):
        """enable(): on."""
        self.enabled = True

    def disable(self):
        """disable(): off."""
        self.enabled = False

    @contextlib.contextmanager
    def disabled(self):
        """with disabled(): off for a while."""
        before, self.enabled = self.enabled, False
        try:
            yield
        finally:
            self.enabled = before

    def __repr__(self):
        return f"DSLController({self.name}, unavailable, {'enabled' if self.enabled else 'disabled'})"


cutedsl, triton = DSLController("cutedsl"), DSLController("triton")


def get_dsl_operations(dsl_name):
    """get_dsl_operations(name) -> []: no kernel is written so"""
    return []


def is_dsl_disabled(dsl_name):
    """is_dsl_disabled(name) -> bool"""
    return dsl_name in _off["dsls"]


def is_operation_disabled(op_symbol):
    """is_operation_disabled(name) -> bool"""
    return op_symbol in _off["operations"]


def disable_operations(*op_symbols):
    """disable_operations(*names): such kernels of these ops are off"""
    _off["operations"].update(op_symbols)


def enable_operations(*op_symbols):
    """enable_operations(*names): such kernels of these ops are on"""
    _off["operations"].difference_update(op_symbols)


def disable_dispatch_keys(*dispatch_keys):
    """disable_dispatch_keys(*keys): such kernels for these keys are off"""
    _off["dispatch keys"].update(dispatch_keys)


def enable_dispatch_keys(*dispatch_keys):
    """enable_dispatch_keys(*keys): such kernels for these keys are on"""
    _off["dispatch keys"].difference_update(dispatch_keys)


@contextlib.contextmanager
def operations_disabled(*op_symbols):
    """with operations_disabled(*names): such kernels of these ops are off for a while"""
    before = set(_off["operations"])
    disable_operations(*op_symbols)
    try:
        yield
    finally:
        _off["operations"] = before
