"""Offers of refactorings, and checks that a moved instruction reads and writes the same values."""

from __future__ import annotations

from bisect import bisect_right
from typing import Callable, Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.bundle.parser import parser_for
from ipu_asm.diagnostics import Severity
from ipu_asm.flow.accesses import LIVE, RegisterAccess, accesses_of
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.edits import read_slices
from ipu_asm.program.program import Program, Reference, distance, is_distance, resolve_target
from ipu_asm.text import Span, TextEdit, apply_edits


class RefactoringError(Exception):
    """Raised if a refactoring would change what the program does; the message is shown to users."""


class RefactoringOffer(NamedTuple):
    """A refactoring that applies to the selection.

    If it cannot be done, `refusal_reason` gives the reason and `edits` is empty.
    """

    title: str
    kind: str
    edits: tuple[TextEdit, ...] = ()
    refusal_reason: str = ""


def make_offer(title: str, kind: str, make: Callable[[], Sequence[TextEdit]]) -> RefactoringOffer:
    """Return the offer with the edits of `make`, or with the message of its `RefactoringError`."""
    try:
        return RefactoringOffer(title, kind, tuple(sorted(make())))
    except RefactoringError as error:
        return RefactoringOffer(title, kind, refusal_reason=str(error))


class BundlePosition(NamedTuple):
    """A position in a bundle that has instructions.

    `number` is the number of the bundle, `offset` counts from the start of its text.
    """

    program: Program
    number: int
    offset: int

    @property
    def bundle(self) -> Bundle:
        return self.program.bundles[self.number]

    @property
    def instruction(self) -> int:
        """Return the number of the instruction at or before the position; -1 before the first."""
        plans = self.bundle.syntax.plan.instructions
        starts = [self.bundle.syntax.spans[plan.mnemonic].start for plan in plans]
        return bisect_right(starts, self.offset) - 1

    @property
    def neighbours(self) -> tuple[int | None, int | None]:
        """Return the numbers of the previous and the next bundle with an address, or None."""
        program = self.program
        at, address = program.bundle_at_address, program.addresses[self.number]
        after = at[address + 1] if address + 1 < program.size else None
        return (at[address - 1] if address else None), after


def bundle_position_at(program: Program, offset: int) -> BundlePosition | None:
    """Return the position at an offset of the program's text; None between bundles."""
    number = program.bundle_at(offset)
    if not program.bundles[number].instructions or offset < _start(program, number):
        if not number or offset > program.starts[number]:
            return None
        # A cursor directly after an end mark selects the bundle that the mark ends.
        number -= 1
    if not program.bundles[number].instructions or program.starts[number] > offset:
        return None
    return BundlePosition(program, number, offset - program.starts[number])


def bundles_in(program: Program, span: Span) -> list[int]:
    """Return the numbers of the bundles with instructions that a selection or a cursor touches."""
    position = bundle_position_at(program, span.start)
    first = position.number if position is not None else program.bundle_at(span.start)
    last = program.bundle_at(span.end)
    return [
        number
        for number in range(first, last + 1)
        if program.bundles[number].instructions
        and (number == first or _start(program, number) < span.end)
        and (position is not None or number > first or _start(program, number) <= span.end)
    ]


def check_readable(program: Program, *numbers: int) -> None:
    """Raise `RefactoringError` if one of the bundles has an error: its meaning is unknown."""
    for number in numbers:
        bundle = program.bundles[number]
        errors = any(finding.severity is Severity.ERROR for finding in bundle.findings)
        if errors or bundle.has_uncertain_effect:
            raise RefactoringError(
                f"correct the error in {program.isa.unit} {program.addresses[number]} first"
            )


def _start(program: Program, number: int) -> int:
    return program.span(number, program.bundles[number].first_token).start


# An instruction: the number of its bundle in the old program and its number in that bundle.
Key = tuple[int, int]
Arrangement = Sequence[Sequence[Key]]


class _ValueFlow(NamedTuple):
    """The write that each read sees (None: one before these bundles); all writes by register."""

    write_seen_by_read: dict[tuple[Key, RegisterAccess], Key | None]
    writers: dict[str, list[Key]]


def check_values(program: Program, before: Arrangement, after: Arrangement) -> None:
    """Raise `RefactoringError` if the arrangement `after` has another effect than `before`.

    Both consist of bundles that run one after the other.
    """
    accesses = _accesses(program, before)
    old, new = _trace_values(before, accesses), _trace_values(after, accesses)
    for (key, access), writer in old.write_seen_by_read.items():
        if new.write_seen_by_read[key, access] != writer:
            words = program.bundles[key[0]].instructions[key[1]].words
            text = quoted(" ".join(words))
            raise RefactoringError(f"{text} would see another value of `{access.register}`")
    for name, writers in old.writers.items():
        if new.writers[name] != writers:
            raise RefactoringError(f"`{name}` would be written in another order")


def check_slots(program: Program, arrangement: Arrangement) -> None:
    """Raise `RefactoringError` if a bundle has more instructions for a slot than the slot holds."""
    for keys in arrangement:
        counts: dict[str, int] = {}
        for number, instruction in keys:
            spec = program.bundles[number].instructions[instruction].spec
            if spec is None:
                raise RefactoringError("an instruction is unknown")
            count = counts[spec.slot] = counts.get(spec.slot, 0) + 1
            capacity = program.isa.slot_by_name[spec.slot].capacity
            if count > capacity:
                held = "one instruction" if capacity == 1 else f"{capacity} instructions"
                raise RefactoringError(f"slot `{spec.slot}` holds {held}, and it is taken")


def _accesses(program: Program, arrangement: Arrangement) -> dict[Key, list[RegisterAccess]]:
    found: dict[Key, list[RegisterAccess]] = {key: [] for keys in arrangement for key in keys}
    for number in {number for number, _ in found}:
        for access in accesses_of(program.isa, program.bundles[number]):
            found[number, access.instruction].append(access)
    return found


def _trace_values(
    arrangement: Arrangement, accesses: Mapping[Key, list[RegisterAccess]]
) -> _ValueFlow:
    flow = _ValueFlow({}, {})
    last: dict[str, Key] = {}
    for keys in arrangement:
        pairs = [(key, access) for key in keys for access in accesses[key]]
        written: dict[str, Key] = {}
        for key, access in pairs:
            if access.writes and written.setdefault(access.register, key) != key:
                raise RefactoringError(
                    f"two instructions of one bundle would write `{access.register}`"
                )
        for key, access in pairs:
            if access.reads:
                here = written.get(access.register, key) if access.timing.read == LIVE else key
                seen = last.get(access.register) if here == key else here
                flow.write_seen_by_read[key, access] = seen
        for name, key in written.items():
            flow.writers.setdefault(name, []).append(key)
        last.update(written)
    return flow


def check_straight_line(program: Program, first: int, second: int) -> None:
    """Raise `RefactoringError` unless the second bundle always follows the first, and only it."""
    _check_goes_on(program, first)
    label = program.bundles[second].label
    if label is not None:
        raise RefactoringError(f"the label {quoted(label)} stands between the bundles")
    address = program.addresses[second]
    if any(reference.target == address for reference in program.references):
        raise RefactoringError(
            f"a branch targets {program.isa.unit} {address}, the second of the two"
        )
    if any(is_break(instruction) for instruction in program.bundles[second].instructions):
        raise RefactoringError(
            "a debugger may stop between the bundles: the second one has a break"
        )
    check_no_indirect_branch(program)


def check_no_indirect_branch(program: Program) -> None:
    """Raise `RefactoringError` if a branch of the program takes its target from a register."""
    if any(bundle.flow == "indirect" for bundle in program.bundles):
        raise RefactoringError("a branch of this program takes its target from a register")


def is_break(instruction: Instruction) -> bool:
    """Check whether an instruction can make a debugger stop before its bundle."""
    return instruction.spec is not None and instruction.spec.flow == "break"


def may_branch(instruction: Instruction) -> bool:
    """Check whether an instruction may transfer control away from the next bundle, or halt."""
    return instruction.spec is not None and instruction.spec.flow not in (None, "break")


def _check_goes_on(program: Program, number: int) -> None:
    for instruction in program.bundles[number].instructions:
        if may_branch(instruction):
            text = quoted(" ".join(instruction.words))
            raise RefactoringError(f"{text} may leave the first bundle before the second one runs")


def adjusted_distances(
    program: Program, moved: Callable[[int], int], source: Callable[[Reference], int]
) -> Iterator[TextEdit]:
    """Yield the edits of all distances that change.

    `moved` maps an old address to the new one, `source` maps a reference to the new address of its
    bundle. Raises `RefactoringError` for a distance that cannot be encoded.
    """
    labels = {label: moved(address) for label, address in program.label_addresses.items()}
    for reference in program.references:
        if reference.target is None or not is_distance(program, reference):
            continue
        origin, target = source(reference), moved(reference.target)
        if target - origin == reference.target - program.addresses[reference.bundle]:
            continue
        text = distance(target - origin)
        if resolve_target(program, reference, text, origin, labels) != target:
            raise RefactoringError(f"another distance, `{reference.text}`, cannot become `{text}`")
        yield TextEdit(program.reference_span(reference), text)


def check_result(program: Program, edits: list[TextEdit], bundles: int) -> list[TextEdit]:
    """Return the edits if the edited program is valid.

    Raises `RefactoringError` if they introduce errors in bundles, if the result has not `bundles`
    addresses, or if it does not fit into instruction memory.
    """
    text = apply_edits(program.text, edits)
    read = parser_for(program.isa).bundle
    after = read_slices(program.isa, text, read, program.slices)[0].bundles
    known = set(map(id, program.bundles))
    for bundle in after:
        if bundle.findings and id(bundle) not in known:
            _check_findings(bundle)
    if sum([bundle.size for bundle in after]) != bundles:
        raise RefactoringError("the result would not be a valid program")
    _check_size(program, after, bundles)
    return edits


def _check_findings(bundle: Bundle) -> None:
    for finding in bundle.findings:
        if finding.severity is Severity.ERROR:
            raise RefactoringError(finding.message)


def _check_size(program: Program, after: list[Bundle], size: int) -> None:
    """Raise `RefactoringError` if the program is too large for instruction memory.

    A full memory is refused as well if the last bundle has address-dependent no-ops: these would
    lead past the end.
    """
    limit, unit = program.isa.program_limit, program.isa.unit
    if size < limit:
        return
    lasts = [next(b for b in reversed(bundles) if b.size) for bundles in (program.bundles, after)]
    if size > limit or any(last.open_slots for last in lasts):
        raise RefactoringError(f"instruction memory holds {limit} {unit}s, and it is full")
