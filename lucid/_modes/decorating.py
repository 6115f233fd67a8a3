"""Functions that run inside of a context; the compiler reads them."""

import functools


def decorated(context, function):
    """The function, which enters the context whenever it is called."""

    @functools.wraps(function)
    def inside(*args, **kwargs):
        with context:
            return function(*args, **kwargs)

    return inside


def decorated_anew(context, function):
    """The function, which enters a context like this one whenever it is called."""

    @functools.wraps(function)
    def inside(*args, **kwargs):
        with context.clone():
            return function(*args, **kwargs)

    return inside


def noting_autocast(function, device_type, dtype_of, is_enabled):
    """A Function's forward, which notes in its ctx what autocast is at: see custom_fwd."""

    @functools.wraps(function)
    def forward(ctx, *args, **kwargs):
        ctx._dtype, ctx._fwd_used_autocast = dtype_of(device_type), is_enabled(device_type)
        return function(ctx, *args, **kwargs)

    return forward


def in_type_given(function, device_type, dtype, dtype_of, is_enabled, autocast, cast):
    """A Function's forward, which under autocast takes its tensors in a type of its own and leaves autocast."""

    @functools.wraps(function)
    def forward(ctx, *args, **kwargs):
        ctx._dtype, ctx._fwd_used_autocast = dtype_of(device_type), False
        if not is_enabled(device_type):
            return function(ctx, *args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            return function(ctx, *cast(args, device_type, dtype), **cast(kwargs, device_type, dtype))

    return forward


def in_noted_autocast(function, device_type, autocast):
    """A Function's backward, which runs in the autocast that its forward noted: see custom_bwd."""

    @functools.wraps(function)
    def backward(ctx, *args, **kwargs):
        with autocast(device_type=device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return function(ctx, *args, **kwargs)

    return backward
