"""What the texts of loop nests have in common: values, words that make values of values, the handler that bodies ask.

A target (numpy_nest.py, triton.py, metal.py) says how it spells things: a table {word: pattern} for floating types and
one for whole numbers, its element types, and what a load is. C has a vocabulary of its own (c.py, c_nest.py).

    "exp": "tl.exp({0})"               the operands as {0}, {1}, ...; the element type as {T}
    NOT_HERE = {word: why not}          asking for one of these is a NotImplementedError that says so
"""

import math

from .._base.dtype import BOOL, FLOATING, INTEGRAL, bool_, float32, int64
from .index import Index
from .parts import Masks

NOTHING = frozenset()


class Value:
    """A value in a text: how it is spelled, its element type, and the names of the loops that it varies with."""

    __slots__ = ("text", "dtype", "varies")

    def __init__(self, text, dtype, varies=NOTHING):
        self.text, self.dtype, self.varies = text, dtype, varies

    def __repr__(self):
        return f"Value({self.text!r})"

    __str__ = __repr__

    def __bool__(self):
        raise TypeError("a value in a text has no truth before it runs: a rule may not branch on a value")


class Scope:
    """The lines of one block of a text; what an enclosing block has named is known."""

    def __init__(self, parent=None):
        self.parent, self.lines, self.names = parent, [], {}

    def find(self, key):
        scope = self
        while scope is not None:
            if key in scope.names:
                return scope.names[key]
            scope = scope.parent
        return None


def held(dtype):
    """The type in which elements are computed: halves in float32."""
    return float32 if dtype.category == FLOATING and dtype.itemsize < 4 else dtype


class TextWords:
    """The words of one element type, as text.

    A subclass gives `target` (the name in messages), TYPES {element type: text}, FLOATS and INTEGERS {word: pattern}
    (INTEGERS for whole numbers and bools), MASKS {word: pattern} whose results are bools, NOT_HERE {word: reason},
    WHERE, a pattern, and `literal` and `convert`.
    """

    target = "text"
    TYPES, FLOATS, INTEGERS, MASKS, NOT_HERE = {}, {}, {}, {}, {}
    TESTS = dict(eq="{0} == {1}", ne="{0} != {1}", lt="{0} < {1}", le="{0} <= {1}", gt="{0} > {1}", ge="{0} >= {1}")
    LOGIC = dict(logical_not="!{0}", logical_and="{0} & {1}", logical_or="{0} | {1}", logical_xor="{0} ^ {1}")
    NOT = "~{0}"  # of whole numbers

    def __init__(self, handler, dtype):
        self.handler, self.dtype = handler, dtype

    # ---- what a target says

    def literal(self, value, dtype):
        """A Python number as text."""
        raise NotImplementedError

    def convert(self, text, before, after):
        """A value of a type as text of another type."""
        raise NotImplementedError

    def rounded(self, x, dtype):
        """A float32 that holds what a half would hold."""
        raise NotImplementedError

    # ---- making values

    def text(self, x, dtype):
        """x (a value or a Python number) as an operand of this type."""
        return self.cast(x, dtype).text if isinstance(x, Value) else self.handler.sibling(dtype).scalar(x).text

    def make(self, text, operands, dtype=None):
        varies = NOTHING.union(*[x.varies for x in operands if isinstance(x, Value)])
        return self.handler.named(text, dtype or self.dtype, varies)

    def write(self, pattern, *operands, of=None, dtype=None):
        """Operands of one type (the table's) put into a pattern, which gives a value of a type (the table's)."""
        of = of or self.dtype
        texts = [self.text(x, of) for x in operands]
        numbers = {name: self.literal(value, of) for name, value in NUMBERS.items() if f"{{{name}}}" in pattern}
        return self.make(pattern.format(*texts, T=self.TYPES[of], BITS=8 * of.itemsize, **numbers), operands, dtype)

    def scalar(self, value):
        if isinstance(value, Value):
            return value
        value = 0 if value is None else value  # of no account: no element is taken from here
        return Value(self.literal(value, self.dtype), self.dtype)

    def cast(self, x, dtype):
        if not isinstance(x, Value):
            return self.handler.sibling(dtype).scalar(x)
        if held(dtype) is not dtype:
            x, known = self.cast(x, held(dtype)), self.handler.halves
            if known.get(x.text) is not dtype:
                x = self.rounded(x, dtype)
                known[x.text] = dtype
            return x
        return x if x.dtype is dtype else self.make(self.convert(x.text, x.dtype, dtype), [x], dtype)

    # ---- words

    @classmethod
    def has(cls, word):
        """Is there a text for a word, of some type?"""
        return word in cls.FLOATS or word in cls.INTEGERS or word in cls.MASKS or word in OWN

    def __getattr__(self, word):
        if word.startswith("__"):
            raise AttributeError(word)
        if self.dtype.category == BOOL and word in OF_BOOLS:
            return getattr(self, OF_BOOLS[word])
        if self.dtype.category < FLOATING and word in OF_WHOLE:
            return lambda x: getattr(self, OF_WHOLE[word])(x, 0 if word == "signbit" else x)
        table = self.FLOATS if self.dtype.category == FLOATING else self.INTEGERS
        if word in self.MASKS:
            return lambda *x: self.write(self.MASKS[word], *x, dtype=bool_)
        if word in table:
            return lambda *x: self.write(table[word], *x)
        if word in self.NOT_HERE:
            why = self.NOT_HERE[word]
        else:
            raises = word in RAISING and self.dtype.category == INTEGRAL
            why = "it raises for some operands" if raises else "there is no text for it"
            word = f"{word}' of '{self.dtype}" if self.has(word) else word
        raise NotImplementedError(f"the word '{word}' cannot be written as {self.target}: {why}")

    def conj(self, x):
        return x

    real = copy = contiguous = conj

    def imag(self, x):
        return self.scalar(0)

    def where(self, condition, a, b):
        dtype = next((x.dtype for x in (a, b) if isinstance(x, Value)), self.dtype)
        texts = self.text(condition, bool_), self.text(a, dtype), self.text(b, dtype)
        return self.make(self.WHERE.format(*texts, T=self.TYPES[dtype]), [condition, a, b], dtype)

    def masked_fill(self, x, mask, value):
        return self.where(mask, value, x)

    def _either_both(self, x, a, b):
        return self.logical_or(x, self.logical_and(a, b))

    def bitwise_not(self, x):
        return self.logical_not(x) if self.dtype.category == BOOL else self.write(self.NOT, x)


def _test(word):
    """A test of operands of one type, whose result is a bool."""

    def test(self, *operands):
        types = [x.dtype for x in operands if isinstance(x, Value)]
        of = max([*types, self.dtype], key=lambda t: (t.category, t.itemsize)) if types else self.dtype
        return self.write(self.TESTS[word], *operands, of=of, dtype=bool_)

    return test


for _word in TextWords.TESTS:
    setattr(TextWords, _word, _test(_word))
for _word in TextWords.LOGIC:
    setattr(TextWords, _word, lambda self, *x, _w=_word: self.write(self.LOGIC[_w], *x, of=bool_, dtype=bool_))
RAISING = frozenset("remainder floor_divide trunc_divide fmod pow".split())  # of whole numbers
NUMBERS = {
    "PI": math.pi,
    "LN2": math.log(2),
    "LN10": math.log(10),
    "LOG2E": 1 / math.log(2),
    "INF": math.inf,
    "ONE": 1.0,
}
# What masks are of whole numbers: a number beside itself, or 0; and what words are of bools.
OF_WHOLE = dict(isnan="ne", isinf="ne", isposinf="ne", isneginf="ne", isfinite="eq", signbit="lt")
OF_BOOLS = {
    **dict.fromkeys("add maximum fmax bitwise_or heaviside".split(), "logical_or"),
    **dict.fromkeys("mul minimum fmin bitwise_and".split(), "logical_and"),
    **dict(bitwise_xor="logical_xor", sign="conj", sgn="conj", addcmul="_either_both"),
}
# The words that are methods of TextWords.
OWN = frozenset(["conj", "real", "imag", "where", "bitwise_not", *TextWords.TESTS, *TextWords.LOGIC])


class TextHandler(Masks):
    """What bodies ask for, answered with values that are named in the current scope.

    A subclass gives `words` (a class of TextWords), `declare` (the line that names a value) and `read` (a load's text).
    kernel.value_of(array) is a value that the kernel has at hand, or None.
    """

    words = TextWords

    def __init__(self, kernel):
        self.kernel, self.known, self.checks = kernel, {}, False
        self.scope, self.count, self.halves = Scope(), 0, {}  # halves: {name of a float32: the half that it is}

    def enter(self, scope):
        """Write into this scope from now on."""
        self.scope, self.known = scope, {}

    def sibling(self, dtype):
        if dtype not in self.words.TYPES:
            raise NotImplementedError(f"elements of {dtype} are not written as {self.words.target}")
        return self.words(self, held(dtype))

    def named(self, text, dtype, varies=NOTHING):
        """The name of a value in the current scope; equal values once."""
        key = (text, dtype)
        found = self.scope.find(key)
        if found is None:
            found = self.scope.names[key] = Value(f"t{self.count}", dtype, varies)
            self.count += 1
            self.scope.lines.append(self.declare(found.text, text, dtype))
        return found

    def number(self, place):
        words = self.sibling(int64)
        return self.named(words.convert(self.place_text(place), None, int64), int64, self.varies(place))

    def place_text(self, place):
        return place.text()

    def varies(self, place):
        """The names of the loops that a place varies with."""
        return frozenset(place.variables())

    def load(self, array, place):
        self.sibling(array.dtype)  # or it is refused
        found = self.kernel.value_of(array)
        return found if found is not None else self.read(array, place)

    def indirect(self, value, size, wraps):
        """A value as a place; outside of the array the nest's fault flag is set, and the place is 0."""
        words = self.sibling(int64)
        v = words.cast(value, int64)
        if wraps:
            v = words.where(words.lt(v, 0), words.add(v, size), v)
        test = self.sibling(bool_)
        outside = test.logical_or(words.lt(v, 0), words.ge(v, size))
        self.checks = True
        self.fault(outside if self.mask is None else test.logical_and(outside, self.mask))
        place = words.where(outside, 0, v)
        return Index({("v", place.text, max(size, 2)): 1})


class Nowhere:
    """The kernel of a text that is not kept."""

    blocks = names = sizes = ()

    def line(self, *parts):
        """Of a text whose lines are more than strings."""

    add = use = fault = line


__all__ = ["NOTHING", "NUMBERS", "OWN", "Nowhere", "Scope", "TextHandler", "TextWords", "Value", "held"]
