"""The directives of conditional blocks, from `.if` to `.endif`."""

from __future__ import annotations

from ipu_asm.source.macros.conditionals import Branch
from ipu_asm.source.macros.conditions import IF_DEFINED, is_true
from ipu_asm.source.macros.expander import OpenText
from ipu_asm.source.macros.mapped_text import frame_at, written_range
from ipu_asm.source.macros.statements import Statement
from ipu_asm.source.macros.structure import report_unopened


def begin_block(opened: OpenText, word: str, statement: Statement) -> None:
    """Begin a conditional block. The directive stays if its condition is unknown."""
    was_skipping = opened.conditionals.is_skipping
    value = None if was_skipping else _value(opened, word, statement)
    branch = opened.conditionals.open(value, statement)
    if branch is not Branch.UNKNOWN and not was_skipping:
        opened.drop(statement)
    if not was_skipping:
        _use_symbols(opened, statement)


def continue_block(opened: OpenText, word: str, statement: Statement) -> None:
    """Handle `.else`, `.elseif` or `.endif`."""
    conditionals = opened.conditionals
    branch = conditionals.current
    if branch is None:
        report_unopened(opened, statement, ".if")
        if word != ".endif":
            conditionals.open(None, statement)  # its `.endif` is no second mistake
        return
    if branch is Branch.UNKNOWN:
        if word == ".endif":
            conditionals.close()
        return
    if branch is Branch.TAKEN:
        opened.drop(statement)
    if word == ".endif":
        conditionals.close()
    elif branch is Branch.TAKEN:
        conditionals.change(Branch.DONE)
    elif branch is Branch.WAITING:
        _take(opened, word, statement)
    if not conditionals.is_skipping and conditionals.current is not Branch.UNKNOWN:
        opened.copied = statement.end


def _take(opened: OpenText, word: str, statement: Statement) -> None:
    """Evaluate the condition of a branch in a block that has not taken one."""
    value = True if word == ".else" else _value(opened, word, statement)
    if value:
        opened.conditionals.change(Branch.TAKEN)
    elif value is None:
        # What follows depends on this condition alone, as if it were the first one.
        opened.conditionals.change(Branch.UNKNOWN)
        place = written_range(opened.source, statement.word_start, statement.rest_start)
        frame = frame_at(opened.source, statement.word_start)
        opened.expander.out.add_computed(".if ", place, frame)
        opened.copied = statement.rest_start


def _value(opened: OpenText, word: str, statement: Statement) -> bool | None:
    if word in IF_DEFINED:
        is_defined = _is_defined(opened, statement.rest.strip())
        return None if is_defined is None else is_defined == IF_DEFINED[word]
    return is_true(word, statement.rest, opened.expander.symbols)


def _is_defined(opened: OpenText, name: str) -> bool | None:
    """Return whether a name has been defined so far; None if a label or a header may define it."""
    opened.expander.asked.add(name)
    if name in opened.expander.symbols:
        return True
    if opened.expander.is_partial or name in opened.labels:
        return None
    return False


def _use_symbols(opened: OpenText, statement: Statement) -> None:
    opened.use_symbols(statement.rest_start, statement.rest_end)
