"""The places of mistakes in configuration files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.lint.configuration_findings import check_file


def check_mistakes(path: Path, marked: str | bytes, *messages: str) -> list[bool]:
    """The mistakes of a file stand where the marks are; whether each of them is fatal."""
    content = marked if isinstance(marked, bytes) else marked.encode()
    path.write_bytes(content.replace("⟦".encode(), b"").replace("⟧".encode(), b""))
    text, mistakes = check_file(str(path))
    for mistake in sorted(mistakes, key=lambda found: found.span, reverse=True):
        start, end = mistake.span
        text = f"{text[:start]}⟦{text[start:end]}⟧{text[end:]}"
    assert text.encode() == content or not isinstance(marked, str)
    assert len(mistakes) == len(messages)
    for mistake, message in zip(mistakes, messages):
        assert message in mistake.message
        assert str(path) not in mistake.message
    return [mistake.is_fatal for mistake in mistakes]


def test_a_value_of_another_type_is_marked_on_its_line(tmp_path: Path) -> None:
    marked = '[lint]\n  ⟦select = 3  # all⟧\n⟦isa = "x"⟧\n'
    fatal = check_mistakes(tmp_path / "ipu.toml", marked, "`lint.select`", "`lint.isa`")
    assert fatal == [True, True]


def test_a_mistake_in_the_syntax_is_marked(tmp_path: Path) -> None:
    check_mistakes(tmp_path / "ipu.toml", 'isa = "ipu"\n⟦isa =⟧\n', "value")


def test_a_table_of_a_project_file_is_marked(tmp_path: Path) -> None:
    marked = '[project]\nname = "x"\n[tool.ipu]\n⟦isa = "edgenpuu"⟧\n'
    check_mistakes(tmp_path / "pyproject.toml", marked, "did you mean `edgenpu`")


def test_the_name_of_no_finding_is_marked_and_the_rest_counts(tmp_path: Path) -> None:
    marked = '[lint]\nselect = ["E", ⟦"Q7"⟧]\nignore = [⟦\'nope\'⟧]\n'
    fatal = check_mistakes(tmp_path / "ipu.toml", marked, "`Q7`", "`nope`")
    assert fatal == [False, False]


def test_of_twenty_thousand_unknown_names_a_hundred_are_marked(tmp_path: Path) -> None:
    names = [f'⟦"Q{n}"⟧' if n < 100 else f'"Q{n}"' for n in range(20_000)]
    marked = f"⟦[lint]⟧\nselect = [{', '.join(names)}]\n"
    messages = [f"`Q{n}`" for n in range(100)]
    fatal = check_mistakes(tmp_path / "ipu.toml", marked, *messages, "19,900 more names")
    assert not any(fatal)


def test_a_register_that_no_set_has_is_marked(tmp_path: Path) -> None:
    marked = '⟦[kernel."*.s"]⟧\ncr = {4 = 1, 16 = 2}\ncontexts = [{lr3 = 4}, {cr16 = 3}]\n'
    assert check_mistakes(tmp_path / "ipu.toml", marked, "`cr16`") == [False]


@pytest.mark.parametrize("content", ["", '[lint]\nselect = ["E"]\n', 'isa = "ipu"\n'])
def test_a_good_file_has_no_mistakes(tmp_path: Path, content: str) -> None:
    assert check_mistakes(tmp_path / "ipu.toml", content) == []
    assert check_mistakes(tmp_path / "pyproject.toml", "[tool.other]\nname = 'ipu'\n") == []
    (tmp_path / "pyproject.toml").write_text("[tool.other]\n")
    assert check_file(str(tmp_path / "pyproject.toml")) == ("", ())


def test_odd_bytes_and_files_that_are_not_there_raise_nothing(tmp_path: Path) -> None:
    assert check_mistakes(tmp_path / "ipu.toml", b"\xff\xfe", "UTF-8") == [True]
    assert check_file(str(tmp_path / "gone" / "ipu.toml")) == ("", ())
    assert check_file(str(tmp_path)) == ("", ())
