"""The marks and checks of a stop test, as a core reads them."""

from __future__ import annotations

import struct
from array import array
from sys import byteorder
from typing import Sequence

from ipu_asm.emulator.core.checks import ALWAYS, Check, Opcode
from ipu_asm.emulator.core.runtime import (
    BREAK,
    CHECK,
    CHECK_AFTER,
    HANDED_BACK,
    MAX_CHECK_DEPTH,
    MAX_CHECK_WORDS,
    STOP,
    Marks,
)
from ipu_asm.emulator.machine import SelectiveTest


def marks_of(stop: SelectiveTest | None, handed_back: frozenset[int], length: int) -> Marks:
    """Return the marks of `length` addresses, of which some are handed back in any case."""
    marks = bytearray(length)
    for address in handed_back if stop is None else handed_back | stop.after:
        marks[address] |= HANDED_BACK
    if stop is None:
        return Marks(bytes(marks))
    for address in stop.in_front:
        marks[address] |= STOP
    for address in stop.at_breaks:
        # The core asks the break slots of its own bundles alone.
        marks[address] |= STOP if address in handed_back else BREAK
    for address in stop.in_front_if:
        marks[address] |= CHECK
    for address in stop.after_if:
        marks[address] |= CHECK_AFTER
    if not stop.in_front_if and not stop.after_if:
        return Marks(bytes(marks))
    words = _Words()
    places = array("H", bytes(4 * length))
    for address, checks in stop.in_front_if.items():
        places[2 * address] = words.place(checks)
    for address, checks in stop.after_if.items():
        places[2 * address + 1] = words.place(checks)
    if byteorder == "big":
        places.byteswap()
    return Marks(bytes(marks), struct.pack(f"<{len(words.all)}I", *words.all), places.tobytes())


class _Words:
    """The words of all checks, the same ones once; there is room for one that is always true."""

    def __init__(self) -> None:
        self.all = [*ALWAYS.words, Opcode.STOP_IF, Opcode.END]
        self._known: dict[tuple[Check, ...], int] = {}

    def place(self, checks: Sequence[Check]) -> int:
        """Return where the checks of an address begin."""
        key = tuple(checks)
        if key not in self._known:
            self._known[key] = self._added(key)
        return self._known[key]

    def _added(self, checks: Sequence[Check]) -> int:
        if any(check.depth > MAX_CHECK_DEPTH for check in checks):
            return 0
        words = [word for check in checks for word in (*check.words, Opcode.STOP_IF)]
        place = len(self.all)
        if place + len(words) + 1 > MAX_CHECK_WORDS:
            return 0
        self.all += (*words, Opcode.END)
        return place
