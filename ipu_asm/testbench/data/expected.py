"""Elements that a file expects at a place of a machine, for debuggers.

`FILE` has as many elements as the place. A longer one says where it begins: `FILE@ADDR` at an
address of xmem, and for a register `FILE@N`, from its element N on.
"""

from __future__ import annotations

from typing import NoReturn, Sequence

from ipu_asm.config.files import FileError
from ipu_asm.debugger.expressions import ExpressionError, Location, MachineView, Space
from ipu_asm.emulator.state import AnyState
from ipu_asm.testbench.data.conversion import Content, MachineData
from ipu_asm.testbench.data.memory import content_of
from ipu_asm.testbench.data.reading import Piece, read_piece
from ipu_asm.testbench.data.source import Data, DataError, Place, number_of, source_of
from ipu_asm.text import Span, counted


class ExpectedFiles:
    """Reads the bytes that files expect in a machine's memory. Relative paths are in `folder`.

    `pieces` are the expected data of the launch: a file among them needs no address.
    """

    def __init__(self, state: AnyState, folder: str, pieces: Sequence[Piece] = ()) -> None:
        self._state = state
        self._folder = folder
        self._pieces = pieces

    def __call__(self, text: str, location: Location, view: MachineView) -> bytes:
        """Return the bytes that a file expects at a location. Raises ExpressionError."""
        name, separator, start_text = text.rpartition("@")
        try:
            start = number_of(start_text) if separator else None
            piece = self._piece(name if separator else text, location)
            content = content_of(piece, MachineData(self._state), is_load=False)
        except (DataError, FileError) as error:
            _refuse(text, str(error))
        if start is None and location.space is Space.MEMORY:
            start = self._address(piece)
        return _part(text, content, location, start)

    def _piece(self, name: str, location: Location) -> Piece:
        """All data of a file, in the type of a location. Raises `DataError` and `FileError`."""
        source = source_of(name).below(self._folder)
        if source.generator:
            raise DataError(f"a file is compared, found `{name}`")
        place = Place(0, None, location.kind.name)
        return read_piece(Data(source, place, name), self._state.xmem.size)

    def _address(self, piece: Piece) -> int | None:
        """The address at which the launch expects a file, if it does."""
        source = piece.data.source
        return next(
            (
                each.data.place.address
                for each in self._pieces
                if (each.data.source.file, each.data.source.member) == (source.file, source.member)
            ),
            None,
        )


def _part(text: str, content: Content, location: Location, start: int | None) -> bytes:
    """The bytes for a location of data that begin at a place."""
    size, elements = location.kind.size, len(content.data) // location.kind.size
    wanted = f"{counted(location.elements, 'element')} of {location.kind.name}"
    if start is None:
        if elements != location.elements:
            at = "ADDR for the address" if location.space is Space.MEMORY else "N for the element"
            which = f"; {text}@{at} with which they begin" if elements > location.elements else ""
            _refuse(text, f"expected {wanted}, found {elements:,} in {text}{which}")
        return content.data
    first = location.start - start if location.space is Space.MEMORY else start * size
    part = content.data[first : first + location.size] if first >= 0 and not first % size else b""
    if len(part) < location.size:
        _refuse(text, f"expected {wanted}, found none or only a part of them in {text}")
    return part


def _refuse(text: str, message: str) -> NoReturn:
    raise ExpressionError(message, Span(0, len(text)))
