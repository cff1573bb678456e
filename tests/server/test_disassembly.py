"""Objects on the disk as editors show them, and listings that are open as documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ipu_asm.assembler.elf_writer import elf_of
from ipu_asm.assembler.machine_code import ObjectCode, Section, Symbol
from ipu_lsp.transport import Json
from tests.assembler.test_code_files import LISTING
from tests.assembler.toy_code import FORMAT, NAME, toy
from tests.server.conversation import EXIT, greeted

pytestmark = pytest.mark.usefixtures("toy")
__all__ = ["toy"]

CODE = ObjectCode(
    (Section(".text", "ax", "progbits", 4, b"\3\7\6\1"),),
    (Symbol("main", ".text", 0, 4, "global", "func"),),
)


def check_disassembly(uri: str) -> Json | None:
    """What the server answers about a file."""
    params = {"textDocument": {"uri": uri}}
    request = {"id": 1, "method": "ipu/disassembly", "params": params}
    found: Json | None = greeted(request, EXIT).answer(1)["result"]
    return found


def test_an_object_is_shown_with_annotations(tmp_path: Path) -> None:
    path = tmp_path / "x.o"
    path.write_bytes(elf_of(CODE, FORMAT))
    found = check_disassembly(path.as_uri())
    assert found is not None
    assert (found["isa"], found["language"], found["message"]) == (NAME, "toy-asm", "")
    assert "/*      0: 03 07 */    lda r7, [p0,#0]" in found["text"]
    assert "// ^ X102 warning" in found["text"]


def test_other_files_have_a_message(tmp_path: Path) -> None:
    path = tmp_path / "x.o"
    for data, message in (
        (b"nop", "expected an ELF file or a listing"),
        (elf_of(CODE, FORMAT)[:90], "the table of sections exceeds the file"),
        (bytes(1 << 19), "expected at most 262,144 bytes"),
    ):
        path.write_bytes(data)
        found = check_disassembly(path.as_uri())
        assert found is not None
        assert message in found["message"]
    missing = check_disassembly((tmp_path / "y.o").as_uri())
    assert missing is not None
    assert "no such file" in missing["message"].lower()


def test_a_uri_that_is_no_file_has_no_answer() -> None:
    assert check_disassembly("untitled:x") is None


def check_listing(method: str, part: str = "", **more: object) -> Any:
    """What the server answers about a listing, at the start of a part of it, and its findings."""
    uri = "untitled:x.s"
    before = LISTING[: LISTING.index(part)]
    position = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
    params = {"textDocument": {"uri": uri}, "position": position, **more}
    opened = {"uri": uri, "languageId": "ipu-asm", "version": 1, "text": LISTING}
    told = greeted(
        {"method": "textDocument/didOpen", "params": {"textDocument": opened}},
        {"id": 1, "method": method, "params": params},
        EXIT,
    )
    assert "error" not in told.answer(1), told.answer(1)
    return told.answer(1)["result"]


def text_at(found: Json) -> str:
    """The text of a range that is on one line."""
    start, end = found["start"], found["end"]
    assert start["line"] == end["line"]
    line: str = LISTING.splitlines()[start["line"]]
    return line[start["character"] : end["character"]]


def test_a_listing_is_read_as_the_assembly_of_its_bytes() -> None:
    page = check_listing("textDocument/hover", "r7, [p0")
    assert text_at(page["range"]) == "r7"
    assert "r7" in page["contents"]["value"]
    found = check_listing("textDocument/definition", ".Lback")
    assert text_at(found["range"]) == ".Lback"
    symbols = check_listing("textDocument/documentSymbol")
    assert [each["name"] for each in symbols][:1] == ["main"]
    tokens = check_listing("textDocument/semanticTokens/full")
    # The label, in line and column, and what follows it: `lda` two lines below.
    assert tokens["data"][:3] + tokens["data"][5:8] == [5, 10, 4, 1, 28, 3]


def test_findings_of_a_listing_are_at_its_lines() -> None:
    report = check_listing("textDocument/diagnostic")
    (finding,) = report["items"]
    assert (finding["code"], text_at(finding["range"])) == ("X102", "ret")
    assert check_listing(
        "textDocument/formatting", options={"tabSize": 4, "insertSpaces": True}
    ) in ([], None)
