"""What a template makes in one context: the text of each part, and what it leaves for the others.

After an edit, a part is rendered again if it is new, or if it has a name whose value is no longer
the same. A value that can change by itself, such as a namespace, makes all parts depend on each
other.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, Iterable, Mapping, Sequence

from jinja2.nodes import EvalContext
from jinja2.runtime import Context

from ipu_asm.diagnostics import RelatedInformation, RuleId
from ipu_asm.diagnostics.errors import EXPANSION_LIMIT, TEMPLATE_SYNTAX
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.jinja.compiled import Problem, failed_tags
from ipu_asm.source.jinja.document import Edit, Template
from ipu_asm.source.jinja.limits import (
    MOST_CHARACTERS,
    LimitError,
    require_size,
)
from ipu_asm.source.jinja.outputs import Cost, PartOutput, keeps_state
from ipu_asm.source.jinja.parts import Part
from ipu_asm.source.jinja.pieces import PieceKind, joined, piece
from ipu_asm.source.jinja.tokens import readable
from ipu_asm.text import Change, change_between


class Rendering(NamedTuple):
    """The outputs of the parts of a template in one context, or the problem that ended it.

    `given` are the values from outside. Of these, Jinja takes the `unborn` for undefined until the
    template sets them. With `is_stateful`, some value can change by itself. `edit` is an earlier
    text and the change from it, where that is known.
    """

    given: Mapping[str, Any]
    unborn: frozenset[str]
    context: Context
    outputs: list[PartOutput]
    texts: list[str]
    text: str
    cost: Cost
    is_stateful: bool = False
    problem: Problem | None = None
    edit: tuple[str, Change] | None = None

    @property
    def is_branch_unknown(self) -> bool:
        """Whether an undefined value decided which part of the template is rendered."""
        return self.cost.has_undefined and any(each.is_branch_unknown for each in self.outputs)


def render(template: Template, variables: Mapping[str, Any]) -> Rendering:
    """Return what a template makes with these variables. Never raises."""
    sandbox = template.workshop.sandbox
    given = {**sandbox.globals, **variables}
    unborn = _unborn(template, given)
    parent = {name: value for name, value in given.items() if name not in unborn}
    context = Context(sandbox, parent, None, template.parts[0].function.blocks)
    session = _Session(template, context)
    outputs: list[PartOutput] = []
    texts: list[str] = []
    problem = None
    try:
        for part in template.parts:
            outputs.append(session.output(part))
        texts = [output.text for output in outputs]
        require_size(sum(map(len, texts)))
    except Exception as error:
        problem = _problem(template, error)
        outputs.append(PartOutput(joined(()), template.workshop.recorder, {}))
    is_stateful = any(map(keeps_state, outputs))
    cost, text = Cost.of(outputs), "".join(texts)
    return Rendering(given, unborn, context, outputs, texts, text, cost, is_stateful, problem)


def render_again(template: Template, edit: Edit, before: Rendering) -> Rendering:
    """Return what a template makes after an edit, with the variables of an earlier rendering."""
    made = None
    if before.problem is None:
        made = _with_literal(template, edit, before) if edit.literal is not None else None
        made = made or _with_parts(template, edit, before)
    return made or render(template, before.given)


def _with_literal(template: Template, edit: Edit, before: Rendering) -> Rendering | None:
    """Return what a template makes after a change of literal text that it does not compute with."""
    part, number = template.parts[edit.first], edit.literal
    if number is None or number in part.tags.captured:
        return None
    places: Iterable[int] = (edit.first,)
    if number in part.tags.macro_literals:
        if _is_measuring(template):
            return None
        names = _depending(template, part.tags.macros)
        places = (n for n, p in enumerate(template.parts) if not names.isdisjoint(p.tags.mentions))
    outputs, texts = before.outputs.copy(), before.texts.copy()
    text = part.tokens.literal(number)
    for place in places:
        output = outputs[place].with_literal(part.base + number, text)
        if output is None:
            return None
        outputs[place], texts[place] = output, output.text
    change = None
    if number not in part.tags.macro_literals:
        change = _change(before.texts, edit, texts)
    return _edited(before, outputs, texts, before.cost, change)


def _is_measuring(template: Template) -> bool:
    """Return whether a template computes with what its macros make."""
    tags = {part.tags for part in template.parts}
    macros = frozenset[str]().union(*(each.macros for each in tags))
    return any(each.is_capturing or not macros.isdisjoint(each.measured) for each in tags)


def _with_parts(template: Template, edit: Edit, before: Rendering) -> Rendering | None:
    """Return what a template makes if the new parts are rendered, and those that depend on them.

    None if that is not enough, or fails: then the first error of the whole is to be found.
    """
    first, old_end, new_end, _ = edit
    if before.is_stateful or _unborn(template, before.given) != before.unborn:
        return None
    state: dict[str, Any] = {}
    for number in template.writers[: bisect_left(template.writers, first)]:
        state.update(before.outputs[number].assigned)
    session = _Session(template, before.context, state)
    old = before.outputs[first:old_end]
    outputs = [*before.outputs[:first], *before.outputs[old_end:]]
    try:
        new = [session.output(part) for part in template.parts[first:new_end]]
        outputs[first:first] = new
        changed = _changed(old, new)
        if changed:
            _render_depending(template, session, outputs, new_end, changed)
    except Exception:
        return None
    if changed or before.cost.has_undefined:
        texts, cost = [output.text for output in outputs], Cost.of(outputs)
        change = None
    else:
        texts = before.texts.copy()
        texts[first:old_end] = [output.text for output in new]
        cost = before.cost.after(Cost.of(old), Cost.of(new))
        change = _change(before.texts, edit, texts)
    return None if any(map(keeps_state, new)) else _edited(before, outputs, texts, cost, change)


def _change(old: list[str], edit: Edit, new: list[str]) -> Change:
    """Return the change of the whole text if only that of the new parts has changed."""
    first, old_end, new_end, _ = edit
    start = sum(map(len, new[:first]))
    change = change_between("".join(old[first:old_end]), "".join(new[first:new_end]))
    return Change(*(start + offset for offset in change))


def _edited(
    before: Rendering,
    outputs: list[PartOutput],
    texts: list[str],
    cost: Cost,
    change: Change | None,
) -> Rendering | None:
    """Return a rendering after an edit; None if it is to be looked at whether it is too large."""
    text = "".join(texts)
    if cost.is_over or len(text) > MOST_CHARACTERS // 2:
        return None
    return before._replace(
        outputs=outputs,
        texts=texts,
        text=text,
        cost=cost,
        edit=(before.text, change) if change else None,
    )


def _render_depending(
    template: Template,
    session: _Session,
    outputs: list[PartOutput],
    start: int,
    changed: frozenset[str],
) -> None:
    """Render the parts from one on that depend on names."""
    names = _depending(template, changed)
    for number in range(start, len(outputs)):
        part = template.parts[number]
        if names.isdisjoint(part.tags.mentions):
            session.skip(outputs[number])
        else:
            outputs[number] = session.output(part)


def _depending(template: Template, names: frozenset[str]) -> frozenset[str]:
    """Return names with all whose values may depend on them, wherever they are set.

    A macro depends on what it mentions at the time of the call.
    """
    count = -1
    while len(names) > count:
        count = len(names)
        for number in template.writers:
            tags = template.parts[number].tags
            if not names.isdisjoint(tags.mentions):
                names |= tags.sets
    return names


def _changed(old: Sequence[PartOutput], new: Sequence[PartOutput]) -> frozenset[str]:
    """Return the names that parts may have left with another value than those in their place."""
    before, after = (
        {k: v for each in outputs for k, v in each.assigned.items()} for outputs in (old, new)
    )
    names = before.keys() | after.keys()
    return frozenset(n for n in names if not _is_same(before.get(n), after.get(n)))


def _is_same(one: object, two: object) -> bool:
    """Return whether values are the same, and no pieces, which know the parts they are made of."""
    return type(one) is type(two) and type(one) in (str, int, bool) and one == two


def _unborn(template: Template, given: Mapping[str, Any]) -> frozenset[str]:
    """Return the given names that Jinja takes for undefined until the template sets them.

    Those are the names that it sets at root level before it reads them there.
    """
    names = given.keys() & template.counts.writes.keys()
    unborn: set[str] = set()
    for part in template.parts if names else ():
        unborn |= names & part.tags.born
        names -= part.tags.roots
    return frozenset(unborn)


# What Jinja says of `include`, `import` and `extends` where nothing loads templates.
_NO_LOADER = "no loader"
_NO_OTHER_FILES = (
    "a template reads no other files, so it has no `include`, `import` and `extends`; "
    "write the text of the other file here, or define a macro"
)


def _problem(template: Template, error: Exception) -> Problem:
    tags, calls = template.tokens.tags, failed_tags(error.__traceback__)
    spans = [template.tokens.tag_span(template.numbers.tag(base + tag)) for base, tag, _ in calls]
    span = spans[0] if spans else template.tokens.tag_span(len(tags) - 1)
    places = [(each, f"in macro `{call.macro}`") for each, call in zip(spans, calls) if call.macro]
    related = tuple(RelatedInformation(*each) for each in dict.fromkeys(places))
    return Problem(*_described(error), span, related)


def _described(error: Exception) -> tuple[RuleId, str]:
    """Return the rule and the message of an error."""
    if isinstance(error, LimitError):
        return EXPANSION_LIMIT, str(error)
    if isinstance(error, (RecursionError, MemoryError, OverflowError)):
        message = f"a template needs limited time and memory, found: {readable(error)}"
        return EXPANSION_LIMIT, message
    if isinstance(error, TypeError) and str(error).startswith(_NO_LOADER):
        return TEMPLATE_SYNTAX, _NO_OTHER_FILES
    return TEMPLATE_SYNTAX, f"the template cannot be rendered: {readable(error)}"


class _Session:
    """Renders parts of a template one after the other, from a state of its names on."""

    def __init__(
        self, template: Template, context: Context, state: dict[str, Any] | None = None
    ) -> None:
        self._recorder = template.workshop.recorder
        self._recorder.new_meter()
        self._recorder.literals.clear()
        self._context = context
        context.vars = state or {}
        context.eval_ctx = EvalContext(template.workshop.sandbox)
        for number in template.writers:
            part = template.parts[number]
            if part.tags.macro_literals:
                self._add_literals(part)

    def output(self, part: Part) -> PartOutput:
        """Render a part."""
        recorder, values = self._recorder, self._context.vars
        recorder.reset()
        self._add_literals(part)
        steps, created = recorder.meter.steps, recorder.meter.created
        made = joined(part.function.root(self._context))
        assigned = {name: values[name] for name in part.tags.sets if name in values}
        output = PartOutput(made, recorder, assigned)
        output.steps = recorder.meter.steps - steps
        output.created = recorder.meter.created - created
        return output

    def skip(self, output: PartOutput) -> None:
        """Go on behind a part that is not rendered again."""
        self._context.vars.update(output.assigned)

    def _add_literals(self, part: Part) -> None:
        tokens, base, literals = part.tokens, part.base, self._recorder.literals
        for number, token in enumerate(tokens.tokens):
            if token.kind == "data":
                text, name = tokens.literal(number), base + number
                literals[name] = piece(text, PieceKind.LITERAL, name)
