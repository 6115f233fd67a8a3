"""The C text of a loop nest.

    text, arrays = c_source(nest, "kernel", kept)     # void kernel(float *a0, ..., long work)

Turns of the outer loops are shared out in blocks to the pool's threads; how many there are never changes a result. The
innermost loop runs along the dimension in which most arrays lie one element after the other: an inner one ("rows"), or
an outer one, whose running results are then arrays ("columns").
"""

import math
import re
from typing import NamedTuple

from .._base.dtype import BOOL, FLOATING, bool_, float32, int64
from . import chains
from .c import C_TYPES, Body, CWords, Expr, literal
from .c_halves import HALF_FUNCTIONS, HALVES
from .c_turns import open_turns, plain_turns
from .index import Index
from .nest import Nest
from .open_sizes import Open, most
from .parts import Arguments, Masks

BLOCK = 8192  # elements of a long innermost loop that are one turn
COLUMNS = 256  # of an innermost loop over outer turns
SCRATCH = 65536  # bytes of a row that may be kept between two passes

# Long bodies are vectorised, too, when nothing in them is left a call.
INLINE = "static inline __attribute__((always_inline)) "
_WORD = re.compile(r"[a-z]\w*")


class Form(NamedTuple):
    """How a nest's loops are laid out, where it is not to be as above. All forms are right; one may be quicker."""

    columns: bool | None = None  # does the innermost loop run over outer turns? None: where most arrays lie so
    width: int = COLUMNS  # how many of them
    block: int = BLOCK
    innermost: int | None = None  # the dim of a nest without reductions that is innermost


def forms(nest):
    """The forms in which it is worth to time a nest."""
    nest.merge()
    plain = [d for d, (_, reduced) in enumerate(nest.dims) if not reduced]
    if nest.is_reduced:
        found = [Form()]
        if plain:
            found += [Form(False), *[Form(True, width) for width in (COLUMNS // 4, COLUMNS, 4 * COLUMNS)]]
        return found
    return [Form(), Form(block=BLOCK // 4), Form(block=4 * BLOCK), *[Form(innermost=d) for d in plain[-3:]]]


def c_type(dtype):
    """The C type of an element in memory."""
    return "unsigned short" if dtype in HALVES else C_TYPES[dtype]


class Block(Body):
    """The statements of one block of C; what an enclosing block has named is known.

    varies: names that change inside the block. A value that depends on none of them, nor on what is named here, is
    written into the enclosing block: compilers do not move all of it there by themselves.
    """

    def __init__(self, parent=None, varies=()):
        super().__init__()
        self.parent, self.varies = parent, set(varies)
        self.functions = parent.functions if parent is not None else {}
        self.counter = parent.counter if parent is not None else [0]

    def is_varying(self, text):
        """Does a value change inside the block?"""
        return self.parent is None or not self.varies.isdisjoint(_WORD.findall(text))

    def name(self, text, dtype):
        if not self.is_varying(text):
            return self.parent.name(text, dtype)
        found = self.names.get((text, dtype))
        if found is None:
            found = self.names[text, dtype] = f"t{self.counter[0]}"
            self.counter[0] += 1
            self.varies.add(found)
            self.lines.append(f"const {C_TYPES[dtype]} {found} = {text};")
        return found


class LoopCWords(CWords):
    """The words of one type, in which halves are floats that hold a half's value."""

    def sibling(self, dtype):
        return LoopCWords(float32 if dtype in HALVES else dtype, self.body)

    def cast(self, x, dtype):
        if dtype in HALVES:
            return self.convert(f"round_{HALVES[dtype]}", self.text(x, float32))
        return super().cast(x, dtype)

    def div(self, a, b):
        """a / b; by a divisor that is the same for the whole loop, without the processor's slow division."""
        if not self.inexact or self.text(b, self.dtype).isdigit() or not isinstance(self.body, Block):
            return super().div(a, b)
        a, b = self.text(a, self.dtype), self.text(b, self.dtype)
        if not self.body.is_varying(a) or self.body.is_varying(b):
            return self.make(f"{a} / {b}")
        f = "f" if self.dtype is float32 else ""
        self.body.functions["quotient" + f] = _QUOTIENT.replace("T ", C_TYPES[self.dtype] + " ").replace("%", f)
        scale = self.make(f"lucid_divisor_scale{f}({b})")
        scaled = self.make(f"{b} * {scale}")
        inverse = self.make(f"1 / {scaled}")
        return self.make(f"lucid_quotient{f}({a} * {scale}, {scaled}, {inverse})")

    def convert(self, name, text):
        """A float made from, or rounded to, a half."""
        self.body.functions[name] = HALF_FUNCTIONS[name]
        return Expr(self.body.name(f"lucid_{name}({text})", float32), float32, LoopCWords(float32, self.body))


# x / d with r = 1 / d: the product is corrected by what is left over, which gives the rounded quotient (P. Markstein,
# 1990); where that is no number (0, infinities, overflow) the product is the quotient. Tiny divisors are
# scaled up first.
_QUOTIENT = """#ifdef __FMA__
static inline T lucid_divisor_scale%(T d) { return __builtin_fabs%(d) < 0x1p-100 ? 0x1p64 : 1; }
static inline T lucid_quotient%(T x, T d, T r)
{
  T q = x * r, left = __builtin_fma%(-q, d, x);
  return left != 0 && left - left == 0 ? __builtin_fma%(left, r, q) : q;
}
#else
static inline T lucid_divisor_scale%(T d) { return 1; }
static inline T lucid_quotient%(T x, T d, T r) { return x / d; }
#endif"""

# gcc 12 takes a place that it knows to be 0 or 1 for a mask, -1 where it is 1, and reads there; so it may not know.
ZERO = "static const volatile long long lucid_zero = 0;"


class CHandler(Masks):
    """What bodies ask for, answered with C expressions that are named in the current block."""

    def __init__(self, kernel):
        self.kernel, self.block, self.known = kernel, None, {}
        self.checks = False

    def enter(self, block):
        """Write into this block from now on."""
        self.block, self.known = block, {}

    def sibling(self, dtype):
        return LoopCWords(float32 if dtype in HALVES else dtype, self.block)

    def number(self, place):
        return Expr(self.block.name(f"({C_TYPES[int64]})({place.text()})", int64), int64, self.sibling(int64))

    def load(self, array, place):
        found = self.kernel.value_of(array)
        if found is not None:
            return found
        return self.read(f"{self.kernel.pointer(array)}[{place.text()}]", array.dtype)

    def read(self, text, dtype):
        if self.mask is not None:
            text = f"{self.mask.text} ? {text} : 0"
        if dtype in HALVES:
            return self.sibling(float32).convert(f"from_{HALVES[dtype]}", f"({text})")
        return Expr(self.block.name(text, dtype), dtype, self.sibling(dtype))

    def indirect(self, value, size, wraps):
        words = self.sibling(int64)
        self.block.functions["zero"] = ZERO
        v = self.block.name(f"{words.cast(value, int64).text} + zero", int64)
        if wraps:
            v = self.block.name(f"{v} < 0 ? {v} + {size} : {v}", int64)
        outside = self.block.name(f"(unsigned long long){v} >= {size}ULL", bool_)
        self.checks = True
        self.block.lines.append(f"fault |= {outside}{f' & {self.mask.text}' if self.mask is not None else ''};")
        place = self.block.name(f"{outside} ? 0 : {v}", int64)
        return Index({("v", place, max(size, 2)): 1})


class CKernel(Arguments):
    """One nest on its way to being C. kept: arrays that somebody else reads and that are therefore stored.

    sizes, fractions: names of open numbers, which the function is told after the amount of work.
    """

    def __init__(self, nest, name, kept, places, form=None, sizes=(), fractions=()):
        nest.merge()
        self.nest, self.name, self.kept, self.places, self.form = nest, name, kept, places, form or Form()
        self.sizes, self.fractions = list(sizes), list(fractions)
        super().__init__()
        self.outer_values, self.pass_values, self.scratch = {}, {}, {}
        self.ops = CHandler(self)
        self._choose_loops()

    # ---- loops

    def _choose_loops(self):
        nest = self.nest
        self.variables = nest.variables()
        self.names = [f"{'r' if r else 'i'}{d}" for d, (_, r) in enumerate(nest.dims)]
        reduced = [d for d, (_, r) in enumerate(nest.dims) if r]
        plain = [d for d, (_, r) in enumerate(nest.dims) if not r]
        found, _ = nest.accesses()
        votes = {d: 0 for d in range(len(nest.dims))}
        for array, place, level in found:
            for d in votes:
                if level == "inner" and place.step(self.names[d]) == 1:
                    votes[d] += array.size
        self.order = sorted(votes, key=lambda d: (votes[d], d))
        best = self.order[-1] if self.order else None
        self.across = [w for w in nest.work if nest.level[w] == "across"]
        may_turn = bool(reduced) and not self.across
        self.columns = may_turn and best in plain and votes[best] > max(votes[d] for d in reduced)
        if may_turn and plain and self.form.columns is not None:
            self.columns = self.form.columns
            best = max(plain, key=self.order.index) if self.columns else best
        elif not reduced and self.form.innermost is not None:
            best = self.form.innermost
        stride = {d: self._stride(d) for d in votes}
        if reduced:
            self.inner = sorted(reduced, key=lambda d: (votes[d], d))
            self.vector = best if self.columns else None
        else:
            self.inner, self.vector = ([best] if best is not None else []), None
        outer = [d for d in plain if d not in self.inner and d != self.vector]
        self.summed = [d for d in outer if any(self._place(w).step(self.names[d]) == 0 for w in self.across)]
        self.outer = sorted(outer, key=lambda d: (d in self.summed, -stride[d]))

    def _stride(self, d):
        """By how much the place of the first array that is written grows with a dim."""
        return self._place(self.nest.work[-1]).step(self.names[d]) or 0

    def _place(self, work):
        """Where in its array the value of a turn goes."""
        return work.store_place(self.nest.index_of(work))

    # ---- what bodies read

    def pointer(self, array):
        """The name of an array among the function's arguments."""
        return super().pointer(self.places.get(array, array))

    def value_of(self, array):
        """The value of an array's element at this turn, where this kernel has it."""
        if array in self.pass_values:
            return self.pass_values[array]
        if array in self.outer_values:
            text = self.outer_values[array]
            return Expr(text, self._held(array.dtype), self.ops.sibling(array.dtype))
        if array in self.scratch:
            return self.ops.read(f"{self.scratch[array]}[{self._run_place()}]", self._held(array.dtype))
        return None

    def _held(self, dtype):
        return float32 if dtype in HALVES else dtype

    def _run_place(self):
        """The running number of an inner turn."""
        total, factor = Index({}), 1
        for d in reversed(self.inner):
            total, factor = total + self.variables[d] * factor, factor * self.nest.dims[d][0]
        return total.text()

    # ---- text

    def source(self):
        top = Block()
        body = self._turn(top)
        turns = self._turns()
        parameters = [(a, self._pointers[a]) for a in self.arrays]
        written = {self.places.get(a, a) for a in self.nest.written}
        fields = [f"{'' if a in written else 'const '}{c_type(a.dtype)} *restrict {n}" for a, n in parameters]
        checks = self.ops.checks
        if checks:
            fields.append("long long *restrict faults")
        names = [n for _, n in parameters] + ["faults"] * checks
        sizes = [*[f"long {n}" for n in self.sizes], *[f"double {n}" for n in self.fractions]]
        local = [f"{name}_" for name in turns.told]  # what a block has to know of how many turns there are
        members = [*fields, *sizes, *[f"long {n}" for n in turns.told]]
        struct = f"struct {self.name}_arrays {{ {' '.join(f + ';' for f in members)} }};"
        unpack = [f"  {f} = p->{n};" for f, n in zip(fields, names)]
        unpack += [f"  const long {n} = p->{n};" for n in (*self.sizes, *turns.told)]
        unpack += [f"  const double {n} = p->{n};" for n in self.fractions]
        text = [
            *[_once(name, text) for name, text in top.functions.items()],
            struct,
            f"static void {self.name}_task(void *context, long block)",
            "{",
            f"  struct {self.name}_arrays *p = context;",
            *unpack,
            *["  int fault = 0;", "  const long long zero = lucid_zero;"] * checks,
            *self._task(body, turns),
            *["  if (fault) *faults = 1;"] * checks,
            "}",
            f"void {self.name}({', '.join([*fields, 'long work', *sizes])})",
            "{",
            *[f"  const long {name} = {value};" for name, value in zip(local, turns.told.values())],
            f"  struct {self.name}_arrays p = {{{', '.join([*names, *self.sizes, *self.fractions, *local])}}};",
            f"  {turns.run(self.name)};",
            "}",
        ]
        return "\n".join(text) + "\n"

    def _cut(self):
        """(the dim that is cut into blocks, the size of one), or (None, 1)."""
        if self.columns:
            n = self.nest.dims[self.vector][0]
            return self.vector, self.form.width if isinstance(n, Open) else min(self.form.width, n)
        if not self._is_pointwise or not self.inner:
            return None, 1
        n, block = self.nest.dims[self.inner[0]][0], self.form.block
        return self.inner[0], block if isinstance(n, Open) else n if n <= 2 * block else min(block, n)

    def _turns(self):
        """How many turns there are and how many a block has."""
        cut, size = self._cut()
        sizes = [n for n, _ in self.nest.dims]
        outer, summed = ([sizes[d] for d in dims] for dims in (self.outer, self.summed))
        rest = [n for d, n in enumerate(sizes) if d not in self.outer and d != cut]
        count = open_turns if self.sizes else plain_turns
        return count(outer, rest, summed, None if cut is None else sizes[cut], size)

    def _task(self, body, turns):
        """The lines of a block of turns."""
        cut, size = self._cut()
        lines, rest = [turns.head], "turn"
        if cut is not None:
            n, pieces = self.nest.dims[cut][0], turns.pieces
            lines.append(f"  const long start = {f'turn % {pieces}' if pieces != 1 else '0'} * {size};")
            exact = not isinstance(n, Open) and n % size == 0
            lines.append(f"  const long end = start + {size}{'' if exact else f' < {n} ? start + {size} : {n}'};")
            rest = f"turn / {pieces}" if pieces != 1 else "turn"
        sizes = [(self.names[d], self.nest.dims[d][0]) for d in self.outer]
        for k, (name, n) in enumerate(reversed(sizes)):
            last = k == len(sizes) - 1
            lines.append(f"  const long {name} = {f'({rest})' if last else f'({rest}) % {n}'};")
            rest = rest if last else f"({rest}) / {n}"
        return [f"  {line}" for line in [*lines, *[f"  {line}" for line in body], "}"]]

    @property
    def _is_pointwise(self):
        return not self.nest.is_reduced

    def _turn(self, top):
        """The lines of one outer turn (of a block of columns)."""
        lines, passes = [], self.nest.passes()
        self._plan_scratch(passes)
        for array, name in self.scratch.items():
            count = most(math.prod([self.nest.dims[d][0] for d in self.inner]))
            lines.append(f"{C_TYPES[self._held(array.dtype)]} {name}[{count}];")
        for work in self.across:
            place = self._place(work)
            zero = self._loops(self.inner, [f"{self.pointer(work.array)}[{place.text()}] = 0;"])
            begins = [self.names[d] for d in self.summed if place.step(self.names[d]) == 0]
            lines += [f"if (!({' | '.join(begins)})) {{", *zero, "}"]
        for inner, outer in passes:
            if inner:
                lines += self._pass(inner, top)
            if outer:
                lines += self._after(outer, top)
        return lines

    def _plan_scratch(self, passes):
        """Which arrays nobody else reads, but a later pass does: they are kept for one turn."""
        when = {w.array: n for n, (inner, outer) in enumerate(passes) for w in inner if not w.kind}
        late = {
            a
            for n, (inner, outer) in enumerate(passes)
            for w in (*inner, *outer)
            for a in w.reads
            if a in when and when[a] < n
        }
        row = most(math.prod([self.nest.dims[d][0] for d in self.inner]))
        for array in sorted(late, key=lambda a: when[a]):
            if array in self.kept:
                continue
            if not self.columns and row * 8 * (len(self.scratch) + 1) <= SCRATCH:
                self.scratch[array] = f"s{len(self.scratch)}"
            else:
                self.kept.add(array)

    def _loops(self, dims, lines, clauses="", vector=None):
        """The lines inside loops over dims (and over the vector dim)."""
        if self._is_pointwise and len(dims) == 1 and not clauses:
            cut = chains.loops(self.names[dims[0]], lines)
            if cut is not None:
                return cut
        heads = []
        for d in dims:
            name, n = self.names[d], self.nest.dims[d][0]
            if self._is_pointwise:
                heads.append(f"for (long {name} = start; {name} < end; {name}++) {{")
            else:
                heads.append(f"for (long {name} = 0; {name} < {n}; {name}++) {{")
        if vector is not None:
            name = self.names[vector]
            heads.append(f"for (long {name} = start; {name} < end; {name}++) {{")
        out = []
        for k, head in enumerate(heads):
            if k == len(heads) - 1:
                out.append("  " * k + f"#pragma omp simd{clauses}")
            out.append("  " * k + head)
        out += ["  " * len(heads) + line for line in lines]
        return out + ["  " * k + "}" for k in reversed(range(len(heads)))]

    # ---- one run through the inner loops

    def _pass(self, works, top):
        block, done = self._inner_block(top), len(top.lines)
        self.ops.enter(block)
        self.pass_values = {}
        before, after, clauses = [], [], []
        for work in works:
            index = self.nest.index_of(work)
            value = work.body(self.ops, index)
            if work in self.across:
                place, dtype = work.store_place(index), self._held(work.array.dtype)
                value = self.ops.sibling(dtype).cast(value, dtype)
                block.lines.append(f"{self.pointer(work.array)}[{place.text()}] += {value.text};")
                continue
            if work.kind:
                self._reduce(work, value, block, before, after, clauses)
                continue
            self.pass_values[work.array] = self._rounded(value, work.array.dtype)
            self._store(work, self.pass_values[work.array], index, block)
        self.pass_values = {}
        if self.ops.checks and any(line.startswith("fault") for line in block.lines):
            clauses.append("|:fault")
        text = "".join(f" reduction({c})" for c in clauses)
        return [*top.lines[done:], *before, *self._loops(self.inner, block.lines, text, self.vector), *after]

    def _inner_block(self, top):
        return Block(top, [self.names[d] for d in (*self.inner, self.vector) if d is not None])

    def _rounded(self, value, dtype):
        """A value as its array holds it."""
        return self.ops.sibling(dtype).cast(value, dtype)

    def _store(self, work, value, index, block):
        array = work.array
        if array in self.scratch:
            block.lines.append(f"{self.scratch[array]}[{self._run_place()}] = {value.text};")
        if array in self.kept:
            target = f"{self.pointer(array)}[{work.store_place(index).text()}]"
            block.lines.append(f"{target} = {self._stored(value, array.dtype)};")

    def _stored(self, value, dtype):
        if dtype not in HALVES:
            return value.text
        name = f"to_{HALVES[dtype]}"
        self.ops.block.functions[name] = HALF_FUNCTIONS[name]
        return f"lucid_{name}({value.text})"

    def _reduce(self, work, value, block, before, after, clauses):
        dtype = self._held(work.array.dtype)
        words = self.ops.sibling(dtype)
        v = words.text(words.cast(value, dtype), dtype)
        n = len(self.outer_values)
        acc, type_ = f"acc{n}", C_TYPES[dtype]
        start = _start(work.kind, dtype)
        if self.columns:
            self._reduce_columns(work, v, acc, start, block, before, after)
            return
        before.append(f"{type_} {acc} = {start};")
        if work.kind in ("sum", "prod"):
            sign = "+" if work.kind == "sum" else "*"
            block.lines.append(f"{acc} {sign}= {v};")
            clauses.append(f"{sign}:{acc}")
        else:
            sign = ">" if work.kind == "max" else "<"
            block.lines.append(f"{acc} = {v} {sign} {acc} ? {v} : {acc};")
            clauses.append(f"{work.kind}:{acc}")
            if dtype.category == FLOATING:
                before.append(f"int nan{n} = 0;")
                block.lines.append(f"nan{n} |= {v} != {v};")
                clauses.append(f"|:nan{n}")
                after.append(f'if (nan{n}) {acc} = __builtin_nan("");')
        self.outer_values[work.array] = acc
        if work.array in self.kept:
            place = work.store_place(self.nest.index_of(work))
            after.append(f"{self.pointer(work.array)}[{place.text()}] = {acc};")

    def _reduce_columns(self, work, v, acc, start, block, before, after):
        c = f"{acc}[{self.names[self.vector]} - start]"
        type_ = C_TYPES[self._held(work.array.dtype)]
        before.append(f"{type_} {acc}[{self.form.width}];")
        before += [f"for (long c = 0; c < {self.form.width}; c++) {acc}[c] = {start};"]
        if work.kind in ("sum", "prod"):
            block.lines.append(f"{c} = {c} {'+' if work.kind == 'sum' else '*'} {v};")
        else:
            sign = ">" if work.kind == "max" else "<"
            block.lines.append(f"{c} = {v} {sign} {c} || {v} != {v} ? {v} : {c};")
        self.outer_values[work.array] = c
        if work.array in self.kept:
            place = work.store_place(self.nest.index_of(work))
            after += self._loops([], [f"{self.pointer(work.array)}[{place.text()}] = {c};"], "", self.vector)

    # ---- after a pass, once for each outer turn

    def _after(self, works, top):
        block, done = self._inner_block(top) if self.columns else top, len(top.lines)
        self.ops.enter(block)
        self.pass_values = {}
        arrays = []
        for work in works:
            index = self.nest.index_of(work)
            value = self._rounded(work.body(self.ops, index), work.array.dtype)
            if self.columns:
                name = f"o{len(self.outer_values)}"
                arrays.append(f"{C_TYPES[self._held(work.array.dtype)]} {name}[{self.form.width}];")
                block.lines.append(f"{name}[{self.names[self.vector]} - start] = {value.text};")
                self.outer_values[work.array] = f"{name}[{self.names[self.vector]} - start]"
            else:
                self.outer_values[work.array] = value.text
            if work.array in self.kept:
                target = f"{self.pointer(work.array)}[{work.store_place(index).text()}]"
                block.lines.append(f"{target} = {self._stored(value, work.array.dtype)};")
        if self.columns:
            return [*top.lines[done:], *arrays, *self._loops([], block.lines, "", self.vector)]
        return top.lines[done:]


def _once(name, text):
    """A function's text, which several kernels of a file may bring along."""
    guard = f"LUCID_HAS_{name}"
    return f"#ifndef {guard}\n#define {guard}\n{text.replace('static inline ', INLINE)}\n#endif"


def _start(kind, dtype):
    """What a reduction begins with."""
    if kind in ("sum", "prod"):
        return literal(int(kind == "prod"), dtype)
    if dtype.category == FLOATING:
        return literal(-math.inf if kind == "max" else math.inf, dtype)
    if dtype.category == BOOL:
        return "0" if kind == "max" else "1"
    bits = 8 * dtype.itemsize
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.is_signed else (0, (1 << bits) - 1)
    return literal(low if kind == "max" else high, dtype)


def words_of_text(dtype):
    """The C words of an element type, written nowhere: to see whether a body can be written."""
    return LoopCWords(float32 if dtype in HALVES else dtype, Block())


def c_source(nest: Nest, name, kept, places=None, form=None, sizes=(), fractions=()):
    """(C text of a nest, the arrays that its function takes, does it report faults?)

    places: {array: the one whose memory it is written to}. form: one of `forms(nest)`. sizes,
    fractions: names of open numbers.
    """
    kernel = CKernel(nest, name, set(kept), places or {}, form, sizes, fractions)
    text = kernel.source()
    return text, kernel.arrays, kernel.ops.checks
