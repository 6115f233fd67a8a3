"""A hundred functions whose graphs below autograd are compared with torch's, forward and backward.

    python compat_tests/aot_graph_functions.py      rewrites data/aot_graphs.txt: torch's texts, as a compiler prints them

Each is compiled as `aot_eager` does it, with and without core_aten_decompositions. A function is f(m, *inputs) of a
library m, or makes a module. Inputs: a shape is a leaf that requires a gradient; "n" one that does not, "p" a positive
leaf, "q" numbers between 0 and 1, "i" integers below 4, "b" truth values.
"""

import importlib
import pathlib
import warnings

import numpy as np

DATA = pathlib.Path(__file__).with_name("data") / "aot_graphs.txt"
GAPS = pathlib.Path(__file__).with_name("data") / "aot_graph_gaps.txt"
HEAD = """# What torch's compiler prints for the functions of aot_graph_functions.py, graph by graph, and the strides of the
# gradients. Written by `python compat_tests/aot_graph_functions.py`.
"""


def F(m):
    return m.nn.functional


def _residual(m, x, w, v):
    return x + F(m).gelu(x @ w) @ v


def _attention(m, x, w):
    q, k, v = (x @ w).chunk(3, -1)
    weights = (q @ k.transpose(-2, -1) * 0.5).softmax(-1)
    return weights @ v


def _causal(m, q, k, v):
    scores = q @ k.transpose(-2, -1) / 2.0
    mask = m.ones(3, 3, dtype=m.bool).tril()
    return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v


def _in_place(m, x):
    y = x * 2
    y.add_(1).mul_(x)
    return y.relu_()


def _view_written(m, x):
    y = x.clone()
    y[0].mul_(2)
    y.t()[1] = 0.5
    return y


def _slice_filled(m, x):
    y = x * 1
    y[:, 1:3] = 0
    return y.sum(0)


def _buffer(m, x, total):
    total.add_(x.detach().sum(0))
    return x * total


def _no_grad(m, x):
    with m.no_grad():
        scale = x.abs().max()
    return x / scale


def _losses(m, x, t):
    return F(m).mse_loss(x, t) + F(m).l1_loss(x, t)


def _gated(m, x, w, v):
    return F(m).silu(F(m).linear(x, w)) * F(m).linear(x, v)


def _moments(m, x):
    mean = x.mean(0)
    var = ((x - mean) ** 2).mean(0)
    return (x - mean) / (var + 1e-5).sqrt()


def _lstm_cell(m, x, h, c, w, u):
    i, f, g, o = (F(m).linear(x, w) + F(m).linear(h, u)).chunk(4, 1)
    c = m.sigmoid(f) * c + m.sigmoid(i) * m.tanh(g)
    return m.sigmoid(o) * m.tanh(c), c


def _rope(m, x, cos, sin):
    a, b = x[..., :2], x[..., 2:]
    return x * cos + m.cat([-b, a], -1) * sin


def _contrastive(m, a, b):
    a, b = F(m).normalize(a, dim=1), F(m).normalize(b, dim=1)
    return F(m).cross_entropy(a @ b.t() * 10.0, m.arange(3))


def _adam(m, p, g, avg, sq):
    avg = avg * 0.9 + g * 0.1
    sq = sq * 0.999 + g * g * 0.001
    return p - 0.001 * avg / (sq.sqrt() + 1e-8), avg, sq


# name -> (function, inputs)
FUNCTIONS = {
    # pointwise
    "add": (lambda m, x, y: x + y, [(3, 4), (3, 4)]),
    "broadcast": (lambda m, x, y: x * y + 1, [(3, 4), (4,)]),
    "scalars": (lambda m, x: (2 - x) / 3 + x**3, [(3, 4)]),
    "division": (lambda m, x, y: x / y, [(3, 4), "p"]),
    "chain": (lambda m, x: x.sin().cos().exp().tanh(), [(3, 4)]),
    "log": (lambda m, x: x.log() + x.log1p() + x.sqrt() + x.rsqrt(), ["p"]),
    "sigmoid": (lambda m, x: x.sigmoid() * x, [(3, 4)]),
    "reciprocal": (lambda m, x: 1 / x + x.reciprocal(), ["p"]),
    "power": (lambda m, x, y: x**y, ["p", (3, 4)]),
    "abs and sign": (lambda m, x: x.abs() * x.sign(), [(3, 4)]),
    "clamp": (lambda m, x: x.clamp(-0.5, 0.5) + x.clamp(min=0), [(3, 4)]),
    "minimum": (lambda m, x, y: m.minimum(x, y) + m.maximum(x, y), [(3, 4), (3, 4)]),
    "where": (lambda m, x, y: m.where(x > 0, x, y), [(3, 4), (3, 4)]),
    "masked fill": (lambda m, x, b: x.masked_fill(b, 0.0), [(3, 4), "b"]),
    "lerp": (lambda m, x, y: m.lerp(x, y, 0.3), [(3, 4), (3, 4)]),
    "addcmul": (lambda m, x, y, z: m.addcmul(x, y, z, value=0.5), [(3, 4), (3, 4), (3, 4)]),
    "addcdiv": (lambda m, x, y, z: m.addcdiv(x, y, z), [(3, 4), (3, 4), "p"]),
    "atan2": (lambda m, x, y: m.atan2(x, y), [(3, 4), (3, 4)]),
    "erf": (lambda m, x: x.erf() + x.expm1(), [(3, 4)]),
    "integers": (lambda m, i: i * 2 + (i == 1).to(m.int64), ["i"]),
    "types": (lambda m, x: x.double().sum().float() * x, [(3, 4)]),
    "bfloat16": (lambda m, x: (x.to(m.bfloat16) * 2).float(), [(3, 4)]),
    "polynomial": (lambda m, x: ((x * 0.5 + 1) * x - 2) * x, [(3, 4)]),
    "logical": (lambda m, x, y: ((x > 0) & (y > 0)).float() * x, [(3, 4), (3, 4)]),
    # activations
    "relu": (lambda m, x: x.relu(), [(3, 4)]),
    "gelu": (lambda m, x: F(m).gelu(x), [(3, 4)]),
    "gelu tanh": (lambda m, x: F(m).gelu(x, approximate="tanh"), [(3, 4)]),
    "silu": (lambda m, x: F(m).silu(x), [(3, 4)]),
    "leaky relu": (lambda m, x: F(m).leaky_relu(x, 0.1), [(3, 4)]),
    "elu": (lambda m, x: F(m).elu(x), [(3, 4)]),
    "softplus": (lambda m, x: F(m).softplus(x), [(3, 4)]),
    "hardswish": (lambda m, x: F(m).hardswish(x), [(3, 4)]),
    "hardtanh": (lambda m, x: F(m).hardtanh(x), [(3, 4)]),
    "mish": (lambda m, x: F(m).mish(x), [(3, 4)]),
    "glu": (lambda m, x: F(m).glu(x, 1), [(3, 4)]),
    "log sigmoid": (lambda m, x: F(m).logsigmoid(x), [(3, 4)]),
    "prelu": (lambda m, x, w: F(m).prelu(x, w), [(3, 4), (4,)]),
    "softmax": (lambda m, x: x.softmax(-1), [(3, 4)]),
    "log softmax": (lambda m, x: x.log_softmax(0), [(3, 4)]),
    # reductions
    "sum": (lambda m, x: x.sum(), [(3, 4)]),
    "sum of rows": (lambda m, x: x.sum(1), [(3, 4)]),
    "mean": (lambda m, x: x.mean(0, keepdim=True) * x.mean(), [(3, 4)]),
    "variance": (lambda m, x: x.var(1), [(3, 4)]),
    "deviation": (lambda m, x: x.std(0, unbiased=False), [(3, 4)]),
    "amax": (lambda m, x: x.amax(1), [(3, 4)]),
    "max with indices": (lambda m, x: x.max(1)[0], [(3, 4)]),
    "logsumexp": (lambda m, x: x.logsumexp(1), [(3, 4)]),
    "norm": (lambda m, x: x.norm() + x.norm(dim=1).sum(), [(3, 4)]),
    "vector norm": (lambda m, x: m.linalg.vector_norm(x, dim=1), [(3, 4)]),
    "product": (lambda m, x: x.prod(1), [(3, 4)]),
    "cumsum": (lambda m, x: x.cumsum(1), [(3, 4)]),
    "any and argmax": (lambda m, x: (x.argmax(1), (x > 0).any(0), x * 2), [(3, 4)]),
    "sort": (lambda m, x: x.sort(1)[0], [(3, 4)]),
    "topk": (lambda m, x: x.topk(2, 1)[0], [(3, 4)]),
    # products
    "mm": (lambda m, x, y: x @ y, [(3, 4), (4, 2)]),
    "bmm": (lambda m, x, y: m.bmm(x, y), [(2, 3, 4), (2, 4, 2)]),
    "matmul of batches": (lambda m, x, y: x @ y, [(2, 3, 4), (2, 4, 2)]),
    "matmul with a matrix": (lambda m, x, y: x @ y, [(2, 3, 4), (4, 2)]),
    "mv": (lambda m, x, y: x @ y, [(3, 4), (4,)]),
    "dot": (lambda m, x, y: x @ y, [(4,), (4,)]),
    "addmm": (lambda m, b, x, y: m.addmm(b, x, y), [(2,), (3, 4), (4, 2)]),
    "linear": (lambda m, x, w, b: F(m).linear(x, w, b), [(3, 4), (2, 4), (2,)]),
    "linear of batches": (lambda m, x, w: F(m).linear(x, w), [(2, 3, 4), (2, 4)]),
    "einsum": (lambda m, x, y: m.einsum("bij,bjk->bik", x, y), [(2, 3, 4), (2, 4, 2)]),
    "outer": (lambda m, x, y: m.outer(x, y), [(3,), (4,)]),
    "baddbmm": (lambda m, b, x, y: m.baddbmm(b, x, y), [(2, 3, 2), (2, 3, 4), (2, 4, 2)]),
    "transposed product": (lambda m, x, y: x.t() @ y, [(4, 3), (4, 2)]),
    # moves
    "view": (lambda m, x: x.view(2, 6) * 2, [(3, 4)]),
    "reshape of a transpose": (lambda m, x: x.t().reshape(-1) * 2, [(3, 4)]),
    "permute": (lambda m, x: x.permute(2, 0, 1) + 1, [(2, 3, 4)]),
    "contiguous": (lambda m, x: x.t().contiguous() * 2, [(3, 4)]),
    "expand": (lambda m, x: x.unsqueeze(1).expand(3, 2, 4) * 2, [(3, 4)]),
    "cat": (lambda m, x, y: m.cat([x, y], 1) * 2, [(3, 4), (3, 4)]),
    "stack": (lambda m, x, y: m.stack([x, y]).sum(0), [(3, 4), (3, 4)]),
    "chunk": (lambda m, x: (lambda a, b: a * b)(*x.chunk(2, 1)), [(3, 4)]),
    "split": (lambda m, x: sum(x.split(2, 1)), [(3, 4)]),
    "slices": (lambda m, x: x[1:, ::2] * x[0, 1], [(3, 4)]),
    "flip and roll": (lambda m, x: x.flip(1) + x.roll(1, 0), [(3, 4)]),
    "pad": (lambda m, x: F(m).pad(x, (1, 2)), [(3, 4)]),
    "repeat": (lambda m, x: x.repeat(2, 1), [(3, 4)]),
    "squeeze": (lambda m, x: x.unsqueeze(0).squeeze(0) * 2, [(3, 4)]),
    "triangle": (lambda m, x: x.tril() + x.triu(1), [(4, 4)]),
    "diagonal": (lambda m, x: x.diagonal() * 2, [(4, 4)]),
    "unbind": (lambda m, x: (lambda a, b, c: a * b + c)(*x.unbind(0)), [(3, 4)]),
    # indexing
    "index": (lambda m, x, i: x[i], [(4, 3), ("i", (5,))]),
    "index put": (lambda m, x, y, i: x.index_put((i,), y, accumulate=True), [(4, 3), (2, 3), ("i", (2,))]),
    "gather": (lambda m, x, i: x.gather(1, i), [(3, 4), ("i", (3, 2))]),
    "scatter": (lambda m, x, y, i: x.scatter(1, i, y), [(3, 4), (3, 2), ("i", (3, 2))]),
    "scatter add": (lambda m, x, y, i: x.scatter_add(1, i, y), [(3, 4), (3, 2), ("i", (3, 2))]),
    "index select": (lambda m, x, i: x.index_select(0, i), [(4, 3), ("i", (2,))]),
    "index add": (lambda m, x, y, i: x.index_add(0, i, y), [(4, 3), (2, 3), ("i", (2,))]),
    "embedding": (lambda m, w, i: F(m).embedding(i, w), [(4, 3), ("i", (2, 5))]),
    "one hot product": (lambda m, w, i: F(m).one_hot(i, 4).float() @ w, [(4, 3), ("i", (5,))]),
    "take along": (lambda m, x, i: m.take_along_dim(x, i, 1), [(3, 4), ("i", (3, 2))]),
    "masked mean": (lambda m, x, b: (x * b).sum() / b.sum(), [(3, 4), "b"]),
    # losses
    "mse": (lambda m, x, t: F(m).mse_loss(x, t), [(3, 4), "n"]),
    "l1": (lambda m, x, t: F(m).l1_loss(x, t), [(3, 4), "n"]),
    "smooth l1": (lambda m, x, t: F(m).smooth_l1_loss(x, t), [(3, 4), "n"]),
    "huber": (lambda m, x, t: F(m).huber_loss(x, t), [(3, 4), "n"]),
    "cross entropy": (lambda m, x, t: F(m).cross_entropy(x, t), [(3, 4), ("i", (3,))]),
    "cross entropy smoothed": (
        lambda m, x, t: F(m).cross_entropy(x, t, label_smoothing=0.1),
        [(3, 4), ("i", (3,))],
    ),
    "nll": (lambda m, x, t: F(m).nll_loss(x.log_softmax(1), t), [(3, 4), ("i", (3,))]),
    "bce": (lambda m, x, t: F(m).binary_cross_entropy(x.sigmoid(), t), [(3, 4), "q"]),
    "bce with logits": (lambda m, x, t: F(m).binary_cross_entropy_with_logits(x, t), [(3, 4), "q"]),
    "kl": (lambda m, x, t: F(m).kl_div(x.log_softmax(1), t, reduction="batchmean"), [(3, 4), "q"]),
    "cosine similarity": (lambda m, x, y: F(m).cosine_similarity(x, y), [(3, 4), (3, 4)]),
    "hinge": (lambda m, x, t: (1 - x * t).clamp(min=0).mean(), [(3, 4), "n"]),
    "sum of losses": (_losses, [(3, 4), "n"]),
    "contrastive": (_contrastive, [(3, 4), (3, 4)]),
    # norms
    "layer norm": (lambda m, x, w, b: F(m).layer_norm(x, (4,), w, b), [(3, 4), (4,), (4,)]),
    "layer norm alone": (lambda m, x: F(m).layer_norm(x, (4,)), [(3, 4)]),
    "group norm": (lambda m, x, w, b: F(m).group_norm(x, 2, w, b), [(2, 4, 3), (4,), (4,)]),
    "rms norm": (lambda m, x, w: F(m).rms_norm(x, (4,), w), [(3, 4), (4,)]),
    "normalize": (lambda m, x: F(m).normalize(x, dim=1), [(3, 4)]),
    "batch moments": (_moments, [(3, 4)]),
    "instance norm": (lambda m, x: F(m).instance_norm(x), [(2, 3, 4)]),
    # layers
    "conv1d": (lambda m, x, w: F(m).conv1d(x, w), [(2, 3, 5), (4, 3, 2)]),
    "conv2d": (lambda m, x, w, b: F(m).conv2d(x, w, b, padding=1), [(2, 3, 4, 4), (2, 3, 3, 3), (2,)]),
    "conv2d strided": (lambda m, x, w: F(m).conv2d(x, w, stride=2, groups=3), [(2, 3, 5, 5), (3, 1, 3, 3)]),
    "conv transposed": (lambda m, x, w: F(m).conv_transpose2d(x, w, stride=2), [(2, 3, 3, 3), (3, 2, 2, 2)]),
    "max pool": (lambda m, x: F(m).max_pool2d(x, 2), [(2, 3, 4, 4)]),
    "max pool overlapping": (lambda m, x: F(m).max_pool2d(x, 3, 2, 1), [(2, 3, 5, 5)]),
    "avg pool": (lambda m, x: F(m).avg_pool2d(x, 2), [(2, 3, 4, 4)]),
    "adaptive pool": (lambda m, x: F(m).adaptive_avg_pool2d(x, 1), [(2, 3, 4, 4)]),
    "upsample": (lambda m, x: F(m).interpolate(x, scale_factor=2), [(2, 3, 3, 3)]),
    "upsample bilinear": (lambda m, x: F(m).interpolate(x, size=(6, 6), mode="bilinear"), [(2, 3, 3, 3)]),
    "unfold": (lambda m, x: F(m).unfold(x, 2), [(2, 3, 4, 4)]),
    "pixel shuffle": (lambda m, x: F(m).pixel_shuffle(x, 2), [(2, 4, 3, 3)]),
    # attention
    "attention": (_attention, [(2, 3, 4), (4, 12)]),
    "causal attention": (_causal, [(2, 3, 4), (2, 3, 4), (2, 3, 4)]),
    "scaled dot product": (lambda m, q, k, v: F(m).scaled_dot_product_attention(q, k, v), [(1, 2, 3, 4)] * 3),
    "scaled dot product causal": (
        lambda m, q, k, v: F(m).scaled_dot_product_attention(q, k, v, is_causal=True),
        [(1, 2, 3, 4)] * 3,
    ),
    "rotary": (_rope, [(3, 4), ("n", (3, 4)), ("n", (3, 4))]),
    # programs
    "residual": (_residual, [(3, 4), (4, 5), (5, 4)]),
    "gated": (_gated, [(3, 4), (5, 4), (5, 4)]),
    "lstm cell": (_lstm_cell, [(2, 3), (2, 4), (2, 4), (16, 3), (16, 4)]),
    "in place": (_in_place, [(3, 4)]),
    "view written": (_view_written, [(3, 4)]),
    "slice filled": (_slice_filled, [(3, 4)]),
    "input written": (_buffer, [(3, 4), ("n", (4,))]),
    "no grad inside": (_no_grad, [(3, 4)]),
    "dropout": (lambda m, x: F(m).dropout(x, 0.5), [(3, 4)]),
    "several results": (lambda m, x, y: (x * y, x + y, (x - y).sum()), [(3, 4), (3, 4)]),
    "detached": (lambda m, x: x * x.detach() + x.exp().detach(), [(3, 4)]),
    "adam step": (_adam, ["n", "n", "n", ("q", (3, 4))]),
    "no gradients": (lambda m, x, y: (x * y).sum(0), ["n", "n"]),
    # modules
    "Linear": (lambda m: m.nn.Linear(4, 2), ["n"]),
    "MLP": (lambda m: m.nn.Sequential(m.nn.Linear(4, 5), m.nn.ReLU(), m.nn.Linear(5, 2)), ["n"]),
    "MLP with dropout": (lambda m: m.nn.Sequential(m.nn.Linear(4, 5), m.nn.Dropout(0.1)), ["n"]),
    "BatchNorm": (lambda m: m.nn.BatchNorm2d(3), [("n", (2, 3, 4, 4))]),
    "BatchNorm in eval": (lambda m: m.nn.BatchNorm1d(4).eval(), [(3, 4)]),
    "LayerNorm": (lambda m: m.nn.Sequential(m.nn.LayerNorm(4), m.nn.Linear(4, 3)), [(3, 4)]),
    "conv block": (
        lambda m: m.nn.Sequential(m.nn.Conv2d(3, 4, 3, padding=1), m.nn.BatchNorm2d(4), m.nn.ReLU(), m.nn.MaxPool2d(2)),
        [("n", (2, 3, 4, 4))],
    ),
    "Embedding": (lambda m: m.nn.Sequential(m.nn.Embedding(4, 3), m.nn.Linear(3, 2)), [("i", (2, 5))]),
}


def inputs(m, specs):
    """The inputs of a function: the same numbers in any library."""
    drawn, given = np.random.default_rng(0), []
    for spec in specs:
        kind, shape = spec if isinstance(spec, tuple) and isinstance(spec[0], str) else (spec, (3, 4))
        if isinstance(spec, tuple) and not isinstance(spec[0], str):
            kind, shape = "leaf", spec
        x = drawn.standard_normal(shape)
        if kind == "i":
            given.append(m.tensor(drawn.integers(0, 4, shape).tolist()))
            continue
        if kind == "b":
            given.append(m.tensor((x > 0).tolist()))
            continue
        x = np.abs(x) + 0.5 if kind == "p" else 1 / (1 + np.exp(x)) if kind == "q" else x
        t = m.tensor(x.tolist(), dtype=m.float32)
        given.append(t.requires_grad_() if kind in ("leaf", "p") else t)
    return given


def made(m, name):
    """(function, inputs, leaves that get gradients)"""
    f, specs = FUNCTIONS[name]
    given = inputs(m, specs)
    leaves = [t for t in given if t.requires_grad]
    if f.__code__.co_argcount > 1:
        return lambda *args: f(m, *args), given, leaves
    module = f(m)
    with m.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(m.arange(p.numel(), dtype=p.dtype).reshape(p.shape).sin() * (0.5 + 0.1 * i))
    return module, given, [*leaves, *module.parameters()]


def ran(m, f, given, leaves):
    """(results, gradients) of a call, with the sum of what has gradients as a loss."""
    m.manual_seed(0)
    results = f(*given)
    results = list(results) if isinstance(results, (tuple, list)) else [results]
    live = [t for t in results if t.requires_grad]
    if live:
        sum([(t * t).sum() for t in live]).backward()
    return results, [t.grad for t in leaves]


def text_of(graph):
    """A graph as short lines: its inputs, `name = op(arguments)` for each call, and what it gives."""
    lines, holes = [], []
    for node in graph.nodes:
        arguments = [*map(repr, node.args), *[f"{k}={v!r}" for k, v in node.kwargs.items()]]
        if node.op == "placeholder":
            holes.append(node.name)
        elif node.op == "output":
            lines.append(f"return {node.args[0]}")
        else:
            target = node.target if node.op == "get_attr" else getattr(node.target, "__name__", node.target)
            target = str(node.target) if hasattr(node.target, "_schema") else target
            lines.append(f"{node.name} = {target}({', '.join(arguments)})")
    return "\n".join([f"inputs {', '.join(holes)}", *lines])


def compiled(m, f, decomposed):
    """(f as aot_eager compiles it, the list to which texts of graphs come)"""
    part = importlib.import_module(f"{m.__name__}._functorch.partitioners")
    boxed = importlib.import_module(
        "functorch.compile" if m.__name__ == "torch" else f"{m.__name__}._functorch.aot_autograd"
    )
    common = importlib.import_module(f"{m.__name__}._dynamo.backends.common")
    decompositions = importlib.import_module(f"{m.__name__}._decomp").core_aten_decompositions
    texts = []

    def printing(which):
        def compiler(gm, _):
            texts.append(f"{which}\n{text_of(gm.graph)}")
            return boxed.make_boxed_func(gm.forward)

        return compiler

    backend = common.aot_autograd(
        fw_compiler=printing("forward"),
        bw_compiler=printing("backward"),
        inference_compiler=printing("forward"),
        partition_fn=part.min_cut_rematerialization_partition,
        decompositions=decompositions() if decomposed else None,
    )
    m._dynamo.reset()
    return m.compile(f, backend=backend, dynamic=False), texts


def told(m, name, decomposed):
    """({"forward": text, "backward": text}, results, gradients) of a function compiled."""
    f, given, leaves = made(m, name)
    run, texts = compiled(m, f, decomposed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results, gradients = ran(m, run, given, leaves)
    strides = [None if g is None else tuple(g.stride()) for g in gradients]
    found = {}
    for text in texts:
        which, _, graph = text.partition("\n")
        found[which] = graph if which not in found else f"{found[which]}\n{graph}"
    if "backward" in found:
        found["backward"] += f"\nstrides of the gradients: {strides}"
    return found, results, gradients


def recorded():
    """{(which, name, decomposed): torch's text}"""
    found = {}
    for block in DATA.read_text().split("\n## ")[1:]:
        head, _, text = block.partition("\n")
        which, _, name = head.partition(" ")
        name, _, decomposed = name.partition(", ")
        found[which, name, bool(decomposed)] = text.strip()
    return found


def key(which, name, decomposed):
    """How an entry is written."""
    return f"{which} {name}{', decomposed' if decomposed else ''}"


def gaps():
    """{entry: why its graph is another}"""
    lines = [line for line in GAPS.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines)


def main():
    """Write down what torch does."""
    import torch

    blocks = [HEAD]
    for name in FUNCTIONS:
        for decomposed in (False, True):
            for which, text in told(torch, name, decomposed)[0].items():
                blocks.append(f"## {key(which, name, decomposed)}\n{text}\n")
    DATA.write_text("\n".join(blocks))


if __name__ == "__main__":
    main()
