"""The debugger of Visual Studio Code, as a person uses it."""

from __future__ import annotations

import re
from contextlib import suppress

from playwright.sync_api import TimeoutError

from tests.editors.vscode import VSCode

BREAKPOINT = ".codicon-debug-breakpoint, .codicon-debug-breakpoint-unverified"
TOOLBAR = ".debug-toolbar"
FRAME = ".debug-call-stack .stack-frame"
REASON = ".call-stack-state-message .label"
VARIABLE = ".debug-variables .monaco-list-row"

_NAMED = re.compile(r"^([^=]+?) ?= ?(.*)$", re.DOTALL)


class Debugger:
    """Of one window, where a kernel is open."""

    def __init__(self, vscode: VSCode) -> None:
        self.vscode = vscode
        self.page = vscode.page

    def toggle_breakpoint(self, row: int) -> None:
        """Presses F9 on a row, counted from 0."""
        self.vscode.go_to(row, 0)
        before = self.page.locator(BREAKPOINT).count()
        changed = f"document.querySelectorAll('{BREAKPOINT}').length != {before}"
        for _ in range(10):
            # Code does not listen before it knows that such a file can be debugged.
            self.vscode.press("F9")
            with suppress(TimeoutError):
                self.page.wait_for_function(changed, timeout=3_000)
                return
        raise AssertionError(f"F9 does nothing in row {row}")

    def start(self) -> None:
        """Presses F5, and waits until the kernel stops for the first time."""
        self.vscode.press("F5")
        self.page.locator(TOOLBAR).wait_for()
        self.page.locator(FRAME).first.wait_for()

    def click(self, button: str) -> None:
        """Clicks a button of the tool bar of the debugger, by the name of its icon."""
        self.page.locator(f"{TOOLBAR} .codicon-debug-{button}").click()

    def stop(self) -> None:
        """Ends the session, if there is one, and takes all breakpoints away."""
        self.vscode.focus_editor()
        if self.page.locator(TOOLBAR).is_visible():
            self.vscode.press("Shift+F5")
        self.page.locator(TOOLBAR).wait_for(state="hidden")
        self.vscode.command("Remove All Breakpoints")

    def place(self) -> str:
        """Where the machine stands: what the upper row of the call stack says, in one line."""
        rows = self.page.locator(FRAME)
        return " ".join(rows.first.inner_text().split()) if rows.count() else ""

    def reason(self) -> str:
        """Why the machine stands, as the call stack says."""
        return " ".join(self.page.locator(REASON).all_inner_texts())

    def expand(self, scope: str) -> None:
        """Opens a group of variables, such as `Loop registers`."""
        row = self.page.locator(VARIABLE, has_text=scope).first
        row.wait_for()
        if row.get_attribute("aria-expanded") == "false":
            row.click()

    def variables(self) -> dict[str, str]:
        """The variables that are on the screen, with their values."""
        found = map(_NAMED.match, self.page.locator(VARIABLE).all_inner_texts())
        return {match[1]: match[2].replace("\n", "") for match in found if match}
