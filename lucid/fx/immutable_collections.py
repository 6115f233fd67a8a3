"""Lists and dictionaries of a node's arguments: they cannot be changed, since the graph counts what is in them."""

from .._tensor import pytree

__all__ = ["immutable_list", "immutable_dict"]

_ADVICE = """If you are attempting to modify the kwargs or args of a torch.fx.Node object,
instead create a new copy of it and assign the copy to the node:

    new_args = ...  # copy and mutate args
    node.args = new_args"""


def _refuse(self, *args, **kwargs):
    raise TypeError(f"{type(self).__name__!r} object does not support mutation. {_ADVICE}")


class immutable_list(list):
    """A list that raises TypeError on every change; hashable."""

    __delitem__ = __iadd__ = __imul__ = __setitem__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __hash__(self):
        return hash(tuple(self))

    def __reduce__(self):
        return type(self), (tuple(self),)


class immutable_dict(dict):
    """A dictionary that raises TypeError on every change; hashable."""

    __delitem__ = __ior__ = __setitem__ = clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self):
        return hash(frozenset(self.items()))

    def __reduce__(self):
        return type(self), (tuple(self.items()),)


pytree.register_pytree_node(immutable_list, lambda tree: (list(tree), None), lambda parts, _: immutable_list(parts))
pytree.register_pytree_node(
    immutable_dict,
    lambda tree: (list(tree.values()), list(tree)),
    lambda parts, keys: immutable_dict(zip(keys, parts)),
)
