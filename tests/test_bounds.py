"""A test that takes too long or too much memory fails, and only that one."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[1]
CONFTEST = """
import tests.bounds as bounds
from tests.bounds import pytest_runtest_call, pytest_runtest_setup

bounds.MOST_SECONDS = 0.3
bounds.MOST_MEBIBYTES = bounds._peak_mebibytes() + 50
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Runs of pytest with small bounds and no other plugin."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest(CONFTEST)
    return pytester


def check_pytest(run: pytest.Pytester, test: str, *lines: str, **outcomes: int) -> None:
    """How the tests of a file end, and lines of what is printed."""
    run.makepyfile(test)
    result = run.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines(lines)


def test_processor_time_counts_and_waiting_does_not(run: pytest.Pytester) -> None:
    check_pytest(
        run,
        """
        import time, pytest

        def work():
            began = time.process_time()
            while time.process_time() - began < 0.4: pass

        @pytest.fixture
        def slow(): work()

        def test_busy(): work()
        def test_waiting(): time.sleep(0.4)
        def test_prepared(slow): pass
        """,
        "a test may take 0.3 s of processor time, found 0.* s",
        passed=1,
        failed=1,
        errors=1,
    )


def test_the_test_fails_in_which_the_memory_grows_past_the_bound(run: pytest.Pytester) -> None:
    check_pytest(
        run,
        """
        def test_small(): pass
        def test_big(): assert b"1" * (100 << 20)
        def test_after(): pass
        """,
        "a process of the tests may take * MiB, found * MiB",
        "FAILED *::test_big*",
        passed=2,
        failed=1,
    )
