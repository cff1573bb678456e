"""The examples compute what their headers promise, exactly."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

from ipu_asm.assembler.encode import assemble
from ipu_asm.emulator import machine_for
from ipu_asm.targets.ipu2.machine.state import ElementType, Ipu2State, element_values

EXAMPLES: Final = Path(__file__).resolve().parents[3] / "examples"
DATA: Final = EXAMPLES / "data"
MAKE: Final = runpy.run_path(str(DATA / "ipu2" / "make.py"))

Array = NDArray[Any]
ROWS: Final = {"fully_connected": (0, 0x400, 0x800, 126, 9), "l2_normalize": (0, 0x400, 0x800, 7)}
"""What the host writes to cr2 and on."""


def run(stem: str, state: Ipu2State, config: tuple[int, ...], **defines: int) -> int:
    """Run an example to its end; the cycles that it took."""
    for index, value in enumerate(config, 2):
        state.regfile.set_cr(index, value)
    text = (EXAMPLES / "ipu2" / f"{stem}.s").read_text(encoding="utf-8")
    state.load_program(assemble(text, "ipu2", defines))
    return machine_for("ipu2").run_until_complete(state)


def rows_of(state: Ipu2State, row: int, like: Array) -> Array:
    """Rows of memory as an array of the shape and type of another one."""
    content = state.xmem.read_address(row * state.settings.row_size, like.nbytes)
    return np.frombuffer(bytes(content), like.dtype).reshape(like.shape)


def check_layer(inputs: Array, weights: Array, expected: Array, dtype: str = "INT8") -> None:
    """A layer of bytes has these results in words."""
    state = Ipu2State(dtype)
    state.xmem.write_address(0, inputs.tobytes())
    state.xmem.write_address(0x400 * 128, weights.tobytes())
    assert run("fully_connected", state, ROWS["fully_connected"]) == 2 + 10 * 129 + 1
    found = rows_of(state, 0x800, expected)
    assert found.tobytes() == expected.tobytes()


def check_convolution(columns: int, partition: int) -> None:
    """A convolution of random images side by side has the results of numpy."""
    rng = np.random.default_rng([columns, partition])
    pixels = rng.integers(-128, 128, (9, 128)).astype(np.int8)
    taps = rng.integers(-2, 3, (3, columns)).astype(np.int8)
    state = Ipu2State()
    state.xmem.write_address(0, np.pad(pixels, ((1, 2), (0, 0))).tobytes())
    state.xmem.write_address(0x200 * 128, taps.tobytes())
    state.regfile.set_cr(15, 128 | partition << 8)
    run("convolution", state, (0, 0x200, 0x400, 8, 128), columns=columns)
    expected = MAKE["convolved"](pixels, taps, partition)
    assert np.array_equal(rows_of(state, 0x400, expected), expected)


def test_the_layer_has_the_results_of_its_data() -> None:
    inputs = np.fromfile(DATA / "inputs.bin", np.int8)
    weights = np.fromfile(DATA / "weights.bin", np.int8)
    check_layer(inputs, weights, np.fromfile(DATA / "results.bin", "<i4"))


@pytest.mark.parametrize("kind", [kind for kind in ElementType if kind])
def test_the_layer_is_exact_for_float_elements(kind: ElementType) -> None:
    rng = Random(kind.name)
    finite = [code for code, value in enumerate(element_values(kind)) if not np.isnan(value)]
    inputs = np.array(rng.choices(finite, k=1280), np.uint8).reshape(10, 128)
    weights = np.array(rng.choices(finite, k=128 * 64), np.uint8).reshape(128, 64)
    numbers, factors = element_values(kind)[inputs], element_values(kind)[weights]
    sums = np.zeros((10, 64), "<f4")
    for i in range(128):
        sums = (numbers[:, i, None] * factors[i] + sums).astype("<f4")
    check_layer(inputs, np.pad(weights, ((0, 0), (0, 64))), sums, kind.name)


def test_the_product_of_two_vectors_is_limited() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.integers(-40, 40, (2, 5, 128)).astype(np.int8)
    state = Ipu2State()
    state.xmem.write_address(0, first.tobytes())
    state.xmem.write_address(0x100 * 128, second.tobytes())
    run("elementwise_multiply", state, (0, 0x100, 0x200, 4))
    products = first.astype(np.int32) * second
    expected = np.clip(products, -128, 127).astype(np.int8)
    assert np.array_equal(rows_of(state, 0x200, expected), expected)


def test_the_convolution_has_the_results_of_its_data() -> None:
    state = Ipu2State()
    state.xmem.write_address(0, (DATA / "ipu2" / "image.bin").read_bytes())
    state.xmem.write_address(0x200 * 128, (DATA / "ipu2" / "kernel.bin").read_bytes())
    cycles = run("convolution", state, (0, 0x200, 0x400, 15, 128), columns=3)
    expected = np.fromfile(DATA / "ipu2" / "convolved.bin", np.int8)
    assert np.array_equal(rows_of(state, 0x400, expected), expected)
    assert cycles == 11 + 16 * 9


@pytest.mark.parametrize("columns", [3, 5, 7])
@pytest.mark.parametrize("partition", [0, 2, 4, 8, 16])
def test_the_convolution_keeps_images_side_by_side_apart(columns: int, partition: int) -> None:
    check_convolution(columns, partition)


def test_rows_of_numbers_get_length_one() -> None:
    names = ("numbers.bin", "normalized.bin")
    rows, expected = (np.fromfile(DATA / "ipu2" / name, "<f4").reshape(-1, 128) for name in names)
    state = Ipu2State(wide="fp32")
    state.xmem.write_address(0, rows.tobytes())
    assert run("l2_normalize", state, ROWS["l2_normalize"]) == 1 + 3 * len(rows) + 1
    found = rows_of(state, 0x400, expected)
    assert found.tobytes() == expected.tobytes()
    assert np.allclose((found**2).sum(axis=1), [1, 1, 1, 1, 1, 0, 1, 1])


def test_the_data_are_those_that_the_formulas_give(tmp_path: Path) -> None:
    subprocess.run([sys.executable, DATA / "ipu2" / "make.py", tmp_path], check=True)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(written) == 5
    for name, content in written.items():
        assert (DATA / "ipu2" / name).read_bytes() == content


def test_every_example_has_a_test() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    stems = [path.stem for path in (EXAMPLES / "ipu2").iterdir()]
    assert len(stems) >= 4
    assert all(f'run("{stem}"' in text for stem in stems)
