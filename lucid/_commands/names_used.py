"""Which names of torch a Python file uses, and where, read from its text: nothing of it runs.

Followed are imports under any name, attributes of what was imported (`torch.nn.Linear`, `F.silu`), modules given
another name (`nn = torch.nn`), and constant strings given to `import_module` and `getattr`. A name that a function
binds itself is its own.
"""

import ast
from dataclasses import dataclass

ROOTS = ("torch", "lucid", "functorch")
ABSENCE = {"ImportError", "ModuleNotFoundError", "AttributeError", "NotImplementedError", "Exception", "BaseException"}


@dataclass(frozen=True)
class Use:
    """A dotted name of torch's, where it stands, whether the program sees to its absence itself, and whether it is only
    an attribute of something that may be a tensor."""

    line: int
    name: str
    guarded: bool
    method: bool = False


@dataclass(frozen=True)
class Import:
    """An import of something else, as (level of relative imports, module, name or None), for those who follow it."""

    level: int
    module: str
    name: str | None


def _ours(dotted):
    return dotted.partition(".")[0] in ROOTS


def dotted_name(node):
    """`a.b.c` of an expression of names and attributes, or None."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def _bound_in(function):
    """The names that a function binds itself, so that they are not the module's."""
    a = function.args
    names = {arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg)))}
    passed_on = set()
    body = function.body if isinstance(function.body, list) else [function.body]
    for node in (inner for statement in body for inner in ast.walk(statement)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names.add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            passed_on.update(node.names)
    return names - passed_on


def _is_guard(handlers):
    """Do these handlers catch what a missing name raises?"""
    kinds = [h.type for h in handlers]
    listed = [t for k in kinds for t in (k.elts if isinstance(k, ast.Tuple) else [k])]
    return any(t is None or (dotted_name(t) or "").rpartition(".")[2] in ABSENCE for t in listed)


class Reader(ast.NodeVisitor):
    """Collects `uses` and `imports` from a tree."""

    def __init__(self, tree):
        self.uses, self.imports = [], []
        self.known = {}  # name in the file -> dotted name of torch's
        self.own = []  # names of the functions around
        self.guards = 0
        self.asked = set()  # names that hasattr asks about
        self._bind_imports(tree)
        self.visit(tree)

    def _bind_imports(self, tree):
        """Names are gathered first: a function may use what is imported below it."""
        assigned = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if _ours(alias.name):
                        self.known[alias.asname or alias.name.partition(".")[0]] = (
                            alias.name if alias.asname else alias.name.partition(".")[0]
                        )
            elif isinstance(node, ast.ImportFrom) and not node.level and _ours(node.module):
                for alias in node.names:
                    self.known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        for name in assigned & set(self.known):  # what an assignment makes of it is not known
            del self.known[name]
        for node in tree.body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                meant = self._meant(node.value)
                if meant and [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                              ].count(node.targets[0].id) == 1:  # fmt: skip
                    self.known[node.targets[0].id] = meant

    def _meant(self, node):
        """The dotted name of torch's that an expression spells, or None."""
        dotted = dotted_name(node)
        if dotted is None:
            return None
        first, dot, rest = dotted.partition(".")
        if first not in self.known or any(first in names for names in self.own):
            return None
        return self.known[first] + dot + rest

    def _use(self, node, name):
        self.uses.append(Use(node.lineno, name, bool(self.guards) or name in self.asked))

    # ---- what binds

    def visit_Import(self, node):
        for alias in node.names:
            if _ours(alias.name):
                self._use(node, alias.name)
            else:
                self.imports.append(Import(0, alias.name, None))

    def visit_ImportFrom(self, node):
        for alias in node.names:
            if node.level or not _ours(node.module):
                self.imports.append(Import(node.level, node.module or "", alias.name))
            else:
                self._use(node, node.module if alias.name == "*" else f"{node.module}.{alias.name}")

    def _function(self, node):
        for part in (*getattr(node, "decorator_list", ()), node.args, *filter(None, (getattr(node, "returns", None),))):
            self.visit(part)
        self.own.append(_bound_in(node))
        for part in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(part)
        self.own.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _function

    # ---- what guards

    def visit_Try(self, node):
        guarded = _is_guard(node.handlers)
        self.guards += guarded
        for part in node.body:
            self.visit(part)
        self.guards -= guarded
        for part in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(part)

    visit_TryStar = visit_Try

    def _if(self, node):
        test = dotted_name(node.test) or ""
        if test.rpartition(".")[2] == "TYPE_CHECKING":
            for part in node.orelse if isinstance(node.orelse, list) else [node.orelse]:
                self.visit(part)
            return
        self._note_questions(node.test)
        self.generic_visit(node)

    visit_If = visit_IfExp = visit_While = visit_Assert = _if

    def visit_BoolOp(self, node):
        self._note_questions(node)
        self.generic_visit(node)

    def _note_questions(self, test):
        """Names that a test asks for by hasattr are the program's own business."""
        for node in ast.walk(test):
            if isinstance(node, ast.Call) and dotted_name(node.func) == "hasattr" and len(node.args) == 2:
                name = self._attribute(node)
                if name is not None:
                    self.asked.add(name)

    def _attribute(self, call):
        """The name that hasattr(torch.x, "y") or getattr(torch.x, "y") spells."""
        owner, name = self._meant(call.args[0]), call.args[1]
        return f"{owner}.{name.value}" if owner and isinstance(name, ast.Constant) else None

    # ---- what uses

    def visit_Attribute(self, node):
        name = self._meant(node)
        if name is not None:
            if isinstance(node.ctx, ast.Load):
                self._use(node, name)
            return
        self.uses.append(Use(node.lineno, f"torch.Tensor.{node.attr}", False, method=True))
        self.generic_visit(node)

    def visit_Call(self, node):
        called = (dotted_name(node.func) or "").rpartition(".")[2]
        if called == "getattr" and len(node.args) == 2 and (name := self._attribute(node)):
            self._use(node, name)
        elif called in ("import_module", "__import__") and node.args and isinstance(node.args[0], ast.Constant):
            if isinstance(node.args[0].value, str) and _ours(node.args[0].value):
                self._use(node, node.args[0].value)
        self.generic_visit(node)


def read(text, path):
    """The uses and the imports of a file's text. SyntaxError where it is not Python."""
    reader = Reader(ast.parse(text, path))
    return reader.uses, reader.imports
