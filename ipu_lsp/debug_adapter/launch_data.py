"""Data in a launch configuration: to be loaded, compared with memory, or written."""

from __future__ import annotations

import os

from ipu_asm.config.files import input_at
from ipu_asm.testbench.data.reading import Piece, read_piece
from ipu_asm.testbench.data.source import Data, DataSource, Place, size_of
from ipu_lsp.debug_adapter.object_reader import ObjectReader


def input_piece(item: ObjectReader) -> Piece | None:
    """Read data to load or to compare with, as much as fits; None for a mistake."""
    files = item.files
    address = item.number("address", 0, files.memory_size - 1)
    source, dtype = item.source("file"), item.dtype("dtype")
    shape = item.shape("length", files.memory_size)
    if source is None:
        return None
    if source.generator and shape is None:
        if item.is_missing("length"):
            item.reject("length", f"needed for `{source.text}`, found none")
        return None
    data = Data(source, Place(address, shape, dtype), source.text)
    if source.generator:
        return Piece(data, None)
    size = files.memory_size
    return files.content(source.file, lambda _: read_piece(data, size), None)


def output_data(item: ObjectReader) -> Data | None:
    """Return a part of memory to dump; check now that its file can be written after the run.

    None for a mistake.
    """
    size = item.files.memory_size
    address = item.number("address", 0, size - 1)
    dtype = item.dtype("dtype")
    shape = item.shape("length", (size - address) // size_of(dtype), is_needed=True)
    source = item.source("file")
    if source is None or shape is None:
        return None
    if source.generator:
        item.reject("file", f"a file to write, found `{source.text}`")
        return None
    mistake = _unwritable(source, item)
    if mistake:
        item.files.mistakes.append(f"{source.file}: {mistake}")
    return Data(source, Place(address, shape, dtype), source.text)


def _unwritable(source: DataSource, item: ObjectReader) -> str | None:
    folder = os.path.dirname(source.file)
    if os.path.isdir(source.file):
        return "is a directory"
    if not os.path.isdir(folder):
        return f"there is no folder `{folder}`"
    found = input_at(source.file, item.files.inputs)
    return found and f"the dump would replace the input `{found.name}`"
