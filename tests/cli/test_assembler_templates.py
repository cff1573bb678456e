"""`ipu-as` on templates: expansion, values from outside, and the choice of a context."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ipu_asm import assemble
from ipu_asm.cli.assembler.command import main
from tests.cli.commands import Ran, run

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


FILES = {"ipu.toml": '[template."a.asm"]\ncontexts = [{reg = 3}, {reg = 4}]\n', "a.asm": TEMPLATE}


def check(arguments: str, status: int = 0, err: str = "") -> Ran:
    """A run ends with this status, and its errors begin like this."""
    ran = run(main, arguments.split())
    assert (ran.status, ran.err[: len(err)]) == (status, err)
    assert err or not ran.err
    return ran


def test_a_template_assembles_to_the_words_of_its_expansion() -> None:
    for name in ("a.asm", "--input a.asm"):
        ran = check(f"assemble --format hex --define reg=3 {name}")
        assert ran.out == "".join(f"0x{word:048x}\n" for word in assemble(EXPANSION))


@pytest.mark.parametrize("command", ["assemble --format hex", "expand", "expand --map"])
def test_one_of_several_contexts_must_be_chosen(command: str) -> None:
    refused = "ipu-as: error: a.asm: a template is assembled in one context, found 2: "
    check(f"{command} a.asm", 2, f"{refused}reg=3; reg=4; choose with --define\n")


def test_the_only_context_needs_no_choice() -> None:
    Path("ipu.toml").write_text('[template."a.asm"]\ncontexts = [{reg = 3}]\n')
    assert check("expand a.asm").out == EXPANSION


def test_expand_writes_what_the_assembler_reads() -> None:
    assert check("expand a.asm --define reg=3").out == EXPANSION
    check("expand a.asm --define reg=3 -o out.s")
    assert Path("out.s").read_text() == EXPANSION


def test_expand_leaves_a_plain_file_as_it_is() -> None:
    Path("b.s").write_bytes(b"acc; # \xff\r\nbkpt;;\n")
    check("expand b.s -o out.s")
    assert Path("out.s").read_bytes() == b"acc; # \xff\r\nbkpt;;\n"


def test_the_map_tells_where_each_line_was_written() -> None:
    out = check("expand --map --define reg=3 a.asm").out
    places = [json.loads(line) for line in out.splitlines()]
    assert list(places[1]) == ["line", "file", "row", "column"]
    assert {place["file"] for place in places} == {"a.asm"}
    found = [(place["line"], place["row"], place["column"]) for place in places]
    assert [found[1], found[3], found[5], found[7]] == [(2, 1, 20), (4, 4, 5), (6, 4, 5), (8, 6, 1)]


@pytest.mark.parametrize("command", ["expand", "assemble"])
@pytest.mark.parametrize("text", ["{{", "{% for %}"])
def test_what_cannot_be_expanded_is_told_and_nothing_is_written(command: str, text: str) -> None:
    Path("b.asm").write_text(f"bkpt;;\n{text}\n")
    ran = check(f"{command} b.asm -o out", 1, "error[E40")
    assert " --> b.asm:2:" in ran.err
    assert ran.err.endswith("1 error, nothing written\n")
    assert not Path("out").exists()


def test_the_input_is_never_the_output() -> None:
    check("expand a.asm -o a.asm", 2, "ipu-as: error: --output a.asm: would replace")


def test_a_broken_configuration_counts_for_templates_even_with_an_instruction_set() -> None:
    Path("ipu.toml").write_text("defines = 3\n")
    Path("b.s").write_text("bkpt;;\n")
    check("assemble --isa ipu --format hex b.s")
    broken = "1: `defines`: expected a table of at most 1,000 names, found 3\n"
    for command in ("assemble --format hex", "expand"):
        ran = check(f"{command} --isa ipu a.asm", 2, "ipu-as: error: ")
        assert ran.err.endswith(broken)


def test_a_listing_of_a_template_is_an_image() -> None:
    check("assemble --format listing --define reg=3 a.asm -o a.lst")
    ran = check("disassemble a.lst")
    assert assemble(ran.out) == assemble(EXPANSION)
