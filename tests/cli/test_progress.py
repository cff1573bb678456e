"""The line on a terminal that tells how far a run has come."""

from __future__ import annotations

import io

import pytest

from ipu_asm.cli import console
from ipu_asm.cli.console import ProgressBar, shown_rate


class Terminal(io.StringIO):
    """A stream that a person looks at."""

    def isatty(self) -> bool:
        return True


def check_progress(
    stream: io.StringIO, times: list[float], cycles: list[int], expected: list[str]
) -> None:
    """What is written if the run has come so far at these times, the first being its start."""
    clock = iter(times)
    bar = ProgressBar(1000, stream, lambda: next(clock))
    for count in cycles:
        bar.show(count)
    bar.clear()
    bar.clear()
    assert stream.getvalue() == "".join(f"\r\x1b[K{line}" for line in expected)


def test_a_short_run_shows_nothing() -> None:
    check_progress(Terminal(), [5.0, 5.5, 5.9], [10, 20], [])


def test_a_long_run_shows_how_far_it_is_and_takes_the_line_away() -> None:
    lines = [
        "[##########..........] 500 of at most 1,000 cycles, 250 a second",
        "[####################] 1,000 of at most 1,000 cycles, 333 a second",
        "",
    ]
    check_progress(Terminal(), [5.0, 5.9, 7.0, 8.0], [400, 500, 1000], lines)


def test_a_run_of_known_length_shows_its_end() -> None:
    stream, clock = Terminal(), iter([5.0, 7.0, 8.0])
    bar = ProgressBar(1000, stream, lambda: next(clock), length=lambda: 800)
    bar.show(400)
    bar.show(801)  # which was not the end
    shown = stream.getvalue().split("\r\x1b[K")[1:]
    assert shown == [
        "[##########..........] 400 of 800 cycles, 200 a second",
        "[################....] 801 of at most 1,000 cycles, 267 a second",
    ]


def test_the_line_is_not_drawn_all_the_time() -> None:
    times = [0.0, 1.0, 1.1, 1.19, 1.25]
    lines = [
        "[#...................] 50 of at most 1,000 cycles, 50 a second",
        "[####................] 200 of at most 1,000 cycles, 160 a second",
        "",
    ]
    check_progress(Terminal(), times, [50, 100, 150, 200], lines)


def test_files_are_counted_as_cycles_are_and_the_line_does_not_wrap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(console, "columns_of", lambda _: 42)
    stream, clock = Terminal(), iter([5.0, 7.0])
    ProgressBar(9, stream, lambda: next(clock), length=lambda: 9, unit="files").show(3)
    line = "[#######.............] 3 of 9 files, 2 a second"
    assert stream.getvalue() == f"\r\x1b[K{line[:41]}"


def test_where_no_one_looks_nothing_is_shown() -> None:
    check_progress(io.StringIO(), [0.0, 5.0], [10], [])


def test_a_speed_has_the_digits_that_mean_something() -> None:
    rates = [shown_rate(rate) for rate in (0.0, 9.94, 12.6, 1234.0, 2_345_678.9)]
    assert rates == ["0", "10", "13", "1,230", "2,350,000"]
