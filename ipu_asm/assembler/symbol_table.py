"""Values of symbols and expressions while a program is laid out in sections.

A label is an offset in its section, which the linker moves. An expression is a number, or one
symbol that the linker moves plus a number: found by evaluating it again with symbols moved.
"""

from __future__ import annotations

import re

from ipu_asm.isa.machine_code import MachineCode, SymbolValue
from ipu_asm.named_tuple import NamedTuple

_NAME = re.compile(r"(?<![\w.$@'\"])[A-Za-z_.$@][\w.$@]*")
_LOCAL = re.compile(r"(?<![\w.$])(\d+)([bf])(?![\w.$])")
_HERE = re.compile(r"(?<![\w.$@'\"])\.(?![\w.$])")
_UNNAMED = ".L$"
"""The beginning of the names of labels that the text does not name: numeric ones and `.`."""

_OTHER_FILE = "\0"
_PROBE = 1 << 40
_MAX_DEPTH = 40
Value = int | SymbolValue | None


class Place(NamedTuple):
    """A place in a program: the number of the bundle, its section, and the offset in it."""

    bundle: int
    section: str
    offset: int


class SymbolTable:
    """The labels and constants of a program.

    If it `is_final`, no linker moves sections, and labels are their offsets.
    """

    def __init__(self, code: MachineCode, *, is_final: bool) -> None:
        self._code = code
        self._is_final = is_final
        self.labels: dict[str, tuple[str, int]] = {}
        self.constants: dict[str, tuple[str, Place]] = {}
        self._numeric: dict[str, list[Place]] = {}

    def define(self, label: str, place: Place) -> None:
        """Define a label; a numeric one may be defined many times."""
        if label.isdigit():
            self._numeric.setdefault(label, []).append(place)
        else:
            self.labels[label] = (place.section, place.offset)

    def assign(self, name: str, text: str, place: Place) -> None:
        """Give a symbol the value of an expression, in which `.` is the place."""
        self.constants[name] = (self.with_labels(text, place), place)

    def with_labels(self, text: str, place: Place) -> str:
        """Return an expression with a label in place of each `.` and each numeric label."""
        text = _LOCAL.sub(lambda match: self._numeric_label(match, place.bundle), text)
        name = f"{_UNNAMED}{place.section}${place.offset}"
        replaced, count = _HERE.subn(name, text)
        if count:
            self.labels[name] = (place.section, place.offset)
        return replaced

    def value(self, text: str, place: Place, depth: int = 0) -> Value:
        """Return the value of an expression at a place; None if no relocation can compute it."""
        plain = self._code.evaluate(text, {})
        if plain is not None:
            return plain
        text = self.with_labels(text, place)
        names = dict.fromkeys(_NAME.findall(text))
        found = {name: self._offset(name, depth) for name in names}
        values = {name: value or 0 for name, value in found.items()}
        base = self._code.evaluate(text, values)
        if base is None:
            return None
        places = {name: self._moved_with(name) for name in names}

        def growth(*moved: str) -> int:
            """Return the change of the value if these symbols move to higher addresses."""
            steps = {name: values[name] + _PROBE * (name in moved) for name in names}
            return (self._code.evaluate(text, steps) or 0) - base

        moving = {
            group: growth(*(name for name in names if places[name] == group))
            for group in dict.fromkeys(filter(None, places.values()))
        }
        moving = {group: amount for group, amount in moving.items() if amount}
        if not moving:
            return base
        (group, amount), *more = moving.items()
        if more or amount != _PROBE:
            return None
        if self._is_final and not group.startswith(_OTHER_FILE):
            return base
        alone = (name for name in names if places[name] == group and growth(name) == _PROBE)
        symbol = next(alone, None)
        return None if symbol is None else SymbolValue(symbol, base - values[symbol])

    def number(self, text: str, place: Place) -> int | None:
        """Return the value of an expression if it is a number now."""
        value = self.value(text, place)
        return value if isinstance(value, int) else None

    def _moved_with(self, name: str) -> str:
        """Return the section of a label, a key for an external symbol, "" for a constant."""
        if name in self.labels:
            return self.labels[name][0]
        return "" if name in self.constants else f"{_OTHER_FILE}{name}"

    def _offset(self, name: str, depth: int) -> int | None:
        if name in self.labels:
            return self.labels[name][1]
        if name not in self.constants or depth >= _MAX_DEPTH:
            return None
        text, place = self.constants[name]
        value = self.value(text, place, depth + 1)
        if isinstance(value, SymbolValue) and value.symbol in self.labels:
            section, start = self.labels[value.symbol]
            self.labels[name] = (section, start + value.addend)
            return start + value.addend
        return value if isinstance(value, int) else None

    def _numeric_label(self, match: re.Match[str], bundle: int) -> str:
        """Return the internal name of the label that `1b` refers to; the text if undefined."""
        places = self._numeric.get(match[1], [])
        if match[2] == "b":
            found = [place for place in places if place.bundle <= bundle][-1:]
        else:
            found = [place for place in places if place.bundle > bundle][:1]
        if not found:
            return match[0]
        name = f"{_UNNAMED}{match[1]}${found[0].bundle}"
        self.labels.setdefault(name, (found[0].section, found[0].offset))
        return name
