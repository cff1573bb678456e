"""The options of `ipu-run` for data in and out of memory, and which of them exclude each other."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError, _ArgumentGroup
from itertools import combinations
from typing import Callable, Sequence

from ipu_asm.cli.arguments import ArgumentParser
from ipu_asm.config.files import STANDARD_INPUT, Target, input_at, is_same_file
from ipu_asm.testbench.data.source import Data, DataError, data_of, target_of

DATA_HELP = """\
Data of --load and --expect are raw bytes, an array in a .npy file, or FILE.npz[NAME] (NAME may be
left out for one array), or generated: zeros, ones, ramp, random:SEED (the same everywhere), as in
`random:7@0x20000:16384`. LENGTH counts elements of DTYPE: of raw files bytes by default, of arrays
their own type, of generated data the type of the run. It takes the first elements; a shape such as
20x128 must be that of the array. DTYPE is i8, u8, i16, u16, i32, u32, f32, fp8 (that of the run) or
a name of the set such as e4m3. An array is converted to DTYPE, rounded to nearest, if all values
fit; without DTYPE its type must be that of elements, bytes, or integer words. For --dump, LENGTH
alone is bytes: `out.npy@0x40000:20x128:i8` writes an array, `out.npz[y]@...` one of several.
"""


def add_data_options(parser: ArgumentParser) -> None:
    """Add the options to a parser."""
    group = parser.add_argument_group("memory")
    _add(
        group,
        "--load",
        data_of,
        "FILE@ADDR[:LENGTH][:DTYPE]",
        "copy FILE, .npy and .npz included, or generated data to xmem at ADDR; repeatable, in "
        "order",
    )
    _add(
        group,
        "--dump",
        target_of,
        "FILE@ADDR:LENGTH[:DTYPE]",
        "write LENGTH elements of xmem at ADDR to FILE after the run (DTYPE: bytes by default); "
        "repeatable",
    )
    _add(
        group,
        "--expect",
        data_of,
        "FILE@ADDR[:LENGTH][:DTYPE]",
        "compare xmem at ADDR with FILE after the run, bit by bit; a difference is exit status 1; "
        "repeatable",
    )
    group.add_argument(
        "--load-state",
        metavar="FILE",
        help="begin with registers and memory of a run that --save-state has saved: where that "
        "stopped, or with the first bundle if it had halted",
    )
    group.add_argument(
        "--save-state",
        metavar="FILE",
        help="write registers and memory to FILE after the run, if it ended well",
    )


def _add(
    group: _ArgumentGroup, name: str, parse: Callable[[str], Data], syntax: str, text: str
) -> None:
    def read(value: str) -> Data:
        try:
            return parse(value)
        except DataError as error:
            raise ArgumentTypeError(str(error)) from None

    group.add_argument(name, action="append", default=[], type=read, metavar=syntax, help=text)


def overlapping_dumps(dumps: Sequence[Data]) -> str | None:
    """Return the message about two dumps of the same bytes."""
    for one, other in combinations(dumps, 2):
        (first, _, _), (second, _, _) = one.place, other.place
        if first < second + (other.place.size or 0) and second < first + (one.place.size or 0):
            return f"--dump: `{one.text}` and `{other.text}` overlap"
    return None


def equal_outputs(dumps: Sequence[Data], others: Sequence[str]) -> str | None:
    """Return the message about two outputs that are one file, or one array in one file."""
    paths = [*((dump.source.file, dump) for dump in dumps), *((path, None) for path in others)]
    for (one, first), (other, second) in combinations(paths, 2):
        if os.path.realpath(one) != os.path.realpath(other) and not is_same_file(one, other):
            continue
        if first is None or second is None or not first.source.is_archive:
            return f"two outputs are the same file: `{one}` and `{other}`"
        if one != other or first.source.member == second.source.member:
            texts = f"`{first.source.text}` and `{second.source.text}`"
            return f"two dumps are the same array: {texts}"
    return None


def replaced_input(outputs: Sequence[str], program: str, inputs: Sequence[Data]) -> str | None:
    """Return the message about an output that would replace the program or data that are read."""
    names = [program, *(data.source.file for data in inputs if data.source.file)]
    targets = [Target.of_argument(name) for name in names]
    for output in outputs:
        found = input_at(output, targets) if output != STANDARD_INPUT else None
        if found is not None:
            what = "the program" if found is targets[0] else "a file that --load or --expect reads"
            return f"`{output}` would replace {what}"
    return None
