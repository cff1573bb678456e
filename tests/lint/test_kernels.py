"""Kernels as a team writes them have the findings that their authors agree with."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.assembler.encode import assemble

KERNELS = Path(__file__).resolve().parents[1] / "data" / "kernels"
FINDINGS = {"fully_connected_ev.s": ["W201 mult.ev"], "relu.s": [], "table_jump.s": []}


def check_codes(name: str) -> str:
    """A kernel assembles, and has exactly its findings, hints included."""
    text = (KERNELS / name).read_text(encoding="utf-8")
    assert assemble(text)
    found = analyze(text).diagnostics
    codes = [f"{finding.code} {text[finding.span.start : finding.span.end]}" for finding in found]
    assert codes == FINDINGS[name]
    return text


@pytest.mark.parametrize("name", FINDINGS)
def test_a_kernel_has_no_finding_that_its_author_would_wave_away(name: str) -> None:
    check_codes(name)


def test_every_kernel_is_tried() -> None:
    assert sorted(FINDINGS) == sorted(path.name for path in KERNELS.glob("*.s"))


@pytest.mark.parametrize(
    ("name", "right", "wrong", "codes"),
    [
        ("relu.s", ";;                              # acc -> bytes", "; # to bytes ;;", ["W104"]),
        ("fully_connected_ev.s", "loop:\n", "\n", ["E301", "W201"]),
        ("table_jump.s", "end:    bkpt;;", "end:", ["E001"]),
    ],
)
def test_a_mistake_in_a_kernel_is_found(
    name: str, right: str, wrong: str, codes: list[str]
) -> None:
    text = check_codes(name)
    assert right in text
    found = analyze(text.replace(right, wrong, 1)).diagnostics
    assert sorted(finding.code for finding in found) == codes
