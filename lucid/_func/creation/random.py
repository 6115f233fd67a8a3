"""Random tensors: rand, randn, randint, randperm, their *_like forms, normal, bernoulli, multinomial, poisson ...

The numbers, and the order in which they are drawn, are those of torch's CPU generator.
"""

import math

from ..._array.lookup import table
from ..._array.numpy.table import table as cpu_table
from ..._array.random import engine as draw
from ..._array.random import rejection
from ..._array.random.gradients import dirichlet_gradient, gamma_gradient
from ..._array.random.normal import fill_normal
from ..._backend.families import not_implemented_error
from ..._backend.graph import BackwardOperation, leaf, record, verify
from ..._backend.out_argument import take_shape
from ..._backend.recording import Flat, record_flat
from ..._backend.registry import public
from ..._base import dtype as dtypes
from ..._base.dtype import SCALAR_NAMES
from ..._base.promotion import promote_types
from ..._base.shape import broadcast_pair
from ..._base.state import clock, defaults, local
from ..._tensor.storage import storage_of, write
from ..._tensor.tensor import Tensor, contiguous_format, preserve_format, strided, wrap
from ..pointwise.operands import need_tensors
from .factory import factory, finish, size_of
from .generator import engine_of
from .gfunc import empty, empty_like
from .random_inplace import (
    COMMON,
    bernoulli_,
    by_members,
    fresh,
    inside,
    normal_,
    overridable,
    probabilities,
    random_,
    real,
    short,
    uniform_,
)


def _blank(size, how):
    """An uninitialised tensor (or the caller's out=, resized), and whether it is to become a leaf."""
    out, dtype = how.pop("out", None), how.pop("dtype", None)
    layout, requires_grad = how.pop("layout", strided), how.pop("requires_grad", False)
    device = how.pop("device", None)
    how.pop("pin_memory", None), how.pop("names", None)
    if how:
        raise TypeError(f"got an unexpected keyword argument '{next(iter(how))}'")
    if layout not in (None, strided):
        raise NotImplementedError(f"layout {layout} is not supported: lucid has strided tensors only")
    if out is None:
        return _to_fill(empty(size, dtype=dtype or defaults.dtype, device=device)), requires_grad
    if dtype is not None and dtype is not out.dtype:
        raise RuntimeError(f"dtype {dtype} does not match dtype of out parameter ({out.dtype})")
    if tuple(out._array.shape) != size:
        take_shape(out, size)
    return out, requires_grad


def _to_fill(blank):
    """A new tensor to be filled: that makes it, and is not counted as a write."""
    t = inside(blank)
    storage_of(t).version = -1
    return t


def _leaf(t, requires_grad):
    if requires_grad:
        if not t._table.inexact:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        leaf(t)
    return t


def _shape(name, size, how):
    if not size and "size" not in how:
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got (), but expected one of:\n"
            " * (tuple of ints size, *, torch.Generator generator, Tensor out = None, torch.dtype dtype = "
            "None, torch.layout layout = None, torch.device device = None, bool pin_memory = False, bool "
            "requires_grad = False)\n"
        )
    return size_of((how.pop("size"),) if "size" in how else size)


@factory
def rand(*size, generator=None, **how):
    """rand(*size, *, generator=None, out=None, dtype=None, device=None, requires_grad=False) -> Tensor of numbers in
    [0, 1)."""
    t, requires_grad = _blank(_shape("rand", size, how), how)
    return _leaf(uniform_(t, generator=generator), requires_grad)


@factory
def randn(*size, generator=None, **how):
    """randn(*size, *, generator=None, out=None, dtype=None, device=None, requires_grad=False) -> Tensor of standard
    normals."""
    t, requires_grad = _blank(_shape("randn", size, how), how)
    return _leaf(normal_(t, generator=generator), requires_grad)


_RANDINT = (
    "size, *, torch.Generator generator, Tensor out = None, torch.dtype dtype = None, torch.layout layout = "
    "None, torch.device device = None, bool pin_memory = False, bool requires_grad = False)"
)


def _randint_error(args, how):
    got = ", ".join([type(a).__name__ for a in args] + [f"{k}={type(v).__name__}" for k, v in how.items()])
    return TypeError(
        f"randint() received an invalid combination of arguments - got ({got}), but expected one of:\n"
        f" * (int high, tuple of ints {_RANDINT}\n * (int low, int high, tuple of ints {_RANDINT}\n"
    )


@factory
def randint(*args, generator=None, **how):
    """randint(low=0, high, size, *, generator=None, dtype=int64 ...) -> Tensor of integers in [low, high)."""
    given = list(args)
    if "size" not in how and given:
        how["size"] = given.pop()
    high = how.pop("high", None) if "high" in how else given.pop() if given else None
    low = how.pop("low", 0) if "low" in how or not given else given.pop()
    size = how.pop("size", None)
    if given or high is None or not all(hasattr(type(n), "__index__") for n in (low, high)):
        raise _randint_error(args, how)
    if not isinstance(size, (tuple, list)):
        if len(args) == 2 and size is args[-1]:
            raise TypeError(f"randint(): argument 'size' (position 2) must be tuple of ints, not {type(size).__name__}")
        raise _randint_error(args, how)
    if how.get("dtype") is None and how.get("out") is None:
        how["dtype"] = dtypes.int64
    t, requires_grad = _blank(size_of((size,)), how)
    return _leaf(random_(t, int(low), int(high), generator=generator), requires_grad)


@factory
def randperm(
    n, *, generator=None, out=None, dtype=None, layout=strided, device=None, pin_memory=False, requires_grad=False
):
    """randperm(n, *, generator=None, dtype=int64 ...) -> 1-D Tensor: the integers 0 to n - 1 in random order."""
    if not hasattr(type(n), "__index__"):
        raise TypeError(f"randperm(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    n, dtype = int(n), dtype or (dtypes.int64 if out is None else out.dtype)
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if dtype not in COMMON:
        raise not_implemented_error("randperm", dtype)
    exact = {dtypes.float16: 2049, dtypes.float32: 16777217, dtypes.float64: 9007199254740993}.get(dtype)
    if exact is not None and n > exact:
        raise RuntimeError(f"n cannot be greater than {exact} for {SCALAR_NAMES[dtype]} type.")
    if dtype.category != dtypes.FLOATING and n > dtypes.iinfo(dtype).max + 1:
        name = {dtypes.uint8: "uint8_t", dtypes.int8: "int8_t", dtypes.int16: "int16_t"}.get(dtype, dtype.name)
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")
    k = table(dtype, device if out is None else out.device)
    if not k.has_data:
        return finish(k.empty((n,)), k, requires_grad, out)
    here, engine = cpu_table(dtype), engine_of(generator, "randperm")

    def shuffled(d):
        for row in here.reshape(d, (math.prod(d.shape[:-1]), n)):
            here.write(row, here.cast(draw.randperm(engine, n), dtype))
        return d

    for frame in local.frames:
        k = frame.table(k)
    d = fresh(k, (n,), shuffled)
    if out is None:
        return finish(d, k, requires_grad)
    if tuple(out._array.shape) != (n,):
        out.resize_((n,))
    write(out, d)
    return out


# ---- like another tensor


def _like_function(name, fill):
    def f(
        input,
        *,
        generator=None,
        dtype=None,
        layout=None,
        device=None,
        requires_grad=False,
        memory_format=preserve_format,
        pin_memory=False,
    ):
        need_tensors(name, input=input)
        t = empty_like(input.detach(), dtype=dtype, device=device, memory_format=memory_format)
        if t._table.is_sparse:
            raise NotImplementedError(
                f"Could not run 'aten::{fill.__name__}' with arguments from the 'SparseCPU' backend"
            )
        return _leaf(fill(_to_fill(t), generator=generator), requires_grad)

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{name}(input, *, generator=None ...) -> Tensor like input in shape, type, device and memory order."
    return public(name)(overridable(f))


rand_like = _like_function("rand_like", uniform_)
randn_like = _like_function("randn_like", normal_)


@public()
@overridable
def randint_like(
    input,
    *bounds,
    low=0,
    high=None,
    generator=None,
    dtype=None,
    layout=None,
    device=None,
    requires_grad=False,
    memory_format=preserve_format,
    pin_memory=False,
):
    """randint_like(input, low=0, high, *, generator=None ...) -> Tensor like input, of integers in [low, high)."""
    need_tensors("randint_like", input=input)
    if len(bounds) == 2:
        low, high = bounds
    elif bounds:
        low, high = (low, bounds[0]) if high is None else (bounds[0], high)
    if high is None or len(bounds) > 2 or not all(hasattr(type(n), "__index__") for n in (low, high)):
        raise TypeError(
            "randint_like() received an invalid combination of arguments: it takes (Tensor input, int "
            "high) or (Tensor input, int low, int high)"
        )
    t = empty_like(input.detach(), dtype=dtype, device=device, memory_format=memory_format)
    return _leaf(random_(_to_fill(t), int(low), int(high), generator=generator), requires_grad)


# ---- drawn by parameters that are tensors


class NotImplemented_(Flat):
    """The node of a random function whose derivative torch does not have either."""

    __slots__ = ("what",)

    def on_arrays(self, g, edges):
        if self.what == "_standard_gamma_grad":
            raise NotImplementedError(f"the derivative for '{self.what}' is not implemented.")
        raise RuntimeError(f"derivative for aten::{self.what} is not implemented")

    on_tensors = on_arrays


NotImplemented_.__name__ = NotImplemented_.__qualname__ = "NotImplemented"


def drawn(d, inputs, node, out=None, name=None):
    """The Tensor of numbers d drawn on the CPU by `inputs`, on their device, with the node that torch records."""
    k = inputs[0]._table
    here = k.of(d) if k.host else cpu_table(k.dtype)
    k = here if k.host else k
    d = d if k is here else k.import_from(d, here)
    if out is not None:
        if tuple(out._array.shape) != d.shape:
            out.resize_(d.shape)
        write(out, d)
        return out
    t = wrap(d, k)
    if local.grad and t._table.inexact and any(x._node is not None for x in inputs):
        t._node = record_flat(node if name is None else NotImplemented_, inputs)
        if name is not None:
            t._node.what = name
    return t


def _on_cpu(t):
    return t._table.to_numpy(t._array)


@public(method=True)
@overridable
@by_members
def bernoulli(input, p=None, *, generator=None, out=None):
    """bernoulli(input, *, generator=None, out=None) -> Tensor of zeros and ones, 1 with the probability that input
    gives.

    bernoulli(input, p) -> Tensor like input, 1 with probability p everywhere.
    """
    need_tensors("bernoulli", input=input)
    if isinstance(p, Tensor):
        raise TypeError(
            "bernoulli() received an invalid combination of arguments - got (Tensor, Tensor), but expected "
            "one of:\n * (Tensor input, *, torch.Generator generator = None, Tensor out = None)\n"
            " * (Tensor input, float p, *, torch.Generator generator = None)\n"
        )
    if p is not None:
        t = bernoulli_(_to_fill(empty_like(input.detach(), memory_format=contiguous_format)), p, generator=generator)
        if local.grad and input._node is not None:
            t._node = record_flat(NotImplemented_, (input,))
            t._node.what = "bernoulli"
        return t
    if out is not None:
        if out._array.shape != input._array.shape:
            out.resize_(input._array.shape)
        return bernoulli_(out, input.detach(), generator=generator)
    if not input._table.has_data:
        return empty_like(input)
    engine, chances = engine_of(generator, "bernoulli"), probabilities(input)
    here = cpu_table(input.dtype)
    return drawn(draw.fill_bernoulli(engine, here.empty(chances.shape), chances), (input,), "BernoulliBackward0")


@public(method=True)
@overridable
def multinomial(input, num_samples, replacement=False, *, generator=None, out=None):
    """multinomial(input, num_samples, replacement=False, *, generator=None, out=None) -> int64 Tensor of indices drawn
    with the weights in input's last dimension: (num_samples,) or (rows, num_samples)."""
    if input._table.dtype.category != dtypes.FLOATING:
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {SCALAR_NAMES[input.dtype]}"
        )
    if out is not None and out.dtype is not dtypes.int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {SCALAR_NAMES[out.dtype]}")
    shape, n = tuple(input._array.shape), int(num_samples)
    if n <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if len(shape) not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if not replacement and n > shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if shape[-1] > 1 << 24:
        raise RuntimeError("number of categories cannot exceed 2^24")
    drawn = _multinomial(input, n, replacement, generator)
    if out is None:
        return drawn
    if out._array.shape != drawn._array.shape:
        out.resize_(drawn._array.shape)
    write(out, drawn._array)
    return out


@by_members
def _multinomial(input, n, replacement, generator):
    """The indices, of weights with any dimensions in front."""
    shape, long = tuple(input._array.shape), input._table.sibling(dtypes.int64)
    if not input._table.has_data or 0 in shape:
        return wrap(long.zeros((*shape[:-1], n)), long)
    here, engine = cpu_table(dtypes.int64), engine_of(generator, "multinomial")
    rows = input.reshape(-1, shape[-1]) if len(shape) > 2 else input
    d = here.contiguous(rejection.multinomial(engine, _on_cpu(rows), n, replacement))
    d = here.reshape(d, (*shape[:-1], n))
    return wrap(d if long is here else long.import_from(d, here), long)


@public()
@overridable
@by_members
def poisson(input, generator=None):
    """poisson(input, generator=None) -> Tensor of Poisson counts of the rates in input, in its floating type."""
    if input.dtype not in (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64):
        raise not_implemented_error("poisson_cpu", input.dtype)
    if not input._table.has_data:
        return empty_like(input)
    rates = _on_cpu(input)
    if not (rates >= 0).all():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return drawn(rejection.poisson(engine_of(generator, "poisson"), rates), (input,), "PoissonBackward0")


@public()
@overridable
@by_members
def binomial(count, prob, generator=None):
    """binomial(count, prob, generator=None) -> Tensor of successes in `count` trials of probability `prob`; broadcast
    together, both float32 or both float64."""
    if count._table.dtype.category != dtypes.FLOATING:
        raise ValueError(f"binomial only supports floating-point dtypes for count, got: {SCALAR_NAMES[count.dtype]}")
    if prob._table.dtype.category != dtypes.FLOATING:
        raise ValueError(f"binomial only supports floating-point dtypes for prob, got: {SCALAR_NAMES[prob.dtype]}")
    shape = broadcast_pair(tuple(count._array.shape), tuple(prob._array.shape))
    if count.dtype is not prob.dtype:
        raise RuntimeError(f"Found dtype {SCALAR_NAMES[prob.dtype]} but expected {SCALAR_NAMES[count.dtype]}")
    if count.dtype not in (dtypes.float32, dtypes.float64):
        raise not_implemented_error("binomial_cpu", count.dtype)
    if not count._table.has_data:
        return wrap(count._table.empty(shape), count._table)
    here = cpu_table(count.dtype)
    counts, chances = (here.broadcast_to(_on_cpu(t), shape) for t in (count, prob))
    return drawn(
        rejection.binomial(engine_of(generator, "binomial"), counts, chances), (count, prob), None, name="binomial"
    )


@public()
@overridable
@by_members
def _standard_gamma(input, generator=None):
    """_standard_gamma(input, generator=None) -> Tensor of gamma numbers of scale 1 whose shape parameters input gives;
    float32 or float64."""
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise not_implemented_error("gamma_cpu", input.dtype)
    if not input._table.has_data:
        return empty_like(input)
    t = drawn(
        rejection.standard_gamma(engine_of(generator, "_standard_gamma"), _on_cpu(input)), (input.detach(),), None
    )
    if local.grad and input._node is not None:
        t._node = record(StandardGammaBackward0, input._table, (input._node,), alpha=input._array, sample=t._array)
    return t


def _moved_like(t, d):
    """float64 numbers as raw array of t's table."""
    here = cpu_table(t._table.dtype)
    d = here.cast(here.asarray(d), t._table.dtype)
    return d if t._table.host else t._table.import_from(d, here)


class StandardGammaBackward0(BackwardOperation):
    """The node of _standard_gamma: it keeps the parameters and the numbers drawn, and moves with them implicitly."""

    __slots__ = ("alpha", "sample")
    __module__ = "torch.autograd.graph"
    saved_names = ("alpha", "sample")

    def _slope(self):
        if clock.last_write > self.seq:
            verify(self)
        return _standard_gamma_grad(wrap(self.alpha, self.k), wrap(self.sample, self.k))

    def on_arrays(self, g, edges):
        return (self.k.mul(g, self._slope()._array),)

    def on_tensors(self, g, edges):
        slope, alpha = self._slope(), wrap(self.alpha, self.k)
        if local.grad:
            alpha._node = edges[0]
            slope._node = record_flat(NotImplemented_, (alpha,))
            slope._node.what = "_standard_gamma_grad"
        return (g * slope,)


@public()
@overridable
def _standard_gamma_grad(input, output):
    """_standard_gamma_grad(input, output) -> Tensor: how gamma numbers `output` move with their parameters `input`."""
    return wrap(_moved_like(input, gamma_gradient(_on_cpu(input), _on_cpu(output))), input._table)


@public()
@overridable
def _dirichlet_grad(x, alpha, total):
    """_dirichlet_grad(x, alpha, total) -> Tensor:
    how Dirichlet shares x move with their parameters, whose sum is total.
    """
    return wrap(_moved_like(x, dirichlet_gradient(_on_cpu(x), _on_cpu(alpha), _on_cpu(total))), x._table)


@public()
@overridable
@by_members
def _sample_dirichlet(input, generator=None):
    """_sample_dirichlet(input, generator=None) -> Tensor of Dirichlet shares along the last dimension; float32 or
    float64."""
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise not_implemented_error("dirichlet", input.dtype)
    if not input._table.has_data:
        return empty_like(input)
    d = rejection.sample_dirichlet(engine_of(generator, "_sample_dirichlet"), _on_cpu(input))
    return drawn(d, (input,), None, name="_sample_dirichlet")


# ---- normal


def _add_mul(k, d, word, other):
    """d word= other, as torch's in-place operators round it: in the promoted type, then back."""
    wide = promote_types(k.dtype, other.dtype) if other._array.ndim else k.dtype
    kw = cpu_table(wide)
    return k.cast(getattr(kw, word)(kw.cast(d, wide), kw.cast(_on_cpu(other), wide)), k.dtype)


@factory
def normal(mean=0.0, std=1.0, size=None, *, generator=None, out=None, **how):
    """normal(mean, std, *, generator=None, out=None) -> Tensor of normal numbers; mean, std:
    tensors (broadcast) or numbers.

    normal(mean, std, size, *, dtype=None, device=None, requires_grad=False ...) -> Tensor of that shape; both are
    numbers.
    """
    tensors = [t for t in (mean, std) if isinstance(t, Tensor)]
    if size is not None:
        if any(t._array.ndim or t.requires_grad for t in tensors):
            raise TypeError(
                "normal() received an invalid combination of arguments: with a size, mean and std must be numbers"
            )
        mean, std = real("normal", "mean", 1, mean), real("normal", "std", 2, std)
        t, requires_grad = _blank(size_of((size,)), {**how, "out": out})
        return _leaf(normal_(t, mean, std, generator=generator), requires_grad)
    if not tensors or how:
        got = [type(x).__name__ for x in (mean, std)] + [f"{k}={type(v).__name__}" for k, v in how.items()]
        raise TypeError(
            f"normal() received an invalid combination of arguments - got ({', '.join(got)}), but expected one of:\n"
            " * (Tensor mean, Tensor std, *, torch.Generator generator = None, Tensor out = None)\n"
            " * (Tensor mean, float std = 1, *, torch.Generator generator = None, Tensor out = None)\n"
            " * (float mean, Tensor std, *, torch.Generator generator = None, Tensor out = None)\n"
            " * (float mean, float std, tuple of ints size, *, torch.Generator generator = None, Tensor out = None, "
            "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool pin_memory = "
            "False, bool requires_grad = False)\n"
        )
    return _normal_by_tensors(mean, std, generator, out)


@by_members
def _normal_by_tensors(mean, std, generator, out):
    tensors = [t for t in (mean, std) if isinstance(t, Tensor)]
    _check_std(std)
    first = tensors[0]
    shape = (
        tuple(first._array.shape)
        if len(tensors) == 1
        else broadcast_pair(tuple(mean._array.shape), tuple(std._array.shape))
    )
    k = first._table if out is None else out._table
    if not k.has_data:
        return wrap(k.empty(shape), k) if out is None else out.resize_(shape)
    here, engine = cpu_table(k.dtype), engine_of(generator, "normal")
    if k.dtype not in (
        dtypes.float16,
        dtypes.bfloat16,
        dtypes.float32,
        dtypes.float64,
        dtypes.complex32,
        dtypes.complex64,
        dtypes.complex128,
    ):
        raise not_implemented_error("normal_kernel_cpu", k.dtype)
    if not isinstance(std, Tensor):
        d = _add_mul(here, fill_normal(engine, here.empty(shape), 0.0, float(std)), "add", mean)
        node = "NormalBackward1"
    else:
        d = _add_mul(here, fill_normal(engine, here.empty(shape)), "mul", std)
        d = _add_mul(here, d, "add", mean) if isinstance(mean, Tensor) else here.add(d, here.scalar(float(mean)))
        node = "NormalBackward3" if isinstance(mean, Tensor) else "NormalBackward2"
    return drawn(d, tensors, node, out)


def _check_std(std):
    if not isinstance(std, Tensor):
        if not float(std) >= 0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {short(std)}")
    elif std._table.is_complex:
        raise RuntimeError("normal expects standard deviation to be non-complex")
    elif std._table.has_data and not (_on_cpu(std) >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")
