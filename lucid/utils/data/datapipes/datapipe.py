"""DataPipes: datasets that are joined to chains by their methods (`pipe.map(f).batch(4)`)."""

import functools

from ...._base.refused import refused_class
from ..dataset import Dataset, IterableDataset, _T_co

__all__ = ["DataChunk", "DFIterDataPipe", "IterDataPipe", "MapDataPipe"]
_STALE = (
    "This iterator has been invalidated because another iterator has been created from the same IterDataPipe: {}\n"
    "This may be caused multiple references to the same IterDataPipe. We recommend using `.fork()` if that is "
    "necessary."
)


class DataChunk(list):
    """DataChunk(items): a batch of a pipe; a list"""

    def __init__(self, items):
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent=""):
        """as_str(indent="") -> str"""
        return indent + "[" + ", ".join(str(i) for i in iter(self)) + "]"

    def raw_iterator(self):
        """raw_iterator() -> iterator"""
        yield from self.items


class _Pipe:
    """What both kinds of pipes have: functions that make pipes of them."""

    reduce_ex_hook = getstate_hook = str_hook = repr_hook = None

    def __getattr__(self, attribute_name):
        if attribute_name in type(self).functions:
            return functools.partial(type(self).functions[attribute_name], self)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{attribute_name}")

    @classmethod
    def register_function(cls, function_name, function):
        """register_function(name, f): pipe.name(...) is f(pipe, ...)"""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(cls, function_name, cls_to_register, enable_df_api_tracing=False):
        """register_datapipe_as_function(name, cls): pipe.name(...) is cls(pipe, ...)"""
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")
        cls.functions[function_name] = cls_to_register

    def __getstate__(self):
        return self.__dict__ if self.getstate_hook is None else type(self).getstate_hook(self.__dict__)

    def __reduce_ex__(self, *args, **kwargs):
        if self.reduce_ex_hook is not None:
            try:
                return type(self).reduce_ex_hook(self)
            except NotImplementedError:
                pass
        return super().__reduce_ex__(*args, **kwargs)

    def __repr__(self):
        return str(type(self).__qualname__)

    def __dir__(self):
        return list(super().__dir__()) + list(self.functions)


def _set_hook(name):
    @classmethod
    def set_hook(cls, hook_fn):
        if getattr(cls, name) is not None and hook_fn is not None:
            raise RuntimeError(f"Attempt to override existing {name}")
        setattr(cls, name, hook_fn)

    return set_hook


class IterDataPipe(_Pipe, IterableDataset[_T_co]):
    """IterDataPipe: subclasses give __iter__; each new iterator calls reset() and ends the one before."""

    functions: dict = {}
    set_getstate_hook, set_reduce_ex_hook = _set_hook("getstate_hook"), _set_hook("reduce_ex_hook")
    _valid_iterator_id = 0
    _is_stream_of_pipes = True  # DataLoader seeds and shares it out
    _number_of_samples_yielded = 0

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("__iter__")
        if own is not None and not getattr(own, "_is_hooked", False):
            cls.__iter__ = _hooked(own)

    def __iter__(self):
        return self

    def reset(self):
        """reset(): called when an iterator is made; here it does nothing"""


def _hooked(own):
    """An __iter__ that resets the pipe first, and whose older iterators raise."""

    @functools.wraps(own)
    def __iter__(self):
        self.__dict__["_valid_iterator_id"] = mine = self._valid_iterator_id + 1
        self.reset()
        return _watched(self, own(self), mine)

    __iter__._is_hooked = True
    return __iter__


def _watched(pipe, iterator, mine):
    pipe.__dict__["_number_of_samples_yielded"] = 0
    for value in iterator:
        if pipe._valid_iterator_id != mine:
            raise RuntimeError(_STALE.format(repr(pipe)))
        pipe.__dict__["_number_of_samples_yielded"] += 1
        yield value
        if pipe._valid_iterator_id != mine:
            raise RuntimeError(_STALE.format(repr(pipe)))


class MapDataPipe(_Pipe, Dataset[_T_co]):
    """MapDataPipe: subclasses give __getitem__ and __len__."""

    functions: dict = {}
    set_getstate_hook, set_reduce_ex_hook = _set_hook("getstate_hook"), _set_hook("reduce_ex_hook")


DFIterDataPipe = refused_class("torch.utils.data", "DFIterDataPipe", "pipes of data frames")


def length_of(pipe, of, count=len):
    """count(of), or torch's TypeError for a pipe of no known length."""
    if hasattr(type(of), "__len__"):
        return count(of)
    raise TypeError(f"{type(pipe).__name__} instance doesn't have valid length")
