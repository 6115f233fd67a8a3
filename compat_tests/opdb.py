"""torch's own sample inputs (op_db), carried over to lucid on any device: for the tests of the meta and mlx devices."""

import dataclasses
import functools
import random
import types

import numpy as np
import torch
from torch.testing._internal.common_methods_invocations import op_db

import lucid

SEED = 1234
NAMESPACES = ("", "nn.functional", "special", "linalg", "fft", "masked", "Tensor")


def owner_of(module, path):
    for part in filter(None, path.split(".")):
        module = getattr(module, part, None)
    return module


@functools.cache
def names():
    """id of a function of torch's -> its dotted name."""
    found = {}
    for home in NAMESPACES:
        owner = owner_of(torch, home)
        for name in dir(owner):
            f = getattr(owner, name, None)
            if callable(f):
                found.setdefault(id(f), (f"{home}.{name}" if home else name, f))
    return {key: name for key, (name, _) in found.items()}


def counterpart(op):
    """lucid's function for an OpInfo's, or None where lucid has none or torch's is a test helper."""
    name = names().get(id(op.op))
    try:
        return owner_of(lucid, name) if name else None
    except ImportError:
        return None


def delivered():
    """OpInfos of float32 ops that lucid has."""
    return [op for op in op_db if torch.float32 in op.dtypes and counterpart(op) is not None]


class Unsupported(Exception):
    """A sample that is not made of strided tensors and plain values."""


def carried(value, device, memo):
    """A sample's value for lucid; tensors keep their strides, and views of one storage are copied apart."""
    if isinstance(value, torch.Tensor):
        if id(value) not in memo:
            memo[id(value)] = (value, tensor(value, device))
        return memo[id(value)][1]
    if isinstance(value, (torch.dtype, torch.memory_format)):
        return getattr(lucid, str(value).split(".")[-1])
    if isinstance(value, torch.Size):
        return lucid.Size(value)
    if isinstance(value, torch.device):
        return lucid.device(str(value))
    if isinstance(value, slice):
        return slice(*(carried(v, device, memo) for v in (value.start, value.stop, value.step)))
    if isinstance(value, (list, tuple)):
        return type(value)([carried(v, device, memo) for v in value])
    if isinstance(value, dict):
        return {k: device if k == "device" else carried(v, device, memo) for k, v in value.items()}
    if isinstance(value, torch.nn.Module) and not list(value.parameters()):
        return getattr(lucid.nn, type(value).__name__)()
    if isinstance(value, torch.nn.LinearCrossEntropyOptions):
        given = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return lucid.nn.LinearCrossEntropyOptions(**carried(given, device, memo))
    if isinstance(value, (torch.layout, torch.Generator, types.FunctionType)) or type(value).__module__.startswith(
        "torch"
    ):
        raise Unsupported(type(value).__name__)
    return value


def tensor(t, device):
    """A torch tensor as lucid's on `device`: values (but for meta), type, strides, requires_grad."""
    if t.layout != torch.strided or t.is_quantized or t.is_nested or t.is_conj() or t.is_neg():
        raise Unsupported(str(t.layout))
    kind = getattr(lucid, str(t.dtype).split(".")[-1], None)
    if kind is None:
        raise Unsupported(str(t.dtype))
    if t.dtype == torch.complex32 and device != "meta":
        pairs = torch.view_as_real(t.detach().contiguous()).numpy().copy()
        made = lucid.empty_strided(tuple(t.shape), t.stride(), dtype=kind, device=device)
        made.copy_(lucid.view_as_complex(lucid.from_numpy(pairs)))
        return made.requires_grad_() if t.requires_grad else made
    made = lucid.empty_strided(tuple(t.shape), t.stride(), dtype=kind, device=device)
    if device != "meta" and t.numel():
        plain = t.detach().float() if t.dtype == torch.bfloat16 else t.detach()
        if any(s == 0 and n > 1 for s, n in zip(t.stride(), t.shape)):
            made = lucid.from_numpy(plain.contiguous().numpy().copy()).to(kind).to(device).expand(t.shape)
        else:
            made.copy_(lucid.from_numpy(plain.contiguous().numpy().copy()))
    return made.requires_grad_() if t.requires_grad else made


def moved(value, device):
    """A sample's value with its tensors on another device of torch's."""
    if isinstance(value, torch.Tensor):
        return value.detach().to(device).requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)([moved(v, device) for v in value])
    return (
        {k: device if k == "device" else moved(v, device) for k, v in value.items()}
        if isinstance(value, dict)
        else value
    )


def leaves(tree, kind):
    """The tensors of nested containers, in order."""
    if isinstance(tree, kind):
        return [tree]
    if isinstance(tree, dict):
        return [leaf for v in tree.values() for leaf in leaves(v, kind)]
    return [leaf for v in tree for leaf in leaves(v, kind)] if isinstance(tree, (list, tuple)) else []


def seeded(examples):
    """What an OpInfo's function gives, each made from the same seed.

    OpInfo.sample_inputs does so too, and looks through the whole stack of callers twice, which takes most of a test's
    time.
    """
    examples = iter(examples)
    while True:
        random.seed(SEED)
        np.random.seed(SEED)
        torch.default_generator.manual_seed(SEED)
        try:
            example = next(examples)
        except StopIteration:
            return
        yield example


def sample_inputs(op, dtype=torch.float32, requires_grad=False):
    """OpInfo.sample_inputs on the CPU."""
    return seeded(op.sample_inputs_func(op, "cpu", dtype, requires_grad))


def error_inputs(op):
    """OpInfo.error_inputs on the CPU."""
    return seeded(op.error_inputs_func(op, "cpu"))


def samples(op, limit, dtype=torch.float32, largest=20_000):
    """At most `limit` of an op's sample inputs, spread evenly, as (input, args, kwargs); large ones are left out."""
    found = []
    wanted = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")
    for s in sample_inputs(op, dtype, wanted):
        whole = (s.input, tuple(s.args), dict(s.kwargs))
        if sum(t.numel() for t in leaves(whole, torch.Tensor)) <= largest:
            found.append(whole)
        if len(found) >= 200:
            break
    step = max(1, -(-len(found) // limit))
    return found[::step]
