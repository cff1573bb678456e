"""Parts of memory that a program names: in its head comment, and with `# REGION` assertions."""

from __future__ import annotations

from typing import Iterable, Iterator, Mapping, Sequence

from ipu_asm.expressions.tree import ExpressionError, Name
from ipu_asm.flow.assertions.comments import AssertionKind, assertion_comments
from ipu_asm.flow.assertions.syntax import Region, parse_assertion
from ipu_asm.flow.assertions.values import Undecided, number_of
from ipu_asm.flow.control_run.trace import without
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program
from ipu_asm.program.register_notes import bases_of, memory_notes

_MIN_SIZE = 128


class NamedPart(NamedTuple):
    """A part of memory that has a name. `about` is the description by its author."""

    name: str
    bytes: range
    about: str = ""


def named_parts(
    program: Program, registers: Mapping[str, int], used: Sequence[range], unit: int
) -> list[NamedPart]:
    """Return the named parts of memory, which do not overlap.

    Bytes that an assertion and the head comment name have the name of the assertion. `registers`
    are the values of scalars that are known. A part without a size ends with that of the `used`
    bytes in which it begins. `unit` is how many bytes an address counts.
    """
    return _apart([*_declared(program, registers, unit), *_noted(program, used)])


def parts_from(
    program: Program, registers: Mapping[str, int], base: str, used: Sequence[range], unit: int
) -> list[NamedPart]:
    """Return the named parts of memory, with `base` those at the unknown value of that register.

    Their bytes count from 0, or from that value. The head comment names the part that begins at
    the register: it has all bytes that are `used`.
    """
    if not base:
        return named_parts(program, registers, used, unit)
    parts = [*_declared(program, {}, unit, base)]
    note = bases_of(program).get(base)
    if note is not None:
        end = max((each.stop for each in used), default=0)
        parts.append(NamedPart(note.name, range(note.size or end), note.text))
    return _apart(parts)


def names_of(
    program: Program, registers: Mapping[str, int], base: str, used: Sequence[range], unit: int
) -> str:
    """Return the names of the parts that have some of the `used` bytes: `inputs, weights`, or "".

    For `base` see `parts_from`.
    """
    return ", ".join(names_in(parts_from(program, registers, base, used, unit), used))


def names_in(parts: Iterable[NamedPart], bytes_: Iterable[range]) -> list[str]:
    """Return the names of the parts that have some of these bytes."""
    found = [*bytes_]
    return [
        part.name
        for part in parts
        if any(each.start < part.bytes.stop and part.bytes.start < each.stop for each in found)
    ]


def _apart(parts: Iterable[NamedPart]) -> list[NamedPart]:
    """Return the parts, each without the bytes that an earlier one has."""
    found: list[NamedPart] = []
    for part in parts:
        rests = without(part.bytes, [each.bytes for each in found])
        found += (part._replace(bytes=rest) for rest in rests)
    return found


def _declared(
    program: Program, registers: Mapping[str, int], unit: int, base_name: str = ""
) -> Iterator[NamedPart]:
    """Yield the regions of assertions whose ends are known.

    With `base_name` those that count from this register, relative to it.
    """
    for comment in assertion_comments(program):
        if comment.kind is not AssertionKind.REGION:
            continue
        try:
            region = parse_assertion(comment.kind, comment.text)
            assert isinstance(region, Region)
            base = 0
            if base_name:
                if not isinstance(region.base, Name) or region.base.text != base_name:
                    continue
            elif region.base is not None:
                base = int(number_of(region.base, registers))
            first, end = (int(number_of(node, registers)) for node in (region.first, region.end))
        except (ExpressionError, Undecided, ValueError, OverflowError):
            continue
        bytes_ = range(unit * (base + first), unit * (base + end))
        yield NamedPart(region.name, bytes_, f"for {region.access}s" if region.access else "")


def _noted(program: Program, used: Sequence[range]) -> Iterator[NamedPart]:
    """Yield the parts of the head comment; one without a size ends where its use does."""
    notes = sorted(memory_notes(program), key=lambda note: note.start)
    starts = [note.start for note in notes]
    for note in notes:
        size = note.size
        if size is None:
            limit = min((each for each in starts if each > note.start), default=None)
            ends = [each.stop for each in used if each.start <= note.start < each.stop]
            end = max(ends, default=note.start + _MIN_SIZE)
            size = (end if limit is None else min(end, limit)) - note.start
        yield NamedPart(note.name, range(note.start, note.start + size), note.text)
