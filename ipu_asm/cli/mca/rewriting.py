"""What `ipu-mca` writes in place of a report: packed, pipelined and scheduled programs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.cli.console import print_message
from ipu_asm.cli.mca import PROGRAM
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.packing.modulo import MAX_STAGES
from ipu_asm.flow.packing.observation import MAX_OBSERVED
from ipu_asm.flow.packing.pack import PackingError, plan_packing
from ipu_asm.flow.packing.pipeline import Options, label_at
from ipu_asm.flow.packing.proof import ProofError
from ipu_asm.ide.expansions import is_template
from ipu_asm.ide.template_writing import WrittenTemplate, blocks_of_lines
from ipu_asm.program.program import Program
from ipu_asm.text import counted

if TYPE_CHECKING:
    from ipu_asm.testbench.rewriting import OverlappedLoop, RebaseResult

_MAX_SEARCH_SECONDS = 5
"""Of processor time, to look for shorter loops: with all proofs, it takes below 10 s."""


def packed_text(analysis: Analysis) -> str | None:
    """Return the packed text of a program or template, and print what that saves.

    None if it cannot be packed, or not be proven to do the same; prints why.
    """
    path, program = analysis.source.path, analysis.effective_program
    try:
        from ipu_asm.testbench.packing import packed  # needs numpy

        template = WrittenTemplate(analysis) if is_template(analysis) else None
        blocks = None if template is None else {block.start for block in template.blocks()}
        result = packed(program, None, blocks)
        text = result.text if template is None else template.written(result.text)
    except PackingError as error:
        print_message(PROGRAM, f"{path}: not packed: {error}")
        return None
    if result.edits:
        proof = f"proven, and compared in {result.runs} runs on random data"
        _print_saved(path, result.bundles, result.cycles, proof)
    if template is not None:
        _print_left(path, template)
    elif not result.edits:
        message = f"nothing to pack in {result.bundles[0]:,} bundles"
        if result.is_at_bound:
            message += ": every block is at its bound"
        print_message(PROGRAM, f"{path}: {message}", "note")
    return text


def _print_left(path: str, template: WrittenTemplate) -> None:
    """Print what moves would save in blocks that a template does not write out."""
    plan = plan_packing(template.program)
    written = {block.start for block in template.blocks()}
    left = [b for b in plan.blocks if b.saved and b.addresses.start not in written]
    if not plan.saved_bundles:
        message = f"nothing to pack in {template.program.size:,} bundles"
        print_message(PROGRAM, f"{path}: {message}: no block becomes shorter", "note")
    for block in left:
        lines = template.lines_of(block.addresses)
        message = f"{lines}: moves would save {counted(block.saved, 'bundle')}"
        reason = "the template does not write this block out once: pack what `ipu-as expand` writes"
        print_message(PROGRAM, f"{path}: {message}, but {reason}", "note")


def rewritten_text(analysis: Analysis, *, pipeline: bool, rebase: bool) -> str | None:
    """Return the text of a program or template that is rebased, pipelined, or both, and packed.

    Prints what that saves. None if it cannot be done, or not be proven to do the same; prints why.
    """
    path, program = analysis.source.path, analysis.effective_program
    try:
        options = _options(pipeline=pipeline, rebase=rebase)
        if not is_template(analysis):
            return _rewritten(program, path, options, None)
        template = WrittenTemplate(analysis)
        labels = {label_at(program, block.start) for block in template.blocks()}
        options = options._replace(labels=frozenset(labels - {""}))
        text = template.written(_rewritten(program, path, options, template))
        _print_left(path, template)
        return text
    except PackingError as error:
        outcome = "not pipelined" if pipeline else "not rebased"
        print_message(PROGRAM, f"{path}: {outcome}: {error}")
        return None


def _options(*, pipeline: bool, rebase: bool) -> Options:
    stages, end = MAX_STAGES if pipeline else 1, time.process_time() + _MAX_SEARCH_SECONDS
    return Options(stages, not rebase, is_over=lambda: time.process_time() > end)


def _rewritten(
    program: Program, path: str, options: Options, template: WrittenTemplate | None
) -> str:
    # They need numpy.
    from ipu_asm.testbench.packing import packed, whole_cycles
    from ipu_asm.testbench.rewriting import pipelined, rebased

    source, before = program, whole_cycles(control_facts(program))
    found = None
    if not options.keeps_registers and (template is None or template.is_whole):
        try:
            found = rebased(program, options)
        except ProofError:
            raise
        except PackingError as error:
            if options.stages == 1:
                raise
            print_message(PROGRAM, f"{path}: not rebased: {error}", "note")
    if found is None:
        program, loops, _ = pipelined(program, options._replace(keeps_registers=True))
    else:
        _print_rebased(path, program, found)
        if found.is_long:
            message = f"updates are compared in the first {MAX_OBSERVED:,} of {before:,} cycles"
            print_message(PROGRAM, f"{path}: {message}, memory and registers at the end", "note")
        program, loops = found.program, found.loops
    for loop in loops:
        print_message(PROGRAM, f"{path}: {_loop_text(loop)}", "note")
    if options.is_over():
        message = f"the search ended after {_MAX_SEARCH_SECONDS} s: there may be shorter loops"
        print_message(PROGRAM, f"{path}: {message}", "note")
    blocks = None if template is None else blocks_of_lines(program, source, template.lines)
    final = packed(program, None, blocks)
    if final.text == source.text:
        message = f"no shorter loop or block in {counted(source.size, 'bundle')}"
        print_message(PROGRAM, f"{path}: {message}", "note")
        return final.text
    cycles = whole_cycles(control_facts(program)) if final.cycles is None else final.cycles[1]
    proof = "proven, and compared in runs on random data"
    _print_saved(path, (source.size, final.bundles[1]), (before, cycles), proof)
    return final.text


def scheduled_text(analysis: Analysis) -> str | None:
    """Schedule the regions of a program; return its text, and print the length of each region.

    None if that cannot be done, or not be proven; prints why.
    """
    from ipu_asm.testbench.scheduling import scheduled_with_proof  # needs the emulator

    path = analysis.source.path
    try:
        if analysis.expanded:
            raise PackingError("what macros or includes write is not scheduled")
        found, runs, reason = scheduled_with_proof(analysis.program)
    except PackingError as error:
        print_message(PROGRAM, f"{path}: not scheduled: {error}")
        return None
    for region in found.regions:
        operations = counted(len(region.operations), "operation")
        text = f"{operations} in {counted(region.interval or region.length, 'bundle')}"
        if region.interval:
            text += f" a turn, {counted(region.stages, 'turn')} overlap"
        print_message(PROGRAM, f"{path}: {region.region.name}: {text}", "note")
    proof = "each read sees the same result when results land"
    compared = [f"compared in {counted(runs, 'run')} on random data"] if runs else []
    compared += [f"not run{' again' if runs else ''}: {reason}"] if reason else []
    print_message(PROGRAM, f"{path}: proven: {'; '.join((proof, *compared))}", "note")
    return found.scheduled.text


def _loop_text(loop: OverlappedLoop) -> str:
    """Return what was done to a loop: its bundles, and the registers that it steps elsewhere."""
    sizes = "{} -> {}".format(*loop.bundles)
    text = f"loop {loop.label}: {sizes} bundles"
    if loop.stages > 1:
        text += f", {loop.stages} iterations overlap"
    for name, count in loop.moves.items():
        steps = counted(abs(count), "step")
        text += f", {name} {steps} {'ahead' if count > 0 else 'back'}"
    return text


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
