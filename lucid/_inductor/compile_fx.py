"""torch._inductor.compile_fx: graphs as kernels, for `torch.compile(backend="inductor")` and by themselves."""

import functools

from .._base.state import in_fresh_thread
from .._base.warn import warn
from .._codegen import build, targets
from .._functorch.aot_autograd import aot_module_simplified
from .._functorch.partitioners import min_cut_rematerialization_partition
from .._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..fx.interpreter import Interpreter
from . import config, debug, graph_cache, passes
from .decomposition import select_decomp_table
from .lowering import Lowered
from .passes import before_autograd
from .plain import facts
from .tuning import best_forms
from .wrapper import Wrapper, attribute_of

__all__ = ["autograd_options", "before_autograd", "compile_fx", "compile_fx_inner"]


def compile_fx(module, example_inputs, inner_compile=None, config_patches=None, decompositions=None, **_):
    """compile_fx(graph module of torch functions, inputs) -> f(*inputs), differentiable."""
    with config.patch(config_patches or {}):
        how = autograd_options(inner_compile or compile_fx_inner)
        if decompositions is not None:
            how["decompositions"] = decompositions
        return aot_module_simplified(before_autograd(module), example_inputs, **how)


def autograd_options(inner=None):
    """What AOTAutograd is told: {"fw_compiler": ...}, of the settings as they are now."""
    inner, name = inner or compile_fx_inner, debug.new_name()
    forward, backward, inference = [
        passes.remembering(inner, f"{name}_{half}") for half in ("forward", "backward", "inference")
    ]
    return {
        "fw_compiler": forward,
        "bw_compiler": backward,
        "inference_compiler": passes.inferring(inference),
        "partition_fn": passes.partitioning(min_cut_rematerialization_partition, name),
        "decompositions": select_decomp_table(),
        "keep_inference_input_mutations": True,
    }


def compile_fx_inner(module, example_inputs, **_):
    """compile_fx_inner(graph module of ATen calls, inputs) -> f([inputs]) -> its outputs, which empties the list.

    Kernels are written as the target of the device says (_codegen/targets.py), on the CPU that of config.cpu_backend,
    or as numpy where that one cannot be run. A graph on a device without a target is run call by call.
    """
    module = passes.after_autograd(module, lambda changed: _Resized(changed).seen(example_inputs))
    device = _device(module, example_inputs)
    target = device and targets.usable(device.type, config.cpu_backend)
    if target is None or config.fallback_by_default:
        return _uncompiled(module)
    if target.name == "numpy" and build.compiler() is None and config.cpu_backend == "cpp":
        build.report(build.NoCompiler())
    if any(not isinstance(x, Tensor) for x in example_inputs):
        return _by_numbers(module, target, device)
    return _compiled(module, list(example_inputs), target, device)


compile_fx_inner.by_layout = True  # strides of the inputs may be any


def _device(module, values):
    """The only device of all tensors of a graph, or None."""
    seen = [*values, *[node.meta.get("val") for node in module.graph.nodes]]
    found = {t.device for t in pytree.tree_leaves(seen) if isinstance(t, Tensor)}
    return found.pop() if len(found) == 1 else None


def _compiled(module, values, target, device):
    """The graph for inputs like these."""
    if device.type == "cpu" and not target.is_usable:  # any more: the compiler was lost
        target = targets.target("numpy")
    try:
        return _made(module, values, target, device).load(functools.partial(attribute_of, module))
    except build.CompileError as why:
        if build.report(why):  # or nothing can be compiled, which that says
            warn(f"a compiled graph runs as Python, since the C compiler refused it: {str(why).splitlines()[0]}")
        return _compiled(module, values, targets.target("numpy"), device)
    except RecursionError:
        warn("a compiled graph runs call by call, since too much in it depends on each other for one kernel")
        return _uncompiled(module)
    except NotImplementedError as why:
        warn(f"a compiled graph runs call by call, since it cannot be written as {target.name}: {why}")
        return _uncompiled(module)


def _made(module, values, target, device):
    """The Made of a graph: kept by a process before this one, or made now."""
    name = graph_cache.name(f"graph for {target.name}", lambda: [graph_cache.graph(module), [*map(facts, values)]])
    found = graph_cache.find_made(name)
    if found is None:
        try:
            found = _wrapped(module, values, target, device).made()
        except RecursionError:  # long chains of bodies are read from a stack of their own
            found = in_fresh_thread(lambda: _wrapped(module, values, target, device).made())
        graph_cache.keep_made(name, found)
    return found


def _wrapped(module, values, target, device):
    """The graph as texts, in the forms that the settings ask for."""
    lowered, keeps = Lowered(module, values, target.words), config.triton.cudagraphs
    wrapper = Wrapper(lowered, target, device, keeps=keeps)
    if target.name == "c" and (
        config.max_autotune or config.max_autotune_pointwise or config.coordinate_descent_tuning
    ):
        chosen = best_forms(wrapper)
        if chosen:
            wrapper = Wrapper(lowered, target, device, chosen, keeps)
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


def _by_numbers(module, target, device):
    """A graph with numbers among its inputs, compiled anew for other numbers and sizes."""
    known = {}

    def run(args):
        key = tuple([tuple(map(int, x.shape)) if isinstance(x, Tensor) else repr(x) for x in args])
        found = known.get(key)
        if found is None:
            values = [int(x) if isinstance(x, int) and not isinstance(x, bool) else x for x in args]
            found = known[key] = _compiled(_Resized(module).seen(values), values, target, device)
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
