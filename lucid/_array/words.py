"""The dictionary: every word that op kernels and gradient rules may say, one row each, with all that is said of it.

A vocabulary answers these words: `numpy/` with numpy arrays, `mlx/` with mlx arrays, `meta/` with shapes, `TensorWords`
of the engine with ops, `_modes.vmap_table` with batches, `_modes.jvp_table` with dual numbers and `_codegen.c` with
text. What else a vocabulary has is in `table.py`. Words take their arguments by position, in the order written here;
dimensions are ints (or tuples of ints) that were already checked and count from the front.

A row says: the call; the element types that the word is defined for; the type of its result; how it treats halves; what
its tangent is. The columns mean:

types     letters: b bools, i integers, h halves (float16, bfloat16 and 8-bit floats), f float32 and float64, c complex
          numbers (of complex32 only what `numpy/complex_half.py` lists). For all others every vocabulary of arrays
          raises a TypeError, so nothing is computed that torch refuses.
result    same: the promoted type of the operands     own: the table's type, whatever the operands have
          bool, int32, int64                          real: the type of a complex number's parts, else same
          complex: with parts of the operands' type   float: same, but a floating type for bools and integers
          total: int64 for bools and integers (uint64 stays), else same
          given: named by the call                    several of these, joined by commas: a tuple
halves    exact: computed on the halves themselves, for nothing is rounded
          wide: computed in float32 and rounded once          -: halves are refused
          steps: as torch's kernels of them, which round on the way (numpy/halves.py)
tangent   linear: linear in the first parameter       bilinear: linear in each of the first two
          joint: linear in all its arrays at once     constant: no tangent reaches the result
          picked: (values, where they were along dim); the tangent is picked at the same places
          rules: by the gradient rules of the op of the same name
          none: torch has no derivative of it, and no tangent is carried
          own: forward mode has a rule of its own, or (factories) there is nothing to carry
"""

from typing import NamedTuple

from .._base.dtype import BOOL, COMPLEX, FLOATING, INTEGRAL, SCALAR_NAMES, float16

# What a parameter is follows from its name, in all rows. Arrays of the table's element type (or Python numbers):
OPERANDS = frozenset(
    """a A b B c g h k q r v w x arrays b_hh b_ih bias columns degree im mean order out pool probabilities
    re reserve rstd sequence source src tau to_c to_h to_out values var w_hh w_ih weight""".split()
)
# Arrays of another type, which have no tangent: places, classes, masks, counts.
PLACES = frozenset("condition index indices mask pivots repeats target weights".split())
# All others are options: numbers, tuples, names, None.


class Word(NamedTuple):
    """One row of the dictionary."""

    name: str
    family: str
    parameters: tuple
    types: str
    result: str
    halves: str
    tangent: str

    @property
    def call(self) -> str:
        """How it is said: `sum(x, dim, keepdim)`."""
        return f"{self.name}({', '.join(self.parameters)})"

    @property
    def arrays(self) -> tuple:
        """The parameters that are arrays."""
        return tuple([p for p in self.parameters if p in OPERANDS or p in PLACES])

    @property
    def exact(self) -> bool:
        """Are halves left as they are, because nothing is rounded?"""
        return self.halves not in ("wide", "steps")


WORDS: dict[str, Word] = {}


def _family(name, text) -> dict:
    """The rows of one family, by name: call, types, result, halves and tangent (below the call where that is long)."""
    rows, call = {}, ""
    for line in text.splitlines():
        before, closed, columns = line.partition("#")[0].rpartition(")")
        call, columns = before if closed else call, columns.split()
        if columns:
            word, _, parameters = call.strip().partition("(")
            rows[word] = Word(word, name, tuple(parameters.split(", ")), *columns)
    WORDS.update(rows)
    return rows


def letter(dtype) -> str:
    """The letter of an element type, as in the column `types`."""
    if dtype.category == FLOATING:
        return "h" if dtype.itemsize < 4 else "f"
    return {BOOL: "b", INTEGRAL: "i", COMPLEX: "c"}[dtype.category]


class NotDefined(NotImplementedError, TypeError):
    """A word that an element type does not have: what a user sees where the op has no refusal of its own."""

    def __init__(self, word, dtype):
        super().__init__(f"\"{word}\" not implemented for '{SCALAR_NAMES[dtype]}'")


NotDefined.__name__ = NotDefined.__qualname__ = "NotImplementedError"  # as torch's error is called


def refusals(dtype) -> dict:
    """{word: (its row, a function in its place that raises NotDefined)} of the words an element type does not have."""

    def refusal(word):
        def refuse(*args):
            raise NotDefined(word, dtype)

        refuse.__name__ = word
        return refuse

    return {word.name: (word, refusal(word.name)) for word in WORDS.values() if not has_word(dtype, word)}


def has_word(dtype, word) -> bool:
    """Is a word defined for an element type?"""
    return letter(dtype) in word.types or word.name == "view_as_complex" and dtype is float16


# ---- each element from the elements at its place; shapes broadcast, and operands may be Python numbers

POINTWISE = _family(
    "pointwise",
    """
    neg(x)                                  ihfc   same     exact  linear
    abs(x)                                  ihfc   real     exact  rules
    sign(x)                                 bihf   same     wide   constant
    sgn(x)                                  bihfc  same     wide   rules
    square(x)                               ihfc   same     wide   rules
    reciprocal(x)                           hfc    same     wide   rules
    relu(x)                                 ihf    same     exact  rules
    floor(x)                                ihf    same     wide   constant
    ceil(x)                                 ihf    same     wide   constant
    round(x)                                ihf    same     wide   constant
    trunc(x)                                ihf    same     wide   constant
    frac(x)                                 hf     same     wide   rules
    exp(x)                                  hfc    same     wide   rules
    exp2(x)                                 hfc    same     wide   rules
    expm1(x)                                hfc    same     wide   rules
    log(x)                                  hfc    same     wide   rules
    log2(x)                                 hfc    same     wide   rules
    log10(x)                                hfc    same     wide   rules
    log1p(x)                                hfc    same     wide   rules
    sqrt(x)                                 hfc    same     wide   rules
    rsqrt(x)                                hfc    same     wide   rules
    sigmoid(x)                              hfc    same     wide   rules
    sin(x)                                  hfc    same     wide   rules
    cos(x)                                  hfc    same     wide   rules
    tan(x)                                  hfc    same     wide   rules
    asin(x)                                 hfc    same     wide   rules
    acos(x)                                 hfc    same     wide   rules
    atan(x)                                 hfc    same     wide   rules
    sinh(x)                                 hfc    same     wide   rules
    cosh(x)                                 hfc    same     wide   rules
    tanh(x)                                 hfc    same     wide   rules
    asinh(x)                                hfc    same     wide   rules
    acosh(x)                                hfc    same     wide   rules
    atanh(x)                                hfc    same     wide   rules
    sinc(x)                                 hfc    same     wide   rules

    # parts and tests
    conj(x)                                 bihfc  same     exact  linear
    real(x)                                 bihfc  real     exact  linear
    imag(x)                                 bihfc  real     wide   linear
    angle(x)                                hfc    real     wide   rules
    isnan(x)                                bihfc  bool     exact  constant
    isinf(x)                                bihfc  bool     exact  constant
    isfinite(x)                             bihfc  bool     exact  constant
    isposinf(x)                             bihf   bool     exact  constant
    isneginf(x)                             bihf   bool     exact  constant
    signbit(x)                              bihf   bool     exact  constant
    logical_not(x)                          bihfc  bool     exact  constant
    bitwise_not(x)                          bi     same     -      constant

    # special functions
    erf(x)                                  hf     same     wide   rules
    erfc(x)                                 hf     same     wide   rules
    erfcx(x)                                f      same     -      rules
    erfinv(x)                               hf     same     wide   rules
    ndtri(x)                                f      same     -      rules
    log_ndtr(x)                             f      same     -      rules
    lgamma(x)                               hf     same     wide   rules
    digamma(x)                              hf     same     wide   rules
    polygamma(order, x)                     hf     same     steps  rules     # order: a Python int
    zeta(a, b)                              f      same     -      rules
    igamma(a, b)                            hf     same     wide   rules
    igammac(a, b)                           hf     same     wide   rules
    i0(x)                                   hf     same     wide   rules
    i0e(x)                                  hf     same     wide   rules
    i1(x)                                   hf     same     wide   rules
    i1e(x)                                  hf     same     wide   rules
    bessel_j0(x)                            f      same     -      none
    bessel_j1(x)                            f      same     -      none
    bessel_y0(x)                            f      same     -      none
    bessel_y1(x)                            f      same     -      none
    modified_bessel_k0(x)                   f      same     -      none
    modified_bessel_k1(x)                   f      same     -      none
    scaled_modified_bessel_k0(x)            f      same     -      none
    scaled_modified_bessel_k1(x)            f      same     -      none
    spherical_bessel_j0(x)                  f      same     -      none
    airy_ai(x)                              f      same     -      none
    orthogonal_polynomial(x, degree, kind)  f      same     -      rules     # kind: "hermite_h", "legendre_p" ...

    # two operands
    add(a, b)                               bihfc  same     wide   rules
    sub(a, b)                               ihfc   same     wide   rules
    mul(a, b)                               bihfc  same     wide   rules
    div(a, b)                               bihfc  float    wide   rules
    pow(a, b)                               ihfc   same     wide   rules
    maximum(a, b)                           bihf   same     exact  rules
    minimum(a, b)                           bihf   same     exact  rules
    fmax(a, b)                              bihf   same     exact  rules
    fmin(a, b)                              bihf   same     exact  rules
    fmod(a, b)                              ihf    same     wide   rules
    remainder(a, b)                         ihf    same     wide   rules
    floor_divide(a, b)                      ihf    same     wide   constant
    trunc_divide(a, b)                      ihf    same     wide   constant
    atan2(a, b)                             hf     same     wide   rules
    hypot(a, b)                             hf     same     wide   rules
    copysign(a, b)                          hf     same     exact  rules
    nextafter(a, b)                         hf     same     exact  rules
    ldexp(a, b)                             hfc    same     steps  rules
    logaddexp(a, b)                         hfc    same     wide   rules
    logaddexp2(a, b)                        hf     same     wide   rules
    heaviside(a, b)                         bihf   same     wide   constant
    xlogy(a, b)                             hf     same     steps  rules
    xlog1py(a, b)                           hf     same     steps  rules
    eq(a, b)                                bihfc  bool     exact  constant
    ne(a, b)                                bihfc  bool     exact  constant
    lt(a, b)                                bihf   bool     exact  constant
    le(a, b)                                bihf   bool     exact  constant
    gt(a, b)                                bihf   bool     exact  constant
    ge(a, b)                                bihf   bool     exact  constant
    logical_and(a, b)                       bihfc  bool     exact  constant
    logical_or(a, b)                        bihfc  bool     exact  constant
    logical_xor(a, b)                       bihfc  bool     exact  constant
    bitwise_and(a, b)                       bi     same     -      constant
    bitwise_or(a, b)                        bi     same     -      constant
    bitwise_xor(a, b)                       bi     same     -      constant
    bitwise_left_shift(a, b)                i      same     -      constant
    bitwise_right_shift(a, b)               i      same     -      constant
    gcd(a, b)                               i      same     -      rules
    lcm(a, b)                               i      same     -      rules
    complex(re, im)                         hfc    complex  exact  joint
    polar(r, x)                             fc     complex  -      rules     # x: the angle

    # three
    where(condition, a, b)                  bihfc  same     exact  own
    lerp(a, b, weight)                      hfc    same     wide   rules
    addcmul(x, a, b)                        bihfc  same     wide   rules     # x + a * b
    """,
)

# ---- over dimensions; dim is a tuple

REDUCTION = _family(
    "reduction",
    """
    sum(x, dim, keepdim)                  bihfc  total  wide   linear
    nansum(x, dim, keepdim)               bihf   total  wide   rules
    prod(x, dim, keepdim)                 bihfc  total  steps  rules
    mean(x, dim, keepdim)                 hfc    own    wide   linear
    amax(x, dim, keepdim)                 bihf   same   exact  rules
    amin(x, dim, keepdim)                 bihf   same   exact  rules
    all(x, dim, keepdim)                  bihfc  bool   exact  constant
    any(x, dim, keepdim)                  bihfc  bool   exact  constant
    count_nonzero(x, dim, keepdim)        bihfc  int64  exact  constant
    logsumexp(x, dim, keepdim)            hfc    same   steps  rules
    var_dim(x, dim, keepdim, correction)  hfc    real   wide   rules
    std_dim(x, dim, keepdim, correction)  hfc    real   wide   rules
    vector_norm(x, dim, keepdim, p)       hfc    real   wide   rules     # p: a float, infinities and 0 included
    """,
)

# ---- along one dimension, an int; the shape stays

SCAN = _family(
    "scan",
    """
    cumsum(x, dim)        bihfc  own   wide  linear
    cumprod(x, dim)       bihfc  own   wide  rules
    logcumsumexp(x, dim)  hfc    same  wide  own
    """,
)

# ---- along one dimension, possibly with the indices of what was found

ALONG = _family(
    "along",
    """
    argmax(x, dim, keepdim)                  bihf  int64       exact  constant
    argmin(x, dim, keepdim)                  bihf  int64       exact  constant
    max_dim(x, dim, keepdim)                 bihf  same,int64  exact  picked
    min_dim(x, dim, keepdim)                 bihf  same,int64  exact  picked
    cummax(x, dim)                           bihf  same,int64  wide   picked
    cummin(x, dim)                           bihf  same,int64  wide   picked
    sort(x, dim, descending, stable)         bihf  same,int64  wide   picked
    topk(x, count, dim, largest)             bihf  same,int64  wide   picked
    kthvalue(x, nth, dim, keepdim)           bihf  same,int64  wide   picked
    median_dim(x, dim, keepdim, ignore_nan)  bihf  same,int64  wide   picked
    mode_dim(x, dim, keepdim)                bihf  same,int64  wide   picked
    """,
)

# ---- the same memory read otherwise, where the library has memory to share

VIEW = _family(
    "view",
    """
    reshape(x, shape)                    bihfc  same     exact  own
    permute(x, dims)                     bihfc  same     exact  linear
    expand(x, shape)                     bihfc  same     exact  linear
    slice(x, dim, start, end, step)      bihfc  same     exact  linear
    select(x, dim, position)             bihfc  same     exact  linear
    squeeze(x, dim)                      bihfc  same     exact  linear
    unsqueeze(x, dim)                    bihfc  same     exact  linear
    diagonal(x, offset, dim1, dim2)      bihfc  same     exact  linear
    unfold(x, dim, size, step)           bihfc  same     exact  linear
    as_strided(x, size, stride, offset)  bihfc  same     exact  linear  # offset: from x's first element
    view_dtype(x, dtype)                 bihfc  given    exact  constant
    view_as_real(x)                      fc     real     -      linear
    view_as_complex(x)                   fc     complex  -      linear  # and float16
    """,
)

# ---- a new array with the elements of old ones

MOVE = _family(
    "move",
    """
    cat(arrays, dim)       bihfc  same  exact  joint
    stack(arrays, dim)     bihfc  same  exact  joint
    flip(x, dims)          bihfc  same  exact  linear
    roll(x, shifts, dims)  bihfc  same  exact  linear
    tril(x, offset)        bihfc  same  exact  linear
    triu(x, offset)        bihfc  same  exact  linear
    pad(x, widths, value)  bihfc  same  exact  own
    repeat(x, times)       bihfc  same  exact  linear
    copy(x)                bihfc  same  exact  linear
    contiguous(x)          bihfc  same  exact  linear
    """,
)

CONTRACTION = _family(
    "contraction",
    """
    matmul(a, b)  ihfc  same  wide  bilinear
    """,
)

# ---- elements picked, placed and added by index; an index array or mask, or a tuple of them with None for "all"

INDEXING = _family(
    "indexing",
    """
    index(x, indices)                                         bihfc  same   exact  linear
    index_put(x, indices, values, accumulate)                 bihfc  same   exact  joint
    index_select(x, dim, index)                               bihfc  same   exact  linear
    index_add(x, dim, index, source)                          bihfc  same   wide   joint
    gather(x, dim, index)                                     bihfc  same   exact  linear
    scatter(x, dim, index, src)                               bihfc  same   exact  joint
    scatter_add(x, dim, index, src)                           bihfc  same   wide   joint
    scatter_reduce(x, dim, index, src, reduce, include_self)  bihfc  same   wide   rules
    masked_fill(x, mask, value)                               bihfc  same   exact  own
    nonzero(x)                                                bihfc  int64  exact  constant
    searchsorted(sequence, values, right)                     bihf   int64  wide   constant
    """,
)

# ---- the transposes of reading: zeros of a shape with g where it was read; and copies of x with src where a view is

PLACING = _family(
    "placing",
    """
    index_backward(g, shape, indices)                               bihfc  same  steps  linear
    select_backward(g, shape, dim, position)                        bihfc  same  exact  linear
    slice_backward(g, shape, dim, start, end, step)                 bihfc  same  exact  linear
    diagonal_backward(g, shape, offset, dim1, dim2)                 bihfc  same  exact  linear
    unfold_backward(g, shape, dim, size, step)                      bihfc  same  steps  linear
    as_strided_backward(g, shape, in_stride, size, stride, offset)  bihfc  same  steps  linear
    select_scatter(x, src, dim, position)                           bihfc  same  exact  joint
    slice_scatter(x, src, dim, start, end, step)                    bihfc  same  exact  joint
    diagonal_scatter(x, src, offset, dim1, dim2)                    bihfc  same  exact  joint
    as_strided_scatter(x, src, size, stride, offset, in_stride)     bihfc  same  exact  joint
    """,
)

# ---- results whose shape depends on the values, or counts; no gradients

COUNTING = _family(
    "counting",
    """
    unique(x, dim)                   bihfc  same,int64,int64  wide  constant  # values, where each element is, counts
    unique_runs(x, dim)              bihfc  same,int64,int64  wide  constant
    bincount(x, weights, minlength)  i      int64             -     constant  # weights: the result has their type
    histc(x, bins, low, high)        ihf    own               steps constant
    isin(x, pool)                    bihfc  bool              wide  constant
    repeat_places(repeats)           i      same              -     constant
    """,
)

# ---- linear algebra: matrices in the last two dimensions, what is before is a batch; int32 results are LAPACK's

LINALG = _family(
    "linalg",
    """
    inverse(A)                                    fc  same,int32        -  rules
    solution(A, B)                                fc  same,int32        -  rules
    triangular_solution(A, B, upper, left, unit)  fc  same              -  rules
    cholesky_factor(A, upper)                     fc  same,int32        -  rules
    lu_factors(A, pivot)                          fc  same,int32,int32  -  rules
    ldl_factors(A, hermitian)                     fc  same,int32,int32  -  constant
    ldl_solution(A, pivots, B, hermitian)         fc  same              -  constant  # A: the factors
    permutation(pivots, size)                     fc  own               -  rules
    qr_factors(A, complete)                       fc  same,same         -  rules
    qr_raw(A)                                     fc  same,same         -  constant
    reflectors(A, tau)                            fc  same              -  rules
    svd_factors(A, full)                          fc  same,real,same    -  rules
    eigh_pairs(A, lower)                          fc  real,same         -  rules
    eig_pairs(A)                                  fc  complex,complex   -  rules
    determinant(A)                                fc  same              -  rules
    sign_logdet(A)                                fc  same,real         -  rules
    cofactor(A)                                   fc  same              -  rules
    exponential(A)                                fc  same              -  rules
    """,
)

# ---- Fourier transforms over dims, laid out as fft_order says; normalization: 0, 1 by the root of the count, 2 by it

SPECTRAL = _family(
    "spectral",
    """
    fft_c2c(x, dims, normalization, forward)     c  same     -  linear
    fft_r2c(x, dims, normalization, onesided)    f  complex  -  linear
    fft_c2r(x, dims, normalization, last_count)  c  real     -  linear
    """,
)

# ---- made from nothing, from Python, or from another type

FACTORY = _family(
    "factory",
    """
    zeros(shape)                 bihfc  own    exact  own
    ones(shape)                  bihfc  own    exact  own
    full(shape, value)           bihfc  own    exact  own
    arange(n)                    bihfc  own    exact  own  # 0, 1 ... n - 1
    eye(n, m)                    bihfc  own    exact  own
    linspace(start, end, steps)  ihfc   own    exact  own
    cast(x, dtype)               bihfc  given  exact  own
    asarray(value)               bihfc  own    exact  own
    scalar(value)                bihfc  own    exact  own  # cached: never write to it
    """,
)

# ---- kernels of neural network layers. Tuples hold one number per spatial dimension. A vocabulary without a kernel of
# its own for one of these may spell it with the other words: fallbacks.py.

LAYERS = _family(
    "layers",
    """
    # mantissa and exponent
    frexp(x)                                                            hf    same,int32                wide  rules

    # convolution; conv_input is also the transposed convolution
    conv(x, w, stride, padding, dilation, groups)                       ihfc  same                      wide  bilinear
    conv_input(g, w, size, stride, padding, dilation, groups)           ihfc  same                      wide  bilinear
    conv_weight(g, x, kernel, stride, padding, dilation, groups)        hfc   same                      wide  bilinear

    # every window of x (N, C, *size) as a column (N, C * taps, windows), and the transpose: columns added back
    im2col(x, kernel, dilation, padding, stride)                        bhfc  same                      wide  linear
    col2im(columns, size, kernel, dilation, padding, stride)            bhfc  same                      steps linear

    # windows over the last dimensions: the greatest of each, where it was (flat, over those dimensions), its gradient
    max_pool(x, kernel, stride, padding, dilation, out_size)            ihf   same                      wide  own
    max_pool_indices(x, out, kernel, stride, padding, dilation)         ihf   int64                     wide  constant
    max_pool_backward(g, x, out, kernel, stride, padding, dilation)     ihf   same                      steps rules
    adaptive_max_indices(x, out_size)                                   ihf   int64                     wide  constant

    # the sum of each window, and its transpose: zeros of `size` with g[i] added to all of window i
    window_sum(x, kernel, stride, padding, out_size)                    ihfc  same                      wide  linear
    window_spread(g, kernel, stride, padding, size)                     ihfc  same                      steps linear

    # normalisation: (out, mean, variance or 1 / deviation), and (to x, w, b)
    normalize_channels(x, w, b, mean, var, training, eps)               hf    same,same,same            steps rules
    normalize_channels_backward(g, x, w, mean, var, training, eps)      hf    same,same,same            steps rules
    normalize_rows(x, w, b, n, eps)                                     hf    same,same,same            wide  rules
    normalize_rows_backward(g, x, w, mean, rstd, n, eps)                hf    same,same,same            steps rules
    normalize_groups(x, w, b, groups, eps)                              hf    same,same,same            wide  rules
    normalize_groups_backward(g, x, w, mean, rstd, groups, eps)         hf    same,same,same            wide  rules

    # x (N, C, ...) at class target (N, ...), and the transpose; their negative log likelihood, reduced
    class_gather(x, target)                                             hf    same                      wide  linear
    class_scatter(g, target, classes)                                   hf    same                      wide  linear
    nll(x, target, weight, reduction, ignore_index)                     hf    same                      steps rules
    nll_backward(g, target, weight, reduction, ignore_index, shape)     hf    same                      steps rules

    # softmax(q k^T scale + bias) v and the softmax; its gradients (to q, k, v)
    attention(q, k, v, bias, causal, scale)                             hf    same,same                 steps rules
    attention_backward(g, q, k, v, bias, probabilities, causal, scale)  hf    same,same,same            steps rules

    # an LSTM over a sequence: (out, h, c, reserve); its gradients (to x, w_ih, w_hh, b_ih, b_hh, h, c)
    lstm_sequence(x, w_ih, w_hh, b_ih, b_hh, h, c, reverse)             hf    same,same,same,same       wide  rules
    lstm_sequence_backward(to_out, to_h, to_c, x, w_ih, w_hh, b_ih, b_hh, h, c, out, reserve, reverse)
        hf  same,same,same,same,same,same,same  wide  rules

    # a line read at other points (taps: see resampling.py), and the transpose
    resample(x, dim, taps)                                              ihfc  same                      wide  linear
    resample_backward(g, dim, taps)                                     hfc   same                      wide  linear

    # the same along the last dimensions at once, where halves round after each summand: adaptive average pooling, its
    # gradient, and that of inputs taken as they are; scatter_reduce one after the other
    area_mean(x, taps)                                                  hf    same                      steps linear
    area_spread(g, taps)                                                hf    same                      steps linear
    points_back(g, taps)                                                hf    same                      steps linear
    scatter_in_order(x, dim, index, src, reduce, include_self)          hf    same                      steps rules
    """,
)

FAMILIES = {
    "pointwise": POINTWISE,
    "reduction": REDUCTION,
    "scan": SCAN,
    "along": ALONG,
    "view": VIEW,
    "move": MOVE,
    "contraction": CONTRACTION,
    "indexing": INDEXING,
    "placing": PLACING,
    "counting": COUNTING,
    "linalg": LINALG,
    "spectral": SPECTRAL,
    "factory": FACTORY,
    "layers": LAYERS,
}


def operands(name) -> int:
    """How many leading parameters of a pointwise word are operands: arrays or numbers."""
    return len(POINTWISE[name].arrays)
