"""Check that instructions moved between bundles read and write the same values.

Every read must see the same write as before, and every register or piece of state must be written
in the same order. Memory is one piece of state: addresses are not distinguished.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.flow.accesses import LIVE, RegisterAccess, accesses_of
from ipu_asm.ide.refactorings.offer import RefactoringError
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

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
