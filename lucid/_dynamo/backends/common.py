"""torch._dynamo.backends.common: backends that are compilers of graphs below autograd."""

from ..._base.device import device
from ..._base.dtype import float32
from ..._functorch import aot_autograd as aot
from ..._functorch import told
from ..._modes.torch_dispatch import disable_modes
from ..._tensor import pytree
from ..._tensor.tensor import Tensor
from .. import logs
from ..utils import counters


class AotAutograd:
    """A backend that traces a graph below autograd and gives both halves to compilers."""

    def __init__(self, **kwargs):
        self.__name__, self.kwargs = "compiler_fn", kwargs

    def __call__(self, gm, example_inputs, **kwargs):
        if any(isinstance(x, (list, tuple, dict)) for x in example_inputs):
            return _flattened(gm, example_inputs, self)
        how = dict(self.kwargs)
        if callable(how.get("decompositions")):
            how["decompositions"] = how["decompositions"]()
        counters["aot_autograd"]["total"] += 1
        try:
            made = aot.aot_module_simplified(gm, example_inputs, otherwise=_otherwise, **how)
        except Exception:
            counters["aot_autograd"]["not_ok"] += 1
            raise
        counters["aot_autograd"]["ok"] += 1
        return made


def _otherwise(error):
    """A graph that cannot be traced runs as it is."""
    counters["aot_autograd"]["run_as_it_is"] += 1
    reason = f"{type(error).__name__}: {error}"
    counters["aot_autograd_reasons"][reason] += 1
    logs.tell("aot_graphs", f"A graph that cannot be traced below autograd runs as it is: {reason}")


def _flattened(gm, inputs, compile_gm):
    """A graph whose inputs are nests of tensors, compiled as one of tensors."""
    leaves, spec = pytree.tree_flatten(tuple(inputs))

    class Flat(type(gm)):
        def forward(self, *args):
            return gm(*pytree.tree_unflatten(list(args), spec))

    flat = object.__new__(Flat)
    flat.__dict__.update(gm.__dict__)
    made = compile_gm(flat, leaves)
    return lambda *args: made(*pytree.tree_leaves(args))


def aot_autograd(**kwargs):
    """aot_autograd(fw_compiler=, bw_compiler=None, partition_fn=, decompositions=None, inference_compiler=None) -> a
    backend of torch.compile whose compilers get graphs of ATen calls without writes: forward and backward."""
    return AotAutograd(**kwargs)


def fake_tensor_unsupported(fn):
    """fake_tensor_unsupported(backend) -> a backend that is shown real tensors (lucid's inputs are)."""

    def wrapper(model, inputs, **kwargs):
        with disable_modes():
            return fn(model, inputs, **kwargs)

    return wrapper


def device_from_inputs(example_inputs):
    """device_from_inputs(inputs) -> the first one's device"""
    return next((x.device for x in example_inputs if isinstance(x, Tensor)), device("cpu"))


def dtype_from_inputs(example_inputs):
    """dtype_from_inputs(inputs) -> the first one's dtype"""
    return next((x.dtype for x in example_inputs if isinstance(x, Tensor)), float32)


told.listen(logs.wanted, logs.tell)

__all__ = ["aot_autograd", "device_from_inputs", "dtype_from_inputs", "fake_tensor_unsupported"]
