"""Markdown pages as terminals show them."""

from __future__ import annotations

import io

from rich.console import Console
from rich.markdown import Markdown

_WIDEST = 100


def terminal_page(text: str, has_color: bool, width: int | None = None) -> str:
    """Return a Markdown page with headings, tables and code for a terminal.

    By default it is as wide as the terminal, at most 100 columns.
    """
    console = Console(
        file=io.StringIO(),
        force_terminal=has_color,
        no_color=not has_color,
        color_system="standard" if has_color else None,
        width=min(width or Console().width, _WIDEST),
        legacy_windows=False,
    )
    with console.capture() as capture:
        console.print(Markdown(text, code_theme="ansi_dark", hyperlinks=has_color))
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"
