"""Findings about names that nothing defines, but that are near to a name that something defines.

Where a header is missing, it may define an unknown name, so findings that depend on that name are
dropped. A word that differs in one letter from a mnemonic is misspelt and reported all the same. So
is a name that is written once and differs from a name that the file or its headers define: in one
letter, or, if it is long, in two letters from exactly one such name.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property, lru_cache
from typing import Callable, Iterator, Mapping, Sequence

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.bundle.operand_matching import CALL_PSEUDO_NAME, OPERAND_COUNTS
from ipu_asm.diagnostics import (
    UNDEFINED_LABEL,
    UNKNOWN_DIRECTIVE,
    UNKNOWN_MNEMONIC,
    WRONG_OPERAND_TYPE,
    Applicability,
    Diagnostic,
    Fix,
)
from ipu_asm.diagnostics.suggestions import NameIndex
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.isa.surface import ARGUMENTS, FILL, INTEGERS, SPACE
from ipu_asm.program.program import Program
from ipu_asm.syntax.directives import directive_arguments
from ipu_asm.text import Span, TextEdit

_NAME = re.compile(r"(?<![\w.$\\'])[A-Za-z_.][\w.$]*(?![\w.$]*[(\\])")
_IDENTIFIER = re.compile(r"\w+")
_MAX_SHOWN = 3
# The words of a name, in any style of writing.
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IsSlip = Callable[[str, str], bool]
# Directives of which every argument is an expression.
_OF_VALUES = {
    name for name, taken in ARGUMENTS.items() if taken.kind in (INTEGERS, SPACE, FILL)
} | {".rept", ".rep", ".if"}
_DECLARING = {".extern", ".global", ".globl", ".weak", ".type", ".comm", ".lcomm", ".hidden"}


def _any_is_slip(_name: str, _meant: str) -> bool:
    return True


def near_name_findings(
    program: Program, defined: Callable[[], frozenset[str]], written: str
) -> list[Diagnostic]:
    """Return findings about names near to known ones, except for those that the program has.

    `defined` returns the names that macros and the preprocessor define somewhere in the text or
    in its headers. `written` is the text as its author wrote it.
    """
    if not program.where(_has_unknown_names):
        return []
    names = defined().union(program.labels, _declared(program))
    known = _KnownNames(program.isa, names, program.macros.names)
    doubtful = program.where(known)
    if not doubtful:
        return []

    is_slip = _Slips(written).is_slip

    reported = {(finding.span, finding.code) for finding in program.findings}
    found = (
        finding.shifted(program.starts[number])
        for number in doubtful
        for finding in _of_bundle(program.bundles[number], known, is_slip)
    )
    return [each for each in found if (each.span, each.code) not in reported]


class _Slips:
    """Which unknown names of a text are slips of the fingers, and not names of their own."""

    def __init__(self, written: str) -> None:
        self._written = written

    @cached_property
    def _names(self) -> Counter[str]:
        return Counter(_IDENTIFIER.findall(self._written))

    @cached_property
    def _names_by_word(self) -> Mapping[str, set[str]]:
        names: dict[str, set[str]] = {}
        for name in self._names:
            for word in _words(name):
                names.setdefault(word, set()).add(name)
        return names

    def is_slip(self, name: str, meant: str) -> bool:
        """Return whether a name is probably a misspelling of another.

        One that is written twice is none: with definitions of real files moved into missing
        headers, four of five names that were reported for a near one were written twice. Neither is
        one that differs in whole words that other names have: of 10 others that were reported, 9.
        """
        if self._names[name] > 1:
            return False
        if sorted(name) == sorted(meant):
            return True
        words, others = _words(name), _words(meant)
        differing = words - others or others - words
        this = {name, meant}
        return not differing or any(
            self._names_by_word.get(word, this) <= this for word in differing
        )


def _words(name: str) -> Counter[str]:
    return Counter(map(str.lower, _WORDS.findall(name)))


class _KnownNames:
    """The names that a program and the expansion that it is made of define, and its macros.

    It is a test for `Program.where`, equal to one of the same names: after an edit that leaves all
    names the same, only new bundles are tested. In files of 1,000 lines that takes a third of the
    time of a look at every bundle.
    """

    def __init__(self, isa: Isa, names: frozenset[str], macros: frozenset[str]) -> None:
        self.isa = isa
        self.names = names
        self.macros = macros
        self._key = isa, names, macros

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _KnownNames) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __call__(self, isa: Isa, bundle: Bundle) -> bool:
        """Return whether a name in a bundle is near to a known one, however often it is written."""
        return _has_unknown_names(isa, bundle) and any(_of_bundle(bundle, self, _any_is_slip))

    def is_known(self, name: str) -> bool:
        if name in self.names or name.lower() in self.macros:
            return True
        return f"${name}" in self.isa.file_of_register

    def near(self, name: str, is_slip: _IsSlip, is_register: bool = False) -> tuple[str, ...]:
        """Return the defined names of which an unknown one is probably a misspelling.

        Constants such as `X_SIZE` and `Y_SIZE` may be defined in different headers, names of
        registers are defined together.
        """
        if self.is_known(name):
            return ()
        index = _index_of(self.names)
        near = index.one_letter_from(name, other_members=is_register)
        if not near:
            other = index.two_letters_from(name)
            near = () if other is None else (other,)
        return tuple(each for each in near if is_slip(name, each))

    def near_mnemonics(self, name: str, is_slip: _IsSlip) -> tuple[str, ...]:
        """Return the mnemonics and macros that a word which is neither is near to."""
        if self.is_known(name):
            return ()
        near = _mnemonics_of(self.isa).one_letter_from(name, other_numbers=True, other_members=True)
        return tuple(dict.fromkeys((*near, *self.near(name, is_slip))))


@lru_cache(maxsize=2)
def _mnemonics_of(isa: Isa) -> NameIndex:
    return NameIndex(frozenset(isa.instructions))


@lru_cache(maxsize=16)
def _index_of(names: frozenset[str]) -> NameIndex:
    return NameIndex(names)


def _declared(program: Program) -> set[str]:
    return {
        word
        for number in program.where(_declares)
        for words in program.bundles[number].syntax.directives
        if words[0] in _DECLARING
        for word in words[1:]
    }


def _declares(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.directive is not None and any(
        words[0] in _DECLARING for words in bundle.syntax.directives
    )


def _has_unknown_names(isa: Isa, bundle: Bundle) -> bool:
    if bundle.findings and any(finding.depends_on_name for finding in bundle.findings):
        return True
    return bool((bundle.instructions or bundle.directive) and _names(isa, bundle))


@cached_on_bundle
def _names(_isa: Isa, bundle: Bundle) -> Sequence[tuple[str, Span, bool]]:
    """The names in operands without a value: each with its span, and whether it is all of it."""
    found = []
    for number, instruction in enumerate(bundle.instructions):
        if instruction.spec is None or instruction.findings:
            continue
        for place, value in enumerate(instruction.values):
            if not isinstance(value, int):
                span = bundle.span(number, place)
                for match in _NAME.finditer(bundle.syntax.text, *span):
                    is_label = isinstance(value, str)
                    found.append((match[0], Span(*match.span()), is_label))
    if bundle.directive is not None and bundle.directive.lower() in _OF_VALUES:
        for argument in directive_arguments(bundle.syntax) or ():
            for match in _NAME.finditer(bundle.syntax.text, *argument.span):
                found.append((match[0], Span(*match.span()), False))
    return found


def _of_bundle(bundle: Bundle, known: _KnownNames, is_slip: _IsSlip) -> Iterator[Diagnostic]:
    if any(each.mnemonic.lower() in known.macros for each in bundle.instructions):
        return
    for finding in bundle.findings:
        if finding.depends_on_name:
            certain = _certain(finding, known, is_slip, bundle.syntax.text)
            if certain is not None:
                yield certain
    for name, span, is_label in _names(known.isa, bundle):
        near = known.near(name, is_slip)
        if near:
            yield _misspelt(name, near, span, is_label)


def _certain(
    finding: Diagnostic, known: _KnownNames, is_slip: _IsSlip, text: str
) -> Diagnostic | None:
    """Return a finding that holds even if a header defines unknown names, with what is meant."""
    dropped_if = finding.dropped_if_defined
    names = [name for name in dropped_if if name != CALL_PSEUDO_NAME and name[0] != "$"]
    if any(name[0] == "$" and known.is_known(name) for name in dropped_if):
        return None
    if finding.rule is UNKNOWN_DIRECTIVE:
        return finding if finding.fix is not None and not known.is_known(names[0]) else None
    if finding.rule is UNKNOWN_MNEMONIC:
        is_call = CALL_PSEUDO_NAME in dropped_if
        near = (known.near if is_call else known.near_mnemonics)(names[0], is_slip)
        return _with_meant(finding, names[0], near, text) if near else None
    if finding.rule in OPERAND_COUNTS:
        # An operand that is a name stands for one operand.
        return finding
    is_register = text.startswith("$", finding.span.start)
    for name in names:
        near = known.near(name, is_slip, is_register)
        if near:
            return _with_meant(finding, name, near, text)
    return None


def _with_meant(finding: Diagnostic, name: str, near: Sequence[str], text: str) -> Diagnostic:
    """Return a finding about a name with the names that may be meant, unless it has a fix."""
    if finding.fix is not None:
        return finding
    match = re.compile(rf"(?<!\w)\$?{re.escape(name)}(?!\w)").search(text, *finding.span)
    if match is None:
        return finding
    span = Span(*match.span())
    if match[0] != name:
        name, near = match[0], [f"${each}" for each in near]
    if finding.rule is WRONG_OPERAND_TYPE:
        return _misspelt(name, near, span, is_label=False)
    message = f"{finding.message}{_did_you_mean(near)}"
    return finding._replace(message=message, fix=_replacement(near, span))


def _misspelt(name: str, near: Sequence[str], span: Span, is_label: bool) -> Diagnostic:
    rule = UNDEFINED_LABEL if is_label else WRONG_OPERAND_TYPE
    said = (
        f"no label {quoted(name)} in this file" if is_label else f"nothing defines {quoted(name)}"
    )
    return Diagnostic(rule, f"{said}{_did_you_mean(near)}", span, fix=_replacement(near, span))


def _did_you_mean(near: Sequence[str]) -> str:
    return f"; did you mean {' or '.join(map(quoted, near[:_MAX_SHOWN]))}?"


def _replacement(near: Sequence[str], span: Span) -> Fix | None:
    """Return the replacement by the only name that may be meant."""
    if len(near) > 1:
        return None
    return Fix(f"replace by `{near[0]}`", (TextEdit(span, near[0]),), Applicability.DISPLAY)
