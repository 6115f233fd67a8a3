"""torch.storage: the memory of tensors as objects."""
from ._serial.typed import (LEGACY as _LEGACY, TypedStorage, _LegacyStorage, _reset_warn_typed_storage_removal,
                            _warn_typed_storage_removal)
from ._serial.untyped import UntypedStorage, _load_from_bytes

__all__ = ["TypedStorage", "UntypedStorage"]
globals().update(_LEGACY)
