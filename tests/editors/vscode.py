"""A running Visual Studio Code in a browser: keys and the mouse go in, the page tells the rest."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Iterator, Protocol

from tests.editors.install import command
from tests.editors.patience import soon
from tests.editors.user import PROJECT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Frame, Locator, Page

_QUIET = ("background-networking", "component-update", "gpu", "quic", "sync")
_AS_ROOT = ["--no-sandbox", "--no-first-run", *(f"--disable-{name}" for name in _QUIET)]
_SIZE = 1400, 900
_LONGEST = 30_000.0  # milliseconds, of a machine that does other things as well

INPUT = ".quick-input-widget:not([style*='display: none'])"
PALETTE = f"{INPUT} .monaco-list-row.focused .label-name"
WORKBENCH = ".monaco-workbench"
EXPLORER = ".explorer-folders-view .monaco-list"
SUGGESTIONS = ".suggest-widget.visible"
HOVER = ".monaco-hover:visible, .debug-hover-widget:visible"
FOCUSED = ".editor-instance .monaco-editor.focused"
RENAME = ".rename-box input"
ACTIONS = ".action-widget"
NOTIFICATIONS = ".notification-list-item"


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window; all versions of Code can share one."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(command("chromium").resolve()), args=_AS_ROOT
        )
        try:
            yield browser
        finally:
            browser.close()


_MOST_HOVERS, _HOVER_SECONDS = 4, 15.0


class Host(Protocol):
    """What serves a window."""

    version: str

    def address(self, opened: Path, development: Path | None = None) -> str:
        """Where a browser finds it with a folder open."""


class VSCode:
    """One window, as a person uses it. Words that a method is given are what is on the screen.

    `development` is the folder of sources of an extension that is not installed.
    """

    def __init__(
        self,
        browser: Browser,
        server: Host,
        folder: Path,
        *,
        development: Path | None = None,
        scale: float = 1,
    ) -> None:
        self.server = server
        self.folder = folder
        self._development = development
        width, height = _SIZE
        self._context = browser.new_context(
            viewport={"width": width, "height": height}, device_scale_factor=scale
        )
        self._context.set_default_timeout(_LONGEST)
        self.page: Page = self._context.new_page()

    def __enter__(self) -> VSCode:
        self.page.goto(self.server.address(self.folder, self._development))
        self.page.wait_for_selector(WORKBENCH)
        self.page.wait_for_selector(EXPLORER)
        return self

    def __exit__(self, *_: object) -> None:
        self._context.close()

    def press(self, *keys: str) -> None:
        """Presses keys one after the other, by the names that a browser has for them."""
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        """Types a text letter by letter, where the cursor is."""
        self.page.keyboard.type(text)

    def command(self, title: str, asks: str = "") -> None:
        """Runs the command that the palette shows with this title, perhaps after a category.

        `asks` is in the list that the command itself shows.
        """
        offered = soon(lambda: self._offers(title), expected=True)
        assert offered, f"the palette does not offer {title}"
        self.press("Enter")
        if asks:
            self.page.locator(f"{INPUT} .monaco-list-row", has_text=asks).first.wait_for()
        else:
            self.page.wait_for_selector(INPUT, state="hidden")

    def open(self, name: str, tab: str = "") -> None:
        """Opens a file of the folder by its name; its tab may have another one."""
        self.press("Control+p")
        self._fill(str(self.folder / name))
        self._wait_for_focused(PALETTE, rf"^{re.escape(Path(name).name)}$")
        self.press("Enter")
        self.page.wait_for_selector(INPUT, state="hidden")
        tab = tab or Path(name).name
        self.page.wait_for_selector(f".tab.active[data-resource-name='{tab}']")
        self.page.wait_for_selector(".editor-instance .view-line")

    def go_to(self, row: int, column: int) -> None:
        """Puts the cursor to a row and a column, both from 0."""
        self.press("Control+g")
        self._fill(f":{row + 1}:{column + 1}")
        self.press("Enter")
        self.page.wait_for_selector(INPUT, state="hidden")
        shown = f"Ln {row + 1}, Col {column + 1}"
        found = soon(lambda: shown in self.status(), expected=True)
        assert found, f"expected {shown} in {self.status()}"

    def replace_text(self, text: str) -> None:
        """Replaces all of the current file, as by pasting."""
        self.press("Control+a", "Delete")
        self.page.keyboard.insert_text(text)

    def save(self) -> None:
        """Saves the current file, and waits until that is done."""
        dirty = self.page.locator(".tab.dirty")
        for _ in range(10):
            # What comes in from the server meanwhile wants to be saved as well.
            self.press("Control+s")
            if soon(dirty.count, 0, within=3) == 0:
                return
        raise AssertionError("there is something that cannot be saved")

    def saved_text(self) -> str:
        """The current file as it is on the disk."""
        name = self.page.locator(".tab.active").first.get_attribute("data-resource-name")
        return (self.folder / str(name)).read_text(encoding="utf-8")

    def text(self) -> str:
        """The lines of the current file that are on the screen."""
        lines = self.page.locator(".editor-instance .view-line").evaluate_all(
            "lines => lines.map(line => [parseFloat(line.style.top), line.textContent])"
        )
        return "\n".join(text for _, text in sorted(lines)).replace("\xa0", " ")

    def word(self, text: str) -> Locator:
        """A word of the current file by its text, where it is first on the screen."""
        exact = re.compile(rf"^\s*{re.escape(text)}\s*$")
        return self.page.locator(".editor-instance .view-line span span", has_text=exact).first

    def squiggles(self, kind: str = "error") -> int:
        """How many places of the current file are underlined as errors, warnings, ..."""
        count: int = self.page.locator(f".squiggly-{kind}").count()
        return count

    def hover(self, where: Locator, *expected: str) -> str:
        """What is shown where the mouse rests, once that has these texts.

        A mouse that came before the editor was ready goes away and comes again.
        """
        box = where.bounding_box()
        assert box, f"{where} is not on the screen"
        shown = self.page.locator(HOVER)
        text = ""
        for _ in range(_MOST_HOVERS):
            self.page.mouse.move(1, 1)
            self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            text = soon(
                lambda: "\n".join(shown.all_inner_texts()).replace("\xa0", " "),
                lambda text: bool(text) and all(part in text for part in expected),
                within=_HOVER_SECONDS,
            )
            if text and all(part in text for part in expected):
                break
        return text

    def problems(self) -> list[str]:
        """The rows of the Problems panel, which is opened if it is not."""
        rows = self.page.locator(
            ".markers-panel .monaco-list-row .marker-message-details-container"
        )
        if not self.page.locator(".markers-panel").is_visible():
            self.press("Control+Shift+M")
            self.page.locator(".markers-panel").wait_for()
        return [row.replace("\xa0", " ") for row in rows.all_inner_texts()]

    def suggestions(self) -> list[str]:
        """Asks for suggestions at the cursor; their labels, as far as they are on the screen."""
        self.press("Control+Space")
        self.page.locator(f"{SUGGESTIONS} .monaco-list-row").first.wait_for()
        rows = self.page.locator(f"{SUGGESTIONS} .monaco-list-row .label-name")
        labels: list[str] = rows.all_inner_texts()
        return labels

    def status(self) -> str:
        """The texts of the status bar."""
        items = self.page.locator(".statusbar .statusbar-item")
        return " | ".join(text for text in items.all_inner_texts() if text)

    def notifications(self) -> list[str]:
        """The texts of the messages that are shown."""
        texts: list[str] = self.page.locator(NOTIFICATIONS).all_inner_texts()
        return texts

    def webview(self, selector: str) -> Frame:
        """The page inside the page that has such an element, once there is one."""
        found = soon(lambda: self._frames_with(selector), bool)
        assert found, f"no view has {selector}"
        return found[0]

    def screenshot(self, name: str) -> Path:
        """Keeps a picture of the window, with the version in its name, for whoever reads CI."""
        told = os.environ.get("IPU_EDITOR_ARTEFACTS")
        folder = Path(told) if told else PROJECT / "build" / "editors"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.server.version}-{name}.png"
        self.page.screenshot(path=path)
        return path

    def close_file(self) -> None:
        """Closes the current file; it is saved, which needs no answer to a question."""
        self.press("Escape", "Escape")
        self.focus_editor()
        self.save()
        self.command("View: Close All Editors")
        # What was typed last may be newer than what was saved: then Code asks.
        answers = self.page.locator(".monaco-dialog-box .monaco-button")
        tabs = self.page.locator(".tab")
        soon(lambda: tabs.count() == 0 or answers.count() > 0, expected=True)
        if answers.count():
            answers.first.click()
        self.page.wait_for_selector(".tab", state="detached")

    def focus_editor(self) -> None:
        """Goes back to the file, from a panel or a message."""
        self.press("Control+1")
        self.page.wait_for_selector(FOCUSED)

    def rename(self, name: str) -> None:
        """Gives what the cursor is on a new name."""
        self.press("F2")
        self.page.locator(RENAME).fill(name)
        self.press("Enter")
        self.page.locator(RENAME).wait_for(state="hidden")

    def quick_fix(self, title: str) -> None:
        """Applies the quick fix of this title to what the cursor is on."""
        self.press("Control+.")
        self._wait_for_focused(f"{ACTIONS} .monaco-list-row.focused", re.escape(title))
        self.press("Enter")

    def choose(self, title: str) -> None:
        """Takes the entry of an open list that has this title, or starts with it."""
        self.page.locator(f"{INPUT} .monaco-list-row", has_text=title).first.click()

    def answer(self, text: str) -> None:
        """Writes into an open question and presses Enter."""
        self._fill(text)
        self.press("Enter")

    def _offers(self, title: str) -> bool:
        """Opens the palette; whether it would run this, which it learns of before it is opened."""
        from playwright.sync_api import TimeoutError

        self.press("Escape", "F1")
        self._fill(">" + title)
        with suppress(TimeoutError):
            self._wait_for_focused(PALETTE, rf"^([\w ]+: )?{re.escape(title)}$", 5_000)
            return True
        return False

    def _frames_with(self, selector: str) -> list[Frame]:
        inner = (frame for frame in self.page.frames if frame.parent_frame is not None)
        return [frame for frame in inner if _has(frame, selector)]

    def _fill(self, text: str) -> None:
        field = self.page.locator(f"{INPUT} input[type=text]").first
        field.wait_for()
        field.fill(text)

    def _wait_for_focused(self, focused: str, title: str, patience: float = _LONGEST) -> None:
        """Waits until the entry of this title is the one that Enter would take."""
        entry = self.page.locator(focused, has_text=re.compile(title)).first
        entry.wait_for(timeout=patience)


def _has(frame: Frame, selector: str) -> bool:
    """Whether a page has such an element; one that another view replaces meanwhile has not."""
    from playwright.sync_api import Error

    try:
        return bool(frame.locator(selector).count())
    except Error:
        return False
