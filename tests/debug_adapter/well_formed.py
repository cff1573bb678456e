"""A right request of each sort, with every field that the protocol knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Iterator

from ipu_lsp.transport import Json
from tests.debug_adapter.client import ABOUT_US, THREAD

MOVES: Final = (
    "continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "goto",
)  # fmt: skip
TRANSITIONS: Final = (
    "initialize", "launch", "configurationDone", "restart", "terminate", "disconnect",
)  # fmt: skip
"""Requests that change what others may count on, besides the moves."""

_CONDITIONS: Final = {"condition": "lr1 > 3", "hitCondition": ">= 2"}


def right_arguments(program: Path, reference: int = 1) -> dict[str, Json]:
    """The arguments of each request; `reference` is a `variablesReference`.

    Line 2 of the program must hold a bundle.
    """
    source: Json = {"name": program.name, "path": str(program), "sourceReference": 0}
    frame: Json = {"frameId": 1, "format": {"hex": True}}
    move: Json = {"threadId": THREAD, "singleThread": False, "granularity": "statement"}
    bytes_: Json = {"memoryReference": "0x100", "offset": 1}
    launch = _launch(program)
    return {
        "initialize": {**ABOUT_US, "locale": "en"},
        "launch": launch,
        "attach": {"program": str(program)},
        "configurationDone": {},
        "restart": {"arguments": launch},
        "terminate": {"restart": False},
        "disconnect": {"restart": False, "terminateDebuggee": True, "suspendDebuggee": False},
        "cancel": {"requestId": 1_000_000, "progressId": "run-0"},
        **{command: move for command in MOVES if command != "goto"},
        "goto": {"threadId": THREAD, "targetId": 1},
        "pause": {"threadId": THREAD},
        "gotoTargets": {"source": source, "line": 2, "column": 5},
        "threads": {},
        "stackTrace": {
            "threadId": THREAD,
            "startFrame": 0,
            "levels": 2,
            "format": {"hex": True, "line": True, "module": True},
        },
        "scopes": {"frameId": 1},
        "variables": {
            "variablesReference": reference,
            "filter": "named",
            "start": 0,
            "count": 3,
            "format": {"hex": True},
        },
        "setVariable": {
            "variablesReference": reference,
            "name": "lr2",
            "value": "lr1 + 1",
            "format": {"hex": True},
        },
        "setExpression": {"expression": "r0[3]", "value": "7", **frame},
        "evaluate": {"expression": "lr1 + 1", "context": "repl", **frame},
        "completions": {"frameId": 1, "text": "lr", "column": 3, "line": 1},
        "setBreakpoints": {
            "source": source,
            "breakpoints": [{"line": 2, "column": 5, "logMessage": "at {lr1}", **_CONDITIONS}],
            "lines": [2],
            "sourceModified": False,
        },
        "setFunctionBreakpoints": {"breakpoints": [{"name": "forever", **_CONDITIONS}]},
        "setInstructionBreakpoints": {
            "breakpoints": [{"instructionReference": "0x1", "offset": 0, **_CONDITIONS}]
        },
        "setDataBreakpoints": {
            "breakpoints": [{"dataId": "lr1:0x0:4", "accessType": "read", **_CONDITIONS}]
        },
        "setExceptionBreakpoints": {
            "filters": ["break"],
            "filterOptions": [{"filterId": "nan", "condition": "lr1 > 3", "mode": "x"}],
            "exceptionOptions": [],
        },
        "exceptionInfo": {"threadId": THREAD},
        "dataBreakpointInfo": {
            "variablesReference": reference,
            "name": "lr1",
            "frameId": 1,
            "bytes": 2,
            "asAddress": False,
            "mode": "x",
        },
        "breakpointLocations": {
            "source": source,
            "line": 1,
            "column": 1,
            "endLine": 3,
            "endColumn": 9,
        },
        "readMemory": {**bytes_, "count": 16},
        "writeMemory": {**bytes_, "data": "AQID", "allowPartial": True},
        "disassemble": {
            "memoryReference": "0x1",
            "offset": 0,
            "instructionOffset": -1,
            "instructionCount": 3,
            "resolveSymbols": True,
        },
        "loadedSources": {},
        "source": {"source": source, "sourceReference": 0},
        "modules": {"startModule": 0, "moduleCount": 1},
        "ipu/memoryMap": {"cells": 64},
        "ipu/vectors": {},
        "ipu/showSource": {},
        "ipu/vector": {"name": "acc", "type": "float32", "mask": "mask[0]", "frameId": 1},
    }


def _launch(program: Path) -> Json:
    """A whole launch configuration; what it dumps lies beside the program."""
    return {
        "program": str(program),
        "isa": "ipu",
        "dtype": "int8",
        "cr": {"0": 4096},
        "lr": {"2": "0x10"},
        "load": [{"file": str(program), "address": 0, "length": 4}],
        "dump": [{"file": str(program.with_name("dump.bin")), "address": 0, "length": 4}],
        "stopOnEntry": True,
        "stopOnHalt": True,
        "maxCycles": 100_000,
        "aaqShift": 0,
        "historyMemory": 16,
        "cwd": str(program.parent),
        "noDebug": False,
    }


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all values within a value, and to itself."""
    yield path
    inner: list[tuple[Any, Any]] = list(enumerate(value)) if isinstance(value, list) else []
    if isinstance(value, dict):
        inner = list(value.items())
    for key, item in inner:
        yield from places(item, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The value with something else at a place."""
    if not path:
        return new
    changed: Any = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = replaced(changed[path[0]], path[1:], new)
    return changed


def without(value: Any, path: tuple[Any, ...]) -> Any:
    """The value with nothing at a place."""
    changed: Any = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1:
        del changed[path[0]]
    else:
        changed[path[0]] = without(changed[path[0]], path[1:])
    return changed
