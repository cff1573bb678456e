"""`ipu-mca --pack`: the program with its instructions packed into fewer bundles."""

from __future__ import annotations

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.cli.console import print_message
from ipu_asm.cli.mca.options import PROGRAM
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.ide.packing import packable_blocks, packing_edits
from ipu_asm.text import apply_edits


def packed_text(analysis: Analysis) -> str | None:
    """Return the packed text of a program or template, and print what that saves.

    None if it cannot be packed, or not be proven to do the same; prints why.
    """
    path = analysis.source.path
    try:
        from ipu_asm.testbench.packing import packed  # needs numpy

        result = packed(analysis.effective_program, None, packable_blocks(analysis))
        edits = packing_edits(analysis, result.edits)
    except PackingError as error:
        print_message(PROGRAM, f"{path}: not packed: {error}")
        return None
    if not edits:
        message = f"nothing to pack in {result.bundles[0]:,} bundles"
        if result.is_at_bound:
            message += ": every block is at its bound"
        print_message(PROGRAM, f"{path}: {message}", "note")
        return analysis.text
    proof = f"proven, and compared in {result.runs} runs on random data"
    _print_saved(path, result.bundles, result.cycles, proof)
    return apply_edits(analysis.text, edits)


def pipelined_text(analysis: Analysis) -> str | None:
    """Return the text of a program with pipelined loops, packed; print what that saves.

    None if it cannot be pipelined or packed, or not be proven to do the same; prints why.
    """
    path = analysis.source.path
    try:
        from ipu_asm.testbench.packing import packed  # needs numpy
        from ipu_asm.testbench.pipelining import pipelined

        if analysis.expanded:
            raise PackingError("a template cannot be pipelined: pack what `ipu-as expand` writes")
        result = pipelined(analysis.program)
        final = packed(result.program)
    except PackingError as error:
        print_message(PROGRAM, f"{path}: not pipelined: {error}")
        return None
    for loop in result.loops:
        before, after = loop.bundles
        message = f"{before} -> {after} bundles, {loop.stages} iterations overlap"
        print_message(PROGRAM, f"{path}: loop {loop.label}: {message}", "note")
    sizes = analysis.program.size, final.bundles[1]
    cycles = result.cycles[0], (final.cycles or result.cycles)[1]
    _print_saved(path, sizes, cycles, "proven, and compared in runs on random data")
    return final.text


def _print_saved(
    path: str, bundles: tuple[int, int], cycles: tuple[int, int] | None, proof: str
) -> None:
    counts = "{:,} -> {:,} bundles".format(*bundles)
    if cycles is not None:
        counts += ", {:,} -> {:,} cycles".format(*cycles)
    print_message(PROGRAM, f"{path}: {counts}; {proof}", "note")
