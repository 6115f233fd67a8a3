"""What a call costs, beside torch eager: x*y, recording, (x*y).sum().backward(), an MLP step. Ratios torch / lucid.

python benchmarks/dispatch.py            (one thread each; above 1: lucid is faster)
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import torch  # noqa: E402
from harness import interleaved, spelled  # noqa: E402

import lucid  # noqa: E402

torch.set_num_threads(1)
TARGETS = {
    "x*y, no grad": 1.5,
    "x*y, recording": 2.0,
    "(x*y).sum().backward()": 3.0,
    "MLP 784-256-10, batch 64, Adam step": 1.2,
}


def pair(api, n, grad):
    api.manual_seed(0)
    return api.rand(n, requires_grad=grad), api.rand(n, requires_grad=grad)


def multiply(api, grad):
    x, y = pair(api, 10, grad)
    return lambda: x * y


def backward(api):
    x, y = pair(api, 10, True)

    def run():
        x.grad = y.grad = None
        (x * y).sum().backward()

    return run


def mlp_step(api):
    api.manual_seed(0)
    nn = api.nn
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    optimizer = api.optim.Adam(model.parameters(), lr=1e-3)
    x, y = api.randn(64, 784), api.randint(0, 10, (64,))
    loss_of = nn.CrossEntropyLoss()

    def run():
        optimizer.zero_grad()
        loss_of(model(x), y).backward()
        optimizer.step()

    return run


BENCHES = {
    "x*y, no grad": lambda api: multiply(api, False),
    "x*y, recording": lambda api: multiply(api, True),
    "(x*y).sum().backward()": backward,
    "MLP 784-256-10, batch 64, Adam step": mlp_step,
}


def main():
    for name, make in BENCHES.items():
        times = interleaved({"torch": make(torch), "lucid": make(lucid)})
        ratio = times["torch"] / times["lucid"]
        print(
            f"{name:38s} torch {spelled(times['torch']):>10s}  lucid {spelled(times['lucid']):>10s}  ratio {ratio:5.2f}"
            f"  (target {TARGETS[name]})",
            flush=True,
        )


if __name__ == "__main__":
    main()
