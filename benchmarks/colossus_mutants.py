"""Mistakes planted in real Colossus files: one word changed in a statement that is assembled."""

from __future__ import annotations

import re
from random import Random
from typing import Callable, NamedTuple

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.isa.model import Isa
from ipu_asm.source.expansion import SourceSettings
from ipu_asm.source.source_map import MAIN, SourceRange
from ipu_asm.text import Span

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
    # Loads and stores take address registers of either file; a header may name their results.
    unknown = [n for n, word in enumerate(words) if word[0] == "$" and not _is_register(isa, word)]
    for file_letter in "ma":
        tried = [f"${file_letter}0" if n in unknown else word for n, word in enumerate(words)]
        if _accepts(isa, (match["mnemonic"], *tried)):
            return None
    return _replaced(file, start, end, new)


def _is_register(isa: Isa, word: str) -> bool:
    return word in isa.file_of_register or word in isa.surface.register_aliases or ":" in word


def _literal(file: File, operand: str) -> str:
    """An operand with what it stands for where it is the name of a register."""
    found = re.search(rf"#[ \t]*define[ \t]+{re.escape(operand[1:])}[ \t]+([ma]\d+\S*)", file.text)
    if operand[:1] != "$":
        return "0"
    return f"${found[1]}" if found else operand


def _accepts(isa: Isa, words: tuple[str, ...]) -> bool:
    """Whether some form of the mnemonic takes these operands."""
    from ipu_asm.bundle.operand_matching import read_instruction

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


MUTATIONS: dict[str, Callable[[Random, Isa, File], Mutant | None]] = {
    "misspelt mnemonic": _misspelt_mnemonic,
    "misspelt name": _misspelt_name,
    "operand too many": _operand_too_many,
    "operand missing": _operand_missing,
    "register of other file": _wrong_file,
    "no such register": _no_such_register,
    "wrong group": _shifted_pair,
    "halves swapped": _swapped_halves,
}
