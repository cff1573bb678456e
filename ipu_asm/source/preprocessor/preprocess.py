"""Expansion of a text by the C preprocessor."""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.diagnostics import Diagnostic, RelatedInformation
from ipu_asm.diagnostics.errors import EXPANSION_LIMIT, INCLUDE_NOT_FOUND
from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import Deferred, Expansion, Include, SourceSettings
from ipu_asm.source.preprocessor.conditions import Answers
from ipu_asm.source.preprocessor.edited_lines import ReadLines
from ipu_asm.source.preprocessor.environment import Environment, FileStore
from ipu_asm.source.preprocessor.limits import MOST_WRITTEN
from ipu_asm.source.preprocessor.lines import FileLines
from ipu_asm.source.preprocessor.names import MacroNames
from ipu_asm.source.preprocessor.output import PieceMap, Positions
from ipu_asm.source.preprocessor.run import Run
from ipu_asm.source.preprocessor.variants import described, variants
from ipu_asm.source.source_map import MAIN, SourceMap, SourceRange
from ipu_asm.text import Change, SourceFile, Span, change_between


def preprocess(
    surface: Surface,
    text: str,
    path: str | None,
    settings: SourceSettings,
    before: Sequence[Expansion] = (),
    change: Change | None = None,
) -> tuple[Expansion, ...]:
    """Return the expansions of a text, one for each assumption about unknown conditions.

    Directives of the assembler stay in it, and so do includes that are not found. Never raises.
    """
    if len(text) > MOST_WRITTEN:
        return (_too_long(text),)
    memo = memo_of(before[0]) if before else None
    if memo is not None and memo.environment.again(path, settings):
        environment = memo.environment
        main = memo.main
        if change is None or not change.turns(main.text, text):
            change = change_between(main.text, text)
        main = main.after(text, change)
    else:
        memo = None
        environment = Environment(surface, path, settings)
        main = FileLines.of(MAIN, text)
    store = FileStore(settings.reader, memo.store if memo else None)

    def run(answers: Answers) -> Run:
        return Run(environment, store, answers).preprocess(main)

    runs = variants(run)
    return tuple(
        _expansion(each, is_in_file=path is not None)._replace(
            is_assumed=len(runs) > 1,
            memo=PreprocessorMemo(environment, store, main, ReadLines(each, main)),
        )
        for each in runs
    )


class PreprocessorMemo(NamedTuple):
    """State that the next expansion of the same file reuses."""

    environment: Environment
    store: FileStore
    main: FileLines
    read: ReadLines


def memo_of(expansion: Expansion) -> PreprocessorMemo | None:
    """Return what the preprocessor remembers of an expansion; None if it did not make it."""
    return expansion.memo if isinstance(expansion.memo, PreprocessorMemo) else None


def _too_long(text: str) -> Expansion:
    message = f"a file with macros has at most {MOST_WRITTEN:,} characters, found {len(text):,}"
    finding = Diagnostic(EXPANSION_LIMIT, message, Span(0, len(text[:200].splitlines()[0])))
    return Expansion("", SourceMap(()), findings=(finding,))


def _expansion(run: Run, is_in_file: bool) -> Expansion:
    positions = Positions(run.files)
    text = "".join(piece.output.text for piece in run.pieces)
    includes = [
        Include(positions.range_of(each.place), each.name, each.path) for each in run.includes
    ]
    return Expansion(
        text,
        PieceMap(run.pieces, positions),
        described(run),
        # For a text in no file no header is read, which is no fault of its author.
        (*_findings(run, positions), *(_missing(includes) if is_in_file else ())),
        Deferred(lambda: MacroNames(run.files, positions).definitions(run.macros)),
        Deferred(lambda: MacroNames(run.files, positions).uses(run.macros, run.mentions)),
        includes=tuple(includes),
        files={
            path: SourceFile(lines.text, path) for path, lines in run.files.items() if path != MAIN
        },
        defined=frozenset(macro.name for macro in run.macros),
        is_line_local=not run.reads_on,
    )


def _findings(run: Run, positions: Positions) -> Iterator[Diagnostic]:
    """Yield the findings about directives and calls, or only that about an exceeded limit."""
    # A header that is read twice has the same mistakes twice.
    for rule, place, message, more in run.limits or dict.fromkeys(run.mistakes):
        written = positions.range_of(place)
        related = tuple(_related(positions.range_of(each), said) for each, said in more)
        yield Diagnostic(rule, message, written.span, related, path=written.path or None)


def _related(place: SourceRange, message: str) -> RelatedInformation:
    return RelatedInformation(place.span, message, place.path or None)


def _missing(includes: list[Include]) -> list[Diagnostic]:
    """Return a finding for each include of the analysed file whose header is not found."""
    found = {}
    for (path, span), name, target in includes:
        if path == MAIN and target is None:
            message = f"an include names a file in the include paths, found no `{name}`"
            found[span] = Diagnostic(INCLUDE_NOT_FOUND, message, span)
    return [*found.values()]
