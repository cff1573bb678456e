"""`ipu-lint --fix` and `--diff`: what is changed, and what is left alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable, Iterator

import pytest

from ipu_asm.cli.lint.command import main
from ipu_asm.config.files import FileError
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RuleId, Severity
from ipu_asm.lint import Rule
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit
from tests.cli.commands import Ran, give_input, run

BAD = "ACC.FIRST;;\nset lr0, 1; set lr1 2;;\nbkpt;;\n"
MENDED = "acc.first;;\nset lr0 1; set lr1 2;;\nbkpt;;\n"
UNSAFE = "acc;;\nx: acc;;\nbkpt;;\n"

PutRules = Callable[..., None]


def check_fix(
    before: str | bytes,
    after: str | bytes,
    arguments: str = "--fix",
    status: int = 0,
    err: str | None = None,
) -> Ran:
    """What becomes of a file when `ipu-lint` runs with these arguments and its name."""
    Path("a.s").write_bytes(before.encode() if isinstance(before, str) else before)
    ran = run(main, [*arguments.split(), "a.s"])
    assert Path("a.s").read_bytes() == (after.encode() if isinstance(after, str) else after)
    assert ran.status == status
    if err is not None:
        assert ran.err == err
    assert [name for name in os.listdir() if name.endswith(".tmp")] == []
    return ran


def test_safe_fixes_are_made_and_counted() -> None:
    check_fix(BAD, MENDED, err="Fixed 2 findings in 1 file\n")


def test_a_good_file_is_not_touched() -> None:
    Path("a.s").write_text(MENDED)
    os.utime("a.s", ns=(5, 5))
    ran = run(main, ["--fix", "a.s"])
    assert ran == (0, "no findings in 1 file\n", "")
    assert os.stat("a.s").st_mtime_ns == 5


def test_unsafe_fixes_need_to_be_asked_for() -> None:
    check_fix(UNSAFE, UNSAFE, status=0, err="")
    check_fix(
        UNSAFE, "acc;;\nacc;;\nbkpt;;\n", "--fix --unsafe-fixes", err="Fixed 1 finding in 1 file\n"
    )
    note = "ipu-lint: note: --unsafe-fixes changes nothing without --fix or --diff\n"
    check_fix(UNSAFE, UNSAFE, "--unsafe-fixes", 0, note)


def test_ignored_findings_are_not_fixed() -> None:
    check_fix(BAD, BAD.replace("ACC.FIRST", "acc.first"), "--fix --select E101")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"ACC.FIRST;;\r\nbkpt;;\r\n", b"acc.first;;\r\nbkpt;;\r\n"),
        (b"ACC.FIRST;;\nbkpt;;", b"acc.first;;\nbkpt;;"),
        (b"\xef\xbb\xbfACC.FIRST;;\nbkpt;;\n", b"\xef\xbb\xbfacc.first;;\nbkpt;;\n"),
        (b"# \xe2\x80\xa8 \x0c\nACC.FIRST;;bkpt;;", b"# \xe2\x80\xa8 \x0c\nacc.first;;bkpt;;"),
    ],
)
def test_all_other_bytes_stay(before: bytes, after: bytes) -> None:
    check_fix(before, after)


def test_bytes_that_are_no_utf_8_stay_and_are_told() -> None:
    other = b"; # \xf6\xff\xed\xa0\x80\n;;bkpt;;"
    ran = check_fix(b"ACC.FIRST" + other, b"acc.first" + other, "--fix", 1)
    assert "found the byte 0xF6" in ran.out


def test_mode_bits_and_links_stay() -> None:
    Path("real").mkdir()
    real = Path("real/kernel.s")
    real.write_text(BAD)
    real.chmod(0o750)
    Path("link.s").symlink_to(real)
    ran = run(main, ["--fix", "link.s"])
    assert ran.status == 0
    assert Path("link.s").is_symlink()
    assert real.read_text() == MENDED
    assert real.stat().st_mode & 0o777 == 0o750


def test_the_file_stays_the_same_file() -> None:
    Path("a.s").write_text(BAD)
    Path("hard.s").hardlink_to("a.s")
    before = os.stat("a.s")
    check_fix(BAD, MENDED, err="Fixed 2 findings in 1 file\n")
    after = os.stat("a.s")
    assert (after.st_ino, after.st_nlink, after.st_mode) == (before.st_ino, 2, before.st_mode)
    assert Path("hard.s").read_text() == MENDED


def test_a_file_with_two_names_is_fixed_once() -> None:
    Path("hard.s").write_text(BAD)
    Path("a.s").hardlink_to("hard.s")
    Path("link.s").symlink_to("a.s")
    check_fix(BAD, MENDED, "--fix hard.s link.s", err="Fixed 2 findings in 1 file\n")


def check_unwritten(before: str, after: str, message: str) -> None:
    """A file that was not written is told, is as it was, and keeps its findings in the report."""
    ran = check_fix(before, after, "--fix --format concise", 2)
    assert ran.err == f"ipu-lint: error: a.s: {message}\n"
    assert [line.split(":")[1] for line in ran.out.splitlines()] == ["1", "2"]


def test_a_file_that_cannot_be_written_stays_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, old: bytes, new: bytes) -> bool:
        raise FileError("no space left on device", path)

    monkeypatch.setattr("ipu_asm.cli.changes.rewrite_file", refuse)
    check_unwritten(BAD, BAD, "no space left on device")


def test_a_file_without_write_permission_is_not_written() -> None:
    Path("a.s").write_text(BAD)
    Path("b.s").write_text(BAD)
    Path("a.s").chmod(0o444)
    ran = run(main, ["--fix", "a.s", "b.s"])
    assert (ran.status, Path("a.s").read_text(), Path("b.s").read_text()) == (2, BAD, MENDED)
    reason = "read-only (mode 444): nothing written" if os.geteuid() == 0 else "permission denied"
    assert ran.err == f"ipu-lint: error: a.s: {reason}\nFixed 2 findings in 1 file\n"
    assert os.stat("a.s").st_mode & 0o777 == 0o444


def test_a_link_out_of_the_folder_is_not_followed() -> None:
    Path("named").mkdir()
    Path("outside.s").write_text(BAD)
    Path("named/link.s").symlink_to("../outside.s")
    Path("named/a.s").write_text(BAD)
    ran = run(main, ["--fix", "named"])
    assert ran == (0, "no findings in 1 file\n", "Fixed 2 findings in 1 file\n")
    assert Path("outside.s").read_text() == BAD


def test_mended_standard_input_goes_to_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    give_input(monkeypatch, BAD + "acc; break;;\n")
    ran = run(main, ["--fix", "-", "--format", "concise"])
    assert ran.out == MENDED + "acc; break;;\n"
    assert ran.err.splitlines()[0] == "Fixed 2 findings in 1 file"
    assert "<stdin>:4:6: hint[H101]" in ran.err
    give_input(monkeypatch, MENDED)
    assert run(main, ["--fix", "-"]).out == MENDED


def test_a_diff_shows_the_changes_and_makes_none() -> None:
    ran = check_fix(BAD, BAD, "--diff", 1, "Would fix 2 findings in 1 file\n")
    assert ran.out.splitlines() == [
        "--- a.s",
        "+++ a.s",
        "@@ -1,3 +1,3 @@",
        "-ACC.FIRST;;",
        "-set lr0, 1; set lr1 2;;",
        "+acc.first;;",
        "+set lr0 1; set lr1 2;;",
        " bkpt;;",
    ]


def test_literal_text_of_a_template_is_fixed() -> None:
    before = '{% set k = "lr5" %}\nACC.FIRST;;\nset {{ k }}, 1;;\nbkpt;; # {# a, b #}\n'
    after = before.replace("ACC.FIRST", "acc.first").replace("}},", "}}")
    check_fix(before, after, "--fix", 0, "Fixed 2 findings in 1 file\n")


@pytest.mark.parametrize(
    "text",
    [
        "{% for n in range(2) %}\nACC.FIRST;;\n{% endfor %}\nbkpt;;\n",
        "{% macro m() %}ACC.FIRST;;{% endmacro %}\n{{ m() }}\n{{ m() }}\nbkpt;;\n",
    ],
)
def test_what_is_right_in_every_iteration_and_call_is_fixed(text: str) -> None:
    fixed = "Fixed 1 finding in 1 file\n"
    check_fix(text, text.replace("ACC.FIRST", "acc.first"), "--fix", 0, fixed)


@pytest.mark.parametrize(
    "text",
    [
        '{% for n in ["A", "a"] %}\n{{ n }}CC.FIRST;;\n{% endfor %}\nbkpt;;\n',
        '{% set op = "ACC.FIRST" %}\n{{ op }};;\nbkpt;;\n',
        "ACC.FIRST;;\n# {{ unknown }}\nbkpt;;\n",
        "ACC.FIRST;;\n# {{\nbkpt;;\n",
    ],
    ids=["some iterations", "value", "undefined", "broken"],
)
@pytest.mark.parametrize("arguments", ["--fix", "--fix --unsafe-fixes"])
def test_what_an_expansion_computes_is_not_edited(text: str, arguments: str) -> None:
    check_fix(text, text, arguments, 1, "")


def test_a_diff_without_changes_is_empty() -> None:
    ran = check_fix(UNSAFE, UNSAFE, "--diff", 0, "")
    assert ran.out == ""
    ran = check_fix(UNSAFE, UNSAFE, "--diff --unsafe-fixes --exit-zero", 0)
    assert "-x: acc;;\n+acc;;\n" in ran.out


def test_a_diff_tells_of_a_missing_line_break_and_keeps_the_others() -> None:
    ran = check_fix(b"bkpt;;\r\nACC.FIRST;;bkpt;;", b"bkpt;;\r\nACC.FIRST;;bkpt;;", "--diff", 1)
    assert ran.out.encode().split(b"@@\n")[1] == (
        b" bkpt;;\r\n-ACC.FIRST;;bkpt;;\n\\ No newline at end of file\n"
        b"+acc.first;;bkpt;;\n\\ No newline at end of file\n"
    )


def test_a_diff_of_a_file_with_control_characters_shows_them() -> None:
    before = "# \x1b[31m\a\x7f\x9b\u202e\nACC.FIRST;; # \x1b\t\fx\nbkpt;;\n"
    ran = check_fix(before, before, "--diff", 1)
    assert ran.out.split("@@\n")[1] == (
        " # ␛[31m␇␡\ufffd\ufffd\n-ACC.FIRST;; # ␛\t\fx\n+acc.first;; # ␛\t\fx\n bkpt;;\n"
    )


def test_a_diff_has_colours_where_they_are_wanted() -> None:
    ran = check_fix(BAD, BAD, "--diff --color always", 1)
    assert "\x1b[31m-ACC.FIRST;;\x1b[0m\n" in ran.out
    assert "\x1b[32m+acc.first;;\x1b[0m\n" in ran.out


def rule_that_edits(*edits: TextEdit, applicability: Applicability = Applicability.SAFE) -> Rule:
    """A rule whose one finding, as long as the text begins with `acc`, is mended by these edits."""
    kind = RuleId("W999", "for-tests", Severity.WARNING)
    fix = Fix("mend", edits, applicability)

    def check(program: Program) -> Iterator[Diagnostic]:
        if program.text.startswith("acc"):
            yield Diagnostic(kind, "say no more", Span(0, 3), fix=fix)

    return Rule(kind, "", (), (), check_program=check)


@pytest.fixture
def with_rules(monkeypatch: pytest.MonkeyPatch) -> PutRules:
    """Let these be all rules that check."""

    def put(*rules: Rule) -> None:
        monkeypatch.setattr("ipu_asm.analysis.analyzer.rules_for", lambda isa: rules)

    return put


@pytest.mark.parametrize("arguments", ["--fix", "--fix --unsafe-fixes"])
def test_a_fix_that_is_a_suggestion_is_never_made(with_rules: PutRules, arguments: str) -> None:
    with_rules(rule_that_edits(TextEdit(Span(0, 3), "aaq"), applicability=Applicability.DISPLAY))
    ran = check_fix("acc;;bkpt;;", "acc;;bkpt;;", arguments, 1, "")
    assert "help: mend (suggestion)\n" in ran.out
    assert ran.out.endswith("\n1 warning in 1 file\n")


def test_a_fix_that_adds_errors_is_not_made(with_rules: PutRules) -> None:
    with_rules(rule_that_edits(TextEdit(Span(0, 3), "! ! !")))
    before, after = "acc;; ACC.FIRST;; bkpt;;", "acc;; acc.first;; bkpt;;"
    check_fix(before, after, status=1, err="Fixed 1 finding in 1 file\n")


def test_fixes_that_never_settle_come_to_an_end(with_rules: PutRules) -> None:
    with_rules(rule_that_edits(TextEdit(Span(3, 3), ";;acc")))
    after = "acc" + ";;acc" * 100 + ";;"
    check_fix("acc;;", after, status=1, err="Fixed 100 findings in 1 file\n")


def test_a_save_made_meanwhile_is_not_lost(with_rules: PutRules) -> None:
    saved = "bkpt;; # what an editor has saved while the file was analysed\n"

    def save(program: Program) -> Iterator[Diagnostic]:
        Path("a.s").write_text(saved)
        return iter(())

    kind = RuleId("W999", "for-tests", Severity.WARNING)
    with_rules(Rule(kind, "", (), (), check_program=save))
    check_unwritten(BAD, saved, "changed since it was read: nothing written")


def test_a_fix_is_made_with_all_its_edits(with_rules: PutRules) -> None:
    with_rules(rule_that_edits(TextEdit(Span(0, 3), "xmem_nop"), TextEdit(Span(6, 7), "9")))
    check_fix("acc;; 5: bkpt;;", "xmem_nop;; 9: bkpt;;")


def test_of_fixes_that_touch_the_first_is_made(with_rules: PutRules) -> None:
    with_rules(
        rule_that_edits(TextEdit(Span(3, 3), ".first"), TextEdit(Span(0, 0), "")),
        rule_that_edits(TextEdit(Span(0, 3), "agg"), TextEdit(Span(9, 9), "!")),
    )
    check_fix("acc;;bkpt;;", "acc.first;;bkpt;;", "--fix --format json", 1)


def test_fixes_that_undo_each_other_come_to_an_end(with_rules: PutRules) -> None:
    kind = RuleId("W999", "for-tests", Severity.WARNING)

    def swap(program: Program) -> Iterator[Diagnostic]:
        other = "aaq" if program.text.startswith("acc") else "acc"
        fix = Fix("swap", (TextEdit(Span(0, 3), other),), Applicability.SAFE)
        yield Diagnostic(kind, "swap", Span(0, 3), fix=fix)

    with_rules(Rule(kind, "", (), (), check_program=swap))
    check_fix("acc;;", "aaq;;", status=1)
