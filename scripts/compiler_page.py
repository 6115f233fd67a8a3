"""Writes the printed texts in docs/compiler.md: what one function becomes on its way to kernels.

A text stands between `<!-- NAME -->` and `<!-- end -->`. `--check` only says whether they are current, and exits 1
if not. The list of instructions is Python 3.11's.
"""

import linecache
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import kernel_table  # noqa: E402
import page_texts  # noqa: E402

import lucid as torch  # noqa: E402
from lucid._codegen import targets  # noqa: E402
from lucid._dynamo import compiled  # noqa: E402
from lucid._dynamo.decode import program  # noqa: E402
from lucid._functorch import told  # noqa: E402
from lucid._inductor import debug  # noqa: E402

PAGE = ROOT / "docs" / "compiler.md"
PROGRAM = """\
def f(x, w, log):
    y = torch.relu(x @ w)
    log.append(y.shape[0])
    if y.sum() > 0:
        y = y * 2
    return y
"""


def texts():
    """{name: text} of all that the page shows."""
    scope = {"torch": torch, "__name__": "example"}
    exec(compile(PROGRAM, "example.py", "exec"), scope)
    linecache.cache["example.py"] = len(PROGRAM), None, PROGRAM.splitlines(True), "example.py"
    f, log = scope["f"], []
    torch._dynamo.reset()
    run = torch.compile(f, backend="eager")
    run(torch.ones(2, 3), torch.ones(3, 3), log)
    first, second = _segments(f)
    found = {
        "program": ("python", PROGRAM),
        "instructions": ("", _instructions(f.__code__)),
        "guards": ("", "\n".join(g.text() for g in first.guards)),
        "graph": ("python", first.draft.module.print_readable(print_output=False)),
        "segment": ("python", first.text),
        "rest": ("python", second.text),
    }
    run(torch.ones(4, 3), torch.ones(3, 3), log)
    dynamic = _segments(f)[1]
    found["symbolic graph"] = ("python", dynamic.draft.module.print_readable(print_output=False))
    found["symbolic segment"] = ("python", dynamic.text)
    torch._dynamo.reset()

    def step(x, lr):
        return x.add(x, alpha=-lr) if x.dim() else x

    run = torch.compile(step, backend="eager")
    for lr in (0.1, 0.2):
        run(torch.ones(2), lr)
    of_float = _segments(step)[1]
    nodes = str(of_float.draft.module.graph)
    found["float graph"] = ("", nodes)
    found["float segment"] = ("python", of_float.text)
    torch._dynamo.reset()
    return found | below(f) | {"kernel table": (None, kernel_table.table())}


def below(f):
    """{name: text} of what the backend makes of the function's first graph."""
    made = {}
    told.WATCHERS.append(lambda stage, module: made.setdefault(stage, module))
    torch.compile(f)(torch.ones(2, 3), torch.ones(3, 3, requires_grad=True), [])
    told.WATCHERS.pop()
    torch._dynamo.reset()
    found = {f"{half} graph": ("python", debug.stages_of(made[half]).readable()) for half in ("forward", "backward")}
    found["joint graph"] = "python", made["joint"].print_readable(print_output=False)
    stages = debug.stages_of(made["forward"])
    found["loops"] = "", stages.ir_pre_fusion()
    found["fused loops"] = "", stages.ir_post_fusion()
    found["decisions"] = "", stages.fusion()
    found["backward loops"] = "", debug.stages_of(made["backward"]).ir_post_fusion()
    found["wrapper"] = "python", stages.wrapper.source
    for name, language in {"c": "c", "numpy": "python", "triton": "python", "metal": "cpp"}.items():
        part = debug.stages_of(made["forward"]).wrapper.parts[0]
        found[f"kernel in {name}"] = language, targets.target(name).source(part.nest, part.text.name, part.kept).text
    return found


def _segments(f):
    """What f was read as: by place, variants of the first place first."""
    (cache,) = (c for (code, _), c in compiled.CACHES.items() if code is f.__code__)
    return [s for _, found in sorted(cache.by_place.items()) for s in found]


def _instructions(code):
    lines, line = [], None
    for n, inst in enumerate(program(code).insts):
        shown = f"{inst.line or '':>4}" if inst.line != line else " " * 4
        line = inst.line
        arg = "" if inst.arg is None and inst.op != "LOAD_CONST" else repr(inst.arg)
        target = "" if inst.target is None else f" to {inst.target}"
        lines.append(f"{shown} {n:>3} {inst.op:<24} {arg}{target}".rstrip())
    return "\n".join(lines)


def current():
    """The texts for this version of Python."""
    found = texts()
    if sys.version_info[:2] != (3, 11):
        del found["instructions"]
    return found


if __name__ == "__main__":
    sys.exit(page_texts.main(PAGE, current()))
