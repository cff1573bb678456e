"""`ipu-lint --watch`: lint, wait for a change, lint again, until Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

import pytest

from ipu_asm.analysis.analysis import Analysis, Expanded
from ipu_asm.cli.lint.actions import watch
from ipu_asm.cli.lint.command import main
from ipu_asm.cli.sources import header_paths
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.source.expansion import Expansion, Include, SourceSettings
from ipu_asm.source.source_map import MAIN, SourceMap, SourceRange
from ipu_asm.text import SourceFile, Span
from tests.cli.commands import Ran, run

BAD = "acc.frist;;\nbkpt;;\n"
GOOD = "acc.first;;\nbkpt;;\n"
PATIENCE_S = 60.0
BAD_LINE = "a.s:1:1: error[E101] unknown mnemonic `acc.frist`; did you mean `acc.first`?"


FILES = {"a.s": BAD}


def check_watch(
    monkeypatch: pytest.MonkeyPatch, arguments: str, *changes: Callable[[], object]
) -> Ran:
    """Each wait for a change brings the next one; after the last one, a user ends the watch."""
    waits = iter(changes)

    def wait(_: float) -> None:
        change = next(waits, None)
        if change is None:
            raise KeyboardInterrupt
        change()

    monkeypatch.setattr(time, "sleep", wait)
    ran = run(main, ["--watch", "--format", "concise", *arguments.split()])
    assert ran.status == 0
    return ran


def write(name: str, text: str) -> Callable[[], object]:
    """The change that writes a file."""

    def change() -> None:
        Path(name).write_text(text)
        os.utime(name, ns=(time.time_ns(), time.time_ns() + len(text)))

    return change


def nothing() -> None:
    """No change at all."""


def test_it_lints_once_and_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = check_watch(monkeypatch, "a.s", nothing, nothing)
    assert ran.out == f"{BAD_LINE}\n"
    assert ran.err == "ipu-lint: note: watching 1 file for changes, Ctrl-C ends it\n"


def test_it_lints_again_after_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = write("a.s", GOOD), nothing, write("a.s", BAD)
    ran = check_watch(monkeypatch, "a.s", *changes)
    assert ran.out == f"{BAD_LINE}\n" * 2
    assert ran.err.count("watching") == 3


def test_files_that_come_and_go_are_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = write("b.s", BAD), lambda: os.unlink("b.s")
    ran = check_watch(monkeypatch, ".", *changes)
    other = BAD_LINE.replace("a.s", "b.s")
    assert ran.out.splitlines() == [BAD_LINE, BAD_LINE, other, BAD_LINE]


def test_a_missing_file_is_told_and_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = check_watch(monkeypatch, "b.s", write("b.s", GOOD))
    assert ran.err.splitlines()[0] == "ipu-lint: error: b.s: no such file or directory"
    assert ran.err.count("error") == 1


@pytest.mark.parametrize("arguments", ["a.s", "--config ipu.toml a.s"])
def test_a_new_configuration_is_a_change(monkeypatch: pytest.MonkeyPatch, arguments: str) -> None:
    Path("ipu.toml").write_text("lint.select = 3\n")
    change = write("ipu.toml", "lint.select = ['E']\n")
    ran = check_watch(monkeypatch, arguments, change)
    assert "`lint.select`: expected a list" in ran.err
    assert ran.out == f"{BAD_LINE}\n"


def test_fixing_while_watching_comes_to_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.s").write_text(GOOD.replace("acc", "ACC"))
    ran = check_watch(monkeypatch, "--fix a.s", nothing)
    assert Path("a.s").read_text() == GOOD
    assert ran.err.count("Fixed 1 finding") == 1
    assert ran.err.count("watching") == 2


def test_ctrl_c_ends_a_real_watch_with_status_0() -> None:
    command = [sys.executable, "-m", "ipu_asm", "lint", "--watch", "a.s"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            assert "Ctrl-C ends it" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=PATIENCE_S)[1] == ""
        finally:
            process.kill()
    assert process.returncode == 0


def test_a_real_watch_ends_with_the_reader_of_its_pipe() -> None:
    Path("a.s").write_text(BAD)
    command = [sys.executable, "-m", "ipu_asm", "lint", "--no-cache", "--watch", "a.s"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            assert b"E101" in process.stdout.readline()
            assert b"Ctrl-C ends it" in process.stderr.readline()
            assert process.poll() is None
            process.stdout.close()
            assert process.wait(PATIENCE_S) == 0
        finally:
            process.kill()


def test_headers_are_watched_and_those_that_are_missing(tmp_path: Path) -> None:
    isa = load_isa("colossus")
    found, missed = str(tmp_path / "x.h"), Include(SourceRange(MAIN, Span(0, 1)), "y.h", None)
    files = {found: SourceFile("", found)}
    nested = Include(SourceRange(found, Span(0, 1)), "sub/z.h", None)
    expansion = Expansion("", SourceMap(()), includes=(missed, nested), files=files)
    program = read_program(isa, "")
    plain = Analysis(SourceFile(""), program, isa, ())
    settings = SourceSettings(include_paths=("/inc",))
    main = SourceFile("", "k/a.S")
    analysis = Analysis(main, program, isa, (), (Expanded(expansion, plain),), settings)
    here = str(tmp_path)
    assert list(header_paths(analysis)) == [
        found, f"{here}/k/y.h", "/inc/y.h", f"{here}/sub/z.h", "/inc/sub/z.h"
    ]  # fmt: skip


def test_a_header_that_becomes_known_does_not_count_as_a_change() -> None:
    known: list[str] = ["a.s"]
    runs: list[int] = []

    def act() -> None:
        runs.append(len(known))
        known.append("/nowhere/x.h")
        if len(runs) > 1:
            raise KeyboardInterrupt

    def wait(_: float) -> None:
        write("a.s", GOOD)()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "sleep", wait)
        watch(act, lambda: known)
    assert runs == [1, 2]
