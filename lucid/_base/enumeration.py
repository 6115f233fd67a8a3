"""Enumerations as torch's C++ half shows them: members with a name and a value, equal only to themselves, found by
their value when the class is called."""

from .entering import at_home


class Member:
    """A member of an enumeration; each enumeration is a subclass."""

    __members__: dict = {}

    def __init__(self, value):
        self._value = int(value)

    @property
    def name(self):
        """The member's name, "???" for a number that has none."""
        return next((n for n, m in self.__members__.items() if m._value == self._value), "???")

    @property
    def value(self):
        """The member's number."""
        return self._value

    def __int__(self):
        return self._value

    __index__ = __hash__ = __int__

    def __eq__(self, other):
        return type(other) is type(self) and self._value == other._value

    def __repr__(self):
        return f"<{type(self).__name__}.{self.name}: {self._value}>"

    def __str__(self):
        return f"{type(self).__name__}.{self.name}"

    def __reduce__(self):
        return type(self), (self._value,)


class ArithmeticMember(Member):
    """A member that equals its number, too."""

    def __eq__(self, other):
        return isinstance(other, (int, type(self))) and self._value == int(other)

    __hash__ = Member.__int__


def enumeration(name, module, members, doc=None, arithmetic=False):
    """The enumeration `module.name` of a text of names, numbered from 0, or of a dict {name: number}."""
    if isinstance(members, str):
        members = {member: i for i, member in enumerate(members.split())}
    cls = type(
        name,
        (ArithmeticMember if arithmetic else Member,),
        {"__module__": at_home(module), "__doc__": doc or f"{name}: {', '.join(members)}."},
    )
    cls.__members__ = {member: cls(value) for member, value in members.items()}
    for member, made in cls.__members__.items():
        setattr(cls, member, made)
    return cls
