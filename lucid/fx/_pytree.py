"""Arguments of generated code taken apart as their TreeSpec says."""

from .._tensor.pytree import LeafSpec, TreeSpec, tree_flatten

_FLATTEN: dict = {}


def register_pytree_flatten_spec(cls, flatten_fn_spec, flatten_fn_exact_match_spec=None):
    """Trees of type cls are taken apart by flatten_fn_spec(tree, spec)."""
    _FLATTEN[cls] = flatten_fn_spec


def tree_flatten_spec(pytree, spec: TreeSpec):
    """The leaves of a tree, which may have more than spec says; they come in spec's order."""
    if isinstance(spec, LeafSpec) or spec.is_leaf():
        return [pytree]
    take_apart = _FLATTEN.get(spec.type)
    if take_apart is not None:
        parts = take_apart(pytree, spec)
    elif isinstance(pytree, dict):
        parts = [pytree[key] for key in spec.context]
    elif isinstance(pytree, (list, tuple)):
        parts = [pytree[i] for i in range(spec.num_children)]
    else:
        parts = tree_flatten(pytree, lambda x: x is not pytree)[0]
    return [leaf for part, child in zip(parts, spec.children()) for leaf in tree_flatten_spec(part, child)]
