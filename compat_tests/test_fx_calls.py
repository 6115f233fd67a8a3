"""What a call with proxies is told to be: functions, arguments by position and by keyword, as torch hands them on."""

import inspect

import pytest
from both import BOTH, attempt, both
from gaps import expect

PLACES = {"nn.functional": "F", "torch": "", "linalg": "linalg", "special": "special"}
PYTHON = ("torch.nn.functional", "torch.functional", "torch._jit_internal", "torch._tensor", "torch.linalg", None)
IN_C = ("torch._C._nn", "torch._C._linalg", "torch._C._special")


def _place(m, place):
    for part in place.split(".") if place != "torch" else ():
        m = getattr(m, part)
    return m


def _functions():
    torch, lucid = BOTH
    for place in PLACES:
        for name in sorted(dir(_place(torch, place))):
            f = getattr(_place(torch, place), name)
            home = getattr(f, "__module__", "")
            if (
                name.startswith("_")
                or not callable(f)
                or isinstance(f, type)
                or not hasattr(_place(lucid, place), name)
            ):
                continue
            if home in PYTHON or place != "torch" and home in (*IN_C, "torch"):
                yield f"{place}.{name}"


def _calls(f):
    """Ways to call a function: f(x), with more, with each option by keyword and by position."""
    yield from [lambda g, x, n=n: g(*[x] * n) for n in range(1, 5)]
    yield from (lambda g, x: g(x, 2), lambda g, x: g(x, 2, 3), lambda g, x: g(x, (1, 2)), lambda g, x: g([x, x]))
    yield from (lambda g, x: g((x,)), lambda g, x: g(x, dim=1), lambda g, x: g(x, x, dim=1), lambda g, x: g(x, x, 2))
    signature = attempt(inspect.signature, f)
    if isinstance(signature, Exception):
        return
    options = [p for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    least = sum(p.default is p.empty for p in options)
    yield lambda g, x: g(*[x] * least)
    for i, p in enumerate(options[least:]):
        yield lambda g, x, p=p: g(*[x] * least, **{p.name: x if p.default is None else p.default})
        given = [q.default for q in options[least : least + i + 1]]
        yield lambda g, x, given=given: g(*[x] * least, *given)
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY:
            yield lambda g, x, p=p: g(*[x] * least, **{p.name: p.default})


def _traced(m, run):
    """The nodes that run(x) makes of a proxy x; the class of its error, or of a result that is no proxy."""
    tracer, graph = m.fx.Tracer(), m.fx.Graph()
    tracer.graph, tracer.root, tracer.tensor_attrs = graph, m.nn.Module(), {}
    result = attempt(run, m.fx.Proxy(graph.placeholder("x"), tracer))
    if not isinstance(result, m.fx.Proxy):
        return type(result).__name__
    return [str(n.format_node()) for n in graph.nodes if n.op == "call_function" or n.op == "call_method"]


def _all(m, name):
    place, _, own = name.rpartition(".")
    f = getattr(_place(m, place), own)
    calls = [*_calls(getattr(_place(BOTH[0], place), own))]
    return {i: _traced(m, lambda x, call=call: call(f, x)) for i, call in enumerate(calls)}


FUNCTIONS = list(_functions())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name):
    def run():
        wanted, got = both(_all, name, quiet=True)
        assert got == wanted, [(i, got[i], wanted[i]) for i in wanted if got[i] != wanted[i]]

    expect("fx_call", name, run)


# a proxy as an option, as a size, in a list (not as a type: torch reads another object's memory for one there)
CALLS = """
torch.zeros(x)
torch.zeros((x,2))
torch.zeros([2,x])
torch.zeros(2,x)
torch.arange(0,x)
torch.arange(0,5,device=x)
torch.zeros(2,dtype=x)
torch.full((2,),x)
torch.full((x,),2)
torch.full((2,x),2)
torch.linspace(0,1,x)
torch.randn(x)
torch.randn((1,x))
torch.randint(0,x,(2,))
torch.eye(x)
torch.empty_like(x)
torch.tensor(x)
torch.ones(2).sum(x)
torch.ones(2).expand(x,2)
torch.ones(2).new_zeros(x)
torch.sum(x,dim=(0,x))
torch.reshape(x,(x,1))
torch.reshape(torch.ones(2),(x,1))
torch.reshape(torch.ones(2),x)
torch.ones(2).reshape((1,x))
torch.ones(2)[x]
torch.ones(2).to(x)
torch.ones(2).to(dtype=x)
torch.cat([torch.ones(2),x])
torch.stack((x,))
torch.cat(x)
torch.roll(torch.ones(2),x)
torch.topk(torch.ones(2),x)
torch.transpose(torch.ones(2),0,x)
torch.ones(2).size(x)
torch.ones(2).repeat(x,1)
torch.ones(2).repeat(1,x)
torch.ones(2).type(x)
torch.ones(2).permute(x)
torch.manual_seed(x)
torch.tril_indices(x,2)
torch.logspace(0,1,steps=x)
torch.as_strided(torch.ones(2),(x,),(1,))
torch.clamp(torch.ones(2),x)
torch.clamp(torch.ones(2),max=x)
torch.add(1,x)
torch.where(x,1,2)
torch.ones(2)**x
torch.ones(2)+x
torch.ones(2)<x
2*torch.ones(2)@x
torch.ones(2).add_(x)
torch.ones(2).scatter(0,x,x)
torch.ones(2).masked_fill(x,1)
torch.split(torch.ones(2),x)
torch.chunk(torch.ones(2),x)
torch.squeeze(torch.ones(2),x)
torch.unsqueeze(torch.ones(2),dim=x)
torch.einsum('i->i',x)
torch.norm(torch.ones(2),x)
torch.result_type(x,1)
torch.rand(x,2)
torch.rand(2,x)
torch.empty(x,x)
torch.tensor([1.,x])
torch.from_numpy(x)
torch.complex(x,x)
torch.unbind(x)
torch.vstack((x,))
torch.vstack([x,x])
torch.hstack([x])
torch.dstack([x])
torch.column_stack([x])
torch.concat([x,x])
torch.concatenate((x,x),dim=0)
torch.row_stack([x])
torch.block_diag(x)
torch.chain_matmul(x,x)
torch.linalg.multi_dot([x,x])
torch.atleast_2d(x,x)
torch.atleast_2d([x,x])
torch.broadcast_tensors(x,torch.ones(2))
torch.broadcast_to(torch.ones(1),x)
torch.index_put(torch.ones(2),(x,),torch.ones(1))
torch.ones(2)[x,0]
torch.ones(2).__setitem__(x,1)
torch.ones(2).index_put_((x,),x)
torch.Tensor(x)
torch.Tensor.add(torch.ones(2),x)
torch.Tensor.relu(x)
torch.device(x)
torch.permute(x,(1,0))
torch.permute(x,dims=[1,0])
torch.ones(2).sum(dim=[x])
torch.mean(x,[0])
torch.meshgrid(x,x)
torch.meshgrid([x,x],indexing='ij')
torch.ones(2).new_full((2,),x)
torch.ones(2).new_tensor(x)
torch.ones(x,2)
torch.zeros(size=x)
torch.zeros(size=(x,2))
torch.arange(start=0,end=x,step=1)
torch.range(0,x)
torch.full(x,0)
torch.full(size=x,fill_value=0)
torch.full_like(torch.ones(2),x)
torch.randperm(x)
torch.normal(0.,1.,x)
torch.normal(0.,1.,(x,))
torch.normal(x,1.)
torch.multinomial(torch.ones(2),x)
torch.bernoulli(torch.ones(2),p=x)
torch.scalar_tensor(x)
torch.empty_strided(x,(1,))
torch.polar(x,x)
torch.tril(torch.ones(2,2),x)
torch.tril(torch.ones(2,2),diagonal=x)
torch.vander(torch.ones(2),x)
torch.ones(2).unfold(0,x,1)
torch.ones(2).narrow(0,0,x)
torch.ones(2).select(0,x)
""".strip().split("\n")


@pytest.mark.parametrize("call", CALLS)
def test_options(call):
    def run():
        wanted, got = both(lambda m: _traced(m, lambda x: eval(call, {"torch": m, "x": x})), quiet=True)
        assert got == wanted

    expect("fx_option", call, run)
