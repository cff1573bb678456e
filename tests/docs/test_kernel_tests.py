"""`docs/kernel-tests.md` runs as it is written, and fails as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ipu_asm.testbench import Bench

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "kernel-tests.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`(\S+)`[^\n]*:\n\n```\w+\n(.*?)^```", PAGE, re.S | re.M))
REPORTS = re.findall(r"^```text\n(.*?)^```", PAGE, re.S | re.M)

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def only_this_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs have this plugin and no other, whether the project is installed or not."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def check_page(
    pytester: pytest.Pytester, *arguments: str, change: tuple[str, str] = ("", ""), **outcomes: int
) -> str:
    """The files of the page, with a change of the kernel, have these outcomes; what pytest says."""
    assert set(FILES) == {"relu.s", "test_relu.py"}
    kernel = FILES["relu.s"]
    assert change[0] in kernel
    pytester.path.joinpath("relu.s").write_text(kernel.replace(*change), encoding="utf-8")
    pytester.path.joinpath("test_relu.py").write_text(FILES["test_relu.py"], encoding="utf-8")
    options = ("-p", "ipu_asm.testbench.pytest_plugin", "-p", "no:cacheprovider", "--color=no")
    result = pytester.runpytest_subprocess(*options, *arguments)
    result.assert_outcomes(**outcomes)
    return "\n".join(line.rstrip() for line in result.outlines)


def test_the_example_passes(pytester: pytest.Pytester) -> None:
    check_page(pytester, passed=6)


@pytest.mark.parametrize(
    ("report", "change"),
    [
        (0, ("acc.max.first", "acc.max")),
        (1, ("incr                  lr1 512", "incr                  lr1 256")),
    ],
)
def test_the_reports_are_those_of_the_page(
    pytester: pytest.Pytester, report: int, change: tuple[str, str]
) -> None:
    output = check_page(pytester, "-k", "int8-4", change=change, failed=1, deselected=5)
    assert len(REPORTS) == 3
    assert REPORTS[report] in output


def test_the_coverage_is_that_of_the_page(pytester: pytest.Pytester) -> None:
    output = check_page(pytester, "--ipu-cov", "-k", "not 4", passed=2, deselected=4)
    assert REPORTS[2] in output


def test_the_table_has_everything_public_and_nothing_else() -> None:
    _, table = PAGE.split("## The fixture `ipu`")
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = {name for cell in cells for name in re.findall(r"`([a-z_0-9]+)", cell)}
    assert named == {name for name in dir(Bench()) if not name.startswith("_")}
