"""Conversations with the adapter go as they are written down."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.debug_adapter.conversations import FOLDER, played
from tests.scripts import Script, titled_scripts


@pytest.mark.parametrize("script", titled_scripts(FOLDER))
def test_a_conversation_goes_as_it_is_written_down(script: Script, tmp_path: Path) -> None:
    assert played(script, tmp_path) == script.lines
