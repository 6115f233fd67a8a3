"""Operation and func_op: how an op is declared, and what is made of the declaration.

    class exp(Pointwise):
        \"\"\"exp(input) -> Tensor: e to the power of each element.\"\"\"
        promote = "int_to_float"
        @unary_func_op()
        def forward(xp, input):        return xp.exp(input)
        def grad_input(xp, g, out):    return g * xp.conj(out)

One class is one op; one call of it that needs a gradient leaves one instance of its node class (`exp.Node`), and that
node is the result's `grad_fn`. At class creation `publish.py` makes the public function of the text that
`generate.py` writes; it becomes `lucid.exp`, `Tensor.exp` and the word `xp.exp` for Tensors; `exp_` and `out=` follow.
"""

import keyword

from .._array.lookup import LIBRARIES
from .._array.words import NotDefined
from .closure_ops import declare_closure_op
from .generate import is_one_word
from .graph import BackwardOperation
from .publish import NODE_NAMES, NodeOnFirstUse, publish
from .registry import FUNCTIONS, NAMESPACES, OPS, PAIR_ENDS, WORDS, place, public, tensor_method
from .rules import Rule, in_float32
from .tensor_words import words_of

# The names under which the engine is known, wherever they are defined.
__all__ = [
    "FUNCTIONS",
    "NAMESPACES",
    "OPS",
    "PAIR_ENDS",
    "WORDS",
    "BackwardOperation",
    "Operation",
    "binary_func_op",
    "func_op",
    "operation",
    "poly_func_op",
    "public",
    "tensor_method",
    "unary_func_op",
    "words_of",
]


class Declared:
    """What @func_op knows of a kernel."""

    __slots__ = ("forward", "n_in", "n_ret", "has_gradient", "closure_form")

    def __init__(self, forward, n_in, n_ret, has_gradient):
        self.forward, self.n_in, self.n_ret, self.has_gradient = forward, n_in, n_ret, has_gradient
        names = forward.__code__.co_varnames
        self.closure_form = bool(names) and names[0] == "self"


def func_op(n_in=None, n_ret=1, has_gradient=True):
    """Declare a kernel: its first `n_in` arguments are tensors (None: the first is a sequence of tensors, or every
    leading one in the closure form), and it gives `n_ret` results (None: as many as come back)."""

    def declare(forward):
        return Declared(forward, n_in, n_ret, has_gradient)

    return declare


def unary_func_op(has_gradient=True):
    """func_op(1, 1)"""
    return func_op(1, 1, has_gradient)


def binary_func_op(has_gradient=True):
    """func_op(2, 1)"""
    return func_op(2, 1, has_gradient)


def poly_func_op(n_ret=1, has_gradient=True):
    """func_op(None, n_ret)"""
    return func_op(None, n_ret, has_gradient)


class Operation:
    """The base of all ops. Class attributes are the op's declaration; the families (families.py) give most of them.

    What it is called, and where it is found. `name`: the class's, where it is None.
    """

    name = None
    namespace = ("torch",)  # where torch has it: "torch", "nn.functional", "special" ...; None: nowhere public
    aliases = ()  # other public names of the same function
    methods = ()  # extra Tensor method names, e.g. ("__mul__", "__rmul__")
    method = True  # is it a Tensor method under its own name? (or: under which)
    inplace = has_out = False  # derive `name_` and `out=`?
    varargs = None  # the option that may be given as separate arguments
    public_function = None  # the function that users call, when it is not `fn` itself (one of several ops of a name)

    # Element types.
    promote = None  # "same", "int_to_float", "compare", "int_to_long"; None: tensors must agree; "keep": may differ
    result = "same"  # table of the result: "same", "bool", "of" (ask the array), "elsewhere": table(k, *options)
    scalar_operands = "second"  # numbers for no operand ("none"), all but the first, any ("all"), even for two ("two")
    scalar_options = ()  # options that are Python numbers and take part in promotion
    index_inputs = ()  # inputs that keep their own type and have no edge in the graph (masks, indices)
    # halves: do numbers among the operands keep float32's precision (True: a 0-dim second tensor, too)? None: where it
    # computes in it
    wide_numbers = None
    fits_type = ()  # options that are numbers and converted to the tensor's type: what has no place in it is refused
    fits_float = ()  # the same, but halves take them as float32
    fits_in = None  # categories of types where they are looked at; in others the kernel refuses first
    halves = None  # halves(kernel): another than this, which rounds once, where torch's rounds on the way
    compute_in_float32 = None  # halves: compute in float32 and round once? None: where it makes a difference
    stepwise = False  # halves: does torch round after each step of forward, too?
    # halves: does torch compute the gradient in one kernel, which rounds once? Else by a formula, whose steps all do
    gradient_kernel = False

    # elementwise: the operands' numbers in the order in which torch asks how they lie (None: as they come; (): none)
    layout_from = None

    # Refusals; docs/errors.md says which is asked when.
    prepare = None  # prepare(arrays..., options...) -> options in one form
    check = None  # check(tensors, options): refuses operands of mixed types before they are promoted
    mismatch = None  # promote=None: mismatch(dtypes...) -> torch's message when they differ
    kernel_name = None  # what torch calls its kernel in "not implemented for" errors

    # The graph.
    node_name = inplace_node_name = None  # of the node (default `<Name>Backward0`), of the in-place form's
    flat_inplace_name = None  # of the in-place form's node where only that one is recorded, with a gradient of zero
    whole_node_name = None  # of the node when the first option, `dim`, is not given
    backward = None  # a joint rule
    differentiable = None  # which results have gradients (None: all)
    complex_gradient = True  # False: torch computes it of complex numbers, but refuses to record that
    recompute_saved = None  # recompute_saved(node, name): computes a saved result again after a write into it

    # What interpreters may know.
    broadcasts = False  # gradients may have to be summed back to the input's shape
    view = False  # the result is its input's memory
    mirrors = False  # a view that conjugates or negates what it reads
    linear = False  # linear in each tensor input, taken singly
    # the type of out=: that of the "same" result ("scalar": in other words; "type of input": asked first of all), one
    # that it is "castable" to, "truth" (bool or uint8), or "any"
    out_takes = "same"
    # does out= have its new shape when its type is refused? (A function of shape and options may say.) "castable": once
    # it can hold the result at all; "typed": when its gradient is refused, not its type; "last": of several, none has
    out_resized = False
    computes_in_type_of_out = False  # does out= stand for dtype=? "inexact": not for integers; "floats of floats"
    overlap = None  # memory that out=, or the in-place form's self, shares with an operand: not "any", or not "partly"
    may_overlap = ()  # operands for which that does not count
    not_overgrown = None  # operands over which out= may not grow: None: none, "all", or how many of the first
    inplace_complex = True  # does the in-place form take complex tensors?
    refuses_complex = False  # complex tensors: before the in-place form looks at shapes and memory?
    writes_leaves = False  # does the in-place form write even leaves that require a gradient?
    # may out=, or the in-place form's self, have elements that share a place in memory? "in place": self only
    writes_expanded = False
    fast_word = None  # the word that does it all when every option has its default
    vmap_by_loop = False  # vmap runs it for one member after the other
    jvp_by_double_backward = False  # forward mode goes by the gradient rules, not by the words of forward
    composite_results = None  # a namedtuple class for several results

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        declared = cls.__dict__.get("forward")
        if not isinstance(declared, Declared):
            return  # a family, not an op
        if declared.closure_form:
            declare_closure_op(cls, declared)
            return
        cls._read_signature(declared)
        cls._read_kernels(declared.forward)
        cls._read_rules(declared)
        made = "<locals>" in cls.__qualname__  # a maker's classes share their own name
        cls.label = cls.name if made else cls.__name__
        place(OPS, cls.label, cls)
        for attribute in NODE_NAMES:
            setattr(cls, attribute, NodeOnFirstUse(cls, attribute))
        publish(cls)

    @classmethod
    def _read_signature(cls, declared):
        """Take the name, the inputs, the options and their defaults from the declaration."""
        if "name" not in cls.__dict__:
            bare = cls.__name__.rstrip("_")
            cls.name = bare if keyword.iskeyword(bare) else cls.__name__
        forward, code = declared.forward, declared.forward.__code__
        n_pos, n_kw = code.co_argcount, code.co_kwonlyargcount
        params = code.co_varnames[1:n_pos]
        cls.keyword_only = code.co_varnames[n_pos : n_pos + n_kw]
        defaults = forward.__defaults__ or ()
        cls.defaults = dict(zip(params[len(params) - len(defaults) :], defaults))
        cls.defaults.update(forward.__kwdefaults__ or {})
        cls.n_in, cls.n_ret = declared.n_in, declared.n_ret
        count = 1 if cls.n_in is None else cls.n_in
        cls.inputs, cls.options = params[:count], (*params[count:], *cls.keyword_only)
        cls.poly = cls.n_in is None

    @classmethod
    def _read_kernels(cls, forward):
        """The kernel, those of single libraries, and their forms for halves."""
        n_kw = len(cls.keyword_only)
        cls.forward = staticmethod(positional(forward, n_kw))
        cls.kernels = {
            library: positional(f, n_kw) for library in LIBRARIES if (f := cls.__dict__.get(library)) is not None
        }
        if cls.vmap_by_loop:
            cls.kernels["batched"] = lambda xp, *args: xp.by_member(cls, args)
        if cls.jvp_by_double_backward:
            cls.kernels["dual"] = lambda xp, *args: xp.transposed(cls.fn, args)
        computes = not cls.view and cls.promote != "keep" if cls.compute_in_float32 is None else cls.compute_in_float32
        cls.narrows, cls.rules_in_float32 = computes, computes and cls.gradient_kernel
        cls.in_float32 = (
            computes and not cls.stepwise and (bool(cls.kernels) or not is_one_word(forward))
        )  # one word rounds once as it is
        cls.keeps_numbers = cls.in_float32 if cls.wide_numbers is None else cls.wide_numbers
        cls.half_kernels = {}  # library -> its kernel in float32, made when it is first asked for

    @classmethod
    def _read_rules(cls, declared):
        cls.rules = [Rule(f, 2) if (f := getattr(cls, f"grad_{n}", None)) else None for n in cls.inputs]
        cls.joint = Rule(cls.backward, 3) if cls.backward is not None else None
        cls.has_gradient = declared.has_gradient and (cls.joint is not None or any(cls.rules))

    def __call__(self, *args, **kwargs):
        """mul()(a, b): an instance calls the function."""
        return type(self).fn(*args, **kwargs)

    @classmethod
    def kernel(cls, k):
        """The function that computes this op with table k."""
        kernel = cls.kernels.get(k.backend, cls.forward) if cls.kernels else cls.forward
        if not (k.is_half and (cls.in_float32 or cls.stepwise)):
            return kernel
        once = kernel
        if not (cls.stepwise and k.has_steps):
            if k.backend not in cls.half_kernels:
                once = in_float32(kernel)
                cls.half_kernels[k.backend] = once if cls.halves is None else cls.halves(once)
            once = cls.half_kernels[k.backend]
        if k.only_ops is None or cls.label in k.only_ops:
            return once
        refusal = NotDefined(k.kernel_names.get(cls.label, f"{cls.name}_cpu"), k.dtype)
        return only_empty(once if cls.label in k.empty_ops else None, refusal)


operation = Operation


def only_empty(kernel, refusal):
    """A kernel that an element type has for empty arrays only, where torch does not come to its own; None: not even
    for those."""

    def call(k, *args):
        if kernel is None or all([getattr(a, "size", 1) for a in args]):
            raise refusal
        return kernel(k, *args)

    return call


def positional(forward, n_keyword_only):
    """The kernel with every option by position."""
    code = forward.__code__
    if not n_keyword_only or not code.co_kwonlyargcount:
        return forward
    n = code.co_argcount
    names = code.co_varnames[n : n + n_keyword_only]
    spelled = ", ".join(code.co_varnames[:n] + names)
    passed = ", ".join([*code.co_varnames[:n], *[f"{x}={x}" for x in names]])
    scope = {"forward": forward}
    exec(f"def call({spelled}): return forward({passed})", scope)
    return scope["call"]
