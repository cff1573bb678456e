"""What the console offers at a cursor: commands first, where one can stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.console import COMMANDS, TABLE
from ipu_asm.debugger.expressions import Candidate, LiveContext, complete
from ipu_asm.emulator import IpuState

LABELS = {"loop": 3, "goal": 4}
NAMES = {"window": "r0[0..3]"}


def check_completion(written: str, labels: dict[str, int] = LABELS) -> list[Candidate]:
    """What is offered where `$0` stands, all of it for the word there."""
    text, offset = written.replace("$0", ""), written.index("$0")
    found = TABLE.complete(LiveContext(IpuState(), 0, labels, NAMES), text, offset)
    for candidate in found:
        assert candidate.start <= offset <= candidate.start + candidate.length <= len(text)
        assert text[candidate.start : offset].lower() in candidate.text.lower()
    return found


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("w$0", ["who", "when", "window"]),
        ("  go$0", ["goto", "goal"]),
        ("wind$0", ["window"]),
        ("lr5 + go$0", ["goal"]),
        ("lr5 = w$0", ["window"]),
        ("who win$0", ["window"]),
        ("who lr$03", [f"lr{number}" for number in range(16)]),
        ("when loo$0", ["loop"]),
        ("when (go$0", ["goal"]),
        ("when r0[0 : fp8$0", ["fp8", "fp8_e4m3", "fp8_e5m2"]),
        ("goto -wi$0", ["window"]),
        ("dis go$0", ["goal"]),
        ("help $0", list(COMMANDS)),
        ("help w$0", ["who", "when"]),
        ("source $0", ["template", "expansion"]),
        ("who lr3 $0", []),
        ("who 12$0", []),
    ],
)
def test_commands_and_what_they_take_are_offered(written: str, expected: list[str]) -> None:
    assert [candidate.text for candidate in check_completion(written)] == expected


def test_at_the_beginning_all_commands_are_offered_with_what_they_do() -> None:
    found = check_completion("$0")
    assert found[: len(COMMANDS)] == [
        Candidate(name, 0, 0, "command", command.summary) for name, command in COMMANDS.items()
    ]
    assert {"lr0", "loop", "window", "sum"} <= {candidate.text for candidate in found}


def test_a_label_called_like_a_command_is_completed_as_an_expression() -> None:
    labels = {"dis": 1, "loop": 3}
    assert [c.text for c in check_completion("dis + loo$0", labels)] == ["loop"]
    assert [c.text for c in check_completion("dis loo$0", labels)] == ["loop"]
    assert [(c.text, c.kind) for c in check_completion("dis$0", labels)] == [
        ("dis", "command"),
        ("dis", "label"),
    ]


PIECES = st.sampled_from(
    ["who", "when ", "goto", "help ", "dis ", " ", "lr", "(", "[", "]", ":", ",", "=", "1", "é",
     "\n"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=8).map("".join), st.integers(-2, 40))
def test_any_text_can_be_completed_anywhere(text: str, offset: int) -> None:
    held = max(0, min(offset, len(text)))
    check_completion(f"{text[:held]}$0{text[held:]}")
    context = LiveContext(IpuState(), 0, LABELS, NAMES)
    found = TABLE.complete(context, text, offset)
    assert found == TABLE.complete(context, text, held)
    plain = [candidate for candidate in found if candidate.kind != "command"]
    if not any(text.lstrip().startswith(name) for name in COMMANDS):
        assert plain == complete(context, text, offset)


@pytest.mark.parametrize("text", ["who " + "(" * 1_000_000, "l" * 1_000_000, " " * 1_000_000])
def test_a_huge_text_is_completed_too(text: str) -> None:
    assert len(check_completion(f"{text}$0")) < 200
