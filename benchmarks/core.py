"""The emulator's core against numpy and against plain C: the layer, and its inner loop alone."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import timing
from benchmarks.report import Target, number, print_table
from benchmarks.timing import Action
from ipu_asm.emulator import DType, Ipu
from ipu_asm.emulator.machine import Engine

INNER = """
    set lr3 {last}; set lr6 0;;
element:
    incr lr1 128; incr lr2 1; ldr_cyclic_mult_reg lr1 cr1 lr6; mult.ve r0 lr6 lr6 lr6 lr2; acc;
    bne lr2 lr3 element;;
    bkpt;;
"""
"""The inner loop of the layer, for more bundles."""

SHARES = {
    "inner loop": {DType.INT8: 1 / 60, DType.FP8_E4M3: 1 / 40, DType.FP8_E5M2: 1 / 40},
    "layer": dict.fromkeys(DType, 1 / 40),
}
"""What a bundle on the core may cost, in bundles on numpy."""

AGAINST_C = 1.5
"""What a bundle on the core may cost in INT8, in bundles of plain C."""

NUMPY_BUNDLES, CORE_RUNS = 1_000, 30
YARDSTICK = Path(__file__).with_name("yardstick.c")

Make = Callable[[DType, str], Ipu]
"""Makes a machine with a program, and with data for the layer."""


def run(make: Make, layer: str, quick: bool = False) -> list[Target]:
    """Measure, print, and return the targets as ratios, each taken within one round."""
    actions: dict[str, Action] = {}
    for title, program in (("inner loop", INNER.format(last=15_000)), ("layer", layer)):
        for dtype in DType:
            for engine, runs in ((Engine.NUMPY, 1), (Engine.CORE, CORE_RUNS)):
                ipu = make(dtype, program)
                ipu.engine_choice = engine
                name = _name(title, dtype, engine)
                actions[name] = lambda ipu=ipu, runs=runs: _bundle(ipu, runs)  # type: ignore[misc]
    timing.interleave(1, actions)
    with tempfile.TemporaryDirectory() as folder:
        yardstick = _compiled_yardstick(Path(folder))
        if yardstick is not None:
            actions["C"] = lambda: float(subprocess.check_output([yardstick]).split()[0]) * 1e-9
        seconds = timing.interleave(5 if quick else 15, actions)
    _print(seconds)
    return _targets(seconds)


def _name(title: str, dtype: DType, engine: Engine) -> str:
    return f"{title}, {dtype.name}, {engine.value}"


def _bundle(ipu: Ipu, runs: int) -> float:
    """Seconds of processor time that a bundle takes, in runs from the beginning."""
    before, start = ipu.cycles, time.process_time()
    for _ in range(runs):
        ipu.state.program_counter = 0
        ipu.state.regfile.set_lr(1, 0)
        ipu.state.regfile.set_lr(2, 0)
        ipu.run(1 << 30 if runs > 1 else NUMPY_BUNDLES)
    return (time.process_time() - start) / (ipu.cycles - before)


def _compiled_yardstick(folder: Path) -> str | None:
    """The program of `yardstick.c`; None without gcc."""
    program = str(folder / "yardstick")
    if shutil.which("gcc") is None:
        return None
    subprocess.run(["gcc", "-O2", "-o", program, YARDSTICK], check=True)
    return program


def _print(seconds: dict[str, list[float]]) -> None:
    rows = []
    for name, values in seconds.items():
        median = timing.median(values)
        numpy = name.rpartition(", ")[0] + f", {Engine.NUMPY.value}"
        faster = timing.ratio(seconds, numpy, name) if numpy in seconds else float("nan")
        against_c = timing.ratio(seconds, name, "C") if "C" in seconds else float("nan")
        rows.append(
            (name, number(median * 1e9, 1), number(1e-6 / median), number(faster, 1),
             number(against_c))
        )  # fmt: skip
    header = ("a bundle of the", "ns", "million a second", "x numpy", "C loops, gcc -O2")
    print_table("engines, medians of processor time", header, rows)


def _targets(seconds: dict[str, list[float]]) -> list[Target]:
    targets = []
    for title, shares in SHARES.items():
        for dtype, share in shares.items():
            numpy, core = (_name(title, dtype, engine) for engine in (Engine.NUMPY, Engine.CORE))
            what = f"{title}, {dtype.name}: a bundle on the core, % of numpy"
            targets.append(Target(what, 100 * timing.ratio(seconds, core, numpy), 100 * share))
    if "C" in seconds:
        core = _name("inner loop", DType.INT8, Engine.CORE)
        ratio = timing.ratio(seconds, core, "C")
        targets.append(Target("a bundle on the core in INT8, bundles of plain C", ratio, AGAINST_C))
    return targets
