"""Markdown page of a label or a branch distance: target, its comment, and incoming branches."""

from __future__ import annotations

from bisect import bisect_left

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.ide.loop_counts import loop_paragraph
from ipu_asm.isa.model import Isa
from ipu_asm.program.program import Program
from ipu_asm.reports.markdown import escaped, fenced_code, inline_code

_MAX_LINES_OF_CODE = 10
_MAX_LINES_OF_COMMENT = 8
_MAX_BRANCHES = 5


def definition_markdown(analysis: Analysis, bundle: int, label: str) -> str:
    """Return the page of label `label` at its definition; `bundle` is the number of its bundle."""
    program = analysis.program
    where = f"{program.isa.unit} {program.addresses[bundle]}"
    return _page(analysis, bundle, f"**{inline_code(label)}** · {where}")


def target_markdown(analysis: Analysis, text: str, source: int, target: int) -> str:
    """Return the page of a label operand.

    `text` is the operand as written, `source` the address of the bundle that contains it, and
    `target` the address that it resolves to.
    """
    program = analysis.program
    distance = distance_text(program.isa, target - source)
    if target >= program.size:
        return f"**{inline_code(text)}** · {distance}, past the last one"
    bundle = program.number_at(target)
    if program.label_addresses.get(text) == target:
        bundle = program.labels[text]
    label = program.bundles[bundle].label
    named = f", label {inline_code(label)}" if label is not None and label != text else ""
    line = _line_of(analysis, bundle)
    where = f"{program.isa.unit} {target}, line {line}{named} · {distance}"
    return _page(analysis, bundle, f"**{inline_code(text)}** · {where}")


def distance_text(isa: Isa, distance: int) -> str:
    """Return a signed distance between addresses as a phrase, such as "3 bundles ahead"."""
    if distance == 0:
        return f"this {isa.unit}"
    if distance == 1:
        return f"the next {isa.unit}"
    unit = isa.unit if distance == -1 else f"{isa.unit}s"
    return f"{abs(distance)} {unit} {'ahead' if distance > 0 else 'back'}"


def comment_above(program: Program, number: int) -> str:
    """Return the comment directly above a bundle as Markdown.

    It has at most `_MAX_LINES_OF_COMMENT` lines.
    """
    marks = program.isa.surface.comments
    blocks = tuple(opening for opening, _ in program.isa.surface.block_comments)
    text = program.text
    comment: list[str] = []
    end = text.rfind("\n", 0, program.span(number, program.bundles[number].first_token).start)
    while end > 0 and len(comment) < _MAX_LINES_OF_COMMENT:
        start = text.rfind("\n", 0, end) + 1
        line = text[start:end].strip()
        if program.bundles[program.bundle_at(start)].directive is not None:
            break
        if line.startswith(blocks) and blocks:
            comment.append(escaped(_comment_text(program.isa, line)))
            break
        if not line.startswith(marks):
            break
        mark = max((mark for mark in marks if line.startswith(mark)), key=len)
        comment.append(escaped(line[len(mark) :].strip()))
        end = start - 1
    return "\n".join(reversed(comment))


def _page(analysis: Analysis, bundle: int, title: str) -> str:
    program = analysis.program
    sections = (
        title,
        comment_above(program, bundle),
        loop_paragraph(program, program.addresses[bundle]),
        _code(program, _labelled_bundle(program, bundle)),
        _outgoing_branches(analysis, bundle) if program.bundles[bundle].label is not None else "",
        _incoming_branches(analysis, program.addresses[bundle]) if program.isa.branches else "",
    )
    return "\n\n".join(section for section in sections if section)


def _labelled_bundle(program: Program, bundle: int) -> int:
    """Return the bundle that a label belongs to: the next one if the label is alone on its line."""
    address = program.addresses[bundle]
    if program.bundles[bundle].size or address >= program.size:
        return bundle
    return program.number_at(address)


def _line_of(analysis: Analysis, bundle: int) -> int:
    """Return the 1-based line on which a bundle begins."""
    program = analysis.program
    start = program.span(bundle, program.bundles[bundle].first_token).start
    return analysis.source.lines.position(start).line + 1


def _incoming_branches(analysis: Analysis, target: int) -> str:
    """Return a sentence with the lines that branch to address `target`."""
    program, position = analysis.program, analysis.source.lines.position
    coming = [reference for reference in program.references if reference.target == target]
    if not coming:
        return "No branch comes here."
    shown = coming[:_MAX_BRANCHES]
    lines = [str(position(program.reference_span(reference).start).line + 1) for reference in shown]
    more = f" and {len(coming) - len(shown)} more" if len(coming) > len(shown) else ""
    branches = "1 branch comes" if len(coming) == 1 else f"{len(coming)} branches come"
    return f"{branches} here: line{'s' if len(coming) > 1 else ''} {', '.join(lines)}{more}"


def _outgoing_branches(analysis: Analysis, label: int) -> str:
    """Return a sentence with the distinct branch targets of the code up to the next label."""
    program = analysis.program
    labelled = (number for number, bundle in program.notable if bundle.label is not None)
    end = next((number for number in labelled if number > label), len(program.bundles))
    first, last = (
        bisect_left(program.references, number, key=lambda reference: reference.bundle)
        for number in (label, end)
    )
    going: dict[int, str] = {}
    for reference in program.references[first:last]:
        if reference.target is not None:
            going.setdefault(reference.target, reference.text)
    ways = [
        f"{inline_code(text)} ({_place_of(analysis, target)})" for target, text in going.items()
    ]
    more = len(ways) - _MAX_BRANCHES
    shown = ", ".join(ways[:_MAX_BRANCHES]) + (f" and {more} more" if more > 0 else "")
    return f"Its code branches to {shown}" if shown else ""


def _place_of(analysis: Analysis, address: int) -> str:
    if address >= analysis.program.size:
        return "past the last one"
    return f"line {_line_of(analysis, analysis.program.number_at(address))}"


def _code(program: Program, number: int) -> str:
    """Return the instructions of a bundle as a code block in source layout, without the label."""
    bundle = program.bundles[number]
    if not bundle.instructions:
        return ""
    braces = bundle.syntax.plan.braces
    first = braces[0] if braces else bundle.syntax.plan.instructions[0].mnemonic
    span = bundle.syntax.span_of(first, len(bundle.syntax.spans))
    lines = [line.strip() for line in bundle.syntax.text[span.start : span.end].splitlines()]
    if len(lines) > _MAX_LINES_OF_CODE:
        lines = [*lines[:_MAX_LINES_OF_CODE], "..."]
    return fenced_code("\n".join(lines), program.isa.surface.language_id)


def _comment_text(isa: Isa, comment: str) -> str:
    """Return the text of a block comment on one line, without its delimiters."""
    for opening, closing in isa.surface.block_comments:
        comment = comment.removeprefix(opening).removesuffix(closing)
    return comment.strip(" *")
