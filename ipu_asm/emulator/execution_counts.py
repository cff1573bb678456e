"""How often bundles were executed, and how often their branches were taken and not taken.

The core counts them itself. Both engines give the same numbers.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Sequence

from ipu_asm.assembler.decode import DecodedInstruction, decode_slot
from ipu_asm.emulator.decode import branch_target
from ipu_asm.emulator.machine import Machine, StopTest, Transitions
from ipu_asm.emulator.recording import Recording
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple


class BranchCount(NamedTuple):
    """How often a conditional branch was taken, and how often not."""

    taken: int
    not_taken: int


class ConditionalBranch(NamedTuple):
    """A conditional branch of a program: the address of its bundle, and where it leads."""

    pc: int
    instruction: DecodedInstruction
    target: int


class ExecutionCounts:
    """Executions of the bundles of one program, over any number of runs of any machines.

    `executions` are by address; `departures[a, b]` counts how often bundle a led to address b,
    which may be beyond the end of the program. A bundle that faults is not counted; the departure
    to it is.
    """

    def __init__(self) -> None:
        self.executions: Counter[int] = Counter()
        self.departures: Transitions = Counter()

    def run(self, machine: Machine, limit: int, stop: StopTest | None = None) -> int:
        """Run as `Machine.run` does, and count."""
        recording = Recording()
        try:
            return recording.run(machine, limit, stop)
        finally:
            self.add(recording, machine.state.program_counter)

    def add(self, recording: Recording, end: int) -> None:
        """Add what was recorded; `end` is the program counter behind its last bundle."""
        self.executions.update(recording.visits)
        self.departures.update(recording.transitions)
        if recording.last is not None:
            self.departures[recording.last, end] += 1

    def branches(self, isa: Isa, words: Sequence[int]) -> dict[int, BranchCount]:
        """Return the counts of the conditional branches of the program, by address."""
        return {
            branch.pc: BranchCount(
                self.departures[branch.pc, branch.target],
                self.departures[branch.pc, branch.pc + 1],
            )
            for branch in conditional_branches(isa, tuple(words))
        }


@lru_cache(maxsize=16)
def conditional_branches(isa: Isa, words: tuple[int, ...]) -> tuple[ConditionalBranch, ...]:
    """Return the conditional branches of a program, those to the next bundle left out.

    These have one way only, so that nothing tells whether they were taken.
    """
    return tuple(
        ConditionalBranch(pc, instruction, target)
        for pc, word in enumerate(words)
        for slot in isa.slots
        for instruction in decode_slot(isa, slot, word)
        if instruction.spec is not None and instruction.spec.flow == "branch"
        if (target := branch_target(instruction)) is not None and target != pc + 1
    )
