"""A debugger stops at the same places, for the same reasons, on both engines."""

from __future__ import annotations

from random import Random

import pytest

from ipu_asm.assembler.encode import assemble
from ipu_asm.debugger.breakpoints import (
    AccessType,
    Breakpoint,
    DataBreakpoint,
    Stop,
    Trap,
    parse_hit_condition,
)
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.queries import last_write
from ipu_asm.debugger.regions import Region
from ipu_asm.emulator import IpuState
from ipu_asm.emulator.machine import VARIABLE, Engine
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import LineTable

KERNEL = """
    set lr3 60;;
x:  incr lr0 512; str_acc_reg lr0 cr0; break.ifeq lr7 9;;
    ldr_mult_reg r0 lr6 cr0; mult.ve r0 lr0 lr0 lr0 lr0; acc; incr lr6 128;;
    incr lr7 1; bne lr7 lr3 x;;
    bkpt;;
"""


def debugger_on(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Debugger:
    monkeypatch.setenv(VARIABLE, engine.value)
    state = IpuState()
    state.load_program(assemble(KERNEL))
    state.xmem.write_address(0, bytes(range(1, 129)))
    debugger = Debugger(LineTable(read_program(load_isa("ipu"), KERNEL)), state)
    debugger.start()
    return debugger


def set_up(debugger: Debugger, rng: Random) -> None:
    """Set random breakpoints: at bundles, with conditions, on registers and on memory."""
    at_bundles = [
        Breakpoint(rng.randrange(5), hit_condition=parse_hit_condition(rng.choice(("%7", ">50"))))
        for _ in range(rng.randrange(3))
    ]
    at_bundles.append(Breakpoint(2, lambda state: state.regfile.scalars[7] % 16 == 3))
    regions = [Region("xmem", 128 * rng.randrange(200), 100), Region("lr6", 0, 2)]
    regions.append(Region("r0", 5, 1))
    at_data = [
        DataBreakpoint(region, rng.choice([*AccessType]), hit_condition=parse_hit_condition("%5"))
        for region in rng.sample(regions, rng.randrange(1, 4))
    ]
    debugger.breakpoints.set_at_bundles(at_bundles)
    debugger.breakpoints.set_at_data(at_data)
    debugger.breakpoints.traps = dict.fromkeys(rng.sample([*Trap], 3))


def way(debugger: Debugger, rng: Random) -> list[tuple[Stop, int]]:
    """The stops on a walk to and fro, and how many breakpoints each one hit."""
    stops = []
    for _ in range(25):
        move = rng.choice(
            (debugger.continue_, debugger.continue_, debugger.reverse_continue, debugger.step,
             debugger.step_back, debugger.step_back_line)
        )  # fmt: skip
        stop = move()
        stops.append((stop._replace(hits=()), len(stop.hits)))
    return stops


@pytest.mark.parametrize("seed", range(12))
def test_stops_are_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ways, states, writes = [], [], []
    for engine in (Engine.NUMPY, Engine.CORE):
        debugger = debugger_on(engine, monkeypatch)
        rng = Random(seed)
        set_up(debugger, rng)
        ways.append(way(debugger, rng))
        states.append(debugger.history.machine.state.save())
        writes.append(last_write(debugger.runner, Region("xmem", 5 * 512, 4)))
    assert ways[0] == ways[1]
    assert states[0] == states[1]
    assert writes[0] == writes[1]
