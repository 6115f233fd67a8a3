"""Every public function of one, two or three tensors with every pair of element types: the result's type and values, or an
error of torch's class. Operands are tensors, 0-d tensors and, where torch takes them, numbers of Python and of numpy.

Which functions these are is asked of torch: every public name that takes so many small tensors of some type. A seeded
sample runs; `--all` tries every pair of every function.
"""

import functools
import random
import re
import warnings

import numpy as np
import pytest
import torch
from both import BOTH, attempt, same

import lucid

TYPES = "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128".split()
NUMBERS = [("python", t) for t in ("bool", "int", "float", "complex")]
NUMBERS += [("numpy", t) for t in ("int64", "int32", "float32", "float64", "float16")]
PLACES = {
    "": lambda m: m,
    "special.": lambda m: m.special,
    "linalg.": lambda m: m.linalg,
    "nn.functional.": lambda m: m.nn.functional,
    "Tensor.": lambda m: m.Tensor,
}
# Random, writing, of other devices and layouts, or not of tensors' values.
OTHERS = re.compile(
    "rand|normal|dropout|bernoulli|binomial|multinomial|poisson|lobpcg|empty|save|load|set_|seed|from_"
    "|backward|compile|manual|_$"
    "|gumbel|exponential|geometric|cauchy|rrelu|data_ptr|__|storage|numpy|dlpack|hook|pin_memory|share_memory|is_|cuda|xpu"
    "|mtia|mps|names|sparse|mkldnn|quant|fake|grad|untyped|ipu|fbgemm|rename|apply|map_|resize|sym_|get_device|cond$"
    "|Tensor$|vmap|fork|wait|result_type|typename|new|sspaddmm|hspmm|smm|native_|^to$"
)
NEAR = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-5, "complex64": 2e-5, "float64": 1e-10, "complex128": 1e-10}
# Not compared: what torch gives for unsorted, singular or repeated input is its library's, not its own.
LIBRARY = """linalg.eig linalg.eigh linalg.eigvals cholesky_inverse linalg.matrix_exp matrix_exp svd_lowrank
    pca_lowrank lobpcg""".split()
# Functions whose numbers and mixed types are asked of by other tests.
ELSEWHERE = "searchsorted bucketize tensor_split repeat_interleave matrix_rank pinv norm_except_dim gaussian_nll_loss"


def elements(kind, n):
    numbers = [[0.5, 2.0, -1.0], [2.0, 0.5, 1.0], [1.0, 3.0, 0.5]][n]
    if kind.startswith("complex"):
        return [complex(x, 0.5 * x) for x in numbers]
    if kind == "bool":
        return [x > 0.7 for x in numbers]
    if "int" in kind:
        return [abs(int(x)) if kind == "uint8" else int(x) for x in numbers]
    return numbers


def operand(m, form, kind, n):
    numbers = elements(kind, n)
    if form == "python":
        return {"bool": True, "int": 2, "float": 1.5, "complex": 1.5 + 1j}[kind]
    if form == "numpy":
        return getattr(np, kind)(numbers[1])
    if form == "matrix":
        numbers = [numbers, numbers[::-1], [numbers[1], numbers[2], numbers[0]]]
    return m.tensor(numbers[1] if form == "0-d" else numbers).to(getattr(m, kind))


def looked_at(value):
    """A result as (type, shape, numbers), the class of an error, or what is printed."""
    if isinstance(value, (torch.Tensor, lucid.Tensor)):
        kind = str(value.dtype).rpartition(".")[2]
        wide = value.float() if kind == "bfloat16" else value.detach().cfloat() if kind == "complex32" else value
        array = np.array(wide.resolve_conj().resolve_neg().numpy(force=True))
        return [(kind, tuple(value.shape)), array]
    if isinstance(value, (tuple, list)):
        return [looked_at(v) for v in value]
    return type(value).__name__ if isinstance(value, Exception) else str(value).replace("lucid.", "torch.")


def agree(got, wanted, floor):
    if not isinstance(wanted, list) or not isinstance(got, list):
        return got == wanted
    if wanted and isinstance(wanted[0], tuple):
        if got[0] != wanted[0] or got[1] is None:
            return got[0] == wanted[0]
        near = max(NEAR[wanted[0][0]], floor) if wanted[0][0] in NEAR else 0.0
        return bool(np.allclose(got[1], wanted[1], near, near, equal_nan=True))
    return len(got) == len(wanted) and all(agree(a, b, floor) for a, b in zip(got, wanted))


def call(m, name, operands):
    place, _, bare = name.rpartition(".")
    f = getattr(PLACES[place + "." if place else ""](m), bare)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return looked_at(attempt(f, *[operand(m, *given, n) for n, given in enumerate(operands)]))


def takes(name, operands):
    result = call(torch, name, operands)
    return isinstance(result, list) and result != []


@functools.cache
def functions():
    """{(name, number of tensors): form of the tensors}"""
    found = {}
    for place, get in PLACES.items():
        for bare in sorted(dir(get(torch))):
            f = getattr(get(torch), bare)
            skip = bare.startswith("_") or OTHERS.search(bare) or not callable(f) or isinstance(f, type)
            if skip or not hasattr(get(lucid), bare) or bare in ELSEWHERE.split():
                continue
            if place == "nn.functional." and getattr(torch, bare, None) is f:
                continue
            for n in (1, 2, 3):
                if place == "Tensor." and (bare, n) in found:
                    continue
                for form in ("tensor", "matrix"):
                    if any(takes(place + bare, [(form, t)] * n) for t in ("float32", "int64", "bool", "complex64")):
                        found[place + bare, n] = form
                        break
    return found


@functools.cache
def numbers_at(name, n, form):
    """The operands that may be numbers."""

    def may(at):
        tries = [[(form, t)] * n for t in ("float32", "int64", "bool")]
        return any(takes(name, [*t[:at], number, *t[at + 1 :]]) for t in tries for number in NUMBERS[1:3])

    return [at for at in range(n) if n > 1 and may(at)]


def operands_of(name, n, form, chance):
    """All lists of operands of a function of one or two tensors; of three, some at random."""
    tensors = [(f, t) for f in (form, "0-d") for t in TYPES]
    free = [tensors + (NUMBERS if at in numbers_at(name, n, form) else []) for at in range(n)]
    if n == 1:
        return [[a] for a in free[0]]
    if n == 2:
        return [[a, b] for a in free[0] for b in free[1] if a[0] in (form, "0-d") or b[0] in (form, "0-d")]
    return [[(form, chance.choice(TYPES)), *[chance.choice(free[at]) for at in (1, 2)]] for _ in range(300)]


def is_known(name, operands, wanted, got):
    """What torch makes of matrix_exp of halves: nan, whatever the matrix."""
    return name.endswith("matrix_exp") and operands[0][1] in ("float16", "bfloat16")


def test_types(examples):
    chance, wrong, count = random.Random(examples.seed), [], 0
    if examples.all:
        chosen = [(name, o) for (name, n), form in functions().items() for o in operands_of(name, n, form, chance)]
    else:
        names = chance.choices(list(functions().items()), k=400)
        chosen = [(name, chance.choice(operands_of(name, n, form, chance))) for (name, n), form in names]
    for name, operands in chosen:
        wanted, got = (call(m, name, operands) for m in BOTH)
        count += 1
        floor = max([NEAR.get(t, 0.0) for _, t in operands])
        if name in LIBRARY and type(wanted) is type(got) is list:
            continue
        if not agree(got, wanted, floor) and not is_known(name, operands, wanted, got):
            wrong.append(f"{name}{operands}: {got}, torch {wanted}".replace("\n", " ")[:400])
    assert len(wrong) <= count / 1000, f"{len(wrong)} of {count}\n" + "\n".join(wrong[:100])


REAL_AND_COMPLEX = ("float32", "float64", "complex64", "complex128")


@pytest.mark.parametrize("target", REAL_AND_COMPLEX)
@pytest.mark.parametrize("input", REAL_AND_COMPLEX)
def test_loss_of_logits_in_the_type_of_its_target(input, target):
    """binary_cross_entropy_with_logits computes in the target's memory; what that cannot hold is refused."""

    def program(m):
        x, y = (m.tensor([0.5, 0.25, -0.5]).to(getattr(m, t)) for t in (input, target))
        f = m.nn.functional.binary_cross_entropy_with_logits
        for more in (None, *REAL_AND_COMPLEX):
            w = None if more is None else m.full((3,), 0.75).to(getattr(m, more))
            for how in ({"weight": w}, {"pos_weight": w}):
                got = attempt(f, x, y, **how)
                yield type(got) if isinstance(got, Exception) else got

    same(program, rtol=1e-6)
