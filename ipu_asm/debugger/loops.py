"""The loops around a bundle, as the branches of the source make them."""

from __future__ import annotations

from ipu_asm.program.program import Program


def enclosing_loops(program: Program, address: int) -> list[range]:
    """The addresses of the loops around a bundle, the innermost first; each has all of the last.

    A loop is what lies between a target and the last branch back to it. Of two that overlap
    without one being in the other, only the shorter counts.
    """
    around = [
        range(start, end + 1)
        for start, end in program.branches_back.items()
        if start <= address <= end
    ]
    loops: list[range] = []
    for loop in sorted(around, key=len):
        if not loops or (loop.start <= loops[-1].start and loop.stop >= loops[-1].stop):
            loops.append(loop)
    return loops
