"""`ipu-mca --pack`: the program with its instructions packed into fewer bundles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.cli.console import print_message
from ipu_asm.cli.mca.options import PROGRAM
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.packing.pack import PackingError, plan_packing
from ipu_asm.ide.packing import packable_blocks, packing_edits
from ipu_asm.program.program import Program
from ipu_asm.text import apply_edits, counted

if TYPE_CHECKING:
    from ipu_asm.testbench.rewriting import RebaseResult


def packed_text(analysis: Analysis) -> str | None:
    """Return the packed text of a program or template, and print what that saves.

    None if it cannot be packed, or not be proven to do the same; prints why.
    """
    path, program = analysis.source.path, analysis.effective_program
    try:
        from ipu_asm.testbench.packing import packed  # needs numpy

        blocks = packable_blocks(analysis)
        result = packed(program, None, blocks)
        edits = packing_edits(analysis, result.edits)
        every = result.bundles[0] - result.bundles[1]
        if blocks is not None:
            every = plan_packing(program).saved_bundles
    except PackingError as error:
        print_message(PROGRAM, f"{path}: not packed: {error}")
        return None
    if edits:
        proof = f"proven, and compared in {result.runs} runs on random data"
        _print_saved(path, result.bundles, result.cycles, proof)
    elif not every:
        message = f"nothing to pack in {result.bundles[0]:,} bundles"
        if result.is_at_bound:
            message += ": every block is at its bound"
        print_message(PROGRAM, f"{path}: {message}", "note")
    left = every - (result.bundles[0] - result.bundles[1])
    if left:
        message = (
            f"moves save {every:,} of {counted(result.bundles[0], 'bundle')}, {left:,} of them"
        )
        reason = "in blocks that the template does not write out: pack what `ipu-as expand` writes"
        print_message(PROGRAM, f"{path}: {message} {reason}", "note")
    return apply_edits(analysis.text, edits)


def rewritten_text(analysis: Analysis, *, pipeline: bool, rebase: bool) -> str | None:
    """Return the text of a program that is rebased, pipelined, or both, and packed.

    Prints what that saves. None if it cannot be done, or not be proven to do the same; prints why.
    """
    path = analysis.source.path
    try:
        if analysis.expanded:
            raise PackingError("a template is not rewritten: pack what `ipu-as expand` writes")
        return _rewritten(analysis.program, path, pipeline=pipeline, rebase=rebase)
    except PackingError as error:
        outcome = "not pipelined" if pipeline else "not rebased"
        print_message(PROGRAM, f"{path}: {outcome}: {error}")
        return None


def _rewritten(program: Program, path: str, *, pipeline: bool, rebase: bool) -> str:
    from ipu_asm.testbench.packing import (
        TooLongError,
        packed,  # needs numpy
        packed_cycles,
        whole_cycles,
    )
    from ipu_asm.testbench.rewriting import pipelined, pipelined_cycles, rebased

    before = program.size, whole_cycles(control_facts(program))
    if rebase:
        try:
            found = rebased(program, pipelined_cycles if pipeline else packed_cycles)
            _print_rebased(path, program, found)
            program = found.program
        except TooLongError as error:
            print_message(PROGRAM, f"{path}: not rebased: {error}", "note")
    if pipeline:
        result = pipelined(program)
        program = result.program
        for loop in result.loops:
            sizes = "{} -> {}".format(*loop.bundles)
            message = f"{sizes} bundles, {loop.stages} iterations overlap"
            print_message(PROGRAM, f"{path}: loop {loop.label}: {message}", "note")
    final = packed(program)
    cycles = whole_cycles(control_facts(program)) if final.cycles is None else final.cycles[1]
    proof = "proven, and compared in runs on random data"
    _print_saved(path, (before[0], final.bundles[1]), (before[1], cycles), proof)
    return final.text


def _print_rebased(path: str, program: Program, found: RebaseResult) -> None:
    if found.program is program:
        message = "no other update of loop registers saves cycles"
    elif found.updates[0] == found.updates[1]:
        message = f"{found.updates[0]:,} updates of loop registers, some in other bundles"
    else:
        message = "{:,} -> {:,} updates of loop registers".format(*found.updates)
    if found.lost:
        message += f"; in the end, other values are in {', '.join(found.lost)}"
    print_message(PROGRAM, f"{path}: {message}", "note")


def _print_saved(
    path: str, bundles: tuple[int, int], cycles: tuple[int, int] | None, proof: str
) -> None:
    counts = "{:,} -> {:,} bundles".format(*bundles)
    if cycles is not None:
        counts += ", {:,} -> {:,} cycles".format(*cycles)
    print_message(PROGRAM, f"{path}: {counts}; {proof}", "note")
