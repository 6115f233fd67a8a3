"""Decompositions: torch's tables, graphs as torch's, and the same numbers, types and strides as the ops themselves."""

import functools
import re

import pytest
import torch
from decomposition_calls import CORE, OTHERS, function, lines
from decomposition_checks import RANDOM, Twice, table
from torch._decomp import core_aten_decompositions as torch_core
from torch._decomp import decomposition_table as torch_table
from torch.fx.experimental.proxy_tensor import make_fx as torch_make_fx

import lucid
from lucid._decomp import (
    _should_decompose_because_unsafe_op,
    core_aten_decompositions,
    decomposition_table,
    get_decompositions,
    register_decomposition,
    remove_decompositions,
)
from lucid.fx.experimental.proxy_tensor import make_fx

# Calls whose graph is not torch's, with the reason; their numbers are compared all the same.
OTHER_GRAPHS = {
    "_fused_rms_norm": "lucid takes the op apart before a mode sees it",
    "special_xlog1py.self_scalar": "prims.scalar_tensor, where lucid has aten's",
    "special_xlog1py.other_scalar": "prims.scalar_tensor, where lucid has aten's",
    "xlogy.Scalar_Self": "prims.scalar_tensor, where lucid has aten's",
    "xlogy.Scalar_Other": "prims.scalar_tensor, where lucid has aten's",
    "native_group_norm": "a view, where torch has as_strided",
    "mean.dim": "ATen's sum and quotient, where torch has prims",
    "multilabel_margin_loss_forward": "torch's counts labels behind the first -1 and so differs from its kernel",
}
# Ops of torch's core table that lucid's has not.
NOT_IN_CORE = {
    "aten.baddbmm.dtype": "products of halves in float32, of CUDA only",
    "aten.baddbmm.dtype_out": "the same",
    "aten.std.out": "the form without correction, which is a composite",
}
# Ops that lucid computes from the inputs, whatever the saved numbers among the arguments are; test_decomposition_samples
# has them with the numbers that a forward call saves.
FROM_INPUTS = {"native_batch_norm_backward", "batch_norm_backward", "nll_loss_backward", "nll_loss2d_backward"}


def overload(m, line):
    name, _, which = line.partition("(")[0].partition(".")
    return getattr(getattr(m.ops.aten, name), which or "default")


@functools.cache
def cores():
    return dict(torch_core()), dict(core_aten_decompositions())


def graph(m, line):
    theirs, mine = cores()
    f, args = function(m, line)
    op = overload(m, line)
    if m is torch:
        tables = {**theirs, **({op: torch_table[op]} if op in torch_table else {})}
        return torch_make_fx(f, decomposition_table=tables)(*args).code.strip()
    return make_fx(f, decomposition_table={**mine, **get_decompositions([op])})(*args).code.strip()


@pytest.mark.parametrize("part", range(8))
def test_graphs(part):
    """The text of the graph is torch's."""
    different = []
    for line in lines(CORE + OTHERS)[part::8]:
        mine = graph(lucid, line)
        if (mine != graph(torch, line)) != (line.partition("(")[0] in OTHER_GRAPHS):
            different.append((line, mine))
    assert not different, "\n".join(f"{line}\n{text}" for line, text in different)


def test_tables():
    """The core table has torch's ops."""
    theirs = {str(o) for o in cores()[0] if str(o).startswith("aten.")}
    mine = {str(o) for o in cores()[1]}
    assert theirs - mine == set(NOT_IN_CORE)
    known = {str(o) for o in torch_table}
    assert not [o for o in mine - theirs if o not in known and not re.search(r"out|grad_input|\.vec", o)]


def variants(line):
    """The call of other types: float32 as float64 and bfloat16."""
    for letter, positive in ("fp", "dq", "hr"):
        spelled = line.replace("float32", {"f": "float32", "d": "float64", "h": "bfloat16"}[letter])
        spelled = re.sub(r"(?<![a-z_0-9])f([0-9]*)(?![a-z0-9_.])", rf"{letter}\1", spelled)
        yield re.sub(r"(?<![a-z_0-9])p([0-9]*)(?![a-z0-9_.])", rf"{positive}\1", spelled)


def checked(m, *calls):
    """What Twice finds of calls."""
    with m:
        for f, args in calls:
            try:
                f(*args)
            except (RuntimeError, NotImplementedError, TypeError, ValueError, IndexError):
                continue  # the op itself refuses these types
    return m.found


@pytest.mark.parametrize("part", range(4))
def test_calls(part):
    """Results of the table's calls: of each type, in place, and with out=."""
    decompositions, found = table(), []
    for line in lines(CORE + OTHERS)[part::4]:
        if line.partition("(")[0] in FROM_INPUTS:
            continue
        for variant in dict.fromkeys(variants(line)):
            found += checked(Twice(decompositions, RANDOM), function(lucid, variant))
            f, args = function(lucid, variant)
            name = line.partition("(")[0]
            for form in forms(overload(lucid, line)):
                found += checked(Twice(decompositions, RANDOM), written(variant, name, form))
    # of halves torch's decomposition gives new statistics in float32, its op in halves
    named = "aten._native_batch_norm_legit_functional.default", "dtype: torch.float32, not torch.bfloat16"
    found = [f for f in found if f[:2] != named]
    assert not found, found[:5]


def forms(op):
    """In-place and out= forms of an op that have a decomposition."""
    arguments = [(a.name, str(a.type)) for a in op._schema.arguments]
    packets = [op.overloadpacket, getattr(lucid.ops.aten, op._opname + "_", None)]
    for packet in filter(None, packets):
        for which in packet.overloads():
            form = getattr(packet, which)
            plain = [(a.name, str(a.type)) for a in form._schema.arguments if not a.is_out]
            if form is not op and plain == arguments and form in decomposition_table:
                yield form


def written(line, name, form):
    """A call of a form of the op."""
    outs = [a.name for a in form._schema.arguments if a.is_out]
    f, args = function(lucid, line)
    with lucid.no_grad():
        try:
            found = f(*args)
        except Exception:
            return f, args
    found = [found] if isinstance(found, lucid.Tensor) else list(found)
    if None in [x if x is None else 0 for x in found]:
        return lambda: None, ()  # a result that is not there has no place
    _, args = function(lucid, line)
    more = "".join(f", {o}=out[{i}]" for i, o in enumerate(outs))
    tail = line.partition("(")[2]
    spelled = f"{form._opname}.{form._overloadname}({tail[:-1]}{more})"
    made, args = function(lucid, spelled, out=[lucid.empty_like(x) for x in found if x is not None] if outs else None)
    return made, args


def test_registering():
    """register_decomposition, get_decompositions and remove_decompositions."""
    own = {}
    aten = lucid.ops.aten

    @register_decomposition([aten.silu.default, aten.relu], registry=own)
    def halved(x):
        return x / 2

    assert own[aten.silu.default] is halved and own[aten.relu.default] is halved
    with pytest.raises(RuntimeError, match="duplicate registrations for aten.silu.default"):
        register_decomposition(aten.silu.default, registry=own)(halved)
    found = get_decompositions([aten.addcmul, aten.lerp.Scalar, aten.mm])
    assert {str(o) for o in found} == {
        "aten.addcmul.default", "aten.addcmul.out", "aten.lerp.Scalar",
    }  # fmt: skip
    remove_decompositions(found, [aten.addcmul])
    assert list(found) == [aten.lerp.Scalar]
    assert _should_decompose_because_unsafe_op(aten.native_batch_norm.default)
    assert not _should_decompose_because_unsafe_op(aten.add.Tensor)
    assert lucid._decomp.decompositions.silu(lucid.ones(1)).item() == pytest.approx(0.7310586)


NETWORKS = {
    "mlp": lambda m: (
        m.nn.Sequential(
            m.nn.Linear(4, 8), m.nn.GELU(), m.nn.LayerNorm(8), m.nn.Dropout(0.0), m.nn.Linear(8, 3), m.nn.Softplus()
        ),
        (2, 4),
    ),
    "convolutions": lambda m: (
        m.nn.Sequential(
            m.nn.Conv2d(2, 4, 3), m.nn.BatchNorm2d(4), m.nn.SiLU(), m.nn.Upsample(scale_factor=2), m.nn.MaxPool2d(2),
            m.nn.Hardswish(), m.nn.ReflectionPad2d(1), m.nn.GroupNorm(2, 4), m.nn.Flatten(), m.nn.LogSoftmax(-1),
        ),
        (2, 2, 6, 6),
    ),
    "transformer": lambda m: (
        m.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True),
        (2, 3, 8),
    ),
}  # fmt: skip
# Not core by their tag, and not in torch's core table either.
LEFT = {
    "aten.detach.default", "aten.alias.default", "aten.native_batch_norm.default",
    "aten.upsample_nearest2d_backward.default",
}  # fmt: skip


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name):
    """Of a network and its gradients, only ops of the core set are left."""
    net, shape = NETWORKS[name](lucid)
    x = lucid.randn(*shape)

    def step(x, *parameters):
        state = dict(zip([n for n, _ in net.named_parameters()], parameters))
        out = lucid.func.functional_call(net, state, (x,))
        return lucid.autograd.grad(out.square().sum(), parameters)

    parameters = [p.detach().requires_grad_() for p in net.parameters()]
    wants = step(x, *parameters)
    traced = make_fx(step, decomposition_table=core_aten_decompositions())(x, *parameters)
    ops = {n.target for n in traced.graph.nodes if n.op == "call_function" and hasattr(n.target, "_schema")}
    left = {str(o) for o in ops if lucid.Tag.core not in o.tags and not o._schema.is_mutable}
    assert left <= LEFT, left
    for mine, right in zip(traced(x, *parameters), wants):
        assert lucid.allclose(mine, right, rtol=1e-3, atol=2e-3)
