"""Writes the printed texts in docs/loops.md: one loop body in every target's text.

A text stands between `<!-- NAME -->` and `<!-- end -->`. `--check` only says whether they are current, and exits 1
if not.
"""

import inspect
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "examples"), str(ROOT / "scripts")]

import accelerator  # noqa: E402
import page_texts  # noqa: E402

import lucid as torch  # noqa: E402
from lucid._array.words import POINTWISE  # noqa: E402
from lucid._codegen import targets  # noqa: E402
from lucid._codegen.scheduler import Schedule  # noqa: E402
from lucid._codegen.text import TextHandler, TextWords  # noqa: E402
from lucid._inductor.lowering import Lowered  # noqa: E402
from lucid.fx.experimental.proxy_tensor import make_fx  # noqa: E402

PAGE = ROOT / "docs" / "loops.md"
PROGRAM = """\
def f(x):
    return torch.floor(x) + 1
"""
SOFTMAX = """\
def f(x):
    return torch.softmax(x, -1)
"""


class SpokenWords(TextWords):
    """Words that say themselves."""

    TYPES = {dtype: dtype.name for dtype in (torch.float32, torch.int64, torch.bool)}
    FLOATS = INTEGERS = {row.name: f"{{T}}.{row.call.replace(', ', '}, {').replace('(', '({').replace(')', '})')}"
                         for row in POINTWISE.values()}  # fmt: skip

    def literal(self, value, dtype):
        return repr(value)

    def write(self, pattern, *operands):
        names = re.findall(r"\{(\w+)\}", pattern)[1:]
        texts = dict(zip(names, [self.text(x, self.dtype) for x in operands]))
        return self.make(pattern.format(T=self.TYPES[self.dtype], **texts), operands)


class Spoken(TextHandler):
    """Writes down what a body asks for."""

    words = SpokenWords

    def declare(self, name, text, dtype):
        return f"{name} = {text}"

    def read(self, array, place):
        return self.named(f"load({array.source and 'x'}, {place})", array.dtype)

    def value_of(self, array):
        return None  # of a kernel: nothing was computed before


def nest_of(program, *inputs):
    """The only nest of a program, and the arrays that it is to write."""
    scope = {"torch": torch}
    exec(program, scope)
    graph = make_fx(scope["f"], tracing_mode="fake")(*inputs)
    schedule = Schedule(Lowered(graph, list(inputs)))
    (nest,) = schedule.steps
    return nest, [w.array for w in nest.work if not schedule.is_internal(w.array, nest)]


def spoken(nest):
    """What the first body of a nest asks for."""
    handler = Spoken(None)
    handler.kernel = handler
    nest.merge()
    (work,) = nest.work
    result = work.body(handler, nest.index_of(work))
    return "\n".join([*handler.scope.lines, f"return {result.text}"])


def texts():
    """{name: (language, text)} of all that the page shows."""
    x, rows = torch.zeros(512, 1024), torch.zeros(512, 1000)
    found = {
        "program": ("python", PROGRAM),
        "body": ("python", spoken(nest_of(PROGRAM, x)[0])),
        "softmax": ("python", SOFTMAX),
        "spoken": ("python", "\n\n".join([inspect.getsource(SpokenWords), inspect.getsource(Spoken)])),
        "target": ("python", inspect.getsource(targets.Numpy) + "\n\nregister(Numpy())"),
    }
    languages = {"c": "c", "triton": "python", "numpy": "python", "metal": "cpp", accelerator.Assembly.name: ""}
    for name, language in languages.items():
        found[name] = language, written(name, PROGRAM, x)
        found[f"softmax in {name}"] = language, written(name, SOFTMAX, rows)
    return found


def written(target, program, x):
    """A program's text; of C without the functions that it brings along."""
    nest, kept = nest_of(program, x)
    text = targets.target(target).source(nest, "kernel", kept).text
    return text[max(text.find("struct kernel"), 0) :]


if __name__ == "__main__":
    sys.exit(page_texts.main(PAGE, texts()))
