"""Names in the tags of a template as symbols: their definitions and uses in all contexts."""

from __future__ import annotations

from typing import Final, Iterator

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.ide.expansions import expanded_texts
from ipu_asm.ide.symbols.base import Definition, Occurrence, OccurrenceKind, RenameError
from ipu_asm.ide.template_pages import MAX_VALUES, cut, size_phrase
from ipu_asm.ide.template_syntax import WrittenName, names_known_at, template_syntax, written_names
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.markdown import escaped, inline_code
from ipu_asm.source.expansion import Expansion, NameDefinition, NameKind
from ipu_asm.source.source_map import MAIN, SourceRange
from ipu_asm.source.templates import WordKind, tag_words
from ipu_asm.text import Span, TextEdit, apply_edits

_RESERVED: Final = frozenset({
    "and", "block", "call", "caller", "elif", "else", "false", "False", "filter", "for", "if", "in",
    "is", "kwargs", "loop", "macro", "namespace", "none", "None", "not", "or", "range", "raw",
    "recursive", "self", "set", "super", "true", "True", "varargs", "with", "without",
})  # fmt: skip


class TemplateName(NamedTuple):
    """A name that a tag has at `span`; its definition is None if nothing in the template has it."""

    name: str
    span: Span
    definition: NameDefinition | None

    def definitions(self, _analysis: Analysis) -> list[Definition]:
        """Return the definition in the template."""
        if self.definition is None or self.definition.place.path != MAIN:
            return []
        return [Definition(self.definition.place.span, self.definition.full.span)]

    def occurrences(self, analysis: Analysis) -> list[Occurrence]:
        """Return the definition and the uses; none if Jinja cannot read the template."""
        found = {span: Occurrence(span, OccurrenceKind.NAMES) for span in self.uses(analysis)}
        for span, _ in self.definitions(analysis):
            found[span] = Occurrence(span, OccurrenceKind.DEFINES)
        return sorted(found.values(), key=lambda each: each.span) if self.span in found else []

    def uses(self, analysis: Analysis) -> list[Span]:
        """Return the spans that refer to the definition in any context, in source order.

        For an undefined name, these are all undefined uses of the same name.
        """
        place_of_own = self.definition.place if self.definition else None
        found = {
            place.span
            for expansion in _expansions(analysis)
            for name, place, definition in expansion.uses
            if name == self.name and place.path == MAIN
            if (definition.place if definition else None) == place_of_own
        }
        return sorted(found)

    def description(self, analysis: Analysis) -> str:
        """Return the page of the name: its value, the author's remark, and its definition."""
        definition = self.definition
        if definition is None:
            return f"**{inline_code(self.name)}** · {_given_values(analysis, self.name)}"
        if definition.kind is NameKind.TEMPLATE_MACRO:
            return _macro_page(analysis, self, definition)
        values = _values_of(analysis, definition)
        shown = " or ".join(inline_code(cut(value)) for value in values[:MAX_VALUES])
        title = (f"**{inline_code(self.name)}**", shown, escaped(definition.remark))
        kind = definition.kind.value
        where = f"{kind[:1].upper()}{kind[1:]}, {_line(analysis, definition)}"
        return f"{' · '.join(filter(None, title))}\n\n{where}"

    def check_renameable(self, analysis: Analysis, _span: Span) -> None:
        """Raise `RenameError` unless the template defines the name."""
        if not are_names_known(analysis):
            raise RenameError("the template has an error: correct that before you rename")
        called, definition = quoted(self.name), self.definition
        if definition is None:
            raise RenameError(f"nothing in the template defines {called}, so it cannot be renamed")
        if definition.kind is NameKind.CONTEXT or definition.place.path != MAIN:
            raise RenameError(f"{called} is given by the context: rename it where that is written")

    def renaming(self, analysis: Analysis, new_name: str) -> list[TextEdit]:
        """Return the edits that rename the name and keep every expansion as it is."""
        called = quoted(new_name)
        if not (new_name.isidentifier() and new_name.isascii()) or new_name in _RESERVED:
            raise RenameError(f"a name in a template cannot be {called}")
        for tag in template_syntax(analysis.text).tags:
            for word in tag_words(analysis.text, tag):
                if word.kind is WordKind.NAME and word.text == new_name:
                    line = analysis.source.lines.position(word.span.start).line + 1
                    raise RenameError(f"{called} is used in the template already, on line {line}")
        given = {*analysis.settings.defines, *(n for c in analysis.settings.contexts for n in c)}
        if new_name in given:
            raise RenameError(f"{called} is given by the context already")
        spans = {*self.uses(analysis), *(name for name, _ in self.definitions(analysis))}
        edits = [TextEdit(span, new_name) for span in sorted(spans)]
        before = [each.expansion.text for each in analysis.expanded]
        if expanded_texts(analysis, apply_edits(analysis.text, edits)) != before:
            raise RenameError(f"{called} would change the expansion")
        return edits


def template_name_at(analysis: Analysis, offset: int) -> TemplateName | None:
    """Return the name at an offset of a tag; None if there is none that a tag uses or defines."""
    for expansion in _expansions(analysis):
        for definition in expansion.definitions:
            if definition.place.path == MAIN and definition.place.span.touches(offset):
                return TemplateName(definition.name, definition.place.span, definition)
        for name, place, used in expansion.uses:
            if place.path == MAIN and place.span.touches(offset):
                return TemplateName(name, place.span, used)
    return None if are_names_known(analysis) else _written_name_at(analysis.text, offset)


def are_names_known(analysis: Analysis) -> bool:
    """Check whether Jinja could read the template, so that its names and uses are known."""
    return any(each.definitions or each.uses for each in _expansions(analysis))


def _written_name_at(text: str, offset: int) -> TemplateName | None:
    """Return the name at an offset of a template that Jinja cannot read."""
    syntax = template_syntax(text)
    tag = syntax.tag_at(offset) or syntax.tag_around(offset)
    for word in tag_words(text, tag) if tag else ():
        if word.kind is WordKind.NAME and word.span.touches(offset):
            here = [name for name in written_names(syntax) if name.place == word.span]
            known = [name for name in names_known_at(syntax, offset) if name.name == word.text]
            for name in (*here, *known):
                return TemplateName(word.text, word.span, _definition(name))
    return None


def _definition(known: WrittenName) -> NameDefinition:
    place, full = SourceRange(MAIN, known.place), SourceRange(MAIN, known.full)
    parameters = known.parameters if known.kind is NameKind.TEMPLATE_MACRO else None
    value = known.value or None
    return NameDefinition(known.name, known.kind, place, full, value, parameters, known.remark)


def _values_of(analysis: Analysis, wanted: NameDefinition) -> list[str]:
    """Return the values of a definition in the contexts, each once."""
    values = [wanted.value]
    values += (
        definition.value
        for expansion in _expansions(analysis)
        for definition in expansion.definitions
        if definition.place == wanted.place and definition.name == wanted.name
    )
    return list(dict.fromkeys(value for value in values if value is not None))


def _expansions(analysis: Analysis) -> Iterator[Expansion]:
    return (each.expansion for each in analysis.expanded)


def _given_values(analysis: Analysis, name: str) -> str:
    """Return the values that contexts or settings give to a name."""
    settings = analysis.settings
    contexts = settings.contexts or ({},)
    values = [{**context, **settings.defines}.get(name) for context in contexts]
    shown = dict.fromkeys(inline_code(cut(str(value))) for value in values if value is not None)
    if not shown:
        return "nothing defines it"
    return f"{' or '.join([*shown][:MAX_VALUES])}, given by the context"


def _macro_page(analysis: Analysis, name: TemplateName, definition: NameDefinition) -> str:
    """Return the page of a macro: its signature, and the bundles of its calls."""
    parameters = ", ".join(definition.parameters or ())
    signature = inline_code(f"{definition.name}({parameters})")
    title = f"**{signature}** · macro, {_line(analysis, definition)}"
    sizes = f"All calls make {size_phrase(analysis, 0, definition.full.span)}."
    tag = template_syntax(analysis.text).tag_at(name.span.start)
    if tag is not None and name.span != definition.place.span:
        sizes = f"This call makes {size_phrase(analysis, 0, tag.span)}. {sizes}"
    return "\n\n".join(filter(None, (title, escaped(definition.remark), sizes)))


def _line(analysis: Analysis, definition: NameDefinition) -> str:
    return f"line {analysis.source.lines.position(definition.place.span.start).line + 1}"
