"""`ipu-run --coverage`: which lines and branches a run has executed, for lcov and as a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.cli.run.command import main
from tests.cli.commands import run
from tests.cli.test_run_profile import Page

KERNEL = """\
    set lr1 3;
    set lr2 0;;
loop: incr lr0 1; bne lr0 lr1 loop;;
    beq lr0 lr2 end;;
    ldr_cyclic_mult_reg lr9 cr0 lr2;;
end: bkpt;;
"""


FILES = {"k.s": KERNEL}


def check_coverage(arguments: str, name: str, status: int = 0) -> str:
    """The coverage that a run writes."""
    ran = run(main, [*arguments.split(), "--coverage", name])
    assert ran.status == status, ran.err
    assert name in ran.out.splitlines()[-1]
    return Path(name).read_text(encoding="utf-8")


@pytest.mark.parametrize("engine", ["core", "numpy"])
def test_lcov_has_lines_and_branches_of_the_run(engine: str) -> None:
    text = check_coverage(f"k.s --engine {engine} --profile p.json", "k.info")
    assert text.splitlines() == [
        "TN:", "SF:k.s", "BRDA:3,0,0,3", "BRDA:3,0,1,1", "BRDA:4,0,0,0", "BRDA:4,0,1,1",
        "BRF:4", "BRH:3", "DA:1,1", "DA:2,1", "DA:3,4", "DA:4,1", "DA:5,1", "DA:6,1",
        "LF:6", "LH:6", "end_of_record",
    ]  # fmt: skip


def test_a_name_that_ends_in_html_is_a_page() -> None:
    page = Page(check_coverage("k.s", "k.html"))
    assert "one run of 8 cycles, halted by bkpt in bundle 4 (end, line 6)" in page.text
    assert ["4", "1", "", "    beq lr0 lr2 end;;branch never taken"] in page.tables[0]


def test_a_run_that_faults_has_its_coverage_too() -> None:
    text = check_coverage("k.s --lr 9=0x200000", "k.info", status=1)
    assert {"DA:4,1", "DA:5,0", "DA:6,0"} <= set(text.splitlines())


def test_what_lcov_cannot_tell_is_refused_before_the_run() -> None:
    Path("k.hex").write_text("0x" + "0" * 48 + "\n")
    refused = run(main, ["k.hex", "--coverage", "k.info"])
    assert refused.status == 2
    assert "this is an image: name a page for --coverage, such as `coverage.html`" in refused.err
    assert not Path("k.info").exists()
    check_coverage("k.hex --max-cycles 5", "k.html", status=1)
    replaced = run(main, ["k.s", "--coverage", "k.s"])
    assert replaced.status == 2
    assert "`k.s` would replace the program" in replaced.err
