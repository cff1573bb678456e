"""Findings as values: severity, rule, message, span, related places and fix.

At the end are the rules that parsing and expansion report; `lint/rules` documents them.
"""

from __future__ import annotations

from enum import IntEnum

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span, TextEdit


class Severity(IntEnum):
    """The severity of a finding; the numbers are those of the language server protocol."""

    ERROR = 1
    WARNING = 2
    HINT = 4

    @property
    def label(self) -> str:
        """`error`, `warning` or `hint`, as every output format spells it."""
        return self.name.lower()


class Applicability(IntEnum):
    """Which commands may apply a fix; a smaller value is the safer fix.

    `SAFE`: a program that assembles keeps its words, and one that does not becomes the only
    program its author can have meant; `--fix` applies it. `UNSAFE`: it removes the finding but may
    change what the program does; `--unsafe-fixes` applies it. `DISPLAY`: a guess, or needs review;
    shown and offered, never applied by a command.
    """

    SAFE = 1
    UNSAFE = 2
    DISPLAY = 3

    @property
    def label(self) -> str:
        """`safe`, `unsafe` or `display`, as every output format spells it."""
        return self.name.lower()


class RuleId(NamedTuple):
    """The identity of a rule: a stable code, a stable readable name and its severity."""

    code: str
    name: str
    severity: Severity


class UnplacedFinding(NamedTuple):
    """A finding about a piece of text whose place in the file is not known yet.

    `replacement` is the correct text: shown as "did you mean" and offered as a fix with that
    `applicability`. `reordered` are all operands of the instruction in their correct order.
    `part` is the range of the piece, not counting blanks, that is wrong; None for all of it.
    `dropped_if_defined` are names: where a macro or a preprocessor defines one of them, the finding
    is dropped.
    """

    rule: RuleId
    message: str
    replacement: str | None = None
    part: tuple[int, int] | None = None
    dropped_if_defined: tuple[str, ...] = ()
    applicability: Applicability = Applicability.DISPLAY
    reordered: tuple[str, ...] = ()

    def at(self, span: Span) -> Diagnostic:
        """The diagnostic about the text at `span`, with the replacement as its fix."""
        rule, message, replacement, _, dropped_if_defined, applicability, _ = self
        if replacement is None:
            return Diagnostic(rule, message, span, dropped_if_defined=dropped_if_defined)
        edits = (TextEdit(span, replacement),)
        fix = Fix(f"replace by `{replacement}`", edits, applicability)
        message += f"; did you mean `{replacement}`?"
        return Diagnostic(rule, message, span, fix=fix, dropped_if_defined=dropped_if_defined)


class Fix(NamedTuple):
    """Edits that resolve a finding, with their title and applicability."""

    title: str
    edits: tuple[TextEdit, ...]
    applicability: Applicability

    @property
    def is_safe(self) -> bool:
        """Whether `--fix` applies it."""
        return self.applicability is Applicability.SAFE

    @property
    def entry(self) -> str:
        """The title with a capital letter, as the menus of editors show it."""
        return self.title[:1].upper() + self.title[1:]

    def shifted(self, delta: int) -> Fix:
        """The same fix with all edits moved by `delta` code points."""
        edits = tuple([edit.shifted(delta) for edit in self.edits])
        return Fix(self.title, edits, self.applicability)


class RelatedInformation(NamedTuple):
    """A second place that a finding refers to; `path` is its file, None for the analysed file."""

    span: Span
    message: str
    path: str | None = None


class Location(NamedTuple):
    """A place for people: row and column count from 1, columns in code points."""

    row: int
    column: int


class Diagnostic(NamedTuple):
    """One finding in one text.

    `tags` are the protocol's `unnecessary` and `deprecated`: editors fade such text or strike it
    through. `dropped_if_defined` is that of an `UnplacedFinding`. `path` is the file that `span`
    belongs to, None for the analysed file: the finding may be in a header that it includes.
    """

    rule: RuleId
    message: str
    span: Span
    related: tuple[RelatedInformation, ...] = ()
    fix: Fix | None = None
    tags: tuple[str, ...] = ()
    dropped_if_defined: tuple[str, ...] = ()
    path: str | None = None

    @property
    def code(self) -> str:
        """The stable code, such as `E101`."""
        return self.rule.code

    @property
    def name(self) -> str:
        """The stable name, such as `unknown-mnemonic`."""
        return self.rule.name

    @property
    def location(self) -> Location:
        """Where the finding begins, in the file that it is in, as the JSON of `ipu-lint` has it.

        Findings of `analyze` and of an `AssemblyError` know it; others raise AttributeError, as
        their place is only known within a text: `source.lines.position(finding.span.start)`.
        """
        raise AttributeError("the location of a finding is known together with its text only")

    @property
    def end_location(self) -> Location:
        """Where the finding ends, exclusive; otherwise as `location`."""
        raise AttributeError("the location of a finding is known together with its text only")

    @property
    def depends_on_name(self) -> bool:
        """Whether the finding is dropped where another file defines a name."""
        return any(name[:1].isidentifier() or name[:1] == "." for name in self.dropped_if_defined)

    @property
    def severity(self) -> Severity:
        return self.rule.severity

    def shifted(self, delta: int) -> Diagnostic:
        """The same finding with all spans moved by `delta` code points."""
        rule, message, (start, end), related, fix, tags, dropped_if_defined, path = self
        if related:
            related = tuple([each._replace(span=each.span.shifted(delta)) for each in related])
        if fix is not None:
            fix = fix.shifted(delta)
        span = Span(start + delta, end + delta)
        return Diagnostic(rule, message, span, related, fix, tags, dropped_if_defined, path)


SYNTAX_ERROR = RuleId("E001", "syntax-error", Severity.ERROR)
UNKNOWN_MNEMONIC = RuleId("E101", "unknown-mnemonic", Severity.ERROR)
TOO_FEW_OPERANDS = RuleId("E102", "too-few-operands", Severity.ERROR)
TOO_MANY_OPERANDS = RuleId("E103", "too-many-operands", Severity.ERROR)
WRONG_OPERAND_TYPE = RuleId("E104", "wrong-operand-type", Severity.ERROR)
UNKNOWN_KEYWORD = RuleId("E105", "unknown-keyword", Severity.ERROR)
IMMEDIATE_OUT_OF_RANGE = RuleId("E106", "immediate-out-of-range", Severity.ERROR)
UNKNOWN_DIRECTIVE = RuleId("E107", "unknown-directive", Severity.ERROR)
DUPLICATE_SLOT = RuleId("E201", "duplicate-slot", Severity.ERROR)
LR_WRITE_CONFLICT = RuleId("E202", "lr-write-conflict", Severity.ERROR)
UNDEFINED_LABEL = RuleId("E301", "undefined-label", Severity.ERROR)
DUPLICATE_LABEL = RuleId("E302", "duplicate-label", Severity.ERROR)
BRANCH_OUT_OF_RANGE = RuleId("E303", "branch-out-of-range", Severity.ERROR)
PROGRAM_TOO_LARGE = RuleId("E304", "program-too-large", Severity.ERROR)
TEMPLATE_SYNTAX = RuleId("E401", "template-syntax", Severity.ERROR)
UNDEFINED_TEMPLATE_NAME = RuleId("E402", "undefined-template-name", Severity.ERROR)
EXPANSION_LIMIT = RuleId("E403", "expansion-limit", Severity.ERROR)
ASSERTION_FALSE = RuleId("E501", "assertion-false", Severity.ERROR)
INCLUDE_NOT_FOUND = RuleId("H103", "include-not-found", Severity.HINT)
ERROR_DIRECTIVE = RuleId("H107", "error-directive", Severity.HINT)
UNSUPPORTED_DIRECTIVE = RuleId("H108", "unsupported-directive", Severity.HINT)
