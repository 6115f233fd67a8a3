"""What ops with several results return: tuples with named fields that print as torch's
`torch.return_types.max(...)`."""

import operator

CLASSES: dict[str, type] = {}  # name -> class, for the face `lucid.return_types`


class StructSequence(tuple):
    """The base of all return types: built from one sequence, as torch's are, or from the fields themselves."""

    __slots__ = ()
    _fields = __match_args__ = ()

    def __new__(cls, *values):
        n = len(cls._fields)
        if len(values) == 1:
            if not hasattr(values[0], "__len__"):
                raise TypeError("constructor requires a sequence")
            values = tuple(values[0])
        if len(values) != n:
            raise TypeError(f"torch.return_types.{cls.__name__}() takes a {n}-sequence ({len(values)}-sequence given)")
        return tuple.__new__(cls, values)

    def __repr__(self):
        fields = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
        return f"torch.return_types.{type(self).__name__}(\n{fields})"

    def __reduce__(self):
        return rebuild, (type(self).__name__, tuple(self))

    def _asdict(self):
        return dict(zip(self._fields, self))


def rebuild(name, values):
    """A return type from its name and fields: what unpickling calls."""
    return CLASSES[name](values)


def _field(i, name):
    def get(self):
        return operator.getitem(self, i)

    def refuse(self, value):
        raise AttributeError("readonly attribute")

    return property(get, refuse, doc=f"Field {i}, {name}.")


def return_type(name, fields):
    """The class of results called `name` with these fields (names in a sequence, or in one string); one class per
    name."""
    fields = tuple(fields.split()) if isinstance(fields, str) else tuple(fields)
    if name in CLASSES:
        if CLASSES[name]._fields != fields:
            raise ValueError(f"return type {name} exists with fields {CLASSES[name]._fields}, not {fields}")
        return CLASSES[name]
    scope = {
        "__slots__": (),
        "__module__": "torch.return_types",
        "_fields": fields,
        "__match_args__": fields,
        "n_fields": len(fields),
        "n_sequence_fields": len(fields),
        "n_unnamed_fields": 0,
    }
    scope.update({f: _field(i, f) for i, f in enumerate(fields)})
    made = CLASSES[name] = type(name, (StructSequence,), scope)
    return made
