"""Expansion of a text by the C preprocessor."""

from __future__ import annotations

from itertools import product
from typing import Callable, Iterator, Sequence

from ipu_asm.diagnostics import EXPANSION_LIMIT, INCLUDE_NOT_FOUND, Diagnostic
from ipu_asm.isa.surface import Surface
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import Deferred, Expansion, Include, SourceSettings
from ipu_asm.source.lifting import related_at
from ipu_asm.source.preprocessor.conditionals import Chain
from ipu_asm.source.preprocessor.conditions import Assumptions
from ipu_asm.source.preprocessor.edited_lines import ReadLines
from ipu_asm.source.preprocessor.environment import Environment, FileStore
from ipu_asm.source.preprocessor.lines import FileLines, Line
from ipu_asm.source.preprocessor.mistakes import MAX_WRITTEN
from ipu_asm.source.preprocessor.output import MacroNames, PieceMap, Positions
from ipu_asm.source.preprocessor.run import Run
from ipu_asm.source.source_map import MAIN, SourceMap
from ipu_asm.text import SourceFile, Span, change_between

MAX_VARIANTS = 8
_MAX_TESTS = 6
_MAX_COMBINATIONS = 256
_Branch = tuple[Line, int]


def preprocess(
    surface: Surface,
    text: str,
    path: str | None,
    settings: SourceSettings,
    before: Sequence[Expansion] = (),
) -> tuple[Expansion, ...]:
    """Return the expansions of a text, one for each assumption about unknown conditions.

    Directives of the assembler stay in it, and so do includes that are not found. Never raises.
    """
    if len(text) > MAX_WRITTEN:
        return (_too_long(text),)
    memo = memo_of(before[0]) if before else None
    if memo is not None and memo.environment.again(path, settings):
        environment = memo.environment
        main = memo.main.after(text, change_between(memo.main.text, text))
    else:
        memo = None
        environment = Environment(surface, path, settings)
        main = FileLines.of(MAIN, text)
    store = FileStore(settings.reader, memo.store if memo else None)
    runs = variants(lambda assumptions: Run(environment, store, assumptions).preprocess(main))
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
    message = f"a file with macros has at most {MAX_WRITTEN:,} characters, found {len(text):,}"
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
        related = tuple(related_at(positions.range_of(each), message) for each, message in more)
        yield Diagnostic(rule, message, written.span, related, path=written.path or None)


def _missing(includes: list[Include]) -> list[Diagnostic]:
    """Return a finding for each include of the analysed file whose header is not found."""
    found = {}
    for (path, span), name, target in includes:
        if path == MAIN and target is None:
            message = f"an include names a file in the include paths, found no `{name}`"
            found[span] = Diagnostic(INCLUDE_NOT_FOUND, message, span)
    return [*found.values()]


def variants(run: Callable[[Assumptions], Run]) -> list[Run]:
    """Return runs that together cover all branches, at most `MAX_VARIANTS`.

    Those that an `#error` refuses are left out, unless all are.
    """
    runs: list[Run] = []
    covered: set[_Branch] = set()
    waiting: list[tuple[_Branch | None, Assumptions]] = [(None, {})]
    met: set[_Branch] = set()
    while waiting and len(runs) < MAX_VARIANTS:
        branch, assumptions = waiting.pop(0)
        if branch in covered:
            continue
        made = run(assumptions)
        runs.append(made)
        if made.limits:
            return [made]
        covered.update(
            (chain.line, chain.taken) for chain in made.chains if chain.taken is not None
        )
        for branch, chain in _branches(made):
            if len(waiting) >= MAX_VARIANTS:
                break
            if branch not in covered and branch not in met:
                met.add(branch)
                further = _assumptions_for(chain, branch[1], assumptions)
                if further is not None:
                    waiting.append((branch, further))
    accepted = [each for each in runs if not each.is_refused]
    return accepted or runs[:1]


def described(run: Run) -> str:
    """Describe the assumptions of a run; empty if no condition was unknown."""
    tested = {test: value for chain in run.chains for test, value in chain.assumptions.items()}
    assumed = {test: value for test, value in tested.items() if run.assumptions.get(test)}
    chosen = assumed or tested
    return ", ".join(_described_assumption(*each) for each in [*chosen.items()][:3])


def _described_assumption(test: str, value: bool | int) -> str:
    if test.startswith("defined("):
        return f"`{test[8:-1]}` is {'' if value else 'not '}defined"
    if isinstance(value, bool):
        return f"`{test}` {'holds' if value else 'does not hold'}"
    return f"`{test}` is {value}"


def _branches(run: Run) -> Iterator[tuple[_Branch, Chain]]:
    for chain in run.chains:
        # Where an `#error` is reached, another branch is looked for, even one without text.
        for number in range(len(chain.conditions) + run.is_refused):
            yield (chain.line, number), chain


def _assumptions_for(chain: Chain, branch: int, assumptions: Assumptions) -> Assumptions | None:
    """Return assumptions that take a branch and change as few given assumptions as possible."""
    tests = _tested_in(chain, branch, assumptions)
    if len(tests) > _MAX_TESTS:
        return None
    found: list[tuple[int, Assumptions]] = []
    values = [_possible(chain, test) for test in tests]
    for number, chosen in enumerate(product(*values)):
        if number >= _MAX_COMBINATIONS:
            break
        tried = {**assumptions, **dict(zip(tests, chosen, strict=True))}
        if _takes(chain, branch, tried):
            changed = sum(tried[test] != chain.assumptions.get(test, False) for test in tests)
            found.append((changed, tried))
    return min(found, key=lambda each: each[0])[1] if found else None


def _tested_in(chain: Chain, branch: int, assumptions: Assumptions) -> list[str]:
    tested: dict[str, bool | int] = {}
    for condition in chain.conditions[: branch + 1]:
        if condition is not None:
            condition.holds(assumptions, tested)
    return [*tested]


def _possible(chain: Chain, test: str) -> tuple[bool | int, ...]:
    for condition in chain.conditions:
        if condition is not None and test in condition.choices:
            return condition.choices[test]
    return (False, True)


def _takes(chain: Chain, branch: int, assumptions: Assumptions) -> bool:
    for number, condition in enumerate(chain.conditions[: branch + 1]):
        if condition is None or condition.holds(assumptions):
            return number == branch
    return branch == len(chain.conditions)
