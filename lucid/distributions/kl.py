"""The Kullback-Leibler divergence KL(p || q) = E_p[log p(x) - log q(x)], by formulas for pairs of classes.

Pairs of one family have formulas of their own. Of two families it is -entropy(p) - E_p[log q(x)], and the expectation
needs only a few moments of p: its mean, its variance, E[log x] or E[exp(-x / s)].
"""

import math
import warnings

from .._base.shape import broadcast_shapes
from ..autograd import grad
from ..nn import functional as F
from ..nn._ops import ops
from .binary import Bernoulli, ContinuousBernoulli, Geometric
from .categorical_family import Categorical, OneHotCategorical
from .composed import Independent, TransformedDistribution
from .counts import Binomial, Poisson
from .distribution import Distribution, ExponentialFamily
from .gamma_family import Beta, Dirichlet, Exponential, Gamma
from .multivariate import (
    LowRankMultivariateNormal,
    MultivariateNormal,
    _batch_lowrank_mahalanobis,
    _batch_mahalanobis,
    _log_diagonal,
)
from .real_line import Cauchy, Laplace, Normal, Uniform
from .transformed_family import Gumbel, HalfNormal, Pareto
from .utils import _sum_rightmost, euler_constant

__all__ = ["kl_divergence", "register_kl"]

_KL_REGISTRY = {}  # (class of p, class of q) -> function
_KL_MEMOIZE = {}  # the same for the exact classes that were asked for


def register_kl(type_p, type_q):
    """@register_kl(type_p, type_q): the function below computes kl_divergence(p, q) for these classes.

    Subclasses use it too; of several that fit, the one with the nearest classes, p's counting first.
    """
    for kind in (type_p, type_q):
        issubclass(kind, Distribution)  # TypeError for what is no class; as in torch, any class may be entered

    def decorator(fun):
        _KL_REGISTRY[type_p, type_q] = fun
        _KL_MEMOIZE.clear()
        return fun

    return decorator


def kl_divergence(p, q):
    """kl_divergence(p, q) -> Tensor: E_p[log p(x) - log q(x)], of the batch's shape; NotImplementedError for a pair
    without a formula."""
    pair = type(p), type(q)
    fun = _KL_MEMOIZE.get(pair)
    if fun is None:
        fun = _KL_MEMOIZE[pair] = _dispatch_kl(*pair)
    if fun is NotImplemented:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
        )
    return fun(p, q)


def _nearer(one, other):
    """Whether a pair of classes is at least as special as another, the first of them counting first."""
    for a, b in zip(one, other, strict=True):
        if not issubclass(a, b):
            return False
        if a is not b:
            return True
    return True


def _nearest(pairs):
    best, *rest = pairs
    for pair in rest:
        if pair != best and _nearer(pair, best):
            best = pair
    return best


def _dispatch_kl(type_p, type_q):
    """The function for two classes, or NotImplemented."""
    fits = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not fits:
        return NotImplemented
    by_p, by_q = _nearest(fits), _nearest([pair[::-1] for pair in fits])[::-1]
    if _KL_REGISTRY[by_p] is not _KL_REGISTRY[by_q]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
            f"Please register_kl({by_p[0].__name__}, {by_q[1].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return _KL_REGISTRY[by_p]


# ---- one family


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli(p, q):
    yes = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    no = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
    yes = yes.masked_fill(q.probs == 0, math.inf).masked_fill(p.probs == 0, 0)
    return yes + no.masked_fill(q.probs == 1, math.inf).masked_fill(p.probs == 1, 0)


@register_kl(Beta, Beta)
def _kl_beta(p, q):
    return _kl_dirichlet(p._dirichlet, q._dirichlet)


@register_kl(Binomial, Binomial)
def _kl_binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    kl = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return kl.masked_fill(p.total_count > q.total_count, math.inf)


@register_kl(Categorical, Categorical)
def _kl_categorical(p, q):
    terms = p.probs * (p.logits - q.logits)
    return terms.masked_fill(q.probs == 0, math.inf).masked_fill(p.probs == 0, 0).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _kl_one_hot(p, q):
    return _kl_categorical(p._categorical, q._categorical)


@register_kl(Cauchy, Cauchy)
def _kl_cauchy(p, q):
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet(p, q):
    a, b = p.concentration, q.concentration
    sum_a, sum_b = a.sum(-1), b.sum(-1)
    constants = sum_a.lgamma() - sum_b.lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return constants + ((a - b) * (a.digamma() - sum_a.digamma().unsqueeze(-1))).sum(-1)


@register_kl(Exponential, Exponential)
def _kl_exponential(p, q):
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_exponential_family(p, q):
    """F(q) - F(p) - <grad F(p), theta_q - theta_p>, the Bregman divergence of the log normalizers."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot"
            "                             be computed using Bregman divergences"
        )
    at_p, at_q = [t.detach().requires_grad_() for t in p._natural_params], q._natural_params
    normalizer = p._log_normalizer(*at_p)
    slopes = grad(normalizer.sum(), at_p, create_graph=True)
    result = q._log_normalizer(*at_q) - normalizer
    for a, b, slope in zip(at_p, at_q, slopes, strict=True):
        result = result - _sum_rightmost((b - a) * slope, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _kl_gamma(p, q):
    a, b = p.concentration, q.concentration
    of_rates = b * (p.rate / q.rate).log() + (q.rate - p.rate) * (a / p.rate)
    return of_rates + b.lgamma() - a.lgamma() + (a - b) * a.digamma()


@register_kl(Geometric, Geometric)
def _kl_geometric(p, q):
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Gumbel, Gumbel)
def _kl_gumbel(p, q):
    ratio, apart = p.scale / q.scale, (p.loc - q.loc) / q.scale
    tail = ((1 + ratio).lgamma() - apart).exp()
    return -ratio.log() + apart + ratio * euler_constant + tail - (1 + euler_constant)


@register_kl(Laplace, Laplace)
def _kl_laplace(p, q):
    ratio, apart = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + apart / q.scale + ratio * (-apart / p.scale).exp() - 1


@register_kl(Normal, Normal)
def _kl_normal(p, q):
    ratio, apart = (p.scale / q.scale).pow(2), ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + apart - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def _kl_half_normal(p, q):
    return _kl_normal(p.base_dist, q.base_dist)


@register_kl(Pareto, Pareto)
def _kl_pareto(p, q):
    ratio = q.alpha / p.alpha
    kl = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return kl.masked_fill(p.scale < q.scale, math.inf)


@register_kl(Poisson, Poisson)
def _kl_poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _kl_uniform(p, q):
    kl = ((q.high - q.low) / (p.high - p.low)).log()
    return kl.masked_fill((q.low > p.low) | (q.high < p.high), math.inf)


@register_kl(TransformedDistribution, TransformedDistribution)
def _kl_transformed(p, q):
    """Transforms that both share change nothing."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _kl_independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


# ---- normal vectors: (log det C_q / C_p + trace(C_q**-1 C_p) + distance of the means - n) / 2


def _same_events(p, q, what):
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {what} Normals with                          "
            "different event shapes cannot be computed"
        )


def _squares(matrix):
    """trace(M M')"""
    return matrix.pow(2).sum((-2, -1))


def _solved(q, matrix):
    """L**-1 M for q's factor L, over both batches."""
    L = q._unbroadcasted_scale_tril
    batch = broadcast_shapes(L.shape[:-2], matrix.shape[:-2])
    L, matrix = L.expand(batch + L.shape[-2:]), matrix.expand(batch + matrix.shape[-2:])
    return ops.linalg_solve_triangular(L, matrix, upper=False)


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariate(p, q):
    _same_events(p, q, "Multivariate")
    trace = _squares(_solved(q, p._unbroadcasted_scale_tril))
    distance = _batch_mahalanobis(q._unbroadcasted_scale_tril, q.loc - p.loc)
    log_ratio = _log_diagonal(q._unbroadcasted_scale_tril) - _log_diagonal(p._unbroadcasted_scale_tril)
    return log_ratio + 0.5 * (trace + distance - p.event_shape[0])


def _to_low_rank(p, q, log_det_p, roots):
    """Of p with covariance sum(R R') over `roots` to a low-rank q."""
    W, D = q._parts
    A = ops.linalg_solve_triangular(q._capacitance_tril, W.mT / D.unsqueeze(-2), upper=False)
    trace = sum(_squares(R * D.rsqrt().unsqueeze(-1)) - _squares(A.matmul(R)) for R in roots)
    distance = _batch_lowrank_mahalanobis(W, D, q.loc - p.loc, q._capacitance_tril)
    return 0.5 * (q._logdet() - log_det_p + trace + distance - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _kl_low_rank(p, q):
    _same_events(p, q, "Low Rank Multivariate")
    W, D = p._parts
    return _to_low_rank(p, q, p._logdet(), [W, D.sqrt().diag_embed()])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _kl_multivariate_low_rank(p, q):
    _same_events(p, q, "(Low Rank) Multivariate")
    L = p._unbroadcasted_scale_tril
    return _to_low_rank(p, q, 2 * _log_diagonal(L), [L])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _kl_low_rank_multivariate(p, q):
    _same_events(p, q, "(Low Rank) Multivariate")
    W, D = p._parts
    trace = _squares(_solved(q, W)) + _squares(_solved(q, D.sqrt().diag_embed()))
    distance = _batch_mahalanobis(q._unbroadcasted_scale_tril, q.loc - p.loc)
    log_ratio = 2 * _log_diagonal(q._unbroadcasted_scale_tril) - p._logdet()
    return 0.5 * (log_ratio + trace + distance - p.event_shape[0])


# ---- two families: -E_p[log q(x)] for each q, of p's moments


def _to_normal(p, q):
    second = p.variance + (p.mean - q.loc).pow(2)
    return 0.5 * (2 * math.pi * q.scale.pow(2)).log() + second / (2 * q.scale.pow(2))


def _to_exponential(p, q):
    return q.rate * p.mean - q.rate.log()


def _to_gamma(p, q):
    a = q.concentration
    return a.lgamma() - a * q.rate.log() - (a - 1) * _mean_log(p) + q.rate * p.mean


def _to_continuous_bernoulli(p, q):
    return -(p.mean * q.logits + (-q.probs).log1p() + q._cont_bern_log_norm())


def _to_uniform(p, q):
    return (q.high - q.low).log()


def _to_poisson(p, q):
    return q.rate - p.mean * q.rate.log()  # p is 0 or 1, so log x! = 0


def _to_gumbel(p, q):
    return q.scale.log() + (p.mean - q.loc) / q.scale + (q.loc / q.scale).exp() * _mean_exp(p, q.scale)


def _to_beta(p, q):
    a, b = q.concentration1, q.concentration0
    from_above = Uniform(1 - p.high, 1 - p.low, validate_args=False)
    return a.lgamma() + b.lgamma() - (a + b).lgamma() - (a - 1) * _mean_log(p) - (b - 1) * _mean_log(from_above)


def _to_pareto(p, q):
    return (q.alpha + 1) * _mean_log(p) - (q.alpha * q.scale.pow(q.alpha)).log()


def _to_laplace(p, q):
    z = (p.loc - q.loc) / p.scale
    away = math.sqrt(2 / math.pi) * p.scale * (-0.5 * z.pow(2)).exp() + (p.loc - q.loc) * ops.erf(math.sqrt(0.5) * z)
    return (2 * q.scale).log() + away / q.scale


def _mean_log(p):
    """E[log x]"""
    if isinstance(p, Beta):
        return p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    if isinstance(p, Exponential):
        return -p.rate.log() - euler_constant
    if isinstance(p, Pareto):
        return p.scale.log() + p.alpha.reciprocal()
    return (ops.xlogy(p.high, p.high) - ops.xlogy(p.low, p.low)) / (p.high - p.low) - 1  # Uniform


def _mean_exp(p, s):
    """E[exp(-x / s)]"""
    if isinstance(p, Exponential):
        return p.rate * s / (p.rate * s + 1)
    if isinstance(p, Gamma):
        return (1 + (p.rate * s).reciprocal()).pow(-p.concentration)
    if isinstance(p, Normal):
        return (-p.loc / s + 0.5 * (p.scale / s).pow(2)).exp()
    return ((-p.low / s).exp() - (-p.high / s).exp()) * s / (p.high - p.low)  # Uniform


def _never(p, q):
    return None


def _below_zero(p, q):
    return p.low < 0


# p, q, -E_p[log q(x)], and where q gives no probability to what p may be, or the moments do not exist: infinite there
_CROSS = [
    (Bernoulli, Poisson, _to_poisson, _never),
    (Beta, ContinuousBernoulli, _to_continuous_bernoulli, _never),
    (Beta, Exponential, _to_exponential, _never),
    (Beta, Gamma, _to_gamma, _never),
    (Beta, Normal, _to_normal, _never),
    (Beta, Uniform, _to_uniform, lambda p, q: (q.low > 0) | (q.high < 1)),
    (ContinuousBernoulli, Exponential, _to_exponential, _never),
    (ContinuousBernoulli, Normal, _to_normal, _never),
    (ContinuousBernoulli, ContinuousBernoulli, _to_continuous_bernoulli, _never),
    # infinite for Uniform(0, 1), too, and the other way round: torch's choice
    (ContinuousBernoulli, Uniform, _to_uniform, lambda p, q: (q.low >= 0) | (q.high <= 1)),
    (Exponential, Gamma, _to_gamma, _never),
    (Exponential, Gumbel, _to_gumbel, _never),
    (Exponential, Normal, _to_normal, _never),
    (Gamma, Exponential, _to_exponential, _never),
    (Gamma, Gumbel, _to_gumbel, _never),
    (Gamma, Normal, _to_normal, _never),
    (Gumbel, Normal, _to_normal, _never),
    (Laplace, Normal, _to_normal, _never),
    (Normal, Gumbel, _to_gumbel, _never),
    (Normal, Laplace, _to_laplace, _never),
    (Pareto, Exponential, _to_exponential, lambda p, q: p.alpha <= 1),
    (Pareto, Gamma, _to_gamma, lambda p, q: p.alpha <= 1),
    (Pareto, Normal, _to_normal, lambda p, q: p.alpha <= 2),
    (Uniform, Beta, _to_beta, lambda p, q: (p.high > 1) | (p.low < 0)),
    (Uniform, ContinuousBernoulli, _to_continuous_bernoulli, lambda p, q: (p.high >= 1) | (p.low <= 0)),
    (Uniform, Exponential, _to_exponential, _below_zero),
    (Uniform, Gamma, _to_gamma, _below_zero),
    (Uniform, Gumbel, _to_gumbel, _never),
    (Uniform, Normal, _to_normal, _never),
    (Uniform, Pareto, _to_pareto, lambda p, q: p.low < q.scale),
]


def _register_cross(type_p, type_q, cross_entropy, outside):
    def kl(p, q):
        result = cross_entropy(p, q) - p.entropy()
        where = outside(p, q)
        return result if where is None else result.masked_fill(where, math.inf)

    register_kl(type_p, type_q)(kl)


for _row in _CROSS:
    _register_cross(*_row)

# Some of what p may be is outside of q for all parameters. Beside the q's stands the parameter whose shape p has.
_INFINITE = {
    Beta: ("concentration1", [Pareto]),
    ContinuousBernoulli: ("probs", [Pareto]),
    Exponential: ("rate", [Beta, ContinuousBernoulli, Pareto, Uniform]),
    Gamma: ("concentration", [Beta, ContinuousBernoulli, Pareto, Uniform]),
    Gumbel: ("loc", [Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform]),
    Laplace: ("loc", [Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform]),
    Normal: ("loc", [Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform]),
    Pareto: ("scale", [Beta, ContinuousBernoulli, Uniform]),
    Poisson: ("rate", [Bernoulli, Binomial]),
}


def _register_infinite(type_p, parameter, types_q):
    def kl(p, q):
        return ops.full_like(getattr(p, parameter), math.inf)

    for type_q in types_q:
        register_kl(type_p, type_q)(kl)


for _p, _row in _INFINITE.items():
    _register_infinite(_p, *_row)
