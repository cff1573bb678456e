"""Headers on the command line: findings in them, where they are searched, and their expansion."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from ipu_asm.cli.assembler.command import main as assembler
from ipu_asm.cli.lint.command import main as lint
from ipu_asm.cli.mca.command import main as mca
from tests.cli.commands import Ran, run

HEADER = "#define COUNT m4\n#define LOAD(to) ld32 $to, $m0, $m15, 0 ; adddd $m1, $m2, $m3\n"
SOURCE = '#include "regs.h"\nf:\n  add $m0, $COUNT, $m2\n  LOAD(m1)\n  br $m10\n'
IN_HEADER = "include/regs.h:2:43: error[E101] unknown mnemonic `adddd`"


FILES = {
    "ipu.toml": 'include-paths = ["include"]\n',
    "include/regs.h": HEADER,
    "src/a.S": SOURCE,
    "src/b.S": SOURCE.replace("f:", "g:"),
}


def check(arguments: str, status: int, *lines: str) -> Ran:
    """A run of ipu-lint prints lines that begin like this."""
    ran = run(lint, ["--format", "concise", *arguments.split()])
    assert ran.status == status
    found = ran.out.splitlines()
    assert [line[: len(start)] for line, start in zip(found, lines)] == list(lines)
    assert len(found) == len(lines)
    return ran


def test_a_mistake_in_a_header_is_told_once_in_the_header() -> None:
    check(".", 1, IN_HEADER)
    check("src/a.S", 1, IN_HEADER)
    check(". --ignore E101", 0)


def test_a_header_is_named_by_its_path_from_outside_of_its_project(tmp_path: Path) -> None:
    os.chdir("src")
    check("a.S", 1, f"{tmp_path}/{IN_HEADER}")


def test_a_comment_in_the_header_silences_it() -> None:
    Path("include/regs.h").write_text("// ipu: ignore[E101] on purpose\n" + HEADER[17:])
    Path("src/a.S").write_text(SOURCE.replace("$COUNT", "$m4"))
    check("src/a.S", 0)


def test_rules_may_be_ignored_in_headers_alone() -> None:
    Path("ipu.toml").write_text(
        'include-paths = ["include"]\n[lint.per-file-ignores]\n"include/**" = ["E101"]\n'
    )
    check(".", 0)


def test_without_a_configuration_the_folder_include_of_the_project_is_searched() -> None:
    Path("ipu.toml").unlink()
    Path(".git").mkdir()
    check("src/a.S", 1, IN_HEADER)


def test_nothing_outside_of_the_project_and_its_include_paths_is_read(tmp_path: Path) -> None:
    Path("src/ipu.toml").write_text("")
    missing = "src/a.S:1:10: hint[H103] "
    Path("src/a.S").write_text(SOURCE.replace("regs.h", "../include/regs.h"))
    check("src/a.S", 0, missing)
    Path("src/a.S").write_text(SOURCE.replace("regs.h", f"{tmp_path}/include/regs.h"))
    check("src/a.S", 0, missing)
    Path("src/ipu.toml").write_text('include-paths = ["../include"]')
    Path("src/a.S").write_text(SOURCE)
    check("src/a.S", 1, IN_HEADER)


@pytest.mark.parametrize("kind", ["fifo", "folder", "device"])
def test_a_header_that_is_no_regular_file_is_missing(kind: str) -> None:
    Path("include/regs.h").unlink()
    if kind == "fifo":
        os.mkfifo("include/regs.h")
    elif kind == "folder":
        Path("include/regs.h").mkdir()
    else:
        Path("include/regs.h").symlink_to("/dev/zero")
    check("src/a.S", 0, "src/a.S:1:10: hint[H103] ")


def test_a_define_decides_a_condition() -> None:
    chosen = "#if MODE == 2\n#define R m20\n#else\n#define R m2\n#endif\n"
    Path("src/a.S").write_text(f"{chosen}add $R, $m1, $m2\nbr $m10\n")
    check("src/a.S --define MODE=1", 0)
    check("src/a.S --define MODE=2", 1, "src/a.S:6:5: error[E104]")
    Path("ipu.toml").write_text("[defines]\nMODE = 2\n")
    check("src/a.S", 1, "src/a.S:6:5: error[E104]")
    check("src/a.S --define MODE=1", 0)


def test_a_changed_header_is_linted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = [HEADER.replace("adddd", "addddd"), HEADER.replace("adddd", "add")]

    def wait(_: float) -> None:
        if not changes:
            raise KeyboardInterrupt
        Path("include/regs.h").write_text(changes.pop(0))

    monkeypatch.setattr(time, "sleep", wait)
    ran = run(lint, ["--watch", "--format", "concise", "src"])
    assert ran.out.splitlines() == [IN_HEADER, IN_HEADER.replace("adddd", "addddd")]
    assert ran.err.count("watching 2 files") == 3


def test_the_expansion_and_its_map() -> None:
    ran = run(assembler, ["expand", "src/a.S"])
    assert "  add $m0, $m4, $m2\n  ld32 $m1, $m0, $m15, 0 ; adddd $m1, $m2, $m3\n" in ran.out
    lines = ran.out.splitlines()
    ran = run(assembler, ["expand", "--map", "src/a.S"])
    places = {place["line"]: place for place in map(json.loads, ran.out.splitlines())}
    load = next(number for number, line in enumerate(lines, 1) if "ld32" in line)
    assert places[load - 1] == {"line": load - 1, "file": "src/a.S", "row": 3, "column": 3}
    assert places[load] == {"line": load, "file": "include/regs.h", "row": 2, "column": 18}


def test_a_header_is_never_the_output() -> None:
    output = ["src/a.S", "-o", "include/regs.h"]
    for main, program, arguments in ((assembler, "as", ["expand", *output]), (mca, "mca", output)):
        ran = run(main, arguments)
        assert ran.status == 2
        message = f"ipu-{program}: error: --output include/regs.h: would replace the input"
        assert ran.err.startswith(message)
        assert Path("include/regs.h").read_text() == HEADER


MISSING = SOURCE.replace("regs.h", "gone.h").replace("f:", "#include <gone/other.h>\nf:")


def test_the_missing_headers_of_a_folder_are_one_note() -> None:
    Path("src/a.S").write_text(MISSING)
    Path("src/b.S").write_text(MISSING.replace("<gone/other.h>", "<gone.h>"))
    note = (
        "ipu-lint: note: 2 headers not found (H103), 4 includes in 2 files: `gone.h`, "
        "`gone/other.h`; add the folders to include-paths\n"
    )
    for _ in ("without results of earlier runs", "with them"):
        ran = check("src", 0)
        assert ran.err == note
    assert json.loads(run(lint, ["src", "--format", "json"]).out) == []
    hint = "src/a.S:{}:10: hint[H103] "
    ran = check("src/a.S", 0, hint.format(1), hint.format(2))
    assert ran.err == ""
    ran = run(lint, ["src", "--format", "concise", "--select", "H103"])
    assert (ran.out.count("hint[H103]"), ran.err) == (4, "")
    assert run(lint, ["src", "--ignore", "H103"]).err == ""


def in_project(*headers: str) -> None:
    """Make `src/a.S` a file of a project with these headers and without a configuration."""
    Path("ipu.toml").unlink()
    Path("include/regs.h").unlink()
    Path(".git").mkdir()
    for header in headers:
        Path(header).parent.mkdir(parents=True, exist_ok=True)
        Path(header).write_text(HEADER)


IN_LIBRARY = IN_HEADER.removeprefix("include/regs.h")
NOT_FOUND = "src/a.S:1:10: hint[H103] "


def test_a_header_in_another_folder_of_the_project_is_found() -> None:
    in_project("libs/vector/include/regs.h")
    check("src/a.S", 1, f"libs/vector/include/regs.h{IN_LIBRARY}")


def test_the_header_nearest_to_the_file_is_read() -> None:
    in_project("libs/include/regs.h", "src/kernels/include/regs.h")
    check("src/a.S", 1, f"src/kernels/include/regs.h{IN_LIBRARY}")


def test_of_two_headers_as_near_none_is_read() -> None:
    in_project("one/include/regs.h", "two/include/regs.h")
    check("src/a.S", 0, NOT_FOUND)


def test_configured_include_paths_are_searched_alone() -> None:
    in_project("libs/include/regs.h")
    Path("ipu.toml").write_text('include-paths = ["include"]\n')
    check("src/a.S", 0, NOT_FOUND)


def test_no_link_and_no_hidden_folder_is_searched_for_headers(tmp_path: Path) -> None:
    in_project(".cache/include/regs.h")
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    (outside / "include").mkdir(parents=True)
    (outside / "include/regs.h").write_text(HEADER)
    Path("libs").symlink_to(outside)
    Path("other").mkdir()
    Path("other/include").symlink_to(outside / "include")
    Path("own/include").mkdir(parents=True)
    Path("own/include/regs.h").symlink_to(outside / "include/regs.h")
    check("src/a.S", 0, NOT_FOUND)


def test_a_folder_of_headers_that_is_new_counts_in_the_next_run() -> None:
    in_project()
    check("src/a.S", 0, NOT_FOUND)
    check("src/a.S", 0, NOT_FOUND)
    Path("libs/include").mkdir(parents=True)
    Path("libs/include/regs.h").write_text(HEADER)
    check("src/a.S", 1, f"libs/include/regs.h{IN_LIBRARY}")
