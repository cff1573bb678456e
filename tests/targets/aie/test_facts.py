"""The tables say what the facts say, where the facts are there."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from ipu_asm.isa.model import InstructionSpec
from tests.targets.aie.cases import facts, immediates_of, specs_of

FILES = {"xdna1": "xdna1_aie2_instructions.json", "xdna2": "xdna2_aie2p_instructions.json"}
# Of these the facts give bounds that other sources contradict; the tables allow what either does.
DOUBTFUL = (
    *("lda.s16", "lda.u16", "st.s16", "vst.128", "vextbcst", "mov.ph", "movxm"),
    *("jl", "jz", "jnz", "j"),
)
PADDA = (-131072, 131040, 32)
"""The range that the vendor's messages give."""

Ranges = Counter[tuple[str, str, int, int, int]]


def check_ranges(isa: str, expected: Ranges) -> None:
    """The bounded immediates of a set are those."""
    found: Ranges = Counter()
    for spec in specs_of(isa):
        if not spec.mnemonic.startswith(DOUBTFUL):
            found.update(set(_ranges_of(spec)))
    missing = set(expected) - set(found)
    assert missing == set()
    # Where the facts about instructions are silent or unreliable, those about words are not.
    assert {key[1:] for key in set(found) - set(expected)} <= ranges_of_words(isa)


def _ranges_of(spec: InstructionSpec) -> list[tuple[str, str, int, int, int]]:
    return [
        (spec.mnemonic, spec.slot, kind.minimum, kind.maximum, kind.step)
        for operand in spec.operands
        for kind in immediates_of(operand.type)
        if kind.minimum is not None and kind.maximum is not None
    ]


def ranges_of_words(isa: str) -> set[tuple[str, int, int, int]]:
    """The slot and range of each immediate that a word can hold."""
    return {
        (form["slot"], operand["min"], operand["max"], operand["step"])
        for form in (facts(f"{isa}_words.json") or {"forms": ()})["forms"]
        for operand in form["operands"]
        if operand["kind"] == "immediate"
    }


def entries(isa: str) -> list[dict[str, Any]]:
    """What the facts say of the forms of a set; nothing where they are not there."""
    found = facts(FILES[isa])
    return found["instructions"] if found else []


def slot_of(entry: dict[str, Any]) -> str:
    return str(entry["slot"]).partition("(")[0]


def test_the_ranges_of_xdna1_are_those_of_the_facts() -> None:
    expected: Ranges = Counter()
    for entry in entries("xdna1"):
        for operand in entry["operands"]:
            certain = operand.get("range_confidence") == "encoding width x step"
            if certain and not entry["mnemonic"].startswith(DOUBTFUL):
                bounds = (*operand["range"], operand["scale"])
                expected[entry["mnemonic"], slot_of(entry), *bounds] += 1
            elif operand.get("kind") == "lock_id":
                expected[entry["mnemonic"], slot_of(entry), 0, 63, 1] += 1
    if expected:
        check_ranges("xdna1", expected)
    assert PADDA in {key[2:] for spec in specs_of("xdna1") for key in _ranges_of(spec)}


def test_the_ranges_of_xdna2_are_those_of_the_facts() -> None:
    expected: Ranges = Counter()
    for entry in entries("xdna2"):
        for operand in entry["operands"]:
            is_half = "}[{" in entry["form"]
            if operand["kind"] == "immediate" and "what" not in operand and not is_half:
                bounds = (operand["min"], operand["max"], operand["step"])
                if not entry["mnemonic"].startswith(DOUBTFUL):
                    expected[entry["mnemonic"], slot_of(entry), *bounds] += 1
    if expected:
        check_ranges("xdna2", expected)
    ranges = {key[2:] for spec in specs_of("xdna2") for key in _ranges_of(spec)}
    assert (-512, 448, 64) in ranges


@pytest.mark.parametrize("isa", FILES)
def test_results_land_when_the_facts_say(isa: str) -> None:
    known: dict[tuple[str, str], set[int | None]] = {}
    for spec in specs_of(isa):
        cycles = {operand.def_cycle for operand in spec.operands if operand.name == "dst"}
        known.setdefault((spec.mnemonic, spec.slot), set()).update(cycles)
    for entry in entries(isa):
        # These name their pointer before their result.
        streams = entry["mnemonic"].startswith(("vldb.compr", "vldb.sparse"))
        cycles = known[entry["mnemonic"], slot_of(entry)]
        if entry["first_operand"] == "destination" and cycles and not streams:
            # Where the facts are silent the tables may know.
            assert entry["result_cycle"] in {None, *cycles}, entry["form"]
    assert known["vmac.f", "vec"] == {6}
