"""TORCH_LOGS: what the compiler tells of its work. torch._logging.set_logs switches it, too.

TORCH_LOGS=graph_code,guards,recompiles,graph_breaks,graph,bytecode,segments (`dynamo` and `+dynamo` stand for these),
aot_graphs, aot_joint_graph (`aot`).
"""

import os
import sys
import time

KINDS = (
    "graph_code",
    "graph",
    "guards",
    "recompiles",
    "graph_breaks",
    "bytecode",
    "segments",
    "aot_graphs",
    "aot_joint_graph",
)
_AOT = ("aot_graphs", "aot_joint_graph")
_SAYS = {
    "graph_code": "Prints the code of every graph that Dynamo makes.",
    "graph": "Prints every graph that Dynamo makes, node by node.",
    "guards": "This prints the guards for every compiled Dynamo frame. It does not tell where they come from.",
    "recompiles": "Prints the reason why we recompiled a graph. Very, very useful.",
    "graph_breaks": "Prints whenever Dynamo decides that it needs to graph break (i.e. create a new graph).",
    "bytecode": "Prints the original bytecode of every function that Dynamo reads.",
    "aot_graphs": "Prints the forward and backward graphs that AOTAutograd makes, of ATen calls.",
    "aot_joint_graph": "Prints the joint graph, before it is cut into forward and backward.",
    "segments": "Prints the Python that runs in the place of a function: guards, the graph's call, changes outside.",
}
_DYNAMO = tuple([kind for kind in KINDS if kind not in _AOT])
_ALIASES = {
    "dynamo": _DYNAMO,
    "+dynamo": _DYNAMO,
    "aot": _AOT,
    "+aot": _AOT,
    "all": KINDS,
    "recompiles_verbose": ("recompiles",),
}
wanted: set = set()


def set_logs(**kinds):
    """set_logs(graph_code=True, guards=False, ...): exactly these are told from now on."""
    wanted.clear()
    for name, on in kinds.items():
        if on:
            wanted.update(_ALIASES.get(name, (name,)))


def from_environment():
    """Follow the variable TORCH_LOGS."""
    for name in filter(None, map(str.strip, os.environ.get("TORCH_LOGS", "").split(","))):
        if name in ("help", "+help"):
            raise ValueError(_help())
        if name not in KINDS and name not in _ALIASES:
            known = ", ".join((*KINDS, *_ALIASES))
            raise ValueError(f"Invalid log settings: TORCH_LOGS={name!r}; lucid knows {known}")
        wanted.update(_ALIASES.get(name, (name,)))


def _help():
    """What TORCH_LOGS=help says."""
    lines = ["", "TORCH_LOGS Info", "", "Examples:"]
    lines += ['  TORCH_LOGS="graph_code,guards" will enable these artifacts', ""]
    lines += [
        '  TORCH_LOGS="+dynamo" will enable all of them',
        "",
        "",
        "Visible registered names",
        *map("  {}".format, _ALIASES),
    ]
    return "\n".join([*lines, *[f"  {name:<30}\t{_SAYS[name]}" for name in KINDS], ""])


def tell(kind, text, where="-/-"):
    """Write a text, line by line, to the standard error stream, if that kind is wanted."""
    if kind not in wanted:
        return
    now = time.strftime("%m%d %H:%M:%S")
    for line in text.splitlines() or [""]:
        home = "_functorch" if kind in _AOT else "_dynamo"
        print(f"V{now} {os.getpid()} lucid/{home}] [{where}] [__{kind}] {line}", file=sys.stderr)


from_environment()
