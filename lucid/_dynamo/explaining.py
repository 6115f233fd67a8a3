"""What torch._dynamo.explain gives."""

from typing import NamedTuple

from .messages import GraphCompileReason, summaries, told

_CREATED_BY = {
    "tensor": "TENSOR_MATCH", "equal": "EQUALS_MATCH", "is": "ID_MATCH", "type": "TYPE_MATCH", "modes": "GLOBAL_STATE",
    "length": "SEQUENCE_LENGTH", "keys": "DICT_KEYS_MATCH", "same": "DUPLICATE_INPUT",
    "absent": "NOT_PRESENT_IN_GENERIC_DICT",
}  # fmt: skip


def reason_of(segment):
    """Why a segment ends, and where in the program."""
    stopped = segment.stopped
    text = told(segment.reason, stopped.told).text()
    return GraphCompileReason(text, summaries(stopped.frames))


def _guard_lines(n, guard):
    root = guard.source
    while root is not None and root.base is not None:
        root = root.base
    kind = _CREATED_BY.get(guard.kind, guard.kind.upper())
    return [
        f"  Guard {n}:",
        f"    Name: {str(guard.source or '')!r}",
        f"    Source: {'global' if root is None else root.kind}",
        f"    Create Function: {kind}",
        f"    Guard Types: {[kind]}",
        f"    Code List: {[guard.text()]}",
    ]


class ExplainOutput(NamedTuple):
    """What explain tells."""

    graphs: list
    graph_count: int
    graph_break_count: int
    break_reasons: list
    op_count: int
    ops_per_graph: list
    out_guards: list

    def __str__(self):
        lines = [
            f"Graph Count: {self.graph_count}",
            f"Graph Break Count: {self.graph_break_count}",
            f"Op Count: {self.op_count}",
            "Break Reasons:",
        ]
        for n, reason in enumerate(self.break_reasons, 1):
            lines += [f"  Break Reason {n}:", f"    Reason: {reason.reason}", "    User Stack:"]
            lines += [f"      {place}" for place in reason.user_stack]
        lines.append("Ops per Graph:")
        for n, ops in enumerate(self.ops_per_graph, 1):
            lines += [f"  Ops {n}:", *[f"    {op}" for op in ops]]
        lines.append("Out Guards:")
        for n, guard in enumerate(self.out_guards, 1):
            lines += _guard_lines(n, guard)
        return "\n".join(lines) + "\n"
