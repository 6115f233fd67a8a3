"""Trains a network whose hidden units only say +1 or -1, by gradients of our own making, written for torch.

    python examples/straight_through.py                  with torch
    python -m lucid examples/straight_through.py         the same file with lucid, printing the same losses

The sign function has no useful derivative, so two `autograd.Function`s supply one: `Sign` passes the gradient straight
through (Bengio, Leonard and Courville 2013, arXiv:1308.3432), `SmoothStep` is exact and is checked against finite
differences. The task is two interleaved half moons, drawn at the end as the network divides the plane.
"""

import argparse
import io
import math

import torch
from torch import nn
from torch.autograd import Function, gradcheck, gradgradcheck


class Sign(Function):
    """+1 or -1; backwards the identity, except where the input is so large that a step cannot change its sign."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x >= 0, 1.0, -1.0).to(x.dtype)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() <= 1)


class SmoothStep(Function):
    """tanh(k x) for a number k, with its derivative written in terms of the result; can be differentiated again."""

    @staticmethod
    def forward(x, k):
        return torch.tanh(k * x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.k = inputs
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * ctx.k * (1 - y * y), None


sign = Sign.apply


def smooth_step(x, k=1.0):
    return SmoothStep.apply(x, k)


def hidden(x, weight, bias):
    """A layer of units that see +1 and -1 weights, and answer +1 or -1; scaled so that inputs of Sign are near 1."""
    return sign(x @ sign(weight).T / math.sqrt(weight.shape[1]) + bias)


class SignNet(nn.Module):
    """Points (N, 2) to scores (N,): smooth features of the plane, then units of one bit, then a weighted vote."""

    def __init__(self, features=16, units=32):
        super().__init__()
        self.lines = nn.Parameter(torch.randn(features, 2))
        self.offsets = nn.Parameter(torch.randn(features))
        self.weight1 = nn.Parameter(torch.rand(units, features) - 0.5)
        self.bias1 = nn.Parameter(torch.zeros(units))
        self.vote = nn.Parameter(torch.randn(units) / math.sqrt(units))
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, points):
        features = smooth_step(points @ self.lines.T + self.offsets, 2.0)
        return hidden(features, self.weight1, self.bias1) @ self.vote + self.bias


def two_moons(count, noise=0.12):
    """`count` points of each of two half circles that reach into one another: points (2 count, 2) and classes 0, 1."""
    angle = math.pi * torch.rand(2, count)
    upper = torch.stack([angle[0].cos(), angle[0].sin()], dim=1)
    lower = torch.stack([1 - angle[1].cos(), 0.4 - angle[1].sin()], dim=1)
    points = torch.cat([upper, lower]) + noise * torch.randn(2 * count, 2)
    return points, torch.arange(2).repeat_interleave(count).float()


def step(model, loss, speed, lr, momentum=0.9):
    """One step of gradient descent by hand; `speed` remembers the last one."""
    grads = torch.autograd.grad(loss, list(model.parameters()))
    with torch.no_grad():
        for parameter, grad, v in zip(model.parameters(), grads, speed, strict=True):
            v.mul_(momentum).add_(grad)
            parameter.sub_(lr * v)


def draw(model, width=60, height=18):
    """The plane as text: which class the network gives each place."""
    x = torch.linspace(-1.5, 2.5, width)
    y = torch.linspace(1.5, -1.1, height)
    places = torch.stack(torch.meshgrid(y, x, indexing="ij"), dim=-1).flip(-1)
    with torch.no_grad():
        above = (model(places.reshape(-1, 2)) > 0).view(height, width)
    return "\n".join("".join("#" if cell else "." for cell in row) for row in above.tolist())


def check_gradients():
    """Both derivatives of SmoothStep against finite differences; the backward of Sign against what it promises."""
    x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    assert gradcheck(smooth_step, (x, 1.5)) and gradgradcheck(smooth_step, (x, 1.5))
    (grad,) = torch.autograd.grad(sign(2 * x).sum(), x)
    assert torch.equal(grad, 2.0 * ((2 * x).abs() <= 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--points", type=int, default=200, help="of each class")
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--compile", metavar="BACKEND", help="torch.compile the model: eager, ...")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    check_gradients()
    print("gradients checked")
    points, classes = (t.to(args.device) for t in two_moons(args.points))
    test_points, test_classes = (t.to(args.device) for t in two_moons(args.points))
    model = SignNet().to(args.device)
    if args.compile:
        model.compile(backend=args.compile)
    speed = [torch.zeros_like(p) for p in model.parameters()]
    print(type(model(points).grad_fn).__name__, type(sign(model.weight1).grad_fn).__name__)

    pull = []  # the length of the gradient at the one-bit weights, told by a hook
    for n in range(1, args.steps + 1):
        scores = model(points)
        # No point may pull more than half as hard as one that is quite wrong.
        scores.register_hook(lambda grad: grad.clamp(-0.5 / len(points), 0.5 / len(points)))
        loss = nn.functional.binary_cross_entropy_with_logits(scores, classes)
        handle = model.weight1.register_hook(lambda grad: pull.append(grad.norm().item()))
        step(model, loss, speed, args.lr)
        handle.remove()
        if n % (args.steps // 10 or 1) == 0:
            accuracy = ((scores > 0) == (classes > 0.5)).float().mean().item()
            print(f"step {n:4d}  loss {loss.item():#.6g}  accuracy {accuracy:.2%}  pull {pull[-1]:#.3g}", flush=True)

    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    again = SignNet().to(args.device)
    again.load_state_dict(torch.load(file))
    with torch.no_grad():
        assert torch.equal(again(test_points), model(test_points))
        accuracy = ((again(test_points) > 0) == (test_classes > 0.5)).float().mean().item()
    print(f"test accuracy {accuracy:.2%}")
    print(draw(again.cpu()))


if __name__ == "__main__":
    main()
