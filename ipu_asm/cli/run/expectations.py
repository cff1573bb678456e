"""The option `--expect` of `ipu-run`: what memory should be after the run."""

from __future__ import annotations

from typing import Any, Callable

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.run.execution import RunOutcome
from ipu_asm.cli.run.host_options import Host
from ipu_asm.debugger.explanations import Writer, last_writer
from ipu_asm.debugger.regions import MEMORY, Region
from ipu_asm.emulator.state import AnyState
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.data.conversion import MachineData
from ipu_asm.testbench.data.memory import Difference, content_of, difference


class Comparison(NamedTuple):
    """An expectation; `difference` is None if it holds, `writer` wrote the first wrong element."""

    text: str
    address: int
    difference: Difference | None
    writer: Writer | None = None

    @property
    def lines(self) -> list[str]:
        """The message about a difference, and the lines below it."""
        if self.difference is None:
            return []
        first, *rest = self.difference.report.splitlines()
        wrote = f"written by {self.writer}" if self.writer else "nothing in this run wrote it"
        return [f"{self.text}: {first}; {wrote}", *rest]

    def json(self) -> dict[str, Any]:
        """Return the comparison as an object of the JSON result."""
        found: dict[str, Any] = {
            "expected": self.text,
            "address": self.address,
            "equal": self.difference is None,
        }
        if self.difference is None:
            return found
        writer = self.writer
        return {
            **found,
            "message": self.difference.report.splitlines()[0],
            "index": list(self.difference.place),
            "differing": self.difference.differing,
            "elements": self.difference.elements,
            "written_by": writer and {
                "instruction": writer.instruction,
                "bundle": writer.pc,
                "cycle": writer.cycle,
                "place": writer.where,
            },
        }  # fmt: skip


def compared(
    kernel: Kernel,
    outcome: RunOutcome,
    host: Host,
    start: Callable[[], AnyState],
) -> list[Comparison]:
    """Compare memory after a run; `start` makes the state from before it. Raises `FileError`.

    Only a difference costs another run, which finds what wrote it.
    """
    state = outcome.machine.state
    machine = MachineData(state)
    found = []
    for piece in host.expected:
        address = piece.data.place.address
        differs = difference(state, content_of(piece, machine, is_load=False), address)
        writer = None
        if differs is not None:
            region = Region(MEMORY, differs.address, differs.size)
            writer = last_writer(kernel.lines, start(), host.settings, outcome.cycles, region)
        found.append(Comparison(piece.data.source.text, address, differs, writer))
    return found
