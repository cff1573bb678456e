"""`ipu-fmt`: what it writes, prints and leaves alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ipu_asm.cli.fmt.command import main
from tests.cli.commands import Ran, give_input, run

RAW = "acc;\n  bkpt  ;;"
NEAT = "    acc;\n    bkpt;;\n"
ON_ONE_LINE = "    acc; bkpt;;\n"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)


def check_fmt(capsys: pytest.CaptureFixture[str], arguments: str, ran: Ran, **files: str) -> None:
    """How a run ends, what it prints, and the files that it leaves: `a_s` is `a.s`."""
    assert run(main, arguments.split(), capsys) == ran
    for name, text in files.items():
        assert Path(name.replace("_", ".")).read_text() == text


def test_files_and_folders_are_formatted_in_place(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.s").write_text(RAW)
    Path("b.s").write_text(NEAT)
    said = "1 file reformatted, 1 file left unchanged\n"
    check_fmt(capsys, "", Ran(0, "", said), a_s=NEAT, b_s=NEAT)
    check_fmt(capsys, "a.s", Ran(0, "", "1 file left unchanged\n"), a_s=NEAT)


def test_check_names_the_files_that_would_change(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.s").write_text(RAW)
    Path("b.s").write_text(NEAT)
    said = "1 file would be reformatted, 1 file already formatted\n"
    check_fmt(capsys, "--check .", Ran(1, "would reformat a.s\n", said), a_s=RAW)
    check_fmt(capsys, "--check b.s", Ran(0, "", "1 file already formatted\n"))


def test_a_difference_is_shown_and_nothing_is_changed(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.s").write_text("bkpt;;\n")
    shown = "--- a.s\n+++ a.s\n@@ -1 +1 @@\n-bkpt;;\n+    bkpt;;\n"
    said = "1 file would be reformatted\n"
    check_fmt(capsys, "--diff a.s", Ran(1, shown, said), a_s="bkpt;;\n")


def test_a_difference_has_colours_where_they_are_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.s").write_text("bkpt;;\n")
    assert "\x1b[31m-bkpt;;" in run(main, ["--diff", "--color", "always"], capsys).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run(main, ["--diff"], capsys).out
    assert "\x1b[" not in run(main, ["--diff", "--color", "never"], capsys).out


def test_standard_input_goes_to_standard_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    give_input(monkeypatch, RAW)
    check_fmt(capsys, "-", Ran(0, NEAT, ""))
    give_input(monkeypatch, "\ufeff" + NEAT.replace("\n", "\r\n"))
    check_fmt(capsys, "-", Ran(0, "\ufeff" + NEAT.replace("\n", "\r\n"), ""))


def test_standard_input_is_formatted_as_the_file_whose_name_it_has(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("kernels").mkdir()
    Path("kernels/ipu.toml").write_text('isa = "ipu2"\n[format]\nmnemonic-case = "upper"\n')
    named = "--stdin-filename kernels/a.s"
    give_input(monkeypatch, "bkpt ;;")
    check_fmt(capsys, f"{named} -", Ran(0, "    BKPT;;\n", ""))
    give_input(monkeypatch, "bkpt ;;")
    check_fmt(capsys, f"{named} --check", Ran(1, "would reformat kernels/a.s\n", ""))
    give_input(monkeypatch, "    BKPT;;\n")
    check_fmt(capsys, f"{named} --check -", Ran(0, "", ""))


def test_a_file_in_a_style_of_its_own_needs_no_formatting(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "  loop: incr lr4 1 ; acc ;\n        bne  lr4 lr5 loop ;;\n\n\n  acc ;;\n  bkpt ;;\n"
    Path("a.s").write_text(text)
    check_fmt(capsys, "--check a.s", Ran(0, "", "1 file already formatted\n"))
    Path("a.s").write_text(text + "    acc;;\t\n")
    ran = run(main, ["--diff", "a.s"], capsys)
    assert ran.out.splitlines()[-2:] == ["-    acc;;\t", "+  acc ;;"]


def test_the_style_comes_from_the_option_then_from_the_configuration(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("ipu.toml").write_text('[format]\nstyle = "bundle"\n')
    for arguments, text in (("", ON_ONE_LINE), ("--style instruction", NEAT)):
        Path("a.s").write_text(RAW)
        check_fmt(capsys, f"{arguments} a.s", Ran(0, "", "1 file reformatted\n"), a_s=text)
    Path("a.s").write_text(RAW)
    check_fmt(capsys, "--isolated a.s", Ran(0, "", "1 file reformatted\n"), a_s=NEAT)


def test_the_case_of_mnemonics_comes_from_the_option_then_from_the_configuration(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("ipu.toml").write_text('isa = "ipu2"\n[format]\nmnemonic-case = "upper"\n')
    for arguments, text in (("", "    BKPT;;\n"), ("--mnemonic-case lower", "    bkpt;;\n")):
        Path("a.s").write_text("    Bkpt;;\n")
        check_fmt(capsys, f"{arguments} a.s", Ran(0, "", "1 file reformatted\n"), a_s=text)
    check_fmt(capsys, "--mnemonic-case keep a.s", Ran(0, "", "1 file left unchanged\n"))


def test_the_set_is_that_of_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.aie2").write_text("nop\n")
    check_fmt(capsys, "a.aie2", Ran(0, "", "1 file reformatted\n"), a_aie2="    nop\n")


def test_sources_of_other_assemblers_and_lines_with_mistakes_stay_as_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    foreign = "\t.text\n\t.globl main\nmain:\n\tpushq %rbp\n\tmovq %rsp, %rbp\n\tret\n"
    broken = "acc ( ;;\n"
    Path("a.s").write_text(foreign)
    Path("b.s").write_text(broken)
    check_fmt(capsys, "", Ran(0, "", "2 files left unchanged\n"), a_s=foreign, b_s=broken)


def test_excluded_files_stay_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.s").write_text(RAW)
    Path("b.s").write_text(RAW)
    check_fmt(capsys, "--exclude a*", Ran(0, "", "1 file reformatted\n"), a_s=RAW, b_s=NEAT)
    Path("ipu.toml").write_text('exclude = ["a.s"]\n')
    check_fmt(capsys, "a.s --force-exclude", Ran(0, "", ""), a_s=RAW)


def test_unusable_files_are_reported_and_the_others_formatted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("a.s").write_text(RAW)
    said = "ipu-fmt: error: gone.s: no such file or directory\n1 file reformatted\n"
    check_fmt(capsys, "gone.s a.s", Ran(2, "", said), a_s=NEAT)


def test_a_link_out_of_the_folder_is_not_followed_and_a_mode_is_kept(
    capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "b.s"
    outside.write_text(RAW)
    Path("b.s").symlink_to(outside)
    Path("a.s").write_text(RAW)
    os.chmod("a.s", 0o741)
    check_fmt(capsys, ".", Ran(0, "", "1 file reformatted\n"), a_s=NEAT)
    assert (outside.read_text(), Path("a.s").stat().st_mode & 0o777) == (RAW, 0o741)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--style wide", "argument --style: expected one of keep, instruction, bundle"),
        ("--stdin-filename a.s b.s", "--stdin-filename applies to standard input"),
        ("--config a.toml --isolated", "--config and --isolated exclude each other"),
        ("--chek", "unknown option `--chek`; did you mean `--check`?"),
    ],
)
def test_wrong_usage_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: str, message: str
) -> None:
    ran = run(main, arguments.split(), capsys)
    assert (ran.status, ran.err.count("\n"), message in ran.err) == (2, 1, True)


def test_mistakes_in_the_configuration_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ipu.toml").write_text("isa = 3\n")
    Path("a.s").write_text(RAW)
    Path("b.s").write_text(RAW)
    ran = run(main, [], capsys)
    assert (ran.status, ran.err.count("expected one of")) == (2, 1)
    assert Path("a.s").read_text() == RAW
