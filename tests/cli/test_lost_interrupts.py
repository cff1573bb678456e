"""A Ctrl-C that Python loses in a callback ends a command all the same."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import Any, Callable

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.encode import object_of
from ipu_asm.assembler.kernel import read_kernel
from ipu_asm.cli.assembler import command as assembler
from ipu_asm.cli.lint import command as lint
from ipu_asm.cli.run import command as ipu_run
from ipu_asm.targets.ipu.machine.ipu import Ipu
from tests.cli.commands import run
from tests.interrupting import LOSING, usual_handler

__all__ = ["usual_handler"]
pytestmark = [
    pytest.mark.usefixtures("usual_handler"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

Act = Callable[[], None]


FILES = {"a.s": "x: incr lr0 1; b x;;\n"}


@pytest.fixture(params=LOSING)
def lose(request: pytest.FixtureRequest) -> Act:
    act: Act = request.param
    return act


def after(function: Callable[..., Any], act: Act) -> Callable[..., Any]:
    """The function, after whose work something happens."""

    def changed(*arguments: Any, **named: Any) -> Any:
        result = function(*arguments, **named)
        act()
        return result

    return changed


def test_a_run_ends_where_the_program_is_read_or_bound(
    monkeypatch: pytest.MonkeyPatch, lose: Act
) -> None:
    monkeypatch.setattr(ipu_run, "read_kernel", after(read_kernel, lose))
    ran = run(ipu_run.main, ["a.s", "--max-cycles", "1000"])
    assert ran.status == 130
    assert ran.out.startswith("interrupted in front of bundle 0 (`x`, line 1)")


def test_a_run_ends_where_it_executes(monkeypatch: pytest.MonkeyPatch, lose: Act) -> None:
    monkeypatch.setattr(Ipu, "run", after(Ipu.run, lose))
    ran = run(ipu_run.main, ["a.s", "--max-cycles", "100_000"])
    assert ran.status == 130
    assert ran.out.splitlines()[1].startswith("2,000 cycles in ")


def test_linting_ends_with_the_status_of_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, lose: Act
) -> None:
    monkeypatch.setattr(Analyzer, "analyze", after(Analyzer.analyze, lose))
    assert run(lint.main, ["a.s"]).status == 130


def test_assembling_does_too(monkeypatch: pytest.MonkeyPatch, lose: Act) -> None:
    monkeypatch.setattr(assembler, "object_of", after(object_of, lose))
    assert run(assembler.main, ["assemble", "-o", "out", "a.s"]).status == 130


def test_a_watch_ends_wherever_it_was(monkeypatch: pytest.MonkeyPatch, lose: Act) -> None:
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        lose()

    monkeypatch.setattr(time, "sleep", wait)
    assert run(lint.main, ["--watch", "--no-cache", "a.s"]).status == 0
    assert len(waits) == 1
    monkeypatch.setattr(Analyzer, "analyze", after(Analyzer.analyze, lose))
    assert run(lint.main, ["--watch", "--no-cache", "a.s"]).status == 0
    assert len(waits) == 1


COMMANDS = ("ipu_lint", "ipu_as", "ipu_run", "ipu_mca", "ipu_fmt", "ipu_lsp", "ipu_dap")
PRESSED = """
import os, signal, sys
from importlib import import_module
command, pressed_at = sys.argv[1:]
class Finder:
    def find_spec(self, name, path, target=None):
        if name == pressed_at:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
module = "ipu_lsp" if command in ("ipu_lsp", "ipu_dap") else "ipu_asm.cli"
entry = getattr(import_module(module), command)
sys.argv[1:] = ["-"]
entry()
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_while_modules_are_loaded_ends_a_command_without_a_word(command: str) -> None:
    late = {"ipu_lint": "ipu_asm.cli.console", "ipu_dap": "ipu_lsp.transport"}
    arguments = [sys.executable, "-c", PRESSED, command, late.get(command, "ipu_asm.isa.model")]
    done = subprocess.run(arguments, capture_output=True, input=b"", timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")
