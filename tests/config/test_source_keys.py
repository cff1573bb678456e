"""The settings of source expansion: what they may say, and what is said of their mistakes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterator

import pytest

from ipu_asm.config import ConfigurationError, Value
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.schema import SettingError
from ipu_asm.config.source_keys import MOST_FOLDERS, MOST_READ, include_folders, parse_define


def check_mistakes(folder: Path, text: str, *mistakes: str) -> None:
    """A configuration with this text has these mistakes, each with its line."""
    path = folder / "ipu.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        Configurations().nearest(str(folder))
    assert [str(finding) for finding in caught.value.findings] == [
        f"{path}:{mistake}" for mistake in mistakes
    ]


PATHS = 'expected a list of folders such as ["include", "libs/*/include"], found'
ROOT = "expected folders of headers, found the root of the file system"
TOO_MANY = "expected globs of at most 100 folders, among 1,000 others, found more"
NAME = "expected a name of letters, digits and underscores, found"


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("include-paths = 'x'", f'1: `include-paths`: {PATHS} "x"'),
        ("include-paths = [1]", f"1: `include-paths`: {PATHS} [1]"),
        (
            "include-paths = ['a', '']",
            '1: `include-paths`: expected the name of a folder, found ""',
        ),
        ("include-paths = ['a', '/']", f"1: `include-paths`: {ROOT}"),
        (f"include-paths = ['{'../' * 100}']", f"1: `include-paths`: {ROOT}"),
        ("include-paths = ['/**']", f"1: `include-paths`: {TOO_MANY}"),
        ("defines = 1", "1: `defines`: expected a table of at most 1,000 names, found 1"),
        ("[defines]\nA = 1\n'a-b' = 1", f"3: `defines.a-b`: {NAME} `a-b`"),
        ("[defines]\n'' = 1", f"2: `defines.`: {NAME} none"),
        (
            "[defines]\nA = [1]",
            "2: `defines.A`: expected a number, a boolean or a string, found [1]",
        ),
        ("[defines]\nA = inf", "2: `defines.A`: expected a finite number, found inf"),
        (
            "[defines]\nA = 1979-05-27",
            "2: `defines.A`: expected a number, a boolean or a string, found the date 1979-05-27",
        ),
        ("template = 1", "1: `template`: expected a table of globs, found 1"),
        ("[template]\n'*.s' = 1", "2: `template.*.s`: expected a table, found 1"),
        (
            "[template.'*.s']\ncontxts = []",
            "2: `template.*.s.contxts`: unknown key; did you mean `contexts`?",
        ),
        (
            "[template.'*.s']\ncontexts = {a = 1}",
            "2: `template.*.s.contexts`: expected a list of tables such as [{cols = 4}], "
            "found a table",
        ),
        (
            "[template.'*.s']\ncontexts = [{a = 1}, 2]",
            "2: `template.*.s.contexts`: context 2: expected a table such as {cols = 4}, found 2",
        ),
        (
            "[template.'*.s']\ncontexts = [{'a b' = 1}]",
            f"2: `template.*.s.contexts`: context 1: {NAME} `a b`",
        ),
        (
            "[template.'*.s']\ncontexts = [{a = [{b = nan}]}]",
            "2: `template.*.s.contexts`: context 1: `a`: expected a finite number, found nan",
        ),
        (
            "[[template.'*.s'.contexts]]\na = nan",
            "1: `template.*.s.contexts`: context 1: `a`: expected a finite number, found nan",
        ),
    ],
)
def test_a_mistake_is_told_at_its_key(tmp_path: Path, text: str, mistake: str) -> None:
    check_mistakes(tmp_path, text, mistake)


HOSTILE = {
    "contexts": (
        f"[template.x]\ncontexts = [{'{},' * 80_000}]",
        "2: `template.x.contexts`: expected at most 64 contexts, found 80,000",
    ),
    "tables of contexts": (
        "[[template.x.contexts]]\n" * 9_000,
        "1: `template.x.contexts`: expected at most 64 contexts, found 9,000",
    ),
    "names": (
        "[defines]\n" + "".join(f"a{n}=1\n" for n in range(20_000)),
        "1: `defines`: expected a table of at most 1,000 names, found 20,000 names",
    ),
    "string": (
        f"[defines]\na = '{'x' * 200_000}'",
        "2: `defines.a`: a string has at most 1,000 characters, found 200,000",
    ),
    "list": (
        f"[template.x]\ncontexts = [{{a = [{'1,' * 100_000}]}}]",
        "2: `template.x.contexts`: context 1: `a`: a list or table has at most 10,000 characters, "
        "found more",
    ),
    "name": (
        f"[defines]\n{'x' * 200_000} = 1",
        f"2: `defines.{'x' * 52}...`: a name has at most 100 characters, found 200,000",
    ),
    "paths": (
        "include-paths = [" + "'a'," * 50_000 + "]",
        "1: `include-paths`: expected at most 100 folders, found 50,000",
    ),
    "path": (
        f"include-paths = ['{'*/' * 50_000}']",
        "1: `include-paths`: a path has at most 1,000 characters, found 100,000",
    ),
    "globs": (
        "".join(f"[template.a{n}]\n" for n in range(9_000)),
        "1: `template`: expected at most 200 globs, found 9,000",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_has_one_mistake(tmp_path: Path, name: str) -> None:
    text, mistake = HOSTILE[name]
    check_mistakes(tmp_path, text, mistake)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-0x1F", "-0x1F"),
        ("0x1F", 31),
        ("0b101", 5),
        ("1_000", 1000),
        ("+7", 7),
        ("0.5", 0.5),
        ("-1e3", -1000.0),
        ("true", True),
        ("false", False),
        ("True", "True"),
        ("lr5", "lr5"),
        ("007", "007"),
        ("inf", "inf"),
        ("1e999", "1e999"),
        ('"3"', "3"),
        ("'a b'", "a b"),
        ("", ""),
        ("a=b", "a=b"),
        ("9" * 65, "9" * 65),
    ],
)
def test_a_define_is_what_toml_would_read_else_a_string(text: str, value: Value) -> None:
    assert parse_define(f"NAME={text}") == ("NAME", value)
    assert type(parse_define(f"NAME={text}")[1]) is type(value)


@pytest.mark.parametrize("text", ["NAME", "=3", "a-b=3", "3a=1", "a b=1", " a=1", "x" * 101 + "=1"])
def test_a_define_has_a_name_and_a_value(text: str) -> None:
    with pytest.raises(SettingError):
        parse_define(text)


def test_paths_and_globs_are_absolute_folders_each_once(tmp_path: Path) -> None:
    for name in ("libs/b/include", "libs/a/include", "libs/.hidden/include", "libs/c"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "libs/file").write_text("")
    (tmp_path / "libs/link").symlink_to(tmp_path / "libs/a")
    wanted = ["include", "libs/*/include", "/opt/x", "libs/a/include", "../up"]
    assert include_folders(wanted, str(tmp_path)).folders == (
        f"{tmp_path}/include",
        f"{tmp_path}/libs/a/include",
        f"{tmp_path}/libs/b/include",
        "/opt/x",
        f"{tmp_path.parent}/up",
    )
    assert include_folders(["**/a"], str(tmp_path)).folders == (f"{tmp_path}/libs/a",)
    assert include_folders(["libs/[bc]/**"], str(tmp_path)).folders == (
        f"{tmp_path}/libs/b",
        f"{tmp_path}/libs/b/include",
        f"{tmp_path}/libs/c",
    )


@pytest.mark.parametrize("glob", ["d*", "**", "*/../*", "d*/../d*"])
def test_globs_that_find_too_many_folders_are_a_mistake(tmp_path: Path, glob: str) -> None:
    for number in range(MOST_FOLDERS + 1):
        (tmp_path / f"d{number}").mkdir()
    check_mistakes(tmp_path, f"include-paths = ['{glob}']", f"1: `include-paths`: {TOO_MANY}")


def test_globs_that_find_the_whole_disk_are_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    scandir = os.scandir

    def counted(folder: str) -> Iterator[os.DirEntry[str]]:
        read.append(folder)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", counted)
    found = include_folders(["/**/**/**", "/*/*/*/*", "/**/*/**/*"], "/")
    assert len(found.folders) <= MOST_FOLDERS
    assert not found.is_complete
    assert len(read) <= MOST_READ
