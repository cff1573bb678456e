"""Findings about a template itself."""

from __future__ import annotations

from ipu_asm.diagnostics import Applicability, Diagnostic, Fix
from ipu_asm.diagnostics.errors import TEMPLATE_SYNTAX, UNDEFINED_TEMPLATE_NAME
from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.source.contexts import TemplateContext
from ipu_asm.source.expansion import NameKind
from ipu_asm.source.jinja.compiled import Problem
from ipu_asm.source.jinja.declared_contexts import DeclaredContexts
from ipu_asm.source.jinja.document import Template
from ipu_asm.source.jinja.names import GLOBALS
from ipu_asm.source.jinja.rendering import Rendering
from ipu_asm.source.jinja.syntax_errors import quoted
from ipu_asm.source.jinja.tokens import Tokens
from ipu_asm.source.templates import UNUSED_TEMPLATE_NAME
from ipu_asm.text import Span, TextEdit

_MOST_SUGGESTIONS = 50


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
