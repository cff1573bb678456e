"""The plan of a bundle: which tokens are its label, its mnemonics and its operands.

A plan consists of token numbers only, so it belongs to a shape and serves every bundle of that
shape.
"""

from __future__ import annotations

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.syntax.grammar import BRACES, Grammar, Tree

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
