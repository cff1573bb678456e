"""The templates of the extension: without findings, tidy, running as they are, and right."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ipu_asm import analyze
from ipu_asm.cli.run.options import read_options
from ipu_asm.ide.formatting.formatting import formatting
from ipu_asm.testbench import Bench

EXTENSION = Path(__file__).resolve().parents[1] / "vscode-extension"
TEMPLATES = sorted((EXTENSION / "templates").glob("*.s"))
EVERY_TEMPLATE = pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
ROWS, LANES = 4, 128


def check_outputs(name: str, expected: NDArray[Any], *inputs: NDArray[Any], **cr: int) -> None:
    """A template run as its header says, with these inputs, leaves this where it says."""
    bench = Bench()
    bench.load(EXTENSION / "templates" / name)
    options = read_options(command_line(EXTENSION / "templates" / name))
    for load, data in zip(options.load, inputs, strict=True):
        bench.put(load.place.address, data)
    for number, value in options.cr.items():
        bench.cr[number] = cr.get(f"cr{number}", value)
    bench.run()
    (dump,) = options.dump
    assert dump.place.size == expected.nbytes
    bench.assert_bit_exact(bench.get(dump.place.address, expected.shape, np.int32), expected)


def command_line(path: Path) -> list[str]:
    """The arguments of `ipu-run` that the header of a template gives."""
    text = path.read_text("utf-8").replace("\\\n#", "")
    found = re.search("^# +ipu-run (.*)$", text, re.MULTILINE)
    assert found, path.name
    return shlex.split(found[1])


def drawn(seed: int, *shape: int) -> NDArray[np.int8]:
    """Elements of all values."""
    return np.random.default_rng(seed).integers(-128, 128, shape, np.int8)


def test_the_extension_offers_the_templates_that_there_are() -> None:
    source = (EXTENSION / "src" / "commands" / "newKernel.ts").read_text("utf-8")
    offered = re.findall(r'^  \["(.+\.s)", ', source, re.MULTILINE)
    assert sorted(offered) == [path.name for path in TEMPLATES]
    assert len(offered) == len(set(offered)) == 4


@EVERY_TEMPLATE
def test_a_template_has_no_findings_and_is_formatted(path: Path) -> None:
    analysis = analyze(path.read_text("utf-8"), path=path.name)
    assert analysis.diagnostics == ()
    assert formatting(analysis) == []


@EVERY_TEMPLATE
def test_a_template_runs_to_its_end_with_nothing_set(path: Path) -> None:
    bench = Bench()
    bench.load(path)
    assert bench.run().cycles >= 1


@EVERY_TEMPLATE
def test_a_template_calls_itself_by_the_name_of_its_file(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.startswith(f"# {path.name}: ")
    assert command_line(path)[0] == path.name


def test_load_and_store_multiplies_by_the_factor() -> None:
    inputs = drawn(1, ROWS, LANES)
    check_outputs("load_store.s", 3 * inputs.astype(np.int32), inputs)
    check_outputs("load_store.s", -7 * inputs.astype(np.int32), inputs, cr2=-7)


def test_the_element_wise_loop_multiplies() -> None:
    a, b = drawn(1, ROWS, LANES), drawn(2, ROWS, LANES)
    check_outputs("elementwise.s", a.astype(np.int32) * b, a, b)


def test_the_fully_connected_layer_sums_products() -> None:
    inputs, weights = drawn(1, LANES), drawn(2, LANES, LANES)
    check_outputs("fully_connected.s", inputs.astype(np.int32) @ weights, inputs, weights)
