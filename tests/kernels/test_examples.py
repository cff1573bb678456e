"""That no example is without a test, and that the shipped data are what their script writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


def test_every_example_has_a_test_file_of_its_name() -> None:
    examples = {path.stem for path in EXAMPLES.iterdir() if path.suffix in (".s", ".asm")}
    tests = {path.stem.removeprefix("test_") for path in HERE.glob("test_*.py")}
    assert examples == tests - {"examples"}
    assert len(examples) >= 7


def test_the_script_of_the_data_writes_what_is_shipped(tmp_path: Path) -> None:
    subprocess.run([sys.executable, EXAMPLES / "data" / "make.py", tmp_path], check=True)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    shipped = {path.name: path.read_bytes() for path in (EXAMPLES / "data").glob("*.bin")}
    assert written == shipped
    assert set(shipped) == {"inputs.bin", "weights.bin", "results.bin"}
