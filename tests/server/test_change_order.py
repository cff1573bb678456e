"""Changes that arrive out of order are made in the order of their versions."""

from __future__ import annotations

from typing import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm import load_isa
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.text import Span
from ipu_lsp.server import documents
from ipu_lsp.server.convert import Coordinates, Encoding
from ipu_lsp.server.documents import Document
from ipu_lsp.transport import Json
from tests.server.conversation import EXIT, changed, greeted, opened

URI = "file:///tmp/k.s"
TEXT = "top:\n    incr lr0 1; acc.first;;\n    bne lr0 lr1 top;;\n    bkpt;;\n"
PIECES = ("", "x", ";;", "\n", "incr lr2 1;;\n", "top", "# ipu: ignore[W]\n", "\U0001f600", "lr0 ")
edits_of_a_user = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 6), st.sampled_from(PIECES)), min_size=2, max_size=25
)


def typed(text: str, edits: Sequence[tuple[float, int, str]]) -> tuple[str, list[list[Json]]]:
    """The text in the editor after the edits, and the changes that it sends."""
    sent = []
    for place, length, new_text in edits:
        coordinates = Coordinates(text, Encoding.UTF_16)
        start = int(place * len(text))
        end = min(start + length, len(text))
        range_ = coordinates.range(Span(start, end))
        sent.append([{"range": range_, "text": new_text}])
        text = coordinates.edited(range_, new_text)[0].text
    return text, sent


def document_of(text: str, version: int = 1) -> Document:
    """An open document."""
    return Document(URI, "ipu-asm", version, text, Encoding.UTF_16)


@given(edits=edits_of_a_user, window=st.integers(1, 15), data=st.data())
def test_changes_in_any_order_end_in_the_text_of_the_editor_and_its_findings(
    edits: list[tuple[float, int, str]], window: int, data: st.DataObject
) -> None:
    text, sent = typed(TEXT, edits)
    gaps = data.draw(st.lists(st.integers(1, 3), min_size=len(sent), max_size=len(sent)))
    versions = [1 + sum(gaps[: number + 1]) for number in range(len(sent))]
    delays = [data.draw(st.integers(0, window)) for _ in sent]
    arrivals = sorted(range(len(sent)), key=lambda number: number + delays[number])
    document, analyzer = document_of(TEXT), Analyzer(load_isa("ipu"))
    analysed = TEXT
    for number in arrivals:
        assert document.change(versions[number], sent[number])
        assert document.edit is not None
        assert document.edit.turns(analysed, document.text)
        if data.draw(st.booleans()):
            analysis = analyzer.analyze(
                document.text, document.name, document.analysis, change=document.edit
            )
            document.keep(analysis, {})
            analysed = document.text
    assert (document.text, document.version) == (text, versions[-1])
    last = analyzer.analyze(
        document.text, document.name, document.analysis, change=document.edit or None
    )
    assert last.diagnostics == Analyzer(load_isa("ipu")).analyze(text, document.name).diagnostics


def test_typing_that_a_server_receives_out_of_order_is_what_was_typed() -> None:
    text, sent = typed("bkpt;;\n", [(1.0, 0, letter) for letter in "incr lr1 1;;\n"])
    changes = dict(enumerate((each[0] for each in sent), 2))
    order = [2, 14, 3, *range(4, 14)]
    messages = [changed(URI, version, changes[version]) for version in order]
    told = greeted(opened(URI, "bkpt;;\n"), *messages, EXIT)
    afresh = greeted(opened(URI, text, version=14), EXIT)
    assert told.published(URI)[-1] == afresh.published(URI)[-1]
    assert told.told("window/logMessage") == []


def whole(text: str) -> list[Json]:
    """A change of the whole text."""
    return [{"text": text}]


def test_a_whole_text_counts_over_all_versions_before_it() -> None:
    document = document_of("one")
    assert document.change(5, whole("five"))
    assert document.change(3, whole("three"))
    assert (document.text, document.version) == ("five", 5)


def test_changes_of_the_same_version_are_made_as_they_arrive() -> None:
    document = document_of("one")
    _, sent = typed("one", [(1.0, 0, "a"), (1.0, 0, "b")])
    assert all(document.change(1, each) for each in sent)
    assert document.text == "oneab"


@pytest.mark.parametrize(("limit", "most"), [("MOST_CHANGES", 3), ("MOST_CHARACTERS", 3)])
def test_a_change_that_is_later_than_what_is_kept_is_told(
    monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    monkeypatch.setattr(documents, limit, most)
    text, sent = typed("bkpt;;\n", [(1.0, 0, letter) for letter in "abcdefgh"])
    document = document_of("bkpt;;\n")
    late = sent.pop(1)
    assert all(document.change(version, each) for version, each in enumerate(sent, 4))
    assert not document.change(3, late)
    assert (sorted(document.text), document.version) == (sorted(text), 10)


def test_a_client_whose_versions_begin_again_is_followed_and_told_once() -> None:
    document = document_of("one", version=5)
    assert not document.change(0, whole("two"))
    assert document.text == "two"
    for text in ("three", "four"):
        assert document.change(0, whole(text))
        assert (document.text, document.version) == (text, 0)


def test_what_cannot_be_put_in_order_is_logged_with_the_remedy() -> None:
    edit = changed(URI, 2, {"text": "bkpt;;"})
    conversation = greeted(opened(URI, "nope;;", version=4), edit, EXIT)
    (warning,) = conversation.told("window/logMessage")
    assert "version 2 arrived after those of version 4" in warning["message"]
    assert warning["message"].endswith("close the file and open it again")
