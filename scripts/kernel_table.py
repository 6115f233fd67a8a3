"""How many kernels programs become, and how many bytes those move: fused, and each loop by itself.

    python scripts/kernel_table.py            (the table in docs/compiler.md, which scripts/compiler_page.py writes)

By itself, each ATen call and each reduction in it is a kernel of its own. A kernel reads every array that it takes once
and writes every array that it makes once; so does a call of the engine (a matrix product), of which there are as many
either way.
"""

import pathlib
import sys
from operator import getitem

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import lucid as torch  # noqa: E402
from lucid._codegen.c_nest import words_of_text  # noqa: E402
from lucid._codegen.loops import Call  # noqa: E402
from lucid._codegen.nest import Work  # noqa: E402
from lucid._codegen.scheduler import Schedule  # noqa: E402
from lucid._functorch import told  # noqa: E402
from lucid._inductor import debug, listing  # noqa: E402
from lucid._inductor.lowering import Lowered  # noqa: E402
from lucid._tensor import pytree  # noqa: E402

F = torch.nn.functional


def leaf(*shape):
    return torch.ones(*shape, requires_grad=True)


def mlp():
    """784-256-10, a batch of 64, with its loss."""
    nn = torch.nn
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    return lambda x, t: F.cross_entropy(model(x), t), torch.ones(64, 784), torch.zeros(64, dtype=torch.int64)


class Block(torch.nn.Module):
    """A block of a GPT."""

    def __init__(self, width=256, heads=8):
        super().__init__()
        nn = torch.nn
        self.heads, self.n1, self.n2 = heads, nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, l, c = x.shape
        q, k, v = (z.view(b, l, self.heads, c // self.heads).transpose(1, 2) for z in self.qkv(self.n1(x)).split(c, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).contiguous().view(b, l, c))
        return x + self.down(F.gelu(self.up(self.n2(x))))


def attention(q, k, v):
    """Spelled out, with a causal mask."""
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), -1) @ v


def adam(p, g, m, v):
    """Adam's step, in place."""
    with torch.no_grad():
        m.lerp_(g, 0.1)
        v.mul_(0.999).addcmul_(g, g, value=0.001)
        p.addcdiv_(m, v.sqrt().add_(1e-8), value=-0.001)


# name -> () -> (function, its inputs)
PROGRAMS = {
    "softmax 512x4096": lambda: (lambda x: torch.softmax(x, -1), leaf(512, 4096)),
    "layer norm 512x4096": lambda: (
        lambda x, w, b: F.layer_norm(x, (4096,), w, b), leaf(512, 4096), leaf(4096), leaf(4096),
    ),
    "gelu(x*w+b)+r 512x1024": lambda: (
        lambda x, w, b, r: F.gelu(x * w + b) + r, leaf(512, 1024), leaf(1024), leaf(1024), leaf(512, 1024),
    ),
    "batch norm 32x64x32x32": lambda: (torch.nn.BatchNorm2d(64), leaf(32, 64, 32, 32)),
    "cross entropy 512x4096": lambda: (
        lambda x, t: F.cross_entropy(x, t), leaf(512, 4096), torch.zeros(512, dtype=torch.int64),
    ),
    "attention 8x8x128x32": lambda: (attention, *[leaf(8, 8, 128, 32) for _ in range(3)]),
    "MLP 784-256-10, batch 64, with its loss": mlp,
    "GPT block, 8x128x256": lambda: (Block(), leaf(8, 128, 256)),
    "20 x log(exp(x))": lambda: (chain, torch.ones(1000, 100)),
    "Adam's step, 784x256": lambda: (adam, *[torch.ones(784, 256) for _ in range(4)]),
}  # fmt: skip


def chain(x):
    for _ in range(20):
        x = torch.log(torch.exp(x))
    return x


class Apart(Lowered):
    """A graph as loops in which every ATen call's results are put into memory."""

    def _settle(self, node):
        for t in pytree.tree_leaves(self._env[node]):
            if isinstance(t, torch.Tensor) and not t._array.owner.is_kept:
                t._array.owner.stored = True


class Count:
    """What one graph becomes: ATen calls; kernels by themselves and fused, and their bytes; calls of the engine."""

    def __init__(self, module):
        nodes = [n for n in module.graph.nodes if n.op == "call_function" and n.target is not getitem]
        self.aten = sum(not is_view(n) for n in nodes)
        stages = debug.stages_of(module)
        apart = Schedule(Apart(module, stages.values, words_of_text))
        works = [w for w in apart.order if isinstance(w, Work)]
        self.apart = len(works)
        self.apart_bytes = sum(size(w.array) + sum(map(size, w.reads)) for w in works) + _of_calls(apart)
        self.fused, self.calls = len(stages.wrapper.parts), sum(isinstance(t, Call) for t in apart.order)
        self.fused_bytes = listing.amounts(stages.wrapper)[1]


def _of_calls(schedule):
    """The bytes that calls of the engine move."""
    calls = [thing for thing in schedule.order if isinstance(thing, Call)]
    return sum(size(a) for c in calls for a in [*listing.reads_of(c), *listing.results_of(c, schedule)])


def is_view(node):
    """Does a call move nothing?"""
    return node.target.is_view or node.target._opname in ("detach", "lift_fresh_copy", "empty")


def size(array):
    """How many bytes an array has."""
    return array.size * array.dtype.itemsize


def counts(program):
    """[Count of the forward graph, Count of the backward graph]"""
    function, *inputs = program()
    found = []
    torch._dynamo.reset()
    torch.manual_seed(0)
    told.WATCHERS.append(lambda stage, module: found.append(module) if stage in ("forward", "backward") else None)
    try:
        torch.compile(function)(*inputs)
    finally:
        told.WATCHERS.pop()
        torch._dynamo.reset()
    return [Count(module) for module in found]


def spelled(n):
    """A number of bytes for people."""
    return f"{n / 2**20:.1f} MB" if n >= 100_000 else f"{n / 2**10:.1f} KB"


def row(name, halves):
    """A line of the table."""
    each = lambda of: " + ".join([str(of(h)) for h in halves])  # noqa: E731
    before, after = sum(h.apart_bytes for h in halves), sum(h.fused_bytes for h in halves)
    cells = [name, each(lambda h: h.aten), each(lambda h: h.calls), each(lambda h: h.apart), spelled(before),
             each(lambda h: h.fused), spelled(after), f"{before / after:.1f}"]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def table():
    """The table as markdown."""
    heads = ["forward + backward", "ATen calls", "engine's", "kernels, each loop by itself", "bytes", "kernels, fused",
             "bytes", "ratio of bytes"]  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join(lines + [row(name, counts(program)) for name, program in PROGRAMS.items()])


if __name__ == "__main__":
    print(table())
