"""The Python text that runs a schedule: memory is taken, kernels and ops of the engine are called, memory is let go."""

import functools
import math
from typing import NamedTuple

from .._base.shape import contiguous_strides
from .._codegen.loops import Call, Input, LoopArray, Result
from .._codegen.scheduler import Schedule, step_reads
from .._tensor.tensor import Tensor
from .made import Made

_MADE_ANEW = ("matmul", "conv", "conv_input", "conv_weight")  # words whose results never share memory


class Part(NamedTuple):
    """A kernel of a graph: what the target was given and what it gave."""

    nest: object
    kept: list
    places: dict
    text: object  # the target's Text


GROUP_BYTES, GROUP_ARRAYS = 1 << 16, 120  # of what a group of kernels makes, and takes


class Group:
    """Kernels that are run by one call, one after the other: each call costs a microsecond."""

    def __init__(self):
        self.texts, self.calls, self.given, self.gone = [], [], [], []  # gone: names that nobody needs after it
        self.bytes, self.made = 0, None

    def add(self, text, given, work):
        """One more, at the end."""
        self.texts.append(text)
        self.calls.append((given, work))
        self.given += [name for name in dict.fromkeys(given) if name not in self.given]


class Wrapper:
    """A lowered graph as text: `source` (Python), `kernels` (the target's). `load()` gives f([inputs]) -> outputs.

    target: what nests are written as (_codegen/targets.py); device: where the graph's tensors are. forms: {kernel name:
    Form} of the kernels that are not to be in their usual one. keeps: is memory that no result is made of kept from one
    call to the next? parts: the Part of each kernel.
    """

    def __init__(self, lowered, target, device, forms=None, keeps=False):
        self.lowered, self.target, self.device = lowered, target, device
        self.schedule = Schedule(lowered, target.sums_across)
        self.forms, self.parts, self.called = forms or {}, [], []
        self.group, self.groups = Group(), []
        self.slots, self.free, self.held_slots = [] if keeps else None, {}, {}
        self.names, self.tables, self.functions, self.constants = {}, {}, {}, {}
        self.lines = []
        self._last = self._last_uses()
        self._write()
        if self.slots:
            self._keep_memory()
        self.source = "\n".join(["def call(args):", *[f"    {line}" for line in self.lines]]) + "\n"
        self.kernels = "\n".join([t.text for t in self.texts()])

    def made(self):
        """The Made of all that: as data, which another process can load."""
        module = self.lowered.module
        names = [n.target for n in module.graph.nodes if n.op == "get_attr"]
        held = [name for name in names if isinstance(attribute_of(module, name), Tensor)]
        return Made(
            source=self.source,
            target=self.target.name,
            device=str(self.device),
            texts=tuple(self.texts()),
            tables=tuple(self.tables),
            functions=self.functions,
            attributes={f"constant{i}": name for i, name in enumerate(held)},
            values=self.constants,
            slots=tuple(self.slots or ()),
        )

    def texts(self):
        """The target's Texts: of kernels, each or several at once, and of words without loops."""
        together = {id(text) for group in self.groups for text in group.texts}
        alone = [p.text for p in self.parts if id(p.text) not in together]
        return [*alone, *[group.made for group in self.groups], *self.called]

    def load(self):
        """f([inputs]) -> list of outputs; compiles the kernels."""
        return self.made().load(functools.partial(attribute_of, self.lowered.module))

    # ---- lines

    def _write(self):
        self._take_inputs()
        for i, step in enumerate(self.schedule.steps):
            if isinstance(step, Call):
                self._run_group()
                self._engine_call(step)
            else:
                self._kernel(step)
            self._delete(self._last.get(i, ()))
        self._run_group()
        for target, value in self.lowered.writes:
            name = self.names[_key(target)]
            if self.names[_key(value)] != name:
                self.lines.append(f"{self._table(target.dtype)}.write({name}, {self.names[_key(value)]})")
            self.lines.append(
                f"if {name} is not {name}_tensor._array: {name}_tensor._table.write({name}_tensor._array, {name})"
            )
        if self.lowered.writes:
            written = [f"{self.names[_key(target)]}_tensor" for target, _ in self.lowered.writes]
            self.lines.append(f"bump_all(({', '.join(written)},))")
        results = [self._output(x) for x in self.lowered.outputs]
        self.lines.append(f"return [{', '.join(results)}]")

    def _delete(self, owners):
        """Nobody needs these any more; a backward graph may have the last reference to what it was given."""
        stay = {self.names.get(_key(target)) for target, _ in self.lowered.writes}
        gone = {self.names[_key(x)]: x for x in owners if _key(x) in self.names}
        gone = {name: x for name, x in gone.items() if name not in stay and not name.startswith("constant")}
        if gone:
            self.group.gone += gone
            if not self.group.texts:
                self._forget()
        for owner in gone.values():
            self._let_go(owner)

    def _last_uses(self):
        """{step number: owners that nobody needs after it}"""
        held = {_key(x.owner) for x in self.schedule.outputs}
        last = {}
        for i, step in enumerate(self.schedule.steps):
            written = [w.array for w in step.work] if not isinstance(step, Call) else []
            for a in [*step_reads(step), *written]:
                last[_key(a.owner)] = (i, a.owner)
        found = {}
        for key, (i, owner) in last.items():
            if key not in held:
                found.setdefault(i, []).append(owner)
        return found

    def _take_inputs(self):
        inputs = self.lowered.inputs
        names = [f"arg{i}" for i in range(len(inputs))]
        if names:
            self.lines.append(f"{', '.join(names)}, = args")
        self.lines.append("args.clear()")
        for name, array in zip(names, inputs):
            if array is not None and any(array is a for a in self._used_inputs()):
                self.names[_key(array)] = name
                if any(array is target for target, _ in self.lowered.writes):
                    self.lines.append(f"{name}_tensor = {name}")
                k = self._table(array.dtype)
                self.lines.append(f"{name} = {name}._array if {name}._table is {k} else refused({name}, {k})")
                looks = f"{name}.strides != {_bytes(array)} or {name}.shape != {array.shape}"
                self.lines.append(f"if {looks}: {name} = {self._fitted(name, array)}")
        for i in range(len(self.lowered.constants)):
            owner = next((a for a in self._used_inputs() if a.source.number == len(inputs) + i), None)
            if owner is not None:
                self.names[_key(owner)] = f"constant{i}"

    def _used_inputs(self):
        found = self.__dict__.get("_used")
        if found is None:
            arrays = [a.owner for s in self.schedule.steps for a in step_reads(s)]
            arrays += [x.owner for x in self.schedule.outputs] + [x for x, _ in self.lowered.writes]
            found = self._used = list({id(a): a for a in arrays if isinstance(a.source, Input)}.values())
        return found

    def _fitted(self, name, array):
        return f"fitted({name}, {self._table(array.dtype)}, {array.shape}, {array.strides})"

    def _table(self, dtype):
        name = f"k_{dtype.name}"
        self.tables[dtype.name] = True
        return name

    def _take(self, array):
        """Memory for an array."""
        name = f"buf{len(self.names)}"
        self.names[_key(array)] = name
        k = self._table(array.dtype)
        if self.slots is not None and self._stays(array):
            self.lines.append(f"{name} = memory[{self._slot(array)}]")
            return name
        if array.strides == contiguous_strides(array.shape):
            self.lines.append(f"{name} = {k}.empty({array.shape})")
        else:
            self.lines.append(f"{name} = {k}.empty_strided({array.shape}, {array.strides})")
        return name

    # ---- memory that is kept between calls

    def _stays(self, array):
        """Is an array read by kernels and products only, none of which can give it to others?"""
        if any(x.owner is array for x in [*self.schedule.outputs, *[t for t, _ in self.lowered.writes]]):
            return False
        readers = self.schedule.readers.get(_key(array), ())
        return all(not isinstance(step, Call) or step.dtype and step.function in _MADE_ANEW for step in readers)

    def _slot(self, array):
        """The number of a piece of memory that nobody needs now."""
        kind = array.dtype, array.shape, array.strides
        free = self.free.setdefault(kind, [])
        if not free:
            free.append(len(self.slots))
            self.slots.append((array.dtype.name, array.shape, array.strides))
        self.held_slots[_key(array)] = kind, free[-1]
        return free.pop()

    def _let_go(self, array):
        kind, slot = self.held_slots.pop(_key(array), (None, None))
        if kind is not None:
            self.free[kind].append(slot)

    def _keep_memory(self):
        self.lines.insert(0, "memory = kept.take()")
        self.lines.insert(len(self.lines) - 1, "kept.give(memory)")

    # ---- kernels

    def _kernel(self, nest):
        name = f"kernel{len(self.parts)}"
        kept = [w.array for w in nest.work if not self.schedule.is_internal(w.array, nest)]
        if not all(math.prod(w.shape) for w in nest.work):
            for array in kept:
                self._take(array)
            return
        places = {
            value: target
            for target, value in self.lowered.writes
            if self.target.writes_to_inputs
            and value in nest.written
            and self.schedule.may_write_to(target, value, nest)
        }
        form = {"form": self.forms[name]} if name in self.forms else {}
        text = self.target.source(nest, name, kept, places, **form)
        for array, target in places.items():
            self.names[_key(array)] = self.names[_key(target)]
        for array in text.arrays:
            if array in nest.written:
                self._take(array)
        given = [self.names[_key(a)] for a in text.arrays]
        work = max(math.prod(w.shape) for w in nest.work)
        if self._joins(text, nest):
            self.group.add(text, given, work)
            self.parts.append(Part(nest, kept, places, text))
            return
        self._run_group()
        if text.checks:
            k = self._table(_int64())
            self.lines.append(f"faults = {k}.zeros((1,))")
            given.append("faults")
        self.lines.append(f"{name}({', '.join([*given, str(work)])})")
        if text.checks:
            self.lines.append('if faults[0]: raise IndexError("index out of range in self")')
        self.parts.append(Part(nest, kept, places, text))

    def _joins(self, text, nest):
        """Is a kernel run together with others? What it makes must be small, for it is let go later than otherwise."""
        if text.checks or not self.target.groups:
            return False
        made = sum([a.size * a.dtype.itemsize for a in text.arrays if a in nest.written and self._is_new(a)])
        if made > GROUP_BYTES:
            return False
        if self.group.bytes + made > GROUP_BYTES or len(self.group.given) + len(text.arrays) > GROUP_ARRAYS:
            self._run_group()
        self.group.bytes += made
        return True

    def _is_new(self, array):
        return self.names[_key(array)].startswith("buf")

    def _run_group(self):
        """Call the kernels that wait."""
        group, self.group = self.group, Group()
        if len(group.texts) == 1:
            self.lines.append(f"{group.texts[0].name}({', '.join([*group.calls[0][0], str(group.calls[0][1])])})")
        elif group.texts:
            group.made = self.target.grouped(f"group{len(self.groups)}", group.texts, group.calls, group.given)
            self.groups.append(group)
            work = sum([work for _, work in group.calls])
            self.lines.append(f"{group.made.name}({', '.join([*group.given, str(work)])})")
        self.group.gone = group.gone
        self._forget()

    def _forget(self):
        if self.group.gone:
            self.lines.append(f"del {', '.join(self.group.gone)}")
            self.group.gone = []

    # ---- calls of the engine

    def _engine_call(self, call):
        results = self._results(call)
        if call.dtype is not None and [item for item, _ in results] == [None] and self._own_kernel(call, results[0][1]):
            return
        if call.dtype is not None:
            args = ", ".join(self._word_argument(a) for a in call.args)
            text = f"{self._table(call.dtype)}.{call.function}({args})"
        else:
            name = str(call.function).replace(".", "_")
            self.functions[name] = call.function
            values = call.function._schema.bound(call.args, call.kwargs, call.function.takes_numbers)
            text = f"{name}([{', '.join(self._op_argument(v) for v in values)}])"
        several = f"made{len(self.names)}"
        if [item for item, _ in results] == [None]:
            several = None
        else:
            self.lines.append(f"{several} = {text}")
        for item, array in results:
            name = f"buf{len(self.names)}"
            self.names[_key(array)] = name
            made = text if several is None else f"{several}[{item}]"
            if call.dtype is None:
                made = f"{made}._array"
            elif not array.shape:  # some of numpy's functions give a number
                made = f"{self._table(array.dtype)}.asarray({made})"
            self.lines.append(f"{name} = {made}")
            self.lines.append(f"if {name}.strides != {_bytes(array)}: {name} = {self._fitted(name, array)}")
        if several is not None:
            self.lines.append(f"del {several}")

    def _own_kernel(self, call, result):
        """A word without loops of which the target has a text; False where it has none."""
        text = self.target.word_source(call, result, f"{call.function}{len(self.called)}")
        if text is None:
            return False
        for array in text.arrays:
            if not any(array is a for a in call.args):
                self._take(array)
        given = ", ".join([self._view(a) for a in text.arrays])
        self.lines.append(f"{text.name}({given}, {math.prod(result.shape)})")
        self.lines.append(f"del {self.names[_key(text.arrays[-1])]}")
        self.called.append(text)
        return True

    def _results(self, call):
        """[(item, array)] of the results of a call that somebody reads."""
        found = {}
        arrays = [a.owner for s in self.schedule.steps for a in step_reads(s)] + [
            x.owner for x in self.schedule.outputs
        ]
        for a in arrays:
            if isinstance(a.source, Result) and a.source.call is call:
                found[a.source.item] = a
        return sorted(found.items(), key=lambda t: t[0] or 0)

    def _word_argument(self, x):
        if isinstance(x, LoopArray):
            return self._view(x)
        if isinstance(x, (tuple, list)):
            inner = ", ".join(self._word_argument(a) for a in x)
            return f"[{inner}]" if isinstance(x, list) else f"({inner}{',' * (len(x) == 1)})"
        return self._constant(x)

    def _op_argument(self, x):
        if isinstance(x, Tensor):
            return f"wrap({self._view(x._array)}, {self._table(x.dtype)})"
        if isinstance(x, (tuple, list)):
            inner = ", ".join(self._op_argument(a) for a in x)
            return f"[{inner}]" if isinstance(x, list) else f"({inner}{',' * (len(x) == 1)})"
        return self._constant(x)

    def _constant(self, x):
        if x is None or type(x) in (int, bool, str) or type(x) is float and math.isfinite(x):
            return repr(x)
        name = f"value{len(self.constants)}"
        self.constants[name] = x
        return name

    def _view(self, x):
        """A window into memory."""
        owner, name = x.owner, self.names[_key(x.owner)]
        if x is owner or (x.shape, x.strides, x.offset) == (owner.shape, owner.strides, 0):
            return name
        if len(x.shape) == 2 == len(owner.shape) and not x.offset:
            if x.shape == owner.shape[::-1] and x.strides == owner.strides[::-1]:
                return f"{name}.T"
        return f"{self._table(x.dtype)}.as_strided({name}, {x.shape}, {x.strides}, {x.offset})"

    def _output(self, x):
        if not isinstance(x, LoopArray):
            return self._constant(x)
        return f"wrap({self._view(x)}, {self._table(x.dtype)})"


def _key(array):
    return id(array)


def _bytes(array):
    """numpy's strides of an array."""
    return tuple([s * array.dtype.itemsize for s in array.strides])


def _int64():
    from .._base.dtype import int64

    return int64


def attribute_of(module, target):
    """What a get_attr node gives."""
    return functools.reduce(getattr, target.split("."), module)
