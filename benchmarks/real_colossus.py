"""`python -m benchmarks.real_colossus FOLDER`: how well real Colossus files are checked.

On all `.S` files of a folder, with the headers in it: findings on the files as they are, of which
none should be an error or a warning; the share of statements of which each name is known; and the
share of planted mistakes that are told at their line.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Iterator, Mapping, Sequence

from benchmarks.colossus_mutants import MUTATIONS, File, Mutant
from ipu_asm import load_isa
from ipu_asm.analysis.analysis import Analysis, Expanded
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.bundle.operand_matching import Instruction
from ipu_asm.config import Configuration
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.isa.gnu_expressions import read_expression
from ipu_asm.isa.model import Isa
from ipu_asm.source.expansion import source_settings
from ipu_asm.source.source_map import MAIN
from ipu_asm.text import Span

_INCLUDE_PATHS = ("include", "**/include", "**/asm")


def main(arguments: list[str] | None = None) -> int:
    """Print what was measured; 1 if an original file has errors or warnings."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_colossus", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mutants", type=int, default=80, help="of each sort")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--missed", action="store_true", help="show each mutant that is missed")
    parser.add_argument("--only", choices=MUTATIONS, action="append", help="a sort of mutants")
    parser.add_argument("--unknown", action="store_true", help="show the names that are unknown")
    options = parser.parse_args(arguments)
    analyzer = Analyzer(load_isa("colossus"))
    files = [*_files(analyzer, options.folder.resolve())]
    loud = _print_findings(files)
    _print_resolved(files, options.unknown)
    _print_mutants(analyzer, files, options)
    return int(loud)


def _files(analyzer: Analyzer, folder: Path) -> Iterator[File]:
    configuration = Configuration(folder=str(folder), include_paths=_INCLUDE_PATHS)
    for path in sorted(folder.rglob("*.S")):
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        settings = source_settings(str(path), configuration)
        analysis = analyzer.analyze(text, str(path), settings=settings)
        yield File(str(path), text, settings, analysis)


def _loud(analysis: Analysis) -> list[Diagnostic]:
    return [each for each in analysis.diagnostics if each.severity is not Severity.HINT]


def _print_findings(files: list[File]) -> bool:
    counts = Counter(each.code for file in files for each in file.analysis.diagnostics)
    loud = 0
    for file in files:
        for finding in _loud(file.analysis):
            loud += 1
            where = finding.path or file.path
            source = file.analysis.source
            line = source.lines.position(finding.span.start).line + 1 if not finding.path else "?"
            print(f"  {os.path.basename(where)}:{line}: {finding.code} {finding.message}")
    print(f"{len(files)} files, {loud} errors and warnings; by code: {dict(counts)}")
    return loud > 0


# -- statements of which each name is known --


def _print_resolved(files: list[File], shows_unknown: bool) -> None:
    including: dict[str, list[Expanded]] = {}
    for file in files:
        for expanded in file.analysis.expanded:
            for path in expanded.expansion.files:
                including.setdefault(path, []).append(expanded)
    _print_share("by files that include them", files, including, shows_unknown)
    _print_share("each file by itself", files, {}, shows_unknown)


def _print_share(
    how: str,
    files: list[File],
    including: Mapping[str, Sequence[Expanded]],
    shows_unknown: bool,
) -> None:
    known = total = 0
    unknown: Counter[str] = Counter()
    for file in files:
        for names in _unknown_names(file.analysis, file.path, including.get(file.path, ())):
            total += 1
            known += not names
            unknown.update(names)
    print(f"statements resolved in full, {how}: {known} of {total}, {known / max(1, total):.1%}")
    if shows_unknown:
        print("  " + ", ".join(f"{name} {count}" for name, count in unknown.most_common(80)))


def _unknown_names(
    analysis: Analysis, path: str, including: Sequence[Expanded]
) -> Iterator[set[str]]:
    """Yield for each written instruction the names in it that are unknown in an expansion.

    What is never assembled in the file itself, at `path`, is looked at in files that include it.
    """
    uses = {use.place.span.start for e in analysis.expanded for use in e.expansion.uses}
    uses |= {
        u.place.span.start for e in including for u in e.expansion.uses if u.place.path == path
    }
    contexts = [(each, _known_names(each), MAIN) for each in analysis.expanded]
    others = [(each, _known_names(each), path) for each in including]
    program = analysis.program
    for number, bundle in enumerate(program.bundles):
        for index, instruction in enumerate(bundle.instructions):
            span = program.span(number, bundle.span(index))
            names: set[str] = set()
            is_read = False
            for group in (contexts, others):
                for expanded, known, where in group if not is_read else ():
                    for start in expanded.expansion.source_map.expanded(where, span.start):
                        is_read = True
                        names |= _unknown_at(expanded.analysis, start, known)
            if not contexts:
                is_read = True
                names |= _unknown_in(analysis.isa, instruction, set(program.labels))
            if not is_read and span.start not in uses:
                names.add("<never assembled>")
            yield names


def _known_names(expanded: Expanded) -> set[str]:
    program = expanded.analysis.program
    return {*program.labels, *_symbols(program.text), *_external(program.text)}


def _symbols(text: str) -> set[str]:
    found = re.findall(r"\.(?:set|equ|equiv|comm|lcomm)[ \t]+([\w.$]+)[ \t]*,", text)
    return {*found, *re.findall(r"(?m)^[ \t]*([\w.$]+)[ \t]*=[^=]", text)}


def _external(text: str) -> set[str]:
    return set(re.findall(r"\.(?:extern|globl|global|weak)[ \t]+([\w.$]+)", text))


def _unknown_at(analysis: Analysis, offset: int, known: set[str]) -> set[str]:
    program = analysis.program
    number = program.bundle_at(offset)
    bundle = program.bundles[number]
    for index, instruction in enumerate(bundle.instructions):
        span = program.span(number, bundle.syntax.instruction_span(index))
        if span.start <= offset < span.end:
            return _unknown_in(analysis.isa, instruction, known)
    return set()


def _unknown_in(isa: Isa, instruction: Instruction, known: set[str]) -> set[str]:
    if instruction.spec is None:
        return {instruction.mnemonic}
    unknown: set[str] = set()
    for operand, text, value in zip(
        instruction.operands, instruction.words[1:], instruction.values
    ):
        if isinstance(value, int) or operand is None:
            continue
        expression = read_expression(text)
        if expression.is_opaque:
            unknown.add(text)
        unknown |= {n for n in expression.names if n not in known and n != "."}
        register = expression.register
        if register and register not in isa.file_of_register and value is None:
            unknown.add(register)
    return unknown


# -- planted mistakes --


def _print_mutants(analyzer: Analyzer, files: list[File], options: argparse.Namespace) -> None:
    random = Random(options.seed)
    totals: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for name in options.only or MUTATIONS:
        mutate = MUTATIONS[name]
        tries = 0
        while totals[name] < options.mutants and tries < options.mutants * 50:
            tries += 1
            file = random.choice(files)
            mutant = mutate(random, analyzer.isa, file)
            if mutant is None:
                continue
            totals[name] += 1
            if _is_told(analyzer, file, mutant):
                told[name] += 1
            elif options.missed:
                print(
                    f"  missed {name}: {os.path.basename(file.path)}:{mutant.first + 1}: "
                    f"{mutant.what}"
                )
        print(
            f"{name:24} {told[name]:4} of {totals[name]:4}  "
            f"{told[name] / max(1, totals[name]):.1%}",
            flush=True,
        )
    share = told.total() / max(1, totals.total())
    print(f"{'all':24} {told.total():4} of {totals.total():4}  {share:.1%}")


def _is_told(analyzer: Analyzer, file: File, mutant: Mutant) -> bool:
    analysis = analyzer.analyze(mutant.text, file.path, settings=file.settings)
    old = Counter((each.code, each.message) for each in _loud(file.analysis))
    lines = analysis.source.lines
    for finding in _loud(analysis):
        if old[finding.code, finding.message]:
            continue
        places = [Span(0, 0)] if finding.path else [finding.span]
        places += [each.span for each in finding.related if each.path is None]
        rows = {lines.position(span.start).line for span in places if span.end}
        if any(mutant.first <= row <= mutant.last for row in rows):
            return True
    return False


if __name__ == "__main__":
    sys.exit(main())
