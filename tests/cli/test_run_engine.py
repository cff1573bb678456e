"""`ipu-run --engine`: which engine runs a program, and what is said about it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ipu_asm.cli.run.command import main
from ipu_asm.emulator.core import runner, runtime
from ipu_asm.emulator.machine import VARIABLE
from tests.cli.commands import Ran, run
from tests.emulator.core.engines import CORE_NAME

LOOP = """\
    set lr1 100;;
x:  incr lr0 1; break.ifeq lr0 50;;
    bne lr0 lr1 x;;
    bkpt;;
"""
CYCLES = 202


@pytest.fixture
def kernel(tmp_path: Path) -> str:
    path = tmp_path / "kernel.s"
    path.write_text(LOOP, encoding="utf-8")
    return str(path)


def ran(*arguments: str) -> Ran:
    return run(main, arguments)


def engine_line(text: str) -> str:
    return next(line for line in text.splitlines() if line.startswith("engine: "))


def test_the_chosen_engine_runs_the_program(kernel: str) -> None:
    result = ran(kernel, "-v", "--engine", "numpy")
    assert engine_line(result.out) == "engine: numpy, as chosen"
    result = ran(kernel, "--verbose", "--engine", "core")
    if CORE_NAME == "core":
        assert engine_line(result.out) == f"engine: core, {CYCLES} bundles"
    assert f"{CYCLES} cycles in" in result.out


def test_short_runs_do_without_the_core(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "_compiled", {})
    monkeypatch.setattr(runner, "_warm_up_done", {})
    monkeypatch.delenv(VARIABLE, raising=False)
    result = ran(kernel, "-v")
    assert engine_line(result.out) == "engine: numpy: the run was too short for the core"


def test_without_the_runtime_numpy_runs_and_says_why(
    kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "_compiled", {})
    monkeypatch.setattr(runtime._instances, "known", {}, raising=False)
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    result = ran(kernel, "--engine", "core", "-v")
    assert result.status == 0
    assert "numpy ran the program: `wasmtime` cannot be imported" in result.err
    assert engine_line(result.out).startswith("engine: numpy: `wasmtime` cannot be imported")


def test_breaks_and_assertions_stop_the_core_too(kernel: str, tmp_path: Path) -> None:
    results = []
    for engine in ("core", "numpy"):
        result = ran(kernel, "--engine", engine, "--break", "--json")
        results.append(json.loads(result.out))
        assert result.status == 0
        assert results[-1]["engine"] == (CORE_NAME if engine == "core" else "numpy")
    keys = ("stopped", "pc", "cycles", "registers", "message")
    assert [results[0][key] for key in keys] == [results[1][key] for key in keys]
    asserted = tmp_path / "asserted.s"
    asserted.write_text(LOOP.replace("x: ", "# ASSERT lr0 != 70\nx: "), encoding="utf-8")
    ends = [ran(str(asserted), "--engine", engine) for engine in ("core", "numpy")]
    assert [end.status for end in ends] == [1, 1]
    assert ends[0].err == ends[1].err


def test_an_unknown_engine_is_wrong_usage(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "expected one of auto, core, numpy, found `fast`" in ran(kernel, "--engine", "fast").err
    monkeypatch.setenv(VARIABLE, "fast")
    result = ran(kernel)
    assert result.status == 2
    assert f"{VARIABLE}: an engine is one of auto, core, numpy, found 'fast'" in result.err
