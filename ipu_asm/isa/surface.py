"""The syntax of programs in an instruction set, and advice about syntax of other assemblers."""

from __future__ import annotations

from typing import Iterator, Mapping

from ipu_asm.diagnostics import Severity
from ipu_asm.named_tuple import NamedTuple

_WORD_PATTERN = r"[\p{L}_.$][\p{L}0-9_.$]*|(?<![\p{L}0-9_.$])[+-]?[0-9][\p{L}0-9_.]*"


class ForeignMnemonic(NamedTuple):
    """A mnemonic of other assemblers.

    `advice` is what to write instead: a sentence without a full stop. Of the `replacements`, the
    first one that accepts the operands is suggested. `is_idle`: the mnemonic does nothing and can
    be dropped from a bundle with other instructions. `is_renamed`: it is the name that the first
    replacement has in another set of the language, or once had.
    """

    advice: str
    replacements: tuple[str, ...] = ()
    is_idle: bool = False
    is_renamed: bool = False


class ForeignSyntax(NamedTuple):
    """Foreign syntax that an instruction set recognises in order to give advice.

    `mnemonics` are in lower case, `comments` are comment markers of other assemblers, and `sigils`
    are characters that they put before registers and numbers.
    """

    mnemonics: Mapping[str, ForeignMnemonic] = {}
    comments: tuple[str, ...] = ()
    sigils: str = ""


class SeverityDirective(NamedTuple):
    """A directive that suppresses findings with some codes up to the directive `ended_by`.

    With `severity`, the findings get that severity instead of being suppressed.
    """

    directive: str
    codes: tuple[str, ...]
    ended_by: str = ""
    severity: Severity | None = None


class Surface(NamedTuple):
    """The syntax of programs in an instruction set.

    `comments` are the markers of line comments, the preferred one first. `bundle_end` and
    `separator` are empty where the end of a line has their function. `hints` maps a character or
    word that the grammar rejects to a sentence of advice, `operand =` to one about an equals sign
    among operands, `register =` to one behind a register; `foreign` has advice about other syntax.
    `operand_separator` is put between two operands, `number_mark` precedes numbers. With
    `case_insensitive`, mnemonics match in any case.

    `block_comments` are pairs of markers around comments that may span lines. `brackets` are the
    markers around a bundle of several instructions, if there are any. `linked`: labels may be
    defined in other files, except those that begin with `local_prefix`. `numeric_labels` (``1:``,
    ``1b``, ``2f``) may be redefined. `preprocessed`: macros and a preprocessor may define names
    that the text itself does not define. `templates`: a file with a template tag is rendered by
    Jinja before it is read. `c_preprocessor`: files have ``#define``, ``#include`` and ``#if``;
    `predefined` are the macros that are defined before the first line. One that differs between
    machines has several values: each is tried where a condition asks for it, the first elsewhere.
    `modes` are the directives that set an execution mode, `severity_directives` those that change
    the severity of findings; `symbol_directives` take a symbol and an expression. `directives` maps
    the directives with a page to a sentence of documentation. `half_suffix` marks constants of half
    precision, `register_aliases` are further names of registers.

    `word_pattern` is a regular expression of JavaScript, with the flag `u`, for what an editor
    selects as one word: a mnemonic, a label, a register or a number.
    """

    grammar: str
    language_id: str
    comments: tuple[str, ...]
    bundle_end: str
    separator: str
    hints: Mapping[str, str] = {}
    foreign: ForeignSyntax = ForeignSyntax()
    operand_separator: str = " "
    number_mark: str = ""
    case_insensitive: bool = False
    block_comments: tuple[tuple[str, str], ...] = ()
    brackets: tuple[str, str] | None = None
    linked: bool = False
    local_prefix: str = ""
    numeric_labels: bool = False
    preprocessed: bool = False
    templates: bool = False
    c_preprocessor: bool = False
    predefined: Mapping[str, tuple[str, ...]] = {}
    modes: Mapping[str, str] = {}
    severity_directives: tuple[SeverityDirective, ...] = ()
    directives: Mapping[str, str] = {}
    symbol_directives: tuple[str, ...] = ()
    half_suffix: str = ""
    register_aliases: frozenset[str] = frozenset()
    word_pattern: str = _WORD_PATTERN


def by_name(rows: Mapping[str, ForeignMnemonic]) -> dict[str, ForeignMnemonic]:
    """Split keys that name several mnemonics with the same advice, such as ``"jmp jump"``."""
    return dict(_each(rows))


def _each(rows: Mapping[str, ForeignMnemonic]) -> Iterator[tuple[str, ForeignMnemonic]]:
    for names, foreign in rows.items():
        yield from ((name, foreign) for name in names.split())
