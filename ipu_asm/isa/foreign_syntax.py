"""Syntax of other assemblers that users write out of habit, with the equivalents to suggest."""

from __future__ import annotations

from typing import Iterator, Mapping, NamedTuple


class ForeignMnemonic(NamedTuple):
    """A mnemonic of other assemblers.

    `advice` is what to write instead: a sentence without a full stop. Of the `replacements`, the
    first one that accepts the operands is suggested. `is_idle`: the mnemonic does nothing and can
    be dropped from a bundle with other instructions.
    """

    advice: str
    replacements: tuple[str, ...] = ()
    is_idle: bool = False


class ForeignSyntax(NamedTuple):
    """Foreign syntax that an instruction set recognises in order to give advice.

    `mnemonics` are in lower case, `comments` are comment markers of other assemblers, and `sigils`
    are characters that they put before registers and numbers.
    """

    mnemonics: Mapping[str, ForeignMnemonic] = {}
    comments: tuple[str, ...] = ()
    sigils: str = ""


def by_name(rows: Mapping[str, ForeignMnemonic]) -> dict[str, ForeignMnemonic]:
    """Split keys that name several mnemonics with the same advice, such as ``"jmp jump"``."""
    return dict(_each(rows))


def _each(rows: Mapping[str, ForeignMnemonic]) -> Iterator[tuple[str, ForeignMnemonic]]:
    for names, foreign in rows.items():
        yield from ((name, foreign) for name in names.split())
