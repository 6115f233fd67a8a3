"""Functions from text: compiled when they are first called, and shown as source wherever Python shows source.

Most programs call few of all ops, so importing lucid compiles none. A written function stands in `linecache` under a
file name of its own: tracebacks, `inspect.getsource`, pdb and profilers show it, before its first call too.
"""

import linecache
from types import FunctionType


def run_text(label, text, scope):
    """Run a text that defines functions in a scope; they are shown as source, too."""
    file = f"/<lucid>/{label}.py"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), scope)


def written_function(label, write, scope):
    """A function whose source is what write() gives, one `def`, under the file name `/<lucid>/label.py`.

    The function stays the same object; only its code is exchanged at the first call.
    """
    file = f"/<lucid>/{label}.py"  # absolute, or pdb would look for it in the current folder
    code = _first_call.__code__.replace(co_name=label.rpartition(".")[2], co_filename=file, co_firstlineno=1)
    f = FunctionType(code, scope, code.co_name)
    scope["SELF"], scope["compile_now"] = f, compile_now
    f.write = write
    linecache.cache[file] = (write,)  # its way to say: ask this when the text is wanted
    return f


def _first_call(*args, **kwargs):
    return compile_now(SELF)(*args, **kwargs)  # noqa: F821  (a name of the function's own scope)


def compile_now(f):
    """Give a written function its own code."""
    source, made = f.write(), {}  # a dictionary of its own: two threads may be here at once
    exec(compile(source, f.__code__.co_filename, "exec"), f.__globals__, made)
    (written,) = made.values()
    f.__code__, f.__defaults__, f.__kwdefaults__ = written.__code__, written.__defaults__, written.__kwdefaults__
    return f
