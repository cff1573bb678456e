"""No template and no directive is an internal error: of a command, or of the language server."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Callable, Sequence

import pytest
from hypothesis import example, given, settings

from ipu_asm.cli import fmt
from ipu_asm.cli.assembler import command as assembler
from ipu_asm.cli.lint import command as lint
from ipu_asm.cli.mca import command as mca
from ipu_asm.cli.run import command as ipu_run
from ipu_lsp.debug_adapter.client import is_same_path
from ipu_lsp.transport import Json
from tests.cli.commands import run
from tests.server.conversation import asked, greeted, opened
from tests.written_texts import DIRECTIVES, TEMPLATES

COMMANDS: dict[str, tuple[Callable[[Sequence[str]], int], tuple[str, ...]]] = {
    "lint": (lint.main, ("--isolated", "--no-cache")),
    "fmt": (fmt.main, ("--isolated", "--check")),
    "assemble": (assembler.main, ("assemble", "--format", "hex")),
    "expand": (assembler.main, ("expand",)),
    "mca": (mca.main, ()),
    "run": (ipu_run.main, ("--max-cycles", "100")),
}
_AT: Json = {"line": 0, "character": 4}
_ALL: Json = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
REQUESTS: dict[str, Json] = {
    "hover": {"position": _AT},
    "completion": {"position": _AT},
    "definition": {"position": _AT},
    "references": {"position": _AT, "context": {"includeDeclaration": True}},
    "documentHighlight": {"position": _AT},
    "rename": {"position": _AT, "newName": "z"},
    "signatureHelp": {"position": _AT},
    "selectionRange": {"positions": [_AT]},
    "documentSymbol": {},
    "documentLink": {},
    "foldingRange": {},
    "codeLens": {},
    "semanticTokens/full": {},
    "inlayHint": {"range": _ALL},
    "codeAction": {"range": _ALL, "context": {"diagnostics": []}},
    "formatting": {"options": {"tabSize": 4, "insertSpaces": True}},
}
INTERNAL_ERROR = -32603


def check_commands(path: Path, text: str, names: Sequence[str]) -> None:
    """Each command ends as it should."""
    path.write_text(text, "utf-8", "replace")
    for name in names:
        main, arguments = COMMANDS[name]
        ran = run(main, [*arguments, str(path)])
        assert ran.status in (0, 1, 2), (name, ran.err)
        assert "internal error" not in ran.err, name
        assert " at 0x" not in ran.out, name


def check_server(uri: str, text: str, language: str) -> None:
    """Each request is answered, and the findings are published."""
    requests = [asked(n, name, uri, **more) for n, (name, more) in enumerate(REQUESTS.items(), 1)]
    conversation = greeted(opened(uri, text, language), *requests)
    errors = [said["error"] for said in conversation.said if "error" in said]
    assert [error for error in errors if error["code"] == INTERNAL_ERROR] == []
    assert len(conversation.published(uri)) == 1


@example(text="set lr0 {{ 0x" + "f" * 3_600 + " }};;")
@example(text="{% set a = -(2 ** 20000) %}{{ (0)[a] }}{{ (0)[cycler(1)] }}")
@example(text='{% set a = "\\ud800" %}# {{ a }}')
@given(text=TEMPLATES)
def test_a_template_is_no_internal_error_of_a_command(text: str, tmp_path: Path) -> None:
    check_commands(tmp_path / "a.asm", text, [*COMMANDS])


@example(text="".join(f"#define c{n} c{n + 1}\n" for n in range(1_000)) + "c0")
@given(text=DIRECTIVES)
def test_a_directive_is_no_internal_error_of_a_command(text: str, tmp_path: Path) -> None:
    check_commands(tmp_path / "a.S", "# isa: colossus\n" + text, ["lint", "fmt", "expand"])


@settings(max_examples=15)
@given(text=TEMPLATES)
def test_a_template_is_no_internal_error_of_the_server(text: str) -> None:
    check_server("file:///a.asm", text, "ipu-asm")


@settings(max_examples=20)
@given(text=DIRECTIVES)
def test_a_directive_is_no_internal_error_of_the_server(text: str) -> None:
    check_server("file:///a.S", text, "colossus-asm")


_HALF = "\ud800"


@pytest.mark.parametrize("uri", ["file:///a.S", f"file:///w/{_HALF}.S", "file:///" + "a/" * 3_000])
def test_a_name_that_no_file_has_is_no_internal_error(uri: str) -> None:
    names = (f"{_HALF}.h", "a\0b", "x" * 5_000, "a/" * 3_000)
    text = "".join(f'#include "{name}"\n.include "{name}"\nnop\n' for name in names)
    settings = {"includePaths": [_HALF, "a\0"], "defines": {_HALF: _HALF}, "isa": _HALF}
    changed = {"settings": {"ipu": settings}}
    asks = [asked(n, name, uri, **more) for n, (name, more) in enumerate(REQUESTS.items(), 1)]
    conversation = greeted(
        {"method": "workspace/didChangeConfiguration", "params": changed},
        opened(uri, text, "colossus-asm"),
        *asks,
    )
    assert "Traceback" not in str(conversation.said)
    assert len([each for each in conversation.said if "result" in each]) > len(asks)


@pytest.mark.parametrize("name", ["a/" * 3_000 + "k.S", "x" * 5_000 + ".S", "\udcff/k.S"])
def test_a_name_for_standard_input_is_no_internal_error(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'#include "a.h"\nnop\n')))
    ran = run(lint.main, ["--no-cache", "--isolated", "--stdin-filename", name, "-"])
    assert (ran.status, "internal error" in ran.err) == (0, False)


@pytest.mark.parametrize("name", ["a/" * 1_500, "a/" * 3_000, "x" * 5_000, "a\0"])
def test_a_folder_that_cannot_be_made_is_no_internal_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run(assembler.main, ["docs", "--format", "svg", "-o", name])
    assert (ran.status, "internal error" in ran.err) == (2, False)
    assert ran.err.startswith("ipu-as: error: ")
    assert [*tmp_path.iterdir()] == []


def test_an_object_that_no_machine_executes_is_no_internal_error(tmp_path: Path) -> None:
    source, code = tmp_path / "a.S", tmp_path / "a.o"
    source.write_text("nop\n", "utf-8")
    assert run(assembler.main, ["assemble", "-o", str(code), str(source)]).status == 0
    for options in ([], ["--interactive"]):
        ran = run(ipu_run.main, [*options, str(code)])
        assert (ran.status, "found `colossus`" in ran.err) == (2, True)
        assert "internal error" not in ran.err


@pytest.mark.parametrize("name", COMMANDS)
def test_a_current_folder_that_is_gone_is_no_internal_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    main, arguments = COMMANDS[name]
    ran = run(main, [*arguments, "a.asm"])
    assert ran.status == 2
    assert "no such file" in ran.err or "the current folder does not exist any more" in ran.err
    assert not is_same_path("a.asm", "a.asm")
