"""What a finding is. Values only: who finds it and who prints it live elsewhere."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from ipu_asm.text import Span, TextEdit


class Severity(IntEnum):
    """How much a finding matters; the numbers are those of the language server protocol."""

    ERROR = 1
    WARNING = 2
    HINT = 4

    @property
    def label(self) -> str:
        """`error`, `warning` or `hint`, as every output format spells it."""
        return self.name.lower()


class Applicability(IntEnum):
    """Who may apply a fix; the smaller, the more may.

    `SAFE`: the fix leaves the meaning of every program that assembles as it is, and turns one that
    does not into the only thing its author can have meant: `--fix` applies it. `UNSAFE`: it mends
    the finding but may change what the program does: `--unsafe-fixes` applies it. `DISPLAY`: it is
    a guess or needs a second look: shown and offered, never applied by a command.
    """

    SAFE = 1
    UNSAFE = 2
    DISPLAY = 3

    @property
    def label(self) -> str:
        """`safe`, `unsafe` or `display`, as every output format spells it."""
        return self.name.lower()


class RuleId(NamedTuple):
    """The identity of a sort of finding: a stable code and a stable, readable name."""

    code: str
    name: str
    severity: Severity


class Problem(NamedTuple):
    """What is wrong with a piece of text whose place the reader of the piece does not know.

    `replacement` is the text that would be right: shown as "did you mean" and offered as a fix,
    which has the `applicability`.
    `reordered` are all operands of the instruction in the order that would be right.
    `part` is the stretch of the piece, without its blanks, that is wrong; None if all of it is.
    `unless` are names: where a macro or a preprocessor makes one of them, nothing is wrong.
    """

    rule: RuleId
    message: str
    replacement: str | None = None
    part: tuple[int, int] | None = None
    unless: tuple[str, ...] = ()
    applicability: Applicability = Applicability.DISPLAY
    reordered: tuple[str, ...] = ()

    def finding(self, span: Span) -> Diagnostic:
        """The finding about the text at `span`, with the replacement as its fix."""
        rule, message, replacement, _, unless, applicability, _ = self
        if replacement is None:
            return Diagnostic(rule, message, span, unless=unless)
        edits = (TextEdit(span, replacement),)
        fix = Fix(f"replace by `{replacement}`", edits, applicability)
        message += f"; did you mean `{replacement}`?"
        return Diagnostic(rule, message, span, fix=fix, unless=unless)


class Fix(NamedTuple):
    """Edits that mend a finding, and who may make them."""

    title: str
    edits: tuple[TextEdit, ...]
    applicability: Applicability

    @property
    def is_safe(self) -> bool:
        """Whether it may be made without a look at it."""
        return self.applicability is Applicability.SAFE

    @property
    def entry(self) -> str:
        """The title as editors' menus have it: with a capital letter."""
        return self.title[:1].upper() + self.title[1:]

    def shifted(self, delta: int) -> Fix:
        """The same fix for a text that starts `delta` code points earlier."""
        edits = tuple([edit.shifted(delta) for edit in self.edits])
        return Fix(self.title, edits, self.applicability)


class RelatedInformation(NamedTuple):
    """A second place in the same file that a finding speaks of."""

    span: Span
    message: str


class Diagnostic(NamedTuple):
    """One finding in one text.

    `tags` are the protocol's words `unnecessary` and `deprecated`, by which editors fade or strike
    the text through. `unless` is that of a `Problem`.
    """

    rule: RuleId
    message: str
    span: Span
    related: tuple[RelatedInformation, ...] = ()
    fix: Fix | None = None
    tags: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        """The stable code, such as `E101`."""
        return self.rule.code

    @property
    def name(self) -> str:
        """The stable name, such as `unknown-mnemonic`."""
        return self.rule.name

    @property
    def hangs_on_name(self) -> bool:
        """Whether it holds only where no other file makes a name."""
        return any(name[:1].isidentifier() or name[:1] == "." for name in self.unless)

    @property
    def severity(self) -> Severity:
        """How much it matters."""
        return self.rule.severity

    def shifted(self, delta: int) -> Diagnostic:
        """The same finding in a text in which its piece starts at `delta`."""
        rule, message, (start, end), related, fix, tags, unless = self
        if related:
            related = tuple([RelatedInformation(s.shifted(delta), said) for s, said in related])
        if fix is not None:
            fix = fix.shifted(delta)
        span = Span(start + delta, end + delta)
        return Diagnostic(rule, message, span, related, fix, tags, unless)
