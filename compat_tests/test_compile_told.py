"""What torch.compile tells: explain(), Unsupported, the recompile limit, TORCH_LOGS=help."""

import os
import re
import subprocess
import sys

import pytest
from both import same

import lucid


def test_explain_tells_reasons_and_places():
    def program(m):
        def g(x):
            print("between")
            return x * 2

        def f(x):
            y = x + 1
            if y.sum() > 0:
                y = g(y)
            return y

        told = m._dynamo.explain(f)(m.ones(2))
        for reason in told.break_reasons:
            yield [line.lstrip() for line in reason.reason.splitlines()][0] in (
                "generic_jump TensorVariable()", "Data-dependent branching", "Failed to trace builtin operator",
            )  # fmt: skip
            yield [(place.filename, place.lineno) for place in reason.user_stack]
        yield [line for line in str(told).splitlines() if line.startswith((" " * 2 + "Ops", "Ops", "Graph", "Op C"))]

    same(lambda m: list(program(m)))


def _message(m, f, *args):
    with pytest.raises(m._dynamo.exc.Unsupported) as caught:
        m.compile(f, backend="eager", fullgraph=True)(*args)
    return str(caught.value)


@pytest.mark.parametrize("case", ["print", "branch", "graph_break", "open", "backward", "inner"])
def test_unsupported_in_torchs_words(case):
    """What it is, and where: the first line, the explanation, and the program's lines."""

    def program(m):
        def inner(x):
            y = x * 2
            print(y, end="")
            return y

        cases = {
            "print": lambda x: print("a") or x,
            "branch": lambda x: x + 1 if x.sum() > 0 else x,
            "graph_break": lambda x: (m._dynamo.graph_break(), x + 1)[1],
            "open": lambda x: open("/dev/null") and x,
            "backward": lambda x: x.sum().backward(),
            "inner": lambda x: inner(x) + 1,
        }
        lines = _message(m, cases[case], m.ones(2)).splitlines()
        yield lines[0]
        if case not in ("branch", "inner"):  # torch's tells how the condition was computed, and its own classes
            yield next(line for line in lines if "Explanation" in line)
        yield [line for line in lines[lines.index("from user code:") :] if line.strip().strip("^~")]

    same(lambda m: list(program(m)))


def test_the_recompile_limit_tells_the_last_reason(caplog, recwarn):
    def f(x, s):
        return x + len(s)

    compiled = lucid.compile(f, backend="eager")
    for n in range(10):
        compiled(lucid.ones(2), "s" * n)
    text = "".join(str(w.message) for w in recwarn)
    assert "last reason: 0/7: s == 'sssssss'" in text


@pytest.mark.parametrize("name", ["help", "+help"])
def test_help_of_logs(name):
    for module in ("torch", "lucid"):
        code = f"import {module}._dynamo"
        env = {**os.environ, "TORCH_LOGS": name}
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
        assert done.returncode and "TORCH_LOGS Info" in done.stderr
        assert re.search("(Visible|All) registered names", done.stderr)
