"""Derivatives as functions of functions: grad, vjp, jvp, jacrev, jacfwd, hessian, linearize (torch.func)."""

import functools

from .._backend.backward import ones_for, run
from .._backend.dispatch import known_as, unseen
from .._backend.graph import AccumulateGrad, Output, leaf
from .._backend.registry import FUNCTIONS, OPS
from .._base.state import grad_enabled, local, set_grad_enabled
from .._base.tree import flatten, outline, structure, tree_map
from .._tensor.tensor import Tensor
from .jvp_frames import NESTED, DualFrame, enter, leave, need_inexact
from .levels import Frame, innermost, lift_tensor, merge, run_in
from .vmap import vmap
from .write_back import write_back

SAVED_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)


class recording:
    """Gradients on inside."""

    def __enter__(self):
        self.before = grad_enabled()
        set_grad_enabled(True)

    def __exit__(self, *exc):
        set_grad_enabled(self.before)


def fresh(t, tracked):
    """t as a new variable to differentiate in: linked to t's own graph if that is being recorded."""
    if not t._table.inexact:
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    t = innermost(t)
    if t._node is not None and tracked:
        with unseen():
            made = OPS["alias"].fn(t)
        if t._table.is_transform:  # whose arrays are what modes know
            made._array = t._array
        return known_as(t, made)
    return leaf(known_as(t))


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
        for x in self.leaves:
            if not isinstance(x, Tensor):
                raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        self.inside = [fresh(x, self.tracked) for x in self.leaves]
        self.own = {x._node for x in self.inside if x._node.__class__ is AccumulateGrad}

    def settle(self, t):
        """A result without the graph that only led to our own variables."""
        if (
            isinstance(t, Tensor)
            and t._node is not None
            and not (self.tracked and _depends_on_others([t._node], self.own))
        ):
            return known_as(t)
        return t

    def pull(self, outputs, seeds, tracked=True):
        """The gradients of outputs in the variables, zeros where there is no dependence; without a graph if it is not
        tracked."""
        for i, (o, s) in enumerate(zip(outputs, seeds)):
            if not isinstance(s, Tensor):
                raise TypeError(f"gradients can be either Tensors or None, but got {type(s).__name__}")
            if o._array.shape != s._array.shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{i}] has a shape of {s.shape} and output[{i}] has a shape of "
                    f"{o.shape}."
                )
        live = [(o, _fitting(s, o)) for o, s in zip(outputs, seeds) if o._node is not None]
        targets = [x._node for x in self.inside]
        found = (
            run([o._node for o, _ in live], [s for _, s in live], True, True, targets)
            if live
            else [None] * len(targets)
        )
        made = [FUNCTIONS["zeros_like"](x) if g is None else g for x, g in zip(self.inside, found)]
        return self.rebuild([self.settle(g) if tracked else known_as(g) for g in made])


def _fitting(seed, o):
    """A gradient of o in o's type, with the levels that o has."""
    if o._table.is_transform:
        seed = lift_tensor(seed, merge(seed._table, o._table))
    return seed if seed._table.dtype is o._table.dtype else OPS["cast"].fn(seed, o._table.dtype)


def _check_argnums(argnums, n_args):
    """The argnums as a tuple counted from the front; RuntimeError for what does not name arguments."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    given = argnums if isinstance(argnums, tuple) else (argnums,)
    if not given:
        raise RuntimeError("argnums must be non-empty")
    for n in given:
        if not isinstance(n, int):
            raise RuntimeError(f"argnum must be int, got: {type(n)}")
        if not -n_args <= n < n_args:
            raise RuntimeError(f"Got argnum={n}, but only {n_args} positional inputs")
    nums = tuple([n % n_args for n in given])
    if len(set(nums)) != len(nums):
        raise RuntimeError(f"argnums elements must be unique, got {nums}")
    return nums


def _arguments(args, argnums):
    """(the differentiated arguments, a function that puts them back among all)"""
    nums = _check_argnums(argnums, len(args))

    def put(values):
        full = list(args)
        for n, v in zip(nums, values):
            full[n] = v
        return full

    return tuple(args[n] for n in nums), put, isinstance(argnums, int)


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
                    f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}"
                )
            if output._array.ndim:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{output._array.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            grads = variables.pull([output], [ones_for(output)])
        grads = grads[0] if single else grads
        value = variables.settle(output)
        if has_aux:
            return grads, (value, tree_map(variables.settle, aux))
        return grads, value

    return wrapper


class GradFrame(Frame):
    """One running grad or vjp: a level without tables, as its variables are told by their place in the graph."""


class recording_variables(recording):
    """Fresh variables for some arguments, gradients on."""

    def __init__(self, trees):
        self.trees, self.level = trees, run_in(GradFrame)

    def __enter__(self):
        if local.saved_hooks:
            raise RuntimeError(SAVED_HOOKS)
        variables = _Variables(self.trees)
        self.hooks_error, local.saved_hooks_error = local.saved_hooks_error, SAVED_HOOKS
        super().__enter__()
        self.level.__enter__().variables = {x._node for x in variables.inside}
        return variables

    def __exit__(self, *exc):
        local.saved_hooks_error = self.hooks_error
        self.level.__exit__(*exc)
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
    _check_outputs(outs, "vjp(f, *primals)")

    def wrapper(cotangents, retain_graph=True, create_graph=None):
        tracked = grad_enabled() if create_graph is None else create_graph
        if outline(cotangents) != outline(output):
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {outline(cotangents)}, primal output: {outline(output)}"
            )
        for o in outs:
            if not o._table.inexact:
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                    f"torch.{o._table.dtype.name}"
                )
        with recording():
            return variables.pull(outs, flatten(cotangents)[0], tracked)

    value = rebuild([variables.settle(o) for o in outs])
    return (value, wrapper, tree_map(variables.settle, aux)) if has_aux else (value, wrapper)


def _check_outputs(outs, who):
    """RuntimeError unless the results of a differentiated function are tensors."""
    if not outs or len(outs) == 1 and outs[0] is None:
        raise RuntimeError(f"{who}: Expected f to be a function that has non-empty output (got output = {list(outs)})")
    for o in outs:
        if not isinstance(o, Tensor):
            raise RuntimeError(f"{who}: expected f(*primals) to return only tensors, got unsupported type {type(o)}")


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """jvp(func, primals, tangents) -> (output, its tangent)."""
    who = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{who}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    ps, rebuild = flatten(primals)
    ts, _ = flatten(tangents)
    if structure(primals) != structure(tangents):
        raise RuntimeError(
            f"{who}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {structure(primals)} and tangents "
            f"with structure {structure(tangents)}"
        )
    for name, values in (("primals", ps), ("tangents", ts)):
        if not values:
            raise RuntimeError(f"{who}: Expected {name} to contain at least one Tensor.")
        for x in values:
            if not isinstance(x, Tensor):
                raise RuntimeError(f"{who}: Expected {name} to only contain Tensors, got {type(x)}")
    for p, t in zip(ps, ts):
        need_inexact(p, t)
    if local.dual_levels:
        raise RuntimeError(NESTED)
    with run_in(DualFrame) as level:
        duals = [enter(p, t, level) for p, t in zip(ps, ts)]
        before = [d._node for d in duals]
        try:
            result = func(*rebuild(list(duals)))
            kept = _tangents_to_keep(result, duals, ts, level)
        finally:
            for p, t, d, node in zip(ps, ts, duals, before):
                write_back(p, d, node, lambda d=d: leave(d, level)[0], may_reshape=False)
                if p.stride() == t.stride():  # else the level has a copy of the tangent
                    write_back(t, d, node, lambda d=d: _tangent(d, level))
        output, aux = _split(result, has_aux, who)
        outs, shape = flatten(output)
        _check_outputs(outs, who)
        values, pushed = [], []
        for o in outs:
            p, t = leave(o, level)
            if t is None and strict:
                raise RuntimeError(
                    "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not "
                    "allowed with strict=True."
                )
            values.append(p)
            pushed.append(FUNCTIONS["zeros_like"](p) if t is None else kept.get(id(o), t))
        if has_aux:
            aux = tree_map(lambda x: _primal(x, level), aux)
    return (shape(values), shape(pushed), aux) if has_aux else (shape(values), shape(pushed))


def _tangents_to_keep(result, duals, tangents, level):
    """{id(result): its tangent, copied} where that is still in the memory of a given tangent that will be written."""
    written = [(d, t) for d, t in zip(duals, tangents) if d._version and t._table.aliases]
    kept = {}
    for o in flatten(result)[0] if written else ():
        t = leave(o, level)[1] if isinstance(o, Tensor) else None
        if t is None or not t._table.aliases:
            continue
        for d, given in written:
            of_it = o is d or o._extra is not None and o._extra.storage is d._extra.storage
            if not of_it and t._table.may_overlap(t._array, given._array):
                kept[id(o)] = FUNCTIONS["clone"](t)
    return kept


def _tangent(x, level):
    p, t = leave(x, level)
    return FUNCTIONS["zeros_like"](p) if t is None else t


def _primal(x, level):
    if not isinstance(x, Tensor):
        raise RuntimeError(f"Expected tensors, got unsupported type {type(x)}")
    return leave(x, level)[0]


def linearize(func, *primals):
    """linearize(func, *primals) -> (output, jvp_fn): jvp_fn(*tangents) at the same point."""
    output, given = func(*primals), structure(primals)
    shapes = [x.shape for x in flatten(primals)[0]]

    def jvp_fn(*tangents):
        if structure(tangents) != given:
            raise RuntimeError(
                f"Expected the tangents {structure(tangents)} to have the same argspec as the primals {given}"
            )
        for i, (t, shape) in enumerate(zip(flatten(tangents)[0], shapes)):
            if t.shape != shape:
                raise RuntimeError(
                    f"tangent:{i} with shape {t.shape} in flattened pytree doesn't match the shape {shape} of the "
                    "corresponding primal."
                )
        return jvp(func, primals, tangents)[1]

    return output, jvp_fn


def _units(t):
    """The unit vectors of t's space, along dimension 0."""
    n = t.numel()
    return FUNCTIONS["eye"](n, dtype=t.dtype, device=t.device).reshape(n, *t.shape)


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    """jacrev(func, argnums=0) -> function giving the Jacobian, one reverse pass per output element, in a vmap."""
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

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
