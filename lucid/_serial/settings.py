"""Names of torch.serialization beside save and load: types, settings, checks."""

import collections.abc
import contextlib
import re
import shutil
import tempfile
import warnings

from .._base.device import device
from .._base.refused import refused_class, refused_function
from .typed import TypedStorage
from .untyped import UntypedStorage

STORAGE = TypedStorage | UntypedStorage
MAP_LOCATION = collections.abc.Callable[[UntypedStorage, str], UntypedStorage] | device | str | dict[str, str] | None
_PLACE = "torch.serialization"
_mmap = [2]  # mmap.MAP_PRIVATE
skip_data = refused_class(_PLACE, "skip_data", "files without their bytes")
validate_hpu_device = refused_function(_PLACE, "validate_hpu_device", "device hpu")


class SourceChangeWarning(Warning):
    """A module's source differs from the file's; lucid never warns of it."""


@contextlib.contextmanager
def mkdtemp():
    """with mkdtemp() as path: a directory, removed afterwards"""
    path = tempfile.mkdtemp()
    try:
        yield path
    finally:
        shutil.rmtree(path)


def check_module_version_greater_or_equal(module, req_version_tuple, error_if_malformed=True):
    """check_module_version_greater_or_equal(module, (1, 2)) -> bool"""
    try:
        parts = tuple(type(r)(re.match(r"\w*", p)[0]) for r, p in zip(req_version_tuple, module.__version__.split(".")))
        return parts >= tuple(req_version_tuple)
    except Exception as error:
        message = (
            f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be compared"
            f" with tuple {req_version_tuple!s}"
        )
        if error_if_malformed:
            raise RuntimeError(message) from error
        warnings.warn(message + ", but continuing assuming that requirement is met", stacklevel=2)
        return True


def validate_cuda_device(location):
    """validate_cuda_device(location): RuntimeError, there is no CUDA here."""
    raise RuntimeError(
        "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running "
        "on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to "
        "the CPU."
    )


def normalize_storage_type(storage_type):
    """normalize_storage_type(FloatStorage) -> FloatStorage"""
    return storage_type


def storage_to_tensor_type(storage):
    """storage_to_tensor_type(storage) -> the class of tensors of its kind, such as FloatTensor"""
    from .._func.methods.legacy_types import LEGACY_TYPES

    return LEGACY_TYPES[type(storage).__name__.replace("Storage", "Tensor")]


def get_default_mmap_options():
    """get_default_mmap_options() -> mmap.MAP_PRIVATE"""
    return _mmap[0]


class set_default_mmap_options:
    """set_default_mmap_options(mmap.MAP_PRIVATE): NotImplementedError for others, as lucid maps files that way."""

    def __init__(self, flags):
        if flags not in (1, 2):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, "
                f"but got {flags}"
            )
        if flags != 2:
            raise NotImplementedError("torch.serialization.set_default_mmap_options: lucid maps files privately")

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return False
