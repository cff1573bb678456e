"""What is known of the effect of each form, read from `effects.txt`.

A section begins with the name of an effect in brackets, which is a function of the modules here,
and its status: `exact`, `exact_if_floor`, `likely`, `unknown` or `outside` (it needs what surrounds
the core). After a colon follows what is open. The other lines of a section are regular expressions
of mnemonics; one with a blank is of the mnemonic with its operands, as in `vmov dst:W src:Q`. Their
groups are the arguments of the effect. The first expression that fits a form counts; those of a
generation are tried before the shared ones.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Iterator, Mapping, Sequence

from ipu_asm.isa.model import InstructionSpec
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.aie.operands import BracketType, FixedType

_HEADER = re.compile(r"\[(\w+)\] (\w+)(?:: (.*))?")


class Semantics(NamedTuple):
    """The effect of a form with its arguments, how well it is known, and what is open."""

    effect: str
    status: str
    open: str
    arguments: Mapping[str, str]


_Rule = tuple[re.Pattern[str], bool, Semantics]


def read_rules(folder: Path) -> list[_Rule]:
    """Return the rules of the generation whose folder it is, then the shared ones."""
    here = Path(__file__).parent
    return [
        rule
        for path in (folder, here)
        for rule in _rules((path / "effects.txt").read_text(encoding="utf-8"))
    ]


def _rules(text: str) -> Iterator[_Rule]:
    header = None
    for line in text.splitlines():
        if not line or line[0] == "#":
            continue
        if line[0] == "[":
            header = _HEADER.fullmatch(line)
            continue
        assert header is not None, f"no section before {line!r}"
        known = Semantics(header[1], header[2], header[3] or "", {})
        yield re.compile(line), " " in line, known


class SemanticsTable:
    """The semantics of the forms of a generation."""

    def __init__(self, rules: Sequence[_Rule]) -> None:
        self._rules = rules
        self._find = lru_cache(maxsize=4096)(self._first)

    def of(self, form: InstructionSpec) -> Semantics | None:
        """Return the semantics of a form; None if no rule has it."""
        return self._find(form.mnemonic, operands_text(form))

    def _first(self, mnemonic: str, operands: str) -> Semantics | None:
        text = f"{mnemonic} {operands}"
        for pattern, has_operands, known in self._rules:
            match = pattern.fullmatch(text if has_operands else mnemonic)
            if match is not None:
                given = {name: value for name, value in match.groupdict().items() if value}
                return known._replace(arguments=given)
        return None


def operands_text(form: InstructionSpec) -> str:
    """Return the operands of a form as text for the patterns of `effects.txt`: `name:type ...`."""
    shown = []
    for operand in form.operands:
        if isinstance(operand.type, FixedType):
            shown.append(operand.type.word)
        elif isinstance(operand.type, BracketType):
            shown.append(f"[{' '.join(each.type.name for each in operand.type.elements)}]")
        else:
            shown.append(f"{operand.name}:{operand.type.name}")
    return " ".join(shown)
