"""The table of torch's schemas (schemas.txt, made by scripts/schemas.py), read when somebody first asks."""

import functools
import pathlib

from .schema import table_schema

_FILE = pathlib.Path(__file__).with_name("schemas.txt")


@functools.cache
def _lines():
    """Op name -> its lines, one per overload, in torch's order."""
    found: dict = {}
    for line in _FILE.read_text().splitlines():
        name = line[: line.index("(")]
        found.setdefault(name.partition(".")[0], []).append(line)
    return found


def names():
    """The names of all ops that torch has in the namespace aten."""
    return _lines().keys()


@functools.cache
def overloads(name):
    """{overload name ("default" for none): Row} of an op; empty where torch has no such op."""
    rows = {}
    for line in _lines().get(name, ()):
        row = Row(line)
        rows[row.overload_name] = row
    return rows


class Row:
    """One line: a schema, parsed when it is asked for, and facts."""

    __slots__ = ("line", "facts", "overload_name")

    def __init__(self, line):
        self.line, _, facts = line.rpartition("|")
        self.facts = frozenset(facts.split())
        self.overload_name = self.line[: self.line.index("(")].partition(".")[2] or "default"

    @property
    def schema(self):
        return table_schema(self.line)

    @property
    def is_composite(self):
        """Does torch take it apart before autograd and dispatch modes see it?"""
        return "C" in self.facts

    @property
    def is_script_only(self):
        """Has only TorchScript's interpreter it?"""
        return "T" in self.facts

    @property
    def tags(self):
        """The names of its tags."""
        return sorted((self.facts - {"C", "T", "N"}) | (set() if "N" in self.facts else {"pt2_compliant_tag"}))


@functools.cache
def functional(name):
    """The Rows that a plain call may mean: not out= forms, not TorchScript's."""
    return [r for r in overloads(name).values() if not r.is_script_only and "out" not in r.facts]
