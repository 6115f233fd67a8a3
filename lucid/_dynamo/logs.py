"""TORCH_LOGS: what the compiler tells of its work. torch._logging.set_logs switches it, too.

TORCH_LOGS=graph_code,guards,output_code (names of KINDS; `dynamo`, `aot` and `inductor` stand for several).
TORCH_LOGS_OUT=file writes the same there. torch's other names are taken; nothing is told under them.
"""

import os
import re
import sys
import time

_DYNAMO = {
    "graph_code": "Prints the code of every graph that Dynamo makes.",
    "graph": "Prints every graph that Dynamo makes, node by node.",
    "guards": "This prints the guards for every compiled Dynamo frame. It does not tell where they come from.",
    "recompiles": "Prints the reason why we recompiled a graph. Very, very useful.",
    "graph_breaks": "Prints whenever Dynamo decides that it needs to graph break (i.e. create a new graph).",
    "bytecode": "Prints the original bytecode of every function that Dynamo reads.",
    "segments": "Prints the Python that runs in the place of a function: guards, the graph's call, changes outside.",
}
_AOT = {
    "aot_graphs": "Prints the forward and backward graphs that AOTAutograd makes, of ATen calls.",
    "aot_joint_graph": "Prints the joint graph, before it is cut into forward and backward.",
}
_INDUCTOR = {
    "post_grad_graphs": "Prints the graph of ATen calls that becomes loops.",
    "ir_pre_fusion": "Prints the loops of each array that is computed.",
    "ir_post_fusion": "Prints the loops of each kernel.",
    "fusion": "Prints which loops were put together, and why others were not.",
    "schedule": "Prints the kernels and calls in their order, and what they read and make.",
    "output_code": "Prints the code that Inductor generates: the Python text and the C kernels.",
    "kernel_code": "Prints the code that Inductor generates (on a per-kernel basis).",
    "perf_hints": "Prints the calls that have no loops, and why.",
    "autotuning": "Prints the forms of kernels that max-autotune chose.",
}
_SAYS = {**_DYNAMO, **_AOT, **_INDUCTOR}
KINDS = (*_SAYS,)
_HOMES = {
    **dict.fromkeys(_DYNAMO, "_dynamo"),
    **dict.fromkeys(_AOT, "_functorch"),
    **dict.fromkeys(_INDUCTOR, "_inductor"),
}
_ALIASES = {
    "dynamo": (*_DYNAMO,),
    "aot": (*_AOT,),
    "inductor": (*_INDUCTOR,),
    "all": KINDS,
    "recompiles_verbose": ("recompiles",),
}
# torch's names of which lucid has nothing to tell.
_LOGGERS = """async_compile autograd c10d cache ddp distributed dtensor dynamic export fake_tensor fsdp native_dsl onnx
pp torch""".split()
_SILENT = """aot_graphs_effects annotation auto_chunker benchmarking caching compiled_autograd compiled_autograd_verbose
compute_dependencies cudagraph_static_inputs cudagraphs ddp_graphs graph_code_verbose graph_region_expansion graph_sizes
hierarchical_compile incremental inductor_metrics loop_ordering loop_tiling node_runtime_estimation not_implemented
onnx_diagnostics overlap overlap_scheduling pre_grad_graphs side_effects sym_node trace_bytecode trace_call
trace_shape_events trace_source verbose_guards""".split()
_LEVELS = (50, 40, 30, 20, 10, 0)
wanted: set = set()


def set_logs(**kinds):
    """set_logs(graph_code=True, guards=False, dynamo=logging.DEBUG, ...): exactly these are told from now on.

    TypeError for other names, ValueError for values that are no bools (of `dynamo` and the like: levels of logging).
    """
    found = set()
    for name, on in kinds.items():
        if name == "modules":
            continue
        if name in ("dynamo", "aot", "inductor", "all", *_LOGGERS):
            on = _is_low(name, on)
        elif name not in KINDS and name not in _ALIASES and name not in _SILENT:
            raise TypeError(f"set_logs() got an unexpected keyword argument '{name}'")
        elif not isinstance(on, bool):
            raise ValueError(f"Expected bool to enable artifact {name}, received {on}")
        if on:
            found.update(_ALIASES.get(name, (name,)))
    wanted.clear()
    wanted.update(found)


def _is_low(name, level):
    """Does a level of logging let through what the compiler tells?"""
    if level is None or isinstance(level, bool):
        return bool(level)
    if level not in _LEVELS:
        known = ",".join(map(str, _LEVELS))
        raise ValueError(f"Unrecognized log level for log {name}: {level}, valid level values are: {known}")
    return level <= 20


def from_environment():
    """Follow the variable TORCH_LOGS."""
    settings = os.environ.get("TORCH_LOGS", "")
    for name in filter(None, map(str.strip, settings.split(","))):
        if name in ("help", "+help"):
            raise ValueError(_help())
        kind, is_off = name.lstrip("+-"), name.startswith("-")
        if kind not in (*KINDS, *_ALIASES, *_LOGGERS, *_SILENT) and not re.fullmatch(r"\w+(\.\w+)+", kind):
            raise ValueError(
                f"Invalid log settings: {settings}, must be a comma separated list of fully qualified module names, "
                f"registered log names or registered artifact names. lucid tells of {', '.join((*KINDS, *_ALIASES))}.\n"
                'For more info on various settings, try TORCH_LOGS="help"'
            )
        if not is_off:
            wanted.update(_ALIASES.get(kind, (kind,)))


def _help():
    """What TORCH_LOGS=help says."""
    lines = ["", "TORCH_LOGS Info", "", "Examples:"]
    lines += ['  TORCH_LOGS="graph_code,guards" will enable these artifacts', ""]
    lines += [
        '  TORCH_LOGS="+dynamo" will enable all of them',
        "",
        '  TORCH_LOGS="output_code,fusion" tells what became of the graphs',
        "",
        "  TORCH_LOGS_OUT=/tmp/output.txt will output the logs to /tmp/output.txt as well",
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
    head = f"V{now} {os.getpid()} lucid/{_HOMES.get(kind, '_dynamo')}] [{where}] [__{kind}] "
    lines = "".join([f"{head}{line}\n" for line in text.splitlines() or [""]])
    sys.stderr.write(lines)
    if path := os.environ.get("TORCH_LOGS_OUT"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(lines)


from_environment()
