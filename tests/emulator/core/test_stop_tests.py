"""A run on the core stops where one on numpy does."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.emulator import Ipu
from ipu_asm.emulator.machine import Engine, SelectiveTest, WatchedRange
from tests.emulator.core.engines import CORE_NAME, machine_on
from tests.emulator.machines import ipu_with

# Loads and stores at multiples of 512 up to 8,192, in turns.
KERNEL = """
    set lr3 40; set lr4 8191;;
x:  incr lr0 512; incr lr5 1; str_acc_reg lr0 cr0; break.ifeq lr5 7;;
y:  ldr_mult_reg r0 lr6 cr0; acc; incr lr6 128;;
    incr lr7 1; bne lr7 lr3 x;;
    bkpt;;
"""


def stops_of(engine: Engine, make: object, limit: int = 10_000) -> list[tuple[int, int, int]]:
    """Cycle, address and last bundle of each stop of a run to the end."""
    ipu = machine_on(engine, ipu_with(KERNEL).state)
    test = make(ipu)  # type: ignore[operator]
    stops = []
    while ipu.run(limit, test):
        stops.append((ipu.cycles, ipu.state.program_counter, ipu.snapshot.pc))
    return stops


def check_same(make: object) -> list[tuple[int, int, int]]:
    stops = stops_of(Engine.NUMPY, make)
    assert stops_of(Engine.CORE, make) == stops
    return stops


def test_in_front_of_addresses() -> None:
    def make(ipu: Ipu) -> SelectiveTest:
        return SelectiveTest(lambda pc: pc in (2, 4), in_front=frozenset({2, 4}))

    assert len(check_same(make)) == 40 + 1 + 2


def test_where_a_condition_holds() -> None:
    def make(ipu: Ipu) -> SelectiveTest:
        scalars = ipu.state.regfile.scalars
        return SelectiveTest(lambda pc: pc == 3 and scalars[7] in (20, 30), in_front=frozenset({3}))

    assert len(check_same(make)) == 3


def test_at_breaks() -> None:
    assert len(check_same(lambda ipu: ipu.break_test())) == 2


def test_after_addresses_with_the_registers_before_the_bundle() -> None:
    def make(ipu: Ipu) -> SelectiveTest:
        def test(pc: int) -> bool:
            return ipu.snapshot.pc == 3 and ipu.snapshot.scalars[7] == 11

        return SelectiveTest(test, after=frozenset({3}))

    assert [stop[1:] for stop in check_same(make)] == [(1, 3), (1024, 4)]


@pytest.mark.parametrize("kinds", [1, 2, 3])
def test_after_accesses_to_a_range(kinds: int) -> None:
    def make(ipu: Ipu) -> SelectiveTest:
        def test(pc: int) -> bool:
            scalars, last = ipu.snapshot.scalars, ipu.snapshot.pc
            stored = last == 1 and kinds & 2 and scalars[0] + 512 == 2048
            loaded = last == 2 and kinds & 1 and scalars[6] + 128 in (2048, 2176)
            return bool(stored or loaded)

        return SelectiveTest(test, watched=(WatchedRange(2048, 2048 + 200, kinds),))

    assert len(check_same(make)) == {1: 3, 2: 2, 3: 4}[kinds]


def test_more_ranges_than_the_core_can_watch() -> None:
    def make(ipu: Ipu) -> SelectiveTest:
        ranges = tuple(WatchedRange(n * 64, n * 64 + 1, 2) for n in range(100))
        return SelectiveTest(lambda pc: ipu.snapshot.pc == 1, watched=ranges)

    check_same(make)


@given(st.randoms(use_true_random=True))
def test_limits_and_stops_mix(rng: Random) -> None:
    addresses = frozenset(rng.sample(range(5), 2))
    limit = rng.randrange(1, 60)

    def make(ipu: Ipu) -> SelectiveTest:
        return SelectiveTest(lambda pc: pc in addresses, in_front=addresses)

    assert stops_of(Engine.NUMPY, make, limit) == stops_of(Engine.CORE, make, limit)


def test_a_stop_that_is_far_away_costs_nothing() -> None:
    ipu = machine_on(Engine.CORE, ipu_with(KERNEL).state)
    ipu.run(10_000, SelectiveTest(lambda pc: pc == 4, in_front=frozenset({4})))
    assert ipu.state.program_counter == 4
    assert ipu.bundles_on_core == (ipu.cycles if CORE_NAME == "core" else 0)
