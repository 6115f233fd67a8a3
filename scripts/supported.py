"""Writes docs/supported.md: which of torch's public names lucid has, by what they are measured, and which it lacks.
`--check` only says if it is stale.

Both libraries are asked for their names, so the page is as old as its last run; real torch must be installed.
"""

import importlib
import inspect
import pathlib
import sys
import textwrap
import types
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
PAGE = ROOT / "docs" / "supported.md"
PLACES = """torch Tensor nn nn.functional nn.init nn.utils optim optim.lr_scheduler utils.data autograd func linalg
    special fft distributions sparse cuda amp random hub jit fx onnx export distributed""".split()
# Names in torch's modules that are not torch's: imported for its own use, or left over from a loop ...
FOREIGN = set("""Any Callable Optional Union Iterable Iterator Sequence TypeVar Tuple List Dict Generic Set Type
    TYPE_CHECKING builtins torch bit classproperty USE_GLOBAL_DEPS
    USE_RTLD_GLOBAL_WITH_LIBTORCH""".split())  # fmt: skip
# ... and pieces of docstrings.
FOREIGN |= set("""common_args common_notes factory_common_args multi_dim_common reproducibility_notes
    sparse_support_notes tf32_notes""".split())  # fmt: skip
# Names of torch itself that its other modules import.
IMPORTED = {"Tensor", "DType", "inf"}

HEAD = """# What lucid has of torch {version}

Written by `scripts/supported.py`, which asks both libraries for their public names. A name here is a promise that it
works as torch's does, with all its keywords, or raises an error that says what is not supported. What lucid lacks
raises `AttributeError` or `ModuleNotFoundError` with the name in it. Nothing is handed to real torch.

`compat_tests/` holds lucid to it, and the page says by what: torch's own tables of samples (`op_db`, `module_db`,
`optim_db`), or a test file that names it. Such a file runs it with torch and with lucid and compares, but what it looks
at is for the file to say. Of the names that are there {measured} are measured, {unmeasured} are not.

Devices: `cpu` (numpy), `meta` (shapes only), `mlx` and `mps` (with the extra `mlx`). No CUDA. Layouts: strided, and on
the CPU `sparse_coo`, `sparse_csr` and `sparse_csc`; others (blocks, quantized, nested) are refused with
`NotImplementedError`.

| place | has | measured | refuses | lacks |
|---|---:|---:|---:|---:|
"""


def place_of(library, path):
    """torch.nn.functional as an object, or None where it cannot be had."""
    found = library
    for part in () if path == "torch" else path.split("."):
        name = f"{found.__name__}.{part}" if isinstance(found, types.ModuleType) else None
        try:
            found = getattr(found, part)
        except (AttributeError, ImportError):
            try:
                found = importlib.import_module(name)
            except ImportError:
                return None
    return found


def public_names(place, top):
    """The names of a place that are its library's own."""
    names = []
    for name in dir(place):
        if name.startswith("_") or name in FOREIGN or (name in IMPORTED and place.__name__ != top):
            continue
        try:
            value = getattr(place, name)
        except Exception:
            continue
        home = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
        if isinstance(home, str) and home.split(".")[0] not in (top, "builtins") and not isinstance(place, type):
            continue  # a module or class of the standard library or of numpy
        names.append(name)
    return names


def refuses(value):
    """Does it only raise NotImplementedError?"""
    return "NotImplementedError, lucid has no" in (inspect.getdoc(value) or "")


def has(place, name):
    try:
        return place is not None and (getattr(place, name), True)[1]
    except Exception:
        return False


def listed(names):
    return (
        textwrap.fill(" ".join(f"`{n}`" for n in names), 120, break_long_words=False, break_on_hyphens=False) or "none"
    )


def section(path, names, refused, missing, measures):
    """(row of the table, section, how many names work, how many of them are measured) of a place."""
    title = path if path == "torch" else f"torch.{path}"
    working = len(names)
    groups, unmeasured = measures.of(path)
    parts = [f"## {title}", f"Lacks: {listed(missing)}"]
    if refused:
        parts.append(f"Refuses: {listed(refused)}")
    if unmeasured:
        parts.append(f"Unmeasured: {listed(unmeasured)}")
    if groups:
        lines = "\n\n".join(f"{what} ({len(own)}): {listed(own)}" for what, own in groups)
        parts.append(f"<details><summary>Has {working}; measured by</summary>\n\n{lines}\n\n</details>")
    measured = working - len(unmeasured)
    anchor = title.replace(".", "").lower()
    row = f"| [{title}](#{anchor}) | {working} | {measured} | {len(refused)} | {len(missing)} |"
    return row, "\n\n".join(parts), working, measured


def page(torch, lucid):
    from measures import Measures  # beside this file, which tests read by its path

    working, refused, missing = {}, {}, {}
    for path in PLACES:
        theirs, ours = place_of(torch, path), place_of(lucid, path)
        names = {name: getattr(theirs, name) for name in public_names(theirs, "torch")}
        missing[path] = [n for n in names if not has(ours, n)]
        refused[path] = [n for n in names if n not in missing[path] and refuses(getattr(ours, n))]
        working[path] = {n: v for n, v in names.items() if n not in missing[path] and n not in refused[path]}
    measures = Measures(working)
    found = [section(path, working[path], refused[path], missing[path], measures) for path in PLACES]
    rows, sections, counts, measured = zip(*found)
    head = HEAD.format(
        version=torch.__version__.split("+")[0], measured=sum(measured), unmeasured=sum(counts) - sum(measured)
    )
    return head + "\n".join(rows) + "\n\n" + "\n\n".join(sections) + "\n"


def main():
    warnings.simplefilter("ignore")
    import torch

    import lucid

    text = page(torch, lucid)
    if "--check" in sys.argv:
        stale = not PAGE.exists() or PAGE.read_text() != text
        print("docs/supported.md is stale: run scripts/supported.py" if stale else "docs/supported.md is up to date")
        return int(stale)
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(text)
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
