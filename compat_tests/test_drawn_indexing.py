"""Random reads and writes by any mix of indices, against torch: a few hundred here, five thousand with `--all`."""

import numpy as np
from drawn import LAYOUTS, compare

SHAPES = [(), (1,), (4,), (3,), (2, 3), (3, 3), (3, 1), (2, 3, 4), (3, 3, 3), (2, 1, 3), (2, 0, 3), (0,), (2, 3, 2, 2)]
TYPES = ["float32"] * 5 + ["float64"] * 2 + "float16 bfloat16 int64 int32 int8 uint8 bool complex64 complex128".split()
INEXACT = ("float32", "float64", "float16", "bfloat16", "complex64", "complex128")
INDEX_TYPES = ["int64"] * 6 + ["int32"] * 2 + "uint8 int16 int8 float32".split()


class Inventor:
    """Draws one program; x is the tensor that is read or written."""

    def __init__(self, chance):
        self.chance, self.one_of = chance, chance.one_of
        self.shape, self.dtype = chance.choice(SHAPES), chance.choice(TYPES)
        self.writes = False
        self.wants = self.dtype in INEXACT and chance.happens(0.6)

    def tensor(self, shape, dtype, wants=False, layouts=LAYOUTS, seed=0):
        leaf = ", leaf=True" if wants and self.chance.happens(0.1) else ""
        return f"made({shape}, {dtype!r}, {self.one_of(*layouts)!r}, {wants}, seed={seed}{leaf})"

    # ---- indices

    def place(self, n):
        """A number of a dimension of size n: seldom one that is not there."""
        if self.chance.happens(0.03):
            return self.one_of(n, -n - 1, n + 5)
        return self.chance.randrange(-n, n) if n else self.one_of(0, -1)

    def slice(self, n):
        def end():
            return self.one_of("", "", str(self.chance.randint(-n - 2, n + 2)))

        step = self.one_of("", "", "", ":2", ":3", ":1", ":-1" if self.chance.happens(0.2) else ":5")
        return f"{end()}:{end()}{step}"

    def places(self, shape, n):
        """Numbers of a dimension in nested lists."""
        if not shape:
            return self.place(n)
        return [self.places(shape[1:], n) for _ in range(shape[0])]

    def mask(self, shape):
        if not shape:
            return self.chance.happens(0.5)
        return [self.mask(shape[1:]) for _ in range(shape[0])]

    def item(self, rest, common):
        """(the text of one index, how many dimensions of `rest` it takes); common: a shape that index tensors share"""
        n = rest[0] if rest else 0
        kind = self.chance.randrange(17)
        if not rest and self.chance.happens(0.9):
            kind = self.one_of(4, 5, 6, 7, 0)
        if kind < 2:
            return str(self.place(n)), 1
        if kind < 4:
            return self.slice(n), 1
        if kind == 4:
            return "None", 0
        if kind == 5 and self.chance.happens(0.3):
            return self.one_of("True", "False", "np.bool_(True)"), 0
        if kind == 6 and self.chance.happens(0.3):
            return f"T.tensor({self.chance.happens(0.7)})", 0
        if kind == 7:
            return "...", 0
        if kind == 8:
            form = self.one_of("np.int64({})", "T.tensor({})", "np.array({})", "T.tensor({}, dtype=T.int32)")
            return form.format(self.place(n)), 1
        if kind in (9, 10):
            return self.mask_item(rest)
        return self.places_item(n, kind, common), 1

    def mask_item(self, rest):
        taken = self.chance.randint(1, max(1, min(len(rest), 2)))
        shape = tuple(rest[:taken])
        if self.chance.happens(0.05):
            shape = (*shape[:-1], 2)
        form = self.one_of("T.tensor({})", "T.tensor({})", "np.array({})", "{}", "T.tensor({}, dtype=T.uint8)")
        return form.format(self.mask(shape)), taken

    def places_item(self, n, kind, common):
        shape = self.one_of((), (1,), *[common[i:] for i in range(len(common))], common, common, common)
        if self.chance.happens(0.05):
            shape = (*shape, 3)
        numbers = self.places(shape, n)
        if kind in (11, 12) and shape:
            return str(numbers)
        if kind == 13:
            return f"np.array({numbers}, dtype={self.one_of('int64', 'int64', 'int32', 'int16', 'float32')!r})"
        if kind == 14 and self.chance.happens(0.2):
            others = "1.0 | 'a' | range(2) | (0, 1) | {} | np.float32(1) | 1j | T.tensor([0.5]) | [] | [1.5] | [1j]"
            return self.one_of(*others.split(" | "))
        dtype = self.one_of(*INDEX_TYPES)
        text = f"T.tensor({numbers})" if "-" in str(numbers) else f"T.tensor({numbers}, dtype=T.{dtype})"
        turned = len(shape) == 2 and not self.writes  # which of values for one place is last depends on its order
        return text + self.one_of("", "", ".t()" if turned else "")

    def index(self):
        """The text of what stands between the brackets."""
        rest, items = list(self.shape), []
        common = self.one_of((2,), (2,), (3,), (1,), (2, 1), (1, 2), (2, 3), (0,), (2, 0))
        dots = False
        for _ in range(self.one_of(1, 1, 1, 2, 2, 3, 3, 4)):
            text, taken = self.item(rest, common)
            if text == "..." and dots and self.chance.happens(0.9):
                continue
            if text == "...":
                dots = True
                rest = rest[self.chance.randint(0, len(rest)) :]
            items.append(text)
            rest = rest[taken:]
        text = ", ".join(items)
        if len(items) == 1 and self.chance.happens(0.1):
            text += ","
        if self.chance.happens(0.02):
            return "()"
        if len(items) > 1 and self.chance.happens(0.05) and ":" not in text and "bool_" not in text:
            text = f"[{text}]"
        return text

    # ---- programs

    def read(self):
        made = self.tensor(self.shape, self.dtype, self.wants)
        return [f"x = {made}", f"r = x[{self.index()}]"]

    def value(self, index):
        """The text of a value to be written at x[index]."""
        kind = self.chance.randrange(10)
        if kind == 0:
            return str(
                self.one_of(
                    2, 0.5, True, -1, 1 + 1j, 300, 1e10, 2**70 if self.chance.happens(0.2) else 0, "float('nan')"
                )
            )
        if kind == 1 and self.chance.happens(0.4):
            return self.one_of(
                "np.float32(1.5)", "np.int64(2)", "[1, 2]", "None", "'a'", "np.array([1.0])", "(1,)", "x"
            )
        try:
            shape = np.empty(self.shape)[
                eval(index.replace("T.tensor", "np.array").replace("T.", "np."), {"np": np})
            ].shape
        except Exception:
            shape = self.shape
        shape = tuple([1 if self.chance.happens(0.2) else n for n in shape])
        shape = self.one_of(shape, shape, shape, shape[1:], (1, *shape), (1, 1, *shape), (), (1,), (2, *shape))
        dtype = self.dtype if self.chance.happens(0.75) else self.one_of(*TYPES)
        return self.tensor(shape, dtype, dtype in INEXACT and self.chance.happens(0.5), seed=1)

    def write(self):
        self.writes = True
        made = self.tensor(self.shape, self.dtype, self.wants)
        index = self.index()
        value = self.value(index)
        kind = self.chance.randrange(8)
        lines = [f"x = {made}", f"v = {value}", f"x[{index}] = v", "r = x"]
        if kind == 0:
            lines[2:3] = [f"x[{index}] {self.one_of('+', '*', '-')}= v"]
        if kind == 1:
            lines[1:2] = ["y = x", "x = x[...]", f"v = {value}"]
            lines[-1] = "r = x, y"
        return lines

    def put(self):
        self.writes = True
        made = self.tensor(self.shape, self.dtype, self.wants)
        common = self.one_of((2,), (2,), (3,), (1,), (2, 1), (2, 3), (0,))
        rest, items = list(self.shape), []
        for _ in range(self.chance.randint(1, max(len(rest), 1))):
            text, taken = "", 0
            while not text.startswith("T.") and text != "None":
                text, taken = self.item(rest, common)
            items.append(text)
            rest = rest[taken:]
        index = ", ".join(items)
        name = self.one_of("index_put", "index_put_", "index_put_")
        add = self.one_of("", ", accumulate=True", ", accumulate=True", ", False", ", True")
        return [f"x = {made}", f"v = {self.value(index + ',')}", f"y = x.{name}(({index},), v{add})", "r = x, y"]


def invent(chance):
    inventor = Inventor(chance)
    return chance.one_of(inventor.read, inventor.read, inventor.write, inventor.write, inventor.put)()


GAPS = {
    "indexing a stale leaf": lambda lines, found: "a leaf Variable that requires grad is being used" in found,
    "indexing a mask of no dimensions": lambda lines, found: "nothing is picked by a mask of 0 dimensions" in found,
    "indexing beyond a mask": lambda lines, found: "refused: IndexError: Dimension out of range" in found,
    "indexing complex numbers with real ones": lambda lines, found: "Expected isFloatingType(grad.scalar" in found,
    "indexing integers that want a gradient": lambda lines, found: "Autograd not support dtype" in found,
}


def test_indexing(examples):
    compare(examples, invent, GAPS)
