"""Debuggers on small programs, and sessions at the debug console.

The scripts `sessions/NAME.txt` are what is typed, and below it what is answered;
`python -m tests.debugger.sessions` writes the answers of now.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Callable, Mapping

from ipu_asm.assembler.encode import assemble
from ipu_asm.debugger.breakpoints import DEFAULT_TRAPS, Condition, Trap
from ipu_asm.debugger.console import Console
from ipu_asm.debugger.debugger import Debugger, DebugOptions
from ipu_asm.debugger.expressions import ExpressionError, LiveContext
from ipu_asm.emulator import IpuState
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable
from tests.scripts import Script, write_answers

LOOP = """\
# counts lr1 up to eight, and stores the accumulator meanwhile
set lr1 0; set lr2 8;;
set lr3 128;;
outer:
incr lr4 1;;
inner: incr lr1 1; str_acc_reg lr5 cr0;;
    add lr5 lr5 lr3;
    ldr_mult_reg r0 lr1 cr1;;
    break.ifeq lr1 5; blt lr1 lr2 inner;;

set lr1 0; blt lr4 lr3 outer;;
bkpt;;
"""
"""Bundle 2 is `outer`, 3 to 5 are the inner loop, 6 repeats it 127 times, 7 halts."""


FOLDER = Path(__file__).with_name("sessions")
NAMES = {"rows": "lr4", "half": "acc[0..63]"}
NO_TRAPS: Mapping[Trap, Condition | None] = {}


def debugger_on(
    text: str,
    traps: Mapping[Trap, Condition | None] = DEFAULT_TRAPS,
    prepare: Callable[[IpuState], None] = lambda state: None,
    **options: Any,
) -> Debugger:
    """A debugger on a machine that is all zero but for the program and what `prepare` does."""
    program = read_program(load_isa("ipu"), text)
    state = IpuState()
    state.load_program(assemble(text), LineTable(program))
    prepare(state)
    debugger = Debugger(LineTable(program), state, DebugOptions(**options))
    debugger.breakpoints.traps = traps
    return debugger


def console_on(debugger: Debugger, labels: dict[str, int] | None = None) -> Console:
    labels = {**debugger.program.label_addresses, **(labels or {})}
    return Console(debugger, lambda: LiveContext(debugger.state, debugger.cycle, labels, NAMES))


def play(script: Script) -> list[str]:
    """The lines of a script with the answers of now; `«»` is put around what a mistake is about."""
    console = console_on(debugger_on(LOOP, NO_TRAPS))

    def answer(line: str) -> str:
        typed = line.replace("«", "").replace("»", "")
        try:
            return console.run(typed).text
        except ExpressionError as error:
            start, end = error.span
            marked = f"{typed[:start]}«{typed[start:end]}»{typed[end:]}"
            return f"! {error.message}" if marked == line else f"! {error.message}: {marked}"

    return script.played(answer)


if __name__ == "__main__":
    write_answers(FOLDER, sys.argv[1:], play)
