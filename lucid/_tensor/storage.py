"""Who shares memory with whom: storages, versions, and writing through views.

A tensor that nobody views and nobody wrote to has no Storage object; one is made at the first view or write. With numpy
the arrays alias by nature, and a write is a copy into memory. With a library whose arrays never alias (mlx, traced
graphs) the storage keeps the root array; a write runs through the writer's chain of view ops onto the root, and every
other tensor of the storage reads its part again.
"""

import collections
import weakref

from .._array.table import TransformArray, owner
from .._base.state import INFERENCE, clock, local, tick
from .mirror import Mirror, Mirrors, memory_of, memory_steps, mirror_of


class Extra:
    """What most tensors do not have: a gradient, a storage, a base. `Tensor._extra` is None or one of these."""

    # Defaults of the class: a view, made a million times, sets only what it has.
    grad = storage = base = tangents = mirror = None
    frozen = None  # the AccumulateGrad of a leaf that wants no gradient for now
    version_offset = 0  # what its version had counted before `x.data = y` gave it another memory
    chain = ()  # (view op, options) from the storage's root to this tensor
    from_multi_view = inference = False
    made_without_grad = None  # "no_grad" or "inference": the mode that a view was made in
    marked = False  # from_multi_view, made_without_grad or a mirror was set: what views of this one take over


class Storage:
    """Shared memory: its version, and weak references to the tensors that read it."""

    __slots__ = (
        "version",
        "last_write",
        "write_ticks",
        "root",
        "_tensors",
        "_prune_at",
        "uncounted",
        "detached",
        "owner",
        "mirrors",
        "older",
        "family",  # set where `.data` was asked for: weak references to the Storages of this memory
        "__weakref__",
    )

    def __init__(self, root=None, private=False):
        self.version = self.last_write = 0
        self.write_ticks = None  # ticks of the newest writes, to tell which version a node had saved
        self.root = root  # the whole array, for libraries that do not alias
        self.uncounted = private  # made by `.data` of an array that has no second owner: its writes do not count
        self.detached = ()  # (tick, array) of tensors that were cut out of their graph in place
        self.owner = None  # the array whose memory this is, where storage_offset is to count from it
        self.mirrors = None  # the Mirrors of its memory
        self._tensors, self._prune_at = [], 16
        self.older = 0  # how many of _tensors are older than the last write

    def add(self, tensor):
        tensors = self._tensors
        if len(tensors) >= self._prune_at:
            self.older = sum([ref() is not None for ref in tensors[: self.older]])
            self._tensors = tensors = [ref for ref in tensors if ref() is not None]
            self._prune_at = 2 * len(tensors) + 16
        tensors.append(weakref.ref(tensor))

    def tensors(self):
        """The tensors alive that share this memory."""
        return [t for ref in self._tensors if (t := ref()) is not None]

    def has_seen_write(self, tensor):
        """Was the memory written since this tensor came to be?"""
        return any(ref() is tensor for ref in self._tensors[: self.older])

    def version_at(self, seq):
        """The version a graph node of sequence number `seq` saw."""
        return self.version - sum(tick > seq for tick in self.write_ticks or ())


class SparseStorage(Storage):
    """That of a sparse tensor, which has no views: what a view op makes of one is a tensor of its own."""

    __slots__ = ()

    def __init__(self, root):
        super().__init__(root)
        self._prune_at = -1  # so that every new reader is told to `add`

    def add(self, tensor):
        m = tensor._extra
        if m.chain:
            if m.made_without_grad and tensor._node is not None and not local.grad:
                tensor._node = None
            is_inference = m.inference
            tensor._extra, tensor._table = None, tensor._table.of(tensor._array)
            if is_inference:
                mark_inference(tensor)
            return
        self._tensors = [*[ref for ref in self._tensors if ref() is not None], weakref.ref(tensor)]


def stand_alone(tensor) -> None:
    """The sparse tensor gets other places and values by a write that those who share its own do not see."""
    m = extra(tensor)
    version = 0 if m.storage is None else m.storage.version + m.version_offset
    m.storage, m.version_offset = SparseStorage(tensor._array), version
    m.storage.add(tensor)


# Makes the node of a view that was made without recording, of a tensor that requires a gradient: lucid._backend.graph
# puts its own here.
untracked = None

# Storages that were written to, by the id of the array that owns the memory.
_WRITTEN: dict[int, Storage] = {}


def extra(tensor) -> Extra:
    m = tensor._extra
    if m is None:
        m = tensor._extra = Extra()
    return m


def storage_of(tensor) -> Storage:
    """The tensor's Storage, made now if it has none."""
    m = extra(tensor)
    if m.storage is None:
        if tensor._table.is_sparse:
            m.storage = SparseStorage(tensor._array)
        else:
            m.storage = Storage(None if tensor._table.aliases else tensor._array)
        m.storage.add(tensor)
    return m.storage


def is_plain_owner(tensor) -> bool:
    """Is a tensor no view, nothing conjugated, and not made under inference_mode?"""
    m = tensor._extra
    return m is None or m.base is m.mirror is None and not m.inference and not m.chain


def link_view(out, source, op, options, grad_on) -> None:
    """Record that `out` is `op` of `source`, in the same memory."""
    m = source._extra
    if m is None or m.storage is None:
        storage_of(source)
        m = source._extra
    out._extra = e = Extra()
    e.storage = storage = m.storage
    e.chain = (*m.chain, (op, options))
    base = m.base
    e.base = base = source if base is None else base
    if m.marked or not grad_on:
        _take_over(out, e, m, (op, source._table, options), grad_on)
    tensors = storage._tensors
    if len(tensors) < storage._prune_at:
        tensors.append(_weak(out))
    else:
        storage.add(out)


_weak = weakref.ref


def _take_over(out, e, m, step, grad_on) -> None:
    """The view `out` of a tensor with m gets m's marks, and those of a mode that records nothing."""
    e.marked = True
    if m.made_without_grad or not grad_on:
        _made_silently(out, e, m, e.base)
    if m.from_multi_view:
        e.from_multi_view = True
    if m.mirror is not None:
        e.mirror = m.mirror.step(*step)


def _made_silently(out, e, m, base) -> None:
    """The view `out` of a tensor with m was made in a mode that records nothing, or is a view of such a view."""
    if m.inference:
        mark_inference(out)
        e.base = None
        return
    e.made_without_grad = m.made_without_grad or ("inference" if local.inference else "no_grad")
    if out._node is None and base._node is not None and out._table.inexact:
        out._node = untracked()


def mark_inference(tensor) -> None:
    """tensor was made under inference_mode: no version is counted for it, and its views are no views to autograd."""
    m = extra(tensor)
    if not INFERENCE:
        INFERENCE.append(None)
    m.inference, m.made_without_grad, m.marked = True, "inference", True


def link_views(outs, source, part, op, options, grad_on) -> None:
    """link_view for all outputs of a view op with several; part(op, i) is the step that gives the i-th."""
    storage, m = storage_of(source), source._extra
    chain, special = m.chain, m.marked or not grad_on
    base = source if m.base is None else m.base
    for i, out in enumerate(outs):
        out._extra = e = Extra()
        e.storage, e.base, e.from_multi_view, e.marked = storage, base, True, True
        e.chain = (*chain, (part(op, i), options))
        if special:
            _take_over(out, e, m, (part(op, i), source._table, options), grad_on)
        storage.add(out)


def link_mirror(out, source, conj=False, neg=False) -> None:
    """Record that `out`, a view of `source` whose values are conjugated or negated, follows source's memory."""
    k, e, m = out._table, out._extra, mirror_of(source)
    memory = memory_of(source) if k.aliases else None
    e.mirror = mirror = Mirror(memory, conj != (m is not None and m.conj), neg != (m is not None and m.neg))
    e.marked = True
    if not (mirror.conj or mirror.neg):
        e.mirror = None
        if memory is not None:
            out._array = memory
    elif memory is not None:
        storage = e.storage
        if storage.mirrors is None:
            storage.mirrors = Mirrors()
        out._array = storage.mirrors.add(k, out._array, mirror)
        _note_written(out._array, storage)


def link_alias(out, source, private=False) -> None:
    """Record that `out` is the same memory as `source`, outside its graph (`detach`, `.data`)."""
    storage, m = storage_of(source), source._extra
    out._extra = e = Extra()
    e.chain, e.mirror, e.marked = m.chain, m.mirror, m.mirror is not None
    if m.inference:
        mark_inference(out)
    if not private:
        e.storage = storage
    elif source._table.aliases:
        k = source._table
        if k.is_complex and storage.mirrors is None:
            storage.mirrors = (
                Mirrors()
            )  # what will be a conjugated view of the one is read anew after writes to the other
        if e.mirror is None:
            out._array = k.apart(source._array)
        e.storage = Storage(private=out._array is source._array)
        e.storage.owner, e.storage.mirrors = storage.owner, storage.mirrors
        _join_family(e.storage, storage)
    else:  # without aliasing the memory itself is what a storage holds
        e.storage = storage
    e.storage.add(out)


def _join_family(new, storage):
    family = getattr(storage, "family", None)
    if family is None:
        storage.family = family = [weakref.ref(storage)]
    elif len(family) > 32:
        family[:] = [ref for ref in family if ref() is not None]
    family.append(weakref.ref(new))
    new.family = family


class Detached:
    """A step of a view chain: the same without what forward mode carries along."""

    @staticmethod
    def forward(k, array):
        return k.detached(array) if k.is_transform else array


def cut_tangents(out) -> None:
    """Make the alias `out` one that forward mode does not see, either."""
    if out._table.is_transform:
        out._array = out._table.detached(out._array)
        out._extra.chain = (*out._extra.chain, (Detached, ()))


def written(storage) -> None:
    """Count one write."""
    storage.version += 1
    storage.older = len(storage._tensors)
    storage.last_write = now = tick()
    if storage.write_ticks is None:
        storage.write_ticks = collections.deque(maxlen=64)
    storage.write_ticks.append(now)
    clock.last_write = now


def note_detached(tensor) -> None:
    """tensor leaves its graph in place: nodes that saved it before may not use it any more."""
    storage = storage_of(tensor)
    if storage.write_ticks is None and tensor._table.aliases:
        _note_written(memory_of(tensor), storage)
    clock.last_write = now = tick()
    storage.detached = (*storage.detached, (now, tensor._array))


def bump(tensor) -> Storage:
    """Count a write that was just made to this tensor's memory, so that saved values are known to be stale."""
    m = tensor._extra
    storage = storage_of(tensor) if m is None or m.storage is None else m.storage
    if storage.write_ticks is None and not storage.uncounted and tensor._table.aliases:
        _note_written(memory_of(tensor), storage)
    written(storage)
    mirror = None if m is None else m.mirror
    if mirror is not None and mirror.memory is not None:
        tensor._table.write(mirror.memory, mirror.turned(tensor._table, tensor._array))
    if storage.mirrors is not None:
        storage.mirrors.renew(tensor._table)
    return storage


def _note_written(array, storage):
    """Let write_storage find the storage by the array's memory."""
    home = owner(array)
    key = id(home)
    _WRITTEN[key] = storage
    weakref.finalize(home, _WRITTEN.pop, key, None).atexit = False


def moved(tensor, old) -> None:
    """tensor, which lay in the array `old`, got other memory: who saved `old` is to see the write that follows."""
    storage = storage_of(tensor)
    _note_written(old, storage)
    if storage.write_ticks is not None:
        _note_written(memory_of(tensor), storage)


def bump_all(tensors) -> None:
    """Count a write that was just made to each tensor's memory: a step of an optimiser."""
    now = 0
    for t in tensors:
        m = t._extra
        storage = None if m is None else m.storage
        if storage is None or storage.write_ticks is None or storage.mirrors is not None:
            bump(t)
            continue
        if not now:
            now = tick()
        storage.version += 1
        storage.last_write = now
        storage.write_ticks.append(now)
    if now:
        clock.last_write = max(clock.last_write, now)


def write_storage(array):
    """The Storage of a saved array, if its memory was ever written to through a tensor."""
    return _WRITTEN.get(id(owner(array))) if hasattr(array, "base") else None


def write(tensor, value) -> None:
    """tensor[...] = value for a raw value of the same library, seen by every tensor of the storage; counts a write."""
    k = tensor._table
    # the value may be of a transform that the tensor is outside of
    while value.__class__ is not k.array_type and isinstance(value, TransformArray):
        if value.takes_in(tensor):
            k = tensor._table
        else:
            value = value.plain
    if k.aliases:
        k.write(tensor._array, value)
        bump(tensor)
        return
    storage = bump(tensor)
    value = k.cast(k.broadcast_to(value, tensor._array.shape), k.dtype)
    m = tensor._extra
    if k.is_transform and not any(op is Detached for op, _ in m.chain):
        for t in storage.tensors():  # who saved what is replaced now must not use it
            _note_written(t._array, storage)
    if m.mirror is not None:
        value = m.mirror.turned(k, value)
    chain = memory_steps(m.chain)
    storage.root = k.write_view(storage.root, chain, value) if chain or k.is_transform else value
    for t in storage.tensors():
        t._array = seen_through(storage.root, t._table, t._extra.chain)


def seen_through(array, k, chain):
    """What the steps of a view chain show of an array; k is the table of the view."""
    for op, options in chain:
        array = op.forward(k, array, *options)
    return array
