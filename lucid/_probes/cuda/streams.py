"""torch.cuda.streams: streams, events and graphs, whose making fails where there is no CUDA."""

import contextlib

from .errors import no_cuda


class Stream:
    """Stream(device=None, priority=0): RuntimeError, there is no CUDA here."""

    def __new__(cls, *args, **kwargs):
        raise RuntimeError(f"torch.cuda.{cls.__name__} requires CUDA support")


class ExternalStream(Stream):
    """ExternalStream(stream_ptr): RuntimeError, there is no CUDA here."""


def _dummy(name, doc):
    def __new__(cls, *args, **kwargs):
        raise RuntimeError(f"Tried to instantiate dummy base class {name}")

    return type(name, (), {"__new__": __new__, "__module__": "torch.cuda", "__doc__": doc})


Event = _dummy(
    "Event", "Event(enable_timing=False, blocking=False, interprocess=False): RuntimeError, there is no CUDA here."
)
CUDAGraph = _dummy("CUDAGraph", "CUDAGraph(): RuntimeError, there is no CUDA here.")


class StreamContext(contextlib.AbstractContextManager):
    """StreamContext(stream): a context that does nothing, stream can only be None here."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return None


def stream(stream):
    """stream(stream) -> StreamContext"""
    return StreamContext(stream)


def set_stream(stream):
    """set_stream(stream): only None is possible here, and ignored."""
    if stream is not None:
        no_cuda()


def current_stream(device=None):
    """current_stream(): AssertionError, there is no CUDA here."""
    no_cuda()


def default_stream(device=None):
    """default_stream(): AssertionError, there is no CUDA here."""
    no_cuda()


def is_current_stream_capturing():
    """is_current_stream_capturing() -> False"""
    return False


class graph:
    """graph(cuda_graph): AssertionError, there is no CUDA here."""

    def __init__(self, *args, **kwargs):
        no_cuda()


def graph_pool_handle():
    """graph_pool_handle(): AssertionError, there is no CUDA here."""
    no_cuda()


def make_graphed_callables(*args, **kwargs):
    """make_graphed_callables(...): AssertionError, there is no CUDA here."""
    no_cuda()
