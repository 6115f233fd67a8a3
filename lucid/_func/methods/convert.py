"""From one type, device or place in the graph to another: to, cast, clone, detach, copy_, contiguous, resize_, set_."""

from ..._array.lookup import table
from ..._backend.argument_kinds import typename
from ..._backend.autocast import Hooks
from ..._backend.core import func_op, unary_func_op
from ..._backend.dispatch import Speller, asked
from ..._backend.families import Own, zeros_like
from ..._backend.graph import AccumulateGrad, freeze, record
from ..._backend.out_argument import take_shape
from ..._backend.overrides import PLAIN, ask_overrides
from ..._backend.promotion import is_number
from ..._backend.recording import refuse_forbidden
from ..._backend.registry import public, tensor_method
from ..._backend.rules import unbroadcast
from ..._backend.slow_path import compute
from ..._backend.view_history import before_write, check_overlap, follow_base, rebase, reread_views
from ..._base import dtype as dtypes
from ..._base.device import cpu
from ..._base.device import device as device_type
from ..._base.dtype import dtype as dtype_type
from ..._base.errors import BadArgument
from ..._base.shape import contiguous_strides
from ..._base.state import DISPATCH, UNUSUAL, local
from ..._tensor.storage import bump, cut_tangents, is_plain_owner, link_alias, note_detached, stand_alone, write
from ..._tensor.tensor import CHANNELS_LAST, Tensor, bare, contiguous_format, preserve_format, wrap
from ..._tensor.tensor import memory_format as format_type
from ..creation.factory import NOT_IMPLEMENTED, fill_undefined, format_strides
from ..creation.from_data import tensor
from ..creation.gfunc import empty

_PYTHON_TYPES = (bool, int, float, complex)


class cast(Own):
    """cast(input, dtype) -> Tensor: the elements in another type (what `Tensor.to(dtype)` records)."""

    promote, result, node_name, method, namespace, linear = "keep", "of", "ToCopyBackward0", False, None, True

    @unary_func_op()
    def forward(xp, input, dtype):
        d = xp.cast(input, dtype)
        return xp.copy(d) if d is input else d

    def grad_input(xp, g, dtype):
        if not xp.is_complex and dtype.is_complex:
            g = xp.sibling(dtype).real(g)
        return xp.cast(g, xp.dtype)


def _cast_unseen(t, dtype):
    """t in another type, as autocast has it: modes of functions are not told."""
    return compute(cast, (t,), (dtype,))


Hooks.to = _cast_unseen


class transfer(Own):
    """transfer(input, device) -> Tensor: the elements on another device."""

    promote, result, node_name, method, namespace, linear = "keep", "elsewhere", "ToCopyBackward0", False, None, True

    @unary_func_op()
    def forward(xp, input, device):
        return table(xp.dtype, device).import_from(input, xp)

    def table(k, device):
        return table(k.dtype, device)

    def grad_input(xp, g, device):
        return xp.import_from(g, table(xp.dtype, device))


class clone(Own):
    """clone(input, *, memory_format=preserve_format) -> Tensor: a copy, part of the graph."""

    promote, linear = "keep", True

    @unary_func_op()
    def forward(xp, input, *, memory_format=preserve_format):
        order = CHANNELS_LAST.get(memory_format)
        if order is not None:
            return xp.with_strides(input, format_strides(input.shape, order))
        return xp.with_strides(input, None) if memory_format is contiguous_format else xp.copy(input)

    def grad_input(xp, g):
        return g


public(namespace=None, word="copy")(clone.fn)


@public(method=True)
def detach(input):
    """detach(input) -> Tensor: the same memory outside the graph."""
    if type(input) not in PLAIN or UNUSUAL:
        handled, result = ask_overrides(detach, (input,), (input,), {})
        if handled:
            return result
        if DISPATCH and asked((input,)):
            if local.in_formula and input._node is None:
                return input  # torch's own code has no such step
            return Speller.current.detach(input)
    out = wrap(input._array, input._table)
    link_alias(out, input)
    if not input._table.aliases:
        cut_tangents(out)
    return out


@public(method=True)
def detach_(input):
    """detach_() -> self, cut out of its graph."""
    if input._is_view():
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
            "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
            "detach_() cannot be called on these gradients. To fix this error, please refer to the "
            "Optimizer.zero_grad() function in torch/optim/optimizer.py as a solution."
        )
    if input._node is not None and not input._node.is_leaf_end:
        note_detached(input)
    if input._node.__class__ is AccumulateGrad:
        freeze(input)
    input._node = None
    if input._extra is not None and input._extra.storage is not None:
        follow_base(input)
    return input


class copy_from(Own):
    """The record of copy_: the source's gradient is the result's; the old values get none."""

    promote, node_name, method, namespace = "keep", "CopyBackwards", False, None

    @func_op(2)
    def forward(xp, input, src):
        return xp.broadcast_to(src, input.shape)

    def grad_input(xp, g):
        return zeros_like(xp, g)

    def grad_src(xp, g, shapes):
        return unbroadcast(xp, g, shapes[1])


def _name_of_copy(node):
    """name() -> str: as torch names it, whose class this is by hand."""
    return "torch::autograd::CopyBackwards"


copy_from.Node.name = _name_of_copy


def _is_alone(tensor):
    """Has a tensor memory of its own, which no other tensor reads?"""
    m = tensor._extra
    return is_plain_owner(tensor) and (m is None or m.storage is None or len(m.storage._tensors) < 2)


@tensor_method
def copy_(self, src, non_blocking=False):
    """copy_(src, non_blocking=False) -> self, its elements overwritten by src's (broadcast, cast, from any device)."""
    if UNUSUAL or type(self) not in PLAIN or type(src) not in PLAIN:
        if not isinstance(src, Tensor):
            if not is_number(src):
                raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}")
            return self.fill_(src)
        handled, result = ask_overrides(copy_, (self, src), (self, src), {})
        if handled:
            return result
    k, wanted = self._table, self._array.shape
    if not UNUSUAL and k is src._table and k.aliases and self._node is src._node is None:
        m = src._extra
        if wanted == src._array.shape and _is_alone(self) and (m is None or m.mirror is None and not m.inference):
            write(self, src._array)  # nothing is recorded, refused or converted
            return self
    seen = DISPATCH and asked((self, src))
    if src._array.ndim > len(wanted) or any(n not in (1, m) for n, m in zip(src._array.shape[::-1], wanted[::-1])):
        raise RuntimeError(
            f"The size of tensor a ({wanted[-1] if wanted else 1}) must match the size of tensor b "
            f"({src._array.shape[-1]}) at non-singleton dimension {len(wanted) - 1}"
            if wanted and src._array.ndim <= len(wanted)
            else f"output with shape {list(wanted)} doesn't match the broadcast shape {list(src._array.shape)}"
        )
    if k.is_sparse is not src._table.is_sparse:
        one, two = self.type(), src.type()
        raise RuntimeError(
            f"copy_() between dense and sparse Tensors is not implemented! Found self type = {one} and src type = {two}"
        )
    if src._table.is_transform or k.is_transform and src._table.device_group is not k.device_group:
        top = (src._table if src._table.is_transform else k).merged([src._table, k])
        src = top.adopt(src)
    edges = (self._node, src._node)
    recording = local.grad and any(e is not None for e in edges) and k.inexact
    before_write(self, recording, expanded=k.aliases and k is src._table and self.is_set_to(src))
    if recording:
        refuse_forbidden(edges)
    check_overlap(self, src)
    if seen:
        Speller.current.copied(self, src)
        return _recorded_copy(self, src, k, edges, wanted) if recording else self
    if k.is_sparse and k.replaces("copy", self._array):
        stand_alone(self)
    d = src._array if src._table.device == k.device else k.import_from(src._array, src._table)
    if src._table.is_transform:
        d = src._table.settled(d, self)
        k = self._table
    write(self, k.of(d).cast(d, k.dtype) if src._table.device == k.device else k.cast(d, k.dtype))
    if recording:
        return _recorded_copy(self, src, k, edges, wanted)
    reread_views(self)
    return self


def _recorded_copy(self, src, k, edges, wanted):
    node = record(copy_from.Node, k, edges, shape_0=wanted, shape_1=src._array.shape)
    if src._table is not k:
        node.casts = (k, src._table)
    rebase(self, node)
    return self


# ---- to


@tensor_method
def to(self, *args, device=None, dtype=None, non_blocking=False, copy=False, memory_format=preserve_format, other=None):
    """to(dtype), to(device), to(device, dtype), to(other) -> Tensor: self when nothing changes and copy is False."""
    rest = []
    if len(args) > 1:
        _check_order(args)
    for a in args:
        if isinstance(a, Tensor):
            device, dtype = a.device, a.dtype
        elif isinstance(a, dtype_type) or a in _PYTHON_TYPES:
            dtype = a
        elif isinstance(a, (str, device_type)):
            device = a
        elif isinstance(a, format_type):
            memory_format = a
        elif isinstance(a, bool):
            rest.append(a)
        elif isinstance(a, int):
            device = device_type("cuda", a)
        elif isinstance(a, (float, complex)):  # stands for a tensor of its type
            device, dtype = cpu, dtypes.float64 if isinstance(a, float) else dtypes.complex128
        elif a is not None:
            raise TypeError(f"to() received an invalid combination of arguments - got ({type(a).__name__})")
    if other is not None:
        device, dtype = other.device, other.dtype
    if len(rest) > 1:
        copy = rest[1]
    if dtype is not None and not isinstance(dtype, dtype_type):
        try:
            dtype = dtypes.as_dtype(dtype)
        except BadArgument as trouble:
            raise trouble.of("to") from None
    if UNUSUAL or type(self) not in PLAIN:
        given = {"copy": copy} if copy else {}
        handled, result = ask_overrides(
            to, (self,), (self, *args), {**given, **({"device": device, "dtype": dtype} if not args else {})}
        )
        if handled:
            return result
    return _moved(self, device, dtype, copy, memory_format)


def _check_order(args):
    """TypeError unless to()'s arguments are a device and a type, or one of them, or a tensor, and then truth values."""
    device = args[0] is None or isinstance(args[0], (str, device_type)) or type(args[0]) is int
    typed = device and (args[1] is None or isinstance(args[1], dtype_type) or args[1] in _PYTHON_TYPES)
    rest = args[1 + typed :]
    if len(rest) > 2 or not all(isinstance(a, bool) for a in rest):
        given = ", ".join(map(typename, args))
        raise TypeError(
            f"to() received an invalid combination of arguments - got ({given}), but expected one of:\n{_TO}"
        )


_TO = """ * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = False, *, \
torch.memory_format memory_format = None)
 * (torch.dtype dtype, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)
 * (Tensor tensor, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)
"""


def _moved(self, device=None, dtype=None, copy=False, memory_format=preserve_format):
    out, k = self, self._table
    if device is not None:
        place = device if isinstance(device, device_type) else device_type(device)
        if place.type == "cpu":
            place = cpu
        if place != k.device:
            wanted = table(k.dtype if dtype is None or not k.device.type == "meta" else dtype, place)
            if k.device.type == "meta":
                raise NotImplementedError("Cannot copy out of meta tensor; no data!")
            if wanted is not k:
                out = transfer.fn(out, wanted.device)
    if dtype is not None and dtype is not k.dtype:
        out = cast.fn(out, dtype)
    if memory_format in CHANNELS_LAST or memory_format is contiguous_format:
        if not out.is_contiguous(memory_format=memory_format) or out is self and copy:
            return clone.fn(out, memory_format=memory_format)
        return out
    return cast.fn(out, k.dtype) if copy and out is self else out


def _caster(name, dtype):
    def f(self, memory_format=preserve_format):
        return self if dtype is self._table.dtype and not UNUSUAL else to(self, dtype, memory_format=memory_format)

    f.__name__, f.__doc__ = name, f"{name}() -> Tensor of type {dtype}."
    setattr(Tensor, name, f)


for _name, _dtype in {
    "float": dtypes.float32,
    "double": dtypes.float64,
    "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16,
    "long": dtypes.int64,
    "int": dtypes.int32,
    "short": dtypes.int16,
    "char": dtypes.int8,
    "byte": dtypes.uint8,
    "bool": dtypes.bool_,
    "chalf": dtypes.complex32,
    "cfloat": dtypes.complex64,
    "cdouble": dtypes.complex128,
}.items():
    _caster(_name, _dtype)


def _on_cpu(self, memory_format=preserve_format):
    """cpu() -> Tensor on the CPU."""
    return to(self, cpu, memory_format=memory_format)


def _on_cuda(self, device=None, non_blocking=False, memory_format=preserve_format):
    """cuda() -> torch's error: lucid computes on cpu and mlx."""
    return to(self, device_type("cuda") if device is None else device, memory_format=memory_format)


Tensor.cpu, Tensor.cuda = _on_cpu, _on_cuda


@tensor_method
def type_as(self, other):
    """type_as(other) -> Tensor of other's type and device."""
    return to(self, device=other.device, dtype=other.dtype)


@tensor_method
def new(self, *args, device=None):
    """new(...) -> torch's old constructor of tensors like self."""
    return Tensor._construct(*args, dtype=self.dtype, device=device or self.device)


@tensor_method
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
    """new_tensor(data) -> Tensor: a copy of data in self's type, on self's device."""
    if isinstance(data, Tensor):
        out = data.detach().clone().to(dtype=dtype or data.dtype, device=device or data.device)
        return out.requires_grad_(requires_grad)
    return tensor(data, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad)


@tensor_method
def contiguous(self, memory_format=contiguous_format):
    """contiguous() -> Tensor: self when it is dense and row-major, else such a copy."""
    whole = bare(self) if self._table.is_transform and memory_format is contiguous_format else self
    return self if whole.is_contiguous(memory_format=memory_format) else clone.fn(self, memory_format=memory_format)


@tensor_method
def resize_(self, *size, memory_format=contiguous_format):
    """resize_(*size) -> self with another shape; the elements that fit stay, new ones are undefined."""
    shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    if self._node is not None:
        raise RuntimeError("cannot resize variables that require grad")
    if memory_format is preserve_format:
        raise RuntimeError("Unsupported memory formatPreserve")
    if shape != self._array.shape or memory_format in CHANNELS_LAST:
        order = CHANNELS_LAST.get(memory_format)
        had = self._array.size
        take_shape(self, shape, None if order is None else format_strides(shape, order))
        fill_undefined(self, had)
        bump(self)
        reread_views(self)
    return self


@public(method=True)
def resize_as_(self, the_template, memory_format=contiguous_format):
    """resize_as_(tensor) -> self with tensor's shape."""
    return self.resize_(the_template.shape)


@tensor_method
def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """set_(source) -> self, now reading source's memory."""
    if source is None:
        source = empty(0, dtype=self.dtype, device=self.device)
    if not isinstance(source, Tensor):  # a storage
        source = source._tensor(self.dtype, storage_offset, size, stride, True)
    elif size is not None:
        source = source.as_strided(
            tuple(size), stride if stride is not None else contiguous_strides(tuple(size)), storage_offset
        )
    if source._table.dtype is not self._table.dtype:
        raise RuntimeError(
            f"Could not set tensor of type {dtypes.C_NAMES[source.dtype]} to a tensor of type "
            f"{dtypes.C_NAMES[self.dtype]}"
        )
    recording = local.grad and self._table.inexact and any([t._node is not None for t in (self, source)])
    before_write(self, recording, expanded=True)
    bump(self)
    self._take_data(source)
    if recording:
        self._node = record(NOT_IMPLEMENTED, self._table, (self._node, source._node), refused="aten::set_")
    return self
