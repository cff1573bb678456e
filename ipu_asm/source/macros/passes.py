"""A pass over the statements of a text: what is no directive and no call is copied."""

from __future__ import annotations

from ipu_asm.source.macros.blocks import begin_block, continue_block
from ipu_asm.source.macros.calls import assign, call, define, forget
from ipu_asm.source.macros.conditions import CONDITIONS
from ipu_asm.source.macros.expander import Expander, OpenText
from ipu_asm.source.macros.includes import include
from ipu_asm.source.macros.loops import LOOPS, repeat
from ipu_asm.source.macros.mapped_text import MappedText
from ipu_asm.source.macros.statements import Statement
from ipu_asm.source.macros.structure import (
    BODY_ENDS,
    ERRORS,
    report_error,
    report_unclosed_blocks,
    report_unopened,
    use_alternate_syntax,
)

_ASSIGNING = {".set", ".equ", ".equiv", ".eqv"}
_CONTINUING = {".else", ".elseif", ".endif"}


def expand_text(
    expander: Expander, source: MappedText, depth: int = 0, is_uncertain: bool = False
) -> bool:
    """Append the expansion of a text; return whether it is left early, by `.exitm`.

    `is_uncertain`: it is unknown whether the text is assembled at all.
    """
    opened = OpenText(expander, source, depth, is_uncertain, expand_text)
    text = source.text
    while opened.next < len(text) and not opened.is_left:
        _read_up_to_jump(opened)
    if not opened.is_left and not opened.conditionals.is_skipping:
        opened.copy(len(text))
    report_unclosed_blocks(opened)
    return opened.is_left


def _read_up_to_jump(opened: OpenText) -> None:
    """Read statements to the end of the text, or until one moves on behind others."""
    expander = opened.expander
    macros = expander.macros
    for match in expander.reader.matches(opened.source.text, opened.next):
        word = match["word"]
        if not word:
            continue
        if word[0] in ".#" or word in macros or match["rest"].lstrip()[:1] == "=":
            opened.next = match.end() + 1
            _read(opened, expander.reader.statement(match))
            if opened.next != match.end() + 1 or opened.is_left:
                return
    opened.next = len(opened.source.text)


def _read(opened: OpenText, statement: Statement) -> None:
    word = statement.word.lower() if statement.word[0] == "." else statement.word
    if word in CONDITIONS:
        begin_block(opened, word, statement)
    elif word in _CONTINUING:
        continue_block(opened, word, statement)
    elif word[0] == "#":
        opened.conditionals.follow_preprocessor(word)
    elif not opened.conditionals.is_skipping:
        _read_assembled(opened, word, statement)


def _read_assembled(opened: OpenText, word: str, statement: Statement) -> None:
    expander = opened.expander
    if statement.word in expander.macros:
        call(opened, expander.macros[statement.word], statement)
    elif word == ".macro":
        define(opened, statement)
    elif word in LOOPS:
        repeat(opened, word, statement)
    elif word in _ASSIGNING or (statement.rest[:1] == "=" and statement.rest[1:2] != "="):
        assign(opened, statement)
    elif word == ".include":
        include(opened, statement)
    elif word == ".purgem":
        forget(opened, statement)
    elif word in (".altmacro", ".noaltmacro"):
        use_alternate_syntax(opened, statement, word == ".altmacro")
    elif word in BODY_ENDS:
        report_unopened(opened, statement, BODY_ENDS[word])
    elif word in ERRORS:
        report_error(opened, statement)
    elif word == ".exitm" and opened.depth and not opened.is_uncertain:
        opened.copy(statement.word_start)
        opened.is_left = True
