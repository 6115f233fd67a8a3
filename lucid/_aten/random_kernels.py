"""ATen's random fills that write nothing: a copy of the tensor, filled."""

from .._tensor.tensor import Tensor
from .kernel_table import kernel


def _filled(name, form):
    fill = getattr(Tensor, form)

    @kernel(name)
    def filled(x, *values):
        *values, generator = values  # the last argument of all of them
        return fill(x.detach().clone(), *values, generator=generator)


for _name in "uniform exponential cauchy geometric log_normal".split():
    _filled(_name, f"{_name}_")
_filled("normal_functional", "normal_")
_filled("random", "random_")


@kernel("bernoulli.Tensor")
def bernoulli(x, p, generator):
    return x.detach().clone().bernoulli_(p, generator=generator)
