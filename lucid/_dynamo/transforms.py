"""torch.func inside of compiled functions: each transform is torch's steps in the graph, what it transforms is read
between them. What is written in place, and forms that are rarely met, run as Python.
"""

import types

from .. import _functorch  # noqa: F401  graphs look for the steps there
from .._backend.registry import NAMESPACES
from .._base.state import local
from .._base.tree import flatten, structure
from .._modes import steps
from .._modes.grad_transforms import SAVED_HOOKS, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp
from .._modes.vmap import _check_out_dims, _places, _prepare, vmap
from .._tensor.tensor import Tensor
from .builtins import BUILTINS, TRANSFORMED, read
from .exc import Break
from .frame import Observed
from .recorder import Recorder, unrecorded
from .segment import _writes


class Transformed:
    """What a transform gives: run(m, frame, args, kwargs) reads a call of it."""

    __slots__ = ("run",)

    def __init__(self, run):
        self.run = run

    def __call__(self, *args, **kwargs):
        raise NotImplementedError("a transformed function outside of what torch.compile reads")


BUILTINS[Transformed.__call__] = lambda m, frame, made, *args, **kwargs: made.run(m, frame, args, kwargs)


def _step(m, function, args=(), kwargs=None, name=None, nodes=None, keeps=False):
    """A step as a node: what it gives. nodes: its arguments there; keeps: does the result keep its node?"""
    recorder, kwargs = m.recorder, kwargs or {}
    if type(recorder) is not Recorder:
        raise Break("a transform inside of an operator's function")
    given, named = recorder.arguments(args, kwargs)
    with unrecorded():
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            raise Break(f"{type(error).__name__}: {error}") from None
    node = recorder.graph.create_node("call_function", function, given if nodes is None else nodes, named)
    node.meta["stack_trace"] = recorder._stack_trace()
    recorder.ops += 1
    if not keeps and isinstance(result, Tensor):
        recorder.node_of.pop(id(result), None)
        recorder.inputs.pop(id(result), None)
    if not keeps:
        recorder._note(result, node)
    if name is not None:
        (m.named(result, name) if not keeps else node._rename(name))
    return node if keeps else result


def _tensors_only(values, what):
    if not values or not all(isinstance(x, Tensor) and x._table.inexact for x in values):
        raise Break(f"{what} that are not all tensors with fractions")


def _call(m, frame, function, args, kwargs):
    """A call of what is transformed; Break if it writes in place."""
    before = set(m.recorder.graph.nodes)
    result = m.call(frame, function, list(args), kwargs)
    if any(_writes(node) and "own" not in node.meta for node in m.recorder.graph.nodes if node not in before):
        raise Break("a transform of a function that writes in place")
    return result


def _name_all(m, value, name):
    """Name the result of a function: a tensor is called so, parts of a tree as torch's pytree calls them."""
    if isinstance(value, Tensor):
        m.named(value, name)
    else:
        for x in flatten(value)[0]:
            m.named(x, "child")


def _mapped(m, tree, function):
    """A tree with its tensors replaced."""
    leaves, rebuild = flatten(tree)
    return rebuild([function(x) if isinstance(x, Tensor) else x for x in leaves])


def _see_closure(m, function):
    """Tensors that an inner function of the program uses are inputs before its arguments are, as torch has it."""
    if isinstance(function, types.FunctionType) and id(function) in m.made:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                m.used(m.load_cell(cell, name))
            except Observed:
                pass  # a variable that is not set yet


# ---- grad and vjp


class _level:
    """with _level(m) as number: a grad or vjp runs, recording is on."""

    def __init__(self, m):
        self.m = m

    def __enter__(self):
        if local.saved_hooks:
            raise Break("a transform under saved_tensors_hooks")
        self.error, self.on = local.saved_hooks_error, local.grad
        _step(self.m, steps._saved_tensors_hooks_disable, (SAVED_HOOKS,))
        number = _step(self.m, steps._grad_increment_nesting)
        self.m.recorder.switch_grad(True)
        return number

    def __exit__(self, kind, error, trace):
        if kind is not None:
            return
        self.m.recorder.switch_grad(self.on)
        _step(self.m, steps._grad_decrement_nesting)
        if self.error is None:
            _step(self.m, steps._saved_tensors_hooks_enable)
        else:
            _step(self.m, steps._saved_tensors_hooks_disable, (self.error,))


def _differentiable(m, leaves, name=None):
    """Make wrapped tensors variables: the nodes of that."""
    made = []
    for x in leaves:
        _step(m, steps.set_inplace_requires_grad_allowed, (True,))
        made.append(_step(m, steps._set_tensor_requires_grad, (x,), keeps=True, name=name))
        _step(m, steps.set_inplace_requires_grad_allowed, (False,))
    return made


def _slice(args, argnums):
    """The arguments to differentiate in, as torch has them: one, or a tuple."""
    nums = argnums if isinstance(argnums, tuple) else (argnums,)
    if not nums or not all(type(n) is int and -len(args) <= n < len(args) for n in nums):
        raise Break("argnums that are no places of arguments")
    if len({n % len(args) for n in nums}) != len(nums):
        raise Break("argnums that name an argument twice")
    return args[argnums] if not isinstance(argnums, tuple) else tuple([args[n] for n in nums])


def _grad(m, frame, func, argnums, has_aux, args, kwargs):
    """(gradient, value or (value, aux))"""
    _tensors_only(flatten(_slice(args, argnums))[0], "arguments of grad")
    _see_closure(m, func)
    with _level(m) as level:
        args = tuple(_mapped(m, args, lambda x: _step(m, steps._wrap_for_grad, (x, level))))
        kwargs = _mapped(m, kwargs, lambda x: _step(m, steps._wrap_for_grad, (x, level)))
        chosen = _slice(args, argnums)
        _name_all(m, chosen, "diff_args")
        leaves, rebuild = flatten(chosen)
        _differentiable(m, leaves)
        output, aux = _call(m, frame, func, args, kwargs), None
        if has_aux:
            if not isinstance(output, tuple) or len(output) != 2:
                raise Break("a function of grad with has_aux whose result is no pair")
            output, aux = output
        if not isinstance(output, Tensor) or output.dim() or not output._table.inexact:
            raise Break("a function of grad that gives no number with a fraction")
        m.named(output, "output")
        if isinstance(aux, Tensor):
            m.named(aux, "aux")
        grads = _step(m, steps._autograd_grad, ((output,), list(leaves)), {"create_graph": True})
        name = "grad_input" if isinstance(chosen, Tensor) else None
        for g in grads if type(chosen) is dict else ():
            m.named(g, "value")
        grads = [_unwrapped(m, g, level, name) for g in grads]
        output = _unwrapped(m, output, level, "output")
        aux = _mapped(m, aux, lambda x: _unwrapped(m, x, level, "aux"))
    return rebuild(grads), (output, aux) if has_aux else output


def _unwrapped(m, x, level, name):
    if name is not None:
        m.named(x, name)
    return _step(m, steps._unwrap_for_grad, (x, level), name=name)


def _vjp(m, frame, func, primals, argnums=None):
    """(results, the function that pulls gradients back)"""
    chosen = primals if argnums is None else _slice(primals, argnums)
    _tensors_only(flatten(chosen)[0], "arguments of vjp")
    _see_closure(m, func)
    with _level(m) as level:
        for x in flatten(primals)[0]:
            if isinstance(x, Tensor):
                m.named(x, "child")
        primals = tuple(_mapped(m, primals, lambda x: _step(m, steps._wrap_for_grad, (x, level))))
        chosen = primals if argnums is None else _slice(primals, argnums)
        if argnums is not None:
            _name_all(m, chosen, "diff_primals")
        leaves, rebuild = flatten(chosen)
        made = _differentiable(m, leaves, "child" if argnums is None else None)
        output = _call(m, frame, func, primals, {})
        outs, rebuild_outs = flatten(output)
        _tensors_only(outs, "results of a function of vjp")
        _name_all(m, output, "primals_out")
        results = rebuild_outs([_unwrapped(m, o, level, None) for o in outs])
        _name_all(m, results, "results")
    if argnums is not None:
        made = [m.recorder.used(x) for x in leaves]

    def pull(m, frame, args, kwargs):
        if len(args) != 1 or kwargs or structure(args[0]) != structure(output):
            raise Break("gradients for vjp that are not like its results")
        seeds = flatten(args[0])[0]
        if not all(isinstance(s, Tensor) and s.shape == o.shape for s, o in zip(seeds, outs)):
            raise Break("gradients for vjp that are not like its results")
        nodes = [m.recorder.used(o) for o in outs], made, [m.recorder.used(s) for s in seeds]
        options = {"retain_graph": True, "create_graph": local.grad}
        return rebuild(list(_step(m, steps._autograd_grad, (outs, leaves, seeds), options, nodes=nodes)))

    return results, pull


@read(grad)
def _read_grad(m, frame, func, argnums=0, has_aux=False):
    def run(m, frame, args, kwargs):
        found, value = _grad(m, frame, func, argnums, has_aux, args, kwargs)
        return (found, value[1]) if has_aux else found

    return Transformed(run)


@read(grad_and_value)
def _read_grad_and_value(m, frame, func, argnums=0, has_aux=False):
    return Transformed(lambda m, frame, args, kwargs: _grad(m, frame, func, argnums, has_aux, args, kwargs))


@read(vjp)
def _read_vjp(m, frame, func, *primals, has_aux=False):
    if has_aux:
        raise Break("vjp with has_aux")
    results, pull = _vjp(m, frame, func, primals)
    return results, Transformed(pull)


# ---- vmap


def _vmap(m, frame, func, in_dims, out_dims, randomness, args, kwargs):
    m.native(_check_out_dims, [func, out_dims])
    leaves, dims, rebuild, size = m.native(_prepare, [func, in_dims, args])
    _see_closure(m, func)
    _step(m, steps.lazy_load_decompositions)
    level = _step(m, steps._vmap_increment_nesting, (size, randomness))
    for i, (x, d) in enumerate(zip(leaves, dims)):
        if isinstance(x, Tensor) and d is not None:
            leaves[i] = _step(m, steps._add_batch_dim, (x, d, level))
    result = _call(m, frame, func, rebuild(leaves), kwargs)
    _name_all(m, result, "batched_outputs")
    outs, rebuild_outs = flatten(result)
    places = m.native(_places, [func, result, out_dims])
    if not all(isinstance(o, Tensor) and d is not None for o, d in zip(outs, places)):
        raise Break("a function of vmap that gives what is no batch")
    if any(o is x for o in outs for x in leaves):
        raise Break("a function of vmap that gives what it is given")
    left = [_step(m, steps._remove_batch_dim, (o, level, size, d)) for o, d in zip(outs, places)]
    _step(m, steps._vmap_decrement_nesting)
    return rebuild_outs(left)


@read(vmap)
def _read_vmap(m, frame, func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    if chunk_size is not None or randomness not in ("error", "different", "same"):
        raise Break("vmap in chunks")
    return Transformed(
        lambda m, frame, args, kwargs: _vmap(m, frame, func, in_dims, out_dims, randomness, args, kwargs)
    )


# ---- jvp


def _jvp(m, frame, func, primals, tangents, given=None):
    """(results, their tangents). given: where the dual tensors go among other arguments, a function of them."""
    if local.dual_levels:
        raise Break("jvp inside of a level of forward_ad")
    _tensors_only([*primals, *tangents], "arguments of jvp")
    _see_closure(m, func)
    if len(primals) != len(tangents) or any(p.shape != t.shape for p, t in zip(primals, tangents)):
        raise Break("tangents for jvp that are not like its arguments")
    level = _step(m, steps._jvp_increment_nesting)
    _step(m, steps._set_fwd_grad_enabled, (True,))
    _step(m, steps._enter_dual_level)
    duals = []
    for p, t in zip(primals, tangents):
        _step(m, steps._maybe_load_decompositions)
        duals.append(_step(m, steps._make_dual, (p, t), {"level": 0}))
    result = _call(m, frame, func, duals if given is None else given(duals, level), {})
    outs, rebuild = flatten(result)
    _tensors_only(outs, "results of a function of jvp")
    _name_all(m, result, "result_duals")
    values, pushed = [], []
    for o in outs:
        primal, tangent = _step(m, steps._unpack_dual, (o,), {"level": 0})
        if tangent is None:
            raise Break("a result of jvp that depends on no argument")
        m.named(primal, "primal")
        m.named(tangent, "dual")
        values.append(primal)
        pushed.append(tangent)
    values = [_step(m, steps._unwrap_for_grad, (x, level)) for x in values]
    for x in values if len(outs) == 1 else ():
        m.named(x, "primals_out_unflatten")
    pushed = [_step(m, steps._unwrap_for_grad, (x, level)) for x in pushed]
    for x in pushed if len(outs) == 1 else ():
        m.named(x, "tangents_out_unflatten")
    _step(m, steps._exit_dual_level, (), {"level": 0})
    _step(m, steps._set_fwd_grad_enabled, (True,))
    _step(m, steps._jvp_decrement_nesting)
    return rebuild(values), rebuild(pushed)


@read(jvp)
def _read_jvp(m, frame, func, primals, tangents, *, strict=False, has_aux=False):
    if strict or has_aux or type(primals) is not tuple or type(tangents) is not tuple:
        raise Break("jvp with options")
    return _jvp(m, frame, func, primals, tangents)


# ---- jacrev


@read(jacrev)
def _read_jacrev(m, frame, func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    if has_aux or chunk_size is not None or _preallocate_and_copy or type(argnums) is not int:
        raise Break("jacrev with options")

    def run(m, frame, args, kwargs):
        if kwargs:
            raise Break("jacrev with keywords")
        results, pull = _vjp(m, frame, func, args, argnums)
        if not isinstance(results, Tensor) or not isinstance(args[argnums], Tensor):
            raise Break("jacrev of more than one tensor")
        return _jacobian(m, frame, results, pull, args[argnums].shape)

    return Transformed(run)


def _jacobian(m, frame, results, pull, shape):
    """The rows of the jacobian: one backward for each element of results, as a batch."""
    basis = _basis(m, results)
    m.named(basis, "basis")
    rows = _vmap(m, frame, Transformed(pull), 0, 0, "error", (basis,), {})
    m.named(rows, "chunked_result")
    part = _own(m, "call_function", _split, rows, [results.numel()], dim=0)[0]
    m.named(part, "split")
    found = _own(m, "call_method", Tensor.view, part, (*results.shape, *shape))
    m.named(found, "output_input")
    return found


def _basis(m, t):
    """The unit vectors of a tensor's space, along dimension 0."""
    n = t.numel()
    chunk = _own(m, "call_method", Tensor.new_zeros, t, n, n)
    m.named(chunk, "chunk")
    _own(m, "call_method", Tensor.fill_, _own(m, "call_method", Tensor.diagonal, chunk, 0), 1)
    return _own(m, "call_method", Tensor.view, chunk, n, *t.shape)


_split = NAMESPACES["torch"]["split"]


def _own(m, kind, function, *args, **kwargs):
    """A call that the transform makes itself."""
    graph = m.recorder.graph
    before = set(graph.nodes)
    result = m.recorder.call(kind, function if kind == "call_function" else function.__name__, function, args, kwargs)
    for node in graph.nodes:
        if node not in before:
            node.meta["own"] = True
    return result


@read(jacfwd)
def _read_jacfwd(m, frame, func, argnums=0, has_aux=False, *, randomness="error"):
    if has_aux or randomness != "error" or type(argnums) is not int:
        raise Break("jacfwd with options")

    def run(m, frame, args, kwargs):
        if kwargs or not isinstance(_slice(args, argnums), Tensor):
            raise Break("jacfwd of more than one tensor")
        x, n = args[argnums], argnums % len(args)

        def given(duals, level):
            rest = _mapped(m, args, lambda t: _step(m, steps._wrap_for_grad, (t, level)))
            return [duals[0] if i == n else t for i, t in enumerate(rest)]

        def push(m, frame, basis, kwargs):
            m.named(basis[0], "child")
            return _jvp(m, frame, func, (x,), basis, given)[1]

        basis = _basis(m, x)
        m.named(basis, "child")
        columns = _vmap(m, frame, Transformed(push), 0, 0, "error", (basis,), {})
        if not isinstance(columns, Tensor):
            raise Break("jacfwd of more than one tensor")
        m.named(columns, "results")
        columns = _own(m, "call_method", Tensor.movedim, columns, 0, -1)
        part = _own(m, "call_function", _split, columns, [x.numel()], dim=-1)[0]
        m.named(part, "jac_out_in")
        return _own(m, "call_method", Tensor.unflatten, part, -1, tuple(x.shape))

    return Transformed(run)


@read(hessian)
def _read_hessian(m, frame, func, argnums=0):
    return _read_jacfwd(m, frame, _read_jacrev(m, frame, func, argnums), argnums)


# ---- functions that were transformed outside of what is read


def _outside(transform, reader, inner=None):
    """Calls of what `transform` gives are read by what `reader` gives for the values that its closure holds."""

    def read_call(m, frame, function, args, kwargs):
        held = dict(zip(function.__code__.co_freevars, [c.cell_contents for c in function.__closure__]))
        if inner is not None:
            function = held[inner]
            held |= dict(zip(function.__code__.co_freevars, [c.cell_contents for c in function.__closure__]))
        names = reader.__code__.co_varnames[2 : reader.__code__.co_argcount + reader.__code__.co_kwonlyargcount]
        made = reader(m, frame, held["func"], **{n: held[n] for n in names if n in held and n != "func"})
        return made.run(m, frame, args, kwargs)

    TRANSFORMED[transform(len).__code__] = read_call


for _transform, _reader in (
    (grad_and_value, _read_grad_and_value),
    (vmap, _read_vmap),
    (jacrev, _read_jacrev),
    (jacfwd, _read_jacfwd),
):
    _outside(_transform, _reader)
_outside(grad, _read_grad, "both")
