"""The performance report of random programs has the numbers of real runs."""

from __future__ import annotations

from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.control_run.trace import merged
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable
from ipu_asm.program.program import Program
from ipu_asm.reports.performance.report import PerformanceReport, performance_report
from tests.flow.test_control_run import CRS, IPU, random_kernel, real_run
from tests.flow.test_control_run_of_records import presets_of
from tests.vectors import records


def program_of(text: str, presets: dict[str, int]) -> Program:
    program = read_program(IPU, text)
    assert program.findings == []
    program.presets = presets
    return program


def report_of(program: Program) -> PerformanceReport:
    [facts] = control_facts(program)
    return performance_report(program, LineTable(program), facts, with_moves=False)


def check(text: str) -> bool:
    """Compare the report with a run of the machine; whether that is a short one that ends."""
    program = program_of(text, CRS)
    run = control_run(program, CRS, most_steps=500)
    executions, _, accesses, ended = real_run(program, run.steps, CRS, 500)
    if ended == "limit":
        return False
    report = report_of(program)
    assert report.cycles == executions.total()
    for loop in report.loops:
        assert loop.cycles == sum(executions[a] for a in range(loop.first, loop.last + 1))
        assert loop.own_cycles == sum(executions[a] for a in loop.own)
        assert loop.iterations == executions[loop.first]
    for access in report.accesses:
        assert access.executions == executions[access.address]
        if len(run.steps[access.address].accesses) > 1:
            continue  # the run counts those of all memories together
        offsets = {offset for address, offset in accesses if address == access.address}
        assert access.distinct == len(offsets)
        if offsets:
            assert (access.first, access.end) == (min(offsets), max(offsets) + access.size)
            assert access.bytes == merged(range(o, o + access.size) for o in offsets)
    return True


def test_random_programs_have_the_numbers_of_real_runs() -> None:
    ended = [check(random_kernel(seed)) for seed in range(60)]
    assert sum(ended) > 10


def test_cycles_are_those_of_recorded_runs_with_empty_memory_behind_the_program() -> None:
    for record in records("exec"):
        report = report_of(program_of(record["asm"], presets_of(record)))
        assert report.cycles == record["final"]["cycles"], record["id"]


def test_overlaps_have_the_addresses_that_both_regions_touch() -> None:
    program = program_of(
        "set lr1 512;; x: ldr_mult_reg r0 lr2 cr0;; ldr_mult_reg r1 lr2 cr1; incr lr2 256;"
        "bne lr2 lr1 x;; str_acc_reg lr0 cr2; bkpt;;",
        {"cr0": 0, "cr1": 0, "cr2": 0x300},
    )
    [first, second] = report_of(program).overlaps
    assert (first.first.base.text, first.second.base.text) == ("cr0", "cr1")
    assert [*first.shared] == [range(0x100, 0x180), range(0x200, 0x280)]
    assert not first.is_written
    assert (second.first.base.text, second.second.base.text) == ("cr1", "cr2")
    assert [*second.shared] == [range(0x300, 0x380)]
    assert second.is_written


def test_overlaps_of_rows_are_those_of_their_bytes() -> None:
    text = (
        "SET lr1 cr0;; x: INC lr1 1; LDR_MULT_REG r0 lr1 cr2; STR_ACC_REG lr1 cr3;"
        "BNE lr1 cr4 x;; BKPT;;"
    )
    shared = {}
    for mode, last in (("off", 95), ("fp32", 128), ("fp32", 96)):
        presets = {"cr2": 64, "cr3": last, "cr4": 32, "wide": ("off", "fp32").index(mode)}
        program = read_program(load_isa("ipu2"), text)
        program.presets = presets
        report = report_of(program)
        shared[mode, last] = [[*each.shared] for each in report.overlaps]
        assert [each.base.value for each in report.regions] == [
            64 * (128, 512)[presets["wide"]],
            last * (128, 512)[presets["wide"]],
        ]
    assert shared == {
        ("off", 95): [[range(96 * 128, 98 * 128)]],
        ("fp32", 128): [],
        ("fp32", 96): [[range(97 * 512, 98 * 512)]],
    }
