"""What a search leaves out: `exclude`, `extend-exclude`, patterns of the command line, git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ipu_asm.config.globs import Exclusion, find_targets

NAMES = (
    "a.s", "build/b.s", "build/deep/c.s", "node_modules/d.s", "src/build.s", "src/gen_e.s",
    "src/sub/f.s",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _in_a_folder_with_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()


def check_found(*names: str, patterns: tuple[str, ...] = ()) -> None:
    """The sources that a search of this folder finds."""
    said: list[object] = []
    found = find_targets(["."], "<stdin>", said.append, Exclusion(patterns))
    assert [target.name for target in found] == list(names)
    assert not said


def configure(text: str, folder: str = ".") -> None:
    """The configuration of a folder."""
    Path(folder, "ipu.toml").write_text(text)


def test_node_modules_are_left_out_by_default() -> None:
    check_found(*(name for name in NAMES if "node_modules" not in name))


def test_exclude_replaces_the_default_and_extend_exclude_adds_to_it() -> None:
    configure('exclude = ["build/"]')
    check_found("a.s", "node_modules/d.s", "src/build.s", "src/gen_e.s", "src/sub/f.s")
    configure('extend-exclude = ["build/", "/src/s*"]')
    check_found("a.s", "src/build.s", "src/gen_e.s")


def test_patterns_of_a_folder_are_relative_to_its_own_configuration() -> None:
    configure('exclude = ["/build.s", "sub"]', "src")
    check_found("a.s", "build/b.s", "build/deep/c.s", "src/gen_e.s")


def test_patterns_of_the_command_line_are_relative_to_the_working_directory() -> None:
    configure('exclude = ["sub"]')
    check_found("a.s", "node_modules/d.s", "src/build.s", patterns=("/build", "gen_*"))


def test_files_that_git_ignores_are_left_out_in_a_work_tree_of_git() -> None:
    Path(".gitignore").write_text("# generated\n/build/\ngen_*\n!gen_e.s\n*.o\n")
    Path("src/.gitignore").write_text("sub/\nbuild/\n")
    check_found("a.s", "build/b.s", "build/deep/c.s", "src/build.s", "src/gen_e.s", "src/sub/f.s")
    Path(".git").mkdir()
    check_found("a.s", "src/build.s", "src/gen_e.s")
    configure("respect-gitignore = false\nexclude = []")
    check_found(*NAMES)


def test_git_agrees_about_what_it_ignores() -> None:
    subprocess.run(["git", "init", "-q", "."], check=True)
    Path(".git/info/exclude").write_text("f.s\n")
    patterns = "node_modules \n\\#x\n!/a.s\n**/deep\nsrc/*.s\n!src/build.s\n"
    Path(".gitignore").write_text(patterns, encoding="utf-8-sig")
    asked = subprocess.run(["git", "check-ignore", *NAMES], stdout=subprocess.PIPE, text=True)
    ignored = asked.stdout.split()
    assert ignored
    check_found(*(name for name in NAMES if name not in ignored))


def test_a_named_file_counts_as_excluded_if_a_folder_around_it_in_the_project_is() -> None:
    configure('exclude = ["build"]')
    exclusion = Exclusion()
    assert exclusion.excludes_named("build/deep/c.s")
    assert not exclusion.excludes_named("src/sub/f.s")


def test_a_folder_around_the_project_excludes_nothing_in_it() -> None:
    configure("", "node_modules")
    assert not Exclusion().excludes_named("node_modules/d.s")


def test_a_configuration_with_mistakes_excludes_only_the_default() -> None:
    configure('exclude = "build"')
    check_found(*(name for name in NAMES if "node_modules" not in name))


def test_a_gitignore_that_is_a_folder_or_no_text_does_no_harm() -> None:
    Path(".git").mkdir()
    Path(".gitignore").mkdir()
    Path("src/.gitignore").write_bytes(b"\xff\xfe\0[\n/sub\n" + b"*" * 300_000)
    check_found("a.s", "build/b.s", "build/deep/c.s", "src/build.s", "src/gen_e.s")


def test_a_search_that_finds_only_excluded_files_says_so() -> None:
    said: list[str] = []
    find_targets(["src"], "<stdin>", lambda problem: said.append(str(problem)), Exclusion(("*.s",)))
    assert said == ["src: no source files in this folder, but some that are excluded"]
