"""Which tokens of a bundle are its label, its mnemonics and its operands; and what does not fit.

A plan speaks of token numbers only, so it belongs to a shape and serves every bundle of that shape.
A shape that the grammar refuses is read piece by piece: between two separators there should be one
instruction, and what is wrong with one piece leaves the others alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ipu_asm.syntax.grammar import DIRECTIVE, LABEL_TOKENS, STRAY, Grammar, Tree

MOST_TOKENS = 10_000
_LONGEST_REMEMBERED_SHAPE = 400
_MOST_ERRORS_OF_A_BUNDLE = 100
# No operand of any surface has more tokens before the one that makes it complete.
_LONGEST_UNFINISHED = 8


class InstructionPlan(NamedTuple):
    """The token numbers of one instruction; an operand is the tokens ``first..last-1``."""

    mnemonic: int
    operands: tuple[tuple[int, int], ...]
    end: int
    simple: bool
    broken: bool = False


class Misfit(NamedTuple):
    """A token that does not fit, and why; `messages.py` makes the sentence."""

    token: int
    reason: str


class Plan(NamedTuple):
    """The parts of a bundle by token number; `label` and `directive` are -1 where there is none.

    What follows a directive is the assembler's business: no token of it is a misfit.
    """

    label: int
    instructions: tuple[InstructionPlan, ...]
    misfits: tuple[Misfit, ...]
    directive: int = -1


def plan_of(grammar: Grammar, shape: str) -> Plan:
    """The plan of a shape, whether or not the grammar accepts it.

    It goes no further than `MOST_TOKENS`: so long a bundle is a text that is no assembly.
    """
    if len(shape) > MOST_TOKENS:
        plan = _parsed_plan(grammar, shape[:MOST_TOKENS])
        misfits = (*plan.misfits, Misfit(MOST_TOKENS, "endless"))
        return plan._replace(instructions=plan.instructions[:-1], misfits=misfits)
    if len(shape) > _LONGEST_REMEMBERED_SHAPE:
        return _parsed_plan(grammar, shape)
    return _remembered_plan(grammar, shape)


@lru_cache(maxsize=20_000)
def _remembered_plan(grammar: Grammar, shape: str) -> Plan:
    return _make_plan(grammar, shape)


def _make_plan(grammar: Grammar, shape: str) -> Plan:
    if not shape:
        return Plan(-1, (), ())
    return _composed_plan(grammar, shape) or _parsed_plan(grammar, shape)


def _composed_plan(grammar: Grammar, shape: str) -> Plan | None:
    """The plan of a shape put together from those of its instructions; None if that fails.

    What the grammar accepts with a one-word instruction in some place, it accepts with any
    instruction there. Few frames and few instructions make up most shapes, so this costs a tenth
    of parsing each shape whole.
    """
    separator, end = grammar.letter("SEPARATOR"), grammar.letter("END")
    label_shape = "".join(map(grammar.letter, LABEL_TOKENS))
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
    return _instruction(tree, offset, False) if isinstance(tree, Tree) else None


@lru_cache(maxsize=2_000)
def _is_frame(grammar: Grammar, shape: str) -> bool:
    return isinstance(grammar.parse(shape, "bundle"), Tree)


def _parsed_plan(grammar: Grammar, shape: str) -> Plan:
    mark = grammar.letter(DIRECTIVE)
    if mark and mark in shape:
        directive = shape.index(mark)
        return Plan(0 if directive else -1, (), (), directive)
    tree = grammar.parse(shape, "bundle")
    if isinstance(tree, int):
        return _Recovery(grammar, shape).plan()
    label = -1
    instructions = []
    for child in tree.children:
        if isinstance(child, Tree):
            if child.rule == "label":
                label = child.children[0]
            else:
                instructions.append(_instruction(child, 0, False))
    return Plan(label, tuple(instructions), ())


def _instruction(tree: Tree, offset: int, broken: bool) -> InstructionPlan:
    mnemonic, *rest = tree.children
    operands = tuple(
        (_first_token(child) + offset, _last_token(child) + offset + 1)
        for child in rest
        if isinstance(child, Tree)
    )
    first = _first_token(mnemonic) + offset
    end = operands[-1][1] if operands else _last_token(mnemonic) + offset + 1
    return InstructionPlan(first, operands, end, end - first == len(operands) + 1, broken)


def _first_token(node: Tree | int) -> int:
    while isinstance(node, Tree):
        node = node.children[0]
    return node


def _last_token(node: Tree | int) -> int:
    while isinstance(node, Tree):
        node = node.children[-1]
    return node


class _Recovery:
    """Reads a shape that the grammar refuses, in time proportional to its length."""

    def __init__(self, grammar: Grammar, shape: str) -> None:
        self.grammar = grammar
        self.shape = shape
        self.label = -1
        self.instructions: list[InstructionPlan] = []
        self.misfits: list[Misfit] = []
        self.label_shape = "".join(map(grammar.letter, LABEL_TOKENS))
        self.separator = grammar.letter("SEPARATOR")
        self.comma = grammar.letter("COMMA")
        self.end = grammar.letter("END")

    def plan(self) -> Plan:
        start = 0
        for position, letter in enumerate(self.shape):
            if letter in (self.separator, self.end):
                self._piece(start, position, letter == self.end)
                start = position + 1
        if start < len(self.shape):
            self._piece(start, len(self.shape), True)
        misfits = tuple(sorted(self.misfits)[:_MOST_ERRORS_OF_A_BUNDLE])
        return Plan(self.label, tuple(self.instructions), misfits)

    def _piece(self, start: int, stop: int, last: bool) -> None:
        """What stands between two separators: perhaps a label, then one instruction."""
        numbers = [number for number in range(start, stop) if self.shape[number] != STRAY]
        strays = [number for number in range(start, stop) if self.shape[number] == STRAY]
        self.misfits += (Misfit(number, "stray") for number in strays)
        shape = self.shape[start:stop].replace(STRAY, "")
        at = 0
        while shape.startswith(self.label_shape, at):
            reason = "second-label" if self.label >= 0 else ""
            self._take_label(numbers[at], "label-inside" if self.instructions else reason)
            at += 2
        if at < len(shape):
            self._take_instructions(shape, numbers, at, bool(strays))
        elif not strays and not (last and self.instructions):
            self._report_empty(stop)

    def _take_label(self, number: int, reason: str) -> None:
        """A label, wrong for that reason if there is one; the first is the bundle's in any case."""
        if reason:
            self.misfits.append(Misfit(number, reason))
        if self.label < 0:
            self.label = number

    def _take_instructions(self, shape: str, numbers: list[int], at: int, broken: bool) -> None:
        """One instruction is due from `at` on; where a label follows in its middle, one more."""
        while at < len(shape):
            tree = self.grammar.parse(shape, "instruction", at)
            if isinstance(tree, Tree):
                self.instructions.append(_renumbered(_instruction(tree, 0, broken), numbers))
                return
            stop, following = self._cut(shape, numbers, at, tree)
            plan = self._beginning(shape, at, stop)
            if plan is not None:
                self.instructions.append(_renumbered(plan, numbers))
            at, broken = following, True

    def _beginning(self, shape: str, at: int, stop: int) -> InstructionPlan | None:
        """An instruction that goes on as far as it makes sense: without an unfinished operand."""
        # At the very end it has just been tried.
        last = min(stop, len(shape) - 1)
        for end in range(last, max(at, last - _LONGEST_UNFINISHED), -1):
            tree = self.grammar.parse(shape, "instruction", at, end)
            if isinstance(tree, Tree):
                plan = _instruction(tree, 0, True)
                unfinished = end < stop and shape[end] != self.comma
                return _without_last_operand(plan) if unfinished else plan
        return None

    def _cut(self, shape: str, numbers: list[int], at: int, misfit: int) -> tuple[int, int]:
        """Where what can be read from `at` on stops, and where to go on after the misfit."""
        for label in (misfit - 1, misfit):
            if label >= at and shape.startswith(self.label_shape, label):
                self._take_label(numbers[label], "label-inside")
                return label, (label + 2 if self.separator else len(shape))
        number, reason = numbers[-1], "incomplete"
        neighbour = number + 1
        if misfit < len(shape):
            number, reason = numbers[misfit], "unexpected"
            neighbour = number - 1
        # Where what is between two tokens does not fit, it is no wonder that they do not.
        if self.shape[neighbour : neighbour + 1] != STRAY:
            self.misfits.append(Misfit(number, reason))
        return misfit, len(shape)

    def _report_empty(self, stop: int) -> None:
        if self.label >= 0 and not self.instructions:
            if not self.grammar.accepts(*LABEL_TOKENS):
                self.misfits.append(Misfit(self.label, "label-of-nothing"))
        elif not self.grammar.accepts("END"):
            reason = "empty-instruction" if self.instructions else "empty-bundle"
            self.misfits.append(Misfit(min(stop, len(self.shape) - 1), reason))


def _without_last_operand(plan: InstructionPlan) -> InstructionPlan:
    operands = plan.operands[:-1]
    return plan._replace(
        operands=operands, end=operands[-1][1] if operands else plan.mnemonic + 1, simple=False
    )


def _renumbered(plan: InstructionPlan, numbers: list[int]) -> InstructionPlan:
    """A plan in the numbers of all tokens, from one that does not count the stray ones."""
    operands = tuple((numbers[first], numbers[last - 1] + 1) for first, last in plan.operands)
    return plan._replace(
        mnemonic=numbers[plan.mnemonic],
        operands=operands,
        end=numbers[plan.end - 1] + 1,
        simple=plan.simple and numbers[plan.end - 1] - numbers[plan.mnemonic] == len(operands),
    )
