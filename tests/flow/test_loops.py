"""The loops of the source: those around a bundle, their size, and how full they are."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.flow.loops import enclosing_loops, loops_of
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program

IPU = load_isa("ipu")
NESTED = """\
set lr2 3;; set lr1 0;;
loop: incr lr1 1;; incr lr3 1;; inner: incr lr4 1;;
set lr5 1;
  incr lr6 1;; blt lr4 lr2 inner;;
b tail;;
one: incr lr7 1; blt lr7 lr2 one;; bkpt;;
tail: blt lr1 lr2 loop;; b one;;
"""


def check_loops(isa: str, text: str, *loops: tuple[int, int, str | None, int]) -> None:
    """The first and last address, the label and the used slots of each loop."""
    found = loops_of(read_program(load_isa(isa), text))
    assert [(loop.first, loop.last, loop.label, loop.used) for loop in found] == list(loops)


def test_a_loop_goes_up_to_the_last_branch_back() -> None:
    check_loops("ipu", NESTED, (2, 10, "loop", 11), (4, 6, "inner", 4), (8, 11, "one", 5))
    check_loops("ipu", "b end;; acc;; end: bkpt;;")


def test_the_delay_slots_of_its_branch_belong_to_a_loop() -> None:
    # `jnz` takes up two units.
    lines = ["loop: mova r1, #1", "jnz r9, #loop", *["nop"] * 4, "mova r2, #1", "nop"]
    check_loops("xdna1", "\n".join(lines) + "\n", (0, 6, "loop", 4))


@pytest.mark.parametrize(
    ("address", "loops"),
    [
        (0, []),
        (1, []),
        (2, [(2, 10)]),
        (9, [(8, 11)]),
        (10, [(8, 11)]),
        (3, [(2, 10)]),
        (4, [(4, 6), (2, 10)]),
        (6, [(4, 6), (2, 10)]),
        (8, [(8, 11)]),
        (11, [(8, 11)]),
        (12, []),
        (1_024, []),
    ],
)
def test_the_loops_around_a_bundle_grow_from_the_innermost_one(
    address: int, loops: list[tuple[int, int]]
) -> None:
    found = enclosing_loops(read_program(IPU, NESTED), address)
    assert [(loop[0], loop[-1]) for loop in found] == loops


def test_two_branches_to_the_same_place_make_one_loop() -> None:
    text = "in: incr lr1 1;; beq lr1 lr2 in;; incr lr3 1;; bne lr1 lr3 in;; bkpt;;"
    program = read_program(IPU, text)
    assert [enclosing_loops(program, address) for address in (0, 3)] == [[range(4)]] * 2


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=6), st.integers(0, 9))
def test_each_loop_lies_in_the_next_one(branches: list[tuple[int, int]], address: int) -> None:
    targets = dict(branches)
    lines = [f"l{n}: b l{targets[n]};;" if n in targets else f"l{n}: acc;;" for n in range(10)]
    loops = enclosing_loops(read_program(IPU, "\n".join(lines)), address)
    for inner, outer in pairwise(loops):
        assert set(inner) < set(outer)
    assert all(address in loop and targets[loop[-1]] == loop[0] for loop in loops)
    around = [range(to, at + 1) for at, to in targets.items() if to <= address <= at]
    assert bool(loops) == bool(around)


def test_a_breakpoint_is_no_use_of_a_slot() -> None:
    (loop,) = loops_of(read_program(IPU, "l: break; incr lr1 1; blt lr1 lr2 l;; bkpt;;"))
    assert (loop.used, loop.slots, loop.use_text) == (2, 7, "2 of 7 slots used (29 %)")
