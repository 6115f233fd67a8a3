"""Derivatives as functions of functions: grad, vjp, jvp, jacrev, jacfwd, hessian, linearize (torch.func)."""

import functools

from .._backend.backward import run
from .._backend.graph import AccumulateGrad, Output, leaf
from .._backend.registry import FUNCTIONS, OPS
from .._base.state import grad_enabled, local, set_grad_enabled
from .._base.tree import flatten, tree_map
from .._tensor.tensor import Tensor, wrap
from .jvp_frames import DualFrame, enter, leave
from .levels import innermost, run_in
from .vmap import vmap


class recording:
    """Gradients on inside."""

    def __enter__(self):
        self.before = grad_enabled()
        set_grad_enabled(True)

    def __exit__(self, *exc):
        set_grad_enabled(self.before)


def fresh(t, tracked):
    """t as a new variable to differentiate in: linked to t's own graph if that is being recorded."""
    t = innermost(t)
    if t._node is not None and tracked:
        return OPS["alias"].fn(t)
    return leaf(wrap(t._array, t._table)) if t._table.inexact else wrap(t._array, t._table)


def _depends_on_others(edges, own):
    """Does the graph behind edges reach a leaf that is not one of `own`?"""
    stack, seen = [e.node if e.__class__ is Output else e for e in edges if e is not None], set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.__class__ is AccumulateGrad:
            if node not in own:
                return True
            continue
        stack.extend(e.node if e.__class__ is Output else e for e in node.edges if e is not None)
    return False


class _Variables:
    """The arguments of a function under differentiation: fresh variables in place of its tensors."""

    def __init__(self, trees):
        self.tracked = grad_enabled()
        self.leaves, self.rebuild = flatten(trees)
        self.inside = [fresh(x, self.tracked) if isinstance(x, Tensor) else x for x in self.leaves]
        self.own = {x._node for x in self.inside if isinstance(x, Tensor) and x._node.__class__ is AccumulateGrad}

    def settle(self, t):
        """A result without the graph that only led to our own variables."""
        if (
            isinstance(t, Tensor)
            and t._node is not None
            and not (self.tracked and _depends_on_others([t._node], self.own))
        ):
            return wrap(t._array, t._table)
        return t

    def pull(self, outputs, seeds):
        """The gradients of outputs in the variables, zeros where there is no dependence."""
        live = [(o, s) for o, s in zip(outputs, seeds) if o._node is not None]
        wanted = [x for x in self.inside if isinstance(x, Tensor)]
        targets = [x._node for x in wanted if x._node is not None]
        found = iter(
            run([o._node for o, _ in live], [s for _, s in live], True, True, targets)
            if live and targets
            else [None] * len(targets)
        )
        grads = []
        for x in wanted:
            g = next(found) if x._node is not None else None
            grads.append(self.settle(FUNCTIONS["zeros_like"](x) if g is None else g))
        it = iter(grads)
        return self.rebuild([next(it) if isinstance(x, Tensor) else x for x in self.inside])


def _arguments(args, argnums):
    """(the differentiated arguments, a function that puts them back among all)"""
    single = isinstance(argnums, int)
    nums = [n + len(args) if n < 0 else n for n in ((argnums,) if single else argnums)]
    for n in nums:
        if not 0 <= n < len(args):
            raise RuntimeError(f"Got argnum={n}, but only {len(args)} positional inputs")

    def put(values):
        full = list(args)
        for n, v in zip(nums, values):
            full[n] = v
        return full

    return tuple(args[n] for n in nums), put, single


def grad_and_value(func, argnums=0, has_aux=False):
    """grad_and_value(func, argnums=0, has_aux=False) -> function giving (gradient, value) of a scalar function."""

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        chosen, put, single = _arguments(args, argnums)
        with recording_variables(chosen) as variables:
            result = func(*put(variables.rebuild(variables.inside)), **kwargs)
            output, aux = _split(result, has_aux, "grad_and_value(f)(*args)")
            if not isinstance(output, Tensor):
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got unsupported type "
                    f"{type(output)}"
                )
            if output._array.ndim:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar tensor, got tensor with "
                    f"{output._array.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            grads = variables.pull([output], [wrap(output._table.ones(()), output._table)])
        grads = grads[0] if single else grads
        value = variables.settle(output)
        if has_aux:
            return grads, (value, tree_map(variables.settle, aux))
        return grads, value

    return wrapper


class recording_variables(recording):
    """Fresh variables for some arguments, gradients on."""

    def __init__(self, trees):
        self.trees = trees

    def __enter__(self):
        if local.saved_hooks:
            raise RuntimeError(
                "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. "
                "Please open an issue with your use case."
            )
        variables = _Variables(self.trees)
        super().__enter__()
        local.differentiating += 1
        return variables

    def __exit__(self, *exc):
        local.differentiating -= 1
        super().__exit__(*exc)


def _split(result, has_aux, who):
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{who}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return result


def grad(func, argnums=0, has_aux=False):
    """grad(func, argnums=0, has_aux=False) -> function giving the gradient of a scalar function."""
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        grads, value = both(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return wrapper


def vjp(func, *primals, has_aux=False):
    """vjp(func, *primals) -> (output, vjp_fn): vjp_fn(cotangents) gives one gradient per primal."""
    with recording_variables(tuple(primals)) as variables:
        result = func(*variables.rebuild(variables.inside))
        output, aux = _split(result, has_aux, "vjp(f, *primals)")
    outs, rebuild = flatten(output)
    for o in outs:
        if not isinstance(o, Tensor):
            raise RuntimeError(
                f"vjp(f, *primals): Expected f(*primals) to return only tensors, got unsupported type {type(o)}"
            )

    def vjp_fn(*cotangents, retain_graph=True, create_graph=None):
        seeds, _ = flatten(cotangents[0] if len(cotangents) == 1 else tuple(cotangents))
        if len(seeds) != len(outs):
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {len(seeds)} leaves, primal output: {len(outs)} leaves"
            )
        with recording():
            grads = variables.pull(outs, seeds)
        return grads if len(primals) != 1 else (grads[0],)

    value = rebuild([variables.settle(o) for o in outs])
    return (value, vjp_fn, tree_map(variables.settle, aux)) if has_aux else (value, vjp_fn)


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """jvp(func, primals, tangents) -> (output, its tangent)."""
    if not isinstance(primals, tuple):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    if not isinstance(tangents, tuple) or len(primals) != len(tangents):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python structure."
        )
    ps, rebuild = flatten(primals)
    ts, _ = flatten(tangents)
    if not ps:
        raise RuntimeError("jvp(f, primals, tangents): Expected at least one Tensor in primals")
    for p, t in zip(ps, ts):
        if p._array.shape != t._array.shape:
            raise RuntimeError(
                f"jvp: Expected tangent to have the same shape as primal, got {list(t._array.shape)} and "
                f"{list(p._array.shape)}"
            )
    with run_in(DualFrame) as level:
        result = func(*rebuild([enter(p, t, level) for p, t in zip(ps, ts)]))
        output, aux = _split(result, has_aux, "jvp(f, primals, tangents)")
        outs, shape = flatten(output)
        values, pushed = [], []
        for o in outs:
            if not isinstance(o, Tensor):
                raise RuntimeError(
                    "jvp(f, primals, tangents): Expected f(*primals) to return only tensors, got unsupported type "
                    f"{type(o)}"
                )
            p, t = leave(o, level)
            values.append(p)
            pushed.append(FUNCTIONS["zeros_like"](p) if t is None else t)
        if has_aux:
            aux = tree_map(lambda x: leave(x, level)[0] if isinstance(x, Tensor) else x, aux)
    return (shape(values), shape(pushed), aux) if has_aux else (shape(values), shape(pushed))


def linearize(func, *primals):
    """linearize(func, *primals) -> (output, jvp_fn): jvp_fn(*tangents) at the same point."""
    output = func(*primals)
    return output, lambda *tangents: jvp(func, primals, tangents)[1]


def _units(t):
    """The unit vectors of t's space, along dimension 0."""
    n = t.numel()
    return FUNCTIONS["eye"](n, dtype=t.dtype, device=t.device).reshape(n, *t.shape)


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    """jacrev(func, argnums=0) -> function giving the Jacobian, one reverse pass per output element, in a vmap."""

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        chosen, put, single = _arguments(args, argnums)
        got = vjp(lambda *xs: func(*put(xs), **kwargs), *chosen, has_aux=has_aux)
        output, pull = got[0], got[1]
        outs, rebuild = flatten(output)
        rows = []
        for i, o in enumerate(outs):

            def one(seed, i=i):
                seeds = [seed if j == i else FUNCTIONS["zeros_like"](x) for j, x in enumerate(outs)]
                return pull(rebuild(seeds))

            grads = vmap(one, chunk_size=chunk_size)(_units(o))
            shaped = tree_map(lambda g, o=o: g.reshape(*o.shape, *g.shape[1:]), grads)
            rows.append(shaped[0] if single else tuple(shaped))
        jacobian = rebuild(rows) if not isinstance(output, Tensor) else rows[0]
        return (jacobian, got[2]) if has_aux else jacobian

    return wrapper


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """jacfwd(func, argnums=0) -> function giving the Jacobian, one forward pass per input element (batched by vmap)."""

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        chosen, put, single = _arguments(args, argnums)
        ins, rebuild_in = flatten(chosen)
        columns, aux = [], None
        for i, x in enumerate(ins):

            def one(unit, i=i):
                tangents = rebuild_in([unit if j == i else FUNCTIONS["zeros_like"](y) for j, y in enumerate(ins)])
                got = jvp(lambda *xs: func(*put(xs), **kwargs), tuple(chosen), tuple(tangents), has_aux=has_aux)
                return got[1:] if has_aux else got[1]

            pushed = vmap(one, out_dims=(-1, None) if has_aux else -1, randomness=randomness)(_units(x))
            if has_aux:
                pushed, aux = pushed
            columns.append(tree_map(lambda t, x=x: t.reshape(*t.shape[:-1], *x.shape), pushed))
        if single and isinstance(chosen[0], Tensor):
            jacobian = columns[0]
        else:
            outs = [flatten(c)[0] for c in columns]
            shape = flatten(columns[0])[1]
            per_out = [rebuild_in(list(row)) for row in zip(*outs)]
            per_out = [p[0] if single else p for p in per_out]
            jacobian = shape(per_out) if not isinstance(columns[0], Tensor) else per_out[0]
        return (jacobian, aux) if has_aux else jacobian

    return wrapper


def hessian(func, argnums=0):
    """hessian(func, argnums=0) -> function giving the second derivatives, forward over reverse."""
    return jacfwd(jacrev(func, argnums), argnums)
