"""Which engine runs a machine, and why."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from types import ModuleType

import pytest

from ipu_asm.emulator import Ipu, ProgramError
from ipu_asm.emulator.core import runner, runtime
from ipu_asm.emulator.machine import VARIABLE, Engine, default_engine
from tests.emulator.core.engines import CORE_NAME, machine_on
from tests.emulator.machines import busy_ipu, ipu_with

LOOP = "set lr1 20000;; x: incr lr0 1; acc; bne lr0 lr1 x;; bkpt;;"


@pytest.fixture
def _no_core_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has not loaded a core."""
    monkeypatch.setattr(runtime, "_compiled", {})
    monkeypatch.setattr(runner, "_warm_up_done", {})
    monkeypatch.setattr(runtime._instances, "known", {}, raising=False)


def on_core(ipu: Ipu) -> Ipu:
    ipu.engine_choice = Engine.CORE
    return ipu


def test_the_environment_chooses_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    for engine in Engine:
        monkeypatch.setenv(VARIABLE, engine.value)
        assert busy_ipu().engine_choice is engine
    monkeypatch.setenv(VARIABLE, "")
    assert default_engine() is Engine.AUTO


def test_an_unknown_engine_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "fast")
    with pytest.raises(ValueError, match="an engine is one of auto, core, numpy, found 'fast'"):
        default_engine()


def test_numpy_can_be_chosen() -> None:
    ipu = machine_on(Engine.NUMPY, ipu_with(LOOP).state)
    ipu.run(1000)
    assert (ipu.engine, ipu.why_numpy, ipu.bundles_on_core) == ("numpy", "it was chosen", 0)


@pytest.mark.usefixtures("_no_core_yet")
def test_short_runs_load_no_core() -> None:
    ipu = ipu_with(LOOP)
    ipu.run(100)
    assert (ipu.bundles_on_core, runtime._compiled) == (0, {})


@pytest.mark.usefixtures("_no_core_yet")
def test_a_long_run_goes_on_on_the_core() -> None:
    ipu = ipu_with(LOOP)
    assert ipu.run(100_000) == 20_003
    assert ipu.state.regfile.get_lr(0) == 20_001
    expected = 20_003 - runner.WARM_UP if CORE_NAME == "core" else 0
    assert ipu.bundles_on_core == expected


@pytest.mark.usefixtures("_no_core_yet")
def test_without_the_runtime_numpy_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    ipu = on_core(ipu_with(LOOP))
    assert ipu.run(100_000) == 20_003
    assert ipu.engine == "numpy"
    assert ipu.why_numpy.startswith("`wasmtime` cannot be imported")


@pytest.mark.usefixtures("_no_core_yet")
def test_with_a_runtime_of_another_interface_numpy_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = ModuleType("wasmtime")
    stranger.__version__ = "99.0"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wasmtime", stranger)
    ipu = on_core(ipu_with(LOOP))
    assert ipu.run(100_000) == 20_003
    assert ipu.why_numpy.startswith("`wasmtime` 99.0 cannot compile core.wasm")


@pytest.mark.usefixtures("_no_core_yet")
@pytest.mark.parametrize(
    "lost", ["Config", "Engine", "Module", "Store", "Instance", "Func", "Memory"]
)
def test_numpy_runs_whatever_a_newer_runtime_has_no_more(
    monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    wasmtime = import_module("wasmtime")
    if lost in ("Func", "Memory"):
        monkeypatch.delattr(
            getattr(wasmtime, lost), {"Func": "__call__", "Memory": "data_ptr"}[lost]
        )
    else:
        monkeypatch.delattr(wasmtime, lost)
    ipu = on_core(ipu_with(LOOP))
    assert ipu.run(100_000) == 20_003
    assert ipu.state.regfile.get_lr(0) == 20_001
    assert ipu.engine == "numpy"
    assert ipu.why_numpy


def test_a_core_that_fails_leaves_the_rest_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    ipu = on_core(ipu_with(LOOP))
    ipu.run(100)

    def fail(self: runtime.Instance, *arguments: object, **options: bool) -> None:
        raise runtime.CoreUnavailableError("the core failed: a trap")

    monkeypatch.setattr(runtime.Instance, "execute", fail)
    assert ipu.run(100_000) == 19_903
    assert ipu.state.regfile.get_lr(0) == 20_001
    assert ipu.engine == "numpy"


def test_a_replaced_method_is_called_at_once() -> None:
    ipu = on_core(ipu_with(LOOP))
    calls = []
    ipu.execute_acc = lambda: calls.append(1)  # type: ignore[method-assign]
    ipu.run(1000)
    assert len(calls) == 999


def test_another_part_of_the_machine_may_be_replaced() -> None:
    class Loud(Ipu):
        def _has_float_words(self) -> bool:
            return True

    ipu = machine_on(Engine.CORE, ipu_with("aaq;;").state, kind=Loud)
    assert ipu.engine == "numpy"
    assert CORE_NAME == "numpy" or ipu.why_numpy == "`Loud` replaces _has_float_words"


def test_a_method_that_does_not_fit_is_an_error_on_the_core_too() -> None:
    class Misfit(Ipu):
        def execute_acc(self, *, other: int) -> None:  # type: ignore[override]
            raise AssertionError

    with pytest.raises(ProgramError, match="keyword-only parameters"):
        machine_on(Engine.CORE, ipu_with(LOOP).state, kind=Misfit).run(100)


def test_a_machine_without_a_core_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ipu, "core", None)
    ipu = on_core(busy_ipu())
    ipu.run(100)
    assert (ipu.engine, ipu.why_numpy) == ("numpy", "`ipu` has no core")


def test_machines_take_turns_on_one_core() -> None:
    """They share a copy of the memory, which is brought up to date at each turn."""
    machines = [on_core(busy_ipu()) for _ in range(3)]
    twins = [machine_on(Engine.NUMPY, busy_ipu().state) for _ in machines]
    for number, (ipu, twin) in enumerate(zip(machines, twins)):
        ipu.state.xmem.write_address(4096 * number, bytes([number + 1]) * 128)
        twin.state.xmem.write_address(4096 * number, bytes([number + 1]) * 128)
    for limit in (9, 50, 33):
        for ipu, twin in zip(machines, twins):
            assert (ipu.run(limit), twin.run(limit)) == (limit, limit)
            assert ipu.state.save() == twin.state.save()


def test_every_thread_has_a_core_of_its_own() -> None:
    def cycles(number: int) -> tuple[int, int]:
        ipu = on_core(ipu_with(LOOP))
        return ipu.run(100_000), ipu.state.regfile.get_lr(0)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(cycles, range(16))) == {(20_003, 20_001)}


def test_python_ends_quietly_after_a_run_on_the_core() -> None:
    script = (
        "from tests.emulator.core.test_engines import *\n"
        "ipu = on_core(ipu_with(LOOP)); print(ipu.run(100_000), ipu.engine)"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == (f"20003 {CORE_NAME}\n", "")
