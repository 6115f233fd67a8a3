"""Sizes that a kernel is told when it is called: ints that know their name.

A nest whose loops have such sizes is one kernel for all arrays of its kind. To whatever looks at a size, an Open is its
`number`, an example; products keep the names, and a text that prints one prints the name. Whatever else is computed of
it is a plain number, which would be wrong for every other size: `examples` differ, so a text that has kept one differs
from example to example, and is no text for all sizes (`native.py` looks).
"""

import math

# Primes, so no size divides another; larger than anything that is really counted, so nothing known of them is known of
# a real size; and in two orders, so neither is the rule that the first is the smaller.
_PRIMES = (
    4611686018427388039, 4611686018427388073, 4611686018427388081, 4611686018427388091,
    4611686018427388093, 4611686018427388097, 4611686018427388247, 4611686018427388261,
)  # fmt: skip


class Open(int):
    """A size, or a product of sizes and a whole number. limit: what it is at most, where that is known."""

    def __new__(cls, number, names, factor=1, limit=math.inf):
        self = int.__new__(cls, number)
        self.names, self.factor, self.limit = tuple(sorted(names)), factor, limit
        return self

    def __getnewargs__(self):
        return int(self), self.names, self.factor, self.limit

    def __str__(self):
        text = " * ".join([*([] if self.factor == 1 else [str(self.factor)]), *self.names])
        return f"({text})" if "*" in text else text

    __repr__ = __str__

    def __format__(self, how):
        return str(self)

    def __mul__(self, other):
        if isinstance(other, Open):
            return Open(
                int(self) * int(other), self.names + other.names, self.factor * other.factor, self.limit * other.limit
            )
        if type(other) is int:
            return Open(int(self) * other, self.names, self.factor * other, self.limit * other) if other else 0
        return NotImplemented if not isinstance(other, float) else int(self) * other

    __rmul__ = __mul__

    def __add__(self, other):
        return int(self) + other if other else self

    __radd__ = __add__

    def __neg__(self):
        return self * -1

    def __floordiv__(self, other):
        """Exact quotients keep their names."""
        names, factor = list(self.names), self.factor
        for name in getattr(other, "names", ()):
            if name not in names:
                return int(self) // int(other)
            names.remove(name)
        divisor = other.factor if isinstance(other, Open) else other
        if type(divisor) is not int or not divisor or factor % divisor:
            return int(self) // int(other)
        return Open(int(self) // int(other), names, factor // divisor) if names else factor // divisor

    def at(self, sizes):
        """Its value, given {name: number}."""
        return self.factor * math.prod([sizes[name] for name in self.names])


def examples(count):
    """Two rows of Opens n0, n1 ... : the same names, other numbers in another order."""
    if count > len(_PRIMES) // 2:
        raise NotImplementedError(f"{count} open sizes")
    rows = _PRIMES[:count], _PRIMES[: -count - 1 : -1]
    return [[Open(number, (f"n{i}",)) for i, number in enumerate(row)] for row in rows]


def at(size, sizes):
    """A size's number, given those of the open ones."""
    return size.at(sizes) if isinstance(size, Open) else size
