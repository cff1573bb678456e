"""Coverage is told at the lines that the author wrote, and runs add up."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm import assemble, load_isa
from ipu_asm.assembler.images import encode_image
from ipu_asm.testbench import Bench, collected_coverage
from ipu_asm.testbench.coverage import (
    Branch,
    Coverage,
    KernelCoverage,
    Outcomes,
    Place,
    Share,
    WrittenBundle,
)
from ipu_asm.testbench.coverage.formats import INDEX, coverage_page, coverage_pages, lcov_text

LOOP = """\
# counts
    set lr1 3;
    set lr2 4;;             # one bundle of two lines
loop: incr lr0 1; bne lr0 lr1 loop;;

    beq lr0 lr2 end;;
    acc;; acc.first;;
    acc;;
end: bkpt;; incr lr3 1;;
"""
TEMPLATE = """\
{% macro step(n) %}
    incr lr0 {{ n }};;
    beq lr0 lr1 end;;
{% endmacro %}
{{ step(1) }}
{% for n in range(steps) %}
{{ step(2) }}
{% endfor %}
    acc;;
end:
    bkpt;;
"""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check_coverage(
    text: str, *runs: dict[str, int], lines: dict[int, int], missing: str
) -> KernelCoverage:
    """Runs of a kernel, with lr1 and variables of a template, execute lines this often."""
    Path("k.s").write_text(text)
    with collected_coverage() as collector:
        for run in runs:
            bench = Bench()
            bench.load("k.s", defines={n: value for n, value in run.items() if n != "lr1"})
            bench.lr[1] = run.get("lr1", 0)
            bench.run()
    (kernel,) = collector.coverage.kernels.values()
    ((path, file),) = kernel.files.items()
    assert path == str(Path.cwd() / "k.s")
    assert {number: line.executions for number, line in file.items()} == lines
    assert kernel.missing == missing
    assert kernel.runs == len(runs)
    return kernel


def test_lines_bundles_and_branches_are_those_of_the_run() -> None:
    kernel = check_coverage(
        LOOP,
        {},
        lines={2: 1, 3: 1, 4: 4, 6: 1, 7: 0, 8: 0, 9: 1},
        missing="7-8, 6 branch always taken, 9 1 of 2 bundles never executed",
    )
    assert (kernel.lines, kernel.bundle_share) == (Share(5, 7), Share(4, 8))
    assert kernel.branch_share == Share(3, 4)
    assert kernel.total.percent == 73


def test_copies_of_macros_and_contexts_count_together_at_the_written_lines() -> None:
    check_coverage(
        TEMPLATE,
        {"steps": 1, "lr1": 9},
        {"steps": 4, "lr1": 1},
        lines={2: 3, 3: 3, 9: 1, 11: 2},
        missing="",
    )
    check_coverage(
        TEMPLATE,
        {"steps": 4, "lr1": 1},
        lines={2: 1, 3: 1, 9: 0, 11: 1},
        missing="9, 3 branch always taken",
    )


def test_a_header_counts_over_the_kernels_that_include_it() -> None:
    coverage = Coverage()
    for name, count in (("a", 2), ("b", 0)):
        kernel = KernelCoverage(name, "ipu")
        kernel.add_bundle(WrittenBundle(Place(name, 1, 1), ((name, 1), ("h", 4))), 1)
        kernel.add_bundle(WrittenBundle(Place("h", 5, 1), (("h", 5),)), count)
        coverage.add(kernel)
    assert coverage.kernels["b"].missing == "h:5"
    records = lcov_text(coverage).split("end_of_record\n")[:-1]
    assert [record.split("\n")[1] for record in records] == ["SF:a", "SF:b", "SF:h"]
    assert "DA:4,1\nDA:5,2\n" in records[2]


def test_nested_collections_count_both_and_nothing_is_counted_outside() -> None:
    Path("k.s").write_text(LOOP)
    bench = Bench()
    bench.load("k.s")

    def run() -> None:
        bench.lr[0] = 0
        bench.run()

    with collected_coverage() as outer:
        with collected_coverage() as inner:
            run()
        run()
    run()
    assert [c.coverage.kernels[str(Path("k.s").absolute())].runs for c in (inner, outer)] == [1, 2]


def test_images_and_texts_have_no_file_and_kernels_that_are_not_run_are_left_out() -> None:
    Path("k.s").write_text(LOOP)
    Path("k.hex").write_bytes(encode_image(assemble("bkpt;;"), load_isa("ipu"), "hex"))
    with collected_coverage() as collector:
        bench = Bench()
        bench.load("k.s")
        bench.load_text("bkpt;;")
        bench.run()
        bench.load("k.hex")
        bench.run()
    assert collector.coverage.kernels == {}
    assert collector.images == {"k.hex"}


def test_lcov_has_a_record_that_its_readers_understand() -> None:
    kernel = check_coverage(
        LOOP,
        {},
        lines={2: 1, 3: 1, 4: 4, 6: 1, 7: 0, 8: 0, 9: 1},
        missing="7-8, 6 branch always taken, 9 1 of 2 bundles never executed",
    )
    coverage = Coverage()
    coverage.add(kernel)
    assert lcov_text(coverage).splitlines() == [
        "TN:", "SF:k.s", "BRDA:4,0,0,3", "BRDA:4,0,1,1", "BRDA:6,0,0,1", "BRDA:6,0,1,0",
        "BRF:4", "BRH:3", "DA:2,1", "DA:3,1", "DA:4,4", "DA:6,1", "DA:7,0", "DA:8,0", "DA:9,1",
        "LF:7", "LH:5", "end_of_record",
    ]  # fmt: skip


def test_pages_show_the_source_with_counts_and_say_what_is_missing() -> None:
    kernel = check_coverage(
        LOOP.replace("# counts", "# <counts> & more"),
        {},
        lines={2: 1, 3: 1, 4: 4, 6: 1, 7: 0, 8: 0, 9: 1},
        missing="7-8, 6 branch always taken, 9 1 of 2 bundles never executed",
    )
    page = coverage_page(kernel)
    for shown in ("&lt;counts&gt; &amp; more", ">branch always taken<", ">never<", ">3 of 4<"):
        assert shown in page
    assert not {"<script", "http", "url("} & set(page.split())
    assert "<details" not in page
    commented = check_coverage("# a line\n" * 9 + "bkpt;;\n", {}, lines={10: 1}, missing="")
    assert "comment in lines 1 to 9<" in coverage_page(commented)
    coverage = Coverage()
    coverage.add(kernel)
    pages = dict(coverage_pages(coverage))
    assert len(pages) == 2
    assert all(name in pages[INDEX] for name in pages.keys() - {INDEX})
    coverage.add(KernelCoverage("k\udcff.s", "ipu"))  # a name that is no text
    assert len(dict(coverage_pages(coverage))) == 3
    coverage.add(KernelCoverage("50%20 #ä.s", "ipu"))
    assert '<a href="50%2520%20%23%C3%A4.s.' in dict(coverage_pages(coverage))[INDEX]
    Path("k.s").unlink()
    assert "k.s: cannot be shown" in coverage_page(kernel)


PLACES = st.builds(Place, st.sampled_from(["a", "b"]), st.integers(1, 3), st.just(1))
KERNELS = st.builds(
    lambda place, count, taken: kernel_of(place, count, taken),
    PLACES, st.integers(0, 2), st.integers(0, 2),
)  # fmt: skip


def kernel_of(place: Place, count: int, taken: int) -> KernelCoverage:
    """A kernel of one bundle with a branch."""
    kernel = KernelCoverage("k", "ipu")
    kernel.add_bundle(WrittenBundle(place, ((place.path, place.line),)), count)
    kernel.add_branch(Branch(place, "beq"), Outcomes(min(taken, count), max(0, count - taken)))
    return kernel


@given(st.lists(KERNELS, max_size=5), st.integers(0, 5))
def test_merging_is_the_same_in_any_order_and_through_data(
    kernels: list[KernelCoverage], at: int
) -> None:
    together, parts = Coverage(), (Coverage(), Coverage())
    for number, kernel in enumerate(kernels):
        together.add(kernel)
        parts[number < at].add(kernel)
    merged = Coverage.of_data(parts[1].data)
    merged.update(Coverage.of_data(parts[0].data))
    assert lcov_text(merged) == lcov_text(together)
