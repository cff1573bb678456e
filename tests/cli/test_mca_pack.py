"""`ipu-mca --pack` writes a packed program that is proven, and otherwise says why it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.cli.mca.command import main
from tests.cli.commands import Ran, run
from tests.programs import example_kernels

LOOP = """\
    set lr2 10;;
loop:
    incr lr1 1;;   # step
    acc;;
    bne lr1 lr2 loop;;
    bkpt;;
"""
PACKED = """\
    set lr2 10;;
loop:
    incr lr1 1;    # step
    acc;;
    bne lr1 lr2 loop;;
    bkpt;;
"""


def check(text: str, options: str = "", status: int = 0) -> Ran:
    """How packing a text ends, as expected."""
    Path("kernel.s").write_text(text)
    ran = run(main, ["kernel.s", "--pack", *options.split()])
    assert ran.status == status, ran.err
    assert Path("kernel.s").read_text() == text
    return ran


def test_an_output_file_gets_the_packed_program() -> None:
    ran = check(LOOP, "-o packed.s")
    assert ran.out == ""
    assert Path("packed.s").read_text() == PACKED


def test_a_program_at_its_bound_is_written_as_it_is() -> None:
    ran = check(PACKED)
    assert ran.out == PACKED
    assert "nothing to pack in 4 bundles: every block is at its bound\n" in ran.err


def test_the_fully_connected_layer_is_proven_to_be_at_its_bound() -> None:
    text = example_kernels()["fully_connected.s"]
    ran = check(text)
    assert ran.out == text
    assert "nothing to pack in 7 bundles: every block is at its bound\n" in ran.err
    report = run(main, ["kernel.s"]).out
    assert "no move inside of a block saves a bundle: every block is at its bound\n" in report


OVERLAPPING = """\
    set lr0 -128; set lr3 0;;
    set lr1 -512; set lr2 2048;;
row:
    incr lr0 128; ldr_mult_reg r0 lr0 cr0;;
    ldr_cyclic_mult_reg lr0 cr1 lr3; mult.ee r0 lr3 lr3 lr3; acc.first; agg sum value cr5 aaq0;;
    acc.add_aaq aaq0;;
    incr lr1 512; str_acc_reg lr1 cr2; bne lr0 lr2 row;;
    bkpt;;
"""
HOST = "--cr 0=0 1=0x10000 2=0x20000"


def test_loops_are_pipelined_on_request() -> None:
    ran = check(OVERLAPPING, f"-W --pipeline {HOST}")
    assert ran.err == (
        "ipu-mca: note: kernel.s: loop row: 4 -> 3 bundles, 2 iterations overlap\n"
        "ipu-mca: note: kernel.s: 7 -> 9 bundles, 71 -> 54 cycles; "
        "proven, and compared in runs on random data\n"
    )
    assert "# prologue of row: the first iteration begins" in ran.out
    again = check(ran.out, f"-W --pipeline {HOST}")
    assert again.out == ran.out


def test_loop_registers_are_rebased_on_request() -> None:
    text = LOOP.replace("acc;;", "acc; ldr_mult_reg r0 lr3 cr0;;\n    incr lr3 128;;")
    text = text.replace("set lr2 10;;", "set lr2 10; set lr3 0;;")
    ran = check(text, "-W --rebase --cr 0=0")
    assert ran.err == (
        "ipu-mca: note: kernel.s: 22 -> 12 updates of loop registers; "
        "in the end, other values are in lr1, lr2, lr3\n"
        "ipu-mca: note: kernel.s: loop loop: 3 -> 1 bundles, lr3 1 step back, lr2 2 steps back\n"
        "ipu-mca: note: kernel.s: 6 -> 3 bundles, 42 -> 12 cycles; "
        "proven, and compared in runs on random data\n"
    )
    again = check(ran.out, "-W --rebase --cr 0=0")
    assert again.out == ran.out
    assert "no other update of loop registers saves cycles" in again.err


def test_a_rebased_loop_is_pipelined() -> None:
    ran = check(OVERLAPPING, f"-W --rebase --pipeline {HOST}")
    assert "kernel.s: loop row: 4 -> 3 bundles, 2 iterations overlap" in ran.err


IPU2_ROWS = """\
# isa: ipu2
    SET lr1 cr0; SET lr2 cr0; SET lr6 cr0;;
    SET lr3 cr0;;
row:
    LDR_MULT_REG r0 lr1 cr2;;
    LDR_CYCLIC_MULT_REG lr2 cr3 lr0;;
    MULT.RC.VV lr0 r0 0 lr0 cr15; ACC.ADD.FIRST;;
    INC lr1 1; INC lr2 1;;
    INC lr6 4; STR_ACC_REG lr6 cr4;;
    INC lr3 1;;
    BNE lr3 cr5 row;;
    BKPT;;
"""


@pytest.mark.parametrize("mode", ["off", "fp32", "int32"])
def test_the_proof_runs_in_the_mode_that_is_stated(mode: str) -> None:
    ran = check(IPU2_ROWS, f"-W --wide {mode} --cr 5=16")
    assert "10 -> 6 bundles, 115 -> 51 cycles; proven, and compared in 3 runs" in ran.err
    stated = IPU2_ROWS.replace("ipu2", f"ipu2\n# CR wide = {mode}, quantize = on", 1)
    assert "10 -> 6 bundles" in check(stated, "-W").err


def test_the_constants_of_ipu2_are_no_values_of_the_host() -> None:
    ran = check(IPU2_ROWS, "-W --rebase --cr 2=0 3=100 4=200 5=16")
    assert "68 -> 51 updates of loop registers; in the end, other values are in lr1" in ran.err
    assert "10 -> 5 bundles, 115 -> 50 cycles" in ran.err


def test_a_block_that_a_template_does_not_write_out_is_named() -> None:
    repeated = "{% for n in range(3) %}\n    incr lr1 {{ n }};;\n    acc;;\n{% endfor %}\n"
    text = f"{repeated}end:\n    set lr2 1;;\n    acc.first;;\n    bkpt;;\n"
    ran = check(text, "-W")
    assert "9 -> 7 bundles, 9 -> 7 cycles; proven" in ran.err
    assert "lines 2 to 3: moves would save 3 bundles, but the template does not write" in ran.err
    assert "moves save 5 of 9 bundles" in run(main, ["kernel.s", "-W"]).out


NAMED = """\
# isa: ipu2
# CR cr2 = 0, cr3 = 0x100, cr4 = 0x200, cr5 = 64
{% set row = "lr0" %}      {# weights #}
{% set input = "lr1" %}
{% set zero = "lr2" %}
    SET {{ row }} cr0; SET {{ input }} cr0; SET {{ zero }} cr0;;
    LDR_MULT_REG r0 {{ zero }} cr2;;
inputs:
    LDR_CYCLIC_MULT_REG {{ row }} cr3 {{ zero }};;    # row {{ 100 }}
    MULT.RC.VE {{ zero }} {{ input }} 0 {{ zero }} cr15; ACC.ADD;;
    INC {{ row }} 1; INC {{ input }} 1;;
    BNE {{ input }} cr5 inputs;;
    STR_ACC_REG {{ zero }} cr4;;
    BKPT;;
"""


def test_a_template_whose_tags_are_names_is_pipelined_in_its_own_text() -> None:
    ran = check(NAMED, "-W --pipeline -o packed.s")
    assert "8 -> 5 bundles, 260 -> 67 cycles; proven" in ran.err
    packed = Path("packed.s").read_text()
    assert packed.startswith(NAMED[: NAMED.index("    SET")])
    kernel = packed.partition("inputs:\n")[2].partition(";;")[0]
    assert kernel.startswith(
        "    LDR_CYCLIC_MULT_REG {{ row }} cr3 {{ zero }};     # row {{ 100 }}\n"
    )
    assert "MULT.RC.VE {{ zero }} {{ input }} 0 {{ zero }} cr15; ACC.ADD; INC {{ row }} 1" in kernel
    assert "BNE {{ input }} lr3 inputs" in kernel
    assert "DEC {{ input }} 1" in packed
    again = run(main, ["packed.s", "-W", "--pack", "--pipeline"])
    assert again.out == packed


def test_a_loop_that_a_template_repeats_stays_and_others_are_pipelined() -> None:
    text = NAMED.replace("    STR_ACC_REG", "{% for n in range(2) %}\n    ACC.ADD;;\n{% endfor %}\n"
        "{% for n in range(2) %}\nrows{{ n }}:\n    INC lr{{ n + 4 }} 1;;\n    ACC.ADD;;\n"
        "    BNE lr{{ n + 4 }} cr5 rows{{ n }};;\n{% endfor %}\n    STR_ACC_REG")  # fmt: skip
    ran = check(text, "-W --pipeline")
    assert "loop inputs: 4 -> 1 bundles" in ran.err
    assert "loop rows" not in ran.err
    assert "moves would save 1 bundle, but the template does not write this block" in ran.err
    assert "{% for n in range(2) %}\nrows{{ n }}:\n    INC lr{{ n + 4 }} 1;;\n" in ran.out


def test_of_a_long_program_the_beginning_is_the_evidence() -> None:
    text = OVERLAPPING.replace("    set lr0", "set lr9 0; set lr10 2500;;\nagain:\n    set lr0", 1)
    text = text.replace("    bkpt", "    incr lr9 1;;\n    bne lr9 lr10 again;;\n    bkpt")
    ran = check(text, f"-W --pipeline --rebase {HOST}")
    assert "updates are compared in the first 100,000 of 180,002 cycles" in ran.err
    assert "loop row: 4 -> 3 bundles" in ran.err
    assert "180,002 -> 135,003 cycles; proven" in ran.err


def test_what_cannot_be_rebased_is_pipelined_all_the_same() -> None:
    text = NAMED.replace("    INC {{ row }} 1", "    INCR_MOD_POW2 lr9 cr5 3; INC {{ row }} 1")
    ran = check(text, "-W --pipeline --rebase")
    assert "not rebased: an update of a register is no sum\n" in ran.err
    assert "loop inputs: 4 -> 1 bundles" in ran.err
    assert "an update of a register is no sum" in check(text, "-W --rebase", status=1).err


def test_a_program_in_which_nothing_is_shorter_is_written_as_it_is() -> None:
    ran = check(
        PACKED.replace("incr lr1 1;    # step\n    acc;;", "incr lr1 1; acc;;"), "-W --pipeline"
    )
    first = check(ran.out, "-W --pipeline")
    assert "no shorter loop or block in" in first.err
    assert first.out == ran.out
