"""Why a graph ends, said as torch says it: what it is, an explanation, hints, and where in the program."""

import linecache
import re
import traceback
from typing import NamedTuple

_FUNDAMENTAL = (
    "This graph break is fundamental - it is unlikely that Dynamo will ever be able to trace through your code. "
    "Consider finding a workaround."
)
_VERBOSE = (
    "Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace (please do this especially if you're reporting a bug to "
    'PyTorch). For even more developer context, set TORCH_LOGS="+dynamo"'
)
_BRANCHLESS = (
    "For the common pattern `if tensor_cond: x = transform(x)` (e.g. clamping inf/nan values), consider making the "
    "code branchless by always applying the transform. Operations like torch.clamp, torch.nan_to_num, and torch.where "
    "are typically no-ops on well-behaved inputs and compile without graph breaks."
)


class Told(NamedTuple):
    """The parts of a message."""

    kind: str
    explanation: str
    hints: tuple = ()
    context: str = ""

    def text(self):
        """The message."""
        lines = [self.kind, f"  Explanation: {self.explanation}", *[f"  Hint: {hint}" for hint in self.hints]]
        return "\n".join([*lines, "", f"  Developer debug context: {self.context}"])


def of_builtin(name, args, kwargs):
    """A builtin that no graph can have."""
    kinds = [type(a).__name__ for a in args]
    what = f"`{name}` with argument types {kinds}"
    return Told(
        "Failed to trace builtin operator",
        f"Dynamo does not know how to trace builtin operator {what} (has_kwargs {bool(kwargs)})",
        (f"Avoid calling builtin {what}. Consider using an equivalent alternative function/method to `{name}`.",),
        f"builtin {name} {kinds} {bool(kwargs)}",
    )


def _item(reason, name):
    if name == "tolist":
        return Told(
            "Tensor.tolist() with non-integer tensor",
            "Dynamo currently does not support tracing `tolist()` on non-integer tensors.",
            ("Ensure the input tensor to `tolist()` is an integer type (e.g., int8, int16, int32, int64).",),
            "call_method TensorVariable() to_list",
        )
    explanation = f"Dynamo does not support tracing `Tensor.{name}()`: the numbers are known when the graph runs."
    kind = f"Unsupported Tensor.{name}() call"
    if name == "item":
        kind += " with capture_scalar_outputs=False"
        explanation = "Dynamo does not support tracing `Tensor.item()` with config.capture_scalar_outputs=False."
    return Told(kind, explanation, (_FUNDAMENTAL,), f"call_method TensorVariable() {name}")


def _branch(reason):
    return Told(
        "Data-dependent branching",
        "Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`). Dynamo does not support tracing dynamic "
        "control flow.",
        (_BRANCHLESS, _FUNDAMENTAL, "Use `torch.cond` to express dynamic control flow."),
        "attempted to jump with TensorVariable()",
    )


def _graph_break(reason):
    return Told(
        "Call to `torch._dynamo.graph_break()`",
        "User-inserted graph break. Message: None",
        ("Remove the `torch._dynamo.graph_break()` call.",),
        "Called `torch._dynamo.graph_break()` with args `[]`, kwargs `{}`",
    )


def _size(reason):
    return Told(
        "Dynamic shape operator",
        f"Dynamo cannot know the size of a result while it reads: {reason}.",
        (_FUNDAMENTAL, "Use torch.where, or another operation that keeps the size."),
        reason,
    )


def _torch_call(reason, name):
    if name == "backward":
        return Told(
            "Unsupported Tensor.backward() call",
            "Dynamo currently does not support tracing `Tensor.backward()` when trace_autograd_ops is off.",
            ("Call backward() outside of the compiled function.",),
            "call_method TensorVariable() backward",
        )
    return Told(
        f"Unsupported call of torch's {name}()",
        f"Dynamo does not support tracing `{name}`: it changes what no graph knows of.",
        (f"Call `{name}` outside of the compiled function.",),
        f"call_function {name}",
    )


def _skipped(reason, name):
    return Told(
        "Attempted to call function marked as skipped",
        f"Dynamo does not know how to trace `{name}`.",
        ("Call it outside of the compiled function, or mark it with `torch.compiler.disable`.",),
        f"qualname: {name}",
    )


_KINDS = [
    (r"a branch that depends on a tensor's numbers", _branch),
    (r"torch\._dynamo\.graph_break\(\)", _graph_break),
    (r"Tensor\.(\w+)\(\) needs the tensor's numbers", _item),
    (r"call of torch's (\w+)\(\)", _torch_call),
    (r".*the size of the result depends on numbers", _size),
    (r"call of ([\w.<>]+)", _skipped),
]


def told(reason, parts=None):
    """The message for a reason. parts: a Told that whoever gave the reason made."""
    if parts is not None:
        return parts
    for pattern, make in _KINDS:
        found = re.fullmatch(pattern, reason)
        if found:
            return make(reason, *found.groups())
    return Told(
        "Unsupported", f"Dynamo cannot trace this: {reason}.", ("Move it out of the compiled function.",), reason
    )


def unsupported(reason, parts, frames):
    """The text of torch._dynamo.exc.Unsupported. frames: (file, line, function) of the program, innermost last."""
    where = "".join(traceback.format_list(summaries(frames)))
    return f"{told(reason, parts).text()}\n\nfrom user code:\n {where}\n{_VERBOSE}\n"


def summaries(frames):
    """traceback.FrameSummary of each place."""
    return [traceback.FrameSummary(f, n, name, line=linecache.getline(f, n).strip()) for f, n, name in frames]


class GraphCompileReason(NamedTuple):
    """Why a graph ends, as explain() has it."""

    reason: str
    user_stack: list
    graph_break: bool = True
