"""Names that headers define, asked about in the files that include them and in the headers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

import pytest

import ipu_asm.analysis.analyzer
from ipu_lsp.json_types import Json
from tests.server import fake_preprocessor
from tests.server.conversation import await_bytes, opened
from tests.server.folders import session_in, written

FILES = {
    "include/regs.h": (
        "// \U0001f600 registers\n#define BASE m3\n#define TOTAL BASE // what was summed\n"
    ),
    "main.S": '#include "include/regs.h"\nadd $TOTAL, $m1, 1\n',
    "other.S": '#include "include/regs.h"\n\nadd $m1, $TOTAL, 1 // TOTAL\n',
}
WITH_DEFINITION, USES = {"includeDeclaration": True}, {"includeDeclaration": False}
LINKS: Json = {"textDocument": {"definition": {"linkSupport": True}}}


@pytest.fixture(autouse=True)
def preprocessor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Includes are read, whatever else the preprocessor can do."""
    monkeypatch.setattr(ipu_asm.analysis.analyzer, "expand", fake_preprocessor.expand)


def document(path: Path) -> Json:
    """The notification that a file is open as it is on the disk."""
    language = "colossus-asm" if path.suffix == ".S" else "c"
    return opened(path.as_uri(), path.read_text(encoding="utf-8"), language)


def check_answer(
    folder: Path,
    method: str,
    place: tuple[str, str],
    *opens: str,
    files: dict[str, str] | None = None,
    capabilities: Json | None = None,
    **more: Any,
) -> Any:
    """The answer to a request at the first such part of a file, with some files open."""
    written(folder, FILES if files is None else files)
    name, part = place
    before = (folder / name).read_text(encoding="utf-8").partition(part)[0]
    position = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}

    def script(received: bytearray) -> Iterator[Json]:
        for each in opens or (name,):
            yield document(folder / each)
        await_bytes(received, b"publishDiagnostics", len(opens or (name,)))
        params = {"textDocument": {"uri": (folder / name).as_uri()}, "position": position, **more}
        yield {"id": 1, "method": f"textDocument/{method}", "params": params}
        await_bytes(received, b'"id":1,')

    said = session_in(folder, script=script, capabilities=capabilities or {})
    return said.answer(1)["result"]


def locations(folder: Path, found: list[Json]) -> list[str]:
    """Locations as ``file:line:column``, sorted."""
    root = folder.as_uri() + "/"
    return sorted(
        f"{each['uri'].removeprefix(root)}:{each['range']['start']['line']}"
        f":{each['range']['start']['character']}"
        for each in found
    )


def test_a_name_is_defined_in_the_header(tmp_path: Path) -> None:
    found = check_answer(tmp_path, "definition", ("main.S", "TOTAL"))
    assert locations(tmp_path, found) == ["include/regs.h:2:8"]


def test_a_link_to_a_header_has_the_whole_definition(tmp_path: Path) -> None:
    (found,) = check_answer(tmp_path, "definition", ("main.S", "TOTAL"), capabilities=LINKS)
    assert found["originSelectionRange"]["start"] == {"line": 1, "character": 5}
    assert found["targetUri"] == (tmp_path / "include/regs.h").as_uri()
    assert found["targetRange"]["start"] == {"line": 2, "character": 0}


def test_the_definition_of_an_include_is_the_file(tmp_path: Path) -> None:
    found = check_answer(tmp_path, "definition", ("main.S", "regs.h"))
    assert locations(tmp_path, found) == ["include/regs.h:0:0"]


def test_an_include_links_to_the_file(tmp_path: Path) -> None:
    (found,) = check_answer(tmp_path, "documentLink", ("main.S", "#"))
    assert found["target"] == (tmp_path / "include/regs.h").as_uri()
    assert found["range"]["start"] == {"line": 0, "character": 10}


def test_a_page_says_what_a_name_is_and_where_it_is_defined(tmp_path: Path) -> None:
    found = check_answer(tmp_path, "hover", ("main.S", "TOTAL"))
    page = found["contents"]["value"]
    assert "TOTAL · define, include/regs.h line 3" in page
    assert "what was summed" in page
    assert "TOTAL → BASE → m3" in page
    assert found["range"]["start"] == {"line": 1, "character": 5}


def test_references_are_found_in_the_header_and_in_files_that_are_not_open(tmp_path: Path) -> None:
    found = check_answer(tmp_path, "references", ("main.S", "TOTAL"), context=WITH_DEFINITION)
    assert locations(tmp_path, found) == ["include/regs.h:2:8", "main.S:1:5", "other.S:2:10"]


def test_references_are_found_from_inside_the_header(tmp_path: Path) -> None:
    place = ("include/regs.h", "TOTAL")
    found = check_answer(tmp_path, "references", place, "main.S", "include/regs.h", context=USES)
    assert locations(tmp_path, found) == ["main.S:1:5", "other.S:2:10"]


def test_a_header_knows_the_names_of_the_headers_before_it(tmp_path: Path) -> None:
    files = {
        "a.h": "#define FIRST m3\n",
        "b.h": "#define SECOND FIRST\n",
        "main.S": '#include "a.h"\n#include "b.h"\nadd $m0, $SECOND, 1\n',
    }
    place = ("b.h", "FIRST")
    found = check_answer(tmp_path, "definition", place, "main.S", "b.h", files=files)
    assert locations(tmp_path, found) == ["a.h:0:8"]
