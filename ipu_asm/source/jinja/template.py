"""The expansions of a template, one for each of its contexts."""

from __future__ import annotations

import re
from typing import Sequence

from ipu_asm.diagnostics import Diagnostic
from ipu_asm.diagnostics.errors import EXPANSION_LIMIT
from ipu_asm.source.contexts import TemplateContext, contexts_of
from ipu_asm.source.expansion import Expansion, SourceSettings
from ipu_asm.source.jinja.compiled import CompiledTemplate, CompileError, Problem, Rendering
from ipu_asm.source.jinja.declared_contexts import DeclaredContexts, declared_contexts
from ipu_asm.source.jinja.findings import (
    context_findings,
    problem_finding,
    undefined_findings,
    unused_findings,
)
from ipu_asm.source.jinja.limits import MOST_CHARACTERS, MOST_TAGS, MOST_TOKENS
from ipu_asm.source.jinja.positions import Positions, skeleton_map
from ipu_asm.source.jinja.tokens import Tokens
from ipu_asm.source.skeleton import skeleton
from ipu_asm.source.templates import MARKS
from ipu_asm.source.source_map import SourceMap
from ipu_asm.text import Change, Span

_LONG_NUMBER = re.compile(r"[\d_]{4000}")


def expand_template(
    text: str,
    settings: SourceSettings,
    before: Sequence[Expansion],
    change: Change | None,
) -> tuple[Expansion, ...]:
    """Return the expansions of a template, one for each context."""
    if len(text) > MOST_CHARACTERS:
        return (_refused(text, f"a template may have {MOST_CHARACTERS:,} characters at most"),)
    if _LONG_NUMBER.search(text):  # Jinja's lexer takes 300 bytes for a digit
        return (_refused(text, "a number may have 4,000 digits at most"),)
    tokens = Tokens(text)
    if len(tokens.tokens) > MOST_TOKENS:
        return (_refused(text, f"a template may have {MOST_TOKENS:,} words in its tags at most"),)
    declared = declared_contexts(tokens)
    contexts = contexts_of(settings, declared.contexts)
    state: CompiledTemplate | Problem
    try:
        state = CompiledTemplate(tokens)
    except CompileError as error:
        state = error.problem
    expansions = [_expanded(tokens, state, context, declared) for context in contexts]
    return tuple(expansions)


def _refused(text: str, message: str) -> Expansion:
    finding = Diagnostic(EXPANSION_LIMIT, f"{message}, found more", Span(0, min(1, len(text))))
    return Expansion("", SourceMap(()), "", (finding,), is_partial=True)


def _expanded(
    tokens: Tokens,
    state: CompiledTemplate | Problem,
    context: TemplateContext,
    declared: DeclaredContexts,
) -> Expansion:
    findings = context_findings(declared)
    if isinstance(state, Problem):
        return _partial(tokens, context, [*findings, problem_finding(state)])
    rendering = state.render(tokens, context.variables)
    findings += undefined_findings(tokens, state.names, rendering, context)
    if rendering.problem is not None:
        findings.append(problem_finding(rendering.problem))
    if rendering.leaves is None or rendering.is_branch_unknown:
        return _partial(tokens, context, findings)
    findings += unused_findings(tokens, state.names)
    positions = Positions(tokens, state.names, rendering, declared)
    return _complete(positions, rendering, context, findings)


def _complete(
    positions: Positions, rendering: Rendering, context: TemplateContext, findings: list[Diagnostic]
) -> Expansion:
    assert rendering.leaves is not None
    return Expansion(
        "".join(rendering.leaves.texts),
        SourceMap(positions.segments),
        context.description,
        tuple(findings),
        positions.definitions,
        positions.uses,
        is_partial=bool(rendering.undefined),
        unknown=positions.unknown() if rendering.undefined else (),
    )


def _partial(tokens: Tokens, context: TemplateContext, findings: list[Diagnostic]) -> Expansion:
    """Return the literal text of a template that cannot be rendered."""
    if sum(map(tokens.text.count, MARKS)) > MOST_TAGS:
        return Expansion("", SourceMap(()), context.description, tuple(findings), is_partial=True)
    text = skeleton(tokens.text)
    source_map, unknown = skeleton_map(tokens.text, text)
    return Expansion(
        text, source_map, context.description, tuple(findings), is_partial=True, unknown=unknown
    )
