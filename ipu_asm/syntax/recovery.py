"""Plans of shapes that the grammar rejects, made piece by piece.

A piece stands between two separators; a mistake in one leaves the others as they are.
"""

from __future__ import annotations

from ipu_asm.syntax.grammar import BRACES, DIRECTIVE, LABEL_TOKENS, STRAY, Grammar, Tree
from ipu_asm.syntax.plan import InstructionPlan, Plan, SyntaxFinding, instruction_plan

_MOST_ERRORS_OF_A_BUNDLE = 100
# No operand of any surface has more tokens before the one that makes it complete.
_LONGEST_UNFINISHED = 8


class _Braces:
    """The braces of a shape: those around the bundle, and those in a wrong place."""

    def __init__(self, grammar: Grammar, shape: str) -> None:
        self.letters = "".join(map(grammar.kind_letter, BRACES))
        self.span: tuple[int, int] | None = None
        self.wrong: list[SyntaxFinding] = []
        first = -1
        for number, letter in enumerate(shape) if self.letters else ():
            if letter not in self.letters:
                continue
            if letter == self.letters[0]:
                if self.span or first >= 0:
                    self.wrong.append(
                        SyntaxFinding(number, "unexpected" if self.span else "brace-inside")
                    )
                else:
                    first = number
            elif first < 0:
                self.wrong.append(SyntaxFinding(number, "brace-unopened"))
            else:
                self.span, first = (first, number), -1
        if first >= 0:
            self.span = (first, len(shape))
            self.wrong.append(SyntaxFinding(first, "brace-unclosed"))

    def contains(self, number: int) -> bool:
        """Whether a token stands after the opening brace of the bundle."""
        return self.span is not None and number > self.span[0]

    def findings(self, has_more: bool) -> list[SyntaxFinding]:
        """The findings about braces; `has_more`: there are other tokens than braces."""
        if self.span and not self.wrong and not has_more:
            return [SyntaxFinding(self.span[0], "brace-empty")]
        return self.wrong


class Recovery:
    """Makes the plan of a shape that the grammar rejects, in time proportional to its length."""

    def __init__(self, grammar: Grammar, shape: str) -> None:
        self.grammar = grammar
        self.shape = shape
        self.label = -1
        self.instructions: list[InstructionPlan] = []
        self.findings: list[SyntaxFinding] = []
        self.label_shape = "".join(map(grammar.kind_letter, LABEL_TOKENS))
        self.separator = grammar.kind_letter("SEPARATOR")
        self.comma = grammar.kind_letter("COMMA")
        self.end = grammar.kind_letter("END")
        self.directive = grammar.kind_letter(DIRECTIVE)
        self.more_labels: list[int] = []
        self.inner_directives: list[tuple[int, int]] = []
        self.braces = _Braces(grammar, shape)

    def plan(self) -> Plan:
        """The plan, with a finding for each mistake."""
        start = 0
        breaks = {self.separator, self.end, *self.braces.letters} - {""}
        for position, letter in enumerate(self.shape):
            if letter in breaks:
                self._piece(start, position, letter == self.end)
                start = position + 1
        if start < len(self.shape):
            self._piece(start, len(self.shape), True)
        # Directives may choose between parts of a bundle, and so between braces.
        if not self.inner_directives:
            self.findings += self.braces.findings(bool(self.instructions or self.findings))
        findings = tuple(sorted(self.findings)[:_MOST_ERRORS_OF_A_BUNDLE])
        return Plan(
            self.label,
            tuple(self.instructions),
            findings,
            more_labels=tuple(self.more_labels),
            braces=self.braces.span,
            inner_directives=tuple(self.inner_directives),
        )

    def _piece(self, start: int, stop: int, last: bool) -> None:
        """Read one piece: optional labels, then one instruction."""
        numbers = [number for number in range(start, stop) if self.shape[number] != STRAY]
        strays = [number for number in range(start, stop) if self.shape[number] == STRAY]
        self.findings += (SyntaxFinding(number, "stray") for number in strays)
        shape = self.shape[start:stop].replace(STRAY, "")
        at = 0
        while shape.startswith(self.label_shape, at):
            is_inside = bool(self.instructions) or self.braces.contains(numbers[at])
            self._take_label(numbers[at], "label-inside" if is_inside else "")
            at += 2
        if self.directive and shape.startswith(self.directive, at):
            self.inner_directives.append((numbers[at], stop))
            return
        if self.directive and shape.endswith(self.directive):
            shape = shape[:-1]
        if at < len(shape):
            self._take_instructions(shape, numbers, at, bool(strays))
        elif not strays and not (last and self.instructions):
            self._report_empty(stop)

    def _take_label(self, number: int, reason: str) -> None:
        """Take a label, with a finding if there is a `reason`; the first is that of the bundle."""
        if self.label >= 0 and not reason:
            if self.grammar.accepts(*LABEL_TOKENS, *LABEL_TOKENS):
                self.more_labels.append(number)
            else:
                reason = "second-label"
        if reason:
            self.findings.append(SyntaxFinding(number, reason))
        if self.label < 0:
            self.label = number

    def _take_instructions(self, shape: str, numbers: list[int], at: int, has_errors: bool) -> None:
        """Read the instruction that begins at `at`, and another one after a label in its middle."""
        while at < len(shape):
            tree = self.grammar.parse(shape, "instruction", at)
            if isinstance(tree, Tree):
                self.instructions.append(
                    _renumbered(instruction_plan(tree, 0, has_errors), numbers)
                )
                return
            stop, following = self._cut(shape, numbers, at, tree)
            plan = self._beginning(shape, at, stop)
            if plan is not None:
                self.instructions.append(_renumbered(plan, numbers))
            at, has_errors = following, True

    def _beginning(self, shape: str, at: int, stop: int) -> InstructionPlan | None:
        """The longest beginning that is an instruction, without an unfinished operand."""
        # The caller has already tried the whole shape.
        last = min(stop, len(shape) - 1)
        for end in range(last, max(at, last - _LONGEST_UNFINISHED), -1):
            tree = self.grammar.parse(shape, "instruction", at, end)
            if isinstance(tree, Tree):
                plan = instruction_plan(tree, 0, True)
                unfinished = end < stop and shape[end] != self.comma
                return _without_last_operand(plan) if unfinished else plan
        return None

    def _cut(self, shape: str, numbers: list[int], at: int, wrong: int) -> tuple[int, int]:
        """Where the text that parses from `at` on ends, and where to continue after `wrong`."""
        for label in (wrong - 1, wrong):
            if label >= at and shape.startswith(self.label_shape, label):
                self._take_label(numbers[label], "label-inside")
                return label, (label + 2 if self.separator else len(shape))
        number, reason = numbers[-1], "incomplete"
        neighbour = number + 1
        if wrong < len(shape):
            number, reason = numbers[wrong], "unexpected"
            neighbour = number - 1
        # A stray token next to it has a finding already, and is the reason of this one.
        if self.shape[neighbour : neighbour + 1] != STRAY:
            self.findings.append(SyntaxFinding(number, reason))
        return wrong, len(shape)

    def _report_empty(self, stop: int) -> None:
        if self.label >= 0 and not self.instructions:
            if not self.grammar.accepts(*LABEL_TOKENS):
                self.findings.append(SyntaxFinding(self.label, "label-without-bundle"))
        elif not self.grammar.accepts("END"):
            reason = "empty-instruction" if self.instructions else "empty-bundle"
            self.findings.append(SyntaxFinding(min(stop, len(self.shape) - 1), reason))


def _without_last_operand(plan: InstructionPlan) -> InstructionPlan:
    operands = plan.operands[:-1]
    return plan._replace(
        operands=operands,
        end=operands[-1][1] if operands else plan.mnemonic + 1,
        single_token_operands=False,
    )


def _renumbered(plan: InstructionPlan, numbers: list[int]) -> InstructionPlan:
    """A plan with the numbers of all tokens, from one that does not count stray tokens."""
    operands = tuple((numbers[first], numbers[last - 1] + 1) for first, last in plan.operands)
    is_consecutive = numbers[plan.end - 1] - numbers[plan.mnemonic] == len(operands)
    return plan._replace(
        mnemonic=numbers[plan.mnemonic],
        operands=operands,
        end=numbers[plan.end - 1] + 1,
        single_token_operands=plan.single_token_operands and is_consecutive,
    )
