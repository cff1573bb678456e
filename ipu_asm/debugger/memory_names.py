"""Names of memory regions, from assertions, the head comment and the data of the host."""

from __future__ import annotations

from typing import Iterable, Iterator, Mapping, Sequence

from ipu_asm.expressions.errors import ExpressionError
from ipu_asm.flow.assertions.comments import AssertionKind, assertion_comments
from ipu_asm.flow.assertions.syntax import Region, parse_assertion
from ipu_asm.flow.assertions.values import Undecided, number_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.memory_notes import memory_notes
from ipu_asm.program.program import Program

_LEAST_SIZE = 128


class HostData(NamedTuple):
    """Bytes that the host loads, expects or dumps: `role` is that word in the past tense."""

    name: str
    address: int
    size: int
    role: str

    @property
    def bytes(self) -> range:
        """Its addresses."""
        return range(self.address, self.address + self.size)


class NamedPart(NamedTuple):
    """A part of memory that has a name. `about` is what its author says of it.

    `data` are the host's data in it, in words.
    """

    name: str
    bytes: range
    about: str = ""
    data: tuple[str, ...] = ()


def named_parts(
    program: Program,
    registers: Mapping[str, int],
    host: Sequence[HostData],
    used: Sequence[range],
    unit: int,
) -> list[NamedPart]:
    """Return the named parts of memory in the order of their addresses; none overlap.

    Names of the program go before those of files. `registers` are the values of scalars, `used`
    the bytes that are accessed, in order; `unit` is how many bytes an address counts.
    """
    parts: list[NamedPart] = []
    for part in (*_declared(program, registers, unit), *_noted(program, host, used)):
        parts += (part._replace(bytes=rest) for rest in without(part.bytes, parts))
    for data in host:
        rests = without(data.bytes, parts)
        parts += (NamedPart(data.name, rest) for rest in rests)
    return [
        part._replace(data=tuple(dict.fromkeys(_data_in(part, host))))
        for part in sorted(parts, key=lambda each: each.bytes.start)
    ]


def without(bytes_: range, parts: Iterable[NamedPart]) -> list[range]:
    """Return what some parts leave of a range of bytes."""
    left, start = [], bytes_.start
    for part in sorted(parts, key=lambda each: each.bytes.start):
        if part.bytes.stop <= start or part.bytes.start >= bytes_.stop:
            continue
        if part.bytes.start > start:
            left.append(range(start, part.bytes.start))
        start = part.bytes.stop
    return [*left, range(start, bytes_.stop)] if start < bytes_.stop else left


def _data_in(part: NamedPart, host: Iterable[HostData]) -> Iterator[str]:
    for data in host:
        if data.address < part.bytes.stop and part.bytes.start < data.bytes.stop:
            yield f"{data.name} {data.role}" if data.name != part.name else data.role


def _declared(program: Program, registers: Mapping[str, int], unit: int) -> Iterator[NamedPart]:
    """Yield the regions of assertions whose ends are known."""
    for comment in assertion_comments(program):
        if comment.kind is not AssertionKind.REGION:
            continue
        try:
            region = parse_assertion(comment.kind, comment.text)
            assert isinstance(region, Region)
            base = 0 if region.base is None else int(number_of(region.base, registers))
            first, end = (int(number_of(node, registers)) for node in (region.first, region.end))
        except (ExpressionError, Undecided, ValueError, OverflowError):
            continue
        bytes_ = range(unit * (base + first), unit * (base + end))
        yield NamedPart(region.name, bytes_, f"for {region.access}s" if region.access else "")


def _noted(
    program: Program, host: Sequence[HostData], used: Sequence[range]
) -> Iterator[NamedPart]:
    """Yield the parts of the head comment; one without a size ends where its use does."""
    notes = sorted(memory_notes(program), key=lambda note: note.start)
    starts = [note.start for note in notes]
    for note in notes:
        size = note.size
        if size is None:
            limit = min((each for each in starts if each > note.start), default=None)
            known = [*(data.bytes for data in host), *used]
            ends = [each.stop for each in known if each.start <= note.start < each.stop]
            end = max(ends, default=note.start + _LEAST_SIZE)
            size = (end if limit is None else min(end, limit)) - note.start
        yield NamedPart(note.name, range(note.start, note.start + size), note.text)
