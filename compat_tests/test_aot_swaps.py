"""The seams of AOTAutograd: a backend of one's own, a pair of compilers, a table of decompositions, a partitioner; what
each is given, and what comes of it, is torch's."""

import importlib
import warnings

import pytest
import torch
from both import same

import lucid


def tools(m):
    """(functorch.compile, _functorch.aot_autograd, _dynamo.backends.common) of a library."""
    first = "functorch.compile" if m is torch else "lucid._functorch.face.compile"
    return [
        importlib.import_module(n)
        for n in (first, f"{m.__name__}._functorch.aot_autograd", f"{m.__name__}._dynamo.backends.common")
    ]


def names(gm):
    return [
        str(n.target) if hasattr(n.target, "_schema") else getattr(n.target, "__name__", n.name) for n in gm.graph.nodes
    ]


def recording(m, texts):
    """A compiler that writes down what it is given, and compiles nothing."""
    compile_, _, _ = tools(m)

    def compiler(gm, inputs):
        shapes = [tuple(t.shape) for t in inputs]
        texts.append((names(gm), shapes))
        return compile_.make_boxed_func(gm.forward)

    return compiler


def leaf(m, *shape):
    return (m.arange(float(m.zeros(shape).numel())).reshape(shape) * 0.3).cos().detach().requires_grad_()


def function(m):
    return lambda x, w: m.nn.functional.gelu(x @ w).sum()


def _pair(m):
    forward, backward = [], []
    compile_, _, _ = tools(m)
    f = compile_.aot_function(function(m), recording(m, forward), recording(m, backward))
    x, w = leaf(m, 3, 4), leaf(m, 4, 2)
    y = f(x, w)
    before = len(backward)
    y.backward()
    f(x, w).backward()  # compiled once
    return forward, before, backward, y, x.grad, w.grad


def _inference_compiler(m):
    seen, other = [], []
    compile_, _, _ = tools(m)
    f = compile_.aot_function(function(m), recording(m, seen), inference_compiler=recording(m, other))
    with m.no_grad():
        y = f(leaf(m, 3, 4), leaf(m, 4, 2))
    return seen, other, y


def _module(m):
    seen = []
    compile_, _, _ = tools(m)
    layer = m.nn.Linear(4, 2)
    with m.no_grad():
        layer.weight.copy_(leaf(m, 2, 4))
        layer.bias.zero_()
    made = compile_.aot_module(layer, recording(m, seen))
    y = made(leaf(m, 3, 4))
    y.sum().backward()
    return seen, y, layer.weight.grad, isinstance(made, m.nn.Module), made.orig_module is layer


def _backend(m):
    seen = []
    compile_, aot, _ = tools(m)

    def mine(gm, inputs):
        return aot.aot_module_simplified(gm, inputs, fw_compiler=recording(m, seen))

    x, w = leaf(m, 3, 4), leaf(m, 4, 2)
    m._dynamo.reset()
    m.compile(function(m), backend=mine)(x, w).backward()
    return [text for text, _ in seen], x.grad, w.grad


def _backend_by_name(m):
    seen = []
    _, _, common = tools(m)
    backend = common.aot_autograd(fw_compiler=recording(m, seen))
    registry = importlib.import_module(f"{m.__name__}._dynamo.backends.registry")
    registry.register_backend(backend, "mine_for_a_test")
    m._dynamo.reset()
    y = m.compile(lambda x: x.sin() * 2, backend="mine_for_a_test")(leaf(m, 3).detach())
    return [text for text, _ in seen], y


def _decomposition(m):
    seen = []
    compile_, _, _ = tools(m)
    table = {m.ops.aten.gelu.default: lambda x, approximate="none": x * m.sigmoid(1.702 * x)}
    f = compile_.aot_function(function(m), recording(m, seen), decompositions=table)
    with m.no_grad():
        y = f(leaf(m, 3, 4), leaf(m, 4, 2))
    return [text for text, _ in seen], y


def _decomposition_of_a_write(m):
    seen = []
    compile_, _, _ = tools(m)
    table = {m.ops.aten.relu.default: lambda x: m.where(x > 0, x, 0.0), m.ops.aten.add.Tensor: lambda x, y: x - (-y)}

    def f(x):
        y = x * 2
        y.relu_().add_(x)
        return y

    run = compile_.aot_function(f, recording(m, seen), decompositions=table)
    with m.no_grad():
        y = run(leaf(m, 3, 4))
    return [[n for n in text if n != "aten.scalar_tensor.default"] for text, _ in seen], y


def _own_partition(m):
    calls, seen = [], []
    compile_, _, _ = tools(m)

    def cut(joint, inputs, *, num_fwd_outputs, static_lifetime_input_indices=None):
        calls.append((num_fwd_outputs, [len(part) for part in inputs], static_lifetime_input_indices))
        return compile_.default_partition(joint, inputs, num_fwd_outputs=num_fwd_outputs)

    f = compile_.aot_function(lambda x: x.exp().sin(), recording(m, seen), partition_fn=cut)
    x = leaf(m, 3)
    f(x).sum().backward()
    return calls, [text for text, _ in seen], x.grad


def _min_cut(m):
    seen = []
    compile_, _, _ = tools(m)
    f = compile_.aot_function(
        lambda x: x.cos().cos().cos(), recording(m, seen), partition_fn=compile_.min_cut_rematerialization_partition
    )
    x = leaf(m, 3)
    f(x).sum().backward()
    return [text for text, _ in seen], x.grad


def _boxed(m):
    compile_, _, _ = tools(m)
    f = compile_.make_boxed_func(lambda a, b: a + b)
    g = compile_.make_boxed_compiler(lambda gm, inputs: gm.forward)
    return f([1, 2]), f._boxed_call, callable(g)


def _unboxed(m):
    compile_, _, _ = tools(m)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x = leaf(m, 2)
        compile_.aot_function(lambda x: x * x, lambda gm, _: gm)(x).sum().backward()
    return x.grad, [str(w.message)[:70] for w in caught if "boxed" in str(w.message)][:1]


def _printed(m, capsys=None):
    compile_, _, _ = tools(m)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile_.aot_function(lambda x: x * 2, compile_.print_compile)(m.ones(2))


def _exported(m):
    _, aot, _ = tools(m)

    class Net(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = m.nn.Parameter(leaf(m, 3).detach())
            self.register_buffer("n", m.zeros(()))

        def forward(self, x):
            self.n.add_(1)
            return ((x * self.w).sum(),)

    module, s = aot.aot_export_module(Net(), [leaf(m, 3).detach()], trace_joint=True, output_loss_index=0)
    back = s.backward_signature
    return (
        names(module), s.parameters, s.buffers, s.user_inputs, s.user_outputs, dict(s.inputs_to_parameters),
        dict(s.inputs_to_buffers), dict(s.buffers_to_mutate), dict(back.gradients_to_parameters),
    )  # fmt: skip


def _exported_simply(m):
    _, aot, _ = tools(m)
    joint = aot.aot_export_joint_simple(lambda x: (x * x,), (leaf(m, 3),), trace_joint=True)
    return names(joint), [list(map(str, n.args))[:2] for n in joint.graph.nodes if n.op == "call_function"]


PROGRAMS = [
    _pair, _inference_compiler, _module, _backend, _backend_by_name, _decomposition, _decomposition_of_a_write, _own_partition, _min_cut, _boxed,
    _unboxed, _printed, _exported, _exported_simply,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__[1:])
def test_seams(program):
    same(program, rtol=1e-5, looks="")


def test_names():
    import lucid._functorch.face.compile as mine

    theirs = importlib.import_module("functorch.compile")
    assert not [n for n in dir(theirs) if not n.startswith("_") and not hasattr(mine, n)]
    known, own = [set(m._dynamo.list_backends(None)) - {"mine_for_a_test"} for m in (torch, lucid)]
    assert {"aot_eager", "aot_eager_default_partitioner", "aot_eager_decomp_partition"} <= own <= known


def test_names_of_graphs():
    import lucid._functorch.face.compile as mine

    seen = []

    def compiler(gm, inputs):
        seen.append(mine.get_graph_being_compiled())
        return mine.make_boxed_func(gm.forward)

    mine.aot_function(lambda x: x * x, compiler)(leaf(lucid, 2)).sum().backward()
    first = [name.split("_")[3] for name in seen]
    assert first == ["forward", "backward"] and all(name.startswith("model__") for name in seen)
