"""Names that headers define, asked about in the files that include them and in the headers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Iterator

import pytest
from pygls.uris import to_fs_path

from ipu_lsp.transport import Json
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
        params = {"textDocument": {"uri": (folder / name).as_uri()}, "position": position} | more
        yield {"id": 1, "method": f"textDocument/{method}", "params": params}
        await_bytes(received, b'"id":1,')

    said = session_in(folder, script=script, capabilities=capabilities or {})
    answer = said.answer(1)
    return answer["result"] if "result" in answer else answer["error"]["message"]


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
    assert found["range"]["start"] == {"line": 0, "character": 9}


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


def renamed(folder: Path, answer: Json) -> dict[str, str]:
    """The files after the edits of a rename; each is of one line."""
    found = {}
    for uri, edits in answer["changes"].items():
        path = Path(str(to_fs_path(uri)))
        lines = path.read_text(encoding="utf-8").split("\n")
        for edit in edits:
            start, end = edit["range"]["start"], edit["range"]["end"]
            line = lines[start["line"]]
            new = line[: start["character"]] + edit["newText"] + line[end["character"] :]
            lines[start["line"]] = new
        found[os.path.relpath(path, folder)] = "\n".join(lines)
    return found


def test_a_name_is_renamed_in_the_header_and_in_all_files_that_include_it(tmp_path: Path) -> None:
    answer = check_answer(tmp_path, "rename", ("main.S", "TOTAL"), newName="SUM")
    assert renamed(tmp_path, answer) == {
        "include/regs.h": FILES["include/regs.h"].replace("TOTAL", "SUM"),
        "main.S": FILES["main.S"].replace("TOTAL", "SUM"),
        "other.S": FILES["other.S"].replace("$TOTAL", "$SUM"),
    }


def test_the_edits_of_a_rename_have_the_versions_of_open_documents(tmp_path: Path) -> None:
    capabilities: Json = {"workspace": {"workspaceEdit": {"documentChanges": True}}}
    place = ("main.S", "TOTAL")
    answer = check_answer(tmp_path, "rename", place, capabilities=capabilities, newName="SUM")
    versions = {
        change["textDocument"]["uri"].rpartition("/")[2]: change["textDocument"]["version"]
        for change in answer["documentChanges"]
    }
    assert versions == {"regs.h": None, "main.S": 1, "other.S": None}


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("BASE", "line 2 of regs.h already has the word BASE"),
        ("add", "a macro cannot be called add: an instruction has that name"),
        ("m3", "a macro cannot be called m3: a register has that name"),
        ("1st", "a macro cannot be called 1st: it is not a valid name"),
    ],
)
def test_a_rename_that_would_change_a_meaning_is_refused(
    tmp_path: Path, new: str, reason: str
) -> None:
    assert check_answer(tmp_path, "rename", ("main.S", "TOTAL"), newName=new) == reason


def test_a_name_of_a_header_outside_of_the_workspace_is_not_renamed(tmp_path: Path) -> None:
    written(tmp_path, {"sdk/regs.h": "#define TOTAL m3\n"})
    files = {
        "main.S": '#include "regs.h"\nadd $TOTAL, $m1, 1\n',
        "ipu.toml": f'include-paths = ["{(tmp_path / "sdk").as_posix()}"]\n',
    }
    folder = tmp_path / "project"
    reason = check_answer(folder, "rename", ("main.S", "TOTAL"), files=files, newName="SUM")
    assert reason == "regs.h is outside of the workspace and defines TOTAL"


CALLS = {
    "calls.h": "#define STEP(dst, by) add // adds to itself\n#define LIMIT 4 // most\n#define G\n",
    "main.S": '#include "calls.h"\n#define LOCAL 3\nSTEP(m0, \nadd $m0, $m1, \n',
}


def test_names_of_headers_are_completed_behind_local_ones(tmp_path: Path) -> None:
    position = {"position": {"line": 3, "character": 14}}
    found = check_answer(tmp_path, "completion", ("main.S", "add"), files=CALLS, **position)
    items = sorted(found["items"], key=lambda item: item["sortText"])
    constants = [item for item in items if item["label"] in ("LIMIT", "LOCAL", "G")]
    assert [item["label"] for item in constants] == ["LOCAL", "LIMIT"]
    assert constants[1]["detail"] == "4 · most · calls.h"
    assert items[-1]["label"] == "LIMIT"


def test_a_macro_of_a_header_is_completed_as_an_instruction(tmp_path: Path) -> None:
    position = {"position": {"line": 2, "character": 0}}
    found = check_answer(tmp_path, "completion", ("main.S", "STEP"), files=CALLS, **position)
    (item,) = (item for item in found["items"] if item["label"] == "STEP")
    assert item["detail"] == "dst, by · adds to itself · calls.h"


def test_the_parameters_of_a_macro_of_a_header_are_shown(tmp_path: Path) -> None:
    position = {"position": {"line": 2, "character": 9}}
    found = check_answer(tmp_path, "signatureHelp", ("main.S", "STEP"), files=CALLS, **position)
    (signature,) = found["signatures"]
    assert signature["label"] == "STEP(dst, by)"
    assert signature["activeParameter"] == 1
    assert "adds to itself" in signature["documentation"]["value"]


def test_macros_of_headers_are_symbols_of_the_workspace(tmp_path: Path) -> None:
    files = {"include/more.h": "#define NEVER_READ 1\n", "part.S": "#define PART m1\n"}
    written(tmp_path, {**FILES, **files, "third.S": '#include "part.S"\nadd $PART, $m1, 1\n'})

    def script(received: bytearray) -> Iterator[Json]:
        yield {"id": 1, "method": "workspace/symbol", "params": {"query": ""}}
        await_bytes(received, b'"id":1,')

    said = session_in(tmp_path, script=script, capabilities={})
    found = said.answer(1)["result"]
    assert sorted((each["name"], each["containerName"]) for each in found) == [
        ("BASE", "regs.h"),
        ("PART", "part.S"),
        ("TOTAL", "regs.h"),
    ]
    assert "include/regs.h:1:8" in locations(tmp_path, [each["location"] for each in found])


def test_in_a_header_of_c_only_names_have_pages(tmp_path: Path) -> None:
    files = {
        "a.h": "#define FIRST m3\n",
        "b.h": "// add\ninline int add(int first);\n#define SECOND FIRST\n",
        "main.S": '#include "a.h"\n#include "b.h"\nadd $m0, $SECOND, 1\n',
    }

    def page(part: str) -> Any:
        return check_answer(tmp_path, "hover", ("b.h", part), "main.S", "b.h", files=files)

    assert page("add(") is None
    assert "SECOND" in page("SECOND")["contents"]["value"]
    assert "a.h line 1" in page("FIRST")["contents"]["value"]


def test_a_header_that_the_editor_takes_for_assembly_has_pages(tmp_path: Path) -> None:
    written(tmp_path, {"steps.inc": "add $m0, $m0, 1\n"})
    path = tmp_path / "steps.inc"

    def script(received: bytearray) -> Iterator[Json]:
        yield opened(path.as_uri(), path.read_text(encoding="utf-8"), "colossus-asm")
        params = {"textDocument": {"uri": path.as_uri()}, "position": {"line": 0, "character": 1}}
        yield {"id": 1, "method": "textDocument/hover", "params": params}
        await_bytes(received, b'"id":1,')

    said = session_in(tmp_path, script=script, capabilities={})
    assert "add" in said.answer(1)["result"]["contents"]["value"]
