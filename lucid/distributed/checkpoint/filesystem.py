"""torch.distributed.checkpoint.filesystem: a checkpoint is a directory, in which one file says what the others hold."""

import dataclasses
import io
import itertools
import os
import pathlib
import pickle
import re
import uuid
from typing import Any

from ..._base.dtype import DTYPES
from ..._base.refused import refused_class
from ..._serial import names
from ...serialization import load, save
from . import metadata as notes
from .metadata import Metadata, StorageMeta

__all__ = ["FileSystemWriter", "FileSystemReader", "FileSystem"]
_DATA_FILE = re.compile(r"__\d+_\d+\.distcp")
FileSystem = refused_class(
    "torch.distributed.checkpoint.filesystem", "FileSystem", "file systems but the operating system's own"
)


@dataclasses.dataclass
class _StorageInfo:
    """Where an object's bytes lie."""

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Any = None

    def __getstate__(self):
        return {k: v for k, v in vars(self).items() if v is not None}


# All that a file `.metadata` names: whole modules would lend it their functions, and with dots what these import.
_NAMED = {
    **dict.fromkeys(["torch.distributed.checkpoint.metadata"], {*notes.__all__, "_MEM_FORMAT_ENCODING"}),
    **dict.fromkeys(["pathlib", "pathlib._local"], {"PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath"}),
    "torch.distributed.checkpoint.filesystem": {"_StorageInfo"},
    "torch.serialization": {"_get_layout"},
    "torch": {"Size", *DTYPES},
}


class _Unpickler(pickle.Unpickler):
    """Reads a file `.metadata`, which may name little."""

    def find_class(self, module, name):
        if name not in _NAMED.get(module, ()):
            raise pickle.UnpicklingError(f".metadata names {module}.{name}, which no checkpoint needs")
        return super().find_class(*names._importable(*names.read_name(module, name)))


class FileSystemWriter:
    """FileSystemWriter(path, single_file_per_rank=True, sync_files=True, ..., overwrite=True): checkpoints in a
    directory, all in one file.
    """

    def __init__(
        self,
        path,
        single_file_per_rank=True,
        sync_files=True,
        thread_count=1,
        per_thread_copy_ahead=10_000_000,
        cache_staged_state_dict=False,
        overwrite=True,
        _extensions=None,
        serialization_format=None,
    ):
        if not single_file_per_rank or _extensions:
            raise NotImplementedError("FileSystemWriter: lucid has no single_file_per_rank=False and no _extensions=")
        self.path, self.sync_files, self.overwrite, self.save_id = pathlib.Path(path), sync_files, overwrite, None
        self._before: set[str] = set()

    def reset(self, checkpoint_id=None):
        """reset(checkpoint_id=None): from now on into another directory."""
        if checkpoint_id:
            self.path = pathlib.Path(checkpoint_id)
        self.save_id = str(uuid.uuid4())

    def storage_meta(self):
        """storage_meta() -> StorageMeta"""
        return StorageMeta(checkpoint_id=self.path, save_id=self.save_id)

    def _write(self, entries):
        """{index: _StorageInfo} of the entries, (index, value) in order, written one after the other."""
        self.path.mkdir(parents=True, exist_ok=True)
        if (self.path / ".metadata").exists() and not self.overwrite:
            raise RuntimeError(f"Checkpoint already exists and {self.overwrite=}.")
        self._before = self._in_use()
        name = next(n for i in itertools.count() if (n := f"__0_{i}.distcp") not in self._before)
        try:
            return self._fill(name, entries)
        except BaseException:
            (self.path / name).unlink(missing_ok=True)
            raise

    def _in_use(self):
        """The files of the checkpoint that is here, which stays whole until another is; none where there is none."""
        try:
            known = FileSystemReader(self.path).read_metadata().storage_data.values()
            return {n for info in known if _DATA_FILE.fullmatch(n := info.relative_path)}
        except Exception:  # what cannot be read is no checkpoint
            return set()

    def _fill(self, name, entries):
        found, at = {}, 0
        with open(self.path / name, "wb") as file:
            for index, value in entries:
                out = io.BytesIO()
                save(value, out)
                found[index] = _StorageInfo(name, at, out.tell())
                at += file.write(out.getbuffer())
            self._flush(file)
        return found

    def _finish(self, metadata):
        """The file `.metadata`, in its place when it is whole; then what only the one before it named can go."""
        metadata.storage_meta = self.storage_meta()
        half = self.path / ".metadata.tmp"
        with open(half, "wb") as file:
            file.write(names.dumps(metadata, pickle, 4, lambda item: None))
            self._flush(file)
        os.replace(half, self.path / ".metadata")
        for name in self._before - {info.relative_path for info in metadata.storage_data.values()}:
            (self.path / name).unlink(missing_ok=True)

    def _flush(self, file):
        if self.sync_files:
            file.flush()
            os.fsync(file.fileno())


class FileSystemReader:
    """FileSystemReader(path): what FileSystemWriter wrote, lucid's or torch's."""

    def __init__(self, path, _extension_registry=None):
        self.path = pathlib.Path(path)

    def reset(self, checkpoint_id=None):
        """reset(checkpoint_id=None): from now on out of another directory."""
        if checkpoint_id:
            self.path = pathlib.Path(checkpoint_id)

    def read_metadata(self) -> Metadata:
        """read_metadata() -> Metadata"""
        with open(self.path / ".metadata", "rb") as file:
            found = _Unpickler(file).load()
        if not isinstance(found, Metadata):
            raise pickle.UnpicklingError(f"{self.path / '.metadata'} holds no metadata, but {type(found).__name__}")
        return found

    @property
    def checkpoint_id(self):
        """The directory."""
        return self.path

    def _read(self, metadata, index, is_tensor):
        """The value at an index."""
        info = metadata.storage_data[index]
        if info.transform_descriptors:
            raise NotImplementedError(
                f"{info.relative_path}: lucid reads no checkpoints with {info.transform_descriptors}"
            )
        with open(self.path / info.relative_path, "rb") as file:
            file.seek(info.offset)
            return load(io.BytesIO(file.read(info.length)), map_location="cpu", weights_only=is_tensor)
