"""Programs to be traced by torch.fx: sources that define `root` (and perhaps `how`, what symbolic_trace is told, or
`tracer`, the Tracer that is used), each a module of its own, so that `wrap` may be called in it.
"""

from fx_sources import SOURCES

PRELUDE = """
import collections, dataclasses, enum, functools, math, operator, typing
from collections import namedtuple
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import torch
import torch.nn.functional as F
from torch import Tensor, nn, fx
from torch.fx import PH
"""

# One expression or body a line: `arguments | statements; the last one is what is returned`.
FUNCTIONS = """
x, y | x + y * 2 - 1
x, y | 1 - x / y // 3 % 2
x, y | (2 ** x) ** y
x, y | (1 @ x, x @ y)
x, y | (x & y | x ^ y, 1 & x, 1 | x, 1 ^ x)
x, y | (x << 1 >> y, 1 << x, 1 >> x)
x | (-x, +x, ~x, abs(x), x == 1, 1 == x, x != x)
x | (x < 1, 1 < x, x >= 1, 1 >= x)
x, y | divmod(x, y)
x | round(x)
x | math.floor(x)
x | math.ceil(x)
x | math.sqrt(x) + math.pi
x | pow(x, 2)
x | pow(x, 2, 3)
x | x.__add__(1)
x | x.__getitem__(0)
x | x.__radd__(1)
x | x.__len__()
x | x.__contains__(1)
x | 1 in x
x | x is None
x | not x
x | x and 1
x | x or 1
x | 1 if x else 2
x | [a for a in x]
x | list(x)
x | tuple(x)
x | dict(x)
x | (*x, 1)
x | torch.cat(*x)
x | torch.cat(**x)
x | max(x, 1)
x | min(x)
x | sum(x)
x | sorted(x)
x | enumerate(x)
x | list(zip(x, x))
x | isinstance(x, Tensor)
x | type(x).__name__
x | str(x)
x | repr(x)
x | f"{x}"
x | f"{x:.2f}"
x | hash(x) is None
x | float(x)
x | complex(x)
x | range(x)
x | [1, 2, 3][x]
x | {x: 1}
x | {"a": x}[x]
x | operator.index(x)
x | x[1:]
x | x[1:x]
x | x[:, None, ..., ::2]
x | x[x > 0, [1, 2]]
x | x["key"]
x | x[0][1][2].a.b(1).c
x | (x.shape, x.shape[0], x.shape[-1:], x.size(), x.size(0), x.size(dim=1))
x | x.view(x.size(0), -1)
x | x.view(*x.shape[:2], -1)
x | x.reshape([x.shape[0], x.shape[1] * 2])
x | torch.zeros(x.shape[0], 2)
x | torch.arange(x.size(1), device=x.device, dtype=x.dtype)
x | torch.full((2, 2), 1.0) + x
x | torch.empty(2).fill_(1.0) * x
x | torch.tensor([1, 2]) + x
x | torch.ones(2, dtype=torch.float64).add_(x)
x | x.new_zeros(2, 3) + x.new_ones((2,)) + x.new_full([1], 3)
x | torch.rand(2) + torch.randn_like(x)
x | a, b = x; a + b
x | a, b, c = x.split(1); (c, b, a)
x | (a, b), c = x; a
x | a, *b = x; a
x | x += 1; x
x | x -= 1; x *= 2; x /= 3; x //= 4; x %= 5; x **= 6; x
x | x <<= 1; x >>= 1; x &= 1; x |= 2; x ^= 3; x
x | x @= x; x
x | x[0] += 1; x
x | x[0] = 1; x
x | x[0], x[1] = 1, 2; x
x | x.a = 1; x
x | x.data.zero_(); x
x | del x[0]; x
x, y | x.add_(y).mul_(2).clamp_(0, 1)
x | torch.relu_(x)
x | F.relu(x, True) + F.relu6(x) + F.leaky_relu(x, 0.1) + F.elu(x, alpha=2.0)
x | F.silu(x) + F.mish(x) + F.hardtanh(x, -2, 2) + F.hardswish(x) + F.selu(x) + F.celu(x) + F.softplus(x) + F.glu(x)
x | F.log_softmax(x, 1) + F.softmin(x, 0) + F.gumbel_softmax(x) + F.logsigmoid(x) + F.sigmoid(x) + F.tanh(x)
x, w, b | F.linear(x, w, b) + F.bilinear(x, x, w) + F.conv1d(x, w) + F.conv_transpose2d(x, w, b, 2)
x, y | F.mse_loss(x, y) + F.l1_loss(x, y) + F.nll_loss(x, y) + F.kl_div(x, y) + F.smooth_l1_loss(x, y) + F.huber_loss(x, y)
x, y | F.binary_cross_entropy(x, y) + F.binary_cross_entropy_with_logits(x, y) + F.cosine_embedding_loss(x, y, y)
x | F.max_pool1d(x, 2) + F.max_pool2d(x, 2, return_indices=True)[0] + F.adaptive_avg_pool2d(x, (1, 1)) + F.avg_pool1d(x, 2)
x | F.adaptive_max_pool2d(x, 1) + F.lp_pool2d(x, 2, 2) + F.max_unpool2d(x, x, 2)
x | F.dropout(x) + F.dropout2d(x) + F.alpha_dropout(x) + F.feature_alpha_dropout(x)
x | F.layer_norm(x, x.shape[1:]) + F.group_norm(x, 2) + F.instance_norm(x) + F.rms_norm(x, (2,)) + F.normalize(x)
x | F.one_hot(x, 3) + F.pixel_shuffle(x, 2) + F.unfold(x, 2) + F.fold(x, 2, 2) + F.pad(x, [1, 1], "reflect")
x | F.grid_sample(x, x) + F.affine_grid(x, (1, 1, 2, 2)) + F.upsample(x, 2) + F.interpolate(x, (2, 2), mode="bilinear")
x | F.embedding_bag(x, x) + F.embedding(x, x, padding_idx=0) + F.pairwise_distance(x, x) + F.cosine_similarity(x, x)
x | F.multi_head_attention_forward(x, x, x, 4, 2, x, x, None, None, False, 0.0, x, x)
x | F.scaled_dot_product_attention(x, x, x, attn_mask=None, dropout_p=0.0)
x, y | torch.add(x, y, alpha=2) + torch.sub(x, 1) + torch.mul(2, x) + torch.div(x, y, rounding_mode="floor")
x, y | torch.matmul(x, y) + torch.mm(x, y) + torch.bmm(x, y) + torch.addmm(x, x, y, beta=2) + torch.baddbmm(x, x, y)
x | torch.einsum("bij,bjk->bik", x, x) + torch.tensordot(x, x, 2) + torch.outer(x, x) + torch.dot(x, x)
x | torch.cat((x, x), 1) + torch.stack([x, x], dim=0) + torch.hstack([x]) + torch.concat([x, x]) + torch.vstack((x,))
x | torch.sum(x) + torch.mean(x, dim=[1, 2], keepdim=True) + torch.var(x, unbiased=False) + torch.std(x, 1)
x | torch.max(x) + torch.min(x, 1)[0] + torch.max(x, dim=1).values + torch.argmax(x, 1) + torch.any(x) + torch.all(x, 0)
x | torch.where(x > 0, x, -x) + torch.masked_fill(x, x > 0, 0.0) + torch.gather(x, 1, x) + torch.index_select(x, 0, x)
x | torch.flatten(x, start_dim=1) + torch.squeeze(x) + torch.unsqueeze(x, 0) + torch.transpose(x, 0, 1) + torch.permute(x, (1, 0))
x | torch.chunk(x, 2)[0] + torch.split(x, [1, 2])[1] + torch.unbind(x)[0] + torch.narrow(x, 0, 0, 1) + torch.roll(x, 1)
x | torch.sort(x) + torch.topk(x, 2)[0] + torch.unique(x) + torch.nonzero(x) + torch.cumsum(x, 0) + torch.kthvalue(x, 1)[0]
x | torch.isnan(x) + torch.isinf(x) + torch.eq(x, x) + torch.equal(x, x) + torch.allclose(x, x) + torch.is_tensor(x)
x | torch.linalg.norm(x) + torch.linalg.inv(x) + torch.linalg.qr(x)[0] + torch.special.erf(x)
x | torch.nn.init.zeros_(x)
x | torch.Tensor.add(x, 1) + torch.Tensor.relu(x)
x | torch.is_floating_point(x) + x.is_floating_point() + torch.numel(x) + x.numel() + x.dim() + x.ndim
x | torch.utils.checkpoint.checkpoint(torch.relu, x) if False else x
x | torch._assert(x.shape[0] == 2, "no"); x
x | torch.broadcast_tensors(x, x) + torch.meshgrid(x, x) + torch.atleast_1d(x) + torch.block_diag(x, x) + torch.cdist(x, x)
x | torch.lerp(x, x, 0.5) + torch.clip(x, 0) + torch.pow(2, x) + torch.pow(x, 2) + torch.square(x) + torch.rsub(x, 1)
x | torch.functional.norm(x) + torch.cartesian_prod(x, x) + torch.tril(x, -1) + torch.triu(x)
x | x.sum(-1).mean((0, 1), keepdim=True).std(unbiased=False).max()
x | x.float().half().double().int().long().bool().to("cpu").to(x).to(torch.float16).type_as(x).cpu()
x | x.expand(2, -1).expand_as(x).repeat(1, 2).flatten().unfold(0, 2, 1).permute(0, 1).T.mT.H.contiguous()
x | x.requires_grad_().detach().clone().item()
x | x.grad
x | x.backward()
x | (x.is_cuda, x.device.type, x.layout, x.requires_grad, x.real, x.imag, x.data, x.names, x.grad_fn)
x | x.masked_fill(x == 0, float("-inf")).softmax(dim=-1)
x | x.apply_(lambda v: v)
x | x.map_(x, None)
x | x.index_add_(0, x, x).scatter_(1, x, 2.0).index_put_((x,), x)
x | torch.float32
x | 1
x | "text"
x | (1, 2.5, True, None, "s", 3j, ...)
x | slice(x, 1)
x | [x, {"a": (x, [x])}]
x | {"a": x, "b": {"c": None}}
x | {1: x}
x | {1.5: (x,)}
x | collections.OrderedDict(a=x)
x | {x.a}
x | frozenset([1])
x | object()
x | lambda: x
x | range(3)
x | range(x.size(0))
x | torch.Size([1, 2])
x | torch.strided
x | torch.device("cpu")
x | torch.channels_last
x | torch.iinfo(torch.int32)
x | x.to(memory_format=torch.channels_last)
x | functools.partial(torch.add, x)(1)
x | functools.reduce(torch.add, [x, x, x])
x | with_grad = torch.no_grad(); with_grad
x | torch.vmap(torch.sin)(x)
x | torch.jit.is_scripting()
x | torch.tensor(x)
x | torch.tensor([x, x])
x | torch.as_tensor(x)
x | torch.ones(x.shape)
x | torch.zeros(x)
x | torch.nn.Parameter(x)
x | nn.Linear(2, 2)(x)
x | nn.functional.relu(nn.Parameter(torch.ones(2)) + x)
*args | args[0] + args[1]
**kw | kw["a"] + kw.get("b", 1)
x, *args | torch.cat(args)
x, *args, **kw | x + args[0] * kw["k"]
x, /, y | x + y
x, *, y=2 | x + y
x, y=None | x if y is None else y
x, y=1, z=(1, 2) | x + y + z[0]
x, y="s", z=None, w=1e-6 | x * w
x, y=torch.float32 | x.to(y)
x, y=float("inf") | x * y
x: Tensor, y: int = 3 | x + y
x: torch.Tensor, y: Optional[Tensor] = None | x
x: List[Tensor], y: Dict[str, Tensor], z: Tuple[int, ...] | x[0]
x: "Tensor", y: Union[int, float], z: Any | x
x: list[int], y: int | None = None | x
x: Tuple[Tensor, Tensor], y: Tuple[()] = () | x
x: nn.Module, y: typing.Callable[[int], int] | x
x: torch.dtype, y: torch.device, z: torch.Size | x
self | self.a
print | print
x, x_1, x1 | x + x_1 + x1
input, type, len | input
_, __ | _
torch_, F_, relu | torch.relu(relu)
inf, nan, device | inf
True_, add, add_1 | add + add_1 + 1
in_, getitem, getattr_1 | in_[0].b
"""


def cases():
    """{name: source}"""
    found = {}
    for line in FUNCTIONS.strip().split("\n"):
        arguments, _, body = line.partition(" | ")
        if " = None | " in line or "int | None" in line:
            arguments, _, body = line.rpartition(" | ")
        *before, last = body.split("; ")
        text = "".join(f"    {s}\n" for s in before)
        found[line] = f"def root({arguments}):\n{text}    return {last}\n"
    for block in SOURCES.strip().split("\n\n"):
        name, _, text = block.partition("\n")
        found[name] = text + "\n"
    return found
