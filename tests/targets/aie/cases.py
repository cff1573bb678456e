"""Short texts with what the vendor's assembler says of them; the facts, where they are there."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import InstructionSpec
from ipu_asm.isa.operands import OperandType
from ipu_asm.targets.aie.operands import (
    BracketType,
    FixedType,
    ImmediateType,
    RegisterClass,
    SuffixedClass,
    TargetType,
)

# Beside the project, not part of it.
SHARED = Path(__file__).resolve().parents[4] / "shared"
SETS = {"aie2": "xdna1", "aie2p": "xdna2"}
NAMES = tuple(SETS.values())


class Case(NamedTuple):
    """A line, and whether it is accepted; else the operation that is refused."""

    isa: str
    source: str
    refused: str = ""


# The vendor refuses these: out of range, in a full slot, or with an operand of another sort.
REFUSED = (
    Case("xdna1", "padda [p0], #4; padda [p0], #4", "padda"),
    Case("xdna1", "add r0, r0, r0; add r0, r0, r0", "add"),
    Case("xdna1", "padda [p1], #4; add r0, r0, r1; mov r2, r1; lda r0, [p0, #0]", "lda"),
    Case("xdna1", "padda [p0], #2060", "padda"),
    Case("xdna1", "padda [p0], #6", "padda"),
    Case("xdna1", "padda [sp], #150000", "padda"),
    Case("xdna1", "padda [sp], #22", "padda"),
    Case("xdna1", "mova r0, #2000", "mova"),
    Case("xdna1", "padda [p0], MCD", "padda"),
    Case("xdna1", "vmov.hi cm0, MCD", "vmov.hi"),
    Case("xdna1", "vlda wl0, [sp, #0]", "vlda"),
    Case("xdna2", "vlda.fill.512 [p1, lf1, r25, 100]", "vlda.fill.512"),
    Case("xdna2", "vlda wl1, [0], m1", "vlda"),
    Case("xdna2", "vlda wl1, [r0]", "vlda"),
    Case("xdna2", "vlda wl1, [b10]", "vlda"),
)
ACCEPTED = (
    Case("xdna1", "padda [p1], #4; add r0, r0, r1; mov r2, r1"),
    Case("xdna1", "padda [p1], #4; movxm r2, #64"),
    Case("xdna1", "nopa; nopb; nopx; nops; nopm; nopv"),
    Case("xdna1", "nopa; nopb; nops; nopxm; nopv"),
    Case("xdna1", "lda lr, [sp, #-28]"),
    Case("xdna1", "vlda wl3, [sp, #-1024]"),
    Case("xdna1", "vldb.3d wl2, [p1], d1"),
    Case("xdna1", "vst.3d amll6, [p5], d3"),
    Case("xdna1", "padda [sp], #32"),
    Case("xdna1", "padda.2d [p7], d4"),
    Case("xdna1", "mov p6, sp"),
    Case("xdna2", "lda p3, [p1, #28]"),
    Case("xdna2", "vlda.pop.512.3d x0, [p0, lf0, r24, d2]"),
    Case("xdna2", "vldb.pop.576  ex10, [p1, lf1, r25]"),
    Case("xdna2", "paddxm [sp], #64"),
    Case("xdna2", "padda [p0], #-64"),
)


def facts(name: str) -> Any:
    """A file of the facts; None where they are not there."""
    path = SHARED / "isa" / "facts" / name
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


@lru_cache(maxsize=1)
def vendor_cases() -> tuple[Case, ...]:
    """The cases of the vendor's tests: all of them, or those that are written here."""
    found = facts("xdna_mc_expectations.json")
    if found is None:
        return REFUSED + ACCEPTED
    refused = {(case.isa, case.source): case for case in REFUSED}
    return tuple(_case(entry, refused) for entry in found["cases"])


def _case(entry: dict[str, str], refused: dict[tuple[str, str], Case]) -> Case:
    isa, source = SETS[entry["arch"]], entry["source"]
    is_refused = entry["expect"].startswith("error")
    return refused[isa, source] if is_refused else Case(isa, source)


@lru_cache(maxsize=2)
def analyzer_of(isa: str) -> Analyzer:
    """One analyzer for each set: they remember what they have read."""
    return Analyzer(load_isa(isa))


def analyze(isa: str, text: str) -> Analysis:
    """The analysis of a text."""
    return analyzer_of(isa).analyze(text)


def errors_in(isa: str, text: str) -> list[Diagnostic]:
    """The errors of a text."""
    return [f for f in analyze(isa, text).diagnostics if f.severity is Severity.ERROR]


def specs_of(isa: str) -> list[InstructionSpec]:
    """Every form of every operation."""
    found = load_isa(isa)
    return [form for spec in found.instructions.values() for form in found.forms(spec)]


def written(spec: InstructionSpec, pick: int = 0) -> str:
    """A form as somebody may write it, with other operands for each `pick`."""
    texts = [_operand(operand.type, pick) for operand in spec.operands]
    return f"{spec.mnemonic} {', '.join(texts)}".strip()


def _operand(kind: object, pick: int) -> str:
    if isinstance(kind, BracketType):
        return f"[{', '.join(_operand(element.type, pick) for element in kind.elements)}]"
    if isinstance(kind, SuffixedClass):
        return _operand(kind.inner, pick) + kind.suffixes[0]
    if isinstance(kind, RegisterClass):
        return kind.registers[pick % len(kind.registers)]
    if isinstance(kind, FixedType):
        return kind.word
    if isinstance(kind, TargetType):
        return "#elsewhere"
    assert isinstance(kind, ImmediateType)
    if kind.minimum is None or kind.maximum is None:
        return "#8"
    steps = (kind.maximum - kind.minimum) // kind.step
    return f"#{kind.minimum + kind.step * (pick % (steps + 1))}"


def immediates_of(kind: OperandType) -> list[ImmediateType]:
    """The bounded immediates of an operand."""
    if isinstance(kind, BracketType):
        return [found for element in kind.elements for found in immediates_of(element.type)]
    is_bounded = isinstance(kind, ImmediateType) and kind.minimum is not None
    return [kind] if is_bounded and isinstance(kind, ImmediateType) else []


@lru_cache(maxsize=4)
def listing(number: int) -> str:
    """A listing of the document without its line numbers; empty where the document is not there."""
    path = next(iter(sorted((SHARED / "seeds").glob("002_*.txt"))), None)
    if path is None:
        return ""
    text = path.read_text(encoding="utf-8")
    found = re.search(rf"^Listing {number} .*?\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    lines = (re.sub(r"^ ?\d+", "", line, count=1) for line in found[1].splitlines())
    return "".join(f"{line}\n" for line in lines)
