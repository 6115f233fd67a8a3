"""torch.cuda.jiterator: kernels for CUDA from a line of C++; they can be named, and not run."""

__all__ = []


class _JittedFunction:
    """What a line of C++ became."""

    def __init__(self, code_string, return_by_ref=False, num_outputs=1, **kwargs):
        self.code_string, self.num_outputs, self.kwargs_dict = code_string, num_outputs, kwargs

    def __call__(self, *tensors, **kwargs):
        raise AssertionError("Jiterator is only supported on CUDA and ROCm GPUs, none are available.")


def _create_jit_fn(code_string, **kwargs):
    """_create_jit_fn(code_string) -> a function that raises torch's error of a machine without a GPU"""
    return _JittedFunction(code_string, **kwargs)


def _create_multi_output_jit_fn(code_string, num_outputs, **kwargs):
    """_create_multi_output_jit_fn(code_string, num_outputs) -> the same"""
    return _JittedFunction(code_string, num_outputs=num_outputs, **kwargs)
