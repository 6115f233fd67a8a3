"""gradcheck and gradgradcheck: the graph's gradients against finite differences."""

import dataclasses
import warnings

from .._backend.registry import FUNCTIONS
from .._base import dtype as dtypes
from .._base.promotion import promote_types
from .._func.creation.generator import Generator
from .._modes.vmap import vmap
from .._tensor.tensor import Tensor
from . import finite_differences as differences
from .engine import grad
from .finite_differences import tensors, wanted
from .function import Function


class GradcheckError(RuntimeError):
    """What gradcheck raises when gradients disagree."""


_BATCHED_HELP = """
The gradients of a batch of vectors, taken at once by vmap, must be those of the vectors one by one. The usual cause is
an operation in the backward (or jvp) that vmap cannot batch. `check_batched_grad=False` (for forward mode
`check_batched_forward_grad=False`) leaves this check out.
""".strip()
_UNDEFINED_HELP = (
    'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml" of torch\'s sources'
)


@dataclasses.dataclass
class _Check:
    """A function, its inputs and results, and how near is near enough."""

    func: object
    inputs: tuple
    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool
    fast_mode: bool
    part: str = ""  # "real" or "imag" where complex outputs (or, in forward mode, inputs) are looked at in parts
    complex_at: tuple = ()  # the outputs (inputs) of which it is the part

    def run(self):
        """All results of the function, and those that require a gradient."""
        found = self.func(*self.inputs)
        self.results = tensors(found)
        self.outputs = [o for o in self.results if o.requires_grad]
        return self

    def of_part(self, func, inputs, part, complex_at):
        return dataclasses.replace(self, func=func, inputs=inputs, part=part, complex_at=complex_at).run()

    def mismatch(self, exact, numeric, output, input, forward):
        """torch's text for gradients that disagree."""
        at, element = (input, "inputs") if forward else (output, "outputs")
        part = {"imag": "imaginary"}.get(self.part, self.part)
        prefix = f"While considering the {part} part of complex {element} only, " if at in self.complex_at else ""
        mode = "computed with forward mode " if forward else ""
        return (
            f"{prefix}Jacobian {mode}mismatch for output {output} with respect to input {input},\n"
            f"numerical:{numeric}\nanalytical:{exact}\n"
        )

    def numeric(self, index):
        """The tables of central differences for the results that require a gradient (for all where none does)."""
        found = differences.numerical_jacobians(self.func, self.inputs, index, self.results, self.eps)
        return self._live(found)

    def _live(self, found):
        return [f for f, o in zip(found, self.results) if o.requires_grad] if self.outputs else found


def _near(exact, numeric, rtol, atol):
    common = promote_types(exact.dtype, numeric.dtype)
    return bool(FUNCTIONS["allclose"](exact.to(common), numeric.to(common), rtol, atol))


# ---- whole Jacobians


def _constant(tables, tol=0.0):
    """Raise where a function without differentiable outputs depends on its inputs."""
    if any(bool((t.abs() > tol).any()) for t in tables):
        raise GradcheckError("Numerical gradient for function expected to be zero")


def _slow(check, forward):
    live = wanted(check.inputs)
    numeric = [check.numeric(i) for i in live]
    if not check.outputs:
        for tables in numeric:
            _constant(tables)
        return
    if forward:
        for n, i in enumerate(live):
            exact, agree = differences.forward_jacobians(check.func, check.inputs, i, check.results)
            _forward_types(check, agree)
            for j, table in enumerate(check._live(exact)):
                if not _near(table, numeric[n][j], check.rtol, check.atol):
                    raise GradcheckError(check.mismatch(table, numeric[n][j], j, n, forward))
        return
    for j, o in enumerate(check.outputs):
        for n, table in enumerate(_backward_jacobians(check, o)):
            if not _near(table, numeric[n][j], check.rtol, check.atol):
                raise GradcheckError(check.mismatch(table, numeric[n][j], j, n, forward))


def _forward_types(check, agree):
    if check.check_grad_dtypes and not agree:
        raise GradcheckError("Forward AD gradient has dtype mismatch.")


def _backward_jacobians(check, output):
    """The graph's tables for one output, taken twice."""
    rows = differences.Rows(check.inputs, output)
    return _as_they_should_be(check, rows, rows.jacobians(), rows.jacobians())


def _as_they_should_be(check, rows, first, again):
    """The first of two runs; raises GradcheckError for types, sizes, and runs that differ."""
    if check.check_grad_dtypes and not rows.types_agree:
        raise GradcheckError("Gradient has dtype mismatch")
    if not rows.sizes_agree:
        raise GradcheckError("Analytical gradient has incorrect size")
    if any(a.numel() and float((a - b).abs().max()) > check.nondet_tol for a, b in zip(first, again)):
        raise GradcheckError(
            "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
            "different values, although analytical gradient matches numerical gradient."
            f"The tolerance for nondeterminism was {check.nondet_tol}."
        )
    return first


# ---- in one direction


def _fast(check, forward):
    """v J u for random u and v: one run for each input or output instead of one for each element."""
    generator, live = Generator(), wanted(check.inputs)
    u = [differences.directions(check.inputs[i], generator) for i in live]
    v = [] if forward else [differences.direction(o, generator) for o in check.outputs]
    numeric = [
        check._live(differences.numerical_products(check.func, check.inputs, i, way, check.eps))
        for i, way in zip(live, u)
    ]
    if not check.outputs:
        if not forward:
            _constant([p for products in numeric for both in products for p in both], check.nondet_tol)
        return
    if forward:
        numeric = [[p[0] for p in products] for products in numeric]
        exact = [_forward_products(check, i, way[0]) for i, way in zip(live, u)]
    else:
        numeric = [[_complex(p @ w for p in products) for products, w in zip(row, v)] for row in numeric]
        rows = [_backward_products(check, o, w) for o, w in zip(check.outputs, v)]
        exact = [[_along(row[n], way) for row in rows] for n, way in enumerate(u)]
    for n, way in enumerate(u):
        for j in range(len(check.outputs)):
            room = check.atol * sum(float(w.sum()) for w in way) * (float(v[j].sum()) if v else 1.0)
            if not _near(exact[n][j], numeric[n][j], check.rtol, room):
                told = check.mismatch(exact[n][j], numeric[n][j], j, n, forward)
                raise GradcheckError(told + _in_full(check, n, j, forward))


def _complex(parts):
    """A real and an imaginary part as one, or what is there."""
    first, *rest = parts
    return FUNCTIONS["complex"](first, *rest) if rest else first


def _along(gradient, way):
    return _complex(part @ w.to(part.dtype) for part, w in zip(_parts(gradient), way))


def _parts(g):
    return (g.real, g.imag) if g.is_complex() else (g,)


def _backward_products(check, output, v):
    rows = differences.Rows(check.inputs, output)
    return _as_they_should_be(check, rows, rows.products(v), rows.products(v))


def _forward_products(check, index, u):
    tangent = u.reshape(check.inputs[index].shape)
    (results,) = differences.forward_products(check.func, check.inputs, index, [tangent])
    _forward_types(check, all(t is None or p.is_complex() == t.is_complex() for p, t in results))
    return check._live([(FUNCTIONS["zeros_like"](p) if t is None else t).reshape(-1) for p, t in results])


def _in_full(check, n, j, forward):
    """What the whole Jacobians say about a product that disagrees."""
    index = wanted(check.inputs)[n]
    numeric = check.numeric(index)[j]
    if forward:
        exact = check._live(differences.forward_jacobians(check.func, check.inputs, index, check.results)[0])[j]
    else:
        exact = differences.Rows(check.inputs, check.outputs[j]).jacobians()[n]
    text = (
        "\nThe above quantities relating the numerical and analytical jacobians are computed \nin fast mode. See: "
        "https://github.com/pytorch/pytorch/issues/53876 for more background \nabout fast mode. Below, we recompute "
        f"numerical and analytical jacobians in slow mode:\n\nNumerical:\n {numeric}\nAnalytical:\n{exact}\n\n"
        f"The max per-element difference (slow mode) is: {(numeric - exact).abs().max()}.\n"
    )
    if _near(exact, numeric, check.rtol, check.atol):
        text += (
            "Fast gradcheck failed but element-wise differences are small. This means that the test might've passed in "
            "slow_mode! `fast_mode=False` runs that."
        )
    return text


# ---- batches, undefined gradients


def _batched_backward(inputs, output, j):
    """vmap over backward gives what backward gives one by one."""
    targets = [inputs[i] for i in wanted(inputs)]

    def product(v):
        found = grad((output,), targets, (v,), retain_graph=True, allow_unused=True)
        return tuple([FUNCTIONS["zeros"](x.shape, dtype=x.dtype) if g is None else g for g, x in zip(found, targets)])

    vectors = [FUNCTIONS["randn_like"](output) for _ in range(2)]
    for n, (got, want) in enumerate(_batch_and_loop(product, vectors)):
        _compare_batch(got, want, j, n)


def _batched_forward(func, inputs):
    """vmap over forward mode gives what it gives one by one."""
    for n, i in enumerate(wanted(inputs)):

        def product(tangent, i=i):
            (found,) = differences.forward_products(func, inputs, i, [tangent])
            return tuple([FUNCTIONS["zeros_like"](p) if t is None else t for p, t in found])

        vectors = [FUNCTIONS["randn_like"](inputs[i]) for _ in range(2)]
        for j, (got, want) in enumerate(_batch_and_loop(product, vectors)):
            _compare_batch(got, want, j, n)


def _batch_and_loop(product, vectors):
    one_by_one = [product(v) for v in vectors]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="There is a performance drop")
            at_once = vmap(product)(FUNCTIONS["stack"](vectors))
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{_BATCHED_HELP}") from error
    return zip(at_once, [FUNCTIONS["stack"](parts) for parts in zip(*one_by_one)])


def _compare_batch(got, want, output, input):
    if not FUNCTIONS["allclose"](got, want):
        raise GradcheckError(
            f"For output {output} and input {input}:\n\n{_BATCHED_HELP}\n\nGot:\n{got}\n\nExpected:\n{want}"
        )


def _multiplied_by_gradient(outputs, inputs):
    """No gradient comes of none, and gradients look like what they are of."""
    targets = [inputs[i] for i in wanted(inputs)]
    if not outputs:
        return
    zeros = [FUNCTIONS["zeros_like"](o) for o in outputs]
    for g, x in zip(grad(outputs, targets, zeros, retain_graph=True, allow_unused=True), targets):
        if g is None:
            continue
        if not bool((g == 0).all()):
            raise GradcheckError("backward not multiplied by grad_output")
        for what, one, other in (
            ("type", g.dtype, x.dtype),
            ("device", g.device, x.device),
            ("size", g.shape, x.shape),
        ):
            if one != other:
                raise GradcheckError(f"grad is incorrect {what}")


class _Undefined(Function):
    """Gives x, and backward None."""

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return None


def _undefined_backward(func, inputs):
    """backward accepts missing gradients, of all outputs and of each."""
    targets = [inputs[i] for i in wanted(inputs)]

    def run(undefined):
        outputs = [o for o in tensors(func(*inputs)) if o.requires_grad]
        outputs = [_Undefined.apply(o) if undefined(i) else o for i, o in enumerate(outputs)]
        zeros = [FUNCTIONS["zeros_like"](o) for o in outputs]
        try:
            found = grad(outputs, targets, zeros, allow_unused=True) if outputs else ()
        except RuntimeError as error:
            differences.warn_of_undefined()
            raise GradcheckError(
                f"Expected backward function to handle undefined output grads. {_UNDEFINED_HELP}"
            ) from error
        if any(g is not None and not bool((g == 0).all()) for g in found):
            differences.warn_of_undefined()
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or zero. "
                + _UNDEFINED_HELP
            )
        return len(outputs)

    count = run(lambda i: True)
    for k in range(count if count > 1 else 0):
        run(lambda i, k=k: i == k)


def _undefined_forward(check):
    """A tangent of zeros and a missing one give the same, whatever the others are."""
    generator, live = Generator(), wanted(check.inputs)
    ways = {i: differences.directions(check.inputs[i], generator)[0] for i in live}
    for i in live:
        x, func = check.inputs[i], check.func
        zero, none = [
            differences.mixed_tangents(func, check.inputs, {k: w for k, w in ways.items() if k != i}, more)
            for more in ({i: FUNCTIONS["zeros_like"](x)}, {})
        ]
        for j, (a, b) in enumerate(zip(zero, none)):
            if a is not None and b is not None and not FUNCTIONS["allclose"](a, b):
                raise GradcheckError(
                    f"Mismatch in tangent values for output with index: {j} when input: {x} has an undefined tangent "
                    f"value.  Got: {a} but expected: {b}"
                )


# ---- the two functions


def _check_inputs(inputs):
    live = wanted(inputs)
    for i in live:
        x = inputs[i]
        if x.dtype not in (dtypes.float64, dtypes.complex128):
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
    if not live:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def _as_tuple(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


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
    """gradcheck(func, inputs) -> bool: do the gradients of func agree with central differences?

    inputs: a tensor or a tuple; those that require a gradient should be float64. Each entry of each Jacobian is
    compared, with fast_mode the product with random vectors from both sides. Of a complex output the real and the
    imaginary part are looked at apart. check_forward_ad compares forward mode, check_batched_grad and
    check_batched_forward_grad what vmap gives of both; masked concerns sparse tensors only. Raises GradcheckError where
    something disagrees, or returns False with raise_exception=False; ValueError where no input requires a gradient,
    RuntimeError for an expanded input, AssertionError for options that contradict each other.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    inputs = _as_tuple(inputs)
    try:
        _check_inputs(inputs)
        check = _Check(func, inputs, eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode).run()
        if check_backward_ad:
            _backward(check)
        if check_forward_ad:
            _forward(check, check_undefined_grad)
        if check_batched_forward_grad:
            _batched_forward(func, inputs)
        if check_backward_ad:
            for j, o in enumerate(check.outputs if check_batched_grad else ()):
                _batched_backward(inputs, o, j)
            _multiplied_by_gradient(check.outputs, inputs)
            if check_undefined_grad:
                _undefined_backward(func, inputs)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _backward(check):
    compare = _fast if check.fast_mode else _slow
    if not any(o.is_complex() for o in check.results):
        return compare(check, False)
    at = tuple([j for j, o in enumerate(check.outputs) if o.is_complex()])
    for part in ("imag", "real"):
        compare(check.of_part(differences.part_of_outputs(check.func, part), check.inputs, part, at), False)


def _forward(check, check_undefined_grad):
    compare = _fast if check.fast_mode else _slow
    at = tuple([i for i, x in enumerate(check.inputs) if isinstance(x, Tensor) and x.is_complex()])
    parts = [check]
    if at:
        parts = [
            check.of_part(*differences.part_of_inputs(check.func, check.inputs, part), part, at)
            for part in ("imag", "real")
        ]
    for part in parts:
        compare(part, True)
    for part in parts if check_undefined_grad else ():
        _undefined_forward(part)


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
    """gradgradcheck(func, inputs, grad_outputs=None) -> bool: do the second derivatives agree with differences of the
    first?

    The gradient of func is checked as a function of inputs and of grad_outputs (random where None is given, of strides
    with gaps if gen_non_contig_grad_outputs). Options and errors are gradcheck's.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    for name, given in (("check_undefined_grad", check_undefined_grad), ("check_batched_grad", check_batched_grad)):
        if given and not check_rev_over_rev:
            raise AssertionError(f"Setting {name}=True requires check_rev_over_rev to be True")
    inputs = _as_tuple(inputs)
    if grad_outputs is None:
        outputs = [o for o in tensors(func(*inputs)) if o.requires_grad]
        grad_outputs = tuple([_random_gradient(o, gen_non_contig_grad_outputs) for o in outputs])
    else:
        grad_outputs = _as_tuple(grad_outputs)
    return gradcheck(
        _gradient_of(func, inputs, grad_outputs),
        inputs + grad_outputs,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        masked=masked,
    )


def _random_gradient(output, with_gaps):
    """Uniform in [-1, 1), of the output's shape and type."""
    shape = (*output.shape[:-1], output.shape[-1] * 2) if with_gaps and output.ndim else tuple(output.shape)
    parts = [FUNCTIONS["rand"](shape, dtype=dtypes.float64) * 2 - 1 for _ in (1, 2)[: 1 + output.is_complex()]]
    made = _complex(parts).to(dtype=output.dtype, device=output.device)
    return (made[..., ::2] if with_gaps and output.ndim else made).requires_grad_()


def _gradient_of(func, inputs, grad_outputs):
    """func's gradient as a function of its inputs and of the gradients of its outputs."""
    n = len(grad_outputs)
    live, of_gradients = set(wanted(inputs)), set(wanted(grad_outputs))

    def gradient(*args):
        # Forward mode gives detached tensors.
        given = [x.requires_grad_() if i in live else x for i, x in enumerate(args[: len(args) - n])]
        gradients = [x.requires_grad_() if i in of_gradients else x for i, x in enumerate(args[len(args) - n :])]
        outputs = [o for o in tensors(func(*given)) if o.requires_grad]
        targets = [given[i] for i in sorted(live)]
        found = grad(outputs, targets, gradients, create_graph=True, allow_unused=True)
        return tuple([g for g in found if g is not None])

    return gradient
