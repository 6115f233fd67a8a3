"""What is made of a declared op: its node class, its function, Tensor methods and in-place form, and their names."""

from functools import partial

from .._tensor.tensor import Tensor
from . import native
from .calls import Form
from .entries import ENTRIES, held, is_c_function, module_of, own_name
from .generate import SCOPE, form_of, function_text, node_text, tuple_text
from .graph import HOLDS, OUTPUTS
from .registry import FUNCTIONS, PAIR_ENDS, WORDS, publish_name
from .rules import OpNode, joint_on_arrays, loop_on_arrays, saved_values
from .slow_path import method_operator
from .written import written_function

# Operators whose reversed form has to swap the operands.
_REVERSED = {f"__r{n}__" for n in "sub truediv floordiv pow mod matmul lshift rshift div".split()}
# Operators that Python has no in-place form of.
_NOT_IN_PLACE = {f"__{n}__" for n in "eq ne lt le gt ge neg invert abs pos".split()}


# Operators that handlers are told as themselves; of others they are told the op, `__add__` is Tensor.add.
_TOLD_AS_THEMSELVES = {
    f"__{n}__" for n in "eq and or xor lshift rshift iand ior ixor ilshift irshift rsub rpow rmod".split()
}


# ---- the function and the methods


def publish(op):
    """Make op.fn, its Tensor methods, its in-place form; register the names."""
    fn = op.fn = _function(op, op.name, op.label)
    if op.broadcasts and op.scalar_operands == "none":
        WORDS[op.name] = _function(op, op.name, f"word.{op.label}", cold_name="word")
    if not op.namespace:  # a step of a public function, whose name is that function's in the end; or a word of rules
        FUNCTIONS.setdefault(op.name, fn)
    for name in (op.name, *op.aliases):
        publish_name(name, fn, op.namespace, entry=_op_entry)
    for name in (op.name, *op.aliases) if op.method is True else (op.method,) if op.method else ():
        setattr(Tensor, name, _method(op, name))
    for name in op.methods:
        setattr(Tensor, name, _operator(op, name))
    if op.inplace:
        _publish_inplace(op)


def _function(op, name, label, cold_name="interpret", first=None, place=None):
    """A function of the op under a name; first: what its parameters begin with (generate.function_text); place: where
    users find it."""
    scope = {"__builtins__": SCOPE, "OP": op, "FORWARD": op.forward, "prepare": op.prepare, "KERNELS": op.kernels}
    scope.update(_defaults(op), TOLD=None)

    def write():
        scope.update(Node=op.Node, WholeNode=op.WholeNode, NATIVE=native.forward(op))
        form = f.form = form_of(op, place, name) if place else None
        return function_text(op, name, cold_name, first, form)

    f = written_function(label, write, scope)
    f.op, f.__doc__, f.__module__ = op, op.__doc__, "lucid"
    f.__name__ = f.__qualname__ = name
    return f


def _op_entry(namespace, name, fn):
    """The op as a function of one of torch's modules."""
    f = _function(
        fn.op, name, f"{namespace}.{name}", first="held" if is_c_function(namespace, name) else None, place=namespace
    )
    f.__module__ = module_of(namespace, name)
    f.__name__ = f.__qualname__ = own_name(f"{namespace}.{name}", name)
    entry = held(namespace, name, f) if is_c_function(namespace, name) else f
    f.__globals__["TOLD"] = entry
    ENTRIES.setdefault(fn, entry)
    return entry


def _method(op, name):
    """The op as a method of Tensor."""
    f = _function(op, name, f"Tensor.{name}", first="method", place="Tensor")
    f.__globals__["TOLD"] = f
    f.__qualname__ = f"Tensor.{name}"
    return f


def _defaults(op):
    return {f"D_{n}": v for n, v in op.defaults.items()}


def _operator(op, name):
    """An operator method: it answers NotImplemented where torch does."""
    label = f"Tensor.{name}"
    if name in _REVERSED:
        text = f"def {name}(self, other):\n    return reversed_operator(OP, other, self, SELF)\n"
        f = written_function(label, lambda: text, {"__builtins__": SCOPE, "OP": op})
        f.__qualname__ = label
        return f
    f = _function(op, name, label, cold_name="operator")
    f.__doc__ = None
    f.__globals__["operator"] = partial(method_operator, name, f if name in _TOLD_AS_THEMSELVES else None)
    f.__qualname__ = label
    return f


def _publish_inplace(op):
    for name in (op.name, *op.aliases):
        f = _inplace_function(op, f"Tensor.{name}_", None)
        f.__globals__["TOLD"] = f
        setattr(Tensor, name + "_", f)
        if op.namespace:
            publish_name(name + "_", f, "torch", entry=_inplace_entry)
        else:
            FUNCTIONS.setdefault(name + "_", f)
    for operator in op.methods:
        if (not operator.startswith("__r") or operator == "__rshift__") and operator not in _NOT_IN_PLACE:
            own = "__i" + operator[2:]
            f = _inplace_function(op, f"Tensor.{own}", None)
            f.__globals__["TOLD"] = f if own in _TOLD_AS_THEMSELVES else getattr(Tensor, op.name + "_")
            setattr(Tensor, own, f)


def _inplace_function(op, label, first):
    scope, (place, _, name) = {"__builtins__": SCOPE, "OP": op, **_defaults(op)}, label.rpartition(".")

    def write():
        options = [n for n in op.options if n not in op.keyword_only]
        names = ["input" if n == op.inputs[0] and first else n for n in op.inputs]
        f.form = Form(place, name, [*names, *options], op.keyword_only, op.defaults)
        return _inplace_text(op, name, first, f.form)

    f = written_function(label, write, scope)
    f.op, f.__doc__, f.__module__ = op, f"In-place form of {op.name}.", "lucid"
    f.__name__, f.__qualname__ = name, label
    return f


def _inplace_entry(namespace, name, f):
    f = _inplace_function(f.op, f"{namespace}.{name}", "_")
    f.__qualname__ = name
    entry = f.__globals__["TOLD"] = held(namespace, name, f)
    return entry


def _inplace_text(op, name, first, form):
    x, others = form.positional[0], op.inputs[1:]
    required = [f"{n} is NO" for n in others if n not in op.defaults]
    tests = ["more is not NO", *required, *form.guards([n for n in op.options if n != "dtype"])]
    return (
        f"def {name}({', '.join([*([first] if first else []), *form.spelled()])}):\n"
        f"    if {' or '.join(tests)}: return rebind_inplace(OP, TOLD, vars())\n"
        + "".join(line + "\n" for line in form.fill())
        + f"    try: return inplace(OP, {x}, {tuple_text(others)}, {tuple_text(op.options)}, TOLD)\n"
        + "    except AttributeError:\n        TOLD.form.refuse_given(vars())\n        raise\n"
    )


# ---- the node class


NODE_NAMES = {"Node": "node_name", "WholeNode": "whole_node_name", "InplaceNode": "inplace_node_name"}


class NodeOnFirstUse:
    """`op.Node`, `op.WholeNode`, `op.InplaceNode` until somebody asks: most programs record few of all ops."""

    def __init__(self, op, attribute):
        self.op, self.attribute = op, attribute

    def __get__(self, _, cls):
        op, label = self.op, getattr(self.op, NODE_NAMES[self.attribute])
        node = make_node(op, label) if label or self.attribute == "Node" else op.Node
        setattr(op, self.attribute, node)
        return node


def make_node(op, label):
    """The node class of an op: slots for what its rules want, and the method that runs them on raw arrays."""
    label = label or default_node_name(op.name)
    wanted = dict.fromkeys(w for rule in [*op.rules, op.joint] if rule is not None for w in rule.wants)
    slots = [w for w in wanted if w not in ("shape", "shapes")]
    shapes = [f"shape_{i}" for i in range(len(op.inputs))] if "shape" in wanted or "shapes" in wanted else []
    arrays = tuple(w for w in slots if w in op.inputs or w in OUTPUTS)
    scope = {"__slots__": tuple(slots + shapes), "op": op, "saved_names": arrays, "__module__": "torch.autograd.graph"}
    cls = type(label, (OpNode,), scope | saved_values(op, slots))
    cls.on_arrays = _on_arrays(op)
    cls.free, cls.marks = _free_method(op, arrays), HOLDS if arrays else 0
    if op.name in PAIR_ENDS:
        cls.ends_pair_from(PAIR_ENDS[op.name])
    return cls


def default_node_name(name):
    """torch's node name: `log_softmax` -> LogSoftmaxBackward0."""
    return "".join(p[:1].upper() + p[1:] for p in name.strip("_").split("_")) + "Backward0"


def _on_arrays(op):
    if op.joint is not None:
        return joint_on_arrays
    if op.poly or op.n_ret != 1 and op.differentiable != (0,):
        return loop_on_arrays
    rules = {f"rule{i}": rule.call for i, rule in enumerate(op.rules) if rule is not None}
    rules |= {f"native{i}": rule.native(op) for i, rule in enumerate(op.rules) if rule is not None}
    return written_function(f"{op.label}.on_arrays", lambda: node_text(op), {"__builtins__": SCOPE, **rules})


def _free_method(op, arrays):
    """free(self): forget the saved arrays; without any, nothing is forgotten and a second walk is allowed."""
    if not arrays:
        return _keep_all
    cleared = "".join(f"self.{n} = " for n in arrays)
    return written_function(f"{op.label}.free", lambda: f"def free(self):\n    {cleared}None; self.seq = -1\n", {})


def _keep_all(self):
    """free() of a node that saves no arrays."""
