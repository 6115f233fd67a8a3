"""Operation and func_op: how an op is declared, and what is made of the declaration.

    class exp(Pointwise):
        \"\"\"exp(input) -> Tensor: e to the power of each element.\"\"\"
        promote = "int_to_float"
        @unary_func_op()
        def forward(xp, input):        return xp.exp(input)
        def grad_input(xp, g, out):    return g * xp.conj(out)

One class is one op; one call of it that needs a gradient leaves one instance of its node class (`exp.Node`), and that
node is the result's `grad_fn`. At class creation `generate.py` writes the specialised public function, which becomes
`lucid.exp`, `Tensor.exp` and the word `xp.exp` for Tensors; `exp_` and `out=` follow.
"""

import keyword

from .._base.dtype import float32
from .._base.state import clock
from .._tensor.tensor import Tensor
from . import closure_ops as pair
from . import generate
from .graph import OUTPUTS, BackwardOperation, Output

OPS: dict[str, type] = {}  # op name -> Operation
FUNCTIONS: dict = {}  # public function name -> function: what Tensors answer as a vocabulary
WORDS: dict = {}  # forms of those that rules may call with numbers where the public function refuses
NAMESPACES: dict[str, dict] = {}  # "torch", "nn.functional", "linalg" ... -> {name: function} of what lives there


class Declared:
    """What @func_op knows of a kernel."""

    __slots__ = ("forward", "n_in", "n_ret", "has_gradient", "pair_form")

    def __init__(self, forward, n_in, n_ret, has_gradient):
        self.forward, self.n_in, self.n_ret, self.has_gradient = forward, n_in, n_ret, has_gradient
        names = forward.__code__.co_varnames
        self.pair_form = bool(names) and names[0] == "self"


def func_op(n_in=None, n_ret=1, has_gradient=True):
    """Declare a kernel: its first `n_in` arguments are tensors (None: the first is a sequence of tensors, or every
    leading one in the pair form), and it gives `n_ret` results (None: as many as come back)."""

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


class Rule:
    """One gradient rule and the names of what it wants saved."""

    __slots__ = ("call", "wants")

    def __init__(self, call, skip, wide=False):
        self.call = widened(call) if wide else call
        self.wants = call.__code__.co_varnames[skip : call.__code__.co_argcount]


class Operation:
    """The base of all ops. Class attributes are the op's declaration; see the families for what each derives.

    promote: None (tensors must agree), "same", "int_to_float", "compare", "int_to_long", "keep" (tensors may differ).
    node: the name of the graph node (default `<Name>Backward0`); node_number: when a Python number is an operand;
        node_inplace: of the in-place form;
        node_whole: when `dim`, the first option, is not given.
    methods: extra Tensor method names, e.g. ("__mul__", "__rmul__"). method: is it a Tensor method under its own name?
    namespace: where torch has the function ("torch", "nn.functional", "special", None: nowhere public).
    inplace / has_out: derive `name_` and `out=`? differentiable: which results have gradients (None: all).
    """

    name = None
    methods = ()
    method = True
    namespace = ("torch",)
    inplace = False
    has_out = False
    promote = None
    result = "same"  # table of the result: "same", "bool", "of" (ask the array), "elsewhere": table(k, *options)
    node_name = node_number = inplace_node_name = None
    whole_node_name = None  # the node when the option `dim` is not given
    differentiable = None
    view = False
    composite_results = None  # a namedtuple class for several results
    broadcasts = False  # gradients may have to be summed back to the input's shape
    backward = None  # a joint rule
    prepare = None  # canonical options: prepare(arrays..., options...) -> options
    mismatch = None  # promote=None: mismatch(dtypes...) -> torch's message when they differ
    varargs = None  # name of the option that may be given as separate arguments
    aliases = ()  # other public names of the same function
    out_must_not_overlap = False  # out= may not share memory with an input
    linear = False  # linear in each tensor input, taken singly
    recompute_saved = None  # renew(node, name): computes a saved result again after a write into it
    index_inputs = ()  # inputs that keep their own type and have no edge in the graph (masks, indices)
    scalar_options = ()  # options that are Python numbers and take part in promotion
    fast_word = None  # the word that does it all when every option has its default
    vmap_by_loop = False  # vmap runs it for one member after the other
    jvp_by_double_backward = False  # forward mode goes by the gradient rules, not by the words of forward
    compute_in_float32 = False  # halves: compute in float32 and round once (for rules of several words)
    kernel_name = None  # what torch calls its kernel in "not implemented for" errors
    scalar_operands = (
        "second"  # elementwise ops: Python numbers for no operand ("none"), all but the first, any ("all"), or
    )
    # even for two ("two")
    check = None  # check(tensors, options): refuses operands of mixed types before they are promoted
    public_function = None  # the public function, when it is not `fn` itself (one of several ops of a name)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        declared = cls.__dict__.get("forward")
        if not isinstance(declared, Declared):
            return  # a family, not an op
        if declared.pair_form:
            pair.declare_pair(cls, declared)
            return
        cls._read(declared)
        cls.Node = make_node(cls)
        if cls.node_number:
            cls.NumberNode = make_node(cls, cls.node_number)
        else:
            cls.NumberNode = cls.Node
        cls.WholeNode = make_node(cls, cls.whole_node_name) if cls.whole_node_name else cls.Node
        cls.InplaceNode = make_node(cls, cls.inplace_node_name) if cls.inplace_node_name else None
        generate.publish(cls)

    @classmethod
    def _read(cls, declared):
        """Take names, defaults and rules from the declaration."""
        forward = declared.forward
        code = forward.__code__
        cls.name = (
            cls.name
            if "name" in cls.__dict__
            else cls.__name__.rstrip("_")
            if keyword.iskeyword(cls.__name__.rstrip("_"))
            else cls.__name__
        )
        n_pos, n_kw = code.co_argcount, code.co_kwonlyargcount
        params = code.co_varnames[1:n_pos]
        cls.keyword_only = code.co_varnames[n_pos : n_pos + n_kw]
        defaults = forward.__defaults__ or ()
        cls.defaults = dict(zip(params[len(params) - len(defaults) :], defaults))
        cls.defaults.update(forward.__kwdefaults__ or {})
        cls.n_in, cls.n_ret, cls.has_gradient = declared.n_in, declared.n_ret, declared.has_gradient
        count = 1 if cls.n_in is None else cls.n_in
        cls.inputs, cls.options = params[:count], (*params[count:], *cls.keyword_only)
        cls.poly = cls.n_in is None
        forward = positional(forward, n_kw)
        cls.forward = staticmethod(widened(forward) if cls.compute_in_float32 else forward)
        cls.kernels = {
            lib: widened(positional(f, n_kw)) if cls.compute_in_float32 else positional(f, n_kw)
            for lib in ("numpy", "mlx", "meta")
            if (f := cls.__dict__.get(lib)) is not None
        }
        cls.rules = [
            Rule(f, 2, cls.compute_in_float32)
            if (f := cls.__dict__.get("grad_" + n) or getattr(cls, "grad_" + n, None))
            else None
            for n in cls.inputs
        ]
        joint = cls.__dict__.get("backward") or cls.backward
        cls.joint = Rule(joint, 3, cls.compute_in_float32) if joint is not None else None
        cls.has_gradient = cls.has_gradient and (cls.joint is not None or any(cls.rules))
        if cls.vmap_by_loop:
            cls.kernels["batched"] = lambda xp, *args: xp.by_member(cls, args)
        if cls.jvp_by_double_backward:
            cls.kernels["dual"] = lambda xp, *args: xp.transposed(cls.fn, args)
        OPS[cls.name if cls.name not in OPS else cls.__name__] = cls

    def __call__(self, *args, **kwargs):
        """The seeds' spelling: mul()(a, b)."""
        return type(self).fn(*args, **kwargs)

    @classmethod
    def kernel(cls, k):
        """The function that computes this op with table k."""
        return cls.kernels.get(k.backend, cls.forward) if cls.kernels else cls.forward


operation = Operation


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


def widened(rule):
    """A rule that, for half-precision arrays of numpy, runs in float32 and rounds its result once."""

    def call(xp, *args):
        if xp.backend == "numpy" and xp.is_half:
            return xp.narrow(rule(xp.sibling(float32), *[xp.widen(a) for a in args]))
        return rule(xp, *args)

    call.__name__, call.__doc__ = rule.__name__, rule.__doc__
    return call


def public(name=None, *, namespace="torch", method=None, word=None):
    """Publish a plain function (a composite): where torch has it, and as which Tensor method.

    namespace: a place or several, None for nowhere; method: True, a name, or several names.
    """

    def declare(f):
        label = name or f.__name__
        for place in (namespace,) if isinstance(namespace, str) else namespace or ():
            NAMESPACES.setdefault(place, {})[label] = f
            if place == "torch" or label not in NAMESPACES.get("torch", ()):
                FUNCTIONS[label] = f
        if word:
            FUNCTIONS[word] = f
        names = (label,) if method is True else (method,) if isinstance(method, str) else method or ()
        for n in names:
            setattr(Tensor, n, f)
        return f

    return declare


def tensor_method(f):
    """Publish a plain function as a Tensor method of its own name."""
    setattr(Tensor, f.__name__, f)
    return f


# ---- Tensors as a vocabulary


class TensorWords:
    """Every word answered by the op of that name, so that a gradient rule records a graph of its own."""

    backend, aliases = "tensor", False

    def __init__(self, k):
        self.k, self.dtype, self.device, self.inexact, self.is_complex = k, k.dtype, k.device, k.inexact, k.is_complex

    def __getattr__(self, word):
        try:
            f = WORDS.get(word) or FUNCTIONS[word]
        except KeyError:
            raise NotImplementedError(
                f"the word '{word}' has no op yet, so this cannot be differentiated twice"
            ) from None
        return f

    def _new(self, name, *args):
        return FUNCTIONS[name](*args, dtype=self.dtype, device=self.device)

    def scalar(self, value):
        return value

    def asarray(self, value):
        return value

    def zeros(self, shape):
        return self._new("zeros", shape)

    def ones(self, shape):
        return self._new("ones", shape)

    def full(self, shape, value):
        return self._new("full", shape, value)

    def empty(self, shape):
        return self._new("zeros", shape)

    def eye(self, n, m=None):
        return self._new("eye", n, n if m is None else m)

    def arange(self, n):
        return self._new("arange", n)

    def cast(self, x, dtype):
        return x if x.dtype is dtype else FUNCTIONS["cast"](x, dtype)

    def scatter_reduce(self, x, dim, index, src, reduce, include_self):
        return FUNCTIONS["scatter_reduce"](x, dim, index, src, reduce, include_self=include_self)

    def sibling(self, dtype):
        return words_of(self.k.sibling(dtype))

    def of(self, x):
        return words_of(x._table)

    def strides(self, x):
        return x.stride()

    def import_from(self, x, k):
        """A Tensor of another device's table k, on this one."""
        return FUNCTIONS["transfer"](x, self.device)

    def as_strided(self, x, size, stride, offset):
        """The word counts the offset from x's first element; the public function from the storage's."""
        return FUNCTIONS["window"](x, size, stride, offset, x.stride())

    def as_strided_scatter(self, x, src, size, stride, offset, in_stride):
        return FUNCTIONS["window_scatter"](x, src, size, stride, offset, in_stride)

    def conj(self, x):
        return FUNCTIONS["conj"](x) if x._table.is_complex else x

    def real(self, x):
        return FUNCTIONS["real"](x) if x._table.is_complex else x


_WORDS: dict = {}


def words_of(k) -> TensorWords:
    """The vocabulary of Tensors for table k."""
    found = _WORDS.get(k)
    if found is None:
        found = _WORDS[k] = TensorWords(k)
    return found


# ---- nodes


def make_node(op, label=None):
    """The node class of an op: slots for what its rules want, and the method that runs them on raw arrays."""
    label = label or op.node_name or node_name(op.name)
    wanted = dict.fromkeys(w for rule in [*op.rules, op.joint] if rule is not None for w in rule.wants)
    slots = [w for w in wanted if w not in ("shape", "shapes")]
    shapes = [f"shape_{i}" for i in range(len(op.inputs))] if "shape" in wanted or "shapes" in wanted else []
    arrays = tuple(w for w in slots if w in op.inputs or w in OUTPUTS)
    scope = {"__slots__": tuple(slots + shapes), "op": op, "saved_names": arrays, "__module__": "torch.autograd.graph"}
    cls = type(label, (OpNode,), scope)
    cls.on_arrays = generate.node_method(op)
    cls.free, cls.frees = generate.free_method(arrays), bool(arrays)
    return cls


def node_name(name):
    """torch's node name: `log_softmax` -> LogSoftmaxBackward0."""
    return "".join(p[:1].upper() + p[1:] for p in name.strip("_").split("_")) + "Backward0"


_RESULTS = {"result": "out", "result1": "out1", "result2": "out2", "indices": "out1"}  # torch's names of saved results


class OpNode(BackwardOperation):
    """The node of a declared op."""

    __slots__ = ()

    def want(self, i, name, xp):
        """A value that a rule asked for by name, as a Tensor where it is an array."""
        op = self.op
        if name == "shape":
            return getattr(self, f"shape_{i}")
        if name == "shapes":
            return self.shape_0 if op.poly else tuple(getattr(self, f"shape_{j}") for j in range(len(op.inputs)))
        value = getattr(self, name, None)
        if value is None or name in op.options:
            return value
        if name == "out":
            return self.saved_tensor(value, self if self.copy_slices is None else self.copy_slices().result())
        if name == "outs":
            return tuple([self.saved_tensor(v, self.result_edge(j)) for j, v in enumerate(value)])
        if name in OUTPUTS:
            return self.saved_tensor(value, self.result_edge(OUTPUTS[name]))
        if op.poly:
            return [self.saved_tensor(v, e) for v, e in zip(value, self.edges)]
        i = op.inputs.index(name)
        edge, narrow = self.edges[i], self.casts[i] if self.casts is not None else None
        if edge is None or narrow is None or isinstance(value, Packed) or narrow is self.k.of(value):
            return self.saved_tensor(value, edge)
        # the operand was promoted: the graph leads to it through a cast, which takes a gradient back to its own type
        original = self.saved_tensor(narrow.cast(value, narrow.dtype), edge)
        return FUNCTIONS["cast"](original, self.k.of(value).dtype)

    def result_edge(self, j):
        return self if j == 0 else Output(self, j) if self.n_out > 1 else None

    def saved_tensor(self, array, edge):
        from .graph import alias_in_graph

        if isinstance(array, Packed):
            return array.unpack(edge)
        k = self.k.of(array)
        return alias_in_graph(array, k, edge if k.inexact else None)

    def on_tensors(self, g, edges):
        if clock.last_write > self.seq:
            from .graph import verify

            verify(self)
        op, xp = self.op, words_of(self.k)
        if op.joint is not None:
            if op.n_ret is None and self.n_out == 1:
                g = (g,)
            needs = tuple([e is not None for e in edges])
            grads = op.joint.call(xp, needs, g, *[self.want(0, w, xp) for w in op.joint.wants])
        else:
            grads = [
                None if e is None or rule is None else rule.call(xp, g, *[self.want(i, w, xp) for w in rule.wants])
                for i, (e, rule) in enumerate(zip(edges, op.rules))
            ]
        return generate.finish_grads(self, grads, words=xp)

    def __getattr__(self, name):
        """torch's names for saved values: _saved_self, _saved_result, _saved_dim ..."""
        if name.startswith("_saved_"):
            return self._saved(name[7:])
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _saved(self, what):
        op = self.op
        name = op.inputs[0] if what == "self" else what if what in op.inputs else _RESULTS.get(what, what)
        if self.seq == -1 and name in self.saved_names:
            from .graph import SECOND_BACKWARD

            raise RuntimeError(SECOND_BACKWARD)
        if name in op.inputs or name in OUTPUTS:
            if name not in self.saved_names:
                raise AttributeError(f"'{type(self).__name__}' object has no attribute '_saved_{what}'")
            value = getattr(self, name, None) if name in type(self).__slots__ else None
            return None if value is None else self.want(0, name, None)
        for cls in type(self).__mro__:
            if name in getattr(cls, "__slots__", ()):
                return object.__getattribute__(self, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '_saved_{what}'")

    def __dir__(self):
        back = {self.op.inputs[0]: "self", "out": "result"}
        saved = [
            "_saved_" + back.get(s, s)
            for c in type(self).__mro__
            for s in getattr(c, "__slots__", ())
            if s in self.op.inputs or s in self.op.options or s == "out"
        ]
        return [*object.__dir__(self), *saved]


class Packed:
    """A saved value that saved_tensors_hooks packed away."""

    __slots__ = ("value", "unpack_hook")

    def __init__(self, value, unpack_hook):
        self.value, self.unpack_hook = value, unpack_hook

    def unpack(self, edge=None):
        t = self.unpack_hook(self.value)
        if edge is not None and t._node is None:
            t._node = edge
        return t
