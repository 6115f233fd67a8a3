"""One run of a module on fake tensors, noted as a graph whose placeholders are its tensors and inputs."""

import contextlib
import re

from .._aten.overloads import aten
from .._base.state import local, set_grad_enabled
from .._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..fx.experimental.proxy_tensor import snapshot
from ..fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode
from ..fx.graph_module import GraphModule
from ..fx.proxy import Proxy
from ._capture import DATA, Capturing, Composites, Fakes, Leaves, noting_modules
from ._symbols import guarding
from ._torch_steps import all_steps

_PLAIN = (int, float, bool, str, complex, type(None))


class Held:
    """The tensors of a module: (kind, name, tensor) of parameters, buffers and other tensors that it keeps."""

    def __init__(self, mod):
        self.mod, self.parameters, self.buffers, self.constants = mod, {}, {}, {}
        self.places = []  # (dictionary, its key, kind, name)
        self.persistent = set()
        known = {}
        for prefix, module in mod.named_modules(remove_duplicate=False):
            dot = f"{prefix}." if prefix else ""
            for kind, held in (("parameters", module._parameters), ("buffers", module._buffers)):
                for key, t in held.items():
                    if t is None:
                        continue
                    name = dot + key
                    known.setdefault(id(t), name)
                    if not any([place is held and k == key for place, k, _, _ in self.places]):
                        getattr(self, kind)[name] = t
                        self.places.append((held, key, kind, name))
                    if kind == "buffers" and key not in module._non_persistent_buffers_set:
                        self.persistent.add(name)
            for key, value in vars(module).items():
                if isinstance(value, Tensor):
                    self.constants.setdefault(known.setdefault(id(value), dot + key), value)

    @contextlib.contextmanager
    def being(self, fakes):
        """with held.being({name: tensor}): those are the module's; afterwards it is as it was, whatever was set."""
        before = [(vars(m), dict(vars(m))) for m in self.mod.modules()]
        held = [(d, dict(d)) for m in self.mod.modules() for d in (m._parameters, m._buffers)]
        try:
            for place, key, _, name in self.places:
                place[key] = fakes[name]
            yield
        finally:
            for place, old in (*held, *before):
                place.clear()
                place.update(old)

    def reassigned(self, fakes):
        """[(name, new value)] of buffers that were set to other tensors."""
        found = {}
        for place, key, kind, name in self.places:
            now = place.get(key)
            if kind == "buffers" and now is not fakes[name] and isinstance(now, Tensor):
                found[name] = now
        return list(found.items())


class Run:
    """What a run gives: graph module, nodes of placeholders and results, the structure of the result."""

    def __init__(self, mod, held, args, kwargs, leaf_names, shapes, env):
        self.held, self.env = held, env
        self.tracer, self.fakes = Capturing(), Fakes()
        leaves, self.in_spec = pytree.tree_flatten((args, kwargs))
        for leaf, sizes in zip(leaves, shapes):
            if sizes:
                self.fakes.shapes[id(leaf)] = tuple(
                    [env.size(sizes[i]) if i in sizes else n for i, n in enumerate(leaf.shape)]
                )
        self.names = Names()
        self.inputs = {}  # name of a node -> (kind, name or leaf)
        with guarding(env):
            given = self._holes(leaves, leaf_names)
            out = self._call(mod, *pytree.tree_unflatten(given, self.in_spec))
            self._finish(out)

    def _holes(self, leaves, leaf_names):
        self.of = {}
        for kind, prefix in (("parameters", "p_"), ("buffers", "b_")):
            for name, t in getattr(self.held, kind).items():
                self.of[name] = self._hole(f"{prefix}{clean(name)}", t, (kind, name))
        return [self._hole(name, leaf, ("user", leaf)) for name, leaf in zip(leaf_names, leaves)]

    def _hole(self, name, value, what):
        fake = value
        if isinstance(value, Tensor):  # a tensor that is given twice is two inputs
            again = what[0] == "user" and any([w[0] == "user" and w[1] is value for w in self.inputs.values()])
            fake = self.fakes.fresh(value) if again else self.fakes.from_tensor(value)
        node = self.tracer.graph.placeholder(self.names.new(name))
        if node.name != name:  # a name of Python's own, which torch gives to an input all the same
            node.name = node.target
        node.meta["val"] = snapshot(fake)
        if isinstance(fake, Tensor):
            self.tracer.track(fake, Proxy(node, self.tracer))
        self.inputs[node.name] = what
        return fake

    def _call(self, mod, args, kwargs):
        tracer = self.tracer
        leaves = Leaves(tracer, "fake", None)
        above = Composites(tracer, leaves, all_steps())
        before = tracer.grad
        with self.held.being(self.of), noting_modules(mod, tracer):
            try:
                with exporting(), self.fakes, leaves, above:
                    out = mod(*args, **kwargs)
            except (DataDependentOutputException, DynamicOutputShapeException) as e:
                raise GuardOnDataDependentSymNode(DATA.format(e.func)) from None
            finally:
                set_grad_enabled(before)
            changed = self.held.reassigned(self.of)
        tracer.grad = before
        tracer.note_grad()
        for name, new in changed:
            place, value = tracer.proxy_of(self.of[name]).node, tracer.create_arg(new)
            node = tracer.create_node("call_function", aten("copy_"), (place, value), {}, name="copy__default")
            node.meta["val"] = snapshot(new)
        return out

    def _finish(self, out):
        results, self.out_spec = pytree.tree_flatten(out)
        self.results = [self._result(r) for r in results]
        self.tracer.graph.output(tuple(self.results))

    def _result(self, r):
        if isinstance(r, Tensor):
            return self.tracer.create_arg(r)
        if isinstance(r, _PLAIN):
            return r
        raise RuntimeError(
            f"Found {type(r)} in output, which is not a known type. If this type holds tensors, you need to register a "
            "pytree for it. See https://github.com/pytorch/functorch/issues/475 for a brief explanation why. If you "
            "don't need to register a pytree, please leave a comment explaining your use case and we'll make this more "
            "ergonomic to deal with"
        )

    def module(self):
        """The graph as a module."""
        return GraphModule(self.tracer.root, self.tracer.graph)


@contextlib.contextmanager
def exporting():
    """with exporting(): what torch.compiler.is_exporting() and is_compiling() tell the program."""
    before = getattr(local, "compiling", False), getattr(local, "exporting", False)
    local.compiling = local.exporting = True
    try:
        yield
    finally:
        local.compiling, local.exporting = before


class Names:
    """Names of placeholders, each once."""

    def __init__(self):
        self.taken = set()

    def new(self, name):
        """name, or name_1 ..."""
        found, n = name, 1
        while found in self.taken:
            found, n = f"{name}_{n}", n + 1
        self.taken.add(found)
        return found


def clean(name):
    """A dotted name as a part of an identifier, as torch writes it."""
    return re.sub(r"[^a-zA-Z0-9]", "_", name.removeprefix("self_").lower())


def name_of_path(path):
    """The placeholder of an input: x, x_0, batch_key."""
    parts = [str(getattr(k, "key", getattr(k, "idx", getattr(k, "name", k)))).lower() for k in path]
    return clean("_".join(parts))


__all__ = ["Held", "Names", "Run", "clean", "name_of_path"]
