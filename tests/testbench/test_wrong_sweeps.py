"""Arguments of a sweep that cannot be used are told before the first run, in one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ipu_asm.testbench import sweep


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """A kernel that halts."""
    path = tmp_path / "k.s"
    path.write_text("set lr0 1; bkpt;;")
    return path


INPUTS = "inputs are an iterable, or a mapping to stacked values, found"
OUTPUT = "an output is the name of a register, or (address, shape, dtype), found"


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (7, f"{INPUTS} int"),
        (None, f"{INPUTS} NoneType"),
        ("abc", f"{INPUTS} str"),
        ({"cr0": 3}, "stacked inputs are sequences or arrays, found int for 'cr0'"),
    ],
)
def test_inputs_are_many(kernel: Path, inputs: Any, message: str) -> None:
    with pytest.raises(TypeError) as raised:
        sweep(kernel, inputs)
    assert str(raised.value) == message


@pytest.mark.parametrize("value", [7, None, "abc"])
def test_an_input_is_a_mapping_and_its_number_is_told(kernel: Path, value: Any) -> None:
    with pytest.raises(TypeError) as raised:
        list(sweep(kernel, [{}, value]))
    found = type(value).__name__
    message = f"an input is a mapping of addresses and registers to values, found {found}"
    assert str(raised.value) == message
    assert raised.value.__notes__ == ["in input 1 of the sweep"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"chunk": "x"}, "`chunk` is a whole number, found str"),
        ({"max_cycles": 1.5}, "`max_cycles` is a whole number, found float"),
        ({"executor": 3}, "`executor` is a `concurrent.futures.Executor`, found int"),
        ({"setup": 3}, "`setup` is a function, found int"),
        ({"check": 3}, "`check` is a function, found int"),
        ({"progress": 3}, "`progress` is a function, found int"),
        ({"outputs": "r0"}, "`outputs` is a mapping of names to what is read, found str"),
        ({"outputs": {"y": 3}}, f"{OUTPUT} 3 for `y`"),
        ({"outputs": {"y": (0, 4)}}, f"{OUTPUT} (0, 4) for `y`"),
        ({"common": 3}, "`common` is a mapping of addresses and registers to values, found int"),
        ({"failures": 3}, "`failures` is the path of a folder, found int"),
        ({"defines": 3}, "`defines` is a mapping of names to values, found int"),
    ],
)
def test_an_argument_has_its_type(kernel: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as raised:
        sweep(kernel, [{}], **arguments)
    assert str(raised.value) == message


def test_the_folder_for_failures_is_no_file(kernel: Path) -> None:
    with pytest.raises(NotADirectoryError, match="`failures` is the path of a folder, found the"):
        sweep(kernel, [{}], failures=kernel)
