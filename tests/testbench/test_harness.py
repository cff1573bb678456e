"""Host programs with setup and teardown, and the example of one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from examples.apps import fully_connected, sweep_layer
from examples.apps.fully_connected import EXAMPLES, app
from ipu_asm.emulator import CycleLimitError, DebugAction, IpuState
from ipu_asm.testbench import Bench, IpuApp, run_test

RESULTS = EXAMPLES / "data" / "results.bin"
BREAKS = "set lr1 3;;\nx: incr lr0 1;;\nbreak;;\nbne lr0 lr1 x;;\nbkpt;;"


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """A kernel with a break in a loop of three turns."""
    path = tmp_path / "k.s"
    path.write_text(BREAKS)
    return path


def test_the_example_of_a_host_program_computes_the_layer(tmp_path: Path) -> None:
    state, cycles = app(tmp_path / "out.bin").run()
    assert (tmp_path / "out.bin").read_bytes() == RESULTS.read_bytes()
    assert (cycles, state.is_halted) == (1_304, True)


def test_the_example_runs_from_the_command_line_and_takes_images(tmp_path: Path) -> None:
    script, out = EXAMPLES / "apps" / "fully_connected.py", tmp_path / "out.bin"
    run = subprocess.run(
        [sys.executable, script, out, "--break"], capture_output=True, text=True, check=True
    )
    assert run.stdout == "1304 cycles\n"
    assert out.read_bytes() == RESULTS.read_bytes()


def test_setup_and_teardown_see_the_state_before_and_after_the_run(kernel: Path) -> None:
    seen: list[Any] = []

    def setup(state: IpuState) -> None:
        seen.append((state.program_counter, state.regfile.get_lr(0)))
        state.regfile.set_lr(0, 1)

    def teardown(state: IpuState) -> None:
        seen.append((state.is_halted, state.regfile.get_lr(0)))

    run = run_test(kernel, setup=setup, teardown=teardown)
    assert seen == [(0, 0), (True, 3)]
    assert run.cycles == 8
    assert run_test(kernel).state.regfile.get_lr(0) == 3


def test_a_debug_callback_is_called_at_breaks_steps_and_quits(kernel: Path) -> None:
    stops: list[tuple[int, int]] = []
    answers = [DebugAction.CONTINUE, DebugAction.STEP, DebugAction.STEP, DebugAction.QUIT]

    def callback(state: IpuState, cycle: int) -> DebugAction:
        stops.append((cycle, state.program_counter))
        return answers[len(stops) - 1]

    ended: list[IpuState] = []
    run = run_test(kernel, debug_callback=callback, teardown=ended.append)
    assert stops == [(2, 2), (5, 2), (6, 3), (7, 1)]
    assert (run.cycles, ended[0].program_counter, run.state is ended[0]) == (7, 1, True)


def test_a_bench_takes_a_callback_as_well_which_may_change_the_state() -> None:
    bench = Bench()
    bench.load_text(BREAKS)

    def leave(state: IpuState, cycle: int) -> DebugAction:
        state.regfile.set_lr(0, 3)
        return DebugAction.CONTINUE

    assert bench.run(debug_callback=leave).cycles == 5
    with pytest.raises(TypeError, match="`debug_callback` returns a `DebugAction`, found None"):
        bench.run(debug_callback=lambda state, cycle: None)  # type: ignore[arg-type, return-value]
    bench.lr[0] = 0
    with pytest.raises(CycleLimitError, match="within 4 cycles"):
        bench.run(4, debug_callback=lambda state, cycle: DebugAction.STEP)


def test_arguments_of_an_app_are_its_attributes_and_options_are_those_of_the_host(
    kernel: Path,
) -> None:
    class App(IpuApp):
        start: int

        def setup(self, state: IpuState) -> None:
            state.regfile.set_lr(0, self.start)

    state, cycles = App(inst_path=kernel, start=2).run(dtype="fp8_e4m3")
    assert (state.get_cr_dtype(), cycles) == (1, 5)


@pytest.mark.parametrize("program", [fully_connected, sweep_layer])
def test_an_example_says_what_it_takes(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", [program.__name__, "--help"])
    with pytest.raises(SystemExit, match="0"):
        program.main()
    assert "Run the layer" in capsys.readouterr().out


@pytest.mark.parametrize("options", [{}, {"wide": "fp32"}, {"dtype": "INT8"}])
def test_a_host_program_has_the_machine_that_the_project_of_its_kernel_names(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    (tmp_path / "ipu.toml").write_text('isa = "ipu2"')
    (tmp_path / "k.s").write_text("SET lr0 cr0;;\nBKPT;;\n")
    assert IpuApp(inst_path=tmp_path / "k.s").run(**options).cycles == 2
    bench = Bench(tmp_path, **options)
    bench.load("k.s")
    assert bench.run().cycles == 2


def test_a_kernel_that_does_not_name_its_set_is_of_the_one_that_is_given(tmp_path: Path) -> None:
    path = tmp_path / "k.s"
    path.write_text("SET lr0 cr0;;\nBKPT;;\n")
    assert run_test(path, isa="ipu2", wide="fp32").cycles == 2
    bench = Bench(isa="ipu2")
    bench.load(path)
    assert bench.run().cycles == 2
    path.write_text("# isa: ipu\nbkpt;;")
    assert run_test(path, isa="ipu2", dtype="int8").cycles == 1
