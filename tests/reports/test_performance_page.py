"""The page of `ipu-mca`: what the report has, in one file that needs nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.isa import load_isa
from ipu_asm.program.line_table import LineTable
from ipu_asm.reports.performance.page import region_map, report_page
from ipu_asm.reports.performance.report import PerformanceReport, performance_report
from ipu_asm.source.expansion import SourceSettings
from ipu_asm.text import SourceFile

TWO_REGIONS = """\
    set lr1 384;;
row:
    ldr_mult_reg r0 lr2 cr0;;
    xmem.store_aaq_result lr2 cr0;;
    ldr_mult_reg r1 lr2 cr1;
    incr lr2 128; bne lr2 lr1 row;;
    bkpt;;
"""


class Page(HTMLParser):
    """A page as tables of cell texts, with the classes of all elements; tags must be balanced."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.classes: list[str] = []
        self.text = ""
        self.tags: set[str] = set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not {name for name, _ in attrs} & {"src", "onclick", "href"}
        self.classes += (dict(attrs).get("class") or "").split()
        if tag != "meta":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data.strip()


def report_of(text: str, isa: str = "ipu", **presets: int) -> PerformanceReport:
    """The report of a program whose registers have these values at the start."""
    analysis = Analyzer(load_isa(isa)).analyze(text, settings=SourceSettings(presets=presets))
    program = analysis.effective_program
    facts = control_facts(program)
    return performance_report(program, LineTable(program), facts[0] if facts else None)


def check_page(report: PerformanceReport) -> Page:
    """The page of a report, which stands alone and has both colour schemes."""
    text = report_page(report, "a <b> kernel.s")
    page = Page(text)
    assert "script" not in page.tags
    assert "link" not in page.tags
    assert not re.search(r"https?:", text)
    assert "color-scheme: light dark" in text
    assert "a <b> kernel.s" in page.text
    return page


def test_a_page_has_cycles_loops_and_bounds() -> None:
    page = check_page(report_of(TWO_REGIONS))
    assert "14cycles" in page.text
    [heads] = [row for row in page.rows if row[0] == "loop"]
    [row] = [row for row in page.rows if row[0] == "row"]
    found = dict(zip(heads, row))
    assert found["line"] == "2"
    assert found["trips an entry"] == found["iterations"] == "4"
    assert found["cycles"] == "12"
    assert (found["xmem"], found["lr"], found["cond"]) == ("3", "1", "1")
    assert page.classes.count("bound") == 1


def test_a_page_has_a_strip_for_each_region_and_access() -> None:
    page = check_page(report_of(TWO_REGIONS, cr0=0, cr1=0x1000))
    assert page.classes.count("strip") == 1 + 2 + 3
    assert "all regions 0x0..0x127f" in page.text.replace("\n", "")
    assert "both" in page.classes
    assert ["5", "ldr_mult_reg", "reads 128", "0x1080..0x127f", "4", "4"] in page.rows


def test_regions_have_the_names_of_the_head_comment() -> None:
    text = "# Memory\n# 0x0000 128 bytes inputs\n# 0x1000 4 KiB weights\n" + TWO_REGIONS
    page = check_page(report_of(text, cr0=0, cr1=0x1000))
    assert "weights, cr1 = 0x1000" in page.text


def test_a_page_has_the_moves_that_save_bundles() -> None:
    page = check_page(report_of("set lr9 5;;\nx: incr lr1 1;;\nacc;;\nbne lr1 lr9 x;;\nbkpt;;"))
    assert "moves save 1 of 5 bundles, 5 of 17 cycles" in page.text
    [row] = [row for row in page.rows if row[0] == "2 to 4"]
    assert row[1:4] == ["3", "1", "5"]
    assert "No move" not in page.text


def test_a_strip_has_the_bytes_of_its_accesses() -> None:
    first, second = report_of(TWO_REGIONS, cr0=0x100, cr1=0x1000).regions
    assert region_map(first).extent == "0x100..0x2ff"
    [whole] = region_map(first).whole.pieces
    assert (whole.left, round(whole.width), whole.use) == (0, 100, "both")
    [strip] = region_map(second).accesses
    assert [piece.use for piece in strip.pieces] == ["read"]
    assert strip.name == "line 5: ldr_mult_reg"


def test_a_page_says_what_is_not_known() -> None:
    text = "add lr2 lr2 cr4;; x: ldr_mult_reg r0 lr1 cr0; incr lr1 1; bne lr1 lr2 x;; bkpt;;"
    page = check_page(report_of(text))
    assert "depend on cr4" in page.text
    assert "--cr 4=VALUE" in page.text
    assert ["1", "ldr_mult_reg", "reads 128", "cr0 + 1 + k, k < cr4 + 1", "?", "?"] in page.rows


def test_a_program_without_loops_and_accesses_has_a_page() -> None:
    page = check_page(report_of("bkpt;;"))
    assert "No loops." in page.text
    assert "Memory" not in page.text


def test_another_machine_has_a_page_without_cycles() -> None:
    page = check_page(report_of("sync 0xffffffff\n", "edgenpu"))
    assert "is not described" in page.text
    assert "cycles</div>" not in page.text


def test_where_data_decides_a_page_has_functions_and_loops_without_cycles() -> None:
    page = check_page(report_of(".text\nf:\n.Lx:\n  brnz $m0, .Lx\n", "colossus"))
    assert "bundles that one thread issues" in page.text
    assert "f, line 4: cycles not known, line 4 decides" in page.text
    assert "cycles</div>" not in page.text
    assert [row[0] for row in page.rows] == ["loop", ".Lx"]


def test_names_are_escaped() -> None:
    page = report_page(report_of("bkpt;;"), "far/a <b> kernel.s")
    assert '<h1 title="far/a &lt;b&gt; kernel.s">a &lt;b&gt; kernel.s</h1>' in page


def test_lines_lead_to_the_source() -> None:
    source = SourceFile(TWO_REGIONS.replace("cr1", "cr1 # <b>", 1), "a.s")
    text = report_page(report_of(TWO_REGIONS, cr0=4096, cr1=0), "a.s", source)
    lines = re.findall(r'href="#l(\d+)"', text)
    assert sorted(set(lines), key=int) == ["2", "3", "4", "5"]
    assert re.findall(r'<span id="l(\d+)">', text) == [str(line) for line in range(1, 8)]
    assert "# &lt;b&gt;" in text
    regions = re.findall(r"<p><code>(.*?)</code>", text)
    assert regions == ["cr1 = 0", "cr0 = 0x1000"]
