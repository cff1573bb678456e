"""The cache of `ipu-lint` changes how long a run takes, and nothing else."""

from __future__ import annotations

import json
import os
import random
import stat
import sys
from pathlib import Path

import platformdirs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ipu_asm.cli.lint import cache
from ipu_asm.cli.lint import run as lint_run
from ipu_asm.cli.lint.command import main
from ipu_asm.cli.lint.digests import digest, tool_stamp
from ipu_asm.cli.lint.formats import FORMATS
from ipu_asm.cli.lint.linter import Linter
from tests.cli.commands import Ran, run

# What files are made of: findings with and without fixes, suppressed ones, findings in headers.
PIECES = (
    "ACC.first;;\n",
    "set lr1 40000; incr lr2 5;;\n",
    "# ipu: ignore[E101] on purpose\nbogus;;\n",
    "# ipu: ignore[E106]\nbkpt;;\n",
    "x: incr lr0 1; b x;;\n",
    "{% for k in [1, 2] %}set lr{{ k }} 3;;\n{% endfor %}",
    "set lr3 {{ rows }};;\n",
    "bkpt;; # \u00e9\U0001f600\n",
    '#include "shared.h"\nset lr4 SIZE;;\n',
    '#include "near.h"\n',
)
SETTINGS = ("", 'ignore = ["E101"]\n', 'fail-level = "hint"\n', 'select = ["E", "H"]\n')


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache, which is new; the test runs in another empty folder."""
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    path = tmp_path / "store"
    monkeypatch.setenv(cache.VARIABLE, str(path))
    return path


def write(name: str, text: str) -> None:
    """Write a file; lone surrogates are bytes that are not UTF-8."""
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))


def linted(*arguments: str) -> list[str]:
    """The files that a run had to lint: those that the cache did not have."""
    names = []

    def lint(linter: Linter, file: object) -> object:
        names.append(file.target.name)  # type: ignore[attr-defined]
        return original(linter, file)  # type: ignore[arg-type]

    original = Linter._lint
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Linter, "_lint", lint)
        run(main, arguments)
    return names


def check_same(*arguments: str) -> Ran:
    """A run without the cache, which is that with it, twice."""
    expected = run(main, [*arguments, "--no-cache"])
    assert run(main, arguments) == expected
    assert run(main, arguments) == expected
    return expected


def change_something(chance: random.Random) -> None:
    """Change a source, a header or the settings, or let a header appear or go."""
    kind = chance.randrange(5)
    text = "".join(chance.choices(PIECES, k=3))
    if kind <= 1:
        write(f"{chance.choice('abc')}.s", text)
    elif kind == 2:
        write("c.S", f"#define SIZE 3\n{text}")
    elif kind == 3:
        path = Path(chance.choice(("include/shared.h", "shared.h", "near.h")))
        if path.exists():
            path.unlink()
        else:
            write(str(path), f"#define SIZE {chance.randrange(9)}\n{chance.choice(PIECES)}")
    else:
        rows = f"[defines]\nrows = {chance.randrange(3)}\n"
        write("ipu.toml", f"{rows}[lint]\n{chance.choice(SETTINGS)}")


@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 1 << 32))
def test_any_history_of_a_folder_has_the_output_of_runs_without_a_cache(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    chance = random.Random(seed)
    os.chdir(tmp_path_factory.mktemp("history"))
    for name in ("a.s", "b.s", "sub/d.s", "c.S"):
        write(name, "".join(chance.choices(PIECES, k=3)))
    for _ in range(4):
        arguments = ["--format", chance.choice(tuple(FORMATS))]
        arguments += chance.choice(([], ["--diff"], ["--ignore", "E1"], ["--max-per-file", "1"]))
        arguments += chance.choice(([], ["a.s", "."], ["--define", "rows=2"], ["--isa", "ipu2"]))
        check_same(*arguments)
        change_something(chance)
    check_same("--statistics")


def test_what_has_not_changed_is_not_linted_again() -> None:
    write("a.s", "acc.frist;;\n")
    write("b.s", "bkpt;;\n")
    assert len(linted()) == 2
    assert linted() == []
    write("a.s", "acc.first;; bkpt;;\n")
    assert [os.path.basename(name) for name in linted()] == ["a.s"]
    assert len(linted("--define", "x=1")) == 2
    assert len(linted("--no-cache")) == 2


def test_a_header_counts_also_where_it_was_missing() -> None:
    write("a.S", '#include "size.h"\n')
    write("b.S", "")
    run(main, ["."])
    assert linted() == []
    write("size.h", "#define SIZE 3\n")
    assert [os.path.basename(name) for name in linted()] == ["a.S"]
    write("size.h", "#define SIZE 4\n")
    assert [os.path.basename(name) for name in linted()] == ["a.S"]


def test_another_version_of_the_program_lints_again(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.s", "acc.frist;;\n")
    run(main, [])
    monkeypatch.setattr(cache, "tool_stamp", lambda: "another")
    assert len(linted()) == 1


def test_the_folder_is_private_and_tagged_and_nothing_is_in_the_checkout(store: Path) -> None:
    write("ipu.toml", "")
    write("sub/a.s", "bkpt;;\n")
    run(main, [])
    assert sorted(map(str, Path().rglob("*"))) == ["ipu.toml", "sub", "sub/a.s"]
    assert len(list(store.iterdir())) == 3
    tag = (store / "CACHEDIR.TAG").read_text()
    assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55\n")
    assert stat.S_IMODE(store.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in store.iterdir()} == {0o600}


def test_the_folder_is_the_platform_s_unless_the_environment_names_another(
    monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    assert cache.cache_folder() == str(store)
    monkeypatch.delenv(cache.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache.cache_folder() == "/somewhere/ipu-asm"
    for home in ("/somewhere", ""):
        monkeypatch.setenv("XDG_CACHE_HOME", home)
        expected = platformdirs.user_cache_dir("ipu-asm", appauthor=False)
        assert cache.cache_folder() == expected
        with monkeypatch.context() as patch:
            patch.setattr(sys, "platform", "another")
            assert cache.cache_folder() == expected
    monkeypatch.setenv("XDG_CACHE_HOME", ".cache")
    assert cache.cache_folder() is None


def test_what_a_checkout_has_under_the_name_of_an_old_cache_is_never_looked_at() -> None:
    write("a.s", "acc.frist;;\n")
    Path(".ipu_cache").mkdir()
    os.mkfifo(".ipu_cache/a.json")
    before = os.stat(".ipu_cache")
    check_same()
    after = os.stat(".ipu_cache")
    assert (after.st_mtime_ns, after.st_atime_ns) == (before.st_mtime_ns, before.st_atime_ns)


@pytest.mark.parametrize("name", ["*.json", "key", "CACHEDIR.TAG"])
@pytest.mark.parametrize("kind", ["link", "broken link", "hard link", "pipe", "folder", "huge"])
def test_an_odd_file_in_the_cache_is_a_miss_and_is_never_written_through(
    store: Path, kind: str, name: str
) -> None:
    write("a.s", "acc.frist;;\n")
    expected = check_same()
    [path] = store.glob(name)
    victim, created = store.parent / "victim", store.parent / "created"
    victim.write_text("precious")
    path.unlink()
    if kind == "link":
        path.symlink_to(victim)
    elif kind == "broken link":
        path.symlink_to(created)
    elif kind == "hard link":
        path.hardlink_to(victim)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        with path.open("wb") as file:
            file.truncate(1 << 40)
    assert run(main, []) == expected
    assert run(main, []) == expected
    assert victim.read_text() == "precious"
    assert not created.exists()
    assert not list(store.glob("*.tmp"))


def test_files_and_folders_of_others_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.s", "acc.frist;;\n")
    expected = check_same()
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    assert len(linted()) == 1
    assert run(main, []) == expected


def test_a_folder_moved_away_during_a_run_is_not_replaced_by_what_comes_there(
    monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    write("a.s", "acc.frist;;\n")
    elsewhere = store.parent / "elsewhere"
    elsewhere.mkdir()
    lint = lint_run.lint_all

    def beside(*arguments: object) -> object:
        store.rename(store.parent / "away")
        store.symlink_to(elsewhere)
        return lint(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("ipu_asm.cli.lint.run.lint_all", beside)
    run(main, [])
    assert list(elsewhere.iterdir()) == []


def spoil(data: bytes, how: int) -> bytes:
    """The content of a file of the cache after something has gone wrong."""
    middle = len(data) // 2
    return (b"", data[:middle], data[:middle] + b"\xff" + data[middle + 1 :], b"[]")[how]


@pytest.mark.parametrize("how", range(4))
@pytest.mark.parametrize("name", ["*.json", "key"])
def test_a_broken_cache_is_as_good_as_none(store: Path, how: int, name: str) -> None:
    write("a.s", "acc.frist;;\n")
    expected = check_same()
    (path,) = store.glob(name)
    path.write_bytes(spoil(path.read_bytes(), how))
    assert run(main, []) == expected
    assert linted() == []


def test_results_of_another_form_are_as_good_as_none(store: Path) -> None:
    write("a.s", "acc.frist;;\n")
    expected = check_same()
    (path,) = store.glob("*.json")
    key = (store / "key").read_bytes()
    name, _, line = path.read_text().partition("\n")[2].partition("\t")
    stamp = digest(tool_stamp())
    for change in ({"findings": [1]}, {"empty": 3}, {"read": None}, {"headers": {"/no": "a"}}):
        body = f"{name}\t{json.dumps(json.loads(line) | change)}"
        path.write_text(f"{digest(stamp + body, key)}\n{body}")
        assert run(main, []) == expected


def test_a_result_that_was_written_without_the_key_is_not_believed(store: Path) -> None:
    write("a.s", "acc.frist;;\n")
    expected = check_same()
    (path,) = store.glob("*.json")
    name, _, line = path.read_text().partition("\n")[2].partition("\t")
    body = f"{name}\t{json.dumps(json.loads(line) | {'findings': []})}"
    for key in (b"", bytes(32)):
        path.write_text(f"{digest(digest(tool_stamp()) + body, key)}\n{body}")
        assert run(main, []) == expected


@pytest.mark.parametrize("kind", ["file", "link", "read-only"])
def test_without_a_place_to_write_there_is_no_cache_and_no_error(kind: str, store: Path) -> None:
    write("a.s", "acc.frist;;\n")
    elsewhere = store.parent / "elsewhere"
    elsewhere.mkdir()
    if kind == "file":
        store.touch()
    elif kind == "link":
        store.symlink_to(elsewhere)
    elif kind == "read-only":
        store.symlink_to("/proc/self")
    ran = check_same()
    assert (ran.status, ran.err) == (1, "")
    assert list(elsewhere.iterdir()) == []


def test_runs_side_by_side_keep_what_the_others_have_added(monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.s", "acc.frist;;\n")
    write("b.s", "bkpt;;\n")
    lint = lint_run.lint_all

    def beside(*arguments: object) -> object:
        monkeypatch.undo()
        run(main, ["b.s"])
        return lint(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("ipu_asm.cli.lint.run.lint_all", beside)
    main(["a.s"])
    assert linted("a.s", "b.s") == []


def test_results_that_nothing_has_used_for_a_month_are_removed(store: Path) -> None:
    write("a.s", "bkpt;;\n")
    write("sub/b.s", "bkpt;;\n")
    run(main, [])
    files = list(store.glob("*.json"))
    assert len(files) == 2
    for path in files:
        os.utime(path, (0, 0))
    write("a.s", "bkpt;;\n\n")
    run(main, ["a.s"])
    assert len(list(store.glob("*.json"))) == 1


def test_a_source_that_is_gone_leaves_no_result(store: Path) -> None:
    write("a.s", "bkpt;;\n")
    write("b.s", "bkpt;;\n")
    run(main, [])
    Path("b.s").unlink()
    write("a.s", "bkpt;;\n\n")
    run(main, [])
    (path,) = store.glob("*.json")
    assert '"b.s"' not in path.read_text()
