"""A host program for `fully_connected.s` in the style of a harness: setup, run, teardown.

    python examples/apps/fully_connected.py OUTPUT [--break]

writes the results of the layer in `examples/data`. Such a program, written for another harness with
these two methods, needs no other change than the import of `IpuApp`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ipu_asm.emulator import DebugAction, DType, IpuState
from ipu_asm.testbench import IpuApp

EXAMPLES = Path(__file__).resolve().parents[1]
INPUT_BASE, WEIGHT_BASE, OUTPUT_BASE = 0x00000, 0x20000, 0x40000
SAMPLES, ROW_BYTES, RESULT_BYTES = 10, 256, 64 * 4


class FullyConnectedApp(IpuApp):
    """One fully connected layer: 10 samples of 128 inputs, 64 outputs, in INT8."""

    inputs_path: Path
    weights_path: Path
    output_path: Path

    def setup(self, state: IpuState) -> None:
        """Load inputs and weights, and say where they and the results are."""
        state.xmem.write_address(INPUT_BASE, self.inputs_path.read_bytes())
        state.xmem.write_address(WEIGHT_BASE, self.weights_path.read_bytes())
        for number, address in enumerate((INPUT_BASE, WEIGHT_BASE, OUTPUT_BASE)):
            state.regfile.set_cr(number, address)
        state.set_cr_dtype(DType.INT8)

    def teardown(self, state: IpuState) -> None:
        """Write the results; the 256 bytes of a sample are 64 int32."""
        results = state.xmem.read_address(OUTPUT_BASE, SAMPLES * ROW_BYTES)
        self.output_path.write_bytes(results)


def show_break(state: IpuState, cycle: int) -> DebugAction:
    """Print the loop registers at a break instruction, and go on."""
    registers = ", ".join(f"lr{n} = {state.regfile.get_lr(n)}" for n in range(6))
    print(f"cycle {cycle}: {registers}")
    return DebugAction.CONTINUE


def app(output: Path, kernel: Path = EXAMPLES / "fully_connected.s") -> FullyConnectedApp:
    """The program with the data of the examples."""
    return FullyConnectedApp(
        inst_path=kernel,
        inputs_path=EXAMPLES / "data" / "inputs.bin",
        weights_path=EXAMPLES / "data" / "weights.bin",
        output_path=output,
    )


def main() -> None:
    """Read the command line, run the layer, and print how long it took."""
    parser = argparse.ArgumentParser(description="Run the layer, and write its results.")
    parser.add_argument("output", type=Path, metavar="OUTPUT", help="the file for the results")
    parser.add_argument(
        "--break", dest="breaks", action="store_true", help="print registers at break instructions"
    )
    options = parser.parse_args()
    callback = show_break if options.breaks else None
    _, cycles = app(options.output).run(debug_callback=callback)
    print(f"{cycles} cycles")


if __name__ == "__main__":
    main()
