"""`ipu-dap` in the hands of Microsoft's own test client for debug adapters.

The sessions are in `dap_scenarios.js`; what they are about is said here.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest

from tests.editors.conftest import need
from tests.editors.install import command
from tests.editors.kernels import LOOP
from tests.editors.patience import soon
from tests.editors.user import PROJECT, User

SCENARIOS = Path(__file__).with_name("dap_scenarios.js")
LONGEST_S = 60
FAULTY = "set lr1 1;;\nldr_mult_reg r0 lr1 cr0;;\nbkpt;;\n"
ENDLESS = "forever:\n    incr lr1 1;;\n    b forever;;\n"
MISTAKEN = "incr lr1 1;;\nreset_ac;;\n"

Play = Callable[..., None]


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> User:
    """Somebody with `ipu-dap` on the PATH."""
    need("debugadapter-testsupport")
    return User(tmp_path_factory.mktemp("testsupport"), "emacs.md")


@pytest.fixture
def check_session(user: User) -> Play:
    """Plays a scenario on a program; fails with what the client saw."""

    def play(scenario: str, text: str, adapter: str = "") -> None:
        adapter = adapter or str(shutil.which("ipu-dap", path=user.environment["PATH"]))
        node = shutil.which("node")
        assert node, "Node.js must be on the PATH"
        done = subprocess.run(
            [node, str(SCENARIOS), scenario, adapter, str(user.kernel(text))],
            env=user.environment | {"NODE_PATH": str(command("debugadapter-testsupport"))},
            cwd=user.work,
            capture_output=True,
            encoding="utf-8",
            timeout=LONGEST_S,
        )
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        assert user.complaints() == ""
        assert soon(user.running_servers, []) == []

    return play


def test_a_session_walks_both_ways_and_ends_with_the_exit_code(check_session: Play) -> None:
    check_session("walk", LOOP)


def test_the_same_session_runs_over_a_socket(check_session: Play) -> None:
    adapter = [sys.executable, "-m", "ipu_lsp.debug_adapter", "--tcp", "127.0.0.1:0"]
    with subprocess.Popen(adapter, cwd=PROJECT, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            _, _, port = process.stderr.readline().strip().rpartition(":")
            check_session("walk", LOOP, port)
            assert process.wait(LONGEST_S) == 0
        finally:
            process.kill()


def test_a_condition_decides_where_it_stops(check_session: Play) -> None:
    check_session("condition", LOOP)


def test_running_backwards_finds_the_last_hit(check_session: Play) -> None:
    check_session("backwards", LOOP)


def test_a_changed_variable_changes_the_run(check_session: Play) -> None:
    check_session("edit", LOOP)


def test_a_data_breakpoint_stops_where_a_register_is_written(check_session: Play) -> None:
    check_session("data", LOOP)


def test_a_fault_stops_before_its_bundle_and_can_be_left_backwards(check_session: Play) -> None:
    check_session("fault", FAULTY)


def test_a_program_can_be_looked_through_and_started_again(check_session: Play) -> None:
    check_session("explore", LOOP)


def test_an_endless_program_can_be_paused_and_terminated(check_session: Play) -> None:
    check_session("pause", ENDLESS)


def test_what_cannot_be_done_is_refused_in_words(check_session: Play) -> None:
    check_session("refuse", MISTAKEN)
