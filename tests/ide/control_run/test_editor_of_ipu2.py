"""What an editor shows of the control run of kernels of `ipu2`."""

from __future__ import annotations

from pathlib import Path

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.ide.hints import code_lenses, inlay_hints
from ipu_asm.ide.hover import hover
from ipu_asm.ide.memory_map import memory_map
from ipu_asm.isa import load_isa
from ipu_asm.text import Span

PLANTED = Path(__file__).resolve().parents[2] / "data" / "planted"
LAYER = (PLANTED / "ipu2_layer.s").read_text("utf-8")


def analysis_of(text: str) -> Analysis:
    return Analyzer(load_isa("ipu2")).analyze(text)


def check_hover(text: str, *sentences: str) -> None:
    """The page of the word at `$0` has these sentences."""
    found = hover(analysis_of(text.replace("$0", "")), text.index("$0"))
    assert found is not None
    assert [each for each in sentences if each not in found.markdown] == []


def test_addresses_are_said_in_rows_and_in_bytes() -> None:
    text = LAYER.replace("LDR_MULT_REG r0", "$0LDR_MULT_REG r0")
    check_hover(text, "128 bytes at rows cr2 + k, k = 0..3 (bytes 0x0..0x1ff from cr2)")
    wide = text.replace("cr5 = 3", "cr5 = 3, wide = fp32")
    check_hover(wide, "512 bytes at rows cr2 + k, k = 0..3 (bytes 0x0..0x7ff from cr2)")


def test_a_load_of_the_cyclic_register_has_elements_of_any_size() -> None:
    for mode, size in (("off", 128), ("fp32", 512)):
        text = f"# CR wide = {mode}\n$0LDR_CYCLIC_MULT_REG lr0 cr2 lr1; BKPT;;"
        check_hover(text, f"{size} bytes at ", "128 elements of r_cyclic at 0")


def test_constants_and_registers_of_the_host_are_told_apart() -> None:
    check_hover("SET lr1 c$0r1;;\nBKPT;;", "Always 1")
    check_hover("SET lr1 c$0r15;;\nBKPT;;", "128 (0x80) unless the host sets it")
    check_hover("# CR cr15 = 64\nSET lr1 c$0r15;;\nBKPT;;", "Set by the host: 64")
    check_hover("ADD lr1 l$0r2 cr1;;\nBKPT;;", "Never written: 0")


def test_a_load_reads_memory_before_the_stores_of_its_bundle() -> None:
    text = "LDR_MULT_REG r0 lr0 cr2; $0STR_POST_AAQ_REG lr0 cr3;; BKPT;;"
    check_hover(text, "`xmem`, written here: `LDR_MULT_REG r0 lr0 cr2` sees the **old** value")


def test_loops_have_their_trips() -> None:
    analysis = analysis_of(LAYER)
    everything = Span(0, len(LAYER))
    hints = [hint.text for hint in inlay_hints(analysis, everything, {"trips"})]
    assert any("127" in label for label in hints)
    titles = [lens.text for lens in code_lenses(analysis, {"loops"})]
    assert any("127 trips" in title for title in titles)


def test_the_memory_map_has_the_bytes_of_rows() -> None:
    text = LAYER.replace("cr5 = 3", "cr5 = 3, cr2 = 0, cr3 = 4, cr6 = 200")
    [strip] = memory_map(analysis_of(text)).strips
    touched = [(region.range.start, region.range.stop) for region in strip.regions]
    assert touched == [(0, 4 * 128), (4 * 128, 133 * 128), (200 * 128, 203 * 128 + 512)]
