"""The code that CONTRIBUTING.md shows does what the page says."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.assembler.encode import assemble
from ipu_asm.emulator import DType, Ipu, IpuState
from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC, InstructionDoc
from tests.marked import unmarked

PAGE = (Path(__file__).resolve().parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")


def defined_by(start: str, names: dict[str, Any]) -> dict[str, Any]:
    """The names after the block of Python code that begins with a text."""
    blocks = re.findall(r"^ +(`{3,})python\n(.*?)^ +\1$", PAGE, re.S | re.M)
    codes = [code for _, block in blocks if (code := textwrap.dedent(block)).startswith(start)]
    assert len(codes) == 1
    code = f"ENTRY = {{\n{codes[0]}}}" if start[0] == '"' and ":" in start else codes[0]
    exec(code, names)
    return names


def test_the_rule_finds_what_its_examples_mark() -> None:
    rule = defined_by('"""A loop register', {})["RULE"]
    for example in (*rule.valid, *rule.invalid):
        text, spans = unmarked(example)
        found = rule.check_program(analyze(text).program)
        assert [finding.span for finding in found] == spans


def test_the_instruction_does_what_its_operation_says(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = defined_by('"mult.sq":', {"InstructionDoc": InstructionDoc})["ENTRY"]["mult.sq"]
    monkeypatch.setitem(INSTRUCTION_SPEC, "mult", {**INSTRUCTION_SPEC["mult"], "mult.sq": entry})
    method = defined_by("def execute_mult_sq", {"np": np})["execute_mult_sq"]
    monkeypatch.setattr(Ipu, "execute_mult_sq", method, raising=False)
    state = IpuState()
    state.set_cr_dtype(DType.INT8)
    state.regfile.set_register_bytes("r", 0, bytes(range(128)))
    state.load_program(assemble(entry["doc"].example))
    Ipu(state).execute_vliw_cycle()
    products = np.frombuffer(state.regfile.get_register_bytes("mult_res", 0), np.int32)
    assert products.tolist() == [number * number for number in range(128)]
