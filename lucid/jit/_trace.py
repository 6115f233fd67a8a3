"""trace: a function or module as a graph of torch.fx.

A symbolic trace keeps sizes open, as torch's does; where it fails, or gives other numbers than the program itself, the
calls that the example makes are taken (make_fx), and sizes are the example's.
"""

import contextlib
import warnings

from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..autograd.grad_mode import no_grad
from ..fx import Tracer, symbolic_trace
from ..fx.experimental.proxy_tensor import make_fx
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..random import fork_rng
from ._script import ScriptModule, say_once

_depth = [0]


def is_tracing():
    """is_tracing() -> bool: does trace run now?"""
    return _depth[0] > 0


@contextlib.contextmanager
def _tracing():
    _depth[0] += 1
    try:
        yield
    finally:
        _depth[0] -= 1


class _OfGraph:
    """What has a graph module in `_graph_module` shows its graph."""

    @property
    def graph(self):
        """The graph, of torch.fx"""
        return self._graph_module.graph

    inlined_graph = graph

    @property
    def code(self):
        """Python text of the graph"""
        return self._graph_module.code


class TracedModule(_OfGraph, ScriptModule):
    """What trace(module) gives: members under their names, and the graph that forward runs."""

    def __init__(self, graph_module, name):
        super().__init__()
        hidden = {"_graph_module": graph_module, "_parameters": graph_module._parameters, "_name": name}
        self.__dict__.update(hidden, _buffers=graph_module._buffers, _modules=graph_module._modules)
        self.__dict__["_non_persistent_buffers_set"] = graph_module._non_persistent_buffers_set
        self.__dict__["training"] = graph_module.training

    @property
    def original_name(self):
        """The name of the module's class"""
        return self._name

    def forward(self, *args, **kwargs):
        return self._graph_module.forward(*args, **kwargs)

    def _get_name(self):
        return self._name

    def extra_repr(self):
        return f"original_name={self._name}"

    def __reduce__(self):
        return type(self), (self._graph_module, self._name)

    def __deepcopy__(self, memo):
        import copy

        return type(self)(copy.deepcopy(self._graph_module, memo), self._name)


class TopLevelTracedModule(TracedModule):
    """What trace(module) gives."""


class TracedFunction(_OfGraph):
    """What trace(function) gives: called as the function is, with its `graph` and `code`."""

    def __init__(self, graph_module, name):
        self._graph_module, self.name, self.__name__ = graph_module, name, name

    def __call__(self, *args, **kwargs):
        return self._graph_module.forward(*args, **kwargs)

    def __reduce__(self):
        return type(self), (self._graph_module, self.name)


def _values(result):
    """The tensors of a result, in order."""
    return [t for t in pytree.tree_leaves(result) if isinstance(t, Tensor)]


def _run(f, args, kwargs):
    with no_grad(), fork_rng():
        return f(*args, **kwargs)


def _agrees(wanted, got):
    """Does the graph give what the program gave?"""
    wanted, got = _values(wanted), _values(got)
    if len(wanted) != len(got):
        return False
    for a, b in zip(wanted, got):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        if a.is_floating_point() or a.is_complex():
            if not a.allclose(b, rtol=1e-5, atol=1e-5, equal_nan=True):
                return False
        elif not a.equal(b):
            return False
    return True


class _KeepsBuffers(Tracer):
    """How a graph is read again when it is loaded: buffers are members, as parameters are."""

    proxy_buffer_attributes = True


def _buffers_of(func):
    return func.buffers() if isinstance(func, Module) else ()


def _kept(module):
    """A function that puts a module's buffers back as they are now, which trying it out may change."""
    if not isinstance(module, Module):
        return lambda: None
    before = [(b, b.detach().clone()) for b in module.buffers()]

    def restore():
        with no_grad():
            for buffer, value in before:
                buffer.copy_(value)

    return restore


def _symbolic(func, args, kwargs, wanted, restore):
    """The symbolic trace, or None where there is none that gives what the program gives."""
    try:
        made = symbolic_trace(func)
        agrees = _agrees(wanted, _run(made, args, kwargs))
    except Exception:
        return None
    finally:
        restore()
    return made if agrees else None


def _by_example(func, args, kwargs):
    """The graph of the calls that the example makes; parameters and buffers keep their names."""
    names = list(kwargs)

    def flat(*values):
        split = len(values) - len(names)
        return func(*values[:split], **dict(zip(names, values[split:])))

    with no_grad(), fork_rng():
        made = make_fx(flat, _error_on_data_dependent_ops=False)(*args, *kwargs.values())
    if isinstance(func, Module):
        _name_members(made, func)
    return made


def _name_members(made, module):
    """Let the graph module have the module's parameters and buffers under their names, in place of constants."""
    found = {}
    for name, member in [*module.named_parameters(), *module.named_buffers()]:
        found[member.data_ptr(), tuple(member.shape)] = name
        owner, _, leaf = name.rpartition(".")
        place = made
        for part in owner.split(".") if owner else ():
            if part not in place._modules:
                place.add_module(part, Module())
            place = place._modules[part]
        kept = module.get_submodule(owner)
        if isinstance(member, Parameter):
            place.register_parameter(leaf, member)
        else:
            place.register_buffer(leaf, member, leaf not in kept._non_persistent_buffers_set)
    for node in made.graph.nodes:
        if node.op == "get_attr" and "constant" in node.target:
            value = getattr(made, node.target)
            name = found.get((value.data_ptr(), tuple(value.shape))) if value.numel() else None
            if name is not None:
                node.target = name
    used = {node.target for node in made.graph.nodes}
    for name in [n for n in (*made._parameters, *made._buffers) if "_constant" in n and n not in used]:
        delattr(made, name)
    made.graph.lint()
    made.recompile()


def trace(
    func,
    example_inputs=None,
    optimize=None,
    check_trace=True,
    check_inputs=None,
    check_tolerance=1e-5,
    strict=True,
    _force_outplace=False,
    _module_class=None,
    _compilation_unit=None,
    example_kwarg_inputs=None,
    _store_inputs=True,
):
    """trace(function or module, example_inputs) -> what runs as the graph that it is with these inputs: a module, or a
    function. torch.jit.save keeps it."""
    say_once()
    if isinstance(func, (ScriptModule, TracedFunction)):
        return func
    if example_inputs is None and example_kwarg_inputs is None:
        raise RuntimeError("example_kwarg_inputs should be a dict")
    args = example_inputs if isinstance(example_inputs, (tuple, list)) else (example_inputs,)
    args, kwargs = (() if example_inputs is None else tuple(args)), dict(example_kwarg_inputs or {})
    restore = _kept(func)
    with _tracing():
        wanted = _run(func, args, kwargs)
        restore()
        made = _symbolic(func, args, kwargs, wanted, restore)
        if made is None:
            made = _by_example(func, args, kwargs)
            restore()
    if check_trace and not _agrees(wanted, _run(made, args, kwargs)):
        warnings.warn(
            "torch.jit.trace: the graph does not give what the program gives for the example; it depends on random "
            "numbers, or on something beside its inputs",
            stacklevel=2,
        )
    restore()
    if list(_buffers_of(func)):
        _run(func, args, kwargs)  # torch traces by running once, which buffers show
    made._tracer_cls = made.graph._tracer_cls = _KeepsBuffers
    if not isinstance(func, Module):
        return TracedFunction(made, getattr(func, "__name__", type(func).__name__))
    made.train(func.training)
    return TopLevelTracedModule(made, type(func).__name__)


def trace_module(mod, inputs, *args, **kwargs):
    """trace_module(module, {"forward": example_inputs}) -> as trace; NotImplementedError for other methods."""
    if set(inputs) != {"forward"}:
        raise NotImplementedError("torch.jit.trace_module: lucid has no traces of methods other than forward")
    return trace(mod, inputs["forward"])
