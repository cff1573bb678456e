"""Options of the host, and values of registers, that a program or its project states.

Such as ``# CR wide = fp32, cr4 = 64`` in a comment, or the keys of ``[kernel."GLOB"]``. Every tool
that runs a program begins with them, unless its user gives other values.
"""

from __future__ import annotations

import os
import re
from typing import Any, Collection

from ipu_asm.config.kernel_keys import NAMED_VALUES, setting_text
from ipu_asm.flow.assertions.syntax import configurations_of, stated_values
from ipu_asm.isa import HostOption
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.line_table import LineTable
from ipu_asm.program.program import Program
from ipu_asm.source.source_map import MAIN

_REGISTER = re.compile(r"(cr|lr)(\d+)")
_WORD = 1 << 32


class SeveralOptionsError(ValueError):
    """A program that states several values of an option; the message names them."""

    def __init__(self, option: HostOption, values: Collection[str]) -> None:
        self.option = option
        found = ", ".join(values)
        super().__init__(f"the program states several values, {found}; choose one")


def stated_options(
    program: Program, options: Collection[HostOption], given: Collection[str] = ()
) -> dict[str, Any]:
    """Return the options of a machine that its program states, apart from those `given`.

    Raises `SeveralOptionsError`.
    """
    found: dict[str, Any] = {}
    for option in options:
        if option.name in given or option.name not in NAMED_VALUES:
            continue
        values = dict.fromkeys(
            setting_text(option.name, each[option.name])
            for each in configurations_of(program)
            if option.name in each
        )
        if len(values) > 1:
            raise SeveralOptionsError(option, values)
        for text in values:
            found[option.name] = text == "on" if option.kind == "flag" else option.choice(text)
    return found


class StatedRegister(NamedTuple):
    """A register that the program or its project states: `cr4` is number 4 of the file `cr`.

    `value` is an unsigned word, the first of `every` that is stated. `line` is that of the comment
    in the file `path`; it is 0 in a comment of a template and, with an empty path, where the
    project states the value.
    """

    file: str
    number: int
    value: int
    every: tuple[int, ...]
    path: str
    line: int
    is_comment: bool

    @property
    def name(self) -> str:
        return f"{self.file}{self.number}"

    def origin(self, configuration: str) -> str:
        """Return where it is from, in words; `configuration` is the file of the project."""
        if not self.is_comment:
            return f"from {configuration or 'the configuration'}"
        place = f"the comment in line {self.line}" if self.line else "a comment"
        return f"from {place}{f' of {os.path.basename(self.path)}' if self.path else ''}"


def stated_registers(lines: LineTable) -> list[StatedRegister]:
    """Return the registers that are stated and that the host can write, in the first configuration.

    Those that are given for this run already (`program.presets`) are not among them.
    """
    program = lines.program
    found = []
    for name, (value, every, comment) in stated_values(program).items():
        match = _REGISTER.fullmatch(name)
        if match is None or name not in program.isa.file_of_register:
            continue
        if name in program.isa.constants:
            continue
        path, line = "", 0
        if comment is not None and not comment.is_outside:
            path, line = lines.written_line(comment.span)
        path = "" if path == MAIN else path
        found.append(
            StatedRegister(
                match[1], int(match[2]), value % _WORD, every, path, line, comment is not None
            )
        )
    return found


def stated_text(registers: Collection[StatedRegister], configuration: str) -> str:
    """Return registers with their values and where they are from, those of one place together."""
    by_origin: dict[str, list[str]] = {}
    for each in registers:
        signed = each.value - _WORD if each.value >= _WORD // 2 else each.value
        more = " (the first of " + " | ".join(map(str, each.every)) + ")"
        shown = f"{each.name} = {signed}{more if len(each.every) > 1 else ''}"
        by_origin.setdefault(each.origin(configuration), []).append(shown)
    return ", ".join(f"{', '.join(shown)} {origin}" for origin, shown in by_origin.items())
