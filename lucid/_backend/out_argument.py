"""out=: results written into the caller's tensors."""

from .._base.dtype import SCALAR_NAMES
from .._base.promotion import can_cast
from .._base.state import local
from .._base.warn import warn
from .._tensor.storage import write
from .._tensor.tensor import Tensor


def refuse_out_gradients(op, flat, out):
    """RuntimeError where an operand or out itself wants a gradient: what is written into out is not recorded."""
    if not local.grad:
        return
    outs = out if isinstance(out, (tuple, list)) else (out,)
    if any(isinstance(t, Tensor) and t._node is not None for t in [*flat, *outs]):
        raise RuntimeError(
            f"{op.name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )


def store_out(name, result, out):
    """Write result(s) into the caller's tensor(s) and give those back."""
    if isinstance(result, tuple):
        if not isinstance(out, (tuple, list)) or len(out) != len(result):
            raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
        for r, o in zip(result, out):
            store_out(name, r, o)
        return type(result)(*out) if hasattr(result, "_fields") or hasattr(result, "_make") else tuple(out)
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if not can_cast(result._table.dtype, out._table.dtype):
        raise RuntimeError(
            f"result type {SCALAR_NAMES[result._table.dtype]} can't be cast to the desired output type "
            f"{SCALAR_NAMES[out._table.dtype]}"
        )
    if out._table.device != result._table.device:
        raise RuntimeError(f"Expected out tensor to be on {result._table.device}, but it is on {out._table.device}")
    if out._array.shape != result._array.shape:
        if out._array.size:
            warn(
                f"An output with one or more elements was resized since it had shape {list(out._array.shape)}, which "
                f"does not match the required output shape {list(result._array.shape)}. This behavior is deprecated, "
                "and in a future PyTorch release outputs will not be resized unless they have zero elements. You can "
                "explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
                UserWarning,
            )
        out.resize_(result._array.shape)
    write(out, result._array)
    return out
