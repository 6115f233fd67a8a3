"""torch.PyTorchFileReader: the records of a file that `torch.save` wrote, one by one."""

from .._base.dtype import uint8
from .archive import Reader
from .typed import TypedStorage
from .untyped import UntypedStorage


class PyTorchFileReader:
    """PyTorchFileReader(path or file): records by name, as bytes or as storages."""

    def __init__(self, name_or_buffer):
        self._file = open(name_or_buffer, "rb") if not hasattr(name_or_buffer, "read") else name_or_buffer
        self._reader = Reader(self._file)

    def has_record(self, name):
        """has_record(name) -> bool"""
        return self._reader.has(name)

    def get_record(self, name):
        """get_record(name) -> bytes"""
        return self._reader.record(name)

    def get_record_offset(self, name):
        """get_record_offset(name) -> int, where the record begins in the file"""
        return self._reader.offset(name)

    def get_record_size(self, name):
        """get_record_size(name) -> int, in bytes"""
        return self._reader.size(name)

    def get_all_records(self):
        """get_all_records() -> list of names"""
        return list(self._reader._infos)

    def get_storage_from_record(self, name, numel, dtype):
        """get_storage_from_record(name, numel, dtype) -> something whose _typed_storage() holds the elements"""
        untyped = UntypedStorage.from_buffer(bytearray(self._reader.record(name)), dtype=uint8)
        return _Record(untyped, uint8 if dtype is UntypedStorage else dtype)


class _Record:
    """What get_storage_from_record gives: a tensor in torch, of which only the storage is asked for."""

    def __init__(self, untyped, dtype):
        self._untyped, self.dtype = untyped, dtype

    def _typed_storage(self):
        return TypedStorage(wrap_storage=self._untyped, dtype=self.dtype, _internal=True)

    def untyped_storage(self):
        """untyped_storage() -> UntypedStorage"""
        return self._untyped


PyTorchFileReader.__module__ = "lucid"
