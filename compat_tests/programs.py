"""What the small programs of the tests are made of: leaves, their gradients, numbers in order, modules."""

import numpy as np


def leaf(T, *values, dtype=None):
    return T.tensor(values if len(values) != 1 else values[0], dtype=dtype or T.float64, requires_grad=True)


def grads(y, *leaves):
    """The leaves' gradients of y.sum()."""
    y.sum().backward()
    return [x.grad for x in leaves]


def ramp(T, *shape, dtype=None):
    n = int(np.prod(shape))
    return T.arange(1, n + 1, dtype=dtype or T.float64).reshape(shape)


def net_class(torch):
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("late", torch.zeros(1))
            self.fc2 = nn.Linear(2, 2)
            self.register_buffer("tmp", torch.zeros(1), persistent=False)
            self.scale = nn.Parameter(torch.ones(()))
            self.seq = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 2, bias=False))
            self.none = None
            self.register_parameter("gone", None)
            self.heads = nn.ModuleDict({"b": nn.Linear(2, 1), "a": nn.Linear(2, 1)})
            self.seq[1].weight = self.fc2.weight

        def forward(self, x):
            return self.heads["a"](self.seq[1](self.fc2(x))) * self.scale

    return Net


def make(torch):
    torch.manual_seed(3)
    return net_class(torch)()


def linear(torch):
    lin = torch.nn.Linear(2, 1, bias=False)
    torch.nn.init.ones_(lin.weight)
    return lin
