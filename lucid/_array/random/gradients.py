"""How gamma and Dirichlet numbers move with their parameters: the implicit gradients that make them reparameterized.

Source: Jankowiak and Obermeyer, "Pathwise derivatives beyond the reparameterization trick" (2018), with the expansions
and the rational approximations (their coefficients are facts of the fit) that torch uses. All in float64.
"""

import numpy as np

from ..._base.dtype import float64
from ..numpy.table import table


def _digamma(x):
    return table(float64).digamma(x)


def _by_case(arrays, cases):
    """Element by element, the first case (condition, function) that holds; each function sees only its elements."""
    flat = [np.ravel(a).astype(np.float64) for a in np.broadcast_arrays(*arrays)]
    result, open_ = np.empty(flat[0].size), np.ones(flat[0].size, bool)
    with np.errstate(all="ignore"):
        for condition, function in cases:
            here = open_ & condition(*flat)
            if here.any():
                result[here] = function(*[a[here] for a in flat])
            open_ &= ~here
    return result.reshape(np.broadcast_shapes(*[np.shape(a) for a in arrays]))


def _zero_if_nan(x):
    return np.where(np.isnan(x), 0.0, x)


# ---- gamma


def _gamma_small(alpha, x):
    """Taylor series of the distribution function around 0."""
    numerator, denominator = np.ones_like(x), alpha.copy()
    first, second = 1 / denominator, 1 / (denominator * denominator)
    for i in range(1, 6):
        numerator = numerator * (-x / i)
        denominator = denominator + 1
        first = first + numerator / denominator
        second = second + numerator / (denominator * denominator)
    power = x**alpha
    by_alpha = (np.log(x) - _digamma(alpha)) * (power * first) - power * second
    return _zero_if_nan(-by_alpha / (x ** (alpha - 1) * np.exp(-x)))


def _gamma_near_mean(alpha, x):
    """Rice's saddle point expansion, where its singularity at x = alpha has been expanded away."""
    first = 1 + 24 * alpha * (1 + 12 * alpha)
    second = 1440 * alpha**2 + 6 * x * (53 - 120 * x) - 65 * x * x / alpha + alpha * (107 + 3600 * x)
    return first * second / (1244160 * alpha**4)


def _gamma_large(alpha, x):
    """Rice's saddle point expansion."""
    root, log = np.sqrt(8 * alpha), np.log(x / alpha)
    second, third = root / (alpha - x), (x - alpha - alpha * log) ** -1.5
    both = np.where(x < alpha, second - third, second + third)
    inner = log * both - np.sqrt(2 / alpha) * (alpha + x) / (alpha - x) ** 2
    stirling = 1 + 1 / (12 * alpha) * (1 + 1 / (24 * alpha))
    return -stirling * x * inner / root


_GAMMA = np.array(
    [
        [0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1, 0.32668115, 0.10406089, 0.0014179084],
        [0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915, -0.00058392623],
        [
            0.040121004,
            -0.0065914022,
            -0.0026286047,
            -0.0013441777,
            0.017050642,
            -0.0021309326,
            0.00085092367,
            -1.5247877e-07,
        ],
    ]
)


def _gamma_rational(alpha, x):
    """A rational function of log(x / alpha) and log(alpha)."""
    u, v = np.log(x / alpha), np.log(alpha)
    c = [_GAMMA[0, i] + u * (_GAMMA[1, i] + u * _GAMMA[2, i]) for i in range(8)]
    p, q = (c[i] + v * (c[i + 1] + v * (c[i + 2] + v * c[i + 3])) for i in (0, 4))
    return np.exp(p / q)


def gamma_gradient(alpha, x):
    """d x / d alpha of gamma numbers x with shape parameters alpha: float64, of their broadcast shape."""
    return _by_case(
        (alpha, x),
        (
            (lambda alpha, x: x < np.float32(0.8), _gamma_small),
            (
                lambda alpha, x: (alpha > 8) & (np.float32(0.9) * alpha <= x) & (x <= np.float32(1.1) * alpha),
                _gamma_near_mean,
            ),
            (lambda alpha, x: alpha > 8, _gamma_large),
            (lambda alpha, x: np.ones(x.shape, bool), _gamma_rational),
        ),
    )


# ---- beta, and Dirichlet through it


def _beta_by_alpha_small(x, alpha, beta):
    """Taylor expansion for x near 0."""
    factor = _digamma(alpha) - _digamma(alpha + beta) - np.log(x)
    numerator = np.ones_like(x)
    series = numerator / alpha * (factor + 1 / alpha)
    for i in range(1, 11):
        numerator = numerator * ((i - beta) * x / i)
        series = series + numerator / (alpha + i) * (factor + 1 / (alpha + i))
    return _zero_if_nan(x * (1 - x) ** -beta * series)


def _beta_by_beta_small(x, alpha, beta):
    """The derivative by the other parameter, for x near 0."""
    factor = _digamma(alpha + beta) - _digamma(beta)
    numerator, products, slopes, series = np.ones_like(x), np.ones_like(x), np.zeros_like(x), factor / alpha
    for i in range(1, 9):
        numerator = numerator * (-x / i)
        slopes = slopes * (beta - i) + products
        products = products * (beta - i)
        series = series + numerator / (alpha + i) * (slopes + factor * products)
    return _zero_if_nan(-((1 - x) ** (1 - beta)) * series)


def _beta_near_mean(x, alpha, beta):
    """The saddle point expansion, expanded around its singularity at the mean."""
    total = alpha + beta
    poly = 47 * x * beta**4 + alpha * (
        (43 + 20 * (16 + 27 * beta) * x) * beta**3
        + alpha
        * (
            3 * (59 + 180 * beta - 90 * x) * beta**2
            + alpha * ((453 + 1620 * beta * (1 - x) - 455 * x) * beta + alpha * (8 * (1 - x) * (135 * beta - 11)))
        )
    )
    first = (1 + 12 * alpha) * (1 + 12 * beta) / (total * total)
    return first / (1 - x) * poly / (12960 * alpha**3 * beta**2 * (1 + 12 * total))


def _stirling(x):
    return 1 + 1 / (12 * x) + 1 / (288 * x * x)


def _beta_large(x, alpha, beta):
    """Rice's saddle point expansion for two large parameters."""
    total, off = alpha + beta, alpha * (x - 1) + beta * x
    first = (2 * alpha**2 * (x - 1) + alpha * beta * (x - 1) - x * beta**2) / (
        np.sqrt(2 * alpha / beta) * total**1.5 * off * off
    )
    second, third = 0.5 * np.log(alpha / (total * x)), np.sqrt(8 * alpha * beta / total) / off
    fourth = (beta * np.log(beta / (total * (1 - x))) + alpha * np.log(alpha / (total * x))) ** -1.5
    inner = first + second * (third + np.where(x < alpha / total, fourth, -fourth))
    return _stirling(alpha) * _stirling(beta) / _stirling(total) * (-x / np.sqrt(2 * alpha * beta / total)) * inner


def _is_near_mean(x, alpha, beta):
    total = alpha + beta
    return np.abs(x - alpha / total) <= 0.1 * np.sqrt(alpha * beta / (total + 1)) / total


# numerator and denominator, by powers of log(x), of log(alpha / x), and of log(total x / alpha)
_BETA = np.array(
    [
        [
            [
                [1.003668233, -0.01061107488, -0.0657888334, 0.01201642863],
                [0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033],
                [-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013],
            ],
            [
                [0.221950385, -0.3187676331, 0.01799915743, 0.01074823814],
                [-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057],
                [0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05],
            ],
            [
                [-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565],
                [0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181],
                [0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05],
            ],
        ],
        [
            [
                [1, -0.02924021934, -0.04438342661, 0.007285809825],
                [0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521],
                [-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149],
            ],
            [
                [0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273],
                [0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956],
                [-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05],
            ],
            [
                [0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05],
                [0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05],
                [-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06],
            ],
        ],
    ]
)


def _beta_rational(x, alpha, beta):
    """A rational correction of an analytic approximation."""
    total, u = alpha + beta, np.log(x)
    a = np.log(alpha) - u
    b = np.log(total) - a
    p, q = (
        sum(
            u**i * a**j * (c[i, j, 0] + b * (c[i, j, 1] + b * (c[i, j, 2] + b * c[i, j, 3])))
            for i in range(3)
            for j in range(3)
        )
        for c in _BETA
    )
    return p / q * (x * (_digamma(total) - _digamma(alpha)) / beta)


def dirichlet_gradient(x, alpha, total):
    """d x / d alpha of Dirichlet shares x with parameters alpha that sum to total: float64, of their broadcast
    shape."""
    beta = np.asarray(total, np.float64) - np.asarray(alpha, np.float64)
    return _by_case(
        (x, alpha, beta),
        (
            (lambda x, a, b: (x <= 0.5) & ((a + b) * x * (1 - x) < 2.5), _beta_by_alpha_small),
            (
                lambda x, a, b: (x >= 0.5) & ((a + b) * x * (1 - x) < 0.75),
                lambda x, a, b: -_beta_by_beta_small(1 - x, b, a),
            ),
            (lambda x, a, b: (a > 6) & (b > 6) & _is_near_mean(x, a, b), _beta_near_mean),
            (lambda x, a, b: (a > 6) & (b > 6), _beta_large),
            (lambda x, a, b: np.ones(x.shape, bool), _beta_rational),
        ),
    )
