"""torch.utils.data.datapipes._decorator: marks on classes of pipes."""

from .datapipe import IterDataPipe, MapDataPipe

_determinism = [False]


class functional_datapipe:
    """@functional_datapipe(name): pipe.name(...) makes one of the class."""

    def __init__(self, name, enable_df_api_tracing=False):
        self.name, self.enable_df_api_tracing = name, enable_df_api_tracing

    def __call__(self, cls):
        if issubclass(cls, IterDataPipe):
            IterDataPipe.register_datapipe_as_function(self.name, cls)
        elif issubclass(cls, MapDataPipe):
            MapDataPipe.register_datapipe_as_function(self.name, cls)
        return cls


class guaranteed_datapipes_determinism:
    """with guaranteed_datapipes_determinism(): pipes marked non_deterministic raise TypeError."""

    def __init__(self):
        self.prev, _determinism[0] = _determinism[0], True

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        _determinism[0] = self.prev


class non_deterministic:
    """@non_deterministic, or @non_deterministic(f): a pipe that may give another order each time"""

    def __init__(self, arg):
        self.cls, self.deterministic_fn = None, None
        if isinstance(arg, type):
            if not issubclass(arg, IterDataPipe):
                raise TypeError("Only `IterDataPipe` can be decorated with `non_deterministic`")
            self.cls = arg
        elif callable(arg):
            self.deterministic_fn = arg
        else:
            raise TypeError(f"{arg} can not be decorated by non_deterministic")

    def __call__(self, *args, **kwargs):
        if self.cls is None:
            self.cls = args[0]
            return self._made
        return self._made(*args, **kwargs)

    def _made(self, *args, **kwargs):
        random = self.deterministic_fn is None or self.deterministic_fn(*args, **kwargs)
        if _determinism[0] and random:
            raise TypeError(
                f"{self.cls.__name__} is non-deterministic, but you set 'guaranteed_datapipes_determinism'. You can "
                "turn off determinism for this DataPipe if that is acceptable for your application"
            )
        return self.cls(*args, **kwargs)


def argument_validation(f):
    """argument_validation(f) -> f: types of arguments are not checked."""
    return f


runtime_validation = argument_validation


class runtime_validation_disabled:
    """with runtime_validation_disabled(): nothing is checked in any case."""

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return False
