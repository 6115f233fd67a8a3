"""Fetchers: the samples of one batch, collated."""

from dataclasses import dataclass

import numpy as np

from ...._func.creation.from_data import from_numpy
from ...._func.indexing.index_add import index_select
from ...._tensor.tensor import Tensor
from ..dataset import Subset, TensorDataset
from .collate import default_collate


class _BaseDatasetFetcher:
    def __init__(self, dataset, auto_collation, collate_fn, drop_last):
        self.dataset, self.auto_collation = dataset, auto_collation
        self.collate_fn, self.drop_last = collate_fn, drop_last

    def fetch(self, possibly_batched_index):
        """fetch(index) -> the sample, or the batch of a list of indices."""
        raise NotImplementedError


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    def __init__(self, dataset, auto_collation, collate_fn, drop_last):
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        self.dataset_iter, self.ended = iter(dataset), False

    def fetch(self, possibly_batched_index):
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        samples = []
        for _ in possibly_batched_index:
            try:
                samples.append(next(self.dataset_iter))
            except StopIteration:
                self.ended = True
                break
        if not samples or self.drop_last and len(samples) < len(possibly_batched_index):
            raise StopIteration
        return self.collate_fn(samples)


class _MapDatasetFetcher(_BaseDatasetFetcher):
    def fetch(self, possibly_batched_index):
        if not self.auto_collation:
            return self.collate_fn(self.dataset[possibly_batched_index])
        if self.collate_fn is default_collate:
            rows = _rows(self.dataset, possibly_batched_index)
            if rows is not None:
                return rows
        if getattr(self.dataset, "__getitems__", None):
            return self.collate_fn(self.dataset.__getitems__(possibly_batched_index))
        return self.collate_fn([self.dataset[i] for i in possibly_batched_index])


@dataclass(frozen=True)
class FetcherMaker:
    """Makes the fetcher of a dataset, in whatever process. streams: is it an IterableDataset?"""

    streams: bool
    auto_collation: bool
    collate_fn: object
    drop_last: bool

    def __call__(self, dataset):
        make = _IterableDatasetFetcher if self.streams else _MapDatasetFetcher
        return make(dataset, self.auto_collation, self.collate_fn, self.drop_last)


def _rows(dataset, indices):
    """A batch of a TensorDataset (or a Subset of one) picked in one step: what collating its samples would give,
    sooner.

    None when anything is unusual: gradients, subclasses, indices that are not plain and in range.
    """
    while type(dataset) is Subset:
        chosen = dataset.indices
        if type(chosen) not in (list, range):
            return None
        try:
            indices = [chosen[i] for i in indices]
        except (IndexError, TypeError):
            return None
        dataset = dataset.dataset
    if type(dataset) is not TensorDataset or not indices or set(map(type, indices)) != {int}:
        return None
    if (
        any(type(t) is not Tensor or t.requires_grad for t in dataset.tensors)
        or min(indices) < 0
        or max(indices) >= len(dataset)
    ):
        return None
    rows = from_numpy(np.array(indices, np.int64))
    return [index_select(t, 0, rows.to(t.device)) for t in dataset.tensors]
