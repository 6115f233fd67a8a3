"""torch.autograd.functional: jacobian, hessian, vjp, jvp, hvp, vhp of functions of tensors."""

from .._backend.registry import FUNCTIONS
from .._modes.vmap import map_batch
from .._tensor.tensor import Tensor
from .engine import grad
from .forward_ad import dual_level, make_dual, unpack_dual
from .grad_mode import enable_grad


def _tuple(value, name, who):
    """(tuple of tensors, was it one)"""
    if isinstance(value, Tensor):
        return (value,), False
    if not isinstance(value, tuple):
        raise TypeError(
            f"The {name} given to {who} must be either a Tensor or a tuple of Tensors but the given {name} has "
            f"type {type(value)}."
        )
    for i, t in enumerate(value):
        if not isinstance(t, Tensor):
            raise TypeError(
                f"The {name} given to {who} must be either a Tensor or a tuple of Tensors but the value at index {i} "
                f"has type {type(t)}."
            )
    return value, True


def _prepared(inputs, create_graph):
    """Fresh variables for the inputs: linked to their own graph when a graph is to be created."""
    return tuple([t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_() for t in inputs])


def _run(func, inputs, who, create_graph):
    inputs, many_in = _tuple(inputs, "inputs", who)
    inputs = _prepared(inputs, create_graph)
    outputs, many_out = _tuple(func(*inputs), "outputs of the user-provided function", who)
    return inputs, many_in, outputs, many_out


def _strict(outputs, inputs, strict, who):
    if strict:
        for i, o in enumerate(outputs):
            if not o.requires_grad:
                raise RuntimeError(
                    f"Output {i} of the user-provided function does not require gradients. The outputs must be "
                    "computed in a differentiable manner from the input when running in strict mode."
                )


def _pull(outputs, inputs, seeds, create_graph, strict=False, batched=False):
    """Gradients of outputs in inputs, zeros where there are none; batched: for each slice of the seeds."""
    live = [(o, s) for o, s in zip(outputs, seeds) if o.requires_grad]
    lead = tuple(seeds[0].shape[:1]) if batched else ()
    if not live:
        return tuple([x.new_zeros(lead + tuple(x.shape)) for x in inputs])
    found = grad(
        [o for o, _ in live],
        inputs,
        [s for _, s in live],
        create_graph=create_graph,
        retain_graph=True,
        allow_unused=True,
        is_grads_batched=batched,
    )
    if strict:
        for i, g in enumerate(found):
            if g is None:
                raise RuntimeError(
                    f"Output of the user-provided function is independent of input {i}. This is not allowed in "
                    "strict mode."
                )
    return tuple([x.new_zeros(lead + tuple(x.shape)) if g is None else g for x, g in zip(inputs, found)])


def _settle(values, create_graph):
    return values if create_graph else tuple([v.detach() for v in values])


def _pick(values, many):
    return values if many else values[0]


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """vjp(func, inputs, v) -> (outputs, v^T J)."""
    with enable_grad():
        inputs, many_in, outputs, many_out = _run(func, inputs, "vjp", create_graph)
        _strict(outputs, inputs, strict, "vjp")
        seeds = _seeds(v, outputs, "vjp", "outputs")
        grads = _pull(outputs, inputs, seeds, create_graph, strict)
    return _pick(_settle(outputs, create_graph), many_out), _pick(_settle(grads, create_graph), many_in)


def _seeds(v, likes, who, what):
    if v is None:
        if len(likes) != 1 or likes[0].numel() != 1:
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a single "
                "element."
                if what == "outputs"
                else "The vector v can only be None if the input to the user-provided function is a single Tensor "
                "with a single element."
            )
        return (FUNCTIONS["ones_like"](likes[0]),)
    vs, _ = _tuple(v, "v", who)
    if len(vs) != len(likes):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(likes)} but got {len(vs)}.")
    for i, (a, b) in enumerate(zip(vs, likes)):
        if a.shape != b.shape:
            raise RuntimeError(
                f"v has invalid size: should be {b.shape} but got {a.shape}."
                if len(vs) == 1
                else f"Entry {i} in v has invalid size: should be {b.shape} but got {a.shape}."
            )
    return vs


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """jvp(func, inputs, v) -> (outputs, J v)."""
    with enable_grad():
        inputs, many_in, outputs, many_out = _run(func, inputs, "jvp", create_graph)
        _strict(outputs, inputs, strict, "jvp")
        vs = _seeds(v, inputs, "jvp", "inputs")
        us = tuple([FUNCTIONS["zeros_like"](o).requires_grad_() for o in outputs])
        pulled = _pull(outputs, inputs, us, True)
        pushed = _pull(pulled, us, vs, create_graph)
    return _pick(_settle(outputs, create_graph), many_out), _pick(_settle(pushed, create_graph), many_out)


def _forward_jacobian(func, inputs, strict, vectorize):
    """The Jacobian by forward mode: all columns of an input in one batch."""
    if strict:
        raise RuntimeError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported '
            'together (yet). Please either set `strict=False` or `strategy="reverse-mode"`.'
        )
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )
    inputs, many_in = _tuple(inputs, "inputs", "jacobian")
    many_out = False

    def pushed(*tangents):
        nonlocal many_out
        outputs, many_out = _tuple(
            func(*[make_dual(x, t) for x, t in zip(inputs, tangents)]),
            "outputs of the user-provided function",
            "jacobian",
        )
        parts = [unpack_dual(o) for o in outputs]
        return tuple([FUNCTIONS["zeros_like"](p) if t is None else t for p, t in parts])

    sizes = [x.numel() for x in inputs]
    with dual_level():
        columns = map_batch(pushed, _units(inputs, sizes), sum(sizes), -1)
    rows = []
    for column in columns:
        parts = [part.reshape(*part.shape[:-1], *x.shape) for part, x in zip(column.split(sizes, -1), inputs)]
        rows.append(parts if many_in else parts[0])
    return (rows if many_in else tuple(rows)) if many_out else rows[0]


def _units(inputs, sizes):
    """For each input a batch of tangents: the unit vectors of the space of all inputs, along dimension 0."""
    made = []
    for i, (x, n) in enumerate(zip(inputs, sizes)):
        blocks = [
            FUNCTIONS["eye"](n, dtype=x.dtype, device=x.device) if j == i else x.new_zeros((m, n))
            for j, m in enumerate(sizes)
        ]
        made.append(FUNCTIONS["cat"](blocks).reshape(sum(sizes), *x.shape))
    return made


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """jacobian(func, inputs) -> the derivatives of every output element: shape (*output, *input) for each pair."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(
                'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not '
                "supported together (yet). Please either set `create_graph=False` or "
                '`strategy="reverse-mode"`.'
            )
        return _forward_jacobian(func, inputs, strict, vectorize)
    if strict and vectorize:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
            "Please either set `strict=False` or `vectorize=False`."
        )
    with enable_grad():
        inputs, many_in, outputs, many_out = _run(func, inputs, "jacobian", create_graph)
        _strict(outputs, inputs, strict, "jacobian")
        rows = []
        for o in outputs:
            if vectorize:
                units = FUNCTIONS["eye"](o.numel(), dtype=o.dtype, device=o.device).reshape(o.numel(), *o.shape)
                pulled = _pull([o], inputs, [units], create_graph, batched=True)
                row = tuple([g.reshape(*o.shape, *x.shape) for g, x in zip(pulled, inputs)])
                rows.append(_pick(_settle(row, create_graph), many_in))
                continue
            per_element = [
                _pull([o.reshape(-1)[i]], inputs, [FUNCTIONS["ones_like"](o.reshape(-1)[i])], create_graph, strict)
                for i in range(o.numel())
            ]
            row = tuple(
                [
                    FUNCTIONS["stack"](list(column)).reshape(*o.shape, *x.shape)
                    if per_element
                    else FUNCTIONS["zeros"]((*o.shape, *x.shape), dtype=x.dtype)
                    for column, x in zip(zip(*per_element) if per_element else [()] * len(inputs), inputs)
                ]
            )
            rows.append(_pick(_settle(row, create_graph), many_in))
    return _pick(tuple(rows), many_out)


def _scalar(func, who):
    def checked(*xs):
        out = func(*xs)
        if not isinstance(out, Tensor):
            raise RuntimeError(f"The function given to {who} should return a single Tensor")
        if out.numel() != 1:
            raise RuntimeError(f"The Tensor returned by the function given to {who} should contain a single element")
        return out.reshape(())

    return checked


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """hessian(func, inputs) -> the second derivatives of a scalar function, one block per pair of inputs."""
    many = not isinstance(inputs, Tensor)
    checked = _scalar(func, "hessian")

    def first(*xs):
        if outer_jacobian_strategy == "forward-mode":  # so that their tangents are not cut off
            xs = tuple([x.requires_grad_() for x in xs])
        got = jacobian(checked, xs, create_graph=True)
        return got if many else got[0]

    return jacobian(first, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """vhp(func, inputs, v) -> (output, v^T H)."""
    with enable_grad():
        inputs, many_in, outputs, _ = _run(_scalar(func, "vhp"), inputs, "vhp", create_graph)
        _strict(outputs, inputs, strict, "vhp")
        vs = _seeds(v, inputs, "vhp", "inputs")
        first = _pull(outputs, inputs, [FUNCTIONS["ones_like"](outputs[0])], True, strict)
        second = _pull(first, inputs, vs, create_graph, strict)
    return _settle(outputs, create_graph)[0], _pick(_settle(second, create_graph), many_in)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """hvp(func, inputs, v) -> (output, H v)."""
    with enable_grad():
        inputs, many_in, outputs, _ = _run(_scalar(func, "hvp"), inputs, "hvp", create_graph)
        _strict(outputs, inputs, strict, "hvp")
        vs = _seeds(v, inputs, "hvp", "inputs")
        first = _pull(outputs, inputs, [FUNCTIONS["ones_like"](outputs[0])], True, strict)
        us = tuple([FUNCTIONS["zeros_like"](x).requires_grad_() for x in inputs])
        pulled = _pull(first, inputs, us, True)
        second = _pull(pulled, us, vs, create_graph)
    return _settle(outputs, create_graph)[0], _pick(_settle(second, create_graph), many_in)
