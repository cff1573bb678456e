"""Running commands in this process, as a shell would."""

from __future__ import annotations

import io
import sys
from typing import Callable, NamedTuple, Sequence

import pytest


class Ran(NamedTuple):
    """How a command ended and what it said."""

    status: int
    out: str
    err: str


def run(
    main: Callable[[Sequence[str]], int],
    arguments: Sequence[str],
    capsys: pytest.CaptureFixture[str],
) -> Ran:
    """Run a command; `SystemExit` ends it as it would end a process."""
    capsys.readouterr()
    try:
        status = main(arguments)
    except SystemExit as error:
        status = int(error.code or 0)
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return Ran(int(status), out, err)


def give_input(monkeypatch: pytest.MonkeyPatch, data: str | bytes) -> None:
    """Make this the standard input."""
    content = data.encode() if isinstance(data, str) else data
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
