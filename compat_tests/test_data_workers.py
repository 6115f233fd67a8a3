"""Workers of a DataLoader beside torch: numbers, order, errors, and the end."""

import collections
import gc
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import textwrap
import time
import warnings
import weakref

import numpy as np
import pytest
import torch
from both import same

import lucid
from lucid.utils.data._utils.channel import encoded

REPO = pathlib.Path(__file__).resolve().parent.parent
Point = collections.namedtuple("Point", ["x", "y"])
pytestmark = [
    pytest.mark.filterwarnings("ignore:This DataLoader will create"),
    pytest.mark.filterwarnings("ignore:This process"),
    # torch's processes meet leftovers of torch's own iterators
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def torch_is_quick(monkeypatch):
    """How long torch waits for workers that have not heard that they should end."""
    monkeypatch.setattr(torch.utils.data._utils, "MP_STATUS_CHECK_INTERVAL", 0.2)


def items(m, get, n=8):
    """A dataset whose item i is get(i)."""

    class Items(m.utils.data.Dataset):
        def __len__(self):
            return n

        def __getitem__(self, i):
            return get(i)

    return Items()


def load(m, get, *args, n=8, **options):
    return m.utils.data.DataLoader(items(m, get, n), *args, **options)


# ---- numbers and order


@pytest.mark.parametrize("workers", [0, 1, 4])
def test_numbers_are_torchs(workers):
    def program(m):
        def noise(i):
            info = m.utils.data.get_worker_info()
            of_info = () if info is None else (info.id, info.num_workers, info.seed, len(info.dataset))
            return i, m.rand(2), random.random(), np.random.rand(), m.randn(1), of_info

        random.seed(1), np.random.seed(1)
        loader = load(m, noise, 2, shuffle=True, num_workers=workers, n=11, worker_init_fn=lambda i: m.rand(i + 1))
        yield list(loader)
        yield list(loader), random.random(), np.random.rand(), m.rand(1), m.utils.data.get_worker_info()

    same(program)


@pytest.mark.parametrize("options", [{}, {"prefetch_factor": 1}, {"prefetch_factor": 5, "drop_last": True}])
def test_persistent_workers(options):
    def program(m):
        loader = load(m, lambda i: (i, m.rand(1)), 2, True, num_workers=2, persistent_workers=True, **options)
        yield next(iter(loader))  # what the workers have made ahead is left
        yield list(loader)
        first = [w.pid for w in loader._iterator._workers]
        yield list(loader)
        yield first == [w.pid for w in loader._iterator._workers], loader._iterator is iter(loader)

    same(program)


@pytest.mark.parametrize("options", [dict(generator=3), dict(sampler=[5, 1, 1]), dict(batch_sampler=[[1, 2], [3]])])
def test_samplers(options):
    def program(m):
        given = options | (
            {"generator": m.Generator().manual_seed(3), "shuffle": True} if "generator" in options else {}
        )
        yield list(load(m, lambda i: (i, m.rand(1)), num_workers=2, **given))

    same(program)


def test_batches_come_as_they_are_ready_if_one_says_so():
    def program(m):
        def slow(i):
            time.sleep(0.4 * (i == 0))
            return i

        got = [b.item() for b in load(m, slow, 1, num_workers=2, in_order=False)]
        return sorted(got), got[0] != 0

    same(program)


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize("batch_size", [2, None])
def test_streams(share, batch_size):
    def program(m):
        class Stream(m.utils.data.IterableDataset):
            def __iter__(self):
                info = m.utils.data.get_worker_info()
                return iter(range(info.id, 7, info.num_workers) if share else range(7))

            def __len__(self):
                return 7

            def __repr__(self):
                return "Stream"

        loader = m.utils.data.DataLoader(Stream(), batch_size, num_workers=2)
        len(loader)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            # Which worker's stream ends first is a matter of chance, and so is order at the end.
            found = sorted(b.tolist() if batch_size else b for b in loader)
        again = m.utils.data.DataLoader(Stream(), batch_size, num_workers=2, persistent_workers=True)
        both_passes = [sorted(str(b) for b in again), sorted(str(b) for b in again)]
        return found, both_passes, [str(w.message) for w in told if "IterableDataset" in str(w.message)]

    same(program)


# ---- what comes


def _structures(m):
    def row(i):
        return {"a": 1.5, "b": [i, m.tensor(i)], "c": "s" * i, "p": Point(i, np.float32(i))}

    strided = m.arange(6.0).view(2, 3).t()
    table = m.arange(300000).view(30000, 10)
    return {
        "dicts": load(m, row, 3, num_workers=1),
        "large": load(m, lambda i: m.full((3, 10000), float(i)), 4, num_workers=2),
        "types": load(m, lambda i: [m.ones(3, dtype=getattr(m, t)) for t in TYPES], None, num_workers=1, n=2),
        "strided": load(m, lambda i: (strided, m.ones(3, 1).expand(3, 9)), None, num_workers=1, n=2),
        "row of a table": load(m, lambda i: table[i], None, num_workers=1, n=3),
        "empty": load(m, lambda i: (m.empty(0), m.empty(2, 0)), 2, num_workers=1, n=2),
        "meta": load(m, lambda i: m.empty(2, device="meta"), None, num_workers=1, n=2),
        "leaves": load(m, lambda i: m.ones(2, requires_grad=True), None, num_workers=1, n=2),
        "parameters": load(m, lambda i: m.nn.Parameter(m.ones(2)), None, num_workers=1, n=2),
        "arrays": load(m, lambda i: np.arange(40000 * i), None, num_workers=1, collate_fn=lambda x: x, n=3),
        "texts": load(m, lambda i: "ab" * 40000, 2, num_workers=1, n=4, collate_fn=lambda b: (b[0][-9:], len(b[1]))),
        "many": load(m, lambda i: [m.full((9000,), float(k)) for k in range(300)], 2, num_workers=1, n=2),
        "pinned": load(m, lambda i: i, 4, num_workers=1, pin_memory=True),
        "threads": load(m, lambda i: m.get_num_threads(), 4, num_workers=1),
        "none": load(m, lambda i: i, 4, num_workers=1, n=0),
    }


TYPES = "float16 bfloat16 float64 complex64 bool uint8 int16 float8_e5m2".split()


@pytest.mark.filterwarnings("ignore:'pin_memory'")
def test_structures():
    def program(m):
        for name, loader in _structures(m).items():
            yield name, list(loader)

    same(program)


def test_memory_of_batches():
    def program(m):
        def pair(i):
            x = m.zeros(5)
            return x, x[1:]

        a, b = next(iter(load(m, pair, None, num_workers=1)))
        b.fill_(3)
        yield a, a.is_shared(), b.is_shared()
        large = next(iter(load(m, lambda i: m.ones(20000), 4, num_workers=1)))
        w = m.ones(20000, requires_grad=True)
        (large.mul_(2) * w).sum().backward()
        yield large.is_shared(), large.is_contiguous(), large.untyped_storage().nbytes(), w.grad

    same(program)


def test_memory_is_not_in_a_file_system():
    """/dev/shm may be small or full: torch fails then."""
    large = next(iter(load(lucid, lambda i: lucid.ones(20000), 4, num_workers=1)))
    maps = [line for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if "lucid (deleted)" in line]
    assert large.is_shared() and maps and all("/memfd:lucid" in line for line in maps)


def test_long_indices_and_many_batches():
    def program(m):
        loader = load(m, int, batch_sampler=[list(range(100000))] * 6, num_workers=2, prefetch_factor=3, collate_fn=len)
        return list(loader)

    same(program)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, os.listdir("/proc/self/fd"))) + 40, before[1]))
    try:
        kept = list(load(lucid, lambda i: lucid.full((20000,), float(i)), 1, num_workers=1, n=100))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert [b[0, -1].item() for b in kept] == list(range(100))


# ---- errors


def said(error):
    """An error without what differs: the lines of the traceback in its message, numbers of processes."""
    text = re.sub(r"(?s)(Original Traceback).*\n(?=\S)", r"\1 ... ", str(error))
    return type(error).__name__, re.sub(r"\(pid(\(s\))? [\d, ]+\)", "(pid)", text)


class Odd(Exception):
    """Cannot be made of a message."""

    def __init__(self, a, b):
        super().__init__(a, b)


class Told(Exception):
    """Has a message of its own."""

    message = "x"

    def __init__(self, message=None):
        super().__init__(message)


def _raise(error):
    raise error


# name -> (what item 3 does, options)
FAULTS = {
    "value": (lambda m: _raise(ValueError("bad sample")), {}),
    "key": (lambda m: {}["k"], {}),
    "odd": (lambda m: _raise(Odd(1, 2)), {}),
    "told": (lambda m: _raise(Told("hello")), {}),
    "index": (lambda m: _raise(IndexError("far")), {"batch_size": None}),
    "init": (lambda m: 0, {"worker_init_fn": lambda i: 1 / 0}),
    "shapes": (lambda m: m.ones(2), {}),
    "gradients": (lambda m: m.ones(1, requires_grad=True), {}),
    "types": (lambda m: m.ones(1, dtype=m.complex64), {}),
    "nested": (lambda m: list(m.utils.data.DataLoader([1], num_workers=1)), {}),
    "killed": (lambda m: os.kill(os.getpid(), signal.SIGKILL), {}),
    "exits": (lambda m: os._exit(5), {}),
    "sys.exit": (lambda m: sys.exit(4), {}),
    "late": (lambda m: time.sleep(0.6), {"timeout": 0.2}),
    "prefetch": (lambda m: 0, {"prefetch_factor": 0}),
}


LOST = "Details are lost due to multiprocessing. Rerunning with num_workers=0 may give better error trace."
ENDED = {
    "killed": "DataLoader worker (pid) is killed by signal: Killed. ",
    "exits": f"DataLoader worker (pid) exited unexpectedly with exit code 5. {LOST}",
    "sys.exit": f"DataLoader worker (pid) exited unexpectedly with exit code 4. {LOST}",
}


@pytest.mark.parametrize("name", FAULTS)
def test_errors(name):
    what, options = FAULTS[name]

    def program(m):
        seen, options_ = [], {"batch_size": 2, "num_workers": 1} | options
        try:
            passes = iter(load(m, lambda i: what(m) if i == 3 else m.ones(1), **options_))
            while len(seen) < 9:
                seen.append(next(passes))
        except StopIteration:
            return seen, "no error"
        except Exception as error:
            cause = error.__cause__
            return seen, said(error), said(cause) if cause and name != "late" else None

    if name not in ENDED:
        same(program, quiet=True, looks="requires_grad")
        return
    # torch gives these words, or what its pipes make of a process that ends while they are used: a matter of chance.
    got = program(lucid)
    assert got[1] == ("RuntimeError", "DataLoader worker (pid) exited unexpectedly")
    assert got[2] == ("RuntimeError", ENDED[name])


def test_loading_goes_on_after_an_error():
    def program(m):
        passes, seen = iter(load(m, lambda i: 6 / (i - 2), 1, num_workers=2)), []
        while True:
            try:
                seen.append(next(passes))
            except ZeroDivisionError:
                seen.append("error")
            except StopIteration:
                return seen

    same(program)


def test_answers_that_cannot_be_sent_are_told():
    """torch waits for ever."""

    class Local(ValueError):
        pass

    with pytest.raises(AttributeError, match="(?s)Caught AttributeError in DataLoader worker process 0.*local object"):
        list(load(lucid, lambda i: lambda: i, None, num_workers=1))
    with pytest.raises(ValueError, match="(?s)Caught ValueError in DataLoader worker process 0.*Local: hm"):
        list(load(lucid, lambda i: _raise(Local("hm")), None, num_workers=1))
    w = lucid.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor"):
        list(load(lucid, lambda i: w * 2, None, num_workers=1))


class Shy:
    """Cannot be unpickled."""

    def __reduce__(self):
        return _raise, (ValueError("not here"),)


def test_what_cannot_be_received_costs_one_batch():
    passes, seen = iter(load(lucid, lambda i: Shy() if i == 2 else i, None, num_workers=2)), []
    while True:
        try:
            seen.append(next(passes))
        except StopIteration:
            break
        except ValueError:
            seen.append("not here")
    assert sorted(map(str, seen)) == ["0", "1", "3", "4", "5", "6", "7", "not here"]


def test_too_few_descriptors():
    passes = iter(load(lucid, lambda i: [lucid.ones(20000) * i for _ in range(40)], 1, num_workers=1, n=3))
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 20, before[1]))
    try:
        with pytest.raises(RuntimeError, match="Too many open files. Communication with the workers is no longer"):
            next(passes)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert next(passes)[0][0, 0] == 1 and next(passes)[0][0, 0] == 2


# ---- the end


def children():
    return {int(p) for p in pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}


def _use(how):
    loader = load(lucid, lambda i: lucid.ones(20000) / (i != 5 or how != "error"), 1, num_workers=2, n=30,
                  persistent_workers=how == "persistent")  # fmt: skip
    if how == "killed":
        loader.dataset.__class__.__getitem__ = lambda self, i: os.kill(os.getpid(), 9)
    try:
        for i, _ in enumerate(loader):
            if how == "abandoned" and i == 3:
                break
            if how == "error" and i == 5:
                raise KeyError
    except (RuntimeError, KeyError):
        pass


@pytest.mark.parametrize("how", ["whole", "abandoned", "persistent", "error", "killed"])
def test_nothing_is_left(how):
    _use(how)
    gc.collect()
    before, open_before = children(), set(os.listdir("/proc/self/fd"))
    _use(how)
    gc.collect()
    assert children() <= before
    assert len(os.listdir("/proc/self/fd")) <= len(open_before)


def run(program, *args, library=True, **options):
    """Start a program in a process group of its own."""
    env = os.environ | {"PYTHONPATH": str(REPO), "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    start = [sys.executable, *(["-m", "lucid"] if library else []), str(program), *args]
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    return subprocess.Popen(start, env=env, **pipes, **options)


ENDLESS = """
    import sys, time, torch
    class Endless(torch.utils.data.IterableDataset):
        def __iter__(self):
            while True:
                time.sleep(0.05)
                yield torch.ones(20000)
    if __name__ == "__main__":
        loader = iter(torch.utils.data.DataLoader(Endless(), 1, num_workers=2))
        next(loader)
        print(*[w.pid for w in loader._workers], flush=True)
        for batch in loader:
            if sys.argv[1] == "exit":
                sys.exit(3)
    """
ENDS = {
    "exit": (3, []),
    "SIGINT": (-2, ["Traceback (most recent call last):", "KeyboardInterrupt"]),
    "SIGKILL": (-9, []),
}


def lives(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("how", ENDS)
def test_workers_end_with_their_program(how, tmp_path):
    (tmp_path / "endless.py").write_text(textwrap.dedent(ENDLESS))
    process = run(tmp_path / "endless.py", how)
    try:
        workers = process.stdout.readline().split()
        if how == "SIGINT":  # Ctrl-C: to all of the group
            os.killpg(process.pid, signal.SIGINT)
        elif how == "SIGKILL":
            process.kill()
        _, errors = process.communicate(timeout=60)
        until = time.monotonic() + 60
        while any(map(lives, workers)) and time.monotonic() < until:
            time.sleep(0.02)
        assert len(workers) == 2 and not any(map(lives, workers))
        assert (process.returncode, [line for line in errors.splitlines() if line and line[0] != " "]) == ENDS[how]
    finally:
        process.kill()


# ---- processes that are spawned

SPAWNED = """
    import multiprocessing as plain, random, sys, torch
    import numpy as np
    import torch.multiprocessing as mp
    from torch.utils.data import DataLoader, Dataset, get_worker_info
    class Noise(Dataset):
        def __len__(self):
            return 6
        def __getitem__(self, i):
            return torch.full((20000,), i), torch.rand(2), random.random(), np.random.rand(), get_worker_info().id
    def child(i, x, y=None):
        x[i] += i + 1
    def bad(i):
        raise ValueError("no")
    if __name__ == "__main__":
        method = sys.argv[1]
        torch.manual_seed(1)
        for b in DataLoader(Noise(), 2, True, num_workers=2, multiprocessing_context=method):
            print(b[0][:, 7], *b[1:], b[0].is_shared())
        x = torch.zeros(3).share_memory_()
        mp.start_processes(child, (x,), nprocs=1, start_method=method)
        print(x)
        for module in (plain,):
            model = torch.nn.Linear(1, 2).share_memory()
            p = module.get_context(method).Process(target=child, args=(1, model.bias.data, model))
            before = model.bias[1].item()
            p.start(), p.join()
            print(model.bias[1].item() - before > 1, model.weight.is_shared())
        model, late = torch.nn.Linear(1, 2), torch.zeros(2)
        p = mp.get_context(method).Process(target=child, args=(1, late, model))
        before = model.weight.is_shared()
        p.start(), p.join()
        print(method == "fork" or (before, late.tolist(), model.weight.is_shared()) == (False, [0, 2], True))
        try:
            mp.start_processes(bad, nprocs=1, start_method=method)
        except mp.ProcessRaisedException as e:
            print(type(e).__name__, str(e).splitlines()[-1])
    """


def test_spawned_processes(tmp_path, monkeypatch, capfd):
    """What is spawned under the launcher sees lucid as torch, and gives what torch's forked processes give."""
    (tmp_path / "spawned.py").write_text(textwrap.dedent(SPAWNED))
    process = run(tmp_path / "spawned.py", "spawn")
    try:
        monkeypatch.setattr(sys, "argv", ["spawned.py", "fork"])
        exec(textwrap.dedent(SPAWNED), {"__name__": "__main__"})
        wanted = capfd.readouterr().out
        got, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert got == wanted and got.count("\n") >= 8, errors


def test_what_cannot_be_spawned():
    with pytest.warns(UserWarning, match="Got pickle error"), pytest.raises(AttributeError, match="local object"):
        iter(load(lucid, int, num_workers=1, multiprocessing_context="spawn"))


@pytest.mark.parametrize("size", [4, 20000])
def test_a_message_keeps_nothing(size):
    """What was sent is freed when the worker lets go of it, not when Python next looks for circles."""
    gc.collect()
    gc.disable()
    try:
        batch = {"t": lucid.zeros(size), "a": np.zeros(size)}
        seen = [weakref.ref(batch["t"]._array), weakref.ref(batch["a"])]
        message = encoded(0, batch)
        del batch, message
        assert [ref() for ref in seen] == [None, None]
    finally:
        gc.enable()
