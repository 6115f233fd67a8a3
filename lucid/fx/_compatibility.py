"""Which names stay as they are from one version to the next."""

import textwrap

_BACK_COMPAT_OBJECTS: dict = {}
_MARKED_WITH_COMPATIBILITY: dict = {}
_NOTES = {
    True: "\n.. note::\n    Backwards-compatibility for this API is guaranteed.\n",
    False: "\n.. warning::\n    This API is experimental and is *NOT* backward-compatible.\n",
}


def compatibility(is_backward_compatible):
    """compatibility(is_backward_compatible) -> a decorator that notes it in the docstring."""

    def mark(fn):
        fn.__doc__ = f"{textwrap.dedent(getattr(fn, '__doc__', None) or '')}\n" + _NOTES[bool(is_backward_compatible)]
        _MARKED_WITH_COMPATIBILITY.setdefault(fn)
        if is_backward_compatible:
            _BACK_COMPAT_OBJECTS.setdefault(fn)
        return fn

    return mark
