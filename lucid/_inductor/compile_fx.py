"""torch._inductor.compile_fx: graphs as kernels, for `torch.compile(backend="inductor")` and by themselves."""

from .._base.warn import warn
from .._codegen import build
from .._codegen.c_nest import words_of_text
from .._functorch.aot_autograd import aot_module_simplified
from .._functorch.partitioners import min_cut_rematerialization_partition
from .._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..fx.interpreter import Interpreter
from . import config, debug, passes
from .lowering import Lowered
from .passes import before_autograd
from .tuning import best_forms
from .wrapper import Wrapper

__all__ = ["autograd_options", "before_autograd", "compile_fx", "compile_fx_inner"]


def compile_fx(module, example_inputs, inner_compile=None, config_patches=None, decompositions=None, **_):
    """compile_fx(graph module of torch functions, inputs) -> f(*inputs), differentiable."""
    with config.patch(config_patches or {}):
        how = autograd_options(inner_compile or compile_fx_inner)
        return aot_module_simplified(before_autograd(module), example_inputs, decompositions=decompositions, **how)


def autograd_options(inner=None):
    """What AOTAutograd is told: {"fw_compiler": ...}, of the settings as they are now."""
    inner, name = inner or compile_fx_inner, debug.new_name()
    forward, backward, inference = [
        passes.remembering(inner, f"{name}_{half}") for half in ("forward", "backward", "inference")
    ]
    compilers = {"fw_compiler": forward, "bw_compiler": backward, "inference_compiler": passes.inferring(inference)}
    return compilers | {"partition_fn": passes.partitioning(min_cut_rematerialization_partition, name)}


def compile_fx_inner(module, example_inputs, **_):
    """compile_fx_inner(graph module of ATen calls, inputs) -> f([inputs]) -> its outputs, which empties the list."""
    module = passes.after_autograd(module, lambda changed: _Resized(changed).seen(example_inputs))
    if build.compiler() is None or config.fallback_by_default:
        return _uncompiled(module)
    if any(not isinstance(x, Tensor) for x in example_inputs):
        return _by_numbers(module)
    return _compiled(module, list(example_inputs))


def _compiled(module, values):
    """The graph for inputs like these."""
    try:
        run = _wrapped(module, values).load()
    except build.CompileError as why:
        warn(f"a compiled graph runs without kernels, since the C compiler failed: {str(why).splitlines()[0]}")
        return _uncompiled(module)
    run._boxed_call = True
    return run


def _wrapped(module, values):
    """The graph as texts, in the forms that the settings ask for."""
    lowered, keeps = Lowered(module, values, words_of_text), config.triton.cudagraphs
    wrapper = Wrapper(lowered, keeps=keeps)
    if config.max_autotune or config.max_autotune_pointwise or config.coordinate_descent_tuning:
        chosen = best_forms(wrapper)
        if chosen:
            wrapper = Wrapper(lowered, chosen, keeps)
    debug.compiled(module, values, wrapper)
    return wrapper


def _uncompiled(module):
    """The graph call by call."""

    def run(args):
        values = list(args)
        args.clear()
        return list(module.forward(*values))

    run._boxed_call = True
    return run


def _by_numbers(module):
    """A graph with numbers among its inputs, compiled anew for other numbers and sizes."""
    known = {}

    def run(args):
        key = tuple([tuple(map(int, x.shape)) if isinstance(x, Tensor) else x for x in args])
        found = known.get(key)
        if found is None:
            values = [int(x) if isinstance(x, int) and not isinstance(x, bool) else x for x in args]
            found = known[key] = _compiled(_Resized(module).seen(values), values)
        return found(args)

    run._boxed_call = True
    return run


class _Resized(Interpreter):
    """Runs a graph on fakes of other sizes, and notes what each node gives."""

    def seen(self, values):
        fakes = [x for x in values if isinstance(x, FakeTensor)]
        mode = fakes[0].fake_mode if fakes else FakeTensorMode(allow_non_fake_inputs=True)
        with mode:
            self.run(*[mode.from_tensor(x) if type(x) is Tensor else x for x in values])
        return self.module

    def run_node(self, n):
        found = super().run_node(n)
        if any(isinstance(t, Tensor) for t in pytree.tree_leaves(found)):
            n.meta["val"] = found
        return found
