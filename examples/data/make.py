"""Data for `fully_connected.s`: inputs, weights, and the results that they must give, in INT8.

    python examples/data/make.py [FOLDER]

writes `inputs.bin`, `weights.bin` and `results.bin` into the folder, by default this one. The
header of the kernel says where in memory they go. The elements follow a formula, so that every
version of numpy writes the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

SAMPLES, INPUTS, OUTPUTS, ROW = 10, 128, 64, 128


def main(folder: Path) -> None:
    """Write the three files."""
    sample, element = np.indices((SAMPLES, INPUTS))
    inputs = ((sample * 31 + element * 17) % 251 - 125).astype(np.int8)
    element, output = np.indices((INPUTS, OUTPUTS))
    weights = ((output * 7 + element * 3) % 31 - 15).astype(np.int8)
    # The kernel reads rows of 128 bytes, of which the second half is zero.
    padded = np.pad(weights, ((0, 0), (0, ROW - OUTPUTS)))
    results = inputs.astype("<i4") @ weights.astype("<i4")
    for name, array in (("inputs", inputs), ("weights", padded), ("results", results)):
        (folder / f"{name}.bin").write_bytes(array.tobytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
