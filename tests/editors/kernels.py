"""What is opened in the editors, and where things are in it."""

from __future__ import annotations

from tests.editors.user import PROJECT

EXAMPLE = (PROJECT / "examples" / "fully_connected.s").read_text(encoding="utf-8")
MISTAKEN = EXAMPLE.replace("reset_acc;;", "reset_ac;;")
MESSAGE = "unknown mnemonic `reset_ac`; did you mean `reset_acc`?"
WRAPPED = "    set lr0 40000;;\n    reset_ac;;\n    bkpt;;\n"  # a warning and an error

UNTIDY = (
    "turn:\nset lr0   1; set lr1 2;;   # two\n"
    "  add lr2 lr0 lr1;;\n  sub lr3 lr2 lr1;;\n   b turn;;\n"
)
TIDY = """turn:
  set lr0 1; set lr1 2;;   # two
  add lr2 lr0 lr1;;
  sub lr3 lr2 lr1;;
  b turn;;
"""
SHOWN = TIDY.replace("turn;;", "turn;;never ends")
"""A file and how it is formatted; shown, with the remark of the server after its loop."""

LOOP = """\
# counts lr1 up to eight

set lr1 0;;
set lr2 8;;
loop:
incr lr1 1;;
    blt lr1 lr2 loop;;
bkpt;;
"""
"""To debug: line 6 is bundle 2, lines 6 and 7 are the loop, line 8 halts."""

DOCUMENTED = """\
#   cr1 = WEIGHT_BASE (weights)
# Memory
#   0x20000  128 bytes  weights
    ldr_mult_reg r0 lr0 cr1;;
    bkpt;;
"""
"""Its inputs are found where a launch gives none: cr1, and random numbers for its weights."""

TEMPLATE = """\
# sums up the numbers 0, 1, 2

{% set total = "lr1" %} {# sum of the numbers #}
{% set number = "lr2" %} {# number to add #}
    set {{ total }} 0;;
{% for n in range(3) %}
    set {{ number }} {{ n }};;
    add {{ total }} {{ total }} {{ number }};;
{% endfor %}
    bkpt;;
"""
"""A template: names of registers, and a loop of three iterations in rows 5 to 8."""

SUM_OF_IPU2 = """\
# isa: ipu2
# cr2: number of rows; cr3: the factor; cr4: first row
    SET lr1 cr0; SET lr2 cr2; SET lr3 cr0;;
    LDR_CYCLIC_MULT_REG lr1 cr4 lr3;;
    MULT.RC.VE lr3 cr3 0 lr3 cr15; ACC.ADD.FIRST; INC lr1 1;;
    BGE lr1 lr2 done;;
row:
    LDR_CYCLIC_MULT_REG lr1 cr4 lr3;;
    MULT.RC.VE lr3 cr3 0 lr3 cr15; ACC.ADD; INC lr1 1;;
    BLT lr1 lr2 row;;
done:
    BKPT;;
"""
"""Sums up rows of memory, times a number, in the accumulator; a kernel of the IPU 2."""


def place(text: str, words: str, inside: str = "") -> tuple[int, int]:
    """Row and column, from 0, at which `inside` starts in the first `words` of a text."""
    offset = text.index(words) + words.index(inside)
    return text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1


ROW, COLUMN = place(MISTAKEN, "reset_ac;;")
"""Where the mistake is, which is eight letters long."""
