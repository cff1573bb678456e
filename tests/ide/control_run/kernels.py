"""A kernel of which everything is known, and its analysis with values of the host."""

from __future__ import annotations

import re

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.ide.hover import hover
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import SourceSettings

KERNEL = """\
    set lr3 126; set lr4 -256;;
    set lr5 1152;;
row:
    set lr1 -128; set lr2 -1; ldr_mult_reg r0 lr0 cr0; reset_acc;;
element:
    incr lr1 128; incr lr2 1; ldr_cyclic_mult_reg lr1 cr1 lr6;
    mult.ve r0 lr6 lr6 lr6 lr2; acc; bne lr2 lr3 element;;
    incr lr0 128; incr lr4 256; str_acc_reg lr4 cr2; bne lr0 lr5 row;;
    bkpt;;
"""
HOST = {"cr0": 0, "cr1": 0x20000, "cr2": 0x40000}
WAITING = "add lr2 lr3 cr4;;\nl: incr lr1 1; ldr_mult_reg r0 lr0 cr1;;\nblt lr1 lr2 l;;\nbkpt;;\n"
"""A loop whose trips depend on cr4."""


def analysed(text: str, host: dict[str, int] | None = None) -> Analysis:
    return Analyzer(load_isa("ipu")).analyze(text, settings=SourceSettings(presets=host or {}))


def page(text: str, what: str, host: dict[str, int] | None = None, number: int = 1) -> str:
    """The hover page of the n-th `what`."""
    start = [match.start() for match in re.finditer(re.escape(what), text)][number - 1]
    found = hover(analysed(text, host), start)
    return found.markdown if found else ""


def lines_of(shown: str) -> list[str]:
    """The lines of a list about the whole run."""
    mark = "- In the whole run: "
    return [line.removeprefix(mark) for line in shown.splitlines() if line.startswith(mark)]
