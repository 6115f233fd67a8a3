"""Writes the .pyi files of lucid, from which editors and type checkers know what is put into modules at run time.

A stub stands next to each module whose names come from a registry, and next to the Tensor. Parameters and defaults come
from `inspect`, docstrings from the functions, types from stub_types.py. `--check` only says whether they are current.
"""

import ast
import functools
import importlib
import inspect
import pathlib
import re
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from stub_signatures import Untyped, signatures, unused
from stub_types import ATTRIBUTES, PLACES, PROPERTIES, SOURCES

import lucid
from lucid._base.enumeration import Member
from lucid._namespace import FROM
from lucid._tensor.return_types import CLASSES
from lucid._tensor.tensor import Tensor

HOUSE = ROOT / "lucid"
PROBES = HOUSE / "_probes"  # on lucid.__path__, which checkers do not follow: see redirections()
OUTSIDE = ROOT / "lucid-stubs"
TENSOR = "lucid._tensor.tensor"
HEAD = '"""{}\n\nWritten by scripts/stubs: change the functions, or the types in scripts/stub_types.py.\n"""\n\n'
WIDTH = 120
SUBMODULE = object()  # in place of a module that nothing has imported yet
BUILTINS = ("bool", "bytes", "complex", "float", "int", "list", "object", "slice", "str", "tuple", "type")
WORD = re.compile(rf"(?<![\w.\"])({'|'.join([*SOURCES, *BUILTINS])})\b")
# What every module or class has, and what differs between versions of Python.
UNSEEN = set(
    """__builtins__ __cached__ __dict__ __doc__ __file__ __firstlineno__ __getattr__ __init_subclass__ __loader__
    __module__ __name__ __package__ __path__ __slots__ __spec__ __static_attributes__ __weakref__""".split()
)


def modules():
    """The modules that get a stub: the Tensor's, and those that take names from a registry or compute `__all__`."""
    found = {TENSOR, "lucid.return_types"}
    for path in HOUSE.rglob("*.py"):
        if re.search(r"^globals\(\)\.update\((?!\s*_?refuse\()|^__all__ = \[\n    \w", path.read_text(), re.MULTILINE):
            found.add(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    return sorted(found)


class Stub:
    """One file: lines for its names, and what they need imported."""

    def __init__(self, name):
        self.name, self.module = name, importlib.import_module(name)
        self.path = pathlib.Path(self.module.__file__).with_suffix(".pyi")
        self.package = name if self.path.stem == "__init__" else name.rpartition(".")[0]
        self.listed = sorted(getattr(self.module, "__all__", ())) if self.name.startswith("lucid.nn.modules") else ()
        self.place = PLACES.get(name, "")
        self.imports, self.values, self.blocks, self.last, self.faults = set(), [], [], set(), []
        self.scope = vars(self.module) | (vars(Tensor) if name == TENSOR else {})

    def text(self):
        """The whole file."""
        for name, value in sorted(self.names().items()):
            self.add(name, value)
        text = HEAD.format(inspect.getdoc(self.module).strip()) + import_lines(self.imports)
        if self.listed:
            text += "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in self.listed) + "]\n"
        if self.values:
            text += "\n" + "".join(sorted(self.values))
        for before, block in zip(["class", *self.blocks], [*self.blocks, *sorted(self.last)]):
            text += "\n" + block if block.startswith("class ") or not before.endswith("...\n") else block
        return text.replace('"""\n\n\n', '"""\n\n', 1)  # where there is nothing to import

    @functools.cache
    def names(self):
        """The names that the stub has, with their values."""
        if self.name == "lucid.return_types":
            with_out = {f"{name}_out": value for name, value in CLASSES.items() if not name.startswith("_")}
            mine = {
                name: getattr(lucid.return_types, name) for name in ("pytree_register_structseq", "all_return_types")
            }
            return CLASSES | with_out | mine
        here = {n: v for n, v in vars(self.module).items() if n not in UNSEEN}
        if self.listed:
            return {n: v for n, v in here.items() if n in self.listed or isinstance(v, types.ModuleType)}
        if self.name == TENSOR:
            return {n: v for n, v in here.items() if n in defined(self.path.with_suffix(".py"))}
        if self.name == "lucid":  # submodules are there whether or not something has imported them yet
            files = [p for place in (HOUSE, PROBES) for p in (*place.glob("*.py"), *place.glob("*/__init__.py"))]
            lazy = {p.parent.name if p.stem == "__init__" else p.stem for p in files} - set(here)
            lazy -= {"__main__", "_launcher", "_probes", "lucid"}
            return here | dict.fromkeys(lazy, SUBMODULE) | {n: getattr(lucid, n) for n in (*FROM, "ENABLE_FUSION")}
        if self.name == "lucid.nn.functional":
            return here | {"grad": self.module.grad}
        return here

    def add(self, name, value):
        """Write down one name."""
        if value is SUBMODULE or isinstance(value, types.ModuleType):
            if value is SUBMODULE or value.__name__ == f"{self.name}.{name}":
                self.take(self.name, name, name)
            elif self.name == "lucid.nn.functional" or self.name == "lucid" and name in FROM:  # of another place
                home, _, own = value.__name__.rpartition(".")
                self.take(home, own, name)
        elif isinstance(value, type):
            self.add_class(name, value)
        elif callable(value):
            if self.name != "lucid" and vars(lucid).get(name) is value:
                self.take("lucid", name, name)
            elif self.listed:
                self.take(home_of(value), name, name)
            else:
                text = self.function(self.place, name, value)
                if self.name == "lucid.return_types":  # where classes stand close together
                    text = f"\n{text}"
                self.blocks += [text] if text else []
        elif name == "all_return_types":
            self.values.append(f"{name}: {self.types('list[type]')}\n")
        elif (kind := constant_type(value)) is not None:
            self.values.append(f"{name}: {self.types(kind)}\n")

    def add_class(self, name, value):
        home = home_of(value)
        if value in CLASSES.values():
            self.blocks.append(self.named_tuple(name, value))
        elif value.__module__ == "builtins":
            self.values.append(f"{name} = {self.types(value.__name__)}\n")
        elif home == self.name:
            if not name.startswith("_"):
                self.blocks.append(self.class_text(name, value))
        elif home is not None:
            self.take(home, value.__name__, name)
        elif isinstance(value, type) and issubclass(value, Exception):
            self.blocks.append(f"class {name}({value.__base__.__name__}):\n" + docstring(value.__doc__, "    "))
        elif issubclass(value, Member):
            self.values.append(f"{name}: {self.types('Any')}\n")
        else:  # made by a call, such as FloatTensor and FloatStorage
            base = "Tensor" if isinstance(value, lucid._func.methods.legacy_types.LegacyType) else "TypedStorage"
            self.blocks.append(f"class {name}({self.types(base)}):\n" + docstring(value.__doc__, "    "))

    def named_tuple(self, name, value):
        """A return type: a tuple with named fields."""
        kinds = self.types(f"tuple[{', '.join(['Tensor'] * len(value._fields))}]")
        text = f"class {name}({kinds}):\n    def __iter__(self) -> {self.types('Iterator[Tensor]')}: ...\n"
        return text + "".join(f"    @property\n    def {field}(self) -> Tensor: ...\n" for field in value._fields)

    def class_text(self, name, value):
        """A class with its methods and properties."""
        base = "" if value.__base__ is object else f"({value.__base__.__name__})"
        text = f"class {name}{base}:\n{docstring(value.__doc__, '    ')}"
        attributes = [f"    {n}: {self.types(kind)}\n" for n, kind in ATTRIBUTES.get(name, {}).items()]
        members = [self.member(name, n, v) for n, v in sorted(vars(value).items()) if n not in UNSEEN]
        members = "".join([*attributes, *members])
        return text + ("\n" + members if members else "")

    def member(self, owner, name, value):
        if isinstance(value, property):
            return self.property(owner, name, value)
        if isinstance(value, types.MemberDescriptorType):
            return f"    {name}: {self.types('Any')}\n"
        if isinstance(value, (staticmethod, classmethod)):
            kind = type(value).__name__ if name != "__new__" else None
            return self.function(owner, name, value.__func__, "    ", kind)
        if callable(value):
            return self.function(owner, name, value, "    ")
        return f"    {name}: {self.types(constant_type(value))}\n"

    def property(self, owner, name, value):
        kind = PROPERTIES.get(name) or ("bool" if name.startswith("is_") else None)
        if kind is None:
            self.faults.append(f"{owner}.{name}: property")
            return ""
        kind, body = self.types(kind), value.__doc__ and docstring(value.__doc__, "        ")
        text = f"    @property\n    def {name}(self) -> {kind}:" + (f"\n{body}" if body else " ...\n")
        if value.fset:
            text += f"    @{name}.setter\n    def {name}(self, value: {kind}) -> None: ...\n"
        return text

    def function(self, place, name, value, indent="", decorator=None):
        """A function with its overloads; the first of them has the docstring."""
        try:
            found = signatures(place, name, value, bool(indent) and decorator != "staticmethod")
        except Untyped as fault:
            if not name.startswith("_") or name.endswith("__"):  # private ones are there where the table knows them
                self.faults.append(f"{place or self.name}.{name}: {fault}")
            return ""
        marks = ["overload"] * (len(found) > 1) + [decorator] * (decorator is not None)
        marks = "".join(f"{indent}@{self.types(mark)}\n" for mark in marks)
        doc = inspect.getdoc(value)
        if not doc or doc == getattr(getattr(object, name, None), "__doc__", None):  # none, or what object says
            return "".join(marks + self.header(name, *one, indent, " ...") for one in found)
        first, *others = (marks + self.header(name, *one, indent, " ..." * (i > 0)) for i, one in enumerate(found))
        return first + docstring(doc, indent + "    ") + "\n" * (bool(others) and not indent) + "".join(others)

    def header(self, name, parameters, result, indent, body):
        """`def name(...) -> ...:`, broken as the formatter would."""
        parameters = [self.types(p) for p in parameters]
        tail = f") -> {self.types(result)}:{body}"
        if name in ("__eq__", "__ne__"):
            tail += "  # type: ignore[override]"
        line = f"{indent}def {name}({', '.join(parameters)}{tail}"
        if len(line.partition("  #")[0]) <= WIDTH:
            return line + "\n"
        inside = f"{indent}    {', '.join(parameters)}\n"
        if len(inside) > WIDTH + 1:
            inside = "".join(f"{indent}    {p},\n" for p in parameters)
        return f"{indent}def {name}(\n{inside}{indent}{tail}\n"

    def types(self, text):
        """A type, or a parameter with one, as this file can say it; notes what has to be imported."""
        label, colon, kind = text.rpartition(": ")
        kind, equals, default = kind.replace("'", '"').partition(" = ")
        return label + colon + WORD.sub(lambda m: self.word(m[0]), kind) + equals + default

    def word(self, word):
        """The name of one type here: `_float` where `float` is something else."""
        source = SOURCES.get(word, "builtins")
        hidden = word in self.scope and self.scope[word] is not getattr(importlib.import_module(source), word)
        alias = f"_{word}" if hidden else word
        if source == self.name:
            self.last |= {f"{alias} = {word}\n"} if hidden else set()
        elif hidden or source != "builtins":
            self.take(source, word, alias)
        return alias

    def take(self, source, name, alias):
        """Import a name; one that is the same inside and outside is offered to others by `as`."""
        offered = alias == name and name in self.names() and self.name != TENSOR
        if source.split(".")[0] == "lucid":
            inner = (f"{source}.{name}" if source == "lucid" else source).split(".")[1]
            probe = any((PROBES / file).exists() for file in (f"{inner}.py", inner))
            source = relative(self.package, source.replace("lucid", "lucid._probes", 1) if probe else source)
        self.imports.add((source, f"{name} as {alias}" if alias != name or offered or source == "." else name))


def redirections():
    """Path -> text of a partial stub package (PEP 561), by which checkers find `lucid.cuda` in lucid/_probes/cuda."""
    texts = {OUTSIDE / "py.typed": "partial\n"}
    for path in PROBES.rglob("*.py"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if path.parent != PROBES or path.stem != "__init__":
            texts[OUTSIDE / path.relative_to(PROBES).with_suffix(".pyi")] = f"from {module} import *\n"
    return texts


def relative(package, target):
    """An absolute module name as seen from a package."""
    here, there = package.split("."), target.split(".")
    common = 0
    while common < min(len(here), len(there)) and here[common] == there[common]:
        common += 1
    return "." * (len(here) - common + 1) + ".".join(there[common:])


def import_lines(wanted):
    """Imports, sorted as the formatter's rules want them."""

    def case(name):
        word = name.split()[0]
        return not word.isupper(), not word[0].isupper(), word.lower(), word

    lines, plain = [], {}
    for source, name in wanted:
        if " as " in name:
            lines.append((source, 0, case(name), f"from {source} import {name}\n"))
        else:
            plain.setdefault(source, []).append(name)
    for source, names in plain.items():
        names.sort(key=case)
        lines.append((source, 1, case(names[0]), f"from {source} import {', '.join(names)}\n"))
    groups = {}
    for source, _, name, line in sorted(lines, key=lambda x: (-len(x[0]) + len(x[0].lstrip(".")), x[0].lower(), x)):
        group = 2 if source.startswith(".") else source == "numpy"
        groups.setdefault(group, []).append(line)
    return "\n".join("".join(groups[g]) for g in sorted(groups))


def docstring(text, indent):
    """A docstring as the body of a class or function."""
    text = inspect.cleandoc(text)
    raw = "r" if "\\" in text else ""
    lines = [line and indent + line for line in f'{raw}"""{text}'.splitlines()]
    closing = f'\n{indent}"""\n' if len(lines) > 1 else '"""\n'
    return "\n".join(lines) + closing


def constant_type(value):
    """The type of a value that a module holds, None for what is not for users."""
    if value is None:
        return "None"
    if isinstance(value, dict) and value and {(type(k), type(v)) for k, v in value.items()} == {(str, int)}:
        return "dict[str, int]"
    if isinstance(value, (dict, list, lucid._base.state.Defaults)):
        return None
    if type(value) is tuple:
        return "tuple[Any, ...]"
    found = {"TorchVersion": "str"}.get(type(value).__name__, type(value).__name__)
    return found if WORD.fullmatch(found) else "Any"


@functools.cache
def defined(path):
    """The names that a file defines at its top."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name))
    return names


def home_of(value):
    """The module whose file has the class statement of a class, or the def of a function."""
    for name, module in sorted(sys.modules.items()):
        if name.split(".")[0] == "lucid" and vars(module).get(value.__name__) is value:
            if re.search(rf"^(class|def) {value.__name__}\b", pathlib.Path(module.__file__).read_text(), re.M):
                return name
    return None


def main():
    stubs = [Stub(name) for name in modules()]
    texts = {stub.path: stub.text() for stub in stubs} | redirections()
    if faults := [fault for stub in stubs for fault in stub.faults]:
        faults.append("say their types in scripts/stub_types.py, or in a docstring: name(...) -> Tensor")
    faults += [f"scripts/stub_types.py: nothing uses {key}" for key in unused()]
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    stale += [path for place in (HOUSE, OUTSIDE) for path in place.rglob("*.pyi") if path not in texts]
    if "--check" in sys.argv:
        faults += [f"{path.relative_to(ROOT)} is stale: run scripts/stubs" for path in stale]
    elif not faults:
        for path in stale:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[path]) if path in texts else path.unlink()
    if len(faults) > 30:
        faults[30:] = [f"... and {len(faults) - 30} more"]
    print("\n".join(faults) or ("stubs are current" if "--check" in sys.argv else f"wrote {len(stale)} stubs"))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
