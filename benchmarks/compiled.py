"""What torch.compile(backend="eager") costs: the guards of a call, a whole call, the first call. Beside torch's own.

python benchmarks/compiled.py            (one thread each; ratios torch / lucid, above 1: lucid is faster)
"""

import os
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import torch  # noqa: E402
from harness import interleaved, spelled  # noqa: E402

import lucid  # noqa: E402
from lucid._dynamo import compiled  # noqa: E402

torch.set_num_threads(1)
BOTH = {"torch": torch, "lucid": lucid}


def three_layers(api):
    nn = api.nn
    return nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8)), api.rand(2, 8)


def gpt(api):
    """Two blocks of a transformer."""
    nn = api.nn

    class Block(nn.Module):
        def __init__(self, d, heads):
            super().__init__()
            self.ln1, self.attention = nn.LayerNorm(d), nn.MultiheadAttention(d, heads, batch_first=True)
            self.ln2, self.mlp = nn.LayerNorm(d), nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

        def forward(self, x):
            h = self.ln1(x)
            x = x + self.attention(h, h, h, need_weights=False)[0]
            return x + self.mlp(self.ln2(x))

    return nn.Sequential(nn.Embedding(50, 32), Block(32, 4), Block(32, 4), nn.Linear(32, 50)), api.randint(
        0, 50, (2, 16)
    )


def first_call(api, make):
    """Seconds of the first call."""
    model, x = make(api)
    api._dynamo.reset()
    run = api.compile(model, backend="eager")
    start = time.perf_counter()
    run(x)
    return time.perf_counter() - start


def guards_alone(model, x, count=20_000):
    """Seconds of the conditions of lucid's segment, the graph left out."""
    lucid._dynamo.reset()
    lucid.compile(model, backend="eager")(x)
    (segment,) = (s for c in compiled.CACHES.values() for found in c.by_place.values() for s in found)
    scope, names = segment.run.__globals__, list(model.forward.__code__.co_varnames)
    graph, scope["graph"] = scope["graph"], lambda *args: (None,)
    given = {names[0]: model, names[1]: x}
    best = float("inf")
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(count):
            segment.run(given, ())
        best = min(best, (time.perf_counter() - start) / count)
    scope["graph"] = graph
    return best


def main():
    print(f"guards of a 3-layer model: {guards_alone(*three_layers(lucid)) * 1e6:.1f} us")
    for name, make in (("3-layer model", three_layers), ("2-block GPT", gpt)):
        firsts = {lib: first_call(api, make) for lib, api in BOTH.items()}
        print(f"first call, {name}: " + ", ".join(f"{lib} {seconds:.3f} s" for lib, seconds in firsts.items()))
        calls = {}
        for lib, api in BOTH.items():
            model, x = make(api)
            run = api.compile(model, backend="eager")
            run(x)
            calls[lib] = lambda run=run, x=x: run(x)
            calls[f"{lib} eager"] = lambda model=model, x=x: model(x)
        times = interleaved(calls)
        told = ", ".join(f"{lib} {spelled(seconds)}" for lib, seconds in times.items())
        print(f"a call, {name}: {told}; ratio {times['torch'] / times['lucid']:.2f}", flush=True)


if __name__ == "__main__":
    main()
