"""`x.data` read and set, and requires_grad_ where it changes nothing: as torch's graphs have them."""

from .._base.entering import found_in
from .._base.state import local
from .._C import _autograd
from .._tensor.tensor import Tensor
from .exc import Break
from .recorder import Recorder, unrecorded

_get_data_attr = _autograd._get_data_attr


@found_in("lucid._dynamo.variables.builtin")
def _lower_version_count_by_1(tensor):
    """_lower_version_count_by_1(tensor) -> tensor, whose last write does not count: `x.data = y` is none."""
    tensor._extra.version_offset -= 1
    return tensor


def set_data(m, t, value):
    """Read `t.data = value`."""
    recorder = m.recorder
    if type(recorder) is not Recorder or id(t) not in recorder.inputs:
        raise Break("setting data of a tensor that the graph makes")
    if not isinstance(value, Tensor) or value.dtype is not t.dtype or value.device != t.device:
        raise Break("setting data to a tensor of another type")
    nodes, on = (recorder.used(t), recorder.used(value)), local.grad
    if on:
        recorder.switch_grad(False)
    with unrecorded():
        Tensor.set_(t, value)
        _lower_version_count_by_1(t)
    written = recorder.mode_node(Tensor.set_, nodes)
    if on:
        recorder.switch_grad(True)
    recorder.mode_node(_lower_version_count_by_1, (written,))
    recorder.ops += 2


def changes_nothing(name, t, args, kwargs):
    """Is it requires_grad_() of a tensor of which that is true already?"""
    if name != "requires_grad_" or len(args) + len(kwargs) > 1:
        return False
    wanted = args[0] if args else kwargs.get("requires_grad", True)
    return isinstance(wanted, bool) and t.requires_grad is wanted
