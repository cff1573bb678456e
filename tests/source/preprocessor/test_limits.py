"""Texts that describe an endless expansion, and hostile ones: a finding, in bounded work."""

from __future__ import annotations

import pytest

from ipu_asm import analyze
from ipu_asm.source.preprocessor.mistakes import MAX_TEXT
from tests.source.preprocessor.expanding import check_whole_map, expansions

_DOUBLING = "".join(f"#define A{n} A{n + 1} A{n + 1}\n" for n in range(40))
_CALLS = "".join(f"#define A{n}(x) A{n + 1}(x) A{n + 1}(x)\n" for n in range(40))
_PASTING = "".join(f"#define A{n}(x) A{n + 1}(x ## x)\n" for n in range(60))
_QUOTING = "".join(f"#define A{n}(x) A{n + 1}(#x)\n" for n in range(60))
_CHAIN = "".join(f"#define A{n} A{n + 1}\n" for n in range(20_000))
_CALL_CHAIN = "".join(f"#define A{n}(x) A{n + 1}(x)\n" for n in range(20_000))
BOMBS = {
    "chain": _CHAIN + "A0\n",
    "chain of calls": _CALL_CHAIN + "A0(1)\n",
    "doubling": _DOUBLING + "A0\n",
    "calls": _CALLS + "A0(1)\n",
    "pasting": _PASTING + "#define A60(x) x\nA0(aaaa)\n",
    "quoting": _QUOTING + '#define A60(x) x\nA0("\\\\")\n',
    "nested calls": "#define F(x) x\n" + "F(" * 4_000 + ")" * 4_000 + "\n",
    "self include": '#include "self.h"\n',
    "double self include": '#include "twice.h"\n',
    "long definition": "#define A " + "a " * 1_000_000 + "\nA\n",
    "long line": "#define A b\n" + "A " * 300_000 + "\n",
    "long value": '#define A "' + "a" * 190_000 + '"\n' + "A A A A A A A A\n" * 1_000,
    "long file": "#define A b\n" + "A A A A\n" * 2_000_000,
    "many includes": '#include "big.h"\n' * 5_000,
    "condition": _DOUBLING + "#if A0\n#endif\n",
}
HOSTILE = {
    "parentheses": "#if " + "(" * 10_000 + "1" + ")" * 10_000 + "\na\n#endif\nb\n",
    "long condition": "#if " + "1 + " * 10_000 + "1\na\n#endif\nb\n",
    "signs": "#if " + "-" * 10_000 + "1\na\n#endif\nb\n",
    "nested conditions": "#if 1\n" * 4_000 + "a\n" + "#endif\n" * 4_000,
    "open conditions": "#if 1\n" * 4_000,
    "calls that stay open": "#define F(x) x\n" + "F(\n" * 5_000,
    "unknown conditions": '#include "no.h"\n'
    + "".join(f"#if A{n} > {n} && B{n}\na\n#endif\n" for n in range(1_000)),
    "open comment": "#define A b\n" + "/* A\n" * 4_000,
    "backslashes": "#define A \\\n" * 4_000,
    "many definitions": "".join(f"#define A{n} {n}\n" for n in range(4_000)) + "A1\n",
}
HEADERS = {
    "self.h": '#include "self.h"\n',
    "twice.h": '#include "twice.h"\n#include "twice.h"\n',
    "big.h": "nop\n" * 10_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_one_finding(name: str) -> None:
    (expansion,) = expansions(BOMBS[name], HEADERS)
    assert [finding.code for finding in expansion.findings] == ["E403"]
    assert expansion.text == ""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_expanded_in_bounded_work(name: str) -> None:
    text = HOSTILE[name]
    for expansion in expansions(text, HEADERS):
        assert len(expansion.text) <= MAX_TEXT + 4 * len(text)
        check_whole_map(expansion, text)


def test_the_finding_stands_at_the_line_that_made_too_much() -> None:
    text = _DOUBLING + "nop\n  A0 // here\nnop\n"
    (finding,) = expansions(text)[0].findings
    assert text[slice(*finding.span)] == "A0 // here"
    assert "at most" in finding.message or "limited" in finding.message


@pytest.mark.parametrize("call", ["", "(1)"])
def test_a_chain_of_a_thousand_macros_is_expanded_with_its_outer_levels(call: str) -> None:
    head = call.replace("1", "x")
    chain = "".join(f"#define A{n}{head} A{n + 1}{head}\n" for n in range(1_000))
    (expansion,) = expansions(chain + f"A0{call}\n", HEADERS)
    assert expansion.text.strip() == f"A1000{call}"
    frame = expansion.source_map.frame_at(len(expansion.text) - 2)
    assert frame is not None
    labels = [level.label for level in frame.stack()]
    assert len(labels) == 100
    assert "`A0`" in labels[-1]
    found = analyze(chain + f"A0{call}\n", isa="colossus").diagnostics
    assert {finding.code for finding in found} <= {"E101"}
