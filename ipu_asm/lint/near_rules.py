"""The rules that a name which no rule has may mean."""

from __future__ import annotations

import re
from typing import Final

from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.lint.rules import all_rules

MOST_SUGGESTIONS: Final = 3
_SHORTEST_WORD: Final = 3
_CODE: Final = re.compile(r"[A-Z]\d{2,3}", re.ASCII)


def near_rules(query: str) -> list[str]:
    """Return the name or code that is nearest, else the names that share most words with a query.
    Where more than three names share equally many, none of them is more likely.
    """
    rules = [rule.id for rule in all_rules()]
    names = [rule.name for rule in rules]
    near = nearest_of(query.lower(), names)
    near = near or nearest_of(query.upper(), [rule.code for rule in rules])
    if near is not None:
        return [near]
    words = {word for word in query.lower().split("-") if len(word) >= _SHORTEST_WORD}
    shared = {name: len(words.intersection(name.split("-"))) for name in names}
    most = max(shared.values())
    likely = [name for name, count in shared.items() if most and count == most]
    return likely if len(likely) <= MOST_SUGGESTIONS else []


def near_codes(query: str) -> list[str]:
    """Return the codes with the longest beginning of a query that is a code no rule has."""
    wanted = query.upper()
    if not _CODE.fullmatch(wanted):
        return []
    codes = [rule.id.code for rule in all_rules() if rule.id.code[0] == wanted[0]]

    def distance(code: str) -> tuple[int, int]:
        alike = next((n for n in range(len(code)) if code[n] != wanted[n : n + 1]), len(code))
        return -alike, abs(int(code[1:]) - int(wanted[1:]))

    return sorted(codes, key=distance)[:MOST_SUGGESTIONS]


def rule_hint(query: str) -> str:
    """Return a question about the rules that may be meant, to end a message; empty for none."""
    near = [f"`{name}`" for name in near_rules(query)]
    listed = " or ".join(filter(None, (", ".join(near[:-1]), *near[-1:])))
    return f"; did you mean {listed}?" if near else ""
