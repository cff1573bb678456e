"""Operations in order become bundles of XDNA that do the same, when executed too."""

from __future__ import annotations

from random import Random

import pytest

from ipu_asm import analyze
from ipu_asm.flow.accesses import accesses_of
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.flow.packing.region_text import region_text
from ipu_asm.flow.packing.regions import scheduled
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.testbench.scheduling import (
    ScheduleResult,
    prove_landing,
    prove_text,
    scheduled_with_proof,
)

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
LISTING_4 = """\
    vldb x2, [p1, #0]
    vldb x4, [p1, #64]
    movxm r0, #16256
    vlda.conv.fp32.bf16 cml0, [p0, #0]
    vbcst.16 x0, r0
    mova r0, #53
    vmov x1, x0
    vshuffle x7, x2, x4, r0
    mova r1, #52
    vlda.conv.fp32.bf16 cmh0, [p0, #64]
    vshuffle x6, x2, x4, r1
    mova r0, #60
    vmul.f dm1, y3, y0, r0
    vconv.bfp16ebs8.fp32 ex0, dm0
    vconv.bfp16ebs8.fp32 ex2, dm1
    vlda bmll0, [p2, #0]
    vlda bmlh0, [p2, #64]
    vlda bmhl0, [p2, #128]
    vlda bmhh0, [p2, #192]
    mova r0, #780
    vmac.f dm0, dm0, ex0, ex2, r0
    vst bmll0, [p2, #0]
    vst bmlh0, [p2, #64]
    vst bmhl0, [p2, #128]
    vst bmhh0, [p2, #192]
    ret lr
"""
"""The operations of the document's Listing 4, which its compiler puts into 32 bundles."""
AXPY = """\
    // schedule loop $m2 least 4 disjoint $m0 $m1 $m3
    ld64step $a0:1, $mzero, $m0+=, 1  // x
    ld64step $a2:3, $mzero, $m1+=, 1  /* y */
    f32v2mul $a0:1, $a4:B, $a0:1
    f32v2add $a2:3, $a2:3, $a0:1
    st64step $a2:3, $mzero, $m3+=, 1
    // end
    exitz $mzero
"""
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


COLOSSUS_OPERATIONS = (
    "add $m{a}, $m{b}, {n}",
    "setzi $m{a}, {n}",
    "ld32step $m{a}, $mzero, $m{b}+=, 1",
    "ld64step $a{v}:{u}, $mzero, $m{b}+=, 1",
    "ld64 $a{v}:{u}, $m{b}, $mzero, {p}",
    "st64 $a{v}:{u}, $m{b}, $mzero, {p}",
    "st32step $m{a}, $mzero, $m{b}+=, 2",
    "f32v2mul $a{v}:{u}, $a{w}:B, $a{v}:{u}",
    "f32v2add $a{v}:{u}, $a{v}:{u}, $a{w}:{x}",
    "f32v2mac $a{v}:{u}, $a{w}:{x}",
    "f32v2gina $a{v}:{u}, $a{w}:{x}, 0",
    "mov $a{v}:{u}, $a{w}:{x}",
)


def program_of(body: str, isa: str = "xdna1") -> Program:
    if isa == "colossus":
        return read_program(load_isa(isa), f'    .section .text.f, "ax"\n    .worker\nf:\n{body}')
    head = '    .section .text.f,"ax",@progbits\n    .globl f\n    .p2align 4\nf:\n'
    return read_program(load_isa(isa), head + body)


def check_length(body: str, length: int, isa: str = "xdna1") -> ScheduleResult:
    """The only region takes so many bundles, a turn of a loop; all runs agree."""
    result = scheduled_with_proof(program_of(body, isa))
    [region] = result.found.regions
    assert (region.interval or region.length) == length
    assert (result.runs, result.reason) == (3, "")
    assert result.found.scheduled.findings == []
    return result


def test_a_function_of_11_operations_takes_16_bundles() -> None:
    text = check_length(MATMUL, 16).found.scheduled.text
    assert "vlda wh0, [p0, #32]; vldb wh2, [p1, #32]" in text  # of different banks
    assert "vlda amhl0, [p2, #0]  // the sum so far\n" in text
    assert text.rstrip().endswith("vst amhl0, [p2, #0]\n    vst amhh0, [p2, #32]")


def test_26_operations_of_a_product_of_blocks_take_30_bundles_on_xdna2() -> None:
    check_length(LISTING_4, 30, "xdna2")


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


def test_no_alignment_waits_between_the_prologue_and_the_loop() -> None:
    loads = "".join(
        f"    vlda w{half}{base + n}, [p{base // 4}], #32\n"
        for base in (0, 4) for n in (0, 1) for half in "lh"
    )  # fmt: skip
    products = "".join(
        f"    vmac.f bm{half}{n}, bm{half}{n}, x{n}, x{4 + other}, r1\n"
        for n in (0, 1) for other, half in enumerate("lh")
    )  # fmt: skip
    comment = "// schedule loop r0 least 8 disjoint p0 p1"
    body = f"    mova r1, #28\n    {comment}\n{loads}{products}    // end\n    ret lr\n"
    text = check_length(body + "    nop\n" * 5, 5).found.scheduled.text
    first = "    vlda wl0, [p0], #32; vldb wl4, [p1], #32; nops; nopxm\n"
    assert f"    .p2align 4\n{first}" in text


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


def test_results_land_while_accesses_wait_for_a_store_of_a_part_of_a_word() -> None:
    lines = (
        "and r5, r4, r0|lshl r2, r0, r1|st.s16 r4, [p0, #0]|st r2, [p2, #-16]|sub r1, r2, r4"
        "|ashl r4, r0, r2|mova r3, #-156|lda.s8 r0, [p0, #1]|padda [p2], #-20|add.nc r0, r0, #-1"
        "|st.s16 r5, [p2, #0]|st p0, [p0, #24]|ret lr"
    )
    body = lines.replace("|", "\n") + "\n"
    times = check_length(body, 14).found.regions[0].times
    assert times[lines.split("|").index("ashl r4, r0, r2")] <= times[7]  # not while it loads r0


def test_no_result_is_overtaken_while_accesses_wait() -> None:
    lines = ["vshuffle x0, x3, x1, r4", "vlda wh0, [p0, #0]", "st.s16 r0, [p1, #-2]", "ret lr"]
    [region] = scheduled(program_of("\n".join(lines) + "\n", "xdna2")).regions
    assert region.times[0] <= region.times[1]


@pytest.mark.parametrize("isa", ["xdna1", "xdna2"])
def test_the_carry_is_that_of_the_operation_before(isa: str) -> None:
    lines = ["mul r3, r4, r2", "add r2, r3, #-2", "sub r0, r5, r5", "adc r6, r2, r3", "ret lr"]
    [region] = scheduled(program_of("\n".join(lines) + "\n", isa)).regions
    assert region.times[1] < region.times[2] < region.times[3]


def test_a_loop_whose_counter_its_function_sets_is_not_compared() -> None:
    result = scheduled_with_proof(program_of("    mova r0, #9\n" + ADD))
    assert (result.runs, result.reason) == (0, "`r0` is set in front of the loop")
    assert result.found.regions[0].interval == 2


def test_a_schedule_is_found_where_the_search_meets_dead_ends() -> None:
    lines = (
        "add r5, r2, r4|add r5, r2, #-1|abs r0, r3|ge r1, r4, r5|add r1, r0, #4|or r1, r3, r1"
        "|and r3, r3, r2|lda r3, [p0], m0|ashl r0, r3, r3|eq r2, r5, r3|vmov x2, x3|abs r4, r0"
        "|st r5, [p2], m1|lt r1, r0, r2|vst wl1, [p3, #32]|sel.nez r5, r5, r5, r27"
        "|sel.eqz r4, r4, r1, r27|ltu r0, r5, r0|vpush.lo.32 x3, r1, x3|padds [p2], #-24|ret lr"
    )
    [region] = scheduled(program_of(lines.replace("|", "\n") + "\n")).regions
    assert region.length < 40


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
        (
            "    // schedule\n    mova r0, #1\n    .p2align 4\n    mova r1, #1\n    // end\n",
            "directive `.p2align` inside",
        ),
        (AXPY.replace("    f32v2m", "    get $m4, $WSR\n    f32v2m"), "`get` cannot be repeated"),
        (AXPY.replace("$m3+=, 1", "$m3+=, $m2"), "accesses the counter"),
        ("    // schedule\n    { nop ; mov $a0, $a1 }\n    // end\n", "has braces"),
        ("    // schedule\n    rpt 3, 0\n    mov $a0, $a1\n    // end\n", "has a loop inside"),
    ],
)
def test_a_region_without_sequential_meaning_is_refused(body: str, reason: str) -> None:
    with pytest.raises(PackingError, match=reason):
        scheduled(program_of(body, "colossus" if "$" in body or "rpt" in body else "xdna1"))


def test_a_wrong_schedule_is_caught_by_when_results_land() -> None:
    [region] = scheduled(program_of(MATMUL)).regions
    prove_landing(region)
    product = next(n for n, text in enumerate(region.texts) if text.startswith("vmac"))
    times = [time - (number == product) for number, time in enumerate(region.times)]
    with pytest.raises(PackingError, match="would see another value"):
        prove_landing(region._replace(times=times))


def test_a_text_that_issues_something_else_is_caught() -> None:
    program = program_of(ADD)
    [region] = scheduled(program).regions
    text = region_text(program, region)
    prove_text(program.isa, region, text, 9)
    for wrong in (text._replace(body=text.body[::-1]), text._replace(prologue=text.prologue[::-1])):
        with pytest.raises(PackingError, match="does not issue what is scheduled"):
            prove_text(program.isa, region, wrong, 9)


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
        if seed % 2:
            lines = [f"// schedule loop r0 least {seed}", *lines[:12], "// end"]
        body = "".join(f"    {line}\n" for line in [*lines, "ret lr", *["nop"] * (seed % 2 * 5)])
        result = scheduled_with_proof(program_of(body, isa))
        assert result.runs == 3, (result.reason, body)
        shorter += sum(region.length for region in result.found.regions) < 8 * len(lines)
    assert shorter > 6


def end_of(program: Program, turns: int) -> dict[str, object]:
    """Return what registers and memories hold, in terms of instructions, after a Colossus text.

    Bodies of `rpt` are executed `turns` times. What a register points to is a memory of its own.
    """
    values: dict[str, object] = {}
    bundles = [program.bundles[number] for number in program.bundle_at_address]
    order: list[int] = []
    for address, bundle in enumerate(bundles):
        if address not in order:
            body = int(bundle.instructions[0].words[2]) + 1 if "repeat" in bundle.traits else 0
            order += [address, *[*range(address + 1, address + 1 + body)] * turns]
    for address in order:
        bundle = bundles[address]
        written: dict[str, object] = {}
        for number, instruction in enumerate(bundle.instructions):
            own = [a for a in accesses_of(program.isa, bundle) if a.instruction == number]
            names = [unit for a in own if a.reads for unit in sorted(a.units)]
            writes = [unit for a in own if a.writes for unit in sorted(a.units)]
            spec = instruction.spec
            assert spec is not None
            if spec.traits & {"load", "store"}:
                names.append(next(name for name in names if name in ("$m0", "$m1", "$m2", "$m3")))
                names[-1] = f"memory at {names[-1]}" if "disjoint $" in program.text else "memory"
                writes += names[-1:] if "store" in spec.traits else []
            if any(part in spec.mnemonic for part in ("mac", "gina")):
                names, writes = [*names, "accumulators"], [*writes, "accumulators"]
            value = hash((*instruction.words, *(values.get(name, name) for name in names)))
            written |= {name: hash((value, place)) for place, name in enumerate(writes)}
        values |= written
    return {name: value for name, value in values.items() if name not in ("$m2", "$m15")}


def check_colossus(body: str, turns: int, *, is_loop: bool) -> int:
    """The scheduled text ends as the operations in order do, and is clean; return its length."""
    program = program_of(body, "colossus")
    result = scheduled_with_proof(program)
    [region] = result.found.regions
    made = analyze(result.found.scheduled.text, isa="colossus")
    assert made.diagnostics == ()
    loop = body.partition("// end")[0] if is_loop else ""
    in_order = program_of(loop * (turns - 1) + body, "colossus")
    assert end_of(in_order, 1) == end_of(made.program, turns - region.stages + 1), body
    return region.interval or region.length


def test_a_loop_of_colossus_is_a_repeated_body_as_long_as_its_busier_lane() -> None:
    assert check_colossus(AXPY, 7, is_loop=True) == 3
    text = scheduled(program_of(AXPY, "colossus")).scheduled.text
    assert "    .align 8\n    { rpt $m2, 2 ; fnop }\n    { ld64step $a0:1" in text
    assert text.count("add $m2, $m2, ") == 2
    assert ", 1 ; fnop }  // y\n" in text
    assert check_colossus(AXPY.replace("least 4 ", ""), 3, is_loop=True) == 4


def test_random_operations_of_colossus_do_the_same_in_both_lanes() -> None:
    shorter = 0
    for seed in range(40):
        random = Random(f"colossus {seed}")
        lines = []
        for _ in range(random.randint(3, 14)):
            v, w = 2 * random.randrange(4), 2 * random.randrange(4)
            lines.append(
                f"    {random.choice(COLOSSUS_OPERATIONS)}\n".format(
                    a=random.randrange(4, 7), b=random.choice((0, 1, 3)), n=random.randrange(60),
                    p=random.randrange(8), v=v, u=v + 1, w=w, x=w + 1,
                )
            )  # fmt: skip
        body = "".join(lines)
        least, is_loop = random.randrange(1, 5), seed % 2 == 1
        if is_loop:
            names = "disjoint $m0 $m1 $m3" if seed % 4 == 1 else "disjoint"
            body = f"    // schedule loop $m2 least {least} {names}\n{body}    // end\n"
        length = check_colossus(f"{body}    exitz $mzero\n", least + seed % 3, is_loop=is_loop)
        shorter += length < len(lines) + (not is_loop)
    assert shorter > 20
