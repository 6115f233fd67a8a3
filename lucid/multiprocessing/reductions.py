"""How tensors and storages go to another process: as the descriptor of the file in memory that holds their bytes."""

from multiprocessing import reduction

from .._serial import rebuild
from .._serial.typed import LEGACY, TypedStorage
from .._serial.untyped import UntypedStorage
from .._tensor.tensor import Tensor
from ..nn.parameter import Parameter


def rebuild_tensor(cls, parts, requires_grad):
    """A tensor or Parameter from the function and the arguments that make it."""
    make, args = parts
    t = make(*args)
    if issubclass(cls, Parameter):
        return Parameter(t, requires_grad=requires_grad)
    return t.requires_grad_() if requires_grad else t


def reduce_tensor(tensor):
    """What a pickle of multiprocessing holds of a tensor."""
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
            "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor before "
            "serializing (e.g., putting it on the queue)."
        )
    make, args = rebuild._parts(tensor)
    if tensor._table.is_sparse:
        return rebuild_tensor, (type(tensor), (make, args), tensor.requires_grad)
    at = 3 if tensor.device.type == "meta" else 4  # a Parameter is made of a tensor that requires nothing
    return rebuild_tensor, (type(tensor), (make, (*args[:at], False, *args[at + 1 :])), tensor.requires_grad)


def rebuild_storage_empty(cls):
    """A storage of no bytes."""
    return cls()


def rebuild_storage_fd(cls, df, size):
    """The storage in another process's memory."""
    return cls._of_file(df.detach(), size)


def rebuild_typed_storage(storage, dtype):
    """A TypedStorage over it."""
    return TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)


def rebuild_typed_storage_child(storage, storage_type):
    """A FloatStorage or the like over it."""
    return storage_type(wrap_storage=storage, _internal=True)


def reduce_typed_storage(storage):
    """What the pickle holds of a TypedStorage."""
    return rebuild_typed_storage, (storage._untyped_storage, storage.dtype)


def reduce_typed_storage_child(storage):
    """What the pickle holds of a FloatStorage or the like."""
    return rebuild_typed_storage_child, (storage._untyped_storage, type(storage))


def reduce_storage(storage):
    """What the pickle holds of a storage: its file, or its bytes where files cannot be sent."""
    if storage.device.type == "meta":
        raise RuntimeError("Cannot pickle meta storage; try pickling a meta tensor instead")
    if not storage.nbytes():
        return rebuild_storage_empty, (type(storage),)
    if storage.device.type != "cpu" or not hasattr(reduction, "DupFd"):
        return storage.__reduce__()
    return rebuild_storage_fd, (type(storage), reduction.DupFd(storage._file().fd), storage.nbytes())


def init_reductions():
    """Tell multiprocessing's pickles of tensors and storages."""
    reduction.register(UntypedStorage, reduce_storage)
    reduction.register(TypedStorage, reduce_typed_storage)
    for kind in LEGACY.values():
        reduction.register(kind, reduce_typed_storage_child)
    reduction.register(Tensor, reduce_tensor)
    reduction.register(Parameter, reduce_tensor)
