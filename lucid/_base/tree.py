"""Nested containers as flat lists: what transforms do with arguments and results."""

import collections


def flatten(tree):
    """(leaves, rebuild): rebuild(other_leaves) has tree's structure."""
    leaves = []
    rebuild = _walk(tree, leaves)
    return leaves, lambda values: rebuild(iter(values))


def _walk(tree, leaves):
    if isinstance(tree, dict):
        parts, kind = [(k, _walk(v, leaves)) for k, v in tree.items()], type(tree)
        if kind is collections.defaultdict:
            return lambda it: kind(tree.default_factory, {k: p(it) for k, p in parts})
        return lambda it: kind((k, p(it)) for k, p in parts)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        parts, kind = [_walk(v, leaves) for v in tree], type(tree)
        return lambda it: kind(*[p(it) for p in parts])
    if type(tree) in (list, tuple):
        parts, kind = [_walk(v, leaves) for v in tree], type(tree)
        return lambda it: kind([p(it) for p in parts])
    leaves.append(tree)
    return next


def tree_map(f, tree):
    """tree with f applied to each leaf."""
    leaves, rebuild = flatten(tree)
    return rebuild([f(x) for x in leaves])


def broadcast_prefix(prefix, tree):
    """One leaf of `prefix` for each leaf of `tree`: a leaf of prefix stands for a whole subtree. None if they do not
    fit.
    """
    out = []
    return out if _spread(prefix, tree, out) else None


def _spread(prefix, tree, out):
    if isinstance(prefix, (tuple, list, dict)) and type(prefix) is type(tree):
        if len(prefix) != len(tree):
            return False
        keys = prefix if isinstance(prefix, dict) else range(len(prefix))
        return all(_spread(prefix[k], tree[k], out) for k in keys)
    if isinstance(prefix, (tuple, list, dict)):
        return False
    out.extend([prefix] * len(flatten(tree)[0]))
    return True
