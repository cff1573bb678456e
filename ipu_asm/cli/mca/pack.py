"""`ipu-mca --pack`: the program with its instructions packed into fewer bundles."""

from __future__ import annotations

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.cli.console import print_message
from ipu_asm.cli.mca.options import PROGRAM
from ipu_asm.config.files import FileError
from ipu_asm.flow.packing.pack import PackingError


def packed_text(analysis: Analysis) -> str | None:
    """Return the packed text of a program, and print what that saves.

    None if it cannot be packed, or not be proven to do the same; prints why. Raises `FileError` for
    a source that the assembler does not read as it is.
    """
    path = analysis.source.path
    if analysis.expanded:
        message = "a template cannot be packed: pack what `ipu-as expand` writes"
        raise FileError(message, path)
    try:
        from ipu_asm.testbench.packing import packed  # needs numpy

        result = packed(analysis.effective_program)
    except PackingError as error:
        print_message(PROGRAM, f"{path}: not packed: {error}")
        return None
    before, after = result.bundles
    if not result.edits:
        print_message(PROGRAM, f"{path}: nothing to pack in {before:,} bundles", "note")
        return result.text
    cycles = "" if result.cycles is None else ", {:,} -> {:,} cycles".format(*result.cycles)
    proof = f"proven, and compared in {result.runs} runs on random data"
    print_message(PROGRAM, f"{path}: {before:,} -> {after:,} bundles{cycles}; {proof}", "note")
    return result.text
