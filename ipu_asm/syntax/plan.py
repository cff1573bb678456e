"""Which tokens of a bundle are its label, its mnemonics and its operands; and what does not fit.

A plan speaks of token numbers only, so it belongs to a shape and serves every bundle of that shape.
A shape that the grammar refuses is read piece by piece: between two separators there should be one
instruction, and what is wrong with one piece leaves the others alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ipu_asm.syntax.grammar import BRACES, DIRECTIVE, LABEL_TOKENS, Grammar, Tree

MOST_TOKENS = 10_000
_LONGEST_REMEMBERED_SHAPE = 400


class InstructionPlan(NamedTuple):
    """The token numbers of one instruction; an operand is the tokens ``first..last-1``.

    Where nothing stands between two commas, `first` and `last` are the second one.
    """

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

    What follows a directive is the assembler's business: no token of it is a misfit. `more_labels`
    are those behind the first, `braces` the first and the last one around a bundle, `inner` the
    ranges of directives between them.
    """

    label: int
    instructions: tuple[InstructionPlan, ...]
    misfits: tuple[Misfit, ...]
    directive: int = -1
    more_labels: tuple[int, ...] = ()
    braces: tuple[int, int] | None = None
    inner: tuple[tuple[int, int], ...] = ()


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
    return instruction_plan(tree, offset, False) if isinstance(tree, Tree) else None


@lru_cache(maxsize=2_000)
def _is_frame(grammar: Grammar, shape: str) -> bool:
    return isinstance(grammar.parse(shape, "bundle"), Tree)


def _parsed_plan(grammar: Grammar, shape: str) -> Plan:
    at = _labels_end(grammar, shape)
    if at < len(shape) and shape[at] == grammar.letter(DIRECTIVE):
        labels = range(0, at, len(LABEL_TOKENS))
        return Plan(0 if at else -1, (), (), at, tuple(labels[1:]))
    tree = grammar.parse(shape, "bundle")
    if isinstance(tree, int):
        from ipu_asm.syntax.recovery import Recovery  # most texts need none

        return Recovery(grammar, shape).plan()
    return _plan_of_tree(grammar, shape, tree)


def _labels_end(grammar: Grammar, shape: str) -> int:
    """The number of the first token that belongs to no label before everything else."""
    label = "".join(map(grammar.letter, LABEL_TOKENS))
    at = 0
    while shape.startswith(label, at):
        at += len(label)
    return at


def _plan_of_tree(grammar: Grammar, shape: str, tree: Tree) -> Plan:
    labels: list[int] = []
    instructions: list[InstructionPlan] = []
    inner: list[tuple[int, int]] = []
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
            inner.append((_first_token(content), _last_token(content) + 1))
    braces = [mark for mark in marks if shape[mark] in map(grammar.letter, BRACES)]
    return Plan(
        labels[0] if labels else -1,
        tuple(instructions),
        (),
        more_labels=tuple(labels[1:]),
        braces=(braces[0], braces[-1]) if braces else None,
        inner=tuple(inner),
    )


def instruction_plan(tree: Tree, offset: int, broken: bool) -> InstructionPlan:
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
    simple = end - first == len(operands) + 1 and all(a < b for a, b in operands)
    return InstructionPlan(first, tuple(operands), end, simple, broken)


def _first_token(node: Tree | int) -> int:
    while isinstance(node, Tree):
        node = node.children[0]
    return node


def _last_token(node: Tree | int) -> int:
    while isinstance(node, Tree):
        node = node.children[-1]
    return node
