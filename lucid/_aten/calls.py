"""Ops whose ATen call does not follow from their names: what it is called, and what its arguments are.

An entry is text: the overload, then `argument=parameter` for arguments that the op's parameters of the same name do
not fill, `argument=#value` for constants, and `->0,1` for the results of ATen's that are the op's. It is read both
ways: a call of the op gives the ATen call, and the ATen op computes by the op. Calls that need more are functions.
"""

import ast

from .._backend.dispatch import Call

REDUCTIONS = ("none", "mean", "sum")
# argument of a schema -> names that ops of lucid's have for it
RENAMED = {
    "other": ("exponent", "number"),
    "size": ("shape",),
    "mat2": ("other", "mat"),
    "dims": ("dim",),
    "values": ("value",),
    "ord": ("p",),
    "self": ("input", "x", "A"),
    "input": ("A",),
    "weight": ("w",),
    "x": ("input",),
}


class Spelling:
    """An entry of CALLS, read."""

    def __init__(self, text):
        self.text, self.results = text, None
        if "->" in text:
            text, _, kept = text.partition("->")
            self.results = tuple(map(int, kept.split(",")))
        self.overload, *pairs = text.split()
        self.name, _, self.which = self.overload.partition(".")
        self.renamed, self.constants = {}, {}
        for pair in pairs:
            argument, _, value = pair.partition("=")
            if value.startswith("#"):
                self.constants[argument] = ast.literal_eval(value[1:])
            else:
                self.renamed[argument] = value

    def keep(self, got):
        """The op's results among ATen's."""
        return got[self.results[0]] if len(self.results) == 1 else tuple([got[i] for i in self.results])


# class name of an op -> its Spelling, or a function of its values by name and of the form ("_": in place)
CALLS: dict = {}


def call_of(label):
    """A decorator: f(values, form) -> Call for the op of that class name."""

    def put(f):
        CALLS[label] = f
        return f

    return put


_TEXTS = """
cast: _to_copy
transfer: _to_copy
copy_from: copy
view_as_shape: view
squeeze_all: squeeze
squeeze_dim: squeeze.dim
squeeze_dims: squeeze.dims
drop_dim: squeeze.dim
scatter_src: scatter.src
scatter_value: scatter.value
scatter_with: scatter.reduce
scatter_add_op: scatter_add
scatter_reduce_op: scatter_reduce.two
index_fill_number: index_fill.int_Scalar
index_fill_tensor: index_fill.int_Tensor
repeat_places: repeat_interleave.Tensor
real_view: view_as_real
max_whole: max
min_whole: min
max_dim: max.dim
min_dim: min.dim
aminmax_of: aminmax
sort_plain: sort
sort_stable: sort.stable stable=#True
put_at: put
argwhere: nonzero
masked_scatter_from: masked_scatter
isin_of: isin.Tensor_Tensor test_elements=pool
inverse: linalg_inv_ex A=input
cholesky_factor: linalg_cholesky_ex self=A
cholesky_solution: cholesky_solve self=B input2=L
cholesky_inversion: cholesky_inverse self=L
svd_factors: _linalg_svd full_matrices=full
eig_pairs: linalg_eig self=A
reflectors: linalg_householder_product input=A
ormqr_op: ormqr self=A input2=tau input3=other
qr_raw: geqrf self=A
ldl_factors: linalg_ldl_factor_ex self=A
ldl_solution: linalg_ldl_solve
masked_and_scaled: native_dropout_backward grad_output=input
determinant: _linalg_det ->0
solution: _linalg_solve_ex ->0,3
sign_logdet: _linalg_slogdet ->0,1
lu_factors: linalg_lu_factor_ex
vector_norm: linalg_vector_norm ord=p
norm_along: norm.ScalarOpt_dim
dist_of: dist
avg_pool2d_op: avg_pool2d
avg_pool3d_op: avg_pool3d
plus_number: add.Scalar other=number
minus_number: sub.Scalar other=number
times_number: mul.Scalar other=number
over_number: div.Scalar other=number
softmax_op: _softmax half_to_float=#False
log_softmax_op: _log_softmax half_to_float=#False
prelu_kernel: _prelu_kernel
logsigmoid: log_sigmoid_forward ->0
nll_loss_op: nll_loss_forward ->0
nll_loss2d_op: nll_loss2d_forward ->0
multilabel_margin_loss_op: multilabel_margin_loss_forward ->0
layer_norm_op: native_layer_norm
embedding_op: embedding
split_every: split.Tensor
unsafe_split_every: unsafe_split.Tensor
var_dim: var.correction
std_dim: std.correction
var_mean_dim: var_mean.correction
std_mean_dim: std_mean.correction
median_whole: median
median_along: median.dim
nanmedian_whole: nanmedian
nanmedian_along: nanmedian.dim
squeeze_copy_0: squeeze_copy
squeeze_copy_1: squeeze_copy.dim
squeeze_copy_2: squeeze_copy.dims
bce_with_logits_op: binary_cross_entropy_with_logits
blocks: block_diag
quarter_turns: rot90 k=turns
exponential: linalg_matrix_exp
triangular_solution: linalg_solve_triangular self=A unitriangular=unit
"""
CALLS |= {label: Spelling(text) for label, _, text in (line.partition(": ") for line in _TEXTS.strip().splitlines())}


__all__ = ["CALLS", "REDUCTIONS", "RENAMED", "Call", "Spelling", "call_of"]
