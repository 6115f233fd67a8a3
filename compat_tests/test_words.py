"""The dictionary is complete: every vocabulary answers every word, and kernels and rules say no other."""

import ast
import pathlib

import pytest

import lucid
from lucid._array import lookup as tables
from lucid._array import words
from lucid._array.numpy.table import table as cpu_table
from lucid._backend.core import words_of
from lucid._codegen.c import NOT_IN_C, CWords

EVERY = [*words.all_words(), *words.LAYERS]
# What a vocabulary has besides words: tables, casts, memory.
SERVICES = set(
    """sibling of scalar cast strides import_from with_strides widen narrow empty view transpose broadcast_to is_half dtype
    device inexact is_complex backend bool aliases ramp level k""".split()
)
# Words of which no gradient is taken through Tensors.
NO_TENSOR_FORM = {"view_dtype", "unique_runs", "median_dim", "mode_dim", "reflectors", "qr_raw", "max_pool"}


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
    xp = words_of(cpu_table(lucid.float32))
    assert {w for w in EVERY if not answers(xp, w)} <= NO_TENSOR_FORM


def test_c_has_the_elementwise_words():
    """All but those for which a reason is given, and a reason is given only for those."""
    missing = {w for w in words.POINTWISE if not answers(CWords(), w)}
    assert missing == set(NOT_IN_C) & set(words.POINTWISE)


def said():
    """(file, word) for every `xp.word` in lucid/_func, but for words of the table's own kernels (numpy=, mlx=)."""
    for path in sorted(pathlib.Path(lucid.__file__).parent.joinpath("_func").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "xp":
                yield path.name, node.attr


def test_no_word_is_said_that_is_not_in_the_dictionary():
    known = set(EVERY) | SERVICES
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
