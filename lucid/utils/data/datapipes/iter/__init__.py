"""torch.utils.data.datapipes.iter: pipes of streams."""

from ....._base.refused import refused_class
from .elements import CollatorIterDataPipe as Collator
from .elements import FilterIterDataPipe as Filter
from .elements import IterableWrapperIterDataPipe as IterableWrapper
from .elements import MapperIterDataPipe as Mapper
from .files import FileListerIterDataPipe as FileLister
from .files import FileOpenerIterDataPipe as FileOpener
from .files import StreamReaderIterDataPipe as StreamReader
from .grouping import BatcherIterDataPipe as Batcher
from .grouping import GrouperIterDataPipe as Grouper
from .grouping import UnBatcherIterDataPipe as UnBatcher
from .joining import ConcaterIterDataPipe as Concater
from .joining import DemultiplexerIterDataPipe as Demultiplexer
from .joining import ForkerIterDataPipe as Forker
from .joining import MultiplexerIterDataPipe as Multiplexer
from .joining import ZipperIterDataPipe as Zipper
from .order import SamplerIterDataPipe as Sampler
from .order import ShardingFilterIterDataPipe as ShardingFilter
from .order import ShufflerIterDataPipe as Shuffler

RoutedDecoder = refused_class("torch.utils.data.datapipes.iter", "RoutedDecoder", "decoders of files")
__all__ = [
    "Batcher",
    "Collator",
    "Concater",
    "Demultiplexer",
    "FileLister",
    "FileOpener",
    "Filter",
    "Forker",
    "Grouper",
    "IterableWrapper",
    "Mapper",
    "Multiplexer",
    "RoutedDecoder",
    "Sampler",
    "ShardingFilter",
    "Shuffler",
    "StreamReader",
    "UnBatcher",
    "Zipper",
]
