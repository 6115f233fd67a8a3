"""torch.quasirandom: points, states and errors, compared with torch."""

import pytest
from both import same, same_outcome


@pytest.mark.parametrize("dimension", [1, 2, 3, 7, 60, 1111])
@pytest.mark.parametrize("scramble", [False, True])
def test_points(dimension, scramble):
    def run(m):
        engine = m.quasirandom.SobolEngine(dimension, scramble=scramble, seed=5 if scramble else None)
        yield engine.sobolstate, engine.shift, engine.quasi, repr(engine)
        yield engine.draw(), engine.draw(3), engine.draw(4, dtype=m.float64), engine.num_generated
        engine.fast_forward(5)
        yield engine.draw(2), engine.quasi
        yield engine.reset().draw(6), engine.quasi
        yield engine.reset().fast_forward(3).draw(2)

    same(run)


def test_the_global_generator_scrambles():
    def run(m):
        m.manual_seed(4)
        engine = m.quasirandom.SobolEngine(3, scramble=True)
        out = m.empty(0)
        yield engine.draw_base2(3), engine.draw(2, out=out), out, m.rand(1)

    same(run)


def test_torchs_errors():
    same_outcome(lambda m: m.quasirandom.SobolEngine(0))
    same_outcome(lambda m: m.quasirandom.SobolEngine(21202))
    same_outcome(lambda m: m.quasirandom.SobolEngine(2).fast_forward(3).draw_base2(2))
