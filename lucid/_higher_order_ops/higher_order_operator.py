"""Operators that take functions: `torch.ops.higher_order.cond`, and what all of them check of those functions."""

from .._aten.overloads import OWN
from .._backend.overrides import ask_overrides
from .._base.state import UNUSUAL, local
from .._tensor import pytree
from .._tensor.storage import storage_of
from .._tensor.tensor import Tensor
from ..autograd.function import Function
from .errors import UncapturedHigherOrderOpError

HIGHER_ORDER = OWN.setdefault("higher_order", {})  # name -> the operator: what torch.ops.higher_order has


class HigherOrderOperator:
    """HigherOrderOperator(name): subclasses say by `py_impl` what a call does.

    A mode of `__torch_function__`, or an operand of a class that has one, is told the operator itself; so a tracer can
    put it into a graph, with the functions as graphs of their own.
    """

    _is_operator_ = True  # torch.fx writes it by its name, as it stands

    def __init__(self, name, *, cacheable=False, supports_training_input_mutation=False):
        if type(self) is HigherOrderOperator:
            raise RuntimeError("Direct instantiation of HigherOrderOperator is not allowed. Please subclass it.")
        self._name = self.__name__ = name
        self._ns, self.__module__ = "higher_order", "torch.ops.higher_order"
        self._cacheable = cacheable
        self._supports_training_input_mutation = supports_training_input_mutation
        self.py_kernels, self._fallthrough = {}, set()
        HIGHER_ORDER[name] = self

    @property
    def namespace(self):
        """ "higher_order" """
        return self._ns

    def name(self):
        """name() -> str"""
        return self._name

    def cacheable(self):
        """cacheable() -> bool: may compiled code with it be kept?"""
        return self._cacheable

    def py_impl(self, k):
        """py_impl(key) -> a decorator: the function says what a call does where key (a dispatch key's name, or a class)
        is at work; "CompositeExplicitAutograd" is for all others.
        """

        def register(fn):
            self.py_kernels[k if isinstance(k, type) else str(k).rpartition(".")[2]] = fn
            return fn

        return register

    py_autograd_impl = py_impl

    def fallthrough(self, dispatch_key):
        """A key that has no say."""
        self._fallthrough.add(str(dispatch_key).rpartition(".")[2])

    def dispatch(self, dispatch_key, *args, **kwargs):
        """What is registered for a key."""
        if dispatch_key not in self.py_kernels:
            raise NotImplementedError(
                f"could not find kernel for HigherOrderOperator {self._name} at dispatch key {dispatch_key}"
            )
        return self.py_kernels[dispatch_key](*args, **kwargs)

    def __call__(self, *args, **kwargs):
        leaves = pytree.tree_leaves((args, kwargs))
        if UNUSUAL and local.interpreters or any(hasattr(type(x), "__torch_function__") for x in leaves):
            handled, result = ask_overrides(self, leaves, args, kwargs)
            if handled:
                return result
        return self.dispatch("CompositeExplicitAutograd", *args, **kwargs)

    def __str__(self):
        return self._name

    def __deepcopy__(self, memo=None):
        return self

    def __reduce__(self):
        return HIGHER_ORDER.get, (self._name,)


# ---- what is asked of the functions


def validate_subgraph_args_types(lifted_args):
    """AssertionError for operands that are neither tensors nor ints."""
    if not all(isinstance(a, (Tensor, int)) for a in lifted_args):
        kinds = "(<class 'torch.Tensor'>, <class 'int'>, <class 'torch.SymInt'>)"
        raise AssertionError(f"{lifted_args} can only be of {kinds} but got {tuple(type(a) for a in lifted_args)}")


_NOT_WHOLE = (
    "This higher order operator doesn't work unless it is captured completely with torch.compile. Got graph "
    "break/error:\n\n"
)


def refuse(op, what, why):
    """Raise torch's error about a function that an operator cannot take."""
    raise UncapturedHigherOrderOpError(f"{_NOT_WHOLE}{what}\n  Higher Order Operator: {op}\n  Explanation: {why}")


def run_checked(op, function, inputs):
    """function(*inputs): an error for an exception, for a result that is an input or shares memory with one, or with
    another result, and for an input that was written to.
    """
    tensors = [x for x in inputs if isinstance(x, Tensor)]
    before = [x._version for x in tensors]
    try:
        result = function(*inputs)
    except UncapturedHigherOrderOpError:
        raise
    except Exception as trouble:
        raise UncapturedHigherOrderOpError(
            f"{_NOT_WHOLE}raised exception {trouble!r}\n  Higher Order Operator: {op}"
        ) from trouble
    if local.grad and [x._version for x in tensors] != before:
        refuse(op, "Encountered input mutation during higher order op tracing", "Input mutation is not supported.")
    memory = {id(storage_of(x)) for x in tensors}
    for x in pytree.tree_leaves(result):
        if isinstance(x, Tensor):
            if id(storage_of(x)) in memory:
                why = (
                    "Higher order ops do not support aliasing.\n"
                    "  Hint: Replace `return input` with `return input.clone()` to avoid aliasing."
                )
                refuse(op, "Encountered aliasing during higher order op tracing", why)
    return result


def check_meta_consistency(op, lhs, rhs, lhs_name, rhs_name):
    """An error where two lists of tensors and ints are not alike: as many, of the same shapes, strides and types."""
    if len(lhs) != len(rhs):
        raise UncapturedHigherOrderOpError(
            f"Expected {lhs_name} and {rhs_name} to have same number of outputs but got lhs:{lhs} and rhs:{rhs}\n"
            f"  Higher Order Operator: {op}"
        )
    found = [
        f"pair[{i}] differ in {difference}, where lhs is {a} and rhs is {b}"
        for i, (a, b) in enumerate(zip(lhs, rhs))
        if (difference := _difference(a, b))
    ]
    if found:
        listed = "\n".join(found)
        raise UncapturedHigherOrderOpError(
            f"Expected {lhs_name} and {rhs_name} to have same metadata but found:\n{listed}\n"
            f"  Higher Order Operator: {op}"
        )


def _difference(a, b):
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
        alike = isinstance(a, int) and isinstance(b, int)
        return "" if alike else f"type: {a} vs {b}"
    facts = {"shape": (a.shape, b.shape), "dtype": (a.dtype, b.dtype), "stride": (a.stride(), b.stride())}
    found = ", ".join([f"'{name}: {x} vs {y}'" for name, (x, y) in facts.items() if x != y])
    return found or ("" if a.device == b.device else "device")


# ---- the graph


def in_graph(function, result):
    """The result, its tensors that need a gradient given by a node named after `function`, a class of Function."""
    leaves, spec = pytree.tree_flatten(result)
    wanted = [i for i, x in enumerate(leaves) if isinstance(x, Tensor) and x.requires_grad]
    if wanted:
        for i, x in zip(wanted, function.apply(*[leaves[i] for i in wanted])):
            leaves[i] = x
    return pytree.tree_unflatten(leaves, spec)


class AutogradOp(Function):
    """Hands tensors and gradients on: a node that stands for all that was computed."""

    @staticmethod
    def forward(ctx, *tensors):
        """The tensors, in memory of their own."""
        return tuple([x.clone() for x in tensors])

    @staticmethod
    def backward(ctx, *grads):
        """The gradients."""
        return grads
