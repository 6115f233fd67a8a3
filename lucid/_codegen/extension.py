"""C kernels as Python functions that cost little to call: extension modules made without Python's headers.

    load(text, [("name", n_arrays, n_longs), ("other", n_arrays, n_longs, n_doubles)], release=32768)
        -> object with one function for each kernel, and `.kind`: "extension" or "ctypes"
    load_parts([(text, ("name", n_arrays, n_longs)), ...]) -> the functions of many texts, compiled side by side
    source(text, kernels, release=32768) -> the whole C text that `load` compiles, for `build.compile_many`

In C a kernel is `void name(T *array, ..., long, ..., double, ...)`: the arrays' data pointers of any element type, then
whole numbers, then floats. In Python it is called alike, `name(array, ..., long, ..., double, ...)`, positionally, with
numpy arrays; it returns None. The function checks how many arguments there are and that arrays are arrays, and nothing
else: layout, element type, alignment and size are the caller's affair. The first long is the amount of work
(elements): the interpreter's lock is released for `release` and more, and kept without longs.
A text may use lucid_parallel (pool.py); its declarations stand before the text already.

The names of CPython's stable ABI are declared by hand, and the data pointer is read from behind the head of numpy's
array object. That place is checked with arrays whose pointer is known before anything else is read there; where it does
not hold (another Python, a build without the interpreter's lock) the same kernels are called through ctypes.
NoCompiler and CompileError come from `build`.
"""

import ctypes
import functools
import hashlib
import importlib.machinery
import importlib.util
import sys
import types

import numpy as np

from . import build, pool
from .heap import keep_freed_memory

RELEASE = 32768
PART = 15000  # of some hundred kernels' lines, which a compiler takes half a second for

_PYTHON = r"""
/* CPython's stable ABI, by hand */
typedef struct _object object_t;
typedef struct { const char *name; void *function; int flags; const char *doc; } method_t;
typedef struct { long references; void *type; void *init; long index; void *copy; const char *name; const char *doc;
                 long size; method_t *methods; void *slots, *traverse, *clear, *free; } module_t;
extern object_t *PyModule_Create2(module_t *, int);
extern long PyLong_AsLong(object_t *);
extern double PyFloat_AsDouble(object_t *);
extern void *PyLong_AsVoidPtr(object_t *);
extern object_t *PyLong_FromVoidPtr(void *);
extern object_t *PyErr_Occurred(void);
extern object_t *PyErr_Format(object_t *, const char *, ...);
extern int PyType_IsSubtype(void *, void *);
extern void *PyEval_SaveThread(void);
extern void PyEval_RestoreThread(void *);
extern void Py_IncRef(object_t *);
extern object_t _Py_NoneStruct, *PyExc_TypeError;
#define LUCID_TYPE(o) (*(void **)((char *)(o) + HEAD - sizeof(void *)))
#define LUCID_DATA(o) (*(void **)((char *)(o) + HEAD))
static void *lucid_array_type;
static object_t *lucid_none(void) { Py_IncRef(&_Py_NoneStruct); return &_Py_NoneStruct; }
static int lucid_arguments(const char *name, object_t *const *v, long n, long arrays, long expected)
{
  if (n != expected) {
    PyErr_Format(PyExc_TypeError, "%s() takes %ld arguments (%ld given)", name, expected, n);
    return 0;
  }
  for (long i = 0; i < arrays; i++)
    if (LUCID_TYPE(v[i]) != lucid_array_type && !PyType_IsSubtype(LUCID_TYPE(v[i]), lucid_array_type)) {
      PyErr_Format(PyExc_TypeError, "%s(): argument %ld must be a numpy array", name, i);
      return 0;
    }
  return 1;
}
static object_t *lucid_start(object_t *self, object_t *const *v, long n)
{
  lucid_array_type = PyLong_AsVoidPtr(v[0]);
  lucid_use_pool(PyLong_AsVoidPtr(v[1]));
  return PyLong_FromVoidPtr(LUCID_DATA(v[2]));
}
"""

_METHOD = """static object_t *lucid_call_{name}(object_t *self, object_t *const *v, long n)
{{
  {numbers}
  if (!lucid_arguments("{name}", v, n, {arrays}, {total})) return 0;
  {reads}
  {call}
  return lucid_none();
}}
"""


def _method(name, arrays, longs, doubles, release):
    """The C text of one Python function."""
    reads = [f"l[{i}] = PyLong_AsLong(v[{arrays + i}]);" for i in range(longs)]
    reads += [f"d[{i}] = PyFloat_AsDouble(v[{arrays + longs + i}]);" for i in range(doubles)]
    failed = [f"l[{i}] == -1" for i in range(longs)] + [f"d[{i}] == -1" for i in range(doubles)]
    if failed:
        reads.append(f"if (({' || '.join(failed)}) && PyErr_Occurred()) return 0;")
    given = [f"LUCID_DATA(v[{i}])" for i in range(arrays)]
    given += [f"l[{i}]" for i in range(longs)] + [f"d[{i}]" for i in range(doubles)]
    call = f"{name}({', '.join(given)});"
    if longs:
        apart = "".join(f"void *p{i} = LUCID_DATA(v[{i}]); " for i in range(arrays))
        given[:arrays] = [f"p{i}" for i in range(arrays)]
        call = (
            f"if (l[0] < {release}) {call}\n  else {{\n    {apart}void *state = PyEval_SaveThread();\n"
            f"    {name}({', '.join(given)});\n    PyEval_RestoreThread(state);\n  }}"
        )
    numbers = " ".join([f"long l[{longs}];"] * bool(longs) + [f"double d[{doubles}];"] * bool(doubles))
    return _METHOD.format(
        name=name, numbers=numbers, arrays=arrays, total=arrays + longs + doubles, reads="\n  ".join(reads), call=call
    )


@functools.lru_cache(None)
def head():
    """How many bytes of an array object stand before its data pointer; None where that is not as expected."""
    size = object.__basicsize__
    if sys.implementation.name != "cpython" or size != 2 * ctypes.sizeof(ctypes.c_void_p):
        return None
    for probe in (
        np.zeros(3),
        np.arange(40, dtype=np.int16)[7:],
        np.zeros((2, 3), bool).T,
        np.float32(1) + np.zeros(()),
    ):
        probe = np.asarray(probe)
        data = ctypes.c_void_p.from_address(id(probe) + size).value
        kind = ctypes.c_void_p.from_address(id(probe) + size - ctypes.sizeof(ctypes.c_void_p)).value
        if data != probe.ctypes.data or kind != id(np.ndarray):
            return None
    return size


def _kernels(kernels):
    return tuple((*kernel, 0)[:4] for kernel in kernels)


def source(text, kernels, release=RELEASE):
    """The whole C text of an extension module with these kernels."""
    return whole_text(text, kernels, release)[0]


def whole_text(text, kernels, release=RELEASE):
    """(the same, the module's name, which is None where ctypes calls its functions)"""
    return _source(text, _kernels(kernels), release)


def _source(text, kernels, release):
    whole = pool.DECLARATIONS + text
    if head() is None:
        return whole, None
    methods = "".join(_method(*kernel, release) for kernel in kernels)
    whole += _PYTHON.replace("HEAD", str(head())) + methods
    name = "lucid_kernels_" + hashlib.sha256(whole.encode()).hexdigest()[:16]
    rows = "".join(f'  {{"{kernel[0]}", (void *)lucid_call_{kernel[0]}, 0x80, 0}},\n' for kernel in kernels)
    whole += (
        f"static method_t lucid_methods[] = {{\n{rows}"
        '  {"lucid_start", (void *)lucid_start, 0x80, 0},\n  {0, 0, 0, 0}\n};\n'
        f'static module_t lucid_module = {{1, 0, 0, 0, 0, "{name}", 0, -1, lucid_methods, 0, 0, 0, 0}};\n'
        f'__attribute__((visibility("default"))) object_t *PyInit_{name}(void)\n'
        "{\n  return PyModule_Create2(&lucid_module, 3);\n}\n"
    )
    return whole, name


def _open_module(name, path):
    """The extension module at this path, which is not entered in sys.modules."""
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, path, loader=loader))
    loader.exec_module(module)
    return module


def _pool(text):
    """The address of the pool for a text that uses it: others do not wait for the core library to be compiled."""
    return pool.address() if "lucid_parallel" in text else 0


def _checked(module, text):
    """Tell a new module the array type and the pool; whether it reads the data pointer of an array that we know."""
    probe = np.arange(11, dtype=np.int32)[3:]
    return module.lucid_start(id(np.ndarray), _pool(text), probe) == probe.ctypes.data


def load(text, kernels, release=RELEASE):
    """The kernels of a C text as Python functions; see the head of this file."""
    return _load(text, _kernels(kernels), release)


def reopened(name, path):
    """The module of this name that was compiled before; ImportError where it does not read arrays as it should."""
    module = _open_module(name, path)
    if not _checked(module, "lucid_parallel"):
        raise ImportError(f"{path} does not read this Python's arrays")
    return module


def load_parts(parts, told=None, release=RELEASE):
    """The functions of many texts [(text, ("name", n_arrays, n_longs)), ...]: in modules of PART characters or more,
    which several compilers make at once. told: a list that is told (text, kernels) of each module."""
    groups, size = [], PART
    for text, kernel in parts:
        if size >= PART:
            groups.append([])
            size = 0
        groups[-1].append((text, kernel))
        size += len(text)
    modules = [("".join([text for text, _ in group]), _kernels([k for _, k in group])) for group in groups]
    if len(modules) > 1 or pool.sources():
        texts = [_source(text, kernels, release)[0] for text, kernels in modules]
        waiting = pool.sources() if any("lucid_parallel(" in text for text, _ in modules) else []
        for made in build.compile_many([*texts, *waiting])[: len(texts)]:
            if isinstance(made, build.CompileError):
                raise made
    if told is not None:
        told += modules
    loaded = [(_load(text, kernels, release), kernels) for text, kernels in modules]
    return [getattr(module, kernel[0]) for module, kernels in loaded for kernel in kernels]


def forget():
    """Forget what is loaded: the next `load` of a text looks in the cache, or compiles."""
    _load.cache_clear()


@functools.lru_cache(None)
def _load(text, kernels, release):
    whole, name = _source(text, kernels, release)
    keep_freed_memory()
    if name is not None:
        try:
            module = build.opened(whole, functools.partial(_open_module, name))
            if _checked(module, text):
                return types.SimpleNamespace(kind="extension", **{k[0]: getattr(module, k[0]) for k in kernels})
        except build.CompileError as error:
            if "cannot be opened" not in str(error):
                raise
    return by_ctypes(text, kernels)


def _by_id(name, arrays, longs, doubles):
    """The C text of the function that ctypes calls with the addresses of array objects."""
    parameters = [f"void *o{i}" for i in range(arrays)]
    parameters += [f"long l{i}" for i in range(longs)] + [f"double d{i}" for i in range(doubles)]
    given = [f"*(void **)((char *)o{i} + {head()})" for i in range(arrays)]
    given += [f"l{i}" for i in range(longs)] + [f"d{i}" for i in range(doubles)]
    visible = '__attribute__((visibility("default")))'
    return f"{visible} void lucid_id_{name}({', '.join(parameters)}) {{ {name}({', '.join(given)}); }}\n"


def by_ctypes(text, kernels):
    """The same functions without an extension module: slower to call, alike in everything else."""
    kernels, by_id = _kernels(kernels), head() is not None
    library = build.load(pool.DECLARATIONS + text + "".join(_by_id(*kernel) for kernel in kernels if by_id))
    library.lucid_use_pool.argtypes = [ctypes.c_void_p]
    library.lucid_use_pool(_pool(text))
    pointer = id if by_id else lambda array: array.ctypes.data
    prefix = "lucid_id_" if by_id else ""
    made = {k[0]: _by_ctypes(getattr(library, prefix + k[0]), pointer, *k) for k in kernels}
    return types.SimpleNamespace(kind="ctypes", **made)


def _by_ctypes(function, pointer, name, arrays, longs, doubles):
    function.argtypes = [ctypes.c_void_p] * arrays + [ctypes.c_long] * longs + [ctypes.c_double] * doubles
    function.restype = None
    total, array_type = arrays + longs + doubles, np.ndarray

    def kernel(*given):
        if len(given) != total:
            raise TypeError(f"{name}() takes {total} arguments ({len(given)} given)")
        for place in range(arrays):
            if not isinstance(given[place], array_type):
                raise TypeError(f"{name}(): argument {place} must be a numpy array")
        try:
            function(*map(pointer, given[:arrays]), *given[arrays:])
        except ctypes.ArgumentError as error:
            raise TypeError(f"{name}(): {error}") from None

    kernel.__name__ = name
    return kernel
