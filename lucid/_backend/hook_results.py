"""What hooks of the graph may return, and torch's errors for anything else."""

from .._base.dtype import SCALAR_NAMES
from .._tensor.tensor import Tensor


def checked_results(hook, got, before):
    """The tuple that a node's hook returned in place of `before`."""
    if not isinstance(got, tuple):
        raise TypeError(f"expected tuple, but hook returned '{_type_name(got)}'")
    if len(got) != len(before):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(got)}, but expected "
            f"{len(before)})"
        )
    return tuple([g if g is None else checked_result(hook, g, b) for g, b in zip(got, before)])


def checked_result(hook, got, before):
    """The gradient that a hook returned in place of `before`: of its type and shape."""
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(got, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{_type_name(got)}'")
    old, new = before._table, got._table
    if old is not new and (old.dtype is not new.dtype or old.device.type != new.device.type):
        raise RuntimeError(
            f"hook '{_name(hook)}' has changed the type of value (was {_tensor_type(before)} got {_tensor_type(got)})"
        )
    if got._array.shape != before._array.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    return got


def refuse_result(hook, got, tensor):
    """Hooks that run after a gradient was accumulated return nothing."""
    if got is not None:
        checked_result(hook, got, tensor)
        raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def _name(hook):
    return getattr(hook, "__name__", "<unknown>")


def _type_name(x):
    cls = type(x)
    return cls.__name__ if cls.__module__ == "builtins" or isinstance(x, Tensor) else f"{cls.__module__}.{cls.__name__}"


def _tensor_type(t):
    """torch.FloatTensor; what has no such class goes by device and type: CPUComplexFloatType."""
    kind = t._table.device.type
    if kind == "cpu" and not t._table.is_complex:
        return f"torch.{SCALAR_NAMES[t._table.dtype]}Tensor"
    return f"{'CPU' if kind == 'cpu' else kind.capitalize()}{SCALAR_NAMES[t._table.dtype]}Type"
