"""The answer about one text: its program and all findings; and the Analyzer, which remembers."""

from __future__ import annotations

import gc
import os
from itertools import chain
from operator import attrgetter
from typing import Callable, Iterable, Iterator, Mapping, Sequence, TypeAlias

from ipu_asm.analysis.analysis import Analysis, Expanded
from ipu_asm.analysis.near_names import near_name_findings
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.parser import parser_for
from ipu_asm.config.files import is_listing
from ipu_asm.config.host_configurations import Hosts
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.isa import DEFAULT_ISA, isa_of
from ipu_asm.isa.model import Isa
from ipu_asm.isa.surface import SeverityDirective
from ipu_asm.lint.rules import rules_for
from ipu_asm.lint.rules.mark_in_comment import swallowed_code
from ipu_asm.lint.suppressions import suppress, suppress_written
from ipu_asm.program.build import read_program
from ipu_asm.program.macros import is_expanded
from ipu_asm.program.program import Program
from ipu_asm.source.expand import expand, is_template, uses_defines
from ipu_asm.source.expansion import DEFAULT_SETTINGS, Expansion, SourceSettings, source_settings
from ipu_asm.source.templates import TemplateComment
from ipu_asm.text import Change, SourceFile, Span, change_between, is_binary, require_text

_Known: TypeAlias = (
    "tuple[Mapping[str, int], tuple[Mapping[str, int], ...], Hosts, tuple[TemplateComment, ...]]"
)
"""What is known about a program besides its text: presets, configurations, hosts, comments."""
_place = attrgetter("span", "rule.code")


def _file_and_place(finding: Diagnostic) -> tuple[str, Span, str]:
    return finding.path or "", finding.span, finding.code


# As fast as ten times as many, on files without a line in common and while somebody types.
_MAX_REMEMBERED = 4_000
# A longer one is no bundle but a file without end marks, of which every edit would leave a copy.
_LONGEST_REMEMBERED = 4_000
# Bundles of a text that is so many times as long would be held in memory beside the next ones.
_LONG_TEXT = 10


class Analyzer:
    """Analyses texts of one instruction set, and each bundle text once.

    It is the only holder of remembered bundles. What was not met in the last `most_remembered` new
    bundles, nor in the text at hand, is forgotten: enough for a long document that is edited. A
    bundle takes some 10 kB with all that was computed about it.
    """

    def __init__(self, isa: Isa, *, most_remembered: int = _MAX_REMEMBERED) -> None:
        self.isa = isa
        self._most_remembered = most_remembered
        self._read = parser_for(isa).bundle
        rules = rules_for(isa)
        self._bundle_checks = [rule.check_bundle for rule in rules if rule.check_bundle]
        self._program_checks = [rule.check_program for rule in rules if rule.check_program]
        self._young: dict[str, Bundle] = {}
        self._old: dict[str, Bundle] = {}

    def analyze(
        self,
        text: str,
        path: str | None = None,
        before: Analysis | None = None,
        *,
        change: Change | None = None,
        settings: SourceSettings = DEFAULT_SETTINGS,
    ) -> Analysis:
        """The analysis of `text`, faster with the analysis of an earlier state, `before`.

        `change` is the edit from that state, if the caller knows it; one that does not turn the
        earlier text into `text` is ignored. `settings` say how the text is expanded. Never raises,
        whatever the text; `before` and `change` make no difference to the result.
        """
        # No reference cycles are made here. With the collector on, a first analysis takes 1.18
        # times as long, one after an edit 1.08 times.
        collects = gc.isenabled()
        gc.disable()
        self._forget()
        try:
            return self._analyze(text, path, before, change, settings)
        finally:
            if collects:
                gc.enable()

    def read_ahead(self, text: str) -> Iterator[None]:
        """Read the bundles of a text one by one, so that `analyze` has little left to do."""
        if is_listing(text):
            return
        start = 1 if text.startswith("\ufeff") else 0
        for end in parser_for(self.isa).grammar.ends_of_slices(text, start):
            self._bundle(text[start:end])
            start = end
            yield

    def _analyze(
        self,
        text: str,
        path: str | None,
        before: Analysis | None,
        change: Change | None,
        settings: SourceSettings,
    ) -> Analysis:
        if before is not None and before.isa is not self.isa:
            before = None
        # An edit from the first character on may be a whole text sent anew.
        if before and (change is None or not change.start or not change.turns(before.text, text)):
            change = change_between(before.text, text)
        lines = before.source.lines.after(text, change) if before and change else None
        source = SourceFile(text, path or "<stdin>", lines)
        surface = self.isa.surface
        if is_listing(text):
            return self._of_listing(source, before, settings)
        if is_template(surface, text):
            expanded = self._expanded(source, path, before, change, settings)
            return self._lifted(source, lambda: self._skeleton(text), expanded, settings)
        program = self._program(text, before, change)
        _set_known(program, _known_of(settings))
        is_expanding = surface.preprocessed and not is_binary(text)
        if is_expanding and (uses_defines(surface, text, settings) or program.where(is_expanded)):
            expanded = self._expanded(source, path, before, change, settings)
            if expanded:
                written = self._findings(program)
                written += self._misspelt(program, [e.expansion for e in expanded], text)
                return self._lifted(source, program, expanded, settings, written)
        return self._plain(source, program)

    def _program(self, text: str, before: Analysis | None, change: Change | None) -> Program:
        if before is None or is_template(self.isa.surface, before.text) or before.is_listing:
            return read_program(self.isa, text, self._bundle)
        return read_program(self.isa, text, self._bundle, before.program, change)

    def _skeleton(self, text: str) -> Program:
        from ipu_asm.source.templates import skeleton  # for templates alone

        return read_program(self.isa, skeleton(text), self._bundle)

    def _of_listing(
        self, source: SourceFile, before: Analysis | None, settings: SourceSettings
    ) -> Analysis:
        """The analysis of the listing of a disassembler. Its findings have no fixes."""
        from ipu_asm.assembler.listed_source import listing_expansion, skeleton_of_listing

        earlier = before.expanded if before is not None and before.is_listing else ()
        expansion = listing_expansion(source.text, self.isa)
        expanded = (self._analyzed(expansion, source.path, _known_of(settings), earlier),)

        def skeleton() -> Program:
            return read_program(self.isa, skeleton_of_listing(source.text), self._bundle)

        found = self._lifted(source, skeleton, expanded, settings)
        return found.with_diagnostics(tuple(f._replace(fix=None) for f in found.diagnostics))

    def _plain(self, source: SourceFile, program: Program) -> Analysis:
        """The analysis of a text that the assembler reads as it is."""
        findings = suppress(program, source, self._findings(program))
        findings.sort(key=_place)
        return Analysis(source, program, self.isa, tuple(findings))

    def _findings(self, program: Program) -> list[Diagnostic]:
        """All findings about a program, suppressed or not."""
        findings = list(program.findings)
        for check in self._program_checks if program.is_text else ():
            findings += check(program)
        return self._effective(program, findings)

    def _effective(self, program: Program, findings: list[Diagnostic]) -> list[Diagnostic]:
        if self.isa.surface.severity_directives:
            return list(apply_severity_directives(program, findings))
        return findings

    def _misspelt(
        self, program: Program, expansions: Sequence[Expansion], written: str
    ) -> list[Diagnostic]:
        """Findings about misspelt names, which depend on the names that expansions define.

        The program is that of one of them, or of the text that they are made of, `written`.
        """
        if not self.isa.surface.c_preprocessor:
            return []

        findings = near_name_findings(program, lambda: _names_of(expansions), written)
        return self._effective(program, findings)

    def _expanded(
        self,
        source: SourceFile,
        path: str | None,
        before: Analysis | None,
        change: Change | None,
        settings: SourceSettings,
    ) -> tuple[Expanded, ...]:
        """Return the expansions of a text with their analyses, each faster with its earlier one."""
        earlier = before.expanded if before else ()
        expansions = expand(
            self.isa.surface, source.text, path, settings, [e.expansion for e in earlier], change
        )
        return tuple(
            self._analyzed(
                expansion,
                source.path,
                _known_of(settings, self._template_comments(source.text, expansion)),
                earlier[number : number + 1],
            )
            for number, expansion in enumerate(expansions)
        )

    def _template_comments(self, text: str, expansion: Expansion) -> tuple[TemplateComment, ...]:
        if not self.isa.surface.templates:
            return ()
        from ipu_asm.source.templates import template_comments  # for templates alone

        return template_comments(text, expansion.source_map)

    def _analyzed(
        self, expansion: Expansion, path: str, known: _Known, earlier: tuple[Expanded, ...]
    ) -> Expanded:
        """Return the analysis of an expansion; `known` is what is known besides its text."""
        before = earlier[0].analysis if earlier else None
        if before is None:
            program = read_program(self.isa, expansion.text, self._bundle)
        else:
            if before.text == expansion.text and _is_known(before.program, known):
                return Expanded(expansion, before)
            change = change_between(before.text, expansion.text)
            program = read_program(self.isa, expansion.text, self._bundle, before.program, change)
        _set_known(program, known)
        return self._unsuppressed(expansion, path, program)

    def _unsuppressed(self, expansion: Expansion, path: str, program: Program) -> Expanded:
        """Return an expansion with all its findings: comments count where they were written."""
        findings = sorted(self._findings(program), key=_place)
        # Its lines are asked for by few features, so they are not read at each edit.
        source = SourceFile(expansion.text, path)
        return Expanded(expansion, Analysis(source, program, self.isa, tuple(findings)))

    def _lifted(
        self,
        source: SourceFile,
        program: Program | Callable[[], Program],
        expanded: tuple[Expanded, ...],
        settings: SourceSettings,
        written: Sequence[Diagnostic] = (),
    ) -> Analysis:
        """The analysis of a text with expansions; `written` are findings about the text itself."""
        # Most texts are read as they are.
        from ipu_asm.source.lifting import findings_outside, lifted_findings

        expansions = [each.expansion for each in expanded]
        found = [
            (
                expansion,
                (*each.diagnostics, *self._misspelt(each.program, [expansion], source.text)),
            )
            for expansion, each in expanded
        ]
        findings = lifted_findings(found)
        findings += findings_outside(source.text, written, expansions)
        if self.isa.surface.templates:
            swallowed = (swallowed_code(self.isa, source.text, each) for each in expansions)
            findings += dict.fromkeys(chain.from_iterable(swallowed))
        headers = {p: file for each in expanded for p, file in each.expansion.files.items()}
        analysis = Analysis(source, program, self.isa, (), expanded, settings)
        surface = self.isa.surface
        findings = suppress_written(source, lambda: analysis.program, surface, headers, findings)
        return analysis.with_diagnostics(tuple(sorted(findings, key=_file_and_place)))

    def _bundle(self, text: str) -> Bundle:
        bundle = self._young.get(text)
        if bundle is None:
            bundle = self._old.get(text)
            if bundle is None:
                bundle = self._read(text)
                more = [f for check in self._bundle_checks for f in check(self.isa, bundle)]
                if more:
                    bundle = bundle.with_findings(more)
            if len(text) <= _LONGEST_REMEMBERED:
                self._young[bundle.syntax.text] = bundle
        return bundle

    def _forget(self) -> None:
        """Forget old bundles, between two texts: those of one text, however long, are shared."""
        if len(self._young) >= self._most_remembered:
            is_long = len(self._young) > _LONG_TEXT * self._most_remembered
            self._old, self._young = {} if is_long else self._young, {}


def _names_of(expansions: Sequence[Expansion]) -> frozenset[str]:
    return frozenset().union(*(expansion.defined for expansion in expansions))


def _known_of(settings: SourceSettings, comments: tuple[TemplateComment, ...] = ()) -> _Known:
    return settings.presets, settings.configurations, settings.hosts, comments


def _set_known(program: Program, known: _Known) -> None:
    program.presets, program.configurations, program.hosts, program.template_comments = known


def _is_known(program: Program, known: _Known) -> bool:
    found = program.presets, program.configurations, program.hosts, program.template_comments
    return found == known


def analyze(
    text: str, isa: str | Isa = DEFAULT_ISA, path: str | os.PathLike[str] | None = None
) -> Analysis:
    """Everything that is known about a text. Never raises for the text's sake.

    Its findings have rows and columns: `finding.location.row`.
    With a `path`, the headers beside that file are read, and those below the nearest folder above
    it that has version control, in its folder `include`; no configuration is.
    Raises `UnknownIsaError` for the name of an instruction set that this version does not have, and
    `TypeError` for what is no text or no path.
    """
    require_text(text, "analyze")
    if path is not None and not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"`path` is the path of a file, found {type(path).__name__}")
    analyzer = Analyzer(isa_of(isa))
    if path is None:
        analysis = analyzer.analyze(text)
    else:
        path = os.fsdecode(path)
        analysis = analyzer.analyze(text, path, settings=source_settings(path))
    from ipu_asm.diagnostics.rendering import (
        located,  # commands and the server find rows themselves
    )

    return analysis.with_diagnostics(
        located(analysis.diagnostics, analysis.source, analysis.headers)
    )


def apply_severity_directives(
    program: Program, findings: Iterable[Diagnostic]
) -> Iterator[Diagnostic]:
    """Yield the findings that the directives keep, with their effective severity."""
    changes = _changes_of(program)
    for finding in findings:
        directive = _directive_for(program, finding, changes)
        if directive is None:
            yield finding
        elif directive.severity is not None:
            yield finding._replace(rule=finding.rule._replace(severity=directive.severity))


def _changes_of(program: Program) -> dict[SeverityDirective, list[tuple[int, bool]]]:
    """Return for each directive in use the bundles where it begins (True) or ends (False)."""
    known = program.isa.surface.severity_directives
    numbers = program.where(_is_severity_directive) if known else []
    written = [(number, program.bundles[number].directive) for number in numbers]
    return {
        directive: [
            (number, word == directive.directive)
            for number, word in written
            if word in (directive.directive, directive.ended_by)
        ]
        for directive in known
        if any(word == directive.directive for _, word in written)
    }


def _is_severity_directive(isa: Isa, bundle: Bundle) -> bool:
    return bundle.directive is not None and any(
        bundle.directive in (each.directive, each.ended_by)
        for each in isa.surface.severity_directives
    )


def _directive_for(
    program: Program, finding: Diagnostic, changes: dict[SeverityDirective, list[tuple[int, bool]]]
) -> SeverityDirective | None:
    """Return the directive that applies to a finding; one that drops it takes precedence."""
    found = None
    for directive, changed_at in changes.items():
        if finding.code not in directive.codes:
            continue
        bundle = program.bundle_at(finding.span.start)
        before = [is_in_force for number, is_in_force in changed_at if number <= bundle]
        if before and before[-1] and (found is None or directive.severity is None):
            found = directive
    return found
