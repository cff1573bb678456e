"""Which options of `ipu-run` exclude each other, and whether its outputs can be written."""

from __future__ import annotations

import os
import sys
from itertools import combinations
from typing import Sequence

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.console import is_terminal
from ipu_asm.cli.run.options import RunOptions, usage_error
from ipu_asm.config.configuration_file import possible_files
from ipu_asm.config.files import STANDARD_INPUT, FileError, Target, input_at, is_same_file
from ipu_asm.testbench.data.source import Data


def check_options(options: RunOptions) -> None:
    """Exit the process if options exclude each other, or an output would replace an input."""
    for problem in (_outputs, _debugging, _streams):
        message = problem(options)
        if message:
            usage_error(message)


def _outputs(options: RunOptions) -> str | None:
    return (
        _overlapping_dumps(options.dump)
        or _equal_outputs(options.dump, options.other_outputs)
        or _replaced_input(options.outputs, options.file, [*options.load, *options.expect])
        or _replaced_state(options)
        or _replaced_configuration(options)
    )


def _overlapping_dumps(dumps: Sequence[Data]) -> str | None:
    """Return the message about two dumps of the same bytes."""
    for one, other in combinations(dumps, 2):
        (first, _, _), (second, _, _) = one.place, other.place
        if first < second + (other.place.size or 0) and second < first + (one.place.size or 0):
            return f"--dump: `{one.text}` and `{other.text}` overlap"
    return None


def _equal_outputs(dumps: Sequence[Data], others: Sequence[str]) -> str | None:
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


def _replaced_input(outputs: Sequence[str], program: str, inputs: Sequence[Data]) -> str | None:
    """Return the message about an output that would replace the program or data that are read."""
    names = [program, *(data.source.file for data in inputs if data.source.file)]
    targets = [Target.of_argument(name) for name in names]
    for output in outputs:
        found = input_at(output, targets) if output != STANDARD_INPUT else None
        if found is not None:
            what = "the program" if found is targets[0] else "a file that --load or --expect reads"
            return f"`{output}` would replace {what}"
    return None


def _replaced_state(options: RunOptions) -> str | None:
    """The message about an output over the state to begin with; to save it again is allowed."""
    if options.load_state is None:
        return None
    for output in options.outputs:
        if output != options.save_state and is_same_file(output, options.load_state):
            return f"`{output}` would replace the state that --load-state reads"
    return None


def _replaced_configuration(options: RunOptions) -> str | None:
    """The message about an output over a file that may configure the program."""
    configurations = [*possible_files([os.path.dirname(os.path.abspath(options.file))])]
    for output in options.outputs:
        if any(is_same_file(output, path) for path in configurations):
            return f"`{output}` would replace the configuration of the program"
    return None


def _debugging(options: RunOptions) -> str | None:
    """Return a message if an option excludes the debug session that was asked for, else None."""
    if not options.is_debugged:
        return None
    name = "--interactive" if options.interactive else "--commands"
    excluded: dict[str, object] = {"--trace": options.trace, "--profile": options.profiles}
    excluded |= {"--baseline": options.baseline}
    excluded |= {"--coverage": options.coverage, "--json": options.json}
    wrong = [other for other, value in excluded.items() if value]
    if wrong:
        return f"{wrong[0]} and {name} exclude each other: a session can go back"
    if options.interactive and STANDARD_INPUT in options.inputs:
        return "--interactive reads commands from standard input, so nothing else can be read there"
    return None


def _streams(options: RunOptions) -> str | None:
    if options.inputs.count(STANDARD_INPUT) > 1:
        return "standard input can be read only once"
    if options.json and STANDARD_INPUT in options.outputs:
        return "--json and --dump cannot both write to standard output"
    return None


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


def check_coverage(path: str | None, kernel: Kernel | None) -> None:
    """Raise `FileError` before the run if lcov cannot describe the coverage of the program.

    Its records name a file with lines: an image and standard input are none.
    """
    if path is None or kernel is None or is_page(path):
        return
    if kernel.is_image:
        reason = "lcov counts the lines of a source, and this is an image"
    elif not os.path.isfile(kernel.name):
        reason = "lcov names the file of a source, and this is none"
    else:
        return
    raise FileError(f"{reason}: name a page for --coverage, such as `coverage.html`", kernel.name)


def is_page(path: str) -> bool:
    """Return whether a file name has the extension of an HTML page."""
    return os.path.splitext(path)[1].lower() in (".html", ".htm")


def check_own_options(options: RunOptions, isa_name: str) -> None:
    """Exit the process for options of machines for machine code, which this set does not have."""
    given = {"--entry": options.entry, "--set": options.registers, "--arg": options.arguments}
    for name, value in given.items():
        if value:
            usage_error(f"argument {name}: `{isa_name}` has no such machine; see --cr and --lr")
