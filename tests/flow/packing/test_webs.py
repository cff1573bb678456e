"""Webs: which writes of a register belong together, and which reads see them."""

from __future__ import annotations

from ipu_asm.flow.packing.webs import START, webs_of
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program

IPU = load_isa("ipu")


def webs(text: str, register: str) -> list[tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
    """The writes and the reads of each web of a register, as addresses and instructions."""
    program = read_program(IPU, text)
    assert program.findings == []
    found = [web for web in webs_of(program).webs if web.register == register]
    return sorted((sorted(web.writes), [read.place for read in web.reads]) for web in found)


def test_a_new_value_without_the_old_one_begins_a_web() -> None:
    text = "set lr1 1;; add lr2 lr1 lr1;; set lr1 2;; add lr3 lr1 lr1;; bkpt;;"
    assert webs(text, "lr1") == [([(0, 0)], [(1, 0), (1, 0)]), ([(2, 0)], [(3, 0), (3, 0)])]


def test_an_update_belongs_to_the_web_that_it_updates() -> None:
    text = "set lr1 1;; x: incr lr1 1;; bne lr1 lr2 x;; bkpt;;"
    assert webs(text, "lr1") == [([(0, 0), (1, 0)], [(1, 0), (2, 0)])]
    assert webs(text, "lr2") == [([START], [(2, 0)])]


def test_a_live_read_sees_the_write_of_its_bundle_and_a_branch_does_not() -> None:
    text = "set lr1 1;; set lr1 2; ldr_mult_reg r0 lr1 cr0; beq lr1 lr0 x;; x: bkpt;;"
    assert webs(text, "lr1") == [([(0, 0)], [(1, 2)]), ([(1, 0)], [(1, 1)])]


def test_writes_that_meet_behind_a_branch_are_one_web() -> None:
    text = "beq lr0 lr3 x;; set lr1 1; b y;; x: set lr1 2;; y: add lr2 lr1 lr1;; bkpt;;"
    assert webs(text, "lr1") == [([(1, 0), (2, 0)], [(3, 0), (3, 0)])]


def test_code_that_is_not_reached_reads_nothing() -> None:
    assert webs("b x;; add lr2 lr1 lr1;; x: bkpt;;", "lr1") == []
