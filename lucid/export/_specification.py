"""dynamic_shapes, read: checked against the inputs, and made into symbols for their sizes."""

from .._tensor import pytree
from .._tensor.tensor import Tensor
from ._symbols import Environment, hashed, int_oo
from .dynamic_shapes import AdditionalInputs, Dim, ShapesCollection, _DimHint, _DimHintType, user_error

_EXPECTED = "an int, a Dim, Dim.AUTO, Dim.STATIC, or Dim.DYNAMIC"


def specified(mod, args, kwargs, combined, dynamic_shapes):
    """[(path, leaf, what is said of its sizes)] of all inputs in order."""
    if isinstance(dynamic_shapes, (ShapesCollection, AdditionalInputs)):
        dynamic_shapes = dynamic_shapes.dynamic_shapes(mod, args, kwargs)
    if not dynamic_shapes:
        return [(path, leaf, None) for path, leaf in pytree.tree_leaves_with_path(combined)]
    if not isinstance(dynamic_shapes, (dict, tuple, list)):
        raise AssertionError(f"expected dynamic_shapes to be dict, tuple, or list, got {type(dynamic_shapes)}")
    if isinstance(dynamic_shapes, dict):
        _check_names(combined, dynamic_shapes)
        listed = [dynamic_shapes[name] for name in combined]
    else:
        listed = list(dynamic_shapes)
        _check_same("inputs", "", type(dynamic_shapes)(combined.values()), dynamic_shapes, top=True)
    bounds, found = {}, []
    for (name, value), spec in zip(combined.items(), listed):
        key = pytree.MappingKey(name)
        for path, leaf, said in _pairs((key,), value, spec):
            _check(path, leaf, said, bounds)
            found.append((path, leaf, said))
    return found


def _check_names(combined, dynamic_shapes):
    """UserError unless a dict of specifications has the parameters' names."""
    got, expected = list(dynamic_shapes), list(combined)
    if sorted(got) == sorted(expected):
        return
    message = (
        "When `dynamic_shapes` is specified as a dict, its top-level keys must be the arg names "
        f"{expected} of `inputs`, but here they are {got}. "
    )
    if len(expected) == 1 and expected[0] not in got and isinstance(combined[expected[0]], dict):
        message += (
            "Since here `inputs` is a list/tuple enclosing a single dict, maybe you just forgot to enclose "
            "`dynamic_shapes` in a list/tuple?"
        )
    else:
        message += (
            "Alternatively, you could also ignore arg names entirely and specify `dynamic_shapes` as a list/tuple "
            "matching `inputs`."
        )
    raise user_error(message, validation=True)


def _check_same(name, path, value, spec, top=False):
    """UserError where a list or dict of inputs and what is said of it differ in form."""
    if top or type(value) in (list, tuple, dict):
        told = f"Detected mismatch between the structure of `inputs` and `dynamic_shapes`: `{name}{path}` "
        if type(spec) not in (list, tuple, dict):
            raise user_error(f"{told}is a {type(value)}, but `dynamic_shapes{path}` is not", validation=True)
        if type(spec) is not type(value) and not top:
            raise user_error(f"{told}is a {type(value)}, but `dynamic_shapes{path}` is a {type(spec)}", validation=True)
        if len(spec) != len(value):
            raise user_error(
                f"{told}has {len(value)} elements, but `dynamic_shapes{path}` has {len(spec)} elements",
                validation=True,
            )
        if isinstance(value, dict) and set(value) != set(spec):
            raise user_error(
                f"{told}has keys {list(value)}, but `dynamic_shapes{path}` has keys {list(spec)}", validation=True
            )


def _pairs(path, value, spec):
    """(path, leaf, what is said of it) of the leaves of one input."""
    if type(value) in (list, tuple, dict):
        if spec is None:  # nothing is said of what is inside
            for more, leaf in pytree.tree_leaves_with_path(value):
                yield (*path, *more), leaf, None
            return
        _check_same("inputs", pytree.keystr(path), value, spec)
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from _pairs((*path, pytree.MappingKey(key)), inner, spec[key])
        else:
            for i, inner in enumerate(value):
                yield from _pairs((*path, pytree.SequenceKey(i)), inner, spec[i])
        return
    leaves = pytree.tree_leaves_with_path(value)
    if len(leaves) == 1 and leaves[0][0] == ():
        yield path, value, spec
        return
    said = list(spec) if isinstance(spec, (list, tuple)) else list(spec.values()) if isinstance(spec, dict) else None
    for i, (more, leaf) in enumerate(leaves):
        yield (*path, *more), leaf, None if said is None else said[i]


def _check(path, leaf, said, bounds):
    """UserError for what cannot be said of an input."""
    shown = pytree.keystr(path)
    if said is None:
        return
    if not isinstance(leaf, Tensor):
        if isinstance(leaf, int):
            _check_int(shown, said)
            return
        raise user_error(
            f"Cannot associate shape {said} specified at `dynamic_shapes{shown}` to non-tensor type {type(leaf)} at "
            f"`inputs{shown}` (expected None)",
            validation=True,
        )
    if isinstance(said, (tuple, list)):
        if len(said) != leaf.dim():
            raise user_error(
                f"Expected dynamic shape spec {said} specified at `dynamic_shapes{shown}` to have the same length as "
                f"the actual tensor shape {leaf.shape} (expected {leaf.dim()}, but got {len(said)} instead)",
                validation=True,
            )
        items = [(f"#{i}", dim) for i, dim in enumerate(said)]
    elif isinstance(said, dict):
        items = [(f"mapped to index {i}", dim) for i, dim in said.items()]
    else:
        raise user_error(
            f"Unexpected input tensor shape {said} specified at `dynamic_shapes{shown}` (expected either a list/tuple "
            f"of dimensions, or a dict mapping indices to dimensions, where each dimension is {_EXPECTED})",
            validation=True,
        )
    for where, dim in items:
        if isinstance(dim, Dim):
            _check_bounds(dim, bounds)
        elif dim is not None and not isinstance(dim, (int, _DimHint)):
            raise user_error(
                f"Unexpected dimension {where} in input tensor shape {said} specified at `dynamic_shapes{shown}` "
                f"(expected None, {_EXPECTED}, but got {dim!r} instead)",
                validation=True,
            )


def _check_int(shown, said):
    """The errors of what is said of an int."""
    if isinstance(said, Dim):
        raise ValueError(
            "Unable to specify input integers as dynamic through named Dims. Please use Dim.AUTO/DYNAMIC instead."
        )
    if not isinstance(said, (int, _DimHint)):
        raise AssertionError(f"expected dynamic_shape to be None, int, or _DimHint for _IntWrapper, got {type(said)}")
    if isinstance(said, _DimHint) and said.type is _DimHintType.DYNAMIC:
        raise NotImplementedError(f"torch.export: lucid fixes ints among the inputs; `inputs{shown}` cannot be DYNAMIC")


def _check_bounds(dim, bounds):
    """UserError where two Dims of one name differ."""
    known = bounds.setdefault(dim.__name__, (dim.min, dim.max))
    if known != (dim.min, dim.max):
        one, other = Dim._readable(dim.__name__, *known), Dim._readable(dim.__name__, dim.min, dim.max)
        raise user_error(f"Found different definitions {one} and {other} for the same symbolic dimension {dim}!")


# ---- symbols


def symbols_for(found):
    """(Environment, [the expressions of each input's sizes, None for fixed ones; None for an input that has none])"""
    env = Environment()
    wanted = [_sizes(leaf, said) for _, leaf, said in found]
    expressions, sources = [], ["L" + "".join(map(_key_text, path)) for path, _, _ in found]
    env.sources = _sources_of_dims(sources, wanted)
    for (_, leaf, _), source, sizes in zip(found, sources, wanted):
        made = {i: _expression(env, leaf, f"{source}.size()[{i}]", i, dim) for i, dim in sorted(sizes.items())}
        expressions.append({i: e for i, e in made.items() if e is not None})
    return env, expressions


def _key_text(k):
    return f"[{k.key!r}]" if hasattr(k, "key") else f"[{k.idx}]" if hasattr(k, "idx") else f".{k.name}"


def _sources_of_dims(sources, wanted):
    """{name of a Dim: the size that its symbol is named after}"""
    places = {}
    for source, sizes in zip(sources, wanted):
        for i, dim in sizes.items():
            if isinstance(dim, Dim) and dim.root is dim:
                places.setdefault(dim.__name__, []).append(f"{source}.size()[{i}]")
    return {name: min(found, key=lambda s: f"s{hashed(s)}") for name, found in places.items()}


def _sizes(leaf, said):
    """{dimension: what is said of it}"""
    if not isinstance(leaf, Tensor) or said is None:
        return {}
    items = said.items() if isinstance(said, dict) else enumerate(said)
    n = leaf.dim()
    for i, _ in items:
        if not -n <= i < n:
            raise IndexError(f"dimension {i} of dynamic_shapes is out of range for a tensor of {n} dimensions")
    items = said.items() if isinstance(said, dict) else enumerate(said)
    return {i % n: dim for i, dim in items if dim is not None}


def _expression(env, leaf, source, i, dim):
    n = leaf.shape[i]
    if isinstance(dim, int):
        if dim != n:
            raise user_error(
                f'Constraints violated ({dim})! For more information, run with TORCH_LOGS="+dynamic".\n'
                f"  - The size {n} of {source} was said to be {dim}."
            )
        return None
    if isinstance(dim, _DimHint):
        if dim.type is _DimHintType.STATIC:
            return None
        if n < 2:
            if dim.type is _DimHintType.DYNAMIC:
                raise user_error(
                    f'Constraints violated ({source})! For more information, run with TORCH_LOGS="+dynamic".\n'
                    f"  - You marked {source} as dynamic but your code specialized it to be a constant ({n}). If "
                    "you're using mark_dynamic, either remove it or use maybe_mark_dynamic. If you're using "
                    "Dim.DYNAMIC, replace it with either Dim.STATIC or Dim.AUTO."
                )
            return None
        lower, upper = 2 if dim.min is None else dim.min, int_oo if dim.max is None else dim.max
        made = env.new(dim.type.name, n, lower, upper, source)
        return made.expression
    return _of_dim(env, n, source, dim)


def _of_dim(env, n, source, dim):
    """The expression of a size that a Dim names."""
    root = dim.root
    hint, left = divmod(n - dim.plus, dim.times)
    if left:
        raise user_error(
            f"Expected shape = {n} of input Tensor to be of the form {dim.__name__}, where {root.__name__} is an "
            "integer"
        )
    known = env.dims.get(root.__name__)
    if known is None:
        place = env.sources.get(root.__name__, root.__name__)
        known = env.dims[root.__name__] = env.new("named", hint, root.min, root.max, place, root.__name__)
        if n < 2 and root is dim:
            raise user_error(
                f'Constraints violated ({root.__name__})! For more information, run with TORCH_LOGS="+dynamic".\n'
                f"  - You marked {root.__name__} as dynamic but your code specialized it to be a constant ({n}). If "
                "you're using mark_dynamic, either remove it or use maybe_mark_dynamic. If you're using Dim.DYNAMIC, "
                f"replace it with either Dim.STATIC or Dim.AUTO.\nSuggested fixes:\n  {root.__name__} = {n}"
            )
        if not known.lower <= hint <= known.upper:
            raise user_error(
                f'Constraints violated ({root.__name__})! For more information, run with TORCH_LOGS="+dynamic".\n'
                f"  - The size {n} of {source} is outside of the specified range [{dim.min}, {dim.max}]"
            )
    if known.hint != hint:
        raise user_error(
            f'Constraints violated ({root.__name__})! For more information, run with TORCH_LOGS="+dynamic".\n'
            f"  - The size {n} of {source} is not {dim.__name__} where {root.__name__} = {known.hint}"
        )
    expression = env.size(known.expression)
    return (expression * dim.times + dim.plus).expression


__all__ = ["specified", "symbols_for"]
