"""torch.onnx.symbolic_helper: names that libraries import to describe their ops to an exporter; lucid has none."""

import functools

from . import _unsupported


def parse_args(*arg_descriptors):
    """parse_args("v", "i") as a decorator: the function as it is, noting its arguments' kinds."""

    def decorator(fn):
        fn._arg_descriptors = arg_descriptors

        @functools.wraps(fn)
        def wrapper(g, *args, **kwargs):
            return fn(g, *args, **kwargs)

        return wrapper

    return decorator


cast_pytorch_to_onnx: dict = {}
_get_tensor_sizes, _get_tensor_rank, _is_none, _maybe_get_const = map(
    _unsupported, ("_get_tensor_sizes", "_get_tensor_rank", "_is_none", "_maybe_get_const")
)
