"""torch.serialization: save and load, and what may be loaded from files one does not trust."""
from ._serial.files import (DEFAULT_PROTOCOL, LoadEndianness, default_restore_location, get_crc32_options,
                            get_default_load_endianness, get_unsafe_globals_in_checkpoint, load, location_tag, register_package,
                            save, set_crc32_options, set_default_load_endianness)
from ._serial.legacy import MAGIC_NUMBER, PROTOCOL_VERSION
from ._serial.rebuild import _get_layout
from ._serial.restricted import StorageType, add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals

__all__ = ["load", "save", "register_package", "location_tag", "default_restore_location", "get_default_load_endianness",
           "set_default_load_endianness", "get_crc32_options", "set_crc32_options", "LoadEndianness", "add_safe_globals",
           "clear_safe_globals", "get_safe_globals", "safe_globals", "get_unsafe_globals_in_checkpoint"]
