"""One distribution of every class of torch.distributions, or more: how it is made, and of which parameters."""

VECTOR, COLUMN, PROBS = [0.5, 1.5, 2.5], [[0.7], [1.3]], [0.2, 0.5, 0.9]
SHARES = [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]
LOGITS = [[0.3, -1.0, 0.5], [2.0, 0.0, -0.4]]
COVARIANCE = [[2.0, 0.5, 0.1], [0.5, 1.5, 0.2], [0.1, 0.2, 1.0]]
LOWER = [[1.2, 0.0, 0.0], [0.5, 0.9, 0.0], [-0.3, 0.2, 0.7]]
OTHER_LOWER = [[0.8, 0.0, 0.0], [0.1, 1.1, 0.0], [0.4, -0.6, 1.3]]
PLACED = {"loc": VECTOR, "scale": COLUMN}
PAIR = {"concentration1": VECTOR, "concentration0": COLUMN}


def _plain(name, /, *options, **parameters):
    """A class called with its parameters, after options that are no tensors."""
    return lambda D, p: getattr(D, name)(*options, **p), parameters


def _mixture(D, p):
    return D.MixtureSameFamily(D.Categorical(p["probs"]), D.Normal(p["loc"], p["scale"]))


def _mixture_of_vectors(D, p):
    return D.MixtureSameFamily(D.Categorical(logits=p["logits"]), D.Independent(D.Gumbel(p["loc"], p["scale"]), 1))


def _transformed(D, p):
    steps = [D.AffineTransform(p["loc"], p["scale"]), D.TanhTransform(), D.AffineTransform(0.0, -2.0)]
    return D.TransformedDistribution(D.Laplace(p["loc"], p["scale"]), steps)


def _broken_stick(D, p):
    return D.TransformedDistribution(D.Normal(p["loc"], p["scale"]), D.StickBreakingTransform())


CASES = {
    "Bernoulli": _plain("Bernoulli", probs=PROBS),
    "Bernoulli logits": _plain("Bernoulli", logits=VECTOR),
    "Beta": _plain("Beta", **PAIR),
    "Binomial": _plain("Binomial", 5, probs=PROBS),
    "Binomial logits": _plain("Binomial", total_count=[3.0, 4.0, 1.0], logits=[[0.4], [-2.0]]),
    "Categorical": _plain("Categorical", probs=SHARES),
    "Categorical logits": _plain("Categorical", logits=LOGITS),
    "Categorical of one": _plain("Categorical", logits=LOGITS[0]),
    "Cauchy": _plain("Cauchy", **PLACED),
    "Chi2": _plain("Chi2", df=VECTOR),
    "ContinuousBernoulli": _plain("ContinuousBernoulli", probs=PROBS),
    "ContinuousBernoulli logits": _plain("ContinuousBernoulli", logits=[-3.0, 0.001, 0.7]),
    "Dirichlet": _plain("Dirichlet", concentration=[[0.6, 0.9, 1.5], [1.8, 2.7, 0.3]]),
    "Dirichlet flat": _plain("Dirichlet", concentration=[[0.6, 0.9, 0.5], [0.8, 0.7, 0.3]]),
    "Exponential": _plain("Exponential", rate=VECTOR),
    "FisherSnedecor": _plain("FisherSnedecor", df1=[2.0, 6.0, 10.0], df2=[[1.5], [5.0]]),
    "Gamma": _plain("Gamma", concentration=VECTOR, rate=COLUMN),
    "GeneralizedPareto": _plain("GeneralizedPareto", concentration=[-1.0, 0.0, 0.4], **PLACED),
    "Geometric": _plain("Geometric", probs=PROBS),
    "Geometric logits": _plain("Geometric", logits=VECTOR),
    "Gumbel": _plain("Gumbel", **PLACED),
    "HalfCauchy": _plain("HalfCauchy", scale=VECTOR),
    "HalfNormal": _plain("HalfNormal", scale=VECTOR),
    "Independent": (lambda D, p: D.Independent(D.Normal(**p), 1), PLACED),
    "Independent none": (lambda D, p: D.Independent(D.Bernoulli(**p), 0), {"probs": PROBS}),
    "InverseGamma": _plain("InverseGamma", concentration=VECTOR, rate=COLUMN),
    "Kumaraswamy": _plain("Kumaraswamy", **PAIR),
    "LKJCholesky": _plain("LKJCholesky", 3, concentration=[0.7, 2.0]),
    "LKJCholesky of two": _plain("LKJCholesky", 2, concentration=1.5),
    "Laplace": _plain("Laplace", **PLACED),
    "LogNormal": _plain("LogNormal", **PLACED),
    "LogisticNormal": _plain("LogisticNormal", **PLACED),
    "LogisticNormal of one": _plain("LogisticNormal", loc=0.3, scale=1.2),
    "LowRankMultivariateNormal": _plain(
        "LowRankMultivariateNormal",
        loc=[VECTOR, PROBS],
        cov_factor=[[0.5, 0.2], [1.5, 0.5], [2.5, 0.9]],
        cov_diag=PROBS,
    ),
    "MixtureSameFamily": (_mixture, {"probs": SHARES, **PLACED}),
    "MixtureSameFamily of vectors": (
        _mixture_of_vectors,
        {"logits": LOGITS[0], "loc": [[0.5], [1.5], [2.5]], "scale": [0.5, 0.9]},
    ),
    "Multinomial": _plain("Multinomial", 4, probs=SHARES),
    "Multinomial logits": _plain("Multinomial", 3, logits=LOGITS[0]),
    "MultivariateNormal": _plain("MultivariateNormal", loc=[VECTOR, PROBS], covariance_matrix=COVARIANCE),
    "MultivariateNormal precision": _plain("MultivariateNormal", loc=VECTOR, precision_matrix=COVARIANCE),
    "MultivariateNormal tril": _plain("MultivariateNormal", loc=[VECTOR], scale_tril=[LOWER, OTHER_LOWER]),
    "NegativeBinomial": _plain("NegativeBinomial", total_count=VECTOR, probs=[0.2, 0.5, 0.8]),
    "NegativeBinomial logits": _plain("NegativeBinomial", total_count=VECTOR, logits=COLUMN),
    "Normal": _plain("Normal", **PLACED),
    "OneHotCategorical": _plain("OneHotCategorical", probs=SHARES),
    "OneHotCategoricalStraightThrough": _plain("OneHotCategoricalStraightThrough", logits=LOGITS),
    "Pareto": _plain("Pareto", scale=VECTOR, alpha=[[0.9], [1.7], [3.3]]),
    "Poisson": _plain("Poisson", rate=VECTOR),
    "RelaxedBernoulli": _plain("RelaxedBernoulli", temperature=0.7, probs=PROBS),
    "RelaxedBernoulli logits": _plain("RelaxedBernoulli", temperature=0.7, logits=VECTOR),
    "RelaxedOneHotCategorical": _plain("RelaxedOneHotCategorical", temperature=0.7, probs=SHARES),
    "RelaxedOneHotCategorical logits": _plain("RelaxedOneHotCategorical", temperature=0.7, logits=LOGITS),
    "StudentT": _plain("StudentT", df=[0.8, 1.5, 3.5], **PLACED | {"loc": COLUMN, "scale": VECTOR}),
    "TransformedDistribution": (_transformed, PLACED),
    "TransformedDistribution to shares": (_broken_stick, PLACED),
    "Uniform": _plain("Uniform", low=[-2.5, -1.5, -0.5], high=[[2.7], [3.3]]),
    "VonMises": _plain("VonMises", loc=VECTOR, concentration=[[0.7], [4.5]]),
    "Weibull": _plain("Weibull", scale=VECTOR, concentration=COLUMN),
    "Wishart": _plain("Wishart", df=[4.0, 5.5], covariance_matrix=COVARIANCE),
    "Wishart precision": _plain("Wishart", df=3.5, precision_matrix=COVARIANCE),
    "Wishart tril": _plain("Wishart", df=3.5, scale_tril=[LOWER]),
}


def made(m, name, dtype="float64", requires_grad=False, **changed):
    """(the distribution, its parameters by name) in the library m; `changed` parameters have other values."""
    build, values = CASES[name]
    values = {**values, **changed}
    p = {
        key: m.tensor(value, dtype=getattr(m, dtype), requires_grad=requires_grad) if value is not None else None
        for key, value in values.items()
    }
    return build(m.distributions, p), p
