"""A finding that depends on a register being 0, which nothing sets, says so."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa import load_isa

IPU = load_isa("ipu")
STORES = (
    "set lr2 4;;\nrow: str_acc_reg lr1 cr1; add lr1 lr1 lr9;; incr lr3 1; bne lr3 lr2 row;; bkpt;;"
)
ASSUMED = ", if the host does not set `lr9` (`# CR lr9 = ...` states it)"


def messages(text: str) -> dict[str, str]:
    """The messages of the findings of a control run by code."""
    found = Analyzer(IPU).analyze(text).diagnostics
    return {each.rule.code: each.message for each in found if each.rule.code.startswith("W3")}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("W305", STORES),
        ("W311", "# lr9 = 512: rows\nincr lr9 1;; bkpt;;"),
        ("W311", "# Inputs: LR9 = 512\nincr lr9 1;; bkpt;;"),
        ("W307", "set lr0 0;;\nloop: incr lr0 1; bne lr0 lr9 loop;; bkpt;;"),
        ("W310", "set lr1 3; set lr0 0;;\nagain: add lr0 lr0 lr9;; bne lr0 lr1 again;; bkpt;;"),
        (
            "W304",
            "set lr1 0; set lr2 256;;\nrow: ldr_mult_reg r0 lr9 cr0; incr lr9 128;\n"
            "incr lr1 128; bne lr1 lr2 row;; bkpt;;",
        ),
    ],
)
def test_it_names_the_register_and_how_to_state_its_value(code: str, text: str) -> None:
    assert messages(text)[code].endswith(ASSUMED)


@pytest.mark.parametrize("comment", ["# CR lr9 = 0\n", "# lr9 = 0: no step\n"])
def test_a_value_that_is_stated_is_no_assumption(comment: str) -> None:
    assert "if the host" not in messages(comment + STORES)["W305"]


def test_a_value_that_is_stated_decides() -> None:
    assert "W305" in messages(STORES)
    assert messages(f"# CR lr9 = 512\n{STORES}") == {}


def test_a_finding_that_holds_with_any_value_assumes_nothing() -> None:
    text = "set lr2 4;;\nrow: str_acc_reg lr9 cr1; incr lr3 1; bne lr3 lr2 row;; bkpt;;"
    assert "lr9" not in messages(text)["W305"]


def test_a_register_that_the_program_sets_is_not_assumed() -> None:
    assert "if the host" not in messages(f"set lr9 0; set lr1 0;;\n{STORES}")["W305"]


@pytest.mark.parametrize("stated", ["-1", "0xffffffff", "4294967295"])
def test_a_value_is_shown_signed_however_it_is_stated(stated: str) -> None:
    text = f"# CR lr8 = {stated}\nldr_mult_reg r0 lr8 cr0; bkpt;;"
    assert messages(text)["W303"].endswith(", with `lr8` = -1")
