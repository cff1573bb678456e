"""The outline of a file: labels with their bundles, and loops around what they repeat."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from ipu_asm.bundle import Bundle, once_a_bundle
from ipu_asm.ide.labels import is_local
from ipu_asm.ide.place import end_of_bundle
from ipu_asm.isa.model import Isa
from ipu_asm.program import Program
from ipu_asm.register_notes import roles
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis import Analysis

LABEL: Final = "label"
LOOP: Final = "loop"
FUNCTION: Final = "function"
BUNDLE: Final = "bundle"
REGISTER: Final = "register"

_LONGEST_NAME = 60
_DEEPEST = 20


class Symbol(NamedTuple):
    """A named part of the file: `span` is all of it, `name_span` its name within."""

    name: str
    kind: str
    detail: str
    span: Span
    name_span: Span
    children: tuple[Symbol, ...] = ()


class _Block(NamedTuple):
    """A label's bundles: numbers from `first` up to `end`; a loop goes up to its last branch."""

    first: int
    end: int
    is_loop: bool


def symbols(analysis: Analysis) -> list[Symbol]:
    """A symbol for each label, with what follows up to the next one, in the order of the file.

    A label that a later branch goes back to is a loop: the labels in between lie in it. Before
    them come the registers to which the head of the file gives a role.
    """
    program = analysis.program
    labels = _nested(program, _blocks(program), 0, len(program.bundles))
    return [*_registers(program), *labels]


def label_symbols(analysis: Analysis) -> list[Symbol]:
    """The labels alone, without what is in them."""
    program = analysis.program
    return [_symbol(program, block, ()) for block in _blocks(program)]


def _registers(program: Program) -> list[Symbol]:
    """The registers that a comment above the first bundle speaks of, line by line."""
    found, end = list[Symbol](), 0
    for role in roles(program):
        if role.span.start >= end:
            name = ", ".join(role.registers)
            found.append(Symbol(name, REGISTER, role.text, role.span, role.span))
            end = role.span.end
    return found


def _blocks(program: Program) -> list[_Block]:
    labelled = [number for number, bundle in program.notable if bundle.label is not None]
    ends = [*labelled[1:], len(program.bundles)]
    repeats = program.branches_back
    ends_of_functions = _ends_of_functions(program, labelled)
    blocks: list[_Block] = []
    for number, end in zip(labelled, ends):
        source = repeats.get(program.addresses[number])
        is_loop = source is not None and _may_be_loop(program, number)
        last = number if source is None else program.number_at(source)
        end = ends_of_functions.get(number, end)
        blocks.append(_Block(number, max(end, last + 1) if is_loop else end, is_loop))
    return _shallow(_closed(blocks))


def _may_be_loop(program: Program, number: int) -> bool:
    """Whether a label heads something: where a line is a bundle, labels have lines of their own."""
    is_line = not program.isa.surface.bundle_end
    return bool(program.bundles[number].size) or (
        is_line and program.addresses[number] < program.size
    )


def _ends_of_functions(program: Program, labelled: list[int]) -> dict[int, int]:
    """Where the functions end whose local labels lie in them, by the bundles where they begin."""
    isa = program.isa
    if not isa.surface.linked:
        return {}
    first = [n for n in labelled if not is_local(isa, program.bundles[n].label or "")]
    return dict(zip(first, [*first[1:], len(program.bundles)]))


def _closed(blocks: list[_Block]) -> list[_Block]:
    """A loop reaches to the end of whatever begins in it."""
    closed: list[_Block] = []
    outer: list[_Block] = []
    for block in reversed(blocks):
        end = block.end
        while outer and outer[-1].first < end:
            end = max(end, outer.pop().end)
        outer.append(block._replace(end=end))
        closed.append(outer[-1])
    return closed[::-1]


def _shallow(blocks: list[_Block]) -> list[_Block]:
    """Loops that lie too deep in others hold nothing but their own bundles."""
    found: list[_Block] = []
    around: list[int] = []
    for block, following in zip_longest(blocks, blocks[1:]):
        while around and around[-1] <= block.first:
            around.pop()
        if len(around) < _DEEPEST:
            around.append(block.end)
        elif following is not None:
            block = block._replace(end=min(block.end, following.first))
        found.append(block)
    return found


def _nested(program: Program, blocks: list[_Block], start: int, end: int) -> list[Symbol]:
    """The symbols of the blocks that lie between two bundles, each with what lies in it."""
    found = []
    at = next((n for n, block in enumerate(blocks) if block.first >= start), len(blocks))
    while at < len(blocks) and blocks[at].first < end:
        block = blocks[at]
        behind = at + 1
        while behind < len(blocks) and blocks[behind].first < block.end:
            behind += 1
        inner = _nested(program, blocks[at + 1 : behind], block.first + 1, block.end)
        own = blocks[at + 1].first if inner else block.end
        children = (*_bundles(program, block.first, own), *inner)
        found.append(_symbol(program, block, children))
        at = behind
    return found


def _symbol(program: Program, block: _Block, children: tuple[Symbol, ...]) -> Symbol:
    number, end, is_loop = block
    bundle = program.bundles[number]
    token = bundle.syntax.plan.label
    name = program.span(number, bundle.syntax.span_of(token, token + 1))
    last = next((n for n in range(end - 1, number, -1) if _has_content(program.bundles[n])), number)
    first, following = program.addresses[number], program.addresses[end]
    detail = _addresses(program.isa.unit, first, following)
    surface = program.isa.surface
    is_function = surface.linked and not is_local(program.isa, bundle.label or "")
    return Symbol(
        bundle.label or "",
        FUNCTION if is_function else LOOP if is_loop else LABEL,
        f"loop, {detail}" if is_loop else detail,
        Span(name.start, end_of_bundle(program, last)),
        name,
        children,
    )


def _has_content(bundle: Bundle) -> bool:
    return bool(bundle.size) or bundle.label is not None


def _bundles(program: Program, first: int, end: int) -> list[Symbol]:
    """The bundles from one number up to another."""
    found = []
    for number in range(first, end):
        bundle = program.bundles[number]
        mnemonic = _mnemonic_behind_label(bundle)
        if mnemonic is not None:
            name_span = program.span(number, mnemonic)
            name = _name(program.isa, bundle)
            detail = f"{program.isa.unit} {program.addresses[number]}"
            span = Span(name_span.start, end_of_bundle(program, number))
            found.append(Symbol(name, BUNDLE, detail, span, name_span))
    return found


def _mnemonic_behind_label(bundle: Bundle) -> Span | None:
    """Its first mnemonic; in a broken bundle the label may stand between instructions."""
    syntax = bundle.syntax
    if not bundle.instructions:
        return None
    if syntax.plan.label < syntax.plan.instructions[0].mnemonic:
        return syntax.mnemonic_span(0)
    behind = (entry.mnemonic for entry in syntax.plan.instructions)
    token = next((token for token in behind if token > syntax.plan.label), None)
    return None if token is None else syntax.spans[token]


@once_a_bundle
def _name(isa: Isa, bundle: Bundle) -> str:
    """A bundle by what it does: its mnemonics."""
    joint = f"{isa.surface.separator} " if isa.surface.separator else " "
    name = joint.join(i.mnemonic for i in bundle.instructions if not i.is_idle)
    name = name or bundle.instructions[0].mnemonic
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _addresses(unit: str, first: int, following: int) -> str:
    """The addresses from `first` up to `following`."""
    if following <= first + 1:
        return f"{unit} {first}"
    return f"{unit}s {first} to {following - 1}"
