"""torch._dynamo.testing: backends that count and keep what they are given, and comparisons."""

from .. import fx
from .._base import dtype as dtypes
from .._func.creation.gfunc import zeros
from .._func.creation.random import randn
from .._tensor.pytree import tree_flatten
from .._tensor.tensor import Tensor
from .backends import lookup_backend
from .utils import same as same

__all__ = [
    "AotEagerAndRecordGraphs",
    "CompileCounter",
    "CompileCounterWithBackend",
    "EagerAndRecordGraphs",
    "normalize_gm",
    "rand_strided",
    "same",
]


class CompileCounter:
    """A backend that counts: frame_count graphs, op_count calls in them."""

    def __init__(self):
        self.clear()

    def __call__(self, gm, example_inputs):
        self.frame_count += 1
        self.op_count += sum("call" in node.op for node in gm.graph.nodes)
        return gm.forward

    def clear(self):
        """Begin to count anew."""
        self.frame_count = self.op_count = 0


class CompileCounterWithBackend(CompileCounter):
    """The same, and another backend compiles; `graphs` keeps the graph modules."""

    def __init__(self, backend):
        super().__init__()
        self.backend = backend

    def __call__(self, gm, example_inputs):
        super().__call__(gm, example_inputs)
        self.graphs.append(gm)
        return lookup_backend(self.backend)(gm, example_inputs)

    def clear(self):
        super().clear()
        self.graphs = []


class EagerAndRecordGraphs:
    """A backend that keeps the graph modules and example inputs and runs graphs as they are."""

    def __init__(self):
        self.graphs, self.example_inputs = [], []

    def __call__(self, gm, example_inputs):
        self.graphs.append(gm)
        self.example_inputs.append(example_inputs)
        return gm.forward


AotEagerAndRecordGraphs = EagerAndRecordGraphs


def rand_strided(size, stride, dtype=None, device="cpu", extra_size=0):
    """rand_strided(size, stride, dtype=float32) -> random Tensor of that size and these strides."""
    dtype = dtype or dtypes.float32
    needed = sum((n - 1) * s for n, s in zip(size, stride)) + 1 + extra_size if all(size) else extra_size
    make = randn if dtype.is_floating_point or dtype.is_complex else zeros
    return make(needed, dtype=dtype, device=device).as_strided(size, stride)


def normalize_gm(gm_str):
    """normalize_gm(text of a graph module) -> without comments and empty lines."""
    lines = (line.partition("#")[0].rstrip() for line in gm_str.splitlines())
    return "\n".join(line for line in lines if line) + "\n"


def reduce_to_scalar_loss(out):
    """reduce_to_scalar_loss(results) -> 0-dim Tensor: the mean of all they hold."""
    parts = [t for t in tree_flatten(out)[0] if isinstance(t, Tensor)]
    if not parts:
        raise NotImplementedError("Don't know how to reduce", type(out))
    return sum(t.sum() / t.numel() for t in parts) / len(parts)


def collect_results(model, prediction, loss, example_inputs):
    """collect_results(model, prediction, loss, inputs) -> [prediction, loss, {parameter: gradient}, ...]"""
    grads = {name + ".grad": p.grad for name, p in model.named_parameters()}
    return [prediction, loss, grads, dict(model.named_buffers())]


GraphModule = fx.GraphModule
