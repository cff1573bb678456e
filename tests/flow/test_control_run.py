"""The control run says exactly what a real run does, without looking at data."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Iterator, Sequence

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.encode import encode
from ipu_asm.emulator import EmulatorError, Ipu, IpuState
from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts, observe
from ipu_asm.flow.control_run.run import FAULT, HALTED, LIMIT, RAN_OFF, ControlRun, Limits
from ipu_asm.flow.control_run.steps import Step
from ipu_asm.flow.control_run.summary import RunSummary, summarise
from ipu_asm.flow.control_run.trace import Progression, executions, numbers
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.source.expansion import SourceSettings

IPU = load_isa("ipu")
EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.s"))
CRS = {f"cr{number}": value for number, value in enumerate((0, 0x20000, 0x40000, 1024, 512, 256))}


def check(text: str, presets: dict[str, int], most_cycles: int = 30_000) -> ControlRun:
    """The control run of a program, which is that of the machine."""
    program = read_program(IPU, text)
    assert program.findings == []
    run = control_run(program, presets, 20_000)
    executions, registers, accesses, ended = real_run(program, run.steps, presets, most_cycles)
    if ended == "limit":
        return run
    summary = summarise(run)
    assert summary.executions == [executions[address] for address in range(program.size)]
    assert run.end.reason == ended
    assert run.registers[:16] == registers
    assert accesses_of(run, summary) == accesses
    return run


def real_run(
    program: Program, steps: Sequence[Step], presets: dict[str, int], most_cycles: int
) -> tuple[Counter[int], list[int], Counter[tuple[int, int]], str]:
    """Executions by address, the last loop registers, accesses by place and offset, the end."""
    state = machine_state(program, presets)
    machine = Ipu(state)
    executions: Counter[int] = Counter()
    address = 0
    accesses: Counter[tuple[int, int]] = Counter()
    for _ in range(most_cycles):
        if state.is_halted:
            ended = HALTED if steps[address].halts else RAN_OFF
            return executions, registers_of(state), accesses, ended
        address = state.program_counter
        if address >= program.size:
            return executions, registers_of(state), accesses, RAN_OFF
        try:
            machine.execute_vliw_cycle()
        except EmulatorError:
            return executions, registers_of(state), accesses, FAULT
        executions[address] += 1
        for access in steps[address].accesses:
            [(register, _)] = access.offset[1]
            accesses[address, state.regfile.get_lr(register)] += 1
    return executions, registers_of(state), accesses, "limit"


def machine_state(program: Program, presets: dict[str, int]) -> IpuState:
    state = IpuState()
    state.load_program(encode(program))
    for name, value in presets.items():
        (state.regfile.set_cr if name.startswith("cr") else state.regfile.set_lr)(
            int(name[2:]), value
        )
    return state


def registers_of(state: IpuState) -> list[int]:
    values = [state.regfile.get_lr(number) for number in range(16)]
    return [value - (1 << 32) if value >> 31 else value for value in values]


def accesses_of(run: ControlRun, summary: RunSummary) -> Counter[tuple[int, int]]:
    found: Counter[tuple[int, int]] = Counter()
    for (address, _), access in summary.accesses.items():
        for progression in access.offsets:
            for offset in numbers(progression):
                found[address, offset % (1 << 32)] += 1
    return found


def random_kernel(seed: int) -> str:
    """Nested loops with steps, bounds and conditions that are drawn."""
    random = Random(seed)
    return "\n".join([*_setup(random), *_loop(random, 0, "l"), "bkpt;;"])


def _setup(random: Random) -> Iterator[str]:
    for number in range(16):
        if random.random() < 0.7:
            yield f"set lr{number} {random.choice((0, 1, 2, 3, 5, 8, 128, 256, -1, -128))};;"


def _loop(random: Random, depth: int, name: str) -> list[str]:
    counter, bound = random.sample(range(10), 2)
    step = random.choice((1, 1, 1, 2, 3, -1))
    trips = random.randint(1, 7)
    lines = [
        f"set lr{counter} 0; set lr{bound} {step * trips + random.choice((0, 0, 0, 1))};;",
        f"{name}:",
    ]
    for number in range(random.randint(1, 3)):
        kind = random.random()
        if kind < 0.35 and depth < 2:
            lines += _loop(random, depth + 1, f"{name}{number}")
        elif kind < 0.45:
            lines.append(f"blt lr{random.randrange(16)} lr{random.randrange(16)} +2;;")
            lines.append(_bundle(random))
        else:
            lines.append(_bundle(random))
    branch = random.choice(("bne", "bne", "blt", "bnz"))
    if random.random() < 0.5:
        lines.append(f"incr lr{counter} {step};;")
        lines.append(f"{_bundle(random)[:-2]}; {branch} lr{counter} lr{bound} {name};;")
    else:
        lines.append(f"incr lr{counter} {step}; {branch} lr{counter} lr{bound} {name};;")
    return lines


def _bundle(random: Random) -> str:
    a, b, c = (random.randrange(10, 16) for _ in range(3))
    step = random.choice((1, 128, -128, 512, 0))
    update = random.choice((
        f"incr lr{a} {step}", f"set lr{a} {step}", f"add lr{a} lr{b} lr{c}",
        f"sub lr{a} lr{b} lr{c}", f"add lr{a} lr{b} cr{random.randrange(3, 6)}",
    ))  # fmt: skip
    access = random.choice((
        "acc", f"ldr_mult_reg r0 lr{b} cr0", f"str_acc_reg lr{c} cr1",
        f"ldr_cyclic_mult_reg lr{a} cr0 lr{b}", "acc",
    ))  # fmt: skip
    return f"{update}; {access};;"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_as_the_control_run_says(path: Path) -> None:
    check(path.read_text("utf-8"), {**CRS, "cr6": 256, "cr7": 1}, 5_000)


@pytest.mark.parametrize("seeds", [range(n, n + 25) for n in range(0, 500, 25)], ids=str)
def test_random_nested_loops_run_as_the_control_run_says(seeds: Sequence[int]) -> None:
    settled = 0
    for seed in seeds:
        run = check(random_kernel(seed), CRS, 2_000)
        settled += run.end.reason in (HALTED, FAULT)
    assert settled > len(seeds) // 2


def test_a_hundred_million_bundles_are_settled_in_a_few_steps() -> None:
    text = """
        add lr1 lr0 cr1; add lr3 lr0 cr2;;
    outer: incr lr2 1; set lr4 0;;
    inner: incr lr4 1; acc;;
        bne lr4 lr3 inner;;
        bne lr2 lr1 outer;;
        bkpt;;
    """
    program = read_program(IPU, text)
    run = control_run(program, {"cr1": 10_000, "cr2": 5_000}, most_steps=100)
    assert run.end.reason == HALTED
    assert summarise(run).cycles == 1 + 10_000 * (2 * 5_000 + 2) + 1


def test_hundreds_of_nested_loops_are_executed() -> None:
    heads = "".join(f"l{number}: acc;;\n" for number in range(400))
    branches = "".join(f"bne lr0 lr0 l{number};;\n" for number in range(399, -1, -1))
    run = control_run(read_program(IPU, f"{heads}{branches}bkpt;;\n"), {})
    assert run.end.reason == HALTED
    assert summarise(run).cycles == 801


def test_facts_use_the_registers_that_the_settings_preset() -> None:
    text = "again: incr lr0 1; bne lr0 lr1 again;;\nbkpt;;\n"
    settings = SourceSettings(presets={"lr1": 4})
    (facts,) = control_facts(Analyzer(IPU).analyze(text, settings=settings).program)
    assert facts.summary.cycles == 6


def test_facts_of_a_template_are_those_of_its_expansion() -> None:
    text = "{% for n in range(3) %}\nincr lr0 {{ n }};;\n{% endfor %}\nbkpt;;\n"
    (facts,) = control_facts(Analyzer(IPU).analyze(text).effective_program)
    assert facts.summary.cycles == 4


def test_a_program_with_errors_has_no_facts() -> None:
    assert control_facts(read_program(IPU, "set lr0 1;;\nnonsense;;\nbkpt;;\n")) == ()


LOOP = """
    set lr1 128;;
outer: set lr0 0;;
inner: incr lr0 1; ldr_mult_reg r0 lr5 cr1; incr lr5 128;;
    bne lr0 lr1 inner;;
    incr lr2 1; bne lr2 lr3 outer;;
    bkpt;;
"""


@pytest.mark.parametrize(
    "alternate",
    ["sub lr5 cr4 lr5", "add lr5 lr6 lr0; add lr6 lr5 lr0"],
    ids=["subtraction", "swap"],
)
def test_a_loop_that_alternates_between_two_buffers_is_settled(alternate: str) -> None:
    text = (
        "set lr3 999; set lr6 128;;\n"
        f"loop: {alternate};;\n"
        "str_acc_reg lr5 cr1; incr lr1 1; bne lr1 lr3 loop;;\nbkpt;;\n"
    )
    run = check(text, {"cr1": 0, "cr4": 128})
    assert run.end.reason == HALTED
    assert sum(1 for _ in executions(run.nodes)) < 30


def test_a_run_of_ten_thousand_million_iterations_ends_at_its_limit() -> None:
    # Each visit of the first loop lasts until a register of 32 bits has gone round.
    text = "at: incr lr4 3; bne lr5 lr4 at;;\nadd lr5 lr5 lr6; add lr6 lr6 lr4;;\nb at;;\n"
    run = control_run(read_program(IPU, text), {"lr6": 1}, 20_000)
    assert run.end.reason == LIMIT
    assert len(list(executions(run.nodes))) < 100
    assert sum(each or 0 for each in summarise(run).executions) > 10_000_000_000


def facts_of(text: str, presets: dict[str, int]) -> ControlFacts:
    settings = SourceSettings(presets=presets)
    (facts,) = control_facts(Analyzer(IPU).analyze(text, settings=settings).program)
    return facts


def test_registers_are_observed_before_and_after_a_bundle() -> None:
    values, is_complete = facts_of(LOOP, {"lr3": 3, "cr1": 0x100}).observe({2: ["LR5", "lr0"]})
    assert is_complete
    assert values[2, "lr5"].before == [Progression(0, ((128, 512),))]
    assert values[2, "lr5"].after == [Progression(128, ((128, 512),))]
    assert values[2, "lr0"].before == [Progression(0, ((1, 128), (0, 4)))]


def test_a_bundle_that_never_runs_has_no_observed_values() -> None:
    values, _ = facts_of("b +2;;\nset lr1 1;;\nbkpt;;\n", {}).observe({1: ["lr1"]})
    assert values == {(1, "lr1"): ([], [])}


def test_facts_answer_by_address() -> None:
    facts = facts_of(LOOP, {"lr3": 3, "cr1": 0x100})
    inner, outer = facts.loop_around(2), facts.loop_around(1)
    assert inner is not None
    assert outer is not None
    assert (inner.head, inner.least, inner.most, inner.entries) == (2, 128, 128, 4)
    assert (outer.head, outer.least, outer.most, outer.entries) == (1, 4, 4, 1)
    assert facts.loop_around(0) is None
    [access] = facts.accesses_at(2)
    assert facts.address_ranges(access) == [range(0x180, 0x180 + 4 * 128 * 128)]
    assert facts.address_text(access) == "cr1 + 0x80 + 0x80 x k, k = 0..511"
    assert facts.is_written("lr5")
    assert not facts.is_written("lr6")


def test_an_access_through_an_unknown_cr_has_offsets_and_no_addresses() -> None:
    facts = facts_of(LOOP, {"lr3": 3})
    [access] = facts.accesses_at(2)
    assert facts.address_ranges(access) is None
    assert facts.offset_ranges(access) == [range(0x80, 0x80 + 4 * 128 * 128)]
    assert facts.base_names(access) == ["cr1"]


def check_observed(program: Program, run: ControlRun, presets: dict[str, int]) -> None:
    names = [f"lr{number}" for number in range(16)]
    observation = observe(run, dict.fromkeys(range(program.size), names))
    expected = real_values(program, presets)
    assert observation.is_complete
    for (address, name), (before, after) in observation.values.items():
        seen = expected[address, name]
        assert Counter(n for each in before for n in numbers(each)) == seen[0]
        assert Counter(n for each in after for n in numbers(each)) == seen[1]


def real_values(
    program: Program, presets: dict[str, int]
) -> dict[tuple[int, str], tuple[Counter[int], Counter[int]]]:
    found: dict[tuple[int, str], tuple[Counter[int], Counter[int]]] = defaultdict(
        lambda: (Counter(), Counter())
    )
    state = machine_state(program, presets)
    machine = Ipu(state)
    while not state.is_halted:
        address, before = state.program_counter, registers_of(state)
        try:
            machine.execute_vliw_cycle()
        except EmulatorError:
            break
        for number, pair in enumerate(zip(before, registers_of(state))):
            for place in (0, 1):
                found[address, f"lr{number}"][place][pair[place]] += 1
    return found


@pytest.mark.parametrize("seed", range(40))
def test_observed_values_are_those_of_the_machine(seed: int) -> None:
    program = read_program(IPU, random_kernel(seed))
    run = control_run(program, CRS, 20_000)
    if run.is_complete and (summarise(run).cycles or 0) < 2_000:
        check_observed(program, run, CRS)
    else:
        assert observe(run, {0: ["lr0"]}, Limits(20_000)).values
