"""The instruction reference on the wire."""

from __future__ import annotations

from typing import Any

import pytest

from ipu_lsp.transport import Json
from tests.server.conversation import EXIT, greeted, opened

URI = "file:///kernel.s"
TEXT = "# \U0001f600\nx: incr lr0 1; acc.first;;\n"


def check_reference(params: Any, text: str = TEXT, language: str = "ipu-asm") -> Json:
    """The reference that these parameters ask for."""
    request = {"id": 1, "method": "ipu/reference", "params": params}
    found: Json = greeted(opened(URI, text, language), request, EXIT).answer(1)["result"]
    return found


def document(**more: Any) -> Json:
    return {"textDocument": {"uri": URI}, **more}


def test_the_reference_is_open_at_the_instruction_under_the_cursor() -> None:
    found = check_reference(document(position={"line": 1, "character": 16}))
    assert (found["isa"], found["title"]) == ("ipu", "IPU instruction reference")
    assert (found["mnemonic"], found["anchor"]) == ("acc.first", "accfirst")
    assert f'<h3 id="{found["anchor"]}"><code>acc.first</code></h3>' in found["body"]


@pytest.mark.parametrize("more", [{}, {"position": {"line": 0, "character": 1}}])
def test_without_an_instruction_it_is_open_at_its_beginning(more: Json) -> None:
    found = check_reference(document(**more))
    assert (found["mnemonic"], found["anchor"]) == (None, None)
    assert found["body"].startswith("<h1>IPU instruction reference</h1>")


def test_a_reference_can_be_shown_under_a_strict_content_security_policy() -> None:
    body = check_reference(document())["body"]
    assert not any(mark in body for mark in ("<script", "<style", " style=", " src=", " onclick="))


def test_another_instruction_set_has_its_own_reference() -> None:
    found = check_reference(document(), "; isa: edgenpu\nSYNC WAIT_DMA\n", "edgenpu-asm")
    assert found["isa"] == "edgenpu"
    assert "<h1>EdgeNPU instruction reference</h1>" in found["body"]


def test_a_document_that_is_not_open_has_none() -> None:
    assert check_reference({"textDocument": {"uri": "untitled:gone"}}) is None
