"""How long a question of the editor takes in a long document, through real servers over pipes."""

from __future__ import annotations

import random
import re
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import servers, timing
from benchmarks.kernels import Style
from benchmarks.lsp_client import LspClient, started
from benchmarks.report import Target, milliseconds, print_table
from benchmarks.servers import Server

Json = dict[str, Any]

LINES = 10_000
BURST = 200
"""Edits that are sent at once, without waiting for anything."""


class Question(NamedTuple):
    """A request, what it is about, and the milliseconds that it may take."""

    method: str
    limit_ms: float
    about: str = "position"


QUESTIONS = (
    Question("textDocument/hover", 5),
    Question("textDocument/completion", 5),
    Question("textDocument/signatureHelp", 5),
    Question("textDocument/documentHighlight", 5, "register"),
    Question("textDocument/semanticTokens/full/delta", 15, "edit"),
    Question("textDocument/semanticTokens/full", 150, "document"),
    Question("textDocument/formatting", 1_000, "document"),
)
"""What is asked; limits are for the machine of `timing.REFERENCE_UNIT_S`."""

_PLACES = {"position": re.compile(""), "register": re.compile(r"(?:lr|cr|r)\d")}
"""Questions about words, and how those begin. Most words of a program are named nowhere else, so
that a median over all of them says nothing of what a register costs, which has thousands."""


def run(quick: bool = False) -> list[Target]:
    """Measure all questions, opening, and a burst of edits; print the medians."""
    rounds = 10 if quick else 60
    unit = timing.median([timing.unit_of_work() for _ in range(5)])
    rows, targets = [], []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())).resolve()
        desks = {
            server.name: _Desk(stack.enter_context(started(server.command)), server, folder)
            for server in servers.installed()
            if server.language == "ipu-asm"
        }
        for question in QUESTIONS:
            few = rounds if question.about in _PLACES else max(5, rounds // 6)
            asks = {name: desk.asking(question) for name, desk in desks.items()}
            seconds = timing.interleave(few, asks)
            medians = {name: timing.median(values) for name, values in seconds.items()}
            rows.append(_row(question.method, medians))
            measured = timing.normalised(medians["ipu-lsp"], unit) * 1e3
            targets.append(Target(f"{question.method}, ms", measured, question.limit_ms))
        opening = {name: desk.opened_in for name, desk in desks.items()}
        rows.append(_row("open to first findings", opening))
        measured = timing.normalised(opening["ipu-lsp"], unit)
        targets.append(Target("open to first findings, s", measured, 1.5))
        bursts = {name: desk.burst() for name, desk in desks.items()}
        rows.append(_row(f"{BURST} edits at once, to the last findings", bursts))
        targets.append(
            Target("a burst of edits, ours/floor", bursts["ipu-lsp"] / bursts["floor"], 1)
        )
    print_table(f"{LINES:,} lines, median ms", ("question", "ipu-lsp", "floor"), rows)
    return targets


def _row(title: str, seconds: dict[str, float]) -> tuple[str, ...]:
    return (title, *(milliseconds(seconds[name]) for name in ("ipu-lsp", "floor")))


class _Desk:
    """A long document open in a server, and places in it to ask about."""

    def __init__(self, client: LspClient, server: Server, folder: Path) -> None:
        self._client = client
        text = server.text(LINES, Style.INSTRUCTIONS)
        self._lines = text.split("\n")
        self._random = random.Random(1)
        self._document = {"textDocument": {"uri": (folder / server.file).as_uri()}}
        self._version = 1
        client.initialize(folder)
        uri = self._document["textDocument"]["uri"]
        self.opened_in = client.open(uri, server.language, text).seconds
        self._result_id = "0"

    def asking(self, question: Question) -> Callable[[], float]:
        """An action that asks a question once; the seconds until its answer is here."""
        return lambda: self._ask(question)

    def burst(self) -> float:
        """Seconds until the findings of the last of many edits are here."""
        uri = self._document["textDocument"]["uri"]
        start = time.perf_counter()
        for _ in range(BURST - 1):
            self._type()
        self._version += 1
        self._client.change(uri, self._version, LINES // 2, 0, " ")
        return time.perf_counter() - start

    def _ask(self, question: Question) -> float:
        params: Json = dict(self._document)
        if question.about in _PLACES:
            params["position"] = self._place(_PLACES[question.about])
        elif question.about == "edit":
            self._type()
            self._client.request(
                "textDocument/documentHighlight",
                {**params, "position": {"line": 0, "character": 0}},
            )
            params["previousResultId"] = self._result_id
        params["options"] = {"tabSize": 4, "insertSpaces": True}
        start = time.perf_counter()
        answer = self._client.request(question.method, params)
        seconds = time.perf_counter() - start
        if isinstance(answer, dict) and "resultId" in answer:
            self._result_id = answer["resultId"]
        return seconds

    def _place(self, wanted: re.Pattern[str]) -> Json:
        """The middle of a word of code that begins like that."""
        while True:
            line = self._random.randrange(len(self._lines))
            words = [word for word in self._lines[line].split() if wanted.match(word)]
            if words and not self._lines[line].lstrip().startswith("#"):
                word = self._random.choice(words)
                return {"line": line, "character": self._lines[line].index(word) + 1}

    def _type(self) -> None:
        """Put a blank at the start of the line in the middle; nobody waits for what follows."""
        self._version += 1
        place = {"line": LINES // 2, "character": 0}
        document = {**self._document["textDocument"], "version": self._version}
        change = {"range": {"start": place, "end": place}, "text": " "}
        params = {"textDocument": document, "contentChanges": [change]}
        self._client.notify("textDocument/didChange", params)
