"""Giving variables other values: what they take, who is told, and that time travel keeps it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.debug_adapter.client import DapClient, Rejected
from tests.debug_adapter.kernel import MASK, found, started, value_of


@pytest.fixture
def standing(client: DapClient, tmp_path: Path) -> DapClient:
    return started(client, tmp_path)


def test_a_value_can_be_put_back_as_it_is_shown(standing: DapClient) -> None:
    standing.evaluate("lr1 = -100", "repl")
    before = standing.evaluate("[lr1, aaq1]", "clipboard")
    for path in (
        ("Loop registers", "lr1"), ("AAQ", "aaq1"), ("Masks", "mask[0]"), ("Machine", "pc"),
        ("Vectors", "r_acc", "[0..15]"), ("Vectors", "r_acc", "[0..15]", "[3]"),
    ):  # fmt: skip
        value, name = value_of(standing, *path), path[-1]
        parent = found(standing, *path)[0]
        body = standing.request("setVariable", variablesReference=parent, name=name, value=value)
        assert body["value"] == value_of(standing, *path) == value
    assert standing.evaluate("[lr1, aaq1]", "clipboard") == before
    (mask,) = re.findall("0..127: (.*)", value_of(standing, "Masks", "mask[0]"))
    assert mask.replace(" ", "") == "".join(f"{byte:08b}"[::-1] for byte in MASK[:16])


def test_what_cannot_be_changed_says_so(standing: DapClient) -> None:
    reference = standing.scopes()["Machine"]["variablesReference"]
    with pytest.raises(Rejected, match=r"^no variable here is called nobody$"):
        standing.request("setVariable", variablesReference=reference, name="nobody", value="1")
    body = standing.request("evaluate", expression="acc * 2", context="watch")
    number = body["variablesReference"]
    with pytest.raises(Rejected, match=r"^\[0\.\.15\] cannot be changed$"):
        standing.request("setVariable", variablesReference=number, name="[0..15]", value="1")
