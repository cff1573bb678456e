"""The TextMate grammars: as committed, and true to the grammars that the parser reads.

What they make of texts is in `tests/editors/test_textmate.py`, which needs Node.js.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Iterator

import pytest

from ipu_asm.cli.assembler.command import main
from ipu_asm.isa import available_isas, load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.reports import grammars as module
from ipu_asm.reports.grammars import queries, textmate, textmate_file
from ipu_asm.reports.textmate_patterns import Terminals, alternatives, registers, terminals_of

GRAMMARS = Path(__file__).resolve().parents[2] / "grammars"
EVERY_ISA = pytest.mark.parametrize("name", available_isas())


def test_the_committed_queries_of_tree_sitter_are_up_to_date() -> None:
    for name, text in queries().items():
        assert (GRAMMARS / name).read_text(encoding="utf-8") == text, "run `make generate`"


def check_grammar(name: str) -> dict[str, Any]:
    """The grammar of the language of a set, as data that JSON can hold."""
    grammar: dict[str, Any] = json.loads(textmate_file(load_isa(name))[1])
    return grammar


def members(data: Any, key: str) -> Iterator[str]:
    """Everything that stands under a key, at any depth."""
    if isinstance(data, dict):
        for name, value in data.items():
            if name == key and isinstance(value, str):
                yield value
            yield from members(value, key)
    elif isinstance(data, list):
        for value in data:
            yield from members(value, key)


@EVERY_ISA
def test_the_committed_grammar_is_what_the_instruction_set_gives(name: str) -> None:
    """If this fails, run `python -m ipu_asm.reports.grammars`."""
    file_name, text = textmate_file(load_isa(name))
    assert (GRAMMARS / file_name).read_text(encoding="utf-8") == text, file_name


def test_every_committed_grammar_belongs_to_a_language() -> None:
    names = {textmate_file(load_isa(name))[0] for name in available_isas()}
    assert {path.name for path in GRAMMARS.glob("*.tmLanguage.json")} == names


@EVERY_ISA
def test_every_mnemonic_is_in_the_grammar_once_in_the_scope_of_its_slot(name: str) -> None:
    isa, seen = load_isa(name), []
    for pattern in check_grammar(name)["patterns"]:
        for number, capture in pattern.get("beginCaptures", {}).items():
            slot = capture["name"].split(".")[-2]
            begins = re.compile(pattern["begin"].replace("(?i:", "(?:"))
            for spec in isa.instructions.values():
                match = begins.fullmatch(spec.mnemonic)
                if match and match[int(number)]:
                    seen.append(spec.mnemonic)
                    assert slot in {form.slot for form in isa.forms(spec)}
    assert sorted(seen) == sorted(isa.instructions)


@EVERY_ISA
def test_every_include_has_its_part_and_every_part_is_included(name: str) -> None:
    grammar = check_grammar(name)
    assert {include[1:] for include in members(grammar, "include")} == set(grammar["repository"])


@EVERY_ISA
def test_every_scope_ends_with_the_language(name: str) -> None:
    grammar = check_grammar(name)
    language = load_isa(name).surface.language_id.removesuffix("-asm")
    assert grammar["scopeName"] == f"source.asm.{language}"
    scopes = [scope for names in members(grammar["patterns"], "name") for scope in names.split()]
    assert len(scopes) > len(load_isa(name).slots)
    assert {scope.rpartition(".")[2] for scope in scopes} == {language}


@EVERY_ISA
def test_comments_begin_with_the_marks_that_the_instruction_set_names(name: str) -> None:
    surface = load_isa(name).surface
    terminals = terminals_of(surface.grammar)
    marks = [*terminals.line_comments(), *["/*"] * terminals.has_block_comments()]
    marks += terminals.directive_comments()
    assert marks
    assert set(surface.comments) <= set(marks)


def test_block_comments_are_found_in_the_terminals() -> None:
    patterns = {"LINE": r"\/\/[^\r\n]*", "BLOCK": r"\/\*[\s\S]*?\*\/", "WORD": "[a-z.]+"}
    terminals = Terminals(patterns, ("LINE", "BLOCK"), ())
    assert terminals.line_comments() == ["//"]
    assert terminals.has_block_comments()
    assert terminals.word_characters == r"\.a-z"


def test_what_comments_say_is_found_where_the_mark_begins_no_other_comment() -> None:
    assert terminals_of("colossus").directive_comments() == ["#"]
    assert terminals_of("ipu").directive_comments() == []


def test_sets_of_one_language_share_a_grammar() -> None:
    ipu = load_isa("ipu")
    parts = [_with_only(ipu, "acc", "b"), _with_only(ipu, "acc", "agg")]
    grammar = textmate(*parts)
    assert grammar["name"] == "IPU and IPU assembly"
    begins = "\n".join(members(grammar["patterns"], "begin"))
    assert [begins.count(f"(?:{mnemonic})") for mnemonic in ("acc", "agg", "b")] == [1, 1, 1]


def _with_only(isa: Isa, *mnemonics: str) -> Isa:
    """A set with a few of the instructions."""
    return Isa(
        isa.name,
        isa.title,
        isa.surface,
        slots=isa.slots,
        instructions={mnemonic: isa.instructions[mnemonic] for mnemonic in mnemonics},
        register_files=isa.register_files,
        word_bits=isa.word_bits,
        image_bytes=isa.image_bytes,
        program_limit=isa.program_limit,
    )


@EVERY_ISA
def test_every_register_matches_whole_and_none_beyond_its_file(name: str) -> None:
    for file in load_isa(name).register_files:
        pattern = re.compile(registers(file.registers), re.IGNORECASE)
        for register in file.registers:
            assert pattern.fullmatch(register), register
        assert not pattern.fullmatch(f"{file.registers[-1]}0")
    assert registers(["lr0", "lr1", "lr10", "lr11", "sp"]) == "lr(?:1[01]|[01])|sp"


def test_the_longest_of_several_words_comes_first() -> None:
    assert alternatives(["a.b", "a", "a.b.c", "a"]) == r"a\.b\.c|a\.b|a"


def test_the_module_writes_all_grammars_into_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "folder"
    assert module.main(["-o", str(folder)]) == 0
    files = [path for path in folder.rglob("*") if path.is_file()]
    written = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}
    textmates = dict(textmate_file(load_isa(name)) for name in available_isas())
    assert written == textmates | queries()
    printed = capsys.readouterr().out.splitlines()
    assert sorted(printed) == sorted(str(folder / name) for name in written)


def test_a_folder_that_cannot_be_made_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert module.main(["-o", str(tmp_path / "file" / "folder")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_assembler_prints_a_grammar_or_writes_it_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["docs", "--format", "textmate", "--isa", "edgenpu"]) == 0
    assert capsys.readouterr().out == textmate_file(load_isa("edgenpu"))[1]
    assert main(["docs", "--format", "textmate", "-o", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["ipu-asm.tmLanguage.json"]
