"""The expansions of a template, one for each of its contexts."""

from __future__ import annotations

import re
from typing import Iterator, NamedTuple, Sequence

from ipu_asm.config.configuration import MOST_CONTEXTS, Context
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
from ipu_asm.source.source_map import SourceMap
from ipu_asm.source.templates import MARKS
from ipu_asm.text import Change, Span

_LONG_NUMBER = re.compile(r"[\d_]{4000}")


class _Memo(NamedTuple):
    """What expansions leave for those after an edit: `renderings` are by the context's variables.

    An edit inside a literal that the template does not compute with changes only the literal.
    """

    tokens: Tokens
    state: CompiledTemplate | Problem
    declared: DeclaredContexts
    renderings: list[tuple[Context, Rendering]]


def expand_template(
    text: str,
    settings: SourceSettings,
    before: Sequence[Expansion],
    change: Change | None,
) -> tuple[Expansion, ...]:
    """Return the expansions of a template, one for each context."""
    if len(text) > MOST_CHARACTERS:
        return (_refused(text, f"a template may have {MOST_CHARACTERS:,} characters at most"),)
    earlier = before[0].memo if before else None
    memo = _edited(earlier, text, change) if isinstance(earlier, _Memo) and change else None
    if memo is None:
        if _LONG_NUMBER.search(text):  # Jinja's lexer takes 300 bytes for a digit
            return (_refused(text, "a number may have 4,000 digits at most"),)
        tokens = Tokens(text)
        if len(tokens.tokens) > MOST_TOKENS:
            message = f"a template may have {MOST_TOKENS:,} words in its tags at most"
            return (_refused(text, message),)
        state = _compiled(tokens, earlier if isinstance(earlier, _Memo) else None)
        memo = _Memo(tokens, state, declared_contexts(tokens), [])
    if len(memo.declared.contexts) > MOST_CONTEXTS:
        return (_refused(text, f"a template may have {MOST_CONTEXTS} contexts at most"),)
    contexts = contexts_of(settings, memo.declared.contexts)
    return tuple(each._replace(memo=memo) for each in _all_expanded(memo, contexts))


def _all_expanded(memo: _Memo, contexts: Sequence[TemplateContext]) -> Iterator[Expansion]:
    """Expand a template in its contexts until they have made too much text together."""
    made = 0
    for number, context in enumerate(contexts):
        if made > MOST_CHARACTERS:
            message = f"a template may make {MOST_CHARACTERS:,} characters in all its contexts"
            yield _refused(memo.tokens.text, message)._replace(context=context.description)
            return
        expansion = _expanded(memo, context)
        made += len(expansion.text) if number else 0
        yield expansion


def _edited(memo: _Memo, text: str, change: Change) -> _Memo | None:
    """Return what holds after an edit inside a literal; None after any other."""
    if isinstance(memo.state, Problem) or not change.turns(memo.tokens.text, text):
        return None
    edited = memo.tokens.after_edit(text, change)
    if edited is None:
        return None
    tokens, number = edited
    renderings = []
    if number not in memo.state.captured:
        for variables, rendering in memo.renderings:
            leaves = rendering.leaves and rendering.leaves.with_literal(
                number, tokens.literal(number)
            )
            if leaves is not None and leaves.length < MOST_CHARACTERS // 2:
                renderings.append((variables, rendering._replace(leaves=leaves)))
    return memo._replace(tokens=tokens, renderings=renderings)


def _compiled(tokens: Tokens, earlier: _Memo | None) -> CompiledTemplate | Problem:
    """Return the code of a template, or why it has none."""
    is_compiled = earlier is not None and isinstance(earlier.state, CompiledTemplate)
    if earlier and is_compiled and not tokens.error and tokens.same_tags(earlier.tokens):
        return earlier.state
    try:
        return CompiledTemplate(tokens)
    except CompileError as error:
        return error.problem


def _rendering(memo: _Memo, code: CompiledTemplate, context: TemplateContext) -> Rendering:
    for variables, rendering in memo.renderings:
        if variables == context.variables:
            return rendering
    rendering = code.render(memo.tokens, context.variables)
    memo.renderings.append((context.variables, rendering))
    return rendering


def _refused(text: str, message: str) -> Expansion:
    finding = Diagnostic(EXPANSION_LIMIT, f"{message}, found more", Span(0, min(1, len(text))))
    return Expansion("", SourceMap(()), "", (finding,), is_partial=True)


def _expanded(memo: _Memo, context: TemplateContext) -> Expansion:
    tokens, state, declared, _ = memo
    findings = context_findings(tokens, declared)
    if isinstance(state, Problem):
        return _partial(tokens, context, [*findings, problem_finding(state)])
    rendering = _rendering(memo, state, context)
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
