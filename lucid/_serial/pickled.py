"""Storages as pickle sees them: bytes in torch's file format, which torch reads too."""

import io

from . import files
from .typed import TypedStorage
from .untyped import UntypedStorage


def _load_from_bytes(data):
    """A storage from what pickling it wrote."""
    return files.load(io.BytesIO(data), weights_only=False)


_load_from_bytes.__module__ = "lucid.storage"  # where torch has it


def _reduce(self):
    out = io.BytesIO()
    # torch pickles in its old format, which names a storage before its bytes are there: too early for other devices.
    files.save(self, out, _use_new_zipfile_serialization=self.device.type != "cpu")
    return _load_from_bytes, (out.getvalue(),)


UntypedStorage.__reduce__ = TypedStorage.__reduce__ = _reduce
