"""From `pause` to the stop, out of everything that can take long."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from benchmarks import process, timing
from benchmarks.debug_adapter import targets
from benchmarks.debug_adapter.client import DapClient, Json, Refused, debugging
from benchmarks.report import Target, milliseconds, print_table

LONGEST_MS = 30.0
"""What nine pauses of ten may take, whatever is going on."""

PAST, SLOW_PAST = 16_000_000, 4_000_000
"""How many bundles there are to go back over, and how many of the slowest: longer than any wait."""

LEAP = 8_000_000
"""How many bundles one `goto` goes ahead; it refuses more than ten million."""

_WAIT_S: Final = (0.1, 0.3)


class Trial(NamedTuple):
    """Something that takes long: a request, or a question in the console if it has a blank.

    Meanwhile there is this breakpoint in the loop, this is watched, and these filters are on; none
    of them stops it.
    """

    name: str
    work: str = "continue"
    breakpoint: Json | None = None
    watched: str = ""
    filters: Sequence[str] = ()


class Pause(NamedTuple):
    """Seconds until the machine stood, and those of them in which the adapter has worked."""

    seconds: float
    work: float


_CONDITION: Final = {"condition": "lr5 > 3"}
_COSTLY: Final = {"condition": "sum(acc) == 7 && lr5 > 3"}
_HITS: Final = {"hitCondition": f"{1 << 40}"}
_FORTH: Final = (
    Trial("continue"),
    Trial("continue, condition", breakpoint=_CONDITION),
    Trial("continue, condition on a vector", breakpoint=_COSTLY),
    Trial("continue, hit condition", breakpoint=_HITS),
    Trial("continue, register watched", watched="lr0"),
    Trial("continue, memory watched", watched="xmem[0x100 .. +16]"),
    Trial("continue, overflow filter", filters=("overflow",)),
)
_BACK: Final = (
    Trial("reverseContinue", "reverseContinue"),
    Trial("reverseContinue, condition", "reverseContinue", _CONDITION),
    Trial("reverseContinue, memory watched", "reverseContinue", None, "xmem[0x100 .. +16]"),
    Trial("when lr5 > 3", "when lr5 > 3"),
    Trial("when, condition on a vector", "when sum(acc) == 7 && lr5 > 3"),
    Trial("who wrote a byte", "who xmem[0x100]"),
)
_FLOATS: Final = (Trial("continue, FP8, NaN filter", filters=("nan",)),)
_SLOW: Final = (Trial("continue, slowest bundles"),)
_SLOW_BACK: Final = (
    Trial("reverseContinue, slowest bundles", "reverseContinue"),
    Trial("when lr5 > 3, slowest bundles", "when lr5 > 3"),
    Trial("goto, slowest bundles", f"goto +{LEAP}"),
)


def run(folder: Path, quick: bool) -> list[Target]:
    """Pause again and again, print the medians and return the worst of the 90th percentiles."""
    rounds = 3 if quick else 10
    pauses: dict[str, list[Pause]] = {}
    with debugging(targets.endless(folder, "int8")) as client:
        pauses |= _pauses(client, _FORTH, rounds)
        _go_ahead(client, PAST)
        pauses |= _pauses(client, _BACK, rounds)
    with debugging(targets.endless(folder, "fp8_e4m3")) as client:
        pauses |= _pauses(client, _FLOATS, rounds)
    with debugging(targets.slowest(folder)) as client:
        pauses |= _pauses(client, _SLOW, rounds)
        _go_ahead(client, SLOW_PAST)
        pauses |= _pauses(client, _SLOW_BACK, rounds)
    _print(pauses)
    worst = max(map(_late, pauses.values()))
    return [Target("pause, the worst 90th percentile, ms", worst * 1e3, LONGEST_MS)]


def _go_ahead(client: DapClient, until: int) -> None:
    for cycle in (*range(LEAP, until, LEAP), until):
        client.go_to(cycle)


def _pauses(
    client: DapClient, trials: Sequence[Trial], rounds: int
) -> Iterator[tuple[str, list[Pause]]]:
    rng = Random("pauses")
    for trial in trials:
        _prepare(client, trial)
        yield trial.name, [_pause(client, trial.work, rng) for _ in range(rounds)]


def _prepare(client: DapClient, trial: Trial) -> None:
    line = {"line": targets.ENDLESS_LINE}
    client.break_at(*([line | trial.breakpoint] if trial.breakpoint else []))
    client.watch(*([trial.watched] if trial.watched else []))
    client.ask("setExceptionBreakpoints", filters=[*trial.filters])


def _pause(client: DapClient, work: str, rng: Random) -> Pause:
    """From `pause` to the end of what was going on.

    Raises RuntimeError if that had come to its end by itself.
    """
    is_question = " " in work
    if is_question:
        seq = client.send("evaluate", expression=work, context="repl")
    else:
        seq = client.send(work, threadId=1)
    time.sleep(rng.uniform(*_WAIT_S))
    worked, begin = process.cpu_seconds(client.pid), time.perf_counter()
    pause = client.send("pause", threadId=1)
    end = _refusal(client, seq) if is_question else client.stopped()["reason"]
    seconds = time.perf_counter() - begin
    worked = process.cpu_seconds(client.pid) - worked
    client.answer(pause)
    if end not in ("pause", "cancelled"):
        raise RuntimeError(f"`{work}` ended before it was paused: {end}")
    return Pause(seconds, worked)


def _refusal(client: DapClient, seq: int) -> str:
    """Why a question was not answered; what the answer is if it was."""
    try:
        answer = str(client.answer(seq)["result"])
    except Refused as error:
        return error.reason
    return "pause" if answer.endswith("paused") else answer


def _print(pauses: dict[str, list[Pause]]) -> None:
    rows = []
    for name, values in pauses.items():
        seconds, work = zip(*values, strict=True)
        cells = timing.median(seconds), _late(values), max(seconds), timing.median(work)
        rows.append((name, *map(milliseconds, cells)))
    header = ("what", "median", "p90", "longest", "adapter's work")
    print_table("debugger: pause out of, until it stands, ms", header, rows)


def _late(pauses: list[Pause]) -> float:
    return timing.percentile([pause.seconds for pause in pauses], 0.9)
