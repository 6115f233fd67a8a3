"""torch._dynamo.exc: what compiling raises."""

from .._higher_order_ops.errors import UncapturedHigherOrderOpError

__all__ = [
    "UncapturedHigherOrderOpError",
    "TorchDynamoException",
    "Unsupported",
    "InternalTorchDynamoError",
    "UserError",
    "BackendCompilerFailed",
    "RecompileError",
    "RecompileLimitExceeded",
    "FailOnRecompileLimitHit",
]


class TorchDynamoException(RuntimeError):
    """The base of what torch.compile raises."""


class TensorifyScalarRestartAnalysis(TorchDynamoException):
    """Reading starts again with numbers as tensors; lucid does not need to."""


class Unsupported(TorchDynamoException):
    """fullgraph=True met what no graph can say."""


class InternalTorchDynamoError(TorchDynamoException):
    """The compiler itself failed."""


class UserError(Unsupported):
    """The program uses the compiler's functions in a wrong way."""


class BackendCompilerFailed(TorchDynamoException):
    """A backend raised while it compiled a graph."""

    def __init__(self, backend_fn, inner_exception, first_useful_frame=None):
        self.backend_name = getattr(backend_fn, "__name__", "?")
        self.inner_exception = inner_exception
        super().__init__(f"backend={self.backend_name!r} raised:\n{type(inner_exception).__name__}: {inner_exception}")


class FailOnRecompileLimitHit(Exception):
    """fullgraph=True and more variants than config.recompile_limit."""


class RecompileError(TorchDynamoException):
    """config.error_on_recompile, and no variant fits."""


class RecompileLimitExceeded(TorchDynamoException):
    """More variants of a function than config.recompile_limit."""


class Break(Exception):
    """Reading stops before an instruction, which is to run as Python; not seen outside."""

    def __init__(self, reason, told=None):
        super().__init__(reason)
        self.reason, self.told = reason, told  # told: the parts of torch's message (messages.py)


class Failing(Break):
    """A call of torch's fails on what is known of the tensors: the function is to fail as Python."""


class Again(Exception):
    """A graph that changes nothing raised: its segment is to run as Python, for what comes before and for the error."""

    def __init__(self, error):
        self.error = error
