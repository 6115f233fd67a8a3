"""Where reading may go on behind what cannot be read, as torch has it.

It goes on behind a call, a comparison, a store or a branch, unless that is in a `try`, in a `with` of the program's own
or in a loop. In a loop the whole function runs as Python. Elsewhere it runs so from the last line on that had nothing
on the stack and at least two nodes before it.
"""

_GOES_ON = set("CALL CALL_KW CALL_FUNCTION_EX COMPARE_OP STORE_ATTR STORE_SUBSCR STORE_SLICE BINARY_SUBSCR".split())
_JUMPS = ("JUMP", "POP_JUMP_", "FOR_ITER")


class Place:
    """How far reading came: count of instructions, line, and the last place from which the rest may run as Python."""

    def __init__(self):
        self.count, self.line, self.checkpoint = 0, None, None
        self.goes_on = self.loops = self.fails = self.handles = False
        self.outside = 0  # the last instruction that is in no except clause

    def at(self, frame, calls):
        """Reading is at an instruction now, with so many calls in the graph."""
        self.line = frame.program.insts[frame.at].line or self.line
        if not frame.handling:
            self.outside = self.count
        if calls > 1 and not frame.stack and frame.is_free(frame.at):
            self.checkpoint = self.count

    def stopped(self, frame, at):
        """Reading stopped at instruction number `at`."""
        inst = frame.program.insts[at]
        self.handles = bool(frame.handling)
        self.goes_on = (inst.op in _GOES_ON or "JUMP" in inst.op) and frame.is_free(at)
        self.loops = self.goes_on and in_loop(frame.program.insts, at)


def in_loop(insts, at):
    """Does a jump further on lead back to here?"""
    for inst in insts[at + 1 :]:
        if inst.op == "RETURN_VALUE":
            return False
        if inst.target is not None and inst.target < at and inst.op.startswith(_JUMPS):
            return True
    return False
