"""Names of a program in expressions: of registers and numbers, in notes and in its template.

Unknown names are errors; `reads` are what an expression reads in every state. A name may stand for
an expression. Names in that expression are not followed any further, which could take very long.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property, lru_cache
from itertools import islice
from typing import Final, Iterable, Iterator, Mapping, Sequence

from ipu_asm.debugger.expressions.context import Context, LiveContext
from ipu_asm.debugger.expressions.machine_view import LABEL, MachineNames, Space, names_of
from ipu_asm.debugger.expressions.values import FUNCTIONS
from ipu_asm.debugger.regions import MEMORY
from ipu_asm.diagnostics.suggestions import hint_of
from ipu_asm.emulator.model import MachineModel, machine_for
from ipu_asm.emulator.state import AnyState
from ipu_asm.expressions.parser import WORDS, parse
from ipu_asm.expressions.tree import (
    Binary,
    Call,
    ConditionalExpression,
    ExpressionError,
    Index,
    IndexRange,
    ListLiteral,
    Name,
    Node,
    Unary,
    names_in,
    quoted,
)
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


_MAX_COMPARED: Final = 64
_MAX_MISTYPED: Final = 2


def missing_value_error(node: Name, names: MachineNames, given: Sequence[str]) -> ExpressionError:
    """Return the error for a name without a value; `given` are the names the program defines."""
    if node.text.lower() == MEMORY:
        return ExpressionError(
            "`xmem` takes an address, `xmem[0x100 .. +16]`, found none", node.span
        )
    if node.text in FUNCTIONS or node.text in names.types or node.text == LABEL:
        message = f"`{node.text}` takes its argument in parentheses, found none"
        return ExpressionError(message, node.span)
    file = _register_file(node.text.lower(), names.registers)
    if file is not None:
        message = f"no register is called {quoted(node.text)}; there are {file}"
        return ExpressionError(message, node.span)
    known = (*names.registers, *names.constants, *given, MEMORY)
    return unknown_name_error("register, label or name", node, known)


def unknown_name_error(what: str, node: Name, known: Sequence[str]) -> ExpressionError:
    """Return the error for an unknown name, with a similar known name as suggestion."""
    if node.text.lower() == MEMORY:
        message = "`xmem` takes its address in brackets, `xmem[0x100 .. +16]`, found none"
        return ExpressionError(message, node.span)
    hint = hint_of(node.text, islice(_similar(node.text, known), _MAX_COMPARED))
    return ExpressionError(f"no {what} is called {quoted(node.text)}{hint}", node.span)


def _register_file(word: str, registers: Iterable[str]) -> str | None:
    """Describe the numbered registers that a name is like, ``lr0 to lr15`` for ``lr99``, ``lr``."""
    prefix = word.rstrip("0123456789")
    numbers = [name.removeprefix(prefix) for name in registers if name.startswith(prefix)]
    indices = sorted(int(number) for number in numbers if number.isdecimal())
    return f"{prefix}{indices[0]} to {prefix}{indices[-1]}" if indices else None


def _similar(word: str, names: Sequence[str]) -> Iterator[str]:
    """The names that differ in few letters: a filter, as a program may have a thousand labels."""
    letters = Counter(word)
    for name in names:
        if name and abs(len(name) - len(word)) <= _MAX_MISTYPED:
            missing = letters - Counter(name)
            if missing.total() <= _MAX_MISTYPED:
                yield name


def check_names(context: Context, text: str) -> None:
    """Check the syntax and the names of an expression, but not their values.

    Raises `ExpressionError`.
    """
    names = context.view.names
    given = (*context.labels, *context.names, *context.settings)
    known = {*names.known_registers, *names.constants, *names.types, *FUNCTIONS, MEMORY, LABEL}
    for name in names_in(parse(text).node):
        if name.text.lower() not in known and name.text not in given:
            raise missing_value_error(name, names, given)


def registers_read(context: Context, node: Node, is_inner: bool = False) -> frozenset[str] | None:
    """Return the registers, `xmem` among them, on which the value of a node can depend.

    None if it can change with every bundle. `is_inner`: the node belongs to the expression of a
    name, in which further names of expressions count as changing.
    """
    if isinstance(node, Name):
        return _read_by_name(context, node, is_inner)
    if isinstance(node, Call) and node.name.text == LABEL:
        return frozenset()
    found = frozenset[str]()
    for child in _children(node):
        registers = registers_read(context, child, is_inner)
        if registers is None:
            return None
        found |= registers
    return found


def _read_by_name(context: Context, name: Name, is_inner: bool) -> frozenset[str] | None:
    if name.text.lower() == MEMORY:
        return frozenset((MEMORY,))
    location = context.view.location(name.text)
    if location is not None:
        if location.space in (Space.PC, Space.CYCLE):
            return None
        return frozenset((context.view.region_of(location).name,))
    if _is_value(context, name):
        return frozenset()
    if _is_varying(context, name):
        return None
    note = note_of(context, name)
    if note is None:
        return frozenset()
    return None if is_inner else registers_read(context, note, is_inner=True)


def is_fixed(context: Context, node: Node, is_inner: bool = False) -> bool:
    """Return whether a node, if it is a location, is the same one in every state."""
    if isinstance(node, Name):
        if context.view.location(node.text) is not None:
            return True
        note = None if is_inner else note_of(context, node)
        return note is not None and is_fixed(context, note, is_inner=True)
    if isinstance(node, Index):
        is_memory = isinstance(node.base, Name) and node.base.text.lower() == MEMORY
        return (is_memory or is_fixed(context, node.base, is_inner)) and all(
            registers_read(context, bound, is_inner) == frozenset() for bound in _bounds(node.part)
        )
    if isinstance(node, Call) and node.name.text in context.view.names.types:
        return len(node.arguments) == 1 and is_fixed(context, node.arguments[0], is_inner)
    return False


def note_of(context: Context, name: Name) -> Node | None:
    """Return the expression of a register note, or of a name of a template; None if it has none.

    A name has none, either, that means something else at another bundle.
    """
    if context.view.location(name.text) is not None or _is_value(context, name):
        return None
    if name.text not in context.names or _is_varying(context, name):
        return None
    try:
        return parse(context.names[name.text]).node
    except ExpressionError:
        return None


def _is_value(context: Context, name: Name) -> bool:
    text = name.text.lower()
    return text in context.settings or text in context.view.names.constants


def _is_varying(context: Context, name: Name) -> bool:
    return isinstance(context.names, NamesAtBundle) and name.text in context.names.varying


def _children(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Unary):
        return (node.operand,)
    if isinstance(node, Binary):
        return node.left, node.right
    if isinstance(node, ConditionalExpression):
        return node.condition, node.one, node.other
    if isinstance(node, Index):
        return node.base, *_bounds(node.part)
    if isinstance(node, Call):
        return node.arguments
    return node.items if isinstance(node, ListLiteral) else ()


def _bounds(part: IndexRange) -> tuple[Node, ...]:
    return tuple(each for each in (part.first, part.last, part.length) if each is not None)
