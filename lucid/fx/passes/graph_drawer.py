"""Graphs as pictures: boxes in layers, drawn as SVG without any other program; the same as text for graphviz."""

import collections
import html
import pathlib

from ..code import _shape_text
from ..node import Node, _torchs

__all__ = ["FxGraphDrawer"]

# The color of a box, by what its node does.
_COLORS = {
    "placeholder": "#faf0e6",
    "get_attr": "#fff8dc",
    "call_module": "#fff0f5",
    "call_function": "#f0fff0",
    "call_method": "#f0f8ff",
    "output": "#f5f5f5",
}
_LINE, _CHARACTER, _GAP, _LAYER = 15, 6.6, 28, 46  # pixels: of a line of text, a character, between boxes, layers


class Drawing:
    """A drawn graph: `create_svg()` gives bytes, `write_svg(path)` writes them, `to_string()` is graphviz's text."""

    def __init__(self, name, boxes, edges):
        self.name, self.boxes, self.edges = name, boxes, edges  # {node: lines of text}, [(from, to)]

    def get_name(self):
        """get_name() -> str"""
        return self.name

    def create_svg(self):
        """create_svg() -> bytes"""
        return _svg(self.name, self.boxes, self.edges).encode()

    def write_svg(self, path, **ignored):
        """write_svg(path) -> True"""
        pathlib.Path(path).write_bytes(self.create_svg())
        return True

    def to_string(self):
        """to_string() -> str: the graph in graphviz's language."""
        lines = [f"digraph {self.name} {{", "rankdir=TB;"]
        for node, text in self.boxes.items():
            label = "{" + "|".join(text).replace('"', r"\"") + "}"
            lines.append(
                f'{node.name} [label="{label}", shape=record, style="filled", fillcolor="{_COLORS[node.op]}"];'
            )
        lines += [f"{a.name} -> {b.name};" for a, b in self.edges]
        return "\n".join([*lines, "}"]) + "\n"

    create_dot = to_string

    def write(self, path, prog=None, format="raw", encoding=None):
        """write(path, format="raw") -> True: graphviz's text, or, for format="svg", the picture."""
        text = self.create_svg() if format == "svg" else self.to_string().encode(encoding or "utf-8")
        pathlib.Path(path).write_bytes(text)
        return True

    write_dot = write_raw = write

    def get_node_list(self):
        """get_node_list() -> the graph's nodes that have a box"""
        return list(self.boxes)

    def get_edge_list(self):
        """get_edge_list() -> [(from, to), ...]"""
        return list(self.edges)


class FxGraphDrawer:
    """FxGraphDrawer(graph_module, name, ...): get_dot_graph() gives a Drawing of the module's graph, and of its
    submodules' that are graphs, too. ignore_getattr leaves get_attr nodes out; skip_node_names_in_args shows of
    arguments only constants.
    """

    def __init__(
        self,
        graph_module,
        name,
        ignore_getattr=False,
        ignore_parameters_and_buffers=False,
        skip_node_names_in_args=True,
        parse_stack_trace=False,
        dot_graph_shape=None,
        normalize_args=False,
    ):
        self._name = name
        self._skip, self._constants = ignore_getattr or ignore_parameters_and_buffers, skip_node_names_in_args
        self._drawings = {name: self._draw(graph_module, name)}
        for path, module in graph_module.named_modules():
            if path and hasattr(module, "graph"):
                self._drawings[f"{name}_{path}"] = self._draw(module, f"{name}_{path}")

    def get_dot_graph(self, submod_name=None):
        """get_dot_graph(submod_name=None) -> Drawing"""
        return self.get_main_dot_graph() if submod_name is None else self.get_submod_dot_graph(submod_name)

    def get_main_dot_graph(self):
        """get_main_dot_graph() -> Drawing"""
        return self._drawings[self._name]

    def get_submod_dot_graph(self, submod_name):
        """get_submod_dot_graph(submod_name) -> Drawing of a submodule"""
        return self._drawings[f"{self._name}_{submod_name}"]

    def get_all_dot_graphs(self):
        """get_all_dot_graphs() -> {name: Drawing}"""
        return self._drawings

    def _draw(self, module, name):
        shown = [n for n in module.graph.nodes if not (self._skip and n.op == "get_attr")]
        boxes = {n: self._lines(n, module) for n in shown}
        edges = [(a, n) for n in shown for a in n.all_input_nodes if a in boxes]
        return Drawing(name.replace(".", "_"), boxes, edges)

    def _lines(self, node, module):
        lines = [f"name=%{node.name}", f"op_code={node.op}"]
        if node.op == "call_module":
            inside = module.get_submodule(node.target)
            lines.append(f"target={node.target} ({type(inside).__name__})")
        elif node.op != "output":
            lines.append(f"target={node._pretty_print_target(node.target)}")
        given = [a for a in node.args if not (self._constants and isinstance(a, Node))]
        lines += [f"args={_short(a)}" for a in given if node.op not in ("placeholder", "output")]
        lines += [f"{k}={_short(v)}" for k, v in node.kwargs.items() if not (self._constants and isinstance(v, Node))]
        lines.append(f"num_users={len(node.users)}")
        found = node._example()
        if hasattr(found, "shape") and hasattr(found, "dtype"):
            lines.append(f"{_torchs(str(found.dtype))}{_shape_text(found.shape)}")
        return lines


def _short(value, most=36):
    text = str(value)
    return text if len(text) <= most else text[: most - 3] + "..."


def _svg(name, boxes, edges):
    size = {n: (max(map(len, text)) * _CHARACTER + 16, len(text) * _LINE + 10) for n, text in boxes.items()}
    at, width, height = _places(boxes, edges, size)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="monospace" font-size="11">',
        f"<title>{html.escape(name)}</title>",
        '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>',
    ]
    for a, b in edges:
        (xa, ya), (xb, yb) = at[a], at[b]
        ya, middle = ya + size[a][1], (ya + size[a][1] + yb) / 2
        curve = f"M{xa:.1f} {ya:.1f}C{xa:.1f} {middle:.1f} {xb:.1f} {middle:.1f} {xb:.1f} {yb:.1f}"
        parts.append(f'<path d="{curve}" fill="none" stroke="#555" marker-end="url(#end)"/>')
    for node, text in boxes.items():
        (x, y), (w, h) = at[node], size[node]
        parts.append(
            f'<rect x="{x - w / 2:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" rx="4" '
            f'fill="{_COLORS[node.op]}" stroke="#555"/>'
        )
        for i, line in enumerate(text):
            weight = ' font-weight="bold"' if i == 0 else ""
            where = f'x="{x - w / 2 + 8:.1f}" y="{y + (i + 1) * _LINE:.1f}"'
            parts.append(f"<text {where}{weight}>{html.escape(line)}</text>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _places(boxes, edges, size):
    """({node: (middle, top)}, width, height): layers by the longest way from an input, each in the order of what it
    reads.
    """
    before = collections.defaultdict(list)
    for a, b in edges:
        before[b].append(a)
    layer, layers = {}, collections.defaultdict(list)
    for node in boxes:
        layer[node] = max([layer[a] + 1 for a in before[node]], default=0)
    for node in boxes:
        if not before[node] and node.users:  # an input stands just above whoever uses it first
            layer[node] = max(0, min([layer[u] for u in node.users if u in layer], default=1) - 1)
        layers[layer[node]].append(node)
    width = max(sum(size[n][0] + _GAP for n in row) for row in layers.values()) + _GAP if layers else _GAP
    at, top = {}, _GAP
    for i in sorted(layers):
        row = sorted(layers[i], key=lambda n: sum(at[a][0] for a in before[n] if a in at) / max(1, len(before[n])))
        x = (width - sum(size[n][0] + _GAP for n in row) + _GAP) / 2
        for node in row:
            at[node] = (x + size[node][0] / 2, top)
            x += size[node][0] + _GAP
        top += max(size[n][1] for n in row) + _LAYER
    return at, width, top
