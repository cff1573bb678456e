"""`ipu-run`: execute a program with data in and out, and report the result.

Modules that load numpy (a tenth of a second) are imported after the options and the program have
been read, so that `--help` and mistakes are shown at once, also where numpy is missing.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Sequence

from ipu_asm.assembler.images import ImageError
from ipu_asm.assembler.kernel import Kernel, RejectedSourceError, isa_name_of, read_kernel
from ipu_asm.cli.console import ExitStatus, print_message, run_guarded, wants_color, write
from ipu_asm.cli.programs import read_source, show_findings, show_image_mistakes
from ipu_asm.cli.run.data_files import check_outputs, read_loads, write_outputs
from ipu_asm.cli.run.host_options import WrongOptionError, check_memory, settings_of
from ipu_asm.cli.run.options import PROGRAM, RunOptions, read_options, usage_error
from ipu_asm.config.configuration import ConfigurationError
from ipu_asm.config.files import STANDARD_INPUT, FileError, Target, read_bytes
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.emulator.engine import Engine
from ipu_asm.emulator.faults import ProgramError
from ipu_asm.isa.model import Isa
from ipu_asm.program.effective_program import EffectiveProgram
from ipu_asm.text import SourceFile

if TYPE_CHECKING:
    from ipu_asm.cli.run.execution import RunOutcome

_NEEDED = ("numpy", "ml_dtypes")


class Host(NamedTuple):
    """What the host sets before the run: options of the machine, and pieces of memory."""

    settings: Mapping[str, Any]
    memory: list[tuple[int, bytes]]


def main(argv: Sequence[str] | None = None) -> int:
    """Run `ipu-run` with `argv`, by default that of the process; return the exit status."""
    return run_guarded(PROGRAM, lambda: _command(read_options(argv)))


def _command(options: RunOptions) -> int:
    target = Target.of_argument(options.file)
    data = read_bytes(target)
    try:
        isa_name = isa_name_of(data, target.name, options.isa, options.format)
        check_memory(isa_name, {"--load": options.load, "--dump": options.dump})
        settings = settings_of(isa_name, options.host, options.cr)
    except WrongOptionError as error:
        usage_error(str(error))
    except ConfigurationError as error:
        return _refuse(error)
    check_outputs(options)
    memory = read_loads(options, isa_name)
    try:
        kernel = _kernel(options, data, target)
    except ConfigurationError as error:
        return _refuse(error)
    return ExitStatus.FINDINGS if kernel is None else _run(kernel, options, Host(settings, memory))


def _refuse(error: ConfigurationError) -> ExitStatus:
    for finding in error.findings:
        print_message(PROGRAM, str(finding))
    return ExitStatus.USAGE


def _kernel(options: RunOptions, data: bytes, target: Target) -> Kernel | None:
    """Return the program to run, or None if it has errors; prints errors and warnings.

    Raises `FileError` and `ConfigurationError`.
    """
    warnings: list[Diagnostic] = []

    def read(isa: Isa, source: SourceFile) -> EffectiveProgram:
        effective, warnings[:] = read_source(isa, source, options.defines, options.warnings)
        return effective

    try:
        kernel = read_kernel(data, target.name, options.isa, options.format, read)
        show_findings(warnings, kernel.source)
        return kernel
    except RejectedSourceError as error:
        show_findings([*error.findings, *warnings], error.source, "nothing run")
    except ImageError as error:
        show_image_mistakes(PROGRAM, target.name, error)
    return None


def _run(kernel: Kernel, options: RunOptions, host: Host) -> int:
    outcome = _execute(kernel, options, host)
    if outcome is None:
        return ExitStatus.FINDINGS
    if options.engine == Engine.CORE.value and (obstacle := outcome.machine.known_obstacle):
        write(f"{PROGRAM}: warning: numpy ran the program: {obstacle}\n", sys.stderr)
    status = _status(outcome)
    if status is not ExitStatus.OK:
        _print_failure(kernel, outcome, options)
    written: list[str] = []
    try:
        written = write_outputs(options, kernel, outcome, status is ExitStatus.OK)
    except FileError as error:
        print_message(PROGRAM, str(error))
        status = ExitStatus.USAGE
    _report(kernel, outcome, options, written)
    return status


def _execute(kernel: Kernel, options: RunOptions, host: Host) -> RunOutcome | None:
    """Run the program; if the machine cannot load it, print why and return None."""
    try:
        from ipu_asm.cli.run.execution import BrokenAssertionsError, execute
        from ipu_asm.emulator.model import machine_for

        machine_for(kernel.isa.name)
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        raise FileError(
            f"the emulator needs {' and '.join(_NEEDED)}, found no {error.name}"
        ) from error
    try:
        return execute(kernel, options, host.settings, host.memory)
    except WrongOptionError as error:
        usage_error(str(error))
    except ProgramError as error:
        for mistake in error.mistakes:
            print_message(PROGRAM, f"{kernel.name}: {mistake}")
    except BrokenAssertionsError as error:
        outcome = "nothing run (--no-assertions ignores them)"
        show_findings(error.findings, kernel.source, outcome, kernel.expansion)
    return None


def _status(outcome: RunOutcome) -> ExitStatus:
    from ipu_asm.emulator.stops import StopReason

    if outcome.stop.reason in (StopReason.HALTED, StopReason.BREAK):
        return ExitStatus.OK
    interrupted = outcome.stop.reason is StopReason.INTERRUPTED
    return ExitStatus.INTERRUPTED if interrupted else ExitStatus.FINDINGS


def _print_failure(kernel: Kernel, outcome: RunOutcome, options: RunOptions) -> None:
    """Print why the run failed, with its source line if there is one, else on one line."""
    from ipu_asm.cli.run.report import failure_of, failure_text

    failure = failure_of(outcome, options.max_cycles)
    if failure is not None and failure.span is not None:
        color = wants_color("auto", sys.stderr)
        write(failure_text(failure, kernel.source, color), sys.stderr)
    elif failure is not None:
        note = f"; {failure.note}" if failure.note else ""
        print_message(PROGRAM, f"{kernel.name}: {failure.message}{note}")
    if options.dump:
        print_message(PROGRAM, "nothing was dumped", "note")


def _report(
    kernel: Kernel, outcome: RunOutcome, options: RunOptions, written: Sequence[str]
) -> None:
    from ipu_asm.cli.run.report import summary_json, summary_text

    if options.json:
        write(summary_json(kernel, outcome, options.state), sys.stdout)
    else:
        stream = sys.stderr if STANDARD_INPUT in options.outputs else sys.stdout
        write(summary_text(outcome, written, options.state, options.verbose), stream)
