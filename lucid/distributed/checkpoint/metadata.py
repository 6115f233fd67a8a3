"""torch.distributed.checkpoint.metadata: what the file `.metadata` of a checkpoint holds."""

import dataclasses
import enum
from typing import Any

from ..._base.dtype import get_default_dtype
from ..._tensor.tensor import channels_last, contiguous_format, preserve_format, strided

__all__ = [
    "ChunkStorageMetadata",
    "TensorStorageMetadata",
    "BytesStorageMetadata",
    "Metadata",
    "MetadataIndex",
    "TensorProperties",
    "StorageMeta",
]


@dataclasses.dataclass
class ChunkStorageMetadata:
    """ChunkStorageMetadata(offsets, sizes): where a part of a tensor lies in it."""

    offsets: Any
    sizes: Any


class _MEM_FORMAT_ENCODING(enum.Enum):
    """How a memory format is written, which cannot be pickled."""

    TORCH_CONTIGUOUS_FORMAT, TORCH_CHANNELS_LAST, TORCH_PRESERVE_FORMAT = range(3)


_FORMATS = (contiguous_format, channels_last, preserve_format)


@dataclasses.dataclass
class TensorProperties:
    """TensorProperties(dtype, layout, requires_grad, memory_format, pin_memory)"""

    dtype: Any = dataclasses.field(default_factory=get_default_dtype)
    layout: Any = strided
    requires_grad: bool = False
    memory_format: Any = contiguous_format
    pin_memory: bool = False

    def __getstate__(self):
        encoded = _MEM_FORMAT_ENCODING(_FORMATS.index(self.memory_format))
        return (self.dtype, self.layout, self.requires_grad, encoded, self.pin_memory)

    def __setstate__(self, state):
        self.dtype, self.layout, self.requires_grad, encoded, self.pin_memory = state
        self.memory_format = _FORMATS[encoded.value]

    @staticmethod
    def create_from_tensor(tensor):
        """create_from_tensor(tensor) -> TensorProperties"""
        return TensorProperties(tensor.dtype, tensor.layout, tensor.requires_grad, contiguous_format, False)


@dataclasses.dataclass
class TensorStorageMetadata:
    """TensorStorageMetadata(properties, size, chunks): a tensor, and the parts it was written in."""

    properties: TensorProperties
    size: Any
    chunks: list


@dataclasses.dataclass
class BytesStorageMetadata:
    """BytesStorageMetadata(): any other object."""


@dataclasses.dataclass
class StorageMeta:
    """StorageMeta(checkpoint_id=None, save_id=None, load_id=None, modules=[])"""

    checkpoint_id: Any = None
    save_id: Any = None
    load_id: Any = None
    modules: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Metadata:
    """Metadata(state_dict_metadata, planner_data, storage_data, storage_meta, version)"""

    state_dict_metadata: dict
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: Any = None
    version: Any = None


@dataclasses.dataclass(frozen=True)
class MetadataIndex:
    """MetadataIndex(fqn, offset=None, index=None): an object, or the part of a tensor at offset; index is a hint."""

    fqn: str
    offset: Any = None
    index: Any = dataclasses.field(hash=False, compare=False, default=None)
