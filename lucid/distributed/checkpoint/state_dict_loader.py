"""torch.distributed.checkpoint.state_dict_loader: the reading of checkpoints, by one process."""

import traceback

from ..._tensor.tensor import Tensor
from ._nested import put
from .api import CheckpointException
from .default_planner import own_planner
from .filesystem import FileSystemReader
from .metadata import MetadataIndex, TensorStorageMetadata
from .state_dict_saver import _storage, plain_state, whole
from .stateful import Stateful

__all__ = ["load_state_dict", "load"]


def load(
    state_dict, *, checkpoint_id=None, storage_reader=None, planner=None, process_group=None, no_dist=False
) -> None:
    """load(state_dict, *, checkpoint_id=None): what the state dict names is read from a directory that lucid or torch
    wrote, tensors into the tensors that are there; what has load_state_dict is given its state.

    CheckpointException for what is missing, or has another size.
    """
    reader = _storage(storage_reader, checkpoint_id, FileSystemReader, FileSystemReader)
    planner = own_planner(planner, "load")
    if not state_dict:
        return
    state = plain_state(state_dict)
    try:
        _read_into(state, reader, planner)
    except Exception as error:  # whatever a damaged file leads to
        raise CheckpointException("load", {0: (error, traceback.extract_tb(error.__traceback__))}) from error
    for key, value in state_dict.items():
        if isinstance(value, Stateful):
            value.load_state_dict(state[key])
        else:
            state_dict[key] = state[key]


def load_state_dict(state_dict, storage_reader, process_group=None, coordinator_rank=0, no_dist=False, planner=None):
    """load_state_dict(state_dict, reader): load, under its old name."""
    load(state_dict, storage_reader=storage_reader, planner=planner)


def _read_into(state, reader, planner):
    metadata = reader.read_metadata()
    flat, ways = planner.flat(state)
    known = metadata.state_dict_metadata
    for name, value in list(flat.items()):
        if name not in known:
            if planner.allow_partial_load:
                del flat[name]
                continue
            raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
        if isinstance(value, Tensor) and isinstance(known[name], TensorStorageMetadata):
            if tuple(known[name].size) != tuple(value.shape):
                raise ValueError(
                    f"Size mismatch between saved {known[name].size} and current: {value.shape} for {name}"
                )
    for name, value in flat.items():
        noted = known[name]
        if not isinstance(noted, TensorStorageMetadata):
            put(state, ways[name], reader._read(metadata, MetadataIndex(name), False))
        elif not isinstance(value, Tensor):
            raise ValueError(f"{name} is a tensor in the checkpoint, and {type(value).__name__} in the state dict")
        else:
            for chunk in noted.chunks:
                _copy(value, chunk, reader._read(metadata, MetadataIndex(name, chunk.offsets), True))


def _copy(target, chunk, part):
    """A part of a tensor, written to its place."""
    target = whole(target).detach()
    for dim, (start, size) in enumerate(zip(chunk.offsets, chunk.sizes)):
        target = target.narrow(dim, start, size)
    target.copy_(part)
