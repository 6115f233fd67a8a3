"""Random calls of the functions that pick, place and add elements by index or mask, against torch: a few hundred here,
five thousand with `--all`."""

import re

from drawn import LAYOUTS, compare, roundings

SHAPES = [(), (1,), (4,), (5,), (2, 3), (3, 3), (3, 1), (2, 3, 4), (2, 1, 3), (2, 0, 3), (0,), (3, 0)]
TYPES = ["float32"] * 5 + ["float64"] * 4 + "float16 bfloat16 int64 int32 int8 uint8 bool complex64".split()
INEXACT = ("float32", "float64", "float16", "bfloat16", "complex64")
HOW = {"looks": "requires_grad stride graph version", "second": True, "near": roundings, "exact": False}

# {d}: a dimension, {l}: places along it in one dimension, {i}: an index of x's number of dimensions, {s}: a tensor of the
# shape of {i}, {o}: one of x's shape with as many slices as {l}, {n}: a number, {z}: a 0-dim tensor, {m}: a mask
CALLS = """
x.index_select({d}, {l}) | x.gather({d}, {i}) | x.take({i}) | x.take({l}) | x.take_along_dim({i}, {d}) | x.take_along_dim({i})
x.scatter{_}({d}, {i}, {s}) | x.scatter{_}({d}, {i}, {n}) | x.scatter{_}({d}, {i}, {s}, reduce='{r}')
x.scatter{_}({d}, {i}, {n}, reduce='{r}') | x.scatter_add{_}({d}, {i}, {s}) | x.scatter_add{_}({d}, {i}, {s})
x.scatter_reduce{_}({d}, {i}, {s}, '{R}', include_self={b}) | x.scatter_reduce{_}({d}, {i}, {s}, '{R}')
x.index_add{_}({d}, {l}, {o}) | x.index_add{_}({d}, {l}, {o}, alpha={n}) | x.index_copy{_}({d}, {l}, {o})
x.index_fill{_}({d}, {l}, {n}) | x.index_fill{_}({d}, {l}, {z}) | x.index_reduce{_}({d}, {l}, {o}, '{R}', include_self={b})
x.put{_}({i}, {s}) | x.put{_}({i}, {s}, accumulate={b}) | x.masked_fill{_}({m}, {n}) | x.masked_fill{_}({m}, {z})
x.masked_select({m}) | x.masked_scatter{_}({m}, {f}) | T.where({m}, x, {f}) | T.where({m}, x, {n}) | T.where({m})
x.select_scatter({S}, {d}, {p}) | x.slice_scatter({f}, {d}, {p}, {p}, {b} + 1) | x.diagonal_scatter({f}, {p})
x.nonzero() | x.nonzero(as_tuple=True) | T.argwhere(x) | F.embedding({i}, x) | F.embedding({l}, x, padding_idx={p})
x.select({d}, {p}) | x.narrow({d}, {p}, {p}) | x.index_select({d}, {l}[..., :1]) | x.repeat_interleave({l}.abs(), {d})
T.index_select(x, {d}, {l}) | T.gather(x, {d}, {i}, sparse_grad=False) | T.searchsorted({l}.sort()[0], x) | x.unfold({d}, {p}, 1)
x.tensor_split({l}.tolist(), {d}) | x.roll({p}, {d}) | x.flip({d}) | x.diagonal({p}) | x.unbind({d}) | x.split({p}, {d})
x.diff(1, {d}) | x.movedim({d}, {e}) | x.transpose{_}({d}, {e}) | x.unsqueeze{_}({d}) | x.squeeze{_}({d})
"""
CALLS = [c.strip() for line in CALLS.strip().splitlines() for c in line.split(" | ")]


class Inventor:
    """Draws one call."""

    def __init__(self, chance):
        self.chance, self.one_of = chance, chance.one_of
        self.shape, self.dtype = chance.choice(SHAPES), chance.choice(TYPES)
        self.d = chance.randrange(max(len(self.shape), 1))
        self.size = self.shape[self.d] if self.shape else 1

    def made(self, shape, seed, dtype=None):
        dtype = dtype or (self.dtype if self.chance.happens(0.93) else self.one_of(*TYPES))
        wants = dtype in INEXACT and self.chance.happens(0.5)
        return f"made({tuple(shape)}, {dtype!r}, {self.one_of(*LAYOUTS)!r}, {wants}, seed={seed})"

    def places(self, shape, limit, twice=True):
        """Places below a limit in nested lists; some counted from the end, some not there."""
        if twice is None and int_prod(shape) <= limit:
            flat = self.chance.sample(range(limit), int_prod(shape))
        elif twice or not shape or shape[0] > limit:
            flat = [self.chance.randrange(limit) if limit else 0 for _ in range(int_prod(shape))]
        else:
            rows = int_prod(shape[1:])
            flat = [p for p in self.chance.sample(range(limit), shape[0]) for _ in range(rows)]
        if self.chance.happens(0.03) and flat:
            flat[0] = self.one_of(-1, limit, -limit - 1)
        dtype = "int64" if self.chance.happens(0.9) else self.one_of("int32", "int16", "float32", "bool", "uint8")
        return f"T.tensor({flat}, dtype=T.int64).reshape({tuple(shape)}).to(T.{dtype})"

    def near(self, shape, smaller=0.4):
        """A shape of as many dimensions, smaller here and there; seldom another."""
        shape = [max(n - (self.chance.happens(smaller) and n > 0), 0) for n in shape]
        if self.chance.happens(0.04):
            return self.one_of(shape[1:], [*shape, 2], [n + 1 for n in shape])
        return shape

    def call(self):
        text = self.one_of(*CALLS)
        n, d = len(self.shape), self.d
        adds = any(w in text for w in ("add", "reduce", "accumulate")) or "{_}" not in text
        index = self.near(self.shape)
        if n and self.chance.happens(0.5) and adds:
            index[min(d, len(index) - 1) :][:1] = [self.chance.randint(0, 4)] if index else []
        count = self.chance.randint(0, 4) if adds else self.chance.randint(0, self.size)
        line = self.near([count], 0) if self.chance.happens(0.95) else []
        other = [count if i == d else m for i, m in enumerate(self.shape)]
        mask = self.one_of(self.shape, self.shape, self.shape, self.shape[1:], (1,) * n)
        limit = int_prod(self.shape) if "take(" in text or "put{" in text else self.size
        if "put{" in text:  # where no place is named twice, unless the values there are added up
            index, adds = index if int_prod(index) <= limit else [limit], None
        parts = {
            "d": self.one_of(d, d, d - max(n, 1)) if self.chance.happens(0.96) else self.one_of(n + 1, -n - 2),
            "e": self.chance.randrange(max(n, 1)),
            "l": self.places(line, limit, adds),
            "i": self.places(index, limit, adds),
            "s": self.made(index if self.chance.happens(0.7) else self.near([m + 1 for m in index]), 1),
            "o": self.made(other if self.chance.happens(0.9) else self.near(other), 1),
            "S": self.made(self.near([m for i, m in enumerate(self.shape) if i != d], 0), 1),
            "f": self.made(self.near(self.shape, 0), 1),
            "n": self.one_of(2, 0.5, -1, True, 1.5),
            "z": self.made((), 1),
            "m": f"made({tuple(mask)}, {'bool' if self.chance.happens(0.95) else 'uint8'!r}, seed=2)",
            "b": self.chance.happens(0.5),
            "p": self.chance.randint(-3, 3),
            "_": self.one_of("", "_"),
            "r": self.one_of("add", "multiply"),
            "R": self.one_of("sum", "prod", "mean", "amax", "amin"),
        }
        return [f"x = {self.made(self.shape, 0, self.dtype)}", f"y = {text.format(**parts)}", "r = y, x"]


def int_prod(shape):
    product = 1
    for n in shape:
        product *= n
    return product


def invent(chance):
    return Inventor(chance).call()


def _of_nothing(lines, found):
    told = ("setStorage", "INDICES", "Dimension out of range", "refused: NotImplementedError")
    nothing = re.search(r"made\(\((?:\d, )*0[,)]", lines[0]) is not None
    no_index = re.search(r"reshape\(\(.*?\b0\b.*?\)", lines[1]) is not None
    complex_reduced = "scatter_reduce" in lines[1] and "complex" in found
    filled = "index_fill" in lines[1]
    return nothing and (filled or any([text in found for text in told])) or no_index and (filled or complex_reduced)


GAPS = {
    "picks reduced without self": lambda lines, found: (
        "include_self=False" in lines[1] and re.search("'am(ax|in)'", lines[1]) and "gradients" in found
    ),
    "picks graph of scatter with reduce": lambda lines, found: "reduce=" in lines[1] and "graph" in found,
    "picks complex numbers with real ones": lambda lines, found: "Expected isFloatingType(grad.scalar" in found,
    "picks integers that want a gradient": lambda lines, found: "Autograd not support dtype" in found,
    "picks layout of put": lambda lines, found: ".put(" in lines[1] and "stride" in found,
    "picks of nothing": _of_nothing,
    "picks gradient of a larger source": lambda lines, found: (
        "scatter_reduce" in lines[1]
        and "gradients" in found
        and len(set(re.findall(r"(?:reshape|made)\((\(.*?\))", lines[1]))) > 1
    ),
}


def test_picks(examples):
    compare(examples, invent, GAPS, **HOW)
