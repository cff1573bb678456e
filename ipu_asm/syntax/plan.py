"""The plan of a bundle: which tokens are its label, its mnemonics and its operands.

A plan consists of token numbers only, so it belongs to a shape and serves every bundle of that
shape.
"""

from __future__ import annotations

from functools import lru_cache

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.syntax.grammar import BRACES, DIRECTIVE, LABEL_TOKENS, STRAY, Grammar, Tree

BRACE_PSEUDO_NAME = "{}"
"""In `dropped_if_defined` of findings about braces: directives may choose between braces."""


class InstructionPlan(NamedTuple):
    """The token numbers of one instruction; an operand consists of the tokens ``first..last-1``.

    For an empty operand between two commas, `first` and `last` are both the second comma.
    `single_token_operands`: mnemonic and operands are one token each, with none between them.
    `has_errors`: tokens in the instruction do not fit the grammar.
    """

    mnemonic: int
    operands: tuple[tuple[int, int], ...]
    end: int
    single_token_operands: bool
    has_errors: bool = False


class SyntaxFinding(NamedTuple):
    """A token that does not fit the grammar, and the reason; `messages` has the texts."""

    token: int
    reason: str


class Plan(NamedTuple):
    """The parts of a bundle by token numbers; `label` and `directive` are -1 where there is none.

    Tokens after a directive have no findings. `more_labels` are the labels after the first,
    `braces` the opening and the closing one of the bundle, `inner_directives` the ranges of
    directives between them.
    """

    label: int
    instructions: tuple[InstructionPlan, ...]
    findings: tuple[SyntaxFinding, ...]
    directive: int = -1
    more_labels: tuple[int, ...] = ()
    braces: tuple[int, int] | None = None
    inner_directives: tuple[tuple[int, int], ...] = ()


def plan_of_tree(grammar: Grammar, shape: str, tree: Tree) -> Plan:
    """The plan of a shape that the grammar accepts, from its parse tree."""
    labels: list[int] = []
    instructions: list[InstructionPlan] = []
    inner_directives: list[tuple[int, int]] = []
    marks: list[int] = []
    for child in tree.children:
        if not isinstance(child, Tree):
            marks.append(child)
            continue
        content = child.children[0] if child.rule == "statement" else child
        if content.rule == "label":
            labels.append(content.children[0])
        elif content.rule == "instruction":
            instructions.append(instruction_plan(content, 0, False))
        elif content.rule == "directive":
            inner_directives.append((_first_token(content), _last_token(content) + 1))
    braces = [mark for mark in marks if shape[mark] in map(grammar.kind_letter, BRACES)]
    return Plan(
        labels[0] if labels else -1,
        tuple(instructions),
        (),
        more_labels=tuple(labels[1:]),
        braces=(braces[0], braces[-1]) if braces else None,
        inner_directives=tuple(inner_directives),
    )


def instruction_plan(tree: Tree, offset: int, has_errors: bool) -> InstructionPlan:
    """The plan of a parsed instruction whose token numbers count from `offset` on."""
    mnemonic, *rest = tree.children
    operands = []
    is_due = bool(rest)
    for child in rest:
        if isinstance(child, Tree):
            operands.append((_first_token(child) + offset, _last_token(child) + offset + 1))
        elif is_due:
            operands.append((child + offset, child + offset))
        is_due = not isinstance(child, Tree)
    first = _first_token(mnemonic) + offset
    end = (_last_token(rest[-1]) if rest else _last_token(mnemonic)) + offset + 1
    if is_due:
        operands.append((end - 1, end - 1))
    single_token_operands = end - first == len(operands) + 1 and all(a < b for a, b in operands)
    return InstructionPlan(first, tuple(operands), end, single_token_operands, has_errors)


def _first_token(node: Tree | int) -> int:
    while isinstance(node, Tree):
        node = node.children[0]
    return node


def _last_token(node: Tree | int) -> int:
    while isinstance(node, Tree):
        node = node.children[-1]
    return node


MAX_TOKENS = 10_000
_MAX_REMEMBERED_SHAPE = 400


def plan_of(grammar: Grammar, shape: str) -> Plan:
    """Return the plan of a shape, whether or not the grammar accepts it.

    Tokens after the first `MAX_TOKENS` are not read: a text with such a bundle is no assembly.
    """
    if len(shape) > MAX_TOKENS:
        plan = _parsed_plan(grammar, shape[:MAX_TOKENS])
        findings = (*plan.findings, SyntaxFinding(MAX_TOKENS, "endless"))
        return plan._replace(instructions=plan.instructions[:-1], findings=findings)
    if len(shape) > _MAX_REMEMBERED_SHAPE:
        return _parsed_plan(grammar, shape)
    return _remembered_plan(grammar, shape)


@lru_cache(maxsize=20_000)
def _remembered_plan(grammar: Grammar, shape: str) -> Plan:
    if not shape:
        return Plan(-1, (), ())
    return _composed_plan(grammar, shape) or _parsed_plan(grammar, shape)


def _composed_plan(grammar: Grammar, shape: str) -> Plan | None:
    """Compose the plan of a shape from the plans of its instructions; None if that fails.

    Where the grammar accepts a one-word instruction, it accepts any instruction. Most shapes
    combine few frames (the shape with one-word instructions) and few instructions, so this costs a
    tenth of parsing each whole shape.
    """
    separator, end = grammar.kind_letter("SEPARATOR"), grammar.kind_letter("END")
    label_shape = "".join(map(grammar.kind_letter, LABEL_TOKENS))
    start = len(label_shape) if shape.startswith(label_shape) else 0
    stop = len(shape) - shape.endswith(end)
    body = shape[start:stop]
    instructions, frame, at = [], [], start
    for piece in body.split(separator) if separator else [body]:
        if piece:
            plan = _remembered_instruction(grammar, piece, at)
            if plan is None:
                return None
            instructions.append(plan)
        frame.append(label_shape[:1] if piece else "")
        at += len(piece) + 1
    if not _is_frame(grammar, shape[:start] + separator.join(frame) + shape[stop:]):
        return None
    return Plan(0 if start else -1, tuple(instructions), ())


@lru_cache(maxsize=20_000)
def _remembered_instruction(grammar: Grammar, shape: str, offset: int) -> InstructionPlan | None:
    tree = grammar.parse(shape, "instruction")
    return instruction_plan(tree, offset, False) if isinstance(tree, Tree) else None


@lru_cache(maxsize=2_000)
def _is_frame(grammar: Grammar, shape: str) -> bool:
    return isinstance(grammar.parse(shape, "bundle"), Tree)


def _parsed_plan(grammar: Grammar, shape: str) -> Plan:
    at = _labels_end(grammar, shape)
    if at < len(shape) and shape[at] == grammar.kind_letter(DIRECTIVE):
        labels = range(0, at, len(LABEL_TOKENS))
        return Plan(0 if at else -1, (), (), at, tuple(labels[1:]))
    tree = grammar.parse(shape, "bundle")
    if isinstance(tree, int):
        return Recovery(grammar, shape).plan()
    return plan_of_tree(grammar, shape, tree)


def _labels_end(grammar: Grammar, shape: str) -> int:
    """The number of the first token after the leading labels."""
    label = "".join(map(grammar.kind_letter, LABEL_TOKENS))
    at = 0
    while shape.startswith(label, at):
        at += len(label)
    return at


_MAX_ERRORS_OF_A_BUNDLE = 100
# No operand of any surface has more tokens before the one that makes it complete.
_MAX_UNFINISHED = 8


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
        """Whether a token is after the opening brace of the bundle."""
        return self.span is not None and number > self.span[0]

    def outside(self, instructions: list[InstructionPlan]) -> list[SyntaxFinding]:
        """The findings about instructions before and after the braces of the bundle."""
        if self.span is None or self.wrong:
            return []
        first, last = self.span
        tokens = (each.mnemonic for each in instructions)
        return [SyntaxFinding(at, "brace-outside") for at in tokens if not first < at < last]

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
            self.findings += self.braces.outside(self.instructions)
        findings = tuple(sorted(self.findings)[:_MAX_ERRORS_OF_A_BUNDLE])
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
        for end in range(last, max(at, last - _MAX_UNFINISHED), -1):
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
