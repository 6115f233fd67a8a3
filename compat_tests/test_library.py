"""torch.library with schemas: overloads, dispatch keys, fakes, modes, opcheck."""

import aten_calls
import pytest
import torch
from both import same
from test_dispatch_modes import modes
from test_fake_tensors import fakes

import lucid
import lucid.library


def library(m, name):
    return m.library._scoped_library(name, "FRAGMENT")


def overloads(m):
    with library(m, "kept_a") as lib:
        lib.define("twice(Tensor x) -> Tensor")
        lib.define("twice.by(Tensor x, int n) -> Tensor")
        lib.impl("twice", lambda x: x * 2, "CompositeExplicitAutograd")
        lib.impl("twice.by", lambda x, n: x * 2 * n, "CompositeExplicitAutograd")
        op = m.ops.kept_a.twice
        return op(m.ones(2)), op(m.ones(2), 3), op.overloads(), str(op.by), str(op.by._schema), op.by.name(), repr(op)


def keys(m):
    with library(m, "kept_b") as lib:
        lib.define("f(Tensor x) -> Tensor")
        lib.define("g(Tensor x, *, float k=2.0) -> Tensor")
        lib.impl("f", lambda x: x + 1, "CPU")
        lib.impl("f", lambda x: m.empty_like(x), "Meta")
        lib.impl("g", lambda x, k=2.0: (x * k).sin(), "CompositeImplicitAutograd")
        x = m.ones(2, requires_grad=True)
        y = m.ops.kept_b.g(x, k=3.0)
        y.sum().backward()
        return (
            m.ops.kept_b.f(m.ones(2)),
            m.ops.kept_b.f(m.ones(2, device="meta")).shape,
            x.grad,
            type(y.grad_fn).__name__,
        )


def written(m):
    with library(m, "kept_c") as lib:
        lib.define("fill_(Tensor(a!) x, float v) -> ()")
        lib.impl("fill_", lambda x, v: (x.fill_(v), None)[1], "CPU")
        x = m.ones(2)
        m.ops.kept_c.fill_(x, 3.0)
        schema = m.ops.kept_c.fill_.default._schema
        return x, schema.is_mutable, str(schema), schema.arguments[0].alias_info.is_write, x._version


def seen(m):
    with library(m, "kept_d") as lib:
        lib.define("f(Tensor x) -> Tensor")
        lib.define("g(Tensor x) -> Tensor")
        lib.impl("f", lambda x: x + 1, "CPU")
        lib.impl("g", lambda x: x.exp().neg(), "CompositeImplicitAutograd")
        mode = aten_calls.recorder(modes(m).TorchDispatchMode)
        with mode:
            m.ops.kept_d.f(m.ops.kept_d.g(m.ones(2)))
        return mode.calls


def custom(m, name):
    @m.library.custom_op(f"kept_e::{name}", mutates_args=())
    def f(x: m.Tensor, k: float = 2.0) -> m.Tensor:
        return x * k

    return f


def faked(m):
    f = custom(m, "faked")
    f.register_fake(lambda x, k=2.0: m.empty_like(x))
    with fakes(m).FakeTensorMode():
        return repr(f(m.ones(2, 3)))


def without_fake(m):
    f = custom(m, "without_fake")
    try:
        with fakes(m).FakeTensorMode():
            f(m.ones(2))
    except Exception as trouble:
        return isinstance(trouble, RuntimeError)
    return False


def seen_by_rule(m):
    f, seen_args = custom(m, "by_rule"), []

    class Mode(modes(m).TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    @m.library.register_torch_dispatch("kept_e::by_rule", Mode)
    def rule(mode, func, types, args, kwargs):
        seen_args.append((type(mode).__name__, str(func)))
        return func(*args, **kwargs) + 1

    x = m.ones(2)
    with Mode():
        y = f(x)
    return y, f(x), seen_args


def checked(m):
    f = custom(m, "checked")
    f.register_fake(lambda x, k=2.0: m.empty_like(x))
    f.register_autograd(lambda ctx, g: (g * 2.0, None))
    return m.library.opcheck(f, (m.ones(2, requires_grad=True),), test_utils=("test_schema", "test_faketensor"))


def contexts(m):
    return m.library.get_ctx()


def inferred(m):
    def f(x: m.Tensor, y: m.Tensor | None, n: list[int], out: m.Tensor) -> tuple[m.Tensor, m.Tensor]:
        return x, x

    return m.library.infer_schema(f, mutates_args={"out"})


PROGRAMS = [overloads, keys, written, seen, faked, without_fake, seen_by_rule, checked, contexts, inferred]


@pytest.mark.parametrize("program", PROGRAMS)
def test_program(program):
    same(program, looks="")


def wrong_shape(m):
    f = custom(m, "wrong_shape")
    f.register_fake(lambda x, k=2.0: x.new_empty(3))
    return f, (m.ones(2),), "test_faketensor"


def unmarked_write(m):
    @m.library.custom_op("kept_e::unmarked", mutates_args=())
    def f(x: m.Tensor) -> m.Tensor:
        x.add_(1)
        return x.clone()

    return f, (m.ones(2),), "test_schema"


@pytest.mark.parametrize("made", [wrong_shape, unmarked_write])
def test_opcheck_finds(made):
    for m in (torch, lucid):
        f, args, which = made(m)
        with pytest.raises(Exception, match="opcheck"):
            m.library.opcheck(f, args, test_utils=which)
        assert m.library.opcheck(f, args, test_utils=which, raise_exception=False)[which] != "SUCCESS"


def test_what_is_not_there():
    with pytest.raises(NotImplementedError, match="Triton"):
        lucid.library.triton_op("kept_f::f", mutates_args=())
    with pytest.raises(NotImplementedError):
        lucid.library.Library("aten", "IMPL").impl("add.Tensor", lambda x, y: x, "CPU")
