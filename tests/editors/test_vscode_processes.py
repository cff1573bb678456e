"""Nothing that a test has started outlives it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.editors.patience import soon
from tests.editors.vscode_processes import MARK, end_marked, marked
from tests.editors.vscode_server import VERSIONS, Server

SLEEPER = f"{sys.executable} -c 'import time; time.sleep(300)'"


def test_processes_that_left_their_parents_end_as_well(tmp_path: Path) -> None:
    environment = {**os.environ, MARK: str(tmp_path)}
    leaver = f"setsid {SLEEPER} & exec {SLEEPER}"
    process = subprocess.Popen(["sh", "-c", leaver], env=environment)
    assert soon(lambda: len(list(marked(tmp_path))), 2) == 2
    end_marked(tmp_path)
    process.wait(timeout=20)
    assert list(marked(tmp_path)) == []


def test_processes_of_other_folders_go_on(tmp_path: Path) -> None:
    environment = {**os.environ, MARK: str(tmp_path / "other")}
    with subprocess.Popen(["sleep", "300"], env=environment) as process:
        assert soon(lambda: len(list(marked(tmp_path / "other"))), 1) == 1
        end_marked(tmp_path)
        assert process.poll() is None
        process.kill()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_server_ends_with_its_test_also_when_that_fails(version: str, tmp_path: Path) -> None:
    server = Server(version, tmp_path / "code")

    def fail() -> None:
        with server:
            assert list(marked(tmp_path / "code"))
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert list(marked(tmp_path / "code")) == []


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "config.yaml").write_text("nonsense: true\n", encoding="utf-8")
    server = Server(VERSIONS[0], tmp_path / "code")
    with pytest.raises(AssertionError, match="nonsense"):
        server.__enter__()
    assert list(marked(tmp_path / "code")) == []
