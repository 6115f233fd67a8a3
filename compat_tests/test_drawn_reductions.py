"""Random reductions, scans and sorts over any set of dimensions, against torch: a few hundred here, five thousand with
`--all`."""

import collections
import re

from drawn import LAYOUTS, compare, roundings

SHAPES = [(), (), (1,), (4,), (5,), (2, 3), (3, 3), (3, 1), (2, 3, 4), (1, 3, 1), (2, 2, 2, 3), (2, 0, 3), (0,), (3, 0)]
INEXACT = ("float32", "float64", "float16", "bfloat16", "complex64", "complex128")
TYPES = "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128".split()
MORE_TYPES = ["float32"] * 8 + ["float64"] * 8 + TYPES
HOW = {"looks": "requires_grad stride", "second": True, "near": roundings, "exact": False}

Op = collections.namedtuple("Op", "call options dims")
KEEP, DTYPE, OUT, NAMED = "keepdim", "dtype", "out", "dim by name"

# names: what they reduce (any dimensions, one, or none that is drawn) and the options that they have
TABLE = """
sum mean nansum nanmean: any keepdim dtype out
amax amin logsumexp all any: any keepdim out
max min median nanmedian mode: one keepdim
argmax argmin: one keepdim out
cumsum cumprod: one dtype out
cummax cummin logcumsumexp msort: one
softmax log_softmax: one dtype
std var std_mean var_mean: any keepdim correction
prod: one keepdim dtype out
aminmax: one keepdim dim_by_name
norm: any keepdim dtype p
linalg.vector_norm: any keepdim dtype out ord
linalg.norm: any keepdim dtype ord
count_nonzero: any
kthvalue: one keepdim k
quantile nanquantile: one keepdim q interpolation
sort argsort: one descending stable
topk: one count largest
diff: one n
trapezoid cumulative_trapezoid unique_consecutive: one dim_by_name
renorm: none renorm
sum_to_size: none size
nn.functional.softmin: one dtype
nn.functional.normalize: one p_by_name
masked.sum masked.mean masked.prod masked.amax masked.amin masked.logsumexp: any keepdim mask
masked.norm: any keepdim ord mask
masked.std masked.var: any keepdim unbiased mask
masked.argmax masked.argmin masked.median: one keepdim mask
masked.cumsum masked.softmax: one mask
"""


def ops():
    """name -> Op"""
    found = {}
    for line in TABLE.strip().splitlines():
        names, _, rest = line.partition(": ")
        dims, *options = [word.replace("_", " ") for word in rest.split()]
        found.update({name: Op(name + "({})", options, dims) for name in names.split()})
    return found


OPS = ops()
METHODS = """sum mean prod nansum nanmean amax amin all any logsumexp max min median nanmedian mode argmax argmin cumsum
    cumprod cummax cummin logcumsumexp softmax log_softmax std var norm count_nonzero kthvalue quantile nanquantile sort
    argsort topk diff aminmax msort unique_consecutive renorm sum_to_size""".split()
NUMBERS = ("2", "1", "0", "3", "float('inf')", "-float('inf')", "0.5", "-1", "2.5", "'fro'", "'nuc'", "None")


class Inventor:
    """Draws one call of a reduction."""

    def __init__(self, chance):
        self.chance, self.one_of = chance, chance.one_of
        self.shape, self.dtype = chance.choice(SHAPES), chance.choice(MORE_TYPES)
        self.wants = self.dtype in INEXACT and chance.happens(0.6)

    def dim(self):
        n = max(len(self.shape), 1)
        return self.one_of(n, -n - 1) if self.chance.happens(0.04) else self.chance.randrange(-n, n)

    def dims(self, kind):
        """The text of a dim argument, or None to leave it out."""
        if kind == "none" or self.chance.happens(0.15):
            return None
        if self.chance.happens(0.04):
            return "None"
        if self.chance.happens(0.02):
            return self.one_of("1.0", "'a'", "True", "T.tensor(0)", "np.int64(0)", "[0.5]")
        if kind == "one" and self.chance.happens(0.97) or self.chance.happens(0.4):
            return str(self.dim())
        n = len(self.shape)
        some = self.chance.sample(range(n), self.chance.randint(0, n))
        some = [d - self.one_of(0, n) for d in some]
        if self.chance.happens(0.06):
            some.append(self.dim())
        return str(self.one_of(tuple, list)(some))

    def option(self, name):
        """The text of an option as it is drawn, or None."""
        one_of = self.one_of
        always = {
            "k": lambda: f"k={self.chance.randint(0, 3)}",
            "q": lambda: (
                "q="
                + one_of(
                    "0.5",
                    "0.3",
                    "1.0",
                    "1.5",
                    "T.tensor([0.25, 0.5], dtype=x.dtype)",
                    "T.tensor([0.25, 0.5])",
                    "T.tensor(0.5, dtype=x.dtype)",
                )
            ),
            "count": lambda: f"k={self.chance.randint(0, 3)}",
            "renorm": lambda: f"p={one_of('2', '1', '3.5', '0')}, dim={self.dim()}, maxnorm=2.0",
            "size": lambda: "size=" + str(tuple([one_of(1, n) for n in self.shape][one_of(0, 0, 1) :])),
            "ord": lambda: "ord=" + one_of(*NUMBERS[:-3]),
        }
        if name in always and (name != "ord" or self.masked):
            return always[name]()
        if self.chance.happens(0.6):
            return None
        return {
            DTYPE: lambda: f"dtype=T.{one_of(*TYPES)}",
            KEEP: lambda: f"keepdim={one_of(True, True, False)}",
            OUT: lambda: f"out=made({self.out_shape}, {self.out_type!r}, {one_of(*LAYOUTS[:-1])!r})",
            "correction": lambda: one_of(
                "correction=0", "correction=2", "unbiased=False", "unbiased=True", "correction=0.5"
            ),
            "unbiased": lambda: one_of("unbiased=False", "unbiased=True"),
            "p": lambda: "p=" + one_of(*NUMBERS),
            "p by name": lambda: "p=" + one_of(*NUMBERS[:-3]),
            "ord": lambda: "ord=" + one_of(*NUMBERS),
            "interpolation": lambda: (
                f"interpolation={one_of('lower', 'higher', 'midpoint', 'nearest', 'linear', 'x')!r}"
            ),
            "descending": lambda: "descending=True",
            "stable": lambda: "stable=True",
            "largest": lambda: "largest=False",
            "n": lambda: f"n={one_of(0, 1, 2, 5)}",
            "mask": lambda: f"mask=made({one_of(self.shape, self.shape[1:])}, 'bool', seed=3)",
        }.get(name, lambda: None)()

    def call(self):
        name = self.one_of(*OPS)
        op = OPS[name]
        self.masked = name.startswith("masked.")
        dims = self.dims(op.dims)
        if name in ("sort", "argsort", "topk"):  # which of equals is first is not promised
            kind = self.one_of("", "", "inf") if name != "topk" else ""
        else:
            kind = self.one_of("", "", "", "nan", "inf", "zero", "zero nan", "nan inf")
        self.out_shape = self.shape if name.startswith("cum") else ()
        self.out_type = self.one_of(self.dtype, self.dtype, *TYPES)
        arguments = []
        if dims is not None:
            by_name = NAMED in op.options or self.masked or self.chance.happens(0.4) or name.startswith("nn.")
            by_name = by_name or set(op.options) & {"p", "ord", "k", "q", "count", "descending", "n", "p by name"}
            arguments.append(
                (self.one_of("dim=", "dim=", "axis=") if by_name and not self.masked else "dim=" if by_name else "")
                + dims
            )
        arguments += [text for text in map(self.option, op.options) if text is not None]
        line = op.call.format(", ".join(arguments))
        # among equals, torch's quick ways pick by where they lie; and of an expanded tensor it reads what is no element
        picks = any(n in name for n in ("median", "kthvalue", "topk", "mode"))
        layouts = LAYOUTS[:-1] if picks else LAYOUTS
        x = f"x = made({self.shape}, {self.dtype!r}, {self.one_of(*layouts)!r}, {self.wants}, {kind!r})"
        if name in METHODS and self.chance.happens(0.5) and "out=" not in line:
            return [x, f"r = x.{line}"]
        head, _, rest = line.partition("(")
        return [x, f"r = T.{head}(x, {rest}".replace("(x, )", "(x)")]


def invent(chance):
    return Inventor(chance).call()


def name_of(lines):
    """T.sum(x) and x.sum(): sum"""
    return re.match(r"r = (?:T|x)\.(?:nn\.functional\.)?([\w.]+)\(", lines[1])[1]


def is_empty(lines):
    return re.search(r"made\(\((?:\d, )*0[,)]", lines[0]) is not None


def _of_nothing(lines, found):
    orders = "gradients: Problem" in found and "torch Problem" in found  # which of two faults is told first
    medians = "median" in name_of(lines) and "not to the bit" in found
    refused = "Dimension out of range" in found or "refused: NotImplementedError" in found
    return is_empty(lines) and (orders or medians or refused)


def _over_no_dimension(lines, found):
    over = re.search(r"(?:[(=]|, )(?:\(\)|\[\])", lines[1].partition("=")[2]) is not None
    return name_of(lines).startswith(("std", "var")) and over and "gradients" in found


def _not_given(lines, found):
    is_given = re.search(r"\b(?:dim|axis)=", lines[1]) is not None and "dim=None" not in lines[1]
    return "TypeError" in found and not is_given and re.search("keepdim|out=", lines[1]) is not None


def _of_types(lines, found):
    cast = name_of(lines) == "cumprod" and "complex" in lines[0] and "dtype=" in lines[1] and "gradients" in found
    return cast or "Expected isFloatingType(grad.scalar_type())" in found


def _of_equals(lines, found):
    name = name_of(lines)
    indices = name in ("topk", "kthvalue") and "[1]: not to the bit" in found
    return indices or name in ("quantile", "nanquantile", "masked.median") and "gradients" in found


GAPS = {
    "reductions of nothing": _of_nothing,
    "reductions spread over dim=()": _over_no_dimension,
    "reductions spread of infinities": lambda lines, found: (
        name_of(lines).startswith(("std", "var")) and "inf" in lines[0] and "nan location" in found
    ),
    "reductions dim that is not given": _not_given,
    "reductions dim=True": lambda lines, found: "dim=True" in lines[1].replace("keepdim=True", ""),
    "reductions of complex numbers as real ones": _of_types,
    "reductions complex softmax": lambda lines, found: "_softmax does not support automatic diff" in found,
    "reductions of equals": _of_equals,
    "reductions truth in bytes": lambda lines, found: (
        name_of(lines) in ("all", "any") and "'uint8'" in lines[1] and "not to the bit" in found
    ),
    "reductions masked nan": lambda lines, found: (
        "masked" in lines[1] and "nan location" in found and "gradients" in found
    ),
}


def test_reductions(examples):
    compare(examples, invent, GAPS, **HOW)
