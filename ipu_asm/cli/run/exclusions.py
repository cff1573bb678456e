"""Which options of `ipu-run` exclude each other, and which files must be different ones."""

from __future__ import annotations

import os

from ipu_asm.cli.run.data_options import equal_outputs, overlapping_dumps, replaced_input
from ipu_asm.cli.run.options import RunOptions, usage_error
from ipu_asm.config.configuration_file import possible_files
from ipu_asm.config.files import STANDARD_INPUT, is_same_file


def check_options(options: RunOptions) -> None:
    """Exit the process if options exclude each other, or an output would replace an input."""
    for problem in (_outputs, _debugging, _streams):
        message = problem(options)
        if message:
            usage_error(message)


def _outputs(options: RunOptions) -> str | None:
    return (
        overlapping_dumps(options.dump)
        or equal_outputs(options.dump, options.other_outputs)
        or replaced_input(options.outputs, options.file, [*options.load, *options.expect])
        or _replaced_state(options)
        or _replaced_configuration(options)
    )


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
    excluded: dict[str, object] = {"--trace": options.trace, "--profile": options.profile}
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
