"""A pytest plugin for editors: kernel tests alone, and what comes of them as events.

    pytest -p ipu_asm.testbench.editor_events --ipu-events=FILE ...

collects the tests that use the fixture `ipu`, and writes one JSON object a line to FILE: `session`
(root), `collected` (id, file, line, names), `error` (file, message), `started` (id), and `ended`
(id, outcome, seconds, messages with file and line, output, replay). Lines count from 1. A replay is
a launch configuration with which a debugger repeats the run.
"""

from __future__ import annotations

import json
import os
import re
from tempfile import mkstemp
from typing import TYPE_CHECKING, Any, Final, Generator, Iterator

import pytest

from ipu_asm.emulator.state import SavedState
from ipu_asm.emulator.stops import ExecutionFault
from ipu_asm.testbench.bench import Bench

if TYPE_CHECKING:
    from _pytest._code.code import ExceptionInfo


FIXTURE: Final = "ipu"
_FAILURE: Final = "ipu_failure"
"""Attribute of a report with what editors show of its failure; workers of xdist send it."""

_PLACE: Final = re.compile(r"^\s*--> (.+):(\d+):\d+$", re.M)
_PHASES: Final = ("setup", "call", "teardown")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the editor say where it reads events."""
    parser.getgroup("ipu").addoption(
        "--ipu-events", metavar="FILE", help="write events for an editor to FILE, as JSON lines"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Begin to write events."""
    path = config.getoption("--ipu-events")
    if path:
        config.pluginmanager.register(EditorEvents(path, hasattr(config, "workerinput")))


class EditorEvents:
    """Writes the events of one run; a worker of pytest-xdist leaves that to its controller."""

    def __init__(self, path: str, is_worker: bool) -> None:
        self._path = os.path.abspath(path)
        self._is_worker = is_worker
        self._phases: dict[str, list[pytest.TestReport]] = {}

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Tell of the folder that ids of tests and paths of lcov are relative to."""
        self._write("session", root=os.fspath(session.config.rootpath))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Leave tests without the fixture to others, and tell the editor of the rest."""
        others = [item for item in items if FIXTURE not in getattr(item, "fixturenames", ())]
        items[:] = [item for item in items if FIXTURE in getattr(item, "fixturenames", ())]
        if others:
            config.hook.pytest_deselected(items=others)
        for item in items:
            path, line, _ = item.reportinfo()
            names = [node.name for node in item.listchain() if not isinstance(node, _FOLDERS)]
            self._write(
                "collected", id=item.nodeid, file=os.fspath(path), line=(line or 0) + 1, names=names
            )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Tell of files that cannot be imported."""
        if report.failed and report.fspath:
            file = os.path.abspath(report.fspath)
            self._write("error", file=file, message=report.longreprtext)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Tell that a test begins."""
        self._write("started", id=nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach to the report of a failure what the editor shows of it."""
        report = yield
        if report.failed and call.excinfo is not None:
            setattr(report, _FAILURE, self._failure(item, call.excinfo))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell what came of a test, after its last phase."""
        phases = self._phases.setdefault(report.nodeid, [])
        phases.append(report)
        if report.when != _PHASES[-1]:
            return
        del self._phases[report.nodeid]
        failed = [each for each in phases if each.failed]
        skipped = any(each.skipped for each in phases)
        failures = [getattr(each, _FAILURE, {}) for each in failed]
        self._write(
            "ended",
            id=report.nodeid,
            outcome="failed" if failed else "skipped" if skipped else "passed",
            seconds=sum(each.duration for each in phases),
            messages=[message for each in failures for message in each.get("messages", [])],
            replay=next((each["replay"] for each in failures if each.get("replay")), None),
            output="".join(each.longreprtext + "\n" for each in failed),
        )

    def _failure(self, item: pytest.Item, excinfo: ExceptionInfo[BaseException]) -> dict[str, Any]:
        error = excinfo.value
        text = str(error) if isinstance(error, AssertionError) else excinfo.exconly()
        notes = "\n".join(getattr(error, "__notes__", ()))
        text = text if not notes or notes in text else f"{text}\n{notes}"
        path, line, _ = item.reportinfo()
        lines = [each.lineno for each in excinfo.traceback if each.path == item.path]
        place = {"file": os.fspath(path), "line": lines[-1] + 1 if lines else (line or 0) + 1}
        messages = [{"text": text, **place}, *_kernel_messages(error, text)]
        return {"messages": messages, "replay": self._replay(item, error, text)}

    def _replay(self, item: pytest.Item, error: BaseException, text: str) -> object:
        bench = getattr(item, "funcargs", {}).get(FIXTURE)
        if bench is None:
            return None

        return replay_of(bench, error, text, os.path.dirname(self._path))

    def _write(self, event: str, **fields: object) -> None:
        if not self._is_worker:
            with open(self._path, "a", encoding="utf-8", errors="replace") as file:
                file.write(json.dumps({"event": event, **fields}) + "\n")


_FOLDERS: Final = (pytest.Session, pytest.Dir)


def _kernel_messages(error: BaseException, text: str) -> Iterator[dict[str, object]]:
    """Messages at the places in kernels that a failure names: those of faults and of writers."""
    first = next(iter(str(error).splitlines()), "")
    if isinstance(error, AssertionError) and " was written by " in text:
        first = f"wrote what is wrong: {first}"
    places = {(os.path.abspath(path), int(line)) for path, line in _PLACE.findall(text)}
    for path, line in sorted(places):
        if os.path.isfile(path):
            yield {"text": first, "file": path, "line": line}


_WRITTEN: Final = re.compile(r"written by .*?, cycle ([\d,]+)")
_HELD: Final = re.compile(r"held what .*?, cycle ([\d,]+)")
_FILES: Final = ("cr", "lr")


def replay_of(
    bench: Bench, error: BaseException, text: str, folder: str
) -> dict[str, object] | None:
    """Return a launch configuration and the cycle to go to, with memory in a file of `folder`.

    The cycle is that of a fault, or in front of the instruction that wrote the first wrong element;
    None is the end. There is no configuration where the run depends on more than a launch can
    say: vector registers, parts of a run, a kernel without a file.
    """
    execution = bench.execution
    if execution is None or len(execution.legs) != 1 or not os.path.isfile(execution.kernel.name):
        return None
    start = execution.legs[0].start
    layout = bench.state.layout
    scalars = {
        file: {
            str(index): start.scalars[place]
            for index, place in enumerate(range(places.start, places.stop))
            if start.scalars[place]
        }
        for file, places in layout.files.items()
    }
    if start.pc or any(start.block) or any(scalars[file] for file in scalars.keys() - {*_FILES}):
        return None
    launch: dict[str, object] = {
        "program": os.path.abspath(execution.kernel.name),
        **{file: values for file, values in scalars.items() if values},
        **{_camel(name): value for name, value in execution.settings.items()},
        **_defines(execution.kernel.expansion),
    }
    memory = _memory(start)
    if memory:
        handle, path = mkstemp(suffix=".bin", dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(memory)
        launch["load"] = [{"file": path, "address": 0}]
    return {"launch": launch, "cycle": _cycle(error, text)}


def _cycle(error: BaseException, text: str) -> int | None:
    if isinstance(error, ExecutionFault):
        return error.fault.cycle
    found = _HELD.search(text) or _WRITTEN.search(text)
    return int(found[1].replace(",", "")) if found else None


def _memory(start: SavedState) -> bytes:
    """The content of the memory, up to its last byte that is not 0."""
    return b"".join(page for group in start.memory for page in group).rstrip(b"\0")


def _defines(expansion: Any) -> dict[str, object]:
    """The variables of a template's context, as `define` of a launch has them."""
    pairs = [part.partition("=") for part in expansion.context.split()] if expansion else []
    values = {name: int(value) if value.isdecimal() else value for name, _, value in pairs if name}
    return {"define": values} if values else {}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)
