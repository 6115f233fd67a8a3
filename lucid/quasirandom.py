"""torch.quasirandom: points that fill the unit cube more evenly than random ones."""

from ._array.random import sobol
from ._base.dtype import float64, int64
from ._base.state import defaults
from ._func.creation.from_data import from_numpy
from ._func.creation.generator import Generator
from ._func.creation.random import randint
from ._func.shape.join import join as cat


class SobolEngine:
    """SobolEngine(dimension, scramble=False, seed=None): points of a Sobol sequence in [0, 1) ** dimension.

    scramble: shifted and multiplied by bits drawn at random (from a generator with that seed, or the global one).
    ValueError for more than 21201 dimensions.
    """

    MAXBIT, MAXDIM = sobol.BITS, 21201

    def __init__(self, dimension, scramble=False, seed=None):
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        self.sobolstate = from_numpy(sobol.direction_numbers(dimension))
        self.shift = self.sobolstate.new_zeros(dimension)
        if scramble:
            self._scramble()
        self.quasi = self.shift.clone()
        self._first_point = (self.quasi / 2**self.MAXBIT).reshape(1, -1)
        self.num_generated = 0

    def draw(self, n=1, out=None, dtype=None):
        """draw(n=1, out=None, dtype=None) -> Tensor: the next n points, (n, dimension)."""
        first = self.num_generated == 0
        found = from_numpy(self._following(n - 1 if first else n)).to(float64)
        result = (found / 2.0**self.MAXBIT).to(dtype or defaults.dtype)
        if first:
            result = cat([self._first_point.to(result.dtype), result])
        self.num_generated += n
        if out is not None:
            out.resize_as_(result).copy_(result)
            return out
        return result

    def _following(self, n):
        """The n points after the last one, which the engine then is at."""
        number = max(self.num_generated - 1, 0)
        found = sobol.points(self.quasi.numpy(), self.sobolstate.numpy(), n, number)
        if n > 0:
            self.quasi = from_numpy(found[-1].copy())
        return found

    def draw_base2(self, m, out=None, dtype=None):
        """draw_base2(m) -> Tensor: the next 2 ** m points. ValueError if their number would be no power of 2."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: n={self.num_generated}+2**{m}="
                f"{total}. If you still want to do this, please use 'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self):
        """reset() -> self, at the first point."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n):
        """fast_forward(n) -> self, n points further."""
        self._following(n - 1 if self.num_generated == 0 else n)
        self.num_generated += n
        return self

    def _scramble(self):
        generator = None
        if self.seed is not None:
            generator = Generator()
            generator.manual_seed(self.seed)
        bits = randint(2, (self.dimension, self.MAXBIT), generator=generator)
        powers = (2 ** bits.new_tensor(range(self.MAXBIT))).to(int64)
        self.shift = bits.mv(powers)
        shape = (self.dimension, self.MAXBIT, self.MAXBIT)
        matrices = randint(2, shape, generator=generator).tril()
        self.sobolstate = from_numpy(sobol.scrambled(self.sobolstate.numpy(), matrices.numpy()))

    def __repr__(self):
        parts = [f"dimension={self.dimension}"]
        if self.scramble:
            parts.append("scramble=True")
        if self.seed is not None:
            parts.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(parts)})"
