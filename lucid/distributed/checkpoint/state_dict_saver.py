"""torch.distributed.checkpoint.state_dict_saver: the writing of checkpoints, by one process."""

import concurrent.futures
import enum
import traceback

from ..._base.shape import Size
from ..._tensor import pytree
from ..._tensor.tensor import Tensor
from ..tensor.api import DTensor
from .api import CheckpointException
from .default_planner import own_planner
from .filesystem import FileSystemWriter
from .metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    TensorProperties,
    TensorStorageMetadata,
)
from .stateful import Stateful

__all__ = ["save_state_dict", "save", "async_save", "AsyncCheckpointerType", "AsyncSaveResponse"]


class AsyncCheckpointerType(enum.Enum):
    """Who writes while the program goes on: only a thread does."""

    THREAD, PROCESS = "thread", "process"


class AsyncSaveResponse:
    """What async_save gives with a stager, which lucid does not have."""


def _storage(storage, checkpoint_id, make, kinds):
    if storage is None:
        if not checkpoint_id:
            raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
        storage = make(checkpoint_id)
    elif not isinstance(storage, kinds):
        raise NotImplementedError(f"torch.distributed.checkpoint: lucid has no storage but {kinds.__name__}")
    storage.reset(checkpoint_id)
    return storage


def plain_state(state_dict):
    """The state dict with the states of what has one (modules, optimizers)."""
    return {k: v.state_dict() if isinstance(v, Stateful) else v for k, v in state_dict.items()}


def whole(value):
    """A tensor of this process: of a DTensor, which lies here wholly, the tensor itself."""
    return value.to_local() if isinstance(value, DTensor) else value


def _noted(t):
    """What the metadata say of a tensor."""
    size = Size(t.shape)
    chunk = ChunkStorageMetadata(Size([0] * len(size)), size)
    return TensorStorageMetadata(TensorProperties.create_from_tensor(t), size, [chunk])


def _compact(t):
    """A tensor without what else its storage holds, as it lies in memory."""
    t = t.detach().cpu()
    return t if t.untyped_storage().nbytes() == t.numel() * t.element_size() else t.clone()


def save(
    state_dict,
    *,
    checkpoint_id=None,
    storage_writer=None,
    planner=None,
    process_group=None,
    no_dist=False,
    use_collectives=True,
):
    """save(state_dict, *, checkpoint_id=None) -> Metadata: the state dict as a directory that torch reads, too.

    RuntimeError without a directory; NotImplementedError for storages and planners of the program's own.
    """
    writer = _storage(storage_writer, checkpoint_id, FileSystemWriter, FileSystemWriter)
    flat, ways = own_planner(planner, "save").flat(plain_state(state_dict))
    noted, tensors, objects = {}, [], []
    for name, value in flat.items():
        if isinstance(value, Tensor):
            value = whole(value)
            noted[name] = _noted(value)
            tensors.append((MetadataIndex(name, noted[name].chunks[0].offsets), _compact(value)))
        else:
            noted[name] = BytesStorageMetadata()
            objects.append((MetadataIndex(name), value))
    try:
        places = writer._write([*objects, *tensors])
        metadata = Metadata(noted, ways, places, version="1.0.0")
        writer._finish(metadata)
    except Exception as error:
        raise CheckpointException("write", {0: (error, traceback.extract_tb(error.__traceback__))}) from error
    return metadata


def save_state_dict(state_dict, storage_writer, process_group=None, coordinator_rank=0, no_dist=False, planner=None):
    """save_state_dict(state_dict, writer): save, under its old name."""
    return save(state_dict, storage_writer=storage_writer, planner=planner)


def async_save(
    state_dict,
    *,
    checkpoint_id=None,
    storage_writer=None,
    planner=None,
    process_group=None,
    async_checkpointer_type=AsyncCheckpointerType.THREAD,
    async_stager=None,
    no_dist=False,
    use_collectives=True,
):
    """async_save(state_dict, *, checkpoint_id=None) -> Future of Metadata: save in a thread, of copies made now."""
    if async_stager is not None or async_checkpointer_type is not AsyncCheckpointerType.THREAD:
        raise NotImplementedError("async_save: lucid has no async_stager= and no checkpointer but a thread")
    copies = pytree.tree_map(lambda v: v.detach().clone() if isinstance(v, Tensor) else v, plain_state(state_dict))
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        writer = _storage(storage_writer, checkpoint_id, FileSystemWriter, FileSystemWriter)
        future = pool.submit(save, copies, storage_writer=writer, planner=planner)
        pool.shutdown(wait=False)
    return future
