"""autograd_function_apply: a call of an autograd.Function whose forward and backward were read as graphs."""

import weakref

from .._backend.overrides import ask_overrides
from .._base.state import UNUSUAL, local
from ..autograd.function import Function, once_differentiable
from ..autograd.grad_mode import _set_grad_enabled
from .higher_order_operator import HigherOrderOperator


class AutogradFunctionApply(HigherOrderOperator):
    """autograd_function_apply(fwd, bwd, *args, non_differentiable_idx, saved_for_backward_idx) -> tuple of tensors.

    fwd(*args) gives (results, what backward needs); bwd(*gradients, *that) gives a gradient, or None, for each of args.
    The indices tell which results have no gradient or are an argument that forward changed, and what of the second
    part was given to save_for_backward.
    """

    def __init__(self):
        super().__init__("autograd_function_apply")

    def __call__(self, fwd, bwd, *args, **kwargs):
        if UNUSUAL and local.interpreters:
            handled, result = ask_overrides(self, args, (fwd, bwd, *args), kwargs)
            if handled:
                return result
        return _function_of(fwd, bwd, **kwargs).apply(*args)


autograd_function_apply = AutogradFunctionApply()
_functions = weakref.WeakKeyDictionary()  # fwd -> (bwd, indices, Function)


def _function_of(fwd, bwd, non_differentiable_idx=(), saved_for_backward_idx=(), dirty_idx=()):
    """The Function that runs two graphs, made once."""
    indices = tuple(non_differentiable_idx), tuple(saved_for_backward_idx), tuple(dirty_idx)
    known = _functions.get(fwd)
    if known is None or known[0]() is not bwd or known[1] != indices:
        known = _functions[fwd] = weakref.ref(bwd), indices, _made(weakref.ref(fwd), bwd, *indices)
    return known[2]


def _made(fwd, bwd, no_gradient, declared, dirty):
    run = _Differentiable(bwd)

    def forward(ctx, *args):
        results, kept = fwd().forward(*args)
        ctx.save_for_backward(*[kept[i] for i in declared])
        ctx.others = [None if i in declared else x for i, x in enumerate(kept)]
        if dirty:
            ctx.mark_dirty(*[results[i] for i in dirty])
        if no_gradient:
            ctx.mark_non_differentiable(*[results[i] for i in no_gradient])
        return tuple(results)

    def backward(ctx, *grads):
        kept = ctx.others
        if declared:
            kept = list(kept)
            for i, x in zip(declared, ctx.saved_tensors):
                kept[i] = x
        return tuple(run(*grads, *kept))

    name = bwd.meta.get("function_name", "ApplyTemplate")
    if bwd.meta.get("once_differentiable"):
        backward = once_differentiable(backward)
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward), "__module__": __name__}
    return type(name, (Function,), methods)


class _Differentiable:
    """A backward's graph without the nodes around it that switch recording off: a second derivative goes through it, as
    it does where the program runs as Python."""

    def __init__(self, graph_module):
        self.module, self.code, self.run = graph_module, None, None

    def __call__(self, *args):
        if self.code is not self.module.code:  # new, or somebody changed the graph
            self.code, self.run = self.module.code, _without_switches(self.module)
        return self.run.forward(*args)


def _without_switches(module):
    from .. import fx

    graph, values = fx.Graph(), {}
    values["result"] = graph.graph_copy(module.graph, values)
    switches = [node for node in graph.nodes if node.target is _set_grad_enabled]
    if len(switches) > 1 and switches[0].args == (False,) and switches[-1].args == (True,):
        graph.erase_node(switches[0])
        graph.erase_node(switches[-1])
    graph.output(values["result"])
    return fx.GraphModule(module, graph)
