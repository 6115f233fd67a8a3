"""torch._inductor.compile_fx: graphs as kernels, for `torch.compile(backend="inductor")` and by themselves."""

from .._functorch.aot_autograd import aot_module_simplified
from .._tensor.tensor import Tensor
from .lowering import Lowered
from .wrapper import Wrapper

__all__ = ["compile_fx", "compile_fx_inner"]


def compile_fx_inner(module, example_inputs, **_):
    """compile_fx_inner(graph module of ATen calls, inputs) -> f([inputs]) -> its outputs, which empties the list."""
    run = Wrapper(Lowered(module, list(example_inputs))).load()
    run._boxed_call = True
    return run


def compile_fx(module, example_inputs, inner_compile=compile_fx_inner, decompositions=None, **_):
    """compile_fx(graph module of torch functions, inputs) -> f(*inputs), differentiable."""
    return aot_module_simplified(
        module, example_inputs, fw_compiler=inner_compile, bw_compiler=inner_compile, decompositions=decompositions
    )


_ = Tensor
