"""Lint: rules, their selection, and comments that suppress findings.

A rule is a module with its documentation, examples and check, discovered by its folder. Rules of
one set are in its folder below `targets`. Begin with `Rule`.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Callable, Iterable, TypeAlias

from ipu_asm.diagnostics import Applicability, Diagnostic, RuleId
from ipu_asm.isa import DEFAULT_ISA
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span, TextEdit

if TYPE_CHECKING:
    # Which findings are selected is asked of files that have not changed, too.
    from ipu_asm.bundle.bundle import Bundle
    from ipu_asm.isa.model import Isa
    from ipu_asm.program.program import Program

BundleCheck: TypeAlias = "Callable[[Isa, Bundle], Iterable[Diagnostic]]"
ProgramCheck: TypeAlias = "Callable[[Program], Iterable[Diagnostic]]"


class Rule(NamedTuple):
    """One kind of finding: its identity, documentation, examples and, if it has one, its check.

    Errors are found while a program is built, so their rules have no check. `valid` and `invalid`
    are whole programs that serve as tests; in an invalid one, findings are marked by ``⟦`` and
    ``⟧``. In the documentation, a line of a program that ends in ``# N times`` stands for N such
    lines. `fixes` are the applicabilities that fixes of the findings can have. `isa` is the
    instruction set of the examples.
    """

    id: RuleId
    documentation: str
    valid: tuple[str, ...]
    invalid: tuple[str, ...]
    check_bundle: BundleCheck | None = None
    check_program: ProgramCheck | None = None
    isa: str = DEFAULT_ISA
    fixes: tuple[Applicability, ...] = ()

    @property
    def summary(self) -> str:
        """Return the first line of the documentation."""
        return self.documentation.strip().splitlines()[0]


def removal_of(isa: Isa, bundle: Bundle, number: int) -> tuple[TextEdit, ...]:
    """Edits of the bundle's text that remove an instruction; comments stay.

    The only one of its bundle becomes its slot's no-op, since a bundle is never empty. No edits
    where that cannot be: the bundle is broken, or the slot has no no-op.
    """
    if bundle.syntax.plan.findings:
        return ()
    if len(bundle.instructions) == 1:
        return _no_op_instead(isa, bundle, bundle.syntax.instruction_span(number))
    return bundle.syntax.instruction_removal(number)


def _no_op_instead(isa: Isa, bundle: Bundle, own: Span) -> tuple[TextEdit, ...]:
    spec = bundle.instructions[0].spec
    for other in isa.instructions_of(spec.slot) if spec is not None else ():
        if other.nop:
            return (TextEdit(own, other.mnemonic),)
    return ()


@lru_cache(maxsize=512)
def rule_link(rule_name: str) -> str | None:
    """Return the page of a rule as a `file:` URI; None if the pages are not installed."""
    path = os.path.join(pages_folder(), f"{rule_name}.md")
    if not os.path.isfile(path):
        return None
    from pathlib import Path  # slow to load, and few formats have links

    return Path(path).as_uri()


def pages_folder() -> str:
    """Return the folder of the pages: in the installed package, or beside it in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    installed = os.path.join(package, "docs", "rules")
    if os.path.isdir(installed):
        return installed
    return os.path.join(os.path.dirname(package), "docs", "rules")
