"""`ipu-fmt`: what it writes, prints and leaves alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ipu_asm.cli.fmt import main
from tests.cli.commands import Ran, give_input, run

RAW = "acc;\n  bkpt  ;;"
NEAT = "    acc;\n    bkpt;;\n"
ON_ONE_LINE = "    acc; bkpt;;\n"


def check_fmt(arguments: str, ran: Ran, **files: str) -> None:
    """How a run ends, what it prints, and the files that it leaves: `a_s` is `a.s`."""
    assert run(main, arguments.split()) == ran
    for name, text in files.items():
        assert Path(name.replace("_", ".")).read_text() == text


def test_a_difference_is_shown_and_nothing_is_changed() -> None:
    Path("a.s").write_text("bkpt;;\n")
    shown = "--- a.s\n+++ a.s\n@@ -1 +1 @@\n-bkpt;;\n+    bkpt;;\n"
    said = "1 file would be reformatted\n"
    check_fmt("--diff a.s", Ran(1, shown, said), a_s="bkpt;;\n")


def test_a_difference_has_colours_where_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.s").write_text("bkpt;;\n")
    assert "\x1b[31m-bkpt;;" in run(main, ["--diff", "--color", "always"]).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run(main, ["--diff"]).out
    assert "\x1b[" not in run(main, ["--diff", "--color", "never"]).out


def test_standard_input_goes_to_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    give_input(monkeypatch, RAW)
    check_fmt("-", Ran(0, NEAT, ""))
    give_input(monkeypatch, "\ufeff" + NEAT.replace("\n", "\r\n"))
    check_fmt("-", Ran(0, "\ufeff" + NEAT.replace("\n", "\r\n"), ""))


def test_a_file_in_a_style_of_its_own_needs_no_formatting() -> None:
    text = "  loop: incr lr4 1 ; acc ;\n        bne  lr4 lr5 loop ;;\n\n\n  acc ;;\n  bkpt ;;\n"
    Path("a.s").write_text(text)
    check_fmt("--check a.s", Ran(0, "", "1 file already formatted\n"))
    Path("a.s").write_text(text + "    acc;;\t\n")
    ran = run(main, ["--diff", "a.s"])
    assert ran.out.splitlines()[-2:] == ["-    acc;;\t", "+  acc ;;"]


def test_the_style_comes_from_the_option_then_from_the_configuration() -> None:
    Path("ipu.toml").write_text('[format]\nstyle = "bundle"\n')
    for arguments, text in (("", ON_ONE_LINE), ("--style instruction", NEAT)):
        Path("a.s").write_text(RAW)
        check_fmt(f"{arguments} a.s", Ran(0, "", "1 file reformatted\n"), a_s=text)
    Path("a.s").write_text(RAW)
    check_fmt("--isolated a.s", Ran(0, "", "1 file reformatted\n"), a_s=NEAT)


def test_the_case_of_mnemonics_comes_from_the_option_then_from_the_configuration() -> None:
    Path("ipu.toml").write_text('isa = "ipu2"\n[format]\nmnemonic-case = "upper"\n')
    for arguments, text in (("", "    BKPT;;\n"), ("--mnemonic-case lower", "    bkpt;;\n")):
        Path("a.s").write_text("    Bkpt;;\n")
        check_fmt(f"{arguments} a.s", Ran(0, "", "1 file reformatted\n"), a_s=text)
    check_fmt("--mnemonic-case keep a.s", Ran(0, "", "1 file left unchanged\n"))


def test_excluded_files_stay_as_they_are() -> None:
    Path("a.s").write_text(RAW)
    Path("b.s").write_text(RAW)
    check_fmt("--exclude a*", Ran(0, "", "1 file reformatted\n"), a_s=RAW, b_s=NEAT)
    Path("ipu.toml").write_text('exclude = ["a.s"]\n')
    check_fmt("a.s --force-exclude", Ran(0, "", ""), a_s=RAW)


def test_a_link_out_of_the_folder_is_not_followed_and_a_mode_is_kept(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "b.s"
    outside.write_text(RAW)
    Path("b.s").symlink_to(outside)
    Path("a.s").write_text(RAW)
    os.chmod("a.s", 0o741)
    check_fmt(".", Ran(0, "", "1 file reformatted\n"), a_s=NEAT)
    assert (outside.read_text(), Path("a.s").stat().st_mode & 0o777) == (RAW, 0o741)


def test_mistakes_in_the_configuration_are_told_once() -> None:
    Path("ipu.toml").write_text("isa = 3\n")
    Path("a.s").write_text(RAW)
    Path("b.s").write_text(RAW)
    ran = run(main, [])
    assert (ran.status, ran.err.count("expected one of")) == (2, 1)
    assert Path("a.s").read_text() == RAW
