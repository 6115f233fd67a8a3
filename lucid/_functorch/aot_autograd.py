"""AOTAutograd: a function compiled ahead of its gradients, as a forward and a backward graph of ATen calls."""

import contextlib
from operator import getitem
from typing import NamedTuple

from .._backend.overrides import PLAIN
from .._base.entering import leave_since
from .._base.state import grad_enabled, local
from .._modes.steps import STATE
from .._modes.torch_dispatch import disable_modes as without_modes
from .._subclasses.fake_tensor import FakeTensor
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..autograd.grad_mode import no_grad
from ..fx.graph_module import GraphModule
from ..fx.node import Node
from ..nn.modules.module import Module
from . import told
from .export import aot_export_joint_simple, aot_export_module
from .input_mutations import in_graph
from .inverses import Unsupported
from .joint import traced
from .node import is_one_number
from .partitioners import default_partition
from .running import runner
from .runtime import boxed, compiled

__all__ = [
    "aot_export_joint_simple",
    "aot_export_module",
    "aot_function",
    "aot_module",
    "aot_module_simplified",
    "boxed_nop",
    "make_boxed_compiler",
    "make_boxed_func",
    "nop",
    "print_compile",
]


def make_boxed_func(f):
    """make_boxed_func(f) -> g that takes one list, which it may empty while it runs."""

    def g(args):
        return f(*args)

    g._boxed_call = True
    return g


def make_boxed_compiler(compiler):
    """make_boxed_compiler(compiler) -> a compiler whose results are boxed."""

    def f(fx_g, inps):
        return make_boxed_func(compiler(fx_g, inps))

    return f


def nop(fx_g, _):
    """nop(module, inputs) -> the module, as it is: a compiler that compiles nothing."""
    return fx_g


def print_compile(fx_g, _):
    """print_compile(module, inputs) -> the module, whose code is printed."""
    print(fx_g.code)
    return fx_g


def boxed_nop(fx_g, _):
    """boxed_nop(module, inputs) -> what its graph says, call by call, boxed."""
    run = runner(fx_g)

    def called(args):
        return run(args)

    called._boxed_call = True
    return called


class Compilers(NamedTuple):
    """What makes a callable of a graph, and how the joint graph is cut."""

    forward: object
    backward: object = None
    partition: object = default_partition
    decompositions: object = None
    inference: object = None
    otherwise: object = None  # called with the error where a function cannot be traced, which runs as it is then
    keeps_writes: bool = False  # are inputs written by the graphs, which end in copy_?
    cache: object = None  # cache(inputs, static) -> where what is made is kept (_inductor/aot_cache.py), or None


def compile_flat(function, inputs, compilers, static=()):
    """f(list of inputs) that does what function(*inputs), a list of leaves, does. static: places of inputs that stay
    in memory whatever happens."""
    entry = compilers.cache and compilers.cache(inputs, static)
    if entry is not None and (run := entry.found(function)) is not None:
        return run
    before, count = [getattr(local, name) for name in STATE], len(local.entered)
    try:
        _refuse_classes(inputs)
        found = traced(function, inputs, compilers.decompositions, grad_enabled())
    except Exception as error:
        leave_since(count)  # what the function began and could not end
        for name, value in zip(STATE, before):
            setattr(local, name, value)
        if compilers.otherwise is None:
            raise
        compilers.otherwise(error)
        return lambda given: function(*given)
    if found.plan.written and (places := _places(inputs)) is not None:
        return _of_distinct(function, inputs, places, compilers)
    if not any(found.plan.wants):
        plan = in_graph(found.module, found.plan) if compilers.keeps_writes else found.plan
        told.forward_only(found.module)
        with told.compiling(told.next_function(), "inference"):
            half = (compilers.inference or compilers.forward)(found.module, found.inputs)
        if entry is not None:
            entry.keep(plan, half, None, False)
        return compiled(plan, half, None, function)
    told.joint(found.module)
    how = {"num_fwd_outputs": len(found.plan.live), "static_lifetime_input_indices": list(static)}
    number = told.next_function()
    with told.compiling(number, "joint"):
        forward, backward = compilers.partition(found.module, (found.inputs, found.tangents), **how)
    plan = in_graph(forward, found.plan) if compilers.keeps_writes else found.plan
    told.halves(forward, backward)
    with told.compiling(number, "forward"):
        half, may_alias = compilers.forward(forward, found.inputs), _may_alias(forward, len(plan.live))
    keep = entry and (lambda made: entry.keep(plan, half, made, may_alias))
    other = _when_called(compilers.backward or compilers.forward, backward, number, sum(plan.live), keep)
    return compiled(plan, half, other, function, may_alias)


def _when_called(compiler, backward, number, tangents, then=None):
    """f(list) of a backward graph, which is compiled at the first call, as torch does. then: is told what was made.

    A compiler with `by_layout` makes another one for gradients that are one number everywhere, such as those of a sum.
    """
    made, by_layout = {}, getattr(compiler, "by_layout", False)

    def run(given):
        key = tuple(map(is_one_number, given[len(given) - tangents :])) if by_layout else ()
        half = made.get(key)
        if half is None:
            holes = [n.meta["val"] for n in backward.graph.nodes if n.op == "placeholder"]
            for i, one in enumerate(key, len(holes) - tangents):
                holes[i] = _expanded(holes[i]) if one else holes[i]
            with without_modes(), told.compiling(number, "backward"):
                found = compiler(backward, holes)
            half = made[key] = boxed(found, warns=True)
            if then is not None and not any(key):
                then(found)
        return half(given)

    run._boxed_call, run.takes_one_number = True, by_layout
    return run


def _expanded(hole):
    with no_grad():
        return hole.as_strided(hole.shape, (0,) * hole.ndim)


def _of_distinct(function, inputs, places, compilers):
    """compile_flat of a function that writes inputs, some of which are given twice: those are one input."""
    first = {j: i for i, j in reversed(list(enumerate(places)))}
    order = [first[j] for j in range(len(first))]
    compilers = compilers._replace(cache=None)
    run = compile_flat(lambda *few: function(*[few[j] for j in places]), [inputs[i] for i in order], compilers)
    return lambda given: run([given[i] for i in order])


def _may_alias(module, n_values):
    """May a value of a graph be an input, or a view of one or of another value?"""
    values = list(next(reversed(module.graph.nodes)).args[0])[:n_values]
    return len(set(values)) < n_values or any(_is_view(n) for n in values)


def _is_view(node):
    if not isinstance(node, Node) or node.op != "call_function":
        return True
    return (
        _is_view(node.args[0])
        if node.target is getitem and isinstance(node.args[0], Node)
        else getattr(node.target, "is_view", True)
    )


def _places(inputs):
    """For each input its place among the different ones; None where all differ."""
    places, found = {}, []
    for i, t in enumerate(inputs):
        found.append(places.setdefault(id(t) if isinstance(t, Tensor) else -i, len(places)))
    return found if len(places) < len(inputs) else None


def _refuse_classes(inputs):
    for t in inputs:
        if not isinstance(t, Tensor):
            continue
        if type(t) not in PLAIN and not isinstance(t, FakeTensor):
            raise Unsupported(f"an input of class {type(t).__name__}: lucid's AOTAutograd takes plain tensors")
        if t._table.is_sparse or t._table.is_transform:
            raise Unsupported("an input that is sparse, or a transform's: lucid's AOTAutograd takes plain tensors")


def _key(inputs):
    """What a compiled function was made for."""
    return tuple(
        [
            (t._array.shape, t._array.strides, t._table, t._node is not None, t.is_leaf, id(t))
            if isinstance(t, Tensor)
            else (type(t), t if type(t) in (int, bool, str) else repr(t))  # of 0.0 and -0.0 the texts differ
            for t in inputs
        ]
    )


def _spec_key(inputs):
    """_key, with who is given twice in place of who it is."""
    places = _places(inputs)
    return tuple([k[:-1] if isinstance(t, Tensor) else k for k, t in zip(_key(inputs), inputs)]), places and (*places,)


def by_looks(function, compilers):
    """f(list of inputs): function, compiled for each kind of inputs that it is given."""
    known = {}

    def call(inputs):
        key = _spec_key(inputs), grad_enabled()
        run = known.get(key)
        if run is None:
            run = known[key] = compile_flat(function, inputs, compilers)
        return run(inputs)

    return call


def aot_function(
    fn,
    fw_compiler,
    bw_compiler=None,
    partition_fn=default_partition,
    decompositions=None,
    num_params_buffers=0,
    keep_inference_input_mutations=False,
    inference_compiler=None,
    *,
    dynamic=False,
    enable_log=True,
    disable_functionalization=False,
):
    """aot_function(fn, fw_compiler, bw_compiler=fw_compiler, ...) -> f: fn, compiled on its first call.

    A compiler is f(graph module, example inputs) -> callable. partition_fn cuts the joint graph; decompositions:
    {overload: function of other ops}.
    """
    keeps = keep_inference_input_mutations
    compilers = Compilers(fw_compiler, bw_compiler, partition_fn, decompositions, inference_compiler, None, keeps)
    known = {}

    def f(*args, **kwargs):
        leaves, structure = pytree.tree_flatten((args, kwargs))
        run = known.get(structure)
        if run is None:

            def flat(*inputs):
                given, named = pytree.tree_unflatten(list(inputs), structure)
                return fn(*given, **named)

            run = known[structure] = by_looks(flat, compilers)
        return run(leaves)

    return f


def aot_module(mod, *args, **kwargs):
    """aot_module(module, fw_compiler, ...) -> Module: its call, compiled, with its parameters and buffers as inputs."""
    from ..func import functional_call

    named = lambda: {**dict(mod.named_parameters()), **dict(mod.named_buffers())}  # noqa: E731
    f = aot_function(lambda state, *given, **more: functional_call(mod, state, given, more), *args, **kwargs)

    class AOTModule(Module):
        def __init__(self):
            super().__init__()
            self.orig_module = mod

        def forward(self, *given, **more):
            return f(named(), *given, **more)

    return AOTModule()


# ---- modules


class Held:
    """The tensors that a module and its graphs hold: parameters, buffers and constants, as inputs of its call."""

    def __init__(self, mod):
        self.mod, self.places = mod, []  # (module, the dictionary of its attributes, name)
        hooks = mod._forward_hooks or mod._forward_pre_hooks
        self.run = mod if hooks or not isinstance(mod, GraphModule) else mod.forward  # whose call prints its errors
        for module in mod.modules():
            graph = module.graph if isinstance(module, GraphModule) else None
            for held in (module._parameters, module._buffers):
                self.places += [(held, name) for name, t in held.items() if t is not None]
            if graph is not None:
                constants = {n.target for n in graph.nodes if n.op == "get_attr" and "." not in n.target}
                self.places += [
                    (vars(module), name) for name in sorted(constants) if isinstance(vars(module).get(name), Tensor)
                ]

    def tensors(self):
        """What they are now."""
        return [held[name] for held, name in self.places]

    @contextlib.contextmanager
    def being(self, tensors):
        """With others in their places."""
        before = self.tensors()
        try:
            for (held, name), t in zip(self.places, tensors):
                held[name] = t
            yield
        finally:
            for (held, name), t in zip(self.places, before):
                held[name] = t

    def call(self, *inputs):
        """The module's call, of those and its arguments."""
        n = len(self.places)
        now = self.tensors()
        if all(a is b for a, b in zip(now, inputs)):
            return self.run(*inputs[n:])
        with self.being(inputs[:n]):
            return self.run(*inputs[n:])


def _static(mod, n_held):
    """Places of a module's parameters and buffers: those it holds, and those that Dynamo made inputs of a graph."""
    holes = [n for n in mod.graph.nodes if n.op == "placeholder"] if isinstance(mod, GraphModule) else []
    named = [i for i, n in enumerate(holes) if "_parameters_" in str(n.target) or "_buffers_" in str(n.target)]
    return [*range(n_held), *[n_held + i for i in named]]


def aot_module_simplified(
    mod,
    args,
    fw_compiler,
    bw_compiler=None,
    partition_fn=default_partition,
    decompositions=None,
    keep_inference_input_mutations=False,
    inference_compiler=None,
    otherwise=None,
    cache=None,
    **_,
):
    """aot_module_simplified(graph module, inputs, fw_compiler, ...) -> f(*inputs): for backends of torch.compile.

    cache: cache(module, decompositions) -> Compilers.cache, of compilers whose results can be kept.
    """
    cache = cache(mod, decompositions) if cache is not None else None
    how = otherwise, keep_inference_input_mutations, cache
    compilers = Compilers(fw_compiler, bw_compiler, partition_fn, decompositions, inference_compiler, *how)
    held = Held(mod)
    if all(isinstance(t, Tensor) for t in args):
        run = compile_flat(held.call, [*held.tensors(), *args], compilers, _static(mod, len(held.places)))
    else:  # sizes are inputs: compiled for each, as the nodes of the graph are made for sizes that are known
        run = by_looks(held.call, compilers)
    if held.places:

        def forward(*inputs):
            return run([*held.tensors(), *inputs])

    else:

        def forward(*inputs):
            return run(inputs)

    forward.named_parameters, forward.named_buffers = mod.named_parameters, mod.named_buffers
    return forward
