"""The face of torch: every form of a function that torch's tables know besides the function itself, and all names that
are no functions (numbers, types of elements, enumerations, modules)."""

import enum
import pathlib
import runpy
import types
import warnings

import opdb
import pytest
import torch
from both import as_torch
from gaps import expect
from test_op_db import BEYOND, call, has_values, near, results

import lucid

SUPPORTED = runpy.run_path(str(pathlib.Path(__file__).parent.parent / "scripts" / "supported.py"))


def forms():
    """{id: (OpInfo, torch's form, lucid's)}: methods, in-place methods, aliases and in-place functions of op_db's ops."""
    found = {}
    for op in opdb.delivered():
        variant = f"|{op.variant_test_name}" if op.variant_test_name else ""
        if op.name + variant in BEYOND:
            continue
        base = op.name.rpartition(".")[2]
        for name in (base, *(alias.name for alias in op.aliases)):
            for path in (f"Tensor.{name}", f"Tensor.{name}_", f"{name}_", name):
                if name != base or path != base:  # the function itself is test_op_db's
                    found.setdefault(f"{path}{variant}", (op, path))
    known = ((name, op, opdb.owner_of(torch, path), opdb.owner_of(lucid, path)) for name, (op, path) in found.items())
    return {
        name: (op, theirs, ours)
        for name, op, theirs, ours in known
        if theirs is not None and ours is not None and _is_form(op, name, theirs)
    }


def _is_form(op, name, theirs):
    """Is a function that has the name of an op's form a form of it?"""
    if name.startswith("Tensor."):
        wanted = [op.method_variant, op.inplace_variant]
        for alias in op.aliases:
            wanted += [alias.method_variant, alias.inplace_variant]
        return any(theirs is f for f in wanted)
    if any(theirs is alias.op for alias in op.aliases):
        return True
    method = getattr(torch.Tensor, name.partition("|")[0], None)
    return name.partition("|")[0].endswith("_") and any(
        method is f for f in (op.inplace_variant, *(alias.inplace_variant for alias in op.aliases))
    )


FORMS = forms()


def detached(tree):
    """Inputs for an in-place call: copies that are no leaves."""
    if isinstance(tree, (torch.Tensor, lucid.Tensor)):
        return tree.detach().clone()
    if isinstance(tree, (list, tuple)) and type(tree) in (list, tuple):
        return type(tree)(detached(t) for t in tree)
    return {k: detached(v) for k, v in tree.items()} if isinstance(tree, dict) else tree


@pytest.mark.parametrize("name", FORMS)
def test_form(name):
    op, theirs, ours = FORMS[name]

    def run():
        done = 0
        for n, sample in enumerate(opdb.samples(op, 4)):
            try:
                twin = detached(tuple(opdb.carried(sample, "cpu", {})))
                want = call(theirs, detached(tuple(sample)))
            except (opdb.Unsupported, Exception):
                continue  # torch itself refuses: a result that does not fit in place
            got = call(ours, twin)
            done += 1
            for i, (w, g) in enumerate(results(want, got)):
                near(g, w, f"sample {n}, result {i}", has_values(op))
        if not done:
            pytest.skip("no sample that torch runs and lucid can be given")

    expect("form", name, run)


# ---- names that are no functions


def public_things():
    """[(place, its path, name, torch's value)] of all public names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that torch deprecates
        for path in SUPPORTED["PLACES"]:
            if path == "cuda":  # which only answers that there is none
                continue
            place = SUPPORTED["place_of"](torch, path)
            for name in SUPPORTED["public_names"](place, "torch"):
                yield path, name, getattr(place, name)


def values():
    """{dotted name: torch's value} of public names that are neither functions, classes nor modules."""
    found = {}
    for path, name, value in public_things():
        plain = not callable(value) and not isinstance(value, (types.ModuleType, property))
        if plain and "descriptor" not in type(value).__name__ and " at 0x" not in repr(value):
            found[name if path == "torch" else f"{path}.{name}"] = value
    return found


VALUES = values()


@pytest.mark.parametrize("name", VALUES)
def test_value(name):
    def run():
        assert as_torch(repr(opdb.owner_of(lucid, name))) == repr(VALUES[name])

    expect("value", name, run)


def modules():
    """{dotted name: torch's module} of the public modules in the places of docs/supported.md."""
    found = {}
    for path, name, value in public_things():
        if isinstance(value, types.ModuleType) and value.__name__.startswith("torch.") and name != "cuda":
            found.setdefault(id(value), (name if path == "torch" else f"{path}.{name}", value))
    return dict(found.values())


MODULES = modules()


@pytest.mark.parametrize("name", MODULES)
def test_module_has_what_it_exports(name):
    """What torch's module names in __all__ (or defines, where it has none) is in lucid's, of the same kind."""

    def run():
        ours = SUPPORTED["place_of"](lucid, name)
        missing = []
        for public in exported(MODULES[name]):
            if not SUPPORTED["has"](ours, public):
                missing.append(public)
            elif isinstance(getattr(MODULES[name], public), type) and not isinstance(getattr(ours, public), type):
                missing.append(f"{public} is {getattr(ours, public)!r}")
        assert not missing, " ".join(missing)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expect("exports", name, run)


def exported(module):
    """The names that a module gives others: those of __all__, or functions and classes that are defined in it."""
    if isinstance(getattr(module, "__all__", None), (list, tuple)):
        return [name for name in module.__all__ if hasattr(module, name)]
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and callable(value) and getattr(value, "__module__", None) == module.__name__
    ]


def subscripted(place, name):
    """Does `class Own(place.name[int])` work?"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return getattr(place, name)[int] is not None
        except Exception:
            return False


@pytest.mark.parametrize("path", [p for p in SUPPORTED["PLACES"] if p not in ("cuda", "Tensor")])
def test_generic_classes(path):
    """Classes that take a type in brackets, as torch's do: `Dataset[int]`, `IterDataPipe[str]`."""
    theirs, ours = (SUPPORTED["place_of"](api, path) for api in (torch, lucid))
    names = [
        n for p, n, v in public_things() if p == path and isinstance(v, type) and isinstance(getattr(ours, n, 0), type)
    ]
    assert not [
        n
        for n in names
        if subscripted(theirs, n) and not SUPPORTED["refuses"](getattr(ours, n)) and not subscripted(ours, n)
    ]


ENUMERATIONS = """AggregationType Tag autograd.DeviceType autograd.ProfilerActivity autograd.ProfilerState
    profiler.ProfilerActivity nn.functional.ScalingType nn.functional.SwizzleType monitor.Aggregation
    _C._TorchFunctionState _C._autograd.CreationMeta _C._profiler.RecordScope _C._profiler.ActiveProfilerType
    _C._functorch.TransformType _C._functorch.RandomnessType""".split()


@pytest.mark.parametrize("name", ENUMERATIONS)
def test_enumeration(name):
    def shown(api):
        cls = SUPPORTED["place_of"](api, name)
        assert not issubclass(cls, enum.Enum)
        members = {n: [repr(m), str(m), m.name, int(m), hash(m), m == cls(int(m)), m == 1, getattr(cls, n) is m]
                   for n, m in cls.__members__.items()}  # fmt: skip
        return sorted(members.items()), repr(cls(int(m := next(iter(cls.__members__.values()))))), m in {m: 1}

    assert shown(lucid) == shown(torch)
