"""Where a register belongs, a number is answered with how it gets into one."""

from __future__ import annotations

import pytest

from ipu_asm import analyze


@pytest.mark.parametrize(
    ("isa", "text", "remedy"),
    [
        (
            "ipu",
            "add lr0 lr0 5",
            "write `set lr1 5` in an earlier bundle, then `add lr0 lr0 lr1`, or `incr lr0 5`",
        ),
        ("ipu", "add lr2 lr0 5", "write `set lr1 5` in an earlier bundle, then `add lr2 lr0 lr1`"),
        ("ipu", "bne lr0 10 l", "write `set lr1 10` in an earlier bundle, then `bne lr0 lr1 l`"),
        (
            "ipu",
            "ldr_mult_reg r0 0x1000 cr0",
            "write `set lr0 0x1000` in an earlier bundle, then `ldr_mult_reg r0 lr0 cr0`",
        ),
        (
            "ipu",
            "ldr_mult_reg r0 lr0 16",
            "a config register holds what the host writes to it, as `--cr N=VALUE` does",
        ),
        (
            "ipu2",
            "BNE lr0 10 l",
            "write `SET lr1 cr0` and `INC lr1 10` in earlier bundles, then `BNE lr0 lr1 l`",
        ),
    ],
)
def test_the_message_says_what_to_write(isa: str, text: str, remedy: str) -> None:
    (finding,) = analyze(f"l: {text};;", isa).diagnostics
    assert finding.message.endswith(f"; {remedy}")


@pytest.mark.parametrize("text", ["ldr_mult_reg 3 lr0 cr0", "add lr0 lr0 70000", "add 5 lr0 lr0"])
def test_nothing_is_advised_that_would_be_wrong(text: str) -> None:
    found = [each for each in analyze(f"{text};;").diagnostics if each.rule.code == "E104"]
    assert found
    assert not any("write `" in each.message for each in found)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("set lr1 #5;;\nbkpt;;", "#5"),
        ("incr lr0 #-0x10;;", "#-0x10"),
        ("ldr_mult_reg r0 #5 cr0;;\nbkpt;;", "#5"),
        ("add lr0 lr0 #5;;\nacc.first;;\nbkpt;;", "#5"),
        ("set lr1 #5; add lr0 lr0 #5;;\nbkpt;;", "#5"),
    ],
)
def test_a_number_that_is_a_comment_is_one_finding(text: str, number: str) -> None:
    analysis = analyze(text)
    (finding,) = analysis.diagnostics
    assert text[finding.span.start : finding.span.end] == number
    assert "numbers are written without `#`" in finding.message
    assert finding.fix is not None
    assert [edit.new_text for edit in finding.fix.edits] == [""]


def test_a_comment_that_begins_with_a_number_is_prose() -> None:
    (finding,) = analyze("set lr1 #5 is what we need\n;; bkpt;;").diagnostics
    assert finding.message.startswith("`set` takes 2 operands")
