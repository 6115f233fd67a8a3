"""Calls that take a Python number: one line for every parameter of every function that torch converts to a type."""

BINARY = """add sub mul div true_divide multiply subtract divide floor_divide remainder fmod pow float_power
eq ne lt le gt ge greater greater_equal less less_equal not_equal
bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift xlogy copysign ldexp rsub
special.xlog1py special.zeta special.xlogy""".split()

REFLECTED = "add sub mul truediv floordiv mod pow and or xor lshift rshift".split()

INPLACE = """add_ sub_ mul_ div_ floor_divide_ remainder_ fmod_ pow_ float_power_ eq_ ne_ lt_ le_ gt_ ge_ bitwise_and_ bitwise_or_
bitwise_xor_ bitwise_left_shift_ bitwise_right_shift_ xlogy_ copysign_ clamp_min_ clamp_max_ fill_ fill_diagonal_
""".split()

OTHER = """
m.add(x, y, alpha=n)
m.sub(x, y, alpha=n)
m.rsub(x, y, alpha=n)
m.add(x, 2, alpha=n)
m.add(x, n, alpha=2)
m.sub(x, n, alpha=2)
x.clone().add_(y, alpha=n)
x.clone().sub_(y, alpha=n)
m.div(x, n, rounding_mode="floor")
m.div(x, n, rounding_mode="trunc")
x.clone().div_(n, rounding_mode="floor")
m.clamp(x, min=n)
m.clamp(x, max=n)
m.clamp(x, n, n)
m.clamp(x, 0, n)
m.clamp(x, n, 1)
m.clip(x, n)
m.clamp_min(x, n)
m.clamp_max(x, n)
x.clone().clamp_(n)
x.clone().clamp_(max=n)
x.clone().clamp_(0, n)
m.pow(n, x)
m.float_power(n, x)
m.xlogy(n, x)
m.special.xlog1py(n, x)
m.special.zeta(n, x)
m.remainder(n, x)
m.copysign(x, n)
m.bitwise_and(n, x)
m.bitwise_left_shift(n, x)
m.where(k, x, n)
m.where(k, n, x)
m.where(k, n, n)
m.masked_fill(x, k, n)
x.clone().masked_fill_(k, n)
m.index_fill(x, 0, i, n)
x.clone().index_fill_(0, i, n)
m.scatter(x, 0, i, n)
x.clone().scatter_(0, i, n)
x.clone().scatter_(0, i, n, reduce="add")
x.clone().scatter_(0, i, n, reduce="multiply")
m.index_add(x, 0, i, y[:2], alpha=n)
x.clone().index_add_(0, i, y[:2], alpha=n)
m.addcmul(x, y, y, value=n)
m.addcdiv(x, y, y, value=n)
x.clone().addcmul_(y, y, value=n)
x.clone().addcdiv_(y, y, value=n)
m.lerp(x, y, n)
x.clone().lerp_(y, n)
m.addmm(A, A, A, beta=n)
m.addmm(A, A, A, alpha=n)
m.addmv(x, A3, y, beta=n)
m.addmv(x, A3, y, alpha=n)
m.addr(A3, x, y, beta=n)
m.addr(A3, x, y, alpha=n)
m.baddbmm(A[None], A[None], A[None], beta=n)
m.baddbmm(A[None], A[None], A[None], alpha=n)
m.addbmm(A, A[None], A[None], alpha=n)
m.full((2,), n, dtype=d)
m.full((2,), n)
m.full_like(x, n)
x.new_full((2,), n)
m.tensor(n, dtype=d)
m.tensor([n, 1], dtype=d)
m.tensor(n)
m.tensor([n])
m.tensor([n, 1.5])
m.as_tensor(n, dtype=d)
m.asarray(n, dtype=d)
m.asarray([n], dtype=d)
m.scalar_tensor(n, dtype=d)
x.new_tensor(n)
x.new_tensor([n])
m.arange(n, n, dtype=d)
m.linspace(n, 1, 3, dtype=d)
m.linspace(0, n, 3, dtype=d)
m.logspace(0, 1, 3, base=n, dtype=d)
m.fill(x, n)
put(x, 0, n)
put(x, Ellipsis, n)
put(x, slice(0, 2), n)
put(x, k, n)
put(x, i, n)
m.nn.functional.pad(x[None], (1, 1), value=n)
m.nn.functional.pad(x, (1, 1), value=n)
m.constant_pad_nd(x, (1, 0), n)
m.nn.functional.threshold(x, n, 1)
m.nn.functional.threshold(x, 1, n)
m.nn.functional.threshold(x.clone(), 1, n, True)
m.nn.functional.leaky_relu(x, n)
m.nn.functional.leaky_relu(x.clone(), n, True)
m.nn.functional.elu(x, n)
m.nn.functional.elu(x.clone(), n, True)
m.nn.functional.celu(x, n)
m.celu(x, n)
m.nn.functional.hardtanh(x, n, n)
m.nn.functional.hardtanh(x, 0, n)
m.nn.functional.hardtanh(x, n, 1)
m.nn.functional.softplus(x, n)
m.nn.functional.softplus(x, 1, n)
m.nn.functional.hardshrink(x, n)
m.nn.functional.softshrink(x, n)
m.nn.functional.rrelu(x, n, n)
m.rrelu(x, n, n)
m.nn.functional.huber_loss(x, y, delta=n)
m.nn.functional.smooth_l1_loss(x, y, beta=n)
m.nn.functional.hinge_embedding_loss(x, y, n)
m.nn.functional.margin_ranking_loss(x, y, y, n)
m.nn.functional.cosine_embedding_loss(A3, A3, y, n)
m.nn.functional.triplet_margin_loss(A3, A3, A3, n)
m.nn.functional.multi_margin_loss(A3, i3, 1, n)
m.nn.functional.normalize(A3, n)
m.nn.functional.cosine_similarity(A3, A3, 0, n)
m.nn.functional.layer_norm(A3, (3,), eps=n)
m.nn.functional.rms_norm(A3, (3,), eps=n)
m.nn.functional.batch_norm(A3, x, y, eps=n)
m.nn.functional.group_norm(A3[None], 1, eps=n)
m.nan_to_num(x, n)
m.nan_to_num(x / 0, posinf=n)
m.nan_to_num(x / 0, neginf=n)
m.nan_to_num(m.nn.functional.relu(x) / 0, n, n, n)
m.logit(x, n)
m.special.logit(x, n)
m.norm(x, n)
m.linalg.norm(x, n)
m.linalg.vector_norm(x, n)
m.renorm(A3, n, 0, 1.0)
m.renorm(A3, 2, 0, n)
m.dist(x, y, n)
m.cdist(A3, A3, n)
m.nn.functional.pairwise_distance(A3, A3, n)
m.nn.functional.pdist(A3, n)
m.var(x, correction=n)
m.std(x, correction=n)
m.nn.functional.lp_pool1d(x[None], n, 2)
m.trapezoid(x, dx=n)
m.trapz(x, dx=n)
m.cumulative_trapezoid(x, dx=n)
m.gradient(x, spacing=n)[0]
m.quantile(x, n)
m.isclose(x, y, rtol=n)
m.isclose(x, y, atol=n)
m.allclose(x, y, rtol=n)
m.histc(x, 3, 0, n)
m.polar(x, x * n)
m.isin(x, n)
m.isin(n, x)
m.searchsorted(x, n)
m.bucketize(n, x)
m.result_type(x, n)
m.eye(2, dtype=d) * n
m.nn.functional.dropout(x * 0, n)
m.nn.functional.alpha_dropout(x * 0, n)
m.bernoulli(x * 0, n)
x.clone().bernoulli_(n) * 0
x.clone().uniform_(0, n) * 0
x.clone().normal_(n) * 0
x.clone().normal_(0, n) * 0
x.clone().exponential_(n) * 0
x.clone().cauchy_(n) * 0
x.clone().log_normal_(n) * 0
x.clone().random_(n) * 0
x.clone().random_(0, n) * 0
m.diff(x, n=1, prepend=x * n)
m.clamp(x, m.tensor(n))
m.where(k, x, m.tensor(n))
x.clone().fill_(m.tensor(n))
x.clone().masked_fill_(k, m.tensor(n))
put(x, 0, m.tensor(n))
m.maximum(x, m.tensor(n))
""".strip().splitlines()


def calls():
    """Every call, as text that uses m, x, y, n and the other names of `operands`."""
    yield from (f"m.{name}(x, n)" for name in BINARY)
    yield from (f"x.__r{name}__(n)" for name in REFLECTED)
    yield from (f"x.clone().{name}(n)" for name in INPLACE if name != "fill_diagonal_")
    yield "A3.clone().fill_diagonal_(n)"
    yield from OTHER


NUMBERS = [
    "3", "-1", "0", "True", "0.5", "300", "-129", "40000", "70000", "70000.0", "-70000.0", "65504.0", "65519.0", "65520.0",
    "1e39", "-1e39", "3.4028235e38", "3.4028235677973366e38", "3.4028236e38", "3.39e38", "3.3961775292304596e38",
    "1e300", "-1e300", "float('inf')", "-float('inf')", "float('nan')", "2**31", "-2**31 - 1", "2**32", "2**53 + 1",
    "2**63 - 1", "2**63", "2**64 - 1", "2**64", "-2**63", "-2**63 - 1", "10**20", "10**39", "10**400", "9.3e18", "1.9e19",
    "1e-50", "1j", "1e300j", "complex(1, 0)", "complex(1e39, 1)",
]  # fmt: skip

DTYPES = "uint8 int8 int16 int32 int64 bool float16 bfloat16 float32 float64 complex64 complex128".split()


def operands(m, dtype, n):
    """The names that a call uses."""
    d = getattr(m, dtype)

    def put(x, where, value):
        x = x.clone()
        x[where] = value
        return x

    return {
        "m": m,
        "d": d,
        "n": n,
        "x": m.tensor([1, 2, 3]).to(d),
        "y": m.tensor([1, 1, 2]).to(d),
        "A": m.tensor([[1, 2], [3, 1]]).to(d),
        "A3": m.tensor([[1, 2, 1], [3, 1, 1], [2, 1, 1]]).to(d),
        "k": m.tensor([True, False, True]),
        "i": m.tensor([0, 2]),
        "i3": m.tensor([0, 2, 1]),
        "put": put,
    }
