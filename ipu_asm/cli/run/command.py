"""`ipu-run`: execute a program with data in and out, and report the result.

Modules that load numpy (a tenth of a second) are imported after the options and the program have
been read, so that `--help` and mistakes are shown at once, also where numpy is missing.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from ipu_asm.assembler.images import ImageError
from ipu_asm.assembler.kernel import Kernel, RejectedSourceError, isa_name_of, read_kernel
from ipu_asm.cli.console import (
    ExitStatus,
    columns_of,
    print_message,
    run_guarded,
    wants_color,
    write,
)
from ipu_asm.cli.programs import configuration_of, read_source, show_findings, show_image_mistakes
from ipu_asm.cli.run.checks import check_coverage, check_options, check_outputs, check_own_options
from ipu_asm.cli.run.host_options import (
    Host,
    WrongOptionError,
    check_memory,
    read_pieces,
    settings_of,
)
from ipu_asm.cli.run.options import (
    COMMAND_MAX_CYCLES,
    PROGRAM,
    RunOptions,
    read_options,
    usage_error,
)
from ipu_asm.config import ConfigurationError
from ipu_asm.config.files import STANDARD_INPUT, FileError, Target, is_code_file, read_bytes
from ipu_asm.config.host_configurations import FoundRun, configured_run
from ipu_asm.config.kernel_keys import foreign_keys
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.emulator.machine import Engine
from ipu_asm.emulator.stated_options import (
    SeveralOptionsError,
    StatedRegister,
    stated_options,
    stated_registers,
    stated_text,
)
from ipu_asm.emulator.stops import ProgramError
from ipu_asm.isa import Manifest, manifests
from ipu_asm.isa.model import Isa
from ipu_asm.program.line_table import EffectiveProgram
from ipu_asm.testbench.data.source import Data, DataError, data_of
from ipu_asm.text import SourceFile

if TYPE_CHECKING:
    from ipu_asm.cli.run.execution import RunOutcome
    from ipu_asm.cli.run.results import Comparison
    from ipu_asm.emulator.state import AnyState
    from ipu_asm.reports.recorded_profiles import ChangedCosts


_REMEDY = "give them with --cr N=VALUE and --load FILE@ADDR, or in ipu.toml"
_NEEDED = ("numpy", "ml_dtypes")


def main(argv: Sequence[str] | None = None) -> int:
    """Run `ipu-run` with `argv`, by default that of the process; return the exit status."""
    return run_guarded(PROGRAM, lambda: _command(read_options(argv)))


def _command(options: RunOptions) -> int:
    check_options(options)
    target = Target.of_argument(options.file)
    data = read_bytes(target)
    try:
        if is_code_file(data):
            return _run_code(with_configured_run(options, None), data, target)
        isa_name = isa_name_of(data, target.name, options.isa, options.format)
        manifest = manifests().get(isa_name)
        options = with_configured_run(options, manifest)
        if manifest is not None and manifest.runs_machine_code:
            return _run_code(options, data, target)
        check_own_options(options, isa_name)
        requests = {"--load": options.load, "--dump": options.dump, "--expect": options.expect}
        check_memory(isa_name, requests)
        settings = settings_of(isa_name, options.host, options.cr)
    except WrongOptionError as error:
        usage_error(str(error))
    except ConfigurationError as error:
        return _refuse(error)
    check_outputs(options)
    memory, expected = (
        read_pieces(requests, isa_name) for requests in (options.load, options.expect)
    )
    try:
        kernel = _kernel(options, data, target)
        check_coverage(options.coverage, kernel)
    except ConfigurationError as error:
        return _refuse(error)
    if kernel is None:
        return ExitStatus.FINDINGS
    options, found = with_stated_registers(options, kernel, settings)
    return _run(kernel, options, Host(settings, memory, expected, found=found))


def _run_code(options: RunOptions, data: bytes, target: Target) -> int:
    from ipu_asm.cli.run.code_command import run_code  # few programs are machine code

    return run_code(options, data, target)


def _refuse(error: ConfigurationError) -> ExitStatus:
    for finding in error.findings:
        print_message(PROGRAM, str(finding))
    return ExitStatus.USAGE


def _kernel(options: RunOptions, data: bytes, target: Target) -> Kernel | None:
    """Return the program to run, or None if it has errors; prints errors and warnings.

    Raises `FileError` and `ConfigurationError`.
    """
    warnings: list[Diagnostic] = []
    presets = {
        f"{file}{number}": value
        for file, values in (("cr", options.cr), ("lr", options.lr))
        for number, value in values.items()
    }

    def read(isa: Isa, source: SourceFile) -> EffectiveProgram:
        effective, warnings[:] = read_source(
            isa, source, options.defines, options.warnings, presets
        )
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
    _require_machine(kernel)
    from ipu_asm.cli.run.outputs import changed_costs, read_baseline, write_outputs

    baseline = read_baseline(options)
    host = _completed(host, options, kernel)
    outcome = _execute(kernel, options, host)
    if outcome is None:
        return ExitStatus.FINDINGS
    if options.engine == Engine.CORE.value and (obstacle := outcome.machine.known_obstacle):
        write(f"{PROGRAM}: warning: numpy ran the program: {obstacle}\n", sys.stderr)
    status = _status(outcome)
    is_good = status is ExitStatus.OK and not outcome.is_left
    if not is_good:
        _print_failure(kernel, outcome, options)
    _warn(outcome)
    if (unprinted := _print_missing_values(kernel, outcome)) and status is ExitStatus.OK:
        status = unprinted
    written: list[str] = []
    comparisons: list[Comparison] = []
    try:
        written = write_outputs(options, kernel, outcome, is_good)
        if host.expected and is_good:
            comparisons = _compared(kernel, outcome, options, host)
            is_equal = all(each.difference is None for each in comparisons)
            status = status if is_equal else ExitStatus.FINDINGS
    except FileError as error:
        print_message(PROGRAM, str(error))
        status = ExitStatus.USAGE
    costs = changed_costs(baseline, kernel, outcome)
    _report(kernel, outcome, options, written, comparisons, costs)
    return status


def _warn(outcome: RunOutcome) -> None:
    from ipu_asm.cli.run.report import warnings_of

    for warning in warnings_of(outcome):
        print_message(PROGRAM, warning, "warning")


def _compared(
    kernel: Kernel, outcome: RunOutcome, options: RunOptions, host: Host
) -> list[Comparison]:
    """Compare memory with what is expected, and print the differences. Raises `FileError`."""
    from ipu_asm.cli.run.execution import start_state
    from ipu_asm.cli.run.results import compared

    def start() -> AnyState:
        return start_state(kernel, options, host)[0]

    comparisons = compared(kernel, outcome.machine, host, start)
    for comparison in comparisons:
        for number, line in enumerate(comparison.lines):
            if number:
                write(f"{line}\n", sys.stderr)
            else:
                print_message(PROGRAM, f"{kernel.name}: {line}")
    return comparisons


def _require_machine(kernel: Kernel) -> None:
    """Load the machine of a program. Raises `FileError` where numpy is missing."""
    try:
        from ipu_asm.emulator.model import machine_for

        machine_for(kernel.isa.name)
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        raise FileError(
            f"the emulator needs {' and '.join(_NEEDED)}, found no {error.name}"
        ) from error


def _completed(host: Host, options: RunOptions, kernel: Kernel) -> Host:
    """Return the host with the options that a saved state and the program state, in this order.

    Raises `FileError`.
    """
    settings: dict[str, Any] = {}
    saved = None
    if options.load_state is not None:
        from ipu_asm.emulator.model import machine_for
        from ipu_asm.testbench.data.memory import checked_settings, read_saved_run

        saved = read_saved_run(options.load_state)
        settings |= checked_settings(saved, machine_for(kernel.isa.name))
    known = manifests()[kernel.isa.name].host_options
    try:
        settings |= stated_options(kernel.program, known, host.settings)
    except SeveralOptionsError as error:
        usage_error(f"argument {error.option.argument}: {error}")
    return host._replace(settings={**settings, **host.settings}, saved=saved)


def _execute(kernel: Kernel, options: RunOptions, host: Host) -> RunOutcome | None:
    """Run the program; if the machine cannot load it, print why and return None."""
    from ipu_asm.cli.run.execution import BrokenAssertionsError, execute

    try:
        if not options.is_debugged:
            return execute(kernel, options, host)
        from ipu_asm.cli.run.interactive.terminal import debug

        return debug(kernel, options, host)
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

    if outcome.session:
        return outcome.session
    good = (StopReason.HALTED, StopReason.BREAK, StopReason.UNTIL)
    if outcome.is_left or outcome.stop.reason in good:
        return ExitStatus.OK
    interrupted = outcome.stop.reason is StopReason.INTERRUPTED
    return ExitStatus.INTERRUPTED if interrupted else ExitStatus.FINDINGS


def _print_failure(kernel: Kernel, outcome: RunOutcome, options: RunOptions) -> None:
    """Print why the run failed, with its source line if there is one, else on one line."""
    from ipu_asm.cli.run.report import failure_of, failure_text

    failure = failure_of(outcome, options.max_cycles)
    if failure is not None and failure.span is not None:
        color = wants_color("auto", sys.stderr)
        columns = columns_of(sys.stderr)
        write(failure_text(failure, kernel.source, color, columns), sys.stderr)
    elif failure is not None:
        note = f"; {failure.note}" if failure.note else ""
        print_message(PROGRAM, f"{kernel.name}: {failure.message}{note}")
    if failure is not None and outcome.failed is None and outcome.host.saved is None:
        _print_missing(kernel, outcome, options)
    if options.dump or options.save_state:
        print_message(PROGRAM, "nothing was dumped", "note")


def _print_missing_values(kernel: Kernel, outcome: RunOutcome) -> ExitStatus:
    """Print which expressions of `--print` have no value; return the status that this means."""
    missing = [each for each in outcome.printed if each.result is None]
    for each in missing:
        print_message(PROGRAM, f"{kernel.name}: no value for --print `{each.text}`: {each.message}")
    return ExitStatus.FINDINGS if missing else ExitStatus.OK


def _print_missing(kernel: Kernel, outcome: RunOutcome, options: RunOptions) -> None:
    """Print which inputs the program did not get: the reason of most failures of a first run.

    A limit that the user has lowered is no fault of the program.
    """
    if outcome.stop.fault is None and options.max_cycles < COMMAND_MAX_CYCLES:
        return
    from ipu_asm.debugger.explanations import missing_inputs

    given = [f"cr{number}" for number in options.cr] + [f"lr{number}" for number in options.lr]
    has_data = bool(outcome.loaded)
    missing = missing_inputs(kernel.program, outcome.machine.state, given, has_data)
    if sentence := missing.sentence(_REMEDY):
        print_message(PROGRAM, sentence, "help")


def _report(
    kernel: Kernel,
    outcome: RunOutcome,
    options: RunOptions,
    written: Sequence[str],
    comparisons: Sequence[Comparison],
    costs: ChangedCosts | None,
) -> None:
    from ipu_asm.cli.run.report import summary_json, summary_text

    if options.json:
        write(summary_json(kernel, outcome, options, comparisons, costs), sys.stdout)
    else:
        stream = sys.stderr if STANDARD_INPUT in options.outputs else sys.stdout
        write(summary_text(outcome, options, written, comparisons, costs), stream)


def with_configured_run(options: RunOptions, manifest: Manifest | None) -> RunOptions:
    """Return options with the run of `[kernel."GLOB".run]` if they give no inputs, with a note.

    What is expected is compared only where the program runs to its end. `manifest` is that of its
    set, if it is known. Raises `ConfigurationError` and `FileError`.
    """
    if not options.finds_inputs or options.has_inputs or options.file == STANDARD_INPUT:
        return options
    found = configured_run(options.file)
    if found is None:
        return options
    run = found.run
    if manifest is not None and (mistake := foreign_keys(run, manifest)):
        raise FileError(mistake, found.origin)
    is_whole = options.until is None and not options.breaks and not options.is_debugged
    settings = {
        name: value if isinstance(value, bool) else str(value)
        for name, value in run.settings.items()
        if value is not False
    }
    completed = options.replaced(
        host=settings,
        cr=dict(run.cr),
        lr=dict(run.lr),
        registers={name: str(value) for name, value in run.registers.items()},
        entry=run.entry,
        arguments=run.args,
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

    Registers that options give and a saved state take precedence. A note lists them.
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
    return options.replaced(cr={**cr, **options.cr}, lr={**lr, **options.lr}), found


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
