"""What is said of bundles after the end of a run holds whenever they are executed."""

from __future__ import annotations

from random import Random

import pytest

from ipu_asm.emulator import EmulatorError, Ipu
from ipu_asm.flow.control_run.facts import control_facts, faults_after, values_after
from ipu_asm.flow.unloaded_reads import unloaded_reads
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from tests.flow.test_control_run import machine_state, random_kernel, registers_of

IPU = load_isa("ipu")
UNDECIDED = "add lr9 lr9 cr6;;\nbeq lr9 lr10 +2;;\nincr lr11 128;;\n"


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_known_values_are_those_of_every_execution(first: int) -> None:
    known = 0
    for seed in range(first, first + 25):
        program = read_program(IPU, UNDECIDED + random_kernel(seed))
        (facts,) = control_facts(program)
        values = values_after(program, facts)
        faults = {fault.address for fault in faults_after(program, facts)}
        assert min(values) == 2
        random = Random(seed)
        for _ in range(4):
            presets = {f"cr{number}": random.choice((0, 1, 128)) for number in range(16)}
            state = machine_state(program, presets)
            machine = Ipu(state)
            for _ in range(300):
                address = state.program_counter
                if state.is_halted or address >= program.size:
                    break
                if address > 1:
                    pairs = zip(registers_of(state), values[address])
                    numbers = [pair for pair in pairs if isinstance(pair[1], int)]
                    assert all(real == said for real, said in numbers), (seed, address)
                    known += len(numbers)
                try:
                    machine.execute_vliw_cycle()
                except EmulatorError:
                    break
                assert address not in faults, (seed, address)
    assert known > 10_000


def reads_of(text: str) -> list[tuple[int, str, bool]]:
    program = read_program(IPU, UNDECIDED + text)
    (facts,) = control_facts(program)
    return [(r.address, r.register, r.is_certain) for r in unloaded_reads(program, facts)]


LOADS = "ldr_mult_reg r0 lr0 cr0;; ldr_cyclic_mult_reg lr0 cr0 lr0;;\n"


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        (f"{LOADS}mult.ee r0 lr0 lr1 lr1;; bkpt;;", []),
        (f"{LOADS}mult.ee r1 lr0 lr1 lr1;; bkpt;;", [(5, "r1", True)]),
        # The load of its own bundle counts.
        ("ldr_cyclic_mult_reg lr0 cr0 lr0; mult.ve.cr lr0 lr1 lr1 cr1;; bkpt;;", []),
        ("ldr_mult_reg r0 lr0 cr0; mult.ee r0 lr0 lr1 lr1;; bkpt;;", [(3, "r_cyclic", True)]),
        # A later iteration sees what this one loads.
        (
            "ldr_mult_reg r0 lr0 cr0;;\nl: mult.ee r0 lr0 lr1 lr1;;"
            " ldr_cyclic_mult_reg lr0 cr0 lr0; bne lr3 lr9 l;; bkpt;;",
            [(4, "r_cyclic", False)],
        ),
        # An unknown index may be after the last element, where nothing need be loaded.
        ("mult.ve.cr lr9 lr1 lr1 cr1;; bkpt;;", []),
        ("mult.ve.cr lr1 lr1 lr1 cr1;; bkpt;;", [(3, "r_cyclic", True)]),
    ],
)
def test_reads_after_the_end_are_told_as_far_as_they_are_sure(
    text: str, reads: list[tuple[int, str, bool]]
) -> None:
    assert reads_of("set lr0 0; set lr1 0;;\n" + text) == [
        (address + 1, register, is_certain) for address, register, is_certain in reads
    ]
