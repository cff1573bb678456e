"""The programs that are debugged, with data: the same ones on every machine."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random

from benchmarks.debug_adapter.client import Debuggee

_ROOT = Path(__file__).parents[2]
_VECTORS = _ROOT / "tests" / "data" / "vectors" / "encode_public.jsonl.gz"

# A loop without an end: inputs come from the lower half of the memory, sums go to the upper one.
# Nothing overflows, nothing becomes a NaN, and lr5 stays 0, so that no condition on it holds.
_ENDLESS = """\
set lr1 0; set lr2 512;; set lr3 1;; incr lr3 32767;; add lr4 lr3 lr3;; add lr4 lr4 lr4;;
add lr4 lr4 lr4;; add lr4 lr4 lr4;; add lr4 lr4 lr4;; sub lr4 lr4 lr2;; sub lr4 lr4 lr2;;
again: ldr_cyclic_mult_reg lr1 cr0 lr0; mult.ee r0 lr0 lr0 lr0; acc;;
add lr1 lr1 lr2; incr lr6 1; str_acc_reg lr1 cr1;;
ldr_mult_reg r0 lr1 cr0; blt lr1 lr4 again;;
set lr1 0; reset_acc; b again;;
"""

# The same bundle again and again, of those instructions that take the emulator longest.
_SLOWEST = """\
again: str_acc_reg lr0 cr0; mult.ee mem_bypass lr0 lr0 lr0; set lr0 0;
    acc.stride 64 on_inv_expand on_inv lr0; agg max inv_sqrt cr0 aaq3; b again;;
"""

# The fully connected layer of the examples, lr8 + 1 times.
_LAYERS = """\
set lr3 126; set lr5 1152;;
layer: set lr0 0; set lr4 -256;;
sample: set lr1 -128; set lr2 -1; ldr_mult_reg r0 lr0 cr0; reset_acc;;
element:
    incr lr1 128; incr lr2 1; ldr_cyclic_mult_reg lr1 cr1 lr6;
    mult.ve r0 lr6 lr6 lr6 lr2; acc; bne lr2 lr3 element;;
    incr lr0 128; incr lr4 256; str_acc_reg lr4 cr2; bne lr0 lr5 sample;;
incr lr7 1; bne lr7 lr8 layer;;
bkpt;;
"""
LAYER_LINES = _LAYERS.splitlines()
OUTER_LINE = LAYER_LINES.index(next(row for row in LAYER_LINES if row.startswith("sample"))) + 1
LAST_LINE = len(LAYER_LINES)
FIRST_LINE, ENDLESS_LINE = 1, 3


def largest_example(folder: Path, dtype: str) -> Debuggee:
    """The convolution on an image of 510 rows."""
    image = _small_elements(510 * 128, "image")
    kernel = _small_elements(256, "kernel").ljust(256, b"\0")
    masks = (1).to_bytes(16, "little") + bytes(16) + (1 << 127).to_bytes(16, "little")
    memory = bytes(128) + image + bytes(128) + kernel + masks
    data = _written(folder / "image.bin", memory)
    bases = {"0": 0, "1": 0x10000, "2": 0x10100, "3": 0x20000, "4": 511 * 128}
    load = [{"file": str(data), "address": 0}]
    program = _ROOT / "examples" / "conv3x3_row.s"
    return Debuggee(program, {"dtype": dtype, "cr": bases, "load": load})


def largest_vector(folder: Path) -> Debuggee:
    """The longest program among the recorded ones: 1,024 bundles that jump around."""
    with gzip.open(_VECTORS, "rt", encoding="utf-8") as lines:
        longest = max((json.loads(line)["asm"] for line in lines), key=len)
    return Debuggee(_written(folder / "vector.s", longest.encode()), {"dtype": "int8"})


def endless(folder: Path, dtype: str) -> Debuggee:
    """A loop without an end that loads, multiplies, adds up and stores."""
    data = _written(folder / "inputs.bin", _small_elements(1 << 20, "inputs"))
    load = [{"file": str(data), "address": 0}]
    program = _written(folder / "endless.s", _ENDLESS.encode())
    return Debuggee(program, {"dtype": dtype, "cr": {"1": 1 << 20}, "load": load})


def slowest(folder: Path) -> Debuggee:
    """A loop without an end of the slowest bundle."""
    return Debuggee(_written(folder / "slowest.s", _SLOWEST.encode()), {"dtype": "fp8_e5m2"})


def layers(folder: Path, dtype: str, turns: int) -> Debuggee:
    """The fully connected layer, 1,303 bundles, `turns` times."""
    data = _written(folder / "layer.bin", _small_elements(0x25000, "layer"))
    load = [{"file": str(data), "address": 0}]
    program = _written(folder / "layers.s", _LAYERS.encode())
    bases = {"0": 0, "1": 0x20000, "2": 0x40000}
    return Debuggee(program, {"dtype": dtype, "cr": bases, "lr": {"8": turns - 1}, "load": load})


def _small_elements(count: int, seed: str) -> bytes:
    """Bytes below 64: small as integers, and no NaN in any type."""
    return bytes(byte & 63 for byte in Random(seed).randbytes(count))


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path
