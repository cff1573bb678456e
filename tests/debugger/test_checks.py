"""Conditions, register watches and numeric traps stop the core exactly where they stop numpy."""

from __future__ import annotations

import struct
from random import Random
from typing import Any, Final, Sequence

import pytest

from ipu_asm import assemble
from ipu_asm.debugger.breakpoints import AccessType, Breakpoint, DataBreakpoint, Stop, Trap
from ipu_asm.debugger.conditions import ExpressionCondition
from ipu_asm.debugger.debugger import Debugger, DebugOptions
from ipu_asm.debugger.expressions.program_names import live_context
from ipu_asm.debugger.queries import when_true
from ipu_asm.debugger.regions import Region, regions_of
from ipu_asm.emulator.machine import Engine
from ipu_asm.emulator.model import machine_for
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable
from tests.debugger.expressions.random_conditions import random_condition
from tests.emulator.core.engines import CORE_NAME

# Adds products to large words, so that some sums overflow, or become NaN in float modes.
IPU: Final = """
    set lr3 60; set lr4 128;;
x:  incr lr0 512; str_acc_reg lr0 cr0; mult.ve r0 lr1 lr2 lr2 lr1;;
    ldr_mult_reg r0 lr6 cr0; mult.ee r0 lr0 lr2 lr2; acc; incr lr6 128;;
    acc.add_aaq aaq1; add lr1 lr1 lr4;;
    incr lr7 1; bne lr7 lr3 x;; # ASSERT-AFTER lr7 != 33 and max(acc) > -5
    bkpt;;
"""
IPU_2: Final = """
    INC lr3 60;;
x:  INC lr0 1; LDR_CYCLIC_MULT_REG lr0 cr0 lr2; ACC.ADD;;
    INC lr6 3; MULT.RC.VE lr6 cr1 0 lr2 cr15; ACC.SUB;;
    INC lr1 1; STR_ACC_REG lr1 cr0;;
    INC lr7 1; BNE lr7 lr3 x;;
    BKPT;;
"""
LARGE: Final = (0, 1, 0x7FFF_FFFF, 0x7FFF_0000, 0x8000_0000, 0x8000_0100, 0x7F80_0000, 0xFF80_0000)
WATCHED: Final = ("lr7", "lr5", "pc", "r_acc", "mult_res", "r0", "lr6", "cr4")
CYCLES: Final = 200


def debugger_on(engine: Engine, isa: str, rng: Random) -> Debugger:
    """A debugger in front of a kernel, on a random state."""
    text = IPU if isa == "ipu" else IPU_2
    if isa == "ipu":
        settings: dict[str, Any] = {}
    else:
        settings = {
            "dtype": rng.choice(("INT8", "E4")),
            "wide": rng.choice((None, "fp32", "int32")),
        }
    program = read_program(load_isa(isa), text)
    model = machine_for(isa)
    state = model.make_state(settings)
    state.load_program(assemble(text, isa=isa), LineTable(program))
    if isa == "ipu":
        state.set_cr_dtype(rng.randrange(3))
    for name in ("r_acc", "mult_res"):
        words = rng.choices(LARGE, k=128)
        state.regfile.set_register_bytes(name, 0, struct.pack("<128I", *words))
    state.xmem.write_address(0, bytes(rng.choices((0, 1, 2, 127, 128, 255), k=4096)))
    debugger = Debugger(LineTable(program), state, DebugOptions(settings=settings, spacing=64))
    debugger.machine.engine_choice = engine
    return debugger


def condition_on(debugger: Debugger, text: str) -> ExpressionCondition:
    context = live_context(debugger.lines, debugger.state)

    def now() -> Any:
        context.cycle = debugger.cycle
        return context

    return ExpressionCondition(now, text, lambda error: len(error.message) % 2 == 0)


def set_up(debugger: Debugger, rng: Random) -> None:
    """Set random breakpoints with conditions, watch registers, and trap numeric events."""

    def condition() -> ExpressionCondition | None:
        text = random_condition(rng)
        return condition_on(debugger, text) if rng.random() < 0.7 else None

    regions, limit = regions_of(debugger.state), debugger.program.size
    breakpoints = [Breakpoint(rng.randrange(limit), condition()) for _ in range(3)]
    debugger.breakpoints.set_at_bundles([each for each in breakpoints if each.condition])
    watched = [
        DataBreakpoint(_part(rng, regions.whole(name)), rng.choice([*AccessType]), condition())
        for name in rng.sample(WATCHED, 2)
    ]
    debugger.breakpoints.set_at_data(watched)
    debugger.breakpoints.traps = {trap: condition() for trap in rng.sample([*Trap], 4)}


def _part(rng: Random, whole: Region) -> Region:
    start = rng.randrange(whole.size)
    return Region(whole.name, start, rng.randrange(1, whole.size - start + 1))


def stops_of(debugger: Debugger) -> Sequence[Stop]:
    """All stops of a run, and those on the way back."""
    stops = [debugger.start()]
    while debugger.cycle < CYCLES and len(stops) < 60:
        stops.append(debugger.continue_())
    while debugger.cycle and len(stops) < 120:
        stops.append(debugger.reverse_continue())
    return [stop._replace(hits=()) for stop in stops]


@pytest.mark.parametrize("isa", ["ipu", "ipu2"])
@pytest.mark.parametrize("seed", range(2))
def test_stops_are_the_same_on_both_engines(isa: str, seed: int) -> None:
    found = []
    for engine in (Engine.NUMPY, Engine.CORE):
        rng = Random(f"{isa} {seed}")
        debugger = debugger_on(engine, isa, rng)
        set_up(debugger, rng)
        found.append((stops_of(debugger), debugger.state.save()))
    assert found[0] == found[1]


@pytest.mark.parametrize("isa", ["ipu", "ipu2"])
@pytest.mark.parametrize("seed", range(2))
def test_a_condition_became_true_when_it_did_step_by_step(isa: str, seed: int) -> None:
    rng = Random(f"when {isa} {seed}")
    debugger = debugger_on(Engine.CORE, isa, rng)
    conditions = [condition_on(debugger, random_condition(rng)) for _ in range(24)]
    held = [[condition(debugger.state) for condition in conditions]]
    while debugger.cycle < CYCLES:
        debugger.go_to(debugger.cycle + 1)
        held.append([condition(debugger.state) for condition in conditions])
    end = rng.randrange(CYCLES)
    debugger.go_to(end)
    for number, condition in enumerate(conditions):
        rises = [c for c in range(1, end + 1) if held[c][number] and not held[c - 1][number]]
        expected = rises[-1] if rises else (0 if held[0][number] else None)
        assert when_true(debugger.runner, condition) == expected, condition.text


@pytest.mark.skipif(CORE_NAME != "core", reason="there is no core here")
def test_what_never_holds_leaves_all_bundles_to_the_core() -> None:
    debugger = debugger_on(Engine.CORE, "ipu", Random(5))
    debugger.state.set_cr_dtype(0)
    debugger.breakpoints.set_at_bundles([Breakpoint(2, condition_on(debugger, "lr7 == 99"))])
    debugger.breakpoints.set_at_data([DataBreakpoint(Region("lr5", 0, 4))])
    debugger.breakpoints.traps = {Trap.OVERFLOW: condition_on(debugger, "lr7 > 100")}
    debugger.go_to(CYCLES)
    assert when_true(debugger.runner, condition_on(debugger, "sum(acc) == 7 and lr7 > 70")) is None
    executed = debugger.machine.bundles_on_core
    debugger.reverse_continue()
    # All but the few between the last keyframe and the end, which are not worth it.
    assert debugger.machine.bundles_on_core >= executed + CYCLES - 10
