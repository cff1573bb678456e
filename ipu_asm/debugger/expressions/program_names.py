"""Names that a program gives to registers and numbers, in register notes and in its template."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property, lru_cache
from typing import Final, Iterator, Mapping

from ipu_asm.debugger.expressions.context import LiveContext
from ipu_asm.debugger.expressions.machine_view import LABEL, MachineNames, names_of
from ipu_asm.debugger.expressions.values import FUNCTIONS
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.emulator.model import MachineModel, machine_for
from ipu_asm.emulator.state import AnyState
from ipu_asm.expressions.parser import WORDS
from ipu_asm.isa.operands import number_value
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.program.program import Program
from ipu_asm.program.register_notes import register_notes
from ipu_asm.source.expansion import Expansion, NameKind
from ipu_asm.source.source_map import FrameKind

_MAX_WORDS: Final = 3
_MAX_LENGTH: Final = 30
_PHRASE: Final = re.compile(r"[^,;:(=.#]*")
_ARTICLE: Final = re.compile(r"(?:the|a|an)\s+(?=\S)", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@lru_cache(maxsize=16)
def taken_names(names: MachineNames) -> frozenset[str]:
    """Return the names that mean something else in expressions, in lower case."""
    return frozenset((
        *names.registers, *FUNCTIONS, *names.types, *names.constants, *WORDS, LABEL, MEMORY,
    ))  # fmt: skip


def names_from_notes(program: Program) -> dict[str, str]:
    """Return the identifiers derived from register notes, each with its register.

    `# lr5 = row offset` gives `row_offset`: a phrase of up to three words. A phrase gives no
    identifier if several registers have it, if it contains the name of a register, or if it is a
    label, a function, a type or another reserved name.
    """
    known = names_of(machine_for(program.isa.name))
    taken = taken_names(known)
    names = {
        register: _name(note, known, taken) for register, note in register_notes(program).items()
    }
    uses = Counter(names.values())
    return {
        name: register
        for register, name in names.items()
        if name is not None and uses[name] == 1 and name not in program.labels
    }


def _name(note: str, known: MachineNames, taken: frozenset[str]) -> str | None:
    """The identifier at the start of a note; None if the note starts with no short phrase."""
    match = _PHRASE.match(note)
    phrase = _ARTICLE.sub("", match[0].strip(), count=1) if match is not None else ""
    words = phrase.split()
    if not 0 < len(words) <= _MAX_WORDS or not all(map(_WORD.fullmatch, words)):
        return None
    name = "_".join(words)
    # "a copy of cr2" describes the content of a register; it is not its name.
    is_taken = name.lower() in taken or any(w.lower() in known.known_registers for w in words)
    return None if is_taken or len(name) > _MAX_LENGTH else name


_CONTEXT_VALUE: Final = re.compile(r"(?:^| )([A-Za-z_]\w*)=(\w+)(?= |$)", re.ASCII)
_ITERATION: Final = re.compile(r"for (\w+(?:, \w+)*) = (.*)", re.DOTALL)


class TemplateNames(NamedTuple):
    """The names of a template in one expansion.

    `values` are the register or the number of each name, `names` the names of each
    register, and `remarks` what the author says of them there.
    """

    values: Mapping[str, str] = {}
    names: Mapping[str, tuple[str, ...]] = {}
    remarks: Mapping[str, str] = {}


def names_from_template(expansion: Expansion | None, model: MachineModel) -> TemplateNames:
    """Return the names of registers and numbers that a template sets, or its context gives.

    A name that is set to several values, or means something else in expressions, is none of them.
    """
    if expansion is None:
        return TemplateNames()
    known = names_of(model)
    found: dict[str, set[str | None]] = {}
    remarks: dict[str, str] = {}
    for definition in expansion.definitions:
        if definition.kind is NameKind.SET:
            value = definition.value and definition.value.strip()
            found.setdefault(definition.name, set()).add(value)
            if value and definition.remark:
                remarks.setdefault(value.lower(), definition.remark)
    for name, value in _CONTEXT_VALUE.findall(expansion.context):
        found.setdefault(name, {value})
    values = {
        name: value
        for name, (value, *more) in found.items()
        if value and not more and _is_usable(known, name, value)
    }
    names: dict[str, tuple[str, ...]] = {}
    for name, value in values.items():
        names[value.lower()] = (*names.get(value.lower(), ()), name)
    return TemplateNames(values, names, remarks)


class NamesAtBundle(Mapping[str, str]):
    """Names with the values that they have at the next bundle of a machine.

    `names` have the same one at every bundle; a loop variable of the template has that of the
    iteration which the bundle came from, and none in other bundles.
    """

    def __init__(self, names: Mapping[str, str], lines: LineTable, state: AnyState) -> None:
        self._names = names
        self._lines = lines
        self._state = state

    def __getitem__(self, name: str) -> str:
        return self._here[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._here)

    def __len__(self) -> int:
        return len(self._here)

    @property
    def anywhere(self) -> Mapping[str, str]:
        """The names that have a value at some bundle, each with one of its values."""
        every = {
            name: value for names in self._by_address.values() for name, value in names.items()
        }
        return {**self._names, **every}

    @cached_property
    def varying(self) -> frozenset[str]:
        """The names that do not have the same value, or any value, at all bundles."""
        return frozenset(
            name
            for names in self._by_address.values()
            for name, value in names.items()
            if self._names.get(name) != value
        )

    @property
    def _here(self) -> Mapping[str, str]:
        return self._by_address.get(self._state.program_counter, self._names)

    @cached_property
    def _by_address(self) -> dict[int, dict[str, str]]:
        """All names at the bundles that came from an iteration."""
        if self._lines.expansion is None:
            return {}
        known = names_of(machine_for(self._state.isa_name))
        found = {}
        for address in range(self._lines.program.size):
            place = self._lines.place(address)
            levels = place.stack if place else ()
            labels = [level.label for level in levels if level.kind is FrameKind.ITERATION]
            if labels:
                inner = {
                    n: v for label in reversed(labels) for n, v in _loop_variables(known, label)
                }
                found[address] = {**self._names, **inner}
        return found


def _loop_variables(known: MachineNames, label: str) -> Iterator[tuple[str, str]]:
    """Yield the loop variables of an iteration that are registers or numbers."""
    match = _ITERATION.fullmatch(label)
    names, values = match.groups() if match else ("", "")
    if ", " in names:
        pairs = [*zip(names.split(", "), values.split(", "))]
        pairs = pairs if values.count(", ") == names.count(", ") else []
    else:
        pairs = [(names, values)]
    yield from ((name, value) for name, value in pairs if _is_usable(known, name, value))


def _is_usable(known: MachineNames, name: str, value: str) -> bool:
    """Whether a name is free in expressions, and its value is a register or a number."""
    is_value = value.lower() in known.known_registers or number_value(value) is not None
    return is_value and name.lower() not in taken_names(known)


def live_context(lines: LineTable, state: AnyState) -> LiveContext:
    """Return the context of a machine that runs the program of `lines`.

    Names come from register notes and from the template, at the next bundle.
    """
    model = machine_for(state.isa_name)
    values = names_from_template(lines.expansion, model).values
    names = NamesAtBundle({**names_from_notes(lines.program), **values}, lines, state)
    return LiveContext(state, 0, lines.program.label_addresses, names)
