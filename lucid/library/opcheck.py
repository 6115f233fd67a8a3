"""torch.library.opcheck: does an op of one's own keep what its schema and its registrations promise?"""

from .._base.state import local
from .._base.tree import flatten, tree_map
from .._subclasses.fake_tensor import FakeTensorMode
from .._tensor.storage import storage_of
from .._tensor.tensor import Tensor
from ..autograd import grad

DEFAULT_TEST_UTILS = (
    "test_schema",
    "test_autograd_registration",
    "test_faketensor",
    "test_aot_dispatch_dynamic",
)


class OpCheckError(Exception):
    """What opcheck found wrong."""


def _tensors(tree):
    return [t for t in flatten(tree)[0] if isinstance(t, Tensor)]


def _cloned(tree):
    def copy(t):
        return t.detach().clone().requires_grad_(t.requires_grad) if isinstance(t, Tensor) else t

    return tree_map(copy, tree)


def _same(a, b):
    return a.shape == b.shape and a.dtype is b.dtype and bool((a.eq(b) | a.ne(a) & b.ne(b)).all())


def test_schema(op, args, kwargs, **tolerances):
    """Arguments that the schema does not mark are not written to; results share memory only as it says."""
    args, kwargs = _cloned((args, kwargs))
    before = _cloned((args, kwargs))
    out = op(*args, **kwargs)
    arguments = op._schema.arguments
    given = dict(zip([a.name for a in arguments], args)) | kwargs
    had = dict(zip([a.name for a in arguments], before[0])) | before[1]
    for a in arguments:
        for t, old in zip(_tensors(given.get(a.name)), _tensors(had.get(a.name))):
            if not a.is_write and not _same(t, old):
                raise OpCheckError(
                    f"Argument {a.name} is not defined as mutable but was mutated. Please mark it as mutable in the "
                    "schema"
                )
    if not any(r.alias_info for r in op._schema.returns):
        inputs = {id(storage_of(t)) for t in _tensors((args, kwargs))}
        for i, t in enumerate(_tensors(out)):
            if id(storage_of(t)) in inputs:
                raise OpCheckError(f"Output {i} of {op} shares memory with an input, which the schema does not say")


def test_autograd_registration(op, args, kwargs, **tolerances):
    """A result of arguments that require gradients is in the graph by a formula, not by the kernel's own ops."""
    args, kwargs = _cloned((args, kwargs))
    if not any(t.requires_grad for t in _tensors((args, kwargs))) or op.composite is not None:
        return
    out = [t for t in _tensors(op(*args, **kwargs)) if t.dtype.is_floating_point]
    if op.backward is None and op.autograd_kernel is None and any(t.requires_grad for t in out):
        return  # it raises when a gradient reaches it


def test_faketensor(op, args, kwargs, **tolerances):
    """What the fake implementation says of results is so."""
    args, kwargs = _cloned((args, kwargs))
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    fake_args, fake_kwargs = tree_map(lambda t: mode.from_tensor(t) if isinstance(t, Tensor) else t, (args, kwargs))
    real = _tensors(op(*args, **kwargs))
    with mode:
        fake = _tensors(op(*fake_args, **fake_kwargs))
    if len(real) != len(fake):
        raise OpCheckError(f"{op}: the fake implementation gives {len(fake)} tensors, the kernel {len(real)}")
    for i, (r, f) in enumerate(zip(real, fake)):
        for what in ("shape", "dtype", "device"):
            if getattr(r, what) != getattr(f, what):
                raise OpCheckError(f"{op}: result {i} has {what} {getattr(r, what)}, its fake {getattr(f, what)}")
        if r.stride() != f.stride():
            raise OpCheckError(f"{op}: result {i} has strides {r.stride()}, its fake {f.stride()}")


def test_aot_dispatch_dynamic(op, args, kwargs, atol=None, rtol=None):
    """Gradients come through, alike from run to run."""
    runs = []
    for _ in range(2):
        a, k = _cloned((args, kwargs))
        leaves = [t for t in _tensors((a, k)) if t.requires_grad]
        out = [t for t in _tensors(op(*a, **k)) if t.requires_grad]
        if not leaves or not out:
            return
        runs.append(grad([t.sum() for t in out], leaves, allow_unused=True))
    for x, y in zip(*runs):
        if (x is None) != (y is None) or x is not None and not _same(x, y):
            raise OpCheckError(f"{op}: gradients differ from one run to another")


_TESTS = {f.__name__: f for f in (test_schema, test_autograd_registration, test_faketensor, test_aot_dispatch_dynamic)}
_TESTS["test_aot_dispatch_static"] = test_aot_dispatch_dynamic


def opcheck(op, args, kwargs=None, *, test_utils=DEFAULT_TEST_UTILS, raise_exception=True, atol=None, rtol=None):
    """opcheck(op, args, kwargs=None, *, test_utils=(...)) -> {test: "SUCCESS" or the error}.

    op: a CustomOpDef, an overload, or an op's packet. OpCheckError for the first test that fails, unless
    raise_exception is False.
    """
    if (atol is None) != (rtol is None):
        raise ValueError("opcheck(op, ...): if you specify one of atol/rtol, you must specify both")
    op = getattr(op, "_opoverload", None) or getattr(op, "default", op)
    names = (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    unknown = sorted(set(names) - set(_TESTS))
    if unknown:
        raise ValueError(
            f"opcheck(op, ..., test_utils={test_utils}), expected test_utils to be subset of {tuple(_TESTS)}"
        )
    found = {}
    for name in names:
        try:
            _TESTS[name](op, tuple(args), dict(kwargs or {}), atol=atol, rtol=rtol)
            found[name] = "SUCCESS"
        except Exception as trouble:
            if raise_exception:
                raise OpCheckError(
                    f"opcheck(op, ...): {name} failed with {trouble} (scroll up for stack trace)"
                ) from trouble
            found[name] = trouble
    return found


class FakeImplCtx:
    """What get_ctx gives inside a fake implementation."""

    def __init__(self, op):
        self._op = op

    def new_dynamic_size(self, *, min=0, max=None):
        """new_dynamic_size(): NotImplementedError, lucid's shapes are numbers."""
        raise NotImplementedError(
            "torch.library.get_ctx().new_dynamic_size(): lucid has no sizes that depend on the numbers of a tensor"
        )

    create_unbacked_symint = new_dynamic_size


def get_ctx():
    """get_ctx() -> FakeImplCtx inside a fake implementation; None elsewhere."""
    return None if local.fake_impl is None else FakeImplCtx(local.fake_impl)
