"""What the console offers while one types, as each editor puts it in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ipu_lsp.transport import Json
from tests.debug_adapter.client import DapClient
from tests.debug_adapter.kernel import started

UNFINISHED = {
    "lr": "lr0",
    "AC": "acc",
    "row": "row_offset",
    "1 + loo": "loop",
    "sum(mu": "mult_res",
    "r0[l": "lr5",
    "xmem[cr0 + lr1 .. +4 : f": "f32",
    "acc[0..7],": "x",
    "acc[0..7],u": "u16",
    "lr1 = c": "cr3",
    "who ac": "acc",
    "when lr0 > re": "results",
    "goto cy": "cycle",
    "dis lo": "loop",
    "hel": "help",
    "label(lo": "loop",
    "": "lr0",
}


@pytest.fixture
def standing(client: DapClient, tmp_path: Path) -> DapClient:
    return started(client, tmp_path)


def offered(client: DapClient, text: str, column: int | None = None, **more: Any) -> list[Json]:
    """What is offered after a text, or at a column of it that counts from 1."""
    column = len(text) + 1 if column is None else column
    targets = client.request("completions", text=text, column=column, frameId=1, **more)["targets"]
    assert len({target["sortText"] for target in targets}) == len(targets)
    assert [target["sortText"] for target in targets] == sorted(t["sortText"] for t in targets)
    return list(targets)


def applied(text: str, target: Json) -> str:
    """The text with what was chosen, as the protocol describes it; `start` counts from 0."""
    start: int = target["start"]
    return f"{text[:start]}{target['label']}{text[start + target['length'] :]}"


def check_offered(client: DapClient, text: str, label: str) -> None:
    """A word is offered for the end of a text, and the text is a valid one then.

    VS Code replaces length letters in front of the cursor, Emacs and Neovim put it at start.
    """
    (target,) = [target for target in offered(client, text) if target["label"] == label]
    assert target["start"] + target["length"] == len(text)
    whole = applied(text, target)
    assert whole == text[: len(text) - target["length"]] + label
    closed = whole + ")" * (whole.count("(") - whole.count(")"))
    closed += "]" * (closed.count("[") - closed.count("]"))
    client.evaluate(closed, "repl")
    if closed.startswith("goto"):
        client.stopped()


def test_a_word_that_is_chosen_makes_a_valid_text(standing: DapClient) -> None:
    for text, label in UNFINISHED.items():
        check_offered(standing, text, label)


def test_every_offer_fits_where_it_is_made(standing: DapClient) -> None:
    for text in ("l", "1 + c", "acc,", "r0[0 : i", "mask[0][f"):
        for target in offered(standing, text):
            assert target["label"].lower().find(text[target["start"] :].lower()) >= 0
            assert target["detail"]


def test_what_begins_with_the_letters_comes_first_and_in_order(standing: DapClient) -> None:
    labels = [target["label"] for target in offered(standing, "lr")]
    assert labels[:16] == [f"lr{i}" for i in range(16)]
    assert [target["label"] for target in offered(standing, "acc[0],")][:5] == list("duxob")


def test_impossible_places_and_texts_are_survived(standing: DapClient) -> None:
    for text, column, line in (
        ("lr", 0, 1), ("lr", -5, 1), ("lr", 10**9, 1), ("lr", 3, 10**9), ("lr", 3, -4),
        ("\ud800", 2, 1), ("(" * 5_000, 5_001, 1), ("1" * 50, 51, 1),
    ):  # fmt: skip
        for target in offered(standing, text, column, line=line):
            assert 0 <= target["start"] <= target["start"] + target["length"] <= len(text)
