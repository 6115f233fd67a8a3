"""torch.serialization: save and load, and what may be loaded from files one does not trust."""

from ._serial import files, legacy, rebuild, restricted
from ._serial.files import (
    LoadEndianness,
    default_restore_location,
    get_crc32_options,
    get_default_load_endianness,
    get_unsafe_globals_in_checkpoint,
    load,
    location_tag,
    register_package,
    save,
    set_crc32_options,
    set_default_load_endianness,
)
from ._serial.restricted import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from ._serial.settings import MAP_LOCATION as MAP_LOCATION
from ._serial.settings import STORAGE as STORAGE
from ._serial.settings import SourceChangeWarning as SourceChangeWarning
from ._serial.settings import check_module_version_greater_or_equal as check_module_version_greater_or_equal
from ._serial.settings import get_default_mmap_options as get_default_mmap_options
from ._serial.settings import mkdtemp as mkdtemp
from ._serial.settings import normalize_storage_type as normalize_storage_type
from ._serial.settings import set_default_mmap_options as set_default_mmap_options
from ._serial.settings import skip_data as skip_data
from ._serial.settings import storage_to_tensor_type as storage_to_tensor_type
from ._serial.settings import validate_cuda_device as validate_cuda_device
from ._serial.settings import validate_hpu_device as validate_hpu_device

DEFAULT_PROTOCOL, MAGIC_NUMBER, PROTOCOL_VERSION = files.DEFAULT_PROTOCOL, legacy.MAGIC_NUMBER, legacy.PROTOCOL_VERSION
_get_layout, StorageType = rebuild._get_layout, restricted.StorageType

__all__ = [
    "load",
    "save",
    "register_package",
    "location_tag",
    "default_restore_location",
    "get_default_load_endianness",
    "set_default_load_endianness",
    "get_crc32_options",
    "set_crc32_options",
    "LoadEndianness",
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "SourceChangeWarning",
    "get_default_mmap_options",
    "set_default_mmap_options",
    "skip_data",
]
