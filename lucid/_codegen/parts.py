"""What kernels and handlers of several texts have in common."""

from .._base.dtype import bool_


class Arguments:
    """The arrays that a kernel takes: `arrays`, in the order in which they were asked for."""

    def __init__(self):
        self.arrays, self._pointers = [], {}

    def pointer(self, array):
        """The name of an array among the function's arguments."""
        found = self._pointers.get(array)
        if found is None:
            found = self._pointers[array] = f"a{len(self.arrays)}"
            self.arrays.append(array)
        return found


class Masks:
    """The handler's answer to `masked`: inside, reads are made under all conditions that stand around."""

    mask = None

    def masked(self, condition, value, dtype):
        mask, known = self.mask, self.known
        self.mask = condition if mask is None else self.sibling(bool_).logical_and(mask, condition)
        self.known = {}
        try:
            return value()
        finally:
            self.mask, self.known = mask, known
