"""Operations in order become bundles of XDNA that do the same, when executed too."""

from __future__ import annotations

from random import Random

import pytest

from ipu_asm.flow.packing.exposed import scheduled
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.testbench.scheduling import ScheduleResult, prove_landing, scheduled_with_proof

MATMUL = """\
    vlda wl0, [p0, #0]
    vlda wh0, [p0, #32]
    vlda wl2, [p1, #0]
    vlda wh2, [p1, #32]
    vlda amhl0, [p2, #0]  // the sum so far
    vlda amhh0, [p2, #32]
    mova r0, #28
    vmac.f bmh0, bmh0, x0, x2, r0
    vst amhl0, [p2, #0]
    vst amhh0, [p2, #32]
    ret lr
"""
ADD = (
    """\
    // schedule loop r0 least 8 disjoint p0 p1 p2
    vlda wl0, [p0], #32
    vlda wl1, [p1], #32
    vlda wh0, [p0], #32
    vlda wh1, [p1], #32
    vadd.16 x2, x0, x1
    vst wl2, [p2], #32
    vst wh2, [p2], #32
    // end
    ret lr
"""
    + "    nop\n" * 5
)
OPERATIONS = (
    "mova r{a}, #{n}",
    "add r{a}, r{b}, r{c}",
    "mul r{a}, r{b}, r{c}",
    "lda r{a}, [p{p}, #{o}]",
    "st r{a}, [p{p}, #{o}]",
    "vlda wl{v}, [p{p}], #32",
    "vlda wh{v}, [p{p}, #0]",
    "vadd.16 x{v}, x{w}, x{v}",
    "vst wl{v}, [p{p}, #32]",
    "padda [p{p}], #32",
    "mov r{a}, r{b}",
)


def program_of(body: str, isa: str = "xdna1") -> Program:
    head = '    .section .text.f,"ax",@progbits\n    .globl f\n    .p2align 4\nf:\n'
    return read_program(load_isa(isa), head + body)


def check_length(body: str, length: int) -> ScheduleResult:
    """The only region takes so many bundles, a turn of a loop; all runs agree."""
    result = scheduled_with_proof(program_of(body))
    [region] = result.found.regions
    assert (region.interval or region.length) == length
    assert (result.runs, result.reason) == (3, "")
    assert result.found.scheduled.findings == []
    return result


def test_a_function_of_11_operations_takes_16_bundles() -> None:
    text = check_length(MATMUL, 16).found.scheduled.text
    assert "vlda wl0, [p0, #0]; vldb wh0, [p0, #32]" in text
    assert "vlda amhl0, [p2, #0]  // the sum so far\n" in text
    assert text.rstrip().endswith("vst amhl0, [p2, #0]\n    vst amhh0, [p2, #32]")


def test_a_loop_takes_2_bundles_a_turn_with_prologue_and_epilogue() -> None:
    result = check_length(ADD, 2)
    [region] = result.found.regions
    assert region.stages == 6
    text = result.found.scheduled.text
    assert "add.nc lc, r0, #-5\n" in text
    assert "// scheduled loop r0 least 8" in text


def test_sums_of_products_take_3_bundles_a_turn_on_xdna2() -> None:
    loads = "".join(f"    vlda bm{part}0, [p2, #{n}]\n"
                    for part, n in (("ll", 0), ("lh", 64), ("hl", 128), ("hh", 192)))  # fmt: skip
    body = (
        f"{loads}    // schedule loop r1 least 4 disjoint p0 p1\n    vlda x0, [p0], #64\n"
        "    vlda x1, [p1], #64\n    vmac.f dm0, dm0, x0, x1, r0\n    // end\n    ret lr\n"
    ) + "    nop\n" * 5
    result = scheduled_with_proof(program_of(body, "xdna2"))
    [region] = result.found.regions
    assert (region.interval, region.stages) == (3, 3)


def test_turns_that_may_be_few_overlap_less() -> None:
    check_length(ADD.replace("least 8", "least 2"), 6)
    check_length(ADD.replace("least 8 ", ""), 12)


def test_a_loop_of_very_many_turns_is_compared_in_a_few() -> None:
    check_length(ADD.replace("least 8", "least 99999999999999"), 2)


def test_what_cannot_be_run_says_why_and_a_file_needs_no_label() -> None:
    for text, reason in (
        ("// schedule\nmova r0, #1\n// end\n", "goes on after its last bundle"),
        ("// schedule\nmova r0, #1\n// end\nret lr\n" + "nop\n" * 5, ""),
    ):
        result = scheduled_with_proof(program_of(text))
        assert reason in result.reason
        assert bool(result.runs) != bool(reason)


def test_without_a_note_loads_do_not_pass_stores_of_the_turn_before() -> None:
    [region] = scheduled(program_of(ADD.replace(" disjoint p0 p1 p2", ""))).regions
    assert region.interval > 8


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (MATMUL.replace("\n    vst amhh0", "; vst amhh0"), "no function with one operation a line"),
        ("    // schedule\n    nop\n", "has no comment `// end`"),
        ("    // schedule\n    // end\n", "has no operations"),
        ("    // schedule\n    mova r0, #1; movx r1, #1\n    // end\n", "several operations"),
        (
            "    // schedule\n    ret lr\n    mova r0, #1\n    // end\n",
            "must be its last operation",
        ),
        (
            "    // schedule\n    mova r0, #1\nx:\n    mova r1, #1\n    // end\n",
            "the label `x` inside",
        ),
        ("    // schedule loop r0\n    ret lr\n    // end\n", "operations without branches"),
    ],
)
def test_a_region_without_sequential_meaning_is_refused(body: str, reason: str) -> None:
    with pytest.raises(PackingError, match=reason):
        scheduled(program_of(body))


def test_a_wrong_schedule_is_caught_by_when_results_land() -> None:
    [region] = scheduled(program_of(MATMUL)).regions
    prove_landing(region)
    product = next(n for n, text in enumerate(region.texts) if text.startswith("vmac"))
    times = [time - (number == product) for number, time in enumerate(region.times)]
    with pytest.raises(PackingError, match="would see another value"):
        prove_landing(region._replace(times=times))


def test_a_search_that_takes_too_long_finds_nothing() -> None:
    for text in (ADD, MATMUL):
        with pytest.raises(PackingError, match="no schedule was found"):
            scheduled(program_of(text), lambda: True)


def test_a_set_without_exposed_pipeline_is_refused() -> None:
    with pytest.raises(PackingError, match="no exposed pipeline"):
        scheduled(read_program(load_isa("ipu"), "acc;;\n"))


@pytest.mark.parametrize("isa", ["xdna1", "xdna2"])
def test_random_operations_do_the_same_in_bundles(isa: str) -> None:
    shorter = 0
    for seed in range(12):
        random = Random(f"{isa} {seed}")
        lines = [
            random.choice(OPERATIONS).format(
                a=random.randrange(1, 8), b=random.randrange(8), c=random.randrange(8),
                n=random.randrange(60), o=4 * random.randrange(16), p=random.randrange(4),
                v=2 * random.randrange(4), w=2 * random.randrange(4),
            )
            for _ in range(random.randint(4, 20))
        ]  # fmt: skip
        lines = [line for line in lines if not program_of(f"    {line}\n", isa).findings]
        body = "".join(f"    {line}\n" for line in [*lines, "ret lr"])
        result = scheduled_with_proof(program_of(body, isa))
        assert result.runs == 3, (result.reason, body)
        shorter += sum(region.length for region in result.found.regions) < 8 * len(lines)
    assert shorter > 6
