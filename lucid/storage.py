"""torch.storage: the memory of tensors as objects."""

from ._serial import pickled, typed, untyped

TypedStorage, UntypedStorage = typed.TypedStorage, untyped.UntypedStorage
_LegacyStorage, _load_from_bytes = typed._LegacyStorage, pickled._load_from_bytes
_warn_typed_storage_removal = typed._warn_typed_storage_removal
_reset_warn_typed_storage_removal = typed._reset_warn_typed_storage_removal

__all__ = ["TypedStorage", "UntypedStorage"]
globals().update(typed.LEGACY)
