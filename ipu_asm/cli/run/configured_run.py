"""The inputs that the configuration and the comments of a program give to a run."""

from __future__ import annotations

import os
from typing import Any, Mapping, Sequence

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.console import print_message
from ipu_asm.cli.programs import configuration_of
from ipu_asm.cli.run.exclusions import check_options
from ipu_asm.cli.run.options import PROGRAM, RunOptions
from ipu_asm.config.files import STANDARD_INPUT, FileError
from ipu_asm.config.kernel_runs import FoundRun, configured_run
from ipu_asm.emulator.stated_options import StatedRegister, stated_registers, stated_text
from ipu_asm.isa import manifests
from ipu_asm.testbench.data.source import Data, DataError, data_of


def with_configured_run(options: RunOptions) -> RunOptions:
    """Return options with the run of `[kernel."GLOB".run]` if they give no inputs, and say so.

    What is expected is compared only where the program runs to its end. Raises
    `ConfigurationError` and `FileError`.
    """
    if not options.finds_inputs or options.has_inputs or options.file == STANDARD_INPUT:
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


def with_stated_registers(
    options: RunOptions, kernel: Kernel, settings: Mapping[str, Any]
) -> tuple[RunOptions, tuple[StatedRegister, ...]]:
    """Return options with the registers that comments and the configuration state, and these.

    What options give counts before them, and so does a saved state. They are said in one line.
    """
    if not options.finds_inputs or options.load_state is not None or kernel.is_image:
        return options, ()
    held = {
        option.register
        for option in manifests()[kernel.isa.name].host_options
        if option.name in settings
    }
    given = {"cr": options.cr, "lr": options.lr}
    found = tuple(
        each
        for each in stated_registers(kernel.lines)
        if each.number not in given[each.file] and each.name not in held
    )
    if not found:
        return options, ()
    path = configuration_of(kernel.source.path, is_needed=False).path
    text = stated_text(found, os.path.basename(path))
    print_message(PROGRAM, f"{text} (--no-found-inputs turns this off)", "note")
    cr, lr = ({e.number: e.value for e in found if e.file == file} for file in ("cr", "lr"))
    return options._replace(cr={**cr, **options.cr}, lr={**lr, **options.lr}), found


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
