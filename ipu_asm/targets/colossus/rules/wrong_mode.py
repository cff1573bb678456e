"""An instruction or control register of the other execution mode.

## What it does
Reports worker instructions after `.supervisor`, supervisor instructions after `.worker`, and
control registers that the current mode does not have.

## Why
A tile has one supervisor and six workers. The supervisor has no aux pipeline, so it cannot use `$a`
registers, compute in floating point or repeat; a worker cannot start other workers or take part in
the exchange. The assembler rejects instructions and registers that the mode does not have. The last
`.worker` or `.supervisor` before an instruction sets its mode.

## Example
```
.supervisor
ld32 $a0, $m0, $mzero, 0
```

## Use instead
```
.supervisor
ld32 $m1, $m0, $mzero, 0
```
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cache
from typing import Iterator

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.diagnostics import Diagnostic, RuleId, Severity
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.edits import Test
from ipu_asm.program.macros import effect_of
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.text import Span

RULE_ID = RuleId("C105", "wrong-mode", Severity.ERROR)
# The trait of instructions that access control registers.
_SYSTEM = "system"


def check(program: Program) -> Iterator[Diagnostic]:
    """A finding for each instruction and control register that the current mode does not have."""
    for first, last, mode in modes_of(program).ranges(len(program.bundles)):
        wrong = program.where(_wrong_in(mode))
        for number in wrong[bisect_left(wrong, first) : bisect_left(wrong, last)]:
            for message, span in _mistakes(program.isa, program.bundles[number], mode):
                yield Diagnostic(RULE_ID, message, program.span(number, span))


@cache
def _wrong_in(mode: str) -> Test:
    """The test for bundles that are invalid in a mode."""

    def is_wrong(isa: Isa, bundle: Bundle) -> bool:
        suspicious = _SYSTEM in bundle.traits or not bundle.traits.isdisjoint(_modes(isa) - {mode})
        return suspicious and any(_mistakes(isa, bundle, mode))

    return is_wrong


def _modes(isa: Isa) -> frozenset[str]:
    return frozenset(isa.surface.modes.values())


def _mistakes(isa: Isa, bundle: Bundle, mode: str) -> Iterator[tuple[str, Span]]:
    known = _modes(isa)
    for number, instruction in enumerate(bundle.instructions):
        if instruction.spec is None or instruction.findings:
            continue
        own = instruction.spec.traits & known
        if own and mode not in own:
            name = next(iter(own))
            found = f"found it in {mode} code"
            yield f"`{instruction.mnemonic}` is for {name} code here, {found}", bundle.span(number)
            continue
        for place, other in _other_modes(instruction):
            if other not in ("", mode):
                text = instruction.words[place + 1]
                message = f"`{text}` is for {other} code only, found it in {mode} code"
                yield message, bundle.span(number, place)


def _other_modes(instruction: Instruction) -> Iterator[tuple[int, str]]:
    for place, operand in enumerate(instruction.operands):
        if operand is not None:
            yield place, operand.type.mode(instruction.words[place + 1])


RULE = Rule(
    id=RULE_ID,
    documentation=__doc__ or "",
    valid=(
        "ld32 $a0, $m0, $mzero, 0\nrunall $m0, $m1, 0",
        ".worker\nld32 $a0, $m0, $mzero, 0\n.supervisor\nrunall $m0, $m1, 0",
        ".worker\nput $PC, $m0\nuput $PRNG_0_1, $a0",
        # The preprocessor decides which directive applies.
        ".worker\n#ifndef A\n.supervisor\n#endif\nrunall $m0, $m1, 0",
        ".supervisor\n.macro BODY\nf32add $a0, $a1, $a2\n.endm",
        ".allow_invalid_execution_mode\n.supervisor\nf32add $a0, $a1, $a2",
    ),
    invalid=(
        ".supervisor\n⟦st64step⟧ $a0:1, $m0, $m1+=, $m2",
        ".worker\n⟦runall⟧ $m0, $m1, 0",
        ".worker\nget $m0, ⟦$CWEI_0_2⟧",
        ".supervisor\n{ ⟦rpt⟧ 10, 0 ; ⟦fnop⟧ }",
        "#ifdef A\n.supervisor\n#else\n.worker\n⟦sync⟧ 1\n#endif",
    ),
    check_program=check,
    isa="colossus",
)


class Modes(NamedTuple):
    """The mode `names[i]` applies from bundle `starts[i]` on; None for an unknown mode."""

    starts: tuple[int, ...]
    names: tuple[str | None, ...]

    def at(self, bundle: int) -> str | None:
        """Return the mode in which a bundle is executed, None if unknown."""
        return self.names[bisect_right(self.starts, bundle) - 1]

    def ranges(self, count: int) -> Iterator[tuple[int, int, str]]:
        """Yield ranges of bundles ``first..last-1`` with a known mode, and the mode."""
        for first, last, name in zip(self.starts, (*self.starts[1:], count), self.names):
            if name is not None:
                yield first, last, name


@cached_on_program
def modes_of(program: Program) -> Modes:
    """Return the modes that directives set; unknown where a condition or a macro may change it."""
    reader = _ModeTracker(program)
    for number in reader.steps() if program.isa.surface.modes else ():
        bundle = program.bundles[number]
        if bundle.has_unknown and reader.calls_matter:
            reader.mode = None
        else:
            for words in bundle.syntax.directives:
                reader.directive(words)
        if reader.mode != reader.names[-1]:
            reader.starts.append(number)
            reader.names.append(reader.mode)
    return Modes(tuple(reader.starts), tuple(reader.names))


class _Frame(NamedTuple):
    """An open condition or macro body, the mode before it, and an entry per mode change in it."""

    mode: str | None
    is_body: bool
    changes: list[bool]


class _ModeTracker:
    """Interprets the directives in order."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.modes = program.isa.surface.modes
        self.mode: str | None = None
        self.starts = [0]
        self.names: list[str | None] = [None]
        self.frames: list[_Frame] = []
        # A call of a macro with an unknown body may change the mode.
        self.calls_matter = program.macros.reads_files or _sets_in_body(program)

    def steps(self) -> list[int]:
        """Return the numbers of the bundles that may change the mode."""
        steps = self.program.where(_may_change_mode)
        unknown = self.program.where(_has_unknown) if self.calls_matter else []
        return sorted({*steps, *unknown}) if unknown else steps

    def directive(self, words: tuple[str, ...]) -> None:
        if words[0] in self.modes:
            self.mode = self.modes[words[0]]
            for frame in self.frames:
                frame.changes.append(True)
            return
        step = effect_of(words).step
        if step in ("if", "body"):
            self.frames.append(_Frame(self.mode, step == "body", []))
            self.mode = None if step == "body" else self.mode
        elif self.frames and step == "else":
            self.mode = self.frames[-1].mode
        elif self.frames and step in ("endif", "end"):
            frame = self.frames.pop()
            self.mode = frame.mode if frame.is_body or not frame.changes else None


def _may_change_mode(isa: Isa, bundle: Bundle) -> bool:
    if bundle.syntax.plan.inner_directives:
        return True
    if bundle.directive is None:
        return False
    return _sets_mode(isa, bundle) or any(
        effect_of(words).step for words in bundle.syntax.directives
    )


def _sets_mode(isa: Isa, bundle: Bundle) -> bool:
    return bundle.directive in isa.surface.modes


def _has_unknown(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.has_unknown


def _sets_in_body(program: Program) -> bool:
    regions = map(program.macros.region_of, program.where(_sets_mode))
    return any(region is not None and region.is_body for region in regions)
