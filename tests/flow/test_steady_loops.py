"""The steady state of a loop is that of its executions, counted out cycle by cycle."""

from __future__ import annotations

import random

import pytest

from ipu_asm.flow.packing.dependences import recurrence_of
from ipu_asm.flow.steady_loops import SteadyLoop, carried_dependences, register_windows, steady_loop
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from tests.flow.test_landing import OPERATIONS

ISA = load_isa("xdna1")
ITERATIONS = 12


def loop_of(body: list[str]) -> SteadyLoop:
    text = "\n".join(["f:", *body[:-1], "last:", body[-1], "movxm ls, #f", "movxm le, #last"])
    loop = steady_loop(read_program(ISA, text), 0, len(body) - 1)
    assert loop is not None
    return loop


def executed(loop: SteadyLoop) -> tuple[set[tuple[int, int, int]], dict[str, set[int]]]:
    """Count out iterations: which offset sees the result of which one, and when values live.

    The first are pairs of offsets with a number of iterations between them.
    """
    count = loop.bundles
    writes: dict[str, list[tuple[int, int, str]]] = {}
    for iteration in range(ITERATIONS):
        for offset, accesses in enumerate(loop.accesses):
            issued = iteration * count + offset
            for write in accesses:
                for unit in write.units if write.writes else ():
                    lands = issued + (write.timing.def_cycle or 0)
                    writes.setdefault(unit, []).append((lands, issued, write.timing.bypass))
    seen: set[tuple[int, int, int]] = set()
    live: dict[str, set[int]] = {unit: set() for unit in writes}
    for offset, accesses in enumerate(loop.accesses):
        issued = (ITERATIONS - 4) * count + offset
        for read in accesses:
            for unit in read.units if read.reads else ():
                sampled = issued + (read.timing.use_cycle or 0) - 1
                landed = [
                    (lands, origin)
                    for lands, origin, bypass in writes.get(unit, ())
                    if lands - bool(bypass and bypass == read.timing.bypass) <= sampled
                ]
                if not landed:
                    live[unit] = set(range(count))
                    continue
                lands, origin = max(landed)
                seen.add((origin % count, offset, issued // count - origin // count))
                live[unit] |= {cycle % count for cycle in range(lands, sampled + 1)}
    return seen, live


def check_loop(body: list[str]) -> SteadyLoop:
    loop = loop_of(body)
    graph = carried_dependences(loop)
    found = {
        (graph.operations[each.source].address, graph.operations[each.target].address,
         each.iterations)
        for each in graph.dependences
    }  # fmt: skip
    seen, live = executed(loop)
    assert found == seen
    for file in register_windows(loop):
        for name, free in file.free.items():
            cycles = {cycle % loop.bundles for first, end in free for cycle in range(first, end)}
            used = set().union(*(live[unit] for unit in ISA.units(name)))
            assert cycles == set(range(loop.bundles)) - used, name
    return loop


@pytest.mark.parametrize("seed", range(60))
def test_random_loops_see_what_their_executions_see(seed: int) -> None:
    random_ = random.Random(seed)
    check_loop([random_.choice(OPERATIONS) for _ in range(random_.randint(2, 14))])


def test_a_chain_through_an_accumulator_takes_its_latency_from_the_late_read() -> None:
    # It lands in the sixth cycle, and the next operation reads it in its third.
    body = ["vmac.f bml0, bml0, x0, x2, r0", *["nop"] * 6]
    assert recurrence_of(carried_dependences(check_loop(body))).bundles == 4
    # Issued every second bundle, it is a chain of every second iteration.
    assert recurrence_of(carried_dependences(check_loop(body[:2]))).bundles == 2


def test_a_register_is_free_from_its_last_read_until_the_next_result_lands() -> None:
    body = ["vlda wl0, [p0], #32", *["nop"] * 7, "vst wl0, [p1], #32", "nop"]
    (windows,) = register_windows(check_loop(body))
    assert (windows.file, windows.most, dict(windows.free)) == ("w", 1, {"wl0": ((9, 17),)})


def test_a_loop_with_a_branch_inside_has_no_steady_state() -> None:
    text = "f:\n" + "jz r0, #out\n" + "nop\n" * 5 + "jnz r1, #f\n" + "nop\n" * 5 + "out:\nnop\n"
    program = read_program(ISA, text)
    assert steady_loop(program, 0, 11) is None
