"""Convolutions as C text, drawn at random: the numbers of the engine's own, by matrix products."""

import math
import random
import re

import numpy as np
from test_codegen_c import needs_compiler

import lucid
from lucid._codegen import extension
from lucid._codegen.c_conv import conv_source
from lucid._inductor import utils

pytestmark = needs_compiler
CASES = 30


def drawn(seed):
    """(arrays of the word, its results) for each of the three words: input, weights and how they meet are random."""
    chance = random.Random(seed)
    dims, groups = chance.choice([1, 2, 2]), chance.choice([1, 1, 2, 3])
    pick = lambda low, high: tuple([chance.randint(low, high) for _ in range(dims)])  # noqa: E731
    kernel, stride, padding, dilation = pick(1, 3), pick(1, 3), pick(0, 2), pick(1, 2)
    size = tuple([max(n, d * (k - 1) + 1) for n, d, k in zip(pick(3, 40), dilation, kernel)])
    dtype = chance.choice([lucid.float32, lucid.float64])
    k, numbers = lucid.zeros(1, dtype=dtype)._table, np.random.default_rng(seed)
    make = lambda *shape: numbers.standard_normal(shape).astype(k.array_dtype)  # noqa: E731
    channels = groups * chance.randint(1, 5), groups * chance.choice([1, 3, 8, 16, 17, 33, 40])
    x, w = make(chance.randint(1, 3), channels[0], *size), make(channels[1], channels[0] // groups, *kernel)
    how = stride, padding, dilation, groups
    y = k.conv(x, w, *how)
    g = make(*y.shape)
    yield dtype, how, "conv", x, w, y
    yield dtype, how, "conv_input", g, w, k.conv_input(g, w, size, *how)
    yield dtype, how, "conv_weight", g, x, k.conv_weight(g, x, kernel, *how)


def test_random_convolutions():
    cases = [case for seed in range(CASES) for case in drawn(seed)]
    texts, sizes = [], []
    for n, (dtype, how, word, a, b, out) in enumerate(cases):
        text, size = conv_source(word, f"conv{n}", a.shape, b.shape, out.shape, dtype, *how)
        texts.append((text, (f"conv{n}", 4, 1)))
        sizes.append(size)
    for kernel, size, (dtype, how, word, a, b, expected) in zip(extension.load_parts(texts), sizes, cases):
        out, scratch = np.full_like(expected, math.nan), np.full(size, math.nan, expected.dtype)
        kernel(a, b, out, scratch, out.size)
        scale = abs(expected).max() if expected.size else 0
        close = {"atol": scale * (1e-5 if dtype is lucid.float32 else 1e-13), "rtol": 0}
        np.testing.assert_allclose(out, expected, **close, err_msg=f"{word} {a.shape} {b.shape} {how}")


def results(f, tensors):
    y = f(*tensors)
    return y, *lucid.autograd.grad(y.square().sum(), tensors)


def test_compiled_convolutions_have_kernels():
    """Forward and both gradients have eager's numbers, and the same bits on one thread and on two."""
    lucid.manual_seed(0)
    tensors = [lucid.randn(s, requires_grad=True) for s in ((4, 16, 8, 8), (24, 16, 3, 3), (24,))]
    f = lambda x, w, b: lucid.nn.functional.conv2d(x, w, b, stride=2, padding=1).relu()  # noqa: E731
    lucid._dynamo.reset()
    made, codes = utils.run_fw_bw_and_get_code(lambda: lucid.compile(f)(*tensors))
    found = {name for code in codes for name in re.findall(r"^void ([a-z_]*conv[a-z_]*)\d\(", code, re.MULTILINE)}
    assert found == {"conv", "conv_input", "conv_weight"}
    before, both, compiled = lucid.get_num_threads(), [], lucid.compile(f)
    try:
        for threads in (1, 2):
            lucid.set_num_threads(threads)
            both.append(results(compiled, tensors))
    finally:
        lucid.set_num_threads(before)
    assert all(map(lucid.equal, *both))
    for a, b in zip(results(f, tensors), both[0]):
        lucid.testing.assert_close(b, a, rtol=1e-4, atol=1e-4)
