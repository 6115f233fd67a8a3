"""vmap: a function of one member, run on a whole batch."""

import functools

from .._backend.registry import FUNCTIONS
from .._base.shape import wrap_dim
from .._base.tree import broadcast_prefix, flatten, structure
from .._func.creation.generator import default_generator
from .._tensor.tensor import Tensor
from .levels import run_in
from .vmap_table import BatchFrame, enter, leave
from .write_back import as_view, write_back


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """vmap(func, in_dims=0, out_dims=0) -> function that maps func over a dimension of its tensor arguments.

    in_dims: for each argument (an int or None, nested as the arguments are) which dimension to map over; out_dims:
    where the mapped dimension goes in the results. randomness: "error", "different" or "same" draws for the members.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        _check_out_dims(func, out_dims)
        leaves, dims, rebuild, size = _prepare(func, in_dims, args)
        if chunk_size is not None and chunk_size < size:
            return _in_chunks(func, leaves, dims, rebuild, size, chunk_size, out_dims, randomness, kwargs)
        return _run(func, leaves, dims, rebuild, size, out_dims, randomness, kwargs)

    return wrapped


def _name(func):
    return getattr(func, "__name__", repr(func))


def _prepare(func, in_dims, args):
    """(flat arguments, the mapped dimension of each, how to rebuild, batch size); torch's errors."""
    name = _name(func)
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially nested) "
            f"tuple matching the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
            "function with no inputs. The latter is unsupported."
        )
    leaves, rebuild = flatten(tuple(args))
    dims = broadcast_prefix(in_dims, tuple(args))
    if dims is None:
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of "
            f"`inputs`. in_dims has structure {structure(in_dims)} but inputs has structure {structure(tuple(args))}."
        )
    sizes = []
    for i, (x, d) in enumerate(zip(leaves, dims)):
        if d is None:
            continue
        if not isinstance(d, int):
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for an input but in_dim must be "
                "either an integer dimension or None."
            )
        if not isinstance(x, Tensor):
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for an input but the input is of type "
                f"{type(x)}. We cannot vmap over non-Tensor arguments, please use None as the respective in_dim"
            )
        if not -x.ndim <= d < x.ndim:
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for some input, but that input is a "
                f"Tensor of dimensionality {x.ndim} so expected in_dim to satisfy -{x.ndim} <= in_dim < {x.ndim}."
            )
        dims[i] = d % x.ndim
        sizes.append(x.shape[dims[i]])
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return leaves, dims, rebuild, sizes[0]


def _run(func, leaves, dims, rebuild, size, out_dims, randomness, kwargs):
    with run_in(lambda level: BatchFrame(level, size, randomness)) as frame:
        entered, inside = {}, list(leaves)
        for i, (x, d) in enumerate(zip(leaves, dims)):
            if isinstance(x, Tensor) and d is not None:
                if (id(x), d) not in entered:  # the same argument twice is one tensor inside, too
                    member = enter(x, d, frame)
                    entered[id(x), d] = x, d, member, member._node, x._array.shape
                inside[i] = entered[id(x), d][2]
        try:
            result = func(*rebuild(inside), **kwargs)
        finally:
            for x, d, member, before, shape in entered.values():
                at = d and max(0, d + member.ndim + 1 - len(shape))  # as far from the end as it was
                write_back(x, member, before, lambda member=member, at=at: leave(member, at, frame))
    return _leave(func, result, out_dims, frame, entered.values())


def map_batch(func, args, size, out_dim=0):
    """func of each slice of args along dimension 0, a tuple of tensors, as one batch; torch.func does not see it."""
    with run_in(lambda level: BatchFrame(level, size, "error", is_function=False)) as frame:
        return tuple(
            [
                None if o is None else leave(o, wrap_dim(out_dim, o.ndim + 1), frame)
                for o in func(*[enter(x, 0, frame) for x in args])
            ]
        )


def _check_out_dims(func, out_dims):
    """ValueError unless out_dims is made of ints and None."""
    if any(not (d is None or isinstance(d, int)) for d in flatten(out_dims)[0]):
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of "
            "ints representing where in the outputs the vmapped dimension should appear."
        )


def _places(func, result, out_dims):
    """Where the batch goes in each of the results; ValueError where out_dims has another structure."""
    if isinstance(result, Tensor):
        dims = out_dims if isinstance(out_dims, tuple) and len(out_dims) == 1 else broadcast_prefix(out_dims, result)
    else:
        dims = broadcast_prefix(out_dims, result)
    if dims is None:
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure "
            f"of `outputs`. out_dims has structure {structure(out_dims)} but outputs has structure {structure(result)}."
        )
    return dims


def _leave(func, result, out_dims, frame, entered):
    outs, rebuild = flatten(result)
    left = []
    for o, d in zip(outs, _places(func, result, out_dims)):
        if not isinstance(o, Tensor):
            if d is not None:
                raise ValueError(
                    f"vmap({_name(func)}, ...): `{_name(func)}` must only return Tensors, got type {type(o)}. Did you "
                    "mean to set out_dims= to None for output?"
                )
            left.append(o)
        elif d is None:
            if o._table.frame is frame and o._array.has_batch:
                raise ValueError(
                    f"vmap({_name(func)}, ...): `{_name(func)}` can not return a BatchedTensor when out_dim is None"
                )
            left.append(o)
        else:
            d = wrap_dim(d, o.ndim + 1)
            seen = as_view(o, d, frame, entered)
            left.append(leave(o, d, frame) if seen is None else seen)
    return rebuild(left)


def _in_chunks(func, leaves, dims, rebuild, size, chunk_size, out_dims, randomness, kwargs):
    """The batch in pieces of chunk_size, joined afterwards."""
    pieces, state = [], default_generator.get_state() if randomness == "same" else None
    for start in range(0, size, chunk_size):
        n = min(chunk_size, size - start)
        if state is not None:
            default_generator.set_state(state)
        part = [x.narrow(d, start, n) if d is not None and isinstance(x, Tensor) else x for x, d in zip(leaves, dims)]
        pieces.append(_run(func, part, dims, rebuild, n, out_dims, randomness, kwargs))
    flat = [flatten(p)[0] for p in pieces]
    dims_out = _places(func, pieces[0], out_dims)
    return flatten(pieces[0])[1]([FUNCTIONS["cat"](list(column), d or 0) for column, d in zip(zip(*flat), dims_out)])
