"""The data of a run as named parts of memory, for debuggers."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Iterable, Iterator

from ipu_asm.config.files import FileError
from ipu_asm.debugger.runner import HostData
from ipu_asm.emulator.state import AnyState
from ipu_asm.testbench.data.conversion import MachineData
from ipu_asm.testbench.data.memory import Loaded, content_of
from ipu_asm.testbench.data.reading import Piece
from ipu_asm.testbench.data.source import Data


def host_data(
    state: AnyState, loaded: Iterable[Loaded], dump: Iterable[Data], expect: Iterable[Piece]
) -> tuple[HostData, ...]:
    """Return what was loaded, is expected and is dumped; what cannot be converted is left out."""
    found = [
        *((each.text, each.address, each.size, "loaded") for each in loaded),
        *_expected(state, expect),
        *((each.source.text, each.place.address, each.place.size, "dumped") for each in dump),
    ]
    return tuple(
        HostData(os.path.basename(text), address, size, role)
        for text, address, size, role in found
        if size
    )


def _expected(state: AnyState, expect: Iterable[Piece]) -> Iterator[tuple[str, int, int, str]]:
    machine = MachineData(state)
    for piece in expect:
        with suppress(FileError):
            content = content_of(piece, machine, is_load=False)
            data = piece.data
            yield data.source.text, data.place.address, len(content.data), "expected"
