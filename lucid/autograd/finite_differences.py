"""Jacobians of a function in four ways, for gradcheck: by differences and by the graph, whole or in one direction.

A Jacobian is a table of (elements of an input, elements of an output). Where the input is complex it has the gradient's
convention, d/dRe + i d/dIm; functions with complex outputs are looked at in parts, so outputs are real there.
"""

import warnings

from .._backend.registry import FUNCTIONS
from .._base import dtype as dtypes
from .._tensor.tensor import Tensor
from .engine import grad
from .forward_ad import dual_level, make_dual, unpack_dual

# Types whose elements an array can hold as they are.
_OF_ARRAYS = {
    getattr(dtypes, n) for n in "float64 float32 complex128 complex64 int64 int32 int16 int8 uint8 bool_".split()
}


def tensors(x):
    """The tensors among one result or several."""
    return [t for t in ((x,) if isinstance(x, Tensor) else tuple(x)) if isinstance(t, Tensor)]


def wanted(inputs):
    """The places of the inputs that require a gradient."""
    return [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]


def _table(rows, output):
    """(zeros of shape (rows, elements of output), the same as an array, in a type that arrays have)."""
    dtype = output.dtype if output.dtype in _OF_ARRAYS else dtypes.float32
    made = FUNCTIONS["zeros"](rows, output.numel(), dtype=dtype)
    return made, made.numpy()


def _elements(t):
    """The elements of a tensor as an array of one dimension."""
    if t.dtype not in _OF_ARRAYS:
        t = t.float()
    return t.numpy(force=True).reshape(-1)


def writer(x):
    """A function (place, value) that sets one element of x behind the graph's back, and the elements as they are."""
    if x.device.type == "cpu" and x.dtype in _OF_ARRAYS:
        flat = x.detach().numpy().flat  # the memory of x, whatever its strides
        return flat.__setitem__, x.numpy(force=True).reshape(-1).tolist()
    data = x.data
    places = [tuple(p) for p in FUNCTIONS["ones"](x.shape).nonzero().tolist()]

    def put(i, value):
        data[places[i]] = value

    return put, x.detach().reshape(-1).tolist()


def steps_of(x, eps):
    """The directions in which an element of x is moved."""
    return (eps, eps * 1j) if x.is_complex() else (eps,)


def _same_form(before, after, eps):
    for a, b in zip(before, after):
        for what, one, other in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
            if one != other:
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {what} when inputs are perturbed by {eps}, "
                    f"but got: {what}s {one} and {other}."
                )


def numerical_jacobians(func, inputs, index, outputs, eps):
    """Central differences of the outputs of func in the elements of inputs[index]: a table for each output."""
    x = inputs[index]
    put, values = writer(x)
    parts = []
    for step in steps_of(x, eps):
        sides = []
        for signed in (step, -step):
            made = [_table(x.numel(), o) for o in outputs]
            arrays = [array for _, array in made]
            for i, value in enumerate(values):
                put(i, value + signed)
                try:
                    moved = tensors(func(*inputs))
                    _same_form(outputs, moved, step)
                    for array, o in zip(arrays, moved):  # before the input is put back: o may be a view of it
                        array[i] = _elements(o)
                finally:
                    put(i, value)
            sides.append([t for t, _ in made])
        parts.append([(_plain(a) - _plain(b)) / (2 * eps) for a, b in zip(*sides)])
    return parts[0] if len(parts) == 1 else [a + 1j * b for a, b in zip(*parts)]


def _plain(t):
    """Integers and bools as numbers that can be subtracted."""
    return t if t.is_floating_point() or t.is_complex() else t.double()


def numerical_products(func, inputs, index, direction, eps):
    """Central differences along a direction (for a complex input two, real and imaginary): (J u, or both) for each."""
    data = inputs[index].data
    before, found = data.clone(), []
    for way, unit in zip(direction, (1.0, 1j)):
        step, sides = way.reshape(data.shape) * (eps * unit), []
        for sign in (1, -1):
            try:
                data.copy_(before + sign * step)
                sides.append([_plain(o.detach().clone()) for o in tensors(func(*inputs))])
            finally:
                data.copy_(before)
        _same_form(*sides, eps)
        found.append([((a - b) / (2 * eps)).reshape(-1) for a, b in zip(*sides)])
    return list(zip(*found))


class Rows:
    """What backward gives for one output: vector-Jacobian products, and whether they are as they should be."""

    def __init__(self, inputs, output):
        self.targets = [inputs[i] for i in wanted(inputs)]
        self.output = output
        self.types_agree = self.sizes_agree = True

    def product(self, seed):
        """The gradients for one gradient of the output, None where there is none or one of another size."""
        found = grad((self.output,), self.targets, (seed,), retain_graph=True, allow_unused=True)
        result = []
        for g, x in zip(found, self.targets):
            if g is not None and g.dtype is not x.dtype:
                self.types_agree = False
            if g is not None and g.shape != x.shape:
                self.sizes_agree, g = False, None
            result.append(g)
        return result

    def jacobians(self):
        """A table for each input."""
        n = self.output.numel()
        made = [_table(n, x) for x in self.targets]
        seed = FUNCTIONS["zeros"](self.output.shape, dtype=self.output.dtype, device=self.output.device)
        put, _ = writer(seed)
        for row in range(n):
            put(row, 1.0)
            for (_, array), g in zip(made, self.product(seed)):
                if g is not None:
                    array[row] = _elements(g)
            put(row, 0.0)
        return [t.t() for t, _ in made]

    def products(self, seed):
        """The vector-Jacobian products for one vector, zeros for what is missing."""
        found = self.product(seed.reshape(self.output.shape))
        return [
            FUNCTIONS["zeros"](x.numel(), dtype=x.dtype) if g is None else g.detach().reshape(-1)
            for g, x in zip(found, self.targets)
        ]


def forward_products(func, inputs, index, tangents):
    """For each tangent of inputs[index] the outputs of func as duals, and their tangents, or None."""
    live = wanted(inputs)
    with dual_level():
        duals = list(inputs)
        for i in live:
            x = inputs[i].detach()
            duals[i] = make_dual(x, FUNCTIONS["zeros_like"](x))
        primal = inputs[index].detach()
        for tangent in tangents:
            duals[index] = make_dual(primal, tangent)
            yield [unpack_dual(o) for o in tensors(func(*duals)) if o.is_floating_point() or o.is_complex()]


def units(x):
    """The unit vectors of x's shape, one after the other in the same memory."""
    made = FUNCTIONS["zeros"](x.shape, dtype=x.dtype, device=x.device)
    put, _ = writer(made)
    for i in range(x.numel()):
        put(i, 1.0)
        yield made.clone()
        put(i, 0.0)


def forward_jacobians(func, inputs, index, outputs):
    """Forward mode's table for each of the outputs, in the elements of inputs[index]; and, do types agree?"""
    x = inputs[index]
    made, agree = [_table(x.numel(), o) for o in outputs], True
    for row, results in enumerate(forward_products(func, inputs, index, units(x))):
        for (_, array), (primal, tangent) in zip(made, results):
            if tangent is not None:
                agree = agree and primal.is_complex() == tangent.is_complex()
                array[row] = _cast(tangent, primal)
    return [t for t, _ in made], agree


def _cast(tangent, primal):
    elements = _elements(tangent)
    return elements.real if tangent.is_complex() and not primal.is_complex() else elements


def part_of_outputs(func, part):
    """func with complex outputs replaced by their real or imaginary parts."""

    def of_part(*inputs):
        found = func(*inputs)
        return tuple([FUNCTIONS[part](o) if o.is_complex() else o for o in tensors(found)])

    return of_part


def part_of_inputs(func, inputs, part):
    """(func of the real or imaginary parts of complex inputs, the other parts staying as they are; those parts)."""
    whole = {i: x.detach() for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.is_complex()}
    parts = [FUNCTIONS[part](x.detach()).clone() if i in whole else x for i, x in enumerate(inputs)]
    for i, x in whole.items():
        parts[i].requires_grad_(inputs[i].requires_grad)

    def of_part(*args):
        args = list(args)
        for i, x in whole.items():
            pair = (args[i], x.imag) if part == "real" else (x.real, args[i])
            args[i] = FUNCTIONS["complex"](*pair)
        return func(*args)

    return of_part, tuple(parts)


def direction(x, generator, dtype=None):
    """A random vector of length 1, with no element below zero, as long as x."""
    v = FUNCTIONS["rand"](x.numel(), generator=generator).to(dtype=dtype or x.dtype, device=x.device)
    return v / v.norm()


def directions(x, generator):
    """The directions in which a fast check moves x: one, for a complex x one for each part."""
    real = {dtypes.complex128: dtypes.float64, dtypes.complex64: dtypes.float32}.get(x.dtype)
    return tuple([direction(x, generator, real) for _ in steps_of(x, 1.0)])


def warn_of_undefined():
    """torch's warning where a function does not expect gradients that are None."""
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may "
        "break existing callers of this function. If this is true for you, you can call this function with "
        '"check_undefined_grad=False" to disable the feature',
        stacklevel=5,
    )


def mixed_tangents(func, inputs, directions, more):
    """The tangents of func's outputs, where inputs have the tangents of two dictionaries and others have none."""
    with dual_level():
        duals = list(inputs)
        for i in wanted(inputs):
            duals[i] = inputs[i].detach()
            if (t := directions.get(i, more.get(i))) is not None:
                duals[i] = make_dual(duals[i], t.reshape(duals[i].shape))
        return [unpack_dual(o)[1] for o in tensors(func(*duals)) if o.is_floating_point() or o.is_complex()]
