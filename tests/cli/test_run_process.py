"""`ipu-run` as a process: Ctrl-C, terminals, and what it loads."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.test_processes import ENVIRONMENT

COMMAND = [
    sys.executable,
    "-c",
    "import sys; from ipu_asm.cli.run.command import main; sys.exit(main())",
]
PATIENCE = 120.0
ENDLESS = ["endless.s", "--max-cycles", "1_000_000_000_000"]


FILES = {"endless.s": "x: incr lr0 1; b x;;"}


def check_interrupted(arguments: list[str], terminal: tuple[int, ...] = ()) -> tuple[str, str]:
    """A run ends soon after a Ctrl-C, with status 130; what it prints on both streams.

    With a terminal, our end and that of the process, the Ctrl-C comes when something is shown.
    """
    process = subprocess.Popen(
        [*COMMAND, *ENDLESS, *arguments],
        stdout=subprocess.PIPE,
        stderr=terminal[1] if terminal else subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    try:
        if terminal:
            assert select.select(terminal[:1], [], [], PATIENCE)[0] != []
        else:
            _wait_until_it_runs(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 130
    return out, err or ""


def _wait_until_it_runs(process: subprocess.Popen[str]) -> None:
    """Wait until the process has taken a good deal of processor time."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        used = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        if (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK") > 2.5:
            return
        assert process.poll() is None
        time.sleep(0.05)
    raise AssertionError("the process does nothing")


def test_ctrl_c_ends_an_endless_run_and_loses_no_file() -> None:
    Path("out").write_text("as before")
    outputs = ["--dump", "out@0:4", "--profile", "p.json", "--trace", "t.json"]
    out, err = check_interrupted([*outputs, "--trace-limit", "10"])
    first, second, third = out.splitlines()
    assert first.startswith("interrupted in front of bundle 0 (`x`, line 1): lr0 = ")
    assert " cycles per second" in second
    assert third.startswith("wrote t.json (the last 10 of ")
    assert err == "ipu-run: note: nothing was dumped\n"
    assert Path("out").read_text() == "as before"
    profile = json.loads(Path("p.json").read_text())
    assert (profile["stopped"], profile["message"]) == ("interrupted", first)
    assert profile["loops"][0]["iterations"] == profile["cycles"] > 1000
    trace = json.loads(Path("t.json").read_text())
    assert trace["otherData"]["cycles"] == profile["cycles"]


def test_the_state_is_printed_at_ctrl_c_on_request() -> None:
    out, _ = check_interrupted(["--state"])
    lines = out.splitlines()
    assert lines[2] == "pc = 0, element type int8"
    value = int(lines[3].split()[2])
    assert lines[1].startswith(f"{value:,} cycles in ")


def test_a_program_reads_the_result_after_ctrl_c_too() -> None:
    out, _ = check_interrupted(["--json"])
    result = json.loads(out)
    assert result["stopped"] == "interrupted"
    assert result["registers"]["lr0"] == result["cycles"] % (1 << 32) > 0


def test_a_terminal_shows_how_far_the_run_has_come() -> None:
    ours, theirs = pty.openpty()
    try:
        check_interrupted([], (ours, theirs))
        os.set_blocking(ours, False)
        shown = ""
        with suppress(BlockingIOError):  # a terminal gives 4 KiB at a time
            while True:
                shown += os.read(ours, 1 << 16).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    lines = shown.split("\r\x1b[K")
    assert lines[1].startswith("[....................] ")
    assert " of at most 1,000,000,000,000 cycles, " in lines[1]
    assert lines[-1] == ""


def check_loaded(code: str, *unloaded: str) -> str:
    """After this code, none of these modules is loaded; what the code prints."""
    script = (
        f"import sys\n{code}\nassert not {unloaded!r} or not set({unloaded!r}) & set(sys.modules)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=ENVIRONMENT, check=True
    )
    return ended.stdout + ended.stderr


def test_what_needs_no_machine_loads_none() -> None:
    Path("bad.s").write_text("acc.frist;;")
    code = "from ipu_asm.cli.run.command import main; assert main(['bad.s']) == 1"
    assert "1 error, nothing run" in check_loaded(code, "numpy", "json", "lark", "pygls")


def test_a_run_loads_only_what_it_needs() -> None:
    run = "assert main(['endless.s', '--max-cycles', '9']) == 1"
    code = f"from ipu_asm.cli.run.command import main; {run}"
    unloaded = ("lark", "pygls", "ipu_asm.emulator.profile")
    debugger = ("ipu_asm.cli.run.interactive", "prompt_toolkit", "asyncio")
    assert "9 cycles in" in check_loaded(code, *unloaded, *debugger)


def test_only_a_terminal_loads_the_prompt() -> None:
    Path("steps.txt").write_text("s 9\n")
    run = "assert main(['endless.s', '--commands', 'steps.txt']) == 0"
    code = f"from ipu_asm.cli.run.command import main; {run}"
    assert "\n9 cycles\n" in check_loaded(code, "lark", "pygls", "prompt_toolkit", "asyncio")


@pytest.mark.parametrize("missing", ["numpy", "ml_dtypes"])
def test_a_missing_library_is_told(missing: str) -> None:
    code = (
        f"sys.modules[{missing!r}] = None\n"
        "from ipu_asm.cli.run.command import main; assert main(['endless.s']) == 2"
    )
    message = f"ipu-run: error: the emulator needs numpy and ml_dtypes, found no {missing}\n"
    assert check_loaded(code) == message
