"""Refactorings: edits of a program's text that keep its behaviour.

Each family is one module and one row of `REFACTORINGS`. Its function looks at the selection and
returns offers, some of them refused with a reason.
"""

from __future__ import annotations

from typing import Callable, Final

from ipu_asm.ide import MOVE, REWRITE
from ipu_asm.ide.refactorings.bundles import move_instruction, split_or_join
from ipu_asm.ide.refactorings.checks import RefactoringOffer
from ipu_asm.ide.refactorings.rewriting import (
    add_halt,
    add_or_remove_no_ops,
    convert_number,
    convert_target,
)
from ipu_asm.program.program import Program
from ipu_asm.text import Span

Refactoring = Callable[[Program, Span], list[RefactoringOffer]]

REFACTORINGS: Final[tuple[tuple[str, Refactoring], ...]] = (
    (REWRITE, convert_number),
    (REWRITE, convert_target),
    (MOVE, move_instruction),
    (REWRITE, split_or_join),
    (REWRITE, add_or_remove_no_ops),
    (REWRITE, add_halt),
)
"""Each refactoring with the code action kind of its offers, in the order shown to users."""
