"""Backward fusion, measured: 20 times log(exp(x)), the backward time against size, fusion on and off, and torch.

    python benchmarks/fusion.py [--out FOLDER] [--largest 7]

Writes fusion.txt (the table) and fusion.png (mean time; speed-up of fusion).
"""

import argparse
import os
import pathlib

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import matplotlib  # noqa: E402
import torch  # noqa: E402
from harness import clock, spelled  # noqa: E402
from tqdm import tqdm  # noqa: E402

import lucid  # noqa: E402

matplotlib.use("Agg")  # pictures go to files
from matplotlib import pyplot as plt  # noqa: E402

PAIRS = 20


def forward(api, n):
    """The loss of a chain of log(exp(x)); the graph backward will walk."""
    x = api.linspace(0.1, 2.0, n, requires_grad=True)
    y = x
    for _ in range(PAIRS):
        y = y.exp().log()
    return x, y.sum()


def backward_time(api, n, fused):
    """Seconds of one backward."""
    lucid.ENABLE_FUSION = fused
    x, loss = forward(api, n)
    start = clock()
    loss.backward()
    took = clock() - start
    assert x.grad is not None
    return took


def measure(n, rounds):
    """Mean backward seconds of each contender at one size, interleaved."""
    contenders = {"torch": (torch, False), "lucid": (lucid, False), "lucid fused": (lucid, True)}
    total = dict.fromkeys(contenders, 0.0)
    for name, how in contenders.items():
        backward_time(how[0], n, how[1])
    for _ in range(rounds):
        for name, (api, fused) in contenders.items():
            total[name] += backward_time(api, n, fused)
    lucid.ENABLE_FUSION = False
    return {name: t / rounds for name, t in total.items()}


def draw(sizes, rows, path):
    """Two panels: mean times, and what fusion gains."""
    figure, (times, gains) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    for name in rows[0]:
        times.loglog(sizes, [1e6 * r[name] for r in rows], marker="o", label=name)
    times.set(xlabel="elements", ylabel="backward (microseconds)", title=f"{PAIRS} times log(exp(x)), one thread")
    gains.semilogx(sizes, [r["lucid"] / r["lucid fused"] for r in rows], marker="o", label="lucid / lucid fused")
    gains.semilogx(sizes, [r["torch"] / r["lucid fused"] for r in rows], marker="o", label="torch / lucid fused")
    gains.axhline(1, color="grey", linewidth=0.8)
    gains.set(xlabel="elements", ylabel="times faster", title="speed-up by fusion", ylim=0)
    for axes in (times, gains):
        axes.legend()
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent / "results")
    parser.add_argument("--largest", type=int, default=7, help="log10 of the largest size")
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    sizes, rows = [10**e for e in range(1, options.largest + 1)], []
    lines = [
        f"{PAIRS} times log(exp(x)): mean backward time, one thread",
        f"{'elements':>10s} {'torch':>12s} {'lucid':>12s} {'lucid fused':>12s} {'off/on':>8s} {'torch/on':>9s}",
    ]
    print(*lines, sep="\n")
    for n in tqdm(sizes, "sizes", leave=False, disable=None):
        r = measure(n, rounds=max(3, min(200, 3_000_000 // n)))
        rows.append(r)
        lines.append(
            f"{n:>10d} {spelled(r['torch']):>12s} {spelled(r['lucid']):>12s} {spelled(r['lucid fused']):>12s} "
            f"{r['lucid'] / r['lucid fused']:8.2f} {r['torch'] / r['lucid fused']:9.2f}"
        )
        tqdm.write(lines[-1])
    (options.out / "fusion.txt").write_text("\n".join(lines) + "\n")
    draw(sizes, rows, options.out / "fusion.png")
    print(f"written: {options.out / 'fusion.txt'}, {options.out / 'fusion.png'}")


if __name__ == "__main__":
    main()
