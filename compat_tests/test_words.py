"""The dictionary is complete: every vocabulary answers every word, and kernels and rules say no other."""

import ast
import importlib.util
import pathlib
import re

import numpy as np
import pytest

import lucid
from lucid._array import lookup as tables
from lucid._array import words
from lucid._array.numpy.table import table as cpu_table
from lucid._array.sparse.table import table as sparse_table
from lucid._array.table import SERVICES, Table
from lucid._backend.core import words_of
from lucid._codegen.c import NOT_IN_C, CWords
from lucid._modes.jvp_frames import DualFrame
from lucid._modes.jvp_table import DualWords
from lucid._modes.levels import LevelWords
from lucid._modes.vmap_table import BatchedWords, BatchFrame

EVERY = list(words.WORDS)


def answers(vocabulary, word):
    try:
        return callable(getattr(vocabulary, word))
    except (AttributeError, NotImplementedError):
        return False


@pytest.mark.parametrize("device", ["cpu", "meta", "mlx"])
def test_every_device_has_every_word(device):
    if device == "mlx":
        pytest.importorskip("mlx.core")
    table = tables.table(lucid.float32, device)
    assert [w for w in EVERY if not answers(table, w)] == []


def test_tensors_have_every_word():
    """All but kernels that no gradient rule says: those that pick, and layers of which forward mode knows the rule."""
    xp = words_of(cpu_table(lucid.float32))
    differentiated = ("linear", "bilinear", "joint", "rules")
    for row in words.WORDS.values():
        needed = row.tangent in differentiated or row.tangent == "own" and row.family != "layers"
        if needed or row.family in ("pointwise", "reduction", "indexing"):
            assert answers(xp, row.name), row.name


def test_c_has_the_elementwise_words():
    """Every elementwise word has C text, or a reason why not; and nothing stands in NOT_IN_C that has text."""
    for row in words.WORDS.values():
        assert answers(CWords(), row.name) != (row.name in NOT_IN_C) or row.family != "pointwise", row.name
    assert set(NOT_IN_C) <= set(words.WORDS)


def test_words_of_the_cpu_are_numpys_own_functions():
    k = cpu_table(lucid.float32)
    for word, f in dict(add=np.add, mul=np.multiply, exp=np.exp, tanh=np.tanh, eq=np.equal).items():
        assert getattr(k, word) is f


# ---- the contract of a table


def vocabularies():
    """(name, table) of every vocabulary that is a kernel table."""
    k = cpu_table(lucid.float32)
    yield "numpy", k
    yield "halves", cpu_table(lucid.float16)
    yield "meta", tables.table(lucid.float32, "meta")
    if importlib.util.find_spec("mlx") is not None:
        yield "mlx", tables.table(lucid.float32, "mlx")
    yield "sparse", sparse_table(lucid.float32)
    yield "batched", BatchFrame(1, 3, "error").table(k)
    yield "dual", DualFrame(1).table(k)
    yield "tensors", words_of(k)


@pytest.mark.parametrize("name", ["numpy", "halves", "meta", "mlx", "sparse", "batched", "dual", "tensors"])
def test_every_table_keeps_the_contract(name):
    table = dict(vocabularies()).get(name)
    if table is None:
        pytest.skip("mlx is not installed")
    assert isinstance(table, Table) and table.backend and (table.records or table.array_type)
    owed = {"all"} if table.records else {"all", "arrays"}
    if not (table.is_transform or table.records):
        owed.add("devices")
    owed |= {"aliases"} if table.aliases else set()
    owed |= {"sparse"} if table.is_sparse else set()
    owed |= {"halves"} if table.is_half else set()
    owed |= {"transforms"} if table.is_transform else set()
    for service in SERVICES.values():
        assert service.__doc__ and (service.of not in owed or answers(table, service.__name__)), service.__name__
    for attribute in ("dtype", "device", "inexact", "is_complex", "bool"):
        assert getattr(table, attribute) is not None
    assert isinstance(CWords(), Table) and CWords.is_text


def asked():
    """(file, attribute) for every attribute that the engine asks of what it calls k, xp or _table."""
    for room in ("_backend", "_tensor", "_func", "_fusion", "_modes", "autograd"):
        for path in sorted(pathlib.Path(lucid.__file__).parent.joinpath(room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                    name = getattr(node.value, "id", None) or getattr(node.value, "attr", None)
                    if name in ("k", "xp", "_table") and path.name != "attention.py":  # where k is a key
                        yield path.name, node.attr


def test_nothing_is_asked_of_a_table_that_the_contract_does_not_name():
    known = {*words.WORDS, *SERVICES, *vars(Table), *Table.__annotations__, *lucid._backend.core.OPS}
    of_levels = {*vars(LevelWords), *vars(BatchedWords), *vars(DualWords), "inner", "frame"}  # among themselves
    wrong = {(file, name) for file, name in asked() if name not in known | of_levels}
    assert {(file, name) for file, name in wrong if not name.startswith("_")} == set()


def test_no_library_is_asked_for_by_name():
    """What a table can do is an attribute; `backend` serves to find kernels."""
    for path in sorted(pathlib.Path(lucid.__file__).parent.rglob("*.py")):
        assert not re.search(r"\.backend (==|!=) ", path.read_text()), path


def said():
    """(file, word) for every `xp.word` in lucid/_func, but for words of the table's own kernels (numpy=, mlx=)."""
    for path in sorted(pathlib.Path(lucid.__file__).parent.joinpath("_func").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "xp":
                yield path.name, node.attr


def test_no_word_is_said_that_is_not_in_the_dictionary():
    known = {*EVERY, *SERVICES, *vars(Table), *Table.__annotations__}
    names = set(lucid._backend.core.OPS)  # a rule may call an op of its own name where xp is the Tensors' vocabulary
    assert {(file, w) for file, w in said() if w not in known and w not in names} == set()


def test_what_goes_through_numpy_on_mlx_is_declared():
    pytest.importorskip("mlx.core")
    table = tables.table(lucid.float32, "mlx")
    declared = set(vars(type(table)))
    inherited = [w for w in EVERY if w not in declared and w not in INHERITED()]
    assert inherited == []


def INHERITED():
    from lucid._array.mlx.table import INHERITED

    return INHERITED
