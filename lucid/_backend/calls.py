"""How calls of public functions are written and read: their parameters, what is plain for each, and torch's refusals.

A written function (generate.py, entries.py) looks at its arguments with the tests that `guards` gives; a call with
anything out of the ordinary (an object of another class, numpy's name for a parameter, an old order, one argument too
many) is bound by torch's signatures, with the values in one form, and made again; or refused in torch's words.
"""

import functools
import sys
from inspect import Parameter as P

from .._base.device import device
from .._base.dtype import C_NAMES, dtype
from .._base.shape import Size
from .._base.state import switches
from .._base.warn import warn
from .._tensor.tensor import Tensor, layout, memory_format
from .signatures import NO, NUMPY_NAMES, bind, signatures

# where lucid publishes -> what torch's table calls the place, and with what its names begin there
_PLACES = {
    "nn.functional": ("F", ""),
    "linalg": ("linalg", "linalg_"),
    "special": ("special", "special_"),
    "fft": ("fft", "fft_"),
}


class Form:
    """The parameters of a public function, or of a Tensor method."""

    def __init__(self, place, name, positional, keyword_only, defaults, variadic=None, rest=None):
        self.place, self.name, self.defaults = place, name, defaults
        self.variadic, self.rest = variadic, rest or (variadic and "named")
        self.positional, self.keyword_only = tuple(positional), tuple(keyword_only)
        self.method = place == "Tensor"
        names = {*self.positional[self.method :], *self.keyword_only}
        self.aliases = [a for n, known in NUMPY_NAMES.items() if n in names for a in known if a not in names]
        if self._is_pythons():
            self.aliases = [a for a in self.aliases if a not in ("axis", "keepdims")]
        torchs = {p.name for s in self.overloads if not s.old for p in s.parameters}
        self.others = sorted(torchs - names - {*self.aliases, "out", "names", "input", "self"} if not self.rest else ())
        self.aliases += self.others

    @property
    def overloads(self):
        """torch's signatures of the function; () where it is none of torch's in C."""
        place, prefix = _PLACES.get(self.place, (self.place, ""))
        return signatures(place, prefix + self.name.removeprefix(prefix))

    def _is_pythons(self):
        """Is the function written in Python in torch, where parameters have one name?"""
        if not self.overloads:
            return self.place in ("torch", "Tensor", "nn.functional")
        return any(p.name == "dim" and p.kind.startswith("PyObject") for s in self.overloads for p in s.parameters)

    def kinds(self):
        """{name: torch's parameters of that name}, old orders aside; by place for a name that torch has not."""
        found, own = {}, self.positional[self.method :]
        current = [s for s in self.overloads if not s.old]
        known = {p.name for s in current for p in s.parameters}
        for s in current:
            for i, p in enumerate(s.parameters):
                found.setdefault(p.name, []).append(p)
                if i < len(own) and own[i] not in known and not p.keyword_only:
                    found.setdefault(own[i], []).append(p)
        return found

    # ---- source

    def spelled(self):
        """The parameters as source: D_x stands for a default value, NO for none.

        All may be given by position, which Python passes quickest. `more` catches an argument too many, so that none of
        those after it, which torch takes by keyword only, is filled by mistake.
        """
        params = [self._spell(n) for n in self.positional]
        if self.method and self.positional:
            params[:1] = [self.positional[0], "/"]
        rest = [self._spell(n) for n in self.keyword_only]
        if self.rest:
            star = f"*{self.variadic}" if self.variadic else "*"
            keyword_only = [*params[1 + self.method :], *rest] if self.variadic else rest
            head = params[: 1 + self.method] if self.variadic else params
            return [*head, *([star] if self.variadic or keyword_only else []), *keyword_only, f"**{self.rest}"]
        return [*params, "more=NO", *rest, *[f"{n}=NO" for n in self.aliases]]

    def _spell(self, n):
        if n == "out":
            return "out=None"
        return f"{n}=D_{n}" if n in self.defaults and n not in self.unnamed else f"{n}=NO"

    @functools.cached_property
    def unnamed(self):
        """Parameters that mean None when they are not given, where torch takes no None."""
        kinds = self.kinds()
        nones = [n for n, default in self.defaults.items() if default is None and n in kinds]
        return [n for n in nones if not any(p.none for p in kinds[n])]

    def _needed_for(self, n):
        """Parameters that mean None when they are not given, without which torch takes no n."""
        having = [{p.name: p.optional for p in s.parameters} for s in self.overloads if not s.old]
        having = [s for s in having if n in s]
        return [m for m in self.unnamed if m != n and having and all([s.get(m) is False for s in having])]

    def fill(self):
        """Statements that give those parameters their None."""
        return [f"    if {n} is NO: {n} = None" for n in self.unnamed]

    def guards(self, names):
        """Tests that are true where an argument is not of the plain class that its parameter takes."""
        kinds = self.kinds()
        for n in names:
            plain, unknown = [], n not in kinds
            for kind in kinds.get(n, ()):
                unknown = unknown or kind.kind not in _PLAIN
                plain += [*(_PLAIN["int64_t"] if kind.size else ()), *_PLAIN.get(kind.kind, ())]
            if not unknown:
                first = [f"{n} is NO" if n in self.unnamed else f"{n} is D_{n}"] if n in self.defaults else []
                if first and (needed := [f"{m} is not NO" for m in self._needed_for(n)]):
                    plain = [f"({' or '.join(plain)}) and {' and '.join(needed)}"]
                yield f"not ({' or '.join(dict.fromkeys([*first, *[p.format(n=n) for p in plain]]))})"
            elif n not in self.defaults:
                yield f"{n} is NO"

    def parameters(self):
        """The parameters as `inspect` has them."""
        kinds = {n: P.POSITIONAL_OR_KEYWORD for n in self.positional} | {n: P.KEYWORD_ONLY for n in self.keyword_only}
        if self.variadic:
            kinds = {n: P.KEYWORD_ONLY if i > self.method else kind for i, (n, kind) in enumerate(kinds.items())}
        made = [P(n, kind, default=self.defaults.get(n, P.empty)) for n, kind in kinds.items()]
        if self.variadic:
            at = sum(p.kind is not P.KEYWORD_ONLY for p in made)
            made.insert(at, P(self.variadic, P.VAR_POSITIONAL))
        if self.rest:
            made.append(P(self.rest, P.VAR_KEYWORD))
        return made

    # ---- calls

    def call(self, given):
        """(args, kwargs) as they were written, so far as can be told; given: the values of all parameters."""
        if self.rest:
            return self._open_call(given)
        values = [given[n] for n in self.positional]
        args, kwargs, rest = [], {}, list(self.keyword_only)
        if given["more"] is not NO:
            args = [*values, given["more"]]
            if any(s.old for s in self.overloads):  # an old order may fill the places of later parameters
                while rest and self._given(rest[0], given):
                    args.append(given[rest.pop(0)])
        else:
            gap = False
            for n, v in zip(self.positional, values):
                if not self._given(n, given):
                    gap = True
                elif gap:
                    kwargs[n] = v
                else:
                    args.append(v)
        kwargs |= {n: given[n] for n in [*rest, *self.aliases] if self._given(n, given)}
        return args, kwargs

    def _open_call(self, given):
        named = dict(given[self.rest])
        leading = self.positional[:1] if self.variadic else self.positional
        args = [given[n] for n in leading if given[n] is not NO]
        if self.variadic:
            v = given[self.variadic]
            args += v if isinstance(v, tuple) else (v,)
        for n in (*self.positional[len(leading) :], *self.keyword_only):
            if self._given(n, given):
                named[n] = given[n]
        return args, named

    def _given(self, n, given):
        """Was a parameter given, so far as can be told?"""
        v = given[n]
        if v is NO:
            return False
        if n not in self.defaults or n in self.unnamed or v is not self.defaults[n]:
            return True
        return v is not None and n in self.must

    @functools.cached_property
    def must(self):
        """Parameters that torch has no default for."""
        current = [s for s in self.overloads if not s.old]
        always = [{p.name for p in s.parameters if not p.optional} for s in current]
        return set.intersection(*always) if always else set()

    def variadic_guards(self):
        """The same of the arguments that are given one by one."""
        kinds = self.kinds().get(self.variadic, ())
        if self.rest and self.rest != "how":  # nobody gives these but as numpy calls them
            yield self.rest
        elif self.rest:
            yield "how and not plain_how(how)"
        if any(p.kind in ("IntArrayRef", "SymIntArrayRef") for p in kinds):
            v = self.variadic
            if not self.method and not any(s.variadic for s in self.overloads):  # in one tuple only
                yield f"not (len({v}) == 1 and plain_ints({v}[0]))"
                return
            others = "".join(f" or {t.format(n=v + '[0]')}" for p in kinds for t in _ALONE.get(p.kind, ()))
            yield f"not (plain_ints({v}) or len({v}) == 1 and (plain_ints({v}[0]){others}))"
        elif self.variadic and not kinds and self.overloads:
            yield f"not PLAIN_ARGS.issuperset(map(type, {self.variadic}))"

    def bound(self, args, kwargs):
        """(args, kwargs) for lucid's function, with values in one form; TypeError where torch refuses the call."""
        overloads = self.overloads
        if not overloads:
            return self._without_torch(list(args), dict(kwargs))
        placed, rest = (list(args[:1]), args[1:]) if self.method else ([], args)
        try:
            chosen, found = bind(overloads, rest, kwargs)
        except TypeError:
            chosen, found = self._by_name(overloads, rest, kwargs)
            if chosen is None:
                raise
        if chosen.old:
            _warn_of_old(chosen, overloads)
            return placed, found
        for p in chosen.parameters[: chosen.n_positional]:
            if p.name not in found:
                break
            placed.append(found.pop(p.name))
        return placed, found

    def _by_name(self, overloads, args, kwargs):
        """(overload, values) where all but operands were given by keyword, which a written function cannot tell; or
        None, None."""
        own = self.positional[self.method :]
        first = next((i for i, n in enumerate(own) if n in self.defaults), len(own))
        if not first < len(args) <= len(own):
            return None, None
        try:
            return bind(overloads, args[:first], {**dict(zip(own[first:], args[first:])), **kwargs})
        except TypeError:
            return None, None

    def _without_torch(self, args, kwargs):
        """The same where the table has no such function: numpy's names and Python's own rules."""
        for n, aliases in NUMPY_NAMES.items():
            for alias in aliases:
                if alias in kwargs and alias in self.aliases and n not in kwargs:
                    kwargs[n] = kwargs.pop(alias)
        if len(args) > len(self.positional) and not self.variadic:
            raise TypeError(
                f"{self.name}() takes {len(self.positional)} positional arguments but {len(args)} were given"
            )
        missing = [n for n in self.positional[len(args) :] if n not in kwargs and n not in self.defaults]
        if missing:
            listed = ", ".join(f'"{n}"' for n in missing)
            raise TypeError(f"{self.name}() missing {len(missing)} required positional arguments: {listed}")
        return args, kwargs

    def refuse(self, args, kwargs):
        """Inside an `except`: torch's error if it refuses the call for the classes of its arguments."""
        if self.overloads:
            try:
                self.bound(args, kwargs)
            except (TypeError, RuntimeError) as trouble:
                raise trouble from None

    def refuse_given(self, given):
        """The same with the values of all parameters; a complex number where the kernel wants a real one, too."""
        trouble = sys.exception()
        if isinstance(trouble, TypeError) and "real number, not 'complex'" in str(trouble):
            found = [v._table.dtype for v in given.values() if isinstance(v, Tensor)]
            name = C_NAMES.get(found[0]) if found else "double"
            raise RuntimeError(f"value cannot be converted to type {name} without overflow") from None
        self.refuse(*self.call({n: NO if v is None and n in self.unnamed else v for n, v in given.items()}))


_told = []


def _warn_of_old(chosen, overloads):
    """torch's warning of an old order of arguments: once, whatever function it is."""
    if not _told or switches.warn_always:
        _told.append(chosen)
        new = "".join(f"\n\t{s.function}{s}" for s in overloads if not s.old)
        warn(
            f"This overload of {chosen.function} is deprecated:\n\t{chosen.function}{chosen}\n"
            f"Consider using one of the following signatures instead:{new}"
        )


# kind of a parameter -> the tests of what is plain for it; a kind that is not here is not looked at
_PLAIN = {
    "int64_t": ["type({n}) is int"],
    "SymInt": ["type({n}) is int"],
    "bool": ["type({n}) is bool"],
    "double": ["type({n}) is float", "type({n}) is int"],
    "Scalar": ["type({n}) is float", "type({n}) is int"],
    "IntArrayRef": ["plain_ints({n})"],
    "SymIntArrayRef": ["plain_ints({n})"],
    "string_view": ["type({n}) is str"],
    "ScalarType": ["type({n}) is dtype_type", "{n} is None"],
    "Layout": ["type({n}) is layout_type", "{n} is None"],
    "Device": ["{n} is None", "type({n}) is device_type", "type({n}) is str"],
    "Generator": ["{n} is None", "type({n}).__name__ == 'Generator'"],
    "MemoryFormat": ["type({n}) is memory_format_type", "{n} is None"],
    "TensorList": ["type({n}) is list", "type({n}) is tuple"],
    "Tensor": ["type({n}) in PLAIN", "is_tensor({n})"],
}
# classes of arguments given one by one that some signature is sure to take as they are, whatever their places
_PLAIN_ARGS = frozenset((int, float, tuple, list, Size, dtype, device, str, Tensor))
_ALONE = {"ScalarType": ["type({n}) is dtype_type"]}
_INT = frozenset((int,))
_HOW = dict(dtype=dtype, layout=layout, memory_format=memory_format, requires_grad=bool, pin_memory=bool)


def plain_how(how):
    """Are the options of a factory, given by keyword, of plain classes?"""
    return all(type(v) is _HOW.get(n, type(v)) for n, v in how.items())


# classes that the tests above name, under names that no parameter has
PLAIN_TYPES = {
    "dtype_type": dtype,
    "device_type": device,
    "layout_type": layout,
    "memory_format_type": memory_format,
    "plain_how": plain_how,
    "PLAIN_ARGS": _PLAIN_ARGS,
}


def plain_ints(x):
    """Is x a tuple or a list of Python's own ints?"""
    return (type(x) is tuple or isinstance(x, (tuple, list))) and _INT.issuperset(map(type, x))
