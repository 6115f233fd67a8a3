"""Compiled programs that only write: into arguments, views of them, state outside; whatever they return."""

import pytest
from both import BOTH, same

WRITES = {
    "add_": lambda m, p, g: p.add_(g),
    "several": lambda m, p, g: (p.mul_(2), g.sub_(p), p.add_(g)),
    "a view": lambda m, p, g: p[0].copy_(g[1]),
    "an item": lambda m, p, g: _set_column(p),
    "through a view": lambda m, p, g: p.t().mul_(g.t()),
    "a reduction": lambda m, p, g: p.copy_(g.sum(0)),
    "inside no_grad": lambda m, p, g: _without_grad(m, p, g),
    "fill": lambda m, p, g: p.zero_(),
    "twice what was": lambda m, p, g: (p.copy_(g), p.copy_(p + p)),
    "nothing": lambda m, p, g: p + g,
}
GIVES = {"nothing": None, "a number": 3, "a text": "s", "a tuple": (), "a list of None": [None]}


def _set_column(p):
    p[:, 1] = 7.0


def _without_grad(m, p, g):
    with m.no_grad():
        p.lerp_(g, 0.5)


@pytest.fixture(autouse=True)
def fresh():
    for m in BOTH:
        m._dynamo.reset()


@pytest.mark.parametrize("gives", GIVES)
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_programs_without_tensors_among_their_results(backend, write, gives):
    def program(m):
        def f(p, g):
            WRITES[write](m, p, g)
            return GIVES[gives]

        p, g = m.arange(6.0).view(2, 3), m.arange(6.0).view(2, 3) * 3 + 1
        # torch's own compiler is asked for eager's values, which are what counts
        compiled = m.compile(f, backend=backend) if m.__name__ == "lucid" else f
        return [compiled(p, g), p, g, compiled(p, g), p, g]

    same(program)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_state_of_a_module(backend):
    def program(m):
        class Counter(m.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("seen", m.zeros(2))

            def forward(self, x):
                self.seen.add_(x)

        model = Counter()
        compiled = m.compile(model, backend=backend) if m.__name__ == "lucid" else model
        compiled(m.ones(2)), compiled(m.ones(2) * 2)
        return model.seen

    same(program)
