"""torch.multiprocessing.spawn: several processes that run one function, whose errors reach the parent."""

import multiprocessing
import multiprocessing.connection
import pickle
import signal
import sys
import traceback
import warnings


class ProcessException(Exception):
    """A process that spawn started failed."""

    def __init__(self, msg, error_index, pid):
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, pid

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """It raised an error, whose traceback is the message."""


class ProcessExitedException(ProcessException):
    """It was killed, or left with an exit code."""

    def __init__(self, msg, error_index, error_pid, exit_code, signal_name=None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.pid, self.exit_code, self.signal_name)


def _end_with_parent():
    """Have Linux interrupt this process when its parent ends, however that ends."""
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGINT)


def _run(fn, i, args, errors):
    _end_with_parent()
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        pass
    except Exception:
        errors.put(pickle.dumps(traceback.format_exc()))
        sys.exit(1)


class ProcessContext:
    """The processes that spawn(join=False) started."""

    def __init__(self, processes, error_queues):
        self.processes, self.error_queues = processes, error_queues
        self.sentinels = {p.sentinel: i for i, p in enumerate(processes)}

    def pids(self):
        """pids() -> list of process ids"""
        return [int(p.pid) for p in self.processes]

    def join(self, timeout=None, grace_period=None):
        """join(timeout=None) -> bool: have all ended? Raises the error of the first that failed, after ending the
        others."""
        if not self.sentinels:
            return True
        failed = None
        for sentinel in multiprocessing.connection.wait(self.sentinels.keys(), timeout=timeout):
            i = self.sentinels.pop(sentinel)
            self.processes[i].join()
            if self.processes[i].exitcode != 0:
                failed = i
                break
        if failed is None:
            return not self.sentinels
        for p in self.processes:
            if p.is_alive():
                p.terminate()
        for p in self.processes:
            p.join(grace_period)
            if p.is_alive():
                p.kill()
                p.join()
        self._raise(failed)

    def _raise(self, i):
        process = self.processes[i]
        if self.error_queues[i].empty():
            code = process.exitcode
            if code < 0:
                name = signal.Signals(-code).name
                raise ProcessExitedException(f"process {i} terminated with signal {name}", i, process.pid, code, name)
            raise ProcessExitedException(f"process {i} terminated with exit code {code}", i, process.pid, code)
        text = pickle.loads(self.error_queues[i].get())
        raise ProcessRaisedException(f"\n\n-- Process {i} terminated with the following error:\n{text}", i, process.pid)


SpawnContext = ProcessContext


def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """start_processes(fn, args, nprocs, join=True, daemon=False, start_method="spawn"): fn(i, *args) in each of nprocs
    processes."""
    context = multiprocessing.get_context(start_method)
    processes, queues = [], []
    for i in range(nprocs):
        errors = context.SimpleQueue()
        process = context.Process(target=_run, args=(fn, i, args, errors), daemon=daemon)
        process.start()
        processes.append(process)
        queues.append(errors)
    running = ProcessContext(processes, queues)
    if not join:
        return running
    while not running.join():
        pass


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """spawn(fn, args=(), nprocs=1, join=True): start_processes with the method "spawn"."""
    if start_method != "spawn":
        warnings.warn(
            f"This method only supports start_method=spawn (got: {start_method}).\nTo use a different "
            "start_method use:\n\t\t "
            "torch.multiprocessing.start_processes(...)",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
