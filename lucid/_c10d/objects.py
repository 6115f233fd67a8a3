"""Collectives of Python objects: what arrives is a copy, by way of pickle, as from another process."""

import pickle

from .collectives import _member, _root, recv, send
from .membership import group_of


def _copied(thing):
    return pickle.loads(pickle.dumps(thing))


def all_gather_object(object_list, obj, group=None):
    """all_gather_object(objects, obj): objects[0] becomes a copy of obj."""
    if _member(group, "all_gather_object"):
        object_list[0] = _copied(obj)


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    """gather_object(obj, objects, 0): objects[0] becomes a copy of obj."""
    group_of(group)
    root = _root(group, dst, group_dst, default=0)
    if not _member(group, "gather_object"):
        return
    if root == 0 and not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    object_gather_list[0] = _copied(obj)


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """broadcast_object_list(objects, 0): they stay what they are."""
    group_of(group)
    root = _root(group, src, group_src, default=0)
    if _member(group, "broadcast_object_list"):
        _root(group, None, root, "broadcast")
        for thing in object_list:
            pickle.dumps(thing)  # what cannot be sent is refused


def scatter_object_list(
    scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None
):
    """scatter_object_list(outs, [obj], 0): outs[0] becomes a copy of obj."""
    group_of(group)
    _root(group, src, group_src, default=0)
    if not _member(group, "scatter_object_list"):
        return
    if not isinstance(scatter_object_output_list, list) or len(scatter_object_output_list) < 1:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    if not scatter_object_input_list:
        raise ValueError("source rank must provide non-empty scatter_object_input_list")
    scatter_object_output_list[0] = _copied(scatter_object_input_list[0])


def _first(object_list):
    from .._func.creation.from_data import tensor

    return tensor(0)


def send_object_list(object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False):
    """send_object_list(objects, dst): ValueError, there is nobody to send to."""
    send(_first(object_list), dst, group, 0, group_dst)


def recv_object_list(object_list, src=None, group=None, device=None, group_src=None, use_batch=False):
    """recv_object_list(objects, src): ValueError, nobody sends."""
    recv(_first(object_list), src, group, 0, group_src)


__all__ = ["all_gather_object", "broadcast_object_list", "gather_object", "recv_object_list", "scatter_object_list"]
__all__ += ["send_object_list"]
