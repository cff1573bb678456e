"""`docs/adding-an-instruction-set.md`, followed to the letter: all of the toolchain knows a toy."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Iterator

import pytest

import ipu_asm.targets
from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import analyze
from ipu_asm.cli.assembler import command as assembler
from ipu_asm.cli.lint import command as lint
from ipu_asm.config.isa_choice import choose_isa
from ipu_asm.ide import LANDINGS, LENS_FAMILIES
from ipu_asm.ide.completion.completion import completions
from ipu_asm.ide.folding import folding
from ipu_asm.ide.formatting.formatting import formatting
from ipu_asm.ide.hints import code_lenses, inlay_hints
from ipu_asm.ide.hover import hover
from ipu_asm.ide.listing import slot_grid
from ipu_asm.ide.navigation import definition, highlights, rename
from ipu_asm.ide.outline import symbols
from ipu_asm.ide.semantic_tokens import semantic_tokens
from ipu_asm.ide.signature_help import signatures
from ipu_asm.ide.symbols import OccurrenceKind
from ipu_asm.isa import load_isa, manifests
from ipu_asm.lint.rules import all_rules
from ipu_asm.reports.grammars import textmate_file
from ipu_asm.reports.pages import explain
from ipu_asm.reports.reference import reference_files
from ipu_asm.reports.vscode import vscode_files
from ipu_asm.text import Span, apply_edits
from tests.marked import unmarked
from tests.server.conversation import asked, greeted, opened

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "adding-an-instruction-set.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^`(\S+)`:\n\n(`{3,})\w+\n(.*?)^\2$", re.S | re.M)
FILES = {match[1]: match[3] for match in _BLOCK.finditer(PAGE)}
TEXT, WRONG = FILES["loop.toy"], FILES["wrong.toy"]


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The folder of the page among the folders of instruction sets."""
    for name, text in FILES.items():
        if name.startswith("ipu_asm/targets/toy/"):
            path = tmp_path / name.removeprefix("ipu_asm/targets/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(ipu_asm.targets, "__path__", [*ipu_asm.targets.__path__, str(tmp_path)])
    yield
    for module in [name for name in sys.modules if name.startswith("ipu_asm.targets.toy")]:
        del sys.modules[module]


def check_at(text: str, place: str) -> tuple[Analysis, int]:
    """A program of the toy that has no finding, and an offset in its text."""
    analysis = analyze(text, "toy")
    assert [finding.message for finding in analysis.diagnostics] == []
    return analysis, text.index(place)


def test_the_manifest_is_known_before_the_set_is_loaded() -> None:
    assert manifests()["toy"].extensions == (".toy",)
    assert "ipu_asm.targets.toy.description" not in sys.modules


def test_findings_are_in_its_own_words() -> None:
    found = analyze(WRONG, "toy").diagnostics
    assert [finding.code for finding in found] == ["X101", "E201", "E106"]
    assert "`copy` needs slot `left` or `right`" in found[1].message
    assert "expected a number from 0 to 99, found `100`" in found[2].message


def test_its_own_rule_is_checked_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    rule = next(rule for rule in all_rules() if rule.isa == "toy")
    text, spans = unmarked(rule.invalid[0])
    assert [(found.code, found.span) for found in analyze(text, "toy").diagnostics] == [
        ("T101", span) for span in spans
    ]
    for text in rule.valid:
        assert analyze(text, "toy").diagnostics == ()
    assert lint.main(["--isa", "toy", "--explain", "T101"]) == 0
    assert capsys.readouterr().out.startswith("# copy-to-itself")


def test_the_files_of_editors_name_it() -> None:
    files = vscode_files()
    package = json.loads(files["package.json"])
    assert "onLanguage:toy-asm" in package["activationEvents"]
    languages = {language["id"]: language for language in package["contributes"]["languages"]}
    assert languages["toy-asm"]["aliases"] == ["Toy Assembly"]
    assert languages["toy-asm"]["extensions"] == [".toy"]
    assert "toy" in package["contributes"]["configuration"]["properties"]["ipu.isa"]["enum"]
    assert '"toy-asm"' in files["src/languages.ts"]
    configuration = json.loads(files["languages/toy-asm.json"])
    assert configuration["comments"]["lineComment"] == "//"
    assert re.search(configuration["indentationRules"]["increaseIndentPattern"], "start:")
    name, grammar = textmate_file(load_isa("toy"))
    paths = {entry["path"] for entry in package["contributes"]["grammars"]}
    assert f"./syntaxes/{name}" in paths
    assert json.loads(grammar)["scopeName"] == "source.asm.toy"


def test_a_file_is_known_by_its_extension_and_by_a_comment() -> None:
    assert choose_isa("", "a.toy").name == "toy"
    assert choose_isa("// isa: toy\n", "a.s").name == "toy"


def test_hover_shows_the_form_that_is_meant_and_names_the_others() -> None:
    found = hover(*check_at(TEXT, "copy t0, 5"))
    assert found is not None
    assert found.markdown.startswith("```toy-asm\ncopy t0, 5\n```\n\n**Set** · slot `right`\n")
    assert "- `copy dst, src` (slot `left` or `right`)" in found.markdown


def test_hover_tells_when_a_slow_result_lands() -> None:
    analysis, offset = check_at(TEXT, "load")
    page = hover(analysis, offset)
    assert page is not None
    assert "`dst` lands 3 bundles later" in page.markdown
    operand = hover(analysis, TEXT.index("t3"))
    assert operand is not None
    assert "`t3` lands 3 bundles later (line 7)" in operand.markdown
    hints = inlay_hints(analysis, Span(0, len(TEXT)), [LANDINGS])
    assert " +3 (line 7)" in [hint.text for hint in hints]


def test_completion_offers_what_there_is_room_for_and_each_mnemonic_once() -> None:
    def offered(text: str) -> list[str]:
        return sorted(item.label for item in completions(analyze(text, "toy"), len(text)))

    assert offered("") == ["copy", "jump", "load", "pair"]
    assert offered("load t0, t1; ") == ["copy", "jump"]
    # The copy makes way for a load.
    assert offered("copy t0, t1; ") == ["copy", "jump", "load"]
    assert offered("pair t0, t1, t2; ") == []
    assert "t7" in offered("copy ")
    assert offered("start:\n jump ")[-1] == "start"


def test_signature_help_has_a_signature_for_each_syntax_the_one_that_fits_first() -> None:
    def labels(text: str) -> list[str]:
        return [shown.label for shown in signatures(analyze(text, "toy"), len(text))]

    assert labels("copy ") == ["copy dst, src", "copy dst, number"]
    assert labels("copy t0, 5") == ["copy dst, number", "copy dst, src"]
    assert [shown.active for shown in signatures(analyze("copy t0, 5", "toy"), 10)] == [1, 1]


def test_words_have_colours() -> None:
    bundle = analyze(TEXT, "toy").program.bundles[2]
    kinds = [token.kind for token in semantic_tokens(load_isa("toy"), bundle)]
    assert kinds == ["function", "variable", "number", "function", "variable", "variable"]


def test_formatting_gives_operands_their_column() -> None:
    text = "start:\ncopy t0,5;copy t1,t2\n"
    after = apply_edits(text, formatting(analyze(text, "toy")))
    assert after == "start:\n    copy t0, 5; copy t1, t2\n"
    assert formatting(analyze(after, "toy")) == []


def test_labels_and_registers_are_found_and_renamed() -> None:
    analysis, offset = check_at(TEXT, "start\n")
    way = definition(analysis, offset)
    assert way is not None
    assert way.name.start == TEXT.index("start:")
    renamed = apply_edits(TEXT, rename(analysis, offset, "again"))
    assert renamed == TEXT.replace("start", "again")
    kinds = [found.kind for found in highlights(analysis, TEXT.index("t3"))]
    assert kinds == [OccurrenceKind.WRITES, OccurrenceKind.READS]


def test_the_outline_has_its_loop() -> None:
    analysis, _ = check_at(TEXT, "start")
    assert [(found.name, found.kind) for found in symbols(analysis)] == [("start", "loop")]
    assert [fold.first for fold in folding(analysis)] == [1]
    lenses = [lens.text for lens in code_lenses(analysis, LENS_FAMILIES)]
    assert lenses == [
        "1 branch comes here",
        "5 bundles an iteration, 7 of 10 slots used (70 %); bound by left",
    ]
    assert [len(row.cells) for row in slot_grid(analysis).rows] == [3] * 5


def test_the_reference_and_explain_have_its_pages() -> None:
    files = reference_files(load_isa("toy"))
    assert set(files) == {"md", "html"}
    page = files["md"][1]
    assert "4 instructions in 6 forms" in page
    assert "### `copy` in `left`" in page
    assert "Encoding" not in page
    assert "Load, for tests." in (explain("load", load_isa("toy")) or "")


def test_the_commands_know_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.toy"
    path.write_text(WRONG, encoding="utf-8")
    assert lint.main([str(path), "--format", "concise"]) == 1
    assert "E201" in capsys.readouterr().out
    assert assembler.main(["--isa", "toy", "docs", "-o", str(tmp_path)]) == 0
    assert (tmp_path / "toy.md").read_text(encoding="utf-8").startswith("# Toy instruction")
    assert lint.main(["--isa", "toy", "--explain", "pair"]) == 0
    assert "Pair, for tests." in capsys.readouterr().out


def test_the_language_server_knows_it() -> None:
    uri = "untitled:a"
    position = {"line": 2, "character": 5}
    said = greeted(opened(uri, WRONG, "toy-asm"), asked(1, "hover", uri, position=position))
    assert [found["code"] for found in said.published(uri)[-1]["diagnostics"]] == [
        "X101",
        "E201",
        "E106",
    ]
    assert "copy dst, src" in said.answer(1)["result"]["contents"]["value"]
