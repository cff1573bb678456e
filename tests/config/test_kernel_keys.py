"""``[kernel."GLOB"]``: values of registers that the host sets, and mistakes in them."""

from __future__ import annotations

import pytest

from ipu_asm.config.toml_settings import parse_settings
from ipu_asm.source.expansion import source_settings


def check(text: str, path: str, *expected: dict[str, int]) -> None:
    """The configurations of a file."""
    configuration, findings = parse_settings(text, "/project/ipu.toml")
    assert findings == []
    assert source_settings(path, configuration).configurations == expected


def check_finding(text: str, message: str) -> None:
    configuration, findings = parse_settings(text, "ipu.toml")
    assert configuration is None
    assert [f"{finding.line}: {finding.message}" for finding in findings] == [message]


def test_registers_are_given_by_number_or_name() -> None:
    text = '[kernel."*.s"]\ncr = {4 = 64, CR5 = 0x20000}\nlr = {1 = -1}\n'
    check(text, "/project/a.s", {"cr4": 64, "cr5": 0x20000, "lr1": -1})


def test_several_values_are_several_configurations() -> None:
    text = '[kernel."*.s"]\ncr = {1 = [2, 3], 4 = [5, 6]}\n'
    each = [{"cr1": a, "cr4": b} for a in (2, 3) for b in (5, 6)]
    check(text, "/project/a.s", *each)


def test_contexts_hold_values_that_belong_together() -> None:
    text = '[kernel."*.s"]\ncr = {1 = 7}\ncontexts = [{cr2 = 9, lr3 = 8}, {cr2 = 25, cr1 = 0}]\n'
    check(text, "/project/a.s", {"cr1": 7, "cr2": 9, "lr3": 8}, {"cr1": 0, "cr2": 25})


def test_a_mode_is_given_by_its_name() -> None:
    check('[kernel."*.s"]\nwide = "FP32"\n', "/project/a.s", {"wide": 1})
    text = '[kernel."*.s"]\nwide = ["off", "int32"]\n'
    check(text, "/project/a.s", {"wide": 0}, {"wide": 2})
    check('[kernel."*.s"]\ncontexts = [{wide = "int32"}]\n', "/project/a.s", {"wide": 2})


def test_whether_results_are_quantized_is_a_truth_value() -> None:
    check('[kernel."*.s"]\nquantize = true\n', "/project/a.s", {"quantize": 1})
    check('[kernel."*.s"]\nquantize = [false, true]\n', "/project/a.s", *_both("quantize"))
    check('[kernel."*.s"]\ncontexts = [{quantize = true}]\n', "/project/a.s", {"quantize": 1})


def _both(name: str) -> list[dict[str, int]]:
    return [{name: 0}, {name: 1}]


def test_the_first_glob_that_matches_counts() -> None:
    text = '[kernel."b/*.s"]\ncr = {1 = 1}\n[kernel."**/*.s"]\ncr = {1 = 2}\n'
    check(text, "/project/b/a.s", {"cr1": 1})
    check(text, "/project/c/a.s", {"cr1": 2})
    check(text, "/project/a.asm")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[kernel.x]\nquantize = 2", "2: `kernel.x.quantize`: expected true or false, found 2"),
        (
            "[kernel.x]\nquantize = []",
            "2: `kernel.x.quantize`: expected true or false, found 0 values",
        ),
        ("kernel = 1", "1: `kernel`: expected a table of globs, found 1"),
        ("[kernel]\nx = 1", "2: `kernel.x`: expected a table, found 1"),
        ("[kernel.x]\ncrs = {}", "2: `kernel.x.crs`: unknown key; did you mean `cr`?"),
        ("[kernel.x]\ncr = [1]", "2: `kernel.x.cr`: expected a table such as {4 = 64}, found [1]"),
        (
            "[kernel.x]\ncr = {lr4 = 1}",
            "2: `kernel.x.cr`: expected the number of a register, as in {4 = 64}, found `lr4`",
        ),
        (
            "[kernel.x]\nwide = 2",
            "2: `kernel.x.wide`: expected one of `off`, `fp32`, `int32`, found 2",
        ),
        ("[kernel.x.cr]\n4 = true", "1: `kernel.x.cr`: `cr4`: expected a number, found true"),
        (
            "[kernel.x]\ncr = {4 = 0x100000000}",
            "2: `kernel.x.cr`: `cr4`: expected a number of 32 bits, found 4294967296",
        ),
        ("[kernel.x]\ncr = {4 = []}", "2: `kernel.x.cr`: `cr4`: expected 1 to 16 values, found 0"),
        (
            "[kernel.x]\ncontexts = {cr4 = 1}",
            "2: `kernel.x.contexts`: expected a list of tables such as [{cr4 = 64}], found a table",
        ),
        (
            "[kernel.x]\ncontexts = [{'cr 4' = 1}]",
            "2: `kernel.x.contexts`: expected the name of a register, found `cr 4`",
        ),
        (
            f"[kernel.x]\ncr = {{1 = {list(range(16))}, 2 = [1, 2]}}",
            "2: `kernel.x.cr`: expected at most 16 configurations, found 32",
        ),
        (
            f"[kernel.x]\ncr = {{1 = {list(range(9))}}}\nlr = {{2 = [1, 2]}}",
            "1: `kernel.x`: expected at most 16 configurations, found 18",
        ),
        (
            f"[kernel.x]\ncontexts = [{'{cr1 = 1},' * 9_000}]",
            "2: `kernel.x.contexts`: expected at most 16 configurations, found 9,000",
        ),
        (
            "[kernel.x.cr]\n" + "".join(f"{n} = 1\n" for n in range(100)),
            "1: `kernel.x.cr`: expected at most 64 registers, found 100",
        ),
    ],
)
def test_a_mistake_is_told_at_its_place(text: str, message: str) -> None:
    check_finding(text, message)
