"""Values are added to configuration files, which stay as they are otherwise."""

from __future__ import annotations

import pytest

from ipu_asm.config import Configuration
from ipu_asm.config.toml_edits import add_context_name, add_define, add_include_path
from ipu_asm.config.toml_settings import parse_settings
from ipu_asm.text import TextEdit, apply_edits

PATH, PROJECT = "/work/ipu.toml", "/work/pyproject.toml"


def configuration_of(text: str, path: str = PATH) -> Configuration:
    """The configuration in a text."""
    table = ("tool", "ipu") if path == PROJECT else ()
    found, findings = parse_settings(text, path, table)
    assert not findings
    return found or Configuration(path=path, folder="/work")


def check_edit(text: str, edits: list[TextEdit] | TextEdit | None, expected: str) -> None:
    """The edits make the expected text."""
    assert edits is not None
    assert apply_edits(text, edits if isinstance(edits, list) else [edits]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "[defines]\nX = 1\n"),
        ('isa = "ipu"', 'isa = "ipu"\n\n[defines]\nX = 1\n'),
        ("[defines] # all\nA = 2 # two\n", "[defines] # all\nX = 1\nA = 2 # two\n"),
        ("[defines]", "[defines]\nX = 1\n"),
    ],
)
def test_a_define_is_added(text: str, expected: str) -> None:
    check_edit(text, add_define(text, configuration_of(text), "X"), expected)


def test_a_define_goes_into_the_table_of_a_project_file() -> None:
    text = '[project]\nname = "k"\n[tool.ipu]\nisa = "ipu"\n'
    edit = add_define(text, configuration_of(text, PROJECT), "X")
    check_edit(text, edit, f"{text}\n[tool.ipu.defines]\nX = 1\n")


@pytest.mark.parametrize(
    ("contexts", "expected"),
    [
        ("[{a = 3}, {a = 4} ] # two", "[{a = 3, X = 1}, {a = 4, X = 1} ] # two"),
        ("[\n  { a = '}' }, # }\n]", "[\n  { a = '}', X = 1 }, # }\n]"),
        ("[{}]", "[{X = 1}]"),
        ("[]", "[{X = 1}]"),
        ("[{a = [1, {b = 2}]}]", "[{a = [1, {b = 2}], X = 1}]"),
    ],
)
def test_a_name_is_added_to_all_contexts(contexts: str, expected: str) -> None:
    text = f'[template."k/*.asm"]\ncontexts = {contexts}\n[defines]\n'
    edits = add_context_name(text, configuration_of(text), "/work/k/a.asm", "X")
    check_edit(text, edits, text.replace(contexts, expected))


def test_a_template_without_contexts_gets_one() -> None:
    edits = add_context_name("", configuration_of(""), "/work/k/a.asm", "X")
    check_edit("", edits, '[template."k/a.asm"]\ncontexts = [{X = 1}]\n')


@pytest.mark.parametrize("path", ["/elsewhere/a.asm", "/work/[a].asm"])
def test_no_glob_is_written_that_would_not_fit(path: str) -> None:
    assert add_context_name("", configuration_of(""), path, "X") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 'include-paths = ["include", "sdk"]\n'),
        ("# a\n[lint]\n", '# a\ninclude-paths = ["include", "sdk"]\n[lint]\n'),
        ('include-paths = ["a"] # b\n', 'include-paths = ["a", "sdk"] # b\n'),
        ('include-paths = [\n "a",\n]\n', 'include-paths = [\n "a", "sdk",\n]\n'),
        ("include-paths = []\n", 'include-paths = ["sdk"]\n'),
    ],
)
def test_a_folder_is_added_to_the_include_paths(text: str, expected: str) -> None:
    edit = add_include_path(text, configuration_of(text), "sdk", ("include",))
    check_edit(text, edit, expected)


def test_what_cannot_be_added_is_not_offered() -> None:
    text = "defines = {A = 1}\n"
    assert add_define(text, configuration_of(text), "X") is None
