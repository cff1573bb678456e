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
    before, after = result.bundles
    if not edits:
        print_message(PROGRAM, f"{path}: nothing to pack in {before:,} bundles", "note")
        return analysis.text
    cycles = "" if result.cycles is None else ", {:,} -> {:,} cycles".format(*result.cycles)
    proof = f"proven, and compared in {result.runs} runs on random data"
    print_message(PROGRAM, f"{path}: {before:,} -> {after:,} bundles{cycles}; {proof}", "note")
    return apply_edits(analysis.text, edits)
