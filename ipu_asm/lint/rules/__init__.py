"""The lint rules, discovered by folder: each module without a leading `_` defines one `RULE`.

- `lint/rules`: checked for every instruction set.
- `lint/rules/exposed_pipeline`: checked for sets whose instructions declare when results land.
- `lint/rules/control_run`: checked for sets that state what instructions compute, compare and
  address, so that a program's control flow and addresses are known without data.
- `lint/rules/built_in`: reported while a text is parsed into a program, or after all checks. Such
  a rule has no check: it is a page `NAME.md`, its documentation below lines with what it is.
- `targets/NAME/rules`: checked for that instruction set, or for all sets of that family.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from importlib import import_module
from typing import Final, Iterable, Iterator

from ipu_asm.diagnostics import Applicability, RuleId, Severity
from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.isa import DEFAULT_ISA, target_folders
from ipu_asm.isa.model import Isa
from ipu_asm.lint import Rule

MAX_SUGGESTIONS: Final = 3
_MIN_WORD: Final = 3
_CODE: Final = re.compile(r"[A-Z]\d{2,3}", re.ASCII)
REPEATED_LINE = re.compile(r"(?m)^(.*?)# (\d+) times\n")
"""A line of a program in documentation that stands for so many lines."""


@lru_cache(maxsize=8)
def rules_for(isa: Isa) -> tuple[Rule, ...]:
    """The rules with a check that apply to an instruction set."""
    rules = _rules_in(__name__, __path__)
    if isa.has_exposed_pipeline:
        rules += _shared_rules("exposed_pipeline")
    if isa.spaces:
        rules += _shared_rules("control_run")
    for owner in filter(None, (isa.family, isa.name)):
        rules += _isa_rules(owner)
    return tuple(rules)


def all_rules() -> tuple[Rule, ...]:
    """Every rule: errors first, then by code."""
    return _all_rules(target_folders())


@lru_cache(maxsize=2)
def _all_rules(folders_of_sets: tuple[str, ...]) -> tuple[Rule, ...]:
    rules = _rules_in(__name__, __path__)
    for folder in ("control_run", "exposed_pipeline"):
        rules += _shared_rules(folder)
    for folder in _inside(__path__, "built_in"):
        pages = [name for name in os.listdir(folder) if name.endswith(".md")]
        rules += [_rule_of_page(os.path.join(folder, page)) for page in pages]
    for owner in sorted({name for folder in folders_of_sets for name in os.listdir(folder)}):
        rules += _isa_rules(owner)
    return tuple(sorted(rules, key=lambda rule: (rule.id.severity, rule.id.code)))


def near_rules(query: str) -> list[str]:
    """Suggest rules for a misspelt one: the nearest name or code, else names with words in common.

    The list is empty where more than three names have equally many words in common.
    """
    rules = [rule.id for rule in all_rules()]
    names = [rule.name for rule in rules]
    near = nearest_of(query.lower(), names)
    near = near or nearest_of(query.upper(), [rule.code for rule in rules])
    if near is not None:
        return [near]
    words = {word for word in query.lower().split("-") if len(word) >= _MIN_WORD}
    shared = {name: len(words.intersection(name.split("-"))) for name in names}
    most = max(shared.values())
    likely = [name for name, count in shared.items() if most and count == most]
    return likely if len(likely) <= MAX_SUGGESTIONS else []


def near_codes(query: str) -> list[str]:
    """Return the codes with the longest beginning of a query that is a code no rule has."""
    wanted = query.upper()
    if not _CODE.fullmatch(wanted):
        return []
    codes = [rule.id.code for rule in all_rules() if rule.id.code[0] == wanted[0]]

    def distance(code: str) -> tuple[int, int]:
        alike = next((n for n in range(len(code)) if code[n] != wanted[n : n + 1]), len(code))
        return -alike, abs(int(code[1:]) - int(wanted[1:]))

    return sorted(codes, key=distance)[:MAX_SUGGESTIONS]


def rule_hint(query: str) -> str:
    """Return a question about the rules that may be meant, to end a message; empty for none."""
    near = [f"`{name}`" for name in near_rules(query)]
    listed = " or ".join(filter(None, (", ".join(near[:-1]), *near[-1:])))
    return f"; did you mean {listed}?" if near else ""


def _shared_rules(folder: str) -> list[Rule]:
    return _rules_in(f"{__name__}.{folder}", _inside(__path__, folder))


def _isa_rules(owner: str) -> list[Rule]:
    """The rules of one instruction set, or of one family of sets."""
    return _rules_in(f"ipu_asm.targets.{owner}.rules", _inside(target_folders(), owner, "rules"))


def _rules_in(package: str, folders: Iterable[str]) -> list[Rule]:
    names = sorted({name for folder in folders for name in _modules_in(folder)})
    return [import_module(f"{package}.{name}").RULE for name in names]


def _modules_in(folder: str) -> Iterator[str]:
    if os.path.isdir(folder):
        for entry in os.listdir(folder):
            name, extension = os.path.splitext(entry)
            if extension in (".py", ".pyc") and name[0] != "_":
                yield name


def _rule_of_page(path: str) -> Rule:
    """Read a rule without a check: `key: value` lines between two `---`, then documentation.

    The values of `valid` and `invalid`, one line for each program, have the escapes of Python's
    strings; a line ``... # N times`` in a program is repeated.
    """
    with open(path, encoding="utf-8") as file:
        _, head, documentation = file.read().split("---\n", 2)
    values: dict[str, list[str]] = {}
    for line in head.splitlines():
        key, _, value = line.partition(":")
        if not key.startswith("#"):
            values.setdefault(key, []).append(value.removeprefix(" "))
    name = os.path.basename(path).removesuffix(".md")
    severity = Severity[values["severity"][0].upper()]
    return Rule(
        RuleId(values["code"][0], name, severity),
        documentation,
        tuple(map(_program, values["valid"])),
        tuple(map(_program, values["invalid"])),
        isa=values.get("isa", [DEFAULT_ISA])[0],
        fixes=tuple(
            Applicability[fix.strip().upper()]
            for fix in ",".join(values.get("fixes", ())).split(",")
            if fix
        ),
    )


def _program(line: str) -> str:
    text = line.encode("ascii", "backslashreplace").decode("unicode_escape")
    return REPEATED_LINE.sub(lambda match: f"{match[1].rstrip()}\n" * int(match[2]), text)


def _inside(folders: Iterable[str], *names: str) -> list[str]:
    return [os.path.join(folder, *names) for folder in folders]
