"""AOTAutograd: a function compiled ahead of its gradients, as a forward and a backward graph of ATen calls."""

from .._base.state import grad_enabled
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..fx.graph_module import GraphModule
from ..nn.modules.module import Module
from .joint import traced
from .partitioners import default_partition
from .runtime import compiled

__all__ = [
    "aot_function",
    "aot_module",
    "aot_module_simplified",
    "make_boxed_compiler",
    "make_boxed_func",
]


def make_boxed_func(f):
    """make_boxed_func(f) -> g that takes one list, which it may empty while it runs."""

    def g(args):
        return f(*args)

    g._boxed_call = True
    return g


def make_boxed_compiler(compiler):
    """make_boxed_compiler(compiler) -> a compiler whose results are boxed."""

    def f(fx_g, inps):
        return make_boxed_func(compiler(fx_g, inps))

    return f


def _compile(function, inputs, fw_compiler, bw_compiler, partition_fn, decompositions, inference_compiler):
    """What does function(*inputs), a list of leaves, from here on."""
    found = traced(function, inputs, decompositions, grad_enabled())
    values = len(found.plan.live)
    if not any(found.plan.wants):
        return compiled(found.plan, (inference_compiler or fw_compiler)(found.module, inputs), None)
    forward, backward = partition_fn(
        found.module, (inputs, found.tangents), num_fwd_outputs=values, boundary=found.boundary
    )
    holes = [n.meta["val"] for n in backward.graph.nodes if n.op == "placeholder"]
    return compiled(found.plan, fw_compiler(forward, inputs), bw_compiler(backward, holes))


def _key(inputs):
    """What a compiled function was made for."""
    return tuple(
        [
            (tuple(t.shape), t.stride(), t.dtype, t.device, t.requires_grad) if isinstance(t, Tensor) else t
            for t in inputs
        ]
    )


def aot_function(
    fn,
    fw_compiler,
    bw_compiler=None,
    partition_fn=default_partition,
    decompositions=None,
    num_params_buffers=0,
    keep_inference_input_mutations=False,
    inference_compiler=None,
    *,
    dynamic=False,
    enable_log=True,
    disable_functionalization=False,
):
    """aot_function(fn, fw_compiler, bw_compiler=fw_compiler, ...) -> f: fn, compiled on its first call for those inputs.

    A compiler is f(graph module, example inputs) -> callable. partition_fn cuts the joint graph; decompositions:
    {overload: function of other ops}.
    """
    known = {}

    def f(*args, **kwargs):
        leaves, structure = pytree.tree_flatten((args, kwargs))
        key = (*_key(leaves), str(structure), grad_enabled())
        if key not in known:

            def flat(*inputs):
                given, named = pytree.tree_unflatten(list(inputs), structure)
                return fn(*given, **named)

            known[key] = _compile(
                flat, leaves, fw_compiler, bw_compiler or fw_compiler, partition_fn, decompositions, inference_compiler
            )
        return known[key](*leaves)

    return f


def aot_module(mod, *args, **kwargs):
    """aot_module(module, fw_compiler, ...) -> Module: its call, compiled, with its parameters and buffers as inputs."""
    from ..func import functional_call

    named = lambda: {**dict(mod.named_parameters()), **dict(mod.named_buffers())}  # noqa: E731
    f = aot_function(lambda state, *given, **more: functional_call(mod, state, given, more), *args, **kwargs)

    class AOTModule(Module):
        def __init__(self):
            super().__init__()
            self.orig_module = mod

        def forward(self, *given, **more):
            return f(named(), *given, **more)

    return AOTModule()


def aot_module_simplified(
    mod,
    args,
    fw_compiler,
    bw_compiler=None,
    partition_fn=default_partition,
    decompositions=None,
    keep_inference_input_mutations=False,
    inference_compiler=None,
    **_,
):
    """aot_module_simplified(graph module, inputs, fw_compiler, ...) -> f(*inputs): for backends of torch.compile."""
    state = {**dict(mod.named_parameters(remove_duplicate=False)), **dict(mod.named_buffers(remove_duplicate=False))}
    names = list(state)
    from ..func import functional_call

    def flat(*inputs):
        given = dict(zip(names, inputs[: len(names)]))
        return functional_call(mod, given, tuple(inputs[len(names) :]))

    leaves = [*state.values(), *args]
    run = _compile(flat, leaves, fw_compiler, bw_compiler or fw_compiler, partition_fn, decompositions, inference_compiler)

    def forward(*inputs):
        return run(*state.values(), *inputs)

    forward.named_parameters, forward.named_buffers = mod.named_parameters, mod.named_buffers
    return forward


_ = GraphModule
