"""A step, and everything that an editor shows looked at again, one request after the other."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from benchmarks import process, timing
from benchmarks.debug_adapter import targets
from benchmarks.debug_adapter.client import DapClient, Json, debugging
from benchmarks.report import Target, milliseconds, print_table

SLOWEST_MS = 15.0
"""What the median step may take with everything looked at."""

START = 1_000
"""The cycle where it begins: by then there is something in all registers and in memory."""

BLOCK = 20
"""Steps in a row, before the next program has its turn."""

MOVES = ("next", "stepBack")
SCOPES = 7
OPENED = ("r_cyclic", "r_acc")
WATCHES = ("acc[0..7]", "sum(acc)", "xmem[cr0 .. +16]", "lr0,x")

_COUNTER: Final = "cycle"
_COSTLY: Final = 8


def run(folder: Path, quick: bool) -> list[Target]:
    """Walk through the programs in turn, print the medians and return those of whole steps."""
    programs = {
        "largest example, INT8": targets.largest_example(folder, "int8"),
        "largest example, FP8_E4M3": targets.largest_example(folder, "fp8_e4m3"),
        "largest vector program": targets.largest_vector(folder),
    }
    with ExitStack() as stack:
        walks = {
            name: Walk(stack.enter_context(debugging(program)))
            for name, program in programs.items()
        }
        _walk(list(walks.values()), 2 if quick else 10)
    _print_steps(walks)
    _print_requests(walks["largest example, INT8"])
    return [
        Target(f"{move}, {name}, ms", timing.median(seconds) * 1e3, SLOWEST_MS)
        for name, walk in walks.items()
        for move, seconds in walk.steps.items()
    ]


class Walk:
    """Steps through a program, and what they took: whole steps by move, requests by what for."""

    def __init__(self, client: DapClient) -> None:
        self._client = client
        self._cycle = ""
        self.steps: dict[str, list[float]] = {move: [] for move in MOVES}
        self.work = dict.fromkeys(MOVES, 0.0)
        self.requests: dict[str, list[float]] = {}
        client.go_to(START)

    def go(self, move: str) -> None:
        """Some steps. Raises RuntimeError if the machine does not move or something is missing."""
        before = process.cpu_seconds(self._client.pid)
        for _ in range(BLOCK):
            begin = time.perf_counter()
            self._client.move(move)
            self._note(f"{move}, until it stands", begin)
            self._refresh()
            self.steps[move].append(time.perf_counter() - begin)
        self.work[move] += process.cpu_seconds(self._client.pid) - before

    def _refresh(self) -> None:
        """What an editor asks for after each stop, each answer awaited before the next request."""
        self._ask("threads", "threads")
        frames = self._ask("stackTrace", "stackTrace", threadId=1)["stackFrames"]
        frame = frames[0]["id"]
        scopes = self._ask("scopes", "scopes", frameId=frame)["scopes"]
        found: dict[str, Json] = {}
        for scope in scopes:
            found |= self._open(f"scope {scope['name']}", scope)
        for name in OPENED:
            rows = self._open(f"rows of {name}", found[name])
            self._open(f"a row of {name}", next(iter(rows.values())))
        for watch in WATCHES:
            self._ask(f"watch {watch}", "evaluate", expression=watch, frameId=frame)
        if len(scopes) != SCOPES or found[_COUNTER]["value"] == self._cycle:
            raise RuntimeError(f"this was no step: cycle {self._cycle}, {len(scopes)} scopes")
        self._cycle = found[_COUNTER]["value"]

    def _open(self, what: str, opened: Json) -> dict[str, Json]:
        reference = opened["variablesReference"]
        answer = self._ask(what, "variables", variablesReference=reference)
        return {variable["name"]: variable for variable in answer["variables"]}

    def _ask(self, what: str, command: str, **arguments: Any) -> Json:
        begin = time.perf_counter()
        answer = self._client.ask(command, **arguments)
        self._note(what, begin)
        return answer

    def _note(self, what: str, begin: float) -> None:
        self.requests.setdefault(what, []).append(time.perf_counter() - begin)


def _walk(walks: list[Walk], blocks: int) -> None:
    """Let them walk in turn, there and back."""
    for move in MOVES:
        for _ in range(blocks):
            for walk in walks:
                walk.go(move)


def _print_steps(walks: dict[str, Walk]) -> None:
    rows = []
    for name, walk in walks.items():
        for move, seconds in walk.steps.items():
            cells = (timing.median(seconds), timing.percentile(seconds, 0.95))
            work = walk.work[move] / len(seconds)
            rows.append((f"{move}, {name}", *map(milliseconds, (*cells, work))))
    header = ("step", "median", "p95", "adapter's work")
    print_table("debugger: a step with everything looked at, ms", header, rows)


def _print_requests(walk: Walk) -> None:
    """What takes most of a step."""
    medians = {what: timing.median(seconds) for what, seconds in walk.requests.items()}
    costly = sorted(medians, key=lambda what: -medians[what])[:_COSTLY]
    rows = [(what, milliseconds(medians[what])) for what in costly]
    title = f"debugger: the dearest of its {len(medians) - 1} requests, median ms"
    print_table(title, ("request", "ms"), rows)
