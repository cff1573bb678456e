"""The sources of the extension, without an editor: their types, their units, what ESLint finds.

The units are tested in Node.js, by vscode-extension/test/unit.
"""

from __future__ import annotations

import subprocess

import pytest

from tests.editors.vscode_vsix import SOURCES, install_modules


@pytest.mark.parametrize("script", ["check", "lint", "test"])
def test_the_sources_of_the_extension_pass(script: str) -> None:
    install_modules()
    command = ["npm", "run", "--silent", script]
    done = subprocess.run(command, cwd=SOURCES, capture_output=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
