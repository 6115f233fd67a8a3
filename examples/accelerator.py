"""An accelerator of one's own as a device of lucid: torch.compile writes its kernels, and here they run.

    python examples/accelerator.py

The machine has vectors of 16 lanes. This file is all that lucid is told of it: what its instructions do (`Machine` runs
them), how loop bodies are written with them (`Words`, `Handler`, `Kernel`), where tensors of the device lie (`Memory`),
and two lines that register them. What the machine has no instruction for is left to the tables of `Memory`.
"""

import numpy as np

import lucid as torch
from lucid import nn
from lucid._array.lookup import register_device
from lucid._array.numpy.table import KINDS, TABLES, HalfWords, NumpyWords
from lucid._array.words import letter
from lucid._base.dtype import bool_, float32, int64
from lucid._codegen import targets
from lucid._codegen.index import Index
from lucid._codegen.numpy_words import flat
from lucid._codegen.text import TextHandler, TextWords, Value
from lucid._codegen.turns import TurnKernel, start_of

LANES = 16

# ---- the machine


class Machine:
    """Runs programs in this assembly, 16 turns at once; a turn beyond the last is a lane that neither loads nor stores.

    turns 1000
    i0 = lane.i64                       the number of a lane's turn
    loop r1, 70  ...  end               r1 counts from 0 to 69
    t0 = const.f32 0.5
    t1 = load.f32 a0, i0                an element of the kernel's first array; with a third operand only where
    t2 = add.f32 t0, t1                 that is true, else 0
    store.f32 a1, i0, t2
    fault t3                            an index was wrong, where t3 is true
    """

    KINDS = {"f32": np.float32, "i64": np.int64, "b8": np.bool_}
    INSTRUCTIONS = dict(
        add=np.add, sub=np.subtract, mul=np.multiply, div=np.divide, max=np.maximum, min=np.minimum, abs=np.abs,
        neg=np.negative, floor=np.floor, sqrt=np.sqrt, exp=np.exp, log=np.log, tanh=np.tanh, quo=np.floor_divide,
        rem=np.remainder, eq=np.equal, ne=np.not_equal, lt=np.less, le=np.less_equal, gt=np.greater,
        ge=np.greater_equal, select=np.where, copy=np.copy,
    )  # fmt: skip
    INSTRUCTIONS |= {"not": np.logical_not, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
    done = 0  # instructions, by all programs

    def __init__(self, text):
        lines = [line.split() for line in text.replace(",", " ").splitlines()]
        (_, turns), *rest = lines
        self.turns, self.block = int(turns), self._block(iter(rest))

    def _block(self, lines):
        """[(operation, type, target, operands)] up to the block's end; a loop has a block for its type."""
        found = []
        for first, *rest in lines:
            if first == "end":
                break
            if first == "loop":
                found.append(("loop", self._block(lines), *rest))
                continue
            target, (first, *rest) = (first, rest[1:]) if rest and rest[0] == "=" else (None, (first, *rest))
            word, _, kind = first.partition(".")
            found.append((word, self.KINDS.get(kind), target, rest))
        return found

    def __call__(self, *given):
        """The whole program on arrays a0, a1 ..., that for faults where it checks places, and the amount of work."""
        *arrays, _ = given
        self.memory = {f"a{n}": flat(a) for n, a in enumerate(arrays)}
        self.faults = arrays[-1]
        with np.errstate(all="ignore"):
            for first in range(0, self.turns, LANES):
                self.lanes = np.arange(first, first + LANES)
                self.running = self.lanes < self.turns
                self._run(self.block, {})

    def _run(self, block, registers):
        Machine.done += len(block)
        for word, kind, target, operands in block:
            if word == "loop":
                for turn in range(int(operands)):
                    registers[target] = np.full(LANES, turn)
                    self._run(kind, registers)
            elif word == "const":
                number = float(operands[0]) if kind is np.float32 else int(operands[0])
                registers[target] = np.full(LANES, number, kind)
            elif word == "lane":
                registers[target] = self.lanes
            elif word == "load":
                array, where, *only = operands
                lanes = self.running & registers[only[0]] if only else self.running
                registers[target] = np.zeros(LANES, kind)
                registers[target][lanes] = self.memory[array][registers[where][lanes]]
            elif word == "store":
                array, where, value = operands
                self.memory[array][registers[where][self.running]] = registers[value][self.running]
            elif word == "fault":
                self.faults[0] |= (registers[operands[0]] & self.running).any()
            elif word == "convert":
                registers[target] = registers[operands[0]].astype(kind)
            else:
                registers[target] = self.INSTRUCTIONS[word](*[registers[name] for name in operands])


# ---- loop bodies in this assembly

TYPES = {float32: "f32", int64: "i64", bool_: "b8"}


def one(instruction, count):
    """The line of an instruction with so many operands."""
    return f"{instruction}.{{T}} {', '.join(['{0}', '{1}', '{2}'][:count])}"


class Words(TextWords):
    """What elements of a type can do: a word is one instruction, or a method that says it with others."""

    target = "assembly"
    TYPES = TYPES
    TESTS = {word: one(word, 2) for word in TextWords.TESTS}
    LOGIC = {word: one(word[8:], 1 if word == "logical_not" else 2) for word in TextWords.LOGIC}
    WHERE = one("select", 3)
    INTEGERS = {
        **dict(add=one("add", 2), sub=one("sub", 2), mul=one("mul", 2), neg=one("neg", 1), abs=one("abs", 1)),
        **dict(maximum=one("max", 2), minimum=one("min", 2), bitwise_and=one("and", 2), bitwise_or=one("or", 2)),
        "bitwise_xor": one("xor", 2),
    }
    FLOATS = {
        **{word: text for word, text in INTEGERS.items() if "bitwise" not in word},
        **{word: one(word, 1) for word in ("floor", "sqrt", "exp", "log", "tanh")},
        "div": one("div", 2),
    }

    def literal(self, value, dtype):
        number = float(value) if dtype is float32 else int(value)
        return self.handler.named(f"const.{TYPES[dtype]} {number!r}", dtype).text

    def convert(self, text, before, after):
        return f"convert.{TYPES[after]} {text}"

    def square(self, x):
        return self.mul(x, x)

    def reciprocal(self, x):
        return self.div(1, x)

    def rsqrt(self, x):
        return self.div(1, self.sqrt(x))

    def relu(self, x):
        return self.maximum(x, 0)

    def sigmoid(self, x):
        return self.div(1, self.add(1, self.exp(self.neg(x))))

    def isnan(self, x):
        return self.ne(x, x)

    def isfinite(self, x):
        return self.lt(self.abs(x), float("inf"))

    def addcmul(self, x, a, b):
        return self.add(x, self.mul(a, b))


class Handler(TextHandler):
    """What bodies ask for beside words: places as numbers, loads, faults."""

    words = Words

    def declare(self, name, text, dtype):
        return f"{name} = {text}"

    def number(self, place):
        words, total = self.sibling(int64), None
        for (kind, x, n), factor in place.terms.items():
            if kind == "v":
                part = Value(x, int64)
            else:
                part = words.write(one("quo" if kind == "/" else "rem", 2), self.number(x), n)
            part = part if factor == 1 else words.mul(part, factor)
            total = part if total is None else words.add(total, part)
        if total is None:
            return words.scalar(place.constant)
        return words.add(total, place.constant) if place.constant else total

    def read(self, array, place):
        where = self.number(place).text
        where = where if self.mask is None else f"{where}, {self.mask.text}"
        return self.named(f"load.{TYPES[array.dtype]} {self.kernel.pointer(array)}, {where}", array.dtype)

    def fault(self, wrong):
        self.scope.lines.append(f"fault {wrong.text}")


class Kernel(TurnKernel):
    """One loop nest as a program: its outer turns are the lanes' turns, what it reduces are loops."""

    handler = Handler
    SIGNS = {"sum": "add", "prod": "mul", "max": "max", "min": "min"}

    def source(self):
        lines = self.passes()
        head, turn = Handler(self), Index.variable("turn", self.turns)
        for name, n in reversed(self.outer):
            head.scope.lines.append(f"{name} = copy.i64 {head.number(turn % n).text}")
            turn = turn // n
        return "\n".join([f"turns {self.turns}", "turn = lane.i64", *head.scope.lines, *lines]) + "\n"

    def loop(self, lines, starts):
        heads, ends = [f"loop {name}, {n}" for name, n in self.inner], ["end"] * len(self.inner)
        return [*[line for start in starts for line in start], *heads, *[f"  {line}" for line in lines], *ends]

    def reduce(self, work, value, acc):
        dtype = work.array.dtype
        start = float(start_of(work.kind, dtype)) if dtype is float32 else int(start_of(work.kind, dtype))
        sign = {"max": "or", "min": "and"}[work.kind] if dtype is bool_ else self.SIGNS[work.kind]
        self.ops.scope.lines.append(f"{acc} = {sign}.{TYPES[dtype]} {acc}, {value.text}")
        return [f"{acc} = const.{TYPES[dtype]} {start!r}"], [], Value(acc, dtype)

    def store(self, work, value):
        place = self.ops.number(self.place_of(work)).text
        line = f"store.{TYPES[work.array.dtype]} {self.pointer(work.array)}, {place}, {value.text}"
        self.ops.scope.lines.append(line)


class Assembly(targets.Target):
    """The target: nests as programs, programs as functions of arrays."""

    name, handler = "sixteen", Handler

    def source(self, nest, name, kept, places=None):
        kernel = Kernel(nest, name, kept)
        return self.text(nest, name, (kernel.source(), kernel.arrays, kernel.ops.checks))

    def load(self, texts):
        return [Machine(t.text) for t in texts]


# ---- the device


class Memory(NumpyWords):
    """Tensors of the device: memory that only it may see, and numpy's kernels for what it cannot do."""

    backend = device_group = "sixteen"

    def __init__(self, dtype, place):
        super().__init__(dtype, KINDS[dtype])
        self.device = place

    def __reduce__(self):
        return table, (self.dtype, self.device)

    def sibling(self, dtype):
        return table(dtype, self.device)

    def of(self, array):
        return self if array.dtype is self.array_dtype else self.sibling(TABLES[array.dtype].dtype)

    def import_from(self, array, k):
        return self.cast(k.to_numpy(array), self.dtype).copy()

    def to_numpy(self, array):
        return array.copy()


class HalfMemory(HalfWords, Memory):
    """The same of float16 and bfloat16."""


_tables = {}


def table(dtype, place):
    """The table of an element type."""
    found = _tables.get((dtype, place))
    if found is None:
        found = _tables[dtype, place] = (HalfMemory if letter(dtype) == "h" else Memory)(dtype, place)
        found.bool = found if dtype is bool_ else table(bool_, place)
    return found


register_device("sixteen", table)
targets.register(Assembly(), device="sixteen")

# ---- a network


def train(device, steps=5, compiled=True):
    """The losses of a small network that learns which of ten stripes a point is in."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 10))
    x = torch.randn(64, 8)
    y = (x.sum(1) * 2).long() % 10
    model, x, y = model.to(device), x.to(device), y.to(device)
    momenta = [torch.zeros_like(p) for p in model.parameters()]

    def loss_of(x, y):
        return nn.functional.cross_entropy(model(x), y)

    def update(parameters, gradients, momenta):
        for p, g, m in zip(parameters, gradients, momenta):
            m.mul_(0.9).add_(g)
            p.sub_(m * 0.1)

    if compiled:
        loss_of, update = torch.compile(loss_of), torch.compile(update)
    losses = []
    for _ in range(steps):
        model.zero_grad()
        loss = loss_of(x, y)
        loss.backward()
        with torch.no_grad():
            update(list(model.parameters()), [p.grad for p in model.parameters()], momenta)
        losses.append(loss.item())
    return losses


def main():
    print("   eager, CPU  compiled, sixteen")
    for a, b in zip(train("cpu", compiled=False), train("sixteen")):
        print(f"{a:13.6f}{b:19.6f}")
    print(f"{Machine.done} instructions of {LANES} lanes")


if __name__ == "__main__":
    main()
