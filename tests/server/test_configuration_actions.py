"""Code actions that edit the configuration file of a project, or create one."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest

from ipu_lsp.transport import Json
from tests.server.conversation import await_bytes, opened
from tests.server.folders import session_in, written

LITERALS: Json = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
CREATES: Json = {"documentChanges": True, "resourceOperations": ["create"]}
CAPABILITIES: Json = {
    "textDocument": {"codeAction": LITERALS},
    "workspace": {"workspaceEdit": CREATES},
}
TEMPLATE = "set lr0 {{ cols }};;\nbkpt;;\n"


def actions(
    folder: Path, name: str, part: str, capabilities: Json = CAPABILITIES
) -> dict[str, Json]:
    """The edits of the quick fixes at a part of a file, by their titles."""
    path = folder / name
    text = path.read_text(encoding="utf-8")
    before = text.partition(part)[0]
    place = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
    language = "colossus-asm" if path.suffix == ".S" else "ipu-asm"

    def script(received: bytearray) -> Iterator[Json]:
        yield opened(path.as_uri(), text, language)
        params = {
            "textDocument": {"uri": path.as_uri()},
            "range": {"start": place, "end": place},
            "context": {"diagnostics": [], "only": ["quickfix"]},
        }
        yield {"id": 1, "method": "textDocument/codeAction", "params": params}
        await_bytes(received, b'"id":1,')

    answer = session_in(folder, script=script, capabilities=capabilities).answer(1)
    return {action["title"]: action["edit"] for action in answer["result"]}


def test_an_undefined_name_is_added_to_the_contexts(tmp_path: Path) -> None:
    contexts = '# kernels\n[template."*.asm"]\ncontexts = [{rows = 2}, {rows = 3}]\n'
    written(tmp_path, {"ipu.toml": contexts, "kernel.asm": TEMPLATE})
    edit = actions(tmp_path, "kernel.asm", "cols")["Add cols to the contexts of ipu.toml"]
    (change,) = edit["documentChanges"]
    assert change["textDocument"]["uri"] == (tmp_path / "ipu.toml").as_uri()
    assert [e["newText"] for e in change["edits"]] == [", cols = 1"] * 2
    assert [e["range"]["start"]["character"] for e in change["edits"]] == [21, 33]


def test_a_file_is_created_where_there_is_none(tmp_path: Path) -> None:
    written(tmp_path, {"kernels/kernel.asm": TEMPLATE})
    title = "Add cols to the contexts of ipu.toml"
    edit = actions(tmp_path, "kernels/kernel.asm", "cols")[title]
    create, change = edit["documentChanges"]
    uri = (tmp_path / "ipu.toml").as_uri()
    assert create == {"kind": "create", "uri": uri, "options": {"ignoreIfExists": True}}
    (inserted,) = change["edits"]
    assert inserted["newText"] == '[template."kernels/kernel.asm"]\ncontexts = [{cols = 1}]\n'


def test_no_file_is_created_for_clients_that_cannot(tmp_path: Path) -> None:
    written(tmp_path, {"kernel.asm": TEMPLATE})
    found = actions(tmp_path, "kernel.asm", "cols", {"textDocument": {"codeAction": LITERALS}})
    assert "Add cols to the contexts of ipu.toml" not in found


def test_a_file_with_mistakes_is_left_alone(tmp_path: Path) -> None:
    written(tmp_path, {"ipu.toml": "contexts = [", "kernel.asm": TEMPLATE})
    found = actions(tmp_path, "kernel.asm", "cols")
    assert "Add cols to the contexts of ipu.toml" not in found


def test_the_folder_of_a_header_is_added_to_the_include_paths(tmp_path: Path) -> None:
    files = {"main.S": '#include "sdk/regs.h"\nadd $m0, $m0, 1\n', "lib/inc/sdk/regs.h": ""}
    written(tmp_path, {**files, "ipu.toml": 'include-paths = ["a"]\n', "x/other/regs.h": ""})
    found = actions(tmp_path, "main.S", "regs.h")
    titles = [title for title in found if "include-paths" in title]
    assert titles == ["Add lib/inc to the include-paths of ipu.toml"]
    (change,) = found[titles[0]]["documentChanges"]
    assert [edit["newText"] for edit in change["edits"]] == [', "lib/inc"']


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_an_unknown_name_of_a_vertex_is_added_to_the_defines(tmp_path: Path, mark: str) -> None:
    files = {"main.S": "#define A 1\nadd $m0, $m0, ROWS\n", "ipu.toml": f"{mark}[defines]\n"}
    written(tmp_path, files)
    found = actions(tmp_path, "main.S", "ROWS")
    (change,) = found["Add ROWS to [defines] of ipu.toml"]["documentChanges"]
    [edit] = change["edits"]  # editors keep the mark, and have it in none of their lines
    assert (edit["newText"], edit["range"]["start"]) == ("ROWS = 1\n", {"line": 1, "character": 0})


def test_a_kernel_for_another_set_is_given_that_set(tmp_path: Path) -> None:
    kernel = "MULT.RC.VS lr0 0 lr1 cr15; ACC.ADD.FIRST;;\nBKPT;;\n"
    written(tmp_path, {"ipu.toml": 'isa = "ipu"\n', "kernel.s": kernel})
    edits = actions(tmp_path, "kernel.s", "MULT")
    (change,) = edits["Read kernel.s as IPU 2 (in ipu.toml)"]["documentChanges"]
    assert [e["newText"] for e in change["edits"]] == ['\n[isa-by-glob]\n"kernel.s" = "ipu2"\n']
    written(tmp_path, {"ipu.toml": "# kernels\n"})
    edits = actions(tmp_path, "kernel.s", "MULT")
    (change,) = edits["Read all files as IPU 2 (in ipu.toml)"]["documentChanges"]
    assert [e["newText"] for e in change["edits"]] == ['isa = "ipu2"\n']
