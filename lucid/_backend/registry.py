"""Where declared things are found: ops by class, functions by name, and what lives in which of torch's modules.

Filled when classes and functions are declared, read ever after. A name declared twice is an error: what is found must
not depend on which file was loaded last.
"""

from types import FunctionType

from .._tensor.tensor import Tensor
from .entries import function_entry, method_entry

OPS: dict[str, type] = {}  # class name -> Operation
FUNCTIONS: dict = {}  # public function name -> function: what Tensors answer as a vocabulary
WORDS: dict = {}  # forms of those that rules may call with numbers where the public function refuses
PAIR_ENDS: dict[str, int] = {}  # op that ends a fusion pattern -> elements of the gradient from which it may fire
NAMESPACES: dict[str, dict] = {}  # "torch", "nn.functional", "linalg" ... -> {name: function} of what lives there


def place(table, name, f):
    """Enter f under a name; ValueError if something declared elsewhere has it. What is declared again (a cell that runs
    twice, a reloaded module) takes its own place.
    """
    _check_free(table, name, f)
    table[name] = f


def _check_free(table, name, f):
    had = table.get(name)
    if had is not None and had != f and _origin(had) != _origin(f):
        raise ValueError(f"'{name}' is declared twice: in {_origin(had)[0]} and in {_origin(f)[0]}")


def _origin(f):
    """Where something was declared: (module, qualified name)."""
    op = f if isinstance(f, type) else getattr(f, "op", getattr(f, "body", f))
    return getattr(op, "__module__", None), getattr(op, "__qualname__", None)


def public(name=None, *, namespace="torch", method=None, word=None):
    """Publish a plain function (a composite): where torch has it, as which Tensor method, and as which word.

    namespace: a place or several, None for nowhere; method: True, a name, or several names; word: the name by which
    gradient rules find it beside its own, False for none.
    """

    def declare(f):
        publish_name(name or f.__name__, f, namespace, word is not False)
        if word:
            place(FUNCTIONS, word, f)
        names = (name or f.__name__,) if method is True else (method,) if isinstance(method, str) else method or ()
        for n in names:
            setattr(Tensor, n, method_entry(n, f))
        return f

    return declare


def publish_name(name, f, namespace, word=True, entry=function_entry):
    """Make f the function of that name in one or several of torch's modules; the one in `torch` answers the word.

    word=False: f answers no word. entry(namespace, name, f) makes the function that users see there.
    """
    for where in (namespace,) if isinstance(namespace, str) else namespace or ():
        there = NAMESPACES.setdefault(where, {})
        if there.get(name) == f:
            continue  # the entry itself, as programs see it
        _check_free(there, name, f)  # before an entry is made: that one is seen at once
        there[name] = entry(where, name, f)
        if word and (where == "torch" or name not in NAMESPACES.get("torch", ())):
            FUNCTIONS[name] = f


# methods that stand in the class itself, and look at their arguments
_OWN = set(
    "size stride backward register_hook register_post_accumulate_grad_hook as_subclass is_contiguous view".split()
)


def complete_methods():
    """Give the methods that were put into Tensor by hand their entries, as all others have."""
    for name, f in list(vars(Tensor).items()):
        if type(f) is FunctionType and not (name.startswith("_") or name in _OWN or hasattr(f, "write")):
            setattr(Tensor, name, method_entry(name, f))


def tensor_method(f):
    """Publish a plain function as a Tensor method of its own name. Python's own methods ask for themselves."""
    setattr(Tensor, f.__name__, f if f.__name__.startswith("__") else method_entry(f.__name__, f))
    return f
