"""What torch.func has for looking into transforms: debug_unwrap, and functionalize."""

import functools
import importlib

from .._backend.dispatch import asked, tensors_of
from .._base.state import DISPATCH
from .._tensor.tensor import bare


def functionalize(func, *, remove="mutations"):
    """functionalize(func, *, remove="mutations") -> func, whose results it gives. A mode that watches (make_fx) is told
    of calls that write nothing, and with "mutations_and_views" of copies in the place of views.

    RuntimeError unless remove is "mutations" or "mutations_and_views".
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced "
            "with their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be "
            "replaced with their non-aliasing counterparts, {view}_copy\n"
        )

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        if DISPATCH and asked(tensors_of(args, kwargs)):
            calls = importlib.import_module(".._functorch.functional_calls", __package__)  # a higher floor, for tracers
            return calls.without_writes(func, args, kwargs, remove == "mutations_and_views")
        return func(*args, **kwargs)

    return wrapped


def debug_unwrap(tensor, *, recurse=True):
    """debug_unwrap(tensor) -> Tensor with the values beneath the transforms that run (batches show all of their
    members); recurse=False: beneath the innermost one only.
    """
    return bare(tensor) if recurse else bare(tensor, 1)
