"""Where control may go in a whole text, with repeated bundles and hardware loops."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.flow.counted_loops.effects import (
    BRANCH,
    CALLS,
    HALTS,
    JUMP,
    RETURNS,
    Effect,
    Jump,
    LabelUse,
    effect_of,
)
from ipu_asm.flow.functions import local_labels
from ipu_asm.isa.gnu_expressions import read_expression
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.macros import effect_of as directive_effect
from ipu_asm.program.program import Program

OUTSIDE = -1
"""The address of a label that another file defines."""

_LABEL = re.compile(r"(?<![\w.$\\])(?:[0-9]+[bf]|[A-Za-z_.][\w.$]*)(?![\w.$\\])")
_NAME = re.compile(r"[A-Za-z_.][\w.$]*")
_MAX_REPEATED = 256
# The directives that give no address of a label to anything.
_ABOUT_SYMBOLS = (
    ".addrsig", ".glob", ".hidden", ".internal", ".local", ".protected", ".section", ".size",
    ".type", ".weak",
)  # fmt: skip


class Exit(NamedTuple):
    """A jump at the address where it takes effect, after its delay slots.

    `origin` is the address of its bundle; `target` that of its label, None if it has none.
    """

    origin: int
    jump: Jump
    target: int | None


class RepeatedBundles(NamedTuple):
    """The addresses that a repeating instruction at `origin` repeats.

    `iterations` is None if they are in `register`.
    """

    origin: int
    first: int
    last: int
    iterations: int | None
    register: str


class Graph(NamedTuple):
    """The bundles of a program by address, and how control may move between them.

    `entries` may be reached with any values in registers, `starts` are those where other files may
    enter. `repeats` are by their first address. `starts_of_loops` and `ends_of_loops` are the
    labels that are put into the registers of hardware loops, `pointed` into others. Directives
    choose or make the bundles from `unclear_starts` on. With `is_unclear`, control may reach any
    bundle, with any values.
    """

    isa: Isa
    effects: Sequence[Effect]
    labels: Mapping[tuple[int, int, int], int]
    exits: Mapping[int, Exit]
    repeats: Mapping[int, RepeatedBundles]
    entries: frozenset[int]
    starts: tuple[int, ...]
    starts_of_loops: frozenset[int]
    ends_of_loops: frozenset[int]
    pointed: frozenset[int]
    unclear_starts: frozenset[int]
    is_unclear: bool

    @property
    def size(self) -> int:
        return len(self.effects)

    def address_of(self, address: int, use: LabelUse) -> int:
        """Return the address of a label operand of the bundle at an address."""
        return self.labels.get((address, use.instruction, use.operand), OUTSIDE)


def graph_of(program: Program) -> Graph:
    return _Builder(program).graph()


class _Builder:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._isa = program.isa
        self._size = program.size
        self._effects = [
            effect_of(program.isa, program.bundles[number]) for number in program.bundle_at_address
        ]
        self._entries: set[int] = set()
        self._exits: dict[int, Exit] = {}
        self._repeats: dict[int, RepeatedBundles] = {}
        self._loops: tuple[set[int], set[int]] = (set(), set())
        self._pointed: set[int] = set()
        self._unclear_starts: set[int] = set()
        self._is_unclear = False

    def graph(self) -> Graph:
        labels = {
            (self._program.addresses[reference.bundle], *reference.use[:2]): reference.target
            for reference in self._program.references
            if reference.target is not None and reference.target < self._size
        }
        starts = self._starts()
        self._add_directives()
        self._entries.update(starts, self._unclear_starts)
        for address, effect in enumerate(self._effects):
            if effect.is_opaque:
                self._entries.add(address + 1)
            if effect.jump is not None:
                self._add_exit(address, effect.jump, labels)
            if effect.repeat is not None:
                self._add_repeat(address)
            self._add_pointers(address, effect, labels)
        if any(effect.is_opaque for effect in self._effects):
            self._entries.update(self._labelled())
        return Graph(
            self._isa,
            self._effects,
            labels,
            self._exits,
            self._repeats,
            frozenset(address for address in self._entries if address < self._size),
            tuple(sorted(starts)),
            frozenset(self._loops[0]),
            frozenset(self._loops[1]),
            frozenset(self._pointed),
            frozenset(self._unclear_starts),
            self._is_unclear or self._shadows_mnemonics(),
        )

    def _starts(self) -> set[int]:
        """Return the first address and those of labels that other files may refer to."""
        addresses, local = self._program.label_addresses, local_labels(self._program)
        found = {address for label, address in addresses.items() if label not in local}
        return {address for address in (0, *found) if address < self._size}

    def _labelled(self) -> set[int]:
        program = self._program
        numeric = (number for numbers in program.numeric_labels.values() for number in numbers)
        return {*program.label_addresses.values(), *(program.addresses[n] for n in numeric)}

    def _shadows_mnemonics(self) -> bool:
        """Return whether a macro has the name of an instruction."""
        return any(self._isa.spec(name) is not None for name in self._program.macros.names)

    def _add_directives(self) -> None:
        """Let control come from anywhere where directives choose or make the next bundles."""
        addresses = self._program.label_addresses
        for number, bundle in self._program.directives:
            if bundle.has_unknown_size:
                self._unclear_starts.add(self._program.addresses[number])
            for words in bundle.syntax.directives:
                effect = directive_effect(words)
                if effect.step or effect.reads_files or effect.make_labels:
                    self._unclear_starts.add(self._program.addresses[number])
                    self._entries.update(self._labelled() if effect.reads_files else ())
                if not words[0].startswith(_ABOUT_SYMBOLS):
                    for name in _NAME.findall(" ".join(w for w in words[1:] if w[0] != '"')):
                        self._entries.update({addresses[name]} if name in addresses else ())

    def _add_exit(
        self, address: int, jump: Jump, labels: Mapping[tuple[int, int, int], int]
    ) -> None:
        leaves = address + jump.delay
        shadow = range(address + 1, min(leaves + 1, self._size))
        if leaves in self._exits or any(self._effects[each].jump for each in shadow):
            self._is_unclear = True
        target = None
        if jump.label is not None:
            target = labels.get((address, *jump.label), OUTSIDE)
        self._exits[leaves] = Exit(address, jump, target)
        if jump.kind == CALLS:
            self._entries.add(leaves + 1)
        elif jump.kind in (BRANCH, JUMP) and target is None and not jump.pointer:
            self._is_unclear = True

    def _add_repeat(self, address: int) -> None:
        repeat = self._effects[address].repeat
        assert repeat is not None
        length: int | None = None
        if isinstance(repeat.bundles, int):
            length = repeat.bundles
        else:
            length = repeated_bundles(self._program, address, repeat.bundles)
        first = address + 1
        if length is None or not self._are_repeatable(address, first + length):
            # What follows may be executed any number of times.
            self._entries.update(range(first, first + _MAX_REPEATED))
            return
        iterations, register = repeat.iterations, repeat.register
        self._repeats[first] = RepeatedBundles(
            address, first, address + length, iterations, register
        )

    def _are_repeatable(self, origin: int, end: int) -> bool:
        """Return whether the addresses after one are whole bundles that only follow each other."""
        first = origin + 1
        if end > self._size or first >= end:
            return False
        effects = self._effects[first:end]
        if any(each.is_opaque or each.jump or each.repeat for each in effects):
            return False
        program, numbers = self._program, self._program.bundle_at_address
        between = program.bundles[numbers[origin] : numbers[first]]
        if any(_chooses_bundles(bundle) for bundle in between):
            return False
        return _are_whole(program, numbers[first], numbers[end - 1] + 1)

    def _add_pointers(
        self, address: int, effect: Effect, labels: Mapping[tuple[int, int, int], int]
    ) -> None:
        registers = self._isa.loop_registers or ()
        if effect.lost.intersection(registers):
            self._is_unclear = True
        for assignment in effect.assignments:
            is_of_loop = assignment.register in registers
            if assignment.label is None:
                self._is_unclear = self._is_unclear or is_of_loop
                continue
            target = labels.get((address, *assignment.label), OUTSIDE)
            if is_of_loop:
                self._loops[registers.index(assignment.register)].add(target)
            else:
                self._pointed.add(target)


def repeated_bundles(program: Program, address: int, text: str) -> int | None:
    """Return the number of bundles that an expression of labels stands for; None if unknown."""
    limits = program.isa.counting.repeats
    origin = program.bundle_at_address[address]
    numbers: dict[str, int] = {}
    for label in _LABEL.findall(text):
        number = bundle_of_label(program, label, origin)
        if number is None:
            return None
        numbers[label] = number
    if limits is None or not numbers:
        return None
    if not _are_whole(program, min(numbers.values()), max(numbers.values())):
        return None
    step, addresses = limits.bundle_bytes, program.addresses
    # Only differences are right, and so is what they are divided by.
    with_numbers = _LABEL.sub(lambda match: str(addresses[numbers[match[0]]] * step), text)
    elsewhere = _LABEL.sub(lambda match: str((addresses[numbers[match[0]]] + 1) * step), text)
    value = read_expression(with_numbers).value
    if value is None or value < 0 or value != read_expression(elsewhere).value:
        return None
    return value + 1


def bundle_of_label(program: Program, label: str, origin: int) -> int | None:
    """Return the bundle that a label refers to when it is used in the bundle `origin`."""
    if label == ".":
        return origin
    if label[0].isdigit():
        numbers = program.numeric_labels.get(label[:-1], [])
        at = bisect_right(numbers, origin) - (label[-1] == "b")
        return numbers[at] if 0 <= at < len(numbers) else None
    return program.labels.get(label)


def _are_whole(program: Program, first: int, end: int) -> bool:
    """Return whether bundles `first` to ``end - 1`` have all slots, without directives."""
    for bundle in program.bundles[first:end]:
        if bundle.directive is not None:
            return False
        is_whole = bundle.syntax.plan.braces and len(bundle.instructions) == len(program.isa.slots)
        if bundle.size and not is_whole:
            return False
    return True


def _chooses_bundles(bundle: Bundle) -> bool:
    """Return whether directives of a bundle choose or make what follows it."""
    if bundle.directive is None:
        return False
    effects = map(directive_effect, bundle.syntax.directives)
    return any(each.step or each.reads_files or each.make_labels for each in effects)


LEAVING = (RETURNS, HALTS)
"""The kinds of jumps after which a function does not go on."""
