"""Moving and casting all tensors of a module: to, float, half, cpu, type, apply, to_empty."""

import warnings

from ..._backend.registry import FUNCTIONS
from ..._backend.swap import swap_tensors
from ..._base.device import device as device_type
from ..._base.dtype import as_dtype
from ..._base.dtype import dtype as dtype_type
from ..._base.state import switches
from ..._tensor.tensor import Tensor
from ..._tensor.tensor import memory_format as format_type
from .._ops import no_recording
from ..parameter import Parameter

_COMPLEX = (
    "Complex modules are a new feature under active development whose design may change, and some modules might not "
    "work as expected when using complex tensors as parameters or buffers. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as "
    "expected."
)


class ModuleConversion:
    """The part of Module that converts its tensors."""

    def _apply(self, fn, recurse=True):
        """Replace each parameter's data, each gradient's data and each buffer by fn of it."""
        if recurse:
            for child in self.children():
                child._apply(fn)
        for name, p in self._parameters.items():
            if p is None:
                continue
            with no_recording():
                new = fn(p)
                new_grad = None if p.grad is None else fn(p.grad)
            if switches.swap_params:
                self._swap_in(p, new, new_grad)
                continue
            if new.device.type == p.device.type:
                grad = p.grad
                if new is not p:
                    p.data = new
                if new_grad is not None and new_grad is not grad:
                    grad.data = new_grad
                continue
            moved = self._parameters[name] = Parameter(new, p.requires_grad)
            if new_grad is not None:
                moved.grad = new_grad.requires_grad_(p.grad.requires_grad)
        for name, t in self._buffers.items():
            if t is not None:
                self._buffers[name] = fn(t)
        return self

    def _swap_in(self, p, new, new_grad):
        """p becomes the converted parameter, and its gradient the converted one: the same objects."""
        grad, p.grad = p.grad, None
        swap_tensors(p, Parameter(new, p.requires_grad))
        if new_grad is not None:
            swap_tensors(grad, new_grad.requires_grad_(grad.requires_grad))
            p.grad = grad

    def apply(self, fn):
        """apply(fn) -> self: fn(module) for every submodule, then for self."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def cuda(self, device=None):
        """cuda(device=None) -> self: torch's error, for lucid computes on cpu and mlx."""
        return self._apply(lambda t: t.cuda(device))

    def ipu(self, device=None):
        """ipu(device=None) -> self: torch's error."""
        return self._apply(lambda t: t.to(device_type("ipu") if device is None else device))

    def xpu(self, device=None):
        """xpu(device=None) -> self: torch's error."""
        return self._apply(lambda t: t.to(device_type("xpu") if device is None else device))

    def mtia(self, device=None):
        """mtia(device=None) -> self: torch's error."""
        return self._apply(lambda t: t.to(device_type("mtia") if device is None else device))

    def cpu(self):
        """cpu() -> self, its tensors on the CPU."""
        return self._apply(lambda t: t.cpu())

    def type(self, dst_type):
        """type(dst_type) -> self, its tensors of that type."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self):
        """float() -> self, its floating point tensors as float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self):
        """double() -> self, its floating point tensors as float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self):
        """half() -> self, its floating point tensors as float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self):
        """bfloat16() -> self, its floating point tensors as bfloat16."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def to_empty(self, *, device, recurse=True):
        """to_empty(*, device, recurse=True) -> self, its tensors on device with undefined values."""
        return self._apply(lambda t: FUNCTIONS["empty_like"](t, device=device), recurse=recurse)

    def to(self, *args, **kwargs):
        """to(device), to(dtype), to(device, dtype), to(tensor); non_blocking=, memory_format= -> self

        A dtype (floating point or complex) applies to such tensors only; a memory format to those with 4 or 5
        dimensions.
        """
        device, dtype, non_blocking, order = _parse_to(*args, **kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError(
                    f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
                )
            if dtype.is_complex:
                warnings.warn(_COMPLEX, stacklevel=2)

        def convert(t):
            how = {"memory_format": order} if order is not None and t.dim() in (4, 5) else {}
            kind = dtype if t.is_floating_point() or t.is_complex() else None
            try:
                return t.to(device=device, dtype=kind, non_blocking=non_blocking, **how)
            except NotImplementedError as e:
                if str(e) != "Cannot copy out of meta tensor; no data!":
                    raise
                raise NotImplementedError(
                    f"{e} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() "
                    "when moving module from meta to a different device."
                ) from None

        return self._apply(convert)

    def share_memory(self):
        """share_memory() -> self, its tensors in memory that other processes can map."""
        return self._apply(lambda t: t.share_memory_())


def _parse_to(*args, device=None, dtype=None, non_blocking=False, copy=False, memory_format=None, tensor=None):
    """(device, dtype, non_blocking, memory_format) from the arguments of Module.to."""
    args = list(args)
    if args and isinstance(args[0], Tensor):
        tensor = args.pop(0)
    elif args and isinstance(args[0], (dtype_type, type)):
        dtype = args.pop(0)
    elif args and (args[0] is None or isinstance(args[0], (str, int, device_type)) and not isinstance(args[0], bool)):
        device = args.pop(0)
        if args and (args[0] is None or isinstance(args[0], dtype_type)):
            dtype = args.pop(0)
    if tensor is not None:
        device, dtype = tensor.device, tensor.dtype
    if isinstance(dtype, type):
        dtype = as_dtype(dtype)
    if args and isinstance(args[0], bool):
        non_blocking = args.pop(0)
        if args and isinstance(args[0], bool):
            args.pop(0)
    if args or memory_format is not None and not isinstance(memory_format, format_type):
        got = ", ".join(type(a).__name__ for a in args)
        raise TypeError(
            f"to() received an invalid combination of arguments - got ({got}), but expected one of:\n"
            " * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool "
            "copy = False, *, torch.memory_format memory_format = None)\n"
            " * (torch.dtype dtype, bool non_blocking = False, bool copy = False, *, torch.memory_format "
            "memory_format = None)\n"
            " * (Tensor tensor, bool non_blocking = False, bool copy = False, *, torch.memory_format "
            "memory_format = None)\n"
        )
    return None if device is None else device_type(device), dtype, non_blocking, memory_format
