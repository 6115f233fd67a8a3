"""Reads pickles that may come from anybody: `load(weights_only=True)` builds tensors, plain containers and what was
allowed.

An interpreter of pickle's opcodes that knows no others than weights need, calls only functions from a list and sets
state only on types of that list. What is refused raises UnpicklingError with torch's words.
"""

import _codecs
import _compat_pickle
import collections
import math
import pickle
import struct
import warnings

from .._base.device import device
from .._base.dtype import DTYPES
from .._base.shape import Size
from .._func.methods.legacy_types import LEGACY_TYPES
from .._tensor.tensor import Tensor
from .names import ALLOWED as _PARAMETERS
from .rebuild import REBUILDERS, _get_layout, _rebuild_from_type_v2, set_within
from .typed import DTYPE_OF, TypedStorage
from .untyped import UntypedStorage

_BLOCKED = ("sys", "os", "posix", "nt")
_ADDED: set = set()  # what add_safe_globals was given


class StorageType:
    """What a typed storage's name in a file stands for."""

    def __init__(self, name):
        self.dtype = DTYPE_OF[name]

    def __str__(self):
        return f"StorageType(dtype={self.dtype})"


_ALLOWED = {
    "collections.OrderedDict": collections.OrderedDict,
    "collections.Counter": collections.Counter,
    "torch.serialization._get_layout": _get_layout,
    "torch.Size": Size,
    "torch.Tensor": Tensor,
    "torch.device": device,
    "_codecs.encode": _codecs.encode,
    "builtins.bytearray": bytearray,
    "builtins.set": set,
    "builtins.complex": complex,
    "torch._tensor._rebuild_from_type_v2": _rebuild_from_type_v2,
    "torch.storage.UntypedStorage": UntypedStorage,
    "torch.storage.TypedStorage": TypedStorage,
    "torch.UntypedStorage": UntypedStorage,
    "torch.TypedStorage": TypedStorage,
    **{f"torch.{name}": d for name, d in DTYPES.items()},
    **{f"torch.{name}": t for name, t in LEGACY_TYPES.items()},
    **{f"torch.{name}": StorageType(name) for name in DTYPE_OF},
    **{f"torch._utils.{f.__name__}": f for f in REBUILDERS},
}


# Constructors that take a size, and how many elements a file may ask of one.
_MAKERS = (bytearray, UntypedStorage, TypedStorage, Tensor, *LEGACY_TYPES.values())
_MOST_CLAIMED = 1 << 16


def add_safe_globals(safe_globals):
    """add_safe_globals([cls or function or (it, "full.name"), ...]): let weights_only loading use them."""
    _ADDED.update(safe_globals)


def get_safe_globals():
    """What add_safe_globals was given so far, a list."""
    return list(_ADDED)


def clear_safe_globals():
    """Forget all that add_safe_globals was given."""
    _ADDED.clear()


class safe_globals:
    """with safe_globals([...]): add_safe_globals for the length of a block."""

    def __init__(self, safe_globals):
        self.safe_globals = safe_globals

    def __enter__(self):
        add_safe_globals(self.safe_globals)

    def __exit__(self, *exc):
        _ADDED.difference_update(set(self.safe_globals))


def _added() -> dict:
    found = {}
    for item in _ADDED:
        if isinstance(item, tuple):
            if len(item) != 2:
                raise ValueError(
                    "Expected tuple of length 2 (global, str of callable full path), but got tuple of "
                    f"length: {len(item)}"
                )
            if type(item[1]) is not str:
                raise TypeError(
                    f"Expected second item in tuple to be str of callable full path, but got: {type(item[1])}"
                )
            found[item[1]] = item[0]
        else:
            home = item.__module__
            found[f"{home}.{item.__qualname__}"] = item
            if home.partition(".")[0] == "lucid":
                found[f"torch{home[5:]}.{item.__qualname__}"] = item
    return found


def _global(module, name):
    """torch's or Python's object of that name, if it is allowed."""
    if (module, name) in _compat_pickle.NAME_MAPPING:  # names of Python 2, which protocol 2 writes
        module, name = _compat_pickle.NAME_MAPPING[module, name]
    module = _compat_pickle.IMPORT_MAPPING.get(module, module)
    path = f"{module}.{name}"
    if module in _BLOCKED:
        raise pickle.UnpicklingError(f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked.")
    for table in (_ALLOWED, _PARAMETERS, _added()):
        if path in table:
            return table[path]
    path = path.removeprefix("builtins.")
    raise pickle.UnpicklingError(
        f"Unsupported global: GLOBAL {path} was not an allowed global by default. Please use "
        f"`torch.serialization.add_safe_globals([{path}])` or the `torch.serialization.safe_globals([{path}])` context "
        "manager to allowlist this global if you trust this class/function."
    )


def _is_allowed(thing):
    return any(thing is x for table in (_ALLOWED, _PARAMETERS, _added()) for x in table.values())


def _refuse_claims(func, args):
    """Refuse sizes: what `save` writes makes memory of bytes that are in the file."""
    while func is _rebuild_from_type_v2:
        func, args = args[0], args[2]
    if any(func is maker for maker in _MAKERS):
        sizes = [n for a in args for n in (a if isinstance(a, tuple) else (a,)) if isinstance(n, int)]
        if math.prod(sizes) > _MOST_CLAIMED:
            raise pickle.UnpicklingError(f"Refused to make {func.__name__} of size {sizes}: no such file is written")


class Unpickler:
    """Unpickler(file, encoding="bytes"): `load()` gives the object; set `persistent_load` for storages."""

    def __init__(self, file, *, encoding="bytes"):
        self._file, self._encoding = file, encoding
        self._read, self._memo, self._stack, self._marks = file.read, {}, [], []

    def persistent_load(self, pid):
        raise pickle.UnpicklingError("unsupported persistent id encountered")

    def load(self):
        """The object that the pickle in the file describes."""
        self._stack, self._marks = [], []
        while True:
            code = self._read(1)
            if not code:
                raise EOFError("Ran out of input")
            if code == pickle.STOP:
                return self._stack.pop()
            act = _ACTIONS.get(code)
            if act is None:
                raise pickle.UnpicklingError(f"Unsupported operand {code[0]}")
            act(self)

    # ---- the opcodes that can do harm

    def _do_global(self):
        module, name = self._file.readline()[:-1].decode(), self._file.readline()[:-1].decode()
        self._stack.append(_global(module, name))

    def _do_newobj(self):
        args, cls = self._stack.pop(), self._stack.pop()
        if cls is _PARAMETERS.get("torch.nn.parameter.Parameter"):
            self._stack.append(cls(*args))
        elif _is_allowed(cls):
            _refuse_claims(cls, args)
            self._stack.append(cls.__new__(cls, *args))
        else:
            raise pickle.UnpicklingError(
                "Can only create new object for nn.Parameter or classes allowlisted via "
                f"`add_safe_globals` but got {cls}"
            )

    def _do_reduce(self):
        args, func = self._stack.pop(), self._stack[-1]
        if not _is_allowed(func):
            raise pickle.UnpicklingError(
                f"Trying to call reduce for unrecognized function {func}"
                + (f" which belongs to {func.__self__}" if hasattr(func, "__self__") else "")
            )
        _refuse_claims(func, args)
        self._stack[-1] = func(*args)

    def _do_build(self):
        state, made = self._stack.pop(), self._stack[-1]
        kind = type(made)
        if kind is Tensor:
            set_within(made, *state)
        elif kind is collections.OrderedDict:
            made.__dict__.update(state)
        elif not _is_allowed(kind):
            raise pickle.UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via "
                f"`add_safe_globals`, but got {kind}"
            )
        elif hasattr(made, "__setstate__"):
            made.__setstate__(state)
        else:
            attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
            made.__dict__.update(attributes or {})
            for name, value in (slots or {}).items():
                setattr(made, name, value)

    def _do_persistent(self):
        pid = self._stack.pop()
        if type(pid) not in (tuple, int):
            raise pickle.UnpicklingError(f"persistent_load id must be tuple or int, but got {type(pid)}")
        if type(pid) is tuple and pid and pid[0] not in ("storage", b"storage"):
            raise pickle.UnpicklingError(f"Only persistent_load of storage is allowed, but got {type(pid[0])}")
        self._stack.append(self.persistent_load(pid))

    # ---- containers

    def _items(self):
        """What was pushed since the last mark."""
        items, self._stack = self._stack, self._marks.pop()
        return items

    def _do_mark(self):
        self._marks.append(self._stack)
        self._stack = []

    def _add_to_list(self, items, verb):
        target = self._stack[-1]
        if type(target) is not list:
            raise pickle.UnpicklingError(f"Can only {verb} lists, but got {type(target)}")
        target.extend(items)

    def _set_items(self, items, opcode):
        target = self._stack[-1]
        if type(target) not in (dict, collections.OrderedDict, collections.Counter):
            raise pickle.UnpicklingError(
                f"Can only {opcode} for dict, collections.OrderedDict, collections.Counter, but got {type(target)}"
            )
        for key, value in zip(items[::2], items[1::2]):
            target[key] = value

    def _last(self, n):
        items = self._stack[-n:]
        del self._stack[-n:]
        return items

    def _tuple_of(self, n):
        self._stack.append(tuple(self._last(n)))

    # ---- numbers and text

    def _unpack(self, form):
        return struct.unpack(form, self._read(struct.calcsize(form)))[0]

    def _push(self, value):
        self._stack.append(value)

    def _short_text(self):
        data = self._read(self._read(1)[0])
        return data if self._encoding == "bytes" else data.decode(self._encoding, "strict")

    def _protocol(self):
        version = self._read(1)[0]
        if version != 2:
            warnings.warn(
                f"Detected pickle protocol {version} in the checkpoint, which was not the default pickle protocol "
                "used by `torch.load` (2). The weights_only Unpickler might not support all instructions implemented "
                "by this protocol, please file an issue for adding support if you encounter this.",
                stacklevel=5,
            )

    def _remember(self, form):
        self._memo[self._unpack(form)] = self._stack[-1]


_U = Unpickler
_ACTIONS = {
    pickle.GLOBAL: _U._do_global,
    pickle.NEWOBJ: _U._do_newobj,
    pickle.REDUCE: _U._do_reduce,
    pickle.BUILD: _U._do_build,
    pickle.BINPERSID: _U._do_persistent,
    pickle.MARK: _U._do_mark,
    pickle.PROTO: _U._protocol,
    pickle.APPEND: lambda u: u._add_to_list(u._last(1), "append to"),
    pickle.APPENDS: lambda u: u._add_to_list(u._items(), "extend"),
    pickle.SETITEM: lambda u: u._set_items(u._last(2), "SETITEM"),
    pickle.SETITEMS: lambda u: u._set_items(u._items(), "SETITEMS"),
    pickle.TUPLE: lambda u: u._push(tuple(u._items())),
    pickle.TUPLE1: lambda u: u._tuple_of(1),
    pickle.TUPLE2: lambda u: u._tuple_of(2),
    pickle.TUPLE3: lambda u: u._tuple_of(3),
    pickle.NONE: lambda u: u._push(None),
    pickle.NEWTRUE: lambda u: u._push(True),
    pickle.NEWFALSE: lambda u: u._push(False),
    pickle.EMPTY_TUPLE: lambda u: u._push(()),
    pickle.EMPTY_LIST: lambda u: u._push([]),
    pickle.EMPTY_DICT: lambda u: u._push({}),
    pickle.EMPTY_SET: lambda u: u._push(set()),
    pickle.BININT: lambda u: u._push(u._unpack("<i")),
    pickle.BININT1: lambda u: u._push(u._unpack("B")),
    pickle.BININT2: lambda u: u._push(u._unpack("<H")),
    pickle.BINFLOAT: lambda u: u._push(u._unpack(">d")),
    pickle.LONG1: lambda u: u._push(pickle.decode_long(u._read(u._read(1)[0]))),
    pickle.BINUNICODE: lambda u: u._push(str(u._read(u._unpack("<I")), "utf-8", "surrogatepass")),
    pickle.SHORT_BINSTRING: lambda u: u._push(u._short_text()),
    pickle.BINGET: lambda u: u._push(u._memo[u._unpack("B")]),
    pickle.LONG_BINGET: lambda u: u._push(u._memo[u._unpack("<I")]),
    pickle.BINPUT: lambda u: u._remember("B"),
    pickle.LONG_BINPUT: lambda u: u._remember("<I"),
}


def globals_of(file) -> set:
    """The full names that a pickle refers to, without running it; raises UnpicklingError at opcodes `load` would
    refuse."""
    import pickletools

    found = set()
    for op, argument, _ in pickletools.genops(file):
        if op.name == "GLOBAL":
            module, name = argument.split(" ", 1)
            module, name = _compat_pickle.NAME_MAPPING.get((module, name), (module, name))
            found.add(f"{_compat_pickle.IMPORT_MAPPING.get(module, module)}.{name}")
        elif op.code.encode("latin-1") not in _ACTIONS and op.name != "STOP":
            raise pickle.UnpicklingError(f"Unsupported operand {ord(op.code)}")
    return found


def unsafe(names) -> list:
    """Those of the full names that `load` would refuse."""
    tables = (_ALLOWED, _PARAMETERS, _added())
    return [n for n in names if not any(n in table for table in tables)]


def load(file, *, encoding="ASCII"):
    """The object that the pickle in the file describes."""
    return Unpickler(file, encoding=encoding).load()


__all__ = ["StorageType", "Unpickler", "load"]
