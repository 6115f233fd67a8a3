"""__torch_function__: every public function is called with arguments that have it, by the signatures torch's testing
tables give, and what it tells them is compared with what torch tells.
"""

import inspect
import pickle

import pytest
import torch
import torch.overrides
from gaps import expect
from torch.testing._internal.generated.annotated_fn_args import annotated_args

import lucid
from lucid._backend.registry import NAMESPACES


def named(f):
    """The full name under which a library's user knows f."""
    return torch.overrides.resolve_name(f)


def places():
    """(name, torch's function, ours) for each overridable function of torch's that lucid has."""
    roots = {"torch.Tensor.": ("Tensor",), "torch.nn.functional.": ("nn", "functional"), "torch.linalg.": ("linalg",)}
    roots |= {"torch.special.": ("special",), "torch.nn.init.": ("nn", "init"), "torch.": ()}
    for f in torch.overrides.get_testing_overrides():
        name = named(f)
        if name is None or name.endswith((".__set__", ".__delete__")):
            continue
        root = next(r for r in roots if name.startswith(r))
        ours = lucid
        for part in (*roots[root], *name.removeprefix(root).split(".")):
            ours = getattr(ours, part, None)
        if ours is not None and "_" != name.rpartition(".")[2][0]:
            yield name, f, ours


CASES = {name: (f, ours) for name, f, ours in places()}


class Told:
    """Remembers what it is told, under the name that the function has there."""

    def __init__(self, api):
        class Like:
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return "told", getattr(func, "__name__", ""), sorted(t.__name__ for t in types)

        class Sub(api.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return "told", getattr(func, "__name__", ""), sorted(t.__name__ for t in types)

        self.like, self.sub = Like, lambda: api.ones(2).as_subclass(Sub)


LUCID, TORCH = Told(lucid), Told(torch)


def arguments(f, override, told, is_method):
    """Arguments that have __torch_function__ wherever a tensor is wanted, by torch's table of types or its override."""
    instance = told.sub if is_method else told.like
    if f in annotated_args:
        made = []
        for a in annotated_args[f]:
            kind = a["simple_type"].removesuffix("?")
            if kind == "Tensor":
                made.append(instance())
            elif kind in ("TensorList", "ITensorListRef"):
                made.append([instance(), instance()])
            elif kind in ("c10::List<std::optional<Tensor>>", "const c10::List<::std::optional<Tensor>> &"):
                made.append([instance(), instance()])
            elif kind in ("IntArrayRef", "SymIntArrayRef"):
                made.append([0] * int(a.get("size", 1)))
            elif kind in ("int64_t", "SymInt"):
                made.append(0)
            elif kind == "bool":
                made.append(False)
            elif kind in ("double", "Scalar"):
                made.append(3.5)
            elif kind == "ScalarType":
                made.append(None)
            elif kind in ("c10::string_view", "std::string_view", "c10::basic_string_view<char>"):
                made.append("")
            else:
                made.append(instance())
        return [instance(), *made] if is_method and not any(a["name"] == "self" for a in annotated_args[f]) else made
    spec = inspect.getfullargspec(override)
    count = len(spec.args) - len(spec.defaults or ())
    made = [instance() for _ in spec.args[:count]]
    return made + ([instance(), instance()] if spec.varargs else [])


def outcome(function, f, override, told, is_method):
    try:
        return function(*arguments(f, override, told, is_method))
    except Exception as e:
        return type(e).__name__, str(e)[:100]


@pytest.mark.parametrize("name", sorted(CASES))
def test_function_asks(name):
    f, ours = CASES[name]
    override = torch.overrides.get_testing_overrides()[f]
    is_method = torch.overrides.is_tensor_method_or_property(f)
    want = outcome(f, f, override, TORCH, is_method)
    if want[0] != "told":
        pytest.skip("torch's table does not say how to call it")

    def compare():
        assert outcome(ours, f, override, LUCID, is_method) == want

    expect("overrides", name, compare)


# ---- the tables


def listed(api, place):
    """The names of what a library's overridable functions are, in one of its modules."""
    return {f.__name__ for f in api.overrides.get_overridable_functions()[place(api)]}


@pytest.mark.parametrize("place", ["torch", "nn.functional", "linalg", "special", "Tensor"])
def test_overridable_functions(place):
    def module(api):
        for part in place.split(".") if place != "torch" else ():
            api = getattr(api, part)
        return api

    if place == "torch":
        want = listed(torch, module) | listed(torch, lambda api: api.functional)
    else:
        want = listed(torch, module)
    ours = listed(lucid, module)
    ours |= {"autocast", "ndimension", "nelement", "__div__", "__idiv__"}  # a class; under other names
    missing = {
        n
        for n in want - ours
        if not n.startswith("_") or n.startswith("__")
        if hasattr(module(lucid), n.removeprefix(place + "_"))
    }
    assert not sorted(missing) and not sorted(n for n in ours - want if hasattr(module(torch), n))


def test_testing_overrides_call():
    table = lucid.overrides.get_testing_overrides()
    assert len(table) > 1000 and table[lucid.add](1, 2) == -1
    spec = inspect.getfullargspec(table[lucid.nn.functional.cross_entropy])
    assert spec == inspect.getfullargspec(
        torch.overrides.get_testing_overrides()[torch.nn.functional.cross_entropy]
    )._replace(args=spec.args, defaults=spec.defaults)


def test_every_listed_function_has_a_name():
    for functions in lucid.overrides.get_overridable_functions().values():
        for f in functions:
            assert lucid.overrides.resolve_name(f), f
    for f in (
        lambda m: m.add,
        lambda m: m.Tensor.add,
        lambda m: m.Tensor.shape.__get__,
        lambda m: m.nn.functional.relu,
    ):
        assert lucid.overrides.resolve_name(f(lucid)) == torch.overrides.resolve_name(f(torch))


# ---- functions as class attributes


def functions_of(api, place):
    for part in place.split(".") if place else ():
        api = getattr(api, part)
    return {name: f for name in dir(api) if callable(f := getattr(api, name)) and not isinstance(f, type)}


@pytest.mark.parametrize("place", ["", "nn.functional", "linalg", "special"])
def test_what_binds_as_a_method(place):
    ours, theirs = functions_of(lucid, place), functions_of(torch, place)
    differ = []
    for name in NAMESPACES[place or "torch"]:
        name = name.removeprefix("linalg_") if place == "linalg" else name
        if name in ours and name in theirs and not name.startswith("_"):
            bound = [getattr(type("A", (), {"f": f})(), "f") is not f for f in (ours[name], theirs[name])]
            if bound[0] != bound[1]:
                differ.append(name)
    assert not differ


def test_functions_and_methods_are_different_objects():
    for name in ("relu", "add", "sum", "reshape", "softmax"):
        assert getattr(lucid, name) is not getattr(lucid.Tensor, name)
        assert getattr(lucid, name) is getattr(lucid, name)


def test_functions_are_pickled_by_name():
    for functions in lucid.overrides.get_overridable_functions().values():
        for f in functions:
            if getattr(f, "__name__", "") != "__get__":
                assert pickle.loads(pickle.dumps(f)) is f


# ---- what modes and subclasses see


def program(m, x, w):
    """A few lines as programs have them; yields nothing, but calls what handlers see."""
    F = m.nn.functional
    y = F.relu(x @ w + 1, inplace=False)
    y = m.sum(y, 0).reshape(-1, 1).to(m.float64) * 2 - 1
    y = F.cross_entropy(y.t().float(), m.zeros(1, dtype=m.int64))
    m.cat([x, x]).mean(dim=1)
    m.max(x, 0), x.max(), m.add(x, 1), x.add_(0), x.shape, x.dtype, x.size(0), x.is_floating_point()
    m.stack([x, x]), m.einsum("ij,jk->ik", x, w), F.linear(x, w), F.softmax(x, dim=1), x[0], x.T, 1 - x, 2 / (x + 3)
    (
        F.layer_norm(x, (2,)),
        F.dropout(x, 0.5, False),
        x.detach().clone(),
        x.new_zeros(2),
        m.zeros_like(x),
        m.linalg.norm(x),
    )
    x.tolist(), x.numel(), x.unsqueeze(0).squeeze(), x == x, ~(x > 0), x // 2, x.float(), y.item()
    return len(x)


def seen_by_a_mode(m):
    seen = []

    class Mode(m.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append((func.__name__, len(args) + len(kwargs or {})))
            return func(*args, **(kwargs or {}))

    x, w = m.ones(2, 2), m.ones(2, 2)
    with Mode():
        program(m, x, w)
    program(m, x, w)
    return seen


def seen_by_a_subclass(m):
    seen = []

    class Sub(m.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append((func.__name__, tuple(t.__name__ for t in types)))
            return super().__torch_function__(func, types, args, kwargs)

    program(m, m.ones(2, 2).as_subclass(Sub), m.ones(2, 2))
    return seen


@pytest.mark.parametrize("seen", [seen_by_a_mode, seen_by_a_subclass], ids=lambda f: f.__name__)
def test_a_program_is_seen(seen):
    assert [name for name, _ in seen(lucid)] == [name for name, _ in seen(torch)]


def test_an_index_is_told_as_it_was_written():
    """Of code without a file, too, when methods have got their asking form."""

    def program(m):
        told = []

        class Sub(m.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                told.append((func.__name__, len(args), [type(a).__name__ for a in args[1:]]))
                return super().__torch_function__(func, types, args, kwargs)

        x = m.ones(2, 2).as_subclass(Sub)
        eval("x[0, 1]", {"x": x})
        eval("m.ones(2, 2)[i, 0]", {"m": m, "i": m.tensor(1).as_subclass(Sub)})
        return told

    assert program(lucid) == program(torch)


OPERATORS = """a @ a | a += 1 | a -= 1 | a *= 2 | a /= 2 | a **= 2 | a //= 2 | a %= 3 | a + a | a - a | a * a | a / a | a // a
    a % 2 | a ** 2 | 2 ** a | 2 - a | 2 // a | 3 % a | a == 1 | a != 1 | a < 1 | a <= 1 | a > 1 | a >= 1 | -a | abs(a)
    b & b | b | ~b | b ^ b | i << 1 | i >> 1 | a.add_(a) | a.sub_(a) | a.div_(a) | a.mul_(a) | a[0] | reversed(a) | len(a)
    a.T | a.shape | a.stride() | a.new_zeros(2) | m.ones(2) | m.rand(2) | m.fft.fft(a) | m.einsum("ij,jk", a, a) | m.norm(a)
    m.split(a, 1) | m.nn.functional.relu(a) | m.linalg.norm(a) | m.special.expit(a)"""
LINES = [part.strip() for line in OPERATORS.splitlines() for part in line.split(" | ")]


@pytest.mark.parametrize("line", LINES)
def test_the_function_told_is_torchs(line):
    """By identity: a program looks it up among the functions that it knows."""

    def told(m):
        seen = []

        class Mode(m.overrides.TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                seen.append(m.overrides.resolve_name(func))
                return func(*args, **(kwargs or {}))

        class Sub(m.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                seen.append(m.overrides.resolve_name(func))
                return super().__torch_function__(func, types, args, kwargs)

        plain = {"a": m.ones(2, 2), "b": m.ones(2) > 0, "i": m.ones(2).int()}
        with Mode():
            exec(line, {**plain, "m": m})
        plain = {"a": m.ones(2, 2), "b": m.ones(2) > 0, "i": m.ones(2).int()}  # the line may have written
        seen.append("a subclass")
        exec(line, {**{name: t.as_subclass(Sub) for name, t in plain.items()}, "m": m})
        return seen

    assert told(lucid) == told(torch)
