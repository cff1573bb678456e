"""Runs of programs in separate processes: the server does not load the emulator.

The process gets the editor's text, and no file or folder of the workspace.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import time
from typing import Any, Generator, Sequence

from lsprotocol import types as t
from pygls.exceptions import JsonRpcException

import ipu_asm
from ipu_asm.program.program import Program
from ipu_lsp.server.protocol import Steps
from ipu_lsp.transport import Json

TIME_LIMIT_S = 60.0
"""Seconds that a run may take by default."""
STATUSES = {
    0: "halted, or stopped at a break",
    1: "a program with errors, a fault, or the cycle limit",
    2: "an option or a file that `ipu-run` does not accept",
    3: "ipu-run itself failed",
}
"""Descriptions of the exit statuses of `ipu-run`."""

# Maximum time that a run blocks other messages.
_SECONDS_A_STEP = 0.01
# Our package is last in the search path, and nothing is imported from the current folder.
_START = "import sys; sys.path.append(sys.argv.pop(1)); from {module} import main; sys.exit(main())"
_HOME = os.path.dirname(os.path.dirname(os.path.abspath(ipu_asm.__file__)))
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)


def read_options(options: object) -> tuple[list[str], float] | str:
    """Return the arguments of `ipu-run` in a request and its time limit; a sentence on an error.

    `ipu-run` checks the values.
    """
    if options is None:
        options = {}
    if not isinstance(options, dict):
        return f"`options` is an object, found {options!r:.40}"
    arguments: list[str] = []
    if (dtype := options.get("dtype")) is not None:
        arguments.append(f"--dtype={dtype}")
    for file in ("cr", "lr"):
        registers = options.get(file)
        if registers is None:
            continue
        if not isinstance(registers, dict):
            return f"`{file}` maps register numbers to values, found {registers!r:.40}"
        arguments += [f"--{file}={number}={value}" for number, value in registers.items()]
    if (cycles := options.get("maxCycles")) is not None:
        arguments.append(f"--max-cycles={cycles}")
    limit = options.get("timeLimitSeconds", TIME_LIMIT_S)
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not limit > 0:
        return f"`timeLimitSeconds` is a number above 0, found {limit!r:.40}"
    return arguments, float(limit)


def run(program: Program, options: Sequence[str], limit: float) -> Steps:
    """Run a program in short steps; return the response body. Closing it kills the run."""
    arguments = [f"--isa={program.isa.name}", "--format=source", "--json", *options, "-"]
    data = program.text.encode("utf-8", "replace")
    output = yield from output_of("ipu_asm.cli.run.command", arguments, data, limit)
    if output is None:
        why = f"stopped after the time limit of {limit:g} s"
        return _answer(why=why, stopped="time-limit", status=why)
    return _result(*output)


def output_of(
    module: str, arguments: Sequence[str], data: bytes, time_limit: float
) -> Generator[None, None, tuple[int, str, str] | None]:
    """Run the function `main` of a module in a process, in short steps; closing it kills that.

    `data` is its standard input. Returns its exit status and what it wrote to standard output and
    standard error; None if it took longer than `time_limit` seconds. Raises
    `JsonRpcException` (`RequestFailed`) where no process can be started, as in a browser.
    """
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START.format(module=module), _HOME, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            creationflags=_NO_WINDOW,
        )
    except OSError as error:
        reason = f"programs run in a process of their own, which cannot be started here: {error}"
        raise JsonRpcException(reason, t.LSPErrorCodes.RequestFailed.value) from None
    atexit.register(process.kill)
    deadline = time.monotonic() + time_limit
    try:
        said = _poll(process, data)
        while said is None:
            if time.monotonic() > deadline:
                return None
            yield
            said = _poll(process)
    finally:
        atexit.unregister(process.kill)
        if process.returncode is None:
            process.kill()
            process.communicate()
    return process.returncode, *said


def _poll(process: subprocess.Popen[bytes], data: bytes | None = None) -> tuple[str, str] | None:
    """Wait one step for a process; return its output and error streams, None if it still runs.

    The first call passes the input.
    """
    try:
        streams = process.communicate(data, timeout=_SECONDS_A_STEP)
    except subprocess.TimeoutExpired:
        return None
    printed, complaints = (stream.decode("utf-8", "replace") for stream in streams)
    return printed, complaints


def _result(status: int, printed: str, complaints: str) -> Json:
    """Return the response body for the output of `ipu-run --json`."""
    try:
        summary = json.loads(printed)
    except ValueError:
        summary = {}
    why = summary.get("message") or complaints.strip() or STATUSES.get(status, "no result")
    known = {
        "stopped", "cycles", "registers", "pc", "last_bundle", "place", "dtype", "fault", "seconds",
    }  # fmt: skip
    kept = {name: value for name, value in summary.items() if name in known}
    return _answer(
        why=why,
        exitStatus=status,
        status=STATUSES.get(status, f"ended with status {status}"),
        messages=complaints,
        **kept,
    )


def _answer(**known: Any) -> Json:
    """Return a response body with defaults for missing members."""
    return {"why": "", "cycles": 0, "exitStatus": None, "registers": {}, **known}
