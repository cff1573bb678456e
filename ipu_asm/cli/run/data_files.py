"""The files that `ipu-run` reads and writes besides the program."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Sequence

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.console import is_terminal, write_bytes
from ipu_asm.cli.run.options import RunOptions
from ipu_asm.config.file_writing import Output, replace_files
from ipu_asm.config.files import STANDARD_INPUT, FileError
from ipu_asm.isa import manifests
from ipu_asm.testbench.data.source import Data

if TYPE_CHECKING:
    from ipu_asm.cli.run.execution import RunOutcome
    from ipu_asm.testbench.data.reading import Piece


def read_pieces(requests: Sequence[Data], isa_name: str) -> list[Piece]:
    """Return data for the memory of a set's machine, before it exists. Raises `FileError`.

    An instruction set without a machine has no memory: reading the program tells it.
    """
    manifest = manifests().get(isa_name)
    size = manifest.memory_size if manifest else 0
    if not requests:
        return []
    from ipu_asm.testbench.data.reading import read_piece  # 10 ms, for `zipfile`

    return [read_piece(data, size) for data in requests] if size else []


def check_outputs(options: RunOptions) -> None:
    """Raise `FileError` before the run if an output cannot be written."""
    for path in options.outputs:
        if path == STANDARD_INPUT:
            if is_terminal(sys.stdout):
                raise FileError("standard output is a terminal: name a file instead of `-`")
            continue
        folder = os.path.dirname(path) or "."
        if os.path.isdir(path):
            raise FileError("is a directory", path)
        if not os.path.isdir(folder):
            raise FileError(f"there is no folder `{folder}`", path)
        is_device = os.path.exists(path) and not os.path.isfile(path)
        if not os.access(path if is_device else os.path.realpath(folder), os.W_OK):
            raise FileError("permission denied", path)


def write_outputs(
    options: RunOptions, kernel: Kernel, outcome: RunOutcome, is_good: bool
) -> list[str]:
    """Write the requested files and return a note on each; dumps require a successful run.

    Raises `FileError`; then no file has changed.
    """
    written = _dumps(options, outcome) if is_good else []
    if is_good and options.save_state is not None:
        written.append(_state(options.save_state, kernel, outcome))
    if options.trace is not None:
        written.append(_trace(options.trace, kernel, outcome))
    if options.profile is not None:
        from ipu_asm.cli.run.profile_file import profile_file

        content = profile_file(options.profile, kernel, outcome).encode()
        written.append((Output(options.profile, content), options.profile))
    if options.coverage is not None:
        from ipu_asm.cli.run.coverage_file import coverage_file

        content = coverage_file(options.coverage, kernel, outcome).encode()
        written.append((Output(options.coverage, content), options.coverage))
    outputs = [output for output, _ in written]
    for output in outputs:
        if output.path == STANDARD_INPUT:
            write_bytes(output.data)
    replace_files([output for output in outputs if output.path != STANDARD_INPUT])
    return [note for _, note in written]


def _dumps(options: RunOptions, outcome: RunOutcome) -> list[tuple[Output, str]]:
    if not options.dump:
        return []
    from ipu_asm.testbench.data.memory import dump_outputs

    return dump_outputs(outcome.machine.state, options.dump)


def _state(path: str, kernel: Kernel, outcome: RunOutcome) -> tuple[Output, str]:
    from ipu_asm.testbench.data.state_files import state_file

    return Output(path, state_file(outcome.machine.state, outcome.run_so_far(kernel))), path


def _trace(path: str, kernel: Kernel, outcome: RunOutcome) -> tuple[Output, str]:
    from ipu_asm.emulator.profile import chrome_trace

    assert outcome.recording is not None
    addresses = outcome.recording.tail
    left_out = outcome.cycles - len(addresses)
    lines = kernel.lines if not kernel.is_image else None
    pieces = chrome_trace(
        addresses,
        kernel.words,
        kernel.isa,
        first_cycle=left_out,
        stop=outcome.stop,
        name=kernel.name,
        lines=lines,
    )
    shown = f"the last {len(addresses):,} of {outcome.cycles:,} bundles"
    note = f"{path} ({shown}: --trace-limit)" if left_out else path
    return Output(path, "".join(pieces).encode()), note
