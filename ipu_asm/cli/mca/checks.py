"""`ipu-mca --certify`: whether all latencies of a program are met, and what breaks them."""

from __future__ import annotations

from typing import Any, Iterator

from ipu_asm.cli.console import ExitStatus
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
from ipu_asm.flow.landing import CALLED, LOST_TRACK, Departure, Meeting, Path
from ipu_asm.program.line_table import LineTable
from ipu_asm.program.program import Program
from ipu_asm.text import counted

_MAX_SHOWN = 50


def verdict_of(certificate: Certificate) -> int:
    """Return the exit status: 0 certain, 1 a latency is broken, 3 not all is known."""
    if certificate.breaches:
        return ExitStatus.FINDINGS
    is_known = not certificate.relied and not certificate.unclear
    return ExitStatus.OK if is_known else ExitStatus.INTERNAL


def certificate_text(program: Program, lines: LineTable, name: str) -> str:
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
        "status": {0: "met", 1: "broken"}.get(verdict_of(certificate), "unknown"),
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
        f"`{reader}` reads `{other.register}` {_bundles(distance)} behind {origin}, "
        f"whose result can be read after {needed}"
    )
    reasons = {
        TORN: "another part of it has landed already",
        UNWRITTEN: "nothing has written what it reads",
    }
    lost = "it is in another function" if crosses else "nothing reads that result later"
    return f"{text}, and {reasons.get(kind, lost)}"


def _least(needed: int | None, distance: int) -> str:
    return f"it must come {needed} bundles behind, found {distance}"


def _departure_text(program: Program, departure: Departure) -> str:
    write, how, remaining, path = departure
    result = f"`{write.register}` of `{_name(program, path[0], write)}` lands {_bundles(remaining)}"
    if how == LOST_TRACK:
        return f"{result} later, and where control goes is not known"
    other = "function that is called" if how == CALLED else "caller"
    return f"{result} behind the {how}: it relies on the {other}"


def _unknown_text(program: Program, meeting: Meeting) -> str:
    write, other, distance, _, path, _ = meeting
    writer, reader = _name(program, path[0], write), _name(program, path[-1], other)
    which = f"`{writer}` writes" if write.timing.def_cycle is None else f"`{reader}` reads"
    text = f"`{reader}` reads `{other.register}` {_bundles(distance)} behind `{writer}`"
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
