"""What a profiler measured: events, their averages, and the table of them."""

import collections
import enum
import json
import math
import os

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "FormattedTimesMixin", "Interval", "Kernel"]
DeviceType = enum.Enum(
    "DeviceType",
    """CPU CUDA MKLDNN OPENGL OPENCL IDEEP HIP FPGA MAIA XLA Vulkan Metal XPU MPS Meta HPU VE Lazy IPU MTIA
    PrivateUse1""".split(),
    start=0,
)
Kernel = collections.namedtuple("Kernel", "name device duration")


def _format_time(us):
    """Microseconds as text."""
    if us >= 1e6:
        return f"{us / 1e6:.3f}s"
    return f"{us / 1e3:.3f}ms" if us >= 1e3 else f"{us:.3f}us"


def _format_time_share(us, total):
    return "NaN" if total == 0 else f"{us * 100.0 / total:.2f}%"


def _format_memory(count):
    for size, unit in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if abs(count) >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} B"


class Interval:
    """Interval(start, end): in microseconds"""

    def __init__(self, start, end):
        self.start, self.end = start, end

    def elapsed_us(self):
        """elapsed_us() -> float"""
        return self.end - self.start


class FormattedTimesMixin:
    """Times as text, and those of devices, which are none."""

    cpu_time_str = property(lambda self: _format_time(self.cpu_time))
    cpu_time_total_str = property(lambda self: _format_time(self.cpu_time_total))
    self_cpu_time_total_str = property(lambda self: _format_time(self.self_cpu_time_total))
    device_time_str = device_time_total_str = property(lambda self: _format_time(0.0))
    self_device_time_total_str = device_time_str
    cpu_time = property(lambda self: self.cpu_time_total / self.count if self.count else 0.0)
    device_time = cuda_time = 0.0
    device_time_total = self_device_time_total = cuda_time_total = self_cuda_time_total = 0
    device_memory_usage = self_device_memory_usage = 0


class FunctionEvent(FormattedTimesMixin):
    """One call: name, when it began and ended, shapes of its inputs, what it called."""

    count, is_async, is_remote, is_legacy, node_id, overload_name = 1, False, False, False, -1, ""
    device_type, device_index, use_device, scope = DeviceType.CPU, 0, None, 0

    def __init__(
        self, id, name, thread, start_us, end_us, input_shapes=None, stack=None, flops=0, memory=0, note=False
    ):
        self.id, self.name, self.key, self.trace_name, self.thread = id, name, name, name, thread
        self.time_range = Interval(start_us, end_us)
        self.input_shapes, self.concrete_inputs, self.kernels = input_shapes or [], [], []
        self.stack, self.flops, self.cpu_memory_usage = stack or [], flops, memory
        self.is_user_annotation = note
        self.cpu_children, self.cpu_parent = [], None
        self.sequence_nr = self.fwd_thread = -1

    @property
    def cpu_time_total(self):
        """Microseconds, with what it called"""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self):
        """Microseconds, without what it called"""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self):
        """Bytes of its results, without those of what it called"""
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    def __repr__(self):
        return (
            f"<FunctionEvent id={self.id} name={self.name} device_type=DeviceType.CPU node_id=-1 "
            f"cpu_time={self.cpu_time_str} start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} thread={self.thread} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage}>"
        )


class FunctionEventAvg(FormattedTimesMixin):
    """All calls of one name added up."""

    is_async = is_remote = is_legacy = is_user_annotation = False
    node_id, device_type, use_device, overload_name, scope = -1, DeviceType.CPU, None, "", 0

    def __init__(self):
        self.key, self.count, self.flops = None, 0, 0
        self.cpu_time_total = self.self_cpu_time_total = 0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.input_shapes, self.stack, self.cpu_children, self.cpu_parent = "", [], None, None

    def add(self, other):
        """add(event or average) -> self"""
        if self.key is None:
            self.key, self.cpu_parent, self.cpu_children = other.key, other.cpu_parent, other.cpu_children
            self.is_user_annotation, self.stack = other.is_user_annotation, other.stack
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.cpu_memory_usage += other.cpu_memory_usage
        self.self_cpu_memory_usage += other.self_cpu_memory_usage
        self.count += other.count
        self.flops += other.flops
        return self

    __iadd__ = add

    def __repr__(self):
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str}  self_cuda_time={_format_time(0.0)} cuda_time={_format_time(0.0)} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} cuda_memory_usage=0>"
        )


class EventList(list):
    """The events of a profile, in order; `table()` prints them."""

    def __init__(self, events=(), use_device=None, profile_memory=False, with_flops=False):
        super().__init__(events)
        self._profile_memory, self._with_flops = profile_memory, with_flops

    def __str__(self):
        return self.table()

    @property
    def self_cpu_time_total(self):
        """Microseconds of all"""
        return sum(event.self_cpu_time_total for event in self)

    def table(
        self,
        sort_by=None,
        row_limit=100,
        max_src_column_width=75,
        max_name_column_width=55,
        max_shapes_column_width=80,
        header=None,
        top_level_events_only=False,
        time_unit=None,
    ):
        """table(sort_by=None, row_limit=100, ...) -> str"""
        widths = max_name_column_width, max_shapes_column_width, max_src_column_width
        return _table(self, sort_by, row_limit, widths, header, top_level_events_only, time_unit)

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
        """key_averages(group_by_input_shapes=False) -> EventList of FunctionEventAvg"""
        found = {}
        for event in self:
            key = [event.key, event.is_user_annotation]
            if group_by_input_shapes:
                key.append(str(event.input_shapes))
            if group_by_stack_n:
                key += event.stack[:group_by_stack_n]
            average = found.setdefault(tuple(key), FunctionEventAvg())
            average.add(event)
            average.stack = average.stack[:group_by_stack_n]
            if group_by_input_shapes:
                average.input_shapes = event.input_shapes
        return EventList(found.values(), None, self._profile_memory, self._with_flops)

    def _build_tree(self):
        """Find out of times who called whom."""
        threads = {}
        for event in sorted(self, key=lambda e: (e.time_range.start, -e.time_range.end)):
            stack = threads.setdefault(event.thread, [])
            while stack and not (event.time_range.end <= stack[-1].time_range.end):
                stack.pop()
            if stack:
                event.cpu_parent = stack[-1]
                stack[-1].cpu_children.append(event)
            stack.append(event)

    def total_average(self):
        """total_average() -> FunctionEventAvg of all"""
        total = FunctionEventAvg()
        for event in self:
            total.add(event)
        total.key = None
        return total

    def export_chrome_trace(self, path):
        """export_chrome_trace(path): JSON for chrome://tracing"""
        with open(path, "w") as file:
            json.dump(chrome_trace(self), file)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """export_stacks(path, metric): a line per stack, as flame graphs want them"""
        if metric not in ("self_cpu_time_total", "self_cuda_time_total"):
            raise ValueError(f"metric should be one of: {['self_cpu_time_total', 'self_cuda_time_total']}")
        with open(path, "w") as file:
            for event in self:
                value = int(getattr(event, metric))
                if event.stack and value > 0:
                    file.write(";".join(s.replace(" ", "_") for s in reversed(event.stack)) + f" {value}\n")


def chrome_trace(events, record_shapes=False):
    """The dictionary of a chrome trace."""
    pid = os.getpid()
    made = [
        {"ph": "M", "name": "process_name", "ts": 0, "pid": pid, "tid": 0, "args": {"name": "python"}},
        {"ph": "M", "name": "process_labels", "ts": 0, "pid": pid, "tid": 0, "args": {"labels": "CPU"}},
    ]
    for event in events:
        arguments = {"External id": event.id, "Ev Idx": event.id}
        if event.input_shapes:
            arguments["Input Dims"] = event.input_shapes
        if event.stack:
            arguments["Call stack"] = ";".join(event.stack)
        made.append(
            {
                "ph": "X",
                "cat": "user_annotation" if event.is_user_annotation else "cpu_op",
                "name": event.name,
                "pid": pid,
                "tid": event.thread,
                "ts": event.time_range.start,
                "dur": event.cpu_time_total,
                "args": arguments,
            }
        )
    return {
        "schemaVersion": 1,
        "deviceProperties": [],
        "record_shapes": int(record_shapes),
        "displayTimeUnit": "ms",
        "traceEvents": made,
    }


def _sorted(events, sort_by):
    if sort_by is None:
        return list(events)
    for name in ("cuda", "xpu", "privateuse1"):
        sort_by = sort_by.replace(name, "device")
    return sorted(events, key=lambda event: getattr(event, sort_by), reverse=True)


def _flops_unit(events):
    """The divisor and the heading of the column of flops, or None where no event has any."""
    counts = [event.flops for event in events if event.flops > 0]
    if not counts:
        return None
    step = int(max(0, min(math.log10(min(counts)) / 3, 5)))
    return 10.0 ** (-3 * step), f"Total {('', 'K', 'M', 'G', 'T', 'P')[step]}FLOPs"


def _unit(us, unit):
    if unit not in ("s", "ms", "us"):
        return _format_time(us)
    return f"{us / {'s': 1e6, 'ms': 1e3, 'us': 1.0}[unit]:.3f}{unit}"


def _columns(events, widths, total, time_unit, memory, flops):
    """[(heading, width, alignment, text of an event)] of a table."""
    most_name, most_shapes, most_source = widths
    wide = max(len(event.key) for event in events) + 4
    wide = wide if most_name is None else min(wide, most_name)

    def name(event):
        long = most_name is not None and len(event.key) >= most_name - 3
        return event.key[: most_name - 3] + "..." if long else event.key

    columns = [
        ("Name", wide, ">", name),
        ("Self CPU %", 12, ">", lambda e: _format_time_share(e.self_cpu_time_total, total)),
        ("Self CPU", 12, ">", lambda e: _unit(e.self_cpu_time_total, time_unit)),
        ("CPU total %", 12, ">", lambda e: _format_time_share(e.cpu_time_total, total)),
        ("CPU total", 12, ">", lambda e: _unit(e.cpu_time_total, time_unit)),
        ("CPU time avg", 12, ">", lambda e: _unit(e.cpu_time, time_unit)),
    ]
    if memory:
        columns.append(("CPU Mem", 12, ">", lambda e: _format_memory(e.cpu_memory_usage)))
        columns.append(("Self CPU Mem", 12, ">", lambda e: _format_memory(e.self_cpu_memory_usage)))
    columns.append(("# of Calls", 12, ">", lambda e: e.count))
    if any(event.input_shapes for event in events):
        shapes = max(len(str(event.input_shapes)) for event in events) + 4
        shapes = shapes if most_shapes is None else min(shapes, most_shapes)
        columns.append(("Input Shapes", shapes, ">", lambda e: str(e.input_shapes)[:shapes]))
    stacks = [event.stack for event in events if event.stack]
    if stacks:
        source = max(len(line) for stack in stacks for line in stack) + 4
        source = source if most_source is None else min(source, most_source)
        columns.append(("Source Location", source, "<", lambda e: (e.stack[0] if e.stack else "")[-source:]))
    unit = _flops_unit(events) if flops else None
    if unit:
        columns.append((unit[1], 12, ">", lambda e: f"{e.flops * unit[0]:8.3f}" if e.flops > 0 else "--"))
    return columns


def _table(events, sort_by, row_limit, widths, header, top_level_events_only, time_unit):
    if not events:
        return ""
    ordered, total = _sorted(events, sort_by), events.self_cpu_time_total
    columns = _columns(ordered, widths, total, time_unit, events._profile_memory, events._with_flops)
    form = "".join(f"{{: {side}{width}}}  " for _, width, side, _ in columns)
    line = "".join("-" * width + "  " for _, width, _, _ in columns)
    whole = sum(width + 2 for _, width, _, _ in columns) - 2
    rows = []
    if header is not None:
        rows += ["=" * whole, header]
    if top_level_events_only:
        rows += ["=" * whole, "This report only display top-level ops statistics"]
    rows += [line, form.format(*(c[0] for c in columns)), line]
    shown = [e for e in ordered if not top_level_events_only or e.cpu_parent is None]
    rows += [form.format(*(c[3](e) for c in columns)) for e in (shown if row_limit == -1 else shown[:row_limit])]
    rows += [line, f"Self CPU time total: {_unit(total, time_unit)}"]
    return "\n".join(rows) + "\n"


class MemRecordsAcc:
    """MemRecordsAcc(records): those in an interval of time"""

    def __init__(self, mem_records):
        self._records = sorted(mem_records, key=lambda record: record[0].start_ns())

    def in_interval(self, start_us, end_us):
        """in_interval(start, end) -> iterator of records"""
        for record in self._records:
            if start_us * 1000 <= record[0].start_ns() <= end_us * 1000:
                yield record


class StringTable(collections.defaultdict):
    """StringTable(): names of functions in C++ -> what is shown for them; lucid shows them as they are."""

    def __missing__(self, key):
        self[key] = key
        return key


_OF_KERNELS = """registers_per_thread shared_memory grid block priority blocks_per_sm warps_per_sm occupancy
    est_occupancy_pct queued graph_id graph_node_id stream context channel channel_type bytes bandwidth_gb_s"""
EventMetadata = collections.namedtuple("EventMetadata", _OF_KERNELS, defaults=(None,) * len(_OF_KERNELS.split()))
