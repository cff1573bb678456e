"""Which instruction set a file is written in."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.config import Configuration
from ipu_asm.config.isa_choice import IsaChooser, choose_isa

PROJECT = Configuration("/p/ipu.toml", "/p", "colossus", (("old/*.s", "xdna2"), ("*.s", "edgenpu")))


def check_choice(
    text: str,
    path: str,
    name: str,
    origin: str,
    asked: str | None = None,
    configuration: Configuration | None = None,
) -> None:
    """The instruction set of a file, and where it is said."""
    assert choose_isa(text, path, asked, configuration)[:2] == (name, origin)


def test_what_the_user_asks_for_counts_before_all_else() -> None:
    check_choice("# isa: edgenpu", "/p/a.aie", "xdna2", "--isa", "xdna2", PROJECT)


def test_a_comment_counts_before_the_configuration() -> None:
    check_choice("\n# isa: edgenpu\n", "/p/a.aie", "edgenpu", "/p/a.aie:2", None, PROJECT)


@pytest.mark.parametrize(
    "comment", ["{# isa: edgenpu #}", "{#- isa: edgenpu -#}", "x {#isa:edgenpu#}"]
)
def test_a_comment_may_be_one_of_a_template(comment: str) -> None:
    check_choice(comment, "a.s", "edgenpu", "a.s:1")
    unknown = comment.replace("edgenpu", "edgenpo")
    check_choice(unknown, "a.s", "edgenpo", "a.s:1")


def test_the_configuration_counts_before_the_extension() -> None:
    check_choice("", "/p/a.aie", "colossus", "/p/ipu.toml", None, PROJECT)


def test_the_first_glob_that_matches_counts() -> None:
    check_choice("", "/p/old/a.s", "xdna2", "/p/ipu.toml", None, PROJECT)
    check_choice("", "/p/new/a.s", "edgenpu", "/p/ipu.toml", None, PROJECT)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.ipu", "ipu"),
        ("a.edgenpu", "edgenpu"),
        ("a.aie", "xdna1"),
        ("a.aie2", "xdna1"),
        ("a.aie2p", "xdna2"),
        ("a.S", "colossus"),
        ("a.s", "ipu"),
        ("a.asm", "ipu"),
        ("a", "ipu"),
    ],
)
def test_the_extension_tells_and_without_one_it_is_the_ipu(path: str, name: str) -> None:
    check_choice("", path, name, path)


@pytest.mark.parametrize(
    "text",
    [
        "# isa: edgenpu",
        "//isa:edgenpu",
        "; isa: edgenpu",
        "/* isa: edgenpu */",
        "acc;; # isa: edgenpu",
        "# isa: edgenpu, the small one",
        "##   isa:\tedgenpu\r\n",
        "\ufeff# isa: edgenpu",
    ],
)
def test_any_style_of_comment_will_do(text: str) -> None:
    check_choice(text, "a.s", "edgenpu", "a.s:1")


def test_the_comment_must_stand_in_the_first_ten_lines() -> None:
    for line_break in ("\n", "\r\n", "\r"):
        check_choice(line_break * 9 + "# isa: edgenpu", "a.s", "edgenpu", "a.s:10")
        check_choice(line_break * 10 + "# isa: edgenpu", "a.s", "ipu", "a.s")


@pytest.mark.parametrize("text", ["# isa: see the manual", "isa: b isa;;", "# my isa: edgenpu"])
def test_prose_and_labels_are_no_such_comment(text: str) -> None:
    check_choice(text, "a.s", "ipu", "a.s")


def test_a_comment_with_an_unknown_name_is_taken_at_its_word() -> None:
    check_choice("# isa: edgenpuu", "a.s", "edgenpuu", "a.s:1")


def test_the_configuration_is_found_above_the_file(tmp_path: Path) -> None:
    (tmp_path / "ipu.toml").write_text('isa = "edgenpu"\n')
    path = tmp_path / "deep" / "down" / "a.s"
    chooser = IsaChooser()
    assert chooser.choose("", str(path)).name == "edgenpu"
    assert chooser.choose("# isa: ipu", str(path)).name == "ipu"
    assert IsaChooser("xdna1").choose("", str(path)) == ("xdna1", "--isa", True)
