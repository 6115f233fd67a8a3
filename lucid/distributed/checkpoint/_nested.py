"""State dicts as flat dicts: the names of their leaves, joined by points, and the ways to them."""

from collections.abc import Mapping

from ..._tensor.tensor import Tensor


def _is_leaf(value):
    """Is a value kept whole? Dicts are not, nor are lists in which there is a tensor or a dict."""
    if isinstance(value, Mapping):
        return False
    if not isinstance(value, list):
        return True
    return not any(isinstance(v, Tensor) or isinstance(v, (Mapping, list)) and not _is_leaf(v) for v in value)


def flattened(state):
    """({name: leaf}, {name: the way to it}) of nested dicts and lists; ValueError where two leaves have one name."""
    flat, ways = {}, {}

    def visit(way, value):
        if _is_leaf(value):
            name = ".".join(map(str, way))
            if name in flat:
                raise ValueError(f"duplicated flatten key {name}")
            flat[name], ways[name] = value, way
            return
        pairs = ((str(k), v) for k, v in value.items()) if isinstance(value, Mapping) else enumerate(value)
        for key, below in pairs:
            visit((*way, key), below)

    visit((), state)
    return flat, ways


def put(state, way, value):
    """Make value the leaf at the end of a way, which is there or is made of dicts and lists."""
    here = state
    for key, then in zip(way, way[1:]):
        new = [] if isinstance(then, int) else {}
        if isinstance(here, list):
            here.extend([None] * (key + 1 - len(here)))
            here[key] = new if here[key] is None else here[key]
        else:
            key = _key(here, key)
            here.setdefault(key, new)
        here = here[key]
    last = way[-1]
    if isinstance(here, list):
        here.extend([None] * (last + 1 - len(here)))
        here[last] = value
    else:
        here[_key(here, last)] = value


def _key(holder, text):
    """The key that is written so."""
    return text if text in holder else next((k for k in holder if str(k) == text), text)
