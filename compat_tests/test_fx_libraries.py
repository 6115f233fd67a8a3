"""torch.fx used as libraries use it: features of nodes by their path, graphs written by generators, proxies with data."""

import importlib
import operator
from collections import OrderedDict

from both import same


def _paths(m):
    """A tracer that notes the path of each node, and a module that has a graph for training and one for evaluation."""
    fx, nn = m.fx, m.nn
    copy_attr = importlib.import_module(f"{m.__name__}.fx.graph_module")._copy_attr

    class PathTracer(fx.Tracer):
        def __init__(self):
            super().__init__()
            self.path, self.paths = "", OrderedDict()

        def call_module(self, mod, forward, args, kwargs):
            before = self.path
            try:
                self.path = self.path_of_module(mod)
                if not self.is_leaf_module(mod, self.path):
                    return forward(*args, **kwargs)
                return self.create_proxy("call_module", self.path, args, kwargs)
            finally:
                self.path = before

        def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, *_):
            proxy = super().create_proxy(kind, target, args, kwargs, name, type_expr)
            own = self.path if kind == "call_module" else ".".join(filter(None, [self.path, str(proxy.node)]))
            self.paths[proxy.node] = own
            return proxy

    class Dual(fx.GraphModule):
        def __init__(self, root, graphs, class_name):
            super(fx.GraphModule, self).__init__()
            type(self).__name__ = class_name
            self.train_graph, self.eval_graph = graphs
            for node in [*graphs[0].nodes, *graphs[1].nodes]:
                if node.op in ("get_attr", "call_module"):
                    copy_attr(root, self, node.target)
            self.train()
            self.graph, self._tracer_cls = self.train_graph, None

        def train(self, mode=True):
            if mode is not self.training:
                self.graph = self.train_graph if mode else self.eval_graph
            return super().train(mode=mode)

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.relu = nn.Linear(4, 4), nn.ReLU()

        def forward(self, x):
            y = self.relu(self.linear(x))
            return (y * 2 if self.training else y) + x

    return PathTracer, Dual, nn.Sequential(Block(), Block(), nn.Linear(4, 2))


def _features(m):
    m.manual_seed(0)
    PathTracer, Dual, model = _paths(m)
    graphs = []
    for mode in (True, False):
        model.train(mode)
        tracer = PathTracer()
        graph = tracer.trace(model)
        gm = m.fx.GraphModule(tracer.root, graph, "Traced")
        yield [(str(node), path) for node, path in tracer.paths.items()]
        output = gm.graph.output_node()
        with gm.graph.inserting_before(output):
            gm.graph.output(OrderedDict(feature=list(tracer.paths)[-2], out=output.args[0]))
        gm.graph.erase_node(output)
        gm.graph.eliminate_dead_code()
        gm.recompile()
        graphs.append(gm.graph)
    dual, x = Dual(model, graphs, "Features"), m.ones(1, 4)
    yield dual.code, dict(dual(x)), type(dual).__name__
    dual.eval()
    yield dual.code, dict(dual(x)), str(dual)


def _generated(m):
    """A product of tensors written by a generator, as code."""
    fx = m.fx
    graph = fx.Graph()
    tracer = fx.proxy.GraphAppendingTracer(graph)
    x, y = (fx.Proxy(graph.placeholder(name, m.Tensor), tracer=tracer) for name in ("x", "y"))
    shape = x.shape[:-1]
    out = m.einsum("zi,zj->zij", x.reshape(-1, 2), y.reshape(-1, 2))
    out = m.cat([out[:, 0], out[:, 1]], dim=-1).reshape(shape + (4,))
    graph.output(out.node, m.Tensor)
    graph.lint()
    gm = fx.GraphModule({}, graph, "Product")
    yield gm.code, gm(m.ones(3, 2), m.arange(6.0).reshape(3, 2)), str(graph)


def _proxies_with_data(m):
    """Proxies that know what they stand for, so that a program may ask for sizes and decide by them."""
    fx, nn = m.fx, m.nn

    class Known(fx.Proxy):
        @property
        def shape(self):
            return self.size()

        @property
        def device(self):
            return m.device("cpu")

        def know(self, data):
            self._data = data

        def __len__(self):
            return len(self._data) if hasattr(self, "_data") else super().__len__()

        def __getattr__(self, k):
            return self.__getattribute__(k) if k == "_data" else KnownAttribute(self, k)

        def __setitem__(self, i, value):
            return self.tracer.create_proxy("call_function", operator.setitem, (self, i, value), {})

    class KnownAttribute(Known):
        def __init__(self, root, attr):
            self.root, self.attr, self.tracer, self._node = root, attr, root.tracer, None

        @property
        def node(self):
            if self._node is None:
                self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
            return self._node

        def __call__(self, *args, **kwargs):
            return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)

    class Knowing(fx.Tracer):
        proxy_buffer_attributes = True

        def proxy(self, node):
            return Known(node, self)

        def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
            made = super().create_proxy(kind, target, args, kwargs, name, type_expr, proxy_factory_fn)
            if kind == "placeholder":
                made.know(m.ones(2, 4))
            return made

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(4, 4)
            self.register_buffer("mask", m.ones(4))

        def forward(self, ids, attention=None):
            batch, length = ids.shape
            y = self.linear(ids) * self.mask if len(ids) == 2 else ids
            y[:, 0] = 1
            return {"h": y + m.arange(length, device=ids.device).unsqueeze(0), "n": batch}

    m.manual_seed(0)
    tracer = Knowing()
    graph = tracer.trace(Net(), concrete_args={"attention": None})
    gm = fx.GraphModule(tracer.root, graph)
    yield str(graph), gm.code, gm(m.ones(2, 4), None)


def test_features_by_path():
    same(_features, quiet=True, rtol=1e-5, atol=1e-6)


def test_generated_code():
    same(_generated, quiet=True)


def test_proxies_with_data():
    same(_proxies_with_data, quiet=True, rtol=1e-5, atol=1e-6)
