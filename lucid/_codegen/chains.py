"""Long chains of functions, cut into several loops over a piece of the turns.

Each exp waits for the one before it; a processor fills the time with the next turns, but only with as many as its
window of some hundred instructions holds. Chains longer than that run at a third of the speed, unless each of several
loops has a part of the chain. What one loop leaves to another lies in a small array meanwhile.
"""

import re

LONG, PART = 6, 1  # calls of functions in a turn from which it is cut, and in each part
PIECE = 256  # turns of a piece
CARRIED = 16  # arrays of a piece's values that there may be

_NAMED = re.compile(r"const ([\w ]+) (t\d+) = (.*);$")
_NAME = re.compile(r"\bt\d+\b")
_CALL = re.compile(r"\blucid_(?!from_|to_|round_|quotient|divisor)\w+\(")  # conversions and divisions are short


def loops(name, lines):
    """The loops over `name`, from start to end, of these statements; None where they are better one loop."""
    if sum(map(_calls, lines)) < LONG or any(line.startswith("fault") for line in lines):
        return None
    parts = _parts(lines)
    types = {m[2]: m[1] for m in map(_NAMED.match, lines) if m}
    made = [{m[2] for m in map(_NAMED.match, part) if m} for part in parts]
    read = [{n for line in part for n in _NAME.findall(line)} & set(types) - own for part, own in zip(parts, made)]
    arrays, count = _arrays(made, read, types)
    if count > CARRIED:
        return None
    out = [f"for (long from = start; from < end; from += {PIECE}) {{"]
    out.append(f"  const long stop = from + {PIECE} < end ? from + {PIECE} : end;")
    out += [f"  {kind} {array}[{PIECE}];" for array, kind in sorted(set(zip(arrays.values(), map(types.get, arrays))))]
    for part, own, given in zip(parts, made, read):
        out += ["  #pragma omp simd", f"  for (long {name} = from; {name} < stop; {name}++) {{"]
        out += [f"    const {types[n]} {n} = {arrays[n]}[{name} - from];" for n in sorted(given)]
        out += [f"    {line}" for line in part]
        out += [f"    {arrays[n]}[{name} - from] = {n};" for n in sorted(own & arrays.keys())]
        out.append("  }")
    return [*out, "}"]


def _calls(line):
    return len(_CALL.findall(line))


def _parts(lines):
    """The statements, with PART calls or more in each part."""
    parts, calls = [[]], 0
    for line in lines:
        if calls >= PART and _calls(line):
            parts.append([])
            calls = 0
        parts[-1].append(line)
        calls += _calls(line)
    return parts


def _arrays(made, read, types):
    """({value that a later part reads: its array}, how many arrays there are); one may be had by several in turn."""
    last = {n: i for i, names in enumerate(read) for n in names}
    free, arrays, count = {}, {}, 0
    for i, own in enumerate(made):
        for n in sorted(own & last.keys()):
            kind = types[n]
            if free.get(kind):
                arrays[n] = free[kind].pop()
            else:
                arrays[n], count = f"k{count}", count + 1
        for n in [n for n, at in last.items() if at == i]:
            free.setdefault(types[n], []).append(arrays[n])
    return arrays, count
