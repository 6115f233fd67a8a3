"""Pipes that look at one element at a time."""

import copy
import warnings

from ..._utils.collate import default_collate
from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe, length_of


class IterableWrapperIterDataPipe(IterDataPipe):
    """IterableWrapper(iterable, deepcopy=True): the elements of a copy"""

    def __init__(self, iterable, deepcopy=True):
        self.iterable, self.deepcopy = iterable, deepcopy

    def __iter__(self):
        source = self.iterable
        if self.deepcopy:
            try:
                source = copy.deepcopy(self.iterable)
            except TypeError:
                warnings.warn(
                    "The input iterable can not be deepcopied, please be aware of in-place modification would affect "
                    "source data.",
                    stacklevel=2,
                )
        yield from source

    def __len__(self):
        return length_of(self, self.iterable)


def applied(fn, data, input_col):
    """fn of an element, or of its columns."""
    if input_col is None:
        return fn(data)
    if isinstance(input_col, (list, tuple)):
        return fn(*(data[col] for col in input_col))
    return fn(data[input_col])


@functional_datapipe("map")
class MapperIterDataPipe(IterDataPipe):
    """Mapper(pipe, fn, input_col=None, output_col=None): fn of each element, or of its columns"""

    def __init__(self, datapipe, fn, input_col=None, output_col=None):
        super().__init__()
        self.datapipe, self.fn, self.input_col = datapipe, fn, input_col
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        if isinstance(output_col, (list, tuple)):
            if len(output_col) > 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = output_col[0]
        self.output_col = output_col

    def _apply_fn(self, data):
        result = applied(self.fn, data, self.input_col)
        if self.input_col is None and self.output_col is None:
            return result
        was_tuple = isinstance(data, tuple)
        data = list(data) if was_tuple else data
        if self.output_col is None:
            many = isinstance(self.input_col, (list, tuple))
            data[self.input_col[0] if many else self.input_col] = result
            for index in sorted(self.input_col[1:], reverse=True) if many else ():
                del data[index]
        elif self.output_col == -1:
            data.append(result)
        else:
            data[self.output_col] = result
        return tuple(data) if was_tuple else data

    def __iter__(self):
        for data in self.datapipe:
            yield self._apply_fn(data)

    def __len__(self):
        return length_of(self, self.datapipe)


@functional_datapipe("collate")
class CollatorIterDataPipe(MapperIterDataPipe):
    """Collator(pipe, conversion=default_collate): batches as tensors"""

    def __init__(self, datapipe, conversion=default_collate, collate_fn=None):
        fn = conversion if collate_fn is None else collate_fn
        if not callable(fn):
            raise NotImplementedError("Collator: lucid has no conversion= for columns of data frames")
        super().__init__(datapipe, fn=fn)


@functional_datapipe("filter")
class FilterIterDataPipe(IterDataPipe):
    """Filter(pipe, filter_fn, input_col=None): the elements for which it is True"""

    def __init__(self, datapipe, filter_fn, input_col=None):
        super().__init__()
        self.datapipe, self.filter_fn, self.input_col = datapipe, filter_fn, input_col

    def __iter__(self):
        for data in self.datapipe:
            kept = applied(self.filter_fn, data, self.input_col)
            if not isinstance(kept, bool):
                raise ValueError("Boolean output is required for `filter_fn` of FilterIterDataPipe, got", type(kept))
            if kept:
                yield data
