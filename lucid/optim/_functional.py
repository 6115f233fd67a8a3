"""The optimisers as functions over lists of tensors."""

from .adam import adam
from .adamw import adamw
from .sgd import sgd

__all__ = ["adam", "adamw", "sgd"]
