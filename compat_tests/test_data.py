"""Data loading beside torch: the same batches in the same order, the same generator afterwards, the same errors."""

import collections
import random

import numpy as np
import pytest
from both import same, same_outcome

Point = collections.namedtuple("Point", ["x", "y"])


def batches(loader):
    return [b for b in loader]


def squares(m, n=10):
    class Squares(m.utils.data.Dataset):
        def __len__(self):
            return n

        def __getitem__(self, i):
            if i >= n:
                raise IndexError(i)
            return m.tensor([float(i)]), i * i

    return Squares()


def stream(m, n=7, share=False):
    class Stream(m.utils.data.IterableDataset):
        def __iter__(self):
            info = m.utils.data.get_worker_info()
            step, start = (info.num_workers, info.id) if share and info is not None else (1, 0)
            return iter([m.tensor(i) for i in range(start, n, step)])

        def __len__(self):
            return n

    return Stream()


LOADERS = {
    "plain": lambda m, D: D(squares(m), batch_size=3),
    "list": lambda m, D: D(list(range(10)), batch_size=4),
    "shuffled": lambda m, D: D(squares(m), batch_size=3, shuffle=True),
    "dropped": lambda m, D: D(squares(m), 3, drop_last=True),
    "generator": lambda m, D: D(squares(m), 3, True, generator=m.Generator().manual_seed(3)),
    "no batching": lambda m, D: D(squares(m, 3), batch_size=None),
    "numpy samples": lambda m, D: D(np.arange(6.0).reshape(3, 2), batch_size=2),
    "sampler": lambda m, D: D(squares(m), 3, sampler=m.utils.data.SubsetRandomSampler([1, 5, 7, 8])),
    "batch sampler": lambda m, D: D(squares(m), batch_sampler=[[1, 2], [3], [4, 5, 6]]),
    "collate": lambda m, D: D(squares(m), 3, collate_fn=lambda b: len(b)),
    "stream": lambda m, D: D(stream(m), batch_size=3),
    "stream dropped": lambda m, D: D(stream(m), batch_size=3, drop_last=True),
    "stream single": lambda m, D: D(stream(m), batch_size=None),
    "tensors": lambda m, D: D(m.utils.data.TensorDataset(m.arange(20.0).reshape(10, 2), m.arange(10)), 4, True),
    "tensors transposed": lambda m, D: D(
        m.utils.data.TensorDataset(m.arange(20.0).reshape(2, 10).t(), m.arange(10)), 4
    ),
    "tensors with gradients": lambda m, D: D(m.utils.data.TensorDataset(m.ones(4, 2, requires_grad=True)), 3),
    "tensors elsewhere": lambda m, D: D(m.utils.data.TensorDataset(m.ones(4, 2, device="meta"), m.arange(4)), 3),
    "subset": lambda m, D: D(m.utils.data.Subset(m.utils.data.TensorDataset(m.arange(10)), [3, 1, 7]), 2),
    "split": lambda m, D: D(m.utils.data.random_split(m.utils.data.TensorDataset(m.arange(10)), [7, 3])[0], 2, True),
    "dicts": lambda m, D: D([{"a": 1.5, "b": [i, m.tensor(i)], "c": "s"} for i in range(4)], 2),
    "named": lambda m, D: D([Point(i, np.float32(i)) for i in range(4)], 2),
    "stacked": lambda m, D: D(m.utils.data.StackDataset(a=squares(m), b=list(range(10))), 4),
    "concatenated": lambda m, D: D(squares(m, 3) + squares(m, 4), 2, True),
    "negative index": lambda m, D: D(m.utils.data.TensorDataset(m.arange(5)), sampler=[-1, 2]),
    "out of range": lambda m, D: D(m.utils.data.TensorDataset(m.arange(5)), sampler=[7]),
}


@pytest.mark.parametrize("name", LOADERS)
def test_loader(name):
    def program(m):
        loader = LOADERS[name](m, m.utils.data.DataLoader)
        known = len(loader) if name not in ("stream", "stream dropped") else None
        return batches(loader), batches(loader), known

    same_outcome(program, name=name)


WORKERS = [
    "plain",
    "shuffled",
    "dropped",
    "generator",
    "no batching",
    "sampler",
    "batch sampler",
    "tensors",
    "dicts",
    "stacked",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", WORKERS)
@pytest.mark.filterwarnings("ignore:This process")
def test_workers_give_the_same_batches(name):
    def program(m):
        def make(*args, **kwargs):
            return m.utils.data.DataLoader(*args, num_workers=2, **kwargs)

        loader = LOADERS[name](m, make)
        return batches(loader), batches(loader)

    same(program, name=name)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process")
def test_workers_have_random_numbers_of_their_own():
    def program(m):
        seen = []

        class Noise(m.utils.data.Dataset):
            def __len__(self):
                return 12

            def __getitem__(self, i):
                info = m.utils.data.get_worker_info()
                return m.rand(2), random.random(), np.random.rand(), m.randn(1), info.id, info.num_workers, info.seed

        def init(i):
            seen.append(i)
            m.rand(i + 1)

        random.seed(1), np.random.seed(1)
        loader = m.utils.data.DataLoader(Noise(), 2, shuffle=True, num_workers=2, worker_init_fn=init)
        first = [b for b in loader]
        return first, [b for b in loader], random.random(), np.random.rand(), m.rand(1), m.utils.data.get_worker_info()

    same(program)


@pytest.mark.slow
@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize("batch_size", [2, None])
@pytest.mark.filterwarnings("ignore:This process")
@pytest.mark.filterwarnings("ignore:Length of IterableDataset")
def test_workers_on_streams(share, batch_size):
    same(lambda m: [b for b in m.utils.data.DataLoader(stream(m, share=share), batch_size, num_workers=2)])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process")
def test_persistent_workers():
    def program(m):
        class Noise(m.utils.data.Dataset):
            def __len__(self):
                return 6

            def __getitem__(self, i):
                return m.rand(2)

        loader = m.utils.data.DataLoader(
            Noise(), 2, shuffle=True, num_workers=2, persistent_workers=True, prefetch_factor=1
        )
        return batches(loader), batches(loader)

    same(program)


def test_error_in_a_worker():
    import lucid

    class Bad(lucid.utils.data.Dataset):
        def __len__(self):
            return 3

        def __getitem__(self, i):
            raise ValueError("bad sample")

    with pytest.raises(
        ValueError,
        match="(?s)^Caught ValueError in DataLoader worker process 0.\nOriginal Traceback .*ValueError: bad sample",
    ):
        batches(lucid.utils.data.DataLoader(Bad(), num_workers=2))


ERRORS = {
    "workers": dict(num_workers=-1),
    "timeout": dict(timeout=-1),
    "prefetch": dict(prefetch_factor=2),
    "prefetch negative": dict(num_workers=1, prefetch_factor=-1),
    "persistent": dict(persistent_workers=True),
    "sampler and shuffle": dict(sampler=[1], shuffle=True),
    "batch sampler": dict(batch_sampler=[[1]], batch_size=2),
    "no batch": dict(batch_size=None, drop_last=True),
    "batch size": dict(batch_size=0),
    "batch float": dict(batch_size=1.5),
    "drop": dict(drop_last=3),
    "context": dict(multiprocessing_context="fork"),
    "context name": dict(num_workers=1, multiprocessing_context="nope"),
    "context type": dict(num_workers=1, multiprocessing_context=3),
}


@pytest.mark.parametrize("name", ERRORS)
def test_loader_errors(name):
    same_outcome(lambda m: type(m.utils.data.DataLoader([1, 2, 3], **ERRORS[name])).__name__, name=name)


@pytest.mark.parametrize("options", [dict(shuffle=True), dict(sampler=[1]), dict(batch_sampler=[[1]])])
def test_stream_errors(options):
    same_outcome(lambda m: type(m.utils.data.DataLoader(stream(m), **options)).__name__)


def test_fixed_attributes():
    def program(m):
        loader = m.utils.data.DataLoader([1, 2, 3])
        loader.batch_size = 4

    same_outcome(program)


COLLATE = {
    "floats": [1.0, 2.0],
    "ints": [1, 2],
    "bools": [True, False],
    "strings": ["a", "b"],
    "arrays": [np.zeros(2, np.float32), np.ones(2, np.float32)],
    "scalars": [np.float32(1), np.float32(2)],
    "tuples": [(1, 2.0), (3, 4.0)],
    "lists": [[1, 2.0], [3, 4.0]],
    "dicts": [{"a": 1}, {"a": 2}],
    "ordered": [collections.OrderedDict(b=1, a=2), collections.OrderedDict(b=3, a=4)],
    "named": [Point(1, 2.0), Point(3, 4.0)],
    "unequal": [[1, 2], [3]],
    "none": [None, None],
    "set": [{1}, {2}],
    "objects": [np.array(["a"]), np.array(["b"])],
    "bytes": [b"a", b"b"],
}


@pytest.mark.parametrize("name", COLLATE)
def test_collate(name):
    same_outcome(lambda m: m.utils.data.default_collate(COLLATE[name]), name=name)
    same(lambda m: m.utils.data.default_convert(COLLATE[name]), name=name)


def test_collate_tensors():
    same(lambda m: m.utils.data.default_collate([m.ones(2), m.zeros(2)]))
    same(lambda m: m.utils.data.default_collate([m.ones(2, requires_grad=True), m.zeros(2)]))
    same_outcome(lambda m: m.utils.data.default_collate([m.ones(2), m.zeros(3)]))


SAMPLERS = {
    "random": lambda m, d: d.RandomSampler(range(10)),
    "replacement": lambda m, d: d.RandomSampler(range(10), True, 70),
    "generator": lambda m, d: d.RandomSampler(range(10), generator=m.Generator().manual_seed(1)),
    "more": lambda m, d: d.RandomSampler(range(10), num_samples=25),
    "none": lambda m, d: d.RandomSampler([]),
    "type": lambda m, d: d.RandomSampler(range(3), replacement=1),
    "weights": lambda m, d: d.WeightedRandomSampler([0.1, 0.9, 0.4], 5),
    "weights once": lambda m, d: d.WeightedRandomSampler([0.1, 0.9, 0.4], 2, replacement=False),
    "weights 2-D": lambda m, d: d.WeightedRandomSampler([[0.1]], 2),
    "weights n": lambda m, d: d.WeightedRandomSampler([0.1], 0),
    "weights bool": lambda m, d: d.WeightedRandomSampler([0.1], 1, replacement=2),
    "subset": lambda m, d: d.SubsetRandomSampler([4, 2, 9]),
    "sequential": lambda m, d: d.SequentialSampler(range(4)),
    "batch": lambda m, d: d.BatchSampler(range(10), 4, False),
    "batch dropped": lambda m, d: d.BatchSampler(range(10), 4, True),
    "distributed": lambda m, d: d.DistributedSampler(range(10), 4, 1),
    "distributed in order": lambda m, d: d.DistributedSampler(range(10), 4, 3, shuffle=False, drop_last=True),
    "distributed small": lambda m, d: d.DistributedSampler(range(2), 5, 4, seed=3),
    "distributed rank": lambda m, d: d.DistributedSampler(range(2), 5, 5),
    "distributed none": lambda m, d: d.DistributedSampler(range(2)),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_sampler(name):
    def program(m):
        s = SAMPLERS[name](m, m.utils.data)
        return list(s), list(s), len(s)

    same_outcome(program, name=name)


DATASETS = {
    "tensors": lambda m, d: d.TensorDataset(m.ones(3), m.ones(4)),
    "stack": lambda m, d: d.StackDataset([1, 2], [3, 4])[1],
    "stack named": lambda m, d: d.StackDataset(a=[1, 2], b=[3, 4]).__getitems__([1, 0]),
    "stack both": lambda m, d: d.StackDataset([1], a=[2]),
    "stack none": lambda m, d: d.StackDataset(),
    "stack sizes": lambda m, d: d.StackDataset([1], [2, 3]),
    "concat none": lambda m, d: d.ConcatDataset([]),
    "concat": lambda m, d: [d.ConcatDataset([[1, 2], [3]])[i] for i in (-1, 0, 2)],
    "concat below": lambda m, d: d.ConcatDataset([[1, 2], [3]])[-4],
    "concat stream": lambda m, d: d.ConcatDataset([stream(m)]),
    "chain": lambda m, d: (list(stream(m, 2) + stream(m, 1)), len(stream(m, 2) + stream(m, 1))),
    "chain map": lambda m, d: list(d.ChainDataset([[1]])),
    "subset": lambda m, d: d.Subset([5, 6, 7], [2, 0])[0],
    "base": lambda m, d: d.Dataset()[0],
    "split": lambda m, d: [s.indices for s in d.random_split(range(10), [0.55, 0.25, 0.2])],
    "split counts": lambda m, d: [
        s.indices for s in d.random_split(range(5), [2, 3], generator=m.Generator().manual_seed(1))
    ],
    "split wrong": lambda m, d: d.random_split(range(5), [2, 2]),
    "split fraction": lambda m, d: d.random_split(range(5), [1.5, -0.5]),
    "split empty": lambda m, d: d.random_split(range(1), [0.5, 0.5]),
}


@pytest.mark.parametrize("name", DATASETS)
def test_dataset(name):
    def program(m):
        result = DATASETS[name](m, m.utils.data)
        return result if isinstance(result, (list, tuple, int, dict)) else type(result).__name__

    same_outcome(program, name=name)


@pytest.mark.filterwarnings("ignore")
def test_subset_must_override_both():
    def program(m):
        class Half(m.utils.data.Subset):
            def __getitem__(self, i):
                return 1

        Half([1], [0])

    same_outcome(program)
