"""Random numbers written over a tensor: uniform_, normal_, random_, bernoulli_, exponential_ and the other fills.

Each draws torch's CPU numbers in the order of memory, counts one write, and obeys the rules of in-place writes. On mlx
devices the numbers are drawn on the CPU and moved; on `meta` nothing is drawn.
"""

import functools

from ..._array.numpy.table import table as cpu_table
from ..._array.random import engine as draw
from ..._array.random.normal import fill_log_normal, fill_normal
from ..._backend.dispatch import Speller
from ..._backend.families import not_implemented_error
from ..._backend.overrides import PLAIN, ask_overrides
from ..._backend.recording import record_flat
from ..._backend.registry import tensor_method
from ..._backend.view_history import before_write, rebase, reread_views
from ..._base import dtype as dtypes
from ..._base.dtype import C_NAMES, SCALAR_NAMES
from ..._base.state import DISPATCH, UNUSUAL, local
from ..._base.warn import warn
from ..._tensor.storage import bump, write
from ..._tensor.tensor import Tensor, wrap
from .generator import engine_of

REALS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
INEXACT = (*REALS, dtypes.complex32, dtypes.complex64, dtypes.complex128)
COMMON = (*REALS, dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)


def overridable(f):
    """Let Tensor subclasses among the positional arguments, and modes, take a call of f first."""

    @functools.wraps(f)
    def call(*args, **kwargs):
        if UNUSUAL or any(type(a) not in PLAIN and hasattr(type(a), "__torch_function__") for a in args):
            relevant = [a for a in (*args, *kwargs.values()) if hasattr(type(a), "__torch_function__")]
            handled, result = ask_overrides(call, relevant, args, kwargs)
            if handled:
                return result
        if DISPATCH:
            taken, result = Speller.current.leaf(call, args, kwargs)
            if taken:
                return result
        return f(*args, **kwargs)

    return call


def filler(f):
    """Publish f as a Tensor method."""
    return tensor_method(overridable(f))


def inside(blank):
    """A tensor to be drawn into, as one of every transform that runs: members of a batch may get their own numbers."""
    if not local.frames:
        return blank
    k, shape = blank._table, tuple(blank._array.shape)
    while k.is_transform:
        k = k.inner
    d = k.empty(shape)
    for frame in local.frames:
        k = frame.table(k)
        d = k.constant(d)
    return wrap(d, k)


def fresh(k, shape, sample):
    """New numbers of table k: sample(array) fills a CPU array."""
    if k.is_transform:
        return k.drawn(shape, lambda inner, wide: fresh(inner, wide, sample))
    here = cpu_table(k.dtype)
    d = sample(here.empty(shape))
    return d if k.host else k.import_from(d, here)


def fresh_like(k, array, sample):
    """The same in array's shape; drawn in its order in memory."""
    if k.is_transform:
        return k.drawn_like(array, lambda inner, below: fresh_like(inner, below, sample))
    return sample(k.empty_like(array)) if k.host else fresh(k, tuple(array.shape), sample)


def by_members(f):
    """Let a function that draws by the values of tensors do so for whole batches at once."""

    @functools.wraps(f)
    def call(*args, **kwargs):
        tensors = [a for a in args if isinstance(a, Tensor)]
        if not local.frames or not tensors:
            return f(*args, **kwargs)
        engine_of(None, f.__name__)
        k = inside(tensors[0])._table
        arrays, close = k.drawn_by([k.adopt(t)._array for t in tensors])
        opened = iter([wrap(d, k.inner.of(d)) for d in arrays])
        frames, local.frames = local.frames, local.frames[:-1]
        try:
            got = call(*[next(opened) if isinstance(a, Tensor) else a for a in args], **kwargs)
        finally:
            local.frames = frames
        return wrap(close(got._array), frames[-1].table(got._table))

    return call


def refill(x, node, sample, generator, name, *others):
    """sample(engine, array) onto x's memory; node is the name of what it leaves in the graph."""
    recording = local.grad and x._table.inexact and any(t._node is not None for t in (x, *others))
    before_write(x, recording)
    engine, k = engine_of(generator, name), x._table
    if not k.has_data or x._array.size == 0:
        bump(x)
    elif k.host:
        if local.frames and local.frames[-1].randomness == "different":
            raise RuntimeError(
                "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same "
                "randomness. If this is necessary for your usage, please file an issue with functorch."
            )
        sample(engine, x._array)
        bump(x)
    else:
        write(x, fresh_like(k, x._array, lambda d: sample(engine, d)))
    if recording:
        rebase(x, record_flat(node, (x, *others)))
    else:
        reread_views(x)
    return x


def parameters(name, given, named, defaults):
    """The float parameters of a fill, in order, from positional and keyword arguments (`from` is a keyword in
    Python)."""
    if len(given) > len(defaults):
        raise TypeError(
            f"{name}() takes from 0 to {len(defaults)} positional arguments but {len(given) + 1} were given"
        )
    values = dict(zip(defaults, given))
    for key, value in named.items():
        if key not in defaults:
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
        if key in values:
            raise TypeError(f"{name}() got multiple values for argument '{key}'")
        values[key] = value
    return [real(name, key, i, values.get(key, default)) for i, (key, default) in enumerate(defaults.items(), 1)]


def real(name, key, position, value):
    """A number, or a tensor of one element, as a float."""
    if (
        isinstance(value, complex)
        or not hasattr(type(value), "__float__")
        or isinstance(value, Tensor)
        and value._array.ndim
    ):
        raise TypeError(f"{name}(): argument '{key}' (position {position}) must be float, not {type(value).__name__}")
    return float(value)


def _wants(x):
    return local.grad and x.requires_grad


def refuse_fill(x, kernel):
    """The error for a type that a kernel does not fill, after those of what must not be written at all."""
    before_write(x, _wants(x))
    raise not_implemented_error(kernel, x._table.dtype)


def short(number):
    """A number as C++ streams print it: six significant digits."""
    return f"{number:g}"


# ---- continuous

LARGEST = {
    dtypes.float16: 65504.0,
    dtypes.bfloat16: 3.3895313892515355e38,
    dtypes.float32: 3.4028234663852886e38,
    dtypes.float64: 1.7976931348623157e308,
}
DIGITS = {dtypes.float16: 11, dtypes.bfloat16: 8, dtypes.float32: 24, dtypes.float64: 53}
REAL_OF = dtypes.REAL_OF


@filler
def uniform_(self, *bounds, generator=None, **named):
    """uniform_(from=0, to=1, *, generator=None) -> self, filled with numbers in [from, to); floating and complex
    types."""
    low, high = parameters("uniform_", bounds, named, {"from": 0.0, "to": 1.0})
    dtype = self._table.dtype
    if dtype not in INEXACT:
        raise not_implemented_error("check_uniform_bounds", dtype)
    if self._array.size or not self._table.is_complex:
        check_uniform(REAL_OF.get(dtype, dtype), low, high)
    return refill(self, "UniformBackward0", lambda e, d: draw.fill_uniform(e, d, low, high), generator, "uniform_")


def check_uniform(dtype, low, high):
    """torch's checks of uniform_'s bounds."""
    largest = LARGEST[dtype]
    for name, value in (("from", low), ("to", high)):
        if not -largest <= value <= largest:
            raise RuntimeError(f"{name} is out of bounds for {C_NAMES[dtype]}")
    if low > high:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={short(low)} > to={short(high)}"
        )
    if high - low > largest:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{SCALAR_NAMES[dtype]}>::max(), but found "
            f"to={short(high)} and from={short(low)} which result in to-from to exceed the limit"
        )


@filler
def normal_(self, *moments, generator=None, **named):
    """normal_(mean=0, std=1, *, generator=None) -> self, filled with normal numbers; floating and complex types."""
    mean, std = parameters("normal_", moments, named, {"mean": 0.0, "std": 1.0})
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {short(std)}")
    if self._table.dtype not in INEXACT and self._array.size:
        raise not_implemented_error("normal_kernel_cpu", self._table.dtype)
    return refill(self, "NormalBackward0", lambda e, d: fill_normal(e, d, mean, std), generator, "normal_")


@filler
def exponential_(self, *rate, generator=None, **named):
    """exponential_(lambd=1, *, generator=None) -> self, filled with exponential numbers of that rate; floating
    types."""
    (lambd,) = parameters("exponential_", rate, named, {"lambd": 1.0})
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={short(lambd)}")
    if self._table.dtype.category != dtypes.FLOATING and self._array.size:
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a "
            f"floating point but you specified {SCALAR_NAMES[self._table.dtype]}"
        )
    if self._table.dtype.category == dtypes.FLOATING and self._table.dtype not in REALS:
        raise not_implemented_error("exponential_cpu", self._table.dtype)
    return refill(
        self, "ExponentialBackward0", lambda e, d: draw.fill_exponential(e, d, lambd), generator, "exponential_"
    )


@filler
def cauchy_(self, *place, generator=None, **named):
    """cauchy_(median=0, sigma=1, *, generator=None) -> self, filled with Cauchy numbers; floating types."""
    median, sigma = parameters("cauchy_", place, named, {"median": 0.0, "sigma": 1.0})
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={short(sigma)}")
    if self._table.dtype not in REALS:
        raise RuntimeError(
            "Cauchy distribution is a continuous probability distribution. dtype must be a floating "
            f"point but you specified {C_NAMES.get(self._table.dtype, self._table.dtype.name)}"
        )
    return refill(self, "CauchyBackward0", lambda e, d: draw.fill_cauchy(e, d, median, sigma), generator, "cauchy_")


@filler
def log_normal_(self, *moments, generator=None, **named):
    """log_normal_(mean=1, std=2, *, generator=None) -> self, filled with exp of normal numbers; floating types."""
    mean, std = parameters("log_normal_", moments, named, {"mean": 1.0, "std": 2.0})
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={short(std)}")
    if self._table.dtype not in REALS and self._array.size:
        refuse_fill(self, "log_normal_cpu")
    return refill(self, "LogNormalBackward0", lambda e, d: fill_log_normal(e, d, mean, std), generator, "log_normal_")


@filler
def geometric_(self, p, *, generator=None):
    """geometric_(p, *, generator=None) -> self, filled with numbers of trials up to a success of probability p."""
    p = real("geometric_", "p", 1, p)
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={short(p)}")
    if self._table.dtype not in COMMON and self._array.size:
        refuse_fill(self, "geometric_cpu")
    return refill(self, "GeometricBackward0", lambda e, d: draw.fill_geometric(e, d, p), generator, "geometric_")


# ---- discrete


@filler
def bernoulli_(self, p=0.5, *, generator=None):
    """bernoulli_(p=0.5, *, generator=None) -> self, each element 1 with probability p (a number, or a tensor that
    broadcasts to self), else 0; real types."""
    if isinstance(p, Tensor):
        return _bernoulli_by_tensor(self, p, generator)
    if isinstance(p, (str, complex)) or not hasattr(type(p), "__float__"):
        raise TypeError(
            f"bernoulli_() received an invalid combination of arguments - got ({type(p).__name__}), but expected one "
            "of:\n"
            " * (Tensor p, *, torch.Generator generator = None)\n"
            " * (float p = 0.5, *, torch.Generator generator = None)\n"
        )
    p = float(p)
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={short(p)}")
    if self._table.dtype not in COMMON and self._table.dtype is not dtypes.bool_ and self._array.size:
        refuse_fill(self, "bernoulli_scalar_cpu_")
    return refill(self, "BernoulliBackward2", lambda e, d: draw.fill_bernoulli(e, d, p), generator, "bernoulli_")


def _bernoulli_by_tensor(self, p, generator):
    if self._table.dtype not in COMMON and self._table.dtype is not dtypes.bool_:
        refuse_fill(self, "bernoulli_tensor_cpu_self_")
    if p._array.ndim > self._array.ndim:
        raise RuntimeError(
            f"expand(torch.{SCALAR_NAMES[p.dtype]}Tensor{{{list(p.shape)}}}, size={list(self.shape)}): the "
            f"number of sizes provided ({self._array.ndim}) must be greater or equal to the number of "
            f"dimensions in the tensor ({p._array.ndim})"
        )
    return refill(
        self, "BernoulliBackward1", lambda e, d: draw.fill_bernoulli(e, d, probabilities(p)), generator, "bernoulli_", p
    )


def probabilities(p):
    """The values of a tensor of probabilities, checked to be of a floating type and in [0, 1]."""
    if p._table.dtype not in REALS:
        raise not_implemented_error("bernoulli_tensor_cpu_p_", p._table.dtype)
    values = p._table.to_numpy(p._array)
    if not ((values >= 0) & (values <= 1)).all():
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
            "improved?  If so, please report an enhancement request to PyTorch.)"
        )
    return values


_RANDOM_FORMS = (
    " * (*, torch.Generator generator = None)\n * (int from, int to, *, torch.Generator generator = "
    "None)\n * (int to, *, torch.Generator generator = None)\n"
)


@filler
def random_(self, *bounds, generator=None, **named):
    """random_(), random_(to), random_(from, to), *, generator=None -> self, filled with integers in [from, to).

    Without bounds: from 0 to the type's largest integer (for floating types, 2 to the digits of its mantissa).
    """
    if len(bounds) > 2:
        raise TypeError(f"random_() takes 2 positional arguments but {len(bounds)} were given")
    bad = [f"{key}={type(v).__name__}" for key, v in named.items() if key not in ("from", "to")]
    bad += [type(b).__name__ for b in bounds if b is not None and not hasattr(type(b), "__index__")]
    if bad:
        raise TypeError(
            f"random_() received an invalid combination of arguments - got ({', '.join(bad)}), but "
            "expected one of:\n" + _RANDOM_FORMS
        )
    if len(bounds) == 2:
        named = {"from": bounds[0], "to": bounds[1]}
    elif bounds:
        named = {**named, "from" if "to" in named else "to": bounds[0]}
    low, high = named.get("from"), named.get("to")
    low, high = low if low is None else int(low), high if high is None else int(high)
    if low is None and high is not None:
        low = 0
    if low is None and high is None:
        before_write(self, _wants(self))
    check_random(self._table.dtype, low, high, self._array.size == 0)
    number = "RandomBackward2" if low is None else "RandomBackward1" if len(named) == 1 else "RandomBackward0"
    return refill(self, number, lambda e, d: draw.fill_random(e, d, low, high), generator, "random_")


def _integers_of(dtype):
    """(the least, the greatest value of a type, the binary digits up to which it has every integer, or None)"""
    if dtype.category == dtypes.FLOATING:
        if dtype not in REALS:
            raise not_implemented_error("random_update_from_to", dtype)
        return -LARGEST[dtype], LARGEST[dtype], DIGITS[dtype]
    if dtype is dtypes.bool_:
        return 0, 1, None
    info = dtypes.iinfo(dtype)
    return info.min, info.max, None


def _check_full_range(dtype, empty):
    """random_(-2**63, None) takes all 64 bits."""
    if empty or dtype in (dtypes.int64, dtypes.float64, dtypes.float32, dtypes.bfloat16):
        return
    if dtype in COMMON and dtype is not dtypes.float16:
        raise RuntimeError("random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16")
    raise not_implemented_error("random_full_64_bits_range_kernel_cpu", dtype)


def check_random(dtype, low, high, empty=False):
    """torch's checks of random_'s bounds (those that need numbers beyond the type are `fill_random`'s)."""
    if low is None:
        if dtype not in COMMON and dtype is not dtypes.bool_ and not empty:
            raise not_implemented_error("random_kernel_cpu", dtype)
        return
    if high is None and low == draw.INT64_MIN:
        _check_full_range(dtype, empty)
        return
    if high is not None and low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if dtype.category == dtypes.COMPLEX:
        raise RuntimeError(
            f"{'random_from_to_impl' if high is None else 'check_random_bounds'} handles only integral, floating-point "
            "and boolean types"
        )
    smallest, largest, digits = _integers_of(dtype)
    if high is not None:
        last = high - 1
    elif digits:
        last = 1 << digits
    else:  # torch's own limit of uint64 does not fit the int64 it is kept in
        last = -1 if dtype is dtypes.uint64 else largest
    for name, value in (("from", low), ("to - 1", last)):
        if not smallest <= value <= largest:
            raise RuntimeError(f"{name} is out of bounds for {C_NAMES[dtype]}")
        if digits and not -(1 << digits) <= value <= 1 << digits:
            warn(
                f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations {C_NAMES[dtype]} "
                "can support discrete uniform distribution only within this range. This warning will become an error "
                "in version 1.7 release, please fix the code in advance",
                UserWarning,
            )
