"""Names that macros, preprocessor directives and refused definitions of constants make.

Nothing is expanded: it is sufficient to know which names are defined, and which bundles may be
repeated or omitted. A constant that a program defines although its instruction set has none, as
`.equ N 128` does, is one mistake; the operands that use its name are not further ones.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import Final, Iterable, Iterator, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.operand_matching import CALL_PSEUDO_NAME
from ipu_asm.diagnostics import (
    SYNTAX_ERROR,
    UNDEFINED_LABEL,
    UNKNOWN_DIRECTIVE,
    UNKNOWN_KEYWORD,
    UNKNOWN_MNEMONIC,
    WRONG_OPERAND_TYPE,
    Diagnostic,
)
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.edits import BundleDiff
from ipu_asm.syntax.plan import BRACE_PSEUDO_NAME

_OF_DEFINITIONS: Final = frozenset({SYNTAX_ERROR, UNKNOWN_MNEMONIC})
_OF_USES: Final = frozenset({WRONG_OPERAND_TYPE, UNKNOWN_KEYWORD, UNDEFINED_LABEL})
_CONSTANT: Final = r"[A-Za-z_][\w.]*"
_DIRECTIVE: Final = ".equ"
_NAME = re.compile(r"[A-Za-z_.$][\w.$]*")
_DEFINING = re.compile(r"#\s*(?:define|undef)\s+([A-Za-z_]\w*)(\(?)")
_PREPROCESSED = re.compile(r"#\s*(?:define|undef)\b|#error\b")
_LABEL_MADE = re.compile(r"\w:(?![\w$\\])|\.L")
_ASKING = re.compile(r"#\s*(?:if|elif)")
_NAMING = (".set", ".equ", ".equiv", ".eqv", ".altmacro", ".local", ".comm", ".lcomm")
_DECLARING = (".extern", ".globl", ".global", ".weak")
_READING = re.compile(r"#\s*(?:include|import)\b|\.include\b")
_BODY = {".macro", ".rept", ".rep", ".irp", ".irep", ".irpc", ".irepc"}
_BODY_ENDS = {".endm", ".endmacro", ".endr"}
_REPORTED = {".altmacro", ".error", ".err", ".exitm", ".purgem", ".equiv", ".eqv"}
# At this number of distinct unknown names, assume that the file is a fragment for inclusion.
_MANY_NAMES = 6
_STEPS = {
    "if": re.compile(r"#\s*if|\.if"),
    "else": re.compile(r"#\s*el|\.else"),
    "endif": re.compile(r"#\s*endif|\.endif"),
}


class MacroRegion(NamedTuple):
    """Bundles ``first..last-1`` in the body of a macro or in a conditional block (``#if``)."""

    first: int
    last: int
    is_body: bool


class DirectiveEffect(NamedTuple):
    """The effect of a directive: the names that it defines, in lower case, and its nesting `step`.

    `step` is "if", "else", "endif", "body", "end", or empty.
    """

    names: frozenset[str] = frozenset()
    reads_files: bool = False
    make_labels: bool = False
    step: str = ""


class Macros(NamedTuple):
    """`names` are defined in the text, in lower case; with `reads_files`, more in other files.

    `regions` are sorted and do not overlap. `make_labels`: a macro or a repetition may generate
    labels. `refused` are names that the text defines as constants in a set without them.
    """

    names: frozenset[str]
    reads_files: bool
    regions: tuple[MacroRegion, ...]
    make_labels: bool = False
    refused: frozenset[str] = frozenset()

    def may_define(self, names: Iterable[str]) -> bool:
        return self.reads_files or any(name.lower() in self.names for name in names)

    def may_resolve(self, finding: Diagnostic, bundle: int) -> bool:
        """Return whether expansion of macros may resolve a finding in a bundle."""
        if not finding.dropped_if_defined:
            return False
        if any(name.lower() in self.names for name in finding.dropped_if_defined):
            return True
        region = None if self.reads_files else self.region_of(bundle)
        elsewhere = self.reads_files or (region is not None and region.is_body)
        return elsewhere and finding.depends_on_name

    def defines(self, name: str) -> bool:
        return name.lower() in self.names

    def region_of(self, bundle: int) -> MacroRegion | None:
        """Return the macro body or conditional block that contains a bundle, if any."""
        at = bisect_right(self.regions, bundle, key=lambda region: region.first) - 1
        return self.regions[at] if at >= 0 and bundle < self.regions[at].last else None

    def moved(self, kept: BundleDiff) -> Macros:
        """Return the macros after an edit that changed none of them."""
        if not kept.moved or not self.regions:
            return self
        regions = [
            region._replace(
                first=region.first + kept.moved * (region.first >= kept.old_tail),
                last=region.last + kept.moved * (region.last > kept.old_tail),
            )
            for region in self.regions
        ]
        return self._replace(regions=tuple(regions))


def affects(_isa: Isa, bundle: Bundle) -> bool:
    if bundle.syntax.plan.inner_directives:
        return True
    if bundle.directive is None:
        return False
    return any(effect_of(words) is not _NOTHING for words in bundle.syntax.directives)


def is_expanded(_isa: Isa, bundle: Bundle) -> bool:
    """Return whether a bundle has a directive that makes the text differ from its expansion."""
    if bundle.directive is None and not bundle.syntax.plan.inner_directives:
        return False
    return any(_is_expanding(words) for words in bundle.syntax.directives)


def _is_expanding(words: tuple[str, ...]) -> bool:
    if words[0] in _REPORTED:
        return True
    effect = effect_of(words)
    return bool(effect.step or effect.reads_files or _PREPROCESSED.match(words[0]))


def without_external_names(findings: list[Diagnostic]) -> list[Diagnostic]:
    """Drop findings that depend on names if there are many such names, or one is called.

    Such a text is a fragment, included where its names are defined.
    """
    external = list(filter(_is_external, findings))
    names = {name.removeprefix("$") for each in external for name in each.dropped_if_defined}
    if len(names) < _MANY_NAMES and CALL_PSEUDO_NAME not in names:
        return findings
    return [each for each in findings if not _is_external(each)]


def _is_external(finding: Diagnostic) -> bool:
    return finding.depends_on_name and finding.rule is not UNKNOWN_DIRECTIVE


NO_MACROS = Macros(frozenset(), False, ())
_NOTHING = DirectiveEffect()


def read_macros(directives: Sequence[tuple[int, Bundle]], count: int) -> Macros:
    """Collect the effects of directives: `directives` are numbered bundles with directives.

    `count` is the number of all bundles of the text.
    """
    names: set[str] = set()
    reads_files = make_labels = False
    steps: list[tuple[int, str]] = []
    for number, bundle in directives:
        if bundle.syntax.plan.inner_directives:
            names.add(BRACE_PSEUDO_NAME)
        for words in bundle.syntax.directives:
            effect = effect_of(words)
            if effect is not _NOTHING:
                names |= effect.names
                reads_files = reads_files or effect.reads_files
                make_labels = make_labels or effect.make_labels
                steps.append((number, effect.step))
    regions = tuple(_regions(steps, count))
    return Macros(frozenset(names), reads_files, regions, make_labels or reads_files)


# Without the cache an edit in a file with many directives costs 1.4 times as much.
@lru_cache(maxsize=20_000)
def effect_of(words: tuple[str, ...]) -> DirectiveEffect:
    word = words[0]
    defining = _DEFINING.match(word)
    makes_label = defining and (defining[2] or _LABEL_MADE.search(word, defining.end()))
    effect = DirectiveEffect(
        frozenset(_names_made(words)),
        bool(_READING.match(word)),
        word in _BODY or bool(makes_label),
        _step(word),
    )
    return _NOTHING if effect == _NOTHING else effect


def _step(word: str) -> str:
    if word in _BODY:
        return "body"
    if word in _BODY_ENDS:
        return "end"
    return next((step for step, pattern in _STEPS.items() if pattern.match(word)), "")


def _names_made(words: Sequence[str]) -> Iterator[str]:
    """Yield the names that a directive defines or tests, in lower case."""
    match = _DEFINING.match(words[0])
    if match:
        yield match[1].lower()
    elif _ASKING.match(words[0]):
        yield from (name.lower() for name in _NAME.findall(words[0]))
    elif words[0] in _BODY:
        yield from (word.lower() for word in words[1:] if _NAME.fullmatch(word))
    elif words[0] in _NAMING and len(words) > 1:
        yield words[1].lower()
    elif words[0] in _DECLARING:
        # Other names need no definition to be accepted.
        yield from (word.lower() for word in words[1:] if word[0] == "$")
    elif words[1:2] == ("=",):
        yield words[0].lower()


def _regions(steps: Sequence[tuple[int, str]], count: int) -> Iterator[MacroRegion]:
    """Yield the outermost regions. One that is never closed extends to the end of the text."""
    depth, first, is_body = 0, 0, False
    for number, step in steps:
        if step in ("if", "body"):
            if depth == 0:
                first, is_body = number, False
            depth += 1
            is_body = is_body or step == "body"
        elif depth and step in ("endif", "end"):
            depth -= 1
            if depth == 0:
                yield MacroRegion(first, number + 1, is_body)
    if depth:
        yield MacroRegion(first, count, is_body)


def defines_constants(isa: Isa, bundle: Bundle) -> bool:
    """Return whether a bundle has definitions of constants, in a set without them."""
    return bool(bundle.findings) and bool(_constants_in(isa, bundle))


def refused_constants(isa: Isa, bundles: Iterable[Bundle]) -> frozenset[str]:
    return frozenset().union(*(_constants_in(isa, bundle) for bundle in bundles))


def is_use(finding: Diagnostic, text: str, constants: frozenset[str]) -> bool:
    """Return whether a finding about a text is about an operand that is the name of a constant."""
    start, end = finding.span
    return finding.rule in _OF_USES and text[start:end] in constants


def _constants_in(isa: Isa, bundle: Bundle) -> frozenset[str]:
    if _DIRECTIVE not in isa.surface.hints:
        return frozenset()
    definition, text = _definition(isa), bundle.syntax.text
    found: set[str] = set()
    for finding in bundle.findings:
        if finding.rule not in _OF_DEFINITIONS:
            continue
        start = finding.span.start
        begin = max(text.rfind("\n", 0, start), text.rfind(isa.surface.separator, 0, start)) + 1
        match = definition.match(text, begin)
        name = match[match.lastindex or 0] if match else ""
        if name and name.lower() not in isa.file_of_register:
            found.add(name)
    return frozenset(found)


@lru_cache(maxsize=8)
def _definition(isa: Isa) -> re.Pattern[str]:
    """The statement of a definition: `.equ N 128`, `let N = 128`, `N equ 128` or `N = 128`.

    A directive whose name is also that of an instruction has a mark, as `.set` does.
    """
    advice = isa.surface.hints[_DIRECTIVE]
    names = [key[1:] for key, hint in isa.surface.hints.items() if hint == advice and key[0] == "."]
    words = "|".join(name for name in names if isa.spec(name) is None)
    marked = rf"[.%@`](?:{'|'.join(names)})\b|(?:{words}|let|var)\b"
    return re.compile(
        rf"[ \t]*(?:(?:{marked})[ \t]+({_CONSTANT})|({_CONSTANT})[ \t]+\.?(?:{words})\b"
        rf"|({_CONSTANT})[ \t]*=(?!=))"
    )
