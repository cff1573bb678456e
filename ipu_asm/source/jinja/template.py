"""The expansions of a template, one for each of its contexts."""

from __future__ import annotations

import re
from typing import Iterator, Sequence

from ipu_asm.config import MOST_CONTEXTS
from ipu_asm.diagnostics import (
    EXPANSION_LIMIT,
    TEMPLATE_SYNTAX,
    UNDEFINED_TEMPLATE_NAME,
    Applicability,
    Diagnostic,
    Fix,
)
from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.source.expansion import Deferred, Expansion, NameKind, SourceSettings
from ipu_asm.source.jinja.compiled import CompiledTags, CompileError, Compiler, Rendering, render
from ipu_asm.source.jinja.contexts import (
    DeclaredContexts,
    TemplateContext,
    contexts_of,
    declared_contexts,
)
from ipu_asm.source.jinja.limits import MAX_CHARACTERS, MAX_SECONDS_OF_ALL, MAX_TAGS, MAX_TOKENS
from ipu_asm.source.jinja.messages import worded
from ipu_asm.source.jinja.names import GLOBALS
from ipu_asm.source.jinja.positions import Positions, skeleton_map
from ipu_asm.source.jinja.tokens import Tokens
from ipu_asm.source.source_map import SourceMap
from ipu_asm.source.templates import MARKS, UNUSED_TEMPLATE_NAME, skeleton
from ipu_asm.text import Span, TextEdit

_MAX_SUGGESTIONS = 50
# Jinja's lexer takes 300 bytes for each digit of a number.
_LONG_NUMBER = re.compile(r"[\d_]{4000}|0[xXoObB][\da-fA-F_]{4000}")


def expand_template(
    text: str, settings: SourceSettings, before: Sequence[Expansion]
) -> tuple[Expansion, ...]:
    """Return the expansions of a template, one for each context.

    `before` are the expansions of an earlier state, whose compiled tags are used again.
    """
    if len(text) > MAX_CHARACTERS:
        return (_refused(text, f"a template may have {MAX_CHARACTERS:,} characters at most"),)
    if _LONG_NUMBER.search(text) is not None:
        return (_refused(text, "a number may have 4,000 digits at most"),)
    earlier = before[0].memo if before else None
    compiler = earlier if isinstance(earlier, Compiler) else Compiler()
    return tuple(each._replace(memo=compiler) for each in _expansions(compiler, text, settings))


def _expansions(compiler: Compiler, text: str, settings: SourceSettings) -> Iterator[Expansion]:
    """Yield the expansions of a template until they have made too much text together."""
    tokens = Tokens(text)
    if len(tokens.tokens) > MAX_TOKENS:
        yield _refused(text, f"a template may have {MAX_TOKENS:,} words in its tags at most")
        return
    declared = declared_contexts(tokens)
    contexts = contexts_of(settings, declared.contexts)
    wrong = context_findings(tokens, declared)
    try:
        tags = compiler.compiled(tokens)
    except CompileError as error:
        for context in contexts:
            yield _partial(text, context, [*wrong, Diagnostic(*error.problem)])
        return
    if len(declared.contexts) > MOST_CONTEXTS:
        yield _refused(text, f"a template may have {MOST_CONTEXTS} contexts at most")
        return
    made, recorder = 0, compiler.recorder
    recorder.start()
    for number, context in enumerate(contexts):
        if made > MAX_CHARACTERS or (number and recorder.is_late):
            message = f"a template may make {MAX_CHARACTERS:,} characters in all its contexts"
            if recorder.is_late:
                message = f"a template may take {MAX_SECONDS_OF_ALL:g} s in all its contexts"
            yield _refused(text, message)._replace(context=context.description)
            return
        rendering = render(compiler, tokens, tags, context.variables)
        expansion = _expansion(tokens, tags, declared, rendering, context)
        made += len(expansion.text) if number else 0
        yield expansion._replace(findings=(*wrong, *expansion.findings))


def _refused(text: str, message: str) -> Expansion:
    finding = Diagnostic(EXPANSION_LIMIT, f"{message}, found more", Span(0, min(1, len(text))))
    return Expansion("", SourceMap(()), "", (finding,), is_partial=True)


def _expansion(
    tokens: Tokens,
    tags: CompiledTags,
    declared: DeclaredContexts,
    rendering: Rendering,
    context: TemplateContext,
) -> Expansion:
    findings: list[Diagnostic] = []
    if rendering.undefined:
        findings += undefined_findings(tokens, tags, rendering, context)
    if rendering.problem is not None:
        findings.append(Diagnostic(*rendering.problem))
    if rendering.problem is not None or rendering.is_branch_unknown:
        return _partial(tokens.text, context, findings)
    findings += unused_findings(tokens, tags)
    positions = Positions(tokens, tags, declared, rendering)
    is_partial = bool(rendering.undefined)
    return Expansion(
        rendering.text,
        SourceMap(positions.segments),
        context.description,
        tuple(findings),
        positions.definitions,
        positions.uses,
        is_partial=is_partial,
        unknown=Deferred(positions.unknown) if is_partial else (),
    )


def _partial(text: str, context: TemplateContext, findings: list[Diagnostic]) -> Expansion:
    """Return the literal text of a template that cannot be rendered."""
    if sum(map(text.count, MARKS)) > MAX_TAGS:
        return Expansion("", SourceMap(()), context.description, tuple(findings), is_partial=True)
    blanked = skeleton(text)
    source_map, unknown = skeleton_map(text, blanked)
    return Expansion(
        blanked, source_map, context.description, tuple(findings), is_partial=True, unknown=unknown
    )


def context_findings(tokens: Tokens, declared: DeclaredContexts) -> list[Diagnostic]:
    """Return the findings about comments that declare contexts."""
    message = "a context is declared by `{# ipu: context NAME=VALUE #}`, found something else"
    return [
        Diagnostic(TEMPLATE_SYNTAX, message, part.shifted(tokens.tag_span(tag).start))
        for tag, part in declared.wrong
    ]


def undefined_findings(
    tokens: Tokens, tags: CompiledTags, rendering: Rendering, context: TemplateContext
) -> list[Diagnostic]:
    """Return a finding for each place at which an undefined value was used."""
    findings = []
    for token, value in sorted(rendering.undefined.items()):
        name = value.name
        if rendering.is_branch_unknown and name in tags.writes:
            continue  # what is unknown may be what defines it
        span = tokens.place(token)
        if name is None:
            findings.append(Diagnostic(UNDEFINED_TEMPLATE_NAME, worded(value.message), span))
        else:
            near = None
            if len(findings) < _MAX_SUGGESTIONS:
                known = {*tags.writes, *context.variables, *GLOBALS} - {name}
                near = nearest_of(name, sorted(known))
            findings.append(_undefined(name, near, span))
    return findings


def _undefined(name: str, near: str | None, span: Span) -> Diagnostic:
    message = f"`{name}` is not defined in the template"
    fix = None
    if near is not None:
        message += f"; did you mean `{near}`?"
        edits = (TextEdit(span, near),)
        fix = Fix(f"replace by `{near}`", edits, Applicability.DISPLAY)
    else:
        message += (
            f"; declare it by `{{# ipu: context {name}=... #}}` or in `ipu.toml`,"
            f" or pass `--define {name}=VALUE`"
        )
    return Diagnostic(UNDEFINED_TEMPLATE_NAME, message, span, fix=fix)


def unused_findings(tokens: Tokens, tags: CompiledTags) -> list[Diagnostic]:
    """Return a hint for each name and macro that the template defines and never uses anywhere."""
    findings = []
    unused = tags.writes - tags.loads
    for each in tags.names.definitions if unused else ():
        is_reported = each.kind in (NameKind.SET, NameKind.TEMPLATE_MACRO)
        if is_reported and each.name in unused and not each.name.startswith("_"):
            what = "macro" if each.kind is NameKind.TEMPLATE_MACRO else "template name"
            message, span = f"{what} `{each.name}` is never used", tokens.place(each.token)
            findings.append(Diagnostic(UNUSED_TEMPLATE_NAME, message, span, tags=("unnecessary",)))
    return findings
