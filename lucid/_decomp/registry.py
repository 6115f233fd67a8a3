"""Which op is taken apart by which function: torch's tables, and the decorators that fill them."""

import collections
import functools
import importlib
import inspect

from .._aten import table
from .._aten.overloads import HigherOrderOperator, OpOverload, OpOverloadPacket, aten, packet
from .._tensor import pytree
from .._tensor.tensor import Tensor

global_decomposition_table: dict = collections.defaultdict(dict)
decomposition_table = global_decomposition_table["post_autograd"]
pre_autograd_decomposition_table = global_decomposition_table["pre_autograd"]
meta_table = global_decomposition_table["meta"]
BY_NAME: dict = {}  # name of an op or a function -> the function that takes it apart
_CORE: dict = {}  # overload -> function: what leads to the core set

ROOMS = """activations creation indexing losses normalisation padding pointwise products reductions resampling
views""".split()
# In-place forms that torch takes apart on the way to the core set.
_CORE_IN_PLACE = set(
    """addcdiv_ addcmul_ celu_ deg2rad_ elu_ fill_ frac_ gelu_ hardsigmoid_ hardswish_ hardtanh_ heaviside_ index_add_
    index_copy_ index_fill_ leaky_relu_ lerp_ logit_ masked_fill_ mish_ mvlgamma_ nan_to_num_ rad2deg_ renorm_ sgn_
    silu_ sinc_ threshold_ tril_ triu_ xlogy_ zero_""".split()
)
# Composites that only say something about a tensor, or change what is known of it.
_QUESTIONS = set(
    """_autocast_to_full_precision _autocast_to_reduced_precision dim is_contiguous numel retain_grad set_data
    storage_offset sym_numel sym_storage_offset""".split()
)


@functools.cache
def load():
    """Fill the tables: the rooms register what they have when they are imported."""
    for room in ROOMS:
        importlib.import_module(f".{room}", __package__)


class Table(dict):
    """{overload: function}, as torch's table of decompositions for export."""

    def materialize(self):
        """materialize() -> the table as a plain dict"""
        return dict(self)

    def copy(self):
        """copy() -> another table"""
        return Table(self)


def decomposes(names, core=True, in_place=True, out=True, core_out=None):
    """decomposes("lerp.Scalar lerp.Tensor"): the function is the decomposition of these, and of their in-place and
    out= forms; core: on the way to the core set too (core_out: the out= forms)."""

    def register(function):
        BY_NAME.setdefault(function.__name__, function)
        for name in names.split():
            overload = aten(name)
            BY_NAME.setdefault(overload._opname, function)
            _add(overload, function, core)
            forms = _out_forms(overload) if out else []
            for form in forms:
                _add(form, _written_out(function, form), core if core_out is None else core_out)
            for form in _in_place_forms(overload) if in_place else []:
                # torch's in-place forms of what is core already call the plain op.
                _add(form, _written_in_place(function if core else overload), form._opname in _CORE_IN_PLACE)
        return function

    return register


def _add(overload, function, core):
    decomposition_table.setdefault(overload, function)
    if core:
        _CORE.setdefault(overload, function)


def _signature(schema):
    return [(a.name, str(a.type)) for a in schema.arguments if not a.is_out]


# Options of new tensors, which calls with out= do not have: the tensor is there.
_OPTIONS = {"dtype", "layout", "device", "pin_memory"}


def _out_forms(overload):
    rows, wanted = table.overloads(overload._opname), _signature(overload._schema)
    forms = [getattr(overload.overloadpacket, n) for n, row in rows.items() if "out" in row.facts]
    short = [pair for pair in wanted if pair[0] not in _OPTIONS]
    return [f for f in forms if _signature(f._schema) in (wanted, short)]


def _in_place_forms(overload):
    name = f"{overload._opname}_"
    if name not in table.names():
        return []
    forms = [getattr(packet("aten", name), n) for n in table.overloads(name)]
    # Generators and numbers may differ in an out= form, but the in-place form takes what the plain one does.
    return [f for f in forms if _signature(f._schema) == _signature(overload._schema)]


def _written_in_place(function):
    """function, whose result is then the new value of its first argument."""

    def run(self, *args, **kwargs):
        return self.copy_(function(self, *args, **kwargs))

    return run


def _written_out(function, form):
    """function, whose results are written to the tensors that a call with out= names."""
    names = [a.name for a in form._schema.arguments if a.is_out]
    has_dtype = "dtype" in inspect.signature(function).parameters
    tells = has_dtype and not any(a.name == "dtype" for a in form._schema.arguments)

    @functools.wraps(function)
    def run(*args, **kwargs):
        outs = [kwargs.pop(name) for name in names]
        if tells:
            kwargs["dtype"] = outs[0].dtype
        found = function(*args, **kwargs)
        for to, value in zip(outs, [found] if isinstance(found, Tensor) else found):
            if to.shape != value.shape:
                to.resize_(value.shape)
            to.copy_(value)
        return outs[0] if len(outs) == 1 else tuple(outs)

    return run


@functools.cache
def _composites():
    """{overload: its own decompose} of what torch takes apart before anyone sees it: no writes, views or questions."""
    found = {}
    for name in table.names():
        if name in _QUESTIONS or (name.endswith("_") and not name.endswith("__")):
            continue
        for which, row in table.overloads(name).items():
            if row.is_composite and not row.facts & {"out", "maybe_aliasing_or_mutating"}:
                overload = getattr(packet("aten", name), which)
                if not any(a.alias_info for a in (*overload._schema.arguments, *overload._schema.returns)):
                    found[overload] = overload.decompose
    return found


def core_aten_decompositions():
    """core_aten_decompositions() -> {overload: function} that leads to the core set of ATen ops."""
    load()
    return Table({**_composites(), **_CORE})


def _overloads_of(op):
    """The overloads that an op stands for; a HigherOrderOperator stands for itself."""
    if isinstance(op, (OpOverload, HigherOrderOperator)):
        return [op]
    if not isinstance(op, OpOverloadPacket):
        raise AssertionError(f"expected OpOverloadPacket, got {type(op)}")
    return [getattr(op, name) for name in op.overloads()]


def register_decomposition(aten_op, registry=None, *, type="post_autograd", unsafe=False):
    """register_decomposition(ops, registry=None, *, type="post_autograd"): a decorator: the function is the
    decomposition of these overloads (all of a packet's), in registry or torch's table of this type.

    RuntimeError for an op that has one.
    """
    if type not in ("post_autograd", "pre_autograd", "meta"):
        raise AssertionError(f"type must be one of 'post_autograd', 'pre_autograd', or 'meta', got {type!r}")
    load()

    def decorate(function):
        to = global_decomposition_table[type] if registry is None else registry

        def add(op):
            for overload in _overloads_of(op):
                if overload in to:
                    raise RuntimeError(f"duplicate registrations for {overload}")
                to[overload] = function

        pytree.tree_map_(add, aten_op)
        return function

    return decorate


def get_decompositions(aten_ops, type="post_autograd"):
    """get_decompositions(ops) -> {overload: function} of those overloads, or packets' overloads, that have one."""
    if type not in ("post_autograd", "pre_autograd", "meta"):
        raise AssertionError(f"type must be one of 'post_autograd', 'pre_autograd', or 'meta', got {type!r}")
    load()
    known, found = global_decomposition_table[type], {}
    for op in aten_ops:
        wanted = _overloads_of(op) if isinstance(op, (OpOverload, OpOverloadPacket)) else []
        found.update({o: known[o] for o in wanted if o in known})
    return found


def remove_decompositions(decompositions, aten_ops):
    """remove_decompositions(table, ops): drop them from the table."""
    for op in aten_ops:
        for overload in _overloads_of(op) if isinstance(op, (OpOverload, OpOverloadPacket)) else ():
            decompositions.pop(overload, None)


def _should_decompose_because_unsafe_op(op):
    """Is op one that tracers always take apart, because its schema does not say what it writes?"""
    if not isinstance(op, OpOverload):
        return False
    return "maybe_aliasing_or_mutating" in op._tags or op._name == "aten::native_batch_norm"
