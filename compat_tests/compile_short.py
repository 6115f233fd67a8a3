"""Programs for torch.compile (compile_programs.py): short functions of a tensor x of shape (4, 3), as text.

Each is called with two sizes of x, the second twice. `torch`, `F`, `math` and the rest of HOME are globals, as in a
program's own module.
"""

import collections
import functools
import itertools
import math
import types

from compile_programs import T, program

HOME = """
import contextlib
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field
Pair = namedtuple("Pair", "left right")
SCALE, TABLE, NAMES = 2.0, {"a": 1, "b": 2}, ["p", "q"]
@dataclass
class Config:
    width: int = 3
    scale: float = 0.5
    names: list = field(default_factory=list)
CONFIG = Config()
WEIGHT = torch.ones(3)
class Scaler:
    def __init__(self, k): self.k = k
    def __call__(self, v): return v * self.k
    def twice(self, v): return self(self(v))
    @staticmethod
    def plus(v): return v + 1
    @property
    def double(self): return self.k * 2
SCALER = Scaler(3)
def helper(v, k=1, *rest, **named): return v * k + len(rest) + len(named)
def outer_twice(fn):
    def inner(*a, **k): return fn(fn(*a, **k))
    return inner
@outer_twice
def decorated(v): return v + 2
def pairs(v):
    for i in range(2): yield i, v + i
"""
SHORT = r"""
def s_add(x): return x + 1
def s_chain(x): return x.sin().cos().tanh().exp()
def s_matmul(x): return x @ x.t()
def s_softmax(x): return F.softmax(x, dim=-1)
def s_layer_norm(x): return F.layer_norm(x, (3,))
def s_mean_std(x): return (x - x.mean(0)) / (x.std(0) + 1e-5)
def s_attention(x): q = k = v = x; return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), -1) @ v
def s_gelu(x): return F.gelu(x) + F.relu(x) + F.silu(x) + F.leaky_relu(x, 0.1)
def s_chunk(x): a, b = x.chunk(2, 0); return a * b
def s_split(x): return [p.sum() for p in x.split(1, 1)]
def s_unbind(x): a, b, c = x.unbind(1); return a + b * c
def s_stack(x): return torch.stack([x, x + 1], dim=0).sum(0)
def s_cat(x): return torch.cat((x, x.flip(0)), dim=1)
def s_where(x): return torch.where(x > 2, x, -x)
def s_mask(x): m = (x > 3).float(); return x * m + (1 - m)
def s_masked_fill(x): return x.masked_fill(x < 2, 0.0)
def s_clamp(x): return x.clamp(min=1, max=3) + torch.clamp(x, 0)
def s_topk(x): v, i = x.topk(2); return v * 2, i
def s_sort(x): v, i = torch.sort(x, descending=True); return v, i
def s_argmax(x): return x.argmax(-1), x.argmin(), x.max(), x.min(dim=0).values
def s_cumsum(x): return x.cumsum(0), x.cumprod(1)
def s_norm(x): return x.norm(), F.normalize(x, dim=1), x.norm(dim=1, keepdim=True)
def s_index(x): return x[0], x[:, 1], x[1:, :2], x[..., None], x[-1, -1], x[::2]
def s_index_tensor(x): i = torch.tensor([0, 2]); return x[i], x[:, i]
def s_gather(x): return x.gather(1, torch.zeros(x.shape[0], 1, dtype=torch.long))
def s_permute(x): return x.permute(1, 0).contiguous().view(-1), x.T, x.mT, x.transpose(0, 1)
def s_reshape(x): return x.reshape(-1), x.view(x.shape[0], -1), x.flatten(), x.unsqueeze(0).squeeze(0)
def s_expand(x): return x.unsqueeze(1).expand(-1, 2, -1).sum(1), x[:1].expand_as(x) + 0
def s_repeat(x): return x.repeat(2, 1), x.repeat_interleave(2, dim=0), x.tile(2)
def s_einsum(x): return torch.einsum("ij,kj->ik", x, x)
def s_bmm(x): b = x.unsqueeze(0); return torch.bmm(b, b.transpose(1, 2))
def s_linear(x): return F.linear(x, torch.ones(2, 3), torch.zeros(2))
def s_weight(x): return x * WEIGHT + SCALE
def s_table(x): return x * TABLE["a"] + TABLE.get("b", 0) + TABLE.get("z", 5)
def s_config(x): return x * CONFIG.scale + CONFIG.width + len(CONFIG.names)
def s_scaler(x): return SCALER(x) + SCALER.twice(x) + Scaler.plus(x) + SCALER.double
def s_new_scaler(x): s = Scaler(4); s.k += 1; return s(x), s.double
def s_helper(x): return helper(x), helper(x, 2), helper(x, 2, 3, 4), helper(x, k=3, z=1), helper(*[x, 5], **{"q": 1})
def s_decorated(x): return decorated(x)
def s_pairs(x): return sum(v * i for i, v in pairs(x)), dict(pairs(x))[1], [i for i, _ in pairs(x)]
def s_pair(x): p = Pair(x, x + 1); a, b = p; return a + b, p.left * p[1], p._replace(right=x).right, p
def s_dataclass(x): c = Config(5, names=["u"]); c.width += 1; return x * c.width, c.names, c.scale
def s_list(x): l = []; l.append(x); l.extend([x + 1, x + 2]); return l[1] * l[-1], len(l)
def s_dict(x): d = {"u": x}; d["v"] = d["u"] * 2; return {k: v + 1 for k, v in d.items()}
def s_nested(x): d = {"a": {"b": [x]}}; d["a"]["b"].append(x * 2); return d
def s_tuple(x): t = (x, (x + 1, [x + 2])); a, (b, [c]) = t; return a + b + c, t
def s_star(x): a, *b = [x, x + 1, x + 2]; return a, b, [*b, a]
def s_zip(x): return [a * b for a, b in zip([x, x + 1], [2, 3])]
def s_enumerate(x): return {i: v for i, v in enumerate([x, -x])}
def s_map(x): return list(map(torch.sin, [x, x + 1])), list(map(lambda v: v + 1, [x]))
def s_filter(x): return [v for v in filter(lambda v: v.dim() == 2, [x, x[0]])]
def s_lambda(x): f = lambda a, b=2: a * b; return f(x) + f(x, 3)
def s_sum(x): return sum([x, x + 1, x + 2]), sum(range(4)) * x
def s_reduce(x): return functools.reduce(torch.mul, [x, x, x])
def s_partial(x): return functools.partial(torch.add, x, alpha=2)(x)
def s_product(x): return [x * a + b for a, b in itertools.product([1, 2], [3])]
def s_min_max(x): return x * max(2, 3) + min([4, 1]) + abs(-2)
def s_range(x): y = x\n    for i in range(3): y = y + i\n    return y
def s_while(x): i = 0; y = x\n    while i < 3: y = y * 1.5; i += 1\n    return y, i
def s_break(x): y = x\n    for i in range(9):\n        if i == 2: break\n        y = y + i\n    else: y = y * 0\n    return y
def s_continue(x): y = x\n    for i in range(4):\n        if i % 2: continue\n        y = y - i\n    return y
def s_if_shape(x): return x * 2 if x.shape[0] > 5 else x * 3
def s_if_dim(x): return x.sum() if x.dim() == 2 and x.size(1) == 3 else x
def s_if_dtype(x): return x.double() if x.dtype == torch.float32 else x
def s_not_none(x, y=None): return x if y is None else y
def s_ternaries(x): return x + (1 if x.ndim > 1 else 2) + (3 if not x.is_cuda else 4)
def s_inplace(x): y = x.clone(); y.add_(1); y[0] = 0; y[:, 1] += 5; y *= 2; return y
def s_zeros(x): z = torch.zeros_like(x); z[1:] = x[:-1]; return z
def s_ones(x): return torch.ones(2, 3) + torch.full((2, 3), 2.0) + torch.arange(3) + torch.eye(3)[:2]
def s_linspace(x): return torch.linspace(0, 1, 3) * x + torch.tensor([1.0, 2.0, 3.0])
def s_new(x): return x.new_zeros(2), x.new_tensor([1.0]), torch.empty_like(x).fill_(2)
def s_dtype(x): return x.to(torch.float64).sum(), x.int(), x.long().float(), x.bool(), x.half().float()
def s_compare(x): return x == x, x != 1, (x > 1) & (x < 3), (x > 1) | (x <= 0), ~(x > 1)
def s_any(x): return (x > 1).any(), (x > 0).all(), torch.logical_not(x > 1), torch.isnan(x).any()
def s_arith(x): return x / 2, x // 2, x % 2, 2 - x, 1 / x, -x, x ** 2, 2 ** x, abs(x), +x, x.pow(0.5)
def s_reductions(x): return x.sum(1), x.mean(), x.prod(0), x.var(1), x.std(), x.amax(1), x.logsumexp(0), x.median()
def s_keepdim(x): return x.sum(1, keepdim=True), x.mean(dim=(0, 1)), torch.sum(x, dim=0)
def s_loss(x): return F.mse_loss(x, torch.zeros_like(x)), F.l1_loss(x, x + 1), F.smooth_l1_loss(x, x * 2)
def s_cross_entropy(x): return F.cross_entropy(x, torch.zeros(x.shape[0], dtype=torch.long))
def s_log_softmax(x): return F.log_softmax(x, 1), F.nll_loss(F.log_softmax(x, 1), torch.zeros(x.shape[0], dtype=torch.long))
def s_dropout(x): return F.dropout(x, 0.5, training=True).shape, F.dropout(x, 0.0)
def s_pad(x): return F.pad(x, (1, 1)), F.pad(x, (0, 1, 1, 0), value=2.0)
def s_conv(x): return F.conv1d(x.t().unsqueeze(0), torch.ones(2, 3, 2))
def s_pool(x): return F.max_pool1d(x.unsqueeze(0), 2), F.avg_pool1d(x.unsqueeze(0), 2)
def s_embedding(x): return F.embedding(torch.tensor([0, 2]), x)
def s_one_hot(x): return F.one_hot(torch.tensor([0, 2]), 3).float() @ x[:3]
def s_tril(x): m = x @ x.t(); return m.tril(), m.triu(1), torch.diag(m), m.diagonal()
def s_trace(x): m = x.t() @ x; return m.trace(), torch.outer(x[0], x[1])
def s_roll(x): return x.roll(1, 0), torch.rot90(x), x.flip([0, 1])
def s_meshgrid(x): a, b = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij"); return a + b
def s_scatter(x): return torch.zeros(x.shape[0], 3).scatter(1, torch.zeros(x.shape[0], 1, dtype=torch.long), 1.0)
def s_index_add(x): return torch.zeros_like(x).index_add(0, torch.tensor([0, 1]), x[:2]), x.index_select(0, torch.tensor([1]))
def s_lerp(x): return torch.lerp(x, x + 1, 0.5), torch.addmm(torch.zeros(x.shape[0], 3), x, torch.eye(3)), torch.hypot(x, x)
def s_complex(x): c = torch.complex(x, x); return c.real, c.imag, c.abs(), (c * c).real
def s_detach(x): return x.detach() + 1, x.requires_grad, x.data + 2
def s_no_grad(x):\n    with torch.no_grad(): y = x * 2\n    return y
def s_grad_enabled(x): return x * 2 if torch.is_grad_enabled() else x
def s_print(x): y = x + 1; print("y", y.shape[1]); return y * 2
def s_print_twice(x): print("a"); y = x * 2; print("b"); return y
def s_item(x): return x * x.sum().item()
def s_item_int(x): n = int(x[0, 0]); return x + n
def s_data_if(x): y = x * 2\n    if y.sum() > 10: return y + 1\n    return y - 1
def s_data_if_assigns(x):\n    if x.mean() > 0: y = x + 1\n    else: y = x - 1\n    return y * 2
def s_tolist(x): l = x[0].tolist(); return x * l[1]
def s_numpy(x): n = x.numpy(); return x + float(n.sum())
def s_try(x):\n    try: y = x.view(7, 7)\n    except RuntimeError: y = x * 7\n    return y
def s_try_key(x):\n    try: return x * TABLE["zz"]\n    except KeyError: return x * 4
def s_raise(x): raise ValueError("always")
def s_raise_caught(x):\n    try: raise ValueError("a", 1)\n    except ValueError as e: return x + e.args[1], str(e)
def s_finally(x): l = []\n    try: y = x + 1\n    finally: l.append("f")\n    return y, l
def s_assert(x): assert x.dim() == 2, "no"; return x + 1
def s_nullcontext(x):\n    with contextlib.nullcontext(): return x * 2
def s_fstring(x): return x + 1, f"{x.shape[1]}-{x.dtype}-{'a':>3}"
def s_isinstance(x): return x if isinstance(x, torch.Tensor) and not isinstance(x, (int, str)) else None
def s_getattr(x): return getattr(x, "sin")() + getattr(torch, "cos")(x), hasattr(x, "nothing")
def s_method_value(x): f = x.add; g = torch.Tensor.mul; return f(1) + g(x, 2)
def s_ops_in_list(x): y = x\n    for f in (torch.sin, torch.cos, F.relu, lambda v: v * 2): y = f(y)\n    return y
def s_ops_in_dict(x): return {"relu": F.relu, "neg": torch.neg}["neg"](x)
def s_recursive(x): return x if x.dim() == 0 else s_recursive(x.sum(0))
def s_closure(x): k = 3\n    def g(v): return v * k\n    return g(x) + g(x + 1)
def s_nonlocal(x): n = 0\n    def g():\n        nonlocal n\n        n += 1\n        return n\n    g(); g()\n    return x * n
def s_comprehension(x): return [x[i] for i in range(2)], {i: x[:, i] for i in range(2)}, [a for a in NAMES]
def s_global_list(x): NAMES.append("r"); return x + len(NAMES)
def s_ordered(x): return OrderedDict([("u", x), ("v", x + 1)])
def s_deque(x): d = collections.deque(maxlen=2)\n    for i in range(3): d.append(x + i)\n    return list(d)
def s_set(x): s = {1, 2} | {3}; return x * len(s), 2 in s
def s_slice(x): s = slice(0, 2); return x[s], x[s, s], x[slice(None)]
def s_string(x): return x * len("abc".upper()), ",".join(["a", "b"]), "a,b".split(",")
def s_none(x): x + 1; return None
def s_constant(x): return 5
def s_same(x): return x
def s_many_outputs(x): return x, x + 1, [x + 2, {"k": x + 3}], (x,), "s", 1, None
def s_walrus(x): return (y := x + 1) * 2 + y
def s_delete(x): y = x + 1; z = y * 2; del y; return z
def s_swap(x): a, b = x, x + 1; a, b = b, a; return a - b
def s_augmented(x): n = 1; n += 2; n *= 3; return x * n
def s_math(x): return x * math.sqrt(9.0) + math.pi + math.floor(2.5) + math.log(2.0)
def s_batch_norm(x): return F.batch_norm(x, torch.zeros(3), torch.ones(3))
def s_interpolate(x): return F.interpolate(x[None, None], scale_factor=2, mode="nearest")
def s_unfold(x): return x.unfold(0, 2, 1), F.unfold(x[None, None], 2)
def s_seeded(x): torch.manual_seed(1); return x + torch.rand(3)
def s_rand(x): return torch.rand_like(x) + torch.randn(3) + torch.randint(0, 5, (3,))
def s_size_arith(x): return x * x.shape[0] + x.size(0) // 2 + x.numel()
def s_size_loop(x): return sum(x[i] for i in range(x.shape[1]))
def s_unpack_shape(x): n, m = x.shape; return x.view(n * m), torch.zeros(n, m) + 1
def s_arange_size(x): return x + torch.arange(x.shape[0]).unsqueeze(1)
def s_iterate(x): return [row * 2 for row in x[:2]], len(x)
def s_bool_ops(x): return x + (1 and 2) + (0 or 3) + (not 0) + (None is None)
def s_chained(x): return x + 1 if 1 < x.dim() <= 2 < 5 else x
def s_match(x):\n    match x.dim():\n        case 1: return x\n        case 2: return x * 2\n        case _: return None
def s_residual(x): h = F.relu(F.linear(x, torch.ones(3, 3))); return x + h, h
def s_mlp(x): h = torch.tanh(x @ torch.ones(3, 5)); return h @ torch.ones(5, 2)
def s_causal(x): n = x.size(0); m = torch.ones(n, n).tril() == 0; return (x @ x.t()).masked_fill(m, float("-inf")).softmax(-1)
def s_rms_norm(x): return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
def s_rotary(x): a, b = x[:, :1], x[:, 1:2]; return torch.cat([-b, a], -1)
def s_focal(x): p = torch.sigmoid(x); return -(1 - p) ** 2 * torch.log(p)
def s_iou(x): lo, hi = x.min(0).values, x.max(0).values; return (hi - lo).clamp(min=0).prod()
def s_ema(x): m = torch.zeros(3)\n    for row in [x[0], x[1], x[2]]: m = m * 0.9 + row * 0.1\n    return m
def s_polynomial(x): return sum(c * x ** i for i, c in enumerate([1.0, 2.0, 3.0]))
def s_newton(x): y = x\n    for _ in range(3): y = y - (y * y - x) / (2 * y)\n    return y
def s_moving(x): return torch.stack([x[i : i + 2].mean(0) for i in range(3)])
def s_pairwise(x): d = x[:, None] - x[None]; return d.pow(2).sum(-1).sqrt()
def s_cosine(x): return F.cosine_similarity(x, x + 1, dim=1)
def s_huber(x): return F.huber_loss(x, torch.zeros_like(x), delta=2.0)
def s_kl(x): return F.kl_div(F.log_softmax(x, 1), F.softmax(x * 2, 1), reduction="batchmean")
def s_scores(x): return dict(mean=x.mean(), top=x.max(), low=x.min())
def s_pipeline(x):\n    for f in [lambda v: v + 1, torch.sin, helper]: x = f(x)\n    return x
def s_state(x): state = {"steps": 0, "last": None}\n    for i in range(3): state["steps"] += 1; state["last"] = x * i\n    return state["last"], state["steps"]
def s_stack_machine(x): s = [x]\n    for op in ("dup", "add", "neg"):\n        if op == "dup": s.append(s[-1])\n        elif op == "add": s.append(s.pop() + s.pop())\n        else: s.append(-s.pop())\n    return s
def s_tree(x): t = ("add", ("mul", x, 2), x)\n    def ev(n): return n if not isinstance(n, tuple) else ev(n[1]) + ev(n[2]) if n[0] == "add" else ev(n[1]) * ev(n[2])\n    return ev(t)
def s_memo(x): memo = {}\n    def fib(n):\n        if n not in memo: memo[n] = n if n < 2 else fib(n - 1) + fib(n - 2)\n        return memo[n]\n    return x * fib(7), len(memo)
def s_accumulate(x): out, total = [], 0\n    for v in x.unbind(1): total = total + v; out.append(total)\n    return torch.stack(out, 1)
def s_grouped(x): groups = {}\n    for i in range(4): groups.setdefault(i % 2, []).append(x[i])\n    return {k: torch.stack(v).sum(0) for k, v in groups.items()}
def s_sorted_items(x): d = {"b": x, "a": x + 1}; return [d[k] for k in sorted(d)]
def s_reversed(x): return [v for v in reversed([x, x + 1])], x[:, torch.tensor([2, 1, 0])]
def s_bools(x): flags = [True, False, True]; return sum(x * i for i, f in enumerate(flags) if f), all(flags), any(flags)
def s_kwargs_through(x):\n    def inner(**kw): return helper(x, **kw)\n    return inner(k=2, u=3)
def s_default_dict(x): d = collections.defaultdict(lambda: 1); d["a"] += 2; return x * d["a"] + d["q"]
def s_unpacking(x): (a, b), *rest = [(x, 1), 2, 3]; return a + b, rest
def s_conditional_import(x): import math as m; return x * m.e
def s_raise_from_helper(x):\n    def bad(v): raise KeyError("k")\n    try: return bad(x)\n    except (KeyError, ValueError): return x + 9
def s_loop_try(x): n = 0\n    for i in range(3):\n        try: n += [1, 2][i]\n        except IndexError: n += 10\n    return x * n
def s_context_class(x): c = Scaler(2); c.__enter__ = None; return c(x)
def s_class_here(x):\n    s = Scaler(1)\n    s.extra = x\n    return s.extra + s.k
def s_views_write(x): y = x.clone(); v = y.view(-1); v[0] = 9; w = y[1]; w += 1; return y, v, w
def s_out(x): y = torch.empty_like(x); torch.add(x, 1, out=y); return y
def s_dtype_math(x): return (x.double() * 2).float(), x.to(torch.bfloat16).float(), x.type(torch.float64)
def s_int_ops(x): i = x.long(); return i // 2, i % 3, i << 1, i & 1, -i, i ** 2
def s_sign(x): return x.sign(), torch.sgn(x), x.trunc(), x.floor(), x.ceil(), x.round(), x.frac()
def s_trig(x): return torch.atan2(x, x + 1), x.sinh(), torch.asin(x / 100), torch.erf(x)
def s_log(x): return torch.log(x), torch.log1p(x), torch.log2(x), torch.expm1(x / 10), x.sqrt(), x.rsqrt()
def s_bitwise(x): m = x > 1; return m & m, m | ~m, m ^ m, m.logical_and(m), m.sum()
def s_cdist(x): return torch.cdist(x, x[:2])
def s_bucket(x): return torch.bucketize(x, torch.tensor([1.0, 5.0])), torch.searchsorted(torch.tensor([1.0, 5.0]), x)
def s_hist(x): return torch.histc(x, 4, 0, 12), x.quantile(0.5)
def s_det(x): m = x.t() @ x + 50 * torch.eye(3); return torch.linalg.det(m), torch.linalg.inv(m)
def s_scan(x): h = torch.zeros(3); hs = []\n    for t in range(4): h = torch.tanh(x[t] + h); hs.append(h)\n    return torch.stack(hs)
def s_two_breaks(x): a = x.sin(); print(1); b = a.cos(); print(2); return a + b
def s_break_in_helper(x):\n    def noisy(v): w = v + 1; print("noisy"); return w * 2\n    return noisy(x * 3) - 1
def s_break_keeps_list(x): l = [x, 1]; print(len(l)); l.append(x * 2); return l
def s_break_keeps_closure(x): k = 2\n    def g(v): return v * k\n    y = g(x); print("k", k); return g(y)
def s_break_keeps_object(x): s = Scaler(2); y = s(x); print(s.k); s.k = 5; return s(y)
def s_break_in_args(x): return helper(x + 1, int(x[0, 0].item()))
def s_graph_break(x): y = x + 1; torch._dynamo.graph_break(); return y.sum()
"""


def _functions():
    return [text.replace("\\n", "\n") for text in SHORT.strip().splitlines()]


def _enter(text):
    name = text[4 : text.index("(")]

    def maker(torch):
        home = types.ModuleType(f"short_{name}")
        vars(home).update(
            torch=torch,
            F=torch.nn.functional,
            math=math,
            functools=functools,
            itertools=itertools,
            collections=collections,
        )
        exec(HOME + _indented(text), vars(home))
        return vars(home)[name]

    maker.__name__ = name
    program([T(4, 3)], [T(6, 3)], [T(6, 3)])(maker)


def _indented(text):
    """The function with a first line of its own."""
    head, colon, rest = text.partition("):")
    return f"{head}{colon}\n    {rest.strip(' ')}\n" if not rest.startswith("\n") else text + "\n"


for _text in _functions():
    _enter(_text)
