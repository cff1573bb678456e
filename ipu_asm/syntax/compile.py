"""Compiler from Lark grammars to plain parse tables. The only module that imports lark.

Lark validates the grammar and computes the LALR(1) tables, which are stored as a Python module in
`compiled/`, because importing lark costs four times what linting a small file does.
`python -m ipu_asm.syntax.compile` regenerates them; a test fails if one is out of date, and
`grammar.load_grammar` compiles a grammar whose tables are missing or out of date.
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import Any

from lark import Lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

START_SYMBOLS = ["bundle", "instruction"]
_REDUCE = 1
_WIDTH = 98
_ITEM = re.compile(r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^'",])+(?:, |$)""")
_CHECKOUT = Path(__file__).parents[2]

HEADER = '''"""Parse tables of grammars/{name}.lark. Generated: python -m ipu_asm.syntax.compile"""

from typing import Any

TABLES: dict[str, Any] = {{
 '''


def compile_grammar(text: str) -> dict[str, Any]:
    """Return the tables of a grammar: terminals, ignored ones, WHOLE, rules, states, start states.

    `states[n]` maps a symbol to the next state, or to `-1 - rule` where that rule is complete.
    Raises `lark.exceptions.GrammarError` for an invalid or ambiguous grammar.
    """
    lark = Lark(text, parser="lalr", lexer="basic", start=START_SYMBOLS, keep_all_tokens=True)
    data, memo = lark.memo_serialize([TerminalDef, Rule])
    rule_numbers = {reference["@"]: n for n, reference in enumerate(data["rules"])}
    table = data["parser"]["parser"]
    return {
        "checksum": zlib.crc32(text.encode()),
        "terminals": tuple(
            (term.name, term.pattern.to_regexp(), type(term.pattern).__name__ == "PatternStr")
            for term in lark.terminals
        ),
        "ignored": tuple(lark.ignore_tokens),
        "whole": _whole(text),
        "rules": tuple(_rule(memo[reference["@"]]) for reference in data["rules"]),
        **_in_stable_order(_states(table, rule_numbers), table["start_states"]),
    }


def _whole(text: str) -> str:
    """Return the pattern of the terminal WHOLE, which Lark drops because no rule uses it."""
    match = re.search(r"^WHOLE: /(.+)/$", text, re.MULTILINE)
    return match[1].replace("\\/", "/") if match else ""


def _rule(rule: dict[str, Any]) -> tuple[str, int]:
    return str(rule["origin"]["name"]), len(rule["expansion"])


def _states(table: dict[str, Any], rule_numbers: dict[int, int]) -> dict[int, dict[str, int]]:
    def target(action: tuple[int, Any]) -> int:
        verb, argument = action
        return -1 - rule_numbers[argument["@"]] if verb == _REDUCE else int(argument)

    names = table["tokens"]
    return {
        state: {str(names[symbol]): target(action) for symbol, action in actions.items()}
        for state, actions in table["states"].items()
    }


def _in_stable_order(
    states: dict[int, dict[str, int]], starts: dict[str, int]
) -> dict[str, tuple[dict[str, int], ...] | dict[str, int]]:
    """Renumber states in the order in which they are reached: lark's numbers vary between runs."""
    numbers: dict[int, int] = {}
    waiting = [starts[symbol] for symbol in START_SYMBOLS]
    while waiting:
        state = waiting.pop(0)
        if state not in numbers:
            numbers[state] = len(numbers)
            waiting += [target for _, target in sorted(states[state].items()) if target >= 0]
    return {
        "states": tuple(
            {
                symbol: numbers[target] if target >= 0 else target
                for symbol, target in sorted(states[state].items())
            }
            for state in numbers
        ),
        "start": {symbol: numbers[starts[symbol]] for symbol in START_SYMBOLS},
    }


def module_text(name: str, grammar_text: str) -> str:
    """Return the source of the generated module of a grammar."""
    return HEADER.format(name=name) + _filled(repr(compile_grammar(grammar_text))[1:]) + "\n"


def _filled(literal: str) -> str:
    """Break the text of a literal into lines after commas outside of strings."""
    lines = [""]
    for item in _ITEM.findall(literal):
        if lines[-1] and len(lines[-1]) + len(item.rstrip()) > _WIDTH:
            lines.append("")
        lines[-1] += item
    return "\n ".join(line.rstrip() for line in lines)


def main() -> None:
    """Regenerate the tables of all grammars of a checkout."""
    for path in sorted((_CHECKOUT / "grammars").glob("*.lark")):
        text = module_text(path.stem, path.read_text(encoding="utf-8"))
        target = Path(__file__).parent / "compiled" / f"{path.stem}.py"
        target.write_text(text, encoding="utf-8")
        print(target)


if __name__ == "__main__":
    main()
