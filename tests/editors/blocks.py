"""The blocks of code in a document of `docs/editors`."""

from __future__ import annotations

import re

from tests.editors.user import PROJECT

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks_of(document: str, language: str) -> list[str]:
    """The blocks of a language, in the order of the document."""
    text = (PROJECT / "docs" / "editors" / document).read_text(encoding="utf-8")
    found = [block for name, block in _BLOCK.findall(text) if name == language]
    assert found, f"{document} has no block of {language}"
    return found
