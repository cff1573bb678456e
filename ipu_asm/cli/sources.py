"""What the commands that read a program or an image have in common."""

from __future__ import annotations

import sys

from ipu_asm.assemble import AssemblyError
from ipu_asm.cli.console import complain, wants_color, write
from ipu_asm.cli.files import FileProblem, counted
from ipu_asm.images import ImageError
from ipu_asm.isa import UnknownIsaError, load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.isa_choice import IsaChooser
from ipu_asm.rendering import render
from ipu_asm.text import SourceFile


def chosen_isa(text: str, name: str, asked: str | None) -> tuple[Isa, str]:
    """The instruction set of a file, and what chose it. Raises `FileProblem` if there is none."""
    choice = IsaChooser(asked).choose(text, name)
    try:
        return load_isa(choice.name), choice.origin
    except UnknownIsaError as error:
        raise FileProblem(f"{choice.origin}: {error}") from error


def show_errors(error: AssemblyError, source: SourceFile, outcome: str) -> None:
    """Print what keeps a program from being assembled, and what that means for the command."""
    color = wants_color("auto", sys.stderr)
    for finding in error.findings:
        write(f"{render(finding, source, color)}\n\n", sys.stderr)
    write(f"{counted(len(error.findings), 'error')}, {outcome}\n", sys.stderr)


def show_image_mistakes(program: str, name: str, error: ImageError) -> None:
    """Print, a line each, why `program` cannot read the image of that name."""
    for line, message in error.mistakes:
        place = f"{name}:{line}" if line else name
        complain(program, f"{place}: {message}")
