"""Rename a name of a template: a set, a loop variable, a macro or a parameter.

Functions return a reason as text if a rename is not possible, None if it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ipu_asm.ide.template.blocks import template_syntax
from ipu_asm.ide.template.checked import expanded_texts
from ipu_asm.ide.template.lookup import TemplateName, are_names_known, uses_of
from ipu_asm.isa.operands import quoted
from ipu_asm.source.expansion import NameKind
from ipu_asm.source.jinja.tags import WordKind, tag_words
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import TextEdit, apply_edits

if TYPE_CHECKING:
    from ipu_asm.analysis.analysis import Analysis

_RESERVED: Final = frozenset({
    "and", "block", "call", "caller", "elif", "else", "false", "False", "filter", "for", "if", "in",
    "is", "kwargs", "loop", "macro", "namespace", "none", "None", "not", "or", "range", "raw",
    "recursive", "self", "set", "super", "true", "True", "varargs", "with", "without",
})  # fmt: skip


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
