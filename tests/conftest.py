"""How the tests with random examples draw them, and what every test must not exceed.

A run of the tests says the same each time, so that what fails has been broken. Who wants to find
what nobody has thought of yet runs ``pytest --hypothesis-profile=search`` now and then.
"""

from __future__ import annotations

import gc
import os
import signal
import tempfile

import pytest
from hypothesis import HealthCheck, settings

from tests.bounds import pytest_runtest_call, pytest_runtest_setup

__all__ = ["pytest_runtest_call", "pytest_runtest_setup"]

# Nothing here depends on the clock: on a busy machine everything takes its time.
_PATIENT = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
settings.register_profile("same", _PATIENT, derandomize=True, max_examples=30)
settings.register_profile(
    "search", _PATIENT, derandomize=False, max_examples=2_000, print_blob=True
)
settings.load_profile("same")


# No test, and no program that one starts, leaves anything in the real home.
_CACHE = tempfile.TemporaryDirectory(prefix="ipu-tests-cache-")
os.environ["IPU_CACHE_DIR"] = _CACHE.name


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update`, with which tests on files of expected outputs write these files anew."""
    parser.addoption("--update", action="store_true", help="write expected outputs anew")


def pytest_sessionstart() -> None:
    """Let Ctrl-C work in the processes that tests start.

    A shell that runs the tests in the background has them, and all that they start, ignore it.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Leave what collecting has made out of garbage collections, which become short.

    Otherwise garbage of up to a quarter of all that lives would wait for a full collection. Of the
    default, a collection after each 700 objects, a program that is analysed has dozens: 7 % of all
    processor time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)


@pytest.fixture
def short_control_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is executed bundle by bundle for the facts of an edit ends after 2,000 of them.

    For tests of thousands of programs that ask about something else: most of their time went into
    endless loops, which are followed for 20,000 bundles.
    """
    monkeypatch.setattr("ipu_asm.flow.control_run.facts._MAX_STEPS", 2_000)
