"""All rules. A new one is a module here and its name in one of these lists.

What is true of all instruction sets is checked in all. A rule for some sets alone is checked where
the set's own description names it.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from ipu_asm.isa.model import Isa
from ipu_asm.lint.rule import Rule

# Found while a text becomes a program, or after all checks; the modules only document them.
_FOUND_ELSEWHERE = (
    "syntax_error",
    "unknown_mnemonic",
    "too_few_operands",
    "too_many_operands",
    "wrong_operand_type",
    "unknown_keyword",
    "immediate_out_of_range",
    "duplicate_slot",
    "lr_write_conflict",
    "undefined_label",
    "duplicate_label",
    "branch_out_of_range",
    "program_too_large",
    "unused_suppression",
    "foreign_assembly",
)
_CHECKED_HERE = (
    "unused_label",
    "unreachable_bundle",
    "runs_off_end",
    "deprecated_mnemonic",
    "break_never_matches",
    "immediate_wraps",
    "mark_in_comment",
    "ambiguous_label",
    "explicit_break",
)
_OF_SOME_SETS: tuple[str, ...] = (
    "lost_result",
    "broken_delay_slots",
    "wrong_queue_registers",
    "open_bundle",
    "unaligned_loop",
    "used_before_sync",
    "store_without_sync",
    "transfer_too_long",
    "conv_without_descriptor",
    "sync_for_everything",
    "unimplemented_operation",
    "wrong_lane",
    "write_clash",
    "repeat_body",
    "repeat_misaligned",
    "wrong_mode",
    "stands_alone",
    "half_bundle",
    "outside_memory",
    "misaligned_access",
    "not_interleaved",
    "code_outside_region",
)


@lru_cache(maxsize=8)
def rules_for(isa: Isa) -> tuple[Rule, ...]:
    """The rules with a check of their own that are for an instruction set."""
    return tuple(_load(name) for name in (*_CHECKED_HERE, *isa.rules))


@lru_cache(maxsize=1)
def checking_rules() -> tuple[Rule, ...]:
    """The rules that have a check of their own, whatever they are for."""
    return tuple(_load(name) for name in (*_CHECKED_HERE, *_OF_SOME_SETS))


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    """Every rule: errors first, then by code."""
    rules = (*(_load(name) for name in _FOUND_ELSEWHERE), *checking_rules())
    return tuple(sorted(rules, key=lambda rule: (rule.id.severity, rule.id.code)))


def _load(name: str) -> Rule:
    rule: Rule = import_module(f"ipu_asm.lint.rules.{name}").RULE
    return rule
