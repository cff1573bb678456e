"""Profiles that `ipu-run --profile FILE.json` has written: compared, and as marks at lines."""

from __future__ import annotations

import json
from collections import Counter
from math import ceil, sqrt
from typing import Any, Final, Mapping, Sequence

from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.performance.comparison import (
    ChangedLines,
    ExecutedCode,
    changed_lines,
    lines_data,
    lines_list,
)
from ipu_asm.text import counted, percentage

HEAT_LEVELS: Final = 4
"""The heat of the hottest line; 0 is that of lines that did not run."""


class ProfileError(ValueError):
    """A text is no profile; the message says what is expected."""


class RecordedProfile(NamedTuple):
    """The bundles of a program with how often each ran, and the cycles of the run."""

    program: str
    cycles: int
    code: ExecutedCode

    @property
    def lines(self) -> Counter[int]:
        """Cycles by source line: those of the bundles that begin on the line."""
        cycles: Counter[int] = Counter()
        for executions, (line, _) in zip(self.code.executions, self.code.rows):
            if line:
                cycles[line] += executions or 0
        return cycles


def read_profile(text: str) -> RecordedProfile:
    """Read the data that `--profile FILE.json` writes. Raises `ProfileError`."""
    try:
        return profile_of_data(json.loads(text))
    except (ValueError, TypeError, KeyError):
        raise ProfileError("expected a profile that `--profile FILE.json` has written") from None


def profile_of_data(data: Mapping[str, Any]) -> RecordedProfile:
    """Return the profile that is written as `data`. Raises `KeyError` and `TypeError`."""
    bundles = data["bundles"]
    code = ExecutedCode(
        [tuple(sorted(bundle["instructions"])) for bundle in bundles],
        [int(bundle["cycles"]) for bundle in bundles],
        [(bundle["line"] or 0, bundle["end_line"] or 0) for bundle in bundles],
    )
    return RecordedProfile(str(data["program"]), int(data["cycles"]), code)


class ChangedCosts(NamedTuple):
    """The cycles of two runs, and the lines that took more or fewer, greatest change first."""

    cycles: tuple[int, int]
    lines: list[ChangedLines]

    @classmethod
    def of(cls, old: RecordedProfile, new: RecordedProfile) -> ChangedCosts:
        """Compare two runs."""
        changes = changed_lines(old.code, new.code)
        changed = [each for each in changes if each.cycles[0] != each.cycles[1]]
        ordered = sorted(changed, key=lambda each: -abs(_growth(each)))
        return cls((old.cycles, new.cycles), ordered)

    @property
    def text(self) -> list[str]:
        """The differences as lines."""
        old, new = self.cycles
        growth = f"{new - old:+,}" + (f", {100 * (new - old) / old:+.1f} %" if old else "")
        total = (
            f"{old:,} -> {new:,} cycles ({growth})" if new != old else f"{new:,} cycles, no change"
        )
        head = f"against the baseline: {total}"
        return [head, *lines_list(self.lines)]

    @property
    def data(self) -> dict[str, Any]:
        """The differences as an object."""
        return {"cycles": self.cycles[0], "differences": lines_data(self.lines)}


def _growth(lines: ChangedLines) -> int:
    old, new = lines.cycles
    return (new or 0) - (old or 0)


class ProfileMark(NamedTuple):
    """What an editor shows at a line of bundles; `heat` is 0 to `HEAT_LEVELS`.

    `line` and `end_line`, the last one of these bundles, count from 1.
    """

    line: int
    end_line: int
    text: str
    tooltip: str
    heat: int


def profile_marks(
    profile: RecordedProfile, before: RecordedProfile | None = None
) -> list[ProfileMark]:
    """Return the share of the cycles at each line where bundles begin.

    With the profile of a run before, the first line of what changed also has the difference. Heat
    is on a square-root scale: counts differ widely.
    """
    lines, changes = profile.lines, _changes_by_line(profile, before)
    ends = dict(sorted(profile.code.rows))
    hottest = max(lines.values(), default=0) or 1
    width = len(f"{hottest:,}")
    marks = []
    for line, cycles in sorted(lines.items()):
        share = percentage(cycles, profile.cycles)
        text = f"{share:>6}  {cycles:>{width},}" if cycles else "not run".rjust(8 + width)
        tooltip = [f"{counted(cycles, 'cycle')} of {profile.cycles:,} in the last run: {share}"]
        if line in changes:
            text += f"  {changes[line][0][0]:+,}"
            tooltip += [sentence for _, sentence in changes[line]]
        heat = ceil(HEAT_LEVELS * sqrt(cycles / hottest))
        marks.append(ProfileMark(line, ends[line], text, "  \n".join(tooltip), heat))
    return marks


def _changes_by_line(
    profile: RecordedProfile, before: RecordedProfile | None
) -> dict[int, Sequence[tuple[int, str]]]:
    """Return the changes against a run before, with a sentence on each, by their first line."""
    found: dict[int, list[tuple[int, str]]] = {}
    for each in ChangedCosts.of(before, profile).lines if before is not None else ():
        (first, last), (old, new) = each.rows, each.cycles
        place = f"line {first}" if first == last else f"lines {first} to {last}"
        sentence = f"{place}: {_less_or_more(_growth(each))} than before, {old:,} -> {new:,} cycles"
        found.setdefault(first, []).append((_growth(each), sentence))
    return {line: changes for line, changes in found.items() if line}


def _less_or_more(growth: int) -> str:
    return f"{abs(growth):,} {'fewer' if growth < 0 else 'more'}"
