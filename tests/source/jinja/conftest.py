"""Patience: on a busy machine, processor time is no measure of a template."""

from __future__ import annotations

import pytest

from ipu_asm.source.jinja import limits


@pytest.fixture(autouse=True)
def patient(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Templates may take longer, but for the tests of the limits."""
    if request.module.__name__.rpartition(".")[2] != "test_limits":
        monkeypatch.setattr(limits, "MAX_SECONDS", 20)
