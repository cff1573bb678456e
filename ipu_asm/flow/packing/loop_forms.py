"""Loops that are written in another way, so that each is one basic block with a test at its end.

A loop that tests at its top and jumps back at its end tests there once, as a guard, and then at its
end. A label inside of a loop that nothing refers to, which only divides it, becomes a comment.
"""

from __future__ import annotations

from typing import Container, Iterator

from ipu_asm.flow.control_flow import basic_blocks
from ipu_asm.flow.control_run.step_reading import scalar_registers, steps_of
from ipu_asm.flow.control_run.steps import Branch, UnsupportedProgramError
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program, is_distance
from ipu_asm.text import Span, TextEdit, apply_edits

BODY = "_body"
"""What the label of a loop ends with that tested at its top."""
_INDENT = "    "
_OPPOSITE = {"<": ">=", ">=": "<", "==": "!=", "!=": "=="}


class _TopTest(NamedTuple):
    """A loop whose bundle at `head` only tests, and whose bundle at `last` jumps to it."""

    head: int
    last: int
    branch: Branch


def loops_as_blocks(program: Program, labels: Container[str] | None = None) -> Program:
    """Return the program with such loops; the same one if there are none.

    With `labels`, no other loops change.
    """
    if any(is_distance(program, reference) for reference in program.references):
        return program
    found = program
    for test in list(_top_tests(program))[::-1]:
        if labels is not None and _label_at(program, test.head) not in labels:
            continue
        edits = _turned(found, test)
        found = found if edits is None else _edited(found, edits)
    edits = list(_unused_labels(found)) if labels is None else []
    return _edited(found, edits) if edits else found


def _edited(program: Program, edits: list[TextEdit]) -> Program:
    made = read_program(program.isa, apply_edits(program.text, sorted(edits)))
    made.presets, made.configurations = program.presets, program.configurations
    return made


def _top_tests(program: Program) -> Iterator[_TopTest]:
    steps = steps_of(program)
    for last, step in enumerate(steps):
        jump = step.branch
        if jump is None or jump.relation or jump.target is None or jump.target >= last:
            continue
        head = jump.target
        branch = steps[head].branch
        bundle = program.bundles[program.bundle_at_address[head]]
        if branch is None or not branch.relation or len(bundle.instructions) != 1:
            continue
        if branch.target == last + 1 and bundle.label:
            yield _TopTest(head, last, branch)


def _turned(program: Program, test: _TopTest) -> list[TextEdit] | None:
    """Return the edits that test at the end of a loop; None if no branch is the opposite one."""
    isa = program.isa
    line_break = "\r\n" if "\r\n" in program.text else "\n"
    edits = []
    number = program.bundle_at_address[test.head + 1]
    label = program.bundles[number].label
    if label is None:
        label = f"{_label_at(program, test.head)}{BODY}"
        while label in program.label_addresses:
            label += "_"
        start = program.span(number, program.bundles[number].syntax.instruction_span(0)).start
        line = program.text.rfind("\n", 0, start) + 1
        is_alone = not program.text[line:start].strip()
        written = f"{label}:{line_break}" if is_alone else f"{label}: "
        place = line if is_alone else start
        edits.append(TextEdit(Span(place, place), written))
    opposite = test.branch._replace(relation=_OPPOSITE[test.branch.relation])
    text = _branch_text(isa, opposite, label)
    if text is None:
        return None
    bundle = program.bundle_at_address[test.last]
    syntax = program.bundles[bundle].syntax
    flows = [i.spec.flow if i.spec else None for i in program.bundles[bundle].instructions]
    jump = flows.index("jump") if "jump" in flows else len(flows) - 1
    span = program.span(bundle, syntax.instruction_span(jump))
    updates = {each.register for each in steps_of(program)[test.last].updates}
    if updates & {test.branch.left, test.branch.right}:
        # The jump's own bundle steps what is compared: the test needs one of its own.
        if not jump or jump < len(flows) - 1:
            return None
        before = program.span(bundle, syntax.instruction_span(jump - 1)).end
        text = f"{isa.surface.bundle_end}{line_break}{_INDENT}{text}"
        span = Span(before, span.end)
    return [*edits, TextEdit(span, text)]


def _branch_text(isa: Isa, branch: Branch, label: str) -> str | None:
    """Return the branch to a label that decides so; None if there is none."""
    names = scalar_registers(isa).names
    one, other = names[branch.left], names[branch.right]
    for spec in isa.instructions.values():
        if spec.flow != "branch":
            continue
        for operands in (f"{one} {other}", f"{other} {one}"):
            text = f"{spec.mnemonic} {operands} {label}"
            made = read_program(isa, f"{label}: {text}{isa.surface.bundle_end}")
            try:
                found = steps_of(made)[0].branch
            except UnsupportedProgramError:
                continue
            if found is not None and not made.findings and found[:3] == branch[:3]:
                return text
    return None


def _unused_labels(program: Program) -> Iterator[TextEdit]:
    """Yield the edits of labels without references that divide what is a loop without them."""
    used = {reference.target for reference in program.references}
    comment = program.isa.surface.comments[0]
    starts = [block.start for block in basic_blocks(program)]
    ends = {block.start: block.stop for block in basic_blocks(program)}
    steps = steps_of(program)
    for start in starts:
        inner, stop = [], ends[start]
        while stop < program.size and stop not in used and steps[stop - 1].branch is None:
            inner.append(stop)
            stop = ends[stop]
        branch = steps[stop - 1].branch
        if not inner or branch is None or branch.target != start or not branch.relation:
            continue
        for address in inner:
            label = program.bundles[program.bundle_at_address[address]].label
            if label is not None:
                span = program.label_span(label)
                end = program.text.index(":", span.end) + 1
                line_end = program.text.find("\n", end)
                line = program.text[end : line_end if line_end >= 0 else None]
                is_alone = not line.strip() or line.strip().startswith(comment)
                text = f"{comment} {label}" if is_alone else ""
                yield TextEdit(Span(span.start, end), text)


def _label_at(program: Program, address: int) -> str | None:
    return program.bundles[program.bundle_at_address[address]].label
