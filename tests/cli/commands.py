"""Running commands in this process, as a shell would."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Callable, NamedTuple, Sequence

import pytest


class Ran(NamedTuple):
    """How a command ended and what it printed."""

    status: int
    out: str
    err: str


def run(main: Callable[[Sequence[str]], int], arguments: Sequence[str]) -> Ran:
    """Run a command; `SystemExit` ends it as it would end a process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main(arguments)
        except SystemExit as error:
            status = int(error.code or 0)
    for stream in (out, err):
        stream.seek(0)
    ran = Ran(int(status), out.read(), err.read())
    assert "Traceback" not in ran.err
    return ran


def give_input(monkeypatch: pytest.MonkeyPatch, data: str | bytes) -> None:
    """Make this the standard input."""
    content = data.encode() if isinstance(data, str) else data
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
