"""lucid.viz: one HTML page that shows what a compiled function became.

    page = lucid.viz.compiled(f, x)      # calls torch.compile(f) on these arguments
    page.save("f.html")

For every function that was read it has the source with the lines at which graphs end, and for every segment between
them the reason why it ends, its guards, its graph as code and as a picture; then what the backend made of that: the
joint graph, the forward and the backward graph of ATen calls, the loops of each before and after they were fused, and
the text of the kernels. A stage is a column.
"""

import html
import inspect
import pathlib

from ._codegen.listing import without_functions
from ._dynamo import compiled as caches
from ._dynamo.eval_frame import optimize
from ._dynamo.segment import Rest
from ._functorch import told
from ._inductor import debug
from .fx.passes.graph_drawer import FxGraphDrawer

__all__ = ["Page", "compiled"]

_STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em; color: #222; background: #fff; }
h1 { font-size: 1.3em } h2 { font-size: 1.1em; margin-top: 2em } h3 { font-size: 1em; margin: 0 0 .4em }
pre { font: 12px/1.4 ui-monospace, monospace; margin: 0; white-space: pre; }
.row { display: flex; gap: 1em; align-items: flex-start; margin: 1em 0; overflow-x: auto; }
.cell { border: 1px solid #ddd; border-radius: 6px; padding: .8em; min-width: 16em; flex: none; max-height: 80vh;
  overflow: auto; }
.break { background: #ffe3b0; } .number { color: #999; } .why { color: #a04000; } ul { margin: 0; padding-left: 1.2em; }
"""


class Page:
    """An HTML page: `html` is its text; notebooks show it."""

    def __init__(self, html):
        self.html = html

    def _repr_html_(self):
        return self.html

    def save(self, path):
        """save(path) -> pathlib.Path of the file written."""
        path = pathlib.Path(path)
        path.write_text(self.html, encoding="utf-8")
        return path


def compiled(f, *args, backend="inductor", dynamic=None, **kwargs):
    """compiled(f, *args, backend="inductor", dynamic=None, **kwargs) -> Page of torch.compile(f)(*args, **kwargs).

    What was compiled before is forgotten first (torch._dynamo.reset).
    """
    caches.reset()
    made = _Made()
    told.WATCHERS.append(made.note)
    try:
        optimize(backend, dynamic=dynamic)(f)(*args, **kwargs)
    finally:
        told.WATCHERS.remove(made.note)
    found = [(code, cache) for (code, _), cache in caches.CACHES.items() if any(cache.by_place.values())]
    name = getattr(f, "__qualname__", type(f).__name__)
    body = "".join(_function(code, cache, made) for code, cache in found)
    return Page(f"<!DOCTYPE html><meta charset='utf-8'><title>{_text(name)}</title><style>{_STYLE}</style>"
                f"<h1>{_text(name)}, compiled</h1>{body}\n")  # fmt: skip


class _Made:
    """What a backend made of each graph: {id of the graph module: {stage: graph module}}."""

    def __init__(self):
        self.by_graph, self._kept, self._last = {}, [], {}

    def note(self, stage, module):
        """A graph of Dynamo's, or one that was made of the last such."""
        if stage == "graph":
            self._kept.append(module)
            self._last = self.by_graph[id(module)] = {}
        elif stage != "compiled":
            self._last[stage] = module

    def of(self, module):
        """{stage: graph module} of a graph."""
        return self.by_graph.get(id(module), {})


def _function(code, cache, made):
    """The section of one function."""
    segments = [(place, n, s) for place, found in sorted(cache.by_place.items()) for n, s in enumerate(found)]
    breaks = {s.draft.line for _, _, s in segments if type(s) is not Rest and s.reason}
    cells = "".join(_segment(place, n, s, made) for place, n, s in segments)
    title = f"<h2>{_text(code.co_qualname)} <small>{_text(code.co_filename)}:{code.co_firstlineno}</small></h2>"
    return title + _row(_cell("Source", _source(code, breaks))) + cells


def _segment(place, number, segment, made):
    """Rows of one segment: what Dynamo read, then what became of its graph, stages side by side."""
    title = f"Segment from instruction {place[0]}, variant {number}"
    why = f"<p class='why'>ends: {_text(segment.reason)}</p>" if segment.reason else "<p>to the end</p>"
    cells = [_cell(title, why)]
    if segment.guards:
        cells.append(_cell("Guards", f"<ul>{''.join(f'<li>{_text(g.text())}</li>' for g in segment.guards)}</ul>"))
    module = None if type(segment) is Rest else segment.draft.module
    if module is not None:
        cells.append(_cell("FX graph", _pre(module.print_readable(print_output=False))))
        cells.append(_cell("Picture", _picture(module)))
    if segment.text:
        cells.append(_cell("The segment as it runs", _pre(segment.text)))
    return _row(*cells) + "".join(_half(name, graph) for name, graph in made.of(module).items())


def _half(name, graph):
    """A row: a graph of ATen calls, its loops and kernels. Of a joint graph only the graph."""
    cells = [_cell(f"{name.capitalize()} graph", _pre(graph.print_readable(print_output=False)))]
    if name != "joint":
        stages = debug.stages_of(graph)
        cells.append(_cell("Loops", _pre(stages.ir_pre_fusion())))
        cells.append(_cell("Fused loops", _pre(stages.ir_post_fusion())))
        cells.append(_cell("Python text", _pre(stages.wrapper.source)))
        cells.append(_cell("Kernels", _pre(without_functions(stages.wrapper.kernels))))
    return _row(*cells)


def _source(code, breaks):
    try:
        lines, start = inspect.getsourcelines(code)
    except OSError:
        return "<p>no source</p>"
    marked = []
    for at, line in enumerate(lines, start):
        kind = " class='break'" if at in breaks else ""
        marked.append(f"<span class='number'>{at:>4}</span> <span{kind}>{_text(line.rstrip())}</span>")
    return f"<pre>{chr(10).join(marked)}</pre>"


def _picture(module):
    svg = FxGraphDrawer(module, "graph").get_dot_graph().create_svg()
    text = svg.decode() if isinstance(svg, bytes) else svg
    return text[text.find("<svg") :]


def _row(*cells):
    return f"<div class='row'>{''.join(cells)}</div>"


def _cell(title, inner):
    return f"<div class='cell'><h3>{_text(title)}</h3>{inner}</div>"


def _pre(text):
    return f"<pre>{_text(text)}</pre>"


def _text(value):
    return html.escape(str(value))
