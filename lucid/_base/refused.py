"""Names of torch's that lucid knows of and does not have: they can be imported, and say on use what is missing."""

from .entering import at_home


class _Refused(type):
    """The type of refused classes: making one says what is missing, as does a class method."""

    def __call__(cls, *args, **kwargs):
        if "_refusal" in vars(cls):
            raise NotImplementedError(cls._refusal)
        return super().__call__(*args, **kwargs)


def refused_function(place, name, why):
    """A function `place.name` whose call raises NotImplementedError: lucid has no <why>."""

    def refused(*args, **kwargs):
        raise NotImplementedError(f"{place}.{name}: lucid has no {why}")

    refused.__name__ = refused.__qualname__ = name
    refused.__module__ = at_home(place.replace("torch", "lucid", 1))
    refused.__doc__ = f"{name}(...): NotImplementedError, lucid has no {why}."
    return refused


def refused_class(place, name, why, bases=(), **members):
    """A class `place.name`, for isinstance and annotations: nothing is one, and making one raises
    NotImplementedError."""
    members.setdefault("__doc__", f"{name}(...): NotImplementedError, lucid has no {why}.")
    members["_refusal"] = f"{place}.{name}: lucid has no {why}"
    members["__module__"] = at_home(place.replace("torch", "lucid", 1))
    return _Refused(name, bases, members)


def refuse(place, names, why, kind=None):
    """{name: what stands for it} of names in one text: classes for capitals, functions for the rest."""
    made = {}
    for name in names.split():
        is_class = name.lstrip("_")[:1].isupper() if kind is None else kind is type
        made[name] = (refused_class if is_class else refused_function)(place, name, why)
    return made
