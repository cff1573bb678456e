"""Contents of the variables view while the machine is stopped, as plain data.

An `Inspector` has scopes; a scope contains items, and an item may contain more. Every item of a
register, of elements or of memory has an expression that evaluates to it. A value that differs from
the previous stop also shows its old one, `5 was 3`; rows, vectors and memory show how many elements
changed. The notations of expressions (`x` for hexadecimal, ...) apply to all numbers except names
and counts.
"""

from __future__ import annotations

from ipu_asm.debugger.inspection.comparison import StateAtCycle
from ipu_asm.debugger.inspection.inspector import Inspector, MemoryRange
from ipu_asm.debugger.inspection.items import Computed, Group, GroupKind, Item, Scope, row_length
from ipu_asm.debugger.inspection.texts import parse_displayed_value
from ipu_asm.debugger.inspection.vectors import VectorInfo, VectorView

__all__ = [
    "Computed", "Group", "GroupKind", "Inspector", "Item", "MemoryRange", "Scope",
    "StateAtCycle", "VectorInfo", "VectorView", "parse_displayed_value",
    "row_length",
]  # fmt: skip
