"""Errors of devices, which programs catch; and of arguments, before the function that was called adds its name."""


class BadArgument(TypeError):
    """An argument of the wrong type: "argument 'dtype' must be torch.dtype, not str"."""

    def __init__(self, name, wanted, value=None, problem=None):
        super().__init__(f"argument '{name}' " + (problem or f"must be {wanted}, not {type(value).__name__}"))

    def of(self, function):
        """The TypeError that a user of `function` sees."""
        return TypeError(f"{function}(): {self}")


class OutOfMemoryError(RuntimeError):
    """The device's memory is used up; lucid never raises it, programs catch it."""


class AcceleratorError(RuntimeError):
    """An error that a device reported; lucid never raises it."""


class JITException(Exception):
    """An exception in TorchScript; lucid never raises it, programs catch it."""


JITException.__module__, JITException.__name__, JITException.__qualname__ = "lucid.jit", "Error", "Error"
OutOfMemoryError.__module__ = AcceleratorError.__module__ = "lucid"


class LinAlgError(RuntimeError):
    """A matrix that a solver could not work with: singular, not positive definite, or not a number."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LinAlgError.__module__ = "torch._C"
