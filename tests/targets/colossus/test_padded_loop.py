"""What the fixes of C108 write: the same work with fewer no-ops, or nothing where that is open."""

from __future__ import annotations

from ipu_asm import analyze, assemble
from ipu_asm.text import apply_edits

BODY = "{ ld32step $a0, $m15, $m2+=, 1 ; f32add $a1, $a1, $a0 }"
NO_OP = bytes.fromhex("0000e019")


def check_fix(before: str, after: str | None) -> None:
    """The finding about a row of code has a fix that gives this row; None for no fix."""
    text = f".align 8\nrow:\n{before}\nbrnzdec $m3, row\n"
    (finding,) = analyze(text, "colossus").diagnostics
    assert finding.code == "C108"
    fix = finding.fix
    assert (fix is None) == (after is None), fix
    if fix is None or after is None:
        return
    changed = apply_edits(text, fix.edits)
    written = [line.strip() for line in changed.splitlines() if line.strip()]
    assert written == [".align 8", "row:", *after.splitlines(), "brnzdec $m3, row"]
    assert analyze(changed, "colossus").diagnostics == ()
    assert len(no_ops(changed)) < len(no_ops(text))


def no_ops(text: str) -> list[bytes]:
    return [unit for unit in assemble(text, "colossus") if unit == NO_OP]


def test_a_repeat_needs_no_bundle_where_its_end_is_aligned() -> None:
    check_fix(
        f"add $m1, $m1, 1\n.align 8\n{{ rpt $m0, 0 ; fnop }}\n{BODY}",
        f"add $m1, $m1, 1\nrpt $m0, 0\n{BODY}",
    )


def test_an_instruction_moves_across_the_repeated_code() -> None:
    start = "{ rpt $m0, 0 ; mov $a4, $a5 }"
    check_fix(
        f"add $m1, $m1, 1\n.align 8\n{start}\n{BODY}\nadd $m4, $m4, 1\nsub $m6, $m6, 1",
        f".align 8\n{start}\n{BODY}\nadd $m1, $m1, 1\nadd $m4, $m4, 1\nsub $m6, $m6, 1",
    )
    check_fix(
        f"add $m0, $m1, 1\n.align 8\n{start}\n{BODY}\nadd $m4, $m4, 1",
        f"add $m0, $m1, 1\nadd $m4, $m4, 1\n.align 8\n{start}\n{BODY}",
    )


def test_an_instruction_stays_where_others_use_its_registers_or_memory() -> None:
    start = "{ rpt $m0, 0 ; mov $a4, $a5 }"
    for above, below in (
        ("add $m2, $m2, 4", "ld32 $m7, $m15, $m2, 0"),
        ("setzi $m0, 4", "add $m0, $m0, 1"),
        ("ld32 $m7, $m8, $m15, 0", "st32step $a1, $m15, $m2+=, 1"),
        ("get $m7, 0x70", "nop"),
    ):
        check_fix(f"{above}\n.align 8\n{start}\n{BODY}\n{below}", None)


def test_a_move_that_only_moves_the_padding_is_not_offered() -> None:
    start = "{ rpt $m0, 0 ; mov $a4, $a5 }"
    text = f"add $m1, $m1, 1\n.align 8\n{start}\n{BODY}\n.align 8\n{start}\n{BODY}"
    check_fix(text, None)
