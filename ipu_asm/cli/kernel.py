"""The program that `ipu-run` executes, be it written as assembly or assembled already."""

from __future__ import annotations

import os
import re
from typing import NamedTuple, Sequence

from ipu_asm.assemble import AssemblyError, encode
from ipu_asm.cli.files import (
    SOURCE_EXTENSIONS,
    STANDARD_INPUT,
    FileProblem,
    Target,
    decoded,
    read_bytes,
)
from ipu_asm.cli.run_options import PROGRAM, SOURCE, RunOptions
from ipu_asm.cli.sources import chosen_isa, show_errors, show_image_mistakes
from ipu_asm.disassembly import text_of
from ipu_asm.images import ImageError, words_of
from ipu_asm.isa import available_isas, load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.line_table import LineTable
from ipu_asm.program import Program, read_program
from ipu_asm.text import SourceFile

_LINE_BREAK = re.compile(r"\r\n?|\n")
_WORD_LINE = re.compile(r"(?:[ \t]*\d+:)?[ \t]*(?:0[xX][0-9a-fA-F]+|[0-9a-fA-F]{40,})[ \t]*")


class Kernel(NamedTuple):
    """A program ready to run. Of an image, `source` and `program` are the disassembly."""

    name: str
    source: SourceFile
    isa: Isa
    words: Sequence[int]
    program: Program
    is_image: bool

    @property
    def lines(self) -> LineTable:
        """Where the bundles stand in the source, be it written or disassembled."""
        return LineTable(self.program)


def read_kernel(options: RunOptions) -> Kernel | None:
    """The program that a user names; None where it has mistakes, which are printed.

    Raises `FileProblem` and `ConfigurationError`.
    """
    name = options.file
    target = Target("<stdin>", is_standard_input=True) if name == STANDARD_INPUT else Target(name)
    data = read_bytes(target)
    image_format = options.format or _guessed_format(data, target.name)
    text = "" if image_format == "bin" else decoded(data, target.name).text
    isa = _isa(text, target.name, options.isa)
    if image_format == SOURCE:
        return _assembled(SourceFile(text, target.name), isa)
    try:
        words = words_of(data, isa, image_format)
    except ImageError as error:
        show_image_mistakes(PROGRAM, target.name, error)
        return None
    listing = text_of(words, isa)
    source = SourceFile(listing, f"{target.name} (disassembled)")
    return Kernel(target.name, source, isa, words, read_program(isa, listing), is_image=True)


def _assembled(source: SourceFile, isa: Isa) -> Kernel | None:
    program = read_program(isa, source.text)
    try:
        return Kernel(source.path, source, isa, encode(program), program, is_image=False)
    except AssemblyError as error:
        show_errors(error, source, "nothing run")
        return None


def _guessed_format(data: bytes, name: str) -> str:
    """What a file is: a source by its name, else an image if all of it can be one."""
    if os.path.splitext(name)[1] in SOURCE_EXTENSIONS:
        return SOURCE
    if b"\0" in data:
        return "bin"
    lines = _LINE_BREAK.split(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    code = [line for line in (line.partition("#")[0] for line in lines) if line.strip()]
    return "hex" if code and all(map(_WORD_LINE.fullmatch, code)) else SOURCE


def _isa(text: str, name: str, asked: str | None) -> Isa:
    isa, origin = chosen_isa(text, name, asked)
    if not _is_executable(isa):
        names = [name for name in available_isas() if _is_executable(load_isa(name))]
        raise FileProblem(
            f"{origin}: programs for `{isa.name}` cannot be executed, only for "
            + ", ".join(f"`{name}`" for name in names)
        )
    return isa


def _is_executable(isa: Isa) -> bool:
    return all(spec.execute_fn for spec in isa.instructions.values())
