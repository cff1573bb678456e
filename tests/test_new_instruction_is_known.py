"""After one entry in `INSTRUCTION_SPEC`, every part of the toolchain knows the instruction."""

from __future__ import annotations

from typing import Iterator

import pytest

from ipu_asm import analyze, assemble, disassemble
from ipu_asm.ide.completion.completion import completions
from ipu_asm.ide.hover import hover
from ipu_asm.isa import load_isa
from ipu_asm.reports.pages import explain
from ipu_asm.reports.reference import reference_files
from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC, InstructionDoc

TEXT = "my_new_instruction r0 r1 mem_bypass; incr lr0 1;;\nbkpt;;\n"


@pytest.fixture(autouse=True)
def _entry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The entry of the "Adding Instructions" document, at the end of the mult slot."""
    entry = {
        "operands": [
            {"name": "dest", "type": "MultStageReg"},
            {"name": "src_a", "type": "MultStageReg", "read": "snapshot"},
            {"name": "src_b", "type": "MultStageReg", "read": "snapshot"},
        ],
        "doc": InstructionDoc(
            title="My New Operation",
            summary="Adds two registers element by element.",
            syntax="my_new_instruction Rd Ra Rb",
            operands=["Rd: where the sums go", "Ra: first addends", "Rb: second addends"],
            operation="Rd[i] = Ra[i] + Rb[i]",
            example="my_new_instruction r0 r1 mem_bypass;;",
        ),
        "execute_fn": "execute_my_new_instruction",
    }
    monkeypatch.setitem(INSTRUCTION_SPEC["mult"], "my_new_instruction", entry)
    yield
    monkeypatch.undo()
    load_isa("ipu")


def check_findings(text: str) -> list[str]:
    """The names of what is found in a text."""
    return [finding.name for finding in analyze(text).diagnostics]


def test_the_linter_accepts_it_and_counts_its_slot() -> None:
    loads = "".join(f"ldr_mult_reg {name} lr0 cr0;;" for name in ("r1", "mem_bypass"))
    assert check_findings(loads + TEXT) == []
    assert check_findings("my_new_instruction r0 r1 r1; mult.ee r0 lr0 lr1 lr2; bkpt;;") == [
        "duplicate-slot"
    ]
    assert check_findings("my_new_instruction r0 r1; bkpt;;") == ["too-few-operands"]


def test_the_disassembler_writes_it_back() -> None:
    words = assemble(TEXT)
    text = disassemble(words)
    assert "my_new_instruction r0 r1 mem_bypass" in text
    assert assemble(text) == words


def test_hover_shows_its_documentation_and_its_bits() -> None:
    found = hover(analyze(TEXT), 3)
    assert found is not None
    bits = f"opcode 143:141 = {len(INSTRUCTION_SPEC['mult']) - 1}"
    for part in ("My New Operation", "Adds two registers", "first addends", bits):
        assert part in found.markdown


def test_hover_on_an_operand_tells_which_one_it_is() -> None:
    found = hover(analyze(TEXT), TEXT.index("r1"))
    assert found is not None
    assert "`src_a` of `my_new_instruction`" in found.markdown


def test_completion_offers_it_and_its_operands() -> None:
    names = [item.label for item in completions(analyze("my_n"), 4)]
    assert "my_new_instruction" in names
    operands = [item.label for item in completions(analyze("my_new_instruction "), 19)]
    assert operands == ["r0", "r1", "mem_bypass"]


def test_the_reference_and_explain_have_its_page() -> None:
    page = reference_files(load_isa("ipu"))["md"][1]
    assert "### `my_new_instruction`" in page
    assert "A word has 183 bits" in page
    assert "My New Operation" in (explain("my_new_instruction", load_isa("ipu")) or "")
