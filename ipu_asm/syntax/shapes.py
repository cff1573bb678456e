"""From the shape of a bundle (the kinds of its tokens, a letter each) to its plan.

A shape that the grammar accepts is parsed once. A shape that it rejects is read by `recovery` in
pieces, one instruction between two separators, so that a mistake affects one piece only.
"""

from __future__ import annotations

from functools import lru_cache

from ipu_asm.syntax.grammar import DIRECTIVE, LABEL_TOKENS, Grammar, Tree
from ipu_asm.syntax.plan import InstructionPlan, Plan, SyntaxFinding, instruction_plan, plan_of_tree

MOST_TOKENS = 10_000
_LONGEST_REMEMBERED_SHAPE = 400


def plan_of(grammar: Grammar, shape: str) -> Plan:
    """Return the plan of a shape, whether or not the grammar accepts it.

    Tokens after the first `MOST_TOKENS` are not read: a text with such a bundle is no assembly.
    """
    if len(shape) > MOST_TOKENS:
        plan = _parsed_plan(grammar, shape[:MOST_TOKENS])
        findings = (*plan.findings, SyntaxFinding(MOST_TOKENS, "endless"))
        return plan._replace(instructions=plan.instructions[:-1], findings=findings)
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
        from ipu_asm.syntax.recovery import Recovery  # most shapes have no mistake

        return Recovery(grammar, shape).plan()
    return plan_of_tree(grammar, shape, tree)


def _labels_end(grammar: Grammar, shape: str) -> int:
    """The number of the first token after the leading labels."""
    label = "".join(map(grammar.kind_letter, LABEL_TOKENS))
    at = 0
    while shape.startswith(label, at):
        at += len(label)
    return at
