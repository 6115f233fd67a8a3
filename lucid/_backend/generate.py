"""The text of the function that users call and of the method that its nodes run, written out for each op.

A generated function knows its op's arity, options and rules, so a call does no more than: test that nothing is unusual,
run the kernel, wrap, record. Everything else goes to `interpret` (slow_path.py), one function for all ops. To read one:
`print(inspect.getsource(lucid.mul))`.
"""

import builtins

from .._array.numpy.memory import in_order
from .._array.numpy.table import NumpyWords
from .._base.state import INFERENCE, NO_GRAD, TURNED, UNUSUAL, clock, local, tick
from .._tensor.storage import link_view
from .._tensor.tensor import Tensor, new_object
from . import native
from .argument_kinds import is_tensor
from .calls import PLAIN_TYPES, Form, plain_ints
from .graph import OUTPUTS, Output, verify
from .inplace import inplace, rebind_inplace
from .option_errors import as_dtype
from .overrides import PLAIN
from .recording import refuse_complex, refuse_inference_saved, wrap_many
from .rules import finish_grads, loop_on_arrays, shapes
from .signatures import NO
from .slow_path import explain_operands, interpret, interpret_operator, interpret_word, rebind, reversed_operator

# What any generated text may name. It takes the place of the builtins in their scopes, which hold only their own names.
SCOPE = {
    **vars(builtins),
    "Tensor": Tensor,
    "PLAIN": PLAIN,
    "UNUSUAL": UNUSUAL,
    "NO_GRAD": NO_GRAD,
    "local": local,
    "tick": tick,
    "new": new_object,
    "clock": clock,
    "ndarray": NumpyWords.array_type,
    "in_order": in_order,
    "TURNED": TURNED,
    "verify": verify,
    "interpret": interpret,
    "word": interpret_word,
    "operator": interpret_operator,
    "reversed_operator": reversed_operator,
    "link_view": link_view,
    "Output": Output,
    "wrap_many": wrap_many,
    "INFERENCE": INFERENCE,
    "refuse_complex": refuse_complex,
    "refuse_inference_saved": refuse_inference_saved,
    "inplace": inplace,
    "explain_operands": explain_operands,
    "NO": NO,
    "rebind": rebind,
    "rebind_inplace": rebind_inplace,
    "plain_ints": plain_ints,
    **PLAIN_TYPES,
    "is_tensor": is_tensor,
    "as_dtype": as_dtype,
    "finish": finish_grads,
    "loop_on_arrays": loop_on_arrays,
    "shapes": shapes,
    "BIG": native.BIG,
    "LARGE": native.LARGE,
}
_LOCALS = {"k", "d", "n", "t", "d0", "n0", "d1", "n1"}  # names that the short way needs for itself


def native_from(count):
    """Let arrays of `count` elements and more go to native kernels; what it was before."""
    before, native.BIG = native.BIG, count
    SCOPE["BIG"] = SCOPE["LARGE"] = count
    return before


# ---- the public function


def form_of(op, place, name):
    """How calls of an op's function or method are written."""
    varargs = op.varargs if place == "Tensor" else None  # torch's functions of a tensor take sizes as one tuple
    options = [n for n in op.options if n != varargs]
    plain = [*op.inputs, *[n for n in options if n not in op.keyword_only]]
    out = ["out"] if op.has_out and place != "Tensor" else []
    return Form(place, name, plain, [*op.keyword_only, *out], {**op.defaults, "out": None}, varargs)


def _body_signature(op, with_out):
    """The parameters of a function that only lucid calls: as the op's class says."""

    def spell(n):
        return f"{n}=D_{n}" if n in op.defaults else n

    plain = [n for n in op.options if n not in op.keyword_only and n != op.varargs]
    variadic = [f"*{op.varargs}"] if op.varargs else []
    keyword_only = [*map(spell, op.keyword_only), *(["out=None"] if with_out else [])]
    star = ["*"] if keyword_only and not variadic else []
    return [*map(spell, op.inputs), *variadic, *map(spell, plain), *star, *keyword_only]


def function_text(op, name, cold_name, first=None, form=None):
    """The source of an op's function.

    cold_name: what it calls when anything is unusual. form: of a function that users call. first: "held" for one that
    no class binds as a method, since it is one, of the class in the parameter `_`; "method" for one of Tensor's.
    """
    params = form.spelled() if form else _body_signature(op, _takes_out(op, cold_name))
    lines = [f"def {name}({', '.join((['_'] if first == 'held' else []) + params)}):"]
    add = lines.append
    if v := form.variadic if form else op.varargs:
        if form:
            add(f"    if named or not {v}: return rebind(OP, TOLD, vars())")
        add(f"    if len({v}) == 1 and type({v}[0]) is not int: {v} = {v}[0]")
        if form:
            add(f"    if not plain_ints({v}): return rebind(OP, TOLD, vars())")
        add(f"    {v} = tuple({v}) if isinstance({v}, (tuple, list)) else {v}")
    if form:
        _look_at_options(op, form, add)
    cold = _cold_call(op, cold_name, first, form)
    if op.poly or not _LOCALS.isdisjoint(op.options):
        add(f"    {cold}")
    else:
        _body(op, add, cold_name, cold, first)
    return "\n".join(lines) + "\n"


def _look_at_options(op, form, add):
    """A test that hands a call to `rebind` when an argument that is no operand is out of the ordinary."""
    tests = [] if form.variadic else ["more is not NO"]
    tests += [f"{n} is not NO" for n in form.aliases if n in ("axis", "keepdims", *form.others) and not form.variadic]
    tests += form.guards([n for n in op.options if n not in ("dtype", form.variadic)])
    if form.unnamed:
        tests += [f"{n} is NO" for n in op.inputs[form.method :] if n not in op.defaults]
    if tests:
        add(f"    if {' or '.join(tests)}:\n        return rebind(OP, TOLD, vars())")
    for line in form.fill():
        add(line)


def _takes_out(op, cold_name):
    return op.has_out and cold_name == "interpret"


def tuple_text(names):
    """A tuple of these names, as source."""
    return "(" + "".join(n + ", " for n in names) + ")"


def _cold_call(op, cold_name, first, form):
    out = ", None, TOLD" if first == "method" else ", out" if _takes_out(op, cold_name) else ""
    if first != "method" and form:
        out += ", told=TOLD"
    call = f"{cold_name}(OP, {tuple_text(op.inputs)}, {tuple_text(op.options)}{out})"
    required = [n for n in op.inputs[first == "method" :] if n not in op.defaults] if form else []
    if not required:
        return f"return {call}"
    return f"return rebind(OP, TOLD, vars()) if {' or '.join(f'{n} is NO' for n in required)} else {call}"


def _body(op, add, cold_name, to_cold, first):
    """Straight-line code for a fixed number of tensors: the usual case, `return` to the cold function for any other."""
    x = op.inputs[0]
    out_test = "out is not None or " if _takes_out(op, cold_name) and first != "method" else ""
    add(f"    if {out_test}UNUSUAL or type({x}) is not Tensor and type({x}) not in PLAIN:\n        {to_cold}")
    add(f"    k = {x}._table")
    add(f"    n0 = {x}._node")
    add(f"    d0 = {x}._array")
    tests = (
        ["not k.inexact"]
        if op.promote in ("int_to_float", "int_to_long") or op.promote and "dtype" in op.options
        else []
    )
    if "dtype" in op.options and (op.promote or op.computes_in_type_of_out):
        tests.append("dtype is not None")
    if tests:
        add(f"    if {' or '.join(tests)}:\n        {to_cold}")
    for i in range(1, len(op.inputs)):
        for line in _taking(op, i, cold_name):
            add("    " + line)
        add(f"    else:\n        {to_cold}")
    for n in op.scalar_options:
        none = f"{n} is not None and " if op.defaults.get(n, 0) is None else ""
        add(f"    if {none}(k.is_half or not ({_number_fits(n)})):\n        {to_cold}")
    for n in (*op.fits_type, *op.fits_float):
        low, high = ("k.low", "k.high") if n in op.fits_type else ("k.wide_low", "k.wide_high")
        given = f"{n} is not D_{n} and " if n in op.defaults else ""
        plain = f"({n}.__class__ is float or {n}.__class__ is int) and {low} <= {n} <= {high}"
        add(f"    if {given}not ({plain}):\n        {to_cold}")
    if op.whole_node_name:
        add(f"    node_class = WholeNode if {op.options[0]} is None else Node")
    _prepare_line(op, add)
    if op.broadcasts:
        arrays = ", ".join(f"d{i}" for i in range(len(op.inputs)))
        add(f"    try: d = {_run(op)}")
        add(f"    except (ValueError, TypeError) as error: explain_operands(OP, k, [{arrays}], error)")
    else:
        add(f"    d = {_run(op)}")
    _tail(op, add)


def _taking(op, i, cold_name):
    """Statements that take operand i apart into array and edge, as an if that the cold call's else can follow."""
    n, same_table = op.inputs[i], f"type({op.inputs[i]}) in PLAIN and {op.inputs[i]}._table is k"
    take, start = f"d{i} = {n}._array; n{i} = {n}._node", "if"
    optional = n in op.defaults and op.defaults[n] is None
    if optional:
        yield f"if {n} is None: d{i} = n{i} = None"
        start = "elif"
    if n in op.index_inputs or op.promote == "keep" and not optional:
        same_table = f"type({n}) in PLAIN and {n}._table.device_group is k.device_group"
    if op.promote == "keep" and not optional and n not in op.index_inputs:  # a gradient has to go back to its type
        same_table += f" and ({n}._table is k or {n}._node is None)"
    if n in op.index_inputs:
        take = f"d{i} = {n}._array; n{i} = None"
    elif not optional and op.promote != "keep":
        same_table = f"(type({n}) is Tensor or type({n}) in PLAIN) and {n}._table is k"
    yield f"{start} {same_table}: {take}"
    takes_numbers = op.broadcasts and (op.scalar_operands != "none" or cold_name == "word")
    if (
        takes_numbers
        and not optional
        and op.promote in ("same", "compare", "int_to_float")
        and n not in op.index_inputs
    ):
        yield f"elif {_number_fits(n)}: d{i} = k.{_scalar_word(op)}({n}); n{i} = None"


def _scalar_word(op):
    return "wide_scalar" if op.keeps_numbers else "scalar"


def _number_fits(n):
    """The test that n is a Python number which changes no promotion."""
    return f"type({n}) is float and k.inexact or type({n}) is int and k.dtype.category"


def _run(op):
    """The kernel's call."""
    arrays = ", ".join([f"d{i}" for i in range(len(op.inputs))])
    args = ", ".join(["k", arrays, *op.options])
    kernel = "KERNELS.get(k.backend, FORWARD)" if op.kernels else "FORWARD"
    if op.in_float32 or op.stepwise:
        kernel = f"({kernel} if not k.is_half else OP.kernel(k))"
    call = _one_word(op) or f"{kernel}({args})"
    if op.fast_word:
        defaults = " and ".join(f"{n} is D_{n}" for n in op.options)
        call = f"k.{op.fast_word}({arrays}) if {defaults} else {call}"
    return f"{call} if d0.size < {native.limit(op)} else NATIVE({args})" if native.may_be(op) else call


def _one_word(op):
    """The kernel written out, when it is one word of its inputs in order: saves a Python call. None when it is more."""
    if op.kernels or op.options or not is_one_word(op.forward):
        return None
    return f"k.{op.forward.__code__.co_names[0]}({', '.join(f'd{i}' for i in range(len(op.inputs)))})"


def is_one_word(forward):
    """Is a kernel `def forward(xp, a, b...): return xp.word(a, b...)`?"""
    code = forward.__code__
    return len(code.co_names) == 1 and code.co_code == _word_code(code.co_argcount)


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
    if "dtype" in op.options and not (op.promote or op.computes_in_type_of_out):
        add("    if dtype is not None and dtype.__class__ is not dtype_type: dtype = as_dtype(OP, dtype)")
    if op.prepare is not None:
        arrays = ", ".join(f"d{i}" for i in range(len(op.inputs)))
        add(f"    {tuple_text(op.options)} = prepare({', '.join([arrays, *op.options])})")


def _tail(op, add):
    """Wrap the raw result and record the call."""
    ins = range(len(op.inputs))
    needs = " is ".join(f"n{i}" for i in ins) + " is None"
    recording = f"{needs} or NO_GRAD and not local.grad" if op.has_gradient else "True"
    if op.n_ret != 1:
        arrays, edges = tuple_text(f"d{i}" for i in ins), tuple_text(f"n{i}" for i in ins)
        add(
            f"    return wrap_many(OP, k, d, {tuple_text(op.inputs)}, {arrays}, "
            f"None if {recording} else {edges}, {tuple_text(op.options)})"
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
        if op.broadcasts and len(op.inputs) > 1 and op.layout_from != ():
            order = [f"d{i}" for i in op.layout_from or ins]
            turned = " or ".join(  # the last operand decides nothing that numpy decides otherwise
                f"{d} is not None and not {d}.flags.c_contiguous"
                if op.inputs[int(d[1:])] in op.defaults
                else f"not {d}.flags.c_contiguous"
                for d in order[:-1]
            )
            add(f"    elif TURNED and ({turned}): d = in_order(d, {', '.join(order)})")
    add(f"    t = new(Tensor); t._array = d; t._table = {table}; t._extra = None")
    add(f"    if {recording}: t._node = None")
    if op.has_gradient:
        add("    else:")
        node_class = "node_class" if op.whole_node_name else "Node"
        if any(rule is not None and set(rule.wants) & set(op.inputs) for rule in [*op.rules, op.joint]):
            tensors, edges = tuple_text(op.inputs), tuple_text(f"n{i}" for i in ins)
            add(f"        if INFERENCE: refuse_inference_saved(OP, {tensors}, {edges})")
        if not op.complex_gradient:
            add("        if k.is_complex: refuse_complex(OP)")
        add(f"        t._node = n = {node_class}(); n.k = k; n.seq = tick()")
        add(f"        n.edges = {tuple_text(f'n{i}' for i in ins)}")
        for line in _saving(op):
            add("        " + line)
        for line in _noting_shapes(op):
            add("        " + line)
    if op.view:
        add(f"    link_view(t, {op.inputs[0]}, OP, {tuple_text(op.options)}, not NO_GRAD or local.grad)")
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
        if users is None or w in op.options or w in OUTPUTS or len(op.inputs) == 1:
            yield f"n.{target} = {value}"
        else:
            test = " or ".join(f"n{i} is not None" for i in users)
            yield f"if {test}: n.{target} = {value}"


# ---- the node's method


def node_text(op):
    """The source of on_arrays(self, g, edges): the op's rules on raw arrays, for inputs whose edge is not None."""
    lines = ["def on_arrays(self, g, edges):", "    k = self.k"]
    if op.narrows:
        lines.append("    if k.is_half: return loop_on_arrays(self, g, edges)")
    lines.append("    if clock.last_write > self.seq: verify(self)")
    names = [f"g{i}" for i in range(len(op.rules))]
    for i, rule in enumerate(op.rules):
        if rule is None:
            lines.append(f"    g{i} = None")
            continue
        saved = {"shape": f", self.shape_{i}", "shapes": ", shapes(self)"}
        function = f"(rule{i} if g.size < BIG else native{i})" if native.may_be(op) else f"rule{i}"
        call = f"{function}(k, g{''.join(saved.get(w, f', self.{w}') for w in rule.wants)})"
        test = f"None if edges[{i}] is None else " if len(op.rules) > 1 else ""
        lines.append(f"    g{i} = {test}{call}")
    tests = ["self.shapes is not None"] if op.broadcasts else []
    lines.append(f"    if {' or '.join([*tests, 'self.casts is not None'])}: return finish(self, {tuple_text(names)})")
    lines.append(f"    return {tuple_text(names)}")
    return "\n".join(lines) + "\n"
