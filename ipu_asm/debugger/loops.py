"""The loop around a bundle, as the branches of the source make it."""

from __future__ import annotations

from ipu_asm.program import Program


def innermost_loop(program: Program, address: int) -> range | None:
    """The addresses of the shortest loop around a bundle; None if no branch makes one.

    A loop is what lies between a branch and a target at or before it.
    """
    loops = [
        range(reference.target, program.addresses[reference.bundle] + 1)
        for reference in program.references
        if reference.target is not None
        and program.bundles[reference.bundle].flow in ("branch", "jump")
        and reference.target <= address <= program.addresses[reference.bundle]
    ]
    return min(loops, key=len, default=None)
