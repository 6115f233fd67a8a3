"""Views whose elements are conjugated or negated on the way: `conj()`, `_neg_view()`.

torch reads their memory and turns each element when it is read. Here such a view holds values of its own, a mirror of
the memory, so that every kernel reads plain arrays; a write to the memory renews its mirrors, and a write to a mirror
goes back into the memory (see storage.bump).
"""

import weakref

from .._array.table import owner


class Mirror:
    """How a view mirrors its memory."""

    __slots__ = ("memory", "conj", "neg")

    def __init__(self, memory, conj, neg):
        self.memory = memory  # the array it stands for; None in libraries whose arrays never share memory
        self.conj, self.neg = conj, neg

    def turned(self, xp, value):
        """Values of the memory as the view shows them, and the other way round."""
        if self.conj:
            value = xp.conj(value)
        return xp.neg(value) if self.neg else value

    def step(self, op, k, options):
        """The mirror of a view of the view."""
        return Mirror(None if self.memory is None else op.forward(k, self.memory, *options), self.conj, self.neg)


def mirror_of(tensor):
    """The tensor's Mirror; None for most."""
    return None if tensor._extra is None else tensor._extra.mirror


def memory_of(tensor):
    """The array in the storage that the tensor stands for."""
    mirror = mirror_of(tensor)
    return tensor._array if mirror is None or mirror.memory is None else mirror.memory


class Mirrors:
    """The arrays that mirror a storage's memory and are still in use."""

    def __init__(self):
        self.arrays = []  # (weak reference to the array that owns the mirror's values, Mirror)

    def add(self, k, values, mirror):
        """An array of these values, laid out as the memory is, that renew() keeps true."""
        array = k.with_strides(values, k.strides(mirror.memory))
        self.arrays.append((weakref.ref(owner(array)), mirror))
        return array

    def renew(self, k):
        """The memory was written: every mirror reads it again."""
        self.arrays = [(ref, mirror) for ref, mirror in self.arrays if ref() is not None]
        for ref, mirror in self.arrays:
            home, memory = ref(), mirror.memory
            if home is not None:
                k = k.of(memory)
                k.write(k.as_strided(home, memory.shape, k.strides(memory), 0), mirror.turned(k, memory))


def memory_steps(chain):
    """The steps of a view chain that choose elements and leave them as they are."""
    return [step for step in chain if not getattr(step[0], "mirrors", False)]


def turned_between(view, base):
    """turned(xp, value): what base shows, as view shows it, and the other way round."""
    a, b = mirror_of(view), mirror_of(base)
    if a is b is None:
        return UNTURNED
    a, b = a or _PLAIN, b or _PLAIN
    return Mirror(None, a.conj != b.conj, a.neg != b.neg).turned


_PLAIN = Mirror(None, False, False)
UNTURNED = _PLAIN.turned
