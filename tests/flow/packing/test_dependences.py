"""Dependences say which instructions may share a bundle, and which bound a loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.flow.control_flow import basic_blocks
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.packing.dependences import (
    DependenceGraph,
    critical_path,
    dependences_of,
    least_bundles,
    recurrence_of,
    resource_bound,
    slot_pressure,
)
from ipu_asm.flow.packing.operations import disjoint_accesses, operations_of
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program

IPU = load_isa("ipu")
EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def program_of(text: str) -> Program:
    program = read_program(IPU, text)
    assert program.findings == []
    return program


def graph_of(text: str, is_loop: bool = False) -> DependenceGraph:
    program = program_of(text)
    return dependences_of(program, range(program.size), is_loop)


def between(graph: DependenceGraph, iterations: int = 0) -> set[tuple[int, int, str, str, int]]:
    """Source, target, kind, resource and latency of each dependence."""
    return {
        (each.source, each.target, each.kind.value, each.resource, each.latency)
        for each in graph.dependences
        if each.iterations == iterations
    }


@pytest.mark.parametrize(
    ("text", "dependence"),
    [
        ("set lr1 0;; ldr_mult_reg r0 lr1 cr0;;", ("true", "lr1", 0)),
        ("set lr1 0;; add lr2 lr1 lr3;;", ("true", "lr1", 1)),
        ("acc;; str_acc_reg lr0 cr0;;", ("true", "r_acc", 1)),
        ("acc.first;; agg max value cr0 aaq1;;", ("true", "r_acc", 0)),
        ("agg max value cr0 aaq1;; acc.add_aaq.first aaq1;;", ("true", "aaq1", 1)),
        ("ldr_mult_reg r0 lr1 cr0;; set lr1 0;;", ("anti", "lr1", 1)),
        ("add lr2 lr1 lr3;; set lr1 0;;", ("anti", "lr1", 0)),
        ("add lr2 lr1 lr3; set lr1 0;;", ("anti", "lr1", 0)),
        ("str_acc_reg lr0 cr0;; reset_acc;;", ("anti", "r_acc", 0)),
        ("set lr1 0;; set lr1 1;;", ("output", "lr1", 1)),
        ("acc.first;; reset_acc;;", ("output", "r_acc", 1)),
        ("str_acc_reg lr0 cr0;; ldr_mult_reg r0 lr1 cr1;;", ("memory", "xmem", 1)),
        ("ldr_mult_reg r0 lr1 cr1;; str_acc_reg lr0 cr0;;", ("memory", "xmem", 1)),
        ("str_acc_reg lr0 cr0;; agg sum value cr0 aaq0;;", ("fault", "", 1)),
        ("agg sum value cr0 aaq0;; str_acc_reg lr0 cr0;;", ("fault", "", 0)),
        ("agg sum value cr0 aaq0; str_acc_reg lr0 cr0;;", ("fault", "", 0)),
        ("acc;; b +1;;", ("control", "", 0)),
        ("acc; b +1;;", ("control", "", 0)),
        ("b +1;; acc;;", ("control", "", 1)),
        ("acc;; break;;", ("control", "", 1)),
        ("break;; acc;;", ("control", "", 0)),
        ("break; acc;;", ("control", "", 0)),
    ],
)
def test_a_dependence_says_how_far_apart_two_instructions_are(
    text: str, dependence: tuple[str, str, int]
) -> None:
    assert (0, 1, *dependence) in between(graph_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "set lr1 0;; set lr2 0;;",
        "ldr_mult_reg r0 lr0 cr0;; ldr_mult_reg r1 lr1 cr1;;",
        "add lr1 lr3 lr3;; add lr2 lr3 lr3;;",
        "add lr1 cr3 lr3;; mult.ve.cr lr0 lr0 lr0 cr3;;",
        "incr lr0 0;; incr lr0 1;;",
    ],
)
def test_instructions_that_read_the_same_or_nothing_are_independent(text: str) -> None:
    assert between(graph_of(text)) == set()


def test_an_instruction_does_not_see_its_own_result() -> None:
    assert between(graph_of("incr lr1 1;; incr lr1 1;;")) == {
        (0, 1, "true", "lr1", 1),
        (0, 1, "output", "lr1", 1),
    }


def test_a_loop_carries_dependences_from_one_iteration_to_the_next() -> None:
    graph = graph_of("ldr_mult_reg r0 lr1 cr0; incr lr1 128;;", is_loop=True)
    assert (0, 1, "anti", "lr1", 1) in between(graph, iterations=1)
    assert (1, 1, "output", "lr1", 1) in between(graph, iterations=1)
    assert between(graph) == {(1, 0, "true", "lr1", 0)}


def test_accesses_that_the_control_run_keeps_apart_are_independent() -> None:
    program = program_of("set lr1 512;; str_acc_reg lr1 cr0;; ldr_mult_reg r0 lr0 cr0;; bkpt;;")
    [facts] = control_facts(program)
    graph = dependences_of(program, range(3), False, disjoint_accesses(facts))
    assert not any(kind == "memory" for _, _, kind, _, _ in between(graph))


@pytest.mark.parametrize(
    "text",
    [
        "set lr1 511;; str_acc_reg lr0 cr0;; ldr_mult_reg r0 lr1 cr0;; bkpt;;",
        "set lr1 1024;; str_acc_reg lr0 cr0;; ldr_mult_reg r0 lr1 cr1;; bkpt;;",
        "set lr1 512;; str_acc_reg lr1 cr0;; ldr_mult_reg r0 lr0 cr0;; b -1;;",
    ],
)
def test_accesses_that_may_meet_are_dependent(text: str) -> None:
    program = program_of(text)
    facts = control_facts(program)
    graph = dependences_of(program, range(3), False, disjoint_accesses(facts[0]))
    assert (1, 2, "memory", "xmem", 1) in between(graph)


def test_the_busiest_slot_bounds_a_block() -> None:
    graph = graph_of("set lr1 0; set lr2 0;; set lr3 0; acc.first;; set lr4 0; set lr5 0;;")
    first, second = slot_pressure(IPU, graph.operations)
    assert (first.slot, first.operations, first.capacity, first.bundles) == ("lr", 5, 2, 3)
    assert second.slot == "acc"
    assert resource_bound(IPU, graph.operations) == 3


def test_the_longest_chain_of_dependences_is_the_critical_path() -> None:
    graph = graph_of("set lr1 1;; add lr2 lr1 lr1;; add lr3 lr2 lr2; acc;; str_acc_reg lr3 cr0;;")
    assert [each.resource for each in critical_path(graph)][:2] == ["lr1", "lr2"]
    assert sum(each.latency for each in critical_path(graph)) == 2


def test_a_recurrence_is_the_slowest_cycle_between_iterations() -> None:
    text = "add lr1 lr2 lr2;; add lr3 lr1 lr1;; add lr2 lr3 lr3;; acc;; acc_nop;;"
    found = recurrence_of(graph_of(text, is_loop=True))
    assert found.bundles == 3
    assert sorted({each.resource for each in found.cycle}) == ["lr1", "lr2", "lr3"]


def test_code_without_instructions_has_no_recurrence() -> None:
    assert recurrence_of(graph_of("acc_nop;;", is_loop=True)) == (0, ())


def test_a_block_begins_at_labels_and_targets_and_behind_branches() -> None:
    text = "acc;; name: acc;; acc;; beq lr0 lr1 +2;; acc;; acc;; bkpt;; acc;;"
    found = basic_blocks(program_of(text))
    assert found == [range(1), range(1, 4), range(4, 5), range(5, 7), range(7, 8)]


def test_the_inner_loop_of_the_fully_connected_layer_is_at_its_bound() -> None:
    program = program_of((EXAMPLES / "fully_connected.s").read_text("utf-8"))
    [head] = [a for label, a in program.label_addresses.items() if label == "element"]
    graph = dependences_of(program, [head], is_loop=True)
    assert resource_bound(IPU, graph.operations) == recurrence_of(graph).bundles == 1


def test_every_block_of_the_fully_connected_layer_is_at_its_bound() -> None:
    program = program_of((EXAMPLES / "fully_connected.s").read_text("utf-8"))
    graphs = [dependences_of(program, block) for block in basic_blocks(program)]
    assert [least_bundles(IPU, graph) for graph in graphs] == [3, 1, 1, 1, 1]
    assert [len(block) for block in basic_blocks(program)] == [3, 1, 1, 1, 1]


def test_slots_that_take_up_units_press_on_these() -> None:
    isa = load_isa("xdna1")
    program = read_program(isa, "movxm r1, #100000\nmov r3, r1; add r0, r0, #1\n")
    assert program.findings == []
    found = slot_pressure(isa, operations_of(program, range(program.size)))
    assert [(each.slot, each.operations, each.bundles) for each in found] == [
        ("alu", 2, 2),
        ("mv", 2, 2),
    ]


def test_accesses_that_may_fault_pass_each_other_only_with_a_known_base() -> None:
    text = "set lr1 512;;\nldr_mult_reg r0 lr0 cr0;;\nstr_acc_reg lr1 cr0; bkpt;;\n"
    cases: list[tuple[dict[str, int], tuple[bool, bool]]]
    cases = [({}, (True, False)), ({"cr0": 0x1000}, (True, True))]
    for base, expected in cases:
        program = read_program(load_isa("ipu"), text)
        program.presets = base
        [facts] = control_facts(program)
        load, store = (each for each in operations_of(program, range(3)) if each.memories)
        tests = [disjoint_accesses(facts, in_memory=each) for each in (False, True)]
        assert tuple(test is not None and test(load, store) for test in tests) == expected
