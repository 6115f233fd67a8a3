"""Ready parametrizations: orthogonal, spectral_norm, weight_norm."""

import enum

from ..._base.dtype import finfo
from ..._tensor.tensor import Tensor, contiguous_format
from .. import functional as F
from .._ops import no_recording, ops
from ..modules.module import Module
from . import parametrize
from .spectral_norm import as_matrix, output_dim

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _is_orthogonal(q):
    n, k = q.size(-2), q.size(-1)
    eye = ops.eye(k, dtype=q.dtype, device=q.device)
    return ops.allclose(q.mH @ q, eye, atol=10.0 * n * finfo(q.dtype).eps)


def _make_orthogonal(a):
    """The Q of a's QR decomposition whose R has a positive diagonal."""
    x, tau = ops.geqrf(a)
    q = ops.linalg_householder_product(x, tau)
    return q * x.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _OrthMaps(enum.Enum):
    matrix_exp = enum.auto()
    cayley = enum.auto()
    householder = enum.auto()


class _Orthogonal(Module):
    """X -> base @ map(X): a matrix with orthonormal columns (rows, where it is wide)."""

    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map is _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x):
        n, k = x.size(-2), x.size(-1)
        wide = n < k
        if wide:
            x, n, k = x.mT, k, n
        if self.orthogonal_map is _OrthMaps.householder:
            a = x.tril(diagonal=-1)
            tau = 2.0 / (1.0 + (a * a).sum(dim=-2))
            q = ops.linalg_householder_product(a, tau)
            q = q * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)  # the diagonal keeps signs only
        else:
            q = self._from_skew(x.tril(), n, k)
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if wide else q

    def _from_skew(self, x, n, k):
        """The first k columns of exp or Cayley of the skew matrix whose lower triangle is x."""
        if n != k:
            x = ops.cat([x, x.new_zeros(n, n - k).expand(*x.shape[:-2], -1, -1)], dim=-1)
        a = x - x.mH
        if self.orthogonal_map is _OrthMaps.matrix_exp:
            q = ops.matrix_exp(a)
        else:
            eye = ops.eye(n, dtype=a.dtype, device=a.device)
            q = ops.linalg_solve(ops.add(eye, a, alpha=-0.5), ops.add(eye, a, alpha=0.5))
        return q[..., :k] if n != k else q

    def right_inverse(self, q):
        """X for an orthogonal q; another matrix is made orthogonal first (with a base only)."""
        if q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {q.shape}."
            )
        given, wide = q, q.size(-2) < q.size(-1)
        if wide:
            q = q.mT
        n, k = q.size(-2), q.size(-1)
        with no_recording():
            if not hasattr(self, "base"):
                if self.orthogonal_map is not _OrthMaps.householder:
                    raise NotImplementedError(
                        "It is not possible to assign to the matrix exponential or the Cayley "
                        "parametrizations when use_trivialization=False."
                    )
                a, tau = ops.geqrf(q)
                a.diagonal(dim1=-2, dim2=-1).sign_()
                a.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
                return a.mT if wide else a
            if n != k:
                rest = ops.randn(*q.size()[:-2], n, n - k, dtype=q.dtype, device=q.device)
                q = _make_orthogonal(ops.cat([q, rest], dim=-1))
            else:
                q = q.clone() if _is_orthogonal(q) else _make_orthogonal(q)
            self.base = q
            start = ops.zeros_like(given)  # map(-1) is the identity
            start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
            return start


def _tensor_of(module, name):
    t = getattr(module, name, None)
    if not isinstance(t, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return t


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    """orthogonal(module, name="weight", orthogonal_map=None) -> module whose weight has orthonormal columns, or rows.

    orthogonal_map: "matrix_exp", "cayley" or "householder" (default: matrix_exp for square or complex ones).
    """
    weight = _tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    kind = getattr(_OrthMaps, orthogonal_map, None)
    if kind is None:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, kind, use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, made, unsafe=True)


class _WeightNorm(Module):
    """(length, direction) -> weight."""

    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return ops._weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        return ops.norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module, name="weight", dim=0):
    """weight_norm(module, name="weight", dim=0) -> module whose weight is g * v / ||v||: original0 is g, original1 is
    v.

    Reads state_dicts of the older utils.weight_norm too.
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        old = [f"{prefix}{name}_{part}" for part in "gv"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(rename)
    return module


class _SpectralNorm(Module):
    """weight -> weight / sigma; the vectors of the power iteration are the buffers _u and _v."""

    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim, self.eps = dim if dim >= 0 else dim + ndim, eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            u, v = (matrix.new_empty(n).normal_(0, 1) for n in matrix.size())
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight):
        return as_matrix(weight, self.dim)

    def _power_method(self, matrix, n_power_iterations):
        with no_recording():
            for _ in range(n_power_iterations):
                self._u.copy_(F.normalize(ops.mv(matrix, self._v), dim=0, eps=self.eps))
                self._v.copy_(F.normalize(ops.mv(matrix.mH, self._u), dim=0, eps=self.eps))

    def forward(self, weight):
        if weight.ndim == 1:  # the only singular value is the length
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = (t.clone(memory_format=contiguous_format) for t in (self._u, self._v))
        return weight / ops.vdot(u, ops.mv(matrix, v))

    def right_inverse(self, value):
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """spectral_norm(module, name="weight") -> module whose weight is divided by its largest singular value (an
    estimate, made
    better by n_power_iterations steps at each access in training)."""
    weight = _tensor_of(module, name)
    made = _SpectralNorm(weight, n_power_iterations, output_dim(module) if dim is None else dim, eps)
    return parametrize.register_parametrization(module, name, made)
