"""The files that `ipu-run` reads and writes besides the program."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Iterator

from ipu_asm.cli.console import is_terminal, write_bytes
from ipu_asm.cli.run_options import RunOptions
from ipu_asm.cli.run_values import Load
from ipu_asm.emulator.memory import XMEM_SIZE
from ipu_asm.files import (
    STANDARD_INPUT,
    FileProblem,
    Target,
    counted,
    read_bytes,
    replace_file,
)
from ipu_asm.kernel import Kernel

if TYPE_CHECKING:
    from ipu_asm.cli.run_machine import Outcome


def read_loads(options: RunOptions) -> list[tuple[int, bytes]]:
    """What goes into memory before the run: addresses and bytes. Raises `FileProblem`."""
    return [(load.address, _content(load)) for load in options.load]


def check_outputs(options: RunOptions) -> None:
    """Raise `FileProblem` if an output could not be written: better now than after the run."""
    for path in options.outputs:
        if path == STANDARD_INPUT:
            if is_terminal(sys.stdout):
                raise FileProblem("standard output is a terminal: name a file instead of `-`")
            continue
        folder = os.path.dirname(path) or "."
        if os.path.isdir(path):
            raise FileProblem(f"{path}: is a directory")
        if not os.path.isdir(folder):
            raise FileProblem(f"{path}: there is no folder `{folder}`")
        is_device = os.path.exists(path) and not os.path.isfile(path)
        if not os.access(path if is_device else os.path.realpath(folder), os.W_OK):
            raise FileProblem(f"{path}: permission denied")


def write_outputs(
    options: RunOptions, kernel: Kernel, outcome: Outcome, is_good: bool
) -> Iterator[str]:
    """Write what was asked for and say so; dumps only after a good run. Raises `FileProblem`."""
    if is_good:
        memory = outcome.ipu.state.xmem
        for dump in options.dump:
            unit = "byte" if dump.length == 1 else "bytes"
            _write(bytes(memory.read_address(dump.address, dump.length)), dump.file)
            yield f"{dump.file} ({dump.length:,} {unit})"
    if options.trace is not None:
        yield _write_trace(options.trace, kernel, outcome)
    if options.profile is not None:
        from ipu_asm.cli.profile_file import profile_file

        _write(profile_file(options.profile, kernel, outcome).encode(), options.profile)
        yield options.profile


def _write_trace(path: str, kernel: Kernel, outcome: Outcome) -> str:
    from ipu_asm.emulator.trace import chrome_trace

    assert outcome.recording is not None
    addresses = outcome.recording.tail
    left_out = outcome.cycles - len(addresses)
    lines = kernel.lines if not kernel.is_image else None
    pieces = chrome_trace(
        addresses, left_out, outcome.stop, kernel.words, kernel.isa, kernel.name, lines
    )
    _write("".join(pieces).encode(), path)
    if not left_out:
        return path
    shown = f"the last {len(addresses):,} of {outcome.cycles:,} bundles"
    return f"{path} ({shown}: --trace-limit)"


def _content(load: Load) -> bytes:
    is_input = load.file == STANDARD_INPUT
    name = "<stdin>" if is_input else load.file
    content = read_bytes(Target(name, is_standard_input=is_input))
    wanted = 1 if load.length is None else load.length
    if len(content) < wanted:
        least = counted(wanted, "byte")
        raise FileProblem(f"{name}: expected at least {least}, found {len(content)}")
    content = content[: load.length]
    if load.address + len(content) > XMEM_SIZE:
        raise FileProblem(
            f"{name}: xmem has {XMEM_SIZE:#x} bytes, found {len(content):,} bytes "
            f"for address {load.address:#x}"
        )
    return content


def _write(data: bytes, path: str) -> None:
    if path == STANDARD_INPUT:
        write_bytes(data)
    else:
        replace_file(path, data)
