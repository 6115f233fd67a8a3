"""torch.utils.serialization.config: `load.mmap`, `load.endianness` and others."""

from ..._serial.archive import ALIGNMENT
from ..._serial.files import options as load


class save:
    """Settings of torch.save; lucid's are fixed."""

    compute_crc32, use_pinned_memory_for_d2h, storage_alignment = True, False, ALIGNMENT


load.calculate_storage_offsets = False
load.mmap_flags = None
__all__ = ["load", "save"]
