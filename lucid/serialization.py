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
from ._serial.settings import (  # noqa: F401
    MAP_LOCATION,
    STORAGE,
    SourceChangeWarning,
    check_module_version_greater_or_equal,
    get_default_mmap_options,
    mkdtemp,
    normalize_storage_type,
    set_default_mmap_options,
    skip_data,
    storage_to_tensor_type,
    validate_cuda_device,
    validate_hpu_device,
)

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
