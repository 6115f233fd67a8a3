"""gradcheck and gradgradcheck: the graph's gradients against finite differences."""

import itertools

from .._backend.registry import FUNCTIONS
from .._base import dtype as dtypes
from .._tensor.tensor import Tensor
from .engine import grad
from .grad_mode import enable_grad


class GradcheckError(RuntimeError):
    """What gradcheck raises when gradients disagree."""


def _tensors(x):
    return (x,) if isinstance(x, Tensor) else tuple(x)


def _differentiable(outputs):
    return [o for o in _tensors(outputs) if isinstance(o, Tensor) and o.requires_grad]


def get_numerical_jacobian(fn, inputs, target, eps):
    """For each output, the (numel(target), numel(output)) table of central differences in `target`'s elements."""
    flat = target.data.view(-1) if target.is_contiguous() else None
    columns = []
    count = target.numel()
    steps = [eps] if not target.is_complex() else [eps, eps * 1j]
    for i in range(count):
        per_step = []
        for step in steps:
            where = _unravel(i, target.shape) if flat is None else i
            cell = target.data if flat is None else flat
            before = cell[where].item()
            outs = []
            for s in (step, -step):
                cell[where] = before + s
                with enable_grad():  # fn may itself differentiate
                    outs.append([o.detach().clone() for o in _tensors(fn(*inputs)) if isinstance(o, Tensor)])
            cell[where] = before
            per_step.append([(a - b) / (2 * eps) for a, b in zip(*outs)])
        columns.append(per_step)
    return columns


def _unravel(i, shape):
    where = []
    for n in reversed(shape):
        where.append(i % n)
        i //= n
    return tuple(reversed(where))


def _analytical(output, target, nondet_tol):
    """The gradient of each element of output in target: a list of Tensors, by back-propagating unit vectors."""
    rows = []
    units = [1.0] if not output.is_complex() else [1.0, 1j]
    for i in range(output.numel()):
        per_unit = []
        for unit in units:
            seed = FUNCTIONS["zeros_like"](output)
            seed[_unravel(i, output.shape)] = unit
            (g,) = grad(output, target, seed, retain_graph=True, allow_unused=True)
            (again,) = grad(output, target, seed, retain_graph=True, allow_unused=True)
            if (
                g is not None
                and nondet_tol is not None
                and not FUNCTIONS["allclose"](g, again, rtol=0.0, atol=nondet_tol, equal_nan=True)
            ):
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple "
                    "times gives different values, although analytical gradient matches numerical gradient. The "
                    f"tolerance for nondeterminism was {nondet_tol}."
                )
            per_unit.append(FUNCTIONS["zeros_like"](target) if g is None else g.detach())
        rows.append(per_unit)
    return rows


def _check_inputs(inputs, raise_exception):
    any_grad = False
    for i, x in enumerate(inputs):
        if not isinstance(x, Tensor) or not x.requires_grad:
            continue
        any_grad = True
        if x.dtype not in (dtypes.float64, dtypes.complex128):
            import warnings

            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=4,
            )
        if any(n > 1 and s == 0 for n, s in zip(x.shape, x.stride())):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not any_grad:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def gradcheck(
    func,
    inputs,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    raise_exception=True,
    nondet_tol=0.0,
    check_undefined_grad=True,
    check_grad_dtypes=False,
    check_batched_grad=False,
    check_batched_forward_grad=False,
    check_forward_ad=False,
    check_backward_ad=True,
    fast_mode=False,
    masked=None,
):
    """gradcheck(func, inputs) -> bool: do the gradients of func agree with central differences, element by element?

    inputs: a tensor or a tuple; those that require a gradient should be float64. Raises GradcheckError, or returns
    False with raise_exception=False.
    """
    inputs = _tensors(inputs)
    try:
        _check_inputs(inputs, raise_exception)
        _check(func, inputs, eps, atol, rtol, nondet_tol, check_grad_dtypes)
        if check_undefined_grad:
            _check_undefined(func, inputs)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check(func, inputs, eps, atol, rtol, nondet_tol, check_grad_dtypes):
    with enable_grad():
        outputs = [o for o in _tensors(func(*inputs)) if isinstance(o, Tensor)]
    live = [i for i, o in enumerate(outputs) if o.requires_grad]
    for i, x in enumerate(inputs):
        if not isinstance(x, Tensor) or not x.requires_grad:
            continue
        numeric = get_numerical_jacobian(func, inputs, x, eps)
        for j, o in enumerate(outputs):
            if j not in live:
                for steps in numeric:
                    if any(bool((s[j] != 0).any()) for s in steps if s[j].is_floating_point() or s[j].is_complex()):
                        raise GradcheckError("Numerical gradient for function expected to be zero")
                continue
            exact = _analytical(o, x, nondet_tol)
            _compare(numeric, exact, o, x, i, j, atol, rtol)


def _compare(numeric, exact, output, target, i, j, atol, rtol):
    """d(output element)/d(target element), real and imaginary parts apart."""
    for row, col in itertools.product(range(output.numel()), range(target.numel())):
        out_at, in_at = _unravel(row, output.shape), _unravel(col, target.shape)
        for part, g in enumerate(exact[row]):
            got = g[in_at].item()
            steps = [s[j][out_at].item() for s in numeric[col]]
            # gradient convention: for a real loss L = Re(conj(unit) * output), g = dL/dRe(x) + i dL/dIm(x)
            pick = (lambda v: complex(v).real) if part == 0 else (lambda v: complex(v).imag)
            want = pick(steps[0]) if len(steps) == 1 else complex(pick(steps[0]), pick(steps[1]))
            if abs(got - want) > atol + rtol * abs(want) and not (got != got and want != want):
                raise GradcheckError(
                    f"Jacobian mismatch for output {j} with respect to input {i},\nnumerical:{want}\nanalytical:{got}\n"
                    f"at output element {out_at}, input element {in_at}"
                )


def _check_undefined(func, inputs):
    """backward must accept missing gradients for some of several outputs."""
    outputs = _differentiable(func(*inputs))
    if not outputs:
        raise RuntimeError("no Tensors requiring grad found in input")
    grads = [FUNCTIONS["zeros_like"](o) for o in outputs]
    targets = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
    for k in range(len(outputs) if len(outputs) > 1 else 0):
        found = grad(
            outputs[:k] + outputs[k + 1 :], targets, grads[:k] + grads[k + 1 :], retain_graph=True, allow_unused=True
        )
        if any(g is not None and not bool((g == 0).all()) for g in found):
            raise GradcheckError(
                "Expected all inputs' gradients to be None or zeros when an output's gradient is undefined"
            )


def gradgradcheck(
    func,
    inputs,
    grad_outputs=None,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    gen_non_contig_grad_outputs=False,
    raise_exception=True,
    nondet_tol=0.0,
    check_undefined_grad=True,
    check_grad_dtypes=False,
    check_batched_grad=False,
    check_fwd_over_rev=False,
    check_rev_over_rev=True,
    fast_mode=False,
    masked=False,
):
    """gradgradcheck(func, inputs) -> bool: do the second derivatives agree with differences of the first?"""
    inputs = _tensors(inputs)
    outputs = _differentiable(func(*inputs))
    if grad_outputs is None:
        grad_outputs = [FUNCTIONS["randn_like"](o).detach().requires_grad_() for o in outputs]
    else:
        grad_outputs = list(_tensors(grad_outputs))
    n = len(grad_outputs)
    wanted = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]

    def first(*args):
        args, seeds = args[:-n], args[-n:]
        outs = _differentiable(func(*args))
        found = grad(outs, [args[i] for i in wanted], seeds, create_graph=True, allow_unused=True)
        return tuple([g for g in found if g is not None])

    return gradcheck(
        first,
        (*inputs, *grad_outputs),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
    )
