"""Values after a run of `ipu-run`: those of `--print`, and memory compared by `--expect`."""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Sequence

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.run.host_options import Host
from ipu_asm.debugger.explanations import Writer, last_writer
from ipu_asm.debugger.expressions import NOTATIONS, Context, ExpressionError, element_text, evaluate
from ipu_asm.debugger.expressions.evaluator import Result
from ipu_asm.debugger.expressions.machine_view import MachineNames
from ipu_asm.debugger.expressions.program_names import check_names
from ipu_asm.debugger.regions import MEMORY, Region
from ipu_asm.emulator.state import AnyState
from ipu_asm.emulator.vliw import AnyMachine
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
    kernel: Kernel, machine: AnyMachine, host: Host, start: Callable[[], AnyState]
) -> list[Comparison]:
    """Compare memory after a run; `start` makes the state from before it. Raises `FileError`.

    Only a difference costs another run, which finds what wrote it.
    """
    state = machine.state
    memory = MachineData(state)
    found = []
    for piece in host.expected:
        address = piece.data.place.address
        differs = difference(state, content_of(piece, memory, is_load=False), address)
        writer = None
        if differs is not None:
            region = Region(MEMORY, differs.address, differs.size)
            writer = last_writer(kernel.lines, start(), host.settings, machine.cycles, region)
        found.append(Comparison(piece.data.source.text, address, differs, writer))
    return found


_FORMAT = re.compile(r"(.+?)\s*:\s*([A-Za-z]\w*)\s*", re.DOTALL)
_ROW = 16


class PrintedValue(NamedTuple):
    """An expression as it was written, and its value; or the message, if it has none."""

    text: str
    result: Result | None
    message: str = ""

    @property
    def lines(self) -> list[str]:
        """The text for people, none without a value; long vectors are in rows of 16 elements."""
        if self.result is None:
            return []
        value, notation = self.result.value, self.result.notation
        if not value.is_vector or len(value.numbers) <= _ROW:
            return [f"{self.text} = {self.result.text(None)}"]
        cells = _cells(self.result, notation)
        width = max(map(len, cells))
        rows = range(0, len(cells), _ROW)
        return [
            f"{self.text} =",
            *(
                f"{row:>5}: " + " ".join(cell.rjust(width) for cell in cells[row : row + _ROW])
                for row in rows
            ),
        ]

    def json(self) -> Any:
        """The value for JSON: a number, a truth value, a text, or a list of these."""
        if self.result is None:
            return None
        value = self.result.value
        if self.result.notation in ("x", "o", "b"):
            found: list[Any] = _cells(self.result, self.result.notation)
        else:
            found = [_plain(number) for number in value.numbers]
        return found if value.is_vector else found[0]


def debugger_text(text: str, names: MachineNames) -> str:
    """Return an expression of the debugger, with its format after a comma: `r0:i8` is `r0,i8`."""
    formatted = _FORMAT.fullmatch(text)
    if formatted and formatted[2].lower() in (*NOTATIONS, *names.types) and "?" not in formatted[1]:
        return f"{formatted[1]},{formatted[2]}"
    return text


def check_printed(context: Context, texts: Sequence[str]) -> None:
    """Check before the run that the names in expressions exist. Raises `ExpressionError`."""
    for text in texts:
        check_names(context, debugger_text(text, context.view.names))


def printed_values(context: Context, texts: Sequence[str]) -> list[PrintedValue]:
    """Evaluate expressions; those without a value have a message."""
    found = []
    for text in texts:
        try:
            result = evaluate(context, debugger_text(text, context.view.names))
            found.append(PrintedValue(text, result))
        except ExpressionError as error:
            found.append(PrintedValue(text, None, error.message))
    return found


def _cells(result: Result, notation: str | None) -> list[str]:
    """The elements as texts, in a notation of bits if there is one."""
    value = result.value
    numbers, kind = value.numbers, value.kind
    if value.raw_bits is not None and kind is not None and notation in ("u", "x", "o", "b"):
        numbers, kind = value.raw_bits, kind.unsigned()
    return [element_text(number, kind, notation) for number in numbers]


def _plain(number: int | float) -> int | float | str:
    """A number for JSON, which has no NaN and no infinity."""
    return number if math.isfinite(number) else str(number)
