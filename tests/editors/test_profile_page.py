"""The page of a profile in a browser, from half a window to a whole one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ipu_asm.cli.run.command import main
from tests.example_references import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

KERNELS = ("fully_connected.s", "ipu2/convolution.s")
WIDER_THAN_SHOWN = """
() => [document.documentElement, ...document.querySelectorAll("body, body *")]
  .filter(each => each.clientWidth > 0 && each.scrollWidth > each.clientWidth)
  .map(each => `${each.tagName} ${each.className}`)
"""


@pytest.mark.parametrize("kernel", KERNELS)
def test_nothing_of_a_profile_is_wider_than_the_window(
    browser: Browser, tmp_path: Path, kernel: str
) -> None:
    page_file = tmp_path / "profile.html"
    assert main([f"{ROOT}/examples/{kernel}", "--profile", str(page_file)]) == 0
    page = browser.new_page()
    page.goto(page_file.as_uri())
    page.locator("summary").click()
    for width in (420, 760, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(WIDER_THAN_SHOWN) == [], width
    page.close()
