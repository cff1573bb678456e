"""What the server says about documents in the languages of the other instruction sets."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from ipu_asm.isa import load_isa, manifests
from ipu_lsp.server.sources import isa_of_language
from ipu_lsp.transport import Json
from tests.form_programs import PROGRAMS
from tests.server.conversation import Conversation, asked, changed, greeted, opened

XDNA = "kernel:\n\tvlda\twl0, [p0], #32;\tmov\tr1, r2   \n\tj\t#kernel\n" + "\tnop\n" * 5
COLOSSUS = "start:\n    {ld32 $a0, $m0, $mzero, 0 ; f32add $a1, $a2, $a3 }\n    bri start\n"


def check_answers(text: str, language: str, *requests: Json, uri: str = "untitled:a") -> Any:
    """A document without findings, and the answers to these requests about it."""
    said = greeted(opened(uri, text, language), *requests)
    assert codes(said, uri) == []
    return [said.answer(request["id"])["result"] for request in requests]


def codes(said: Conversation, uri: str) -> list[str]:
    """The codes of what was last published about a document."""
    return [finding["code"] for finding in said.published(uri)[-1]["diagnostics"]]


def at(text: str, place: str, message_id: int, method: str) -> Json:
    """A request about a place in a text of single units."""
    before = text[: text.index(place)]
    position = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
    return asked(message_id, method, "untitled:a", position=position)


def test_every_language_is_that_of_its_sets_and_costs_nothing() -> None:
    for name, manifest in manifests().items():
        assert load_isa(name).surface.language_id == manifest.language_id
    assert isa_of_language("aie-asm") == "xdna1"
    assert isa_of_language("colossus-asm") == "colossus"
    assert isa_of_language("plaintext") == "ipu"
    program = (
        "import sys, ipu_lsp.server.server, ipu_lsp.server.server as s; s.LspServer();"
        "print(*[m for m in sys.modules if m.startswith('ipu_asm.isa.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    described = {name for name in done.stdout.split() if name.endswith(".description")}
    assert described <= {"ipu_asm.isa.description", "ipu_asm.targets.ipu.description"}


@pytest.mark.parametrize(
    ("uri", "language", "head", "title"),
    [
        ("untitled:a", "aie-asm", "", "XDNA1"),
        ("file:///a.s", "aie-asm", "", "XDNA1"),
        ("file:///a.aie2p", "aie-asm", "", "XDNA2"),
        ("file:///a.aie2p", "plaintext", "", "XDNA2"),
        ("file:///a.aie", "aie-asm", "// isa: xdna2\n", "XDNA2"),
        ("untitled:a", "aie-asm", "/* isa: xdna2 */\n", "XDNA2"),
    ],
)
def test_language_extension_and_comment_tell_the_generation(
    uri: str, language: str, head: str, title: str
) -> None:
    # Only the second generation has accumulators of 2048 bits.
    said = greeted(opened(uri, f"{head}\tvmul.f\tdm1, y3, y0, r0\n", language))
    assert ("E104" in codes(said, uri) or "E101" in codes(said, uri)) == (title == "XDNA1")


@pytest.mark.parametrize("isa", sorted(PROGRAMS))
def test_whole_programs_have_no_finding_and_answer_everything(isa: str) -> None:
    uri = "untitled:a"
    text = PROGRAMS[isa]
    if manifests()[isa].language_id == "aie-asm":
        text = f"// isa: {isa}\n{text}"
    methods = ("documentSymbol", "foldingRange", "semanticTokens/full", "codeLens")
    requests = [asked(number, method, uri) for number, method in enumerate(methods, 1)]
    grid = {"id": 9, "method": "ipu/slotGrid", "params": {"textDocument": {"uri": uri}}}
    listing = {"id": 10, "method": "ipu/listing", "params": {"textDocument": {"uri": uri}}}
    outline, folds, tokens, _, table, listed = check_answers(
        text, manifests()[isa].language_id, *requests, grid, listing
    )
    assert outline
    assert folds
    assert tokens["data"]
    assert table["isa"] == isa
    assert all(len(row["cells"]) == len(table["slots"]) for row in table["rows"])
    assert len(listed["lines"]) == listed["text"].count("\n")


def test_the_slot_grid_tells_which_slots_compete() -> None:
    grid = {"id": 1, "method": "ipu/slotGrid", "params": {"textDocument": {"uri": "untitled:a"}}}
    (found,) = check_answers("\tmovxm r0, #1; nopa\n", "aie-asm", grid)
    units = {slot["name"]: slot["units"] for slot in found["slots"]}
    assert (units["alu"], units["mv"], units["lng"]) == (["alu"], ["mv"], ["alu", "mv"])
    (row,) = found["rows"]
    filled = [slot["name"] for slot, cells in zip(found["slots"], row["cells"]) if cells]
    assert filled == ["lda", "lng"]
    assert row["strays"] == []


def test_findings_come_for_what_is_wrong() -> None:
    said = greeted(
        opened("untitled:a", "\tpadda [p0], #3\n\tmov r1, r2; mov r3, r4; mov r5, r6\n", "aie-asm"),
        opened(
            "untitled:b", "{ f32add $a0, $a1, $a2 ; ld32 $a0, $m0, $mzero, 0 }\n", "colossus-asm"
        ),
    )
    assert codes(said, "untitled:a") == ["E106", "E201", "E201"]
    assert codes(said, "untitled:b")[0][0] in "CE"


def test_hover_shows_a_register_inside_brackets_alone() -> None:
    (found,) = check_answers(XDNA, "aie-asm", at(XDNA, "p0", 1, "hover"))
    assert found["contents"]["value"].startswith("p0")
    start, end = found["range"]["start"], found["range"]["end"]
    assert end["character"] - start["character"] == 2


def test_completion_offers_what_may_stand_inside_brackets() -> None:
    text = "\tvlda wl0, [p0, "
    said = greeted(opened("untitled:a", text, "aie-asm"), at(text + "|", "|", 1, "completion"))
    items = said.answer(1)["result"]["items"]
    assert [item["label"] for item in items] == [f"dj{number}" for number in range(8)]


def test_completion_knows_labels_with_their_mark() -> None:
    (found,) = check_answers(XDNA, "aie-asm", at(XDNA, "#kernel", 1, "completion"))
    texts = {item["label"]: item["textEdit"]["newText"] for item in found["items"]}
    assert texts["kernel"] == "#kernel"
    (found,) = check_answers(XDNA, "aie-asm", at(XDNA, "kernel\n\tnop", 1, "completion"))
    texts = {item["label"]: item["textEdit"]["newText"] for item in found["items"]}
    assert texts == {"kernel": "kernel"}


def test_signature_help_has_all_forms() -> None:
    (found,) = check_answers(XDNA, "aie-asm", at(XDNA, "#32", 1, "signatureHelp"))
    labels = [signature["label"] for signature in found["signatures"]]
    assert labels[0].startswith("vlda dst:w, [ptr], ")
    assert len(labels) == 10
    assert (found["activeSignature"], found["activeParameter"]) == (0, 2)


def test_formatting_mends_blanks_and_nothing_else() -> None:
    options = {"tabSize": 4, "insertSpaces": True}
    (edits,) = check_answers(XDNA, "aie-asm", asked(1, "formatting", "untitled:a", options=options))
    assert [edit["newText"] for edit in edits] == [""]
    assert edits[0]["range"]["end"]["line"] == 1
    request = asked(1, "formatting", "untitled:a", options=options)
    (edits,) = check_answers(COLOSSUS.replace("$a0, ", "$a0,"), "colossus-asm", request)
    assert [edit["newText"] for edit in edits] == [" "]


def test_labels_are_renamed_behind_their_mark_and_in_directives() -> None:
    text = f"\t.globl\tkernel\n{XDNA}"
    request = at(text, "kernel:", 1, "rename")
    request["params"]["newName"] = "main"
    (answer,) = check_answers(text, "aie-asm", request)
    (edits,) = answer["changes"].values()
    assert [edit["range"]["start"]["line"] for edit in edits] == [0, 1, 3]


def test_numbers_as_labels_lead_to_the_right_one() -> None:
    text = "1:  bri 1f\n1:  bri 1b\n1:  exitz $mzero\n"
    requests = [at(text, "1f", 1, "definition"), at(text, "1b", 2, "definition")]
    forth, back = check_answers(text, "colossus-asm", *requests)
    assert forth["range"]["start"]["line"] == 1
    assert back["range"]["start"]["line"] == 1
    refused = at(text, "1b", 3, "rename")
    refused["params"]["newName"] = "again"
    assert greeted(opened("untitled:a", text, "colossus-asm"), refused).error(3)


def test_an_edit_is_read_like_the_text_that_it_makes() -> None:
    said = greeted(
        opened("untitled:a", XDNA, "aie-asm"),
        changed("untitled:a", 2, {"text": XDNA.replace("#32", "#33")}),
    )
    assert codes(said, "untitled:a") == ["E106"]
