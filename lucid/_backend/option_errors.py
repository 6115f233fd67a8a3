"""Options of the wrong type: what torch says of them, found out after an op has failed over them."""

import sys

from .._base import dtype as dtypes
from .._base.errors import BadArgument


def _is_int(x):
    return hasattr(x, "__index__")


def _is_ints(x):
    return _is_int(x) or isinstance(x, (tuple, list)) and all(map(_is_int, x))


# options that are of one kind wherever they occur: name -> (test, what torch calls the kind)
_KINDS = {
    **dict.fromkeys(
        "dim0 dim1 dim2 start_dim end_dim dimension start_axis k diagonal offset".split(), (_is_int, "int")
    ),
    **dict.fromkeys(("dim",), (_is_ints, "int")),
    **dict.fromkeys("size shape repeats dims shifts".split(), (_is_ints, "tuple of ints")),
    **dict.fromkeys("keepdim descending sorted largest".split(), (lambda x: isinstance(x, bool), "bool")),
}


def explain_options(op, options):
    """Inside an `except`: TypeError in torch's words if an option is of the wrong type, else the exception itself."""
    trouble = sys.exception() if hasattr(sys, "exception") else sys.exc_info()[1]
    for i, (name, value) in enumerate(zip(op.options, options)):
        test, kind = _KINDS.get(name, (None, None))
        if test is not None and not test(value) and not (value is None and op.defaults.get(name, 0) is None):
            kind = "tuple of ints" if isinstance(value, (tuple, list)) else kind
            place = "" if name in op.keyword_only else f" (position {len(op.inputs) + i + 1})"
            raise TypeError(
                f"{op.name.strip('_')}(): argument '{name}'{place} must be {kind}, not {type(value).__name__}"
            ) from None
    raise trouble


def as_dtype(op, dtype):
    """What an op's option dtype= means."""
    try:
        return dtypes.as_dtype(dtype)
    except BadArgument as trouble:
        raise trouble.of(op.name) from None
