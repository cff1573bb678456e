"""`ipu-mcp` with the client of the official SDK."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver.exceptions import ToolError

from ipu_asm.cli.mcp import WholeCharacters, lint, run
from tests.example_references import ROOT

KERNEL = str(ROOT / "examples" / "fully_connected.s")


def check_called(name: str, **arguments: Any) -> Any:
    """What a tool answers, over the standard streams of a process."""

    async def call() -> Any:
        program = "import sys; from ipu_asm.cli.mcp import main; sys.exit(main([]))"
        server = StdioServerParameters(command=sys.executable, args=["-c", program], cwd=str(ROOT))
        async with Client(server) as client:
            return await client.call_tool(name, arguments)

    return asyncio.run(call())


def check_answer(name: str, **arguments: Any) -> Any:
    """The structured answer of a tool that succeeded."""
    called = check_called(name, **arguments)
    assert not called.is_error, called.content
    answer = called.structured_content
    answer = answer.get("result", answer) if "schema" not in answer else answer
    assert answer["schema"] == 1
    return answer


def printed(*command: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "ipu_asm", *command], capture_output=True, text=True, cwd=ROOT
    )
    return json.loads(done.stdout)


def test_every_tool_only_reads_and_has_a_description() -> None:
    async def listed() -> Any:
        from ipu_asm.cli.mcp import make_server

        async with Client(make_server()) as client:
            return (await client.list_tools()).tools

    tools = asyncio.run(listed())
    names = {"lint", "explain", "assemble", "cycles", "run", "pack"}
    assert {tool.name for tool in tools} == names
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools)


def test_findings_are_those_that_the_command_prints() -> None:
    answer = check_answer("lint", text="acc.frist;;\nbkpt;;\n", isa="ipu")
    assert answer["status"] == 1
    assert [each["code"] for each in answer["result"]] == ["E101"]
    assert check_answer("lint", path=KERNEL)["result"] == []


def test_cycles_and_loops_are_those_of_ipu_mca() -> None:
    answer = check_answer("cycles", path=KERNEL)["result"]
    assert answer == printed("mca", "--format", "json", KERNEL)
    assert answer["cycles"] == 1304


def test_a_run_with_expected_data_says_what_is_in_the_registers() -> None:
    answer = check_answer("run", text="set lr0 5;;\nadd lr1 lr0 cr3;;\nbkpt;;\n", cr={"3": "0x10"})
    assert answer["result"]["registers"]["lr1"] == 21
    assert check_answer("run", path=KERNEL)["status"] == 0


def test_texts_come_as_the_commands_print_them(tmp_path: Path) -> None:
    assert check_answer("explain", query="E201")["result"].startswith("# ")
    assert "# acc;;" in check_answer("assemble", text="acc;;\n")["result"]
    packed = check_answer("pack", text="set lr0 1;;\nset lr1 2;;\nbkpt;;\n")
    assert packed["status"] == 0, packed
    assert "set lr1 2" in " ".join(packed["result"].split())


def test_a_call_without_a_program_is_refused_in_a_sentence() -> None:
    called = check_called("lint")
    assert called.is_error
    assert "give `text` or `path`, found none" in called.content[0].text


@pytest.mark.parametrize("arguments", [{"path": "a\0b"}, {"text": "", "isa": "x" * 3_000_000}])
def test_arguments_that_no_process_takes_are_refused_in_a_sentence(
    arguments: dict[str, str],
) -> None:
    with pytest.raises(ToolError, match="lint cannot be started with these arguments: "):
        asyncio.run(lint(**arguments))


def test_a_call_that_is_given_up_leaves_no_process() -> None:
    async def given_up() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(run("l: b l;;", max_cycles=10**12), 0.5)
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    asyncio.run(given_up())


def call_of(tool: str, **arguments: Any) -> bytes:
    """The lines that a client sends to call a tool."""
    info = {"name": "a", "version": "1"}
    hello = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": info}
    call = {"name": tool, "arguments": arguments}
    sent = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    return b"".join(json.dumps(each).encode() + b"\n" for each in sent)


SERVE = [sys.executable, "-c", "import sys; from ipu_asm.cli.mcp import main; sys.exit(main([]))"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_and_its_commands_while_a_client_is_silent(
    number: signal.Signals, tmp_path: Path
) -> None:
    pipe = tmp_path / "opened"
    os.mkfifo(pipe)
    child = f"import os; os.execvp('cat', ['cat', {str(pipe)!r}])"
    (tmp_path / "python").write_text(f"#!{sys.executable}\n{child}\n")
    (tmp_path / "python").chmod(0o755)
    code = f"import sys; sys.executable = {str(tmp_path / 'python')!r};"
    command = [*SERVE[:2], code + SERVE[2].partition(";")[2]]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    ) as server:
        assert server.stdin is not None
        server.stdin.write(call_of("lint", text="bkpt;;"))
        server.stdin.flush()
        with pipe.open("wb", buffering=0) as opened:  # once the command runs
            server.send_signal(number)
            assert server.wait(20) == 130
            with pytest.raises(BrokenPipeError):
                opened.write(b"is there nobody?")


def test_an_output_that_nothing_reads_or_that_is_full_is_told_in_a_line() -> None:
    read, write = os.pipe()
    os.close(read)
    with open("/dev/full", "wb") as full:
        for stream, status, said in (
            (write, 0, b""),
            (full.fileno(), 2, b"ipu-mcp: error: standard output: no space left on device\n"),
        ):
            done = subprocess.run(
                SERVE, input=call_of("lint", text=""), stdout=stream, stderr=subprocess.PIPE,
                cwd=ROOT, check=False,
            )  # fmt: skip
            assert (done.returncode, done.stderr) == (status, said)
    os.close(write)


def test_without_the_extra_the_command_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['mcp.server.mcpserver'] = None;"
        "from ipu_asm.cli.mcp import main; sys.exit(main([]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 2
    assert "pip install 'ipu-asm[mcp]'" in done.stderr
    assert done.stderr.count("\n") == 1


SKILL = (ROOT / "ipu_asm" / "SKILL.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"```sh\n +(.+)\n +```", SKILL)


def test_the_commands_of_the_skill_do_what_it_says(tmp_path: Path) -> None:
    kernel = tmp_path / "kernel.s"
    kernel.write_text("set lr0 5;;\nadd lr1 lr0 cr3;;\nbkpt;;\n", encoding="utf-8")
    assert len(COMMANDS) == SKILL.count("```sh") == 6
    for command in COMMANDS:
        program, *arguments = command.split()
        run = [sys.executable, "-m", "ipu_asm", program.removeprefix("ipu-"), *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stderr)
        if "--json" in command:
            assert json.loads(done.stdout)["registers"]["lr1"] == 21
        elif "json" in command:
            json.loads(done.stdout)


def test_half_a_character_is_read_as_a_question_mark() -> None:
    lines = [b'{"a": ["\\ud800", "\\uD83D\\uDE00"]}\n', b'"\\\\ud800"\n', b"{\\ud800\n", b"[1]"]
    read = WholeCharacters(io.BytesIO(b"".join(lines))).readall()
    assert read.decode() == '{"a": ["?", "\U0001f600"]}\n' + b"".join(lines[1:]).decode()
