"""After any edits, an expansion is that of the final text and the final headers."""

from __future__ import annotations

import random

import pytest

from ipu_asm.source.expand import expand
from ipu_asm.source.expansion import Expansion, SourceSettings
from tests.source.preprocessor.expanding import FILE, SURFACE, Headers, check_whole_map, settings_of

LINES = [
    "#define A B + 1\n",
    "#define A m4\n",
    "#define B 2\n",
    "#define F(x, y) x y A\n",
    "#define F(x, y...) y, x\n",
    "#define G F\n",
    "#undef A\n",
    "#ifdef A\n",
    "#ifndef B\n",
    "#if A > 1 && !defined(C)\n",
    "#if __IPU_ARCH_VERSION__ == 21 || A\n",
    "#elif D\n",
    "#else\n",
    "#endif\n",
    "#endif\n",
    '#include "a.h"\n',
    '#include "b.h"\n',
    '#include "missing.h"\n',
    "add $A, $m1, B // A\n",
    "F(A, B)\n",
    "G(1,\n",
    "2) A\n",
    "F\n",
    "(B, A)\n",
    "/* A\n",
    "*/ A\n",
    "A \\\n",
    "__LINE__ __COUNTER__\n",
    "nop\n",
    "nop\n",
]


def told(expansion: Expansion) -> tuple[object, ...]:
    """All that an expansion tells."""
    return (
        expansion.text,
        expansion.context,
        expansion.findings,
        tuple(expansion.source_map.segments),
        tuple(expansion.definitions),
        set(expansion.uses),
        expansion.includes,
        {path: file.text for path, file in expansion.files.items()},
    )


def edited(text: str, chance: random.Random) -> str:
    """A text with some lines or characters replaced."""
    if chance.random() < 0.3:
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.randrange(4))
        return text[:start] + chance.choice(["", "A", "\n", "(", "#"]) + text[end:]
    lines = text.splitlines(keepends=True)
    at = chance.randrange(len(lines) + 1)
    lines[at : at + chance.randrange(3)] = chance.choices(LINES, k=chance.randrange(3))
    return "".join(lines)


def settings_with(headers: dict[str, str], before: SourceSettings) -> SourceSettings:
    """The settings with other headers."""
    return before._replace(reader=Headers(headers))


@pytest.mark.parametrize("seed", range(5))
def test_edits_one_by_one_give_the_expansion_of_the_last_text(seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(chance.choices(LINES, k=30))
    headers = {"a.h": "#define B 7\n.equ x, B\n", "b.h": '#include "a.h"\nA\n'}
    settings = settings_of(headers)
    before: tuple[Expansion, ...] = ()
    for _ in range(40):
        if chance.random() < 0.2:
            name = chance.choice([*headers])
            headers = {**headers, name: edited(headers[name] + "A\n", chance)}
            settings = settings_with(headers, settings)
        text = edited(text, chance)
        found = expand(SURFACE, text, FILE, settings, before)
        alone = expand(SURFACE, text, FILE, settings)
        assert [*map(told, found)] == [*map(told, alone)]
        for expansion in found:
            check_whole_map(expansion, text)
        before = found
