"""The dictionary: every word that op kernels and gradient rules may say, and the family it belongs to.

A vocabulary answers these words: `numpy.py` with numpy arrays, `mlx.py` with mlx arrays, `meta.py` with shapes, the
tensors of `_backend.core.TensorWords` with ops, `_modes.vmap` with batches, `_modes.jvp` with dual numbers and
`_codegen.c` with text. Dimensions given to a word are ints (or tuples of ints) that were already checked; most words
take non-negative ones, and all take their arguments by position, in the order written here.
"""

# family -> words. The family tells an interpreter how a word treats dimensions.
POINTWISE = {
    # name: parameters that are arrays (all others are plain options)
    **dict.fromkeys(
        """neg abs exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal square sin cos tan asin acos
        atan sinh cosh tanh asinh acosh atanh erf erfc erfinv lgamma digamma floor ceil round trunc frac sign sgn
        sigmoid relu isnan isinf isfinite isposinf isneginf logical_not bitwise_not signbit conj real imag angle sinc
        i0 i1 i0e i1e ndtri log_ndtr erfcx bessel_j0 bessel_j1 bessel_y0 bessel_y1 modified_bessel_k0
        modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0 airy_ai""".split(),
        1,
    ),
    **dict.fromkeys(
        """add sub mul div pow maximum minimum fmax fmin atan2 fmod remainder floor_divide trunc_divide
        hypot copysign nextafter ldexp logaddexp logaddexp2 eq ne lt le gt ge logical_and logical_or logical_xor
        bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift gcd lcm heaviside complex polar
        xlogy xlog1py zeta igamma igammac""".split(),
        2,
    ),
    **dict.fromkeys("where lerp addcmul".split(), 3),
    "polygamma": 2,  # polygamma(n, x): n is a Python int
    "orthogonal_polynomial": 2,  # orthogonal_polynomial(x, n, kind)
}
# word(x, dim, keepdim): dim is a tuple; var_dim, std_dim(..., correction) and vector_norm(..., p) take one more
REDUCTION = tuple("sum prod mean amax amin all any logsumexp count_nonzero nansum var_dim std_dim vector_norm".split())
# word(x, dim): the shape stays
SCAN = tuple("cumsum cumprod logcumsumexp".split())
# word(x, dim, ...) along one dimension, possibly with indices
ALONG = tuple("argmax argmin max_dim min_dim cummax cummin sort topk kthvalue median_dim mode_dim".split())
# same memory where the library has memory to share
VIEW = tuple(
    """reshape permute expand slice select squeeze unsqueeze diagonal unfold as_strided view_dtype view_as_real
    view_as_complex""".split()
)
# a new array with the elements of old ones
MOVE = tuple("cat stack flip roll tril triu pad repeat copy contiguous".split())
CONTRACTION = tuple("matmul".split())
INDEXING = tuple(
    """index index_put gather scatter scatter_add scatter_reduce index_select index_add masked_fill nonzero
    searchsorted""".split()
)
# the transposes of reading: zeros of a shape with g where it was read from; and copies of x with src where a view is
PLACING = tuple(
    """index_backward select_backward slice_backward diagonal_backward unfold_backward as_strided_backward
    select_scatter slice_scatter diagonal_scatter as_strided_scatter""".split()
)
# results whose shape depends on the values, or counts; no gradients
COUNTING = tuple("unique unique_runs bincount histc isin repeat_places".split())
# linear algebra: matrices in the last two dimensions; `info` results are LAPACK's
LINALG = tuple(
    """inverse solution cholesky_factor qr_factors svd_factors eigh_pairs eig_pairs triangular_solution
    determinant sign_logdet cofactor lu_factors permutation exponential reflectors qr_raw""".split()
)
FACTORY = tuple("zeros ones full arange eye linspace cast asarray scalar".split())

# Kernels of neural network layers: name -> (how many leading parameters are arrays, what the call looks like).
# Tuples hold one number per spatial dimension. A vocabulary without a kernel of its own for one of these may spell it
# with the other words, as `_func` does for Tensors.
LAYERS = {
    # mantissa and exponent of floating point numbers
    "frexp": (1, "frexp(x)"),
    # convolution, linear in both arrays; conv_input is also the transposed convolution
    "conv": (2, "conv(x, w, stride, padding, dilation, groups)"),
    "conv_input": (2, "conv_input(g, w, size, stride, padding, dilation, groups)"),
    "conv_weight": (2, "conv_weight(g, x, kernel, stride, padding, dilation, groups)"),
    # every window of x (N, C, *size) as a column (N, C * taps, windows), and the transpose: columns added back
    "im2col": (1, "im2col(x, kernel, dilation, padding, stride)"),
    "col2im": (1, "col2im(columns, size, kernel, dilation, padding, stride)"),
    # windows over the last dimensions: the greatest of each, where it was (flat, over those dimensions), its gradient
    "max_pool": (1, "max_pool(x, kernel, stride, padding, dilation, out_size)"),
    "max_pool_indices": (2, "max_pool_indices(x, out, kernel, stride, padding, dilation)"),
    "max_pool_backward": (3, "max_pool_backward(g, x, out, kernel, stride, padding, dilation)"),
    "adaptive_max_indices": (1, "adaptive_max_indices(x, out_size)"),
    # the sum of each window, and its transpose: zeros of `size` with g[i] added to all of window i
    "window_sum": (1, "window_sum(x, kernel, stride, padding, out_size)"),
    "window_spread": (1, "window_spread(g, kernel, stride, padding, size)"),
    # normalisation; spelled in words in spelled.py
    "normalize_channels": (5, "normalize_channels(x, w, b, mean, var, training, eps) -> (out, mean, var)"),
    "normalize_channels_backward": (
        5,
        "normalize_channels_backward(g, x, w, mean, var, training, eps) -> (to x, w, b)",
    ),
    "normalize_rows": (3, "normalize_rows(x, w, b, n, eps) -> (out, mean, rstd)"),
    "normalize_rows_backward": (5, "normalize_rows_backward(g, x, w, mean, rstd, n, eps) -> (to x, w, b)"),
    "normalize_groups": (3, "normalize_groups(x, w, b, groups, eps) -> (out, mean, rstd)"),
    "normalize_groups_backward": (5, "normalize_groups_backward(g, x, w, mean, rstd, groups, eps) -> (to x, w, b)"),
    # x (N, C, ...) at class target (N, ...), and the transpose; spelled in words too
    "class_gather": (2, "class_gather(x, target)"),
    "class_scatter": (2, "class_scatter(g, target, classes)"),
    # their negative log likelihood, reduced, leaving out ignore_index
    "nll": (3, "nll(x, target, weight, reduction, ignore_index)"),
    "nll_backward": (3, "nll_backward(g, target, weight, reduction, ignore_index, shape)"),
    # softmax(q k^T scale + mask) v; spelled in words too
    "attention": (4, "attention(q, k, v, mask, causal, scale) -> (out, probabilities)"),
    "attention_backward": (6, "attention_backward(g, q, k, v, mask, p, causal, scale) -> (to q, k, v)"),
    # an LSTM over a sequence; spelled in words in spelled_rnn.py
    "lstm_sequence": (7, "lstm_sequence(x, w_ih, w_hh, b_ih, b_hh, h, c, reverse) -> (out, h, c, reserve)"),
    "lstm_sequence_backward": (
        12,
        "lstm_sequence_backward(to_out, to_h, to_c, x, w_ih, w_hh, b_ih, b_hh, h, c, out, "
        "reserve, reverse) -> (to x, w_ih, w_hh, b_ih, b_hh, h, c)",
    ),
    # a line read at other points (taps: see sampling.py), and the transpose
    "resample": (1, "resample(x, dim, taps)"),
    "resample_backward": (1, "resample_backward(g, dim, taps)"),
}


def all_words() -> list:
    """Every word of the dictionary that is about arrays in general (heavy layer kernels are in `LAYERS`)."""
    return [
        *POINTWISE,
        *REDUCTION,
        *SCAN,
        *ALONG,
        *VIEW,
        *MOVE,
        *CONTRACTION,
        *INDEXING,
        *PLACING,
        *COUNTING,
        *LINALG,
        *FACTORY,
    ]
