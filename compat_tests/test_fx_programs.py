"""Whole programs of the kind that torch.fx's tutorials show, on both libraries: profilers, fusers, rewriters, splitters."""

import copy
import importlib
import operator
import statistics

import pytest
from both import attempt, same, shown


def part(m, name):
    """A module of the library by its path under torch."""
    return importlib.import_module(f"{m.__name__}.{name}")


def _resnet(m):
    nn = m.nn

    class Block(nn.Module):
        def __init__(self, c_in, c_out, stride=1):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False), nn.BatchNorm2d(c_out)
            self.conv2, self.bn2 = nn.Conv2d(c_out, c_out, 3, 1, 1, bias=False), nn.BatchNorm2d(c_out)
            self.relu, self.downsample = nn.ReLU(inplace=True), None
            if stride != 1 or c_in != c_out:
                self.downsample = nn.Sequential(nn.Conv2d(c_in, c_out, 1, stride, bias=False), nn.BatchNorm2d(c_out))

        def forward(self, x):
            identity = x
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.bn2(self.conv2(out))
            if self.downsample is not None:
                identity = self.downsample(x)
            out += identity
            return self.relu(out)

    class ResNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.bn1, self.relu = nn.Conv2d(3, 4, 3, 2, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU(True)
            self.maxpool = nn.MaxPool2d(3, 2, 1)
            self.layer1, self.layer2 = nn.Sequential(Block(4, 4)), nn.Sequential(Block(4, 8, 2))
            self.avgpool, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(8, 5)

        def forward(self, x):
            x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
            x = self.avgpool(self.layer2(self.layer1(x)))
            return self.fc(m.flatten(x, 1))

    m.manual_seed(0)
    net = ResNet()
    net(m.rand(2, 3, 16, 16))
    return net.eval()


def _image(m):
    return m.linspace(0, 1, 2 * 3 * 16 * 16).reshape(2, 3, 16, 16)


def profiler(m, show):
    """How often and how long each node ran."""

    class ProfilingInterpreter(m.fx.Interpreter):
        def __init__(self, mod):
            gm = m.fx.symbolic_trace(mod)
            super().__init__(gm)
            self.clock, self.total, self.runtimes = 0, [], {}

        def run(self, *args):
            start = self.clock
            value = super().run(*args)
            self.total.append(self.clock - start)
            return value

        def run_node(self, n):
            self.clock += len(n.name)  # a clock that both libraries agree on
            value = super().run_node(n)
            self.runtimes.setdefault(n, []).append(len(n.name))
            return value

        def summary(self):
            mean = statistics.mean(self.total)
            rows = []
            for node, times in self.runtimes.items():
                rows.append([node.op, str(node), statistics.mean(times), 100 * statistics.mean(times) / mean])
            return sorted(rows, key=lambda row: (-row[2], row[1]))

    interpreter = ProfilingInterpreter(_resnet(m))
    show(interpreter.run(_image(m)))
    show(interpreter.run(_image(m)))
    show(*interpreter.summary())


def fuser(m, show):
    """Batch norms folded into convolutions, by hand and by the library."""
    nn = m.nn

    def parent_name(target):
        *parent, name = target.rsplit(".", 1)
        return parent[0] if parent else "", name

    def fold(conv, bn):
        conv = copy.deepcopy(conv)
        scale = bn.weight * m.rsqrt(bn.running_var + bn.eps)
        bias = m.zeros_like(bn.running_mean) if conv.bias is None else conv.bias
        conv.weight = nn.Parameter(conv.weight * scale.reshape(-1, 1, 1, 1))
        conv.bias = nn.Parameter((bias - bn.running_mean) * scale + bn.bias)
        return conv

    def fuse(model):
        gm = m.fx.symbolic_trace(copy.deepcopy(model))
        modules = dict(gm.named_modules())
        for node in gm.graph.nodes:
            if node.op != "call_module" or node.args[0].op != "call_module":
                continue
            if type(modules[node.target]) is nn.BatchNorm2d and type(modules[node.args[0].target]) is nn.Conv2d:
                if len(node.args[0].users) > 1:
                    continue
                made = fold(modules[node.args[0].target], modules[node.target])
                parent, name = parent_name(node.args[0].target)
                setattr(modules[parent], name, made)
                node.replace_all_uses_with(node.args[0])
                gm.graph.erase_node(node)
        gm.graph.lint()
        gm.recompile()
        return gm

    net, x = _resnet(m), _image(m)
    by_hand, by_library = fuse(net), part(m, "fx.experimental.optimization").fuse(net)
    for made in (by_hand, by_library):
        show(made.code, made(x), bool((made(x) - net(x)).abs().max() < 1e-4), len(list(made.graph.nodes)))
        show(sorted(name for name, _ in made.named_modules()))


def rewriting(m, show):
    """Patterns replaced, activations swapped, an op taken apart."""
    F = m.nn.functional

    class Net(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear1, self.linear2 = m.nn.Linear(4, 4), m.nn.Linear(4, 4)

        def forward(self, x):
            y = self.linear1(x).clamp(min=0.0, max=1.0)
            z = m.add(y, x)
            return F.relu(m.add(z, self.linear2(z))) * 2

    m.manual_seed(0)
    net, x = Net(), m.linspace(-1, 1, 8).reshape(2, 4)
    gm = m.fx.symbolic_trace(net)
    found = m.fx.replace_pattern(gm, lambda a, b: m.add(a, b), lambda a, b: m.mul(a, b) + 1)
    show(gm.code, len(found), [str(f.anchor) for f in found], gm(x))
    gm = m.fx.symbolic_trace(net)
    rewriter = part(m, "fx.subgraph_rewriter")
    clamps = rewriter.replace_pattern_with_filters(
        gm,
        lambda v: v.clamp(min=0.0, max=5.0),
        lambda v: v.sigmoid(),
        [lambda match, graph, pattern: len(match.nodes_map) > 1],
        ignore_literals=True,
    )
    show(gm.code, [(str(c.anchor), [str(r) for r in c.replacements]) for c in clamps], gm(x))

    def built(match, graph, pattern):
        made = m.fx.Graph()
        made.output(made.call_function(m.tanh, (made.placeholder("v"),)))
        return made

    more = rewriter.replace_pattern_with_filters(gm, lambda v: F.relu(v), replacement_callback=built)
    show(gm.code, len(more), attempt(rewriter.replace_pattern_with_filters, gm, lambda v: v))

    rules = {F.relu: lambda v: (v > 0) * v, m.add: lambda a, b: a - (-b)}

    def decompose(module):
        graph, env, tracer = m.fx.Graph(), {}, None
        tracer = part(m, "fx.proxy").GraphAppendingTracer(graph)
        for node in m.fx.symbolic_trace(module).graph.nodes:
            if node.op == "call_function" and node.target in rules:
                args = [m.fx.Proxy(env[a.name], tracer) if isinstance(a, m.fx.Node) else a for a in node.args]
                env[node.name] = rules[node.target](*args).node
            else:
                env[node.name] = graph.node_copy(node, lambda n: env[n.name])
        return m.fx.GraphModule(module, graph)

    made = decompose(net)
    show(made.code, made(x))


def tracers(m, show):
    """Tracers of one's own, and values that are recorded."""

    class Shapes(m.fx.Tracer):
        """Every module a leaf; what comes out is noted."""

        def __init__(self):
            super().__init__()
            self.seen = []

        def is_leaf_module(self, mod, path):
            return path.startswith("layer2") or super().is_leaf_module(mod, path)

        def call_module(self, mod, forward, args, kwargs):
            self.seen.append(self.path_of_module(mod))
            return super().call_module(mod, forward, args, kwargs)

        def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
            node = super().create_node(kind, target, args, kwargs, name, type_expr)
            node.tag = len(self.seen)
            return node

    net = _resnet(m)
    tracer = Shapes()
    graph = tracer.trace(net)
    gm = m.fx.GraphModule(tracer.root, graph, "Own")
    show(str(graph), tracer.seen, [node.tag for node in graph.nodes], gm(_image(m)), type(gm).__name__)

    class Recorder(m.fx.Interpreter):
        def __init__(self, gm):
            super().__init__(gm, garbage_collect_values=False)
            self.table = []

        def call_module(self, target, args, kwargs):
            out = super().call_module(target, args, kwargs)
            self.table.append((target, tuple(out.shape), type(self.submodules[target]).__name__))
            return out

        def call_function(self, target, args, kwargs):
            out = super().call_function(target, args, kwargs)
            self.table.append((target.__name__, tuple(out.shape)))
            return out

    recorder = Recorder(m.fx.symbolic_trace(net))
    show(recorder.run(_image(m)), *recorder.table, len(recorder.env))

    class Hooked(m.fx.Transformer):
        def call_function(self, target, args, kwargs):
            if target is operator.iadd:
                target = operator.add
            return super().call_function(target, args, kwargs)

        def call_module(self, target, args, kwargs):
            out = super().call_module(target, args, kwargs)
            return out.clamp(-1, 1) if isinstance(self.submodules[target], m.nn.Conv2d) else out

    made = Hooked(m.fx.symbolic_trace(net)).transform()
    show(made.code, made(_image(m)))


def splitting(m, show):
    """A model cut into stages, each run alone; shapes of all values; features at a node."""
    split_module = part(m, "fx.passes.split_module").split_module
    net, x = _resnet(m), _image(m)
    gm = m.fx.symbolic_trace(net)
    part(m, "fx.passes.shape_prop").ShapeProp(gm).propagate(x)
    for node in gm.graph.nodes:
        found = node.meta["tensor_meta"]
        show(
            node.name, tuple(found.shape), str(found.dtype), found.stride, str(found.memory_format), found.requires_grad
        )
    stage, names = {"n": 0}, {}

    def stage_of(node):
        if node.target in ("layer1.0.conv1", "layer2.0.conv1", "fc"):
            stage["n"] += 1
        return stage["n"]

    parts = split_module(gm, net, stage_of, names)
    show(parts.code, names, parts(x))
    value = x
    for _, child in parts.named_children():
        value = child(*value) if isinstance(value, tuple) else child(value)
        show(child.code, [tuple(v.shape) for v in (value if isinstance(value, tuple) else (value,))])

    def features(model, wanted):
        traced = m.fx.symbolic_trace(model)
        nodes = {n.name: n for n in traced.graph.nodes}
        out = traced.graph.output_node()
        with traced.graph.inserting_before(out):
            traced.graph.output({name: nodes[name] for name in wanted})
        traced.graph.erase_node(out)
        traced.graph.eliminate_dead_code()
        traced.delete_all_unused_submodules()
        traced.recompile()
        return traced

    made = features(net, ["maxpool", "layer1_0_relu_1"])
    show(made.code, made(x), sorted(name for name, _ in made.named_children()))


def graphs_by_hand(m, show):
    """A graph written node by node, changed, compiled, differentiated, and used as a layer."""
    graph = m.fx.Graph()
    x, w = graph.placeholder("x"), graph.get_attr("w")
    y = graph.call_function(m.matmul, (x, w))
    z = graph.call_method("relu", (y,))
    graph.output({"out": z, "sum": graph.call_function(m.sum, (z,), {"dim": -1})})
    root = m.nn.Module()
    root.w = m.nn.Parameter(m.linspace(-1, 1, 6).reshape(2, 3))
    gm = m.fx.GraphModule(root, graph)
    show(gm.code, gm(m.ones(1, 2)), str(gm), sorted(gm.state_dict()))
    gm(m.ones(1, 2))["sum"].sum().backward()
    show(gm.w.grad, root.w.grad is gm.w.grad)
    for node in gm.graph.nodes:
        if node.target == "relu":
            with gm.graph.inserting_after(node):
                new = gm.graph.call_function(m.nn.functional.gelu, node.args)
            node.replace_all_uses_with(new)
            gm.graph.erase_node(node)
    gm.recompile()
    show(gm.code, gm(m.ones(1, 2)), m.fx.symbolic_trace(m.nn.Sequential(gm)).code)
    optimizer = m.optim.SGD(gm.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = gm(m.ones(4, 2))["out"].pow(2).mean()
        loss.backward()
        optimizer.step()
    show(loss, gm.w)


PROGRAMS = [profiler, fuser, rewriting, tracers, splitting, graphs_by_hand]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_program(program):
    same(shown, program, quiet=True, rtol=1e-4, atol=1e-5)
