"""All rules. A new one is a module here and its name in one of these lists."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from ipu_asm.lint.rule import Rule

# Found while a text becomes a program; the modules only document them.
_FOUND_EARLIER = (
    "unknown_mnemonic",
)  # fmt: skip
_CHECKED_HERE = (
    "unused_label",
)  # fmt: skip


@lru_cache(maxsize=1)
def checking_rules() -> tuple[Rule, ...]:
    """The rules that have a check of their own."""
    return tuple(_load(name) for name in _CHECKED_HERE)


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by code."""
    rules = (*(_load(name) for name in _FOUND_EARLIER), *checking_rules())
    return tuple(sorted(rules, key=lambda rule: rule.kind.code))


def _load(name: str) -> Rule:
    rule: Rule = import_module(f"ipu_asm.lint.rules.{name}").RULE
    return rule
