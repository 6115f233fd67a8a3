"""Compiled programs: torch eager, torch.compile, lucid eager and lucid.compile, interleaved in one process.

python benchmarks/compile.py                        one thread, then two: medians, and torch's by lucid.compile's
python benchmarks/compile.py --only gpt --threads 1
python benchmarks/compile.py --no-torch-compile     without torch's compiler, which needs g++ and minutes
python benchmarks/compile.py --first                first calls of a 2-block GPT, without and with what an earlier
                                                    process compiled; the most memory in a training step
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc

parser = argparse.ArgumentParser()
parser.add_argument("--only", default="", help="workloads whose name has this")
parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
parser.add_argument("--rounds", type=int, default=9)
parser.add_argument("--seconds", type=float, default=0.05, help="of one sample")
parser.add_argument("--mode", default=None, help="mode of lucid.compile")
parser.add_argument("--no-torch-compile", action="store_true")
parser.add_argument("--first", action="store_true")
parser.add_argument("--one-first-call", action="store_true", help=argparse.SUPPRESS)

WORKLOADS = {}


def workload(name, goal_eager=None, goal_compiled=None):
    """Marks f(library, compile) -> function of no arguments; the ratios that it is to reach."""

    def mark(make):
        WORKLOADS[name] = make, goal_eager, goal_compiled
        return make

    return mark


def leaf(m, *shape, grad=True):
    """Numbers that are the same for both libraries."""
    n = 1
    for size in shape:
        n *= size
    x = (m.arange(n, dtype=m.float32) * 0.37 % 2.0 - 1.0).reshape(shape)
    return x.requires_grad_() if grad else x


def backward(f, inputs):
    """f(*inputs) and its gradients."""
    leaves = [t for t in inputs if t.requires_grad]

    def run():
        for t in leaves:
            t.grad = None
        out = f(*inputs)
        (out if out.dim() == 0 else out.sum()).backward()

    return run


def gelu(m, x, w, b, r):
    return m.nn.functional.gelu(x * w + b) + r


def _gelu_inputs(m, grad):
    return [leaf(m, *shape, grad=grad) for shape in ((512, 1024), (1024,), (1024,), (512, 1024))]


@workload("gelu(x*w+b)+r, forward", 2.5, 1.5)
def _(m, compile):
    f, inputs = compile(lambda *given: gelu(m, *given)), _gelu_inputs(m, False)
    return lambda: f(*inputs)


@workload("gelu(x*w+b)+r, forward and backward", 2.0, 1.2)
def _(m, compile):
    return backward(compile(lambda *given: gelu(m, *given)), _gelu_inputs(m, True))


@workload("softmax 512x4096, forward and backward", 1.2, 1.0)
def _(m, compile):
    return backward(compile(lambda x: m.softmax(x, -1)), [leaf(m, 512, 4096)])


@workload("layer norm 512x4096, forward and backward", 1.2, 1.0)
def _(m, compile):
    f = compile(lambda x, w, b: m.nn.functional.layer_norm(x, (4096,), w, b))
    return backward(f, [leaf(m, 512, 4096), leaf(m, 4096), leaf(m, 4096)])


@workload("cross entropy 512x4096, forward and backward", 1.2, 1.0)
def _(m, compile):
    f = compile(lambda x, t: m.nn.functional.cross_entropy(x, t))
    return backward(f, [leaf(m, 512, 4096), m.arange(512) * 7 % 4096])


@workload("20 x log(exp(x)), 1000x100")
def _(m, compile):
    def chain(x):
        for _ in range(20):
            x = m.log(m.exp(x))
        return x

    f, x = compile(chain), leaf(m, 1000, 100, grad=False)
    return lambda: f(x)


def step(m, compile, model, x, t, optimizer=True):
    """A training step; the optimizer's is compiled, too."""
    loss = compile(lambda x, t: m.nn.functional.cross_entropy(model(x).flatten(0, -2), t))
    opt = m.optim.Adam(model.parameters(), lr=1e-6)
    update = compile(opt.step) if optimizer else opt.step

    def run():
        opt.zero_grad()
        found = loss(x, t)
        found.backward()
        update()
        return found.item()

    return run


@workload("MLP 784-256-10 b64, step with Adam compiled", 2.0, 1.5)
def _(m, compile):
    m.manual_seed(0)
    model = m.nn.Sequential(m.nn.Linear(784, 256), m.nn.ReLU(), m.nn.Linear(256, 10))
    return step(m, compile, model, leaf(m, 64, 784, grad=False), m.arange(64) % 10)


def gpt(m, blocks, width=256, heads=8, length=128, vocab=256):
    """A small GPT."""
    nn, F = m.nn, m.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            b, l, c = x.shape
            q, k, v = (z.view(b, l, heads, c // heads).transpose(1, 2) for z in self.qkv(self.n1(x)).split(c, dim=2))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.proj(y.transpose(1, 2).contiguous().view(b, l, c))
            return x + self.down(F.gelu(self.up(self.n2(x))))

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.tok, self.pos = nn.Embedding(vocab, width), nn.Embedding(length, width)
            self.blocks = nn.Sequential(*[Block() for _ in range(blocks)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocab, bias=False)

        def forward(self, i):
            return self.head(self.norm(self.blocks(self.tok(i) + self.pos(m.arange(i.shape[1])))))

    m.manual_seed(0)
    return GPT()


def gpt_batch(m, vocab=256, length=128):
    return (m.arange(8 * length) * 7919 % vocab).view(8, length), m.arange(8 * length) % vocab


@workload("GPT block B8 T128 D256, step", 1.5, 1.3)
def _(m, compile):
    return step(m, compile, gpt(m, 1), *gpt_batch(m), optimizer=False)


@workload("digits CNN b32, step", 1.5, 1.2)
def _(m, compile):
    n = m.nn
    m.manual_seed(0)
    model = n.Sequential(
        n.Conv2d(1, 16, 3, padding=1), n.BatchNorm2d(16), n.ReLU(), n.MaxPool2d(2),
        n.Conv2d(16, 32, 3, padding=1), n.BatchNorm2d(32), n.ReLU(), n.MaxPool2d(2),
        n.Flatten(), n.Dropout(0.25), n.Linear(128, 10),
    )  # fmt: skip
    return step(m, compile, model, leaf(m, 32, 1, 8, 8, grad=False), m.arange(32) % 10, optimizer=False)


# ---- measuring


def sides(args, torch, lucid):
    """{name: (library, compile)}"""
    found = {"torch": (torch, lambda f: f)}
    if not args.no_torch_compile:
        found["torch.compile"] = torch, torch.compile
    found["lucid"] = lucid, lambda f: f
    found["lucid.compile"] = lucid, lambda f: lucid.compile(f, mode=args.mode)
    return found


def row(name, samples, goals):
    """A line of the table: microseconds of each side, then the ratios and what they are to be."""
    from harness import median_ratio

    cells = [name, *[f"{statistics.median(times) * 1e6:.0f}" for times in samples.values()]]
    for side, goal in (("torch", goals[0]), ("torch.compile", goals[1]), ("lucid", None)):
        if side in samples:
            ratio = median_ratio(samples[side], samples["lucid.compile"])
            cells.append(f"{ratio:.2f}" + (f" (>= {goal})" if goal else ""))
    return f"| {' | '.join(cells)} |"


def measure(args):
    """All chosen workloads, for each number of threads."""
    import torch
    from harness import sampled

    import lucid

    for threads in args.threads:
        torch.set_num_threads(threads)
        lucid.set_num_threads(threads)
        names = list(sides(args, torch, lucid))
        ratios = [f"{side} / lucid.compile" for side in names if side != "lucid.compile"]
        print(f"\n{threads} thread{'s' * (threads > 1)}, microseconds\n")
        print(f"| workload | {' | '.join([*names, *ratios])} |")
        print("|---" * (1 + len(names) + len(ratios)) + "|", flush=True)
        for name, (make, *goals) in WORKLOADS.items():
            if args.only.lower() in name.lower():
                torch._dynamo.reset(), lucid._dynamo.reset()
                runs = {side: make(m, compile) for side, (m, compile) in sides(args, torch, lucid).items()}
                print(row(name, sampled(runs, args.seconds, args.rounds), goals), flush=True)


def first_call():
    """Seconds of the first forward and backward call of a 2-block GPT."""
    import lucid

    model = gpt(lucid, 2, width=64, heads=4, length=32)
    x, t = gpt_batch(lucid, length=32)
    f = lucid.compile(lambda x, t: lucid.nn.functional.cross_entropy(model(x).flatten(0, -2), t))
    start = time.perf_counter()
    f(x, t).backward()
    return time.perf_counter() - start


def first_calls():
    """Without a cache, and with it in another process; then memory."""
    with tempfile.TemporaryDirectory() as cache:
        env = {**os.environ, "LUCID_CACHE": cache}
        for what in ("without a cache", "with a cache"):
            command = [sys.executable, __file__, "--one-first-call"]
            done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
            print(f"first call of a 2-block GPT {what}: {float(done.stdout):.2f} s")
    import lucid

    for name, compile in (("lucid", lambda f: f), ("lucid.compile", lucid.compile)):
        run = step(lucid, compile, gpt(lucid, 1), *gpt_batch(lucid), optimizer=False)
        run(), run()
        tracemalloc.start()
        run()
        print(f"most memory in a step of the GPT block, {name}: {tracemalloc.get_traced_memory()[1] / 2**20:.1f} MB")
        tracemalloc.stop()


def main():
    args = parser.parse_args()
    if args.one_first_call:
        print(first_call())
    elif args.first:
        first_calls()
    else:
        measure(args)


if __name__ == "__main__":
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.pop(name, None)  # set_num_threads says how many
    main()
