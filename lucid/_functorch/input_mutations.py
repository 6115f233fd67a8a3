"""Writes to inputs as the last calls of a graph, which a compiler can make in place."""

from .._aten.overloads import aten


def in_graph(module, plan):
    """The Plan of a graph that makes the writes itself that no gradient sees; `module` is changed to do so.

    An input whose old value the graph gives back, as for a backward graph, is written afterwards.
    """
    graph = module.graph
    output = next(reversed(graph.nodes))
    holes = [node for node in graph.nodes if node.op == "placeholder"]
    values, written = list(output.args[0]), []
    n = len(plan.written)
    others = set(values[n:])
    for write in plan.written:
        hole = holes[write.place]
        written.append(write._replace(in_graph=not write.recorded and hole not in others))
    if not any(write.in_graph for write in written):
        return plan
    with graph.inserting_before(output):
        for write, value in zip(written, values):
            if write.in_graph:
                hole = holes[write.place]
                copy = graph.call_function(aten("copy_.default"), (hole, value))
                copy.meta["val"] = hole.meta["val"]
    left = [i for i in range(len(values)) if i >= n or not written[i].in_graph]
    output.args = (tuple([values[i] for i in left]),)
    module.recompile()
    places = {old: new for new, old in enumerate(left)}
    results = [r._replace(index=places[r.index]) if r.kind == "value" else r for r in plan.results]
    live = tuple([plan.live[i] for i in left if i < len(plan.live)])
    return plan._replace(written=tuple(written), results=tuple(results), live=live)
