"""The expansions of a template, one for each of its contexts."""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.config.configuration import MOST_CONTEXTS, Context
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix
from ipu_asm.diagnostics.errors import EXPANSION_LIMIT, TEMPLATE_SYNTAX, UNDEFINED_TEMPLATE_NAME
from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import Expansion, NameKind, SourceSettings
from ipu_asm.source.jinja.compiled import CompileError, Problem
from ipu_asm.source.jinja.declared_contexts import DeclaredContexts, declared_contexts
from ipu_asm.source.jinja.document import Edit, Template, is_readable, read_template
from ipu_asm.source.jinja.limits import MOST_CHARACTERS, MOST_SECONDS_OF_ALL, MOST_TAGS, MOST_TOKENS
from ipu_asm.source.jinja.names import GLOBALS
from ipu_asm.source.jinja.parts import Workshop
from ipu_asm.source.jinja.positions import LazySequence, Positions, skeleton_map
from ipu_asm.source.jinja.rendering import Rendering, render, render_again
from ipu_asm.source.jinja.tokens import Tokens, quoted
from ipu_asm.source.jinja.whole import WholeRendering
from ipu_asm.source.source_map import SourceMap
from ipu_asm.source.templates import MARKS, UNUSED_TEMPLATE_NAME, skeleton
from ipu_asm.text import Change, Span, TextEdit


class TemplateContext(NamedTuple):
    """The variables of one expansion; `description` omits project defines."""

    variables: Context
    description: str


_MOST_SUGGESTIONS = 50


class _Memo(NamedTuple):
    """What expansions leave for those after an edit: the template as it was when it last compiled.

    `change` leads from there to `latest`. `renderings` are by the context's variables.
    """

    template: Template
    renderings: list[tuple[Context, Rendering]]
    latest: str
    change: Change | None = None


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
    memo = earlier if isinstance(earlier, _Memo) else None
    if memo is not None and change is not None and change.turns(memo.latest, text):
        whole = memo.change.then(change) if memo.change else change
        edited = memo.template.after(text, whole)
        if edited is not None:
            edited[0].workshop.recorder.start()
            contexts = contexts_of(settings, edited[0].read.contexts)
            return _expansions(_edited(memo, *edited, contexts), contexts)
        memo = memo._replace(latest=text, change=whole)
    return _read(text, settings, memo)


def _edited(
    memo: _Memo, template: Template, edit: Edit, contexts: Sequence[TemplateContext]
) -> _Memo:
    used = [context.variables for context in contexts]
    renderings = [
        (variables, render_again(template, edit, each))
        for variables, each in memo.renderings
        if variables in used
    ]
    return _Memo(template, renderings, template.text)


def _read(text: str, settings: SourceSettings, earlier: _Memo | None) -> tuple[Expansion, ...]:
    """Expand a text that is read as a whole; of an earlier state, equal tags are used again."""
    if not is_readable(text):
        return (_refused(text, "a number may have 4,000 digits at most"),)
    workshop = earlier.template.workshop if earlier else Workshop()
    tokens = Tokens(text)
    if len(tokens.tokens) > MOST_TOKENS:
        return (_refused(text, f"a template may have {MOST_TOKENS:,} words in its tags at most"),)
    try:
        template = read_template(workshop, tokens)
    except CompileError as error:
        broken = _broken(tokens, error.problem, settings)
        return tuple(each._replace(memo=earlier) for each in broken)
    workshop.recorder.start()
    return _expansions(_Memo(template, [], text), contexts_of(settings, template.read.contexts))


def _broken(tokens: Tokens, problem: Problem, settings: SourceSettings) -> Iterator[Expansion]:
    declared = declared_contexts(tokens)
    for context in contexts_of(settings, declared.contexts):
        findings = [*context_findings(tokens, declared), problem_finding(problem)]
        yield _partial(tokens.text, context, findings)


def _expansions(memo: _Memo, contexts: Sequence[TemplateContext]) -> tuple[Expansion, ...]:
    if len(memo.template.read.contexts) > MOST_CONTEXTS:
        message = f"a template may have {MOST_CONTEXTS} contexts at most"
        return (_refused(memo.template.text, message),)
    return tuple(each._replace(memo=memo) for each in _all_expanded(memo, contexts))


def _all_expanded(memo: _Memo, contexts: Sequence[TemplateContext]) -> Iterator[Expansion]:
    """Expand a template in its contexts until they have made too much text together."""
    made, recorder = 0, memo.template.workshop.recorder
    for number, context in enumerate(contexts):
        if made > MOST_CHARACTERS or (number and recorder.is_late):
            message = f"a template may make {MOST_CHARACTERS:,} characters in all its contexts"
            if recorder.is_late:
                message = f"a template may take {MOST_SECONDS_OF_ALL:g} s in all its contexts"
            yield _refused(memo.template.text, message)._replace(context=context.description)
            return
        expansion = _expanded(memo, context)
        made += len(expansion.text) if number else 0
        yield expansion


def _rendering(memo: _Memo, context: TemplateContext) -> Rendering:
    for variables, rendering in memo.renderings:
        if variables == context.variables:
            return rendering
    rendering = render(memo.template, context.variables)
    memo.renderings.append((context.variables, rendering))
    return rendering


def _refused(text: str, message: str) -> Expansion:
    finding = Diagnostic(EXPANSION_LIMIT, f"{message}, found more", Span(0, min(1, len(text))))
    return Expansion("", SourceMap(()), "", (finding,), is_partial=True)


def _expanded(memo: _Memo, context: TemplateContext) -> Expansion:
    template, rendering = memo.template, _rendering(memo, context)
    findings: list[Diagnostic] = []
    if template.read.wrong:
        findings += context_findings(template.tokens, template.declared)
    if rendering.cost.has_undefined:
        findings += undefined_findings(template, rendering, context)
    if rendering.problem is not None:
        findings.append(problem_finding(rendering.problem))
    if rendering.problem is not None or rendering.is_branch_unknown:
        return _partial(template.text, context, findings)
    findings += unused_findings(template)
    positions = Positions(WholeRendering(template, rendering))
    return Expansion(
        rendering.text,
        SourceMap(positions.segments),
        context.description,
        tuple(findings),
        positions.definitions,
        positions.uses,
        edit=rendering.edit,
        is_partial=rendering.cost.has_undefined,
        unknown=LazySequence(positions.unknown) if rendering.cost.has_undefined else (),
    )


def _partial(text: str, context: TemplateContext, findings: list[Diagnostic]) -> Expansion:
    """Return the literal text of a template that cannot be rendered."""
    if sum(map(text.count, MARKS)) > MOST_TAGS:
        return Expansion("", SourceMap(()), context.description, tuple(findings), is_partial=True)
    blanked = skeleton(text)
    source_map, unknown = skeleton_map(text, blanked)
    return Expansion(
        blanked, source_map, context.description, tuple(findings), is_partial=True, unknown=unknown
    )


def problem_finding(problem: Problem) -> Diagnostic:
    """Return the finding about a template that cannot be rendered."""
    return Diagnostic(*problem)


def context_findings(tokens: Tokens, declared: DeclaredContexts) -> list[Diagnostic]:
    """Return the findings about comments that declare contexts."""
    message = "a context is declared by `{# ipu: context NAME=VALUE #}`, found something else"
    return [
        Diagnostic(TEMPLATE_SYNTAX, message, part.shifted(tokens.tag_span(tag).start))
        for tag, part in declared.wrong
    ]


def undefined_findings(
    template: Template, rendering: Rendering, context: TemplateContext
) -> list[Diagnostic]:
    """Return a finding for each place at which an undefined value was used."""
    known = template.counts.writes.keys()
    is_unknown = rendering.is_branch_unknown
    undefined = {
        n: each for output in reversed(rendering.outputs) for n, each in output.undefined.items()
    }
    findings = []
    for token in sorted(undefined, key=template.numbers.token):
        value = undefined[token]
        name = value.name
        if is_unknown and name in known:
            continue  # what is unknown may be what defines it
        span = template.place(token)
        if name is None:
            findings.append(Diagnostic(UNDEFINED_TEMPLATE_NAME, quoted(value.message), span))
        else:
            near = None
            if len(findings) < _MOST_SUGGESTIONS:
                near = nearest_of(name, sorted({*known, *context.variables, *GLOBALS} - {name}))
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


def unused_findings(template: Template) -> list[Diagnostic]:
    """Return a hint for each name that the template defines and never uses."""
    findings = []
    for each, span in template.unused():
        what = "macro" if each.kind is NameKind.TEMPLATE_MACRO else "template name"
        message = f"{what} `{each.name}` is never used"
        findings.append(Diagnostic(UNUSED_TEMPLATE_NAME, message, span, tags=("unnecessary",)))
    return findings


def contexts_of(settings: SourceSettings, written: Sequence[Context] = ()) -> list[TemplateContext]:
    """Return the contexts of a template: one with project defines alone if none is declared.

    `written` are those that comments in it declare, in place of the ones of the configuration.
    Values given for this run select the contexts that have them; where none has, they replace the
    values in all contexts.
    """
    declared = [*(written or settings.contexts)] or [{}]
    selected = [context for context in declared if _agrees(context, settings.overrides)]
    found: list[TemplateContext] = []
    for context in selected or declared:
        shown = {**context, **settings.overrides}
        description = " ".join(f"{name}={value}" for name, value in shown.items())
        each = TemplateContext({**settings.defines, **shown}, description)
        if each not in found:
            found.append(each)
    return found


def _agrees(context: Context, overrides: Context) -> bool:
    return all(context.get(name, value) == value for name, value in overrides.items())
