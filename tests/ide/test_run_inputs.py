"""What a program can be run with, and where each value is from."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm import analyze
from ipu_asm.config import Configuration
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.ide.run_inputs import RunInputs, run_inputs, run_totals

EXAMPLES = Path(__file__).parents[2] / "examples"
KERNEL = """\
#   cr0 = IN_BASE (in)
#   cr1 = OUT_BASE (out)
#   cr2 = SIZE (N * 128)
#   cr3 = 7, a factor
# CR cr4 = 3 | 4
# Memory
#   0x1000  N * 128 bytes   in
#   0x8000  512 bytes       out
    set lr0 0; set lr1 -128; set lr3 -128;;
    add lr2 cr2 lr3; add lr4 cr3 cr4; add lr5 cr5 lr0;;
row:
    incr lr1 128; ldr_cyclic_mult_reg lr1 cr0 lr0; mult.ve r0 lr0 lr0 lr0 lr0; acc.first;;
    str_acc_reg lr0 cr1; bne lr1 lr2 row;;
    bkpt;;
"""


LONG = "rows of weights, " * 8 + "transposed"


def inputs(text: str, **given: int) -> RunInputs:
    """The inputs of a program without a configuration."""
    return run_inputs(analyze(text).effective_program, "", Configuration(), given)


def test_values_come_from_the_comments_of_the_program() -> None:
    found = {each.name: each for each in inputs(KERNEL).registers}
    assert {name: (each.value, each.origin) for name, each in found.items()} == {
        "cr0": (0x1000, "header"),
        "cr1": (0x8000, "header"),
        "cr2": (None, ""),
        "cr3": (7, "header"),
        "cr4": (3, "comment"),
        "cr5": (None, ""),
    }
    assert (found["cr0"].purpose, found["cr0"].words) == ("IN_BASE (in)", "in at 0x1000")
    assert inputs(KERNEL).missing == ["cr2", "cr5"]


def test_what_the_author_says_of_a_register_is_told_whole() -> None:
    (found,) = inputs(f"# cr1 = BASE ({LONG})\nadd lr0 lr0 cr1; bkpt;;\n").registers
    assert found.purpose == f"BASE ({LONG})"


def test_chosen_registers_tell_how_much_data_is_read() -> None:
    first, then = inputs(KERNEL), inputs(KERNEL, cr2=1024)
    assert [(each.region, each.size_text) for each in first.unknown] == [("in", "N * 128 bytes")]
    assert first.load == ()
    assert [(each.text, each.region) for each in then.load] == [("random:1@0x1000:1024", "in")]
    assert then.unknown == ()


def test_a_run_in_the_configuration_counts_before_comments() -> None:
    path = EXAMPLES / "conv3x3_row.s"
    configuration = Configurations().nearest(str(EXAMPLES))
    assert configuration is not None
    program = analyze(path.read_text("utf-8"), path=str(path)).effective_program
    found = run_inputs(program, str(path), configuration, {})
    assert (found.missing, found.unknown, found.settings) == ([], (), {"dtype": "int8"})
    origins = {each.origin for each in found.registers} | {each.origin for each in found.load}
    assert origins == {"ipu.toml"}
    assert found.load[0].text == f"{EXAMPLES / 'data' / 'conv3x3_row.image.npy'}@0x0"


def test_a_program_that_needs_nothing_has_nothing_missing() -> None:
    found = inputs("bkpt;;\n")
    assert (found.registers, found.load, found.missing) == ((), (), [])


@pytest.mark.parametrize(
    ("file", "count", "text"),
    [
        ("xdna1/add_int16.aie2", "r0, #0", "14 + 12 x r0 cycles, 26 bundles"),
        ("xdna1/matmul_4x8x4.aie2", "", "16 cycles, 6.2 % of peak, 16 bundles"),
    ],
)
def test_totals_of_an_engine_have_a_formula_or_the_share_of_its_peak(
    file: str, count: str, text: str
) -> None:
    source = (EXAMPLES / file).read_text()
    assert count in source
    assert run_totals(analyze(source, "xdna1")).text == text
