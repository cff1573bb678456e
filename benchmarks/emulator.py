"""The emulator on the fully connected layer: numpy in units of one of its calls, and the core."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from benchmarks import core, timing
from benchmarks.report import Target, number, print_table
from benchmarks.timing import Action
from ipu_asm.assembler.encode import assemble
from ipu_asm.emulator import DType, Ipu, IpuState, machine_for
from ipu_asm.emulator.machine import Engine
from ipu_asm.emulator.vliw import VliwMachine

EXAMPLES = Path(__file__).parents[1] / "examples"
LAYER = EXAMPLES / "fully_connected.s"
SECOND_LAYER = EXAMPLES / "ipu2" / "fully_connected.s"

BUNDLE_UNITS = 14.0
"""Units that a bundle of the layer may cost; nearly all of them are its inner loop."""

FP8_SHARE = 1.5
"""What a bundle on FP8 elements may cost, in bundles on INT8 elements."""

SECOND_SET_SHARE = 1.5
"""What a bundle of the layer for IPU 2 may cost, in bundles of the layer for the IPU, in INT8."""

SECOND_CORE_TIMES = 20.0
"""How many times as fast the core of IPU 2 must be as numpy, on its layer in INT8."""

SAVE_UNITS = 3.0
"""Units that saving the whole state may cost."""

FIRST_RATES = {DType.INT8: 4_600, DType.FP8_E4M3: 3_000, DType.FP8_E5M2: 3_000}
"""Bundles a second of the first implementation, for comparison."""

UNITS, SAVES, STEPS = 5_000, 2_000, 1_000
"""How often the short things are done in a round."""

TITLES = {
    "ipu2": "INT8 on IPU 2, a bundle",
    "ipu2 core": "INT8 on the core of IPU 2, a bundle",
    "step": "INT8, bundle by bundle",
    "save": "save the state",
    "stored": "store 512 bytes, save the state",
}


def run(quick: bool = False) -> list[Target]:
    """Measure, print, and return the targets as ratios, each taken within one round."""
    layer = LAYER.read_text(encoding="utf-8")
    machines = {dtype: _machine(dtype, layer) for dtype in DType}
    for machine in machines.values():
        machine.engine_choice = Engine.NUMPY
    actions: dict[str, Action] = {"unit": _unit}
    for dtype, ipu in machines.items():
        actions[dtype.name] = lambda ipu=ipu: _layer(ipu)  # type: ignore[misc]
    for name, engine in (("ipu2", Engine.NUMPY), ("ipu2 core", Engine.CORE)):
        second = _second_machine(engine)
        actions[name] = lambda machine=second: _layer(machine)  # type: ignore[misc]
    actions["step"] = lambda: _steps(machines[DType.INT8])
    actions["save"] = lambda: _saves(machines[DType.INT8].state)
    actions["stored"] = lambda: _saves_after_stores(machines[DType.INT8].state)
    timing.interleave(2, actions)  # the first time pays for tables and binding
    seconds = timing.interleave(15 if quick else 75, actions)
    _print(seconds)
    return [*_targets(seconds), *core.run(_machine, layer, quick)]


def _machine(dtype: DType, program: str) -> Ipu:
    """A machine with a program, and with small elements where the layer has its data."""
    rng = Random("emulator")
    state = IpuState()
    state.load_program(assemble(program))
    state.xmem.write_address(0, bytes(rng.randrange(64) for _ in range(0x25000)))
    for index, address in enumerate((0x00000, 0x20000, 0x40000)):
        state.regfile.set_cr(index, address)
    state.set_cr_dtype(dtype)
    return Ipu(state)


def _second_machine(engine: Engine) -> VliwMachine[Any]:
    """A machine of IPU 2 with its layer and small elements."""
    rng, model = Random("emulator"), machine_for("ipu2")
    state = model.State()
    state.load_program(assemble(SECOND_LAYER.read_text(encoding="utf-8"), "ipu2"))
    state.xmem.write_address(0, bytes(rng.randrange(64) for _ in range(0x25000)))
    for index, value in enumerate((0x000, 0x400, 0x800, 126, 9), 2):
        state.regfile.set_cr(index, value)
    machine: VliwMachine[Any] = model.make_machine(state, {})
    machine.engine_choice = engine
    return machine


def _unit() -> float:
    a = np.arange(128, dtype=np.int32)
    b, c = a.copy(), a.copy()

    def multiply() -> None:
        call = np.multiply
        for _ in range(UNITS):
            call(a, b, out=c)

    return timing.timed(multiply) / UNITS


def _layer(ipu: VliwMachine[Any]) -> float:
    """Seconds of one bundle in a run of the layer, which begins by setting its registers."""
    ipu.state.program_counter = 0
    before = ipu.cycles
    return timing.timed(lambda: ipu.run(1 << 30)) / (ipu.cycles - before)


def _steps(ipu: Ipu) -> float:
    ipu.state.program_counter = 0

    def steps() -> None:
        step = ipu.execute_vliw_cycle
        for _ in range(STEPS):
            step()

    return timing.timed(steps) / STEPS


def _saves(state: IpuState) -> float:
    def saves() -> None:
        save = state.save
        for _ in range(SAVES):
            save()

    return timing.timed(saves) / SAVES


def _saves_after_stores(state: IpuState) -> float:
    row = bytearray(512)

    def saves() -> None:
        for row_number in range(SAVES):
            state.xmem.write_address(row_number * 512, row)
            state.save()

    return timing.timed(saves) / SAVES


def _ratio(seconds: dict[str, list[float]], what: str, against: str = "unit") -> float:
    return timing.ratio(seconds, what, against)


def _print(seconds: dict[str, list[float]]) -> None:
    rows = []
    for name, values in seconds.items():
        first = FIRST_RATES[DType[name]] if name in DType.__members__ else 0
        median = timing.median(values)
        title = {"unit": "multiply(a, b, out=c)", **TITLES}.get(name, f"{name}, a bundle")
        times = number(1 / median / first, 0) if first else "-"
        ratio = number(_ratio(seconds, name))
        rows.append((title, number(median * 1e6), number(1 / median, 0), ratio, times))
    header = ("work", "us", "a second", "units", "x first implementation")
    print_table("emulator, median", header, rows)


def _targets(seconds: dict[str, list[float]]) -> list[Target]:
    what = "a bundle of the layer on INT8 elements, units"
    targets = [Target(what, _ratio(seconds, DType.INT8.name), BUNDLE_UNITS)]
    for dtype in (DType.FP8_E4M3, DType.FP8_E5M2):
        ratio = _ratio(seconds, dtype.name, DType.INT8.name)
        targets.append(Target(f"{dtype.name} against INT8", ratio, FP8_SHARE))
    ratio = _ratio(seconds, "ipu2", DType.INT8.name)
    targets.append(Target("IPU 2 against the IPU, numpy, INT8", ratio, SECOND_SET_SHARE))
    share = _ratio(seconds, "ipu2 core", "ipu2") * SECOND_CORE_TIMES
    targets.append(Target(f"{SECOND_CORE_TIMES:g} x core of IPU 2 against numpy", share, 1.0))
    return [*targets, Target("saving the state, units", _ratio(seconds, "save"), SAVE_UNITS)]
