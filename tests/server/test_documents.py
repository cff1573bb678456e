"""Documents follow the client's edits exactly, however its columns count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.text import LineIndex
from ipu_lsp.server.convert import Encoding
from ipu_lsp.server.documents import Document
from ipu_lsp.transport import Json
from tests.server.texts import hard_texts, paired

_CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class Buffer:
    """What an editor has: code units, and lines of them."""

    def __init__(self, text: str, encoding: str) -> None:
        self.codec, self.width = _CODECS[encoding]
        self.data = self.encoded(text)

    @property
    def text(self) -> str:
        """The text that the units make."""
        return self.data.decode(self.codec, "surrogatepass")

    def encoded(self, text: str) -> bytes:
        """A text as units."""
        return text.encode(self.codec, "surrogatepass")

    def places(self, halves: bool) -> list[int]:
        """All units where an editor can put its cursor: not inside a line break, and, without
        `halves`, not inside a character.
        """
        text = self.text
        found = [len(self.encoded(text[:n])) for n in range(len(text) + 1)]
        if halves:
            found = list(range(0, len(self.data) + 1, self.width))
        return [place for place in found if not self._parts_a_break(place)]

    def position(self, place: int) -> Json:
        """The line and column of a place."""
        starts = [0]
        for end in range(self.width, place + 1, self.width):
            if self._is_break(end):
                starts.append(end)
        return {"line": len(starts) - 1, "character": (place - starts[-1]) // self.width}

    def replace(self, start: int, end: int, new_text: str) -> None:
        """Edit."""
        self.data = self.data[:start] + self.encoded(new_text) + self.data[end:]

    def _unit(self, end: int) -> bytes:
        return self.data[max(end - self.width, 0) : end]

    def _is_break(self, end: int) -> bool:
        if self._unit(end) == self.encoded("\r"):
            return self._unit(end + self.width) != self.encoded("\n")
        return self._unit(end) == self.encoded("\n")

    def _parts_a_break(self, place: int) -> bool:
        both = self.encoded("\r\n")
        return self.data[max(place - self.width, 0) : place + self.width] == both


def check_edit(
    document: Document, buffer: Buffer, start: int, end: int, new_text: str, *, analysed: str
) -> None:
    """After the same edit, the document has the text of the buffer, its lines, and one edit that
    leads there from the text that was analysed last.
    """
    version = (document.version or 0) + 1
    range_ = {"start": buffer.position(start), "end": buffer.position(end)}
    buffer.replace(start, end, new_text)
    document.change(version, [{"range": range_, "text": new_text}])
    assert document.text == buffer.text
    assert document.coordinates.lines.starts == LineIndex.of(buffer.text).starts
    assert document.version == version
    assert document.edit is not None
    assert document.edit.turns(analysed, document.text)


def document_of(text: str, encoding: str = "utf-16") -> Document:
    """An open document."""
    return Document("file:///a/b%20c.s", "ipu-asm", 1, text, Encoding(encoding))


@pytest.mark.parametrize("encoding", list(_CODECS))
@given(text=hard_texts(), new_texts=st.lists(hard_texts(6), min_size=1, max_size=5), data=st.data())
def test_edits_one_by_one_give_the_clients_text(
    encoding: str, text: str, new_texts: list[str], data: st.DataObject
) -> None:
    document, buffer = document_of(text, encoding), Buffer(text, encoding)
    for new_text in new_texts:
        places = st.sampled_from(buffer.places(halves=encoding == "utf-16"))
        start, end = sorted((data.draw(places), data.draw(places)))
        check_edit(document, buffer, start, end, new_text, analysed=text)


def test_an_edit_between_the_halves_of_a_character_parts_them() -> None:
    document, buffer = document_of("a\U0001f600b"), Buffer("a\U0001f600b", "utf-16")
    check_edit(document, buffer, 4, 4, "-", analysed="a\U0001f600b")
    assert document.text == "a\ud83d-\ude00b"
    check_edit(document, buffer, 4, 6, "", analysed="a\U0001f600b")
    assert document.text == "a\U0001f600b"


def test_several_changes_are_made_one_after_the_other() -> None:
    document = document_of("one\ntwo\n")
    first = {"line": 0, "character": 0}
    insert = {"range": {"start": first, "end": first}, "text": "zero\n"}
    second = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 3}}
    document.change(7, [insert, {"range": second, "text": "1"}])
    assert (document.text, document.version) == ("zero\n1\ntwo\n", 7)


def test_a_change_without_a_range_is_the_whole_text() -> None:
    document = document_of("one\ntwo\n")
    document.change(2, [{"text": "x\ry"}])
    assert document.text == "x\ry"
    assert document.coordinates.lines.starts == [0, 2]


def test_of_changes_with_a_malformed_one_none_is_made() -> None:
    document = document_of("one")
    with pytest.raises(TypeError):
        document.change(2, [{"text": "two"}, {"text": None}])
    assert (document.text, document.version) == ("one", 1)


@pytest.mark.parametrize(
    ("uri", "path", "name"),
    [
        ("file:///a/b%20c.s", "/a/b c.s", "/a/b c.s"),
        ("untitled:Untitled-1", None, "untitled:Untitled-1"),
        ("vscode-vfs://github/o/r/k%2B.ipu", None, "vscode-vfs://github/o/r/k+.ipu"),
        ("http://[", None, "http://["),
        ("", None, ""),
    ],
)
def test_a_document_has_a_path_if_it_is_in_a_file(uri: str, path: str | None, name: str) -> None:
    document = Document(uri, "ipu-asm", None, "", Encoding.UTF_16)
    assert (document.path, document.name) == (path, name)


def test_texts_of_the_tests_are_as_they_arrive() -> None:
    assert paired("\ud83d\ude00\ude00") == "\U0001f600\ude00"


def test_a_document_with_an_earlier_text_is_made_once() -> None:
    document = document_of("two")
    saved, committed = document.with_earlier("one"), document.with_earlier("zero")
    document.change(2, [{"text": "three"}])
    assert document.with_earlier("one") is saved
    assert document.with_earlier("zero") is committed
    assert (saved.text, document.text) == ("one", "three")
    document.with_earlier("two")
    assert document.with_earlier("one") is not saved  # the last two are kept
    document.forget()
    assert document.with_earlier("two").analysis is None
