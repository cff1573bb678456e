"""The control run of `ipu2` says exactly what a real run does, without looking at data."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Mapping

import pytest

from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.control_run.run import ENDLESS, FAULT, ControlRun
from ipu_asm.flow.control_run.summary import summarise
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from tests.flow.ipu2_control import RealRun, accesses_of, presets_of, real_run
from tests.flow.test_unknown_registers import Substitution
from tests.vectors import records

IPU2 = load_isa("ipu2")
MOST_CYCLES = 2_000


def registers_of(run: ControlRun) -> list[int]:
    values = dict(zip(run.names.names, run.registers))
    found = [values[f"lr{number}"] for number in range(16)]
    return [value % (1 << 32) for value in found if isinstance(value, int)]


def check_same(run: ControlRun, real: RealRun) -> None:
    """A control run is the same as a real one, bundle by bundle and access by access."""
    summary = summarise(run)
    assert run.end.reason == real.ended
    assert summary.executions == [real.executions[n] for n in range(len(run.steps))]
    assert registers_of(run) == list(real.lr)
    assert accesses_of(run, summary) == real.accesses


@pytest.mark.parametrize("first", range(0, 466, 117))
def test_recorded_runs_are_foretold(first: int) -> None:
    for record in records("ipu2_exec")[first : first + 117]:
        program = read_program(IPU2, record["asm"])
        presets = presets_of(record)
        run = control_run(program, presets)
        assert run.is_complete, record["id"]
        assert summarise(run).cycles == record["bundles_executed"], record["id"]
        assert registers_of(run) == record["final"]["lr"], record["id"]
        check_same(run, real_run(program, presets, 10_000))


def test_no_recorded_fault_is_told_too_early_or_at_another_place() -> None:
    same = 0
    for record in records("ipu2_faults"):
        program = read_program(IPU2, record["asm"]) if record["asm"] else None
        if program is None or program.findings:
            continue
        run = control_run(program, presets_of(record), 20_000)
        cycles, fault = summarise(run).cycles, record["fault"]
        if run.end.reason == ENDLESS:
            continue
        assert cycles is not None
        assert cycles >= fault["cycles_before"], record["id"]
        if run.end.reason == FAULT and cycles == fault["cycles_before"]:
            assert run.end.address == fault["pc"], record["id"]
            assert registers_of(run) == record["before"]["lr"], record["id"]
            same += 1
    assert same > 20  # the others fault because of data


def test_breaks_change_nothing() -> None:
    for record in records("ipu2_break"):
        program = read_program(IPU2, record["asm"])
        presets = presets_of(record)
        check_same(control_run(program, presets), real_run(program, presets, 10_000))


@pytest.mark.parametrize("first", range(0, 300, 100))
def test_random_nests_of_loops_run_as_on_the_machine(first: int) -> None:
    ended = 0
    for seed in range(first, first + 100):
        random = Random(seed)
        registers = _random_registers(random)
        program = read_program(IPU2, random_kernel(random))
        assert program.findings == []
        real = real_run(program, registers, MOST_CYCLES)
        if real.ended != "limit":
            check_same(control_run(program, registers, 20_000), real)
            ended += 1
    assert ended > 55


def test_a_row_has_the_size_of_the_mode_that_a_comment_states() -> None:
    text = "# CR wide = off | fp32 | INT32\nINC lr1 3;;\nLDR_MULT_REG r0 lr1 cr2; BKPT;;\n"
    found = control_facts(read_program(IPU2, text))
    accesses = [each.summary.accesses[1, 0] for each in found]
    assert [each.access.size for each in accesses] == [128, 512, 512]
    ranges = [facts.offset_ranges(each) for facts, each in zip(found, accesses)]
    assert ranges == [[range(384, 512)], [range(1536, 2048)], [range(1536, 2048)]]
    assert found[0].address_text(accesses[0]) == "row cr2 + 3"


_RINGS = (
    "loop: INCR_MOD_POW2 lr4 cr15 9; INC lr1 1;\n"
    "LDR_CYCLIC_MULT_REG lr1 cr2 lr4; BLT lr1 cr7 loop;;",
    "loop: INCR_MOD_POW2 lr4 cr1 4; INC lr1 1; BNE lr1 cr7 loop;;",
    "loop: ADD lr6 lr5 cr0; INC lr1 1; MULT.RC.VS lr5 0 lr0 cr15;;\n"
    "INCR_MOD_POW2 lr6 cr15 9; INCR_MOD_POW2 lr5 lr3 9; MULT.RC.VS lr6 0 lr0 cr15;;\n"
    "LDR_CYCLIC_MULT_REG lr1 cr2 lr5; BLT lr1 cr7 loop;;",
    "SET lr1 cr7;;\nloop: DEC lr1 1; INCR_MOD_POW2 lr8 cr15 8;; BGE lr1 cr0 loop;;",
    # What a register on a ring decides, or what it is added to, goes round as well.
    "loop: INCR_MOD_POW2 lr4 cr1 3; ADD lr6 lr4 cr1; INC lr1 1; BLT lr1 cr7 loop;;",
    "loop: INCR_MOD_POW2 lr4 cr15 9; INC lr1 1; STR_ACC_REG lr4 cr2; BLT lr1 cr7 loop;;",
)


@pytest.mark.parametrize("text", _RINGS)
def test_a_ring_goes_round_an_unknown_number_of_times(text: str) -> None:
    program = read_program(IPU2, f"ADD lr3 lr0 cr15;;\n{text}\nINC lr9 1;;\nBKPT;;")
    assert program.findings == []
    unknown = control_run(program, {"cr2": 0})
    assert unknown.is_complete is (text in _RINGS[:4])
    for number in (0, 1, 2, 3, 4, 5, 9, 130) if unknown.is_complete else ():
        presets, substitution = {"cr2": 0, "cr7": number}, Substitution({"cr7": number})
        real = real_run(program, presets, 2_000)
        if real.ended == "limit":
            continue
        values = dict(zip(unknown.names.names, unknown.registers))
        found = [substitution.number(values[f"lr{n}"]) % (1 << 32) for n in range(16)]
        assert found == list(real.lr), number
        accesses: Counter[tuple[int, str, int]] = Counter()
        for (address, _), each in summarise(unknown).accesses.items():
            size = 512 if each.access.space.is_register else 1 << 32
            for offsets in each.offsets:
                places = (value % size for value in substitution.numbers(offsets))
                accesses.update((address, each.access.memory, place) for place in places)
        assert accesses == real.accesses, number


def _random_registers(random: Random) -> Mapping[str, int]:
    found = {f"cr{number}": random.choice([0, 1, 4, 7, 128, 200]) for number in range(2, 8)}
    found["cr8"] = random.choice([3, -1, 1 << 31, 16_380])
    return found | {"cr15": 128, "wide": random.choice([0, 0, 1, 2])}


def random_kernel(random: Random) -> str:
    """A program with loops in loops, or one after the other."""
    lines: list[str] = []
    for _ in range(random.randint(1, 2)):
        _add_loop(random, lines, random.randint(1, 3))
    return "\n".join([*lines, "BKPT;;"]) + "\n"


def _add_loop(random: Random, lines: list[str], depth: int) -> None:
    """A loop that usually counts one register up to another; others may change anything."""
    counter, label = depth, f"loop{len(lines)}"
    lines.append(f"SET lr{counter} cr0; {_update(random)};;")
    lines.append(f"{label}:")
    lines.append(f"{_update(random)}; {_access(random)};;")
    if depth > 1:
        _add_loop(random, lines, depth - 1)
    step = random.choice(["INC lr{} 1", "INC lr{} 3", "ADD lr{} lr{} cr4"]).format(counter, counter)
    bound = random.choice(["cr4", "cr5", "cr6", "lr15", "cr15"])
    branch = random.choice(
        ["BLT lr{} {} {}", "BGT {1} lr{0} {2}", "BNE lr{} {} {}", "BLE lr{} {} {}"]
    )
    branch = branch.format(counter, bound, label)
    if random.random() < 0.5:
        lines.append(f"{step}; {_access(random)}; {branch};;")
    else:
        lines.append(f"{step}; {_update(random)};; {_access(random)};; {branch};;")


def _update(random: Random) -> str:
    register, source = (
        random.randint(4, 12),
        random.choice(["lr9", "lr4", "lr1", "cr1", "cr5", "cr15"]),
    )
    return random.choice(
        [
            f"INC lr{register} {random.choice([1, 2, 128, 255])}",
            f"DEC lr{register} {random.choice([1, 64])}",
            f"INCR_MOD_POW2 lr{register} {source} {random.randint(1, 9)}",
            f"INCR_MOD_POW2 lr{register} cr15 9",
            f"SET lr{register} cr{random.randrange(9)}",
            f"SUB lr{register} lr{random.randrange(13)} {source}",
            f"ADDB lrd{register // 2 * 2} {source}",
            f"ADDBI lrd{register // 2 * 2} {random.choice([1, 5, -3, 200])}",
        ]
    )


def _access(random: Random) -> str:
    offset = random.choice(["lr1", "lr2", "lr3", "lr1", "lr14", "lr5"])
    return random.choice(
        [
            f"LDR_MULT_REG r0 {offset} cr{random.randint(2, 7)}",
            f"LDR_MULT_MASK_REG {offset} cr{random.randint(2, 7)}",
            f"LDR_CYCLIC_MULT_REG {offset} cr2 lr14",
            f"LDR_CYCLIC_MULT_REG lr14 cr2 lr{random.randint(12, 14)}",
            f"STR_POST_AAQ_REG {offset} cr{random.randint(2, 8)}",
            f"STR_ACC_REG {offset} cr{random.randint(2, 7)}",
            "ACC.ADD",
            "ACC.MAX",
        ]
    )
