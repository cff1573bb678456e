"""The pytest plugin: a fixture `ipu` to test kernels on, whose state is shown if the test fails.

The fixture `ipu_golden` has the golden files of a test. Every run of pytest imports this module, so
it loads neither numpy nor the emulator: the fixtures do. `docs/kernel-tests.md` has a worked
example.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Final, Generator

import pytest

if TYPE_CHECKING:
    from ipu_asm.testbench import Bench
    from ipu_asm.testbench.golden import GoldenFiles

_NEEDED = ("numpy", "ml_dtypes")
_BENCH: pytest.StashKey[Bench] = pytest.StashKey()
_GOLDEN: pytest.StashKey[GoldenFiles] = pytest.StashKey()
_UPDATE_GOLDEN: Final = "--update-golden"
_WRITTEN: Final = "ipu_golden_files"
"""Attribute of a report with the golden files that its test has written; workers send it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let engine and golden files of the fixtures be chosen, and coverage be asked for."""
    group = parser.getgroup("ipu")
    group.addoption(
        "--ipu-engine",
        choices=("auto", "core", "numpy"),
        help="what executes bundles for the fixture `ipu`; the results are the same",
    )
    group.addoption(
        _UPDATE_GOLDEN,
        action="store_true",
        help="write the golden files that the tests of this run check, instead of comparing",
    )
    group.addoption(
        "--ipu-cov",
        action="store_true",
        help="report which lines, bundles and branches of kernels were executed",
    )
    group.addoption(
        "--ipu-cov-report",
        action="append",
        default=[],
        metavar="REPORT",
        help="how to report it: `term`, `lcov:FILE` or `html:DIR`; repeatable (default: term)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Begin to collect coverage if it is asked for."""
    asked = config.getoption("--ipu-cov-report")
    if not (asked or config.getoption("--ipu-cov")):
        return
    try:
        from ipu_asm.testbench.coverage.pytest_session import CoverageSession, report_of
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        raise pytest.UsageError(f"--ipu-cov needs {error.name}, which is not installed") from None
    try:
        reports = [report_of(text) for text in asked]
    except ValueError as error:
        raise pytest.UsageError(f"--ipu-cov-report: {error}") from None
    session = CoverageSession(reports, str(config.rootpath))
    config.pluginmanager.register(session, "ipu-coverage")


@pytest.fixture
def ipu(request: pytest.FixtureRequest) -> Bench:
    """A machine for one test, in its initial state: see `ipu_asm.testbench.Bench`.

    Paths of kernels are relative to the file of the test, or to the root directory of the tests.
    """
    __tracebackhide__ = True
    try:
        from ipu_asm.testbench import Bench
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        pytest.fail(f"fixture `ipu` needs numpy and ml_dtypes, found no {error.name}", False)
    bench = Bench([request.path.parent, request.config.rootpath])
    engine = request.config.getoption("--ipu-engine", None)
    if engine is not None:
        bench.select_engine(engine)
    request.node.stash[_BENCH] = bench
    return bench


@pytest.fixture
def ipu_golden(request: pytest.FixtureRequest) -> GoldenFiles:
    """The golden files of one test: see `ipu_asm.testbench.golden.GoldenFiles`."""
    from ipu_asm.testbench.golden import GoldenFiles

    item, config = request.node, request.config
    _, _, test = item.nodeid.partition("::")
    file = os.path.relpath(request.path, config.invocation_params.dir)
    command = f"pytest {shlex.quote(f'{file}::{test}')} {_UPDATE_GOLDEN}"
    golden = GoldenFiles(request.path, test, command, config.getoption(_UPDATE_GOLDEN))
    item.stash[_GOLDEN] = golden
    return golden


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which golden files were written."""
    reports = [each for some in terminalreporter.stats.values() for each in some]
    written = sorted({name for each in reports for name in getattr(each, _WRITTEN, ())})
    if written:
        terminalreporter.section("golden files written")
        for name in written:
            terminalreporter.write_line(name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the state of the machine to the report of a failed test."""
    report = yield
    bench = item.stash.get(_BENCH, None)
    if report.failed and bench is not None and bench.kernel is not None:
        report.sections.append(("state of ipu", str(bench)))
    golden = item.stash.get(_GOLDEN, None)
    if golden is not None and golden.written and call.when == "call":
        setattr(report, _WRITTEN, golden.written)
    if bench is not None and call.when == "teardown":
        del item.stash[_BENCH]  # pytest keeps tests until the run ends; release the machine
    return report
