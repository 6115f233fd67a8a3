"""Writes out, once per op, the function users call and the method its nodes run.

A generated function knows its op's arity, options and rules, so a call does no more than: test that nothing is unusual,
run the kernel, wrap, record. Everything else goes to `interpret` (one cold function for all ops). The source of any
function that was called once can be read: `lucid.mul.__source__`.
"""

from functools import partial
from types import FunctionType

from .._array.numpy.table import NumpyWords
from .._base.dtype import dtype
from .._base.state import NO_GRAD, UNUSUAL, clock, local, tick
from .._tensor.storage import link_view
from .._tensor.tensor import Tensor, new_object
from . import slow_path as cold
from .graph import Output, verify
from .option_errors import as_dtype, misused

PLAIN = cold.PLAIN

_SCOPE = {
    "Tensor": Tensor,
    "PLAIN": PLAIN,
    "UNUSUAL": UNUSUAL,
    "NO_GRAD": NO_GRAD,
    "local": local,
    "tick": tick,
    "new": new_object,
    "clock": clock,
    "ndarray": NumpyWords.array_type,
    "verify": verify,
    "interpret": cold.interpret,
    "word": cold.interpret_word,
    "operator": cold.interpret_operator,
    "reversed_operator": cold.reversed_operator,
    "link_view": link_view,
    "Output": Output,
    "wrap_many": cold.wrap_many,
    "inplace": cold.inplace,
    "explain": cold.explain,
    "misused": misused,
    "as_dtype": as_dtype,
    "dtype_type": dtype,
    "float": float,
    "int": int,
    "type": type,
}


def _first_call(*args, **kwargs):
    return awake(SELF)(*args, **kwargs)  # noqa: F821  (names of the function's own scope)


def written_function(name, write, scope):
    """A function whose source, from write(), is compiled when it is first called: most programs call few of all ops.

    The function stays the same object; only its code is exchanged.
    """
    f = FunctionType(_first_call.__code__, scope, name)
    scope["SELF"], scope["awake"] = f, awake
    f.write, f.__source__ = write, ""
    return f


def awake(f):
    """Give a function its own code."""
    scope, source = f.__globals__, f.write()
    exec(compile(source, f"<lucid {f.__code__.co_name}>", "exec"), scope)
    written = scope.pop(source[4 : source.index("(")])
    f.__code__, f.__defaults__, f.__kwdefaults__, f.__source__ = (
        written.__code__,
        written.__defaults__,
        written.__kwdefaults__,
        source,
    )
    return f


# ---- the public function


def publish(op):
    """Make op.fn, its Tensor methods, its in-place form; register the names."""
    from .core import FUNCTIONS, NAMESPACES, WORDS

    fn = op.fn = _function(op, op.name)
    if op.broadcasts and op.scalar_operands == "none":
        WORDS[op.name] = _function(op, op.name, cold_name="word")
    fn.op, fn.__doc__ = op, op.__doc__
    fn.__qualname__ = fn.__name__ = op.name
    fn.__module__ = "torch"
    FUNCTIONS[op.name] = fn
    for alias in op.aliases:
        FUNCTIONS[alias] = fn
    for place in (op.namespace,) if isinstance(op.namespace, str) else op.namespace or ():
        NAMESPACES.setdefault(place, {}).update(dict.fromkeys((op.name, *op.aliases), fn))
    names = (op.name, *op.aliases) if op.method is True else (op.method,) if op.method else ()
    for name in names:
        setattr(Tensor, name, fn)
    for name in op.methods:
        setattr(Tensor, name, _dunder(op, name))
    if op.inplace:
        _publish_inplace(op)


def _dunder(op, name):
    """An operator method: it answers NotImplemented where torch does."""
    reverse = "__r" + name[2:] if name[2] == "r" else None
    if (
        reverse
        and name not in ("__rmul__", "__radd__", "__rand__", "__ror__", "__rxor__")
        and name[3:]
        in ("sub__", "truediv__", "floordiv__", "pow__", "mod__", "matmul__", "lshift__", "rshift__", "div__")
    ):
        source = f"def {name}(self, other): return reversed_operator(OP, other, self)\n"
        return written_function(name, lambda: source, {**_SCOPE, "OP": op})
    f = _function(op, name, cold_name="operator")
    f.__globals__["operator"] = partial(cold.method_operator, name)
    f.__qualname__ = f"Tensor.{name}"
    return f


def _publish_inplace(op):
    from .core import FUNCTIONS, NAMESPACES

    name = op.name + "_"
    others = op.inputs[1:]
    options = [f"{o}=D_{o}" if o in op.defaults else o for o in op.options if o not in op.keyword_only]
    kw = [f"{o}=D_{o}" if o in op.defaults else o for o in op.keyword_only]
    params = ["self", *[f"{o}=D_{o}" if o in op.defaults else o for o in others], *options, *(["*"] if kw else []), *kw]
    source = (
        f"def {name}({', '.join(params)}):\n"
        f"    return inplace(OP, self, ({''.join(o + ', ' for o in others)}), ({''.join(o + ', ' for o in op.options)}))\n"
    )
    scope = {**_SCOPE, "OP": op, **{f"D_{n}": v for n, v in op.defaults.items()}}
    f = written_function(name, lambda: source, scope)
    f.op, f.__doc__ = op, f"In-place form of {op.name}."
    f.__qualname__ = f"Tensor.{name}"
    for alias in (op.name, *op.aliases):
        setattr(Tensor, alias + "_", f)
        FUNCTIONS[alias + "_"] = f
        if op.namespace:
            NAMESPACES.setdefault("torch", {})[alias + "_"] = f
    for dunder in op.methods:
        if not dunder.startswith("__r") and dunder not in (
            "__eq__",
            "__ne__",
            "__lt__",
            "__le__",
            "__gt__",
            "__ge__",
            "__neg__",
            "__invert__",
            "__abs__",
            "__pos__",
        ):
            setattr(Tensor, "__i" + dunder[2:], f)


def _signature(op, with_out):
    """The parameters of the public function, in torch's order; D_x stands for a default value."""

    def spell(n):
        return f"{n}=D_{n}" if n in op.defaults else n

    params = [spell(n) for n in op.inputs]
    plain = [n for n in op.options if n not in op.keyword_only]
    if op.varargs:
        plain.remove(op.varargs)
        return [
            *params,
            f"*{op.varargs}",
            *[spell(n) for n in plain],
            *[spell(n) for n in op.keyword_only],
            *(["out=None"] if with_out else []),
            "**named",
        ]
    params += [spell(n) for n in plain]
    kw = [spell(n) for n in op.keyword_only]
    if with_out:
        kw.append("out=None")
    if "dim" in op.options and op.name != "squeeze":
        kw.append("axis=None")
    if "keepdim" in op.options:
        kw.append("keepdims=None")
    return params + (["*"] + kw if kw else [])


_LOCALS = {"k", "d", "n", "t", "d0", "n0", "d1", "n1"}  # names that the short way needs for itself


def _function(op, name, cold_name="interpret"):
    scope = {
        **_SCOPE,
        "OP": op,
        "Node": op.Node,
        "WholeNode": op.WholeNode,
        "forward": op.forward,
        "prepare": op.prepare,
        "KERNELS": op.kernels,
        **{f"D_{n}": v for n, v in op.defaults.items()},
    }
    return written_function(name, lambda: _function_source(op, name, cold_name), scope)


def _function_source(op, name, cold_name):
    lines = [f"def {name}({', '.join(_signature(op, _takes_out(op, cold_name)))}):"]
    add = lines.append
    if op.varargs:
        v = op.varargs
        add(f"    if named: {v} = (take_named({op.name!r}, {v!r}, {v}, named),)")
        add(f"    if len({v}) == 1 and not isinstance({v}[0], int): {v} = {v}[0]")
        add(f"    {v} = tuple({v}) if isinstance({v}, (tuple, list)) else {v}")
    if "axis=None" in lines[0]:
        add("    if axis is not None: dim = axis")
    if "keepdims=None" in lines[0]:
        add("    if keepdims is not None: keepdim = keepdims")
    if op.poly or not _LOCALS.isdisjoint(op.options):
        _poly_body(op, add, cold_name)
    else:
        _body(op, add, cold_name)
    return "\n".join(lines) + "\n"


def take_named(name, wanted, given, named):
    """The value of a variadic option that was given by keyword."""
    if given:
        raise TypeError(f"{name}() got multiple values for argument '{wanted}'")
    if list(named) != [wanted]:
        wrong = next(n for n in named if n != wanted)
        raise TypeError(f"{name}() got an unexpected keyword argument '{wrong}'")
    return named[wanted]


_SCOPE["take_named"] = take_named


def _takes_out(op, cold_name):
    return op.has_out and cold_name == "interpret"


def _tuple(names):
    return "(" + "".join(n + ", " for n in names) + ")"


def _cold_call(op, cold_name):
    out = ", out" if _takes_out(op, cold_name) else ""
    return f"return {cold_name}(OP, {_tuple(op.inputs)}, {_tuple(op.options)}{out})"


def _body(op, add, cold_name):
    """Straight-line code for a fixed number of tensors."""
    first, others = op.inputs[0], op.inputs[1:]
    optional = [n for n in op.inputs if n in op.defaults and op.defaults[n] is None]
    to_cold = _cold_call(op, cold_name)
    out_test = "out is not None or " if _takes_out(op, cold_name) else ""
    add(f"    if {out_test}UNUSUAL or type({first}) is not Tensor and type({first}) not in PLAIN:\n        {to_cold}")
    add(f"    k = {first}._table")
    add(f"    n0 = {first}._node")
    add(f"    d0 = {first}._array")
    if op.promote == "int_to_float" or op.promote == "int_to_long" or "dtype" in op.options and op.promote:
        test = "not k.inexact" + (" or dtype is not None" if "dtype" in op.options else "")
        add(f"    if {test}:\n        {to_cold}")
    for i, n in enumerate(others, 1):
        if n in optional:
            add(f"    if {n} is None: d{i} = n{i} = None")
            if n in op.index_inputs:
                add(
                    f"    elif type({n}) in PLAIN and {n}._table.device_group is k.device_group: d{i} = {n}._array; n{i} = None"
                )
            else:
                add(f"    elif type({n}) in PLAIN and {n}._table is k: d{i} = {n}._array; n{i} = {n}._node")
        elif n in op.index_inputs:
            add(
                f"    if type({n}) in PLAIN and {n}._table.device_group is k.device_group: d{i} = {n}._array; n{i} = None"
            )
        elif op.promote == "keep":
            add(
                f"    if type({n}) in PLAIN and {n}._table.device_group is k.device_group: d{i} = {n}._array; n{i} = {n}._node"
            )
        else:
            add(
                f"    if (type({n}) is Tensor or type({n}) in PLAIN) and {n}._table is k: d{i} = {n}._array; n{i} = {n}._node"
            )
            if (
                op.broadcasts
                and op.promote in ("same", "compare", "int_to_float")
                and not op.node_number
                and (op.scalar_operands != "none" or cold_name == "word")
            ):
                add(
                    f"    elif type({n}) is float and k.inexact or type({n}) is int and k.dtype.category: "
                    f"d{i} = k.scalar({n}); n{i} = None"
                )
        add(f"    else:\n        {to_cold}")
    for n in op.scalar_options:
        none = f"{n} is not None and " if op.defaults.get(n, 0) is None else ""
        add(
            f"    if {none}not (type({n}) is float and k.inexact or type({n}) is int and k.dtype.category):\n        {to_cold}"
        )
    if op.whole_node_name:
        add(f"    node_class = WholeNode if {op.options[0]} is None else Node")
    _prepare_line(op, add)
    arrays = ", ".join([f"d{i}" for i in range(len(op.inputs))])
    args = ", ".join(["k", arrays, *op.options])
    run = f"{'KERNELS.get(k.backend, forward)' if op.kernels else 'forward'}({args})"
    if op.fast_word:
        run = f"k.{op.fast_word}({arrays}) if {' and '.join(f'{n} is D_{n}' for n in op.options)} else {run}"
    run = _one_word(op) or run
    if op.broadcasts:
        add(f"    try: d = {run}\n    except (ValueError, TypeError) as trouble: explain(OP, k, [{arrays}], trouble)")
    else:
        add(f"    d = {run}")
    _tail(op, add)


def _one_word(op):
    """The kernel written out, when it is one word of its inputs in order: saves a Python call."""
    if op.kernels or op.options or op.compute_in_float32:
        return None
    code = op.forward.__code__
    names = code.co_names
    simple = code.co_code == _word_code(code.co_argcount)
    return f"k.{names[0]}({', '.join(f'd{i}' for i in range(len(op.inputs)))})" if simple and len(names) == 1 else None


_WORD_CODES: dict = {}


def _word_code(n_args):
    """The bytecode of `def f(xp, a, b...): return xp.word(a, b...)`."""
    if n_args not in _WORD_CODES:
        params = ", ".join(f"a{i}" for i in range(n_args - 1))
        scope = {}
        exec(f"def f(xp, {params}): return xp.word({params})", scope)
        _WORD_CODES[n_args] = scope["f"].__code__.co_code
    return _WORD_CODES[n_args]


def _prepare_line(op, add):
    if "dtype" in op.options:
        add("    if dtype is not None and dtype.__class__ is not dtype_type: dtype = as_dtype(OP, dtype)")
    if op.prepare is not None:
        arrays = ", ".join(f"d{i}" for i in range(len(op.inputs)))
        add(f"    try: {_tuple(op.options)} = prepare({', '.join([arrays, *op.options])})")
        add(f"    except (TypeError, ValueError, AttributeError): misused(OP, {_tuple(op.options)})")


def _tail(op, add):
    """Wrap the raw result and record the call."""
    ins = range(len(op.inputs))
    needs = " is ".join(f"n{i}" for i in ins) + " is None"
    recording = f"{needs} or NO_GRAD and not local.grad" if op.has_gradient else "True"
    if op.n_ret != 1:
        arrays, edges = _tuple(f"d{i}" for i in ins), _tuple(f"n{i}" for i in ins)
        add(
            f"    return wrap_many(OP, k, d, {_tuple(op.inputs)}, {arrays}, "
            f"None if {recording} else {edges}, {_tuple(op.options)})"
        )
        return
    table = {
        "same": "k",
        "bool": "k.bool",
        "of": "k if d.dtype is k.array_dtype else k.of(d)",
        "elsewhere": f"OP.table(k, {', '.join(op.options)})",
    }[op.result]
    if op.result != "elsewhere":
        add("    if d.__class__ is not ndarray: d = k.asarray(d)")
    add(f"    t = new(Tensor); t._array = d; t._table = {table}; t._extra = None")
    add(f"    if {recording}: t._node = None")
    if op.has_gradient:
        add("    else:")
        node_class = "node_class" if op.whole_node_name else "Node"
        add(f"        t._node = n = {node_class}(); n.k = k; n.seq = tick()")
        add(f"        n.edges = {_tuple(f'n{i}' for i in ins)}")
        for line in _saving(op):
            add("        " + line)
        for line in _noting_shapes(op):
            add("        " + line)
    if op.view:
        add(f"    link_view(t, {op.inputs[0]}, OP, {_tuple(op.options)}, not NO_GRAD or local.grad)")
    add("    return t")


def _noting_shapes(op):
    """Statements that note the inputs' shapes in n where a broadcast will have to be undone."""
    ins = range(len(op.inputs))
    if not op.broadcasts or len(ins) == 1:
        return
    gone = [f"d{i} is None" if n in op.defaults else None for i, n in enumerate(op.inputs)]
    shapes = ", ".join(f"None if {gone[i]} else d{i}.shape" if gone[i] else f"d{i}.shape" for i in ins)
    if len(ins) == 2 and not any(gone):  # a number beside a tensor broadcasts, but wants no gradient
        yield f"if d0.shape != d1.shape and (n1 is not None or d1.ndim): n.shapes = ({shapes})"
        return
    differ = " or ".join(f"not ({gone[i]} or d{i}.shape == s)" if gone[i] else f"d{i}.shape != s" for i in ins)
    yield "s = d.shape"
    yield f"if {differ}: n.shapes = ({shapes})"


def _saving(op):
    """Statements that put what the rules want into the node n, each under the condition that its rule will run."""
    conditions: dict = {}
    for i, rule in enumerate(op.rules):
        for w in rule.wants if rule is not None else ():
            conditions.setdefault(w if w != "shape" else f"shape_{i}", []).append(i)
    if op.joint is not None:
        for w in op.joint.wants:
            conditions[w] = None
    for w, users in conditions.items():
        if w == "shapes":
            for i in range(len(op.inputs)):
                yield f"n.shape_{i} = None if d{i} is None else d{i}.shape"
            continue
        value = (
            "d"
            if w == "out"
            else f"d{w[6:]}.shape"
            if w.startswith("shape_")
            else "d0.shape"
            if w == "shape"
            else (f"d{op.inputs.index(w)}" if w in op.inputs else w)
        )
        target = "shape_0" if w == "shape" else w
        if users is None or w in op.options or len(op.inputs) == 1:
            yield f"n.{target} = {value}"
        else:
            test = " or ".join(f"n{i} is not None" for i in users)
            yield f"if {test}: n.{target} = {value}"


def _poly_body(op, add, cold_name):
    add(f"    {_cold_call(op, cold_name)}")


# ---- the node's method


def node_method(op):
    """on_arrays(self, g, edges): the op's rules on raw arrays, for inputs whose edge is not None."""
    if op.joint is not None or op.poly or op.n_ret != 1 and op.differentiable != (0,):
        return _joint_on_arrays if op.joint is not None else _loop_on_arrays
    scope = {
        **_SCOPE,
        "SHAPES": _shapes,
        "finish": finish_grads,
        **{f"rule{i}": rule.call for i, rule in enumerate(op.rules) if rule is not None},
    }
    return written_function("on_arrays", lambda: _node_source(op), scope)


def _node_source(op):
    lines = ["def on_arrays(self, g, edges):", "    if clock.last_write > self.seq: verify(self)", "    k = self.k"]
    names = [f"g{i}" for i in range(len(op.rules))]
    for i, rule in enumerate(op.rules):
        if rule is None:
            lines.append(f"    g{i} = None")
            continue
        wants = "".join(
            f", self.shape_{i}" if w == "shape" else ", SHAPES(self)" if w == "shapes" else f", self.{w}"
            for w in rule.wants
        )
        edge = f"edges[{i}]"
        lines.append(
            f"    g{i} = rule{i}(k, g{wants})"
            if len(op.rules) == 1
            else f"    g{i} = None if {edge} is None else rule{i}(k, g{wants})"
        )
    tests = ["self.shapes is not None"] if op.broadcasts else []
    lines.append(f"    if {' or '.join([*tests, 'self.casts is not None'])}: return finish(self, {_tuple(names)})")
    lines.append(f"    return {_tuple(names)}")
    return "\n".join(lines) + "\n"


def free_method(arrays):
    """free(self): forget the saved arrays; without any, nothing is forgotten and a second walk is allowed."""
    if not arrays:
        return _keep_all
    cleared = "".join(f"self.{n} = " for n in arrays)
    return written_function("free", lambda: f"def free(self): {cleared}None; self.seq = -1\n", {})


def _keep_all(self):
    """free() of a node that saves no arrays."""


def _shapes(node):
    return tuple([getattr(node, f"shape_{i}") for i in range(len(node.op.inputs))])


def _raw(value):
    from .core import Packed

    return value.unpack()._array if isinstance(value, Packed) else value


def _raw_want(node, i, w):
    op = node.op
    if w == "shape":
        return getattr(node, f"shape_{i}")
    if w == "shapes":
        return node.shape_0 if op.poly else _shapes(node)
    return getattr(node, w, None)


def _joint_on_arrays(self, g, edges):
    if clock.last_write > self.seq:
        verify(self)
    rule = self.op.joint
    if self.op.n_ret is None and self.n_out == 1:  # as many results as came back, and one came
        g = (g,)
    needs = tuple([e is not None for e in edges])
    return finish_grads(self, rule.call(self.k, needs, g, *[_raw_want(self, 0, w) for w in rule.wants]))


def _loop_on_arrays(self, g, edges):
    if clock.last_write > self.seq:
        verify(self)
    grads = [
        None if e is None or rule is None else rule.call(self.k, g, *[_raw_want(self, i, w) for w in rule.wants])
        for i, (e, rule) in enumerate(zip(edges, self.op.rules))
    ]
    return finish_grads(self, grads)


def finish_grads(node, grads, words=None):
    """Undo broadcasting and promotion: each gradient gets its input's shape and type."""
    xp = words or node.k
    if node.shapes is not None:
        grads = [
            g if g is None or g.shape == shape else unbroadcast(xp, g, shape) for g, shape in zip(grads, node.shapes)
        ]
    if node.casts is not None:
        grads = [g if g is None or k is None else cast_gradient(xp, g, k) for g, k in zip(grads, node.casts)]
    return grads


def unbroadcast(xp, g, shape):
    """The gradient of a broadcast operand: summed over the axes that the operand was stretched along."""
    shape = tuple(shape)
    extra = len(g.shape) - len(shape)
    if extra > 0:
        g = xp.sum(g, tuple(range(extra)), False)
    axes = tuple([i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1])
    if axes:
        g = xp.sum(g, axes, True)
    if tuple(g.shape) != shape:
        g = xp.expand(g, shape)
    return g


def cast_gradient(xp, g, k):
    """A gradient in the type of the input whose table is k (the real part of a complex one for a real input)."""
    if not k.is_complex and xp.of(g).is_complex:
        g = xp.of(g).real(g) if xp.backend != "tensor" else xp.real(g)
    return xp.cast(g, k.dtype)
