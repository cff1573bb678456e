"""Tests that run inside the extension host of a Visual Studio Code, beside our extension.

Such tests are a bundle of JavaScript that exports `run()`. It writes what came of them as JSON, a
list of objects with `name`, `ok` and `message`, into the file that `$IPU_TEST_RESULTS` names; under
another name first, so that what is there is whole.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple

from tests.editors.patience import soon
from tests.editors.vscode_server import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

RESULTS = "IPU_TEST_RESULTS"


class Result(NamedTuple):
    """What came of one test: its name, whether it passed, and if not, why."""

    name: str
    ok: bool
    message: str


class Host(NamedTuple):
    """Where tests run: a version of Code, a new folder for its profile, the folder with our
    extension, and a browser."""

    browser: Browser
    version: str
    profile: Path
    extension: Path


def run_in_extension_host(
    host: Host,
    bundle: Path,
    opened: Path,
    *,
    settings: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    trusting: bool = True,
) -> list[Result]:
    """What came of the tests of a bundle, which ran with a folder open."""
    results = host.profile / "results.json"
    server = Server(
        host.version,
        host.profile,
        settings=settings,
        environment={**(environment or os.environ), RESULTS: str(results)},
        trusting=trusting,
        for_tests=True,
    )
    with server:
        page = host.browser.new_page()
        try:
            page.goto(server.address(opened, host.extension, bundle))
            assert _all_came(results), f"no results:\n{server.logs()}"
        finally:
            page.close()
    return [Result(**result) for result in json.loads(results.read_text("utf-8"))]


def _all_came(results: Path) -> bool:
    """Whether all tests came to an end; each that does is a reason to wait for the next."""
    part = results.with_name(f"{results.name}.part")

    def moves() -> bool:
        return results.exists() or _size(part) != before

    while not results.exists():
        before = _size(part)
        if not soon(moves, expected=True):
            return False
    return True


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return -1
