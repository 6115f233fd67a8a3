"""torch._inductor.debug: every stage of a compiled graph as text, for logs and for folders.

TORCH_COMPILE_DEBUG=1 (or config.trace.enabled) writes for each graph a folder
torch_compile_debug/run_<time>-pid_<n>/torchinductor/model__<graph>_<half>_<n>.<n>/, below config.trace.debug_dir,
$TORCH_COMPILE_DEBUG_DIR or where the program runs; beside it the joint graphs (model__<graph>_joint) and what Dynamo
made (torchdynamo/). A folder is written aside and then renamed: it is there whole, or not at all.
"""

import datetime
import itertools
import os
import shutil
import tempfile

from .._base.device import device
from .._base.state import warn_once
from .._codegen import cache
from .._codegen.targets import target
from .._functorch import told
from . import config, listing, metrics
from .lowering import Lowered
from .output_code import output_code, runnable
from .wrapper import Wrapper

_NUMBERS, _GRAPHS = itertools.count(), itertools.count()
_RUN: dict = {}  # process -> the name of its run
_HALF = ["model__inference"]  # which half of a program is compiled now

# File -> (setting, the method of Stages that gives its text).
FILES = {
    "fx_graph_readable.py": ("fx_graph", "readable"),
    "fx_graph_runnable.py": ("fx_graph", "runnable"),
    "fx_graph_transformed.py": ("fx_graph_transformed", "readable"),
    "ir_pre_fusion.txt": ("ir_pre_fusion", "ir_pre_fusion"),
    "ir_post_fusion.txt": ("ir_post_fusion", "ir_post_fusion"),
    "output_code.py": ("output_code", "output_code"),
}


class Stages:
    """A graph on its way: the graph module of ATen calls, example inputs, the Wrapper that it became."""

    def __init__(self, module, values, wrapper):
        self.module, self.values, self.wrapper = module, values, wrapper

    def readable(self):
        """The graph of ATen calls."""
        return self.module.print_readable(print_output=False) + "\n"

    def runnable(self):
        """The same as a program."""
        return runnable(self.module, self.values)

    def ir_pre_fusion(self):
        """Each array that is computed, by itself."""
        return listing.before_fusion(self.wrapper.schedule)

    def ir_post_fusion(self):
        """The kernels and calls."""
        return listing.after_fusion(self.wrapper.schedule)

    def output_code(self):
        """The Python and C text that runs."""
        return output_code(self.wrapper, self.values)

    # ---- what only logs show

    def post_grad_graphs(self):
        """The graph that is lowered."""
        return f"TRACED GRAPH\n ===== AFTER POST GRAD =====\n {told.readable(self.module)}"

    def fusion(self):
        """Which loops were put together, and why others were not."""
        return listing.decisions(self.wrapper.schedule)

    def schedule(self):
        """One line for each step."""
        return listing.steps_text(self.wrapper.schedule)

    def kernel_code(self):
        """Each kernel."""
        title = f"{self.wrapper.target.name.capitalize()} Kernel:"
        return "\n".join([f"{title}\n\n{text.text}" for text in self.wrapper.texts()])

    def perf_hints(self):
        """What has no loops, and why."""
        targets = {n.name: n.target for n in self.module.graph.nodes}
        return "\n".join([f"Using FallbackKernel: {targets[n]}: {w}" for n, w in self.wrapper.lowered.why.items()])

    def autotuning(self):
        """The forms that were chosen for kernels."""
        return "\n".join([f"{name}: {form}" for name, form in self.wrapper.forms.items()])


LOGGED = """post_grad_graphs ir_pre_fusion ir_post_fusion fusion schedule output_code kernel_code perf_hints
autotuning""".split()


def stages_of(module):
    """The Stages of a graph module of ATen calls whose nodes know what they give; it is not run."""
    values = [n.meta.get("val") for n in module.graph.nodes if n.op == "placeholder"]
    c = target("c")
    return Stages(module, values, Wrapper(Lowered(module, values, c.words), c, device("cpu")))


def compiled(module, values, wrapper):
    """A graph has become a wrapper: whoever wants to know is told."""
    stages = Stages(module, values, wrapper)
    metrics.count(wrapper, *listing.amounts(wrapper))
    told.show("compiled", stages)
    if any(kind in told.wanted for kind in LOGGED):
        for kind in LOGGED:
            text = kind in told.wanted and getattr(stages, kind)()
            if text:
                told.tell(kind, f"Output code: \n{text}" if kind == "output_code" else text)
    if config.trace.enabled:
        write(stages, _HALF[-1])


def new_name():
    """What folders call a program's graph."""
    return f"model__{next(_GRAPHS)}"


class half:
    """with half("model__0_backward"): graphs that are compiled inside are called so."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        _HALF.append(self.name)

    def __exit__(self, *trouble):
        _HALF.pop()


# ---- folders


def run_directory():
    """The directory of this process's run."""
    pid = os.getpid()
    if pid not in _RUN:
        _RUN[pid] = f"run_{datetime.datetime.now().strftime('%Y_%m_%d_%H_%M_%S_%f')}-pid_{pid}"
    root = config.trace.debug_dir or os.environ.get("TORCH_COMPILE_DEBUG_DIR") or os.getcwd()
    return os.path.join(root, "torch_compile_debug", _RUN[pid])


def write(stages, name):
    """Put all texts of a graph into a folder; its path, or None with a warning where that cannot be."""
    number = next(_NUMBERS)
    texts = {}
    for file, (setting, method) in FILES.items():
        if getattr(config.trace, setting):
            texts[file] = getattr(stages, method)()
    return write_folder(f"torchinductor/{name}_{number}.{number}", texts)


def write_graph(name, module, **texts):
    """Put a graph module, and other texts about it, into a folder."""
    return write_folder(name, {"fx_graph_readable.py": module.print_readable(print_output=False) + "\n", **texts})


def write_folder(name, texts):
    """{file: text} as a folder of the run's; its path, or None with a warning where that cannot be."""
    path = os.path.join(run_directory(), name)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        aside = tempfile.mkdtemp(prefix=".new-", dir=os.path.dirname(path))
        try:
            for file, text in texts.items():
                cache.write_file(os.path.join(aside, file), text.encode())
            os.chmod(aside, 0o755)
            os.rename(aside, path)
        except BaseException:
            shutil.rmtree(aside, ignore_errors=True)
            raise
    except OSError as error:
        why = error.strerror or error
        warn_once(f"TORCH_COMPILE_DEBUG: what is to go below {run_directory()} cannot be written: {why}")
        return None
    return path
