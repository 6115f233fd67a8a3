"""A Python machine in Python: frames, and what each instruction does.

What values mean is not said here. Every instruction asks a *meaning* for it: `real.Real` does what Python does,
`tracer.Tracer` reads the same program symbolically. So a function can be read ahead, and an instruction that cannot be
read be run for real, from one table of instructions.
"""

from . import control, instructions  # noqa: F401  they fill the table
from .frame import INSTRUCTIONS, Observed


class Unsupported(Exception):
    """An instruction that no meaning has."""


def run(meaning, frame):
    """Run a frame to its end or its next yield: its result, or what it yields (see frame.state)."""
    frame.state = "running"
    meaning.entered(frame)
    try:
        while frame.state == "running":
            step(meaning, frame)
    finally:
        meaning.left(frame)
    return frame.result


def step(meaning, frame):
    """Run one instruction."""
    at = frame.at
    inst = frame.program.insts[at]
    frame.at = at + 1
    handler = INSTRUCTIONS.get(inst.op)
    if handler is None:
        raise Unsupported(f"instruction {inst.op}")
    try:
        handler(meaning, frame, inst)
    except Observed as trouble:
        if frame.handling:
            _add_context(trouble.error, frame.handling[-1])
        unwind(frame, at, trouble)


def _add_context(error, handled):
    """An exception that is raised while another is handled tells so, as in Python."""
    if error.__context__ is None and error is not handled and handled is not None:
        error.__context__ = handled


def unwind(frame, at, trouble):
    """Go where the function handles an exception; raise it further if nowhere."""
    found = frame.program.handler(at)
    if found is None:
        frame.state = "raised"
        raise trouble
    del frame.stack[found.depth :]
    if found.lasti:
        frame.stack.append(at)
    frame.stack.append(trouble.error)
    frame.at = found.target
