"""Values of symbols and expressions while a program is laid out in sections, and their names.

A label is an offset in its section, which the linker moves. An expression is a number, or one
symbol that the linker moves plus a number: found by evaluating it again with symbols moved.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Iterator

from ipu_asm.assembler.machine_code import MachineCode, ObjectCode, SymbolValue
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple

_NAME = re.compile(r"(?<![\w.$@'\"])[A-Za-z_.$@][\w.$@]*")
_LOCAL = re.compile(r"(?<![\w.$])(\d+)([bf])(?![\w.$])")
_MAX_NAME = 10_000
_PLAIN_NAME = re.compile(r"(?!\.\Z)[A-Za-z_.][A-Za-z0-9_.$]*")
_UNQUOTABLE = re.compile(r'[\\"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]')
CODE, CODE_FLAGS = ".text", "ax"
"""The section that a text begins in, which has no other flags."""
_HERE = re.compile(r"(?<![\w.$@'\"])\.(?![\w.$])")
_UNNAMED = ".L$"
"""The beginning of the names of labels that the text does not name: numeric ones and `.`."""

OTHER_FILE = "\0"
_PROBE = 1 << 40
_MAX_DEPTH = 100
Value = int | SymbolValue | None


class Place(NamedTuple):
    """A place in a program: the number of the bundle, its section, and the offset in it."""

    bundle: int
    section: str
    offset: int


class Assignment(NamedTuple):
    """An expression that a symbol gets at a place, and its value if that is known there."""

    text: str
    place: Place
    value: int | None


class Resolved(NamedTuple):
    """The value of a symbol, and what moves it.

    `group` is the section of a label, "" for a constant, a key that begins with `OTHER_FILE` for a
    symbol of another file. A relocation calls it by `symbol`, whose own value is `start`.
    """

    value: int
    group: str = ""
    symbol: str = ""
    start: int = 0


class SymbolTable:
    """The labels and constants of a program.

    A constant that is assigned several times has at each place the value that was assigned last
    before it. If it `is_final`, no linker moves sections, and labels are their offsets.
    """

    def __init__(self, code: MachineCode, *, is_final: bool) -> None:
        self._code = code
        self._is_final = is_final
        self.labels: dict[str, tuple[str, int]] = {}
        self._assignments: dict[str, list[Assignment]] = {}
        self._evaluated: set[tuple[str, int]] = set()
        self._numeric: dict[str, list[Place]] = {}
        # Names of sections may have characters that names in expressions have not.
        self._sections: dict[str, int] = {}

    def define(self, label: str, place: Place) -> None:
        """Define a label; a numeric one may be defined many times."""
        if label.isdigit():
            self._numeric.setdefault(label, []).append(place)
        else:
            self.labels[label] = (place.section, place.offset)

    def assign(self, name: str, text: str, place: Place) -> None:
        """Give a symbol the value of an expression, in which `.` is the place."""
        text = self.with_labels(text, place)
        is_known = all(map(self._is_known, _NAME.findall(text)))
        value = self.number(text, place) if is_known else None
        self._assignments.setdefault(name, []).append(Assignment(text, place, value))

    def _is_known(self, name: str) -> bool:
        assigned = self._assignments.get(name)
        return name in self.labels if assigned is None else assigned[-1].value is not None

    def with_labels(self, text: str, place: Place) -> str:
        """Return an expression with a label in place of each `.` and each numeric label."""
        text = _LOCAL.sub(lambda match: self._numeric_label(match, place.bundle), text)
        section = self._sections.setdefault(place.section, len(self._sections))
        name = f"{_UNNAMED}{section}.{place.offset}"
        replaced, count = _HERE.subn(name, text)
        if count:
            self.labels[name] = (place.section, place.offset)
        return replaced

    def value(self, text: str, place: Place) -> Value:
        """Return the value of an expression at a place; None if no relocation can compute it."""
        plain = self._code.evaluate(text, {})
        if plain is not None:
            return plain
        text = self.with_labels(text, place)
        names = dict.fromkeys(_NAME.findall(text))
        found = {name: self._resolved(name, place.bundle) for name in names}
        known = {name: each for name, each in found.items() if each is not None}
        values = {name: each.value for name, each in known.items()}
        base = self._code.evaluate(text, values) if len(known) == len(found) else None
        if base is None:
            return None

        def growth(*moved: str) -> int:
            """Return the change of the value if these symbols move to higher addresses."""
            steps = {name: values[name] + _PROBE * (name in moved) for name in names}
            return (self._code.evaluate(text, steps) or 0) - base

        moving = {
            group: growth(*(name for name in names if known[name].group == group))
            for group in dict.fromkeys(each.group for each in known.values() if each.group)
        }
        moving = {group: amount for group, amount in moving.items() if amount}
        if not moving:
            return base
        (group, amount), *more = moving.items()
        if more or amount != _PROBE:
            return None
        if self._is_final and not group.startswith(OTHER_FILE):
            return base
        alone = (n for n in names if known[n].group == group and growth(n) == _PROBE)
        first = next(alone, None)
        if first is None:
            return None
        return SymbolValue(known[first].symbol, base - known[first].start)

    def number(self, text: str, place: Place) -> int | None:
        """Return the value of an expression if it is a number now."""
        value = self.value(text, place)
        return value if isinstance(value, int) else None

    def assigned(self, name: str) -> tuple[Assignment, Resolved | None] | None:
        """Return the last assignment to a symbol, and its value; None if it has none."""
        if name not in self._assignments:
            return None
        last = self._assignments[name][-1]
        return last, self._resolved(name, last.place.bundle + 1)

    def _resolved(self, name: str, bundle: int) -> Resolved | None:
        """Return the value of a name in an expression of a bundle; None if nothing computes it."""
        if name in self.labels:
            section, offset = self.labels[name]
            return Resolved(offset, section, name, offset)
        assigned = self._assignments.get(name)
        if assigned is None:
            return Resolved(0, f"{OTHER_FILE}{name}", name)
        before = bisect_left(assigned, bundle, key=lambda each: each.place.bundle)
        text, place, known = assigned[before - 1]
        if known is not None:
            return Resolved(known)
        key = name, place.bundle
        if key in self._evaluated or len(self._evaluated) >= _MAX_DEPTH:
            return None
        self._evaluated.add(key)
        value = self.value(text, place)
        self._evaluated.discard(key)
        if isinstance(value, int):
            assigned[before - 1] = Assignment(text, place, value)
            return Resolved(value)
        if value is None:
            return None
        if value.symbol not in self.labels:
            return Resolved(value.addend, f"{OTHER_FILE}{value.symbol}", value.symbol)
        section, start = self.labels[value.symbol]
        if len(assigned) > 1:
            return Resolved(start + value.addend, section, value.symbol, start)
        self.labels[name] = (section, start + value.addend)
        return self._resolved(name, bundle)

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


class WrittenNames:
    """Names as they are written: those that assembly cannot have get another one."""

    def __init__(self, code: ObjectCode, isa: Isa) -> None:
        self._registers = isa.file_of_register.keys() | isa.surface.register_aliases
        self._local = isa.surface.local_prefix
        self._numbers: dict[str, int] = {}
        symbols = [each for each in code.symbols if each.kind != "file"]
        self._defined = {each.name for each in symbols if each.section or each.kind == "common"}
        sections = {each.name: each.flags for each in code.sections}
        used = [each.symbol for section in code.sections for each in section.relocations]
        used += [section.group for section in code.sections]
        names = dict.fromkeys((*(each.name for each in symbols), *filter(None, used)))
        self._shown = {each: each for each in names if self._is_plain(each)}
        self._taken = {*self._shown, *sections}
        for each in names:
            if each not in self._shown:
                self._shown[each] = self.unused(self._changed(each))
        self._sections = {name: self._section(name, flags) for name, flags in sections.items()}

    def _section(self, name: str, flags: str) -> str:
        """Return the name of a section: a string in quotes holds most of them."""
        if name == CODE:
            is_kept = {*flags} == {*CODE_FLAGS}
        elif name in self._shown:
            return self._shown[name]
        else:
            is_kept = name != "" and name == printable_name(name)
        return name if is_kept else self.unused(self._changed(name))

    def of(self, symbol: str) -> str:
        """Return the name that is written for a symbol."""
        return self._shown.get(symbol, symbol)

    def of_section(self, name: str) -> str:
        """Return the name of a section as an argument of a directive."""
        shown = self._sections[name]
        return shown if _PLAIN_NAME.fullmatch(shown) else f'"{shown}"'

    def replaced(self) -> Iterator[tuple[str, str]]:
        """Yield the names that others stand for, and those."""
        both = {**self._shown, **self._sections}
        yield from ((name, shown) for name, shown in both.items() if name != shown)

    def unused(self, name: str) -> str:
        """Return a name, changed if it is taken; it is taken then."""
        found = name
        while found in self._taken:
            # Names of many symbols may be the same without the characters that assembly refuses.
            self._numbers[name] = self._numbers.get(name, 1) + 1
            found = f"{name}_{self._numbers[name]}"
        self._taken.add(found)
        return found

    def _is_plain(self, name: str) -> bool:
        is_name = _PLAIN_NAME.fullmatch(name) and name not in self._registers
        is_missing = name.startswith(self._local or "\n") and name not in self._defined
        return bool(is_name) and len(name) <= _MAX_NAME and not is_missing

    def _changed(self, name: str) -> str:
        return "_" + re.sub(r"[^A-Za-z0-9_.]", "_", name[:_MAX_NAME]).lstrip("_")


def printable_name(name: str) -> str:
    """Return a name with `_` for each character that no string in assembly can hold."""
    return _UNQUOTABLE.sub("_", name)
