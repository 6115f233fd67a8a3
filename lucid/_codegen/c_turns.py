"""How a nest's outer turns are shared out in blocks to threads, as C says it.

    plain_turns(outer, rest, summed, cut, size), open_turns(...) -> Turns

outer: sizes of the outer loops; rest: of those inside a turn; summed: of the outer ones that a sum runs over, so that
one block has them all; cut: the size of a loop that is cut into pieces of `size` (None: none is).
"""

import math
from typing import NamedTuple

GRAIN = 16384  # elements that are worth a thread's while


class Turns(NamedTuple):
    """The turns of a nest's outer loops: how many there are, how many a block has, into how many pieces the innermost
    loop is cut. Numbers, or, where sizes are open, names; told: {name: C text of its value}."""

    total: object
    grain: object
    pieces: object
    told: dict

    @property
    def head(self):
        """The line that begins the loop over a block's turns."""
        total, grain = self.total, self.grain
        if self.told:
            return "for (long turn = block * grain; turn < total && turn < (block + 1) * grain; turn++) {"
        last = f" && turn < {total}" if total % grain else ""
        return f"for (long turn = block * {grain}; turn < {min(grain, total)} + block * {grain}{last}; turn++) {{"

    def run(self, name):
        """The statement that runs all blocks."""
        alone, together = f"{name}_task(&p, 0)", f"lucid_parallel({name}_task, &p, %s)"
        if self.told:
            blocks = "(total_ + grain_ - 1) / grain_"
            return f"if (total_ > grain_) {together % blocks}; else {alone}"
        blocks = -(-self.total // self.grain)
        return together % blocks if blocks > 1 else alone


def plain_turns(outer, rest, summed, cut, size):
    """Turns of sizes that are numbers."""
    each, total, pieces = math.prod(rest), math.prod(outer), 1
    if cut is not None:
        pieces, each = -(-cut // size), each * size
    grain = max(1, GRAIN // max(each, 1))
    period = math.prod(summed)
    return Turns(total * pieces, -(-grain // period) * period, pieces, {})


def open_turns(outer, rest, summed, cut, size):
    """Turns of sizes some of which are told when the kernel is called."""
    told, each, total, pieces = {}, _product(rest), _product(outer), 1
    if cut is not None:
        told["pieces"], pieces = f"({cut} + {size - 1}) / {size}", "pieces"
        each, total = f"{each} * {size}", f"{total} * pieces_"
    told["total"], told["grain"] = total, f"{each} < {GRAIN} ? {GRAIN} / ({each}) : 1"
    if summed:
        period = _product(summed)
        told["grain"] = f"(({told['grain']}) + {period} - 1) / ({period}) * ({period})"
    return Turns("total", "grain", pieces, told)


def _product(sizes):
    """A product of sizes as C text."""
    return " * ".join([str(n) for n in sizes]) or "1"
