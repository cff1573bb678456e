"""Conversations with the adapter go as they are written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.debug_adapter.conversations import FOLDER, played
from tests.scripts import Script, scripts_of

SCRIPTS = [
    pytest.param(script, id=f"{path.stem}: {script.title}")
    for path in sorted(FOLDER.glob("*.txt"))
    for script in scripts_of(path)[1]
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_conversation_goes_as_it_is_written_down(script: Script, tmp_path: Path) -> None:
    assert played(script, tmp_path) == script.lines
