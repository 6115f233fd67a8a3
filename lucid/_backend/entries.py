"""Entries: what users call. A function that is made of ops (its *body*) gets one for every name that torch has for it.

An entry asks `__torch_function__` of the arguments that are no plain tensors or numbers, and tells it the function that
the user called, then runs the body. Entries of what in torch is a C function do not become methods of a class that
stores them (`class A: f = torch.dot`): they are methods already, of the class that stands for torch's module in C.
Composites call each other's bodies, so nothing is asked twice. Ops need no body: `generate.py` writes their entries.
"""

import inspect
from functools import partial
from inspect import Parameter as P
from types import MethodType

from .._base.dtype import COMPLEX
from .._base.state import DISPATCH, UNUSUAL, local
from .._tensor.tensor import Tensor
from .argument_kinds import answers, is_tensor
from .autocast import policy_of, uncast, wrapped
from .calls import PLAIN_TYPES, Form, plain_ints
from .dispatch import Speller
from .overrides import ORDINARY, PLAIN, ask_overrides
from .signatures import NO
from .written import compile_now, written_function

# The functions that torch has in Python; all others of these modules are C functions.
_IN_PYTHON = set(
    """from_dlpack broadcast_tensors atleast_1d atleast_2d atleast_3d unravel_index unique unique_consecutive einsum
    lu norm cdist tensordot chain_matmul is_tensor sym_int sym_float sym_not sym_max sym_min sym_ite sym_sum split
    block_diag meshgrid cartesian_prod stft typename lobpcg pca_lowrank svd_lowrank align_tensors""".split()
)
# Those of them that are at home in `torch.functional`.
_OF_FUNCTIONAL = _IN_PYTHON - set(
    """from_dlpack is_tensor sym_int sym_float sym_not sym_max sym_min sym_ite sym_sum typename lobpcg pca_lowrank
    svd_lowrank""".split()
)
# The other way round where most are Python functions.
_LAYERS_IN_C = set(
    """one_hot linear bilinear pdist pairwise_distance cosine_similarity avg_pool2d avg_pool3d avg_pool1d
    adaptive_avg_pool1d rrelu_ scaled_dot_product_attention conv1d conv2d conv3d conv_transpose1d conv_transpose2d
    conv_transpose3d conv_tbc softplus logsigmoid gelu hardshrink softshrink relu_ elu_ celu_ leaky_relu_ hardtanh_
    threshold_ selu_ prelu pixel_shuffle pixel_unshuffle channel_shuffle native_channel_shuffle""".split()
)
# Of these, the ones that torch's module of layers in C has; the others are functions of `torch`.
_OF_NN = set(
    "avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear logsigmoid one_hot scaled_dot_product_attention "
    "softplus softshrink".split()
)

# What torch calls some functions itself, as handlers and pickles see.
OWN_NAMES = {"nn.functional.logsigmoid": "log_sigmoid", "nn.functional.threshold": "_threshold"}

# Parameters of public functions that take a tensor (or a number in its place), and those that take a sequence too.
TENSORS = frozenset(
    """input self other A B L LU LU_data LU_pivots a b anchor append prepend attn_mask key_padding_mask aweights
    fweights b_hh b_ih batch_sizes bias bias_k bias_v boundaries condition elements end exponent fill_value g
    grid in_proj_bias in_proj_weight index input1 input2 k_proj_weight v_proj_weight q_proj_weight key lengths
    log_probs logits mask mask1 max mean min n negative offsets out_proj_bias out_proj_weight output
    per_sample_weights pivots pos_weight positive prob q query rcond repeats rtol atol tol running_mean
    running_var sorted_sequence sorter source src start static_k static_v std target tau tensor tensor1 tensor2
    test_elements the_template theta total v value values var vec vec1 vec2 w_hh w_ih weight weights x x1 x2 x3
    y mat mat1 mat2 batch1 batch2 count scale_b ind_tensor reflectors""".split()
)
SEQUENCES = frozenset(
    """tensors matrices operands hx indices input_lengths target_lengths targets spacing args out params
    indices_or_sections""".split()
)
_OPEN = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
ENTRIES: dict = {}  # body -> the entry under its own name: whom a body says that it is
HOLDERS: dict = {}  # namespace -> the class whose methods that namespace's C functions are


def holder(namespace):
    """The class that stands for torch's module in C: `torch.dot.__self__`."""
    if namespace not in HOLDERS:
        name = {"torch": "_VariableFunctionsClass", "nn.functional": "_nn"}.get(namespace, f"_{namespace}")
        HOLDERS[namespace] = type(name, (), {"__module__": "lucid._C", "__slots__": ()})
    return HOLDERS[namespace]


def public_entry(body):
    """The function that users know a body by."""
    return ENTRIES.get(body, body)


def own_name(label, name):
    """The `__name__` of torch's function that is found as label: torch.special.erf calls itself special_erf."""
    place = label.partition(".")[0]
    return f"{place}_{name}" if place in ("special", "fft") else OWN_NAMES.get(label, name)


def is_c_function(namespace, name):
    """Has torch this as a function in C, which a class does not bind?"""
    return name in _LAYERS_IN_C if namespace == "nn.functional" else name not in _IN_PYTHON


def module_of(namespace, name):
    """The `__module__` of a public function."""
    if namespace == "nn.functional" and name in _LAYERS_IN_C:
        return "lucid._C._nn" if name in _OF_NN else "lucid"
    if namespace == "torch":
        return "lucid.functional" if name in _OF_FUNCTIONAL else "lucid"
    return f"lucid._C._{namespace}" if is_c_function(namespace, name) else f"lucid.{namespace}"


def held(namespace, name, f):
    """f(_, ...) as a function of the namespace that no class binds."""
    bound = MethodType(f, holder(namespace))
    setattr(bound.__self__, f.__name__, bound)
    return bound


def function_entry(namespace, name, body):
    """The public function `name` of one of torch's modules; one that is C in both has one entry."""
    in_c = is_c_function(namespace, name)
    known = ENTRIES.get(body)
    if namespace == "nn.functional" and known is not None and known.__name__ == name:
        if in_c or known.__module__.endswith(namespace):
            return known
    f = _entry(f"{namespace}.{name}", name, body, "_" if in_c else None)
    f.__module__ = module_of(namespace, name)
    entry = held(namespace, name, f) if in_c else f
    f.__globals__["TOLD"] = entry
    ENTRIES.setdefault(body, entry)
    return entry


def method_entry(name, body):
    """The Tensor method `name`: the body itself where there is nothing to look at but `self`."""
    code = body.__code__
    if (
        not (code.co_argcount or hasattr(body, "__wrapped__"))
        or code.co_argcount + code.co_kwonlyargcount == 1
        and not code.co_flags & _OPEN
    ):
        return body
    f = _entry(f"Tensor.{name}", name, body, None)
    f.__globals__["TOLD"] = f
    f.__qualname__ = f"Tensor.{name}"
    return f


def _entry(label, name, body, first):
    scope = {"BODY": body, "UNUSUAL": UNUSUAL, "ORDINARY": ORDINARY, "PLAIN": PLAIN, "NO": NO, "Tensor": Tensor}
    scope |= {"asked": asked, "rebind": rebind, "plain_ints": plain_ints, "is_tensor": is_tensor, **PLAIN_TYPES}

    def write():
        if hasattr(body, "write"):
            compile_now(body)
        form = getattr(body, "form", None)  # of a method that is a function too
        parameters = scope["PARAMETERS"] = form.parameters() if form else [*inspect.signature(body).parameters.values()]
        scope.update({f"D_{p.name}": p.default for p in parameters if p.default is not p.empty})
        f.form = _form(label.rpartition(".")[0], name, parameters)
        scope["QUICKLY"] = getattr(body, "quickly", None)
        return _entry_text(name, parameters, f.form, first, scope["QUICKLY"] is not None)

    f = written_function(label, write, scope)
    f.__name__ = f.__qualname__ = own_name(label, name)
    f.__doc__, f.body = body.__doc__, body
    if hasattr(body, "op"):
        f.op = body.op
    if first is None:
        f.__wrapped__ = body
    return f


# ---- the text


def _form(place, name, parameters):
    """How calls of an entry are written."""
    kinds = {kind: [p.name for p in parameters if p.kind is kind] for kind in dict.fromkeys(p.kind for p in parameters)}
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    variadic, rest = (kinds.get(kind, (None,))[0] for kind in (P.VAR_POSITIONAL, P.VAR_KEYWORD))
    return Form(place, name, positional, kinds.get(P.KEYWORD_ONLY, ()), defaults, variadic, rest)


def _entry_text(name, parameters, form, first, quickly):
    """An entry's source: the tests that nothing is unusual, and the call of the body."""
    ordinary = [t for t in map(_is_ordinary, parameters) if t]
    values = "".join(f"{p.name}, " for p in parameters)
    tests = [*form.variadic_guards()] if form.rest else ["more is not NO"]
    tests += form.guards(n for n in form.positional[form.method :] if n != "out")
    tests += form.guards(n for n in form.keyword_only if n != "out")
    tests += [f"{n} is not NO" for n in form.aliases if n in ("axis", "keepdims", *form.others) and not form.rest]
    lines = [f"def {name}({', '.join([*([first] if first else []), *form.spelled()])}):"]
    call = f"return BODY({', '.join(map(_passed, parameters))})"
    if quickly:  # the body's short way, for plain tensors alone; None where anything is out of the ordinary
        given = ", ".join(p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL))
        plain = [f"type({parameters[0].name}) is Tensor"] if form.variadic else ["more is NO"]
        plain += [f"len({form.variadic}) == 1"] if form.variadic and not form.method else []  # in one tuple only
        plain += [f"{n} is {'None' if n == 'out' else f'D_{n}'}" for n in form.keyword_only]
        lines += [
            f"    if not {f'(UNUSUAL or {form.rest})' if form.rest else 'UNUSUAL'} and {' and '.join(plain)}:",
            f"        got = QUICKLY({given})",
            "        if got is not None: return got",
        ]
    elif not form.rest:
        quick = " and ".join(["not UNUSUAL", "more is NO", *_plainest(parameters, form)])
        lines += [f"    if {quick}:", *[f"    {line}" for line in form.fill()], *_refusing(f"            {call}")]
    if tests:
        lines += [
            f"    if {' or '.join(tests)}:",
            "        return rebind(TOLD, BODY, PARAMETERS, vars())",
            *form.fill(),
        ]
    asks = [
        f"        if UNUSUAL{''.join(' or not ' + t for t in ordinary)}:",
        f"            return asked(TOLD, BODY, PARAMETERS, ({values}))",
    ]
    lines += [line[4:] for line in _refusing(*[f"    {a}" for a in asks], f"            {call}")]
    return "\n".join(lines) + "\n"


def _refusing(*lines):
    """Lines that, where they raise, leave the last word to torch's signatures."""
    after = ["        except Exception:", "            TOLD.form.refuse_given(vars())", "            raise"]
    return ["        try:", *lines, *after]


def _plainest(parameters, form):
    """Tests that hold in the commonest calls: plain tensors, options of plain classes, nothing else."""
    for p in parameters:
        n = p.name
        if n == "out":
            yield "out is None"
            continue
        guard = next(form.guards([n]), None)
        tensor = guard is not None and "is_tensor" in guard
        if tensor:
            yield guard.removeprefix("not ").replace(f" or is_tensor({n})", "")
        elif guard is not None and guard.startswith("not ") and n not in SEQUENCES:
            yield guard.removeprefix("not ")
        elif n in TENSORS or n in SEQUENCES:
            test = _is_ordinary(p) or f"type({n}) in ORDINARY"
            absent = f"{n} is NO" if n in form.unnamed else f"{n} is D_{n}"
            yield test if p.default is p.empty else f"({absent} or {test})"
        elif guard is not None:
            yield f"{n} is not NO"
    for n in form.aliases:
        if n in ("axis", "keepdims", *form.others):
            yield f"{n} is NO"


def _passed(p):
    star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    return f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else star + p.name


def _is_ordinary(p):
    """The test that a parameter's argument need not be asked; None where none ever need."""
    n = p.name
    if p.kind is p.VAR_POSITIONAL and n in SEQUENCES:
        return f"ORDINARY.issuperset(map(type, {n}))"
    if n in SEQUENCES:
        return f"(type({n}) in ORDINARY or type({n}) in (list, tuple) and ORDINARY.issuperset(map(type, {n})))"
    return f"type({n}) in ORDINARY" if n in TENSORS else None


# ---- the long way


def operands_asked(told, self, other):
    """(True, result) when a mode or one of an operator's operands took it."""
    if UNUSUAL or type(self) not in ORDINARY or type(other) not in ORDINARY:
        return ask_overrides(told, (self, other), (self, other), {})
    return False, None


def rebind(told, body, parameters, given):
    """A call with anything out of the ordinary among its arguments (calls.py): the same in plain ones, or refused."""
    args, kwargs = told.form.call(given)
    if not (isinstance(told, MethodType) or told.form.method):  # a function in Python asks before it looks
        relevant = [v for v in (*args, *kwargs.values()) if type(v) not in ORDINARY]
        handled, result = ask_overrides(told, relevant, tuple(args), kwargs)
        if handled:
            return result
    written = list(args), dict(kwargs)
    args, kwargs = told.form.bound(args, kwargs)
    if any(map(answers, (*args, *kwargs.values()))):
        handled, result = ask_as_written(told, *written)
        if handled:
            return result
    first = parameters[0].name if parameters else None
    if (alias := next((n for n in ("input", "self") if n in kwargs and n != first), None)) and not args:
        args = [kwargs.pop(alias)]
    known = {p.name for p in parameters}
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        known |= kwargs.keys()
    kwargs = {n: v for n, v in kwargs.items() if n in known or not (v is None or v is False)}  # what lucid does without
    if (wrong := next((n for n in kwargs if n not in known), None)) is not None:
        raise TypeError(f"{told.form.name}() got an unexpected keyword argument '{wrong}'")
    values = [*args, *kwargs.values()]
    refuse_complex(values, zip([p.name for p in parameters] if not told.form.variadic else (), args))
    refuse_complex(values, kwargs.items())
    if UNUSUAL or not all(type(v) in ORDINARY for v in values):
        relevant = [t for v in values for t in (v if isinstance(v, (list, tuple)) else (v,))]
        handled, result = ask_overrides(told, relevant, tuple(written[0]), written[1])
        if handled:
            return result
        if local.cast_to is not None:
            return _in_autocast(told, body, args, kwargs)
    return body(*args, **kwargs)


def _in_autocast(told, body, args, kwargs):
    """The body's call, with arguments cast where autocast does that for the function."""
    if kwargs.get("out") is not None:
        return uncast(body, *args, **kwargs)
    policy = policy_of(told.form.place, told.form.name, args, kwargs)
    if policy is None:
        return body(*args, **kwargs)
    return wrapped(policy, body, args, kwargs, told.form.name)


def ask_as_written(told, args, kwargs):
    """(True, result) when an argument that is no tensor, or an element of one, took the call."""
    relevant = [t for v in (*args, *kwargs.values()) for t in (v if isinstance(v, (list, tuple)) else (v,))]
    return ask_overrides(told, relevant, tuple(args), kwargs)


# numbers that may be complex beside real tensors: operands
_OPERANDS = set(
    "input self other exponent fill_value value scalar scalar1 scalar2 tensor s element start end min max n".split()
)


def refuse_complex(values, named):
    """torch's error where a number that is no operand is complex and no tensor is."""
    if any(isinstance(v, complex) and n not in _OPERANDS for n, v in named) and not any(
        isinstance(t, Tensor) and t._table.dtype.category == COMPLEX for t in values
    ):
        raise RuntimeError("value cannot be converted to type double without overflow")


def asked(told, body, parameters, values):
    """The call for which something is unusual: modes and arguments are asked, then the body runs."""
    args, kwargs = _as_written(told, parameters, values)
    relevant = []
    for p, value in zip(parameters, values):
        if p.name in SEQUENCES and isinstance(value, (list, tuple)):
            nested = len(value) == 1 and isinstance(value[0], (list, tuple)) and told.__name__ in _TAKE_A_LIST
            relevant += value[0] if nested else value
        elif p.name in TENSORS or p.name in SEQUENCES:
            relevant.append(value)
    handled, result = ask_overrides(told, relevant, args, kwargs)
    if handled:
        return result
    if local.cast_to is not None:
        return _in_autocast(told, partial(_run, told, body), args, kwargs)
    return _run(told, body, *args, **kwargs)


def _run(told, body, /, *args, **kwargs):
    """The body, once nobody wants the call."""
    if DISPATCH and (
        isinstance(told, MethodType)
        or told.__qualname__.startswith("Tensor.")
        or Speller.current.is_composite(told.__name__)
    ):
        return _seen(told, body, args, kwargs)
    return body(*args, **kwargs)


def _seen(told, body, args, kwargs):
    """The body of what torch writes in C++, where modes see its calls."""
    taken, result = Speller.current.leaf(told, args, kwargs)
    if taken:
        return result
    if told.__name__ in Speller.current.NUMBERS_FOR_TENSORS:  # another name for an op, no code of its own
        return body(*args, **kwargs)
    before, local.in_formula = local.in_formula, True
    try:
        return body(*args, **kwargs)
    finally:
        local.in_formula = before


_TAKE_A_LIST = ("meshgrid", "atleast_1d", "atleast_2d", "atleast_3d")  # of tensors, or the tensors one by one


def _as_written(told, parameters, values):
    """(args, kwargs) for handlers: a C function's as users write them most, a Python function's as torch hands them on,
    options by keyword."""
    args, kwargs, by_keyword = [], {}, False
    in_c = isinstance(told, MethodType) or told.__qualname__.startswith("Tensor.")
    for p, value in zip(parameters, values):
        if p.kind is p.VAR_POSITIONAL:
            args += value
        elif p.kind is p.VAR_KEYWORD:
            kwargs.update(value)
        elif p.kind is p.KEYWORD_ONLY or p.default is not p.empty and (by_keyword or not in_c or value is p.default):
            by_keyword = True
            if value is not p.default or not in_c and p.kind is not p.KEYWORD_ONLY:
                kwargs[p.name] = value
        else:
            args.append(value)
    return tuple(args), kwargs
