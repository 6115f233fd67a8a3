"""Errors of devices, which programs catch."""


class OutOfMemoryError(RuntimeError):
    """The device's memory is used up; lucid never raises it, programs catch it."""


class AcceleratorError(RuntimeError):
    """An error that a device reported; lucid never raises it."""


OutOfMemoryError.__module__ = AcceleratorError.__module__ = "lucid"
