"""`ipu-run --profile`: where the cycles went, as numbers and as a page."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ipu_asm.assembler.encode import assemble
from ipu_asm.cli.run.command import main
from ipu_asm.isa import load_isa
from ipu_asm.reports.reference import slot_colours
from tests.cli.commands import run
from tests.example_references import ROOT

# Counted by hand: inner runs 3 times for each of 4 outer turns.
NESTED = """\
    set lr5 2; set lr6 4;;      # <b>not bold</b> & so on
outer:
    set lr0 0;
    incr lr1 1;;
inner:
    incr lr0 1; mult.ee r0 lr0 lr0 lr0; acc;
    bne lr0 lr5 inner;;
    bne lr1 lr6 outer; acc.first;;
    b end;;
    acc;;
end: bkpt; incr lr7 0;;
"""
OUTER, INNER, CYCLES = 4, 12, 1 + 4 + 12 + 4 + 1 + 1
VOID = {"meta", "br", "hr"}


class Page(HTMLParser):
    """A page as tables of cell texts, with the classes of each cell; tags must be balanced."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.classes: list[list[list[str]]] = []
        self.text = ""
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
            self.classes.append([])
        elif tag == "tr":
            self.tables[-1].append([])
            self.classes[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.classes[-1][-1].append(dict(attrs).get("class") or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if "td" in self.open or "th" in self.open:
            self.tables[-1][-1][-1] += data


FILES = {"nested.s": NESTED}


def check_profile(arguments: str, name: str = "p.json", status: int = 0) -> str:
    """The profile that a run writes."""
    ran = run(main, [*arguments.split(), "--profile", name])
    assert ran.status == status, ran.err
    assert ran.out.splitlines()[-1] == f"wrote {name}"
    return Path(name).read_text(encoding="utf-8")


def data_of(arguments: str, status: int = 0) -> dict[str, Any]:
    """A profile as JSON."""
    data: dict[str, Any] = json.loads(check_profile(arguments, status=status))
    return data


def page_of(arguments: str, status: int = 0) -> Page:
    """A profile as a page, which needs nothing from outside and runs nothing."""
    text = check_profile(arguments, "p.html", status)
    assert text.startswith("<!DOCTYPE html>")
    page = Page(text)
    assert not page.tags & {"script", "link", "img", "iframe", "object"}
    assert not page.attributes & {"src", "onclick", "onload", "srcset"}
    assert not re.search(r"https?:|@import|url\(", text)
    assert "color-scheme: light dark" in text
    assert text.index("default-src 'none'") < text.index("<style>")
    return page


def test_cycles_of_bundles_and_lines_are_those_counted_by_hand() -> None:
    data = data_of("nested.s")
    assert (data["program"], data["stopped"], data["cycles"]) == ("nested.s", "halted", CYCLES)
    assert [bundle["cycles"] for bundle in data["bundles"]] == [1, OUTER, INNER, OUTER, 1, 0, 1]
    assert {line["line"]: line["cycles"] for line in data["lines"]} == {
        1: 1,
        3: OUTER,
        6: INNER,
        8: OUTER,
        9: 1,
        10: 0,
        11: 1,
    }
    assert sum(line["cycles"] for line in data["lines"]) == CYCLES
    assert data["hottest"] == [2, 1, 3, 0, 4, 6]
    assert data["bundles"][2] == {
        "pc": 2,
        "line": 6,
        "end_line": 7,
        "label": "inner",
        "cycles": INNER,
        "share": round(INNER / CYCLES, 6),
        "instructions": ["incr lr0 1", "mult.ee r0 lr0 lr0 lr0", "acc", "bne lr0 lr5 inner"],
    }
    assert data["bundles"][6]["instructions"] == ["bkpt"]


def test_slots_are_as_busy_as_counted_by_hand() -> None:
    slots = {slot["slot"]: slot for slot in data_of("nested.s")["slots"]}
    busy = {name: slot["busy"] for name, slot in slots.items()}
    assert busy == {
        "break": 0,
        "xmem": 0,
        "mult": INNER,
        "acc": INNER + OUTER,
        "aaq": 0,
        "lr": 2 + 2 * OUTER + INNER,
        "cond": INNER + OUTER + 1 + 1,  # `b end` skips a bundle, so it does something
    }
    assert {name: slot["possible"] for name, slot in slots.items()} == {
        name: CYCLES * (2 if name == "lr" else 1) for name in busy
    }
    assert slots["lr"]["share"] == round((2 + 2 * OUTER + INNER) / (2 * CYCLES), 6)


def test_loops_have_the_iterations_counted_by_hand() -> None:
    outer, inner = data_of("nested.s")["loops"]
    assert {key: outer[key] for key in outer if key != "slots"} == {
        "header": 1,
        "label": "outer",
        "first_line": 3,
        "last_line": 8,
        "depth": 0,
        "entries": 1,
        "iterations": OUTER,
        "cycles": 2 * OUTER + INNER,
        "share": round((2 * OUTER + INNER) / CYCLES, 6),
        "bundles_per_iteration": 5,
        "own_bundles_per_iteration": 2,
        "bundles": [1, 2, 3],
    }
    assert (inner["label"], inner["depth"], inner["bundles"]) == ("inner", 1, [2])
    assert (inner["entries"], inner["iterations"], inner["cycles"]) == (OUTER, INNER, INNER)
    assert inner["bundles_per_iteration"] == inner["own_bundles_per_iteration"] == 1
    assert outer["slots"]["acc"] == round((INNER + OUTER) / (2 * OUTER + INNER), 6)
    assert inner["slots"] == {
        "break": 0,
        "xmem": 0,
        "mult": 1,
        "acc": 1,
        "aaq": 0,
        "lr": 0.5,
        "cond": 1,
    }


def test_a_long_run_is_counted_to_the_cycle() -> None:
    Path("long.s").write_text("x: incr lr0 1;; b x;;")
    data = data_of("long.s --max-cycles 300_001", 1)
    assert (data["stopped"], data["cycles"]) == ("cycle-limit", 300_001)
    assert [bundle["cycles"] for bundle in data["bundles"]] == [150_001, 150_000]
    assert [loop["iterations"] for loop in data["loops"]] == [150_001]


def test_two_bundles_on_one_line_share_it() -> None:
    Path("line.s").write_text("acc;; acc;; bkpt;;")
    assert data_of("line.s")["lines"] == [{"line": 1, "cycles": 3}]
    source = page_of("line.s").tables[-1]
    assert source[1][:3] == ["1", "3", "100 %"]


def test_the_page_shows_what_is_hot_and_what_is_idle() -> None:
    page = page_of("nested.s")
    slots, loops, hottest, source = page.tables
    shares = {row[0].split()[0]: row[1] for row in slots}
    assert shares == {
        "xmem": "idle",
        "mult": "52.2 %",
        "acc": "69.6 %",
        "aaq": "idle",
        "lr": "47.8 %",
        "cond": "78.3 %",
    }
    assert "xmem, aaqidle slots" in page.text
    assert "innerhottest loop: 52.2 % of all cycles, 1 bundle per iteration" in page.text
    assert "6 of 7bundles executed" in page.text
    assert loops[0][:7] == [
        "loop",
        "lines",
        "entries",
        "iterations",
        "bundles per iteration",
        "without inner loops",
        "cycles",
    ]
    assert loops[1][:8] == ["outer", "3–8", "1", "4", "5", "2", "20", "87.0 %"]
    assert loops[2][:8] == ["inner", "6–7", "4", "12", "1", "all", "12", "52.2 %"]
    assert loops[2][8:] == ["idle", "100 %", "100 %", "idle", "50.0 %", "100 %"]
    assert hottest[1][:4] == ["12", "52.2 %", "2 inner", "6"]
    assert [row[1] for row in source[1:]] == [
        "1", "", "4", "", "", "12", "", "4", "1", "never", "1",
    ]  # fmt: skip


def test_the_source_is_warm_where_it_was_executed() -> None:
    page = page_of("nested.s")
    warmth = [row[-1].split()[1:] for row in page.classes[-1][1:]]
    cold, some, hot = ["h3"], ["h6"], ["h9"]
    assert warmth == [cold, [], some, some, [], hot, hot, some, cold, ["h0"], cold]
    brackets = [row[3].rstrip() for row in page.tables[-1][1:]]
    assert brackets == ["", "", "┌", "│", "│", "│┌", "│└", "└", "", "", ""]


def test_whatever_the_source_says_is_shown_as_text() -> None:
    name = "<i>&.s"
    content = NESTED.encode() + b"# \xc2\x9b \x00 \xe2\x80\xae </table>\n# \xf0\x9f\x98\x80\n"
    Path(name).write_bytes(content)
    page = page_of(name)
    assert name in page.text
    source = page.tables[-1]
    assert source[1][-1].endswith("# <b>not bold</b> & so on")
    assert source[-2][-1] == "# \ufffd \u2400 \ufffd </table>"
    assert source[-1][-1] == "# \U0001f600"
    assert len(page.tables) == 4


def test_a_run_without_a_loop_or_a_bundle_has_a_page() -> None:
    Path("flat.s").write_text("acc_nop;; bkpt;;")
    page = page_of("flat.s")
    assert "No loop was executed." in page.text
    assert "2 of 2bundles executed" in page.text
    assert page.tables[1][1][-1] == "(empty)"
    Path("fault.s").write_text("set lr1 1; ldr_cyclic_mult_reg lr0 cr0 lr1;;")
    page = page_of("fault.s", 1)
    assert "0 of 1bundles executed" in page.text
    assert page.tables[-1][1][1] == "never"
    data = data_of("fault.s", 1)
    assert (data["cycles"], data["loops"], data["hottest"]) == (0, [], [])
    assert data["message"].startswith("fault in bundle 0 (line 1): the cyclic index")


def test_bundles_that_were_never_loaded_are_counted() -> None:
    Path("short.s").write_text("acc;;")
    data = data_of("short.s")
    assert data["cycles"] == len(data["bundles"]) == 1024
    assert data["bundles"][-1]["line"] is None
    page = page_of("short.s")
    assert "1 of 1bundles executed" in page.text
    assert page.tables[-2][2][-1] == "(not loaded)"


def test_an_image_is_shown_as_its_disassembly() -> None:
    Path("nested.hex").write_text("".join(f"{word:#x}\n" for word in assemble(NESTED)))
    page = page_of("nested.hex")
    assert "nested.hex (disassembled)" in page.text
    assert page.tables[1][1][:5] == ["L1", "2–4", "1", "4", "5"]
    assert page.tables[-1][3][1] == "12"


def test_an_image_that_assembly_cannot_say_has_a_page() -> None:
    Path("odd.hex").write_text(f"{assemble('bkpt;;')[0] | 3 << 94:#x}\n")
    page = page_of("odd.hex", 1)
    assert page.tables[-1][1][1] == "never"
    assert page.tables[-1][1][-1].startswith("<invalid>; bkpt;;")


@pytest.mark.parametrize("seed", range(5))
def test_every_bundle_of_any_image_has_a_line(seed: int) -> None:
    rng = Random(seed)
    words = [rng.getrandbits(179) for _ in range(50)] + [assemble("acc;;")[0] | 15 << 109]
    Path("odd.hex").write_text("".join(f"{word:#x}\n" for word in words))
    main(["odd.hex", "--profile", "p.json"])
    bundles = json.loads(Path("p.json").read_text())["bundles"]
    assert [bundle["line"] for bundle in bundles[: len(words)]] == list(range(1, len(words) + 1))


def test_the_layer_spends_its_time_in_one_bundle() -> None:
    arguments = f"{ROOT}/examples/fully_connected.s --cr 1=0x20000 --cr 2=0x40000"
    sample, element = data_of(arguments)["loops"]
    assert (sample["iterations"], sample["bundles_per_iteration"]) == (10, 130)
    assert (element["iterations"], element["bundles_per_iteration"]) == (1280, 1)
    assert [name for name, share in element["slots"].items() if share == 0] == ["break", "aaq"]


TEMPLATE = """\
{# two rows #}
{% for row in range(2) %}
    incr lr0 {{ row }};;
{% endfor %}
bkpt;;
"""


def test_a_template_is_profiled_as_it_was_written() -> None:
    Path("rows.s").write_text(TEMPLATE)
    data = data_of("rows.s")
    assert data["lines"] == [{"line": 3, "cycles": 2}, {"line": 5, "cycles": 1}]
    bundles = [(bundle["line"], bundle.get("stack")) for bundle in data["bundles"]]
    assert bundles == [(3, ["for row = 0"]), (3, ["for row = 1"]), (5, None)]
    page = page_of("rows.s")
    rows = [row for table in page.tables for row in table]
    assert ["1", "33.3 %", "1", "3 for row = 1", "incr lr0 1"] in rows
    assert any(row[0] == "3" and row[1] == "2" for row in rows)


def test_all_lines_of_a_bundle_are_as_warm_as_its_iterations() -> None:
    Path("rows.s").write_text(TEMPLATE.replace("incr lr0 {{ row }};;", "acc;\nincr lr0 1;;"))
    (*_, source) = page_of("rows.s").classes
    assert [cells[-1] for cells in source[3:5]] == ["code h9", "code h9"]


FAULT = """\
# The rows of X.
#
# cr1: where X is
# lr0: the row
# lr1: one too many
    set lr1 -1;;
step: incr lr0 1;
    acc; ldr_mult_reg r0 lr1 cr0;;
"""


def test_a_fault_is_told_as_an_error_and_its_line_is_marked() -> None:
    Path("fault.s").write_text(FAULT)
    text = check_profile("fault.s", "p.html", 1)
    assert re.search(
        r'<p class="stop error">fault in bundle 1 .*<a href="#L8">line 8</a></p>', text
    )
    assert re.findall(r'<tr id="(L\d+)" class="fault">', text) == ["L8"]
    assert Page(text).tables[-1][-1][-1].endswith("the fault")


def test_a_run_that_does_not_halt_is_told_as_a_warning() -> None:
    Path("long.s").write_text("x: incr lr0 1;; b x;;")
    text = check_profile("long.s --max-cycles 30", "p.html", 1)
    assert '<p class="stop warning">stopped at the cycle limit' in text


def test_the_title_is_the_name_of_the_kernel_and_not_its_path() -> None:
    text = check_profile(str(Path("nested.s").absolute()), "p.html")
    assert f'<h1 title="{Path("nested.s").absolute()}">nested.s</h1>' in text
    assert "<title>nested.s: profile</title>" in text


def test_a_long_comment_at_the_head_is_folded() -> None:
    Path("fault.s").write_text(FAULT)
    text = check_profile("fault.s", "p.html", 1)
    assert "<summary>5 lines of comments at the head</summary>" in text
    (*_, head, source) = Page(text).tables
    assert [row[0] for row in head] == ["1", "2", "3", "4", "5"]
    assert [row[0] for row in source[1:]] == ["6", "7", "8"]


def test_mnemonics_and_bars_have_the_colours_of_their_slots() -> None:
    text = check_profile("nested.s", "p.html")
    classes = slot_colours(load_isa("ipu"))
    shown = {
        (number, slot) for number, slot in re.findall(r'<b class="s(\d)" title="(\w+)">', text)
    }
    assert shown == {(str(classes[slot]), slot) for slot in ("mult", "acc", "lr", "cond")}
    assert f'<tr class="s{classes["mult"]}"><td><code>mult</code>' in text
    (line,) = re.findall(r'<tr id="L6">.*', text)
    assert re.findall(r"<b [^>]*>([^<]*)", line) == ["incr", "mult.ee", "acc"]


SLOWER = NESTED.replace("set lr6 4;;", "set lr6 5;;").replace("b end;;", "b end;;\n    acc_nop;;")
SLOWER_LINES = [
    "against the baseline: 23 -> 28 cycles (+5, +21.7 %)",
    "  lines 3 to 8, was lines 3 to 8: 3 bundles, 20 -> 25 cycles (+5)",
]


def check_baseline(arguments: str, *lines: str) -> None:
    """Asserts that a run with a baseline ends with these lines."""
    ran = run(main, arguments.split())
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines()[2:] == [*lines]


def test_a_run_is_compared_with_the_profile_of_a_run_before() -> None:
    check_profile("nested.s", "old.json")
    Path("new.s").write_text(SLOWER)
    check_baseline("new.s -W --baseline old.json", *SLOWER_LINES)
    check_baseline("nested.s -W --baseline old.json", "against the baseline: 23 cycles, no change")
    data = json.loads(run(main, ["new.s", "-W", "--json", "--baseline", "old.json"]).out)[
        "baseline"
    ]
    assert data["cycles"] == CYCLES
    assert [each["cycles"] for each in data["differences"]] == [[20, 25]]


def test_a_profile_may_replace_its_baseline() -> None:
    check_profile("nested.s", "last.json")
    Path("new.s").write_text(SLOWER)
    check_baseline(
        "new.s -W --baseline last.json --profile last.json", "wrote last.json", *SLOWER_LINES
    )
    assert json.loads(Path("last.json").read_text())["cycles"] == CYCLES + 5


def test_a_page_and_data_are_written_in_one_run() -> None:
    ran = run(main, ["nested.s", "--profile", "p.html", "--profile", "p.json"])
    assert ran.out.splitlines()[-1] == "wrote p.html, p.json"
    assert json.loads(Path("p.json").read_text())["cycles"] == CYCLES
    assert "<h1>nested.s</h1>" in Path("p.html").read_text()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"bundles": 1}', "<html>"])
def test_another_file_is_no_baseline(text: str) -> None:
    Path("other.json").write_text(text)
    ran = run(main, ["nested.s", "--baseline", "other.json"])
    assert (ran.status, ran.out) == (2, "")
    assert "other.json: expected a profile that `--profile FILE.json` has written" in ran.err
