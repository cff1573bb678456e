"""Where a control run faults, and loops whose condition is only met by an overflow."""

from __future__ import annotations

from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.run import (
    ENDLESS,
    HALTED,
    ControlRun,
    Fault,
    Iteration,
    fault_of,
    iterations_at_end,
)
from ipu_asm.flow.control_run.summary import summarise
from ipu_asm.flow.loops import loops_of
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program

IPU = load_isa("ipu")


def check(text: str, **presets: int) -> tuple[ControlRun, Fault | None, list[Iteration]]:
    program = read_program(IPU, text)
    run = control_run(program, presets)
    loops = {loop.first: loop.last for loop in loops_of(program)}
    fault = fault_of(program, run)
    assert fault is None or isinstance(fault, Fault)
    return run, fault, iterations_at_end(run, loops)


def test_a_run_that_halts_has_no_fault() -> None:
    run, fault, _ = check("ldr_mult_reg r0 lr0 cr0; bkpt;;")
    assert (run.end.reason, fault) == (HALTED, None)


def test_a_fault_is_in_an_iteration_of_each_loop_around_it() -> None:
    text = """
        set lr2 3;;
    outer: incr lr3 1; set lr4 0;;
    inner: incr lr4 1;;
        str_acc_reg lr5 cr1; add lr5 lr5 cr2;;
        bne lr4 lr2 inner;;
        bne lr3 lr2 outer;;
        bkpt;;
    """
    _, fault, loops = check(text, cr1=0, cr2=0x80000)
    assert fault is not None
    assert (fault.address, fault.offset, fault.is_misaligned) == (3, 0x200000, False)
    assert loops == [Iteration(1, 2), Iteration(2, 1)]


def test_a_fault_in_the_first_bundle_of_a_loop_is_in_the_iteration_that_begins_there() -> None:
    text = "set lr1 4;;\nloop: incr lr0 32767; ldr_mult_reg r0 lr0 cr0;;\nb loop;;"
    _, fault, loops = check(text)
    assert fault is not None
    assert loops == [Iteration(1, -(-(0x200000 - 127) // 32767))]


def test_an_offset_may_reach_the_end_of_memory_from_an_unknown_base() -> None:
    text = "loop: incr lr0 512; ldr_mult_reg r0 lr0 cr0;;\nb loop;;"
    _, fault, _ = check(text)
    assert fault is not None
    assert fault.offset == 0x200000


def test_a_misaligned_index_is_a_fault() -> None:
    _, fault, _ = check("set lr1 64;;\nldr_cyclic_mult_reg lr0 cr0 lr1; bkpt;;")
    assert fault is not None
    assert fault.is_misaligned


def test_a_counter_that_passes_its_bound_meets_it_after_an_overflow() -> None:
    run, *_ = check("set lr0 1;;\nloop: incr lr0 1;; bne lr0 lr1 loop;;\nbkpt;;")
    assert run.end.reason == HALTED
    assert summarise(run).loops[1].most == (1 << 32) - 1


def test_a_counter_whose_step_never_meets_the_bound_is_endless() -> None:
    run, *_ = check("set lr1 100;;\nloop: incr lr0 128;; bne lr0 lr1 loop;;\nbkpt;;")
    assert run.end.reason == ENDLESS


def test_five_hundred_loops_in_each_other_are_executed() -> None:
    heads = "".join(f"l{number}: acc;;\n" for number in range(500))
    ends = "".join(f"beq lr0 lr1 l{number};;\n" for number in range(499, -1, -1))
    run, *_ = check(f"set lr1 1;;\n{heads}{ends}bkpt;;\n")
    assert run.end.reason == HALTED
