"""`python -m lucid check script.py`: which names of torch does a program use that lucid lacks or refuses?"""

import importlib
import inspect
import pathlib
import re
import sys
import tokenize
import types
import warnings

from .names_used import read

USAGE = """usage: python -m lucid check script.py|directory ...

Reads the files and what they import from beside them, without running anything, and lists the names of torch that
lucid does not have: `file:line: name: reason`. Exit code 0 when there are none, 1 when there are, 2 when a file cannot
be read. A name whose absence the program sees to (hasattr, except ImportError) is listed but does not count,
as is a method of something that need not be a tensor."""

_REFUSAL = re.compile(r"NotImplementedError,\s+((?:[^.]|\.(?!\s|$))*)")


def refusal(value):
    """Why lucid refuses to do what this function or class of its own says, or None where it does not refuse."""
    if not (isinstance(value, type) or callable(value)):
        return None
    doc = inspect.getdoc(value) or ""
    head, _, body = doc.partition(":")
    found = _REFUSAL.match(body.strip()) or _REFUSAL.match(doc)
    return " ".join(found.group(1).split()) if found else None


def trouble(name):
    """What is wrong with a dotted name of torch's under lucid, or None; names behind a value are not followed."""
    parts = name.split(".")
    if parts[0] == "functorch":
        parts = ["torch", "functorch", *parts[1:]] if importlib.util.find_spec("functorch") is None else parts
    root = "lucid" if parts[0] in ("torch", "lucid") else parts[0]
    try:
        found = importlib.import_module(root)
    except ImportError:
        return "missing"
    if parts[1:2] == ["ops"] and parts[2:3] not in ([], ["aten"], ["prims"], ["higher_order"], ["load_library"]):
        return None  # ops that a library defines when it is imported
    for n, part in enumerate(parts[1:], 1):
        if not isinstance(found, (types.ModuleType, type)) or part.startswith("__"):
            return None
        try:
            found = getattr(found, part)
        except NotImplementedError as refused:
            return f"refused: {refused}"
        except Exception:
            found = _submodule(root, parts[1 : n + 1]) if isinstance(found, types.ModuleType) else None
            if found is None:
                at = ".".join(("torch", *parts[1 : n + 1]))
                return "missing" if n == len(parts) - 1 else f"missing ({at})"
    reason = refusal(found)
    return f"refused: {reason}" if reason else None


def _submodule(root, parts):
    try:
        return importlib.import_module(".".join((root, *parts)))
    except Exception:
        return None


def _files_of(imported, path, top):
    """The files beside the program that an import means: a module, or a package and the packages around it."""
    base = path.parent if imported.level else top
    for _ in range(imported.level - 1):
        base = base.parent
    dotted = [p for p in imported.module.split(".") if p]
    tries = [dotted[: n + 1] for n in range(len(dotted))]
    if imported.name is not None:
        tries.append([*dotted, imported.name])
    for parts in tries:
        target = base.joinpath(*parts)
        for candidate in (target.with_suffix(".py"), target / "__init__.py"):
            if parts and candidate.is_file():
                yield candidate


def _starts(argument):
    """The files that an argument names: itself, or all of a directory."""
    path = pathlib.Path(argument)
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def used(arguments):
    """(path, uses) of every file that the arguments name or that those import from beside them."""
    seen = set()
    for argument in arguments:
        first = pathlib.Path(argument)
        top = first if first.is_dir() else first.parent
        waiting = _starts(argument)
        while waiting:
            path = waiting.pop(0)
            if path.resolve() in seen:
                continue
            seen.add(path.resolve())
            with tokenize.open(path) as file:
                uses, imports = read(file.read(), str(path))
            yield path, uses
            for imported in imports:
                waiting += _files_of(imported, path, top)


def main(arguments):
    """Print what is missing; the exit code says whether anything counts."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE)
        return 0 if arguments else 2
    warnings.simplefilter("ignore")
    lucid = importlib.import_module("lucid")
    known, counted, files = {}, set(), 0
    for_all = used(arguments)
    while True:
        try:
            path, uses = next(for_all)
        except StopIteration:
            break
        except (OSError, SyntaxError, UnicodeDecodeError) as error:
            print(f"cannot read {getattr(error, 'filename', None) or arguments}: {error}", file=sys.stderr)
            return 2
        files += 1
        for use in sorted(set(uses), key=lambda u: (u.line, u.name)):
            shown = "torch" + use.name.removeprefix("lucid") if use.name.startswith("lucid") else use.name
            if use.method and refusal(getattr(lucid.Tensor, use.name.rpartition(".")[2], None)) is None:
                continue
            if shown not in known:
                known[shown] = trouble(shown)
            if known[shown] is None:
                continue
            note = (
                " (the program sees to its absence)" if use.guarded else " (if it is a tensor's)" if use.method else ""
            )
            print(f"{path}:{use.line}: {shown}: {known[shown]}{note}")
            if not (use.guarded or use.method):
                counted.add(shown)
    what = f"{len(counted)} of {len(known)} names of torch are missing or refused" if counted else (
        f"all {len(known)} names of torch are there")  # fmt: skip
    print(f"{files} file{'s' * (files != 1)} read: {what}")
    return int(bool(counted))
