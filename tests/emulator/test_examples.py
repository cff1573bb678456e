"""The examples compute what their headers promise, in every element type that they are for."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ipu_asm.assembler.encode import assemble
from ipu_asm.emulator import IpuState, run_until_complete
from tests.example_references import (
    DTYPES,
    EXAMPLES,
    Case,
    fully_connected_results,
    random_elements,
)

FOLDER = Path(__file__).resolve().parents[2] / "examples"
RUNS = [(stem, dtype) for stem, dtypes in DTYPES.items() for dtype in dtypes]


def check_example(stem: str, case: Case) -> None:
    """The memory after a run of an example is what its reference expects."""
    state = IpuState()
    state.load_program(assemble((FOLDER / f"{stem}.s").read_text(encoding="utf-8")))
    for index, value in case.cr.items():
        state.regfile.set_cr(index, value)
    for index, value in case.lr.items():
        state.regfile.set_lr(index, value)
    for address, content in case.load:
        state.xmem.write_address(address, content)
    run_until_complete(state)
    for address, content in case.expect:
        assert state.xmem.read_address(address, len(content)) == content, hex(address)


def generated_layer(dtype: int) -> Case:
    """A fully connected layer of the published shape with elements of our own."""
    rng = Random(f"layer {dtype}")
    inputs, weights = random_elements(rng, 10 * 128, dtype), random_elements(rng, 64 * 128, dtype)
    rows = b"".join(bytes(weights[i::128]) + bytes(64) for i in range(128))
    return Case(
        dtype,
        cr={0: 0x00000, 1: 0x20000, 2: 0x40000, 15: dtype},
        lr={},
        load=[(0x00000, inputs), (0x20000, rows)],
        expect=[(0x40000, fully_connected_results(inputs, weights, dtype))],
    )


def published_case(stem: str, dtype: int) -> Case:
    """The reference's case; our own layer where the published one is not at hand."""
    try:
        return EXAMPLES[stem](dtype)
    except FileNotFoundError:
        assert stem == "fully_connected"
        return generated_layer(dtype)


@pytest.mark.parametrize(("stem", "dtype"), RUNS)
def test_an_example_computes_what_its_reference_says(stem: str, dtype: int) -> None:
    check_example(stem, published_case(stem, dtype))


@pytest.mark.parametrize("dtype", DTYPES["fully_connected"])
def test_the_layer_is_exact_for_other_elements_too(dtype: int) -> None:
    check_example("fully_connected", generated_layer(dtype))


def test_every_example_has_a_reference() -> None:
    assert {path.stem for path in FOLDER.glob("*.s")} == set(EXAMPLES)
