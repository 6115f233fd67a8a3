"""Timer and Measurement: repeat a statement, and say what the times tell."""

import dataclasses
import enum
import math
import statistics
import timeit

timer = timeit.default_timer


class Language(enum.Enum):
    """In which language a statement is."""

    PYTHON, CPP = 0, 1


def _quantile(values, q):
    ordered = sorted(values)
    at = q * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def select_unit(t):
    """select_unit(seconds) -> (unit, seconds per unit): ns, us, ms or s."""
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(int(math.log10(t) // 3) if t > 0 else 0, "s")
    return unit, {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[unit]


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """What was measured."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self):
        """The heading of a measurement."""
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        if "\n" not in self.stmt:
            return self.stmt
        return "stmt:" + (f" ({self.sub_label})" if self.sub_label else "") + "\n" + self.stmt


@dataclasses.dataclass(repr=False)
class Measurement:
    """Times of a statement: `raw_times` in seconds, each for `number_per_run` runs; mean, median, iqr and times are per
    run."""

    number_per_run: int
    raw_times: list
    task_spec: TaskSpec
    metadata: dict | None = None

    @property
    def times(self):
        """Seconds of one run, a list."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def mean(self):
        """Seconds, a float."""
        return statistics.fmean(self.times)

    @property
    def median(self):
        """Seconds, a float."""
        return statistics.median(self.times)

    @property
    def iqr(self):
        """Seconds between the first and the third quartile."""
        return _quantile(self.times, 0.75) - _quantile(self.times, 0.25)

    @property
    def significant_figures(self):
        """How many digits the spread leaves."""
        lower, upper = _quantile(self.times, 0.25), _quantile(self.times, 0.75)
        sigma = max((upper - lower) / (1.35 * math.sqrt(len(self.times))), self.median * 1e-4)
        return max(1, min(4, math.floor(math.log10(self.median / (1.645 * sigma))))) if self.median else 1

    @property
    def has_warnings(self):
        """Is the spread large?"""
        return self.median > 0 and self.iqr / self.median > 0.1

    title = property(lambda self: self.task_spec.title)
    stmt = property(lambda self: self.task_spec.stmt)
    setup = property(lambda self: self.task_spec.setup)
    label = property(lambda self: self.task_spec.label)
    sub_label = property(lambda self: self.task_spec.sub_label)
    description = property(lambda self: self.task_spec.description)
    num_threads = property(lambda self: self.task_spec.num_threads)
    env = property(lambda self: self.task_spec.env)

    @property
    def as_row_name(self):
        """The row of a comparison it belongs to."""
        return self.sub_label or self.stmt or "[Unknown]"

    @staticmethod
    def merge(measurements):
        """merge(measurements) -> list with those of one task together."""
        groups = {}
        for m in measurements:
            groups.setdefault(m.task_spec, []).append(m)
        return [
            Measurement(1, [t for m in group for t in m.times], task, group[0].metadata)
            for task, group in groups.items()
        ]

    def __repr__(self):
        unit, scale = select_unit(self.median)
        lines = [f"{object.__repr__(self)}", self.title]
        if self.setup and self.setup != "pass":
            lines.append(
                "setup:\n  " + self.setup.replace("\n", "\n  ") if "\n" in self.setup else f"setup: {self.setup}"
            )
        n = len(self.times)
        if n == 1:
            lines.append(f"  {self.median / scale:.2f} {unit}")
        else:
            lines.append(f"  Median: {self.median / scale:.2f} {unit}")
            if n > 3:
                lines.append(
                    f"  IQR:    {self.iqr / scale:.2f} {unit} ({_quantile(self.times, 0.25) / scale:.2f} to "
                    f"{_quantile(self.times, 0.75) / scale:.2f})"
                )
        lines.append(
            f"  {n} measurement{'s' if n > 1 else ''}, {self.number_per_run} runs "
            f"{'per measurement' if n > 1 else ''}, {self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        )
        return "\n".join(lines)


class Timer:
    """Timer(stmt="pass", setup="pass", globals=None, label=None, sub_label=None, description=None, num_threads=1)."""

    def __init__(
        self,
        stmt="pass",
        setup="pass",
        global_setup="",
        timer=timer,
        globals=None,
        label=None,
        sub_label=None,
        description=None,
        env=None,
        num_threads=1,
        language=Language.PYTHON,
    ):
        if language not in (Language.PYTHON, "py", "python", 0):
            raise NotImplementedError("torch.utils.benchmark.Timer: statements in C++ cannot be built here")
        self._task = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)
        names = dict(globals or {})
        self._timer = timeit.Timer(stmt, setup, timer, names)

    def _time(self, number):
        return max(self._timer.timeit(number), 1e-9)

    def timeit(self, number=1_000_000):
        """timeit(number) -> Measurement of `number` runs."""
        self._time(max(number // 100, 2))
        return Measurement(number, [self._time(number)], self._task)

    def _block_size(self, min_run_time):
        number = 1
        while True:
            spent = self._time(number)
            if spent > min_run_time / 1000 and spent > 1e-4 or number > 10**7:
                return number
            number *= 10

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """blocked_autorange(min_run_time=0.2) -> Measurement of blocks of runs, for that many seconds."""
        number = self._block_size(min_run_time)
        times, spent = [], 0.0
        while spent < min_run_time:
            one = self._time(number)
            if callback is not None:
                callback(number, one)
            times.append(one)
            spent += one
        return Measurement(number, times, self._task)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        """adaptive_autorange(threshold=0.1) -> Measurement that goes on until the spread is small, or max_run_time is
        over."""
        number = self._block_size(0.05)
        times, spent = [], 0.0
        while True:
            times.append(self._time(number))
            spent += times[-1]
            found = Measurement(number, times, self._task)
            steady = len(times) > 3 and found.median > 0 and found.iqr / found.median < threshold
            if spent > max_run_time or steady and spent >= min_run_time:
                return found

    def collect_callgrind(self, *args, **kwargs):
        """collect_callgrind(): NotImplementedError."""
        raise NotImplementedError("torch.utils.benchmark.Timer.collect_callgrind: lucid does not count instructions")
