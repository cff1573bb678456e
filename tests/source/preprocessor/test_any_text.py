"""Any text is expanded without an exception, and each character of it has a place."""

from __future__ import annotations

import random

from ipu_asm.source.preprocessor.preprocess import preprocess
from tests.source.preprocessor.expanding import FILE, SURFACE, check_whole_map, settings_of

PIECES = [
    "\n", "\t", "\r\n", "\r", "\\\n", "//", "/*", "*/", "#", "##", "#define", "#if", "#ifdef",
    "#elif", "#else", "#endif", "#include", "#undef", "#error", "A", "B", "F", "F(", "(", ")",
    ",", "...", "__VA_ARGS__", "__LINE__", "__FILE__", "__has_include(", "defined", "defined(",
    "!", "&&", "||", "?", ":", "1", "0x1", "'a'", "'", '"', '"a.h"', "<a.h>", "$", ".", ";", "{",
    "}", "=", "==", "<", "<<", "+", "-", "~", "\\", "\\\r\n", "é", "\u2028", "\x0c", "\x00",
    "#pragma", "once",
]  # fmt: skip
HEADERS = {"a.h": "#define A F(B)\n#define F(x, y...) #x x ## y\nA\n", "b.h": "#if A\n"}


def test_any_text_is_expanded() -> None:
    for seed in range(300):
        chance = random.Random(seed)
        glue = chance.choice(["", " "])
        text = '#include "a.h"\n' + glue.join(chance.choices(PIECES, k=chance.randrange(1, 120)))
        try:
            for expansion in preprocess(SURFACE, text, FILE, settings_of(HEADERS)):
                check_whole_map(expansion, text)
                assert all(use.definition for use in expansion.uses)
        except Exception as error:
            raise AssertionError(f"{text!r} (seed {seed})") from error
