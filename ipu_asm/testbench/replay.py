"""What a debugger needs to repeat the run of a failed kernel test, as a launch configuration."""

from __future__ import annotations

import os
import re
from tempfile import mkstemp
from typing import Any, Final

from ipu_asm.emulator.faults import ExecutionFault
from ipu_asm.emulator.state import SavedState
from ipu_asm.testbench.bench import Bench

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
