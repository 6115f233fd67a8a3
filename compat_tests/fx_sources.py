"""Programs to be traced by torch.fx, each a module: a comment that names it, then lines that define `root`."""

SOURCES = """
# wrapped functions
@fx.wrap
def mine(x, n=2): return [v for v in x]
fx.wrap("len"); fx.wrap("sqrt"); fx.wrap("isinstance")
from math import sqrt
def root(x): return mine(x, n=3), len(x), sqrt(x), isinstance(x, Tensor), mine(3) if False else 1

# a wrapped function twice, and constants only
@fx.wrap
def mine(x): return x + 1
def root(x): return mine(mine(x)) + mine(1)

# math is wrapped by itself
from math import floor, ceil
def root(x): return floor(x), math.exp(x), ceil(x.shape[0])

# wrap in a function
def root(x): fx.wrap("len"); return x

# wrap of a number
fx.wrap(3)
root = None

# named tuples
Pair = namedtuple("Pair", "first second")
class Typed(NamedTuple):
    a: Tensor
    b: int = 2
def root(x): return Pair(x, 1), Typed(x), Pair(1, 2)

# dataclasses
@dataclasses.dataclass
class D:
    a: Tensor
    b: int = 2
def root(x): return D(x)

# enums
class Color(enum.Enum):
    RED = 1
@fx.wrap
def mine(x, c): return x
def root(x): return mine(x, Color.RED), Color.RED

# a class of proxies
class Pair(metaclass=fx.ProxyableClassMeta):
    def __init__(self, left, right): self.left, self.right = left, right
    def add(self, other): return Pair(self.left + other.left, self.right + other.right)
def root(x, y):
    p = Pair(x, y)
    return p.add(Pair(y, x)).left

# decorated, with annotations
def root(x: Tensor, *, scale: float = 1.0) -> Tuple[Tensor, float]: return x * scale, scale

# annotated outputs
def root(x) -> Optional[Dict[str, List[Tensor]]]: return {"a": [x]}

# closures
w = torch.arange(3.0)
def make(k):
    def inner(x): return x * k + w + w
    return inner
root = make(2)

# a lambda
root = lambda x, y=2: x + y

# a callable object
class C:
    def __call__(self, x): return x + 1
root = C()

# a bound method
class C:
    def method(self, x): return x + 1
root = C().method

# a builtin
root = torch.relu

# partial
root = functools.partial(lambda x, y: x + y, y=2)

# functools.wraps
def deco(f):
    @functools.wraps(f)
    def inner(*args, **kwargs): return f(*args, **kwargs) * 2
    return inner
@deco
def root(x, y): return x + y

# no_grad decorator
@torch.no_grad()
def root(x): return x + 1

# no_grad within
def root(x):
    with torch.no_grad(): y = x + 1
    return y * 2

# try and except
def root(x):
    try: return len(x)
    except RuntimeError: return x + 1

# while
def root(x):
    while x.sum() > 0: x = x - 1
    return x

# for over a range
def root(x):
    for i in range(3): x = x + i
    return x

# for over a shape
def root(x):
    for i in range(x.shape[0]): x = x + i
    return x

# assert
def root(x):
    assert x.shape[0] == 2, "two"
    return x

# shape comparison
def root(x):
    if x.dim() == 2: return x
    return x + 1

# match
def root(x):
    match 1:
        case 1: return x + 1

# generators
def root(x):
    yield x

# a set of outputs
def root(x): return {"b": x, "a": (x, x), "c": []}

# concrete
def root(x, y=1, *, z=2): return x * y * z
how = dict(concrete_args={"y": 2, "z": 4})

# concrete tree
def root(x, y): return x["a"] * y[0] + y[1], {"r": x["b"]}
how = dict(concrete_args={"x": {"a": PH, "b": PH}, "y": (PH, 3)})

# concrete positional
def root(x, y, z): return x + y * z
how = dict(concrete_args=(PH, 2, PH))

# concrete, wrong number
def root(x, y): return x + y
how = dict(concrete_args=(PH,))

# concrete of a name that there is not
def root(x, y): return x + y
how = dict(concrete_args={"z": 1})

# concrete with stars
def root(*args): return args[0] + args[1]
how = dict(concrete_args=(PH, PH))

# concrete string, list, tensor
def root(x, s, l, t=None): return x + l[0]
how = dict(concrete_args={"s": "s", "l": [1, 2], "t": None})

# concrete namedtuple
P = namedtuple("P", "a b")
def root(p, x): return p.a + p.b * x
how = dict(concrete_args={"p": P(PH, PH)})

# a module without parameters
class root(nn.Module):
    def forward(self, x): return x
root = root()

# a module with stars
class M(nn.Module):
    def forward(self, x, *args, k=1, **kw): return x + args[0] + kw["a"] + k
root = M()

# forward without arguments
class M(nn.Module):
    def __init__(self): super().__init__(); self.w = nn.Parameter(torch.ones(2))
    def forward(self): return self.w * 2
root = M()

# forward of stars only
class M(nn.Module):
    def forward(*args): return args[1]
root = M()

# parameters, buffers and plain attributes
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2)); self.register_buffer("b", torch.zeros(2)); self.t = torch.ones(2)
        self.n, self.none, self.s = 3, None, "s"
        self.register_parameter("bias", None); self.list = [torch.ones(1)]
    def forward(self, x):
        y = x * self.w + self.b + self.t + self.n + self.list[0]
        if self.bias is not None: y = y + self.bias
        self.b.add_(1); self.last = y
        return y, self.w, self.w.shape, self.b.shape[0], self.w[0], self.training
root = M()

# assigning to a buffer
class M(nn.Module):
    def __init__(self): super().__init__(); self.register_buffer("b", torch.zeros(2))
    def forward(self, x): self.b += x; return self.b
root = M()

# nested containers
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(2, 2), nn.ReLU()), nn.Linear(2, 2)])
        self.d = nn.ModuleDict({"a-b": nn.Tanh(), "c": nn.Sequential(nn.Sigmoid())})
        self.ps = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in range(2)])
        self.pd = nn.ParameterDict({"k": nn.Parameter(torch.ones(1))})
    def forward(self, x):
        for i, l in enumerate(self.layers): x = l(x) * self.ps[i]
        for k, m in self.d.items(): x = m(x)
        return x * self.pd["k"] + len(self.layers)
root = M()

# conv net
root = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(True), nn.MaxPool2d(2), nn.Dropout(), nn.Flatten(), nn.Linear(8, 2), nn.LogSoftmax(1))

# residual
class Block(nn.Module):
    def __init__(self, c): super().__init__(); self.c1 = nn.Conv2d(c, c, 3, padding=1); self.bn = nn.BatchNorm2d(c); self.down = None
    def forward(self, x):
        out = F.relu(self.bn(self.c1(x)), inplace=True)
        if self.down is not None: x = self.down(x)
        out += x
        return out
root = nn.Sequential(collections.OrderedDict(b1=Block(2), b2=Block(2)))

# recurrent layers
class M(nn.Module):
    def __init__(self): super().__init__(); self.l = nn.LSTM(2, 3, batch_first=True); self.g = nn.GRUCell(3, 3)
    def forward(self, x, h=None):
        out, (h, c) = self.l(x, h)
        return self.g(out[:, -1]), h[-1], c
root = M()

# attention
class M(nn.Module):
    def __init__(self): super().__init__(); self.a = nn.MultiheadAttention(4, 2); self.t = nn.TransformerEncoderLayer(4, 2)
    def forward(self, x, mask=None): return self.a(x, x, x, attn_mask=mask, need_weights=False)[0] + self.t(x)
root = M()

# a transformer block of one's own
class Attn(nn.Module):
    def __init__(self, d, h): super().__init__(); self.h = h; self.qkv = nn.Linear(d, 3 * d); self.o = nn.Linear(d, d)
    def forward(self, x):
        b, t, d = x.size()
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(b, t, self.h, d // self.h).transpose(1, 2); k = k.view(b, t, self.h, -1).transpose(1, 2)
        a = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(4))
        a = F.softmax(a.masked_fill(torch.tril(torch.ones(4, 4)) == 0, float("-inf")), dim=-1)
        return self.o(a.transpose(1, 2).contiguous().view(b, t, d))
class B(nn.Module):
    def __init__(self): super().__init__(); self.n = nn.LayerNorm(4); self.a = Attn(4, 2); self.m = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4))
    def forward(self, x): x = x + self.a(self.n(x)); return x + self.m(self.n(x))
root = B()

# one module twice under two names
class M(nn.Module):
    def __init__(self): super().__init__(); self.a = nn.Linear(2, 2); self.b = self.a; self.c = nn.ModuleList([self.a])
    def forward(self, x): return self.c[0](self.b(self.a(x)))
root = M()

# a module that is not a member
hidden = nn.Linear(2, 2)
class M(nn.Module):
    def forward(self, x): return hidden(x)
root = M()

# a parameter that is not a member
hidden = nn.Parameter(torch.ones(2))
class M(nn.Module):
    def forward(self, x): return hidden * x
root = M()

# a module as an argument and as a result
class M(nn.Module):
    def __init__(self): super().__init__(); self.l = nn.Linear(2, 2)
    def forward(self, x): return torch.foo(x) if False else x, self.l
root = M()

# calls of forward and of methods
class M(nn.Module):
    def __init__(self): super().__init__(); self.l = nn.Linear(2, 2)
    def helper(self, x, k): return x * k
    def forward(self, x): return self.helper(self.l.forward(x), k=2) + self.l.weight.sum() + self.l.bias
root = M()

# keyword calls of a submodule
class S(nn.Module):
    def forward(self, x, *, mask=None, flag=True): return x if mask is None else x * mask
class M(nn.Module):
    def __init__(self): super().__init__(); self.s = S(); self.l = nn.Bilinear(2, 2, 2)
    def forward(self, x): return self.l(input1=self.s(x, mask=x, flag=False), input2=self.s(x))
root = M()

# hooks
class M(nn.Module):
    def __init__(self):
        super().__init__(); self.l = nn.Linear(2, 2)
        self.register_forward_hook(lambda m, i, o: o * 2); self.l.register_forward_hook(lambda m, i, o: o + 1)
    def forward(self, x): return self.l(x)
root = nn.Sequential(M())

# training flags and scripting flags
class M(nn.Module):
    def forward(self, x):
        if self.training: x = F.dropout(x, 0.5, self.training)
        if not torch.jit.is_scripting(): x = x + 1
        return x
root = M().eval()

# a parametrized layer
root = nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(2, 2)))

# a recursive leaf
class T(fx.Tracer):
    def is_leaf_module(self, m, name): return name == "0" or super().is_leaf_module(m, name)
root, tracer = nn.Sequential(nn.Sequential(nn.ReLU()), nn.Sequential(nn.ReLU(), nn.Tanh())), T()

# no leaf at all
class T(fx.Tracer):
    def is_leaf_module(self, m, name): return False
root, tracer = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.BatchNorm1d(2).eval(), nn.LayerNorm(2), nn.Embedding(2, 2), nn.Conv2d(1, 1, 1), nn.MaxPool2d(2), nn.Flatten()), T()

# batch norm in training is not traceable through
class T(fx.Tracer):
    def is_leaf_module(self, m, name): return False
root, tracer = nn.Sequential(nn.BatchNorm1d(2)), T()

# autowrapped functions and modules
import types
helpers = types.ModuleType("helpers")
exec("def double(x):\\n    return [v for v in x]\\ndef _hidden(x): return x", helpers.__dict__)
def triple(x): return [v for v in x]
def root(x): return helpers.double(x) + triple(x)
tracer = fx.Tracer(autowrap_modules=(math, helpers), autowrap_functions=(triple,))

# constant shapes of parameters
class M(nn.Module):
    def __init__(self): super().__init__(); self.w = nn.Parameter(torch.ones(2, 3))
    def forward(self, x):
        if self.w.shape[0] == 2 and self.w.dim() == 2: x = x + self.w.size()[1]
        return x.view(*self.w.shape) + self.w.numel() + self.w.nelement() + self.w.ndim
root, tracer = M(), fx.Tracer(param_shapes_constant=True)

# buffers as proxies
class T(fx.Tracer):
    proxy_buffer_attributes = True
class M(nn.Module):
    def __init__(self): super().__init__(); self.register_buffer("b", torch.ones(2))
    def forward(self, x): return (x + self.b).view(self.b.shape)
root, tracer = M(), T()

# a tracer that decides by itself
class T(fx.Tracer):
    def to_bool(self, obj): return True
    def iter(self, obj): return iter([obj[0], obj[1]])
    def keys(self, obj): return ["a", "b"]
@fx.wrap
def mine(**kw): return kw
def root(x, d): return mine(**d), [v for v in x], x if x > 1 else None
tracer = T()

# a tracer that gives arguments of its own
class T(fx.Tracer):
    def create_arg(self, a):
        if isinstance(a, frozenset): return self.create_node("call_function", frozenset, (list(a),), {})
        return super().create_arg(a)
def root(x): return x, frozenset([1])
tracer = T()

# a tracer that calls modules by itself
class T(fx.Tracer):
    def call_module(self, m, forward, args, kwargs):
        out = super().call_module(m, forward, args, kwargs)
        return out if not isinstance(m, nn.ReLU) else self.create_proxy("call_function", torch.relu6 if False else F.relu6, (out,), {})
    def path_of_module(self, mod): return super().path_of_module(mod)
root, tracer = nn.Sequential(nn.ReLU(), nn.Tanh()), T()

# mutable operations are refused
class T(fx.Tracer):
    check_mutable_operations = True
def root(x): return torch.relu_(x)
tracer = T()

# another method than forward
class T(fx.Tracer):
    traced_func_name = "run"
class M(nn.Module):
    def run(self, x): return x + 1
root, tracer = M(), T()

# a method that there is not
class T(fx.Tracer):
    traced_func_name = "run"
root, tracer = nn.ReLU(), T()

# annotate
def root(x): return fx.annotate(x + 1, Tensor), fx.annotate(x, int)

# proxies of two tracers
a = fx.Proxy(fx.Graph().placeholder("a"))
def root(x): return x + a

# proxies of two tracers in a function
a = fx.Proxy(fx.Graph().placeholder("a"))
def root(x): return torch.add(x, a)

# traced again
root = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), fx.symbolic_trace(nn.Sequential(nn.ReLU()))))

# a graph module inside
class M(nn.Module):
    def __init__(self): super().__init__(); self.g = fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    def forward(self, x): return self.g(x)
root = M()

# a constant that is changed
def root(x):
    t = torch.zeros(2); t[0] = 1; t += 1
    return x + t

# constants from outside, twice the same and twice made
c = torch.ones(2)
def root(x): return x + c, x * c, x - torch.ones(2), x / torch.ones(2)

# a dict as an argument of a wrapped function
@fx.wrap
def mine(d): return d["a"]
def root(x): return mine({"a": x, "b": [x, (x, None)]}), mine({1: x})

# a proxy as a key
@fx.wrap
def mine(d): return d
def root(x): return mine({x: 1})

# long names and names of builtins
class M(nn.Module):
    def __init__(self): super().__init__(); self.if_ = nn.ReLU(); self.Conv2D_a = nn.ReLU(); self.print = nn.ReLU(); self.x = nn.ReLU()
    def forward(self, x): return self.x(self.print(self.Conv2D_a(self.if_(x))))
root = M()

# autograd functions
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g
def root(x): return Fn.apply(x)

# checkpoints
from torch.utils.checkpoint import checkpoint
def root(x): return checkpoint(torch.relu, x, use_reentrant=False)

# random and generators
def root(x): return torch.rand(2, generator=torch.Generator().manual_seed(0)) + x

# operators of two kinds of operands
def root(x, y): return operator.iadd(x, 1), operator.setitem(x, 0, y), operator.contains(x, 1) if False else 0, operator.not_(x), operator.truth(x) if False else 0

# operators as functions
def root(x): return operator.add(x, 1), operator.neg(x), operator.matmul(x, x), operator.itemgetter(0)(x), operator.attrgetter("a.b")(x), operator.methodcaller("relu", 1)(x)

# deep attributes
def root(x): return x.a.b.c(x.d, k=x.e.f)(x.g[0].h)

# many results of an op
def root(x):
    v, i = torch.max(x, 1)
    (q, r) = torch.linalg.qr(x)
    return v + i, q, r, torch.frexp(x).mantissa
"""
