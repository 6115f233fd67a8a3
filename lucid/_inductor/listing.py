"""A schedule for people to read, before and after works were put into kernels, and why some were not.

before_fusion(schedule), after_fusion(schedule), decisions(schedule) -> str
"""

from .._codegen.listing import listed
from .._codegen.loops import Input, LoopArray, Result
from .._codegen.nest import Nest, Work
from .._codegen.scheduler import reads_of
from .._tensor.tensor import Tensor


class Names:
    """What the arrays of a schedule are called: arg0 ..., buf0 ... in the order in which they are made."""

    def __init__(self, schedule):
        self.known, self.steps = {}, {}
        for n, thing in enumerate(schedule.order):
            self.steps[id(thing)] = f"op{n}"
            if isinstance(thing, Work):
                self(thing.array)
            else:
                for array in results_of(thing, schedule):
                    self(array)

    def __call__(self, array):
        if isinstance(array.source, Input):
            return f"arg{array.source.number}"
        return self.known.setdefault(id(array), f"buf{len(self.known)}")

    def of_step(self, step):
        """The name of a Work, a Call or a Nest, which is that of its works."""
        works = step.work if isinstance(step, Nest) else [step]
        return "_".join([self.steps[id(w)] for w in works])


def results_of(call, schedule):
    """The arrays that a call makes and that somebody reads, the first result first."""
    return _all_results(schedule).get(id(call), [])


def _all_results(schedule):
    """{id of a call: the arrays that it makes and that somebody reads}"""
    found = vars(schedule).get("_all_results")
    if found is None:
        arrays = [x.owner for x in schedule.outputs]
        for thing in schedule.order:
            arrays += [a.owner for a in reads_of(thing)]
        made = {id(a): a for a in arrays if isinstance(a.source, Result)}
        found = schedule._all_results = {}
        for a in sorted(made.values(), key=lambda a: a.source.item or 0):
            found.setdefault(id(a.source.call), []).append(a)
    return found


def _layout(array):
    return f"{array.dtype.name}{list(array.shape)}, strides {list(array.strides)}"


def _call_text(call, names):
    """The line of a call of the engine."""

    def said(x):
        if isinstance(x, (Tensor, LoopArray)):
            array = x._array if isinstance(x, Tensor) else x
            whole = array is array.owner
            return names(array.owner) + ("" if whole else f" seen as {_layout(array)} from {array.offset}")
        if isinstance(x, (tuple, list)):
            return f"[{', '.join(map(said, x))}]"
        return repr(x)

    args = [said(x) for x in call.args] + [f"{name}={said(x)}" for name, x in call.kwargs.items()]
    return f"{call.function}({', '.join(args)})"


def _step_lines(step, schedule, names):
    name = names.of_step(step)
    if not isinstance(step, (Nest, Work)):
        made = results_of(step, schedule)
        yield f"{name}: a call of the engine"
        yield f"    {', '.join(map(names, made))} = {_call_text(step, names)}"
    else:
        nest = step if isinstance(step, Nest) else Nest(step)
        made = [w.array for w in nest.work]
        yield f"{name}: loops" if len(made) == 1 else f"{name}: {len(made)} works in the same loops"
        yield from [f"    {line}" for line in listed(nest, names).splitlines()]
    for array in made:
        readers = [names.of_step(t) for t in schedule.order if any(a.owner is array for a in reads_of(t))]
        readers += ["output"] * any(x.owner is array for x in schedule.outputs)
        inside = isinstance(step, Nest) and schedule.is_internal(array, step)
        yield f"    # {names(array)}: {_layout(array)}; read by {', '.join(readers)}" + ", the kernel's own" * inside


def _text(steps, schedule):
    names = Names(schedule)
    return "\n\n".join(["\n".join(_step_lines(step, schedule, names)) for step in steps]) + "\n"


def before_fusion(schedule):
    """Each array that is computed, by itself, in the order in which it is made."""
    return _text(schedule.order, schedule)


def after_fusion(schedule):
    """The kernels and calls."""
    return _text(schedule.steps, schedule)


def steps_text(schedule):
    """One line for each step: what it reads and what it makes."""
    names, lines = Names(schedule), []
    for step in schedule.steps:
        works = step.work if isinstance(step, Nest) else [step]
        made = [w.array for w in works] if isinstance(step, Nest) else results_of(step, schedule)
        read = {names(a.owner): None for w in works for a in reads_of(w) if not any(a.owner is x for x in made)}
        what = "kernel" if isinstance(step, Nest) else f"call of {step.function}"
        lines.append(f"{names.of_step(step)}: {what}, reads {', '.join(read) or 'nothing'}, "
                     f"makes {', '.join(map(names, made))}")  # fmt: skip
    return "\n".join(lines)


def decisions(schedule):
    """Which works were put into one kernel, and for each that begins a kernel, why the kernels before it are others."""
    names, lines, before = Names(schedule), [], []
    for step in schedule.steps:
        if isinstance(step, Nest):
            first, *others = step.work
            for nest in before:
                lines.append(f"cannot fuse {names.of_step(nest)} with {names.of_step(first)}: {_why_not(nest, first)}")
            at = names.of_step(first)
            for work in others:
                lines.append(f"fusing {at} with {names.of_step(work)}")
                at += f"_{names.of_step(work)}"
            before.append(step)
    total = sum(isinstance(t, Work) for t in schedule.order)
    return "\n".join([f"{total} works", *lines, f"fused {total} works into {len(before)} kernels"])


def _why_not(nest, work):
    """Why a work is not in a nest."""
    if not any(a in nest.written or any(a in w.reads for w in nest.work) for a in work.reads):
        return "no data in common"
    if not list(nest._fits(work)):
        sizes = [n for n, _ in nest.dims], [n for n in work.shape if n > 1]
        return f"loops of sizes {sizes[0]} and {sizes[1]}"
    if any(a in nest.written for a in work.reads):
        return "an element that it reads is made at another turn"
    return "something that it reads is made between them"


def amounts(wrapper):
    """(works, bytes): how many loops there were, and what kernels and calls take and make."""
    calls = [thing for thing in wrapper.schedule.order if not isinstance(thing, Work)]
    arrays = [a for part in wrapper.parts for a in part.text.arrays]
    for call in calls:
        arrays += [*reads_of(call), *results_of(call, wrapper.schedule)]
    return len(wrapper.schedule.order) - len(calls), sum(a.size * a.dtype.itemsize for a in arrays)
