"""What a rule is. Each one is a module in `rules/`: its docstring is its documentation."""

from __future__ import annotations

from typing import Callable, Iterable, NamedTuple

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import Applicability, Diagnostic, RuleId
from ipu_asm.isa.model import Isa
from ipu_asm.program.program import Program

BundleCheck = Callable[[Isa, Bundle], Iterable[Diagnostic]]
ProgramCheck = Callable[[Program], Iterable[Diagnostic]]


class Rule(NamedTuple):
    """A sort of finding: its identity, documentation, examples and, where it has one, its check.

    Errors are found on the way to a program and so have no check here. `valid` and `invalid` are
    whole programs that are tests and documentation at once; in an invalid one the findings stand
    between ``⟦`` and ``⟧``. In the documentation, a line of a program that ends in ``# N times``
    stands for N such lines. `fixes` are the applicabilities that fixes of the findings may have.
    `isa` is the instruction set of the examples.
    """

    id: RuleId
    documentation: str
    valid: tuple[str, ...]
    invalid: tuple[str, ...]
    check_bundle: BundleCheck | None = None
    check_program: ProgramCheck | None = None
    isa: str = "ipu"
    fixes: tuple[Applicability, ...] = ()

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return self.documentation.strip().splitlines()[0]
