"""torch.distributions: random variables with their densities, moments and differentiable samples, changes of variable,
constraints, and divergences.

    d = Normal(loc, scale)
    x = d.rsample((100,))       # gradients flow to loc and scale
    loss = -d.log_prob(x).mean() + kl_divergence(d, prior)

`distribution.py` is what all share; the other files hold a family each (their lists are below), `transforms.py` the
changes of variable, `kl.py` the divergences. torch has a module per class: `torch.distributions.normal.Normal`. Those
modules exist too, and the classes say that they live there.
"""

import importlib.machinery
import sys
import types

from . import (
    binary,
    categorical_family,
    composed,
    constraint_registry,
    constraints,
    counts,
    distribution,
    gamma_family,
    kl,
    multivariate,
    real_line,
    transform_parts,
    transformed_family,
    transforms,
    utils,
)
from .binary import Bernoulli, ContinuousBernoulli, Geometric
from .categorical_family import Categorical, OneHotCategorical, OneHotCategoricalStraightThrough
from .composed import Independent, MixtureSameFamily, TransformedDistribution
from .constraint_registry import biject_to, transform_to
from .counts import Binomial, Multinomial, NegativeBinomial, Poisson
from .distribution import Distribution, ExponentialFamily
from .gamma_family import Beta, Chi2, Dirichlet, Exponential, FisherSnedecor, Gamma
from .kl import kl_divergence, register_kl
from .multivariate import LKJCholesky, LowRankMultivariateNormal, MultivariateNormal, Wishart
from .real_line import Cauchy, GeneralizedPareto, Laplace, Normal, StudentT, Uniform, VonMises
from .transformed_family import (
    Gumbel,
    HalfCauchy,
    HalfNormal,
    InverseGamma,
    Kumaraswamy,
    LogisticNormal,
    LogNormal,
    Pareto,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
    Weibull,
)
from .transforms import *  # noqa: F403

__all__ = [
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ContinuousBernoulli",
    "Dirichlet",
    "Distribution",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "StudentT",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "kl_divergence",
    "register_kl",
    "transform_to",
]
__all__.extend(transforms.__all__)

# torch's modules of the classes in each file, and the names besides classes that torch has there
_MODULES = {
    binary: "bernoulli:Bernoulli continuous_bernoulli:ContinuousBernoulli geometric:Geometric "
    "relaxed_bernoulli:LogitRelaxedBernoulli",
    categorical_family: "categorical:Categorical one_hot_categorical:OneHotCategorical "
    "one_hot_categorical:OneHotCategoricalStraightThrough relaxed_categorical:ExpRelaxedCategorical",
    composed: "independent:Independent mixture_same_family:MixtureSameFamily "
    "transformed_distribution:TransformedDistribution",
    counts: "binomial:Binomial multinomial:Multinomial negative_binomial:NegativeBinomial poisson:Poisson",
    distribution: "distribution:Distribution exp_family:ExponentialFamily",
    gamma_family: "beta:Beta chi2:Chi2 dirichlet:Dirichlet exponential:Exponential fishersnedecor:FisherSnedecor "
    "gamma:Gamma dirichlet:_Dirichlet",
    multivariate: "lkj_cholesky:LKJCholesky lowrank_multivariate_normal:LowRankMultivariateNormal "
    "multivariate_normal:MultivariateNormal wishart:Wishart multivariate_normal:_batch_mahalanobis "
    "multivariate_normal:_batch_mv multivariate_normal:_precision_to_scale_tril "
    "lowrank_multivariate_normal:_batch_capacitance_tril lowrank_multivariate_normal:_batch_lowrank_logdet "
    "lowrank_multivariate_normal:_batch_lowrank_mahalanobis",
    real_line: "cauchy:Cauchy generalized_pareto:GeneralizedPareto laplace:Laplace normal:Normal studentT:StudentT "
    "uniform:Uniform von_mises:VonMises von_mises:_log_modified_bessel_fn",
    transform_parts: "transforms:Transform transforms:CatTransform transforms:ComposeTransform "
    "transforms:IndependentTransform transforms:ReshapeTransform transforms:StackTransform "
    "transforms:_InverseTransform",
    transformed_family: "gumbel:Gumbel half_cauchy:HalfCauchy half_normal:HalfNormal inverse_gamma:InverseGamma "
    "kumaraswamy:Kumaraswamy log_normal:LogNormal logistic_normal:LogisticNormal pareto:Pareto "
    "relaxed_bernoulli:RelaxedBernoulli relaxed_categorical:RelaxedOneHotCategorical weibull:Weibull",
}


def _torch_module(name, file):
    """The module `lucid.distributions.<name>`, made where no file has that name."""
    path = f"{__name__}.{name}"
    if path not in sys.modules:
        module = sys.modules[path] = types.ModuleType(path, f"torch.distributions.{name}; see {file.__name__}.")
        module.__spec__ = importlib.machinery.ModuleSpec(path, None, origin=file.__file__)
        module.__file__, module.__package__, module.__all__ = file.__file__, __name__, []
        module.Distribution, module.constraints = Distribution, constraints  # torch's files import both
        globals()[name] = module
    return sys.modules[path]


def _publish(file, listed):
    """Puts the names of a file into torch's modules."""
    for entry in listed.split():
        where, name = entry.split(":")
        module, value = _torch_module(where, file), getattr(file, name)
        setattr(module, name, value)
        value.__module__ = module.__name__
        if not name.startswith("_") and name not in module.__all__:
            module.__all__.append(name)


for _file, _listed in _MODULES.items():
    _publish(_file, _listed)
