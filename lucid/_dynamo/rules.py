"""What may stand in a graph, what is read along, and what must run as Python."""

import builtins
import dis
import inspect
import operator
import types

from .._backend.entries import HOLDERS
from .._tensor.tensor import Tensor

# ---- calls of torch's

# Whose results depend on numbers that nobody has while a program is read, or that reach outside of a graph.
_NEEDS_NUMBERS = set(
    """item tolist numpy __bool__ __int__ __float__ __index__ __complex__ __array__ __len__ __contains__ is_nonzero
    equal allclose nonzero argwhere masked_select unique unique_consecutive bincount histogram data_ptr __repr__ __str__
    __format__ __dlpack__ __reduce_ex__ __deepcopy__ untyped_storage storage _typed_storage histogramdd
    cudagraph_mark_step_begin""".split()
)
_REACHES_OUTSIDE = set(
    """backward grad register_hook register_post_accumulate_grad_hook retain_grad share_memory_ set_ manual_seed seed
    initial_seed get_rng_state set_rng_state save load set_default_dtype set_default_device set_num_threads
    set_printoptions compile from_numpy to_dlpack from_dlpack set_default_tensor_type
    use_deterministic_algorithms set_anomaly_enabled requires_grad_ hook_ __setstate__ is_shared as_subclass""".split()
)


def breaks_on(func, args, kwargs):
    """Why a call of torch's cannot be part of a graph; None if it can."""
    name = getattr(func, "__name__", "")
    if name == "__get__":  # of a property of Tensor
        return None
    if name in _NEEDS_NUMBERS and name != "__len__":
        return f"Tensor.{name}() needs the tensor's numbers"
    if name == "result_type":
        return "result_type of tensors"
    if name in _REACHES_OUTSIDE:
        return f"call of torch's {name}()"
    if name in ("getitem", "__getitem__") and _has_mask(args[1]):
        return "indexing with a mask: the size of the result depends on numbers"
    if name == "repeat_interleave" and any(isinstance(a, Tensor) for a in (*args[1:], *kwargs.values())):
        return "repeat_interleave with a tensor of counts"
    if name == "where" and len(args) == 1:
        return "torch.where(condition): the size of the result depends on numbers"
    if name == "one_hot" and len(args) + len(kwargs) == 1:
        return "one_hot without num_classes: the size of the result depends on numbers"
    return None


# Calls that raise for the sake of numbers, not of types and sizes.
_RAISES = set(
    """cholesky inv inverse solve lu_factor lu solve_triangular eigh eig eigvals eigvalsh svd svdvals lstsq det slogdet
    linalg_cholesky linalg_inv linalg_solve linalg_lu_factor linalg_lu embedding embedding_bag gather scatter scatter_
    scatter_add scatter_add_ index_select take take_along_dim index_add index_add_ index_copy index_copy_ index_fill
    index_put index_put_ index_fill_ nll_loss cross_entropy multinomial one_hot binary_cross_entropy bernoulli
    ctc_loss multi_margin_loss max_unpool2d _assert _assert_async normal repeat_interleave searchsorted""".split()
)


def may_raise(func, args):
    """May a call of torch's raise for what the numbers are?"""
    name = getattr(func, "__name__", "")
    if name in ("getitem", "__getitem__", "setitem", "__setitem__"):
        parts = args[1] if isinstance(args[1], tuple) else (args[1],)
        return any(isinstance(p, (Tensor, list)) for p in parts)
    return name in _RAISES


def _has_mask(index):
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(p, Tensor) and p.dtype.name in ("bool", "uint8") for p in parts)


BREAKS: dict = {}  # functions of the compiler's own -> what a call of them does while it reads
ALLOWED: set = set()  # functions that are one node, as torch's are
DISALLOWED: set = set()

_OPERATORS = {
    **{f"__{n}__": getattr(operator, n) for n in "add sub mul truediv floordiv mod pow matmul lshift rshift".split()},
    **{f"__i{n}__": getattr(operator, f"i{n}") for n in "add sub mul truediv floordiv mod pow matmul".split()},
    **{f"__{n}__": getattr(operator, n) for n in "lt le eq ne gt ge neg pos invert getitem setitem".split()},
    "__and__": operator.and_,
    "__or__": operator.or_,
    "__xor__": operator.xor,
    "__abs__": operator.abs,
}
_REFLECTED = {f"__r{n}__": getattr(operator, n) for n in "add sub mul truediv floordiv mod pow matmul".split()}


def spelled(func, args, kwargs):
    """(kind, target, args, kwargs) of the node of a call of torch's: operators and methods as such."""
    name = getattr(func, "__name__", "")
    if name in _REFLECTED:
        return "call_function", _REFLECTED[name], (args[1], args[0]), kwargs
    if name in _OPERATORS:
        return "call_function", _OPERATORS[name], args, kwargs
    if name == "__get__" and isinstance(getattr(func, "__self__", None), property):
        return "call_function", builtins.getattr, (args[0], func.__self__.fget.__name__), kwargs
    if getattr(func, "__qualname__", "").startswith("Tensor.") and args:
        return "call_method", name, args, kwargs
    return "call_function", func, args, kwargs


# ---- functions in Python

# Modules of lucid whose functions are read like a program's own; all others are torch's, calls of which are nodes.
_READ = (
    "distributions", "nn.modules", "nn._ops", "nn.init", "nn.utils.parametrize", "nn.utils.parametrizations",
    "nn.utils.stateless", "nn.attention", "_base.shape", "_higher_order_ops", "_dynamo.polyfills", "autograd.grad_mode",
    "_modes.decorating", "func.module_calls",
)  # fmt: skip
# Modules whose functions are run, never read.
_RUN = set(
    """abc ast asyncio atexit builtins concurrent ctypes datetime dis enum gc importlib inspect io json linecache
    logging multiprocessing os pathlib pickle platform pprint queue random re select shutil signal socket string
    subprocess sys tempfile textwrap threading time timeit token tokenize traceback types typing unittest
    urllib uuid warnings weakref zipfile numpy scipy mlx torch tqdm matplotlib pandas PIL tensorboard pytest hypothesis
    _pytest copyreg decimal fractions""".split()
)
_LIBRARY = __name__.partition(".")[0]


def home_of(function):
    """The name of the module that a function was written in, whatever it says since functools.wraps."""
    return getattr(function, "__globals__", {}).get("__name__") or getattr(function, "__module__", None) or ""


def is_torch(function):
    """Is it one of torch's functions, a call of which is one node?"""
    module = home_of(function)
    if isinstance(function, types.MethodType):
        return any(function.__self__ is holder for holder in HOLDERS.values())
    if not (module == _LIBRARY or module.startswith(_LIBRARY + ".")):
        return False
    return not _is_read(home_of(function))


# Where the functions are of which a call is a node; others of lucid's change what no graph knows of.
_OPS = {"_C", "_func", "_tensor", "_backend", "functional", "linalg", "fft", "masked", "special", "sparse"}
ASKS = ("is_", "get_", "_", "are_", "result_type", "promote_types", "can_cast", "finfo", "iinfo", "broadcast_shapes")


def is_op(function):
    """Is it one of torch's functions of which a call is a node, or that only says something?"""
    if isinstance(function, types.MethodType):
        return True
    module, name = home_of(function)[len(_LIBRARY) + 1 :], getattr(function, "__name__", "")
    if not module or module == "nn.functional" or module.partition(".")[0] in _OPS:
        return True
    return name in ("_set_grad_enabled", "set_grad_enabled", "grad_enabled") or name[0] != "_" and name.startswith(ASKS)


def _is_read(module):
    inside = module[len(_LIBRARY) + 1 :]
    return any(inside == part or inside.startswith(part + ".") for part in _READ)


def is_library(function):
    """Is it a function of lucid's own?"""
    return home_of(function).partition(".")[0] == _LIBRARY


def is_read(function):
    """May the body of a function in Python be read?"""
    module = home_of(function)
    top = module.partition(".")[0]
    if top == _LIBRARY:
        return _is_read(module)
    return top not in _RUN and not getattr(function, "_torchdynamo_disable", False)


# ---- functions in C

# Builtins that only compute with what they are given.
PURE = {
    abs, all, any, ascii, bin, bool, bytes, bytearray, callable, chr, complex, dict, divmod, enumerate, filter, float,
    format, frozenset, hash, hex, int, issubclass, len, list, map, max, min, oct, ord, pow, range, repr, reversed,
    round, set, slice, sorted, str, sum, tuple, type, zip,
}  # fmt: skip
_PURE_MODULES = {
    "math",
    "operator",
    "_operator",
    "itertools",
    "_functools",
    "cmath",
    "_bisect",
    "_heapq",
    "_collections",
}
PLAIN_TYPES = (
    int, float, complex, bool, str, bytes, type(None), type(...), range, slice, frozenset, list, tuple, dict, set,
    bytearray,
)  # fmt: skip


_LOUD = ("STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE", "DELETE_", "YIELD", "IMPORT")
_LOUD_NAMES = set("append add update extend insert pop popitem remove clear setdefault write print sort send".split())


def is_quiet(function):
    """Does a function, as it looks, change nothing, so that it may be called more often or less?"""
    for inst in dis.get_instructions(function.__code__):
        if inst.opname.startswith(_LOUD) or inst.argval in _LOUD_NAMES and inst.opname.startswith("LOAD_"):
            return False
        if inst.opname == "LOAD_GLOBAL" and not hasattr(builtins, inst.argval):
            held = function.__globals__.get(inst.argval)
            if isinstance(held, types.FunctionType) and held is not function and not is_torch(held):
                return False
    return True


def is_pure(function):
    """Does a function in C only compute, so that it may be called while a program is read?"""
    try:
        if function in PURE:
            return True
    except TypeError:
        return False
    owner = getattr(function, "__self__", None)
    if inspect.ismodule(owner):
        return owner.__name__ in _PURE_MODULES
    if getattr(function, "__module__", None) in _PURE_MODULES:
        return True
    home = getattr(function, "__objclass__", None)
    if home is not None:
        return home in PLAIN_TYPES or home.__module__ == "collections" or issubclass(home, BaseException)
    if owner is None or not isinstance(function, types.BuiltinMethodType):
        return False
    return isinstance(owner, (*PLAIN_TYPES, BaseException)) or _type_of(owner).__module__ in _HOMES


def _type_of(owner):
    return owner if isinstance(owner, type) else type(owner)


_HOMES = ("builtins", "collections", "itertools", "re")
