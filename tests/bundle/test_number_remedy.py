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
