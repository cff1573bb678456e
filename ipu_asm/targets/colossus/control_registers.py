"""Control and status registers of Colossus as operands, and what they are."""

from __future__ import annotations

import re
from typing import Mapping, Sequence

from ipu_asm.diagnostics import UNKNOWN_KEYWORD, WRONG_OPERAND_TYPE, UnplacedFinding
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.operands import Choice, OperandType, quoted
from ipu_asm.targets.colossus.operands import NumberOperand, Range
from ipu_asm.targets.colossus.registers import CSR_MODES, CSR_NUMBERS

_NUMBER = re.compile(r"\d+")
_CONTROL = re.compile(r"\$[A-Z][A-Z0-9_]*")
_EXCEPTIONS = "0 INV (invalid operation), 1 DIV0 (division by zero), 2 OFLO (overflow)"

_CONTROL_LETTERS = (
    f"bits that raise an exception: {_EXCEPTIONS}; bit 19 ESR (stochastic rounding), "
    "bit 20 NANOO (a half that overflows becomes NaN)"
)

_SUMMARIES = {
    "$PC": "program counter",
    "$DBG_DATA": "value for the debugger",
    "$DBG_BRK_ID": "number of the breakpoint that was reached",
    "$SSR": "status of the supervisor; bits 7:4 ETYPE (kind of exception)",
    "$TILE_ID": "number of this tile",
    "$FP_ICTL": f"floating-point control that workers start with; {_CONTROL_LETTERS}",
    "$WORKER#_BASE": "base address of the memory of worker #",
    "$CCCSLOAD": "address that ld64putcs and ld128putcs load from; they move it on",
    "$SCOUNT_L": "cycle counter of the tile, lower 32 bits",
    "$SCOUNT_U": "cycle counter of the tile, upper 32 bits",
    "$CTXT_STS": "status of the supervisor and of all workers, two bits each",
    "$INCOMING_MUX": "exchange: tile to receive from",
    "$INCOMING_MUXPAIR": "exchange: tile to receive from, of a pair",
    "$INCOMING_DCOUNT": "exchange: data still to receive",
    "$EXCHANGE_CTL": "exchange control",
    "$FP_INFMT": "number formats of quarter (8-bit) operands of convolutions; "
    "bit 0 CWEI_FMT (weights), bit 1 ARF_FMT (inputs)",
    "$FP_ISCL": "scale of quarter (8-bit) products of convolutions: the sum of the exponents of "
    "the weights' and of the inputs' scale",
    "$CWEI_#_#": "weight of the convolution instructions, shared by all workers",
    "$WSR": "status of the worker; bits 2:0 CTXTID_M1 (its number), 7:4 ETYPE (kind of exception), "
    "9 ERPT (meaning not public)",
    "$VERTEX_BASE": "address of the vertex that the worker runs",
    "$WORKER_BASE": "base address of the worker's memory",
    "$REPEAT_COUNT": "repeats still to do of a repeat block; 12 bits",
    "$REPEAT_FIRST": "address of the first bundle of a repeat block",
    "$REPEAT_END": "address of the end of a repeat block",
    "$COUNT_L": "cycle counter, lower 32 bits",
    "$COUNT_U": "cycle counter, upper 32 bits",
    "$FP_STS": f"floating-point status; bits that say what happened: {_EXCEPTIONS}",
    "$FP_CLR": f"floating-point status to clear; bits to write as 1: {_EXCEPTIONS}; "
    "bit 3 ZAACC (zeroes the accumulators)",
    "$FP_CTL": f"floating-point control; {_CONTROL_LETTERS}; bits 18:16 RND (rounding mode)",
    "$PRNG_#_#": "state of the random number generator; 32 of its 128 bits",
    "$PRNG_SEED": "seed of the random number generator; a write sets its whole state",
    "$TAS": "scales of axpy and mix; two halves, bits 15:0 and 31:16",
    "$FP_NFMT": "number format of quarter (8-bit) values",
    "$FP_SCL": "scale of quarter (8-bit) values in conversions",
}
"""What the control and status registers are, and their fields as far as published.

Positions of fields are those that Graphcore's public headers name; the meanings of the
floating-point fields are those of PopLibs' `FloatingPointBehaviour` and of the published tile
vertex ISA. Which bit of `$FP_INFMT` is for which operand, and that `$FP_ISCL` takes a sum, are
from PopLibs' convolutions in quarter. A register without a public description has no entry, and
fields of which only the names are public say so.
"""


class ControlRegister(OperandType):
    """A control and status register, by name or by number."""

    def __init__(self, name: str, registers: Mapping[str, int], what: str) -> None:
        """`registers` maps each name to its number."""
        super().__init__(name, 8)
        self.registers = dict(registers)
        self.what = what
        self._number = NumberOperand(name, 8, Range(0, 255))
        self._vocabulary = Vocabulary(tuple(registers))

    def parse(self, text: str) -> int | UnplacedFinding | None:
        if text in self.registers:
            return self.registers[text]
        if text in CSR_NUMBERS:
            return CSR_NUMBERS[text]  # a control register of the other pipeline
        if _CONTROL.fullmatch(text):
            nearest = self._vocabulary.intended(text)
            if nearest is None or nearest.rstrip("0123456789") == text.rstrip("0123456789"):
                return None  # possibly a control register of another hardware generation
            message = f"expected {self.describe()}, found {quoted(text)}"
            return UnplacedFinding(
                UNKNOWN_KEYWORD, message, nearest, dropped_if_defined=(text[1:],)
            )
        value = self._number.parse(text)
        if isinstance(value, UnplacedFinding) and value.rule is WRONG_OPERAND_TYPE:
            message = f"expected {self.describe()}, found {quoted(text)}"
            return value._replace(message=message)
        return value if not isinstance(value, str) else None

    def checked(self, value: int, text: str) -> int | UnplacedFinding:
        """Return the number of a register, or the finding that it is out of range."""
        return self._number.checked(value, text)

    def mode(self, text: str) -> str:
        return CSR_MODES.get(text, "")

    def describe(self) -> str:
        shown = " or ".join(f"`{name}`" for name in list(self.registers)[:2])
        return f"{self.what} such as {shown}, or its number from 0 to 255"

    def complete(self) -> Sequence[Choice]:
        return [Choice(name, self._about(name, code)) for name, code in self.registers.items()]

    def _about(self, name: str, code: int) -> str:
        summary = _summary_of(name)
        return f"{summary or self.what} ({code:#x})"


def _summary_of(name: str) -> str:
    """Return what a control and status register is, such as "cycle counter"; "" if unknown."""
    numbers = _NUMBER.findall(name)
    summary = _SUMMARIES.get(name) or _SUMMARIES.get(_NUMBER.sub("#", name), "")
    return summary.replace("#", numbers[0]) if numbers else summary
