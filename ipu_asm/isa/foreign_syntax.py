"""What people write who come from other assemblers, and what to write instead."""

from __future__ import annotations

from typing import Iterator, Mapping, NamedTuple


class ForeignMnemonic(NamedTuple):
    """A mnemonic of other assemblers.

    `advice` is what to write instead, in a sentence without its full stop. Of the `replacements`
    the first is suggested that the operands fit. `is_idle` tells that it does nothing, so that a
    bundle with other instructions can be written without it.
    """

    advice: str
    replacements: tuple[str, ...] = ()
    is_idle: bool = False


class ForeignSyntax(NamedTuple):
    """What a set is given by habit, none of which it has.

    `mnemonics` are in small letters, `comments` the marks that begin comments elsewhere, and
    `sigils` the characters that stand before registers and numbers elsewhere.
    """

    mnemonics: Mapping[str, ForeignMnemonic] = {}
    comments: tuple[str, ...] = ()
    sigils: str = ""


def by_name(rows: Mapping[str, ForeignMnemonic]) -> dict[str, ForeignMnemonic]:
    """The mnemonics of a table whose keys name several of the same advice: ``"jmp jump"``."""
    return dict(_each(rows))


def _each(rows: Mapping[str, ForeignMnemonic]) -> Iterator[tuple[str, ForeignMnemonic]]:
    for names, foreign in rows.items():
        yield from ((name, foreign) for name in names.split())
