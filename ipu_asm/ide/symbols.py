"""The outline of a file: labels with their bundles, loops around what they repeat, and macros."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.ide.blocks import Block, blocks_of, has_content, macro_blocks
from ipu_asm.ide.labels import is_local
from ipu_asm.ide.macros.names import Macro, last_bundle_of
from ipu_asm.ide.macros.page import shown_parameters
from ipu_asm.ide.macros.parameters import parameters_of
from ipu_asm.ide.place import end_of_bundle
from ipu_asm.isa.model import Isa
from ipu_asm.program.program import Program
from ipu_asm.program.register_notes import roles
from ipu_asm.text import Span

if TYPE_CHECKING:
    from ipu_asm.analysis.analyzer import Analysis

LABEL: Final = "label"
LOOP: Final = "loop"
FUNCTION: Final = "function"
BUNDLE: Final = "bundle"
REGISTER: Final = "register"
MACRO: Final = "macro"

_LONGEST_NAME = 60


class Symbol(NamedTuple):
    """A named part of the file: `span` is all of it, `name_span` its name within."""

    name: str
    kind: str
    detail: str
    span: Span
    name_span: Span
    children: tuple[Symbol, ...] = ()


def symbols(analysis: Analysis) -> list[Symbol]:
    """A symbol for each label, with what follows up to the next one, in the order of the file.

    A label that a later branch goes back to is a loop: the labels in between lie in it. A macro
    that takes something or has a body is a symbol as well. Before them come the registers to which
    the head of the file gives a role.
    """
    program = analysis.program
    inside = _nested(program, blocks_of(program), len(program.bundles), None)
    return [*_registers(program), *inside]


def label_symbols(analysis: Analysis) -> list[Symbol]:
    """The labels alone, without what is in them."""
    program = analysis.program
    return [_symbol(program, block, ()) for block in blocks_of(program) if block.macro is None]


def macro_symbols(analysis: Analysis) -> list[Symbol]:
    """The macros alone, without what is in them."""
    program = analysis.program
    return [_symbol(program, block, ()) for block in macro_blocks(program)]


def _registers(program: Program) -> list[Symbol]:
    """The registers that a comment above the first bundle speaks of, line by line."""
    found, end = list[Symbol](), 0
    for role in roles(program):
        if role.span.start >= end:
            name = ", ".join(role.registers)
            found.append(Symbol(name, REGISTER, role.text, role.span, role.span))
            end = role.span.end
    return found


def _nested(program: Program, blocks: list[Block], end: int, own: int | None) -> list[Symbol]:
    """The symbols of the blocks, each with what lies in it.

    With `own`, also the bundles in no block from that number up to `end`.
    """
    found: list[Symbol] = []
    at = 0
    while at < len(blocks):
        block = blocks[at]
        behind = at + 1
        while behind < len(blocks) and blocks[behind].first < block.end:
            behind += 1
        if own is not None:
            found += _bundles(program, own, block.first)
            own = block.end
        children = _nested(program, blocks[at + 1 : behind], block.end, block.first)
        found.append(_symbol(program, block, tuple(children)))
        at = behind
    if own is not None:
        found += _bundles(program, own, end)
    return found


def _symbol_of_macro(
    program: Program, macro: Macro, end: int, children: tuple[Symbol, ...]
) -> Symbol:
    """A macro up to its last directive, if that lies before the bundle `end`."""
    parameters = shown_parameters(parameters_of(program, macro))
    syntax = program.bundles[macro.bundle].syntax
    start = program.span(macro.bundle, syntax.spans[syntax.plan.directive]).start
    last = last_bundle_of(program, macro)
    last = last if last < end else macro.bundle
    span = Span(start, end_of_bundle(program, last))
    detail = f"macro: {parameters}" if parameters else "macro"
    return Symbol(macro.name, MACRO, detail, span, macro.span, children)


def _symbol(program: Program, block: Block, children: tuple[Symbol, ...]) -> Symbol:
    number, end, is_loop, macro = block
    if macro is not None:
        return _symbol_of_macro(program, macro, end, children)
    bundle = program.bundles[number]
    token = bundle.syntax.plan.label
    name = program.span(number, bundle.syntax.span_of(token, token + 1))
    last = next((n for n in range(end - 1, number, -1) if has_content(program.bundles[n])), number)
    first, following = program.addresses[number], program.addresses[end]
    detail = _addresses(program.isa.unit, first, following)
    surface = program.isa.surface
    ends = [end_of_bundle(program, last), *(child.span.end for child in children[-1:])]
    is_function = surface.linked and not is_local(program.isa, bundle.label or "")
    return Symbol(
        bundle.label or "",
        FUNCTION if is_function else LOOP if is_loop else LABEL,
        f"loop, {detail}" if is_loop else detail,
        Span(name.start, max(ends)),
        name,
        children,
    )


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


@cached_on_bundle
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
