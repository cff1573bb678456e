"""The kinds of error: what an assembler refuses. Their documentation is in `lint/rules`."""

from __future__ import annotations

from ipu_asm.diagnostics import Kind, Severity

SYNTAX_ERROR = Kind("E001", "syntax-error", Severity.ERROR)
UNKNOWN_MNEMONIC = Kind("E101", "unknown-mnemonic", Severity.ERROR)
TOO_FEW_OPERANDS = Kind("E102", "too-few-operands", Severity.ERROR)
TOO_MANY_OPERANDS = Kind("E103", "too-many-operands", Severity.ERROR)
WRONG_OPERAND_TYPE = Kind("E104", "wrong-operand-type", Severity.ERROR)
UNKNOWN_KEYWORD = Kind("E105", "unknown-keyword", Severity.ERROR)
IMMEDIATE_OUT_OF_RANGE = Kind("E106", "immediate-out-of-range", Severity.ERROR)
DUPLICATE_SLOT = Kind("E201", "duplicate-slot", Severity.ERROR)
LR_WRITE_CONFLICT = Kind("E202", "lr-write-conflict", Severity.ERROR)
UNDEFINED_LABEL = Kind("E301", "undefined-label", Severity.ERROR)
DUPLICATE_LABEL = Kind("E302", "duplicate-label", Severity.ERROR)
BRANCH_OUT_OF_RANGE = Kind("E303", "branch-out-of-range", Severity.ERROR)
PROGRAM_TOO_LARGE = Kind("E304", "program-too-large", Severity.ERROR)
