"""Commands: assemble, listing, run."""

from __future__ import annotations

import base64
import subprocess
import sys
from typing import Any, Iterator

import pytest

from ipu_asm import assemble
from ipu_lsp.transport import Json
from tests.server.conversation import (
    EXIT,
    INITIALIZE,
    Conversation,
    asked,
    await_bytes,
    dialogue,
    framed,
    greeted,
    opened,
)

URI = "file:///kernel.s"
TEXT = "set lr0 5;;\nadd lr1 lr0 cr0;;\nbkpt;;\n"
ENDLESS = "x: b x;;\n"
BROKEN = "foo;;\nb nowhere;;\n"


def command(number: int, name: str, uri: str = URI, **more: Any) -> Json:
    arguments = [{"uri": uri, **more}]
    params = {"command": name, "arguments": arguments}
    return {"id": number, "method": "workspace/executeCommand", "params": params}


def check_assembled(text: str = TEXT, **arguments: Any) -> Json:
    """What the program is assembled to."""
    request = command(1, "ipu.assemble", **arguments)
    answer: Json = greeted(opened(URI, text), request, EXIT).answer(1)["result"]
    return answer


def talk(text: str, *messages: Json, until: bytes) -> Conversation:
    """Say all of this, and end when the server has said something."""

    def script(received: bytearray) -> Iterator[bytes]:
        yield framed(INITIALIZE)
        yield framed(opened(URI, text))
        for message in messages:
            yield framed(message)
        await_bytes(received, until)
        yield framed(EXIT)

    return dialogue(script)


def check_run(text: str, **options: Any) -> Json:
    """What a run with these options comes to."""
    request = command(1, "ipu.run", options=options)
    answer: Json = talk(text, request, until=b'"id":1,').answer(1)["result"]
    assert {"why", "cycles", "exitStatus", "registers"} <= set(answer)
    return answer


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that are started in a test."""
    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def remember(*args: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(start(*args, **options))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", remember)
    return started


def test_a_program_is_assembled_to_hex_unless_told_otherwise() -> None:
    words = assemble(TEXT)
    expected = "".join(f"0x{word:048x}\n" for word in words)
    assert check_assembled() == {"format": "hex", "text": expected}
    mem = "".join(f"0x{word:045x}\n" for word in words)
    assert check_assembled(format="mem") == {"format": "mem", "text": mem}


def test_machine_code_is_assembled_too() -> None:
    text = "# isa: xdna1\nstart: nop\n    ret lr\n    nop\n    nop\n    nop\n    nop\n    nop\n"
    listed = check_assembled(text, format="listing")["text"]
    assert "ret lr" in listed
    code = base64.b64decode(check_assembled(text, format="bin")["base64"])
    lines = check_assembled(text)["text"].splitlines()
    assert b"".join(bytes.fromhex(line) for line in lines) == code
    assert base64.b64decode(check_assembled(text, format="elf")["base64"]).startswith(b"\x7fELF")


def test_bytes_come_in_base64() -> None:
    image = b"".join(word.to_bytes(24, "little") for word in assemble(TEXT))
    expected = base64.b64encode(image).decode()
    assert check_assembled(format="bin") == {"format": "bin", "base64": expected}


def test_a_listing_can_be_had_as_a_format_and_as_a_command() -> None:
    formatted = check_assembled(format="listing")
    request = command(1, "ipu.listing")
    listed = greeted(opened(URI, TEXT), request, EXIT).answer(1)["result"]
    assert formatted == {"format": "listing", "text": listed["text"]}
    assert [line["address"] for line in listed["lines"][3:]] == [0, 1, 2]


def test_a_program_with_errors_has_findings_instead() -> None:
    (first, second) = check_assembled(BROKEN)["findings"]
    assert (first["code"], second["code"]) == ("E101", "E301")
    assert second["range"]["start"] == {"line": 1, "character": 2}
    assert [f["code"] for f in check_assembled("# nothing\n")["findings"]] == ["E001"]


@pytest.mark.parametrize(
    "params",
    [
        {"command": "ipu.unknown", "arguments": [{"uri": URI}]},
        {"command": "ipu.assemble"},
        {"command": "ipu.assemble", "arguments": []},
        {"command": "ipu.assemble", "arguments": [URI]},
        {"command": "ipu.assemble", "arguments": [{"uri": 3}]},
        {"command": "ipu.assemble", "arguments": [{"uri": "file:///gone.s"}]},
        {"command": "ipu.assemble", "arguments": [{"uri": URI, "format": "elf"}]},
        {"command": "ipu.assemble", "arguments": [{"uri": URI, "format": ["hex"]}]},
        {"command": "ipu.run", "arguments": [{"uri": URI, "options": 3}]},
        {"command": "ipu.run", "arguments": [{"uri": URI, "options": {"cr": [1]}}]},
        {"command": "ipu.run", "arguments": [{"uri": URI, "options": {"timeLimitSeconds": 0}}]},
    ],
)
def test_a_command_that_cannot_be_done_is_refused(params: Json) -> None:
    request = {"id": 1, "method": "workspace/executeCommand", "params": params}
    assert greeted(opened(URI, TEXT), request, EXIT).error(1) == -32602


def test_a_run_tells_why_it_stopped_and_what_is_in_the_registers() -> None:
    answer = check_run(TEXT, dtype="fp8_e4m3", cr={"0": 4096}, lr={"7": "0x10"})
    assert (answer["exitStatus"], answer["stopped"], answer["cycles"]) == (0, "halted", 3)
    assert "halted" in answer["why"]
    assert answer["registers"]["lr1"] == 4101
    assert answer["registers"]["lr7"] == 16
    assert answer["dtype"] == "fp8_e4m3"


def test_a_run_past_the_cycle_limit_says_so() -> None:
    answer = check_run(ENDLESS, maxCycles=10)
    assert (answer["exitStatus"], answer["cycles"]) == (1, 10)
    assert "a fault, or the cycle limit" in answer["status"]


def test_options_that_the_emulator_does_not_take_are_its_to_refuse() -> None:
    answer = check_run(TEXT, dtype="int3")
    assert (answer["exitStatus"], answer["registers"]) == (2, {})
    assert "int3" in answer["why"]


TEMPLATE = "{% for x in [1, 2] %}set lr{{ x }} {{ x * 3 }};;\n{% endfor %}bkpt;;\n"


def test_a_template_is_assembled_and_run_as_its_expansion() -> None:
    plain = "set lr1 3;;\nset lr2 6;;\nbkpt;;\n"
    assert check_assembled(TEMPLATE) == check_assembled(plain)
    assert check_run(TEMPLATE)["registers"] == check_run(plain)["registers"]


def test_errors_of_a_template_stand_where_they_are_written() -> None:
    text = "{% set k = 'lr99' %}\nset {{ k }} 1;;\n"
    (finding,) = check_assembled(text)["findings"]
    assert finding["range"]["start"] == {"line": 1, "character": 4}
    assert check_assembled("set lr0 {{ k }};;")["findings"][0]["code"] == "E402"


def test_a_program_with_errors_is_not_run() -> None:
    answer = check_run(BROKEN)
    assert (answer["exitStatus"], answer["cycles"]) == (1, 0)
    assert [finding["code"] for finding in answer["findings"]] == ["E101", "E301"]


def test_where_no_process_can_be_started_a_run_is_refused_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def popen(*_: Any, **__: Any) -> None:
        raise OSError(138, "emscripten does not support processes.")

    monkeypatch.setattr(subprocess, "Popen", popen)
    error = greeted(opened(URI, TEXT), command(1, "ipu.run"), EXIT).answer(1)["error"]
    assert error["code"] == -32803
    assert "a process of their own, which cannot be started here" in error["message"]


def test_a_run_ends_when_its_time_is_over() -> None:
    answer = check_run(ENDLESS, timeLimitSeconds=0.01)
    assert (answer["stopped"], answer["exitStatus"]) == ("time-limit", None)
    assert answer["why"] == "stopped after the time limit of 0.01 s"


def test_everything_else_is_answered_meanwhile_and_the_run_can_be_cancelled(
    processes: list[subprocess.Popen[bytes]],
) -> None:
    run = command(1, "ipu.run", options={"maxCycles": 10**12})
    hover = asked(2, "hover", URI, position={"line": 0, "character": 0})

    def script(received: bytearray) -> Iterator[bytes]:
        yield framed(INITIALIZE) + framed(opened(URI, ENDLESS)) + framed(run) + framed(hover)
        await_bytes(received, b'"id":2,')
        assert received.count(b'"id":1,') == 0
        yield framed({"method": "$/cancelRequest", "params": {"id": 1}})
        await_bytes(received, b'"id":1,')
        assert [process.poll() is None for process in processes] == [False]
        yield framed(EXIT)

    assert dialogue(script).error(1) == -32800


def test_a_run_ends_with_the_session(processes: list[subprocess.Popen[bytes]]) -> None:
    run = command(1, "ipu.run", options={"maxCycles": 10**12})
    conversation = talk(ENDLESS, run, {"id": 2, "method": "shutdown"}, until=b'"id":2,')
    assert conversation.error(1) == -32802
    assert [process.poll() is None for process in processes] == [False]


def test_the_server_itself_loads_no_emulator() -> None:
    before = set(sys.modules)
    check_run(TEXT)
    loaded = set(sys.modules) - before
    assert not any(name.startswith(("numpy", "ipu_asm.emulator")) for name in loaded)


def test_features_answer_in_the_selected_context() -> None:
    text = "{# ipu: context rows=2 #}\n{# ipu: context rows=3 #}\nset lr0 {{ rows }};;\nbkpt;;\n"
    said = greeted(
        opened(URI, text),
        command(1, "ipu.selectContext"),
        command(2, "ipu.assemble"),
        command(3, "ipu.selectContext", context=1),
        command(4, "ipu.assemble"),
        command(5, "ipu.selectContext", context=2),
    )
    assert said.answer(1)["result"] == {"contexts": ["rows=2", "rows=3"], "selected": 0}
    assert said.answer(3)["result"]["selected"] == 1
    assert said.answer(2)["result"]["text"] == expected_words("set lr0 2;; bkpt;;")
    assert said.answer(4)["result"]["text"] == expected_words("set lr0 3;; bkpt;;")
    assert said.error(5) == -32602


def expected_words(text: str) -> str:
    """The image of a plain program."""
    said = greeted(opened(URI, text), command(1, "ipu.assemble"))
    image: str = said.answer(1)["result"]["text"]
    return image
