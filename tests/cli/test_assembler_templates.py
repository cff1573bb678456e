"""`ipu-as` on templates: expansion, values from outside, and the choice of a context."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ipu_asm import assemble
from ipu_asm.cli.assembler.command import main
from tests.cli.commands import Ran, give_input, run

TEMPLATE = """\
{% macro zero(r) %}set {{ r }} 0;;{% endmacro %}
{{ zero("lr1") }}
{% for n in range(2) %}
    incr lr{{ reg }} {{ n }};;
{% endfor %}
bkpt;;
"""
EXPANSION = """\

set lr1 0;;

    incr lr3 0;;

    incr lr3 1;;

bkpt;;"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A template with two contexts."""
    monkeypatch.chdir(tmp_path)
    Path("ipu.toml").write_text('[template."a.asm"]\ncontexts = [{reg = 3}, {reg = 4}]\n')
    Path("a.asm").write_text(TEMPLATE)


def check(
    capsys: pytest.CaptureFixture[str], arguments: str, status: int = 0, err: str = ""
) -> Ran:
    """A run ends with this status, and its errors begin like this."""
    ran = run(main, arguments.split(), capsys)
    assert (ran.status, ran.err[: len(err)]) == (status, err)
    assert err or not ran.err
    return ran


def test_a_template_assembles_to_the_words_of_its_expansion(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("a.asm", "--input a.asm"):
        ran = check(capsys, f"assemble --format hex --define reg=3 {name}")
        assert ran.out == "".join(f"0x{word:048x}\n" for word in assemble(EXPANSION))


@pytest.mark.parametrize("command", ["assemble --format hex", "expand", "expand --map"])
def test_one_of_several_contexts_must_be_chosen(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    refused = "ipu-as: error: a.asm: a template is assembled in one context, found 2: "
    check(capsys, f"{command} a.asm", 2, f"{refused}reg=3; reg=4; choose with --define\n")


def test_the_only_context_needs_no_choice(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ipu.toml").write_text('[template."a.asm"]\ncontexts = [{reg = 3}]\n')
    assert check(capsys, "expand a.asm").out == EXPANSION


def test_contexts_that_give_the_same_program_need_no_choice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("a.asm").write_text("bkpt;; {# no register #}\n")
    assert check(capsys, "expand a.asm").out == "bkpt;; "


def test_expand_writes_what_the_assembler_reads(capsys: pytest.CaptureFixture[str]) -> None:
    assert check(capsys, "expand a.asm --define reg=3").out == EXPANSION
    check(capsys, "expand a.asm --define reg=3 -o out.s")
    assert Path("out.s").read_text() == EXPANSION


def test_expand_leaves_a_plain_file_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.s").write_bytes(b"acc; # \xff\r\nbkpt;;\n")
    check(capsys, "expand b.s -o out.s")
    assert Path("out.s").read_bytes() == b"acc; # \xff\r\nbkpt;;\n"


def test_the_map_tells_where_each_line_was_written(capsys: pytest.CaptureFixture[str]) -> None:
    out = check(capsys, "expand --map --define reg=3 a.asm").out
    places = [json.loads(line) for line in out.splitlines()]
    assert list(places[1]) == ["line", "file", "row", "column"]
    assert {place["file"] for place in places} == {"a.asm"}
    found = [(place["line"], place["row"], place["column"]) for place in places]
    assert [found[1], found[3], found[5], found[7]] == [(2, 1, 20), (4, 4, 5), (6, 4, 5), (8, 6, 1)]


def test_the_map_of_a_plain_file_is_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.s").write_text("acc;;\n  bkpt;;\n")
    assert check(capsys, "expand --map b.s").out == (
        '{"line": 1, "file": "b.s", "row": 1, "column": 1}\n'
        '{"line": 2, "file": "b.s", "row": 2, "column": 3}\n'
    )


def test_standard_input_is_expanded_in_the_working_directory(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    give_input(monkeypatch, "set lr{{ reg }} 1;;")
    assert check(capsys, "expand --define reg=lr - ").out == "set lrlr 1;;"
    give_input(monkeypatch, "set lr{{ reg }} 1;;")
    ran = check(capsys, "expand --map --define reg=lr -")
    assert json.loads(ran.out)["file"] == "<stdin>"


@pytest.mark.parametrize("command", ["expand", "assemble"])
@pytest.mark.parametrize("text", ["{{", "{% for %}"])
def test_what_cannot_be_expanded_is_told_and_nothing_is_written(
    capsys: pytest.CaptureFixture[str], command: str, text: str
) -> None:
    Path("b.asm").write_text(f"bkpt;;\n{text}\n")
    ran = check(capsys, f"{command} b.asm -o out", 1, "error[E40")
    assert " --> b.asm:2:" in ran.err
    assert ran.err.endswith("1 error, nothing written\n")
    assert not Path("out").exists()


def test_the_input_is_never_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    check(capsys, "expand a.asm -o a.asm", 2, "ipu-as: error: --output a.asm: would replace")


def test_a_broken_configuration_counts_for_templates_even_with_an_instruction_set(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("ipu.toml").write_text("defines = 3\n")
    Path("b.s").write_text("bkpt;;\n")
    check(capsys, "assemble --isa ipu --format hex b.s")
    broken = "1: `defines`: expected a table of at most 1,000 names, found 3\n"
    for command in ("assemble --format hex", "expand"):
        ran = check(capsys, f"{command} --isa ipu a.asm", 2, "ipu-as: error: ")
        assert ran.err.endswith(broken)


def test_a_listing_shows_the_written_line_where_it_differs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = check(capsys, "assemble --format listing --define reg=3 a.asm").out
    words = assemble(EXPANSION)
    lines = [line.replace(f"0x{words[int(line[:4])]:048x}", "WORD")
             for line in out.splitlines() if "0x" in line]  # fmt: skip
    assert lines == [
        "   0: WORD  # set lr1 0;;                               # 1: {% macro zero(r) %}"
        "set {{ r }} 0;;{% endmacro %}",
        "   1: WORD  #     incr lr3 0;;                          # 4: incr lr{{ reg }} {{ n }};;",
        "   2: WORD  #     incr lr3 1;;                          # 4: incr lr{{ reg }} {{ n }};;",
        "   3: WORD  # bkpt;;",
    ]


def test_a_listing_of_a_template_is_an_image(capsys: pytest.CaptureFixture[str]) -> None:
    check(capsys, "assemble --format listing --define reg=3 a.asm -o a.lst")
    ran = check(capsys, "disassemble a.lst")
    assert assemble(ran.out) == assemble(EXPANSION)
