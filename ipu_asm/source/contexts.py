"""The contexts in which a template is expanded."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.config.configuration import Context
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import SourceSettings


class TemplateContext(NamedTuple):
    """The variables of one expansion; `description` omits project defines."""

    variables: Context
    description: str


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
