"""Shapes and types of every value of a graph, found by running it once."""

import traceback
from typing import Any, NamedTuple

from ..._tensor.tensor import Tensor, channels_last, channels_last_3d, contiguous_format
from ..interpreter import Interpreter
from ..node import map_aggregate

__all__ = ["TensorMetadata", "ShapeProp"]


class TensorMetadata(NamedTuple):
    """What is known of a tensor."""

    shape: Any
    dtype: Any
    requires_grad: bool
    stride: tuple
    memory_format: Any
    is_quantized: bool
    qparams: dict


def _extract_tensor_metadata(result, include_contiguity=True):
    """_extract_tensor_metadata(tensor) -> TensorMetadata"""
    order = None
    if include_contiguity:
        formats = (contiguous_format, channels_last, channels_last_3d)
        order = next((f for f in formats if result.is_contiguous(memory_format=f)), None)
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, result.stride(), order, False, {})


class ShapeProp(Interpreter):
    """ShapeProp(gm, fake_mode=None): propagate(*args) runs gm; node.meta["tensor_meta"] then holds the TensorMetadata
    of what each node gave, node.meta["type"] its type. With a FakeTensorMode nothing is computed.
    """

    def __init__(self, gm, fake_mode=None):
        super().__init__(gm)
        self.fake_mode, self.real_module, self.fake_module = fake_mode, self.module, None

    def run_node(self, n):
        """run_node(n): what n gives, and what is known of it in n.meta."""
        try:
            if self.fake_mode is None:
                result = super().run_node(n)
            else:
                with self.fake_mode:
                    result = super().run_node(n)
        except Exception as trouble:
            traceback.print_exc()
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from trouble
        found = []

        def look(x):
            if isinstance(x, Tensor):
                found.append(x)
                return _extract_tensor_metadata(x)
            return x

        meta = map_aggregate(result, look)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args):
        """propagate(*args): the result of the graph for these arguments."""
        if self.fake_mode is not None:
            args = [self.fake_mode.from_tensor(a) if isinstance(a, Tensor) else a for a in args]
        return self.run(*args)
