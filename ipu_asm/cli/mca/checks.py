"""The programs of `ipu-mca`, and its checks.

`--certify`: whether all latencies are met; `--fail-on-regression`: whether cycles have increased.
"""

from __future__ import annotations

import os
import time
from typing import Any, Iterator

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.encode import AssemblyError, UnencodableIsaError, object_of, written_errors
from ipu_asm.cli.console import ExitStatus, print_message
from ipu_asm.cli.lint.formats import encodable
from ipu_asm.cli.mca import HTML, JSON, PROGRAM, TEXT, McaOptions
from ipu_asm.cli.programs import configuration_of, in_one_context, show_findings
from ipu_asm.config.files import Target, decoded, is_elf, read_bytes
from ipu_asm.config.host_configurations import Hosts, configured_host, configured_run
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.diagnostics.rendering import printable
from ipu_asm.flow.accesses import RegisterAccess
from ipu_asm.flow.certificate import (
    OVERWRITTEN,
    STALE,
    TORN,
    UNWRITTEN,
    Breach,
    Certificate,
    certificate_of,
)
from ipu_asm.flow.control_run.facts import (
    ControlFacts,
    control_facts,
    facts_with,
    followed_further,
)
from ipu_asm.flow.landing import CALLED, LOST_TRACK, Departure, Meeting, Path
from ipu_asm.ide.run_facts import origin_of, shown_configurations
from ipu_asm.isa.model import Isa
from ipu_asm.lint.selection import selection_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import EffectiveProgram, LineTable
from ipu_asm.program.program import Program
from ipu_asm.reports.performance.comparison import (
    Comparison,
    Version,
    compare,
    comparison_data,
    comparison_text,
)
from ipu_asm.reports.performance.report import PerformanceReport, performance_report
from ipu_asm.reports.performance.text import report_data
from ipu_asm.source.expansion import source_settings
from ipu_asm.text import SourceFile, counted

_MAX_STEPS = 1_000_000
"""Bundles of a run that are executed one by one, more than an editor could wait for."""
_MAX_SECONDS = 0.8
"""Of processor time, to follow the runs of a program further: with all else it takes below 2 s."""


def programs_of(analysis: Analysis, *, is_one: bool) -> list[EffectiveProgram]:
    """Return what is executed: of a template in several contexts, the program of each."""
    expansions = tuple(each.expansion for each in analysis.expanded)
    if is_one or len({each.text for each in expansions}) < 2:
        return [EffectiveProgram(analysis.effective_program, expansions)]
    return [
        EffectiveProgram(each.analysis.program, (each.expansion,)) for each in analysis.expanded
    ]


def analyzed(
    isa: Isa, source: SourceFile, options: McaOptions, kernel: str = ""
) -> tuple[Analysis, list[Diagnostic]]:
    """Return the analysis of a source and its errors and, unless they are off, warnings.

    The values that no comment and no option states are those of the configured run of the file
    `kernel`, by default the source's own. Raises `FileError` for the only file if it is a template
    in several contexts, and `ConfigurationError`.
    """
    configuration = configuration_of(source.path, is_needed=True)
    ours = configuration_of(kernel, is_needed=True) if kernel else configuration
    path = os.path.abspath(kernel or source.path)
    run, host = configured_run(path, ours), configured_host(path, ours)
    defines = {**(run.run.define if run else {}), **options.defines}
    settings = source_settings(source.path, configuration, defines)
    settings = settings._replace(
        presets={**settings.presets, **options.presets}, hosts=Hosts((host,) if host else ())
    )
    analysis = Analyzer(isa).analyze(source.text, source.path, settings=settings)
    if options.is_for_one:
        expansions = [each.expansion for each in analysis.expanded]
        in_one_context(expansions, source, "--context or --define")
    selection = selection_of(configuration)
    least = Severity.WARNING if options.warnings else Severity.ERROR
    wanted = [
        finding
        for finding in analysis.diagnostics
        if finding.severity <= least and selection.keeps(finding.rule, source.path)
    ]
    return analysis, wanted


def reports_of(
    effective: EffectiveProgram, source: SourceFile, options: McaOptions
) -> list[PerformanceReport]:
    """Return the report of each host configuration; for JSON and HTML, only that of the first."""
    program = effective.program
    known = control_facts(program)
    if known and program.hosts.configurations:
        found = (facts_with(program, each.values) for each in shown_configurations(program))
        known = tuple(each for each in found if each is not None) or known
    most = _MAX_STEPS // max(1, len(known))
    end = time.process_time() + _MAX_SECONDS
    every: list[ControlFacts | None] = [
        followed_further(program, facts, most, lambda: time.process_time() > end) for facts in known
    ]
    if not every:
        if not program.isa.counting.registers:
            message = f"what control of `{program.isa.name}` depends on is not described"
            message = f"no cycles, trips and addresses: {message}"
            print_message(PROGRAM, f"{source.path}: {message}", "note")
        every = [None]
    elif len(every) > 1 and options.format in (JSON, HTML):
        message = f"{len(every)} configurations, reported for the first; choose with --cr"
        print_message(PROGRAM, f"{source.path}: {message}", "note")
        every = every[:1]
    lines = LineTable(program, effective.expansion, source)
    with_moves = options.format in (TEXT, HTML)
    return [
        performance_report(program, lines, facts, with_moves=with_moves)._replace(
            origins={name: _origin(program, name) for name in facts.presets} if facts else {}
        )
        for facts in every
    ]


def _origin(program: Program, register: str) -> str:
    is_given = register in map(str.lower, program.presets)
    return "the command line" if is_given else origin_of(program, register)


_MAX_SHOWN = 50


def version_of(
    effective: EffectiveProgram, source: SourceFile, report: PerformanceReport
) -> Version:
    """Return a program as a version to compare, with the size of its code if that is known."""
    size = None
    if effective.program.isa.surface.linked:
        try:
            code = object_of(effective, source, is_final=False)
            size = sum(len(section.data) for section in code.sections if section.is_code)
        except (AssemblyError, UnencodableIsaError):
            size = None
    lines = LineTable(effective.program, effective.expansion, source)
    return Version(effective.program, lines, report, size)


class Compared(NamedTuple):
    """A comparison with the baseline: the exit status, and what is written as text or JSON."""

    status: int
    text: str
    data: dict[str, Any]


def compared(new: Version, options: McaOptions) -> Compared:
    """Compare a program with the baseline. Raises `FileError` and `ConfigurationError`."""
    assert options.baseline is not None
    isa, target = new.program.isa, Target.of_argument(options.baseline)
    data = read_bytes(target)
    if is_elf(data):
        from ipu_asm.assembler.code_files import read_code_file  # few files are machine code

        text = read_code_file(data, target.name, isa.name).text(has_labels=True)
    else:
        text = decoded(data, target.name).text
    source = SourceFile(text, target.name)
    analysis, _ = analyzed(isa, source, options, new.lines.source.path)
    (effective,) = programs_of(analysis, is_one=True)
    errors = written_errors(effective)
    if errors:
        show_findings(errors, source, "nothing compared", effective.expansion)
        return Compared(ExitStatus.FINDINGS, "", {})
    old = version_of(effective, source, reports_of(effective, source, options)[0])
    comparison = compare(old, new)
    name = printable(new.lines.source.path or "")
    return Compared(
        _regression_status(comparison, name, options.fail_on_regression),
        comparison_text(comparison, name, printable(target.name)),
        {"baseline": report_data(old.report), "differences": comparison_data(comparison)},
    )


def _regression_status(comparison: Comparison, name: str, most: float | None) -> int:
    """Return the exit status of a comparison, and print what grows by more than `most` percent."""
    worse = [
        change
        for change in comparison.regressions
        if most is not None and change.growth is not None and change.growth > most
    ]
    for change in worse:
        numbers = f"{change.old:,} -> {change.new:,}"
        message = f"{change.name} grow by {change.growth:.2f} %, {numbers}; allowed are {most:g} %"
        print_message(PROGRAM, f"{name}: {message}")
    return ExitStatus.FINDINGS if worse else ExitStatus.OK


def certified(
    effective: EffectiveProgram, source: SourceFile, texts: list[str], options: McaOptions
) -> int:
    """Certify the latencies of a program, add the text to `texts`; return the exit status."""
    program = effective.program
    if not program.isa.has_exposed_pipeline:
        name = program.isa.title
        message = f"{source.path}: --certify is for sets without interlocks, found {name}"
        print_message(PROGRAM, message)
        return ExitStatus.USAGE
    certificate = certificate_of(program)
    if options.format == TEXT:
        lines = LineTable(program, effective.expansion, source)
        context = effective.expansion.context if effective.expansion else ""
        name = printable(f"{source.path} ({context})" if context else str(source.path))
        texts.append(encodable(_certificate_text(program, lines, name)))
    if certificate.breaches:
        return ExitStatus.FINDINGS
    is_known = not certificate.relied and not certificate.unclear
    return ExitStatus.OK if is_known else ExitStatus.UNKNOWN


def _certificate_text(program: Program, lines: LineTable, name: str) -> str:
    """Return what is certain about the results of a program, and what is not, as lines."""
    certificate = certificate_of(program)
    found = [f"{name}: {_summary(certificate)}"]
    shown = [*_sentences(program, lines, certificate)]
    for row, message, path in shown[:_MAX_SHOWN]:
        found += [f"  line {row}: {message}", f"    path: {path}"]
    if len(shown) > _MAX_SHOWN:
        found.append(f"  and {len(shown) - _MAX_SHOWN:,} more")
    return "\n".join(found) + "\n"


def certificate_data(program: Program, lines: LineTable) -> dict[str, Any]:
    """Return the certificate as an object; rows are those of the written file."""
    certificate = certificate_of(program)
    entries = [
        {"kind": kind, "row": row, "message": message, "path": path}
        for (row, message, path), kind in zip(
            _sentences(program, lines, certificate), _kinds(certificate)
        )
    ]
    known = len(certificate.breaches)
    return {
        "status": "broken" if known else "unknown" if entries else "met",
        "paths": certificate.paths,
        "overlaps": certificate.overlaps,
        "broken": entries[:known],
        "unknown": entries[known:],
    }


def _kinds(certificate: Certificate) -> Iterator[str]:
    yield from (breach.kind for breach in certificate.breaches)
    yield from (departure.how for departure in certificate.relied)
    for each in certificate.unclear:
        yield each.how if isinstance(each, Departure) else "cycle"


def _summary(certificate: Certificate) -> str:
    paths = counted(certificate.paths, "path")
    if certificate.breaches:
        return f"{_latencies(len(certificate.breaches))} not met; followed {paths}"
    open_ends = len(certificate.relied) + len(certificate.unclear)
    if open_ends:
        return f"not certified: {counted(open_ends, 'result')} not followed to the end; {paths}"
    text = f"all latencies met on {paths}"
    if certificate.overlaps:
        text += f"; {counted(certificate.overlaps, 'read')} of an earlier value on purpose"
    return text


def _latencies(count: int) -> str:
    return "1 latency is" if count == 1 else f"{count:,} latencies are"


def _sentences(
    program: Program, lines: LineTable, certificate: Certificate
) -> Iterator[tuple[int, str, str]]:
    """Yield line, message and path of all that is broken, and then of all that is not known."""
    for breach in certificate.breaches:
        path = breach.meeting.path
        yield _line(lines, path[-1]), _breach_text(program, lines, breach), _path_text(lines, path)
    for departure in (*certificate.relied, *certificate.unclear):
        path = departure.path
        if isinstance(departure, Departure):
            message = _departure_text(program, departure)
        else:
            message = _unknown_text(program, departure)
        yield _line(lines, path[-1]), message, _path_text(lines, path)


def _breach_text(program: Program, lines: LineTable, breach: Breach) -> str:
    kind, (write, other, distance, needed, path, crosses) = breach
    writer, reader = _name(program, path[0], write), _name(program, path[-1], other)
    if kind == OVERWRITTEN:
        writer, reader = _name(program, path[-1], write), _name(program, path[0], other)
        return (
            f"`{writer}` overwrites `{write.register}` before `{reader}` of line "
            f"{_line(lines, path[0])} reads it: {_least(needed, distance)}"
        )
    origin = f"`{writer}` of line {_line(lines, path[0])}"
    if kind == STALE:
        return (
            f"what `{reader}` puts into `{other.register}` is replaced by the older result of "
            f"{origin}, which lands later: {_least(needed, distance)}"
        )
    text = (
        f"`{reader}` reads `{other.register}` {_bundles(distance)} after {origin}, "
        f"whose result can be read after {needed}"
    )
    reasons = {
        TORN: "another part of it has landed already",
        UNWRITTEN: "nothing has written what it reads",
    }
    lost = "it is in another function" if crosses else "nothing reads that result later"
    return f"{text}, and {reasons.get(kind, lost)}"


def _least(needed: int | None, distance: int) -> str:
    return f"it must come {needed} bundles after, found {distance}"


def _departure_text(program: Program, departure: Departure) -> str:
    write, how, remaining, path = departure
    result = f"`{write.register}` of `{_name(program, path[0], write)}` lands {_bundles(remaining)}"
    if how == LOST_TRACK:
        return f"{result} later, and where control goes is not known"
    other = "function that is called" if how == CALLED else "caller"
    return f"{result} after the {how}: it relies on the {other}"


def _unknown_text(program: Program, meeting: Meeting) -> str:
    write, other, distance, _, path, _ = meeting
    writer, reader = _name(program, path[0], write), _name(program, path[-1], other)
    which = f"`{writer}` writes" if write.timing.def_cycle is None else f"`{reader}` reads"
    text = f"`{reader}` reads `{other.register}` {_bundles(distance)} after `{writer}`"
    return f"{text}, but no public text states in which cycle {which} it"


def _bundles(count: int) -> str:
    return counted(count, "bundle")


def _name(program: Program, address: int, access: RegisterAccess) -> str:
    bundle = program.bundles[program.bundle_at_address[address]]
    return bundle.instructions[access.instruction].mnemonic


def _line(lines: LineTable, address: int) -> int:
    place = lines.place(address)
    return place.line if place else 0


def _path_text(lines: LineTable, path: Path) -> str:
    """Return the lines of a path, those that follow one another in one range: `12 to 14, 40`."""
    runs: list[list[int]] = []
    for address, before in zip(path, (None, *path)):
        if before is not None and address == before + 1:
            runs[-1][1] = address
        else:
            runs.append([address, address])
    shown = [[_line(lines, address) for address in dict.fromkeys(run)] for run in runs]
    return "line " + ", then ".join(" to ".join(map(str, each)) for each in shown)
