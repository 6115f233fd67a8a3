"""backward and grad: torch's two ways to ask for gradients."""

from .._backend.backward import prepare_grads, run, run_scalar
from .._backend.graph import AccumulateGrad, NoGradView
from .._backend.overrides import PLAIN, ask_overrides
from .._backend.registry import FUNCTIONS
from .._base.state import UNUSUAL, local
from .._modes.vmap import map_batch
from .._tensor.tensor import Tensor
from .graph import GradientEdge


def _overridable(x):
    """What may have a __torch_function__ among outputs or inputs: one of them, or a sequence."""
    return (x,) if isinstance(x, GradientEdge) or hasattr(type(x), "__torch_function__") else tuple(x)


def _many(x):
    return (x,) if isinstance(x, (Tensor, GradientEdge)) else tuple(x)


def _edge(x):
    """The graph's edge behind a tensor or a GradientEdge."""
    e = x.as_edge() if isinstance(x, GradientEdge) else x._node
    if e is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return NoGradView() if e.__class__ is NoGradView else e  # one that no walk comes to


def _roots(tensors, grads):
    """Where a walk begins, tensors for GradientEdges among them."""
    if len(tensors) != len(grads):
        return tensors
    return tuple([t.stand_in(g) if isinstance(t, GradientEdge) else t for t, g in zip(tensors, grads)])


def backward(
    tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None
) -> None:
    """Add the gradients of `tensors` to the leaves' .grad (only to `inputs`, if given).

    grad_tensors: the gradients to start from; None for a scalar means 1.
    """
    tensors = _many(tensors)
    if local.transforms:
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
            "functorch.vjp instead or call backward() outside of functorch transforms."
        )
    if inputs is not None and not _many(inputs):
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    if grad_tensors is None:
        grad_tensors = (None,) * len(tensors)
    grad_tensors = _many(grad_tensors)
    tensors = _roots(tensors, grad_tensors)
    grads = prepare_grads(tensors, grad_tensors)
    keep = create_graph if retain_graph is None else retain_graph
    edges = [t._node for t in tensors]
    if inputs is None:
        run(edges, grads, keep, create_graph)
        return
    inputs = _many(inputs)
    found = run(edges, grads, keep, create_graph, [_edge(t) for t in inputs])
    for t, g in zip(inputs, found):
        if isinstance(t, GradientEdge):
            t = t.node.target() if t.node.__class__ is AccumulateGrad else None  # nobody has the gradient of another
        if g is not None and t is not None:
            g = g if create_graph else g.detach().clone()
            t.grad = g if t.grad is None else t.grad + g


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
) -> tuple[Tensor, ...]:
    """The gradients of the sum of `outputs` with respect to `inputs`, as a tuple.

    allow_unused: None instead of an error for inputs that outputs do not depend on; materialize_grads: zeros for them.
    """
    if UNUSUAL or type(outputs) not in PLAIN or type(inputs) not in PLAIN:
        options = dict(
            allow_unused=allow_unused, is_grads_batched=is_grads_batched, materialize_grads=materialize_grads
        )
        options = dict(retain_graph=retain_graph, create_graph=create_graph, only_inputs=only_inputs) | options
        relevant = [*_overridable(outputs), *_overridable(inputs)]
        handled, result = ask_overrides(grad, relevant, (outputs, inputs), {"grad_outputs": grad_outputs} | options)
        if handled:
            return result
    outputs, inputs = _many(outputs), _many(inputs)
    if materialize_grads:
        if allow_unused is False:
            raise ValueError(
                "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                "allow_unused=False."
            )
        if any(isinstance(t, GradientEdge) for t in inputs):
            raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
        allow_unused = True
    if grad_outputs is None:
        grad_outputs = (None,) * len(outputs)
    keep = create_graph if retain_graph is None else retain_graph
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    edges = [_edge(t) for t in inputs]
    grad_outputs = _many(grad_outputs)
    if is_grads_batched:
        return _batched(outputs, inputs, grad_outputs, keep, create_graph, allow_unused, materialize_grads)
    outputs = _roots(outputs, grad_outputs)
    grads = prepare_grads(outputs, grad_outputs)
    found = run([t._node for t in outputs], grads, keep, create_graph, edges)
    if not allow_unused and None in (missing := [None if g is None else 0 for g in found]):
        raise RuntimeError(
            f"The differentiated Tensor at index {missing.index(None)} appears to not have been used in the "
            "graph. Set allow_unused=True if this is the desired behavior."
        )
    if materialize_grads:
        found = [FUNCTIONS["zeros_like"](t) if g is None else g for t, g in zip(inputs, found)]
    return tuple(found)


def _batched(outputs, inputs, grad_outputs, keep, create_graph, allow_unused, materialize_grads):
    """One gradient per slice of grad_outputs along dimension 0, as one batch."""
    if any(g is None for g in grad_outputs):
        raise RuntimeError("grad_outputs must be given, with a leading batch dimension, when is_grads_batched=True")

    def pull(*seeds):
        more = dict(allow_unused=allow_unused, materialize_grads=materialize_grads)
        return grad(outputs, inputs, seeds, keep, create_graph, **more)

    return map_batch(pull, grad_outputs, len(grad_outputs[0]))


def _tensor_backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """backward(gradient=None): add the gradients of self to the leaves' .grad."""
    n, k = self._node, self._table
    if (
        gradient is inputs is None
        and not create_graph
        and not retain_graph
        and type(self) in PLAIN
        and (
            n is not None
            and n.__class__ is not AccumulateGrad
            and k.inexact
            and not (k.is_complex or k.is_transform or local.transforms)
            and self._array.size == 1
        )
    ):
        run_scalar(self)
        return
    if UNUSUAL or type(self) not in PLAIN:
        handled, result = ask_overrides(
            Tensor.backward,
            (self,),
            (self,),
            {"gradient": gradient, "retain_graph": retain_graph, "create_graph": create_graph, "inputs": inputs},
        )
        if handled:
            return
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


Tensor.backward = _tensor_backward
