"""`ipu-mcp`: the commands as tools of the Model Context Protocol, for coding agents.

Each tool runs a command in a process of its own, so its answer has the JSON that the command
prints, and a run that does not end is killed. No tool writes a file.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import signal
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING, Any, Awaitable, BinaryIO, Callable, Sequence, TypeAlias

import ipu_asm
from ipu_asm.config.files import file_error
from ipu_asm.diagnostics.command_line import CommandLineParser, discard_output
from ipu_asm.emulator.interrupts import Interrupts

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

Answer: TypeAlias = dict[str, Any]
"""`schema`, the exit `status` of a command, its `result`, and its `messages` on standard error."""

PROGRAM = "ipu-mcp"
SCHEMA = 1
"""Version of the answers; a new field leaves it as it is."""
TIME_LIMIT_S = 60.0
_END_LIMIT_S = 1.0
_HOME = os.path.dirname(os.path.dirname(os.path.abspath(ipu_asm.__file__)))
_INSTRUCTIONS = """\
Tools for the assembly of AI accelerators. Give a program as `text`, with its instruction set as
`isa` (`explain` of an unknown set lists all), or as the `path` of a file. After each edit: `lint`
until there are no errors, then `run` with expected data, then `cycles` for what bounds loops."""


_EPILOG = """\
A client starts it; its configuration names the command:

examples:
  ipu-mcp            serve the agent that has started it
  ipu-mcp --version

exit status: 0 the client has left, 2 wrong usage, or the extra `mcp` is missing
"""


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = CommandLineParser(
        prog=PROGRAM,
        description="Serve coding agents over the Model Context Protocol (standard streams).",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {ipu_asm.__version__}")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Serve one client; return 0 once it has left, 2 for wrong usage or without the extra `mcp`."""
    make_parser().parse_args(argv)
    try:
        with Interrupts():
            _end_at_signals()
            server = make_server()
            if sys.stdin is None or sys.stdout is None:
                message = "a client talks over standard input and output, found one of them closed"
                print(f"{PROGRAM}: error: {message}", file=sys.stderr)
                return 2
            sys.stdin = io.TextIOWrapper(io.BufferedReader(WholeCharacters(sys.stdin.buffer)))
            server.run("stdio")
    except ImportError as error:
        print(
            f"{PROGRAM}: error: the extra `mcp` is missing: pip install 'ipu-asm[mcp]' ({error})",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        return 130
    except ExceptionGroup as group:  # of the SDK
        broken, others = group.split(OSError)
        if others is not None or broken is None:
            raise
        discard_output(sys.stdout)
        problem = _first_of(broken)
        if not isinstance(problem, BrokenPipeError):
            print(f"{PROGRAM}: error: {file_error('standard output', problem)}", file=sys.stderr)
            return 2
    return 0


def _end_at_signals() -> None:
    """End the process and the commands that it runs when a signal comes.

    The SDK waits for a line in a thread that nothing ends, and which may never come.
    """
    interrupt: Any = signal.getsignal(signal.SIGINT)
    if not callable(interrupt):  # Ctrl-C is ignored
        interrupt = signal.default_int_handler

    def end(number: int, frame: FrameType | None) -> None:
        timer = threading.Timer(_END_LIMIT_S, os._exit, (130,))
        timer.daemon = True
        timer.start()
        interrupt(number, frame)

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)


def _first_of(group: ExceptionGroup[OSError]) -> OSError:
    first = group.exceptions[0]
    return _first_of(first) if isinstance(first, ExceptionGroup) else first


class WholeCharacters(io.RawIOBase):
    """Lines of JSON in which `?` stands for each half of a character, such as `\\ud800`.

    The SDK leaves a message with one unanswered, and a command reads the rest of it.
    """

    def __init__(self, lines: BinaryIO) -> None:
        self._lines = lines
        self._waiting = b""

    def readable(self) -> bool:
        """Return whether it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read a part of a line; return its length."""
        self._waiting = self._waiting or _with_whole_characters(self._lines.readline())
        part = self._waiting[: len(buffer)]
        buffer[: len(part)] = part
        self._waiting = self._waiting[len(part) :]
        return len(part)


def _with_whole_characters(line: bytes) -> bytes:
    if b"\\ud" not in line.lower():
        return line
    try:
        return json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    except (ValueError, RecursionError):
        return line


def make_server() -> MCPServer[Any]:
    """Return the server with all tools. Raises `ImportError` without the extra `mcp`."""
    from mcp.server.mcpserver import MCPServer  # half a second, and an extra
    from mcp.types import ToolAnnotations

    server: MCPServer[Any] = MCPServer(
        "ipu-asm", version=ipu_asm.__version__, instructions=_INSTRUCTIONS, log_level="ERROR"
    )
    reading = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    for tool in TOOLS:
        server.tool(annotations=reading, structured_output=True)(tool)
    return server


async def lint(text: str | None = None, path: str | None = None, isa: str | None = None) -> Answer:
    """Findings of a program: code, message, place and fix of each. `path` may be a folder."""
    return await _answer(["lint", "--format", "json", "--no-cache"], text, path, isa)


async def explain(query: str, isa: str | None = None) -> Answer:
    """What a rule (`E201`), an instruction (`mult.ve`) or a register means, as Markdown."""
    return await _answer(["lint", "--explain", query], "", None, isa, needs_source=False)


async def assemble(
    text: str | None = None, path: str | None = None, isa: str | None = None
) -> Answer:
    """The listing of a program: address, machine word and source of each bundle."""
    return await _answer(["as", "assemble", "--format", "listing"], text, path, isa)


async def cycles(
    text: str | None = None,
    path: str | None = None,
    isa: str | None = None,
    cr: dict[str, str] | None = None,
    baseline: str | None = None,
) -> Answer:
    """Cycles, loops with what bounds them, and addresses, without a run. `cr` maps numbers of
    configuration registers to values; `baseline` is the path of an older version."""
    options = [f"--cr={number}={value}" for number, value in (cr or {}).items()]
    options += [f"--baseline={baseline}"] if baseline else []
    return await _answer(["mca", "--format", "json", *options], text, path, isa)


async def run(
    text: str | None = None,
    path: str | None = None,
    isa: str | None = None,
    cr: dict[str, str] | None = None,
    lr: dict[str, str] | None = None,
    load: list[str] | None = None,
    expect: list[str] | None = None,
    max_cycles: int = 10_000_000,
) -> Answer:
    """Execute a program; returns registers, cycles and why it stopped. `load` and `expect` are
    `FILE@ADDRESS[:LENGTH][:DTYPE]`; of an unexpected element it says which instruction wrote it."""
    options = [f"--max-cycles={max_cycles}"]
    for name, values in (("cr", cr), ("lr", lr)):
        options += [f"--{name}={number}={value}" for number, value in (values or {}).items()]
    for name, data in (("load", load), ("expect", expect)):
        options += [f"--{name}={each}" for each in data or ()]
    return await _answer(["run", "--json", *options], text, path, isa)


async def pack(text: str | None = None, path: str | None = None, isa: str | None = None) -> Answer:
    """The program in fewer bundles, proven to do the same by executing both; writes no file."""
    return await _answer(["mca", "--pack"], text, path, isa)


TOOLS: tuple[Callable[..., Awaitable[Answer]], ...] = (lint, explain, assemble, cycles, run, pack)


async def _answer(
    arguments: Sequence[str],
    text: str | None,
    path: str | None,
    isa: str | None,
    *,
    needs_source: bool = True,
) -> Answer:
    """Run a command; return its exit status, what it printed, and what it said of problems.

    Raises `ToolError` unless there is either a text or a path, and where the command takes too
    long.
    """
    from anyio import CancelScope
    from mcp.server.mcpserver.exceptions import ToolError

    if (text is None) == (path is None):
        raise ToolError(f"give `text` or `path`, found {'none' if text is None else 'both'}")
    command = [sys.executable, "-P", "-m", "ipu_asm", *arguments]
    if isa is not None:
        command.append(f"--isa={isa}")
    try:
        if needs_source:
            command.append("-" if path is None else os.path.abspath(path))
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": _HOME},
        )
    except (OSError, ValueError) as error:  # an argument that is too long or has U+0000
        raise ToolError(f"{arguments[0]} cannot be started with these arguments: {error}") from None
    data = (text or "").encode("utf-8", "replace")
    try:
        printed, said = await asyncio.wait_for(process.communicate(data), TIME_LIMIT_S)
    except TimeoutError:
        raise ToolError(f"{arguments[0]} was stopped after {TIME_LIMIT_S:g} s") from None
    finally:  # a client may cancel the call, or leave
        if process.returncode is None:
            process.kill()
            with CancelScope(shield=True):
                await process.communicate()
    return {
        "schema": SCHEMA,
        "status": process.returncode,
        "result": _read(printed.decode("utf-8", "replace")),
        "messages": said.decode("utf-8", "replace"),
    }


def _read(text: str) -> Any:
    """The JSON that a command printed, or its text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
