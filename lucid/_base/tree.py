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


def structure(tree, indent=0) -> str:
    """tree's structure as torch.utils._pytree prints it: `TreeSpec(tuple, None, [*, *])` over several lines."""
    kind = type(tree)
    if isinstance(tree, dict):
        context, parts = str(list(tree)), list(tree.values())
    elif kind in (list, tuple) or isinstance(tree, tuple) and hasattr(tree, "_fields"):
        context, parts = "None" if kind in (list, tuple) else kind.__name__, list(tree)
    else:
        return "*"
    inner = indent + 2
    shown = [structure(parts[0], inner)] if parts else []
    shown += [" " * inner + structure(p, inner) for p in parts[1:]]
    name = kind.__name__ if context == "None" or isinstance(tree, dict) else "namedtuple"
    return f"TreeSpec({name}, {context}, [" + ",\n".join(shown) + "])"


def outline(tree) -> str:
    """tree with an asterisk for each leaf."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{k!r}: {outline(v)}" for k, v in tree.items()) + "}"
    if type(tree) is list:
        return "[" + ", ".join(map(outline, tree)) + "]"
    if isinstance(tree, tuple):
        return "(" + ", ".join(map(outline, tree)) + ("," if len(tree) == 1 else "") + ")"
    return "*"
