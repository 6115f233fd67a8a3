"""torch.utils.weak: dictionaries whose keys are objects themselves (not what they equal), held weakly."""

import collections.abc
import weakref

from .._tensor.tensor import Tensor

__all__ = ["TensorWeakRef", "WeakIdRef", "WeakIdKeyDictionary", "WeakTensorKeyDictionary"]
WeakRef = weakref.ref


class WeakIdRef(weakref.ref):
    """WeakIdRef(object): a weak reference that equals those to the same object"""

    __slots__ = ["_id"]

    def __init__(self, key, callback=None):
        self._id = id(key)
        super().__init__(key, callback)

    def __call__(self):
        found = super().__call__()
        if found is not None and hasattr(found, "_fix_weakref"):
            found._fix_weakref()
        return found

    def __hash__(self):
        return self._id

    def __eq__(self, other):
        mine, theirs = self(), other()
        return mine is theirs if mine is not None and theirs is not None else self is other


class TensorWeakRef:
    """TensorWeakRef(tensor): called, it gives the tensor, or None when it is gone"""

    def __init__(self, tensor):
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}.")
        self.ref = weakref.ref(tensor)

    def __call__(self):
        return self.ref()


class WeakIdKeyDictionary(collections.abc.MutableMapping):
    """WeakIdKeyDictionary(dict=None): keys by identity, which leave when nobody else holds them"""

    def __init__(self, dict=None, ref_type=WeakIdRef):
        self.data, self.ref_type = {}, ref_type
        own = weakref.ref(self)

        def remove(key):
            it = own()
            if it is not None:
                it.data.pop(key, None)

        self._remove = remove
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key):
        return self.data[self.ref_type(key)]

    def __setitem__(self, key, value):
        self.data[self.ref_type(key, self._remove)] = value

    def __delitem__(self, key):
        del self.data[self.ref_type(key)]

    def __contains__(self, key):
        try:
            return self.ref_type(key) in self.data
        except TypeError:
            return False

    def __iter__(self):
        for key in list(self.data):
            thing = key()
            if thing is not None:
                yield thing

    def __len__(self):
        return sum(key() is not None for key in list(self.data))

    def __repr__(self):
        return f"<{type(self).__name__} at {id(self):#x}>"

    def copy(self):
        """copy() -> the same keys and values"""
        made = type(self)()
        made.update(self)
        return made

    __copy__ = copy

    def __deepcopy__(self, memo):
        import copy

        made = type(self)()
        for key, value in self.items():
            made[key] = copy.deepcopy(value, memo)
        return made

    def keyrefs(self):
        """keyrefs() -> list of weak references to the keys"""
        return list(self.data)

    def popitem(self):
        """popitem() -> (key, value)"""
        while True:
            key, value = self.data.popitem()
            if key() is not None:
                return key(), value

    def __or__(self, other):
        made = self.copy()
        made.update(other)
        return made

    def __ior__(self, other):
        self.update(other)
        return self

    def __eq__(self, other):
        if not isinstance(other, collections.abc.Mapping):
            return NotImplemented
        return {id(k): v for k, v in self.items()} == {id(k): v for k, v in other.items()}


WeakTensorKeyDictionary = WeakIdKeyDictionary
