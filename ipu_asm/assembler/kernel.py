"""Loading of executable programs, from a source or from an image."""

from __future__ import annotations

import os
import re
from typing import Any, Callable, Sequence

from ipu_asm.assembler.encode import AssemblyError, disassemble, object_of, words_of
from ipu_asm.assembler.images import decode_image
from ipu_asm.assembler.listed_source import isa_of_listing
from ipu_asm.config.files import FileError, decoded, source_extensions
from ipu_asm.config.isa_choice import IsaChooser
from ipu_asm.isa import UnknownIsaError, load_isa, manifests
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.line_table import EffectiveProgram, LineTable, read_effective_program
from ipu_asm.program.program import Program
from ipu_asm.source.expansion import Expansion
from ipu_asm.text import SourceFile

SOURCE = "source"
"""The format of a source file."""

_LINE_BREAK = re.compile(r"\r\n?|\n")
_WORD_LINE = re.compile(r"(?:[ \t]*\d+:)?[ \t]*(?:0[xX][0-9a-fA-F]+|[0-9a-fA-F]{40,})[ \t]*")


class Kernel(NamedTuple):
    """A program ready to run. For an image, `source` and `program` are its disassembly.

    Of a template, `source` is what the author wrote, `program` that of its first expansion, and
    `expansions` has one for each context. A set with units of code instead of words has no `words`
    but linked `code`, which machines of the set execute.
    """

    name: str
    source: SourceFile
    isa: Isa
    words: Sequence[int]
    program: Program
    is_image: bool
    expansions: tuple[Expansion, ...] = ()
    code: Any = None

    @property
    def expansion(self) -> Expansion | None:
        """The text that the program was read from, if that is not `source`."""
        return self.expansions[0] if self.expansions else None

    @property
    def lines(self) -> LineTable:
        """The source lines of the bundles, in the written or the disassembled source."""
        return LineTable(self.program, self.expansion, self.source)


class RejectedSourceError(Exception):
    """A source that cannot be assembled; `findings` has its errors."""

    def __init__(self, error: AssemblyError, source: SourceFile) -> None:
        super().__init__(str(error))
        self.findings = error.findings
        self.source = source


Read = Callable[[Isa, SourceFile], EffectiveProgram]
"""Reads a source: callers pass their own to expand it in a context, or to obtain findings."""


def read_kernel(
    data: bytes,
    name: str,
    isa_name: str | None = None,
    image_format: str | None = None,
    read: Read = read_effective_program,
) -> Kernel:
    """Return the program in the file `name`; without `image_format` the format is guessed.

    Raises `RejectedSourceError`, `ImageError`, `FileError` and `ConfigurationError`.
    """
    image_format = image_format or _guessed_format(data, name)
    text = "" if image_format == "bin" else decoded(data, name).text
    isa = _isa(text, name, isa_name)
    if image_format == SOURCE:
        return assemble_kernel(SourceFile(text, name), isa, read)
    words = decode_image(data, isa, image_format)
    listing = disassemble(words, isa)
    source = SourceFile(listing, f"{name} (disassembled)")
    return Kernel(name, source, isa, words, read_program(isa, listing), is_image=True)


def isa_name_of(
    data: bytes, name: str, asked: str | None = None, image_format: str | None = None
) -> str:
    """Return the name of the instruction set of a program, which may be unknown.

    Raises `ConfigurationError`.
    """
    image_format = image_format or _guessed_format(data, name)
    text = "" if image_format == "bin" else data.decode("utf-8", "replace")
    return IsaChooser(asked).choose(text, name).name


def chosen_isa(text: str, name: str, asked: str | None) -> tuple[Isa, str]:
    """Return the instruction set of a file, with its project's memory, and where that is chosen.

    Raises `FileError` if there is no such instruction set, and `ConfigurationError`.
    """
    chooser = IsaChooser(asked or isa_of_listing(text))
    choice = chooser.choose(text, name)
    try:
        isa = load_isa(choice.name)
    except UnknownIsaError as error:
        raise FileError(str(error), choice.origin) from error
    if len(isa.memories) > 1:
        project = chooser.configurations.nearest(os.path.dirname(os.path.abspath(name)))
        isa = load_isa(choice.name, project.memory.get(choice.name, "") if project else "")
    return isa, choice.origin


def assemble_kernel(
    source: SourceFile,
    isa: Isa,
    read: Read = read_effective_program,
) -> Kernel:
    """Assemble a source text. Raises `RejectedSourceError`."""
    effective = read(isa, source)
    try:
        words = words_of(object_of(effective, source, is_final=True), isa)
        program, expansions = effective
        return Kernel(source.path, source, isa, words, program, False, expansions)
    except AssemblyError as error:
        raise RejectedSourceError(error, source) from error


def _guessed_format(data: bytes, name: str) -> str:
    """The format of a file: a source by its extension, else an image if all lines are words."""
    if os.path.splitext(name)[1] in source_extensions():
        return SOURCE
    if b"\0" in data:
        return "bin"
    lines = _LINE_BREAK.split(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    code = [line for line in (line.partition("#")[0] for line in lines) if line.strip()]
    return "hex" if code and all(map(_WORD_LINE.fullmatch, code)) else SOURCE


def _isa(text: str, name: str, asked: str | None) -> Isa:
    isa, origin = chosen_isa(text, name, asked)
    names = [
        name
        for name, manifest in manifests().items()
        if manifest.has_machine or manifest.runs_machine_code
    ]
    if isa.name not in names:
        raise FileError(
            f"programs for `{isa.name}` cannot be executed, only for "
            + ", ".join(f"`{name}`" for name in names),
            origin,
        )
    return isa
