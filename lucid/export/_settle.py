"""Is a graph good for all sizes? It is traced again with others, one symbol after the other, and has to be the same.

A symbol with which it differs is one that the program fixed, or one that has to be equal to another. Hints give way to
that: the size is fixed then, or the two are one; a Dim that was named does not, which is torch's error.
"""

from .._base.symbolic import Expression
from ._sizes import text_of
from ._symbols import SAYS, Environment, in_words, linear, symbols_of, value_of
from .dynamic_shapes import Dim, user_error

_TRIES = 60
_HEAD = 'Constraints violated ({})! For more information, run with TORCH_LOGS="+dynamic".\n'
_FIXED = (
    "  - You marked {0} as dynamic but your code specialized it to be a constant ({1}). If you're using mark_dynamic, "
    "either remove it or use maybe_mark_dynamic. If you're using Dim.DYNAMIC, replace it with either Dim.STATIC or "
    "Dim.AUTO.\nSuggested fixes:\n  {0} = {1}\n"
)


def settled(trace, env, sizes):
    """(run, environment): trace(environment, sizes) with symbols that the program really leaves open."""
    for _ in range(len(env.symbols) * 2 + 1):
        env.guards, env.assumed, env.equal, env.hints = [], [], [], {s.name: s.hint for s in env.symbols.values()}
        run = trace(env, sizes)
        change = _fixed_by_guards(env) or _fixed_by_graph(trace, run, env, sizes)
        if change is None:
            _refine(env)
            return run, env
        name, instead = change
        _refuse(env, name, instead)
        sizes = [{i: _replaced(e, name, instead) for i, e in dims.items()} for dims in sizes]
        sizes = [{i: e for i, e in dims.items() if not e.is_number()} for dims in sizes]
        if not instead.is_number():
            _narrow(env, name, instead)
        env.symbols.pop(name)
    raise RuntimeError("the sizes of an exported program do not settle")


def _narrow(env, name, instead):
    """One symbol for two has the range of both."""
    (other,) = symbols_of(instead)
    a, b = env.symbols[name], env.symbols[other]
    if instead == b.expression:
        b.lower, b.upper = max(a.lower, b.lower), a.upper if a.upper < b.upper else b.upper


def _replaced(expression, name, instead):
    """An expression with another one for a symbol."""
    total = Expression({})
    for monomial, c in expression.terms:
        part = Expression({(): c})
        for atom in monomial:
            part = part.times(instead if atom == name else Expression({(atom,): 1}))
        total = total.plus(part)
    return total


def _fixed_by_guards(env):
    """(symbol, what it is) where the program asked whether it is equal to something, and it was."""
    for how, a, b in env.guards:
        if how != "==":
            continue
        bound = linear(how, a, b)
        if bound is not None:
            return bound[1], Expression({(): bound[2]})
        pair = _same_symbols(env, a, b)
        if pair is not None:
            return pair
    return None


def _same_symbols(env, a, b):
    """(a symbol, the other's expression) of two expressions that are a symbol each: the name that comes first stays."""
    names = sorted([s.name for s in env.symbols.values() if s.expression in (a, b)])
    return (names[1], env.symbols[names[0]].expression) if len(names) == 2 else None


def _fixed_by_graph(trace, run, env, sizes):
    """(symbol, what it is) of the first symbol with which the graph is another one; None where there is none."""
    text, equal = text_of(run.tracer), list(env.equal)
    for symbol in list(env.symbols.values()):
        if not any([symbol.name in symbols_of(e) for dims in sizes for e in dims.values()]):
            continue
        if _same_with(trace, env, sizes, text, [symbol.name]):
            continue
        for a, b in equal:
            pair = _same_symbols(env, a, b)
            if pair is None or symbol.name not in (pair[0], *symbols_of(pair[1])):
                continue
            if _same_with(trace, env, sizes, text, [pair[0], *symbols_of(pair[1])]):
                return pair
        for other in env.symbols.values():
            if other is not symbol and other.hint == symbol.hint:
                first, second = sorted((other, symbol), key=lambda s: s.name)
                if _same_with(trace, env, sizes, text, [other.name, symbol.name]):
                    return second.name, first.expression
        return symbol.name, Expression({(): symbol.hint})
    return None


def _same_with(trace, env, sizes, text, names):
    """Is the graph the same with other numbers for these symbols? One is little larger, one more than twice as large;
    a smaller one counts where the program takes it at all."""
    first = env.symbols[names[0]].hint
    nearly, far, less = (
        _another(env, names, places)
        for places in (
            range(first + 1, first + _TRIES),
            range(2 * first + 1, 4 * first + _TRIES),
            range(first - 1, 1, -1),
        )
    )
    larger = dict.fromkeys([n for n in (nearly, far) if n is not None])
    if not all([_traced_with(trace, env, sizes, names, n) == text for n in larger]):
        return False
    return less is None or _traced_with(trace, env, sizes, names, less) in (text, None)


def _traced_with(trace, env, sizes, names, n):
    """The text of the graph with a number for these symbols; None where the program does not take it."""
    again = Environment()
    again.symbols, again.hints = env.symbols, {**env.hints, **dict.fromkeys(names, n)}
    try:
        return text_of(trace(again, sizes).tracer)
    except Exception:  # noqa: BLE001 - whatever a program raises for sizes that do not fit it
        return None


def _another(env, names, candidates):
    """A number for symbols that what is known of them allows; None if there is no other."""
    symbols, taken = [env.symbols[n] for n in names], set(env.hints.values())
    for n in candidates:
        hints = {**env.hints, **dict.fromkeys(names, n)}
        allowed = n not in taken and all([s.lower <= n <= s.upper for s in symbols])
        if allowed and all([_holds(g, hints) for g in env.guards]):
            return n
    return None


def _holds(guard, hints):
    how, a, b = guard
    return SAYS[how](value_of(a, hints), value_of(b, hints))


def _refuse(env, name, instead):
    """torch's error where a symbol that must stay open was fixed."""
    s = env.symbols[name]
    shown = s.dim or s.place
    if instead.is_number():
        if s.kind == "AUTO":
            return
        n = dict(instead.terms).get((), 0)
        raise user_error(_HEAD.format(shown) + _FIXED.format(shown, n))
    (other,) = [env.symbols[n] for n in symbols_of(instead)]
    if s.kind == "named" and other.kind == "named":
        later = list(env.symbols).index(s.name) > list(env.symbols).index(other.name)
        s, other = (s, other) if later else (other, s)
        shown = s.dim
        raise user_error(
            _HEAD.format(shown)
            + f"  - The values of {shown} = {s.place} and {other.dim} = {other.place} must always be equal.\n"
            f"Suggested fixes:\n  {shown} = {other.dim}\n"
        )


def _refine(env):
    """Ranges as the program's questions leave them; torch's error where a Dim's is smaller then."""
    kept, bounds = [], {}
    for guard in env.guards:
        bound = linear(*guard)
        if bound is None or bound[0] in ("!=", "=="):
            kept.append(guard)
            continue
        how, name, n = bound
        lower, upper = bounds.get(name, (env.symbols[name].lower, env.symbols[name].upper))
        bounds[name] = (max(lower, n), upper) if how == ">=" else (lower, n if n < upper else upper)
    told = {}
    for name, (lower, upper) in bounds.items():
        s = env.symbols[name]
        if s.kind == "named":
            told.setdefault(name, []).append((f"{lower} <= {s.place} and {s.place} <= {_shown(upper)}", lower, upper))
        else:
            s.lower, s.upper = lower, upper
    _refuse_ranges(env, told, kept)
    env.guards = kept


def _shown(n):
    return "IntInfinity()" if not isinstance(n, int) else n


def _refuse_ranges(env, told, kept):
    lines, fixes, names = [], [], []
    for how, a, b in kept:
        for name in symbols_of(a.plus(b, -1)):
            s = env.symbols[name]
            if s.kind == "named":
                text = f"{_spelled(env, a)} {how} {_spelled(env, b)}"
                lines.append(
                    f"  - Not all values of {s.dim} = {s.place} in the specified range satisfy the generated guard "
                    f"{text}."
                )
                names.append(s.dim)
    for name, found in told.items():
        s = env.symbols[name]
        for text, lower, upper in found:
            lines.append(
                f"  - Not all values of {s.dim} = {s.place} in the specified range satisfy the generated guard {text}"
            )
            fixes.append(f"  {s.dim} = {Dim._readable(s.dim, lower, upper)}")
            names.append(s.dim)
    if lines:
        suggested = "Suggested fixes:\n" + "\n".join(fixes) + "\n" if fixes else ""
        raise user_error(_HEAD.format(", ".join(dict.fromkeys(names))) + "\n".join(lines) + "\n" + suggested)


def _spelled(env, expression):
    """An expression in terms of the inputs' sizes."""
    text = in_words(expression, {name: env.symbols[name].place for name in symbols_of(expression)})
    return f"({text})" if " " in text else text


__all__ = ["settled"]
