"""What the commands that read a program or an image have in common."""

from __future__ import annotations

import sys
from typing import Sequence

from ipu_asm.cli.console import complain, wants_color, write
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.files import counted
from ipu_asm.images import ImageError
from ipu_asm.rendering import render
from ipu_asm.text import SourceFile


def show_errors(findings: Sequence[Diagnostic], source: SourceFile, outcome: str) -> None:
    """Print what keeps a program from being assembled, and what that means for the command."""
    color = wants_color("auto", sys.stderr)
    for finding in findings:
        write(f"{render(finding, source, color)}\n\n", sys.stderr)
    write(f"{counted(len(findings), 'error')}, {outcome}\n", sys.stderr)


def show_image_mistakes(program: str, name: str, error: ImageError) -> None:
    """Print, a line each, why `program` cannot read the image of that name."""
    for line, message in error.mistakes:
        place = f"{name}:{line}" if line else name
        complain(program, f"{place}: {message}")
