"""Pages in terminals: `--explain` with headings and colours, and plain text elsewhere."""

from __future__ import annotations

import pytest

from ipu_asm.cli.lint.actions import terminal_page
from ipu_asm.cli.lint.command import main
from tests.cli.commands import run

PAGE = "# Title\n\nSome **words** and `code`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


def test_a_page_is_as_wide_as_it_may_be() -> None:
    for width in (40, 70, 100):
        lines = terminal_page(f"{PAGE}\n{'word ' * 80}", has_color=False, width=width).splitlines()
        assert width - 10 < max(map(len, lines)) <= width


def test_colours_are_left_out_where_nobody_wants_them() -> None:
    assert "\x1b" in terminal_page(PAGE, has_color=True, width=60)
    plain = terminal_page(PAGE, has_color=False, width=60)
    assert "\x1b" not in plain
    assert "**" not in plain
    assert "Some words and code." in plain


def test_a_page_is_rendered_in_a_terminal_and_markdown_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert run(main, ["--explain", "E201"]).out.startswith("# duplicate-slot\n")
    monkeypatch.setattr("ipu_asm.cli.lint.actions.is_terminal", lambda stream: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    rendered = run(main, ["--explain", "E201"]).out
    assert "# duplicate-slot" not in rendered
    assert "duplicate-slot" in rendered
    monkeypatch.setenv("TERM", "dumb")
    assert run(main, ["--explain", "E201"]).out.startswith("# duplicate-slot\n")
