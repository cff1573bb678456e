"""Rename a label or a macro; no other symbol has a name that the author chose."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ipu_asm.ide.expansions import (
    Reading,
    expanded_again,
    is_template,
    reading_at,
    readings,
    skeleton_reading,
)
from ipu_asm.ide.macros import rename as macro_rename
from ipu_asm.ide.numeric_labels import NumericLabel
from ipu_asm.ide.occurrences import LabelName, MacroName, OccurrenceKind, occurrences, symbol_at
from ipu_asm.ide.template.blocks import template_syntax
from ipu_asm.ide.template.checked import expanded_texts
from ipu_asm.ide.template.lookup import TemplateName, are_names_known, template_name_at, uses_of
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.source.expansion import NameKind
from ipu_asm.source.source_map import MAIN
from ipu_asm.source.templates import WordKind, tag_words
from ipu_asm.text import Span, TextEdit, apply_edits

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis


_RESERVED: Final = frozenset({
    "and", "block", "call", "caller", "elif", "else", "false", "False", "filter", "for", "if", "in",
    "is", "kwargs", "loop", "macro", "namespace", "none", "None", "not", "or", "range", "raw",
    "recursive", "self", "set", "super", "true", "True", "varargs", "with", "without",
})  # fmt: skip


class RenameError(Exception):
    """Raised if a symbol cannot be renamed, or not to this name; the message is shown to users."""


class Renameable(NamedTuple):
    """The span of the word at the cursor, and the name that it is."""

    span: Span
    name: str


def prepare_rename(analysis: Analysis, offset: int) -> Renameable:
    """Return the label or macro at an offset that can be renamed.

    Raises `RenameError` if there is none.
    """
    if is_template(analysis):
        return _prepare_in_template(analysis, offset)
    found = symbol_at(analysis, offset)
    if found is not None and isinstance(found[0], MacroName):
        _refuse(macro_rename.why_not_renameable(analysis, found[0].name))
        return Renameable(found[1], found[0].name)
    if found is not None and isinstance(found[0], NumericLabel):
        raise RenameError("a numeric label cannot be renamed: replace it with a named label")
    if found is None or not isinstance(found[0], LabelName):
        named = "labels and macros" if analysis.isa.surface.preprocessed else "labels"
        raise RenameError(f"only {named} can be renamed")
    return _label(analysis.program, found[0].name, found[1])


def _label(program: Program, label: str, span: Span) -> Renameable:
    if label not in program.labels:
        raise RenameError(f"no label is called {quoted(label)}, so it cannot be renamed")
    if program.text[span.start : span.end] != label:
        where = f"rename {quoted(label)} where its name is written"
        raise RenameError(f"a distance cannot be renamed: {where}")
    if _definitions(program, label) > 1:
        raise RenameError(f"{quoted(label)} is defined more than once: correct that first")
    return Renameable(span, label)


def rename(analysis: Analysis, offset: int, new_name: str) -> list[TextEdit]:
    """Return the edits that rename the label or macro at an offset and keep the meaning."""
    old = prepare_rename(analysis, offset).name
    if new_name == old:
        return []
    if is_template(analysis):
        name = template_name_at(analysis, offset)
        if name is None:
            return _edits_of_template(analysis, old, new_name)
        _refuse(why_not_renameable_to(analysis, name, new_name))
        return edits_of_name(analysis, name, new_name)
    found = symbol_at(analysis, offset)
    if found is not None and isinstance(found[0], MacroName):
        _refuse(macro_rename.why_not_renameable_to(analysis, old, new_name))
        return macro_rename.edits(analysis, old, new_name)
    return _edits_of_label(analysis, old, new_name)


def _refuse(reason: str | None) -> None:
    if reason is not None:
        raise RenameError(reason)


def _edits_of_label(analysis: Analysis, old: str, new_name: str) -> list[TextEdit]:
    program = analysis.program
    if new_name in program.labels:
        line = _line(analysis, program.label_span(new_name))
        raise RenameError(f"a label {quoted(new_name)} is already defined on line {line}")
    for reference in program.references:
        if reference.text == new_name:
            line = _line(analysis, program.reference_span(reference))
            raise RenameError(
                f"line {line} has a branch to {quoted(new_name)}, which would lead here then"
            )
    _check_hidden(analysis, old)
    edits = [
        TextEdit(occurrence.span, new_name)
        for occurrence in occurrences(analysis, LabelName(old))
        if occurrence.kind is not OccurrenceKind.TARGETS_BY_DISTANCE
    ]
    _check_meaning(program, edits, old, new_name)
    return edits


def _prepare_in_template(analysis: Analysis, offset: int) -> Renameable:
    """Return the name at an offset of a tag, or a label whose text is literal everywhere."""
    name = template_name_at(analysis, offset)
    if name is not None:
        _refuse(why_not_renameable(analysis, name))
        return Renameable(name.span, name.name)
    if all(each.expansion.is_partial for each in analysis.expanded):
        raise RenameError("the template has an error: correct that before you rename")
    reading, at = reading_at(analysis, offset)
    found = prepare_rename(reading.analysis, at)
    span = reading.verbatim(found.span)
    if span is None or not span.touches(offset):
        raise RenameError(f"{quoted(found.name)} is computed, so it cannot be renamed here")
    for each in readings(analysis):
        _places(each, found.name)
    return Renameable(span, found.name)


def _places(reading: Reading, label: str) -> list[TextEdit]:
    """Return the written places of a label. Raises `RenameError` if one of them is computed."""
    edits = []
    for occurrence in occurrences(reading.analysis, LabelName(label)):
        if occurrence.kind is not OccurrenceKind.TARGETS_BY_DISTANCE:
            span = reading.verbatim(occurrence.span)
            if span is None:
                line = _line(reading.analysis, occurrence.span)
                raise RenameError(f"{quoted(label)} is computed on line {line}: rename it there")
            edits.append(TextEdit(span, ""))
    return edits


def _edits_of_template(analysis: Analysis, old: str, new_name: str) -> list[TextEdit]:
    """Return the edits that rename a label in all expansions, and where nothing is rendered."""
    skeleton = skeleton_reading(analysis)
    spans = {edit.span for edit in _places(skeleton, old)}
    wanted = []
    for reading in readings(analysis):
        known = old in reading.analysis.program.labels
        inside = _edits_of_label(reading.analysis, old, new_name) if known else []
        spans.update(edit.span for edit in _places(reading, old))
        wanted.append(apply_edits(reading.analysis.text, inside))
    edits = [TextEdit(span, new_name) for span in sorted(spans)]
    text = apply_edits(analysis.text, edits)
    if [each.text for each in expanded_again(analysis, text) if each.text] != wanted:
        raise RenameError(f"{quoted(new_name)} would change more than the label in the expansion")
    return edits


def _check_hidden(analysis: Analysis, name: str) -> None:
    """Raise `RenameError` if a preprocessor line contains the name: such lines are not parsed."""
    program = analysis.program
    word = re.compile(rf"(?<![\w.$]){re.escape(name)}(?![\w.$])")
    for number, bundle in program.notable:
        token = bundle.syntax.plan.directive
        if token >= 0 and word.search(bundle.syntax.words[token]):
            line = _line(analysis, program.span(number, bundle.syntax.spans[token]))
            raise RenameError(f"line {line} is a preprocessor line and contains {quoted(name)}")


def _line(analysis: Analysis, span: Span) -> int:
    return analysis.source.lines.position(span.start).line + 1


def _definitions(program: Program, label: str) -> int:
    bundles = (bundle for _, bundle in program.notable if bundle.label is not None)
    return sum(len(bundle.syntax.label_spans(label)) for bundle in bundles)


def _check_meaning(program: Program, edits: list[TextEdit], old: str, new: str) -> None:
    """Raise `RenameError` if the edited program has other labels, findings or encodings."""
    after = read_program(program.isa, apply_edits(program.text, edits))
    labels = {new if label == old else label: at for label, at in program.labels.items()}
    if after.labels != labels:
        raise RenameError(f"a label cannot be called {quoted(new)}: it is not a valid name")
    if len(after.findings) > len(program.findings):
        known = {finding.message for finding in program.findings}
        fresh = (f.message for f in after.findings if f.message not in known)
        reason = next(fresh, after.findings[0].message)
        raise RenameError(f"a label cannot be called {quoted(new)}: {reason}")
    if _meaning(after) != _meaning(program, old, new):
        raise RenameError(f"{quoted(new)} would change the meaning of the program")


def _meaning(program: Program, old: str = "", new: str = "") -> list[object]:
    """Return the encoded words of a program and the targets of its branches.

    Without encodings, the words are those of the source, with `old` replaced by `new`.
    """
    targets = [
        (reference.bundle, reference.use, reference.target) for reference in program.references
    ]
    if program.isa.has_words:
        return [targets, [bundle.word for bundle in program.bundles]]
    written = [word for bundle in program.bundles for word in bundle.syntax.words]
    return [targets, [new if word == old else word for word in written]]


def why_not_renameable(analysis: Analysis, name: TemplateName) -> str | None:
    """Return why a name cannot be renamed."""
    if not are_names_known(analysis):
        return "the template has an error: correct that before you rename"
    definition = name.definition
    if definition is None:
        return f"nothing in the template defines {quoted(name.name)}, so it cannot be renamed"
    if definition.kind is NameKind.CONTEXT or definition.place.path != MAIN:
        return f"{quoted(name.name)} is given by the context: rename it where that is written"
    return None


def why_not_renameable_to(analysis: Analysis, name: TemplateName, new_name: str) -> str | None:
    """Return why a name cannot have a new name: it must keep every expansion as it is."""
    if not (new_name.isidentifier() and new_name.isascii()) or new_name in _RESERVED:
        return f"a name in a template cannot be {quoted(new_name)}"
    syntax = template_syntax(analysis.text)
    for tag in syntax.tags:
        for word in tag_words(syntax.text, tag):
            if word.kind is WordKind.NAME and word.text == new_name:
                line = analysis.source.lines.position(word.span.start).line + 1
                return f"{quoted(new_name)} is used in the template already, on line {line}"
    given = {*analysis.settings.defines, *(n for c in analysis.settings.contexts for n in c)}
    if new_name in given:
        return f"{quoted(new_name)} is given by the context already"
    text = apply_edits(analysis.text, edits_of_name(analysis, name, new_name))
    before = [each.expansion.text for each in analysis.expanded]
    if expanded_texts(analysis, text) != before:
        return f"{quoted(new_name)} would change the expansion"
    return None


def edits_of_name(analysis: Analysis, name: TemplateName, new_name: str) -> list[TextEdit]:
    """Return the edits of a name's definition and of its uses."""
    spans = set(uses_of(analysis, name))
    if name.definition is not None:
        spans.add(name.definition.place.span)
    return [TextEdit(span, new_name) for span in sorted(spans)]
