"""Checks the floors of the house: which room of lucid imports which, cycles between files, who may touch array
libraries, how long files and functions are.

Run it from anywhere; it prints one line per fault and exits 1 if there is one. A room imports lower floors only, rooms
of one floor do not import each other, no file reaches itself through its imports; imports inside functions count too.
"""

import ast
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Room (a name directly under lucid/, or under lucid/_probes/, which lucid finds there) -> floor. A public name that is
# not here is a torch-shaped face, on FACE.
FACE = 6
PROBES = "_probes"
FLOORS = {
    "_base": 0, "version": 0,
    "_array": 1,
    "_tensor": 2, "_codegen": 2,
    "_backend": 3,
    "_fusion": 4, "_func": 4,
    "_modes": 5, "_serial": 5, "_aten": 5,
    "_prims_common": 9, "_refs": 10, "_export": FACE, "_decomp": 10, "_custom_op": FACE, "numa": FACE,
    "_vendor": FACE,
    "_subclasses": FACE, "_functorch": 11,
    "_utils": FACE, "_utils_internal": FACE, "_jit_internal": FACE, "_tensor_str": FACE,
    "_custom_ops": 12, "_weights_only_unpickler": FACE,
    "_c10d": FACE, "futures": 0,
    "nn": 7,
    "optim": 8, "func": 8, "fx": 8, "distributions": 8,
    "_higher_order_ops": 9,
    "_inductor": 12,
    "export": 14, "utils": 12, "testing": 12, "ao": 12, "quantization": 13,
    "_C": 12, "cuda": 12, "hub": 11, "jit": 12, "multiprocessing": 11, "onnx": 12,
    "profiler": 12, "library": 11, "_torchvision": 12, "ops": 13, "_ops": 14, "__config__": FACE, "__future__": FACE,
    "_dynamo": 13, "distributed": 13,
    "compiler": 14, "viz": 14, "_logging": 14,
    "_namespace": 15, PROBES: 15,
    "__init__": 15, "__main__": 15, "_launcher": 15, "_commands": 15,
}  # fmt: skip

ARRAY_LIBRARIES = {"numpy", "scipy", "ml_dtypes", "mlx"}
# Where an array library may be imported (a path, or the start of one that ends in a slash).
ARRAY_FILES = (
    "_array/",
    "_codegen/extension.py",
    "_codegen/numpy_words.py",
    "_codegen/convolutions.py",
    "_codegen/products.py",
    "_codegen/rule_kernels.py",
    "_codegen/metal.py",
    "utils/data/",
    "utils/tensorboard/arrays.py",
    "_tensor/printing.py",
)
# Imported on first use, so never when a module is loaded; files about mlx are themselves loaded on first use.
LAZY_LIBRARIES = {"scipy", "ml_dtypes", "mlx"}
LAZY_FILES = ("_array/mlx/",)
LONGEST_FILE, LONGEST_FUNCTION = 600, 60
SIZED = ("lucid", "compat_tests", "scripts", "examples", "benchmarks")
VAGUE_NAMES = {"utils.py", "helpers.py", "misc.py"}
# Rooms whose file names are torch's.
TORCHS_NAMES = ("utils", "nn", "testing", "_dynamo", "_inductor", "distributions", "distributed", "onnx")


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


def module_of(path, house):
    """The dotted name of a file of the package, by which it is imported."""
    parts = path.relative_to(house).with_suffix("").parts
    if parts[0] == PROBES and len(parts) > 1 and parts[1] != "__init__":
        parts = parts[1:]
    return ".".join(("lucid", *parts)).removesuffix(".__init__")


def faults_of(path, house):
    """What one file of the package does against the rules, as (line, text) pairs."""
    relative, name = path.relative_to(house).as_posix(), module_of(path, house)
    room = name.split(".")[1] if "." in name else "__init__"
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    floor = floor_of(room)
    if floor is None:
        yield 1, f"room {room} has no floor; add it to FLOORS in scripts/floors.py"
        return
    if path.name in VAGUE_NAMES and room not in TORCHS_NAMES and "/" in relative:
        yield 1, "the name says nothing; name a file after what a reader would look for"
    tree = ast.parse(path.read_text(), str(path))
    for line, module, in_function in imports(tree, package):
        top, *rest = module.split(".")
        if top == "torch":
            yield line, "imports torch; lucid has to do without it"
        elif top == "lucid":
            for text in _room_faults(house, room, floor, module, rest):
                yield line, text
        elif top in ARRAY_LIBRARIES:
            if not relative.startswith(ARRAY_FILES):
                yield line, f"imports {top}; only {', '.join(ARRAY_FILES)} may"
            elif top in LAZY_LIBRARIES and not in_function and not relative.startswith(LAZY_FILES):
                yield line, f"imports {top} when loaded; import it where it is first used"
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = node.end_lineno - node.lineno + 1
            if length > LONGEST_FUNCTION:
                yield node.lineno, f"{node.name} has {length} lines; {LONGEST_FUNCTION} is the most"


def _room_faults(house, room, floor, module, rest):
    """What importing `module` from a room on `floor` does against the floors."""
    other = rest[0] if rest else "__init__"
    if not any((folder / other).is_dir() or (folder / f"{other}.py").exists() for folder in (house, house / PROBES)):
        other = "__init__"  # a name of the face, such as lucid.Tensor
    target = floor_of(other)
    if other == room and other != "__init__":
        return
    if target is None:
        yield f"imports lucid.{other}, which has no floor"
    elif target > floor or (target == floor and floor < FLOORS["__init__"]):
        where = "on the same floor" if target == floor else f"floor {target}"
        yield f"imports {module} ({where}) from floor {floor}"


def cycles(house):
    """Groups of files that reach each other through their imports, as sorted lists of module names."""
    files = {module_of(path, house): path for path in house.rglob("*.py")}
    edges = {}
    for name, path in files.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        edges[name] = _imported_files(ast.parse(path.read_text()), package, files) - {name}
    for group in _strongly_connected(edges):
        if len(group) > 1:
            yield sorted(group)


def _imported_files(tree, package, files):
    """The files (not packages: their __init__ only gathers names) that a file of `package` imports."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                kept = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join(kept + ([base] if base else []))
            found.update(f"{base}.{a.name}" if f"{base}.{a.name}" in files else base for a in node.names)
        elif isinstance(node, ast.Import):
            found.update(a.name for a in node.names)
    return {name for name in found if name in files and files[name].name != "__init__.py"}


def _strongly_connected(edges):
    """Tarjan's algorithm: the groups of nodes that reach each other."""
    index, low, stack, groups = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in edges[v]:
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            at = stack.index(v)
            groups.append(stack[at:])
            del stack[at:]

    for v in edges:
        if v not in index:
            visit(v)
    return groups


def stale(house):
    """Entries of the tables above that name nothing."""
    for room in FLOORS:
        if not any((f / room).is_dir() or (f / f"{room}.py").exists() for f in (house, house / PROBES)):
            yield f"FLOORS names {room}, which does not exist"
    for place in (*ARRAY_FILES, *LAZY_FILES):
        if not (house / place).exists():
            yield f"scripts/floors.py makes an exemption for {place}, which does not exist"


def faults(root=ROOT):
    """All faults under a repository's root, as lines of text."""
    house = root / "lucid"
    for path in sorted(house.rglob("*.py")):
        for line, text in faults_of(path, house):
            yield f"{path.relative_to(root)}:{line}: {text}"
    for group in cycles(house):
        yield f"these files import each other in a circle: {', '.join(group)}"
    yield from stale(house)
    for folder in SIZED:
        for path in sorted((root / folder).rglob("*.py")):
            length = len(path.read_text().splitlines())
            if length > LONGEST_FILE:
                yield f"{path.relative_to(root)}: {length} lines; {LONGEST_FILE} is the most"


if __name__ == "__main__":
    found = list(faults())
    print("\n".join(found) or "floors: no fault")
    sys.exit(bool(found))
