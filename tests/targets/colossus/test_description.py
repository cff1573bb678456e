"""The forms of Colossus: as many as the facts have, each documented, each readable."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import InstructionSpec
from ipu_asm.reports.pages import instruction_markdown
from ipu_asm.targets.colossus.registers import ALIASES, UNITS
from tests.targets.colossus.cases import SHARED

ISA = load_isa("colossus")
FORMS = [form for spec in ISA.instructions.values() for form in ISA.forms(spec)]


def check_page(mnemonic: str, *said: str) -> None:
    """The page that people read about an instruction has all of these texts."""
    page = instruction_markdown(ISA, ISA.instructions[mnemonic])
    assert [text for text in said if text not in page] == [], mnemonic


def traits_of(form: InstructionSpec) -> set[str]:
    names = {"control", "system", "alone", "load", "store", "worker", "supervisor"}
    return {form.slot, *(form.traits & names)}


def test_every_form_is_documented() -> None:
    for form in FORMS:
        assert form.doc.title, form.syntax
        assert form.doc.summary.endswith("."), form.syntax
        assert not form.doc.summary.startswith("The operation that is called"), form.syntax
        assert [line.partition(":")[0] for line in form.doc.operands] == [
            operand.name.partition(":")[0] for operand in form.operands
        ], form.syntax
        assert all(operand.description for operand in form.operands), form.syntax


def test_every_instruction_has_a_page() -> None:
    for mnemonic, spec in ISA.instructions.items():
        check_page(mnemonic, spec.doc.title, spec.doc.summary)


@pytest.mark.parametrize(
    ("mnemonic", "slots", "count"),
    [
        ("add", {"main"}, 2),
        ("or", {"main", "aux"}, 4),
        ("ld32", {"main"}, 8),
        ("f16v4add", {"aux"}, 3),
        ("rpt", {"main"}, 2),
        ("mov", {"main", "aux"}, 4),
        ("nop", {"main"}, 1),
        ("fnop", {"aux"}, 1),
        ("f16v4hihov4slic", {"aux"}, 1),
    ],
)
def test_forms_are_in_their_slots(mnemonic: str, slots: set[str], count: int) -> None:
    forms = ISA.forms(ISA.instructions[mnemonic])
    assert {form.slot for form in forms} == slots
    assert len(forms) == count


def test_everything_in_the_facts_is_known() -> None:
    path = SHARED / "colossus_facts.json"
    facts = json.loads(path.read_text("utf-8")) if path.is_file() else {"instructions": []}
    for fact in facts["instructions"]:
        forms = ISA.forms(ISA.instructions[fact["mnemonic"]])
        wanted = {fact["pipe"]}
        wanted |= {name for name in ("control", "system") if fact[name]}
        wanted |= {"load"} if fact["may_load"] else set()
        wanted |= {"store"} if fact["may_store"] else set()
        wanted |= set() if fact["can_coissue"] else {"alone"}
        wanted |= {fact["context"]} - {"both"}
        found = [f for f in forms if traits_of(f) == wanted]
        assert len(fact["operands"]) in {len(form.operands) for form in found}, fact["form"]


def test_registers_overlap_by_their_numbers() -> None:
    assert ISA.units("$a0:3") == {"$a0", "$a1", "$a2", "$a3"}
    assert ISA.units("$m14:15") == {"$m14", "$m15"}
    assert len(UNITS) == 2 * (16 + 8 + 4)
    assert set(ALIASES.values()) <= set(UNITS)


def test_operations_say_what_they_do_to_registers() -> None:
    [pace] = ISA.forms(ISA.instructions["ld2x64pace"])
    assert [operand.access for operand in pace.operands] == ["w", "w", "rw", "r", ""]
    [count] = ISA.forms(ISA.instructions["brnzdec"])
    assert [operand.access for operand in count.operands] == ["rw", ""]


def test_both_machines_have_the_memory_that_the_document_gives() -> None:
    sizes = {
        memory.name: [region.last + 1 - region.first for region in memory.regions]
        for memory in ISA.memories
    }
    assert sizes == {"gc200": [208 << 10, 416 << 10], "gc2": [128 << 10, 128 << 10]}
    assert ISA.memory is ISA.memories[0]
    other = load_isa("colossus", "gc2")
    assert other.memory == ISA.memories[1]
    assert other is load_isa("colossus", "gc2")
    assert other is not ISA


def test_the_machine_that_is_chosen_decides_what_is_in_memory() -> None:
    text = "setzi $m0, 0x40000\nld32 $m1, $m0, $mzero, 0\n"
    for memory, codes in (("", ["C201"]), ("gc200", ["C201"]), ("gc2", [])):
        found = Analyzer(load_isa("colossus", memory)).analyze(text).diagnostics
        assert [finding.code for finding in found] == codes


def test_nobody_else_pays_for_it() -> None:
    program = "import sys, ipu_asm; ipu_asm.analyze('acc;;'); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "ipu_asm.targets.colossus.description" not in done.stdout.split()
