"""lucid.viz: the page that shows what a compiled function became."""

import html
import re
from html.parser import HTMLParser

import pytest

import lucid
import lucid.viz
from lucid._codegen import build
from lucid._functorch import told

needs_compiler = pytest.mark.skipif(build.compiler() is None, reason="no C compiler")


def shown(page):
    """[[(title of a cell, its text)] of each row]"""
    rows = re.split(r"<div class='row'>", page.html)[1:]
    cells = [re.findall(r"<div class='cell'><h3>(.*?)</h3>(.*?)</div>", row, flags=re.S) for row in rows]
    return [[(title, html.unescape(re.sub(r"<[^>]*>", "", text))) for title, text in row] for row in cells]


def f(x, w):
    y = lucid.nn.functional.gelu(x @ w)
    return lucid.softmax(y, -1)


def test_what_dynamo_read(tmp_path):
    def broken(x):
        y = lucid.relu(x)
        print(y.sum().item())
        return y * 2

    page = lucid.viz.compiled(broken, lucid.ones(2))
    text = page.save(tmp_path / "f.html").read_text()
    for part in ("print(y.sum().item())", "class='break'", "Tensor.item()", "torch.relu", "<svg", "L[&#x27;x&#x27;]"):
        assert part in text, part
    assert page._repr_html_() == page.html and not told.WATCHERS
    forward = [dict(row) for row in shown(page) if row and row[0][0] == "Forward graph"]
    assert ["aten.relu.default" in row["Forward graph"] for row in forward] == [True, False], "each by its segment"


@needs_compiler
def test_every_stage_of_training():
    x, w = lucid.randn(8, 16, requires_grad=True), lucid.randn(16, 32, requires_grad=True)
    rows = {row[0][0]: dict(row) for row in shown(lucid.viz.compiled(f, x, w))}
    assert x.grad is None
    assert set(rows) == {
        "Source",
        "Segment from instruction 0, variant 0",
        "Joint graph",
        "Forward graph",
        "Backward graph",
    }
    assert "tangents_1" in rows["Joint graph"]["Joint graph"]
    assert "torch.ops.aten._softmax.default" in rows["Forward graph"]["Forward graph"]
    assert "torch.ops.aten.gelu_backward.default" in rows["Backward graph"]["Backward graph"]
    for half in ("Forward graph", "Backward graph"):
        row = rows[half]
        assert list(row) == [half, "Loops", "Fused loops", "Python text", "Kernels"]
        assert "a call of the engine" in row["Loops"] and "works in the same loops" not in row["Loops"]
        assert "works in the same loops" in row["Fused loops"]
        assert "def call(args):" in row["Python text"] and "kernel0(" in row["Python text"]
        assert "void kernel0(" in row["Kernels"] and "#pragma omp simd" in row["Kernels"]


@needs_compiler
def test_a_graph_without_gradients_has_one_half():
    titles = [row[0][0] for row in shown(lucid.viz.compiled(f, lucid.randn(2, 3), lucid.randn(3, 4)))]
    assert titles == ["Source", "Segment from instruction 0, variant 0", "Forward graph"]


def test_other_backends_show_what_they_make():
    x = lucid.randn(2, 3, requires_grad=True)
    eager = [row[0][0] for row in shown(lucid.viz.compiled(lambda x: x.sin(), x, backend="eager"))]
    assert eager == ["Source", "Segment from instruction 0, variant 0"]
    below = [row[0][0] for row in shown(lucid.viz.compiled(lambda x: x.sin(), x, backend="aot_eager"))]
    assert below[2:] == ["Joint graph", "Forward graph", "Backward graph"]


def test_symbolic_sizes_and_numbers():
    page = lucid.viz.compiled(lambda x, n: x * n + 1, lucid.randn(4, 3), 2, dynamic=True)
    assert "Forward graph" in page.html


def test_the_page_is_html():
    page = lucid.viz.compiled(f, lucid.randn(2, 3, requires_grad=True), lucid.randn(3, 4))
    depth = []

    class Checked(HTMLParser):
        def handle_starttag(self, tag, attrs):
            if tag not in ("meta", "br"):
                depth.append(tag)

        def handle_endtag(self, tag):
            assert depth.pop() == tag

    Checked().feed(page.html)
    assert not depth


def test_watchers_go_when_a_program_fails():
    def fails(x):
        raise ValueError("no")

    with pytest.raises(ValueError):
        lucid.viz.compiled(fails, lucid.ones(2))
    assert not told.WATCHERS
