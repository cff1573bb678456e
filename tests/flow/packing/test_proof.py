"""Every wrong move of an instruction is caught by the proof, whatever the schedule says."""

from __future__ import annotations

from typing import Sequence

import pytest

from ipu_asm.flow.control_run.execution import control_run
from ipu_asm.flow.packing.layout import block_edit
from ipu_asm.flow.packing.operations import Operation, operations_of
from ipu_asm.flow.packing.pack import PackedBlock, PackingPlan
from ipu_asm.flow.packing.proof import ProofError, prove_control, prove_values
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.text import apply_edits

IPU = load_isa("ipu")


def arranged(text: str, bundles: Sequence[str], written: str | None = None) -> PackingPlan:
    """A plan that has the instructions of a program in other bundles: digits are their numbers.

    `written` is the text of the packed program, if it is another one.
    """
    program = read_program(IPU, text)
    assert program.findings == []
    addresses = range(program.size)
    operations = operations_of(program, addresses)
    made = tuple(tuple(operations[int(digit)] for digit in bundle) for bundle in bundles)
    edits = (block_edit(program, addresses, made, {}),)
    packed = read_program(IPU, apply_edits(text, edits) if written is None else written)
    return PackingPlan(program, packed, edits, (PackedBlock(addresses, 0, made),))


@pytest.mark.parametrize(
    ("text", "bundles", "reason"),
    [
        # true: after a write, a read from before the bundle comes too early
        ("set lr1 1;; add lr2 lr1 lr1;;", ["01"], "another value"),
        ("acc.first;; str_acc_reg lr0 cr0;;", ["01"], "another value"),
        ("agg max value cr0 aaq1;; acc.add_aaq aaq1;;", ["01"], "another value"),
        # true: a live read in front of its write
        ("set lr1 1;; ldr_mult_reg r0 lr1 cr0;; acc;;", ["12", "0"], "another value"),
        # anti: a live read sees a write that comes to its bundle
        ("ldr_mult_reg r0 lr1 cr0;; set lr1 1;;", ["01"], "another value"),
        ("add lr2 lr1 lr1;; acc;; set lr1 1;;", ["2", "01"], "another value"),
        # output
        ("acc.first;; set lr3 3;; reset_acc;;", ["21", "0"], "another value"),
        ("set lr1 1;; set lr1 2;;", ["01"], "a second write of `lr1`"),
        # memory
        ("str_acc_reg lr0 cr0;; set lr1 1;; ldr_mult_reg r0 lr2 cr1;;", ["21", "0"], "another"),
        # fault: memory as it was
        ("str_acc_reg lr0 cr0;; agg sum value cr0 aaq0;;", ["01"], "another value"),
        ("agg sum value cr0 aaq0;; acc;; str_acc_reg lr0 cr0;;", ["21", "0"], "another value"),
        # control
        ("acc;; break;; set lr1 1;;", ["01", "2"], "another value"),
        ("x: set lr2 1;; acc; bne lr0 lr1 x;;", ["2", "01"], "another value"),
    ],
)
def test_a_wrong_move_is_caught(text: str, bundles: list[str], reason: str) -> None:
    with pytest.raises(ProofError, match=reason):
        prove_values(arranged(text, bundles))


def test_a_slot_that_is_taken_twice_is_caught() -> None:
    with pytest.raises(ProofError, match="error"):
        prove_values(arranged("ldr_mult_reg r0 lr1 cr0;; ldr_mult_reg r1 lr1 cr0;;", ["01"]))


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("set lr1 2; acc;;", "other instructions"),
        ("set lr1 1;;", "other instructions"),
        ("set lr1 1;; acc;;", "number of bundles"),
        ("set lr1 1; acc; foo;;", "error"),
        ("x: set lr1 1; acc;;", "label"),
    ],
)
def test_a_text_with_other_instructions_is_caught(written: str, reason: str) -> None:
    with pytest.raises(ProofError, match=reason):
        prove_values(arranged("set lr1 1;; acc;;", ["01"], written))


def test_a_branch_to_another_block_is_caught() -> None:
    text = "acc;; set lr1 1; beq lr0 lr1 +1;;"
    with pytest.raises(ProofError, match="target"):
        prove_values(arranged(text, ["012"], "acc; set lr1 1; beq lr0 lr1 +0;;"))


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("set lr1 128; ldr_mult_reg r0 lr2 cr0; bkpt;;", "addresses"),
        ("set lr1 127; ldr_mult_reg r0 lr1 cr0; bkpt;;", "loop registers"),
        ("set lr1 128; ldr_mult_reg r0 lr1 cr1; bkpt;;", "addresses"),
        ("set lr1 128; ldr_mult_reg r0 lr1 cr0;;", "another way"),
    ],
)
def test_another_control_run_is_caught(written: str, reason: str) -> None:
    plan = arranged("set lr1 128;; ldr_mult_reg r0 lr1 cr0;; bkpt;;", ["012"], written)
    with pytest.raises(ProofError, match=reason):
        prove_control(control_run(plan.program), control_run(plan.packed))


def test_a_run_that_ends_at_an_unknown_branch_proves_nothing() -> None:
    plan = arranged("set lr1 1;; add lr2 lr0 cr1; acc;; bne lr2 lr1 -1;;", ["012", "3"])
    with pytest.raises(ProofError, match="not known to the end"):
        prove_control(control_run(plan.program), control_run(plan.packed))


def test_a_right_arrangement_is_proven() -> None:
    plan = arranged("set lr1 128;; ldr_mult_reg r0 lr1 cr0;; acc;; bkpt;;", ["0123"])
    prove_values(plan)
    prove_control(control_run(plan.program), control_run(plan.packed))


def test_an_operation_is_named_by_its_place() -> None:
    [operation] = operations_of(read_program(IPU, "acc_nop; set lr1 1;;"), range(1))
    assert isinstance(operation, Operation)
    assert (operation.address, operation.number) == (0, 1)
