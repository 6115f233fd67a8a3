"""Random numbers inside vmap: each randomness draws torch's numbers, or refuses with torch's words."""

import pytest
from both import same_outcome


def given(api):
    return api.arange(12.0).reshape(3, 4) / 12


# each takes (api, a member, a row from outside the batch)
DRAWS = {
    "rand": lambda t, a, x: t.rand(2) + a[:2],
    "randn": lambda t, a, x: t.randn(4) * a,
    "randint": lambda t, a, x: t.randint(0, 10, (3,)) + 0 * a[:3].long(),
    "randperm": lambda t, a, x: t.randperm(5) + 0 * a[:1].long(),
    "rand_like": lambda t, a, x: t.rand_like(a) + a,
    "randn_like of an outer tensor": lambda t, a, x: t.randn_like(x) + a,
    "dropout": lambda t, a, x: t.nn.functional.dropout(a, 0.5),
    "dropout of an outer tensor": lambda t, a, x: t.nn.functional.dropout(x, 0.5) + a,
    "alpha_dropout": lambda t, a, x: t.nn.functional.alpha_dropout(a, 0.5, True),
    "bernoulli": lambda t, a, x: t.bernoulli(a),
    "bernoulli with p": lambda t, a, x: t.bernoulli(a, 0.3),
    "bernoulli of an outer tensor": lambda t, a, x: t.bernoulli(x) + a,
    "normal": lambda t, a, x: t.normal(a, 1.0),
    "normal of two": lambda t, a, x: t.normal(a, x + 1),
    "multinomial": lambda t, a, x: t.multinomial(a, 2) + 0 * a[:2],
    "multinomial of an outer tensor": lambda t, a, x: t.multinomial(x, 2) + 0 * a[:2],
    "poisson": lambda t, a, x: t.poisson(a * 5),
    "uniform_": lambda t, a, x: a.clone().uniform_(),
    "normal_ of an outer tensor": lambda t, a, x: t.zeros(3).normal_() + a[:3],
    "bernoulli_": lambda t, a, x: a.clone().bernoulli_(0.5),
    "gumbel_softmax": lambda t, a, x: t.nn.functional.gumbel_softmax(a),
    "vmap inside": lambda t, a, x: t.func.vmap(lambda b: b + t.rand(()), randomness="different")(a),
    "vmap inside, same": lambda t, a, x: t.func.vmap(lambda b: b + t.rand(()), randomness="same")(a),
    "jvp inside": lambda t, a, x: t.func.jvp(lambda b: b * t.rand(4), (a,), (a,))[1],
    "grad inside": lambda t, a, x: t.func.grad(lambda b: t.nn.functional.dropout(b, 0.5).sum())(a),
}


def drawn(api, name, randomness, **how):
    x = given(api)
    return api.func.vmap(lambda a: DRAWS[name](api, a, x[1]), randomness=randomness, **how)(x)


@pytest.mark.parametrize("randomness", ("different", "same", "error"))
@pytest.mark.parametrize("name", DRAWS)
def test_draws(name, randomness):
    for how in ({}, {"chunk_size": 2}):
        same_outcome(lambda api, how=how: drawn(api, name, randomness, **how), looks="", rtol=1.3e-6, atol=1e-5)


@pytest.mark.parametrize("randomness", ("different", "same", "error"))
def test_jacfwd(randomness):
    def program(api):
        f = api.func.jacfwd(lambda a: api.nn.functional.dropout(a, 0.5), randomness=randomness)
        return f(given(api)[0])

    same_outcome(program)
