"""Functions and inputs for loop nests: {name: (function, inputs, tolerance)}."""

import lucid as torch

F = torch.nn.functional
torch.manual_seed(0)
r, ints = torch.randn, torch.randint
x, w, im, counted = r(37, 70), r(70), r(3, 6, 5, 7), torch.arange(100).reshape(10, 10)
rows, columns = ints(0, 37, (9,)), ints(0, 70, (9,))
i8, u8, half, brain = counted.to(torch.int8), counted.to(torch.uint8), x.half(), x.bfloat16()
FINE = 1e-5


def several_sums(a):
    return a.sum(0), a.sum(1), a.sum(), a.mean((0, 1)), a.amax(0), a.amin(1), a.prod(1)


def sums_of_images(a):
    return a.sum(0), a.sum((0, 2)), a.sum((1, 3)), a.amax((0, 3)), a.var((0, 2)), a.std(), a.norm()


def special(a):
    b = a.abs()
    return torch.erf(a) + torch.lgamma(b + 1) + torch.expm1(a) + torch.log1p(b) + torch.erfc(a)


def with_nans(a):
    a = torch.where(a > 1, float("nan"), a)
    return torch.maximum(a, a * 0), a.amax(1), a.amin(0), torch.relu(a), a.clamp(-1, 1)


def through(f):
    """f and its gradient."""

    def both(a, *rest):
        a = a.detach().requires_grad_()
        y = f(a, *rest)
        (g,) = torch.autograd.grad((y * y).sum(), a)
        return y, g

    return both


CASES = {
    "chain": (lambda a, b: torch.tanh(a * b + 1).exp().sin() * 0.5 - a, (x, w)),
    "gelu": (F.gelu, (x,)),
    "softmax": (lambda a: torch.softmax(a, -1), (x,)),
    "softmax of columns": (lambda a: torch.softmax(a, 0), (x,)),
    "softmax of channels": (lambda a: torch.log_softmax(a, 1), (im,)),
    "softmax, permuted": (lambda a: a.permute(0, 2, 3, 1).reshape(-1, 6).softmax(1), (im,)),
    "softmax and gradient": (through(lambda a: torch.softmax(a, -1)), (x,)),
    "layer norm": (lambda a, b: F.layer_norm(a, (70,), b, b), (x, w)),
    "layer norm and gradient": (through(lambda a, b: F.layer_norm(a, (70,), b, b)), (x, w), 2e-4),
    "group norm": (lambda a: F.group_norm(a, 3), (im,)),
    "batch norm": (lambda a, b, c: F.relu(F.batch_norm(a, None, None, b, c, True)), (im, r(6), r(6))),
    "batch norm and gradient": (through(lambda a: F.batch_norm(a, None, None, None, None, True)), (im,), 1e-4),
    "cross entropy": (F.cross_entropy, (x, ints(0, 70, (37,)))),
    "cross entropy and gradient": (through(F.cross_entropy), (x, ints(0, 70, (37,)))),
    "rms norm": (lambda a, b: a * torch.rsqrt((a * a).mean(-1, keepdim=True) + 1e-6) * b, (x, w)),
    "cat": (lambda a, b: torch.cat([a, b, a], 1) * 2, (x, r(37, 5))),
    "cat of rows": (lambda a: torch.cat([a, a + 1]), (x,)),
    "cat of long rows": (lambda a: torch.cat([a, a + 1]) * 2, (r(700, 90),)),
    "cat in cat": (lambda a: torch.cat([a, torch.cat([a, a * 2], 1)[:, 3:73], a], 0), (x,)),
    "stack": (lambda a: torch.stack([a, a * 2], 1), (x,)),
    "pad": (lambda a: F.pad(a, (1, 2, 3, 0), value=4.0) + 1, (x,)),
    "pad, long": (lambda a: F.pad(a, (1, 2, 3, 4)) + 1, (r(700, 90),)),
    "pad and gradient": (through(lambda a: F.pad(a, (1, 2, 3, 0)).exp()), (x,)),
    "pad by a little less": (lambda a: F.pad(a, (-1, 2, 3, -2)) * 2, (x,)),
    "flip and roll": (lambda a: a.flip(1) + torch.roll(a, 3, 0), (x,)),
    "triangles": (lambda a: a.tril(1) + a.triu(), (x,)),
    "eye": (lambda a: a + torch.eye(37, 70), (x,)),
    "arange": (lambda a: a * torch.arange(70.0), (x,)),
    "repeat": (lambda a: a.repeat(2, 3) + 1, (x,)),
    "slice scatter": (lambda a: torch.slice_scatter(a, a[:, 2:9] * 2, 1, 2, 9), (x,)),
    "gather": (lambda a, i: a.gather(1, i) * 2, (x, ints(0, 70, (37, 4)))),
    "embedding": (lambda i, a: F.embedding(i, a) + 1, (ints(0, 37, (4, 9)), x)),
    "index select": (lambda a, i: a.index_select(1, i) * 2, (x, columns)),
    "numbers that are bools": (lambda a: a.index_select(1, (a[0] > 0).long()), (x,)),  # gcc 12 reads wrong places
    "one row by number": (lambda a, i: a[i - 40] + 1, (x[:1], torch.full((5,), 40))),
    "backwards and by number": (lambda a, i: a.index_select(1, i).flip(0), (x, columns)),
    "a constant, stored in blocks": (lambda a: torch.cat([a, a * 0 + 3, torch.ones_like(a)]), (r(300, 200),)),
    "rows by number": (lambda a, i: a[i - 5] + 1, (x, rows)),
    "elements by number": (lambda a, i, j: a[i, j] + 1, (x, rows, columns)),
    "reductions": (several_sums, (x,)),
    "reductions of images": (sums_of_images, (im,)),
    "reductions of bools": (lambda a: ((a > 0).any(1), (a > 0).all(0), (a > 0).sum()), (x,)),
    "reductions of ints": (lambda a: (a.sum(0), a.prod(1), a.amax(1), a.amin()), (counted,)),
    "reductions of halves": (lambda a: (a.sum(1), a.amax(0)), (brain,), 1e-1),
    "reductions of much": (lambda a: (a.sum(), a.exp().mean()), (r(300, 400),)),
    "variance and mean": (lambda a: torch.var_mean(a, 1), (x,)),
    "logsumexp": (lambda a: torch.logsumexp(a, 0), (x,)),
    "transposed": (lambda a: a.t() * 2 + a.t().exp(), (x,)),
    "transposed sum": (lambda a: (a.t() + 1).sum(1), (x,)),
    "transposed input": (lambda a: a.relu() + 1, (x.t(),)),
    "every second": (lambda a: (a[:, ::2] * 2).sum(1), (x,)),
    "gaps": (lambda a: a * 2 + 1, (x[:, 3:40],)),
    "expanded": (lambda a: a + 1, (w.expand(5, 70),)),
    "reshaped": (lambda a: a.reshape(-1)[5:2500].reshape(-1, 5) * 2, (x,)),
    "reshaped sum": (lambda a, b: (a.reshape(-1) * b.reshape(-1)).reshape(70, 37).sum(0), (x, x)),
    "bfloat16": (lambda a, b: torch.tanh(a * b) + a, (brain, w.bfloat16()), 6e-2),
    "float16": (lambda a: torch.exp(a) * a, (half,), 2e-3),
    "int8": (lambda a: a * a + a, (i8,)),
    "uint8": (lambda a: (a + 200) * 3 - (a < 5).to(torch.uint8), (u8,)),
    "bools": (lambda a, b: (a & b) | ~a ^ b, (x > 0, x > 1)),
    "mixed": (lambda a, b: a * b + 1, (x, torch.arange(70))),
    "where": (lambda a: torch.where(a > 0, a, a * 0.1).clamp(-1, 2), (x,)),
    "nans": (with_nans, (x,)),
    "special": (special, (x,)),
    "floor divide": (lambda a: torch.floor(a * 3) // 2, (x,)),
    "remainders": (lambda a: torch.remainder(a, 0.7) + torch.fmod(a, 0.3), (x,)),
    "matmul": (lambda a, b: (a @ b + 1).relu(), (x, r(70, 5))),
    "convolution": (lambda a, b: F.relu(F.conv2d(a, b)) + 1, (im, r(4, 6, 3, 3))),
    "attention": (lambda q: torch.softmax(q @ q.transpose(1, 2) / 3, -1) @ q, (r(2, 8, 6),)),
    "nothing": (lambda a: a.exp() + 1, (r(0, 5),)),
    "one number": (lambda a: a.exp() + 1, (r(()),)),
    "a sum of one": (lambda a: a.sum(0) + 1, (r(1, 5),)),
}
# What Metal has no type for, and what raises for some operands, which C, Triton and Metal cannot.
DOUBLES = {"float64": (lambda a: torch.softmax(a * 0.1, 1).log(), (x.double(),))}
RAISING = {"int64": (lambda a: a * 3 - a // 2 + a % 7, (counted,))}
