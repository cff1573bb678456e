"""A sweep: the layer of `fully_connected.s` on many inputs, on two cores or on a Dask cluster.

    python examples/apps/sweep_layer.py COUNT [SCHEDULER]

Without SCHEDULER, such as `tcp://host:8786`, the runs are made by two processes. Every result is
compared with numpy, and the time of a run is printed.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from typing import Any, Mapping

import numpy as np

from ipu_asm.testbench import sweep

EXAMPLES = Path(__file__).resolve().parents[1]
WEIGHTS = np.fromfile(EXAMPLES / "data" / "weights.bin", np.int8).reshape(128, 128)
COMMON = {"cr0": 0x00000, "cr1": 0x20000, "cr2": 0x40000, 0x20000: WEIGHTS}
OUTPUTS = {"results": (0x40000, (10, 64), np.int32)}


def check(value: Mapping[int, Any], outputs: Mapping[str, Any]) -> None:
    """Compare the results of one input with numpy; a worker calls it."""
    expected = value[0x00000].astype(np.int32) @ WEIGHTS.astype(np.int32)[:, :64]
    np.testing.assert_array_equal(outputs["results"], expected)


def run(count: int, executor: Executor, chunk: int = 64) -> None:
    """Sweep over drawn inputs, and print how long a run took."""
    inputs = np.random.default_rng(1).integers(-128, 128, (count, 10, 128), np.int8)
    begun = time.perf_counter()
    found = sweep(
        EXAMPLES / "fully_connected.s",
        {0x00000: inputs},
        executor,
        chunk,
        common=COMMON,
        outputs=OUTPUTS,
        check=check,
        failures="failures",
        progress=True,
    ).collect()
    microseconds = (time.perf_counter() - begun) * 1e6 / count
    print(f"{found.count:,} runs, {len(found.failures):,} failed, {microseconds:,.0f} us a run")
    for failure in found.failures[:3]:
        print(f"input {failure.number}: {failure.error}\n  {failure.command}")


def main() -> None:
    """Read the command line, and sweep on the executor that it names."""
    parser = argparse.ArgumentParser(description="Run the layer on many inputs, and compare them.")
    parser.add_argument("count", type=int, metavar="COUNT", help="how many inputs, such as 10000")
    parser.add_argument(
        "scheduler",
        nargs="?",
        metavar="SCHEDULER",
        help="the address of a Dask scheduler, such as tcp://host:8786 (default: two processes)",
    )
    options = parser.parse_args()
    if options.count < 1:
        parser.error(f"expected a COUNT of at least 1, found {options.count}")
    if options.scheduler is None:
        with ProcessPoolExecutor(2) as pool:
            run(options.count, pool)
    else:
        from distributed import Client

        with Client(options.scheduler) as client:
            run(options.count, client.get_executor(), chunk=512)


if __name__ == "__main__":
    main()
