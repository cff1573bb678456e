"""Every transcript is what the commands print; `pytest --update` writes what they print now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.transcripts import FOLDER, Case, cases_of, outputs_of

CASES = [(path, case) for path in sorted(FOLDER.glob("*.txt")) for case in cases_of(path)]


@pytest.mark.parametrize(
    ("path", "case"), [pytest.param(*each, id=f"{each[0].stem}: {each[1].title}") for each in CASES]
)
def test_commands_print_what_their_transcript_says(
    path: Path,
    case: Case,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    outputs = outputs_of(case, monkeypatch)
    expected = case.text([output for _, output in case.commands])
    found = case.text(outputs)
    if request.config.getoption("--update"):
        path.write_text(path.read_text().replace(expected, found), encoding="utf-8")
    else:
        assert found == expected
