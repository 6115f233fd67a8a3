"""torch.autograd: backward, grad, Function, gradient modes, gradcheck, and the graph's public names."""
from .._backend.backward import prepare_grads, run
from .._tensor.tensor import Tensor


def _many(x):
    return (x,) if isinstance(x, Tensor) else tuple(x)


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Add the gradients of `tensors` to the leaves' .grad (only to `inputs`, if given).

    grad_tensors: the gradients to start from; None for a scalar means 1.
    """
    tensors = _many(tensors)
    if grad_tensors is None:
        grad_tensors = (None,) * len(tensors)
    grads = prepare_grads(tensors, _many(grad_tensors))
    keep = create_graph if retain_graph is None else retain_graph
    edges = [t._n for t in tensors]
    if inputs is None:
        run(edges, grads, keep, create_graph)
        return
    inputs = _many(inputs)
    if not inputs:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    for i, t in enumerate(inputs):
        if t._n is None:
            raise RuntimeError(f"One of the differentiated Tensors does not require grad")
    found = run(edges, grads, keep, create_graph, [t._n for t in inputs])
    for t, g in zip(inputs, found):
        if g is not None:
            g = g if create_graph else g.detach().clone()
            t.grad = g if t.grad is None else t.grad + g


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None,
         is_grads_batched=False, materialize_grads=False):
    """The gradients of the sum of `outputs` with respect to `inputs`, as a tuple.

    allow_unused: None instead of an error for inputs that outputs do not depend on; materialize_grads: zeros for them.
    """
    outputs, inputs = _many(outputs), _many(inputs)
    if materialize_grads:
        if allow_unused is False:
            raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                             "allow_unused=False.")
        allow_unused = True
    if grad_outputs is None:
        grad_outputs = (None,) * len(outputs)
    keep = create_graph if retain_graph is None else retain_graph
    for t in inputs:
        if t._n is None:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    grads = prepare_grads(outputs, _many(grad_outputs))
    found = run([t._n for t in outputs], grads, keep, create_graph, [t._n for t in inputs])
    if not allow_unused and any(g is None for g in found):
        raise RuntimeError("One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True "
                           "if this is the desired behavior.")
    if materialize_grads:
        from .._func.gfunc import zeros_like
        found = [zeros_like(t) if g is None else g for t, g in zip(inputs, found)]
    return tuple(found)


def _tensor_backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """backward(gradient=None): add the gradients of self to the leaves' .grad."""
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


Tensor.backward = _tensor_backward
