"""That no example is without a test, and that the shipped data are what their script writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ipu_asm.cli.run.command import main
from tests.cli.commands import run

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
KERNELS = sorted(
    path.relative_to(EXAMPLES).as_posix()
    for folder in (EXAMPLES, EXAMPLES / "ipu2")
    for path in folder.iterdir()
    if path.suffix in (".s", ".asm")
)


def test_every_example_has_a_test_file_of_its_name() -> None:
    examples = {path.stem for path in EXAMPLES.iterdir() if path.suffix in (".s", ".asm")}
    tests = {path.stem.removeprefix("test_") for path in HERE.glob("test_*.py")}
    assert examples == tests - {"examples"}
    assert len(examples) >= 7


def test_the_script_of_the_data_writes_what_is_shipped(tmp_path: Path) -> None:
    subprocess.run([sys.executable, EXAMPLES / "data" / "make.py", tmp_path], check=True)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    shipped = {path.name: path.read_bytes() for path in (EXAMPLES / "data").glob("*.[bn][ip][ny]")}
    assert written == shipped
    assert {"inputs.bin", "weights.bin", "results.bin", "conv3x3_row.image.npy"} <= set(shipped)


@pytest.mark.parametrize("kernel", KERNELS)
def test_an_example_runs_on_its_data_without_an_option(kernel: str) -> None:
    ran = run(main, [str(EXAMPLES / kernel)])
    assert (ran.status, ran.err.count("\n")) == (0, 1)
    assert ran.err.startswith("ipu-run: note: registers and data are those of ")
    assert ran.out.startswith("halted by ")
    assert "\nas expected: " in ran.out
