"""Finding, reading and replacing files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.files import (
    FileProblem,
    Target,
    find_targets,
    read_text,
    replace_file,
)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check_targets(paths: list[str], *names: str, problems: tuple[str, ...] = ()) -> None:
    """The names of the files that paths stand for, and what is said of the paths."""
    said: list[str] = []
    found = find_targets(paths, "<stdin>", lambda problem: said.append(str(problem)))
    assert ([target.name for target in found], said) == (list(names), list(problems))


def touch(*names: str) -> None:
    """Empty files."""
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()


def test_all_extensions_of_all_sets_are_sources() -> None:
    names = [f"a.{end}" for end in ("S", "aie", "aie2", "aie2p", "asm", "edgenpu", "ipu", "s")]
    touch(*names, "a.txt", "a.c", "s")
    check_targets(["."], *names)


def test_folders_behind_links_are_not_searched_but_files_behind_links_are_read() -> None:
    touch("real/a.s")
    Path("loop").symlink_to(".")
    Path("b.s").symlink_to("real/a.s")
    check_targets(["."], "b.s", "real/a.s")
    check_targets(["loop"], "loop/b.s", "loop/real/a.s")


def test_one_file_under_two_names_is_one_target() -> None:
    touch("sub/a.s")
    check_targets(["sub/a.s", "./sub/a.s", "sub", os.path.abspath("sub/a.s")], "sub/a.s")


def test_standard_input_is_one_target_however_often_it_is_named() -> None:
    touch("a.s")
    check_targets(["-", "a.s", "-"], "<stdin>", "a.s")


def test_folders_inside_folders_that_are_skipped_are_skipped() -> None:
    touch("node_modules/x/a.s", "__pycache__/a.s", ".git/a.s", "sub/.venv/lib/a.s")
    check_targets(["."], problems=(".: no source files in this folder",))


def test_a_name_that_cannot_be_is_told_when_it_is_read() -> None:
    check_targets(["a\0.s"], "a\0.s")
    with pytest.raises(FileProblem, match="embedded null byte"):
        read_text(Target("a\0.s"))


@given(st.binary())
def test_what_is_read_is_written_back_byte_by_byte(data: bytes) -> None:
    path = Path("a.s")
    path.write_bytes(data)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        with pytest.raises(FileProblem, match=r"a\.s: expected UTF-8, found UTF-16"):
            read_text(Target("a.s"))
        return
    written = read_text(Target("a.s"))
    replace_file("a.s", written.encoded(written.text))
    assert path.read_bytes() == data


def test_a_new_file_gets_the_usual_mode() -> None:
    replace_file("a.bin", b"1")
    Path("b.bin").touch()
    assert Path("a.bin").stat().st_mode == Path("b.bin").stat().st_mode


def test_a_link_to_nowhere_gets_its_file() -> None:
    Path("link").symlink_to("real")
    replace_file("link", b"1")
    assert Path("link").is_symlink()
    assert Path("real").read_bytes() == b"1"


def test_a_failure_leaves_the_file_and_no_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    Path("a.bin").write_bytes(b"old")
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(FileProblem, match=r"^a\.bin: operation not permitted$"):
        replace_file("a.bin", b"new")
    assert os.listdir() == ["a.bin"]
    assert Path("a.bin").read_bytes() == b"old"
