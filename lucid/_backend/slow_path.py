"""The long way: what a call does when anything about it is unusual.

Overrides and modes first; then Python numbers, promotion and devices (promotion.py); then the kernel, the record
(recording.py), and `out=` (out_argument.py). Generated functions (generate.py) come here whenever their one-line test
fails.
"""

from .._array.numpy.memory import in_order
from .._array.words import NotDefined
from .._base.shape import broadcast_pair
from .._base.state import DISPATCH, INFERENCE, PROFILE, UNUSUAL, local
from .._tensor.storage import link_view, mark_inference
from .._tensor.tensor import Tensor
from .argument_kinds import answers
from .autocast import POLICIES, wrapped
from .dispatch import Speller, asked
from .dispatched import dispatched
from .entries import ask_as_written, public_entry, refuse_complex
from .native import big, forward, may_be
from .option_errors import refuse_whole_numbers
from .out_argument import refuse_gradients, refuse_out, refuse_type, store_out, type_from_out
from .overrides import PLAIN, ask_overrides, call_arguments
from .promotion import is_number, ready
from .recording import canonical, note_promoted, refuse_forbidden, refuse_inference_saved, wrap_many, wrap_one

# ---- entry points


def interpret(op, tensors, options, out=None, told=None):
    """Run op however the arguments and the thread's modes ask for it; told: the function that the user called."""
    if UNUSUAL or not all_plain(op, tensors) or out is not None:
        told = told or public_entry(op.public_function or op.fn)
        handled, result = ask_overrides(told, _flat(op, tensors), *call_arguments(op, tensors, options, out), out=out)
        if handled:
            return result
        if local.cast_to is not None and out is None and (policy := POLICIES.get(op.name)) is not None:
            return wrapped(policy, lambda *cast: interpret(op, cast, options, None, told), tensors, {}, op.name, True)
    form = getattr(told, "form", None)
    try:
        if op.broadcasts:
            refuse_numbers(op, tensors)
        elif form is not None and not op.poly and any(t is not None and not isinstance(t, Tensor) for t in tensors):
            form.refuse(*call_arguments(op, tensors, options, out, form.must))
        return compute(op, tensors, options, out)
    except Exception:
        if form is not None:
            form.refuse(*call_arguments(op, tensors, options, out, form.must))
        raise


def rebind(op, told, given):
    """A call with anything out of the ordinary among its arguments (calls.py): the same in plain ones, or refused."""
    tensors, options, out = rebound(op, told.form, given)
    if any(map(answers, options)):
        handled, result = ask_as_written(told, *told.form.call(given))
        if handled:
            return result
    return interpret(op, tensors, options, out, told)


def rebound(op, form, given):
    """(operands, options, out) of a call, with values in one form; torch's error where it would refuse the call."""
    args, kwargs = form.bound(*form.call(given))
    names = [*op.inputs, *[n for n in op.options if n not in op.keyword_only]]
    found = dict(zip(names, args))
    for n, v in kwargs.items():
        n = op.inputs[0] if n in ("input", "self") and n not in op.options else n
        if n in found or n not in names and n not in op.options and n != "out":
            raise TypeError(f"{form.name}() got an unexpected keyword argument '{n}'")
        found[n] = v
    values = {**op.defaults, **found}
    tensors, options = (tuple([values[n] for n in which]) for which in (op.inputs, op.options))
    refuse_complex(tensors, zip(op.options, options))
    return tensors, options, found.get("out")


def interpret_word(op, tensors, options, out=None):
    """The same for a rule, which may give a number for any operand."""
    return compute(op, tensors, options, out)


def refuse_numbers(op, tensors):
    """torch's error where its function wants a tensor and a number came, or a number and an array of numpy's came."""
    for i, t in enumerate(tensors):
        if is_array(t):
            raise TypeError(
                f"{op.name}(): argument '{op.inputs[i]}' (position {i + 1}) must be Tensor, not numpy.ndarray"
            )
    if op.scalar_operands in ("all", "two"):
        return
    for i, t in enumerate(tensors[:1] if op.scalar_operands == "second" else tensors):
        if t is not None and not isinstance(t, Tensor) and is_number(t):
            raise TypeError(
                f"{op.name}(): argument '{op.inputs[i]}' (position {i + 1}) must be Tensor, not {type(t).__name__}"
            )


def interpret_operator(op, tensors, options, told=None):
    """The same for a Python operator: types it does not know are left to the other operand."""
    if any(map(is_array, tensors)) and op.name not in ("eq", "ne"):
        return NotImplemented
    for t in tensors:
        if hasattr(type(t), "__array_finalize__") and op.name not in ("eq", "ne"):
            return NotImplemented  # a numpy array: numpy's own operator sees to it, in numpy's types
        if (
            not isinstance(t, Tensor)
            and not is_number(t)
            and not (hasattr(type(t), "__array__") and not hasattr(type(t), "__torch_function__"))
        ):
            if not hasattr(type(t), "__torch_function__"):
                return NotImplemented
    tensors = tuple([_operand(t, tensors) for t in tensors])
    if UNUSUAL or not all_plain(op, tensors):
        return interpret(op, tensors, options, told=told or getattr(Tensor, op.name, None))
    return compute(op, tensors, options)


def method_operator(name, told, op, tensors, options):
    """The same for an operator called as a method of Tensor by its name: self must be a tensor."""
    if not isinstance(tensors[0], Tensor):
        raise TypeError(
            f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a "
            f"'{type(tensors[0]).__name__}' object"
        )
    return interpret_operator(op, tensors, options, told)


def reversed_operator(op, number, tensor, told):
    """number `op` tensor."""
    if UNUSUAL or not all_plain(op, (number, tensor)):
        handled, result = ask_overrides(told, (tensor, number), (tensor, number), {})
        if handled:
            return result
    return interpret_operator(op, (number, tensor), tuple([op.defaults[o] for o in op.options]))


def is_array(x):
    """An array of numpy's: it is no operand of torch's functions, and as one of an operator it does the work."""
    return type(x).__module__ == "numpy" and type(x).__name__ == "ndarray"


def is_operand(x):
    """May x stand beside a tensor in an operator?"""
    return isinstance(x, Tensor) or hasattr(type(x), "__torch_function__") or is_number(x) and not is_array(x)


def _operand(t, tensors):
    """A numpy array beside a tensor takes part as a tensor."""
    if isinstance(t, Tensor) or is_number(t) or not hasattr(type(t), "__array__") or getattr(t, "ndim", 0) == 0:
        return t
    return Tensor._from_numpy(t)


def _flat(op, tensors):
    return [*tensors[0], *tensors[1:]] if op.poly and isinstance(tensors[0], (tuple, list)) else tensors


def all_plain(op, tensors):
    for t in _flat(op, tensors):
        if type(t) not in PLAIN and (isinstance(t, Tensor) or hasattr(type(t), "__torch_function__")):
            return False
    return True


# ---- computing


def compute(op, tensors, options, out=None):
    """Promote, run the kernel, record, wrap; under a profiler, measured."""
    if PROFILE:
        return PROFILE[-1].op(_computed, op, tensors, options, out)
    return _computed(op, tensors, options, out)


def _computed(op, tensors, options, out):
    flat = _flat(op, tensors)
    if op.poly and not isinstance(tensors[0], (tuple, list)):
        raise TypeError(
            f"{op.name}(): argument '{op.inputs[0]}' (position 1) must be tuple of Tensors, not "
            f"{type(tensors[0]).__name__}"
        )
    if DISPATCH and asked(flat) and (call := Speller.current.spell(op, tensors, options, out)) is not None:
        return call.instead() if call.instead is not None else dispatched(op, call, flat, options, out)
    if out is not None:
        refuse_gradients(op, flat, out)
        options = type_from_out(op, flat[0], options, out)
    k, arrays, edges, casts, options = ready(op, flat, options)
    if op.poly:
        arrays = (list(arrays),)
    node_class = op.WholeNode if op.whole_node_name and options[0] is None else op.Node
    options = canonical(op, arrays, options)
    recording = op.has_gradient and local.grad and any(e is not None for e in edges)
    if recording:
        refuse_forbidden(edges)
        if INFERENCE:
            refuse_inference_saved(op, flat, edges)
        if op.computes_in_type_of_out:
            refuse_whole_numbers(op, options)
    if out is not None:
        refuse_out(op, flat, out)
        recording = False
    d = run(op, k, arrays, options) if out is None else _run_into(op, k, arrays, options, out)
    if op.broadcasts and k.host and len(arrays) > 1 and op.layout_from != () and d.__class__ is k.array_type:
        d = in_order(d, *(arrays if op.layout_from is None else [arrays[i] for i in op.layout_from]))
    if op.n_ret != 1:
        result = wrap_many(op, k, d, flat, arrays, edges if recording else None, options, casts)
    else:
        result = wrap_one(op, k, d, arrays, edges if recording else None, options, casts, node_class)
        if recording and result._node is not None and op.promote not in (None, "keep") and not op.poly:
            note_promoted(result._node, op, flat, arrays)
        if op.view:
            link_view(result, flat[0], op, options, local.grad)
    if local.inference and not op.view:
        for t in result if isinstance(result, (tuple, list)) else (result,):
            mark_inference(t)
    if out is None:
        return result
    takes = "any" if op.computes_in_type_of_out else op.out_takes
    resized = op.out_resized
    if callable(resized):
        resized = resized(result._array.shape, *options)
    read = flat[: None if op.not_overgrown == "all" else op.not_overgrown or 0]
    stored = store_out(op.name, result, out, takes, expanded=op.writes_expanded is True, resized=resized, read=read)
    return None if op.n_ret is None else stored  # lists are written to and not given back, as in torch


def _run_into(op, k, arrays, options, out):
    """The same where a result goes into out=, whose type torch looks at before the kernel looks at the operands'."""
    try:
        return run(op, k, arrays, options)
    except NotImplementedError:
        if op.out_takes == "same" == op.result and not op.refuses_complex:
            refuse_type(k, out)
        raise


def run(op, k, arrays, options):
    """The kernel, with the library's complaints in torch's words."""
    kernel = forward(op) if arrays and big(arrays[0]) and may_be(op) else op.kernel(k)
    if not op.broadcasts:
        return kernel(k, *arrays, *options)
    try:
        return kernel(k, *arrays, *options)
    except (ValueError, TypeError) as error:
        explain_operands(op, k, arrays, error)


# what an array library says of an operation that an element type does not have
_NOT_DEFINED = (
    "not supported for the input types",
    "numpy boolean",
    "did not contain a loop",
    "must be real",
    "cannot be negated",
)


def explain_operands(op, k, arrays, error):
    """Inside an `except`: torch's error for what the array library refused in an elementwise op, without the library's
    own.
    """
    if isinstance(error, TypeError):
        if k.only_ops is not None and isinstance(error, NotDefined):
            raise error from None  # which names torch's kernel
        undefined = isinstance(error, NotDefined) or any(words in str(error) for words in _NOT_DEFINED)
        torchs = op.refusal(k) if undefined else None
        if not isinstance(torchs, NotImplementedError):
            raise (torchs or error) from None
        error = torchs  # a kernel's refusal, which comes after torch's look at the shapes
    masks_first = sorted(zip(op.inputs, arrays), key=lambda pair: pair[0] not in op.index_inputs)
    try:
        broadcast_all([a for _, a in masks_first])
    except RuntimeError as torchs:
        raise torchs from None
    raise error from None


def broadcast_all(arrays):
    """The shape that arrays broadcast to (None among them are left out); torch's error if they do not."""
    shape = ()
    for a in arrays:
        if a is not None:
            shape = broadcast_pair(shape, a.shape)
    return shape
