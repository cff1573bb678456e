"""Trips of loops that count constants, and what keeps them from being known."""

from __future__ import annotations

import pytest

from ipu_asm.emulator.code_runs import run_program
from ipu_asm.flow.counted_loops.loops import CountedLoops, counted_loops
from ipu_asm.flow.loops import loops_of
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from tests.programs import ROOT

EXAMPLES = ROOT / "examples"
SLOTS = "nop\n" * 5
BODY = "{ nop ; fnop }\n"
LOOP = ".Lx:\nnop\nbrnzdec $m1, .Lx\nexitz $mzero\n"
HARDWARE = "movxm ls, #.LS\nmovxm le, #.LE\n{}" + "nop\n" * 6 + ".LS:\n{}nop\n.LE:\nnop\n"
RETURN = "ret lr\n" + SLOTS


def program_of(isa: str, text: str) -> Program:
    return read_program(load_isa(isa), text)


def found(isa: str, text: str) -> CountedLoops:
    return counted_loops(program_of(isa, text))


def trips(isa: str, text: str) -> list[int]:
    return [loop.trips for loop in found(isa, text).loops.values()]


def total(isa: str, text: str) -> int | None:
    whole = found(isa, text).whole
    return None if whole is None else whole.cycles


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("setzi $m1, 4\n" + LOOP, [5]),
        ("zero $m1\n" + LOOP, [1]),
        ("setzi $m2, 7\nadd $m1, $m2, -2\n" + LOOP, [6]),
        ("setzi $m1, 4\nsub $m1, $m1, 1\n" + LOOP, [4]),
        ("ldconst $m1, 9\n" + LOOP, [10]),
        ("setzi $m1, 6\n.Lx:\nadd $m1, $m1, -2\nbrnz $m1, .Lx\n", [3]),
        ("setzi $m1, 6\n.Lx:\n{ brnz $m1, .Lx ; fnop }\nadd $m1, $m1, -2\n", []),
        ("rpt 12, 0\n" + BODY, [12]),
        ("rpt 12, (.Le - .Ls) / 8 - 1\n.Ls:\n" + BODY * 3 + ".Le:\nnop\n", [12]),
        ("setzi $m1, 4095\nrpt $m1, 0\n" + BODY, [4095]),
    ],
)
def test_constants_give_trips(text: str, expected: list[int]) -> None:
    assert trips("colossus", text) == expected


@pytest.mark.parametrize(
    "text",
    [
        LOOP,
        "ld32 $m1, $mzero, $mzero, 0\n" + LOOP,
        "setzi $m1, 4\nbrz $m2, .Ly\nsetzi $m1, 5\n.Ly:\n" + LOOP,
        "setzi $m1, 4\nbrz $m2, .Lx\nsetzi $m1, 5\n" + LOOP,
        "setzi $m1, 4\nENTER\n" + LOOP,
        "setzi $m1, 4\n#if FAST\nsetzi $m1, 5\n#endif\n" + LOOP,
        "setzi $m1, 4\ncall $lr, elsewhere\n" + LOOP,
        "setzi $m1, 4\nbrz $m2, .Lz\n" + LOOP + ".Lz:\nbr $m3\n",
        "setzi $m1, 4\nsetzi $m2, .Lx\nst32 $m2, $mzero, $mzero, 0\n" + LOOP,
        "setzi $m1, 4\n" + LOOP + ".long .Lx\n",
        "setzi $m1, 4\n.Lx:\nld32 $m1, $mzero, $mzero, 0\nbrnzdec $m1, .Lx\n",
        "setzi $m1, 4\n.Lx:\nbrz $m2, .Ly\nadd $m1, $m1, -1\n.Ly:\nbrnzdec $m1, .Lx\n",
        "setzi $m1, 4\n.Lx:\nbrz $m2, .Ly\nbrnzdec $m1, .Lx\n.Ly:\nexitz $mzero\n",
        "setzi $m1, 5\n.Lx:\nadd $m1, $m1, -2\nbrnz $m1, .Lx\n",
        "setzi $m1, 5\n.Lx:\nadd $m1, $m1, 1\nbrnz $m1, .Lx\n",
        "setzi $m1, 4096\nrpt $m1, 0\n" + BODY,
        "rpt 0, 0\n" + BODY,
        "rpt 12, 1\n" + BODY + "nop\n",
        "rpt 12, (.Le - .Ls) / 8 - 1\n.Ls:\n" + BODY + "nop\n.Le:\nnop\n",
        "rpt 12, (.Le - .Ls) / 8 - 1\n.Ls:\n" + BODY + ".align 8\n.Le:\nnop\n",
        "rpt 12, .Le / 8 - 1\n" + BODY + ".Le:\nnop\n",
        "rpt COUNT, 0\n" + BODY,
    ],
)
def test_trips_that_something_else_may_decide_are_not_known(text: str) -> None:
    assert trips("colossus", text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HARDWARE.format("mova r0, #9\nadd.nc lc, r0, #-1\n", "") + RETURN, [8]),
        (HARDWARE.format("movx lc, #3\n", "") + RETURN, [3]),
        (HARDWARE.format("movx lc, #0\n", "") + RETURN, []),
        (HARDWARE.format("mov lc, r0\n", "") + RETURN, []),
        (HARDWARE.format("movx lc, #3\n", "movx lc, #4\n" + "nop\n" * 7) + RETURN, []),
        ("movxm ls, #.LE\nmovxm le, #.LE\nmovx lc, #3\n.LE:\nnop\n" + RETURN, []),
        ("mova r1, #3\nmovxm p1, #.L1\n.L1:\nnop\njnzd r1, r1, p1\n" + SLOTS + RETURN, [4]),
        ("mova r1, #3\nmov p1, p2\n.L1:\nnop\njnzd r1, r1, p1\n" + SLOTS + RETURN, []),
        ("mova r1, #3\n.L1:\nadd r1, r1, #-1\njnz r1, #.L1\n" + SLOTS + RETURN, [3]),
        ("mova r1, #3\n.L1:\njnz r1, #.L1\nadd r1, r1, #-1\n" + "nop\n" * 4 + RETURN, [4]),
        # The result of the load lands after the constant.
        ("lda r1, [p0, #0]\nmova r1, #3\n.L1:\nnop\njnzd r1, r1, p1\n" + SLOTS + RETURN, []),
        ("lda r1, [p0, #0]\nmova r1, #3\n.L1:\nadd r1, r1, #-1\njnz r1, #.L1\n" + SLOTS, []),
    ],
)
@pytest.mark.parametrize("isa", ["xdna1", "xdna2"])
def test_engines_count_in_registers(isa: str, text: str, expected: list[int]) -> None:
    assert trips(isa, text) == expected


KERNEL = (
    "  .globl scale\n  .p2align 4\n  .type scale,@function\nscale:\n"
    "  nopv ; vlda wl0, [p0], #32 ; nops ; movxm ls, #.l_start\n"
    "  nopv ; nopa ; nops ; movxm le, #.l_end\n"
    "  nopv ; mova r3, #3*4 ; nops\n"
    "  nopv ; nopa ; nops ; add r4, r3, #-4 ; mov lc, r3\n"
    "  mov lc, r4\n" + "  nop\n" * 7 + ".p2align 4\n.l_start:\n  vlda wl1, [p0], #32 ; nopx\n"
    ".inside:\n  vlda wl2, [p0], #32 ; nopx\n.p2align 4\n.l_end:\n  nopv ; nopx\n"
    "  ret lr\n" + "  nop\n" * 5 + ".l_after:\n  .size scale, .l_after - scale\n"
)
FILLED = 1 + 8
"""Executed no-ops of the second and third alignment."""

CYCLES = 12 + 8 * 3 + 6 + FILLED


def functions(text: str) -> list[tuple[int, int | None]]:
    return [(each.start, each.cycles) for each in found("xdna1", text).functions]


def test_labels_of_loops_begin_no_function_whatever_their_names_are() -> None:
    assert functions(KERNEL) == [(0, CYCLES)]
    for old, new in ((".l_start", "head"), (".l_end", ".Llast"), (".inside", "g"), ("scale", ".f")):
        assert functions(KERNEL.replace(old, new)) == [(0, CYCLES)]


def test_places_of_directives_change_no_cycles() -> None:
    lines = KERNEL.splitlines(keepends=True)
    declaring, rest = lines[:3], lines[3:]
    assert functions("".join((*rest, *declaring))) == [(0, CYCLES)]
    assert functions(KERNEL.replace(".p2align 4\n", "")) == [(0, CYCLES - FILLED)]
    assert functions(KERNEL + '.ident "head inside .l_start"\n.section .inside\n') == [(0, CYCLES)]


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("f:\n" + RETURN + "g:\n" + RETURN, [0, 6]),
        ("f:\nloop:\nadd r1, r1, #-1\njnz r1, #loop\n" + SLOTS + RETURN, [0]),
        ("f:\njz r1, #out\n" + SLOTS + RETURN + "out:\n" + RETURN, [0]),
        ("f:\n" + RETURN + "g:\nadd r1, r1, #-1\njnz r1, #g\n" + SLOTS + RETURN, [0, 6]),
        ("f:\njl #g\n" + SLOTS + RETURN + "g:\n" + RETURN, [0, 12]),
        ("f:\njl #.Lg\n" + SLOTS + RETURN + ".Lg:\n" + RETURN, [0, 12]),
        (".type f,@function\nf:\n" + RETURN + "g:\n" + RETURN, [0]),
        (".type f,@function\nf:\n" + RETURN + ".global .Lg\n.Lg:\n" + RETURN, [0, 6]),
        ("f:\nmovxm p1, #g\njl p1\n" + SLOTS + RETURN + "g:\n" + RETURN, [0, 13]),
    ],
)
def test_functions_are_declared_called_or_come_to_from_nowhere(
    text: str, starts: list[int]
) -> None:
    assert [start for start, _ in functions(text)] == starts


def test_nested_loops_are_multiplied() -> None:
    inner = "setzi $m2, 2\n.Li:\nnop\nbrnzdec $m2, .Li\nrpt 10, 0\n" + BODY
    text = "setzi $m1, 4\n.Lo:\n" + inner + "brnzdec $m1, .Lo\nexitz $mzero\n"
    counted = found("colossus", text)
    cycles = {loop.first: loop.entry_cycles for loop in counted.loops.values()}
    assert cycles == {2: 6, 5: 10, 1: 5 * (1 + 6 + 1 + 10 + 1)}
    assert total("colossus", text) == 1 + 5 * 19 + 1


def test_trips_are_known_where_a_branch_in_the_loop_is_not() -> None:
    text = "setzi $m1, 4\n.Lx:\nbrz $m2, .Ly\nnop\n.Ly:\nbrnzdec $m1, .Lx\nexitz $mzero\n"
    (loop,) = found("colossus", text).loops.values()
    assert (loop.trips, loop.entry_cycles) == (5, None)
    assert total("colossus", text) is None


def test_an_instruction_that_becomes_several_has_no_cycles() -> None:
    assert total("colossus", "ldconst $m1, 0x12345678\nexitz $mzero\n") is None


def test_a_branch_on_a_constant_is_decided() -> None:
    assert total("colossus", "zero $m1\nbrz $m1, .Lx\nnop\n.Lx:\nexitz $mzero\n") == 3


@pytest.mark.parametrize(
    ("file", "cycles"),
    [
        ("colossus/scale.S", [None]),
        ("colossus/sum_supervisor.S", [None, 4]),
        ("xdna1/add_int16.aie2", [None]),
        ("xdna1/matmul_4x8x4.aie2", [16]),
        ("xdna2/matmul_bf16.aie2p", [None]),
    ],
)
def test_examples_whose_counts_are_arguments_have_no_trips(
    file: str, cycles: list[int | None]
) -> None:
    counted = found(file.partition("/")[0], (EXAMPLES / file).read_text())
    assert not counted.loops
    assert [function.cycles for function in counted.functions] == cycles


@pytest.mark.parametrize(
    ("file", "argument", "constant", "expected"),
    [
        ("colossus/scale.S", "ld32 $m2, $mvertex_base, $mzero, 2", "setzi $m2, 33", (32, 74)),
        ("xdna1/add_int16.aie2", "add.nc lc, r0, #0", "movx lc, #16", (16, 206)),
        ("xdna2/matmul_bf16.aie2p", "vlda bmhh0, [p2, #192]", "mova r1, #8", (8, 77)),
    ],
)
def test_examples_with_a_constant_count_have_trips_and_cycles(
    file: str, argument: str, constant: str, expected: tuple[int, int]
) -> None:
    isa, text = file.partition("/")[0], (EXAMPLES / file).read_text()
    assert argument in text
    text = text.replace(argument, constant)
    assert (trips(isa, text), total(isa, text)) == ([expected[0]], expected[1])


def test_no_ops_of_alignments_are_cycles_as_in_a_run() -> None:
    text = (EXAMPLES / "xdna1" / "add_int16.aie2").read_text()
    assert [each.formula for each in found("xdna1", text).functions] == ["14 + 12 x r0"]
    registers = {"r0": 3, "p0": 0x70000, "p1": 0x71000, "p2": 0x72000}
    assert run_program(text, "xdna1", registers).cycles == 14 + 12 * 3
    assert run_program(KERNEL, "xdna1", {"p0": 0x70000}).cycles == CYCLES
    # What is not filled with no-ops is executed as what it is.
    assert functions(KERNEL.replace("p2align 4\n.l_end", "p2align 4, 7\n.l_end")) == [(0, None)]


def test_repeated_bundles_and_hardware_loops_are_loops_of_the_source() -> None:
    colossus = loops_of(program_of("colossus", "rpt $m1, 1\n1:\n" + BODY * 2 + "nop\n"))
    assert [(loop.first, loop.last, loop.label) for loop in colossus] == [(1, 2, "1")]
    engine = loops_of(program_of("xdna1", HARDWARE.format("mov lc, r0\n", "") + RETURN))
    assert [(loop.first, loop.last, loop.label) for loop in engine] == [(9, 10, ".LS")]


def test_a_set_that_counts_nothing_has_no_counted_loops() -> None:
    assert found("ipu", "x: bne lr0 lr1 x;;\nbkpt;;") == CountedLoops({}, {}, ())


def test_a_loop_whose_delay_slots_the_code_lacks_has_no_trips() -> None:
    assert trips("xdna2", "again:\njz r0, #again\nnop\nnop\nn:\njz r0, #again\nnop\nnop\n") == []
