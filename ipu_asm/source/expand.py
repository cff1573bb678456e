"""The expansions of a source text, one for each context in which it is checked."""

from __future__ import annotations

import re
from typing import Sequence

from ipu_asm.isa.surface import Surface
from ipu_asm.source.expansion import DEFAULT_SETTINGS, Expansion, SourceSettings
from ipu_asm.source.templates import template_mark
from ipu_asm.text import Change, is_binary

_DIRECTIVE = re.compile(
    r"^[ \t]*(?:/\*[^*]*\*/[ \t]*)?"
    r"#(?:[ \t]*(?:define|undef|if|include|import|pragma)|(?:else|elif|endif|error)\b)",
    re.MULTILINE,
)
_DYNAMIC = ("__LINE__", "__FILE__", "__COUNTER__")
_NAME = re.compile(r"[^\W\d]\w*")


def is_template(surface: Surface, text: str) -> bool:
    """Return whether a text contains a mark of a Jinja tag, in a set that has templates."""
    is_marked = surface.templates and "{" in text and template_mark(text) is not None
    return is_marked and not is_binary(text)


def expand(
    surface: Surface,
    text: str,
    path: str | None = None,
    settings: SourceSettings = DEFAULT_SETTINGS,
    before: Sequence[Expansion] = (),
    change: Change | None = None,
) -> tuple[Expansion, ...]:
    """Return the expansions of a text; none if the assembler reads the text as it is.

    `path` is the file of the text, None for a text that is in none. `before` are the expansions of
    an earlier state, from which `change` led here; they make no difference to the result. Never
    raises: text that cannot be expanded has findings.
    """
    if is_template(surface, text):
        # Most files are no templates, and Jinja costs more to import than to lint a small file.
        from ipu_asm.source.jinja.template import expand_template

        return expand_template(text, settings, before)
    if not surface.preprocessed:
        return ()
    # Most files have no macros.
    from ipu_asm.source.edited import Baseline, after_edit, memo_of

    memo = memo_of(before)
    # Without directives, a name that is defined outside may begin or end the need to preprocess.
    texts = (text,) if memo is None else (text, memo.baseline.text)
    is_sure = _has_directives(text) or not (
        settings.all_defines or any(_uses_predefined(surface, each) for each in texts)
    )
    if memo is not None and change is not None and is_sure:
        edited = after_edit(memo, text, path, settings, change)
        if edited is not None:
            return edited
    preprocessed = _preprocessed(
        surface, text, path, settings, memo.baseline.preprocessed if memo else ()
    )
    return Baseline(text, path, settings, preprocessed).expanded(surface)


def _preprocessed(
    surface: Surface,
    text: str,
    path: str | None,
    settings: SourceSettings,
    before: Sequence[Expansion],
) -> tuple[Expansion, ...]:
    """Expand a text by the C preprocessor, where the set has one.

    It finds the change since the expansions `before` by itself.
    """
    from ipu_asm.source.macros.expand_macros import as_written

    if surface.c_preprocessor and (_has_directives(text) or uses_defines(surface, text, settings)):
        from ipu_asm.source.preprocessor.preprocess import preprocess

        return preprocess(surface, text, path, settings, before)
    return (as_written(text),)


def _has_directives(text: str) -> bool:
    return "#" in text and _DIRECTIVE.search(text) is not None


def uses_defines(surface: Surface, text: str, settings: SourceSettings) -> bool:
    """Return whether a text may use a macro that settings define or that is predefined."""
    defined = settings.all_defines
    is_used = bool(defined) and not defined.keys().isdisjoint(_NAME.findall(text))
    return is_used or _uses_predefined(surface, text)


def _uses_predefined(surface: Surface, text: str) -> bool:
    if not surface.c_preprocessor or "__" not in text:
        return False
    return any(name in text for name in (*surface.predefined, *_DYNAMIC))
