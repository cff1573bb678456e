"""`ipu-run --interactive` and `--commands` as a command: input, exit status, files, completion."""

from __future__ import annotations

import os
import signal
import stat
import sys
from pathlib import Path
from typing import Callable, Iterator

import pytest

from ipu_asm.cli.run.command import main
from ipu_asm.cli.run.interactive.terminal import (
    MAX_LINES,
    append_history,
    candidates,
    history_path,
    line_reader,
    narrowed,
    read_history,
    run_prompt,
    run_script,
)
from tests.cli.commands import Ran, give_input, run
from tests.cli.sessions import KERNEL, FixedScreen, answer, session_on

FAULT = "set lr0 128;;\nset lr1 -256;;\nx: add lr0 lr0 lr1; str_acc_reg lr0 cr0; b x;;\n"


FILES = {"k.s": KERNEL, "fault.s": FAULT}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str | bytes], Ran]:
    """Run `ipu-run` with options and with commands on standard input."""

    def run_piped(options: str, commands: str | bytes) -> Ran:
        give_input(monkeypatch, commands)
        return run(main, [*options.split(), "--no-warnings"])

    return run_piped


def test_a_pipe_gives_what_is_asked_for_and_the_usual_report(
    piped: Callable[[str, str], Ran],
) -> None:
    ran = piped("k.s --interactive", "# a comment\n\nb inner\nc\np lr1\n")
    assert ran.status == 0
    lines = ran.out.splitlines()
    assert lines[:2] == [
        "breakpoint 1 at bundle 3 (`inner`, line 7)",
        "breakpoint 1, cycle 3, bundle 3 (`inner`, line 7)",
    ]
    assert lines[4] == "lr1 = 0"
    assert lines[5].startswith("left in front of bundle 3 (`inner`, line 7): lr1 = 0, lr5 = 0")
    assert lines[6:] == ["3 cycles"]
    assert ran.err == ""


def test_the_first_command_that_fails_ends_a_script_with_status_1(
    piped: Callable[[str, str], Ran],
) -> None:
    ran = piped("k.s --interactive", "s\nb nope\np lr1\n")
    assert ran.status == 1
    assert ran.err == (
        "ipu-run: error: standard input:2: `b nope`: expected a label, `label+N`, a line, "
        "`FILE:LINE` or `*ADDRESS`, found `nope`\n"
    )
    assert "lr1 = 0\n" not in ran.out


def test_a_file_of_commands_is_executed_before_the_pipe(piped: Callable[[str, str], Ran]) -> None:
    Path("first.txt").write_text("b inner\nc\n")
    ran = piped("k.s --commands first.txt --interactive", "p cycle\n")
    assert "cycle = 3" in ran.out
    assert "cycle = " not in piped("k.s --commands first.txt", "p cycle\n").out
    Path("first.txt").write_text("quit\n")
    assert "cycle = " not in piped("k.s --commands first.txt --interactive", "p cycle\n").out
    Path("first.txt").write_text("foo\n")
    assert piped("k.s --commands first.txt", "").status == 1
    assert piped("k.s --commands nowhere.txt", "").err.startswith("ipu-run: error: nowhere.txt: ")


def test_the_end_of_the_program_decides_as_in_a_plain_run(piped: Callable[[str, str], Ran]) -> None:
    dump = "--interactive --dump out.bin@0:4"
    left = piped(f"k.s {dump}", "s\n")
    assert (left.status, left.err) == (0, "ipu-run: note: nothing was dumped\n")
    assert not Path("out.bin").exists()
    ended = piped(f"k.s {dump}", "c\n")
    assert (ended.status, Path("out.bin").read_bytes()) == (0, bytes(4))
    assert ended.out.splitlines()[-1] == "wrote out.bin (4 bytes)"
    fault = piped("fault.s --interactive", "c\nback\nlr0\nc\n")
    assert fault.status == 1
    assert "error[fault]: an access must end within the 0x200000 bytes" in fault.err
    assert "\n128 (0x00000080)\n" in fault.out
    assert piped("k.s --interactive --max-cycles 9", "c\n").status == 1


def test_data_options_prepare_the_machine(piped: Callable[[str, str], Ran]) -> None:
    options = "k.s --interactive --load ramp@0x1000:8 --lr 7=5 --cr 4=0x1000 --dtype fp8_e4m3"
    ran = piped(options, "x/4u8 cr4\np lr7\np dtype\ninfo memory\nload random:1@0x1000:4\n")
    assert ran.status == 0, ran.err
    assert "lr7 = 5\n" in ran.out
    assert "fp8_e4m3" in ran.out
    assert "ramp = [0.0, 1.0, " in ran.out
    assert "loaded random:1: 4 bytes at 0x1000\n" in ran.out


def test_a_session_can_begin_where_until_says(piped: Callable[[str, str], Ran]) -> None:
    ran = piped("k.s --interactive --until lr4==2 --print lr4", "p cycle\n")
    assert (ran.status, ran.out.splitlines()[0]) == (
        0,
        "`lr4==2` holds, cycle 11, bundle 3 (`inner`, line 7)",
    )
    assert "cycle = 11 (0xb)" in ran.out
    assert ran.out.splitlines()[-1] == "lr4 = 2"
    assert piped("k.s --interactive --until nope", "").status == 2
    assert piped("k.s --interactive --print nope", "").status == 2


def test_bytes_that_are_no_text_are_a_mistake(piped: Callable[[str, str | bytes], Ran]) -> None:
    ran = piped("k.s --interactive", b"s\n\xff\n")
    assert ran.status == 1
    assert "standard input:2: " in ran.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--trace t.json", "--trace and --interactive exclude each other: a session can go back"),
        ("--json", "--json and --interactive exclude each other: a session can go back"),
        ("--commands -", "--interactive reads commands from standard input, so nothing else can"),
        ("--load -@0", "--interactive reads commands from standard input, so nothing else can"),
    ],
)
def test_what_a_session_excludes_is_wrong_usage(
    options: str, message: str, piped: Callable[[str, str], Ran]
) -> None:
    ran = piped(f"k.s --interactive {options}", "")
    assert ran.status == 2
    assert message in ran.err


def test_colours_can_be_forced_and_forbidden(
    piped: Callable[[str, str], Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b[" not in piped("k.s --interactive", "s\n").out
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    assert "\x1b[1m" in piped("k.s --interactive", "s\n").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in piped("k.s --interactive", "s\n").out


class InterruptingScreen(FixedScreen):
    """A screen where somebody presses Ctrl-C when the third element is shown."""

    times = 1

    def show(self, text: str) -> None:
        super().show(text)
        for _ in range(self.times if text == "element 3" else 0):
            signal.raise_signal(signal.SIGINT)


def test_ctrl_c_pauses_and_a_script_ends_there() -> None:
    endless = "x: incr lr1 1; b x;;\n"
    session = session_on(endless, InterruptingScreen(), "--max-cycles 99")
    answer(session, "log x element {lr1}")
    assert session.interruptible(lambda: answer(session, "c"))
    assert session.stop.description == "paused"
    before = session.debugger.cycle
    assert answer(session, "s").splitlines()[-2] == f"cycle {before + 1:,}, bundle 0 (`x`, line 1)"
    assert run_script(session, "commands", ["restart", "c", "nonsense"]) == 130


def test_a_second_ctrl_c_does_not_end_a_session() -> None:
    screen = InterruptingScreen()
    screen.times = 2
    session = session_on("x: incr lr1 1; b x;;\n", screen, "--max-cycles 99")
    lines = iter(["log x element {lr1}", "c", "p lr1 == cycle"])
    with pytest.raises(StopIteration):
        run_prompt(session, lambda: next(lines))
    assert "interrupted; cycle 2\nlr1 == cycle = true" in screen.taken()


def test_an_empty_line_repeats_and_errors_do_not_end_a_terminal() -> None:
    session = session_on()
    lines = iter(["s", "", "2 +", "", "", "list 1", "", "restart", "", "quit", "never"])
    run_prompt(session, lambda: next(lines))
    assert isinstance(session.screen, FixedScreen)
    shown = session.screen.taken()
    assert "cycle 2, bundle 2" in shown
    assert shown.count("error: expected a value, found the end") == 1
    assert shown.count("the source ends there") == 1
    assert shown.count("cycle 0, bundle 0") == 1
    assert next(lines) == "never"


def test_ctrl_c_at_the_prompt_drops_the_line_and_ctrl_d_ends() -> None:
    def keys() -> Iterator[str | type[BaseException]]:
        yield KeyboardInterrupt
        yield "s"
        yield EOFError

    pressed = keys()

    def read_line() -> str:
        key = next(pressed)
        if isinstance(key, str):
            return key
        raise key

    session = session_on()
    run_prompt(session, read_line)
    assert session.debugger.cycle == 1


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cont", ["continue"]),
        ("wh", ["when", "where", "who"]),
        ("b in", ["inner"]),
        ("until ou", ["outer"]),
        ("b inner if lr1", ["lr1", "lr10"]),
        ("p ac", ["acc"]),
        ("p/x lr1", ["lr1", "lr10"]),
        ("who cyc", ["cyclic"]),
        ("help tb", ["tbreak"]),
        ("info lo", ["loops"]),
        ("i r lr1", ["lr1"]),
        ("catch ov", ["overflow"]),
        ("catch nan if lr1", ["lr1"]),
        ("set vi", ["view"]),
        ("set lr1", ["lr1"]),
        ("delete 1", ["1"]),
        ("load k", ["k.s@"]),
        ("step ", []),
        ("b 1", []),
    ],
)
def test_a_line_is_completed(line: str, expected: list[str]) -> None:
    session = session_on()
    answer(session, "b inner")
    found = candidates(session, line)
    assert [each.text for each in found[: len(expected)]] == expected
    for each in found:
        assert line[each.start : each.start + each.length] == line[each.start :]


@pytest.mark.parametrize(
    ("text", "isa", "expected"),
    [
        (
            "incr lr2 1; mult.ee r0 lr2 lr2 lr2; blt lr2 lr5 +0;;\nbkpt;;\n",
            "ipu",
            {"lr2@incr": "0 -> 1", "LR2@MULT.EE": "1 (new)", "lr2@blt": "0 (old)"},
        ),
        (
            "INC lr1 3; MULT.RC.VE lr1 lr1 0 lr1 cr15; BNE lr1 cr0 +0;;\nBKPT;;\n",
            "ipu2",
            {"lr1@INC": "0 -> 3", "lr1@mult.rc.ve": "3 (new)", "lr1@BNE": "0 (old)"},
        ),
    ],
)
def test_what_an_instruction_sees_of_a_register_is_shown(
    text: str, isa: str, expected: dict[str, str]
) -> None:
    """By itself, by `print`, and at each stop by `display`."""
    session = session_on(text, isa=isa)
    for question, seen in expected.items():
        assert answer(session, question) == seen
        assert answer(session, f"p {question}") == f"{question} = {seen}"
    first = next(iter(expected))
    assert answer(session, f"display {first}") == f"1: {first} = {expected[first]}"
    assert (
        answer(session, "step").splitlines()[-1].startswith(f"1: {first}: the next bundle has no")
    )
    assert answer(session, f"{first} + 1").startswith("! an expression has names")


def test_tab_offers_what_begins_with_the_letters_before_what_contains_them() -> None:
    session = session_on()
    assert [each.text for each in narrowed(candidates(session, "conti"), "conti")] == ["continue"]
    assert [each.text for each in narrowed(candidates(session, "b nne"), "b nne")] == ["inner"]


def test_the_terminal_completes_and_keeps_a_history(monkeypatch: pytest.MonkeyPatch) -> None:
    from prompt_toolkit.application import create_app_session
    from prompt_toolkit.input import create_pipe_input
    from prompt_toolkit.output import DummyOutput

    monkeypatch.setenv("TERM", "xterm")
    session = session_on()
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text("b inner\rc\r\r\x04")
        run_prompt(session, line_reader(session))
    assert [entry.stops for entry in session.table.entries.values()] == [2]
    path = history_path()
    assert path is not None
    assert read_history(path) == ["b inner", "c"]


def test_without_prompt_toolkit_lines_are_read_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prompt_toolkit", None)
    monkeypatch.setattr("builtins.input", lambda prompt: prompt)
    session = session_on()
    assert line_reader(session)() == "(ipu) "
    assert isinstance(session.screen, FixedScreen)
    assert "pip install prompt_toolkit" in session.screen.taken()


def test_the_history_is_private_bounded_and_optional(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = history_path()
    assert path == str(tmp_path / "state" / "ipu-asm" / "debug_history")
    assert path is not None
    append_history(path, "p lr1\n  + 2")
    assert read_history(path) == ["p lr1 + 2"]
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
    Path(path).write_text("".join(f"goto {number}\n" for number in range(MAX_LINES + 1)))
    assert read_history(path)[-1] == f"goto {MAX_LINES}"
    assert len(Path(path).read_text().splitlines()) == MAX_LINES // 2
    Path("file").write_text("")
    append_history(str(tmp_path / "file" / "history"), "s")
    assert read_history(str(tmp_path / "file" / "history")) == []
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert history_path() == str(tmp_path / ".local" / "state" / "ipu-asm" / "debug_history")
