"""What notebooks show of states, registers, profiles, reports and results of sweeps."""

from __future__ import annotations

import re
import struct
import zlib
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipu_asm.emulator.execution_counts import Recording
from ipu_asm.emulator.html_tables import strip, table
from ipu_asm.emulator.profile import profile_of
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.reports.performance.report import performance_report
from ipu_asm.testbench import Bench, sweep

KERNEL = "set lr1 5;;\nrow: incr lr0 1; bne lr0 lr1 row;;\nbkpt;;\n"
_VOID = ("img", "meta")


class _Reader(HTMLParser):
    """Collects the text of cells, and checks that every element is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        if tag not in _VOID:
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] in (["td"], ["th"]):
            self.cells[-1] += data


def check_page(value: Any, *cells: str, most: int = 10_000) -> str:
    """What a value shows is small, closed and without scripts, and has these cells."""
    page: str = value._repr_html_()
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    assert len(page) < most
    assert reader.tags <= {
        "table", "caption", "code", "thead", "tbody", "tr", "th", "td", "div", "img", "p",
    }  # fmt: skip
    assert set(cells) <= set(reader.cells)
    return page


def pixels(page: str) -> np.ndarray[Any, Any]:
    """The colours of the first strip of a page: lines, columns, RGB."""
    found = re.search("base64,([^\"']+)", page)
    assert found
    data = b64decode(found[1])
    width, height = struct.unpack(">II", data[16:24])
    start = data.index(b"IDAT")
    size = int.from_bytes(data[start - 4 : start], "big")
    lines = np.frombuffer(zlib.decompress(data[start + 4 : start + 4 + size]), np.uint8)
    return lines.reshape(height, 1 + 3 * width)[:, 1:].reshape(height, width, 3)


@pytest.fixture
def bench() -> Bench:
    """A bench after a run, with data in some registers."""
    bench = Bench()
    bench.load_text(KERNEL)
    bench.dtype = "fp8_e4m3"
    bench.r_acc = np.where(np.arange(128) < 2, np.float32(np.nan), np.arange(128, dtype=np.float32))
    bench.put(0x1000, np.ones(300, np.int8))
    bench.run()
    return bench


def test_a_state_shows_what_is_not_zero(bench: Bench) -> None:
    cells = ("lr0 = 6, lr1 = 5, cr15 = 1", "0x1000 to 0x1180", "r_acc", "2 to 127, 2 NaN", "1024")
    for state in (bench.state, bench.state.save(), bench):
        page = check_page(state, "ipu, fp8_e4m3", *cells)
        assert "mult_res" not in page
    check_page(Bench(isa="ipu2", wide="fp32").state, "ipu2, fp32", "1,024 of 1,024 bits set")


def test_a_saved_state_is_short_where_its_text_is_shown(bench: Bench) -> None:
    assert repr(bench.state.save()) == "<SavedState of ipu: pc 1024>"


def test_registers_show_all_of_them(bench: Bench) -> None:
    check_page(bench.registers, "lr0", "aaq3", "mult_res", "0 of 1,024 bits set", "e4m3")
    check_page(bench.lr, "lr15", "6")


def test_registers_are_arrays_by_name(bench: Bench) -> None:
    names = ["lr", "cr", "aaq", "r", "mem_bypass", "r_cyclic", "r_mask", "r_acc", "mult_res"]
    assert list(bench.registers) == [*names, "aaq_result", "r0", "r1"]
    assert len(bench.registers) == 12
    assert bench.registers["lr"].tolist() == [6, 5] + [0] * 14
    bench.assert_bit_exact(bench.registers["r_acc"], bench.r_acc)
    assert "r9" not in bench.registers


def test_profiles_and_reports_are_tables(bench: Bench) -> None:
    assert bench.execution is not None
    kernel, recording = bench.execution.kernel, Recording()
    bench.pc = bench.lr[0] = 0
    recording.run(bench.model.make_machine(bench.state, {}), 1_000)
    profile = profile_of(recording, kernel)
    check_page(profile, "xmem", "incr lr0 1; bne lr0 lr1 row", "6")
    facts = control_facts(kernel.program)[0]
    page = check_page(performance_report(kernel.program, kernel.lines, facts), "row", "6")
    assert "8 cycles, 3 bundles" in page


def test_results_of_sweeps_show_arrays_and_the_first_failures(tmp_path: Path) -> None:
    path = tmp_path / "k.s"
    path.write_text(KERNEL)
    inputs = {"lr0": [0, *([6] * 12)]}
    found = sweep(path, inputs, outputs={"<b>": "lr"}, max_cycles=50).collect()
    page = check_page(found, "<b>", "(1, 16)", "10")
    assert "12 of 13 inputs failed, the first 10" in page
    assert len(repr(found.failures[0])) < 400


def test_a_strip_has_a_colour_for_every_element() -> None:
    colours = pixels(strip([1.0, -1.0, 0.0, float("nan"), float("inf"), 0.5] + [0.0] * 200).text)
    assert colours.shape == (2, 128, 3)
    red, blue, zero, nan, infinite, half = colours[0, :6].astype(int)
    assert red[0] > red[2]
    assert blue[2] > blue[0]
    assert len({*map(tuple, (red, blue, zero, nan, half))}) == 5
    assert tuple(infinite) == tuple(red)


def test_names_are_escaped() -> None:
    bench = Bench()
    bench.load_text("bkpt;;")
    assert bench._kernel is not None
    bench._kernel = bench._kernel._replace(name="<script>alert(1)</script>")
    assert "&lt;script&gt;" in check_page(bench)
    assert table(("<i>",), [("<b>&",)], "<u>").count("&lt;") == 3
