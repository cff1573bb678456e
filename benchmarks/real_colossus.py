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
from typing import Callable, Iterator, NamedTuple

from ipu_asm import load_isa
from ipu_asm.analysis.analysis import Analysis, Expanded
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.bundle.instruction import Instruction
from ipu_asm.config.configuration import Configuration
from ipu_asm.diagnostics import Diagnostic, Severity
from ipu_asm.isa.gnu_expressions import read_expression
from ipu_asm.isa.model import Isa
from ipu_asm.source.expansion import SourceSettings
from ipu_asm.source.settings import source_settings
from ipu_asm.source.source_map import MAIN, SourceRange
from ipu_asm.text import Span

_INCLUDE_PATHS = ("include", "**/include", "**/asm")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_STATEMENT = re.compile(
    r"^(?P<head>[ \t]*(?:[\w.$]+:[ \t]*)?(?:\{[ \t]*)?)(?P<mnemonic>[a-z][\w.]*)"
    r"(?P<operands>(?:[ \t]+[^;{}\n/#\\]*?)?)(?P<tail>[ \t]*(?:[;}]|//|/\*|$))",
    re.MULTILINE,
)
_OPERAND = re.compile(r"[^,\s][^,]*")
_REGISTER = re.compile(r"\$([ma])(\d+)(?::(\d+))?(?![\w:])")
_NAME = re.compile(r"(?<![\w.$])[A-Za-z_]\w{2,}(?![\w(])|(?<=\$)[A-Za-z_]\w{2,}")
_PAIR = re.compile(r"\{([^{};\n]+);([^{};\n]+)\}|\{([^{};\n]+)\n([^{};\n]+)\}")


class File(NamedTuple):
    """A file with its settings and its analysis."""

    path: str
    text: str
    settings: SourceSettings
    analysis: Analysis


class Mutant(NamedTuple):
    """A text with a mistake in the lines ``first..last``, from 0; `what` shows it."""

    text: str
    first: int
    last: int
    what: str


def main(arguments: list[str] | None = None) -> int:
    """Print what was measured; 1 if an original file has errors or warnings."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_colossus", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mutants", type=int, default=80, help="of each sort")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--missed", action="store_true", help="show each mutant that is missed")
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
    known = total = 0
    unknown: Counter[str] = Counter()
    including: dict[str, list[Expanded]] = {}
    for file in files:
        for expanded in file.analysis.expanded:
            for path in expanded.expansion.files:
                including.setdefault(path, []).append(expanded)
    for file in files:
        for names in _unknown_names(file.analysis, file.path, including.get(file.path, [])):
            total += 1
            known += not names
            unknown.update(names)
    print(f"statements resolved in full: {known} of {total}, {known / max(1, total):.1%}")
    if shows_unknown:
        print("  " + ", ".join(f"{name} {count}" for name, count in unknown.most_common(80)))


def _unknown_names(analysis: Analysis, path: str, including: list[Expanded]) -> Iterator[set[str]]:
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
    for name, mutate in _MUTATIONS.items():
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


def _statement(random: Random, isa: Isa, file: File) -> re.Match[str] | None:
    matches = [
        match
        for match in _STATEMENT.finditer(file.text)
        if isa.spec(match["mnemonic"]) is not None and _is_assembled(file, match.start("mnemonic"))
    ]
    return random.choice(matches) if matches else None


def _is_assembled(file: File, offset: int) -> bool:
    """Whether a statement is read in some expansion, or there are none."""
    expanded = file.analysis.expanded
    place = SourceRange(MAIN, Span(offset, offset + 1))
    return not expanded or any(e.expansion.source_map.expanded_spans(place) for e in expanded)


def _replaced(file: File, start: int, end: int, new: str) -> Mutant:
    text = file.text[:start] + new + file.text[end:]
    first = file.text.count("\n", 0, start)
    last = file.text.count("\n", 0, end)
    old = file.text[start:end]
    line = text.splitlines()[first].strip()
    return Mutant(text, first, last, f"`{old}` -> `{new}` in `{line}`")


def _misspelt(random: Random, word: str) -> str:
    """A word with two letters swapped, one left out, one too many or another one."""
    at = random.randrange(1, len(word))
    letter = random.choice(_LETTERS)
    if word[at : at + 1].isupper():
        letter = letter.upper()
    ways = [word[:at] + word[at + 1 :], word[:at] + letter + word[at:]]
    ways += [word[:at] + letter + word[at + 1 :]]
    ways += [word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]]
    return random.choice(ways)


def _misspelt_mnemonic(random: Random, isa: Isa, file: File) -> Mutant | None:
    match = _statement(random, isa, file)
    if match is None or len(match["mnemonic"]) < 3:
        return None
    new = _misspelt(random, match["mnemonic"])
    if isa.spec(new) is not None or re.search(rf"\b{re.escape(new)}\b", file.text):
        return None
    return _replaced(file, *match.span("mnemonic"), new)


def _misspelt_name(random: Random, isa: Isa, file: File) -> Mutant | None:
    match = _statement(random, isa, file)
    if match is None:
        return None
    defined = set(re.findall(r"#[ \t]*define[ \t]+(\w+)", file.text))
    defined |= {d.name for e in file.analysis.expanded for d in e.expansion.definitions}
    names = [
        name for name in _NAME.finditer(file.text, *match.span("operands")) if name[0] in defined
    ]
    if not names:
        return None
    name = random.choice(names)
    new = _misspelt(random, name[0])
    if new in defined or f"${new}" in isa.file_of_register or re.search(rf"\b{new}\b", file.text):
        return None
    return _replaced(file, *name.span(), new)


def _operands(match: re.Match[str], file: File) -> list[tuple[int, int]]:
    found = _OPERAND.finditer(file.text, *match.span("operands"))
    return [(each.start(), each.start() + len(each[0].rstrip())) for each in found]


def _operand_too_many(random: Random, isa: Isa, file: File) -> Mutant | None:
    match = _statement(random, isa, file)
    if match is None or "(" in match["operands"]:
        return None
    operands = _operands(match, file)
    if not operands:
        return None
    start, end = random.choice(operands)
    last = operands[-1][1]
    mutant = _replaced(file, last, last, f", {file.text[start:end]}")
    words = (match["mnemonic"], *[file.text[a:b] for a, b in operands], file.text[start:end])
    return None if _takes(isa, words) else mutant


def _takes(isa: Isa, words: tuple[str, ...]) -> bool:
    """Whether some form of the mnemonic has as many operands."""
    spec = isa.spec(words[0])
    return spec is not None and any(len(f.operands) == len(words) - 1 for f in isa.forms(spec))


def _operand_missing(random: Random, isa: Isa, file: File) -> Mutant | None:
    match = _statement(random, isa, file)
    if match is None or "(" in match["operands"]:
        return None
    operands = _operands(match, file)
    if len(operands) < 2:
        return None
    words = (match["mnemonic"], *[file.text[a:b] for a, b in operands[:-1]])
    if _takes(isa, words):
        return None
    return _replaced(file, operands[-2][1], operands[-1][1], "")


def _register(random: Random, isa: Isa, file: File) -> re.Match[str] | None:
    match = _statement(random, isa, file)
    found = [*_REGISTER.finditer(file.text, *match.span("operands"))] if match else []
    return random.choice(found) if found else None


def _wrong_file(random: Random, isa: Isa, file: File) -> Mutant | None:
    match = _statement(random, isa, file)
    if match is None:
        return None
    operands = _operands(match, file)
    registers = [(a, b) for a, b in operands if file.text[a] == "$"]
    if not registers:
        return None
    start, end = random.choice(registers)
    written = file.text[start:end]
    literal = _REGISTER.fullmatch(written)
    letter = literal[1] if literal else written[1]
    if letter not in "ma":
        return None
    other = "a" if letter == "m" else "m"
    new = f"${other}{literal[2] if literal else '3'}"
    new += f":{literal[3]}" if literal and literal[3] else ""
    words = [new if a == start else _literal(file, file.text[a:b]) for a, b in operands]
    if _accepts(isa, (match["mnemonic"], *words)):
        return None
    return _replaced(file, start, end, new)


def _literal(file: File, operand: str) -> str:
    """An operand with what it stands for where it is the name of a register."""
    found = re.search(rf"#[ \t]*define[ \t]+{re.escape(operand[1:])}[ \t]+([ma]\d+\S*)", file.text)
    if operand[:1] != "$":
        return "0"
    return f"${found[1]}" if found else operand


def _accepts(isa: Isa, words: tuple[str, ...]) -> bool:
    """Whether some form of the mnemonic takes these operands."""
    from ipu_asm.bundle.form_matching import read_instruction

    instruction = read_instruction(isa, words)
    return instruction is not None and not instruction.findings


def _no_such_register(random: Random, isa: Isa, file: File) -> Mutant | None:
    match = _register(random, isa, file)
    if match is None or match[3]:
        return None
    return _replaced(file, *match.span(), f"${match[1]}{random.choice((16, 17, 21, 31, 99))}")


def _shifted_pair(random: Random, isa: Isa, file: File) -> Mutant | None:
    match = _register(random, isa, file)
    if match is None or not match[3]:
        return None
    first, last = int(match[2]), int(match[3])
    ways = (f"{last}:{first}", f"{first + 1}:{last + 1}", f"{first}:{last + 1}")
    return _replaced(file, *match.span(), f"${match[1]}{random.choice(ways)}")


def _swapped_halves(random: Random, isa: Isa, file: File) -> Mutant | None:
    pairs = []
    for match in _PAIR.finditer(file.text):
        groups = (1, 2) if match[1] else (3, 4)
        first, second = (match[group].strip() for group in groups)
        words = [half.split()[0].rstrip(":") for half in (first, second) if half]
        specs = [isa.spec(word) for word in words]
        is_plain = "//" not in match[0] and "#" not in match[0] and ":" not in first.split()[0]
        if len(specs) == 2 and all(specs) and is_plain and first != second:
            slots = [{form.slot for form in isa.forms(spec)} for spec in specs if spec]
            if not slots[0] & slots[1] and _is_assembled(file, match.start() + 1):
                pairs.append((match, groups))
    if not pairs:
        return None
    match, (one, other) = random.choice(pairs)
    middle = file.text[match.end(one) : match.start(other)]
    return _replaced(
        file, match.start(one), match.end(other), f"{match[other]}{middle}{match[one]}"
    )


_MUTATIONS: dict[str, Callable[[Random, Isa, File], Mutant | None]] = {
    "misspelt mnemonic": _misspelt_mnemonic,
    "misspelt name": _misspelt_name,
    "operand too many": _operand_too_many,
    "operand missing": _operand_missing,
    "register of other file": _wrong_file,
    "no such register": _no_such_register,
    "wrong group": _shifted_pair,
    "halves swapped": _swapped_halves,
}


if __name__ == "__main__":
    sys.exit(main())
