"""Check that control flow enters and leaves two adjacent bundles only together."""

from __future__ import annotations

from ipu_asm.bundle.instruction import Instruction
from ipu_asm.ide.refactorings.offer import RefactoringError
from ipu_asm.isa.operands import quoted
from ipu_asm.program.program import Program


def check_straight_line(program: Program, first: int, second: int) -> None:
    """Raise `RefactoringError` unless the second bundle always follows the first, and only it."""
    _check_goes_on(program, first)
    label = program.bundles[second].label
    if label is not None:
        raise RefactoringError(f"the label {quoted(label)} stands between the bundles")
    address = program.addresses[second]
    if any(reference.target == address for reference in program.references):
        raise RefactoringError(
            f"a branch targets {program.isa.unit} {address}, the second of the two"
        )
    if any(is_break(instruction) for instruction in program.bundles[second].instructions):
        raise RefactoringError(
            "a debugger may stop between the bundles: the second one has a break"
        )
    check_no_indirect_branch(program)


def check_no_indirect_branch(program: Program) -> None:
    """Raise `RefactoringError` if a branch of the program takes its target from a register."""
    if any(bundle.flow == "indirect" for bundle in program.bundles):
        raise RefactoringError("a branch of this program takes its target from a register")


def is_break(instruction: Instruction) -> bool:
    """Check whether an instruction can make a debugger stop before its bundle."""
    return instruction.spec is not None and instruction.spec.flow == "break"


def may_branch(instruction: Instruction) -> bool:
    """Check whether an instruction may transfer control away from the next bundle, or halt."""
    return instruction.spec is not None and instruction.spec.flow not in (None, "break")


def _check_goes_on(program: Program, number: int) -> None:
    for instruction in program.bundles[number].instructions:
        if may_branch(instruction):
            text = quoted(" ".join(instruction.words))
            raise RefactoringError(f"{text} may leave the first bundle before the second one runs")
