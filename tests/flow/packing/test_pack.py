"""Packed programs have fewer bundles, in the layout and with the comments of their author."""

from __future__ import annotations

import re
from random import Random

import pytest

from ipu_asm.flow.control_flow import basic_blocks
from ipu_asm.flow.packing.dependences import critical_path, dependences_of, resource_bound
from ipu_asm.flow.packing.pack import PackingError, PackingPlan, plan_packing
from ipu_asm.flow.packing.proof import prove_values
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from tests.programs import example_kernels

IPU = load_isa("ipu")


def plan_of(text: str, addresses: range | None = None) -> PackingPlan:
    plan = plan_packing(read_program(IPU, text), addresses)
    prove_values(plan)
    return plan


def packed(text: str, addresses: range | None = None) -> str:
    return plan_of(text, addresses).packed.text


def random_block(seed: int) -> str:
    random = Random(seed)
    return "\n".join([*(_bundle(random) for _ in range(random.randint(2, 12))), "bkpt;;", ""])


def random_loop(seed: int) -> str:
    random = Random(seed)
    body = [_bundle(random) for _ in range(random.randint(1, 8))]
    body.append(random.choice(("bne lr14 lr15 top;;", "incr lr14 1; bne lr14 lr15 top;;")))
    return "\n".join(["set lr15 3;;", "top: incr lr14 1;;", *body, "bkpt;;", ""])


def _bundle(random: Random) -> str:
    """One bundle with instructions that are drawn for some of its slots."""

    def lr() -> str:
        return f"lr{random.randrange(4)}"

    choices = {
        "lr": (f"incr {lr()} 128", f"set {lr()} 512", f"add {lr()} {lr()} {lr()}"),
        "xmem": (
            f"ldr_mult_reg r{random.randrange(2)} {lr()} cr0",
            f"str_acc_reg {lr()} cr{random.randrange(2)}",
            f"ldr_mult_mask_reg {lr()} cr1",
            f"xmem.store_aaq_result {lr()} cr1",
        ),
        "mult": (f"mult.ee r{random.randrange(2)} {lr()} lr0 lr1", "mult.ve.aaq lr3 lr0 lr0 aaq1"),
        "acc": ("acc", "acc.first", "acc.add_aaq aaq1", f"acc.stride 8 on off {lr()}"),
        "aaq": ("agg max value cr3 aaq1", "agg sum inv cr3 aaq2"),
        "break": (f"break.ifeq {lr()} 7",),
    }
    slots = [slot for slot in choices if random.random() < (0.1 if slot == "break" else 0.35)]
    return "; ".join(random.choice(choices[slot]) for slot in slots or ["acc"]) + ";;"


def test_instructions_of_bundles_that_share_no_slot_are_joined() -> None:
    assert packed("set lr1 1;;\nacc.first;;\nbkpt;;\n") == "set lr1 1; acc.first; bkpt;;\n"


def test_a_live_read_may_join_its_write_and_another_read_may_not() -> None:
    assert plan_of("set lr1 128;; ldr_mult_reg r0 lr1 cr0;; bkpt;;").packed.size == 1
    assert plan_of("set lr1 128;; add lr2 lr1 lr1;; bkpt;;").packed.size == 2


def test_a_program_without_gain_is_not_touched() -> None:
    text = example_kernels()["fully_connected.s"]
    plan = plan_of(text)
    assert plan.edits == ()
    assert plan.packed.text == text


def test_comments_stay_with_their_instructions_in_their_column() -> None:
    text = """\
    set  lr1 1;;        # one
                        # and more of it
    # above
    acc.first;;         # first
    bkpt;;
"""
    assert (
        packed(text)
        == """\
    set  lr1 1;         # one
                        # and more of it
    # above
    acc.first;          # first
    bkpt;;
"""
    )


def test_a_no_op_leaves_its_comment_behind() -> None:
    text = "    acc.first;;\n    acc_nop;;  # wait\n    set lr1 1;;\n    acc_nop;;  # end\n"
    assert packed(text) == "    acc.first;\n    # wait\n    set lr1 1;;\n    # end\n"


def test_labels_stay_at_the_start_of_their_block() -> None:
    text = "set lr2 9;;\n# the loop\nloop: incr lr1 1;;\nacc;;\nbne lr1 lr2 loop;;\nbkpt;;\n"
    assert packed(text) == (
        "set lr2 9;;\n# the loop\nloop: incr lr1 1; acc;;\nbne lr1 lr2 loop;;\nbkpt;;\n"
    )


def test_a_label_without_references_stays_between_its_neighbours() -> None:
    assert packed("acc.first;;\nhere: set lr1 1;;\nbkpt;;\n").count(";;") == 2


def test_a_break_stays_between_its_neighbours() -> None:
    text = "set lr1 1;;\nbreak; acc.first;;\nset lr2 2;;\nbkpt;;\n"
    assert packed(text) == "set lr1 1;;\nbreak; acc.first; set lr2 2; bkpt;;\n"


@pytest.mark.parametrize(
    ("above", "beside"),
    [("    # ASSERT lr1 == 1\n", ""), ("", "  # ASSERT-AFTER lr2 == 2"), ("", "  # LOG lr1")],
)
def test_a_bundle_with_an_assertion_stays_as_it_is(above: str, beside: str) -> None:
    text = f"    set lr1 1;;\n    acc;;\n{above}    set lr2 2;;{beside}\n    acc;;\n    bkpt;;\n"
    assert packed(text) == text.replace("1;;\n    acc", "1; acc").replace(
        "acc;;\n    bkpt", "acc; bkpt"
    )


def test_an_assertion_about_a_loop_stays_at_its_label() -> None:
    text = "set lr2 4;;\nx:  # LOOP 4\n    incr lr1 1;;\n    acc;;\n    bne lr1 lr2 x;;\nbkpt;;\n"
    assert packed(text) == text.replace("incr lr1 1;;\n    acc", "incr lr1 1; acc")


def test_distances_lead_to_the_same_block() -> None:
    text = "acc;;\nset lr2 4;;\nincr lr1 1;;\nacc;;\nbne lr1 lr2 -2;;\nb +1;;\nb -6;;\n"
    plan = plan_of(text)
    assert plan.packed.text == (
        "acc; set lr2 4;;\nincr lr1 1; acc;;\nbne lr1 lr2 -1;;\nb +1;;\nb -4;;\n"
    )


def test_two_instructions_that_swap_registers_stay_together() -> None:
    text = "add lr1 lr2 lr0; add lr2 lr1 lr0;;\nacc;;\nset lr3 3; set lr4 4;;\nbkpt;;\n"
    [first, second] = plan_of(text).packed.bundles[:2]
    assert {"add"} == {i.mnemonic for i in first.instructions if i.spec and i.spec.slot == "lr"}
    assert {"set"} == {i.mnemonic for i in second.instructions if i.spec and i.spec.slot == "lr"}


def test_only_the_chosen_blocks_are_packed() -> None:
    text = "acc.first;;\nset lr1 1;;\nb next;;\nnext: acc;;\nset lr2 1;;\nbkpt;;\n"
    assert packed(text, range(3, 4)) == (
        "acc.first;;\nset lr1 1;;\nb next;;\nnext: acc; set lr2 1; bkpt;;\n"
    )


def test_windows_line_ends_stay() -> None:
    text = "    set lr1 1;;  # a\r\n    acc;;  # b\r\n    bkpt;;\r\n"
    assert packed(text) == "    set lr1 1;   # a\r\n    acc;   # b\r\n    bkpt;;\r\n"


def test_the_last_end_mark_may_be_missing() -> None:
    assert packed("acc;;\nset lr1 1;;\nbkpt") == "acc; set lr1 1; bkpt;;"


def test_instructions_that_meet_are_in_the_order_that_the_author_uses() -> None:
    text = "x: set lr1 1; acc;;\nb y;;\ny: acc.first;;\nset lr2 2;;\nbkpt;;\n"
    assert packed(text).endswith("y: set lr2 2; acc.first; bkpt;;\n")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("acc;; nonsense;;", "correct the errors of the program first"),
        ("acc;; br lr1;;", "a branch takes its target from a register"),
    ],
)
def test_what_cannot_be_packed_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(PackingError, match=reason):
        plan_of(text)


def test_another_instruction_set_is_refused() -> None:
    with pytest.raises(PackingError, match="does not state what instructions compute"):
        plan_packing(read_program(load_isa("edgenpu"), ""))


@pytest.mark.parametrize("make", [random_block, random_loop])
def test_random_code_keeps_its_values_and_is_packed_only_once(make: object) -> None:
    assert callable(make)
    saved = 0
    for seed in range(60):
        plan = plan_of(make(seed))
        saved += plan.saved_bundles
        again = plan_of(plan.packed.text)
        assert again.edits == (), make(seed)
    assert saved > 60


def test_no_block_is_shorter_than_its_bounds() -> None:
    for seed in range(40):
        plan = plan_of(random_block(seed))
        for addresses in basic_blocks(plan.packed):
            graph = dependences_of(plan.packed, addresses)
            longest = sum(each.latency for each in critical_path(graph)) + 1
            assert len(addresses) >= max(longest, resource_bound(IPU, graph.operations))


def test_every_comment_of_any_layout_is_kept_once() -> None:
    kernels = list(example_kernels().values())
    saved = 0
    for seed in range(60):
        random = Random(seed)
        text = _relaid(random, random.choice(kernels))
        plan = plan_of(text)
        assert _comments(plan.packed.text) == _comments(text), text
        assert plan_of(plan.packed.text).edits == (), text
        saved += plan.saved_bundles
    assert saved > 40


def _relaid(random: Random, kernel: str) -> str:
    """A kernel with some bundles divided, and with comments and no-ops wherever they may be."""
    lines = kernel[kernel.rindex("\n#") :].splitlines(keepends=True)
    for _ in range(10):
        place = random.randrange(len(lines))
        lines[place] = lines[place].replace(
            ";\n", random.choice((";;\n", "; # k\n", "; # m\n  # n\n", ";; acc;;\n")), 1
        )
        note = random.choice(("# o\n", "\n", "  // p ;;\n", "acc_nop;; # q\n", "incr lr0 0; # r\n"))
        lines.insert(random.randrange(len(lines)), note if lines[place] != "\n" else "\n")
    text = "".join(lines)
    return text if not read_program(IPU, text).findings else kernel


def _comments(text: str) -> list[str]:
    return sorted(comment.strip() for comment in re.findall(r"(?:#|//)[^\n]*", text))
