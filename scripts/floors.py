"""Checks the floors of the house: which room of lucid imports which, who may touch array libraries, how long files are.

Run it from anywhere; it prints one line per fault and exits 1 if there is one. The rules are those of the design page:
a room imports lower floors only, rooms of one floor do not import each other, imports inside functions count too.
"""

import ast
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Room (a name directly under lucid/) -> floor. A public name that is not here is a torch-shaped face, on FACE.
FACE = 6
FLOORS = {
    "_base": 0, "version": 0,
    "_array": 1, "_codegen": 1,
    "_tensor": 2,
    "_backend": 3,
    "_fusion": 4, "_func": 4,
    "_modes": 5, "_serial": 5,
    "_utils": FACE, "_jit_internal": FACE, "_custom_ops": 12, "_weights_only_unpickler": FACE, "_tensor_str": FACE,
    "nn": 7,
    "optim": 8, "fx": 8, "func": 8,
    "_functorch": 9,
    "_inductor": 10,
    "_dynamo": 11,
    "utils": 12, "testing": 12, "compiler": 12, "distributed": 12,
    "_C": 12, "cuda": 12, "hub": 11, "jit": 12, "multiprocessing": 12, "onnx": 12,
    "profiler": 12, "library": 11, "__config__": FACE, "__future__": FACE,
    "_namespace": 13,
    "__init__": 13, "__main__": 13, "_launcher": 13,
}  # fmt: skip

ARRAY_LIBRARIES = {"numpy", "scipy", "ml_dtypes", "mlx"}
# Where an array library may be imported (a path, or the start of one that ends in a slash).
ARRAY_FILES = ("_array/", "_codegen/build", "serialization", "utils/data/", "_tensor/printing")
# Imported on first use, so never when a module is loaded; files named after mlx are themselves loaded on first use.
LAZY_LIBRARIES = {"scipy", "ml_dtypes", "mlx"}
VERSION_FILES = ("_dynamo/decode.py",)
LONGEST = 600
SIZED = ("lucid", "compat_tests", "scripts", "examples", "benchmarks")
VAGUE_NAMES = {"utils.py", "helpers.py", "misc.py"}


def floor_of(room):
    """The floor of a room, or None for a private one that the table does not know."""
    if room in FLOORS:
        return FLOORS[room]
    return None if room.startswith("_") else FACE


def is_type_checking(node):
    test = node.test if isinstance(node, ast.If) else None
    return (test.id if isinstance(test, ast.Name) else getattr(test, "attr", None)) == "TYPE_CHECKING"


def imports(tree, package):
    """(line, module, inside a function) of every import in a file of `package`: absolute, relative or by a call."""

    def visit(node, in_function):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, in_function
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                kept = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join(kept + ([base] if base else []))
            # `from lucid import nn` and `from . import nn` name the module itself.
            for alias in node.names if base == "lucid" else ():
                yield node.lineno, f"lucid.{alias.name}", in_function
            if base != "lucid":
                yield node.lineno, base, in_function
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
            first = node.args[0] if node.args else None
            if name in ("import_module", "__import__") and isinstance(first, ast.Constant) and "." != first.value[:1]:
                yield node.lineno, first.value, in_function
        if isinstance(node, ast.If) and is_type_checking(node):
            return
        inner = in_function or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for child in ast.iter_child_nodes(node):
            yield from visit(child, inner)

    return visit(tree, False)


def faults_of(path, house):
    """What one file of the package does against the rules, as (line, text) pairs."""
    relative = path.relative_to(house).as_posix()
    room = relative.split("/")[0].removesuffix(".py")
    package = ".".join(("lucid", *path.relative_to(house).parent.parts))
    floor = floor_of(room)
    if floor is None:
        yield 1, f"room {room} has no floor; add it to FLOORS in scripts/floors.py"
        return
    if path.name in VAGUE_NAMES and room not in ("utils", "nn", "testing", "fx", "_dynamo") and "/" in relative:
        yield 1, "the name says nothing; name a file after what a reader would look for"
    tree = ast.parse(path.read_text(), str(path))
    for line, module, in_function in imports(tree, package):
        top, *rest = module.split(".")
        if top == "torch":
            yield line, "imports torch; lucid has to do without it"
        elif top == "lucid":
            other = rest[0] if rest else "__init__"
            if not (house / other).is_dir() and not (house / f"{other}.py").exists():
                other = "__init__"  # a name of the face, such as lucid.Tensor
            target = floor_of(other)
            if other == room and other != "__init__":
                continue
            if target is None:
                yield line, f"imports lucid.{other}, which has no floor"
            elif target > floor or (target == floor and floor < FLOORS["__init__"]):
                where = "on the same floor" if target == floor else f"floor {target}"
                yield line, f"imports {module} ({where}) from floor {floor}"
        elif top in ARRAY_LIBRARIES:
            if not relative.startswith(ARRAY_FILES):
                yield line, f"imports {top}; only _array and {', '.join(ARRAY_FILES[1:])} may"
            elif top in LAZY_LIBRARIES and not in_function and not path.name.startswith("mlx"):
                yield line, f"imports {top} when loaded; import it where it is first used"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "version_info" and relative not in VERSION_FILES:
            if isinstance(node.value, ast.Name) and node.value.id == "sys":
                yield node.lineno, f"reads sys.version_info; only {VERSION_FILES[0]} may"


def faults(root=ROOT):
    """All faults under a repository's root, as lines of text."""
    house = root / "lucid"
    for path in sorted(house.rglob("*.py")):
        for line, text in faults_of(path, house):
            yield f"{path.relative_to(root)}:{line}: {text}"
    for folder in SIZED:
        for path in sorted((root / folder).rglob("*.py")):
            length = len(path.read_text().splitlines())
            if length > LONGEST:
                yield f"{path.relative_to(root)}: {length} lines; {LONGEST} is the most"


if __name__ == "__main__":
    found = list(faults())
    print("\n".join(found) or "floors: no fault")
    sys.exit(bool(found))
