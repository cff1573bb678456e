"""Identities of the rules that parsing and expansion report; `lint/rules` documents them."""

from __future__ import annotations

from ipu_asm.diagnostics import RuleId, Severity

SYNTAX_ERROR = RuleId("E001", "syntax-error", Severity.ERROR)
UNKNOWN_MNEMONIC = RuleId("E101", "unknown-mnemonic", Severity.ERROR)
TOO_FEW_OPERANDS = RuleId("E102", "too-few-operands", Severity.ERROR)
TOO_MANY_OPERANDS = RuleId("E103", "too-many-operands", Severity.ERROR)
WRONG_OPERAND_TYPE = RuleId("E104", "wrong-operand-type", Severity.ERROR)
UNKNOWN_KEYWORD = RuleId("E105", "unknown-keyword", Severity.ERROR)
IMMEDIATE_OUT_OF_RANGE = RuleId("E106", "immediate-out-of-range", Severity.ERROR)
UNKNOWN_DIRECTIVE = RuleId("E107", "unknown-directive", Severity.ERROR)
DUPLICATE_SLOT = RuleId("E201", "duplicate-slot", Severity.ERROR)
LR_WRITE_CONFLICT = RuleId("E202", "lr-write-conflict", Severity.ERROR)
UNDEFINED_LABEL = RuleId("E301", "undefined-label", Severity.ERROR)
DUPLICATE_LABEL = RuleId("E302", "duplicate-label", Severity.ERROR)
BRANCH_OUT_OF_RANGE = RuleId("E303", "branch-out-of-range", Severity.ERROR)
PROGRAM_TOO_LARGE = RuleId("E304", "program-too-large", Severity.ERROR)
TEMPLATE_SYNTAX = RuleId("E401", "template-syntax", Severity.ERROR)
UNDEFINED_TEMPLATE_NAME = RuleId("E402", "undefined-template-name", Severity.ERROR)
EXPANSION_LIMIT = RuleId("E403", "expansion-limit", Severity.ERROR)
ASSERTION_FALSE = RuleId("E501", "assertion-false", Severity.ERROR)
INCLUDE_NOT_FOUND = RuleId("H103", "include-not-found", Severity.HINT)
ERROR_DIRECTIVE = RuleId("H107", "error-directive", Severity.HINT)
UNSUPPORTED_DIRECTIVE = RuleId("H108", "unsupported-directive", Severity.HINT)
