"""That no example is without a test."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def test_every_example_has_a_test_file_of_its_name() -> None:
    examples = {path.stem for path in (HERE.parents[1] / "examples").glob("*.s")}
    tests = {path.stem.removeprefix("test_") for path in HERE.glob("test_*.py")}
    assert examples == tests - {"examples"}
    assert len(examples) >= 7
