"""Printing what was measured, and the targets it is held against."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Target(NamedTuple):
    """A measured ratio and the largest value it may have."""

    what: str
    measured: float
    limit: float

    @property
    def met(self) -> bool:
        """Whether it was measured at all and is not above the limit."""
        return not math.isnan(self.measured) and self.measured <= self.limit

    def __str__(self) -> str:
        """One line, for example `met: cold start 6.1 <= 8`."""
        if math.isnan(self.measured):
            return f"missed: {self.what} was not measured (target <= {self.limit:g})"
        verdict, sign = ("met", "<=") if self.met else ("missed", ">")
        return f"{verdict}: {self.what} {self.measured:.2f} {sign} {self.limit:g}"


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a title, then the columns: the first to the left, all others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    print(f"\n{title}")
    for row in (header, *rows):
        first = row[0].ljust(widths[0])
        others = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        print("  " + "  ".join((first, *others)).rstrip())


def number(value: float, digits: int = 2) -> str:
    """A measured value, or a dash where there is none."""
    return "-" if math.isnan(value) else f"{value:,.{digits}f}"


def milliseconds(seconds: float) -> str:
    """Seconds as milliseconds with two digits."""
    return number(seconds * 1e3)
