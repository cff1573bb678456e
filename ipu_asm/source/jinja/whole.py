"""A rendered template as a whole, for those who ask for places in it."""

from __future__ import annotations

from functools import cached_property
from typing import Iterable

from ipu_asm.source.jinja.declared_contexts import DeclaredContexts
from ipu_asm.source.jinja.document import Numbers, Template
from ipu_asm.source.jinja.names import TemplateNames
from ipu_asm.source.jinja.pieces import Leaves
from ipu_asm.source.jinja.rendering import Rendering
from ipu_asm.source.jinja.sandbox import MOST_VALUES
from ipu_asm.source.jinja.tokens import Tokens


class WholeRendering:
    """The tokens, names, leaves and values of a template in one context, by their numbers in it."""

    def __init__(self, template: Template, rendering: Rendering) -> None:
        self._template = template
        self._rendering = rendering

    @property
    def tokens(self) -> Tokens:
        """The tokens of the template."""
        return self._template.tokens

    @property
    def names(self) -> TemplateNames:
        """The names of the template."""
        return self._template.names

    @property
    def bare(self) -> set[int]:
        """The tags of the template that are nothing but a name."""
        return self._template.bare

    @property
    def declared(self) -> DeclaredContexts:
        """The contexts that the template declares."""
        return self._template.declared

    @cached_property
    def leaves(self) -> Leaves:
        """The leaves of the rendered text."""
        outputs = self._rendering.outputs
        return Leaves.joined(
            [each.leaves for each in outputs], self._numbers.token, self._numbers.tag
        )

    @cached_property
    def values(self) -> dict[int, list[str]]:
        """The first values of each variable, by the token of its name."""
        found = (output.values for output in self._rendering.outputs)
        return _joined(
            (self._numbers.token(n), values) for each in found for n, values in each.items()
        )

    @cached_property
    def loop_values(self) -> dict[int, list[str]]:
        """The first values of the variables of each loop, by its tag."""
        found = (output.loop_values for output in self._rendering.outputs)
        return _joined(
            (self._numbers.tag(n), values) for each in found for n, values in each.items()
        )

    @property
    def _numbers(self) -> Numbers:
        return self._template.numbers


def _joined(found: Iterable[tuple[int, list[str]]]) -> dict[int, list[str]]:
    joined: dict[int, list[str]] = {}
    for number, values in found:
        known = joined.setdefault(number, [])
        known += values[: MOST_VALUES - len(known)]
    return joined
