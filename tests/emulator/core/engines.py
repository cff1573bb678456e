"""Machines on both engines, and the random programs that compare them.

    python -m tests.emulator.core.engines 20000 [SALT]

runs as many programs, half of them on machines with replaced methods, and prints how many differ.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from random import Random
from typing import Any, Final

from ipu_asm.emulator import ExecutionFault, Ipu, IpuState, SavedState
from ipu_asm.emulator.machine import Engine
from tests.emulator.random_programs import random_state, random_word

CORE_NAME: Final = "core" if find_spec("wasmtime") else "numpy"
"""The engine of machines that may use the core, in this environment."""

LIMITS: Final = (1, 2, 7, 8, 9, 17, 40)
RUNS: Final = 25

Log = list[tuple[Any, int, int, SavedState]]


class TwiceIpu(Ipu):
    """A machine of a user, with another meaning for instructions of three slots."""

    def execute_incr(self, *, reg: int, value: int) -> None:
        super().execute_incr(reg=reg, value=2 * value)

    def execute_acc(self) -> None:
        super().execute_acc()
        super().execute_acc()

    def execute_bkpt(self) -> None:
        self._registers.pc = 3000


def machine_on(engine: Engine, state: IpuState, aaq_shift: int = 0, kind: type[Ipu] = Ipu) -> Ipu:
    """A machine that uses an engine from its first bundle on."""
    machine = kind(state, aaq_shift)
    machine.engine_choice = engine
    return machine


def check_same(rng: Random, kind: type[Ipu] = Ipu) -> int:
    """A random program gives the same on both engines; returns how many bundles the core ran."""
    start = random_state(rng).save()
    program = [random_word(rng) for _ in range(rng.randint(1, 20))]
    aaq_shift, seed = rng.choice((0, 0, 1, 24, 31)), rng.random()
    logs, machines = [], []
    for engine in (Engine.NUMPY, Engine.CORE):
        state = IpuState()
        state.restore(start)
        state.load_program(program)
        machine = machine_on(engine, state, aaq_shift, kind)
        machines.append(machine)
        logs.append(log_of(machine, len(program), Random(seed)))
    assert logs[0] == logs[1], first_difference(*logs)
    return machines[1].bundles_on_core


def log_of(machine: Ipu, length: int, rng: Random) -> Log:
    """The results of runs with random limits; a bundle that faults is stepped over."""
    log: Log = []
    state = machine.state
    for _ in range(RUNS):
        if state.program_counter > length:
            state.program_counter = rng.randrange(length)
        try:
            result: Any = machine.run(rng.choice(LIMITS))
        except ExecutionFault as error:
            result = error.fault
        log.append((result, machine.cycles, machine.snapshot.pc, state.save()))
        if not isinstance(result, int):
            state.program_counter += 1
    return log


def first_difference(one: Log, other: Log) -> str:
    """What differs after the first run that ended differently."""
    a, b = next((a, b) for a, b in zip(one, other) if a != b)
    return f"{a[:3]} and {b[:3]}: {a[3].differences(b[3])}"


def main(count: int, salt: str = "") -> int:
    """Compare many programs; return the number of those that differ."""
    different = on_core = 0
    for number in range(count):
        try:
            on_core += check_same(Random(f"{salt}{number}"), (Ipu, TwiceIpu)[number % 2])
        except AssertionError as error:
            different += 1
            print(f"program {number}: {error}")
    print(f"{count} programs, {on_core} bundles on the core, {different} different")
    return different


if __name__ == "__main__":
    sys.exit(min(main(int(sys.argv[1]), *sys.argv[2:]), 1))
