"""`pytest --ipu-cov` in runs of pytest as users start them: each in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = "ipu_asm.testbench.pytest_plugin"

pytest_plugins = ["pytester"]

KERNELS = {
    "count.s": "a: incr lr0 1; bne lr0 lr1 a;;\n    beq lr0 lr2 end;;\n    acc;;\nend: bkpt;;\n",
    "twice.asm": "{% for n in range(2) %}\n    acc;;\n{% endfor %}\n    bkpt;;\n",
    "never.s": "bkpt;;\n",
}
TEST = """
import pytest

@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_count(ipu, number):
    ipu.load("count.s")
    ipu.lr[1] = number
    assert ipu.run().cycles == number + 4

def test_twice(ipu):
    ipu.load("twice.asm")
    ipu.run()

def test_not_run(ipu):
    ipu.load("never.s")
"""
TABLE = [
    "kernel     lines  bundles  branches  cover  missing",
    "count.s      4/4      4/4       3/4    88%  2 branch never taken",
    "twice.asm    2/2      2/2       0/0   100%",
    "all          6/6      6/6       3/4    90%",
]


@pytest.fixture(autouse=True)
def only_this_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs have this plugin and no other, whether the project is installed or not."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def check_coverage(
    pytester: pytest.Pytester, *arguments: str, test: str = TEST, status: int = 0
) -> str:
    """Run the tests of two kernels; what pytest prints."""
    for name, text in KERNELS.items():
        pytester.path.joinpath(name).write_text(text, encoding="utf-8")
    pytester.makepyfile(test_kernels=test)
    options = ("-p", PLUGIN, "-p", "no:cacheprovider", "--color=no")
    result = pytester.runpytest_subprocess(*options, *arguments)
    assert result.ret == status, result.stderr.str()
    return result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize("workers", [(), ("-p", "xdist.plugin", "-n", "2")], ids=["one", "xdist"])
def test_the_summary_counts_all_tests_of_all_workers(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    options = ("--ipu-cov-report=term", "--ipu-cov-report=lcov:k.info", "--ipu-cov-report=html:h")
    output = check_coverage(pytester, *options, *workers)
    lines = output.splitlines()
    start = lines.index(TABLE[0])
    assert [line.rstrip() for line in lines[start : start + 6]] == [
        *TABLE, "wrote k.info", "wrote h/index.html",
    ]  # fmt: skip
    assert "never.s" not in output
    text = pytester.path.joinpath("k.info").read_text(encoding="utf-8")
    assert "SF:count.s\nBRDA:1,0,0,10\nBRDA:1,0,1,4\n" in text
    assert "SF:twice.asm\nBRF:0\nBRH:0\nDA:2,2\nDA:4,1\n" in text
    assert len(list(pytester.path.joinpath("h").iterdir())) == 3


def test_without_the_option_nothing_is_counted(pytester: pytest.Pytester) -> None:
    test = """
    import sys

    def test_it(ipu):
        ipu.load("count.s")
        ipu.lr[1] = 1
        ipu.run()
        assert "ipu_asm.testbench.coverage.pytest_session" not in sys.modules
    """
    assert "coverage" not in check_coverage(pytester, test=test)


def test_what_cannot_be_reported_is_told(pytester: pytest.Pytester) -> None:
    wrong = check_coverage(pytester, "--ipu-cov-report=xml", status=4)
    assert "--ipu-cov-report: expected term, lcov:FILE or html:DIR, found `xml`" in wrong
    nowhere = ("--ipu-cov-report=lcov:no/k.info", "--ipu-cov-report=html:count.s")
    lost = check_coverage(pytester, *nowhere, status=4)
    assert "--ipu-cov-report=lcov: " in lost
    assert "/count.s: file exists" in lost
    empty = check_coverage(pytester, "--ipu-cov", "-k", "not_run")
    assert "no kernel of a file was run" in empty
