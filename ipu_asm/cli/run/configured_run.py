"""The inputs that `[kernel."GLOB".run]` gives to a run where the command line gives none."""

from __future__ import annotations

import os
from typing import Sequence

from ipu_asm.cli.console import print_message
from ipu_asm.cli.run.exclusions import check_options
from ipu_asm.cli.run.options import PROGRAM, RunOptions
from ipu_asm.config.files import STANDARD_INPUT, FileError
from ipu_asm.config.kernel_runs import FoundRun, configured_run
from ipu_asm.testbench.data.source import Data, DataError, data_of


def with_configured_run(options: RunOptions) -> RunOptions:
    """Return options with registers, data and settings of the configuration, and say so.

    What is expected is compared only where the program runs to its end. Raises
    `ConfigurationError` and `FileError`.
    """
    if options.has_inputs or options.file == STANDARD_INPUT:
        return options
    found = configured_run(options.file)
    if found is None:
        return options
    run = found.run
    is_whole = options.until is None and not options.breaks and not options.is_debugged
    settings = {
        name: value if isinstance(value, bool) else str(value)
        for name, value in run.settings.items()
        if value is not False
    }
    completed = options._replace(
        host=settings,
        cr=dict(run.cr),
        lr=dict(run.lr),
        load=_data(run.load, found),
        expect=_data(run.expect, found) if is_whole else (),
        defines={**run.define, **options.defines},
    )
    check_options(completed)
    print_message(PROGRAM, f"registers and data are those of {_shown(found.origin)}", "note")
    return completed


def _shown(path: str) -> str:
    """The path from the current folder if it is below that."""
    inside = os.path.join(os.getcwd(), "")
    return path.removeprefix(inside)


def _data(texts: Sequence[str], found: FoundRun) -> tuple[Data, ...]:
    return tuple(_absolute(text, found) for text in texts)


def _absolute(text: str, found: FoundRun) -> Data:
    try:
        data = data_of(text)
    except DataError as error:
        raise FileError(str(error), found.origin) from None
    return data._replace(source=data.source.below(found.folder))
