"""Our regular expressions mean the same in every Python that we promise to run on."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from typing import Any, Iterator

import ipu_asm
import ipu_lsp
from ipu_asm.isa import available_isas, load_isa
from ipu_asm.syntax.grammar import load_grammar

_constants: Any = import_module("re._constants")
_parser: Any = import_module("re._parser")
# CPython before 3.11.5 matches these wrongly in places.
NEW = {_constants.POSSESSIVE_REPEAT, _constants.ATOMIC_GROUP}


def patterns() -> Iterator[tuple[str, str]]:
    """Every expression that a module of ours or a grammar holds, with where it is."""
    for package in (ipu_asm, ipu_lsp):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                for name, value in vars(import_module(module.name)).items():
                    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                        yield f"{module.name}.{name}", value.pattern
    for isa in available_isas():
        grammar = load_grammar(load_isa(isa).surface.grammar)
        for name, value in vars(grammar).items():
            if isinstance(value, re.Pattern):
                yield f"grammar {grammar.name}: {name}", value.pattern


def operators(node: Any) -> Iterator[Any]:
    """All operators in a parsed expression."""
    if isinstance(node, _parser.SubPattern | list | tuple):
        for part in node:
            yield from operators(part)
    else:
        yield node


def check_known_everywhere(pattern: str) -> bool:
    """Whether an expression has no operator that some Python of ours gets wrong."""
    return not any(operator in NEW for operator in operators(_parser.parse(pattern)))


def test_no_expression_has_a_possessive_repeat_or_an_atomic_group() -> None:
    found = [*patterns()]
    assert len(found) > 300
    assert [place for place, pattern in found if not check_known_everywhere(pattern)] == []


def test_the_check_finds_what_it_looks_for() -> None:
    assert not check_known_everywhere("a(?:b|c++)*")
    assert not check_known_everywhere("a(?>b)")
    assert check_known_everywhere("a(?:b|c+)*")
