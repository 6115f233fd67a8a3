"""torch.utils.data.datapipes.iter.combining: pipes that join others (see joining.py)."""

from .joining import (
    ConcaterIterDataPipe,
    DemultiplexerIterDataPipe,
    ForkerIterDataPipe,
    MultiplexerIterDataPipe,
    ZipperIterDataPipe,
)

__all__ = [
    "ConcaterIterDataPipe",
    "DemultiplexerIterDataPipe",
    "ForkerIterDataPipe",
    "MultiplexerIterDataPipe",
    "ZipperIterDataPipe",
]
