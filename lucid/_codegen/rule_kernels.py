"""Kernels of single rules: what an op declares, run once on loops with open sizes, is C for all arrays of a kind.

    kernels = RuleKernels(rule_of, pointwise)
    plan = kernels.plan(k, args)        # f(*args) for arguments that look like these; None: better the rule itself

Of a call only its kind counts: element types, how many dimensions there are and which of them are alike, and options
that are no fractions. The rule of a new kind is traced twice, with sizes that differ (open_sizes.py): a text that comes
out the same holds for all sizes. What has no such text is left to the rule, as is everything where no compiler works.
"""

import functools
import math
from types import SimpleNamespace

import numpy as np

from .._array.meta.strided import joint_shape
from .._array.numpy.table import KINDS, TABLES
from .._base.device import device
from .._base.shape import contiguous_strides
from . import build, kernel_store, loop_words
from .loops import Input, LoopArray, NotALoop, counted
from .nest import Nest
from .open_sizes import Fraction, Open, at, examples, named
from .scheduler import Schedule
from .targets import target

SHORT, LONG = 4096, 2048  # rows up to SHORT are kept between passes; more than LONG numbers lose digits in one sum
VARIANTS, FORMS = 8, 32  # kernels that differ in fractions that are part of the text; in whole numbers and names
SIZES = 5  # open ones of a kernel

_CPU, _C = device("cpu"), target("c")

gathered = None  # a list that is told the kernels that would be compiled, where they are to be compiled together


class RuleKernels:
    """A rule's kernels. rule_of(xp): the rule for a table (halves have one of their own); pointwise: are elements
    computed one by one, so that dimensions may be run through as one? shapes: which arguments are shapes of arrays.
    into: is the result written into the first array? Then plans give True, and False where there is no kernel."""

    def __init__(self, rule_of, pointwise=False, shapes=(), into=False):
        self.rule_of, self.pointwise, self.shapes, self.into = rule_of, pointwise, frozenset(shapes), into
        self.kernels, self.forms = {}, {}

    def plan(self, k, args):
        """f(*args) that computes by kernels what the rule gives, for arrays of these types and shapes and for any
        fractions; None where there are none."""
        if not build.promising():
            return None
        found = self._plan(k, args)
        return self._by_fractions(k) if found is None and any(type(a) is float for a in args) else found

    def _plan(self, k, args, fractions=None):
        """A plan of a kernel; fractions: those that are part of its text, None where they are told at each call."""
        for by_size in (False, True):
            kind = kind_of(args, self.pointwise, self.shapes, by_size)
            if kind is None or self.into and kind.shape != args[0].shape:
                continue
            kernel = self._kernel(k, kind, (kind.key, fractions), fractions is None)
            if kernel is not None:
                return kernel.plan(k, kind)
        return None

    def _kernel(self, k, kind, key, open_fractions):
        """The Kernel of a kind, made when it is first asked for; None where there is none."""
        if key not in self.kernels:
            self.forms[kind.form] = self.forms.get(kind.form, 0) + 1
            if self.forms[kind.form] > FORMS:  # a number that changes with every call
                return None
            try:
                self.kernels[key] = Kernel(self.rule_of, k, kind, open_fractions, self.into)
            except build.CompileError as error:
                build.report(error)
                self.kernels[key] = None
            except Exception:  # whatever a rule stumbles over that sees no numbers: it is run as it is
                self.kernels[key] = None
        return self.kernels[key]

    def _by_fractions(self, k):
        """A plan that has one for each row of fractions, for some: their numbers are part of the text."""
        plans, rule = {}, functools.partial(self.rule_of(k), k) if not self.into else lambda *args: False

        def plan(*args):
            values = tuple([repr(a) for a in args if type(a) is float])
            found = plans.get(values)
            if found is None:
                found = rule
                if len(plans) < VARIANTS:
                    found = plans[values] = self._plan(k, args, values) or rule
            return found(*args)

        return plan


# ---- kinds of calls


class ARRAY:
    """Stands where an array was among the arguments."""


class SHAPE:
    """Stands where a shape was."""


class Kind:
    """How a call's arguments look. `key` is the same for calls that one kernel serves, whatever their fractions.

    args: the arguments, ARRAY and SHAPE for arrays and shapes; types of these (None of shapes) and layouts: a layout
    says for each dimension which of `sizes` it is, or -1 for one of size 1. shape: of the result, where dimensions were
    put together (None: they were not). form: the key without numbers and names.
    """

    def __init__(self, args, types, layouts, sizes, shape):
        self.args, self.types, self.layouts, self.sizes, self.shape = args, types, layouts, sizes, shape
        self.limits = tuple([SHORT if n <= SHORT else math.inf for n in sizes])
        self.needs = args[0] if type(args[0]) is tuple and type(args[0][0]) is bool else None  # of a joint rule
        self.has_numbers = any(map(_is_number, args))
        plain = tuple([(type(a), None if type(a) is float else a) for a in args])
        self.form = types, layouts, self.limits, shape is None, tuple(map(type, args))
        self.key = self.form, plain


def _is_number(a):
    """Is an option, or part of one, a whole number that may be larger than a size? (Sizes are 2 and more.)"""
    return any(map(_is_number, a)) if type(a) is tuple else type(a) is int and abs(a) > 1


def kind_of(args, pointwise, shape_args=(), by_size=False):
    """The Kind of a call, None for what there are no kernels for. shape_args: places of arguments that are shapes;
    by_size: are dimensions that have the same size now always to be alike?"""
    given = {i: a for i, a in enumerate(args) if a.__class__ is np.ndarray or i in shape_args and type(a) is tuple}
    arrays = [a for a in given.values() if a.__class__ is np.ndarray]
    for a in arrays:
        if a.dtype.kind not in "biuf" or a.dtype.itemsize > 8 or not a.size or not a.flags.c_contiguous:
            return None
        if not a.flags.aligned or not a.dtype.isnative:
            return None
    if pointwise and len(arrays) == len(given):
        shapes, whole = collapsed(arrays)
    else:
        shapes, whole = [a if type(a) is tuple else a.shape for a in given.values()], None
    sizes, layouts = _numbered(shapes, by_size)
    if not 0 < len(sizes) <= SIZES:
        return None
    plain = [(SHAPE if type(a) is tuple else ARRAY) if i in given else a for i, a in enumerate(args)]
    types = [None if type(a) is tuple else a.dtype for a in given.values()]
    return Kind(tuple(plain), tuple(types), layouts, tuple(sizes), whole)


def _numbered(shapes, by_size):
    """(sizes that differ, for each shape which of them its dimensions have, -1 for 1). Dimensions of the longest shape
    differ even where their sizes are alike by chance, unless by_size or where other shapes leave open which is meant.
    """
    longest, sizes, own = max(shapes, key=len), [], []
    for shape in shapes:
        if len(shape) < len(longest):
            by_size = by_size or any(n > 1 and longest.count(n) > 1 for n in shape)
        else:
            by_size = by_size or any(1 != n != m != 1 for n, m in zip(shape, longest))
    for n in longest:
        own.append(-1 if n == 1 else sizes.index(n) if by_size and n in sizes else len(sizes))
        sizes += [n] if own[-1] == len(sizes) else []
    layouts = []
    for shape in shapes:
        skip, layout = len(longest) - len(shape), []
        for d, n in enumerate(shape):
            at = skip + d if longest[skip + d] == n else longest.index(n) if n in longest else None
            if n > 1 and at is None and n not in sizes:
                sizes.append(n)
            layout.append(-1 if n == 1 else own[at] if at is not None else sizes.index(n))
        layouts.append(tuple(layout))
    return sizes, tuple(layouts)


def collapsed(arrays):
    """(shapes in which elementwise operands, row by row, have as few dimensions as can be; the result's true shape)"""
    whole = np.broadcast_shapes(*[a.shape for a in arrays])
    padded = [(1,) * (len(whole) - a.ndim) + a.shape for a in arrays]
    dims = []  # [size, is it stretched in each operand?]
    for n, *own in zip(whole, *padded):
        stretched = [m != n for m in own]
        if n == 1:
            continue
        if dims and dims[-1][1] == stretched:
            dims[-1][0] *= n
        else:
            dims.append([n, stretched])
    return [tuple([1 if stretched[i] else n for n, stretched in dims]) for i in range(len(arrays))], whole


# ---- kernels


class Kernel:
    """The compiled text of a rule for one kind."""

    def __init__(self, rule_of, k, kind, open_fractions, into):
        rows, fractions = examples(len(kind.sizes)), (0.37, 0.61) if open_fractions else (None, None)
        self.rule_of, self.fraction, self.into = rule_of, fractions[0], into
        self.trace, other = (Trace(rule_of, k, kind, *given, into) for given in zip(rows, fractions))
        if self.trace.text != other.text:
            raise NotALoop("a text that depends on sizes")
        scope = {"empty": np.empty, **self.trace.types, **self.trace.load()}
        exec(self.trace.plan_text, scope)
        self._plan = scope["plan"]

    def plan(self, k, kind):
        """f(*args) for a kind's sizes; None where sums are too long to be one kernel's, or where these sizes are a
        case of their own beside the whole numbers among the options."""
        sizes = {f"n{i}": n for i, n in enumerate(kind.sizes)}
        if any(at(n, sizes) > LONG for n in self.trace.summed):
            return None
        if kind.has_numbers and not self._as_traced(k, kind):
            return None
        return self._plan(kind.shape, *kind.sizes)

    def _as_traced(self, k, kind):
        """Do these sizes give the same text?"""
        return Trace(self.rule_of, k, kind, named(kind.sizes), self.fraction, self.into).text == self.trace.text


class Trace:
    """A rule run on loops with these open sizes, and the texts that come of it.

    fraction: the example for options that are fractions and told at each call; None: they are part of the text.
    """

    def __init__(self, rule_of, k, kind, row, fraction, into):
        self.kind, self.inputs = kind, []
        self.row = [Open(int(n), n.names, 1, limit) for n, limit in zip(row, kind.limits)]
        self.sizes = [str(n) for n in self.row]
        self.given, self.fractions = {}, []  # {array: what stands for it in the plan}, names
        table = loop_words.table(k.dtype, _CPU)
        args = self._arguments(fraction)
        found = rule_of(table)(table, *args)
        self.is_single = not isinstance(found, (tuple, list))
        self.results = [found] if self.is_single else list(found)
        self._check_results()
        made = [x for x in self.results if x is not None]
        graph = SimpleNamespace(outputs=made, writes=[], draws=[])
        if into:
            graph.outputs, graph.writes = [], [(self.inputs[0], *made)]
        self.schedule = Schedule(graph, _C.sums_across)
        self.texts, self.kept, self.types, self.summed = [], [], {}, []
        self.places = self._places() if into else {}
        self._write()
        self.plan_text = self._plan_text()
        self.text = "\n".join([*[t.text for t in self.texts], self.plan_text])

    def _arguments(self, fraction):
        layouts, args = iter(zip(self.kind.types, self.kind.layouts)), []
        for i, a in enumerate(self.kind.args):
            if a is ARRAY or a is SHAPE:
                dtype, layout = next(layouts)
                shape = tuple([1 if n < 0 else self.row[n] for n in layout])
                args.append(shape if a is SHAPE else self._input(TABLES[dtype].dtype, shape, f"x{i}"))
            elif fraction is not None and type(a) is float:
                self.fractions.append(f"x{i}")
                args.append(Fraction(fraction + i / 64, f"x{i}"))
            else:
                args.append(a)
        return args

    def _input(self, dtype, shape, name):
        array = LoopArray(loop_words.table(dtype, _CPU), shape)
        array.source = Input(len(self.inputs))
        self.inputs.append(array)
        self.given[array] = name
        return array

    def _check_results(self):
        """NotALoop for results that are no new arrays, or cannot be written."""
        whole = joint_shape(self.inputs) if self.kind.shape is not None else None
        checked, needs = set(), self.kind.needs
        for i, x in enumerate(self.results):
            if x is None and not self.is_single and not (needs and needs[i]):
                continue
            if not isinstance(x, LoopArray) or isinstance(x.owner.source, Input) or not _whole(x) or not x.size:
                raise NotALoop("a result that is no array of its own, row by row")
            if whole is not None and x.shape != whole:
                raise NotALoop("a result of another shape than the operands have together")
            x.owner.stored = x.owner.stored or x.owner.source is None
            waiting = [x.owner]
            while waiting:
                array = waiting.pop()
                if array not in checked and not isinstance(array.source, Input):
                    checked.add(array)
                    waiting += [a for a, _ in counted(array, _C.words).loads]

    def _places(self):
        """{the result: the first array}, in whose memory it is written."""
        (result,), (step,), first = self.results, self.schedule.steps, self.inputs[0]
        if result.dtype is not first.dtype or not self.schedule.may_write_to(first, result, step):
            raise NotALoop("a result that cannot be written where the first array is")
        return {result: first}

    def _write(self):
        for i, nest in enumerate(self.schedule.steps):
            if not isinstance(nest, Nest):
                raise NotALoop("a call of the engine")
            kept = [w.array for w in nest.work if not self.schedule.is_internal(w.array, nest)]
            text = self._source(nest, f"kernel{i}", kept)
            if text.checks:
                raise NotALoop("places that have to be looked at")
            if nest.is_reduced:
                self.summed.append(math.prod([n for n, reduced in nest.dims if reduced]))
            self.texts.append(text)
            self.kept.append(kept)

    def _source(self, nest, name, kept):
        return _C.source(nest, name, kept, self.places, sizes=self.sizes, fractions=self.fractions)

    def load(self):
        """{name: function} of the kernels."""
        kernels = []
        for nest, kept, text in zip(self.schedule.steps, self.kept, self.texts):
            name = kernel_store.name_of(text.text)
            spec = name, len(text.arrays), 1 + len(self.sizes), len(self.fractions)
            kernels.append((self._source(nest, name, kept).text, spec))
        if gathered is not None:
            gathered.extend(kernels)
            raise NotALoop("a kernel that is compiled with others")
        return dict(zip([t.name for t in self.texts], kernel_store.functions(kernels)))

    def _plan_text(self):
        """The text of plan(shape, sizes...) -> f(*args)."""
        bound, lines, names = [], [], {}
        for i, array in enumerate(self.inputs):
            names[array] = f"d{i}"
            lines.append(f"d{i} = {self.given[array]}")
        for text, nest in zip(self.texts, self.schedule.steps):
            for array in text.arrays:
                if array not in names:
                    names[array] = self._memory(array, f"b{len(names)}", bound, lines)
            work = max([math.prod(w.shape) for w in nest.work], key=int)
            bound.append(f"{text.name}_work = {work}")
            arrays = ", ".join([names[a] for a in text.arrays])
            lines.append(f"{text.name}({arrays}, {text.name}_work, {', '.join([*self.sizes, *self.fractions])})")
        if self.places:
            lines.append("return True")
            return self._function(bound, lines)
        results = ["None" if x is None else self._result(x, names[x.owner], bound) for x in self.results]
        lines.append(f"return {results[0] if self.is_single else '(' + ', '.join(results) + ',)'}")
        return self._function(bound, lines)

    def _function(self, bound, lines):
        inner = "".join([f"        {line}\n" for line in lines])
        head = "".join([f"    {line}\n" for line in bound])
        given = ", ".join([f"x{i}" for i in range(len(self.kind.args))])
        return f"def plan(shape, {', '.join(self.sizes)}):\n{head}    def f({given}):\n{inner}    return f\n"

    def _result(self, x, name, bound):
        """What gives a result, which may have another shape than the memory that was taken for it."""
        if x.shape == x.owner.shape:
            return name
        bound.append(f"{name}_seen = {x.shape}")
        return f"{name}.reshape({name}_seen)"

    def _memory(self, array, name, bound, lines):
        """Lines that take memory for an array, which is row by row; its name."""
        if not _by_rows(array):
            raise NotALoop("an array that is not row by row")
        whole = self.kind.shape is not None and any(array is x for x in self.results)
        bound.append(f"{name}_shape = {'shape' if whole else array.shape}")
        lines.append(f"{name} = empty({name}_shape, t_{array.dtype.name})")
        self.types[f"t_{array.dtype.name}"] = KINDS[array.dtype]
        return name


def _by_rows(array):
    return array.strides == contiguous_strides(array.shape)


def _whole(x):
    """Is x all of its memory, row by row?"""
    return _by_rows(x) and (x.owner is x or x.size == x.owner.size and not x.offset and _by_rows(x.owner))
