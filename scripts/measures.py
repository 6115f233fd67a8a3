"""By what each public name is measured: torch's tables of samples, and the test files that name it.

A test file is read, not run. It measures what it says in full (`m.linalg.svd`, `nn.Linear`; in strings too, for many
programs are), and what it lists, in words of which nearly all are names of one place (`getattr(m.nn, name)` follows).
A name that stands for the same object of torch's as a measured one is measured with it.
"""

import ast
import collections
import pathlib
import re
import sys
import warnings

TESTS = pathlib.Path(__file__).resolve().parent.parent / "compat_tests"
# Names under which tests have the library, and parts of it where nothing in the file says so (in texts of programs).
ROOTS = "m api lucid torch T t lib library".split()
PARTS = {"F": "nn.functional", "nn": "nn", "optim": "optim", "D": "distributions", "fx": "fx", "dist": "distributed"}
WORD = r"[A-Za-z_]\w*"
CHAIN = re.compile(rf"(?<![\w.])({WORD})((?:\.{WORD})+)")
ALIAS = re.compile(rf"(?<![\w.])({WORD}) = (?:{'|'.join(ROOTS)})((?:\.{WORD})+)$", re.MULTILINE)
ENTRY = re.compile(rf"\"({WORD})\": (?:{'|'.join(ROOTS)})((?:\.{WORD})+)(?=[,}}])")
ATTRIBUTE = re.compile(rf"\.({WORD})")
NAME = re.compile(rf"{WORD}(?:\.{WORD})*")
# They go through all names, or say of names what does not depend on what they do.
TELL_NOTHING = {
    "test_faces.py",
    "test_stubs.py",
    "test_overrides.py",
    "test_gaps.py",
    "gaps.py",
    "stub_reader.py",
    "test_arguments.py",
}
# They look at graphs, at the class of an error or at what a compiler does: named where nothing else measures.
SECOND = (
    "fx_",
    "test_fx",
    "compile_",
    "test_compile",
    "test_make_fx",
    "number_calls",
    "test_traps",
    "test_fake_tensors",
)
# A list of fewer words, or with more strangers among them, says nothing about a place. What a file says of one variable
# (`L.StepLR`, `L.LinearLR` ...) is such a list.
WORDS, SHARE = 3, 0.85
# `x.add` may be a set's: of a Tensor's methods that Python's own types have, only the tables tell.
OF_PYTHON = {name for kind in (list, dict, set, str, tuple, int, float, type) for name in dir(kind)}


def _strings(nodes):
    """The strings that nodes are, or that they begin with where they are tuples; None where one is something else."""
    found = []
    for node in nodes:
        if isinstance(node, ast.Tuple) and node.elts:
            node = node.elts[0]
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            return []
        found.append(node.value)
    return found


def lists(tree):
    """The lists of words in a file: a string of them, a container of strings, the keys of a dict."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = node.value.split()
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            found = _strings(node.elts)
        elif isinstance(node, ast.Dict):
            found = _strings(node.keys)
        else:
            continue
        if len(found) >= WORDS and all(NAME.fullmatch(word) for word in found):
            yield set(found)


def aliases(text, tree):
    """{a name in the file: the part of the library that it is}"""
    said = (*ALIAS.findall(text), *ENTRY.findall(text))
    found = dict.fromkeys(ROOTS, "") | PARTS | {name: path[1:] for name, path in said}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for a in node.names:
                if a.name.split(".")[0] in ("torch", "lucid") and a.asname:
                    found[a.asname] = a.name.partition(".")[2]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("torch", "lucid"):
            for a in node.names:
                found[a.asname or a.name] = ".".join([*node.module.split(".")[1:], a.name])
    return found


class TestFile:
    """What a test file says: `full`, dotted names; `attributes`, of anything; `lists` of words."""

    def __init__(self, path):
        text = path.read_text()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        known, self.full = aliases(text, tree), set()
        chains = [known[root] + rest for root, rest in CHAIN.findall(text) if root in known]
        for name in (*chains, *(part for name, part in known.items() if name not in PARTS and name not in ROOTS)):
            parts = name.strip(".").split(".")
            self.full.update(".".join(parts[: i + 1]) for i in range(len(parts)))
        said = collections.defaultdict(set)
        for root, rest in CHAIN.findall(text):
            said[root].add(rest.split(".")[1])
        of_variables = [words for root, words in said.items() if root not in known and len(words) >= WORDS]
        self.attributes, self.lists = set(ATTRIBUTE.findall(text)), [*lists(tree), *of_variables]

    def names(self, path, public):
        """Those of a place's public names that the file says."""
        at = "" if path == "torch" else f"{path}."
        found = {name for name in public if at + name in self.full}
        if path == "Tensor":
            found |= public & self.attributes - OF_PYTHON
        for words in self.lists:
            own = {w.rpartition(".")[2] for w in words if w in public or at + w.rpartition(".")[2] == w} & public
            if len(own) >= SHARE * len(words):
                found |= own
        return found


def files():
    """{name of a test file: TestFile}; what is said in a table beside the tests counts as its own."""
    return {p.name: TestFile(p) for p in sorted(TESTS.glob("*.py")) if p.name not in TELL_NOTHING}


def tables():
    """[(what measures, ids of torch's objects, dotted names)] of tables of samples, as far as lucid is held to them."""
    sys.path.insert(0, str(TESTS))
    import gaps
    import opdb
    import test_faces
    from torch.testing._internal.common_modules import module_db
    from torch.testing._internal.common_optimizers import optim_db

    def held(check, names):
        return {name.partition("|")[0] for name in names if f"{check} {name}" not in gaps.known()}

    return [
        ("torch's `op_db`", {id(op.op) for op in opdb.delivered()}, set()),
        ("other forms of what `op_db` has", set(), held("form", test_faces.FORMS)),
        ("torch's `module_db`", {id(info.module_cls) for info in module_db}, set()),
        ("torch's `optim_db`", {id(info.optim_cls) for info in optim_db}, set()),
        ("their value", set(), held("value", test_faces.VALUES)),
        ("their members", set(), set(test_faces.ENUMERATIONS)),
        ("what the module exports", set(), held("exports", test_faces.MODULES)),
    ]


class Measures:
    """What measures the names of all places, {place: {name: torch's value}}."""

    def __init__(self, places):
        self.tables, self.files, self.places = tables(), files(), places
        self.said = {  # place -> file -> names
            path: {file: said for file, test in self.files.items() if (said := test.names(path, set(names)))}
            for path, names in places.items()
        }
        self.of_object = {}  # id -> files that say a name of it
        for path, names in places.items():
            for file, said in self.said[path].items():
                for name in said:
                    if callable(names[name]):
                        self.of_object.setdefault(id(names[name]), set()).add(file)

    def of(self, path):
        """([(what measures, names)], names that nothing measures) of a place: torch's tables, then the files that say
        the most of what is left."""
        names, found = self.places[path], []
        left, at = dict(names), "" if path == "torch" else f"{path}."
        for table, ids, dotted in self.tables:
            own = [n for n in left if id(left[n]) in ids or at + n in dotted]
            found.append((table, own))
            left = {n: v for n, v in left.items() if n not in own}
        by_file = {file: {*said} for file, said in self.said[path].items()}
        for name, value in left.items():
            for file in self.of_object.get(id(value), ()) if callable(value) else ():
                by_file.setdefault(file, set()).add(name)
        while by_file:
            file = min(by_file, key=lambda f: (f.startswith(SECOND), -len(by_file[f] & left.keys()), f))
            said = by_file.pop(file)
            own = [n for n in left if n in said]
            found.append((f"`{file}`", own))
            left = {n: v for n, v in left.items() if n not in own}
        return [(what, own) for what, own in found if own], list(left)
