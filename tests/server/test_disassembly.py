"""Objects on the disk, as editors show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.assembler.elf_writer import elf_of
from ipu_asm.assembler.object_code import ObjectCode, Section, Symbol
from ipu_lsp.json_types import Json
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
    assert (found["isa"], found["message"]) == (NAME, "")
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
