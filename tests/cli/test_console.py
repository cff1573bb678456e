"""What commands know of the terminal that they write to."""

from __future__ import annotations

import io
import os

import pytest

from ipu_asm.cli.console import columns_of


class Terminal(io.StringIO):
    """A terminal, to those who ask."""

    def isatty(self) -> bool:
        """Say yes."""
        return True

    def fileno(self) -> int:
        """Return the number of no file."""
        return 99


@pytest.mark.parametrize(("reported", "columns"), [(132, 132), (0, 80)])
def test_a_terminal_without_a_width_has_80_columns(
    monkeypatch: pytest.MonkeyPatch, reported: int, columns: int
) -> None:
    size = os.terminal_size((reported, 24))
    monkeypatch.setattr(os, "get_terminal_size", lambda _: size)
    assert columns_of(Terminal()) == columns


def test_a_pipe_has_no_width() -> None:
    assert columns_of(io.StringIO()) is None
    assert columns_of(None) is None
