"""Output of `--fix` and `--diff`."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.cli.console import write_bytes
from ipu_asm.cli.differences import show_difference
from ipu_asm.cli.lint.linter import LintResult
from ipu_asm.config.file_writing import rewrite_file


def write_change(result: LintResult) -> bool:
    """Write the fixed text to its file; standard input is always copied to standard output.

    Returns whether the text has changed. Raises `FileError`.
    """
    original, text = result.original, result.source.text
    new = original.encoded(text)
    if result.target.is_standard_input:
        write_bytes(new)
        return text != original.text
    if text == original.text:
        return False
    return rewrite_file(result.target.name, original.encoded(original.text), new)


def show_differences(results: Sequence[LintResult], color: bool) -> None:
    """Write a unified diff of the fixes to standard output."""
    for one in results:
        show_difference(one.target.name, one.original.text, one.source.text, color)
