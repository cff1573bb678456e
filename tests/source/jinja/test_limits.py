"""A template that would take all time or all memory has a finding instead."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ipu_asm import analyze
from tests.source.jinja.bombs import BOMBS

ROOT = Path(__file__).resolve().parents[3]
MILLION_TURNS, MEGABYTES = 30, 200  # of a plain loop: 1 to 3 seconds
PARTS = 4
# Of these the result is small, or they are wrong for another reason.
HARMLESS = {
    "doubled empty text",
    "a long text in a tag",
    "urlize of one word",
    "wordwrap of one word",
    "wordwrap of hyphens",
}
OTHERWISE_WRONG = {
    "lipsum": "E402",
    "a long name": "E402",
    "undefined names": "E402",
    "open raw blocks": "E401",
    "open comments": "E401",
    "rounds": "E401",
}


def outcomes(*names: str) -> dict[str, Any]:
    """What came of the bombs of these names, or of each."""
    command = [sys.executable, "-m", "tests.source.jinja.bombs", *names]
    ran = subprocess.run(command, capture_output=True, cwd=ROOT, timeout=120, check=True)
    return {each["name"]: each for each in map(json.loads, ran.stdout.splitlines())}


def slow(found: dict[str, Any]) -> list[str]:
    """The bombs that take too long, in each of three measurements: others use the machine, too."""
    names = [name for name, each in found.items() if each["million_turns"] >= MILLION_TURNS]
    for _ in range(2):
        again = outcomes(*names) if names else {}
        names = [name for name in names if again[name]["million_turns"] >= MILLION_TURNS]
    return names


@pytest.mark.parametrize("part", range(PARTS))
def test_a_bomb_is_a_finding_and_takes_little_time_and_memory(part: int) -> None:
    names = list(BOMBS)[part::PARTS]
    found = outcomes(*names)
    assert list(found) == names
    codes = {name: each["codes"] for name, each in found.items()}
    # On a machine in use, what is harmless may reach the limit of time.
    harmless = HARMLESS & codes.keys()
    assert [name for name in harmless if codes.pop(name) not in ([], ["E403"])] == []
    assert codes == {name: [OTHERWISE_WRONG.get(name, "E403")] for name in codes}
    assert slow(found) == []
    assert [name for name, each in found.items() if each["megabytes"] >= MEGABYTES] == []


def test_the_bombs_that_are_no_bombs_have_their_names() -> None:
    assert HARMLESS | OTHERWISE_WRONG.keys() <= BOMBS.keys()


def test_a_limit_is_told_at_the_tag_that_exceeds_it() -> None:
    text = "acc;;\n{% for x in range(3) %}\n{{ 'a' * 10 ** 9 }}\n{% endfor %}\nbkpt;;"
    (finding,) = analyze(text).diagnostics
    assert finding.message == "a value may have 1,000,000 characters at most, found more"
    assert text[slice(*finding.span)] == "{{ 'a' * 10 ** 9 }}"


def test_all_contexts_together_are_limited() -> None:
    contexts = "".join(f"{{# ipu: context n={n} #}}\n" for n in range(64))
    text = contexts + "{% for i in range(9) %}{{ 'a' * 30000 }}{{ n }};;\n{% endfor %}bkpt;;"
    analysis = analyze(text)
    assert len(analysis.expanded) == 6
    limit = [finding.message for finding in analysis.diagnostics if finding.code == "E403"]
    assert limit == [
        "in context n=5: a template may make 1,000,000 characters in all its contexts, found more"
    ]


def test_the_number_of_contexts_is_limited() -> None:
    contexts = "".join(f"{{# ipu: context n={n} #}}\n" for n in range(65))
    (finding,) = analyze(contexts + "set lr{{ n }} 1;;\nbkpt;;").diagnostics
    assert finding.message == "a template may have 64 contexts at most, found more"
