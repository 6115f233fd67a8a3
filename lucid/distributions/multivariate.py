"""Normal vectors, and random matrices: covariances (Wishart) and correlations (LKJCholesky)."""

import math
import warnings

from .._base.dtype import finfo
from .._base.shape import Size, broadcast_shapes
from ..nn._ops import ops
from . import constraints
from .distribution import Distribution, ExponentialFamily
from .gamma_family import Beta, Chi2
from .utils import Number, _standard_normal, broadcast_all, lazy_property, like

__all__ = ["LKJCholesky", "LowRankMultivariateNormal", "MultivariateNormal", "Wishart"]

LOG_2_PI = math.log(2 * math.pi)


# ---- matrices and vectors, with any dimensions in front


def _batch_mv(bmat, bvec):
    """Matrices times vectors."""
    return ops.matmul(bmat, bvec.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(bL, bx):
    """x' (L L')**-1 x. The vectors that meet one matrix are its right-hand sides, so each is solved once."""
    batch = bL.dim() - 2
    outer = bx.shape[: bx.dim() - 1 - batch]
    columns = bx.reshape((outer.numel(), *bx.shape[len(outer) :])).movedim(0, -1)
    solved = ops.linalg_solve_triangular(bL, columns, upper=False)
    return solved.pow(2).sum(-2).movedim(-1, 0).reshape(bx.shape[:-1])


def _precision_to_scale_tril(P):
    """The Cholesky factor of P**-1: flipping P both ways turns its lower factor into an upper one of the inverse."""
    flipped = ops.linalg_cholesky(P.flip((-2, -1))).flip((-2, -1)).transpose(-2, -1)
    return ops.linalg_solve_triangular(flipped, ops.eye(P.shape[-1], **like(P)), upper=False)


def _log_diagonal(L):
    """The sum of the logarithms of a triangular matrix's diagonal: half the log determinant of L L'."""
    return L.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def _one_matrix(error, *matrices):
    """(name, matrix) of the one that is not None, else that kind of error."""
    names = ("covariance_matrix", "precision_matrix", "scale_tril")
    found = [(name, matrix) for name, matrix in zip(names, matrices, strict=True) if matrix is not None]
    if len(found) != 1:
        raise error("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
    return found[0]


class _ByCovariance(Distribution):
    """Has one of three matrices, of which the others follow: L (`scale_tril`), L L', or (L L')**-1."""

    def _factor(self, name, matrix):
        if name == "covariance_matrix":
            matrix = ops.linalg_cholesky(matrix)
        elif name == "precision_matrix":
            matrix = _precision_to_scale_tril(matrix)
        self._unbroadcasted_scale_tril = matrix

    def _of_batch(self, matrix):
        n = self._event_shape[-1]
        return matrix.expand(self._batch_shape + (n, n))

    @lazy_property
    def scale_tril(self):
        """L, lower triangular with a positive diagonal."""
        return self._of_batch(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        """L L'"""
        L = self._unbroadcasted_scale_tril
        return self._of_batch(L @ L.mT)

    @lazy_property
    def precision_matrix(self):
        """(L L')**-1"""
        return self._of_batch(ops.cholesky_inverse(self._unbroadcasted_scale_tril))


class MultivariateNormal(_ByCovariance):
    """MultivariateNormal(loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None)

    Normal vectors of n numbers: exp(-(x - loc)' C**-1 (x - loc) / 2) / sqrt(det(2 pi C)). loc (..., n) and one of the
    three (..., n, n): C, its inverse, or its Cholesky factor, which is the cheapest; batches broadcast.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = _one_matrix(ValueError, covariance_matrix, precision_matrix, scale_tril)
        if matrix.dim() < 2:
            what = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{what} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        self.loc = loc.expand(batch_shape + (-1,))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._factor(name, matrix)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape=()):
        eps = _standard_normal(self._extended_shape(sample_shape), **like(self.loc))
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, eps)

    def log_prob(self, value):
        self._check(value)
        L = self._unbroadcasted_scale_tril
        distance = _batch_mahalanobis(L, value - self.loc)
        return -0.5 * (self._event_shape[0] * LOG_2_PI + distance) - _log_diagonal(L)

    def entropy(self):
        entropy = 0.5 * self._event_shape[0] * (1.0 + LOG_2_PI) + _log_diagonal(self._unbroadcasted_scale_tril)
        return entropy.expand(self._batch_shape)


# ---- a diagonal and a few directions


def _add_identity(K):
    return K + ops.eye(K.shape[-1], **like(K))


def _batch_capacitance_tril(W, D):
    """The Cholesky factor of I + W' D**-1 W, by which W W' + D is inverted (Woodbury)."""
    return ops.linalg_cholesky(_add_identity(ops.matmul(W.mT / D.unsqueeze(-2), W)))


def _batch_lowrank_logdet(W, D, capacitance_tril):
    """log det(W W' + D), by the lemma on determinants."""
    return 2 * _log_diagonal(capacitance_tril) + D.log().sum(-1)


def _batch_lowrank_mahalanobis(W, D, x, capacitance_tril):
    """x' (W W' + D)**-1 x"""
    inner = _batch_mv(W.mT / D.unsqueeze(-2), x)
    return (x.pow(2) / D).sum(-1) - _batch_mahalanobis(capacitance_tril, inner)


class LowRankMultivariateNormal(Distribution):
    """LowRankMultivariateNormal(loc, cov_factor, cov_diag, validate_args=None)

    MultivariateNormal with the covariance W W' + D of a factor W (..., n, m), m small, and a diagonal D (..., n) > 0;
    loc (..., n). No (n, n) matrix is factored.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if cov_diag.shape[-1:] != event:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
        try:
            batch = broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self.loc, self.cov_diag = loc.expand(batch + event), cov_diag.expand(batch + event)
        self.cov_factor = cov_factor.expand(batch + cov_factor.shape[-2:])
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)
        super().__init__(Size(batch), event, validate_args=validate_args)

    @property
    def _parts(self):
        return self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag

    def _of_batch(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @lazy_property
    def variance(self):
        W, D = self._parts
        return (W.pow(2).sum(-1) + D).expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        """The Cholesky factor of the covariance."""
        W, D = self._parts
        root = D.sqrt().unsqueeze(-1)
        K = ops.matmul(W / root, (W / root).mT)
        return self._of_batch(root * ops.linalg_cholesky(_add_identity(K)))

    @lazy_property
    def covariance_matrix(self):
        """W W' + D"""
        W, D = self._parts
        return self._of_batch(ops.matmul(W, W.mT) + ops.diag_embed(D))

    @lazy_property
    def precision_matrix(self):
        """(W W' + D)**-1, by Woodbury's formula."""
        W, D = self._parts
        A = ops.linalg_solve_triangular(self._capacitance_tril, W.mT / D.unsqueeze(-2), upper=False)
        return self._of_batch(ops.diag_embed(D.reciprocal()) - A.mT @ A)

    def rsample(self, sample_shape=()):
        W, D = self._parts
        shape = self._extended_shape(sample_shape)
        of_factor = _standard_normal(shape[:-1] + W.shape[-1:], **like(self.loc))
        of_diag = _standard_normal(shape, **like(self.loc))
        return self.loc + _batch_mv(W, of_factor) + D.sqrt() * of_diag

    def _logdet(self):
        return _batch_lowrank_logdet(*self._parts, self._capacitance_tril)

    def log_prob(self, value):
        self._check(value)
        distance = _batch_lowrank_mahalanobis(*self._parts, value - self.loc, self._capacitance_tril)
        return -0.5 * (self._event_shape[0] * LOG_2_PI + self._logdet() + distance)

    def entropy(self):
        entropy = 0.5 * (self._event_shape[0] * (1.0 + LOG_2_PI) + self._logdet())
        return entropy.expand(self._batch_shape)


# ---- matrices


def _mvdigamma(x, p):
    """The derivative of the logarithm of the gamma function of p dimensions."""
    if not (x > (p - 1) / 2).all():
        raise AssertionError("Wrong domain for multivariate digamma function.")
    return (x.unsqueeze(-1) - ops.arange(p, **like(x)) / 2).digamma().sum(-1)


class Wishart(_ByCovariance, ExponentialFamily):
    """Wishart(df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None)

    The sum of df products x x' of normal vectors x of p numbers. df > p - 1, of shape (...); one of the three matrices
    (..., p, p) as in MultivariateNormal. Drawn by Bartlett's decomposition (Odell and Feiveson, 1966).
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        name, matrix = _one_matrix(AssertionError, covariance_matrix, precision_matrix, scale_tril)
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, Number):
            batch, self.df = Size(matrix.shape[:-2]), ops.tensor(df, **like(matrix))
        else:
            batch = Size(broadcast_shapes(matrix.shape[:-2], df.shape))
            self.df = df.expand(batch)
        p = matrix.shape[-1]
        if (self.df <= p - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {p - 1}.")
        setattr(self, name, matrix.expand(batch + (-1, -1)))
        if (self.df < p).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        super().__init__(batch, matrix.shape[-2:], validate_args=validate_args)
        self._factor(name, matrix)
        self._dist_chi2 = Chi2(self.df.unsqueeze(-1) - ops.arange(p, **like(matrix)))

    @property
    def arg_constraints(self):
        matrices = {
            name: MultivariateNormal.arg_constraints[name] for name in ("covariance_matrix", "precision_matrix")
        }
        df = constraints.greater_than(self.event_shape[-1] - 1)
        return {**matrices, "scale_tril": constraints.lower_cholesky, "df": df}

    @property
    def _df_matrix(self):
        return self.df.expand(self._batch_shape)[..., None, None]

    @property
    def mean(self):
        return self._df_matrix * self.covariance_matrix

    @property
    def mode(self):
        """NaN for df up to p + 1."""
        factor = self._df_matrix - self._event_shape[-1] - 1
        return factor.masked_fill(factor <= 0, math.nan) * self.covariance_matrix

    @property
    def variance(self):
        V = self.covariance_matrix
        d = V.diagonal(dim1=-2, dim2=-1)
        return self._df_matrix * (V.pow(2) + d.unsqueeze(-1) * d.unsqueeze(-2))

    def _bartlett_sampling(self, sample_shape=()):
        """L A A' L': chi numbers on A's diagonal, normal ones below it."""
        p = self._event_shape[-1]
        A = self._dist_chi2.rsample(sample_shape).sqrt()
        A = A.clamp(min=finfo(A.dtype).eps).diag_embed(dim1=-2, dim2=-1)
        i, j = ops.tril_indices(p, p, offset=-1)
        A[..., i, j] = ops.randn(Size(sample_shape) + self._batch_shape + (p * (p - 1) // 2,), **like(A))
        root = self._unbroadcasted_scale_tril @ A
        return root @ root.mT

    def _is_definite(self, sample):
        """Which of the samples have a positive definite matrix in their batch."""
        good = self.support.check(sample)
        return good.amax([-1 - i for i in range(len(self._batch_shape))]) if self._batch_shape else good

    def rsample(self, sample_shape=(), max_try_correction=None):
        """rsample(sample_shape=(), max_try_correction=10) -> Tensor of matrices.

        torch draws a second time in place of the matrices that are *not* singular, and warns of it; so the second
        numbers are the sample, here as there.
        """
        sample = self._bartlett_sampling(Size(sample_shape))
        again = self._is_definite(sample)
        if not again.any():
            return sample
        warnings.warn("Singular sample detected.", stacklevel=2)
        for _ in range(10 if max_try_correction is None else max_try_correction):
            fresh = self._bartlett_sampling(again[again].shape)
            sample[again] = fresh
            singular = ~self.support.check(fresh)
            if self._batch_shape:
                singular = singular.amax([-1 - i for i in range(len(self._batch_shape))])
            again[again.clone()] = singular
            if not again.any():
                break
        return sample

    def _log_scale(self):
        """log det(2 L L') / 2"""
        return self._event_shape[-1] * math.log(2) / 2 + _log_diagonal(self._unbroadcasted_scale_tril)

    def log_prob(self, value):
        self._check(value)
        df, p = self.df, self._event_shape[-1]
        trace = ops.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(-1)
        log_det = ops.linalg_slogdet(value)[1]
        return -df * self._log_scale() - ops.mvlgamma(df / 2, p) + (df - p - 1) / 2 * log_det - trace / 2

    def entropy(self):
        df, p = self.df, self._event_shape[-1]
        slope = (df - p - 1) / 2 * _mvdigamma(df / 2, p)
        return (p + 1) * self._log_scale() + ops.mvlgamma(df / 2, p) - slope + df * p / 2

    @property
    def _natural_params(self):
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x, y):
        p = self._event_shape[-1]
        y = y + (p + 1) / 2
        return y * (p * math.log(2) - ops.linalg_slogdet(-2 * x)[1]) + ops.mvlgamma(y, p)


class LKJCholesky(Distribution):
    """LKJCholesky(dim, concentration=1.0, validate_args=None): Cholesky factors L of (dim, dim) correlation matrices.

    det(L L')**(concentration - 1) in measure: 1 for all alike, more for weak correlations, less for strong ones. Drawn
    row by row, an angle and a length (Lewandowski, Kurowicka and Joe, 2009).
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        marginal = self.concentration + 0.5 * (dim - 2)
        rows = ops.arange(dim - 1, **like(self.concentration))
        rows = ops.cat([rows.new_zeros((1,)), rows])
        self._beta = Beta(
            rows + 0.5, marginal.unsqueeze(-1) - 0.5 * rows
        )  # squared lengths of the rows off the diagonal
        super().__init__(self.concentration.shape, Size([dim, dim]), validate_args)

    def sample(self, sample_shape=()):
        y = self._beta.sample(sample_shape).unsqueeze(-1)
        u = ops.randn(self._extended_shape(sample_shape), **like(y)).tril(-1)
        u = u / u.norm(dim=-1, keepdim=True)
        u[..., 0, :].fill_(0.0)  # the first row has nothing left of the diagonal
        w = y.sqrt() * u
        rest = (1 - (w**2).sum(-1)).clamp(min=finfo(w.dtype).tiny).sqrt()
        return w + rest.diag_embed()

    def log_prob(self, value):
        self._check(value)
        c, n = self.concentration, self.dim
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = 2 * (c - 1).unsqueeze(-1) + n - ops.arange(2, n + 1, device=c.device)
        alpha = c + 0.5 * (n - 1)
        constant = 0.5 * (n - 1) * math.log(math.pi) + ops.mvlgamma(alpha - 0.5, n - 1) - alpha.lgamma() * (n - 1)
        return (order * diagonal.log()).sum(-1) - constant
