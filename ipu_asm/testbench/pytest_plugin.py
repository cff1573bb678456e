"""The pytest plugin: a fixture `ipu` to test kernels on, whose state is shown if the test fails.

Every run of pytest imports this module, so it loads neither numpy nor the emulator: the fixture
does. `docs/kernel-tests.md` has a worked example.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generator

import pytest

if TYPE_CHECKING:
    from ipu_asm.testbench import Bench

_BENCH: pytest.StashKey[Bench] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the engine of the fixture be chosen."""
    parser.getgroup("ipu").addoption(
        "--ipu-engine",
        choices=("auto", "core", "numpy"),
        help="what executes bundles for the fixture `ipu`; the results are the same",
    )


@pytest.fixture
def ipu(request: pytest.FixtureRequest) -> Bench:
    """A machine for one test, in its initial state: see `ipu_asm.testbench.Bench`.

    Paths of kernels are relative to the file of the test, or to the root directory of the tests.
    """
    __tracebackhide__ = True
    try:
        from ipu_asm.testbench import Bench
    except ModuleNotFoundError as error:
        if error.name not in ("numpy", "ml_dtypes"):
            raise
        pytest.fail(f"fixture `ipu` needs numpy and ml_dtypes, found no {error.name}", False)
    bench = Bench([request.path.parent, request.config.rootpath])
    engine = request.config.getoption("--ipu-engine", None)
    if engine is not None:
        bench.select_engine(engine)
    request.node.stash[_BENCH] = bench
    return bench


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the state of the machine to the report of a failed test."""
    report = yield
    bench = item.stash.get(_BENCH, None)
    if report.failed and bench is not None and bench.kernel is not None:
        report.sections.append(("state of ipu", str(bench)))
    if bench is not None and call.when == "teardown":
        del item.stash[_BENCH]  # pytest keeps tests until the run ends; release the machine
    return report
